#include "nn/quantised.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "core/threads.hpp"
#include "core/vector_path.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#define CROSSARC_VNNI __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma")))
#elif defined(__aarch64__)
#include <arm_neon.h>
#if defined(__ARM_FEATURE_DOTPROD)
#define CROSSARC_DOT  // every processor of the platform has these products
#elif defined(__clang__) && __clang_major__ < 16
#define CROSSARC_DOT __attribute__((target("dotprod")))
#define CROSSARC_DOT_BY_NAME 1  // the function is declared only where every processor has it
#else
#define CROSSARC_DOT __attribute__((target("arch=armv8.2-a+dotprod")))
#endif
#endif

namespace crossarc {
namespace {

// Steps of a column that lie side by side.
constexpr std::size_t kSteps = 4;
// As many columns as there are registers for their sums, in as many rows as a path takes at once.
#if defined(__aarch64__)
constexpr std::size_t kPanel = 16;
#else
constexpr std::size_t kPanel = 32;
#endif
// Rows that are multiplied with a panel before the next one: they stay in the nearest cache.
constexpr std::size_t kBlock = 64;
// Steps whose products, each at most 127², add up to a whole number that floats hold exactly.
constexpr std::size_t kExact = 1024;

constexpr std::size_t whole(std::size_t count, std::size_t of) { return (count + of - 1) / of * of; }

enum class BytePath : std::uint8_t { kFloats, kAvx2, kVnni, kDot };

BytePath byte_path() {
  static const BytePath chosen = [] {
#if defined(__x86_64__)
    if (has_byte_products()) return BytePath::kVnni;
    // Floats of AVX-512 are as fast as bytes of AVX2.
    return vector_path() == VectorPath::kAvx2 ? BytePath::kAvx2 : BytePath::kFloats;
#else
    return has_byte_products() ? BytePath::kDot : BytePath::kFloats;
#endif
  }();
  return chosen;
}

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
    float* const place = task.result + row * task.stride;
    const float* const base = start == Start::kBias ? task.bias : place;
    const bool all = task.width == kPanel;
    float own[kPanel];
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
      std::memcpy((all ? place : own) + vector * kLanes, &value, sizeof(value));
    }
    if (all) continue;
    for (std::size_t column = 0; column < task.width; ++column) {
      place[column] = start == Start::kZero ? own[column] : base[column] + own[column];
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
  for (std::size_t place = 0; place < count; ++place) {
    const std::int32_t own = std::bit_cast<std::int32_t>(values[place]) & 0x7FFFFFFF;
    bits = own > bits ? own : bits;
  }
  const auto largest = std::bit_cast<float>(bits);
  const float factor = largest > 0.0F ? 127.0F / largest : 0.0F;
  for (std::size_t place = 0; place < count; ++place) {
    bytes[place] = static_cast<std::int8_t>(std::bit_cast<std::int32_t>(values[place] * factor + kRounding) ^ flip);
  }
  return largest / 127.0F;
}

using RoundRow = float (*)(const float*, std::size_t, std::int8_t*);

#if defined(__x86_64__)

// Left bytes are unsigned, 128 more than they stand for: sums begin with 128 times those of the columns less.
struct Vnni {
  using Ints = std::int32_t __attribute__((vector_size(64)));
  using Floats = float __attribute__((vector_size(64)));
  static constexpr std::size_t kRows = 8;

  CROSSARC_VNNI static float round(const float* values, std::size_t count, std::int8_t* bytes) {
    return round_row(values, count, 0x80, bytes);
  }

