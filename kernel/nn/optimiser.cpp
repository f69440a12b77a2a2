#include "nn/optimiser.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace crossarc {

void spread(Matrix& matrix, float range, Random& random) {
  for (float& value : matrix.values) value = (2.0F * random.share() - 1.0F) * range;
}

void spread(Matrix& matrix, Random& random) {
  spread(matrix, std::sqrt(6.0F / static_cast<float>(matrix.rows + matrix.columns)), random);
}

void RowGradients::add(std::uint32_t row, const float* gradient) {
  crossarc::add(sums_.row(row), gradient, sums_.columns);
  if (!used_[row]) rows_.push_back(row);
  used_[row] = 1;
}

void RowGradients::clear() {
  for (const std::uint32_t row : rows_) {
    std::fill_n(sums_.row(row), sums_.columns, 0.0F);
    used_[row] = 0;
  }
  rows_.clear();
}

Adam::Adam(const ParameterList& parameters) {
  for (const Parameter* parameter : parameters) {
    first_.emplace_back(parameter->rows, parameter->columns);
    second_.emplace_back(parameter->rows, parameter->columns);
  }
}

void Adam::begin_step(float rate, float scale) {
  ++steps_;
  const auto steps = static_cast<double>(steps_);
  step_.rate = rate * static_cast<float>(std::sqrt(1.0 - std::pow(step_.second_decay, steps)) /
                                         (1.0 - std::pow(step_.first_decay, steps)));
  step_.scale = scale;
}

void Adam::update(std::size_t index, Matrix& values, std::span<float* const> gradients, std::size_t block) {
  constexpr std::size_t kNear = 2048;  // stays in the nearest cache while it is summed up
  const std::size_t last = std::min((block + 1) * kBlock, values.values.size());
  for (std::size_t from = block * kBlock; from < last; from += kNear) {
    const std::size_t count = std::min(kNear, last - from);
    for (const float* other : gradients.subspan(1)) add(gradients[0] + from, other + from, count);
    adam_update(step_, values.values.data() + from, gradients[0] + from, first_[index].values.data() + from,
                second_[index].values.data() + from, count);
  }
}

void Adam::update(std::size_t index, Matrix& values, RowGradients& gradients) {
  for (const std::uint32_t row : gradients.rows()) {
    adam_update(step_, values.row(row), gradients.sum(row), first_[index].row(row), second_[index].row(row),
                values.columns);
  }
  gradients.clear();
}

namespace {

void set_moments(const ParameterList& parameters, const std::map<std::string, std::vector<float>>& values, float least,
                 std::vector<Matrix>& moments) {
  if (values.size() != parameters.size()) throw std::invalid_argument("the optimiser is of other parameters");
  for (const Parameter* parameter : parameters) {
    const auto entry = values.find(parameter->name);
    if (entry == values.end() || entry->second.size() != parameter->size()) {
      throw std::invalid_argument("the optimiser has not what belongs to " + parameter->name);
    }
    const auto fits = [&](float value) { return std::isfinite(value) && value >= least; };
    if (!std::all_of(entry->second.begin(), entry->second.end(), fits)) {
      throw std::invalid_argument(parameter->name +
                                  " has a mean of gradients that is not finite, or of squares below 0");
    }
    moments[parameter->index].values.assign(entry->second.begin(), entry->second.end());
  }
}

}  // namespace

void Adam::set_state(std::uint64_t steps, const ParameterList& parameters,
                     const std::map<std::string, std::vector<float>>& first,
                     const std::map<std::string, std::vector<float>>& second) {
  set_moments(parameters, first, -std::numeric_limits<float>::max(), first_);
  set_moments(parameters, second, 0.0F, second_);
  steps_ = steps;
}

}  // namespace crossarc
