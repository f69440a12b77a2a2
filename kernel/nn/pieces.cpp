#include "nn/pieces.hpp"

#include <algorithm>
#include <array>
#include <queue>
#include <tuple>
#include <utility>

namespace crossarc {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// The bytes of the character that begins here.
std::size_t character_size(std::string_view text, std::size_t start) {
  std::size_t end = start + 1;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
  return end - start;
}

std::size_t character_count(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }));
}

// GPT-2's character for each byte: printable ones of Latin-1 stand for themselves, others for those from U+0100 on.
const std::array<std::string, 256>& byte_characters() {
  static const std::array<std::string, 256> characters = [] {
    std::array<std::string, 256> made;
    unsigned next = 0x100;
    for (unsigned byte = 0; byte < 256; ++byte) {
      const bool printable = (byte > 0x20 && byte < 0x7F) || (byte > 0xA0 && byte != 0xAD);
      const unsigned code = printable ? byte : next++;
      if (code < 0x80) {
        made[byte] = static_cast<char>(code);
      } else {
        made[byte] = {static_cast<char>(0xC0 | (code >> 6)), static_cast<char>(0x80 | (code & 0x3F))};
      }
    }
    return made;
  }();
  return characters;
}

}  // namespace

void PieceCutter::cut(std::string_view word, std::vector<PieceId>& pieces) {
  if (const auto known = seen_.find(word); known != seen_.end()) {
    const auto first = pieces_of_seen_.begin() + static_cast<std::ptrdiff_t>(known->second.first);
    pieces.insert(pieces.end(), first, first + static_cast<std::ptrdiff_t>(known->second.count));
    return;
  }
  const std::size_t before = pieces.size();
  cut_new(word, pieces);
  if (seen_.size() >= kMostSeen) {
    seen_.clear();
    pieces_of_seen_.clear();
  }
  seen_.emplace(word, Range{pieces_of_seen_.size(), pieces.size() - before});
  pieces_of_seen_.insert(pieces_of_seen_.end(), pieces.begin() + static_cast<std::ptrdiff_t>(before), pieces.end());
}

PieceId PieceCutter::find(std::string_view piece) const {
  const auto known = vocabulary_.ids.find(piece);
  return known == vocabulary_.ids.end() ? -1 : known->second;
}

// WordPiece

WordPieceCutter::WordPieceCutter(PieceVocabulary known, std::size_t longest_word)
    : PieceCutter(std::move(known)), longest_word_(longest_word) {
  for (const auto& [piece, id] : vocabulary().ids) longest_piece_ = std::max(longest_piece_, piece.size());
}

void WordPieceCutter::cut_new(std::string_view word, std::vector<PieceId>& pieces) const {
  const std::size_t before = pieces.size();
  const auto give_up = [&] {
    pieces.resize(before);
    if (vocabulary().unknown >= 0) pieces.push_back(vocabulary().unknown);
  };
  if (character_count(word) > longest_word_) return give_up();
  std::string piece;
  for (std::size_t start = 0; start < word.size();) {
    const std::string_view rest = word.substr(start, longest_piece_);
    piece = start > 0 ? vocabulary().continuing : std::string();
    const std::size_t mark = piece.size();
    piece += rest;
    PieceId id = -1;
    while (piece.size() > mark && (id = find(piece)) < 0) {
      while (piece.size() > mark && (static_cast<unsigned char>(piece.back()) & 0xC0) == 0x80) piece.pop_back();
      piece.pop_back();
    }
    if (id < 0) return give_up();
    pieces.push_back(id);
    start += piece.size() - mark;
  }
}

// Byte pair encoding

BytePairCutter::BytePairCutter(PieceVocabulary known, std::span<const PieceMerge> merges, BytePairRules rules)
    : PieceCutter(std::move(known)), rules_(std::move(rules)) {
  merges_.reserve(merges.size());
  for (std::size_t rank = 0; rank < merges.size(); ++rank) {
    const auto& [left, right, joined] = merges[rank];
    const std::uint64_t pair = static_cast<std::uint64_t>(left) << 32 | static_cast<std::uint32_t>(right);
    merges_.insert_or_assign(pair, Merge{rank, joined});
  }
}

const BytePairCutter::Merge* BytePairCutter::merge_of(PieceId left, PieceId right) const {
  const auto known = merges_.find(static_cast<std::uint64_t>(left) << 32 | static_cast<std::uint32_t>(right));
  return known == merges_.end() ? nullptr : &known->second;
}

// The pieces of single characters that a word begins as.
std::vector<PieceId> BytePairCutter::characters(std::string_view word) const {
  std::vector<PieceId> ids;
  bool unknown_before = false;
  for (std::size_t start = 0, size; start < word.size(); start += size) {
    size = character_size(word, start);
    std::string piece = start > 0 ? vocabulary().continuing : std::string();
    piece += word.substr(start, size);
    if (start + size == word.size()) piece += rules_.ending;
    const PieceId id = find(piece);
    const bool unknown = id < 0;
    if (!unknown) {
      ids.push_back(id);
    } else if (vocabulary().unknown >= 0 && !(rules_.joins_unknown && unknown_before)) {
      ids.push_back(vocabulary().unknown);
    }
    unknown_before = unknown;
  }
  return ids;
}

void BytePairCutter::cut_new(std::string_view given, std::vector<PieceId>& pieces) const {
  std::string as_bytes;
  if (rules_.bytes) {
    for (const char byte : given) as_bytes += byte_characters()[static_cast<unsigned char>(byte)];
  }
  const std::string_view word = rules_.bytes ? std::string_view(as_bytes) : given;
  if (rules_.whole_words) {
    if (const PieceId id = find(word); id >= 0) return pieces.push_back(id);
  }
  std::vector<PieceId> ids = characters(word);
  // A list of what is left: the piece before and the one behind each; -1 in ids for what was joined to another.
  std::vector<std::size_t> before(ids.size()), behind(ids.size());
  for (std::size_t index = 0; index < ids.size(); ++index) {
    before[index] = index > 0 ? index - 1 : kNone;
    behind[index] = index + 1 < ids.size() ? index + 1 : kNone;
  }
  using Candidate = std::tuple<std::size_t, std::size_t, PieceId>;  // rank, the left piece, what the two become
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
  const auto offer = [&](std::size_t left) {
    if (left == kNone || behind[left] == kNone) return;
    if (const Merge* merge = merge_of(ids[left], ids[behind[left]])) queue.emplace(merge->rank, left, merge->joined);
  };
  for (std::size_t index = 0; index < ids.size(); ++index) offer(index);
  while (!queue.empty()) {
    const auto [rank, left, joined] = queue.top();
    queue.pop();
    const std::size_t right = ids[left] < 0 ? kNone : behind[left];
    if (right == kNone) continue;
    const Merge* merge = merge_of(ids[left], ids[right]);
    if (merge == nullptr || merge->joined != joined) continue;  // one of the two was joined to another meanwhile
    ids[left] = joined;
    ids[right] = -1;
    behind[left] = behind[right];
    if (behind[right] != kNone) before[behind[right]] = left;
    offer(before[left]);
    offer(left);
  }
  std::ranges::copy_if(ids, std::back_inserter(pieces), [](PieceId id) { return id >= 0; });
}

}  // namespace crossarc