  template <std::size_t Rows, Start start>
  CROSSARC_VNNI static void multiply_rows(const RowTask& task) {
    Ints sums[Rows][2];
#pragma GCC unroll 16
    for (std::size_t row = 0; row < Rows; ++row) std::memcpy(sums[row], task.offsets, sizeof(sums[row]));
    const std::int8_t* left = task.left;
    const std::int8_t* panel = task.panel;
    for (std::size_t group = 0; group < task.groups; ++group, left += kSteps, panel += kSteps * kPanel) {
      const __m512i first = _mm512_load_si512(panel);
      const __m512i second = _mm512_load_si512(panel + 64);
#pragma GCC unroll 16
      for (std::size_t row = 0; row < Rows; ++row) {
        std::int32_t four;
        std::memcpy(&four, left + row * task.left_stride, sizeof(four));
        const __m512i own = _mm512_set1_epi32(four);
        sums[row][0] = (Ints)_mm512_dpbusd_epi32((__m512i)sums[row][0], own, first);
        sums[row][1] = (Ints)_mm512_dpbusd_epi32((__m512i)sums[row][1], own, second);
      }
    }
    put<Ints, Floats, Rows, start>(task, sums);
  }
};

// Pairs of products fit 16 bits, since no factor is below -127.
struct Avx2 {
  using Ints = std::int32_t __attribute__((vector_size(32)));
  using Floats = float __attribute__((vector_size(32)));
  static constexpr std::size_t kRows = 2;

  CROSSARC_AVX2 static float round(const float* values, std::size_t count, std::int8_t* bytes) {
    return round_row(values, count, 0, bytes);
  }

  template <std::size_t Rows, Start start>
  CROSSARC_AVX2 static void multiply_rows(const RowTask& task) {
    Ints sums[Rows][4] = {};
    const __m256i ones = _mm256_set1_epi16(1);
    const std::int8_t* left = task.left;
    const std::int8_t* panel = task.panel;
    for (std::size_t group = 0; group < task.groups; ++group, left += kSteps, panel += kSteps * kPanel) {
#pragma GCC unroll 16
      for (std::size_t row = 0; row < Rows; ++row) {
        std::int32_t four;
        std::memcpy(&four, left + row * task.left_stride, sizeof(four));
        const __m256i own = _mm256_set1_epi32(four);
        const __m256i absolute = _mm256_abs_epi8(own);
#pragma GCC unroll 16
        for (std::size_t vector = 0; vector < 4; ++vector) {
          const __m256i right = _mm256_load_si256(reinterpret_cast<const __m256i*>(panel + 32 * vector));
          const __m256i pairs = _mm256_maddubs_epi16(absolute, _mm256_sign_epi8(right, own));
          sums[row][vector] = (Ints)_mm256_add_epi32((__m256i)sums[row][vector], _mm256_madd_epi16(pairs, ones));
        }
      }
    }
    put<Ints, Floats, Rows, start>(task, sums);
  }
};

#elif defined(__aarch64__)

struct SignedDot {
  using Ints = std::int32_t __attribute__((vector_size(16)));
  using Floats = float __attribute__((vector_size(16)));
  static constexpr std::size_t kRows = 4;
  static constexpr std::size_t kVectors = kPanel / 4;

  CROSSARC_DOT static float round(const float* values, std::size_t count, std::int8_t* bytes) {
    return round_row(values, count, 0, bytes);
  }

  // Adds to each sum the products of four bytes with those of one part of the left vector.
  template <int Part>
  [[gnu::always_inline]] CROSSARC_DOT static inline Ints add_products(Ints sums, int8x16_t right, int8x16_t left) {
#if defined(CROSSARC_DOT_BY_NAME)
    __asm__("sdot %0.4s, %1.16b, %2.4b[%3]" : "+w"(sums) : "w"(right), "w"(left), "i"(Part));
    return sums;
#else
    return (Ints)vdotq_laneq_s32((int32x4_t)sums, right, left, Part);
#endif
  }

  // Adds the products of four steps, which stand in one of the four parts of the left vectors.
  template <int Part, std::size_t Rows>
  [[gnu::always_inline]] CROSSARC_DOT static inline void add_group(const std::int8_t* panel,
                                                                   const int8x16_t (&left)[Rows],
                                                                   Ints (&sums)[Rows][kVectors]) {
#pragma GCC unroll 16
    for (std::size_t vector = 0; vector < kVectors; ++vector) {
      const int8x16_t right = vld1q_s8(panel + 16 * vector);
#pragma GCC unroll 16
      for (std::size_t row = 0; row < Rows; ++row) {
        sums[row][vector] = add_products<Part>(sums[row][vector], right, left[row]);
      }
    }
  }

