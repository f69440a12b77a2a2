// The strings of a treebank, each stored once and known by a number. Ids are given in order of first appearance, so
// they do not depend on the number of threads that read. A string of up to 16 bytes is its own hash key, so that
// finding it again touches one slot of the table and nothing else.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "core/arrays.hpp"
#include "core/compiler.hpp"

namespace crossarc {

class StringPool {
 public:
  static constexpr std::int32_t kNone = 0;  // the id of "_", the absent value of both formats

  // What a caller wants to know of each string, found out once, when it is added.
  using Mark = std::uint32_t (*)(std::string_view);

  struct Entry {
    std::int32_t id;
    std::uint32_t mark;
  };

  // The whole of a short string, or two hashes of a longer one.
  struct Key {
    std::uint64_t first;
    std::uint64_t second;
    std::uint32_t length;

    std::uint64_t hash() const {
      return folded_product(first ^ 0x9E3779B97F4A7C15ULL, second ^ length ^ 0xD6E8FEB86659FD93ULL);
    }
  };
  static constexpr std::size_t kShort = 16;
  static Key key_of(std::string_view text);
  // The same without a branch, for a text of at most 16 bytes behind whose beginning 16 may be read.
  static Key key_of_short(const char* text, std::size_t length) {
    std::uint64_t first, second;
    std::memcpy(&first, text, sizeof first);
    std::memcpy(&second, text + sizeof first, sizeof second);
    const auto& masks = kMasks[length];
    return {first & masks[0], second & masks[1], static_cast<std::uint32_t>(length)};
  }

  explicit StringPool(Mark mark = nullptr);

  // Throws std::length_error when ids run out.
  Entry insert(std::string_view text) {
    const Key key = key_of(text);
    return insert(key, key.hash(), text);
  }
  // Inlined wherever it is called: each column has its own habits, which the processor learns apart.
  [[gnu::always_inline]] Entry insert(const Key& key, std::uint64_t hash, std::string_view text) {
    const Slot& slot = slots_[hash & mask_];
    if (slot.is(key) && (text.size() <= kShort || same(text, slot.id))) [[likely]] {
      return {slot.id, slot.mark};
    }
    return insert_slowly(key, hash, text);
  }

  std::int32_t intern(std::string_view text) { return insert(text).id; }
  // The id of `text`, or -1.
  std::int32_t find(std::string_view text) const;

  std::string_view operator[](std::int32_t id) const {
    const auto index = static_cast<std::size_t>(id);
    return {bytes_.data() + offsets_[index], static_cast<std::size_t>(offsets_[index + 1] - offsets_[index])};
  }
  std::int32_t size() const { return static_cast<std::int32_t>(offsets_.size() - 1); }
  std::size_t memory() const;

 private:
  // The bytes of a short text of a given length, in its two words.
  static constexpr auto kMasks = [] {
    static_assert(std::endian::native == std::endian::little);
    std::array<std::array<std::uint64_t, 2>, kShort + 1> masks{};
    for (std::size_t length = 1; length <= kShort; ++length) {
      masks[length][0] = ~std::uint64_t{0} >> (length < 8 ? 64 - 8 * length : 0);
      masks[length][1] = length > 8 ? ~std::uint64_t{0} >> (128 - 8 * length) : 0;
    }
    return masks;
  }();
  static constexpr std::uint32_t kFree = ~std::uint32_t{0};  // no string is that long

  struct alignas(32) Slot {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    std::uint32_t length = kFree;
    std::int32_t id = -1;
    std::uint32_t mark = 0;

    // One comparison, so that there is one branch, which nearly always goes the same way.
    bool is(const Key& key) const { return ((first ^ key.first) | (second ^ key.second) | (length ^ key.length)) == 0; }
  };
  // Whether a text longer than 16 bytes and as long as a stored one is that one.
  [[gnu::noinline]] bool same(std::string_view text, std::int32_t id) const {
    const char* stored = bytes_.data() + offsets_[static_cast<std::size_t>(id)];
    const auto differs = [&](std::size_t at) {
      std::uint64_t words[4];
      std::memcpy(words, text.data() + at, 16);
      std::memcpy(words + 2, stored + at, 16);
      return (words[0] ^ words[2]) | (words[1] ^ words[3]);
    };
    const std::size_t last = text.size() - 16;
    std::uint64_t difference = differs(0) | differs(std::min<std::size_t>(16, last)) |
                               differs(std::min<std::size_t>(32, last)) | differs(last);
    for (std::size_t at = 48; at < last; at += 16) difference |= differs(at);
    return difference == 0;
  }
  // The slot that holds `text`, or the free one where it belongs.
  std::size_t place(const Key& key, std::uint64_t hash, std::string_view text) const;
  Entry insert_slowly(const Key& key, std::uint64_t hash, std::string_view text);
  void grow();

  Mark mark_;
  std::vector<char> bytes_;
  std::vector<std::uint64_t> offsets_;
  LongArray<Slot> slots_;
  std::size_t mask_;
};

}  // namespace crossarc
