// A treebank as columns, which the reader fills, the writer prints and Python sees as arrays, and the problems that a
// file may have instead. Every text is an id into a StringPool; words are counted from 1 within their sentence, the
// artificial root is 0.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/arrays.hpp"
#include "treebank/string_pool.hpp"

namespace crossarc {

enum class Format : std::uint8_t { kConllU, kConllX };
// kPartial: any number of roots, and words without heads beside others that have them.
enum class RootPolicy : std::uint8_t { kSingle, kAny, kPartial };

constexpr std::int32_t kNoHead = -1;

// The columns of a word after ID, in the order of the file. In CoNLL-X, upos and xpos are CPOSTAG and POSTAG, and deps
// and misc are PHEAD and PDEPREL.
enum Column : std::uint8_t { kForm, kLemma, kUpos, kXpos, kFeats, kHead, kDeprel, kDeps, kMisc, kColumns };

// A line that is not a word: it stands before word `before` of its sentence (n + 1: after the last).
enum class AsideKind : std::uint8_t { kComment, kRange, kEmptyNode };

struct Table {
  std::array<LongArray<std::int32_t>, kColumns> columns;
  std::vector<std::int64_t> word_offsets{0};

  std::vector<std::uint8_t> aside_kind;
  std::vector<std::int32_t> aside_before;
  std::vector<std::int32_t> aside_text;
  std::vector<std::int64_t> aside_offsets{0};

  std::vector<std::int64_t> first_line;  // of each sentence, for messages; 0 if no file holds it
  std::vector<std::int32_t> after;       // what follows its last line, as a rule a line end and an empty line
  std::vector<std::uint8_t> crlf;        // whether its lines end in CR LF

  std::size_t sentences() const { return word_offsets.size() - 1; }
};

// The columns of a sentence that no file holds.
struct GivenSentence {
  std::size_t words = 0;
  std::array<std::vector<std::string_view>, kColumns> texts;  // empty: "_" for every word; none for kHead
  std::span<const std::int32_t> heads;                        // empty: kNoHead for every word
};

// What can be wrong with a treebank file: which problem it is, where, and the values that matter. The sentences that
// people read are made in src/crossarc/treebank/problems.py.
#define CROSSARC_PROBLEMS(X)  \
  X(column_count)             \
  X(space_separated)          \
  X(white_space_line)         \
  X(empty_column)             \
  X(empty_form)               \
  X(space_in_column)          \
  X(outer_space)              \
  X(id_not_a_number)          \
  X(id_not_consecutive)       \
  X(id_duplicate)             \
  X(range_bad)                \
  X(range_overlaps)           \
  X(range_misplaced)          \
  X(range_beyond_end)         \
  X(empty_node_misplaced)     \
  X(aside_with_head)          \
  X(head_not_a_number)        \
  X(head_out_of_range)        \
  X(head_self)                \
  X(head_missing)             \
  X(cycle)                    \
  X(no_root)                  \
  X(several_roots)            \
  X(deps_malformed)           \
  X(deps_out_of_range)        \
  X(phead_not_a_number)       \
  X(bad_utf8)                 \
  X(nul_byte)                 \
  X(carriage_return)          \
  X(mixed_line_ends)          \
  X(comment_inside)           \
  X(comment_without_sentence) \
  X(no_words)                 \
  X(line_too_long)            \
  X(sentence_too_long)

enum class ProblemKind : std::uint8_t {
#define CROSSARC_ENUMERATOR(name) name,
  CROSSARC_PROBLEMS(CROSSARC_ENUMERATOR)
#undef CROSSARC_ENUMERATOR
};

struct Problem {
  ProblemKind kind;
  std::int64_t line;        // from 1
  std::int64_t sentence;    // from 1
  std::string sentence_id;  // the value of its sent_id comment, or empty
  std::vector<std::string> details;
};

}  // namespace crossarc
