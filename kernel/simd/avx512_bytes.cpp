// Products of bytes by AVX-512 without VNNI, which adds them up in pairs of 16 bits.
#if defined(__x86_64__)

#include <immintrin.h>

#include "simd/byte_products.hpp"

namespace crossarc {
namespace {

// One factor of an instruction is unsigned: panels are, and left bytes take over the sign of what they are multiplied
// with, which costs less than the reverse, since a panel is prepared once for all rows. Pairs of products fit 16 bits,
// since no factor is below -127.
struct Avx512Bytes {
  using Ints = std::int32_t __attribute__((vector_size(64)));
  using Floats = float __attribute__((vector_size(64)));
  static constexpr std::size_t kRows = 12;  // sums of two vectors each, of 32 registers

  CROSSARC_AVX512 static float round(const float* values, std::size_t count, std::int8_t* bytes) {
    return round_row(values, count, 0, bytes);
  }

  CROSSARC_AVX512 [[gnu::always_inline]] static Ints add(Ints sums, __m512i steps, __m512i absolute,
                                                         __mmask64 negative) {
    const __m512i left = _mm512_mask_sub_epi8(steps, negative, _mm512_setzero_si512(), steps);
    const __m512i pairs = _mm512_maddubs_epi16(absolute, left);
    return (Ints)_mm512_add_epi32((__m512i)sums, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)));
  }

  template <std::size_t Rows, Start start>
  CROSSARC_AVX512 static void multiply_rows(const RowTask& task) {
    Ints sums[Rows][2] = {};
    const std::int8_t* left = task.left;
    const std::int8_t* panel = task.panel;
    for (std::size_t group = 0; group < task.groups; ++group, left += kSteps, panel += kSteps * kPanel) {
      const __m512i first = _mm512_load_si512(panel);
      const __m512i second = _mm512_load_si512(panel + 64);
      fetch_ahead(panel + kAhead);
      fetch_ahead(panel + kAhead + 64);
      const __mmask64 first_negative = _mm512_movepi8_mask(first);
      const __mmask64 second_negative = _mm512_movepi8_mask(second);
      const __m512i first_absolute = _mm512_abs_epi8(first);
      const __m512i second_absolute = _mm512_abs_epi8(second);
#pragma GCC unroll 16
      for (std::size_t row = 0; row < Rows; ++row) {
        std::int32_t four;
        std::memcpy(&four, left + row * task.left_stride, sizeof(four));
        const __m512i steps = _mm512_set1_epi32(four);
        sums[row][0] = add(sums[row][0], steps, first_absolute, first_negative);
        sums[row][1] = add(sums[row][1], steps, second_absolute, second_negative);
      }
    }
    put<Ints, Floats, Rows, start>(task, sums);
  }
};

}  // namespace

const BytePath kAvx512BytesPath = kBytePathOf<Avx512Bytes>;

}  // namespace crossarc

#endif
