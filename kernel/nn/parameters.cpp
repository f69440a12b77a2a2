#include "nn/parameters.hpp"

#include <algorithm>
#include <stdexcept>

#include "nn/activation.hpp"

namespace crossarc {
namespace {

// to = steps · scale. Each product is rounded by itself, before anything is added to it.
void widen(const std::int8_t* steps, float scale, float* to, std::size_t count) {
  for (std::size_t index = 0; index < count; ++index) to[index] = static_cast<float>(steps[index]) * scale;
}

void check_steps(const std::string& name, const Int8Values& given) {
  constexpr float kLargest = 1 << 17;  // times 127: no larger than floats may be
  unsigned beyond = 0;
  for (const std::int8_t step : given.steps) beyond |= static_cast<unsigned>(step == -128);
  for (const float scale : given.scales) beyond |= static_cast<unsigned>(!(scale >= 0.0F && scale <= kLargest));
  if (beyond != 0) throw std::invalid_argument(name + ": a weight is no whole number from -127 to 127 times its scale");
}

}  // namespace

void Parameter::pack(bool to_learn) {
  if (!is_factor() || is_int8()) return;
  packed.pack(values);
  if (to_learn) packed_transposed.pack_transposed(values);
}

void Parameter::set_int8(const Int8Values& given) {
  const bool by_row = use == Use::kEmbeddings;
  if (!by_row && use != Use::kInt8Factor) throw std::invalid_argument(name + " is not computed with in eight bits");
  if (given.scale_rows != (by_row ? rows : 1) || given.scales.size() != (by_row ? rows : columns)) {
    throw std::invalid_argument("every " + std::string(by_row ? "row" : "column") + " of " + name + " has a scale");
  }
  check_steps(name, given);
  scales.assign(given.scales.begin(), given.scales.end());
  if (by_row) {
    steps.assign(given.steps.begin(), given.steps.end());
  } else {
    int8.pack(given.steps, rows, given.scales);
  }
}

void Parameter::copy_row(std::size_t number, float* to) const {
  if (is_int8()) return widen(steps.data() + number * columns, scales[number], to, columns);
  std::copy_n(values.row(number), columns, to);
}

void Parameter::add_row(std::size_t number, float* to) const {
  if (!is_int8()) return add(to, values.row(number), columns);
  constexpr std::size_t kTogether = 128;
  float widened[kTogether];
  for (std::size_t first = 0; first < columns; first += kTogether) {
    const std::size_t count = std::min(kTogether, columns - first);
    widen(steps.data() + number * columns + first, scales[number], widened, count);
    add(to + first, widened, count);
  }
}

AlignedFloats Parameter::floats() const {
  if (!is_int8()) return values.values;
  AlignedFloats all(size());
  for (std::size_t row = 0; row < rows; ++row) {
    float* const to = all.data() + row * columns;
    if (use == Use::kEmbeddings) {
      copy_row(row, to);
      continue;
    }
    for (std::size_t column = 0; column < columns; ++column) {
      to[column] = static_cast<float>(int8.step(row, column)) * scales[column];
    }
  }
  return all;
}

std::size_t ParameterList::weight_count() const {
  std::size_t count = 0;
  for (const Parameter* parameter : *this) count += parameter->size();
  return count;
}

Gradients::Gradients(const ParameterList& parameters) {
  for (const Parameter* parameter : parameters) {
    const bool by_rows = parameter->use == Use::kEmbeddings;
    matrices_.emplace_back(by_rows ? 0 : parameter->rows, parameter->columns);
  }
}

const QuantisedRows& LeftRows::rounded() {
  if (!is_rounded_) rounded_.round(left_.values, left_.rows, columns_, left_.row_step);
  is_rounded_ = true;
  return rounded_;
}

void multiply(LeftRows& left, const Parameter& right, float* result, std::size_t stride) {
  if (right.is_int8()) {
    multiply(left.rounded(), right.int8, result, stride);
  } else {
    multiply(left.floats(), right.packed, result, stride);
  }
}

void multiply_with_bias(LeftRows& left, const Parameter& right, const Parameter& bias, float* result,
                        std::size_t stride) {
  if (right.is_int8()) {
    multiply_with_bias(left.rounded(), right.int8, bias.row(0), result, stride);
  } else {
    multiply_with_bias(left.floats(), right.packed, bias.row(0), result, stride);
  }
}

void sum_rows(const Matrix& from, std::size_t rows, Matrix& to) {
  std::fill(to.values.begin(), to.values.end(), 0.0F);
  for (std::size_t row = 0; row < rows; ++row) add(to.row(0), from.row(row), from.columns);
}

}  // namespace crossarc
