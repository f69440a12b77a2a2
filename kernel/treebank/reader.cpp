#include "treebank/reader.hpp"

#include <algorithm>
#include <optional>

#include "threads.hpp"
#include "treebank/sentence_reader.hpp"

namespace crossarc {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kSmallestChunk = 1 << 20;

bool is_blank_at(std::string_view text, std::size_t at) {
  return at < text.size() && (text[at] == '\n' || (text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n'));
}

// The first sentence start at or after `from`: a line that is not empty after one that is.
std::size_t next_sentence_start(std::string_view text, std::size_t from) {
  while (true) {
    from = text.find('\n', from);
    if (from == std::string_view::npos) return text.size();
    ++from;
    if (!is_blank_at(text, from)) continue;
    while (is_blank_at(text, from)) from += text[from] == '\n' ? 1 : 2;
    return from;
  }
}

std::vector<std::string_view> cut(std::string_view text, std::size_t threads) {
  const std::size_t count = std::clamp<std::size_t>(text.size() / kSmallestChunk, 1, threads);
  std::vector<std::string_view> chunks;
  std::size_t begin = 0;
  for (std::size_t chunk = 1; chunk <= count && begin < text.size(); ++chunk) {
    const std::size_t aim = text.size() / count * chunk;
    const std::size_t end = chunk == count ? text.size() : next_sentence_start(text, std::max(begin, aim));
    chunks.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  if (chunks.empty()) chunks.push_back(text);
  return chunks;
}

template <typename Values>
void append(Values& to, Values& from) {
  to.insert(to.end(), from.begin(), from.end());
  Values().swap(from);
}

void append_offsets(std::vector<std::int64_t>& to, const std::vector<std::int64_t>& from) {
  const std::int64_t base = to.back();
  for (std::size_t index = 1; index < from.size(); ++index) to.push_back(base + from[index]);
}

// Puts the chunks' tables one behind the other. Column by column, each freed when copied, so that the peak stays low.
void merge(ReadResult& result, std::vector<SentenceReader>& parts) {
  std::vector<std::vector<std::int32_t>> new_ids(parts.size());
  for (std::size_t part = 1; part < parts.size(); ++part) {
    const StringPool& pool = parts[part].pool;
    for (std::int32_t id = 0; id < pool.size(); ++id) new_ids[part].push_back(result.pool.intern(pool[id]));
  }
  const auto renumber = [&new_ids](auto& ids, std::size_t part) {
    for (std::int32_t& id : ids) id = new_ids[part][static_cast<std::size_t>(id)];
  };
  for (std::size_t column = 0; column < kColumns; ++column) {
    std::size_t total = 0;
    for (const SentenceReader& part : parts) total += part.table.columns[column].size();
    result.table.columns[column].reserve(total);
    for (std::size_t part = 1; part < parts.size(); ++part) {
      if (column != kHead) renumber(parts[part].table.columns[column], part);
      append(result.table.columns[column], parts[part].table.columns[column]);
    }
  }
  for (std::size_t part = 1; part < parts.size(); ++part) {
    Table& table = parts[part].table;
    renumber(table.aside_text, part);
    renumber(table.after, part);
    append_offsets(result.table.word_offsets, table.word_offsets);
    append_offsets(result.table.aside_offsets, table.aside_offsets);
    append(result.table.aside_kind, table.aside_kind);
    append(result.table.aside_before, table.aside_before);
    append(result.table.aside_text, table.aside_text);
    append(result.table.first_line, table.first_line);
    append(result.table.after, table.after);
    append(result.table.crlf, table.crlf);
  }
}

// Each part counted its lines and sentences from 1: from here on they count as in the file.
void place_lines(std::vector<SentenceReader>& parts, const ReadOptions& options, ReadResult& result) {
  for (SentenceReader& part : parts) {
    const std::int64_t lines_before = options.first_line - 1 + result.lines;
    for (std::int64_t& line : part.table.first_line) line += lines_before;
    for (Problem& problem : part.problems) {
      problem.line += lines_before;
      problem.sentence += options.first_sentence - 1 + result.sentences;
      result.problems.push_back(std::move(problem));
    }
    result.lines += part.lines;
    result.sentences += part.sentences;
    result.problem_count += part.problem_count;
  }
  std::stable_sort(result.problems.begin(), result.problems.end(),
                   [](const Problem& left, const Problem& right) { return left.line < right.line; });
}

}  // namespace

ReadResult read_treebank(std::string_view text, const ReadOptions& options) {
  ReadResult result;
  const std::size_t mark = text.starts_with(kByteOrderMark) && options.first_line == 1 ? kByteOrderMark.size() : 0;
  text.remove_prefix(mark);

  const std::size_t threads = thread_count(options.threads);
  std::vector<SentenceReader> parts;
  for (const std::string_view chunk : cut(text, threads)) parts.emplace_back(chunk, options.format, options.root);
  parallel_for(parts.size(), threads, [&](std::size_t part) { parts[part].run(); });
  place_lines(parts, options, result);

  result.prefix = std::string(mark > 0 ? kByteOrderMark : std::string_view()) + parts[0].prefix;
  result.pool = std::move(parts[0].pool);
  result.table = std::move(parts[0].table);
  if (parts.size() > 1) merge(result, parts);
  return result;
}

std::size_t last_sentence_start(std::string_view text) {
  for (std::size_t end = text.size(); end > 0;) {
    const std::size_t newline = text.rfind('\n', end - 1);
    if (newline == std::string_view::npos) return 0;
    const std::size_t start = newline + 1;
    const bool empty_before = newline > 0 && (text[newline - 1] == '\n' ||
                                              (text[newline - 1] == '\r' && newline > 1 && text[newline - 2] == '\n'));
    if (empty_before && start < text.size() && text[start] != '\r' && text[start] != '\n') return start;
    end = newline;
  }
  return 0;
}

}  // namespace crossarc
