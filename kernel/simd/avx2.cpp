// Products of bytes by AVX2, which adds them up in pairs of 16 bits.
#if defined(__x86_64__)

#include <immintrin.h>

#include "simd/byte_products.hpp"

namespace crossarc {
namespace {

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
        const __m256i steps = _mm256_set1_epi32(four);
        const __m256i absolute = _mm256_abs_epi8(steps);
#pragma GCC unroll 16
        for (std::size_t vector = 0; vector < 4; ++vector) {
          const __m256i right = _mm256_load_si256(reinterpret_cast<const __m256i*>(panel + 32 * vector));
          const __m256i pairs = _mm256_maddubs_epi16(absolute, _mm256_sign_epi8(right, steps));
          sums[row][vector] = (Ints)_mm256_add_epi32((__m256i)sums[row][vector], _mm256_madd_epi16(pairs, ones));
        }
      }
    }
    put<Ints, Floats, Rows, start>(task, sums);
  }
};

}  // namespace

const BytePath kAvx2Path = kBytePathOf<Avx2>;

}  // namespace crossarc

#endif