  template <std::size_t Rows, Start start>
  CROSSARC_DOT static void multiply_rows(const RowTask& task) {
    constexpr std::size_t kGroup = kSteps * kPanel;
    Ints sums[Rows][kVectors] = {};
    int8x16_t own[Rows];
    const std::int8_t* left = task.left;
    const std::int8_t* panel = task.panel;
    std::size_t group = 0;
    for (; group + 4 <= task.groups; group += 4, left += 16, panel += 4 * kGroup) {
#pragma GCC unroll 16
      for (std::size_t row = 0; row < Rows; ++row) own[row] = vld1q_s8(left + row * task.left_stride);
      add_group<0>(panel, own, sums);
      add_group<1>(panel + kGroup, own, sums);
      add_group<2>(panel + 2 * kGroup, own, sums);
      add_group<3>(panel + 3 * kGroup, own, sums);
    }
    for (; group < task.groups; ++group, left += kSteps, panel += kGroup) {
#pragma GCC unroll 16
      for (std::size_t row = 0; row < Rows; ++row) {
        std::int32_t four;
        std::memcpy(&four, left + row * task.left_stride, sizeof(four));
        own[row] = vreinterpretq_s8_s32(vdupq_n_s32(four));
      }
      add_group<0>(panel, own, sums);
    }
    put<Ints, Floats, Rows, start>(task, sums);
  }
};

#endif

template <typename Path, Start start>
void multiply_bytes(const QuantisedRows& left, const QuantisedMatrix& right, const float* bias, float* result,
                    std::size_t stride) {
  RowTask task;
  task.left_stride = left.stride();
  task.groups = whole(right.rows(), kSteps) / kSteps;
  task.stride = stride;
  for (std::size_t block = 0; block < left.rows(); block += kBlock) {
    const std::size_t last = std::min(left.rows(), block + kBlock);
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

template <Start start>
void multiply_floats(const QuantisedRows& left, const QuantisedMatrix& right, const float* bias, float* result,
                     std::size_t stride) {
  static thread_local std::vector<std::int32_t> sums;
  static thread_local std::vector<float> exact;
  const std::size_t columns = right.columns();
  sums.resize(kBlock * columns);
  exact.resize(kBlock * columns);
  for (std::size_t block = 0; block < left.rows(); block += kBlock) {
    const std::size_t rows = std::min(left.rows() - block, kBlock);
    std::fill(sums.begin(), sums.end(), 0);
    for (std::size_t part = 0; part < right.parts().size(); ++part) {
      const float* own = left.whole_numbers() + block * left.columns() + part * kExact;
      multiply(LeftFactor{own, rows, left.columns(), 1}, right.parts()[part], exact.data(), columns);
      for (std::size_t place = 0; place < rows * columns; ++place) {
        sums[place] += static_cast<std::int32_t>(exact[place]);
      }
    }
    for (std::size_t row = 0; row < rows; ++row) {
      float* const place = result + (block + row) * stride;
      const float* const base = start == Start::kBias ? bias : place;
      const std::int32_t* const own = sums.data() + row * columns;
      const float scale = left.scales()[block + row];
      for (std::size_t column = 0; column < columns; ++column) {
        const float value = static_cast<float>(own[column]) * (right.scales()[column] * scale);
        place[column] = start == Start::kZero ? value : base[column] + value;
      }
    }
  }
}

template <Start start>
void multiply_on_path(const QuantisedRows& left, const QuantisedMatrix& right, const float* bias, float* result,
                      std::size_t stride) {
#if defined(__x86_64__)
  if (byte_path() == BytePath::kVnni) return multiply_bytes<Vnni, start>(left, right, bias, result, stride);
  if (byte_path() == BytePath::kAvx2) return multiply_bytes<Avx2, start>(left, right, bias, result, stride);
#elif defined(__aarch64__)
  if (byte_path() == BytePath::kDot) return multiply_bytes<SignedDot, start>(left, right, bias, result, stride);
#endif
  multiply_floats<start>(left, right, bias, result, stride);
}

RoundRow choose_rounding() {
#if defined(__x86_64__)
  return byte_path() == BytePath::kVnni ? Vnni::round : Avx2::round;
#elif defined(__aarch64__)
  return SignedDot::round;
#else
  return nullptr;
#endif
}

}  // namespace

void QuantisedRows::round(const float* values, std::size_t rows, std::size_t columns, std::size_t stride) {
  rows_ = rows;
  columns_ = columns;
  stride_ = whole(columns, kAlignment);
  scales_.resize(std::max(scales_.size(), rows));
  if (byte_path() != BytePath::kFloats) {
    static const RoundRow round_one = choose_rounding();
    if (bytes_.size() < rows * stride_) bytes_.resize(rows * stride_);
    for (std::size_t row = 0; row < rows; ++row) {
      scales_[row] = round_one(values + row * stride, columns, bytes_.data() + row * stride_);
    }
    return;
  }
  std::vector<std::int8_t> bytes(columns);
  if (whole_.size() < rows * columns) whole_.resize(rows * columns);
  for (std::size_t row = 0; row < rows; ++row) {
    scales_[row] = round_row(values + row * stride, columns, 0, bytes.data());
    std::copy(bytes.begin(), bytes.end(), whole_.begin() + static_cast<std::ptrdiff_t>(row * columns));
  }
}

void QuantisedMatrix::pack(std::span<const std::int8_t> values, std::size_t rows, std::span<const float> scales) {
  if (rows > kMostRows) throw std::invalid_argument("a matrix of bytes has at most 131072 rows");
  rows_ = rows;
  columns_ = scales.size();
  const std::size_t padded = whole(columns_, kPanel);
  scales_.assign(padded, 0.0F);
  std::copy(scales.begin(), scales.end(), scales_.begin());
  bytes_.clear();
  offsets_.assign(padded, 0);
  parts_.clear();
  if (byte_path() == BytePath::kFloats) {
    pack_floats(values);
  } else {
    pack_bytes(values);
  }
}

void QuantisedMatrix::pack(const Matrix& matrix) {
  std::vector<float> scales(matrix.columns, 0.0F);
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    for (std::size_t column = 0; column < matrix.columns; ++column) {
      scales[column] = std::max(scales[column], std::abs(matrix.row(row)[column]) / 127.0F);
    }
  }
  std::vector<std::int8_t> values(matrix.rows * matrix.columns, 0);
  for (std::size_t place = 0; place < values.size(); ++place) {
    const float scale = scales[place % matrix.columns];
    if (scale > 0.0F) values[place] = static_cast<std::int8_t>(std::lround(matrix.values[place] / scale));
  }
  pack(values, matrix.rows, scales);
}

const std::int8_t* QuantisedMatrix::panel(std::size_t number) const {
  return bytes_.data() + number * kPanel * whole(rows_, kSteps);
}

void QuantisedMatrix::pack_bytes(std::span<const std::int8_t> values) {
  const std::size_t steps = whole(rows_, kSteps);
  bytes_.assign(whole(columns_, kPanel) * steps, 0);
  for (std::size_t row = 0; row < rows_; ++row) {
    for (std::size_t column = 0; column < columns_; ++column) {
      const std::int8_t value = values[row * columns_ + column];
      bytes_[column / kPanel * kPanel * steps + row / kSteps * kSteps * kPanel + column % kPanel * kSteps +
             row % kSteps] = value;
      offsets_[column] -= 128 * value;
    }
  }
}

void QuantisedMatrix::pack_floats(std::span<const std::int8_t> values) {
  const std::vector<float> floats(values.begin(), values.end());
  for (std::size_t first = 0; first < rows_; first += kExact) {
    parts_.emplace_back().pack(floats.data() + first * columns_, std::min(kExact, rows_ - first), columns_, columns_);
  }
}

void multiply(const QuantisedRows& left, const QuantisedMatrix& right, float* result, std::size_t stride) {
  multiply_on_path<Start::kZero>(left, right, nullptr, result, stride);
}

void multiply_add(const QuantisedRows& left, const QuantisedMatrix& right, float* result, std::size_t stride) {
  multiply_on_path<Start::kResult>(left, right, nullptr, result, stride);
}

void multiply_with_bias(const QuantisedRows& left, const QuantisedMatrix& right, const float* bias, float* result,
                        std::size_t stride) {
  multiply_on_path<Start::kBias>(left, right, bias, result, stride);
}

}  // namespace crossarc
