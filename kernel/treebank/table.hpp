// A treebank as columns: what the reader fills, the writer prints and Python sees as arrays. Every text is an id into a
// StringPool; words are counted from 1 within their sentence, the artificial root is 0.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/memory.hpp"
#include "treebank/string_pool.hpp"

namespace crossarc {

enum class Format : std::uint8_t { kConllU, kConllX };
enum class RootPolicy : std::uint8_t { kSingle, kAny };

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

  std::vector<std::int64_t> first_line;  // of each sentence, for messages
  std::vector<std::int32_t>
      after;                       // what follows the last line of a sentence, as a rule one line end and an empty line
  std::vector<std::uint8_t> crlf;  // whether its lines end in CR LF

  std::size_t sentences() const { return word_offsets.size() - 1; }
};

}  // namespace crossarc
