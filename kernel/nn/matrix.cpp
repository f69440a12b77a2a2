#include "nn/matrix.hpp"

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/compiler.hpp"
#include "core/threads.hpp"
#include "core/vector_path.hpp"

namespace crossarc {
namespace {

constexpr std::size_t kPanel = PackedMatrix::kPanel;
constexpr std::size_t kLine = 64 / sizeof(float);     // of the cache
constexpr std::size_t kAhead = 4096 / sizeof(float);  // of a panel

// What a step needs of the left factor: a value for each row. NEON multiplies a vector with one lane of another, so
// four rows take one register, and sums of 6 rows and 4 vectors stay in the 32 that there are.
template <std::size_t Rows>
struct RowValues {
#if defined(__aarch64__)
  [[gnu::always_inline]] explicit RowValues(const float* left) {
    if constexpr (Rows >= 4) first = vld1q_f32(left);
    constexpr std::size_t kRest = Rows % 4;
    const float* const rest = left + Rows - kRest;
    if constexpr (kRest >= 2) pair = vld1_f32(rest);
    if constexpr (kRest % 2 == 1) single = rest[kRest - 1];
  }
  template <std::size_t Row, typename Vector>
  [[gnu::always_inline]] void add_product(const Vector& right, Vector& sum) const {
    if constexpr (Row < Rows / 4 * 4) {
      sum = (Vector)vfmaq_laneq_f32((float32x4_t)sum, (float32x4_t)right, first, Row);
    } else if constexpr (Row < Rows / 2 * 2) {
      sum = (Vector)vfmaq_lane_f32((float32x4_t)sum, (float32x4_t)right, pair, Row % 2);
    } else {
      sum = (Vector)vfmaq_n_f32((float32x4_t)sum, (float32x4_t)right, single);
    }
  }

  static_assert(Rows < 8);
  float32x4_t first;
  float32x2_t pair;
  float single;
#else
  [[gnu::always_inline]] explicit RowValues(const float* left) : values(left) {}
  template <std::size_t Row, typename Vector>
  [[gnu::always_inline]] void add_product(const Vector& right, Vector& sum) const {
    sum += values[Row] * right;
  }

