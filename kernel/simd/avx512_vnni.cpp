// Products of bytes by VNNI of AVX-512: four products are added to a sum in one instruction.
#if defined(__x86_64__)

#include <immintrin.h>

#include "simd/byte_products.hpp"

#define CROSSARC_VNNI __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma")))

namespace crossarc {
namespace {

// Left bytes are unsigned, 128 more than they stand for: sums begin with 128 times those of the columns less.
struct Vnni {
  using Ints = std::int32_t __attribute__((vector_size(64)));
  using Floats = float __attribute__((vector_size(64)));
  static constexpr std::size_t kRows = 12;  // sums of two vectors each, of 32 registers

  CROSSARC_VNNI static float round(const float* values, std::size_t count, std::int8_t* bytes) {
    return round_row(values, count, 0x80, bytes);
  }

  template <std::size_t Rows, Start start>
  CROSSARC_VNNI static void multiply_rows(const RowTask& task) {
    Ints sums[Rows][2];
    const Ints first_offsets = (Ints)_mm512_loadu_si512(task.offsets);
    const Ints second_offsets = (Ints)_mm512_loadu_si512(task.offsets + 16);
#pragma GCC unroll 16
    for (std::size_t row = 0; row < Rows; ++row) {
      sums[row][0] = first_offsets;
      sums[row][1] = second_offsets;
    }
    const std::int8_t* left = task.left;
    const std::int8_t* panel = task.panel;
    for (std::size_t group = 0; group < task.groups; ++group, left += kSteps, panel += kSteps * kPanel) {
      const __m512i first = _mm512_load_si512(panel);
      const __m512i second = _mm512_load_si512(panel + 64);
      fetch_ahead(panel + kAhead);
      fetch_ahead(panel + kAhead + 64);
#pragma GCC unroll 16
      for (std::size_t row = 0; row < Rows; ++row) {
        std::int32_t four;
        std::memcpy(&four, left + row * task.left_stride, sizeof(four));
        const __m512i steps = _mm512_set1_epi32(four);
        sums[row][0] = (Ints)_mm512_dpbusd_epi32((__m512i)sums[row][0], steps, first);
        sums[row][1] = (Ints)_mm512_dpbusd_epi32((__m512i)sums[row][1], steps, second);
      }
    }
    put<Ints, Floats, Rows, start>(task, sums);
  }
};

}  // namespace

const BytePath kVnniPath = kBytePathOf<Vnni>;

}  // namespace crossarc

#endif
