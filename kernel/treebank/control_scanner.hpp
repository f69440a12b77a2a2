// Finds the control characters of a text, one after the other: the tabs and line ends that make it a table. Works ahead
// block by block, 64 bytes at a time into a bit mask, so that the cost per column does not depend on its length.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace crossarc {

class ControlScanner {
 public:
  explicit ControlScanner(std::string_view text) : end_(text.data() + text.size()), block_end_(text.data()) {}

  // Looks ahead until `count` control characters (at most kMostAhead) are known; false if the text has fewer left.
  bool ensure(std::size_t count) {
    while (found_ - taken_ < count) {
      if (block_end_ == end_) return false;
      fill();
    }
    return true;
  }
  // Those that are known, in order.
  const char* const* ahead() const { return positions_.data() + taken_; }
  void skip(std::size_t count) { taken_ += count; }

  // The next one, or the end of the text, again and again.
  const char* next() { return ensure(1) ? positions_[taken_++] : end_; }

  static constexpr std::size_t kMostAhead = 16;

 private:
  static constexpr std::size_t kAtOnce = 16;
  static constexpr std::ptrdiff_t kStep = 64;
  static constexpr std::ptrdiff_t kBlock = 64 * kStep;

  // Bit i: the i-th of 64 bytes is below 0x20.
  static std::uint64_t control_mask(const char* at) {
#if defined(__SSE2__)
    const __m128i limit = _mm_set1_epi8(0x1F);
    std::uint64_t mask = 0;
    for (int part = 0; part < 4; ++part) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + 16 * part));
      const __m128i below = _mm_cmpeq_epi8(_mm_min_epu8(bytes, limit), bytes);
      mask |= static_cast<std::uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(below))) << (16 * part);
    }
    return mask;
#elif defined(__ARM_NEON) && defined(__aarch64__)
    const uint8x16_t weights = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(at);
    uint8x16_t parts[4];
    for (int part = 0; part < 4; ++part) {
      parts[part] = vandq_u8(vcltq_u8(vld1q_u8(bytes + 16 * part), vdupq_n_u8(0x20)), weights);
    }
    const uint8x16_t halves = vpaddq_u8(vpaddq_u8(parts[0], parts[1]), vpaddq_u8(parts[2], parts[3]));
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(halves, halves)), 0);
#else
    std::uint64_t mask = 0;
    for (std::ptrdiff_t index = 0; index < kStep; ++index) {
      mask |= static_cast<std::uint64_t>(static_cast<unsigned char>(at[index]) < 0x20) << index;
    }
    return mask;
#endif
  }

  void fill() {
    std::copy(positions_.begin() + static_cast<std::ptrdiff_t>(taken_),
              positions_.begin() + static_cast<std::ptrdiff_t>(found_), positions_.begin());
    found_ -= taken_;
    taken_ = 0;
    const char* at = block_end_;
    block_end_ += std::min<std::ptrdiff_t>(end_ - at, kBlock);
    for (; block_end_ - at >= kStep; at += kStep) add(control_mask(at), at);
    if (at < block_end_) {
      // The tail is copied, so that nothing behind the text is read.
      std::array<char, kStep> tail;
      tail.fill(' ');
      std::memcpy(tail.data(), at, static_cast<std::size_t>(block_end_ - at));
      add(control_mask(tail.data()), at);
    }
  }

  // As std::popcount, which is a call into a library where the processor may lack the instruction.
  static std::size_t bit_count(std::uint64_t bits) {
    bits -= bits >> 1 & 0x5555555555555555ULL;
    bits = (bits & 0x3333333333333333ULL) + (bits >> 2 & 0x3333333333333333ULL);
    bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0FULL;
    return bits * 0x0101010101010101ULL >> 56;
  }

  // Writes a fixed number of positions, whether there are as many or not: a loop to the last bit would end at a place
  // that the processor guesses wrong. What is behind the last is overwritten by the next.
  void add(std::uint64_t mask, const char* base) {
    constexpr std::uint64_t kNeverZero = std::uint64_t{1} << 63;
    const std::size_t count = bit_count(mask);
    for (std::size_t done = 0; done < count; done += kAtOnce) {
#pragma GCC unroll 16
      for (std::size_t next = 0; next < kAtOnce; ++next) {
        positions_[found_ + done + next] = base + std::countr_zero(mask | kNeverZero);
        mask &= mask - 1;
      }
    }
    found_ += count;
  }

  const char* end_;
  const char* block_end_;
  std::size_t taken_ = 0;
  std::size_t found_ = 0;
  std::array<const char*, kBlock + kMostAhead + kAtOnce> positions_;
};

}  // namespace crossarc
