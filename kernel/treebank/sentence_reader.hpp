// Reads a run of whole sentences into a table of their own: the part of reading that one thread does.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "treebank/string_pool.hpp"
#include "treebank/table.hpp"
#include "treebank/text.hpp"
#include "treebank/tree_check.hpp"

namespace crossarc {

inline constexpr std::size_t kLongestLine = 1 << 20;
inline constexpr std::size_t kMostProblems = 100'000;

class SentenceReader {
 public:
  // `expected_bytes` of text will come, or 0: unknown.
  SentenceReader(Format format, RootPolicy root, std::size_t expected_bytes);

  // Reads whole sentences; may be called again and again.
  void run(std::string_view text);
  // Room for so many words more.
  void reserve(std::size_t words);
  // Takes one sentence of columns instead of text. The line of a problem is then the number of the word.
  void read_given(const GivenSentence& given);
  // Cuts the columns to their length.
  void finish();

  // How much there is so far.
  struct Counts {
    std::size_t words = 0;
    std::size_t asides = 0;
    std::size_t sentences = 0;  // good ones
    std::size_t problems = 0;
    std::int32_t strings = 0;
    std::int64_t lines = 0;
    std::int64_t attempts = 0;  // good and bad sentences
  };
  Counts counts() const;

  Table table;
  StringPool pool{facts_of};
  std::string prefix;
  std::vector<Problem> problems;
  std::int64_t problem_count = 0;
  std::int64_t sentences = 0;
  std::int64_t lines = 0;

 private:
  static constexpr std::size_t kFileColumns = 10;
  static constexpr std::size_t kShortestWord = 19;  // bytes of a word line

  enum class LineEnd : std::uint8_t { kNone, kLf, kCrLf };

  // What is known of a string, found out once.
  enum Fact : std::uint32_t { kBadUtf8 = 1, kSpace = 2, kOuterSpace = 4 };
  static std::uint32_t facts_of(std::string_view text);

  // A well-formed word line without detours; false, and nothing done, if it is anything else or may hold a problem.
  bool read_good_word();

  void scan_line();
  void read_line();
  void read_blank();
  void read_comment();
  void read_columns();
  void read_word(std::int32_t id);
  void read_given_word(const GivenSentence& given, std::size_t place);
  template <typename ReadHead>
  void add_word(std::int32_t id, ReadHead&& read_head);
  void read_range(std::string_view first, std::string_view last);
  void read_empty_node(std::string_view major, std::string_view minor);
  bool check_column_count();
  bool check_no_empty_column();
  void check_line_end();
  void check_aside_head();

  std::int32_t intern(std::string_view text, const char* column, std::uint32_t forbidden);
  void report_facts(std::string_view text, std::uint32_t facts, const char* column);
  std::int32_t read_head(std::int32_t id);
  std::int32_t note_head(std::int32_t id, std::int32_t head, std::string_view text);
  bool note_deps(std::int32_t deps, std::string_view text);
  std::int32_t deps_reach(std::int32_t deps) {
    const auto index = static_cast<std::size_t>(deps);
    if (index < deps_reaches_.size() && deps_reaches_[index] != 0) return deps_reaches_[index] - 1;
    return parse_deps(deps);
  }
  std::int32_t parse_deps(std::int32_t deps);
  void add_aside(AsideKind kind);

  void end_sentence();
  void end_spacing(std::string_view spacing);
  void check_tree(std::int32_t words);
  void check_deps_reach(std::int32_t words);
  std::string cycle_text(const std::vector<std::int32_t>& cycle) const;
  void drop_sentence();
  void make_room();

  std::string_view field(std::size_t index) const { return {field_begin_[index], field_end_[index]}; }
  std::string_view line() const { return {line_begin_, line_end_}; }
  bool in_sentence() const { return sentence_begin_ != nullptr; }
  std::string sentence_id() const;
  std::int64_t word_line(std::int32_t word);
  void report(ProblemKind kind, std::vector<std::string> details = {}) { report_at(lines, kind, std::move(details)); }
  void report_at(std::int64_t line, ProblemKind kind, std::vector<std::string> details = {});

  Format format_;
  RootPolicy root_;
  std::size_t expected_bytes_;
  std::size_t bytes_before_ = 0;  // of the texts that were read before this one
  std::string_view text_;

  // The line at hand.
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  ControlScanner controls_{{}};
  const char* line_begin_ = nullptr;
  const char* line_end_ = nullptr;
  LineEnd line_end_kind_ = LineEnd::kNone;
  std::array<const char*, kFileColumns> field_begin_{};
  std::array<const char*, kFileColumns> field_end_{};
  std::size_t field_count_ = 0;
  bool nul_ = false;
  bool carriage_return_ = false;
  std::array<std::uint32_t, kFileColumns> forbidden_;

  // The sentence at hand.
  const char* sentence_begin_ = nullptr;
  const char* last_line_end_ = nullptr;
  std::int64_t sentence_line_ = 0;
  std::size_t first_word_ = 0;
  std::size_t next_word_ = 0;
  std::size_t room_ = 0;  // words that fit into the columns as they are
  std::size_t first_aside_ = 0;
  std::int32_t words_ = 0;
  std::int32_t last_empty_node_ = 0;
  std::int32_t range_end_ = 0;
  std::int64_t range_line_ = 0;
  std::string_view range_text_;
  bool after_range_ = false;
  bool columns_seen_ = false;
  bool broken_ = false;
  bool some_head_ = false;
  bool some_missing_ = false;
  std::int32_t deps_reach_ = 0;
  LineEnd sentence_end_kind_ = LineEnd::kNone;
  std::vector<std::int64_t> word_lines_;  // filled when a problem needs them

  std::vector<std::int32_t> deps_reaches_;  // of each string: 0 unknown, else 1 + deps_reach
  std::vector<std::int32_t> roots_;
  CycleFinder cycles_;
};

}  // namespace crossarc
