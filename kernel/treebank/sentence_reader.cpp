#include "treebank/sentence_reader.hpp"

#include <algorithm>

#include "treebank/text.hpp"

namespace crossarc {
namespace {

constexpr const char* kColumnNames[2][10] = {
    {"ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC"},
    {"ID", "FORM", "LEMMA", "CPOSTAG", "POSTAG", "FEATS", "HEAD", "DEPREL", "PHEAD", "PDEPREL"},
};

bool only_white_space(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char byte) { return byte == ' ' || byte == '\t'; });
}

}  // namespace

SentenceReader::SentenceReader(Format format, RootPolicy root, std::size_t expected_bytes)
    : format_(format), root_(root), expected_bytes_(expected_bytes) {
  forbidden_.fill(kBadUtf8 | kSpace);
  forbidden_[1] = forbidden_[2] = kBadUtf8 | kOuterSpace;
  if (format == Format::kConllU) forbidden_[9] = kBadUtf8 | kOuterSpace;
}

std::uint32_t SentenceReader::facts_of(std::string_view text) {
  std::uint32_t facts = 0;
  if (find_bad_utf8(text) != std::string_view::npos) facts |= kBadUtf8;
  if (text.find(' ') != std::string_view::npos) facts |= kSpace;
  if (text.starts_with(' ') || text.ends_with(' ')) facts |= kOuterSpace;
  return facts;
}

void SentenceReader::run(std::string_view text) {
  text_ = text;
  at_ = text.data();
  end_ = text.data() + text.size();
  controls_ = ControlScanner(text);
  while (at_ != end_) {
    if (read_good_word()) continue;
    scan_line();
    ++lines;
    read_line();
  }
  if (in_sentence()) {
    end_sentence();
    end_spacing({last_line_end_, at_});
  }
  bytes_before_ += text.size();
}

void SentenceReader::finish() {
  for (auto& column : table.columns) column.resize(next_word_);
}

SentenceReader::Counts SentenceReader::counts() const {
  return {next_word_, table.aside_text.size(), table.sentences(), problems.size(), pool.size(), lines, sentences};
}

void SentenceReader::reserve(std::size_t words) {
  room_ = next_word_ + words;
  for (auto& column : table.columns) column.resize(room_);
}

// Room for what the text so far makes one expect of the whole, or for half as much again: columns are moved seldom.
void SentenceReader::make_room() {
  constexpr std::size_t kLeast = 16 * 1024;
  const auto bytes = static_cast<double>(bytes_before_ + static_cast<std::size_t>(at_ - text_.data()) + 1);
  const double share = std::max(1.1 * static_cast<double>(expected_bytes_) / bytes, 1.5);
  room_ = static_cast<std::size_t>(static_cast<double>(next_word_) * share) + kLeast;
  for (auto& column : table.columns) column.resize(room_);
}

bool SentenceReader::read_good_word() {
  constexpr std::ptrdiff_t kReach = 16;  // how far behind the line the quick functions may read
  if (!in_sentence() || broken_ || sentence_end_kind_ != LineEnd::kLf || !controls_.ensure(kFileColumns)) return false;
  const char* const* const stops = controls_.ahead();
  const char* const line_end = stops[kFileColumns - 1];
  if (*line_end != '\n' || end_ - line_end <= kReach) return false;
  std::array<const char*, kFileColumns> begins;
  std::array<std::size_t, kFileColumns> lengths;
  begins[0] = at_;
  std::size_t empty = 0;
  int other_than_tab = 0;
#pragma GCC unroll 10
  for (std::size_t column = 0; column < kFileColumns; ++column) {
    if (column > 0) {
      begins[column] = stops[column - 1] + 1;
      other_than_tab |= begins[column][-1] ^ '\t';
    }
    lengths[column] = static_cast<std::size_t>(stops[column] - begins[column]);
    empty |= lengths[column] - 1;  // the highest bit
  }
  constexpr std::size_t kHighestBit = ~(~std::size_t{0} >> 1);
  if (other_than_tab != 0 || (empty & kHighestBit) != 0 || lengths[0] > 8 || lengths[6] > 8 ||
      line_end - at_ > static_cast<std::ptrdiff_t>(kLongestLine)) {
    return false;
  }
  const std::int32_t id = words_ + 1;
  if (short_plain_number(begins[0], lengths[0]) != id) return false;
  const bool no_head = lengths[6] == 1 && *begins[6] == '_';
  const std::int32_t head = no_head ? kNoHead : short_plain_number(begins[6], lengths[6]);
  if ((head < 0 && !no_head) || head == id) return false;

  if (next_word_ == room_) make_room();
  const std::size_t row = next_word_;
  std::uint32_t bad = 0;
#pragma GCC unroll 10
  for (std::size_t column = 1; column < kFileColumns; ++column) {
    if (column == 6) continue;
    const auto key = lengths[column] <= StringPool::kShort ? StringPool::key_of_short(begins[column], lengths[column])
                                                           : StringPool::key_of({begins[column], lengths[column]});
    const auto entry = pool.insert(key, key.hash(), {begins[column], lengths[column]});
    table.columns[column - 1][row] = entry.id;
    bad |= entry.mark & forbidden_[column];
  }
  const std::int32_t deps = table.columns[kDeps][row];
  if (bad != 0 || (deps != StringPool::kNone && !note_deps(deps, {begins[8], lengths[8]}))) return false;

  table.columns[kHead][row] = head;
  (no_head ? some_missing_ : some_head_) = true;
  ++next_word_;
  words_ = id;
  last_empty_node_ = 0;
  after_range_ = false;
  columns_seen_ = true;
  last_line_end_ = line_end;
  at_ = line_end + 1;
  ++lines;
  controls_.skip(kFileColumns);
  return true;
}

