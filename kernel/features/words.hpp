// What is known of words, as numbers: a row of values for each word, one for each column, such as its form or its tag.
// The same tables are given to feature templates and to networks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace crossarc {

// Values that every column has; those of its vocabulary follow.
constexpr std::uint32_t kNoValue = 0;       // the word has no such thing
constexpr std::uint32_t kUnknownValue = 1;  // it was not seen in training
constexpr std::uint32_t kRootValue = 2;     // the artificial root

// The words of one sentence.
struct WordValues {
  const std::uint32_t* values = nullptr;
  std::size_t columns = 0;
  std::uint32_t at(std::int32_t node, std::int32_t column) const {
    return values[static_cast<std::size_t>(node) * columns + static_cast<std::size_t>(column)];
  }
};

// The forms of words as characters, as pieces, or both; words of the same form share them.
struct FormTable {
  std::span<const std::int32_t> form_of_word;
  std::span<const std::int64_t> offsets;  // of the characters of each form
  const std::uint32_t* characters = nullptr;
  std::span<const std::int64_t> piece_offsets;
  const std::uint32_t* pieces = nullptr;

  std::size_t forms() const { return std::max({offsets.size(), piece_offsets.size(), std::size_t{1}}) - 1; }
  std::span<const std::uint32_t> of(std::size_t form) const {
    return {characters + offsets[form], static_cast<std::size_t>(offsets[form + 1] - offsets[form])};
  }
  std::span<const std::uint32_t> pieces_of(std::size_t form) const {
    return {pieces + piece_offsets[form], static_cast<std::size_t>(piece_offsets[form + 1] - piece_offsets[form])};
  }
};

// The words of many sentences, one after the other.
struct SentenceTable {
  const std::uint32_t* values = nullptr;
  std::size_t columns = 0;
  std::span<const std::int64_t> offsets;  // of the words of each sentence
  FormTable forms;                        // empty for models that read neither characters nor pieces

  std::size_t sentences() const { return offsets.size() - 1; }
  std::size_t first_word(std::size_t sentence) const { return static_cast<std::size_t>(offsets[sentence]); }
  std::int32_t length(std::size_t sentence) const {
    return static_cast<std::int32_t>(offsets[sentence + 1] - offsets[sentence]);
  }
  const std::uint32_t* row(std::size_t word) const { return values + word * columns; }
};

}  // namespace crossarc