  const float* values;
#endif
};

// The product of some rows with some columns of a panel; the rows of the left factor lie step by step. The sums stay in
// registers, which is why the numbers of rows and columns and the width of a vector go with the path. Always inlined,
// so that it is compiled with the instructions of its path.
template <typename Vector, std::size_t Rows, std::size_t Vectors, Start start>
[[gnu::always_inline]] inline void multiply_rows(const float* left, const float* panel, std::size_t inner,
                                                 const float* bias, float* result, std::size_t stride,
                                                 std::size_t width) {
  constexpr std::size_t kLanes = sizeof(Vector) / sizeof(float);
  constexpr std::size_t kColumns = Vectors * kLanes;
  Vector sums[Rows][Vectors] = {};
  for (std::size_t step = 0; step < inner; ++step, left += Rows, panel += kPanel) {
    const RowValues<Rows> values(left);
    // A processor does not look ahead by itself beyond a page of memory.
    for (std::size_t line = 0; line < kColumns; line += kLine) fetch_ahead(panel + kAhead + line);
#pragma GCC unroll 16
    for (std::size_t vector = 0; vector < Vectors; ++vector) {
      Vector right;
      std::memcpy(&right, panel + vector * kLanes, sizeof(right));
      [&]<std::size_t... Row>(std::index_sequence<Row...>) CROSSARC_INLINE_LAMBDA {
        (values.template add_product<Row>(right, sums[Row][vector]), ...);
      }(std::make_index_sequence<Rows>());
    }
  }
#pragma GCC unroll 16
  for (std::size_t row = 0; row < Rows; ++row) {
    float own[kColumns];
    float* const place = result + row * stride;
    const float* const base = start == Start::kBias ? bias : place;
    const bool all = width >= kColumns;
    float* const out = all ? place : own;
#pragma GCC unroll 16
    for (std::size_t vector = 0; vector < Vectors; ++vector) {
      Vector sum = {};
      if (start != Start::kZero && all) std::memcpy(&sum, base + vector * kLanes, sizeof(sum));
      sum += sums[row][vector];
      std::memcpy(out + vector * kLanes, &sum, sizeof(sum));
    }
    if (all) continue;
    for (std::size_t column = 0; column < width; ++column) {
      place[column] = start == Start::kZero ? own[column] : base[column] + own[column];
    }
  }
}

// As many rows of a left factor as are multiplied with a panel before the next one: they stay in the second cache.
constexpr std::size_t kBlock = 48;

// Copies rows so that what a step needs of them lies side by side: a left factor is mostly read across its rows.
template <std::size_t Rows>
[[gnu::always_inline]] inline void gather_rows(const LeftFactor& left, std::size_t first, std::size_t inner,
                                               float* to) {
  const float* from = left.values + first * left.row_step;
  for (std::size_t step = 0; step < inner; ++step, from += left.column_step) {
#pragma GCC unroll 16
    for (std::size_t row = 0; row < Rows; ++row) *to++ = from[row * left.row_step];
  }
}

template <typename Vector, std::size_t Rows, std::size_t Vectors, Start start>
[[gnu::always_inline]] inline void multiply_panels(const LeftFactor& left, const PackedMatrix& right, const float* bias,
                                                   float* result, std::size_t stride) {
  static_assert(kBlock % Rows == 0);
  const std::size_t inner = right.rows();
  static thread_local std::vector<float> gathered;
  if (gathered.size() < kBlock * inner) gathered.resize(kBlock * inner);
  for (std::size_t block = 0; block < left.rows; block += kBlock) {
    const std::size_t last = std::min(left.rows, block + kBlock);
    for_row_groups<Rows>(block, last, [&]<std::size_t Some>(std::size_t row) CROSSARC_INLINE_LAMBDA {
      gather_rows<Some>(left, row, inner, gathered.data() + (row - block) * inner);
    });
    const auto long_work = static_cast<std::int32_t>(std::min<std::size_t>((last - block) * inner >> 9, 1 << 20));
    for (std::size_t first = 0; first < right.columns(); first += kPanel) {
      if (long_work > 0) check_interruption(long_work);
      constexpr std::size_t kColumns = Vectors * sizeof(Vector) / sizeof(float);
      const std::size_t end = std::min(first + kPanel, right.columns());
      for (std::size_t column = first; column < end; column += kColumns) {
        const float* panel = right.panel(first / kPanel) + (column - first);
        const float* own_bias = start == Start::kBias ? bias + column : nullptr;
        for_row_groups<Rows>(block, last, [&]<std::size_t Some>(std::size_t row) CROSSARC_INLINE_LAMBDA {
          multiply_rows<Vector, Some, Vectors, start>(gathered.data() + (row - block) * inner, panel, inner, own_bias,
                                                      result + row * stride + column, stride, end - column);
        });
      }
    }
  }
}

using Vector4 = VectorOf<float>::Type;
#if CROSSARC_WIDE_PATHS
using Vector8 = float __attribute__((vector_size(32)));
using Vector16 = float __attribute__((vector_size(64)));

template <Start start>
CROSSARC_AVX512 void multiply_avx512(const LeftFactor& left, const PackedMatrix& right, const float* bias,
                                     float* result, std::size_t stride) {
  multiply_panels<Vector16, 8, 2, start>(left, right, bias, result, stride);
}

template <Start start>
CROSSARC_AVX2 void multiply_avx2(const LeftFactor& left, const PackedMatrix& right, const float* bias, float* result,
                                 std::size_t stride) {
  multiply_panels<Vector8, 3, 4, start>(left, right, bias, result, stride);
}
#endif

// NEON has 32 registers, SSE2 half as many.
#if defined(__aarch64__)
constexpr std::size_t kNarrowRows = 6;
#else
constexpr std::size_t kNarrowRows = 3;
#endif

template <Start start>
void multiply_narrow(const LeftFactor& left, const PackedMatrix& right, const float* bias, float* result,
                     std::size_t stride) {
  multiply_panels<Vector4, kNarrowRows, 4, start>(left, right, bias, result, stride);
}

using Multiply = void (*)(const LeftFactor&, const PackedMatrix&, const float*, float*, std::size_t);

template <Start start>
Multiply choose_multiply() {
#if CROSSARC_WIDE_PATHS
  if (vector_path() >= VectorPath::kAvx512) return multiply_avx512<start>;
  if (vector_path() == VectorPath::kAvx2) return multiply_avx2<start>;
#endif
  return multiply_narrow<start>;
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
  values_.resize((columns_ + kPanel - 1) / kPanel * kPanel * rows_);
  constexpr std::size_t kRows = 64;  // so many of a panel stay in the nearest cache while its columns are written
  float* panel = values_.data();
  for (std::size_t first = 0; first < columns_; first += kPanel, panel += rows_ * kPanel) {
    const std::size_t width = std::min(kPanel, columns_ - first);
    for (std::size_t from = 0; from < rows_; from += kRows) {
      const std::size_t to = std::min(rows_, from + kRows);
      for (std::size_t column = 0; column < kPanel; ++column) {
        if (column < width) {
          const float* values = matrix.row(first + column);
          for (std::size_t row = from; row < to; ++row) panel[row * kPanel + column] = values[row];
        } else {
          for (std::size_t row = from; row < to; ++row) panel[row * kPanel + column] = 0.0F;
        }
      }
    }
  }
}

void multiply(const LeftFactor& left, const PackedMatrix& right, float* result, std::size_t stride) {
  static const Multiply chosen = choose_multiply<Start::kZero>();
  chosen(left, right, nullptr, result, stride);
}

void multiply_add(const LeftFactor& left, const PackedMatrix& right, float* result, std::size_t stride) {
  static const Multiply chosen = choose_multiply<Start::kResult>();
  chosen(left, right, nullptr, result, stride);
}

void multiply_with_bias(const LeftFactor& left, const PackedMatrix& right, const float* bias, float* result,
                        std::size_t stride) {
  static const Multiply chosen = choose_multiply<Start::kBias>();
  chosen(left, right, bias, result, stride);
}

}  // namespace crossarc
