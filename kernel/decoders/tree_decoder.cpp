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
  if (!options.pruned && !options.single_root) return fill_class_chart(chart_, scores, options, heads);
  // What no tree exceeds: where crossed arcs have scores of their own, each arc gets the higher of the two.
  if (scores.has_crossed()) relaxed_.load_highest(scores);
  const IncomingScores& bound = scores.has_crossed() ? relaxed_ : scores;
  if (!branching_.solve(bound, options.single_root, heads)) return false;
  const double best = bound.sum(heads);
  if (!options.pruned) {
    return fill_single_root(scores, options, best, projective_score(scores, options, heads), heads);
  }
  if (conflicts_.accepts(heads, options.root_arcs) && (!scores.has_crossed() || reaches(scores, heads, best))) {
    return true;
  }
  const auto outcome = search_.run(scores, bound, branching_, options.single_root, options.root_arcs, heads);
  if (outcome == TreeSearch::Outcome::kFound) return true;
  if (outcome == TreeSearch::Outcome::kNoTree) return false;
  double reached = outcome == TreeSearch::Outcome::kTreeOnly ? scores.sum(heads, options.root_arcs) : kForbidden;
  reached = std::max(reached, projective_score(scores, options, heads));
  branching_.solve(bound, options.single_root, heads);
  prune(scores, bound, best, reached);
  return options.single_root ? fill_single_root(pruned_, options, best, reached, heads)
                             : fill_class_chart(chart_, pruned_, options, heads);
}

// Whether a tree that the conflicts have just accepted scores so much; crossed arcs have scores of their own.
template <typename Score>
bool TreeDecoder<Score>::reaches(const IncomingScores& scores, std::span<const std::int32_t> heads, double least) {
  crossed_.assign(heads.size() + 1, 0);
  conflicts_.for_each_crossing(heads,
                               [&](std::int32_t word, std::int32_t other) { crossed_[word] = crossed_[other] = 1; });
  double total = 0;
  for (std::int32_t word = 1; word <= scores.words(); ++word) {
    total += (crossed_[word] ? scores.crossed_row(word) : scores.row(word))[heads[word - 1]];
  }
  return total >= least;
}

// The best projective tree is of every class. -inf if there is none.
template <typename Score>
double TreeDecoder<Score>::projective_score(const IncomingScores& scores, const DecodeOptions& options,
                                            std::span<std::int32_t> heads) {
  return fill_eisner(scores, options.single_root, heads) ? scores.sum(heads, options.root_arcs) : kForbidden;
}

// Leaves out of the scores what cannot be in the answer, which scores as much as `reached` or more. The branching has
// just found the best spanning tree under scores that are nowhere lower, which scores `best`.
template <typename Score>
void TreeDecoder<Score>::prune(const IncomingScores& scores, const IncomingScores& bound, double best, double reached) {
  pruned_ = scores;
  branching_.bound_losses(bound, losses_);
  const double margin = 1e-9 * (1 + std::abs(best));  // sums in another order differ in the last digits
  const double allowed = best - reached + margin;
  for (std::int32_t word = 1; word <= scores.words(); ++word) {
    for (double* row : {pruned_.row(word), pruned_.crossed_row(word)}) {
      for (std::int32_t head = 0; head <= scores.words(); ++head) {
        const double lower = row[head] == kForbidden ? 0 : bound.row(word)[head] - row[head];
        if (losses_[word * scores.width() + head] + lower > allowed) row[head] = kForbidden;
      }
    }
  }
}

// A tree with one arc from 0 that is the best under some penalty for such arcs is the best of its kind. Under that of
// the branching no tree beats the spanning tree with one arc from 0, which scores `best`. Let a tree of the class with
// one score `reached`: if each arc from 0 loses more than best - reached in addition, a tree with two is behind it. So
// one chart will do, and the penalty is small enough for its precision.
template <typename Score>
bool TreeDecoder<Score>::fill_single_root(const IncomingScores& scores, const DecodeOptions& options, double best,
                                          double reached, std::span<std::int32_t> heads) {
  if (reached > kForbidden) {
    const auto least = branching_.root_penalty();
    const double bound = least ? best : sum_of_best_heads(scores);
    const double against_rounding = 0.01 * std::abs(bound);
    penalise_root_arcs(scores, least.value_or(0) + 2 * (bound - reached) + against_rounding, penalised_);
    if (fill_class_chart(chart_, penalised_, options, heads) && count_root_arcs(heads) == 1) return true;
  }
  // Doubles hold both a penalty that always suffices and the scores.
  penalise_root_arcs(scores, sufficient_penalty(scores), penalised_);
  BestChart<double> precise;
  return fill_class_chart(precise, penalised_, options, heads) && count_root_arcs(heads) == 1;
}

template <typename Score>
template <typename Precision>
bool TreeDecoder<Score>::fill_class_chart(BestChart<Precision>& chart, const IncomingScores& scores,
                                          const DecodeOptions& options, std::span<std::int32_t> heads) {
  return options.root_arcs ? fill_best(chart, scores, heads) : fill_crossing(scores, false, heads);
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
bool TreeDecoder<Score>::fill_best(BestChart<Precision>& chart, const IncomingScores& scores,
                                   std::span<std::int32_t> heads) {
  if (chart.fill(scores) == Best<Precision>::zero()) return false;
  best_tree<Best<Precision>>(chart, heads);
  return true;
}

template class TreeDecoder<float>;
template class TreeDecoder<double>;

}  // namespace crossarc
