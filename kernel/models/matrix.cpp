#include "models/matrix.hpp"

#include <algorithm>
#include <cstring>

namespace crossarc {
namespace {

constexpr std::size_t kPanel = PackedMatrix::kPanel;

// The product of some rows with one panel. The sums stay in registers, which is why the numbers of rows and the width
// of a vector go with the processor. May not be a function of its own, since those differ in instructions.
template <typename Vector, std::size_t Rows, bool Add>
[[gnu::always_inline]] inline void multiply_rows(const float* left, std::size_t row_step, std::size_t column_step,
                                                 const float* panel, std::size_t inner, float* result,
                                                 std::size_t stride, std::size_t width) {
  constexpr std::size_t kLanes = sizeof(Vector) / sizeof(float);
  constexpr std::size_t kVectors = kPanel / kLanes;
  Vector sums[Rows][kVectors] = {};
  for (std::size_t step = 0; step < inner; ++step, panel += kPanel) {
#pragma GCC unroll 16
    for (std::size_t vector = 0; vector < kVectors; ++vector) {
      Vector right;
      std::memcpy(&right, panel + vector * kLanes, sizeof(right));
#pragma GCC unroll 16
      for (std::size_t row = 0; row < Rows; ++row) {
        sums[row][vector] += left[row * row_step + step * column_step] * right;
      }
    }
  }
#pragma GCC unroll 16
  for (std::size_t row = 0; row < Rows; ++row) {
    float own[kPanel];
    float* out = width == kPanel ? result + row * stride : own;
#pragma GCC unroll 16
    for (std::size_t vector = 0; vector < kVectors; ++vector) {
      Vector sum = {};
      if (Add && width == kPanel) std::memcpy(&sum, out + vector * kLanes, sizeof(sum));
      sum += sums[row][vector];
      std::memcpy(out + vector * kLanes, &sum, sizeof(sum));
    }
    if (width == kPanel) continue;
    for (std::size_t column = 0; column < width; ++column) {
      float& place = result[row * stride + column];
      place = Add ? place + own[column] : own[column];
    }
  }
}

template <typename Vector, std::size_t Rows, bool Add>
[[gnu::always_inline]] inline void multiply_panels(const LeftFactor& left, const PackedMatrix& right, float* result,
                                                   std::size_t stride) {
  for (std::size_t first = 0; first < right.columns(); first += kPanel) {
    const float* panel = right.panel(first / kPanel);
    const std::size_t width = std::min(kPanel, right.columns() - first);
    std::size_t row = 0;
    const auto rows = [&]<std::size_t Some>() __attribute__((always_inline)) {
      for (; row + Some <= left.rows; row += Some) {
        multiply_rows<Vector, Some, Add>(left.values + row * left.row_step, left.row_step, left.column_step, panel,
                                         right.rows(), result + row * stride + first, stride, width);
      }
    };
    rows.template operator()<Rows>();
    if constexpr (Rows > 4) rows.template operator()<4>();
    if constexpr (Rows > 2) rows.template operator()<2>();
    rows.template operator()<1>();
  }
}

using Vector4 = float __attribute__((vector_size(16)));
#if defined(__x86_64__)
using Vector8 = float __attribute__((vector_size(32)));
using Vector16 = float __attribute__((vector_size(64)));

template <bool Add>
[[gnu::target("avx512f,fma")]] void multiply_wide(const LeftFactor& left, const PackedMatrix& right, float* result,
                                                  std::size_t stride) {
  multiply_panels<Vector16, 8, Add>(left, right, result, stride);
}

template <bool Add>
[[gnu::target("avx2,fma")]] void multiply_middle(const LeftFactor& left, const PackedMatrix& right, float* result,
                                                 std::size_t stride) {
  multiply_panels<Vector8, 3, Add>(left, right, result, stride);
}
#endif

template <bool Add>
void multiply_narrow(const LeftFactor& left, const PackedMatrix& right, float* result, std::size_t stride) {
  multiply_panels<Vector4, 2, Add>(left, right, result, stride);
}

using Multiply = void (*)(const LeftFactor&, const PackedMatrix&, float*, std::size_t);

template <bool Add>
Multiply choose_multiply() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("fma")) return multiply_wide<Add>;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return multiply_middle<Add>;
#endif
  return multiply_narrow<Add>;
}

}  // namespace

void PackedMatrix::pack(const float* values, std::size_t rows, std::size_t columns, std::size_t stride) {
  rows_ = rows;
  columns_ = columns;
  values_.resize((columns + kPanel - 1) / kPanel * kPanel * rows);
  float* out = values_.data();
  for (std::size_t first = 0; first < columns; first += kPanel) {
    const std::size_t width = std::min(kPanel, columns - first);
    for (std::size_t row = 0; row < rows; ++row, out += kPanel) {
      std::copy_n(values + row * stride + first, width, out);
      std::fill(out + width, out + kPanel, 0.0F);
    }
  }
}

void PackedMatrix::pack_transposed(const Matrix& matrix) {
  rows_ = matrix.columns;
  columns_ = matrix.rows;
  values_.assign((columns_ + kPanel - 1) / kPanel * kPanel * rows_, 0.0F);
  for (std::size_t column = 0; column < columns_; ++column) {
    const float* from = matrix.row(column);
    float* out = values_.data() + column / kPanel * kPanel * rows_ + column % kPanel;
    for (std::size_t row = 0; row < rows_; ++row) out[row * kPanel] = from[row];
  }
}

void multiply(const LeftFactor& left, const PackedMatrix& right, float* result, std::size_t stride) {
  static const Multiply chosen = choose_multiply<false>();
  chosen(left, right, result, stride);
}

void multiply_add(const LeftFactor& left, const PackedMatrix& right, float* result, std::size_t stride) {
  static const Multiply chosen = choose_multiply<true>();
  chosen(left, right, result, stride);
}

}  // namespace crossarc
