#include "decoders/tree_decoder.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "decoders/one_endpoint/published_rules.hpp"

namespace crossarc {
namespace {

// How many parts may be tried before the chart: as many as cost about as much.
std::int64_t search_limit(std::int32_t words) {
  const double square = static_cast<double>(words) * words;
  return static_cast<std::int64_t>(std::min(3e5, 20 + square * words / 80));
}

std::ptrdiff_t root_arcs(std::span<const std::int32_t> heads) { return std::count(heads.begin(), heads.end(), 0); }

}  // namespace

template <typename Score>
bool TreeDecoder<Score>::decode(const IncomingScores& scores, const DecodeOptions& options,
                                std::span<std::int32_t> heads) {
  if (scores.words() == 0) return true;
  if (options.tree_class == TreeClass::kSpanningTree) return branching_.solve(scores, options.single_root, heads);
  if (!options.pruned) return fill_chart(scores, options, 0, heads);
  if (options.tree_class == TreeClass::kProjective) {
    return best_heads_.make_projective_tree(scores, options.single_root, heads) ||
           fill_eisner(scores, options.single_root, heads);
  }
  if (!branching_.solve(scores, options.single_root, heads)) return false;
  if (conflicts_.accepts(heads, options.root_arcs)) return true;
  const auto outcome =
      search_.run(scores, branching_, options.single_root, options.root_arcs, search_limit(scores.words()), heads);
  if (outcome == TreeSearch::Outcome::kFound) return true;
  if (outcome == TreeSearch::Outcome::kNoTree) return false;
  prune(scores, options, outcome == TreeSearch::Outcome::kTreeOnly, heads);
  return fill_chart(pruned_, options, branching_.root_penalty(), heads);
}

// Leaves out of the scores what cannot be in the answer. `known`: the heads are a tree of the class already; the best
// projective tree is another.
template <typename Score>
void TreeDecoder<Score>::prune(const IncomingScores& scores, const DecodeOptions& options, bool known,
                               std::span<std::int32_t> heads) {
  pruned_ = scores;
  double reached = known ? scores.sum(heads) : kForbidden;
  if (fill_eisner(scores, options.single_root, heads)) reached = std::max(reached, scores.sum(heads));
  branching_.solve(scores, options.single_root, heads);
  const double best = scores.sum(heads);
  const double allowed = best - reached;
  branching_.bound_losses(scores, losses_);
  const double margin = 1e-9 * (1 + std::abs(best));  // sums in another order differ in the last digits
  for (std::int32_t word = 1; word <= scores.words(); ++word) {
    for (std::int32_t head = 0; head <= scores.words(); ++head) {
      if (losses_[word * scores.width() + head] > allowed + margin) pruned_.row(word)[head] = kForbidden;
    }
  }
}

template <typename Score>
bool TreeDecoder<Score>::fill_chart(const IncomingScores& scores, const DecodeOptions& options, double penalty,
                                    std::span<std::int32_t> heads) {
  if (options.tree_class == TreeClass::kProjective) return fill_eisner(scores, options.single_root, heads);
  const auto fill = [&](const IncomingScores& chosen, auto& chart) {
    return options.root_arcs ? fill_published(chart, chosen, heads) : fill_crossing(chosen, heads);
  };
  if (!options.single_root) return fill(scores, published_);
  // A tree with one arc from 0 that is the best under some penalty is the best of its kind.
  penalise_root_arcs(scores, penalty, penalised_);
  if (!fill(penalised_, published_)) return false;
  if (root_arcs(heads) == 1) return true;
  // Doubles hold both a penalty that always suffices and the scores.
  penalise_root_arcs(scores, sufficient_penalty(scores), penalised_);
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
