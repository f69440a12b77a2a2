#include "decoders/tree_decoder.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "decoders/one_endpoint/best_rules.hpp"

namespace crossarc {
namespace {

std::ptrdiff_t count_root_arcs(std::span<const std::int32_t> heads) {
  return std::count(heads.begin(), heads.end(), 0);
}

// Where the best tree is asked for first, between what no tree exceeds, 0, and the best one that is known, 1.
constexpr double kFirstShare = 0.1;

}  // namespace

template <typename Score>
bool TreeDecoder<Score>::decode(const IncomingScores& scores, const DecodeOptions& options,
                                std::span<std::int32_t> heads) {
  fell_back_ = !fits_chart(options, scores.words(), ChartUse::kBest);
  if (fell_back_ && options.long_sentences == LongSentences::kProjective && !scores.has_crossed()) {
    if (!branching_.solve(scores, options.single_root, heads)) return false;
    fell_back_ = !conflicts_.accepts(heads, options.root_arcs);
    if (!fell_back_) return true;
  }
  return decode_within(scores, fitted(options, scores.words(), ChartUse::kBest), heads);
}

template <typename Score>
bool TreeDecoder<Score>::decode_at_once(const ScoreView<Score>& scores, const DecodeOptions& options,
                                        std::span<std::int32_t> heads, double& total) {
  knows_highest_ = false;
  fell_back_ = false;
  const bool searched = options.tree_class == TreeClass::kOneEndpointCrossing && options.pruned;
  if (!searched || scores.words == 0 || !fits_chart(options, scores.words, ChartUse::kBest)) return false;
  relaxed_.load_highest(scores);
  if (!relaxed_.usable() || !branching_.solve(relaxed_, options.single_root, heads)) return false;
  knows_highest_ = true;
  if (!conflicts_.accepts(heads, options.root_arcs)) return false;
  total = 0;
  for (std::int32_t word = 1; word <= scores.words; ++word) {
    const std::int32_t head = heads[word - 1];
    total += conflicts_.is_crossed(heads, word) ? scores.crossed_at(head, word) : scores.at(head, word);
  }
  return total >= relaxed_.sum(heads);
}

// The best tree of the class, however long the sentence.
template <typename Score>
bool TreeDecoder<Score>::decode_within(const IncomingScores& scores, const DecodeOptions& options,
                                       std::span<std::int32_t> heads) {
  if (scores.words() == 0) return true;
  if (options.tree_class == TreeClass::kSpanningTree) return branching_.solve(scores, options.single_root, heads);
  if (options.tree_class == TreeClass::kProjective) {
    return (options.pruned && best_heads_.make_projective_tree(scores, options.single_root, heads)) ||
           fill_eisner(scores, options.single_root, heads);
  }
  if (!options.pruned && !options.single_root) return fill_class_chart(chart_, scores, options, kForbidden, heads);
  // What no tree exceeds: where crossed arcs have scores of their own, each arc gets the higher of the two.
  const IncomingScores& bound = scores.has_crossed() ? relaxed_ : scores;
  const bool is_known = std::exchange(knows_highest_, false) && scores.has_crossed();
  if (!is_known) {
    if (scores.has_crossed()) relaxed_.load_highest(scores);
    if (!branching_.solve(bound, options.single_root, heads)) return false;
  }
  const double best = bound.sum(heads);
  if (!options.pruned) {
    const double reached = projective_score(scores, options, heads);
    return fill_single_root(scores, options, best, reached, kForbidden, heads);
  }
  if (!is_known && conflicts_.accepts(heads, options.root_arcs) &&
      (!scores.has_crossed() || loaded_score(scores, heads) >= best)) {
    return true;
  }
  const auto outcome = search_.run(scores, bound, branching_, options.single_root, options.root_arcs, heads);
  if (outcome == TreeSearch::Outcome::kFound) return true;
  if (outcome == TreeSearch::Outcome::kNoTree) return false;
  double reached = outcome == TreeSearch::Outcome::kTreeOnly ? score(scores, options.root_arcs, heads) : kForbidden;
  reached = std::max(reached, projective_score(scores, options, heads));
  return decode_by_chart(scores, bound, options, best, reached, heads);
}

// After the search has given up: the best spanning tree under the higher scores, `bound`, scores `best`, and some tree
// of the class scores `reached`, -inf if none is known. The more is asked for, the less is left of the chart; and the
// best tree is mostly near what no tree exceeds.
template <typename Score>
bool TreeDecoder<Score>::decode_by_chart(const IncomingScores& scores, const IncomingScores& bound,
                                         const DecodeOptions& options, double best, double reached,
                                         std::span<std::int32_t> heads) {
  branching_.solve(bound, options.single_root, heads);
  const double first_bound = search_.bound_costs(heads, uncrossed_costs_, crossed_costs_);
  if (reached > kForbidden && options.root_arcs) {
    const double least = search_.bound() - kFirstShare * (search_.bound() - reached);
    const std::size_t arcs = prune(scores, first_bound, reached);
    if (prune(scores, first_bound, least) < arcs / 2 && fill_pruned(options, best, reached, least, heads)) {
      const double found = score(scores, true, heads);
      if (found >= least) return true;
      reached = std::max(reached, found);
    }
  }
  prune(scores, first_bound, reached);
  return fill_pruned(options, best, reached, reached, heads);
}

// The best tree that scores `least` or more, of what is left after pruning; false or any tree if there is none.
template <typename Score>
bool TreeDecoder<Score>::fill_pruned(const DecodeOptions& options, double best, double reached, double least,
                                     std::span<std::int32_t> heads) {
  return options.single_root ? fill_single_root(pruned_, options, best, reached, least, heads)
                             : fill_class_chart(chart_, pruned_, options, least, heads);
}

template <typename Score>
double TreeDecoder<Score>::score(const IncomingScores& scores, bool root_arcs, std::span<const std::int32_t> heads) {
  if (!scores.has_crossed()) return scores.sum(heads);
  conflicts_.load(heads, root_arcs);
  return loaded_score(scores, heads);
}

// Of a tree that the conflicts were loaded with; crossed arcs have scores of their own.
template <typename Score>
double TreeDecoder<Score>::loaded_score(const IncomingScores& scores, std::span<const std::int32_t> heads) {
  double total = 0;
  for (std::int32_t word = 1; word <= scores.words(); ++word) {
    total += (conflicts_.is_crossed(heads, word) ? scores.crossed_row(word) : scores.row(word))[heads[word - 1]];
  }
  return total;
}

// The best projective tree is of every class. -inf if there is none.
template <typename Score>
double TreeDecoder<Score>::projective_score(const IncomingScores& scores, const DecodeOptions& options,
                                            std::span<std::int32_t> heads) {
  return fill_eisner(scores, options.single_root, heads) ? score(scores, options.root_arcs, heads) : kForbidden;
}

// Leaves out of the scores what cannot be in a tree that scores `least` or more, by what arcs cost below a bound; how
// many scores are left.
template <typename Score>
std::size_t TreeDecoder<Score>::prune(const IncomingScores& scores, double bound, double least) {
  pruned_ = scores;
  std::size_t left = 0;
  const double allowed =
      bound - least + 1e-9 * (1 + std::abs(bound));  // sums in another order differ in the last digits
  const auto leave_out = [&](const std::vector<double>& costs, double* values) {
    for (std::size_t arc = scores.width(); arc < costs.size(); ++arc) {
      if (costs[arc] > allowed) values[arc] = kForbidden;
      left += values[arc] != kForbidden;
    }
  };
  leave_out(uncrossed_costs_, pruned_.row(0));
  if (scores.has_crossed()) leave_out(crossed_costs_, pruned_.crossed_row(0));
  return left;
}

// A tree with one arc from 0 that is the best under some penalty for such arcs is the best of its kind. Under that of
// the branching no tree beats the spanning tree with one arc from 0, which scores `best`. Let a tree of the class with
// one score `reached`: if each arc from 0 loses more than best - reached in addition, a tree with two is behind it. So
// one chart will do, and the penalty is small enough for its precision.
template <typename Score>
bool TreeDecoder<Score>::fill_single_root(const IncomingScores& scores, const DecodeOptions& options, double best,
                                          double reached, double least, std::span<std::int32_t> heads) {
  if (reached > kForbidden) {
    const auto of_branching = branching_.root_penalty();
    const double bound = of_branching ? best : sum_of_best_heads(scores);
    const double against_rounding = 0.01 * std::abs(bound);
    const double penalty = of_branching.value_or(0) + 2 * (bound - reached) + against_rounding;
    penalise_root_arcs(scores, penalty, penalised_);
    if (fill_class_chart(chart_, penalised_, options, least - penalty, heads) && count_root_arcs(heads) == 1) {
      return true;
    }
    if (least > reached) return false;
  }
  // Doubles hold both a penalty that always suffices and the scores.
  penalise_root_arcs(scores, sufficient_penalty(scores), penalised_);
  BestChart<double> precise;
  return fill_class_chart(precise, penalised_, options, kForbidden, heads) && count_root_arcs(heads) == 1;
}

template <typename Score>
template <typename Precision>
bool TreeDecoder<Score>::fill_class_chart(BestChart<Precision>& chart, const IncomingScores& scores,
                                          const DecodeOptions& options, double least, std::span<std::int32_t> heads) {
  return options.root_arcs ? fill_best(chart, scores, least, heads) : fill_crossing(scores, false, heads);
}

template <typename Score>
bool TreeDecoder<Score>::fill_eisner(const IncomingScores& scores, bool single_root, std::span<std::int32_t> heads) {
  arc_values_.assign(scores.values().begin(), scores.values().end());
  if (eisner_.fill(scores.words(), single_root, arc_values_) == Best<Score>::zero()) return false;
  best_tree<Best<Score>>(eisner_, heads);
  return true;
}

template <typename Score>
bool TreeDecoder<Score>::fill_crossing(const IncomingScores& scores, bool root_arcs, std::span<std::int32_t> heads) {
  CrossingChart<Best<double>> chart(root_arcs);
  const double best = chart.fill(scores.words(), {scores.values().begin(), scores.values().end()});
  if (best == kForbidden) return false;
  best_tree<Best<double>>(chart, heads);
  return true;
}

template <typename Score>
template <typename Precision>
bool TreeDecoder<Score>::fill_best(BestChart<Precision>& chart, const IncomingScores& scores, double least,
                                   std::span<std::int32_t> heads) {
  if (!chart.fill(scores, least)) return false;
  best_tree<Best<Precision>>(chart, heads);
  return true;
}

template class TreeDecoder<float>;
template class TreeDecoder<double>;

}  // namespace crossarc
