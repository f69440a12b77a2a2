// Reads CoNLL-U and CoNLL-X into a Table, strictly and without loss: whatever passes can be printed again byte for
// byte, and whatever cannot is reported with its line. The text may come in pieces of any size and is not kept, so that
// memory is what the table takes. Each piece is cut at sentence boundaries for the threads; the result does not depend
// on how.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "treebank/sentence_reader.hpp"
#include "treebank/string_pool.hpp"
#include "treebank/table.hpp"

namespace crossarc {

// Bytes of a sentence with the empty lines behind it: what is read of a file before it is known to be none stays below.
inline constexpr std::size_t kLongestSentence = 1 << 26;

struct ReadOptions {
  Format format = Format::kConllU;
  RootPolicy root = RootPolicy::kSingle;
  int threads = 0;              // 0: all cores
  std::int64_t first_line = 1;  // the number of the first line, when the text is the continuation of a file
  std::int64_t first_sentence = 1;
  std::size_t expected_bytes = 0;  // of the whole text, 0 if unknown: saves moving the columns as they grow
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

class TreebankReader {
 public:
  explicit TreebankReader(const ReadOptions& options);

  // The next piece of the text, cut anywhere.
  void feed(std::string_view text);
  // How many bytes wait for the end of their sentence, and where in the file it begins: whoever feeds sees to it that
  // they do not become too many.
  struct Unfinished {
    std::size_t bytes;
    std::int64_t line;
    std::int64_t sentence;
  };
  Unfinished unfinished() const;
  // The end of the text; the reader is used up then, and refuses whatever follows.
  ReadResult finish();

 private:
  // What one thread read of one piece: its rows end where those of the thread's next segment begin.
  struct Segment {
    std::size_t part;
    SentenceReader::Counts end;
  };

  void start();
  void check_unfinished() const;
  void read_sentences(std::string_view text);
  void place_lines(ReadResult& result);
  void merge(ReadResult& result);
  template <typename Visit>
  void for_each_segment(Visit&& visit) const;

  ReadOptions options_;
  std::vector<SentenceReader> parts_;
  std::vector<Segment> segments_;
  std::string rest_;  // the beginning of a sentence that has not ended yet
  std::string byte_order_mark_;
  bool started_ = false;
  bool finished_ = false;
};

// Makes a treebank of columns with the checks of a file. A problem's `line` is the number of its word, 0 if it concerns
// the whole sentence, and the sentences have no first_line. O(bytes).
class ColumnReader {
 public:
  ColumnReader(Format format, RootPolicy root, std::size_t words);

  // The next sentence; columns are as long as it has words, and no value may hold what separates values.
  void add(const GivenSentence& given) { reader_.read_given(given); }
  // The reader is used up then.
  ReadResult finish();

 private:
  SentenceReader reader_;
};

// Where the last sentence that begins in `text` after an empty line begins, if not before `from`; else 0. What stands
// before is a whole number of sentences.
std::size_t last_sentence_start(std::string_view text, std::size_t from = 0);

}  // namespace crossarc
