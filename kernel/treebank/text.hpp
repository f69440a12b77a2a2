// The bytes of a text: whether they are UTF-8, what number digits make, and where the control characters are, the tabs
// and line ends that make it a table. O(bytes).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace crossarc {

// The position of the first byte that is not part of well-formed UTF-8 (RFC 3629), or npos.
inline std::size_t find_bad_utf8(std::string_view text) {
  const auto byte = [&text](std::size_t index) { return static_cast<unsigned char>(text[index]); };
  const auto continues = [&](std::size_t index) { return index < text.size() && (byte(index) & 0xC0) == 0x80; };
  for (std::size_t at = 0; at < text.size();) {
    std::uint64_t word = 0;
    if (at + 8 <= text.size() && (std::memcpy(&word, text.data() + at, 8), (word & 0x8080808080808080ULL) == 0)) {
      at += 8;
      continue;
    }
    const unsigned char lead = byte(at);
    std::size_t length = 1;
    if (lead >= 0x80) {
      if (lead < 0xC2 || lead > 0xF4) return at;
      length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
      for (std::size_t next = 1; next < length; ++next) {
        if (!continues(at + next)) return at;
      }
      const unsigned char second = byte(at + 1);
      if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) || (lead == 0xF0 && second < 0x90) ||
          (lead == 0xF4 && second > 0x8F)) {
        return at;
      }
    }
    at += length;
  }
  return std::string_view::npos;
}

// A number written the one way it can be printed again: digits, no sign, no leading zero, at most nine of them.
inline std::optional<std::int32_t> plain_number(std::string_view text) {
  if (text.empty() || text.size() > 9 || (text[0] == '0' && text.size() > 1)) return std::nullopt;
  std::int32_t value = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') return std::nullopt;
    value = value * 10 + (digit - '0');
  }
  return value;
}

// The same without a loop or a branch on the digits, for a text of 1 to 8 bytes behind which 8 may be read; -1 if it is
// none. The eight digits are added up in pairs, then pairs of pairs.
[[gnu::always_inline]] inline std::int32_t short_plain_number(const char* text, std::size_t length) {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t word;
  std::memcpy(&word, text, sizeof word);
  const bool leading_zero = length > 1 && text[0] == '0';
  word = (word ^ 0x3030303030303030ULL) << (64 - 8 * length);
  const bool digits = ((word | (word + 0x0606060606060606ULL)) & 0xF0F0F0F0F0F0F0F0ULL) == 0;
  word = word * 10 + (word >> 8);
  word = ((word & 0x000000FF000000FFULL) * (100 + (1000000ULL << 32)) +
          (word >> 16 & 0x000000FF000000FFULL) * (1 + (10000ULL << 32))) >>
         32;
  return digits && !leading_zero ? static_cast<std::int32_t>(word) : -1;
}

// Whether a text holds what cannot stand in a column: a tab, a line end or a NUL character.
inline bool separates_values(std::string_view text) {
  bool control = false;  // no branch inside the loop: as a rule there is none
  for (const char byte : text) control |= static_cast<unsigned char>(byte) < 0x20;
  return control && text.find_first_of(std::string_view("\t\n\r\0", 4)) != std::string_view::npos;
}

// Enough of a value to recognise it; a message never repeats megabytes.
inline std::string excerpt(std::string_view text) {
  constexpr std::size_t kLongest = 240;
  return std::string(text.substr(0, kLongest));
}

// Finds the control characters of a text, one after the other. Works ahead block by block, 64 bytes at a time into a
// bit mask, so that the cost per column does not depend on its length.
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
#if defined(__SSE2__) || defined(_M_X64)
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
