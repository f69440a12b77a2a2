#include "treebank/text_parts.hpp"

#include <charconv>
#include <stdexcept>
#include <string>

namespace crossarc {
namespace {

bool separates(std::uint32_t code) { return code == '\t' || code == '\n' || code == '\r' || code == 0; }

// Adds a character in UTF-8.
void append(std::string& bytes, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { bytes += static_cast<char>(static_cast<unsigned char>(byte)); };
  const auto put_rest = [&](unsigned shift) { put(0x80U | ((code >> shift) & 0x3FU)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0U | code >> 6);
    put_rest(0);
  } else if (code < 0x10000) {
    put(0xE0U | code >> 12);
    put_rest(6);
    put_rest(0);
  } else {
    put(0xF0U | code >> 18);
    put_rest(12);
    put_rest(6);
    put_rest(0);
  }
}

void append(std::string& text, std::int64_t number) {
  char digits[20];
  text.append(digits, std::to_chars(digits, digits + sizeof(digits), number).ptr);
}

}  // namespace

std::vector<std::int32_t> intern_parts(StringPool& pool, std::span<const std::uint32_t> text,
                                       std::span<const std::int64_t> starts, std::span<const std::int64_t> ends) {
  if (starts.size() != ends.size()) throw std::invalid_argument("there are not as many ends as starts");
  std::vector<std::int32_t> ids;
  ids.reserve(starts.size());
  std::string bytes;
  for (std::size_t part = 0; part < starts.size(); ++part) {
    if (starts[part] < 0 || starts[part] >= ends[part] || ends[part] > static_cast<std::int64_t>(text.size())) {
      throw std::invalid_argument("part " + std::to_string(part + 1) + " is empty, or not in the text");
    }
    bytes.clear();
    for (auto at = static_cast<std::size_t>(starts[part]); at < static_cast<std::size_t>(ends[part]); ++at) {
      const std::uint32_t code = text[at];
      if (separates(code) || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) {
        throw std::invalid_argument("part " + std::to_string(part + 1) + " has a character that no column can hold");
      }
      append(bytes, code);
    }
    ids.push_back(pool.intern(bytes));
  }
  return ids;
}

std::vector<std::int32_t> intern_ranges(StringPool& pool, const std::vector<std::string_view>& prefixes,
                                        std::span<const std::int64_t> indices, std::span<const std::int64_t> starts,
                                        std::span<const std::int64_t> ends) {
  if (starts.size() != indices.size() || ends.size() != indices.size()) {
    throw std::invalid_argument("arrays of ranges differ in length");
  }
  std::vector<std::int32_t> ids;
  ids.reserve(indices.size());
  std::string value;
  for (std::size_t range = 0; range < indices.size(); ++range) {
    if (indices[range] < 0 || indices[range] >= static_cast<std::int64_t>(prefixes.size())) {
      throw std::invalid_argument("there is no prefix " + std::to_string(indices[range]));
    }
    value = prefixes[static_cast<std::size_t>(indices[range])];
    value += "TokenRange=";
    append(value, starts[range]);
    value += ':';
    append(value, ends[range]);
    ids.push_back(pool.intern(value));
  }
  return ids;
}

}  // namespace crossarc
