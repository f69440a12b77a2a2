// Which words a list has, for dictionaries of a hundred thousand and more, which take long to be made a set of Python.
// The words stay one text, with a hash table of where they begin: O(bytes) to make, O(length) to ask for a word.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace crossarc {

class WordList {
 public:
  // One word in a line. Throws std::length_error if the text is too long for the table.
  explicit WordList(std::string lines) : text_(std::move(lines)) {
    if (text_.size() >= kFree) throw std::length_error("a list of words has less than 4 GiB");
    text_ += '\n';
    std::size_t words = 0;
    for (const char letter : text_) words += letter == '\n';
    starts_.assign(std::bit_ceil(2 * words), kFree);
    for (std::size_t begin = 0; begin < text_.size();) {
      const std::size_t end = text_.find('\n', begin);
      std::uint32_t& start = starts_[slot_of({text_.data() + begin, end - begin})];
      if (start == kFree) {
        start = static_cast<std::uint32_t>(begin);
        ++size_;
      }
      begin = end + 1;
    }
  }

  std::size_t size() const { return size_; }
  bool contains(std::string_view word) const {
    return word.find('\n') == std::string_view::npos && starts_[slot_of(word)] != kFree;
  }

 private:
  static constexpr std::uint32_t kFree = std::numeric_limits<std::uint32_t>::max();

  // The slot of a word, or the one that it would have: that of its hash or one behind; at most half of them are in use.
  std::size_t slot_of(std::string_view word) const {
    const std::size_t mask = starts_.size() - 1;
    std::size_t slot = std::hash<std::string_view>{}(word)&mask;
    while (starts_[slot] != kFree && !begins_at(starts_[slot], word)) slot = (slot + 1) & mask;
    return slot;
  }
  bool begins_at(std::size_t start, std::string_view word) const {
    return text_.compare(start, word.size(), word) == 0 && text_[start + word.size()] == '\n';
  }

  std::string text_;
  std::vector<std::uint32_t> starts_;  // where words begin in the text, by their hashes
  std::size_t size_ = 0;
};

}  // namespace crossarc