void SentenceReader::scan_line() {
  line_begin_ = at_;
  field_count_ = 0;
  nul_ = carriage_return_ = false;
  const char* field = at_;
  const char* at = at_;
  const auto close_field = [&] {
    if (field_count_ < kFileColumns) {
      field_begin_[field_count_] = field;
      field_end_[field_count_] = at;
    }
    ++field_count_;
  };
  for (;;) {
    at = controls_.next();
    if (at == end_ || *at == '\n') break;
    if (*at == '\t') {
      close_field();
      field = at + 1;
    } else if (*at == '\r') {
      if (at + 1 != end_ && at[1] == '\n') {
        controls_.next();
        break;
      }
      carriage_return_ = true;
    } else if (*at == '\0') {
      nul_ = true;
    }
  }
  close_field();
  line_end_ = at;
  line_end_kind_ = at == end_ ? LineEnd::kNone : *at == '\n' ? LineEnd::kLf : LineEnd::kCrLf;
  at_ = at + static_cast<int>(line_end_kind_);
}

void SentenceReader::read_line() {
  if (line_begin_ == line_end_) {
    read_blank();
    return;
  }
  if (!in_sentence()) {
    sentence_begin_ = line_begin_;
    sentence_line_ = lines;
    sentence_end_kind_ = line_end_kind_;
    ++sentences;
    if (sentences == 1) prefix.append(text_.data(), line_begin_);
  }
  check_line_end();
  last_line_end_ = line_end_;
  if (line().size() > kLongestLine) {
    report(ProblemKind::line_too_long, {std::to_string(line().size()), std::to_string(kLongestLine)});
  } else if (nul_) {
    report(ProblemKind::nul_byte);
  } else if (carriage_return_) {
    report(ProblemKind::carriage_return);
  } else if (*line_begin_ == '#') {
    read_comment();
  } else if (only_white_space(line())) {
    report(ProblemKind::white_space_line);
    // Most often it stands where an empty line should: what follows is a new sentence, not one with the ids twice.
    if (columns_seen_) end_sentence();
  } else {
    read_columns();
  }
}

void SentenceReader::check_line_end() {
  if (line_end_kind_ == sentence_end_kind_ || line_end_kind_ == LineEnd::kNone) return;
  report(ProblemKind::mixed_line_ends,
         {line_end_kind_ == LineEnd::kCrLf ? "CR LF" : "LF", sentence_end_kind_ == LineEnd::kCrLf ? "CR LF" : "LF"});
}

void SentenceReader::read_blank() {
  if (in_sentence()) {
    end_sentence();
    // The empty lines that follow belong to this sentence, up to the next line that is not empty.
    while (at_ != end_ && (*at_ == '\n' || (*at_ == '\r' && at_ + 1 != end_ && at_[1] == '\n'))) {
      if (*at_ == '\r') controls_.next();
      at_ = controls_.next() + 1;
      ++lines;
    }
    end_spacing({last_line_end_, at_});
  } else if (at_ == end_ && sentences == 0) {
    prefix.append(text_);
  }
}

// Keeps what follows the last line of a sentence that was kept.
void SentenceReader::end_spacing(std::string_view spacing) {
  if (table.after.size() != table.sentences()) table.after.push_back(pool.intern(spacing));
}

void SentenceReader::read_comment() {
  if (columns_seen_) {
    report(ProblemKind::comment_inside);
    return;
  }
  add_aside(AsideKind::kComment);
}

bool SentenceReader::check_column_count() {
  if (field_count_ == kFileColumns) return true;
  const std::string_view text = line();
  if (field_count_ == 1 && text.find(' ') != std::string_view::npos) {
    report(ProblemKind::space_separated);
  } else {
    report(ProblemKind::column_count, {std::to_string(field_count_)});
  }
  return false;
}

