// Products of matrices of bytes (nn/quantised.hpp) by the vector instructions of one path: what the paths share. Each
// path is a file of its own that fills a BytePath; nn/quantised.cpp chooses one of them for the processor. A left
// factor is read four steps at a time, a panel holds as many columns as there are registers for their sums.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/compiler.hpp"
#include "core/threads.hpp"
#include "core/vector_path.hpp"
#include "nn/quantised.hpp"

namespace crossarc {

// Steps of a column that lie side by side.
inline constexpr std::size_t kSteps = 4;
// As many columns as there are registers for their sums, in as many rows as a path takes at once.
#if defined(__aarch64__)
inline constexpr std::size_t kPanel = 16;
#else
inline constexpr std::size_t kPanel = 32;
#endif
// Rows that are multiplied with a panel before the next one, at most: they stay in the nearest cache. That of x86 is
// small, and a panel is to stay there beside them: they have so many bytes together.
inline constexpr std::size_t kByteRows = 96;
#if defined(__aarch64__)
inline constexpr std::size_t kNearBytes = 64 * 1024;
#else
inline constexpr std::size_t kNearBytes = 10 * 1024;
#endif
// So many bytes of a panel ahead are asked for: a processor does not do so by itself beyond a page of memory.
inline constexpr std::size_t kAhead = 4096;

constexpr std::size_t whole(std::size_t count, std::size_t of) { return (count + of - 1) / of * of; }

// What a path does: rounds a row and returns its scale; multiplies, by what the product is added to.
struct BytePath {
  using Round = float (*)(const float* values, std::size_t count, std::int8_t* bytes);
  using Multiply = void (*)(const QuantisedRows& left, const QuantisedMatrix& right, const float* bias, float* result,
                            std::size_t stride);
  Round round;
  Multiply multiply[3];  // by Start
};

#if defined(__x86_64__)
extern const BytePath kVnniPath;
extern const BytePath kAvx512BytesPath;
extern const BytePath kAvx2Path;
#elif defined(__aarch64__)
extern const BytePath kDotPath;
#endif

// The product of some rows with one panel.
struct RowTask {
  const std::int8_t* left = nullptr;
  std::size_t left_stride = 0;
  const float* left_scales = nullptr;
  const std::int8_t* panel = nullptr;
  std::size_t groups = 0;  // of four steps
  const float* scales = nullptr;
  const std::int32_t* offsets = nullptr;
  const float* bias = nullptr;
  float* result = nullptr;
  std::size_t stride = 0;
  std::size_t width = 0;
};

// Writes sums times their scales. Always inlined, so that it is compiled with the instructions of its path.
template <typename Ints, typename Floats, std::size_t Rows, Start start>
[[gnu::always_inline]] inline void put(const RowTask& task, const Ints (&sums)[Rows][kPanel * 4 / sizeof(Ints)]) {
  constexpr std::size_t kLanes = sizeof(Ints) / 4;
#pragma GCC unroll 16
  for (std::size_t row = 0; row < Rows; ++row) {
    float* const out = task.result + row * task.stride;
    const float* const base = start == Start::kBias ? task.bias : out;
    const bool all = task.width == kPanel;
    float narrow[kPanel];
#pragma GCC unroll 16
    for (std::size_t vector = 0; vector < kPanel / kLanes; ++vector) {
      Floats scales;
      std::memcpy(&scales, task.scales + vector * kLanes, sizeof(scales));
      Floats value = __builtin_convertvector(sums[row][vector], Floats) * (scales * task.left_scales[row]);
      if (start != Start::kZero && all) {
        Floats before;
        std::memcpy(&before, base + vector * kLanes, sizeof(before));
        value += before;
      }
      std::memcpy((all ? out : narrow) + vector * kLanes, &value, sizeof(value));
    }
    if (all) continue;
    for (std::size_t column = 0; column < task.width; ++column) {
      out[column] = start == Start::kZero ? narrow[column] : base[column] + narrow[column];
    }
  }
}

// The nearest whole numbers of values times a factor: added to 1.5 · 2²³, they are the last bits of the sum.
constexpr float kRounding = 12582912.0F;

// Rounds a row to bytes, each changed by `flip`, and returns its scale. Only comparisons of whole numbers, and no
// branches, so that it becomes vectors.
[[gnu::always_inline]] inline float round_row(const float* __restrict values, std::size_t count, std::int32_t flip,
                                              std::int8_t* __restrict bytes) {
  std::int32_t bits = 0;  // of the largest absolute value: those of floats above zero are in their order
  for (std::size_t index = 0; index < count; ++index) {
    const std::int32_t absolute = std::bit_cast<std::int32_t>(values[index]) & 0x7FFFFFFF;
    bits = absolute > bits ? absolute : bits;
  }
  const auto largest = std::bit_cast<float>(bits);
  const float factor = largest > 0.0F ? 127.0F / largest : 0.0F;
  for (std::size_t index = 0; index < count; ++index) {
    bytes[index] = static_cast<std::int8_t>(std::bit_cast<std::int32_t>(values[index] * factor + kRounding) ^ flip);
  }
  return largest / 127.0F;
}

// All rows with all panels, by the instructions of a path.
template <typename Path, Start start>
void multiply_bytes(const QuantisedRows& left, const QuantisedMatrix& right, const float* bias, float* result,
                    std::size_t stride) {
  RowTask task;
  task.left_stride = left.stride();
  task.groups = whole(right.rows(), kSteps) / kSteps;
  task.stride = stride;
  const std::size_t groups_of_rows = kNearBytes / (left.stride() + 1) / Path::kRows;
  const std::size_t rows = std::clamp(groups_of_rows * Path::kRows, 2 * Path::kRows, kByteRows);
  for (std::size_t block = 0; block < left.rows(); block += rows) {
    const std::size_t last = std::min(left.rows(), block + rows);
    const auto long_work =
        static_cast<std::int32_t>(std::min<std::size_t>((last - block) * right.rows() >> 11, 1 << 20));
    for (std::size_t first = 0; first < right.columns(); first += kPanel) {
      if (long_work > 0) check_interruption(long_work);
      task.panel = right.panel(first / kPanel);
      task.scales = right.scales() + first;
      task.offsets = right.offsets() + first;
      task.bias = start == Start::kBias ? bias + first : nullptr;
      task.width = std::min(kPanel, right.columns() - first);
      for_row_groups<Path::kRows>(block, last, [&]<std::size_t Some>(std::size_t row) {
        task.left = left.row(row);
        task.left_scales = left.scales() + row;
        task.result = result + row * stride + first;
        Path::template multiply_rows<Some, start>(task);
      });
    }
  }
}

template <typename Path>
inline constexpr BytePath kBytePathOf{
    Path::round,
    {multiply_bytes<Path, Start::kZero>, multiply_bytes<Path, Start::kResult>, multiply_bytes<Path, Start::kBias>}};

}  // namespace crossarc
