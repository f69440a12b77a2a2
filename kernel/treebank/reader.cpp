#include "treebank/reader.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/threads.hpp"

namespace crossarc {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kSmallestChunk = 1 << 17;

bool is_blank_at(std::string_view text, std::size_t at) {
  return at < text.size() && (text[at] == '\n' || (text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n'));
}

// Where the empty lines at `at` end; behind the text if it ends where an empty line may have been cut in two.
std::size_t skip_blank(std::string_view text, std::size_t at) {
  while (is_blank_at(text, at)) at += text[at] == '\n' ? 1 : 2;
  return text.substr(at) == "\r" ? text.size() : at;
}

// The first sentence start at or after `from`: a line that is not empty after one that is.
std::size_t next_sentence_start(std::string_view text, std::size_t from) {
  while (true) {
    from = text.find('\n', from);
    if (from == std::string_view::npos) return text.size();
    ++from;
    if (is_blank_at(text, from)) return skip_blank(text, from);
  }
}

// The first sentence start of `text`, which follows `before`: the empty line may stand in either, or be cut in two.
std::size_t next_sentence_start(std::string_view before, std::string_view text) {
  const bool after_line = before.ends_with('\n');
  const bool after_blank = before.ends_with("\n\n") || before.ends_with("\n\r\n");
  if ((after_line && is_blank_at(text, 0)) || (after_blank && text != "\r")) return skip_blank(text, 0);
  return next_sentence_start(text, 0);
}

std::vector<std::string_view> cut(std::string_view text, std::size_t most) {
  const std::size_t count = std::clamp<std::size_t>(text.size() / kSmallestChunk, 1, most);
  std::vector<std::string_view> chunks;
  std::size_t begin = 0;
  for (std::size_t chunk = 1; chunk <= count && begin < text.size(); ++chunk) {
    const std::size_t aim = text.size() / count * chunk;
    const std::size_t end = chunk == count ? text.size() : next_sentence_start(text, std::max(begin, aim));
    chunks.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return chunks;
}

// Appends rows first to last - 1 of `from`.
template <typename To, typename From, typename Change>
void append(To& to, const From& from, std::size_t first, std::size_t last, Change&& change) {
  for (std::size_t row = first; row < last; ++row) to.push_back(change(from[row]));
}

}  // namespace

TreebankReader::TreebankReader(const ReadOptions& options) : options_(options) {
  const std::size_t threads = thread_count(options.threads);
  parts_.reserve(threads);
  for (std::size_t part = 0; part < threads; ++part) {
    parts_.emplace_back(options.format, options.root, options.expected_bytes / threads);
  }
}

void TreebankReader::feed(std::string_view text) {
  check_unfinished();
  if (!started_) {
    rest_.append(text);
    if (rest_.size() >= kByteOrderMark.size()) start();
    return;
  }
  std::size_t begin = 0;
  if (!rest_.empty()) {
    // The sentence that began in an earlier piece is completed; the others are read where they are.
    begin = next_sentence_start(rest_, text);
    rest_.append(text.substr(0, begin));
    if (begin == text.size()) return;
    read_sentences(rest_);
  }
  const std::size_t end = std::max(begin, last_sentence_start(text, begin));
  if (end > begin) read_sentences(text.substr(begin, end - begin));
  rest_.assign(text.substr(end));
}

TreebankReader::Unfinished TreebankReader::unfinished() const {
  Unfinished at{rest_.size(), options_.first_line, options_.first_sentence};
  for (const SentenceReader& part : parts_) {
    at.line += part.lines;
    at.sentence += part.sentences;
  }
  return at;
}

void TreebankReader::start() {
  started_ = true;
  std::string_view text = rest_;
  if (options_.first_line == 1 && text.starts_with(kByteOrderMark)) {
    byte_order_mark_ = kByteOrderMark;
    text.remove_prefix(kByteOrderMark.size());
  }
  const std::string first(text);
  rest_.clear();
  feed(first);
}

void TreebankReader::read_sentences(std::string_view text) {
  const std::vector<std::string_view> chunks = cut(text, parts_.size());
  parallel_for(chunks.size(), parts_.size(), [&](std::size_t part) { parts_[part].run(chunks[part]); });
  for (std::size_t part = 0; part < chunks.size(); ++part) segments_.push_back({part, parts_[part].counts()});
}

void TreebankReader::check_unfinished() const {
  if (finished_) throw std::invalid_argument("the reader is used up: another text needs another reader");
}

ReadResult TreebankReader::finish() {
  check_unfinished();
  finished_ = true;
  if (!rest_.empty()) read_sentences(rest_);
  ReadResult result;
  for (SentenceReader& part : parts_) part.finish();
  place_lines(result);
  result.prefix = byte_order_mark_ + parts_[0].prefix;
  if (parts_.size() == 1) {
    result.pool = std::move(parts_[0].pool);
    result.table = std::move(parts_[0].table);
  } else {
    merge(result);
  }
  return result;
}

template <typename Visit>
void TreebankReader::for_each_segment(Visit&& visit) const {
  std::vector<SentenceReader::Counts> reached(parts_.size());
  for (const Segment& segment : segments_) {
    visit(segment.part, reached[segment.part], segment.end);
    reached[segment.part] = segment.end;
  }
}

// Each part counted its lines and sentences from 1: from here on they count as in the file.
void TreebankReader::place_lines(ReadResult& result) {
  using Counts = SentenceReader::Counts;
  for_each_segment([&](std::size_t part, const Counts& begin, const Counts& end) {
    const std::int64_t lines_before = options_.first_line - 1 + result.lines - begin.lines;
    const std::int64_t sentences_before = options_.first_sentence - 1 + result.sentences - begin.attempts;
    for (std::size_t row = begin.sentences; row < end.sentences; ++row) {
      parts_[part].table.first_line[row] += lines_before;
    }
    for (std::size_t row = begin.problems; row < end.problems; ++row) {
      Problem& problem = parts_[part].problems[row];
      problem.line += lines_before;
      problem.sentence += sentences_before;
      result.problems.push_back(std::move(problem));
    }
    result.lines += end.lines - begin.lines;
    result.sentences += end.attempts - begin.attempts;
  });
  for (const SentenceReader& part : parts_) result.problem_count += part.problem_count;
  std::stable_sort(result.problems.begin(), result.problems.end(),
                   [](const Problem& left, const Problem& right) { return left.line < right.line; });
}

// Puts the segments one behind the other. Column by column, each freed when copied, so that the peak stays low. Strings
// get their ids in the order of the text, as if one thread had read it.
void TreebankReader::merge(ReadResult& result) {
  using Counts = SentenceReader::Counts;
  const auto same = [](auto value) { return value; };
  std::vector<std::vector<std::int32_t>> new_ids(parts_.size());
  for_each_segment([&](std::size_t part, const Counts&, const Counts& end) {
    std::vector<std::int32_t>& ids = new_ids[part];
    while (static_cast<std::int32_t>(ids.size()) < end.strings) {
      ids.push_back(result.pool.intern(parts_[part].pool[static_cast<std::int32_t>(ids.size())]));
    }
  });
  for (std::size_t column = 0; column < kColumns; ++column) {
    std::size_t words = 0;
    for (const SentenceReader& part : parts_) words += part.table.columns[column].size();
    result.table.columns[column].reserve(words);
    for_each_segment([&](std::size_t part, const Counts& begin, const Counts& end) {
      const auto renumbered = [&](std::int32_t id) {
        return column == kHead ? id : new_ids[part][static_cast<std::size_t>(id)];
      };
      append(result.table.columns[column], parts_[part].table.columns[column], begin.words, end.words, renumbered);
    });
    for (SentenceReader& part : parts_) LongArray<std::int32_t>().swap(part.table.columns[column]);
  }
  for_each_segment([&](std::size_t part, const Counts& begin, const Counts& end) {
    const Table& from = parts_[part].table;
    Table& to = result.table;
    const auto renumbered = [&](std::int32_t id) { return new_ids[part][static_cast<std::size_t>(id)]; };
    const auto shifted = [](std::int64_t base) { return [base](std::int64_t offset) { return offset + base; }; };
    append(to.word_offsets, from.word_offsets, begin.sentences + 1, end.sentences + 1,
           shifted(to.word_offsets.back() - from.word_offsets[begin.sentences]));
    append(to.aside_offsets, from.aside_offsets, begin.sentences + 1, end.sentences + 1,
           shifted(to.aside_offsets.back() - from.aside_offsets[begin.sentences]));
    append(to.aside_kind, from.aside_kind, begin.asides, end.asides, same);
    append(to.aside_before, from.aside_before, begin.asides, end.asides, same);
    append(to.aside_text, from.aside_text, begin.asides, end.asides, renumbered);
    append(to.first_line, from.first_line, begin.sentences, end.sentences, same);
    append(to.after, from.after, begin.sentences, end.sentences, renumbered);
    append(to.crlf, from.crlf, begin.sentences, end.sentences, same);
  });
}

ColumnReader::ColumnReader(Format format, RootPolicy root, std::size_t words) : reader_(format, root, 0) {
  reader_.reserve(words);
}

ReadResult ColumnReader::finish() {
  reader_.finish();
  std::stable_sort(reader_.problems.begin(), reader_.problems.end(), [](const Problem& left, const Problem& right) {
    return std::pair(left.sentence, left.line) < std::pair(right.sentence, right.line);
  });
  return {std::move(reader_.table), std::move(reader_.pool), "", std::move(reader_.problems), reader_.problem_count, 0,
          reader_.sentences};
}

std::size_t last_sentence_start(std::string_view text, std::size_t from) {
  for (std::size_t end = text.size(); end > from;) {
    const std::size_t newline = text.rfind('\n', end - 1);
    if (newline == std::string_view::npos || newline < from) return 0;
    const std::size_t start = newline + 1;
    const bool empty_before = newline > 0 && (text[newline - 1] == '\n' ||
                                              (text[newline - 1] == '\r' && newline > 1 && text[newline - 2] == '\n'));
    if (empty_before && start < text.size() && text[start] != '\r' && text[start] != '\n') return start;
    end = newline;
  }
  return 0;
}

}  // namespace crossarc
