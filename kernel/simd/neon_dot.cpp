// Products of bytes by SDOT of aarch64: four products are added to a sum in one instruction.
#if defined(__aarch64__)

#include <arm_neon.h>

#include "simd/byte_products.hpp"

#if defined(__ARM_FEATURE_DOTPROD)
#define CROSSARC_DOT  // every processor of the platform has these products
#elif defined(__clang__) && __clang_major__ < 16
#define CROSSARC_DOT __attribute__((target("dotprod")))
#define CROSSARC_DOT_BY_NAME 1  // the function is declared only where every processor has it
#else
#define CROSSARC_DOT __attribute__((target("arch=armv8.2-a+dotprod")))
#endif

namespace crossarc {
namespace {

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
    int8x16_t rows[Rows];
    const std::int8_t* left = task.left;
    const std::int8_t* panel = task.panel;
    std::size_t group = 0;
    for (; group + 4 <= task.groups; group += 4, left += 16, panel += 4 * kGroup) {
#pragma GCC unroll 16
      for (std::size_t row = 0; row < Rows; ++row) rows[row] = vld1q_s8(left + row * task.left_stride);
      add_group<0>(panel, rows, sums);
      add_group<1>(panel + kGroup, rows, sums);
      add_group<2>(panel + 2 * kGroup, rows, sums);
      add_group<3>(panel + 3 * kGroup, rows, sums);
    }
    for (; group < task.groups; ++group, left += kSteps, panel += kGroup) {
#pragma GCC unroll 16
      for (std::size_t row = 0; row < Rows; ++row) {
        std::int32_t four;
        std::memcpy(&four, left + row * task.left_stride, sizeof(four));
        rows[row] = vreinterpretq_s8_s32(vdupq_n_s32(four));
      }
      add_group<0>(panel, rows, sums);
    }
    put<Ints, Floats, Rows, start>(task, sums);
  }
};

}  // namespace

const BytePath kDotPath = kBytePathOf<SignedDot>;

}  // namespace crossarc

#endif
