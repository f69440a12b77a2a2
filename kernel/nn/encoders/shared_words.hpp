// Words of which the same is known: what the first layer of an LSTM encoder makes of them before anything is recurrent
// depends on the word alone, so that it is computed once for all batches of a call. O(words), and O(inputs · hidden
// size) for each of the different ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "features/words.hpp"
#include "nn/matrix.hpp"

namespace crossarc {

class LstmEncoder;

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
  // `forms`: what the characters of each form of the table say, for encoders that read them.
  SharedWords(const LstmEncoder& encoder, const SentenceTable& table, const Matrix& forms, int threads);

  // What the input of a word, by Batch::word_of_row, comes to in one direction; null if it is not shared.
  const float* sums(std::size_t direction, std::size_t word) const {
    const std::int32_t index = indices_[word];
    return index < 0 ? nullptr : sums_[direction].row(static_cast<std::size_t>(index));
  }

 private:
  std::vector<std::uint32_t> choose(const LstmEncoder& encoder, const SentenceTable& table);

  std::vector<std::int32_t> indices_;  // of each word of the table, and of the artificial root
  Matrix sums_[2];
};

}  // namespace crossarc
