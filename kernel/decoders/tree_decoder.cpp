#include "decoders/tree_decoder.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "decoders/published_rules.hpp"

namespace crossarc {
namespace {

// How many spanning trees may be tried before the chart: at most so many that they take a part of its time.
std::int64_t search_limit(TreeClass tree_class, std::int32_t words) {
  if (tree_class == TreeClass::kProjective) return 1;
  return 16 + static_cast<std::int64_t>(words) * words / 2;
}

std::ptrdiff_t root_arcs(std::span<const std::int32_t> heads) { return std::count(heads.begin(), heads.end(), 0); }

}  // namespace

template <typename Score>
bool TreeDecoder<Score>::decode(const IncomingScores& scores, const DecodeOptions& options,
                                std::span<std::int32_t> heads) {
  if (scores.words() == 0) return true;
  if (options.tree_class == TreeClass::kSpanningTree) return branching_.solve(scores, options.single_root, heads);
  if (!options.pruned) return fill_chart(scores, options, heads);
  if (!parts_.start(scores, options.single_root, options.tree_class, options.root_arcs)) return false;
  if (search(search_limit(options.tree_class, scores.words()), heads)) return true;
  if (parts_.empty()) return false;
  prune(scores, options, heads);
  return fill_chart(pruned_, options, heads);
}

// True if the best tree was found within a number of spanning trees.
template <typename Score>
bool TreeDecoder<Score>::search(std::int64_t limit, std::span<std::int32_t> heads) {
  for (std::int32_t part; (part = parts_.pop()) >= 0;) {
    if (parts_.in_class(part)) {
      std::copy(parts_.heads(part).begin(), parts_.heads(part).end(), heads.begin());
      return true;
    }
    parts_.split(part);
    if (parts_.solved() >= limit) return false;
  }
  return false;
}

// Leaves out of the scores what cannot be in the answer.
template <typename Score>
void TreeDecoder<Score>::prune(const IncomingScores& scores, const DecodeOptions& options,
                               std::span<std::int32_t> heads) {
  pruned_ = scores;
  if (options.tree_class == TreeClass::kProjective) return;
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
    return options.root_arcs ? fill_published(chart, chosen, heads) : fill_crossing(chosen, false, heads);
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
bool TreeDecoder<Score>::fill_crossing(const IncomingScores& scores, bool counted, std::span<std::int32_t> heads) {
  CrossingChart<Best<double>> chart(counted);
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
