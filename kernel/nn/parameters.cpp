#include "nn/parameters.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "nn/activation.hpp"

namespace crossarc {
namespace {

// The whole numbers of a matrix whose columns have these scales.
std::vector<std::int8_t> steps_from(const Matrix& matrix, std::span<const float> scales) {
  std::vector<std::int8_t> steps(matrix.values.size());
  std::vector<float> inverse(scales.size());
  unsigned unfit = 0;
  for (std::size_t column = 0; column < scales.size(); ++column) {
    inverse[column] = scales[column] > 0.0F ? 1.0F / scales[column] : 0.0F;
    unfit |= static_cast<unsigned>(!(scales[column] >= 0.0F && std::isfinite(inverse[column])));
  }
  for (std::size_t row = 0; row < matrix.rows && unfit == 0; ++row) {
    const float* const values = matrix.row(row);
    std::int8_t* const to = steps.data() + row * matrix.columns;
    // Without a branch, so that it is computed with vectors.
    for (std::size_t column = 0; column < matrix.columns; ++column) {
      const float step = std::nearbyint(values[column] * inverse[column]);
      unfit |= static_cast<unsigned>(!(std::abs(step) <= 127.0F && step * scales[column] == values[column]));
      to[column] = static_cast<std::int8_t>(std::clamp(step, -127.0F, 127.0F));
    }
  }
  if (unfit != 0) throw std::invalid_argument("a weight is no whole number from -127 to 127 times its scale");
  return steps;
}

}  // namespace

void Parameter::pack(bool to_learn) {
  if (!is_factor() || is_int8()) return;
  packed.pack(values);
  if (to_learn) packed_transposed.pack_transposed(values);
}

void Parameter::set_scales(std::span<const float> column_scales) {
  if (use != Use::kInt8Factor) throw std::invalid_argument(name + " is not computed with in eight bits");
  if (column_scales.size() != columns) throw std::invalid_argument("every column of " + name + " has a scale");
  scales.assign(column_scales.begin(), column_scales.end());
  int8.pack(steps_from(values, column_scales), rows, column_scales);
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
