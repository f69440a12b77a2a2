#include "nn/encoders/attention.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/threads.hpp"
#include "nn/vector_loops.hpp"

namespace crossarc {
namespace {

// Keys and values are filled up to whole vectors of the widest kind.
constexpr std::size_t kWhole = 16;
constexpr std::size_t whole_vectors(std::size_t count) { return (count + kWhole - 1) / kWhole * kWhole; }

// One head of a sequence.
struct HeadTask {
  const float* queries = nullptr;
  std::size_t query_stride = 0;
  const float* keys = nullptr;  // head size × padded rows
  const float* values = nullptr;
  std::size_t value_stride = 0;
  std::size_t rows = 0;
  std::size_t padded_rows = 0;
  std::size_t head_size = 0;
  float* scores = nullptr;
  float* result = nullptr;
  std::size_t result_stride = 0;
};

// result = left · right for some rows and vectors; left: `step` between the values of a row.
template <typename Vector, std::size_t Rows, std::size_t Vectors>
[[gnu::always_inline]] inline void multiply_some(const float* left, std::size_t left_stride, const float* right,
                                                 std::size_t right_stride, std::size_t inner, float* result,
                                                 std::size_t result_stride, std::size_t width) {
  constexpr std::size_t kLanes = sizeof(Vector) / sizeof(float);
  Vector sums[Rows][Vectors] = {};
  for (std::size_t step = 0; step < inner; ++step, right += right_stride) {
    for (std::size_t vector = 0; vector < Vectors; ++vector) {
      Vector values;
      std::memcpy(&values, right + vector * kLanes, sizeof(values));
#pragma GCC unroll 16
      for (std::size_t row = 0; row < Rows; ++row) sums[row][vector] += left[row * left_stride + step] * values;
    }
  }
#pragma GCC unroll 16
  for (std::size_t row = 0; row < Rows; ++row) {
    if (width >= Vectors * kLanes) {
      std::memcpy(result + row * result_stride, sums[row], sizeof(sums[row]));
    } else {
      float values[Vectors * kLanes];
      std::memcpy(values, sums[row], sizeof(values));
      std::copy_n(values, width, result + row * result_stride);
    }
  }
}

// All columns of some rows, as many vectors at a time as there are registers for.
template <typename Vector, std::size_t Rows, std::size_t Vectors>
[[gnu::always_inline]] inline void multiply_columns(const float* left, std::size_t left_stride, const float* right,
                                                    std::size_t right_stride, std::size_t inner, float* result,
                                                    std::size_t result_stride, std::size_t columns) {
  constexpr std::size_t kLanes = sizeof(Vector) / sizeof(float);
  std::size_t column = 0;
  for (; column + (Vectors - 1) * kLanes < columns; column += Vectors * kLanes) {
    multiply_some<Vector, Rows, Vectors>(left, left_stride, right + column, right_stride, inner, result + column,
                                         result_stride, columns - column);
  }
  for (; column < columns; column += kLanes) {
    multiply_some<Vector, Rows, 1>(left, left_stride, right + column, right_stride, inner, result + column,
                                   result_stride, columns - column);
  }
}

// Probabilities that are not yet divided by their sum, which is returned; those of no rows are zero.
[[gnu::always_inline]] inline float soften(float* scores, std::size_t count, std::size_t padded, float factor) {
  float highest[kWhole];
  for (float& value : highest) value = scores[0];
  const std::size_t whole = count / kWhole * kWhole;
  for (std::size_t index = 0; index < whole; index += kWhole) {
    for (std::size_t lane = 0; lane < kWhole; ++lane) highest[lane] = larger(scores[index + lane], highest[lane]);
  }
  for (std::size_t index = whole; index < count; ++index) highest[0] = larger(scores[index], highest[0]);
  for (std::size_t half = kWhole / 2; half > 0; half /= 2) {
    for (std::size_t lane = 0; lane < half; ++lane) highest[lane] = larger(highest[lane], highest[lane + half]);
  }
  const float most = highest[0];
  for (std::size_t index = count; index < padded; ++index) scores[index] = most;
  float sums[kWhole] = {};
  for (std::size_t index = 0; index < padded; index += kWhole) {
    for (std::size_t lane = 0; lane < kWhole; ++lane) {
      scores[index + lane] = exponential_within(larger((scores[index + lane] - most) * factor, -87.0F));
    }
    if (index + kWhole > count) {
      for (std::size_t lane = count - index; lane < kWhole; ++lane) scores[index + lane] = 0.0F;
    }
    for (std::size_t lane = 0; lane < kWhole; ++lane) sums[lane] += scores[index + lane];
  }
  for (std::size_t half = kWhole / 2; half > 0; half /= 2) {
    for (std::size_t lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
  }
  return sums[0];
}

// What a head says of some rows.
template <typename Vector, std::size_t Some, std::size_t Vectors>
[[gnu::always_inline]] inline void read_rows(const HeadTask& task, std::size_t first) {
  const float factor = 1.0F / std::sqrt(static_cast<float>(task.head_size));
  const float* const queries = task.queries + first * task.query_stride;
  float* const result = task.result + first * task.result_stride;
  multiply_columns<Vector, Some, Vectors>(queries, task.query_stride, task.keys, task.padded_rows, task.head_size,
                                          task.scores, task.padded_rows, task.padded_rows);
  float sums[Some];
  for (std::size_t row = 0; row < Some; ++row) {
    sums[row] = soften(task.scores + row * task.padded_rows, task.rows, task.padded_rows, factor);
  }
  multiply_columns<Vector, Some, Vectors>(task.scores, task.padded_rows, task.values, task.value_stride, task.rows,
                                          result, task.result_stride, task.head_size);
  for (std::size_t row = 0; row < Some; ++row) {
    const float share = 1.0F / sums[row];
    float* const said = result + row * task.result_stride;
    for (std::size_t index = 0; index < task.head_size; ++index) said[index] *= share;
  }
}

template <typename Vector, std::size_t Rows, std::size_t Vectors>
[[gnu::always_inline]] inline void read_head(const HeadTask& task) {
  std::size_t row = 0;
  for (; row + Rows <= task.rows; row += Rows) read_rows<Vector, Rows, Vectors>(task, row);
  for (; row + 2 <= task.rows; row += 2) read_rows<Vector, 2, Vectors>(task, row);
  for (; row < task.rows; ++row) read_rows<Vector, 1, Vectors>(task, row);
}

// Rows become columns, filled up with zeros. Four rows at a time, so that a column is written in larger parts.
void turn_over(const float* values, std::size_t stride, std::size_t rows, std::size_t size, float* result,
               std::size_t padded) {
  constexpr std::size_t kRows = 4;
  std::size_t row = 0;
  for (; row + kRows <= rows; row += kRows, values += kRows * stride) {
    for (std::size_t index = 0; index < size; ++index) {
      float* const to = result + index * padded + row;
      for (std::size_t lane = 0; lane < kRows; ++lane) to[lane] = values[lane * stride + index];
    }
  }
  for (; row < padded; ++row, values += stride) {
    for (std::size_t index = 0; index < size; ++index) result[index * padded + row] = row < rows ? values[index] : 0.0F;
  }
}

using ReadHead = void (*)(const HeadTask&);
constexpr std::size_t kMostRows = 8;

void read_head_narrow(const HeadTask& task) { read_head<VectorOf<float>::Type, 3, 2>(task); }

#if CROSSARC_WIDE_PATHS
using Floats8 = float __attribute__((vector_size(32)));
using Floats16 = float __attribute__((vector_size(64)));

CROSSARC_AVX2 void read_head_avx2(const HeadTask& task) { read_head<Floats8, 4, 2>(task); }
CROSSARC_AVX512 void read_head_avx512(const HeadTask& task) { read_head<Floats16, kMostRows, 2>(task); }
#endif

ReadHead choose_read_head() {
#if CROSSARC_WIDE_PATHS
  if (vector_path() >= VectorPath::kAvx512) return read_head_avx512;
  if (vector_path() == VectorPath::kAvx2) return read_head_avx2;
#endif
  return read_head_narrow;
}

}  // namespace

void Attention::read(const AttentionRows& rows, float* result, std::size_t stride) {
  static const ReadHead read_head = choose_read_head();
  const std::size_t padded = whole_vectors(rows.rows);
  const bool copies_values = rows.head_size % kWhole != 0;
  const std::size_t value_stride = whole_vectors(rows.head_size);
  keys_.resize(std::max(keys_.size(), rows.head_size * padded));
  if (copies_values) values_.assign(rows.rows * value_stride, 0.0F);
  scores_.resize(std::max(scores_.size(), kMostRows * padded));
  HeadTask task;
  task.query_stride = rows.stride;
  task.keys = keys_.data();
  task.value_stride = copies_values ? value_stride : rows.stride;
  task.rows = rows.rows;
  task.padded_rows = padded;
  task.head_size = rows.head_size;
  task.scores = scores_.data();
  task.result_stride = stride;
  for (std::size_t head = 0; head < rows.heads; ++head) {
    check_interruption(static_cast<std::int32_t>(rows.rows * rows.rows * rows.head_size >> 14));
    const std::size_t first = head * rows.head_size;
    turn_over(rows.keys + first, rows.stride, rows.rows, rows.head_size, keys_.data(), padded);
    task.values = rows.values + first;
    if (copies_values) {
      for (std::size_t row = 0; row < rows.rows; ++row) {
        std::copy_n(rows.values + row * rows.stride + first, rows.head_size, values_.data() + row * value_stride);
      }
      task.values = values_.data();
    }
    task.queries = rows.queries + first;
    task.result = result + first;
    read_head(task);
  }
}

}  // namespace crossarc
