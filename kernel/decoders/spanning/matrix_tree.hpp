// Sums over all spanning trees: the matrix-tree theorem (Tutte 1984; Koo et al. 2007, Smith & Smith 2007, McDonald &
// Satta 2007) by eliminating one word after the other. A word k with incoming weights w(h, k) of sum a is taken out of
// the graph by adding w(h, k) w(k, d) / a to every w(h, d); the sum over all trees is the product of the a. Unlike a
// determinant it needs no subtraction, so nothing cancels, and it works on logarithms, so nothing overflows. O(n³)
// time, O(n²) memory.
//
// With exactly one child of 0, arcs from 0 are left out of every a but the last. (Give them a factor t: the sum over
// trees is a polynomial in t, and this is its coefficient of t.)
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decoders/chart/chart.hpp"
#include "decoders/scores.hpp"

namespace crossarc {

// Keeps its memory from sentence to sentence.
class MatrixTree {
 public:
  // The logarithm of the sum over all trees of exp(score); -inf if there is none.
  double log_partition(const IncomingScores& scores, bool single_root);

  // After log_partition of these scores: the probability of every arc, by dependent, as in IncomingScores. O(n³): the
  // elimination run backwards. Elimination adds to weights, so that the derivative of the logarithm of the sum by a
  // weight is the same before and after a step in which its two words stay; and the weights of a word stay as they are
  // once it is out. So both fit in one matrix each, whatever the number of steps.
  void marginals(const IncomingScores& scores, std::vector<double>& probabilities) const;

 private:
  struct Step {
    std::int32_t word = 0;
    double sum = 0;  // the logarithm of a
  };

  double incoming_sum(std::int32_t word) const;
  bool eliminate_next();
  // In the step in which one of the two words is eliminated.
  double log_weight(std::int32_t head, std::int32_t dependent) const { return weights_[dependent * width_ + head]; }

  bool single_root_ = false;
  std::size_t width_ = 1;
  std::vector<std::int32_t> remaining_;  // words not yet eliminated
  std::vector<double> weights_;          // logarithms, by dependent
  std::vector<Step> steps_;
};

// The number of spanning trees modulo a prime, as a determinant of whole numbers. O(n³).
std::uint64_t count_spanning_trees(const IncomingScores& scores, bool single_root, std::uint64_t prime);

}  // namespace crossarc
