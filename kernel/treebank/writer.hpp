// Prints sentences of a table as CoNLL-U or CoNLL-X: the inverse of reader.hpp, byte for byte.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "treebank/string_pool.hpp"
#include "treebank/table.hpp"

namespace crossarc {

// A table that somebody else owns.
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

// Throws std::invalid_argument unless offsets lead from 0 to `total` without going back.
void check_offsets(std::span<const std::int64_t> offsets, std::size_t total);

// Throws std::invalid_argument unless offsets ascend, lengths agree and every id is in the pool.
void check_table(const StringPool& pool, const TableView& table);

// Sentences first to last - 1. A sentence that is not the last of the table is followed by an empty line even if it was
// once the last of its file and had none.
std::string print_sentences(const StringPool& pool, const TableView& table, std::size_t first, std::size_t last);

}  // namespace crossarc
