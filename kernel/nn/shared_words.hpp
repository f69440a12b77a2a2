// Words of which the same is known: what the first layer of an encoder makes of them before anything is recurrent
// depends on the word alone, so that it is computed once for all batches of a call. O(words), and O(inputs · cells) for
// each of the different ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "features/words.hpp"
#include "nn/matrix.hpp"

namespace crossarc {

struct Encoder;

// Numbers words by their values, as they come: words of which the same is known get the same number.
class DifferentWords {
 public:
  // For words of so many values, at most so many of them.
  void clear(std::size_t columns, std::size_t words);
  std::int32_t number(std::span<const std::uint32_t> values);
  // Of the different words, one after the other.
  std::span<const std::uint32_t> values() const { return values_; }
  std::span<const std::uint32_t> values(std::size_t number) const;
  std::size_t count() const { return values_.size() / columns_; }

 private:
  std::size_t columns_ = 1;
  std::vector<std::uint32_t> values_;
  std::vector<std::int32_t> table_;
};

// What the first layer makes of words that occur more than once in a table: of the most frequent ones, as many as 64
// megabytes hold.
class SharedWords {
 public:
  // `forms`: as SentenceReading has them.
  SharedWords(const Encoder& encoder, const SentenceTable& table, const Matrix* forms, int threads);

  // What the input of a word, by SentenceBatch::word_of_row, comes to in one direction; null if it is not shared.
  const float* sums(std::size_t direction, std::size_t word) const {
    const std::int32_t place = places_[word];
    return place < 0 ? nullptr : sums_[direction].row(static_cast<std::size_t>(place));
  }

 private:
  std::vector<std::uint32_t> choose(const Encoder& encoder, const SentenceTable& table);

  std::vector<std::int32_t> places_;
  Matrix sums_[2];
};

}  // namespace crossarc
