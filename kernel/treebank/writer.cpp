#include "treebank/writer.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "core/arrays.hpp"

namespace crossarc {
namespace {

void append_number(std::string& out, std::int32_t number) {
  char digits[12];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(digits, end);
}

void append_word(std::string& out, const StringPool& pool, const TableView& table, std::size_t row, std::int32_t id) {
  append_number(out, id);
  for (std::size_t column = 0; column < kColumns; ++column) {
    out += '\t';
    const std::int32_t value = table.columns[column][row];
    if (column != kHead) {
      out += pool[value];
    } else if (value == kNoHead) {
      out += '_';
    } else {
      append_number(out, value);
    }
  }
}

void append_sentence(std::string& out, const StringPool& pool, const TableView& table, std::size_t sentence) {
  const std::string_view line_end = table.crlf[sentence] ? "\r\n" : "\n";
  const std::int64_t first_row = table.word_offsets[sentence];
  const auto words = static_cast<std::int32_t>(table.word_offsets[sentence + 1] - first_row);
  std::int64_t aside = table.aside_offsets[sentence];
  const std::int64_t last_aside = table.aside_offsets[sentence + 1];
  bool first_line = true;
  const auto next_line = [&] {
    if (!first_line) out += line_end;
    first_line = false;
  };
  for (std::int32_t word = 1; word <= words + 1; ++word) {
    for (; aside < last_aside && table.aside_before[static_cast<std::size_t>(aside)] <= word; ++aside) {
      next_line();
      out += pool[table.aside_text[static_cast<std::size_t>(aside)]];
    }
    if (word > words) break;
    next_line();
    append_word(out, pool, table, static_cast<std::size_t>(first_row + word - 1), word);
  }
  const std::string_view after = pool[table.after[sentence]];
  const bool separated = std::count(after.begin(), after.end(), '\n') >= 2;
  if (separated || sentence + 1 == table.sentences()) {
    out += after;
  } else {
    out.append(line_end).append(line_end);
  }
}

void check_ids(std::span<const std::int32_t> ids, std::int32_t size) {
  const bool good = std::all_of(ids.begin(), ids.end(), [size](std::int32_t id) { return 0 <= id && id < size; });
  if (!good) throw std::invalid_argument("a column holds an id that its string pool does not have");
}

void check_words(const StringPool& pool, std::span<const std::int32_t> words, std::size_t spaces) {
  if (words.size() != spaces) throw std::invalid_argument("words and spaces differ in length");
  const bool good = std::all_of(words.begin(), words.end(),
                                [size = pool.size()](std::int32_t word) { return kNotWritten <= word && word < size; });
  if (!good) throw std::invalid_argument("a word has an id that the string pool does not have");
}

}  // namespace

void check_table(const StringPool& pool, const TableView& table) {
  const std::size_t words = table.columns[kForm].size();
  check_offsets(table.word_offsets, words);
  check_offsets(table.aside_offsets, table.aside_text.size());
  for (std::size_t column = 0; column < kColumns; ++column) {
    if (table.columns[column].size() != words) throw std::invalid_argument("columns differ in length");
    if (column != kHead) check_ids(table.columns[column], pool.size());
  }
  check_ids(table.aside_text, pool.size());
  check_ids(table.after, pool.size());
  if (table.aside_kind.size() != table.aside_text.size() || table.aside_before.size() != table.aside_text.size() ||
      table.aside_offsets.size() != table.word_offsets.size() || table.after.size() != table.sentences() ||
      table.crlf.size() != table.sentences()) {
    throw std::invalid_argument("arrays per sentence differ in length");
  }
}

std::string print_sentences(const StringPool& pool, const TableView& table, std::size_t first, std::size_t last) {
  if (first > last || last > table.sentences()) throw std::invalid_argument("no such sentences");
  std::string out;
  out.reserve(static_cast<std::size_t>(table.word_offsets[last] - table.word_offsets[first]) * 64);
  for (std::size_t sentence = first; sentence < last; ++sentence) append_sentence(out, pool, table, sentence);
  return out;
}

std::vector<std::int32_t> intern_joined(StringPool& pool, std::string_view prefix, std::span<const std::int32_t> words,
                                        std::span<const std::uint8_t> space_after,
                                        std::span<const std::int64_t> offsets) {
  check_offsets(offsets, words.size());
  check_words(pool, words, space_after.size());
  std::vector<std::int32_t> ids;
  ids.reserve(offsets.size() - 1);
  std::string text;
  for (std::size_t sentence = 0; sentence + 1 < offsets.size(); ++sentence) {
    text = prefix;
    const auto end = static_cast<std::size_t>(offsets[sentence + 1]);
    for (auto word = static_cast<std::size_t>(offsets[sentence]); word < end; ++word) {
      if (words[word] != kNotWritten) text += pool[words[word]];
      if (space_after[word] != 0 && word + 1 < end) text += ' ';
    }
    ids.push_back(pool.intern(text));
  }
  return ids;
}

}  // namespace crossarc