bool SentenceReader::check_no_empty_column() {
  bool none = true;
  for (std::size_t column = 0; column < kFileColumns; ++column) {
    if (!field(column).empty()) continue;
    none = false;
    if (column == 1) {
      report(ProblemKind::empty_form);
    } else {
      report(ProblemKind::empty_column, {kColumnNames[static_cast<int>(format_)][column]});
    }
  }
  return none;
}

void SentenceReader::read_columns() {
  columns_seen_ = true;
  const std::string_view id = field(0);
  const auto number = plain_number(id);
  const bool whole = check_column_count() && check_no_empty_column();
  if (!whole) {
    // Go on counting from here, so that one bad line is one problem.
    if (number && *number == words_ + 1) {
      ++words_;
      last_empty_node_ = 0;
    }
    return;
  }
  if (number && *number > 0) {
    read_word(*number);
    return;
  }
  const std::size_t dash = id.find('-');
  const std::size_t dot = id.find('.');
  if (format_ == Format::kConllU && dash != std::string_view::npos && dash > 0) {
    read_range(id.substr(0, dash), id.substr(dash + 1));
  } else if (format_ == Format::kConllU && dot != std::string_view::npos) {
    read_empty_node(id.substr(0, dot), id.substr(dot + 1));
  } else {
    report(ProblemKind::id_not_a_number, {excerpt(id)});
    if (dash == std::string_view::npos && dot == std::string_view::npos && number != 0) ++words_;
  }
}

void SentenceReader::read_word(std::int32_t id) {
  if (id != words_ + 1) {
    if (id <= words_) {
      report(ProblemKind::id_duplicate, {std::to_string(id), std::to_string(words_ + 1)});
      range_end_ = 0;
    } else {
      report(ProblemKind::id_not_consecutive, {std::to_string(id), std::to_string(words_ + 1)});
    }
    // Count on from here, so that one bad place is one problem.
    words_ = id;
    last_empty_node_ = 0;
    after_range_ = false;
    return;
  }
  ++words_;
  last_empty_node_ = 0;
  after_range_ = false;
  if (next_word_ == room_) make_room();
  add_word(id, [&] { return read_head(id); });
}

template <typename ReadHead>
void SentenceReader::add_word(std::int32_t id, ReadHead&& read_head) {
  const std::size_t row = next_word_++;
  for (std::size_t column = 1; column < kFileColumns; ++column) {
    const char* name = kColumnNames[static_cast<int>(format_)][column];
    table.columns[column - 1][row] = column == 6 ? read_head() : intern(field(column), name, forbidden_[column]);
  }
  const std::int32_t deps = table.columns[kDeps][row];
  if (deps == StringPool::kNone || note_deps(deps, field(8))) return;
  report(format_ == Format::kConllX ? ProblemKind::phead_not_a_number : ProblemKind::deps_malformed,
         {std::to_string(id), excerpt(field(8))});
}

std::int32_t SentenceReader::intern(std::string_view text, const char* column, std::uint32_t forbidden) {
  if (text == "_") return StringPool::kNone;
  const auto [id, mark] = pool.insert(text);
  if ((mark & forbidden) != 0) report_facts(text, mark & forbidden, column);
  return id;
}

void SentenceReader::report_facts(std::string_view text, std::uint32_t facts, const char* column) {
  if (facts & kBadUtf8) {
    const auto byte = static_cast<unsigned char>(text[find_bad_utf8(text)]);
    constexpr const char* kDigits = "0123456789ABCDEF";
    report(ProblemKind::bad_utf8, {column, {kDigits[byte >> 4], kDigits[byte & 15]}});
  } else if (facts & kSpace) {
    report(ProblemKind::space_in_column, {column, excerpt(text)});
  } else {
    report(ProblemKind::outer_space, {column, excerpt(text)});
  }
}

std::int32_t SentenceReader::read_head(std::int32_t id) {
  constexpr std::int32_t kNoNumber = kNoHead - 1;
  const std::string_view text = field(6);
  return note_head(id, text == "_" ? kNoHead : plain_number(text).value_or(kNoNumber), text);
}

std::int32_t SentenceReader::note_head(std::int32_t id, std::int32_t head, std::string_view text) {
  (head == kNoHead ? some_missing_ : some_head_) = true;
  if (head < kNoHead) {
    report(ProblemKind::head_not_a_number, {std::to_string(id), excerpt(text)});
    return kNoHead;
  }
  if (head == id) report(ProblemKind::head_self, {std::to_string(id), excerpt(field(1))});
  return head;
}

// Whether a DEPS or PHEAD value that is not "_" is well-formed; keeps how far it reaches.
bool SentenceReader::note_deps(std::int32_t deps, std::string_view text) {
  if (format_ == Format::kConllX) return plain_number(text).has_value();
  const std::int32_t reach = deps_reach(deps);
  deps_reach_ = std::max(deps_reach_, reach);
  return reach >= 0;
}

