// The best tree of a class for a score matrix, exactly (2013 TACL for 1-Endpoint-Crossing; Eisner 1996; Edmonds 1967),
// at the cost of a spanning tree where scores allow it:
//
// 1. The best spanning tree. If it is of the class, it is the answer. O(n²).
// 2. Branching on arcs that conflict (tree_search.hpp), as long as it promises to cost less than the chart.
// 3. The chart, over what can still be in the answer: the best projective tree is a lower bound, and an arc whose best
//    spanning tree is worse is left out.
//
// Eisner's chart is so cheap that for projective trees only the best heads of all words are tried before it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "decoders/chart/chart.hpp"
#include "decoders/one_endpoint/best_chart.hpp"
#include "decoders/one_endpoint/crossing_chart.hpp"
#include "decoders/one_endpoint/tree_search.hpp"
#include "decoders/options.hpp"
#include "decoders/projective/eisner_chart.hpp"
#include "decoders/scores.hpp"
#include "decoders/spanning/spanning_tree.hpp"
#include "structure/tree_order.hpp"

namespace crossarc {

// The best head of every word. If they happen to make a projective tree, it is the best one. O(n²). A trained model's
// best heads mostly are a tree, and next to Eisner's chart even a spanning tree has its cost. Keeps its memory from
// sentence to sentence.
class BestHeads {
 public:
  // True if they make a projective tree, with exactly one child of 0 if single_root.
  bool make_projective_tree(const IncomingScores& scores, bool single_root, std::span<std::int32_t> heads) {
    for (std::int32_t word = 1; word <= scores.words(); ++word) {
      heads[word - 1] = first_of_the_largest(scores.row(word), 0, scores.words() + 1);
      if (scores.at(heads[word - 1], word) == kForbidden) return false;
    }
    if (single_root && std::count(heads.begin(), heads.end(), 0) != 1) return false;
    return order_.build(heads) && order_.measure_extents(heads);
  }

 private:
  TreeOrder order_;
};

// Keeps its memory from sentence to sentence. Score is the precision of the charts.
template <typename Score>
class TreeDecoder {
 public:
  // False if no tree of the class has allowed arcs only.
  bool decode(const IncomingScores& scores, const DecodeOptions& options, std::span<std::int32_t> heads);
  // The same where crossed arcs have scores of their own, and its score, if the best spanning tree under the higher
  // scores is the answer: then nothing else has to be loaded. False if it is not; `decode` with the same options and
  // heads comes next, and goes on from there.
  bool decode_at_once(const ScoreView<Score>& scores, const DecodeOptions& options, std::span<std::int32_t> heads,
                      double& total);
  // Of a tree, as IncomingScores::sum has it, in less time.
  double score(const IncomingScores& scores, bool root_arcs, std::span<const std::int32_t> heads);
  // Whether the last sentence was too long for the chart of its class and got a tree of another.
  bool fell_back() const { return fell_back_; }

 private:
  bool decode_within(const IncomingScores& scores, const DecodeOptions& options, std::span<std::int32_t> heads);
  bool decode_by_chart(const IncomingScores& scores, const IncomingScores& bound, const DecodeOptions& options,
                       double best, double reached, std::span<std::int32_t> heads);
  double loaded_score(const IncomingScores& scores, std::span<const std::int32_t> heads);
  double projective_score(const IncomingScores& scores, const DecodeOptions& options, std::span<std::int32_t> heads);
  std::size_t prune(const IncomingScores& scores, double bound, double least);
  bool fill_pruned(const DecodeOptions& options, double best, double reached, double least,
                   std::span<std::int32_t> heads);
  bool fill_single_root(const IncomingScores& scores, const DecodeOptions& options, double best, double reached,
                        double least, std::span<std::int32_t> heads);
  template <typename Precision>
  bool fill_class_chart(BestChart<Precision>& chart, const IncomingScores& scores, const DecodeOptions& options,
                        double least, std::span<std::int32_t> heads);
  bool fill_eisner(const IncomingScores& scores, bool single_root, std::span<std::int32_t> heads);
  bool fill_crossing(const IncomingScores& scores, bool root_arcs, std::span<std::int32_t> heads);
  template <typename Precision>
  bool fill_best(BestChart<Precision>& chart, const IncomingScores& scores, double least,
                 std::span<std::int32_t> heads);

  MaximumBranching branching_;
  ConflictFinder conflicts_;
  BestHeads best_heads_;
  TreeSearch search_;
  EisnerChart<Best<Score>> eisner_;
  std::vector<Score> arc_values_;
  BestChart<Score> chart_;
  IncomingScores relaxed_;
  IncomingScores pruned_;
  IncomingScores penalised_;
  std::vector<double> uncrossed_costs_, crossed_costs_;  // of arcs, by dependent
  bool fell_back_ = false;
  bool knows_highest_ = false;  // whether `decode_at_once` has just found the best spanning tree under higher scores
};

// Everything about the trees of a class together: how many there are, the sum of exp(score) over all of them, the
// probability of each arc, random trees, and the k best (one chart, many algebras; for unrestricted trees the
// matrix-tree theorem). O(n³) for projective and unrestricted trees, O(n⁴) for 1-Endpoint-Crossing ones.

// The logarithm of the sum over all trees of exp(score), -inf if there is none; and, if asked for, the probability of
// every arc, by dependent: with scores of crossed arcs, those of uncrossed and then of crossed ones.
double sum_trees(const IncomingScores& scores, const DecodeOptions& options, std::vector<double>* probabilities);

// Trees drawn independently with probability proportional to exp(score): the heads of all words, tree after tree. Empty
// if there is no tree.
std::vector<std::int32_t> sample_trees(const IncomingScores& scores, const DecodeOptions& options, std::size_t count,
                                       std::uint64_t seed);

// The best trees, best first, at most k: their heads, tree after tree, and their scores. 1-Endpoint-Crossing ones are
// looked for without a chart first (TreeSearch::rank), as long as that promises to cost less.
struct RankedTrees {
  std::vector<std::int32_t> heads;
  std::vector<double> scores;
  bool fell_back = false;  // the sentence was too long for the chart of its class: fewer trees, or those of another
};
RankedTrees find_k_best(const IncomingScores& scores, const DecodeOptions& options, std::size_t k);

// The number of trees with allowed arcs only, modulo a prime below 2^31.
std::uint64_t count_trees(const IncomingScores& scores, const DecodeOptions& options, std::uint64_t prime);

}  // namespace crossarc
