// What can be said of a sentence only when it has ended: whether it is a tree, and where its problems are.
#include <algorithm>

#include "treebank/sentence_reader.hpp"
#include "treebank/text.hpp"

namespace crossarc {

void SentenceReader::end_sentence() {
  const std::size_t words = next_word_ - first_word_;
  if (!columns_seen_ && !broken_) {
    report_at(sentence_line_, ProblemKind::comment_without_sentence);
  } else if (words_ == 0 && !broken_) {
    report_at(sentence_line_, ProblemKind::no_words);
  } else if (range_end_ > words_) {
    report_at(range_line_, ProblemKind::range_beyond_end, {excerpt(range_text_), std::to_string(words_)});
  }
  if (!broken_) check_tree(static_cast<std::int32_t>(words));
  if (broken_) {
    drop_sentence();
  } else {
    table.word_offsets.push_back(static_cast<std::int64_t>(next_word_));
    table.aside_offsets.push_back(static_cast<std::int64_t>(table.aside_text.size()));
    table.first_line.push_back(sentence_line_);
    table.crlf.push_back(sentence_end_kind_ == LineEnd::kCrLf);
  }
  first_word_ = next_word_;
  first_aside_ = table.aside_text.size();
  sentence_begin_ = nullptr;
  words_ = last_empty_node_ = range_end_ = deps_reach_ = 0;
  after_range_ = columns_seen_ = broken_ = some_head_ = some_missing_ = false;
  word_lines_.clear();
}

void SentenceReader::drop_sentence() {
  next_word_ = first_word_;
  table.aside_kind.resize(first_aside_);
  table.aside_before.resize(first_aside_);
  table.aside_text.resize(first_aside_);
}

void SentenceReader::check_tree(std::int32_t words) {
  if (deps_reach_ > words) check_deps_reach(words);
  if (!some_head_) return;
  const std::int32_t* heads = table.columns[kHead].data() + first_word_;
  const bool partial = root_ == RootPolicy::kPartial && some_missing_;
  roots_.clear();
  for (std::int32_t word = 1; word <= words; ++word) {
    const std::int32_t head = heads[word - 1];
    if (head == kNoHead && partial) continue;
    if (head == kNoHead) {
      report_at(word_line(word), ProblemKind::head_missing, {std::to_string(word)});
    } else if (head > words) {
      report_at(word_line(word), ProblemKind::head_out_of_range,
                {std::to_string(word), std::to_string(head), std::to_string(words)});
    } else if (head == 0) {
      roots_.push_back(word);
    }
  }
  if (broken_) return;
  if (roots_.empty() && !partial) report_at(sentence_line_, ProblemKind::no_root);
  if (root_ == RootPolicy::kSingle && roots_.size() > 1) {
    std::string list;
    for (std::size_t root = 0; root < roots_.size() && root < 12; ++root) {
      list += (root == 0 ? "" : ", ") + std::to_string(roots_[root]);
    }
    if (roots_.size() > 12) list += " …";
    report_at(word_line(roots_[1]), ProblemKind::several_roots, {list});
  }
  std::vector<std::int32_t> filled;
  if (partial) {  // a word without a head is in no cycle
    filled.assign(heads, heads + words);
    std::ranges::replace(filled, kNoHead, 0);
    heads = filled.data();
  }
  cycles_.run({heads, static_cast<std::size_t>(words)}, [this](const std::vector<std::int32_t>& cycle) {
    report_at(word_line(cycle.front()), ProblemKind::cycle, {cycle_text(cycle)});
  });
}

std::string SentenceReader::cycle_text(const std::vector<std::int32_t>& cycle) const {
  constexpr std::size_t kMostWords = 8;
  std::string text;
  for (std::size_t index = 0; index < cycle.size() && index < kMostWords; ++index) {
    const std::size_t word = first_word_ + static_cast<std::size_t>(cycle[index] - 1);
    const std::string_view form = pool[table.columns[kForm][word]];
    text += std::to_string(cycle[index]);
    if (form.size() <= 40) text.append(" ").append(form);
    text += " ← ";
  }
  if (cycle.size() > kMostWords) text += "… ← ";
  return text + std::to_string(cycle.front());
}

void SentenceReader::check_deps_reach(std::int32_t words) {
  for (std::int32_t word = 1; word <= words; ++word) {
    const std::int32_t deps = table.columns[kDeps][first_word_ + static_cast<std::size_t>(word - 1)];
    if (deps == StringPool::kNone || deps_reach(deps) <= words) continue;
    report_at(word_line(word), ProblemKind::deps_out_of_range,
              {std::to_string(word), excerpt(pool[deps]), std::to_string(words)});
  }
}

// The line of a word of the sentence that just ended, found by counting again: only a sentence with a problem pays.
std::int64_t SentenceReader::word_line(std::int32_t word) {
  if (word_lines_.empty()) {
    std::int64_t line = sentence_line_;
    bool line_start = true;
    for (const char* at = sentence_begin_; at <= last_line_end_ && at != end_; ++at) {
      if (line_start && *at != '#') {
        const std::string_view id(at, static_cast<std::size_t>(std::find(at, last_line_end_, '\t') - at));
        if (plain_number(id)) word_lines_.push_back(line);
      }
      line_start = *at == '\n';
      if (line_start) ++line;
    }
  }
  return word_lines_[static_cast<std::size_t>(word - 1)];
}

std::string SentenceReader::sentence_id() const {
  constexpr std::string_view kKey = "sent_id";
  std::string_view rest(sentence_begin_, static_cast<std::size_t>(end_ - sentence_begin_));
  while (!rest.empty() && rest.front() == '#') {
    const std::size_t length = rest.find_first_of("\r\n");
    std::string_view comment = rest.substr(1, length == std::string_view::npos ? length : length - 1);
    comment.remove_prefix(std::min(comment.find_first_not_of(' '), comment.size()));
    const std::size_t equals = comment.find('=');
    if (comment.starts_with(kKey) && equals != std::string_view::npos &&
        comment.substr(kKey.size(), equals - kKey.size()).find_first_not_of(' ') == std::string_view::npos) {
      comment.remove_prefix(equals + 1);
      comment.remove_prefix(std::min(comment.find_first_not_of(' '), comment.size()));
      return excerpt(comment);
    }
    if (length == std::string_view::npos) break;
    rest.remove_prefix(length);
    rest.remove_prefix(std::min<std::size_t>(rest.size(), rest.starts_with("\r\n") ? 2 : 1));
  }
  return "";
}

void SentenceReader::report_at(std::int64_t line, ProblemKind kind, std::vector<std::string> details) {
  broken_ = true;
  ++problem_count;
  if (problems.size() >= kMostProblems) return;
  problems.push_back({kind, line, sentences, sentence_id(), std::move(details)});
}

}  // namespace crossarc
