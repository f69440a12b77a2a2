#include "nn/optimiser.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace crossarc {
namespace {

// Pointers to matrices, constant or not.
template <typename Pointer, typename Matrices>
std::vector<Pointer> pointers_to(Matrices& matrices) {
  std::vector<Pointer> all;
  for (auto& one : matrices) all.push_back(&one);
  return all;
}

}  // namespace

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

Adam::Adam(std::span<const Matrix* const> weights) {
  for (const Matrix* one : weights) {
    first_.emplace_back(one->rows, one->columns);
    second_.emplace_back(one->rows, one->columns);
  }
}

void Adam::begin_step(float rate, float scale) {
  ++steps_;
  const auto steps = static_cast<double>(steps_);
  step_.rate = rate * static_cast<float>(std::sqrt(1.0 - std::pow(step_.second_decay, steps)) /
                                         (1.0 - std::pow(step_.first_decay, steps)));
  step_.scale = scale;
}

void Adam::update(std::size_t number, Matrix& weights, std::span<float* const> gradients, std::size_t block) {
  constexpr std::size_t kNear = 2048;  // stays in the nearest cache while it is summed up
  const std::size_t last = std::min((block + 1) * kBlock, weights.values.size());
  for (std::size_t from = block * kBlock; from < last; from += kNear) {
    const std::size_t count = std::min(kNear, last - from);
    for (const float* other : gradients.subspan(1)) add(gradients[0] + from, other + from, count);
    adam_update(step_, weights.values.data() + from, gradients[0] + from, first_[number].values.data() + from,
                second_[number].values.data() + from, count);
  }
}

void Adam::update(std::size_t number, Matrix& weights, RowGradients& gradients) {
  for (const std::uint32_t row : gradients.rows()) {
    adam_update(step_, weights.row(row), gradients.sum(row), first_[number].row(row), second_[number].row(row),
                weights.columns);
  }
  gradients.clear();
}

Adam::Memory Adam::remember() const {
  return {steps_, values_of(pointers_to<const Matrix*>(first_)), values_of(pointers_to<const Matrix*>(second_))};
}

void Adam::restore(const Memory& memory) {
  for (const std::vector<float>& squares : memory.second) {
    if (std::any_of(squares.begin(), squares.end(), [](float value) { return value < 0.0F; })) {
      throw std::invalid_argument("a mean of squares is below 0");
    }
  }
  set_values(pointers_to<Matrix*>(first_), memory.first);
  set_values(pointers_to<Matrix*>(second_), memory.second);
  steps_ = memory.steps;
}

namespace {

// Whether all values are numbers of at most this size. Without a branch, so that it is computed with vectors.
bool all_within(std::span<const float> values, float largest) {
  unsigned beyond = 0;
  for (const float value : values) beyond |= static_cast<unsigned>(!(std::abs(value) <= largest));
  return beyond == 0;
}

}  // namespace

void check_weights(const ValueLists& weights, std::size_t wanted) {
  constexpr float kLargest = 1 << 24;
  std::size_t given = 0;
  for (const std::span<const float> one : weights) {
    given += one.size();
    if (!all_within(one, kLargest)) throw std::invalid_argument("a weight is not a number, or too large");
  }
  if (given != wanted) {
    throw std::invalid_argument(std::to_string(given) + " weights instead of " + std::to_string(wanted));
  }
}

std::vector<std::vector<float>> values_of(std::span<const Matrix* const> matrices) {
  std::vector<std::vector<float>> values;
  for (const Matrix* one : matrices) values.emplace_back(one->values.begin(), one->values.end());
  return values;
}

void set_values(std::span<Matrix* const> matrices, const ValueLists& values) {
  if (values.size() != matrices.size()) {
    throw std::invalid_argument(std::to_string(values.size()) + " matrices of weights instead of " +
                                std::to_string(matrices.size()));
  }
  for (std::size_t number = 0; number < matrices.size(); ++number) {
    if (values[number].size() != matrices[number]->values.size()) {
      throw std::invalid_argument("matrix " + std::to_string(number) + " has " + std::to_string(values[number].size()) +
                                  " weights instead of " + std::to_string(matrices[number]->values.size()));
    }
    if (!all_within(values[number], std::numeric_limits<float>::max())) {
      throw std::invalid_argument("matrix " + std::to_string(number) + " has a weight that is not a finite number");
    }
    matrices[number]->values.assign(values[number].begin(), values[number].end());
  }
}

}  // namespace crossarc
