// Reads CoNLL-U and CoNLL-X into a Table, strictly and without loss: whatever passes can be printed again byte for
// byte, and whatever cannot is reported with its line. One pass over the text; each different string is checked once.
// The text is cut at sentence boundaries for threads; the result does not depend on how.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "treebank/problem.hpp"
#include "treebank/string_pool.hpp"
#include "treebank/table.hpp"

namespace crossarc {

struct ReadOptions {
  Format format = Format::kConllU;
  RootPolicy root = RootPolicy::kSingle;
  int threads = 0;              // 0: all cores
  std::int64_t first_line = 1;  // the number of the first line, when the text is the continuation of a file
  std::int64_t first_sentence = 1;
};

struct ReadResult {
  Table table;
  StringPool pool;
  std::string prefix;  // a byte order mark and empty lines before the first sentence
  std::vector<Problem> problems;
  std::int64_t problem_count = 0;  // may exceed problems.size(): no more than kMostProblems are kept per thread
  std::int64_t lines = 0;
  std::int64_t sentences = 0;  // good and bad ones
};

inline constexpr std::size_t kLongestLine = 1 << 20;
inline constexpr std::size_t kMostProblems = 100'000;

ReadResult read_treebank(std::string_view text, const ReadOptions& options);

// Where the last sentence that begins in `text` after an empty line begins; 0 if there is none. What stands before is a
// whole number of sentences.
std::size_t last_sentence_start(std::string_view text);

}  // namespace crossarc
