// The maximum spanning tree (maximum branching) of a dense score matrix, by Chu & Liu (1965) and Edmonds (1967), as a
// path that grows against the arcs (Gabow et al. 1986): each word takes its best head; where that closes a cycle, the
// cycle becomes one word. A contraction costs O(n) for each member and there are fewer than n of them: O(n²) in all.
//
// Exactly one child of 0: if all arcs from 0 lose the same amount, the best tree with one of them stays the best of its
// kind, so a penalty under which the best tree has only one gives the answer. Mostly a small one will do. If not,
// compare scores by (fewer arcs from 0, higher score). No cycle contains an arc from 0, so contractions subtract no arc
// from 0, and the comparison comes down to taking an arc from 0 only where there is no other: O(n²) as well.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decoders/scores.hpp"

namespace crossarc {

// Keeps its memory from sentence to sentence.
class MaximumBranching {
 public:
  // False if there is no spanning tree (with exactly one child of 0, if single_root). Of equal heads the first is
  // taken.
  bool solve(const IncomingScores& scores, bool single_root, std::span<std::int32_t> heads);

  // The same for scores of which only some words' have changed, whose best heads are looked for again. O(n) for each of
  // them and for each word in a cycle.
  bool solve_again(const IncomingScores& scores, bool single_root, std::span<const std::int32_t> changed,
                   std::span<std::int32_t> heads);

  // After solve with single_root: what arcs from 0 had to lose.
  double root_penalty() const { return usual_penalty_; }

  // After solve: for each arc how much the best spanning tree that has it falls short of the best, at least (the
  // reduced costs of the dual solution). By dependent, as in IncomingScores; infinite where the arc is forbidden.
  // O(n²).
  void bound_losses(const IncomingScores& scores, std::vector<double>& losses);

  // After solve: how much every tree in which the word has another head falls short of the best, at least. Such bounds
  // of different words add up. O(n).
  double bound_loss_without(const IncomingScores& scores, std::int32_t dependent);

 private:
  struct Node {
    double best = 0;             // the score of the arc it took, what lies below subtracted
    std::int32_t head = 0;       // that arc
    std::int32_t dependent = 0;  // a word inside the node
    std::int32_t parent = -1;    // the node it was contracted into
    std::int32_t row = 0;
    bool on_path = false;
    bool done = false;
  };

  bool grow(bool avoid_root);
  bool grow_single_root();
  bool take_best_head(std::int32_t node);
  const double* row(std::int32_t node) const;
  double root_value(std::int32_t node) const;
  std::int32_t contract(std::size_t first_on_path);
  void expand(std::span<std::int32_t> heads);
  template <typename Use>
  void for_each_loss(const IncomingScores& scores, std::int32_t dependent, Use&& use);

  const IncomingScores* scores_ = nullptr;
  std::int32_t words_ = 0;
  std::size_t width_ = 0;
  bool avoid_root_ = false;
  double penalty_ = 0;        // of arcs from 0
  double usual_penalty_ = 0;  // the last one that was needed, to begin with when solving again
  std::int32_t root_arcs_ = 0;
  std::vector<Node> nodes_;
  std::vector<std::int32_t> best_words_;  // the best head of each word, 0 aside; -1: not known
  std::vector<std::int32_t> top_;         // of each word, the node that contains it now
  std::vector<std::int32_t> path_;
  std::vector<std::int32_t> depth_;       // of nodes around the word at hand, from 1 on; 0: not around it
  std::vector<double> taken_;             // what those up to a depth took
  std::vector<double> values_;            // one row for each node that words were contracted into
  std::vector<std::int32_t> dependents_;  // the word inside the node that each value belongs to
};

}  // namespace crossarc
