#include "decoders/spanning/crossing_search.hpp"

#include <algorithm>
#include <cmath>

namespace crossarc {
namespace {

// So many heads of every word are tried, and so often at most.
constexpr std::size_t kTried = 8;
constexpr int kSweeps = 20;
// Of sentences whose best 1-Endpoint-Crossing tree is looked at: the chart of longer ones takes longer than all else.
constexpr std::int32_t kMostWords = 40;

bool cross(std::int32_t one, std::int32_t other, std::int32_t third, std::int32_t fourth) {
  const auto [left, right] = std::minmax(one, other);
  const auto [first, last] = std::minmax(third, fourth);
  return (left < first && first < right && right < last) || (first < left && left < last && last < right);
}

bool is_below(std::span<const std::int32_t> heads, std::int32_t word, std::int32_t above) {
  while (word != 0 && word != above) word = heads[static_cast<std::size_t>(word) - 1];
  return word == above;
}

}  // namespace

bool CrossingSearch::find(const IncomingScores& scores, const DecodeOptions& options, std::span<std::int32_t> heads) {
  if (scores.words() == 0) return true;
  root_arcs_ = options.root_arcs;
  relaxed_.load_highest(scores);
  if (!branching_.solve(relaxed_, options.single_root, heads)) return false;
  const double bound = relaxed_.sum(heads);
  if (scores.sum(heads, root_arcs_) >= bound - 1e-9 * (1 + std::abs(bound))) return true;
  climb(scores, options, heads);
  DecodeOptions second = options;
  second.tree_class = scores.words() <= kMostWords ? TreeClass::kOneEndpointCrossing : TreeClass::kProjective;
  other_.resize(heads.size());
  if (!decoder_.decode(scores, second, other_)) return true;
  climb(scores, options, other_);
  if (scores.sum(other_, root_arcs_) > scores.sum(heads, root_arcs_))
    std::copy(other_.begin(), other_.end(), heads.begin());
  return true;
}

void CrossingSearch::climb(const IncomingScores& scores, const DecodeOptions& options, std::span<std::int32_t> heads) {
  const std::int32_t words = scores.words();
  tried_.resize(heads.size());
  for (std::int32_t word = 1; word <= words; ++word) {
    ranked_.clear();
    for (std::int32_t head = 0; head <= words; ++head) {
      const double highest = std::max(scores.row(word)[head], scores.crossed_row(word)[head]);
      if (scores.row(word)[head] != kForbidden) ranked_.emplace_back(-highest, head);
    }
    const std::size_t count = std::min(kTried, ranked_.size());
    std::partial_sort(ranked_.begin(), ranked_.begin() + static_cast<std::ptrdiff_t>(count), ranked_.end());
    std::vector<std::int32_t>& tried = tried_[static_cast<std::size_t>(word) - 1];
    tried.clear();
    for (std::size_t rank = 0; rank < count; ++rank) tried.push_back(ranked_[rank].second);
  }
  crossings_.assign(heads.size(), 0);
  for (std::int32_t word = 1; word <= words; ++word) {
    for (std::int32_t other = 1; other < word; ++other) {
      const std::int32_t head = heads[word - 1], other_head = heads[other - 1];
      if (!counts(head) || !counts(other_head) || !cross(head, word, other_head, other)) continue;
      ++crossings_[word - 1];
      ++crossings_[other - 1];
    }
  }
  bool improved = true;
  for (int sweep = 0; improved && sweep < kSweeps; ++sweep) {
    improved = false;
    for (std::int32_t word = 1; word <= words; ++word) {
      for (const std::int32_t head : tried_[static_cast<std::size_t>(word) - 1]) {
        const std::int32_t now = heads[word - 1];
        // One word stays the child of 0, if only one may be.
        if (head == now || (options.single_root && (head == 0 || now == 0)) || is_below(heads, head, word)) continue;
        if (!(gain(scores, heads, word, head) > 1e-9)) continue;
        attach(heads, word, head);
        improved = true;
      }
    }
  }
}

double CrossingSearch::gain(const IncomingScores& scores, std::span<const std::int32_t> heads, std::int32_t word,
                            std::int32_t head) const {
  const std::int32_t now = heads[word - 1];
  const auto score = [&](std::int32_t dependent, std::int32_t from, std::int32_t crossings) {
    return (crossings > 0 ? scores.crossed_row(dependent) : scores.row(dependent))[from];
  };
  double gained = -score(word, now, crossings_[word - 1]);
  std::int32_t own = 0;
  for (std::int32_t other = 1; other <= scores.words(); ++other) {
    const std::int32_t other_head = heads[other - 1];
    if (other == word || !counts(other_head)) continue;
    const bool before = counts(now) && cross(now, word, other_head, other);
    const bool after = counts(head) && cross(head, word, other_head, other);
    own += after ? 1 : 0;
    if (before == after) continue;
    const std::int32_t crossings = crossings_[other - 1];
    gained += score(other, other_head, crossings + (after ? 1 : -1)) - score(other, other_head, crossings);
  }
  return gained + score(word, head, own);
}

void CrossingSearch::attach(std::span<std::int32_t> heads, std::int32_t word, std::int32_t head) {
  const std::int32_t now = heads[word - 1];
  crossings_[word - 1] = 0;
  for (std::int32_t other = 1; other <= static_cast<std::int32_t>(heads.size()); ++other) {
    const std::int32_t other_head = heads[other - 1];
    if (other == word || !counts(other_head)) continue;
    if (counts(now) && cross(now, word, other_head, other)) --crossings_[other - 1];
    if (!counts(head) || !cross(head, word, other_head, other)) continue;
    ++crossings_[other - 1];
    ++crossings_[word - 1];
  }
  heads[word - 1] = head;
}

}  // namespace crossarc
