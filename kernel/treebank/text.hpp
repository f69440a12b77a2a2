// Small questions about bytes: whether bytes are UTF-8, what number digits make.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

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

// Enough of a value to recognise it; a message never repeats megabytes.
inline std::string excerpt(std::string_view text) {
  constexpr std::size_t kLongest = 240;
  return std::string(text.substr(0, kLongest));
}

}  // namespace crossarc
