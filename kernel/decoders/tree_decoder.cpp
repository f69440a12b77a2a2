#include "decoders/tree_decoder.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "decoders/published_rules.hpp"

namespace crossarc {
namespace {

// How many spanning trees may be tried before the chart: as many as cost about as much, by what one arc of a spanning
// tree and one rule of the chart take. Every conflict multiplies the number of parts, so with many of them none is
// tried.
std::int64_t search_limit(std::int32_t words, std::int32_t conflicts) {
  constexpr std::int32_t kMostConflicts = 8;
  if (conflicts > kMostConflicts) return 0;
  const double square = static_cast<double>(words) * words;
  return 8 + static_cast<std::int64_t>(1.5 * square * square / (square + 650));
}

std::ptrdiff_t root_arcs(std::span<const std::int32_t> heads) { return std::count(heads.begin(), heads.end(), 0); }

}  // namespace

template <typename Score>
bool TreeDecoder<Score>::decode(const IncomingScores& scores, const DecodeOptions& options,
                                std::span<std::int32_t> heads) {
  if (scores.words() == 0) return true;
  if (options.tree_class == TreeClass::kSpanningTree) return branching_.solve(scores, options.single_root, heads);
  if (!options.pruned) return fill_chart(scores, options, heads);
  if (options.tree_class == TreeClass::kProjective) {
    return take_best_heads(scores, options, heads) || fill_eisner(scores, options.single_root, heads);
  }
  if (!branching_.solve(scores, options.single_root, heads)) return false;
  if (conflicts_.accepts(heads, options.tree_class, options.root_arcs)) return true;
  parts_.start(scores, options.single_root, options.tree_class, options.root_arcs);
  if (search(search_limit(scores.words(), parts_.conflicts_at_start()), heads)) return true;
  if (parts_.empty()) return false;
  prune(scores, options, heads);
  return fill_chart(pruned_, options, heads);
}

// True if the best heads of all words happen to make a tree of the class. Next to Eisner's chart even a spanning tree
// has its cost, and a trained model's best heads mostly are a tree.
template <typename Score>
bool TreeDecoder<Score>::take_best_heads(const IncomingScores& scores, const DecodeOptions& options,
                                         std::span<std::int32_t> heads) {
  for (std::int32_t word = 1; word <= scores.words(); ++word) {
    heads[word - 1] = first_of_the_largest(scores.row(word), 0, scores.words() + 1);
    if (scores.at(heads[word - 1], word) == kForbidden) return false;
  }
  if (options.single_root && root_arcs(heads) != 1) return false;
  return order_.build(heads) && conflicts_.accepts(heads, options.tree_class, options.root_arcs);
}

// True if the best tree was found within a number of spanning trees.
template <typename Score>
bool TreeDecoder<Score>::search(std::int64_t limit, std::span<std::int32_t> heads) {
  for (std::int32_t part; parts_.solved() < limit && (part = parts_.pop()) >= 0;) {
    if (parts_.in_class(part)) {
      std::copy(parts_.heads(part).begin(), parts_.heads(part).end(), heads.begin());
      return true;
    }
    parts_.split(part);
  }
  return false;
}

// Leaves out of the scores what cannot be in the answer.
template <typename Score>
void TreeDecoder<Score>::prune(const IncomingScores& scores, const DecodeOptions& options,
                               std::span<std::int32_t> heads) {
  pruned_ = scores;
  branching_.solve(scores, options.single_root, heads);
  const double best = scores.sum(heads);
  branching_.bound_losses(scores, losses_);
  if (!fill_eisner(scores, options.single_root, heads)) return;
  const double allowed = best - scores.sum(heads);
  const double margin = 1e-9 * (1 + std::abs(best));  // sums in another order differ in the last digits
  for (std::int32_t word = 1; word <= scores.words(); ++word) {
    for (std::int32_t head = 0; head <= scores.words(); ++head) {
      if (losses_[word * scores.width() + head] > allowed + margin) pruned_.row(word)[head] = kForbidden;
    }
  }
}

template <typename Score>
bool TreeDecoder<Score>::fill_chart(const IncomingScores& scores, const DecodeOptions& options,
                                    std::span<std::int32_t> heads) {
  if (options.tree_class == TreeClass::kProjective) return fill_eisner(scores, options.single_root, heads);
  const auto fill = [&](const IncomingScores& chosen, auto& chart) {
    return options.root_arcs ? fill_published(chart, chosen, heads) : fill_crossing(chosen, heads);
  };
  if (!fill(scores, published_)) return false;
  if (!options.single_root || root_arcs(heads) == 1) return true;
  // Doubles hold both the penalty and the scores.
  penalise_root_arcs(scores, penalised_);
  PublishedChart<double> precise;
  return fill(penalised_, precise) && root_arcs(heads) == 1;
}

template <typename Score>
bool TreeDecoder<Score>::fill_eisner(const IncomingScores& scores, bool single_root, std::span<std::int32_t> heads) {
  arc_values_.assign(scores.values().begin(), scores.values().end());
  if (eisner_.fill(scores.words(), single_root, arc_values_) == Best<Score>::zero()) return false;
  best_tree<Best<Score>>(eisner_, heads);
  return true;
}

template <typename Score>
bool TreeDecoder<Score>::fill_crossing(const IncomingScores& scores, std::span<std::int32_t> heads) {
  CrossingChart<Best<double>> chart(false);
  const double best = chart.fill(scores.words(), {scores.values().begin(), scores.values().end()});
  if (best == kForbidden) return false;
  best_tree<Best<double>>(chart, heads);
  return true;
}

template <typename Score>
template <typename Precision>
bool TreeDecoder<Score>::fill_published(PublishedChart<Precision>& chart, const IncomingScores& scores,
                                        std::span<std::int32_t> heads) {
  if (chart.fill(scores) == Best<Precision>::zero()) return false;
  best_tree<Best<Precision>>(chart, heads);
  return true;
}

template class TreeDecoder<float>;
template class TreeDecoder<double>;

}  // namespace crossarc