// The largest head that a DEPS value names, or -2 if it is not of the form head:relation|head:relation…
std::int32_t SentenceReader::parse_deps(std::int32_t deps) {
  std::int32_t reach = 0;
  for (std::string_view rest = pool[deps]; reach >= 0;) {
    const std::size_t bar = rest.find('|');
    const std::string_view item = rest.substr(0, bar);
    const std::size_t colon = item.find(':');
    const std::string_view head = item.substr(0, colon);
    const auto major = plain_number(head.substr(0, head.find('.')));
    const std::size_t dot = head.find('.');
    const bool minor_good = dot == std::string_view::npos || plain_number(head.substr(dot + 1)).has_value();
    const bool good = colon != std::string_view::npos && colon + 1 < item.size() && major && minor_good;
    reach = good ? std::max(reach, *major) : -2;
    if (bar == std::string_view::npos) break;
    rest.remove_prefix(bar + 1);
  }
  const auto index = static_cast<std::size_t>(deps);
  if (deps_reaches_.size() <= index) deps_reaches_.resize(index + index / 2 + 1, 0);
  deps_reaches_[index] = reach + 1;
  return reach;
}

void SentenceReader::read_given(const GivenSentence& given) {
  ++sentences;
  sentence_line_ = lines = 0;
  sentence_end_kind_ = LineEnd::kLf;
  columns_seen_ = true;
  for (std::size_t place = 0; place < given.words; ++place) read_given_word(given, place);
  end_sentence();
  end_spacing("\n\n");
}

void SentenceReader::read_given_word(const GivenSentence& given, std::size_t place) {
  const std::int32_t id = ++words_;
  const std::int32_t head = given.heads.empty() ? kNoHead : given.heads[place];
  lines = id;
  word_lines_.push_back(id);
  std::size_t length = kFileColumns - 1;
  bool empty = false;
  for (std::size_t column = 0; column < kFileColumns; ++column) {
    const bool text_given = column != 0 && !given.texts[column - 1].empty();
    const std::string_view text = text_given ? given.texts[column - 1][place] : "_";
    field_begin_[column] = text.data();
    field_end_[column] = text.data() + text.size();
    length += text.size();
    empty |= text.empty();
  }
  if (length > kLongestLine / 2) {
    length += std::to_string(id).size() - 1 + (head == kNoHead ? 0 : std::to_string(head).size() - 1);
  }
  if (length > kLongestLine) {
    report(ProblemKind::line_too_long, {std::to_string(length), std::to_string(kLongestLine)});
  } else if (!empty || check_no_empty_column()) {
    add_word(id, [&] { return note_head(id, head, head < kNoHead ? std::to_string(head) : ""); });
  }
}

void SentenceReader::read_range(std::string_view first_text, std::string_view last_text) {
  const std::string id = excerpt(field(0));
  const auto first = plain_number(first_text);
  const auto last = plain_number(last_text);
  if (!first || !last) {
    report(ProblemKind::id_not_a_number, {id});
  } else if (*first == 0 || *last < *first) {
    report(ProblemKind::range_bad, {id});
  } else if (*first <= range_end_) {
    report(ProblemKind::range_overlaps, {id, excerpt(range_text_)});
  } else if (*first != words_ + 1) {
    report(ProblemKind::range_misplaced, {id, std::to_string(words_ + 1)});
  } else {
    range_end_ = *last;
    range_line_ = lines;
    range_text_ = field(0);
    after_range_ = true;
    check_aside_head();
    add_aside(AsideKind::kRange);
  }
}

void SentenceReader::read_empty_node(std::string_view major_text, std::string_view minor_text) {
  const std::string id = excerpt(field(0));
  const auto major = plain_number(major_text);
  const auto minor = plain_number(minor_text);
  if (!major || !minor) {
    report(ProblemKind::id_not_a_number, {id});
  } else if (after_range_ || *major != words_ || *minor != last_empty_node_ + 1) {
    const std::string expected = after_range_ ? "word " + std::to_string(words_ + 1)
                                              : std::to_string(words_) + "." + std::to_string(last_empty_node_ + 1);
    report(ProblemKind::empty_node_misplaced, {id, expected});
  } else {
    ++last_empty_node_;
    check_aside_head();
    add_aside(AsideKind::kEmptyNode);
  }
}

void SentenceReader::check_aside_head() {
  if (field(6) != "_") report(ProblemKind::aside_with_head, {excerpt(field(0)), excerpt(field(6))});
}

void SentenceReader::add_aside(AsideKind kind) {
  table.aside_kind.push_back(static_cast<std::uint8_t>(kind));
  table.aside_before.push_back(words_ + 1);
  table.aside_text.push_back(intern(line(), kind == AsideKind::kComment ? "a comment" : "the line", kBadUtf8));
}

}  // namespace crossarc
