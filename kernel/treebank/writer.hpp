// Prints sentences of a table as CoNLL-U or CoNLL-X: the inverse of reader.hpp, byte for byte.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "treebank/string_pool.hpp"
#include "treebank/table.hpp"

namespace crossarc {

// A view of a table.
struct TableView {
  std::array<std::span<const std::int32_t>, kColumns> columns;
  std::span<const std::int64_t> word_offsets;
  std::span<const std::uint8_t> aside_kind;
  std::span<const std::int32_t> aside_before;
  std::span<const std::int32_t> aside_text;
  std::span<const std::int64_t> aside_offsets;
  std::span<const std::int32_t> after;
  std::span<const std::uint8_t> crlf;

  std::size_t sentences() const { return word_offsets.size() - 1; }
};

// Throws std::invalid_argument unless offsets ascend, lengths agree and every id is in the pool.
void check_table(const StringPool& pool, const TableView& table);

// Sentences first to last - 1. A sentence that is not the last of the table is followed by an empty line even if it was
// once the last of its file and had none.
std::string print_sentences(const StringPool& pool, const TableView& table, std::size_t first, std::size_t last);

// The id of `prefix` and the words of each sentence, with a space after each word where space_after says so, but not
// after the last one. A word with the id kNotWritten is left out, not its space. Throws std::invalid_argument unless
// offsets ascend from 0 to the number of words, lengths agree and every id is in the pool.
constexpr std::int32_t kNotWritten = -1;
std::vector<std::int32_t> intern_joined(StringPool& pool, std::string_view prefix, std::span<const std::int32_t> words,
                                        std::span<const std::uint8_t> space_after,
                                        std::span<const std::int64_t> offsets);

}  // namespace crossarc
