// The best 1-Endpoint-Crossing tree without a chart: best-first branching on arcs that conflict (as Lawler 1972).
//
// A part of all trees keeps some arcs and lacks others. Its best spanning tree is a bound of its trees of the class. If
// that tree is of the class, it is the part's answer; if not, a few of its arcs show it (tree_class.hpp), every tree of
// the class lacks one of them, and the part is split by the first that a tree lacks. Each conflict costs at least what
// its cheapest arc loses by being lacked (the dual solution of spanning_tree.hpp). Where conflicts share arcs, an arc
// pays for all of them together no more than it loses: a dual solution of hitting set.
//
// A part differs from the whole in the heads of a few words, so that its spanning tree is found again from the others'
// best heads: O(n) for each of those words and for each word in a cycle.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decoders/chart/derivation_forest.hpp"
#include "decoders/scores.hpp"
#include "decoders/spanning/spanning_tree.hpp"
#include "decoders/tree_class.hpp"

namespace crossarc {

// Keeps its memory from sentence to sentence.
class TreeSearch {
 public:
  // kTreeOnly: some good tree of the class, but not known to be the best.
  enum class Outcome : std::uint8_t { kFound, kNoTree, kTreeOnly, kGivenUp };

  // `branching` has just found the best spanning tree, which is in `heads`; the answer takes its place. Gives up after
  // so many parts.
  Outcome run(const IncomingScores& scores, MaximumBranching& branching, bool single_root, bool root_arcs,
              std::int64_t limit, std::span<std::int32_t> heads);

 private:
  using Index = std::int32_t;
  // Places in one of the arrays below.
  struct Range {
    Index begin = 0;
    Index end = 0;
  };
  enum class State : std::uint8_t { kNew, kSplittable, kTree };
  struct Part {
    double score = 0;  // none of its trees of the class is better
    Index parent = -1;
    TreeArc lacks{0, 0};  // beyond what its parent lacks; none if the dependent is 0
    Range kept;
    Range choices;    // if it can be split
    Index heads = 0;  // if its best tree is of the class
    State state = State::kNew;
  };
  // An arc that may have to be lacked, and the bound of trees that lack it.
  struct Choice {
    TreeArc arc;
    double score;
  };
  struct Worse {
    const std::vector<Part>& parts;
    bool operator()(Index a, Index b) const {
      return parts[a].score < parts[b].score || (parts[a].score == parts[b].score && a > b);
    }
  };

  bool evaluate(Index part, bool solved);
  void restrict(Index part);
  bool pay(const Conflict& conflict);
  void split(Index part);
  bool dive(Index part, std::span<std::int32_t> heads);
  void push(Index part);
  Index pop();
  std::span<double> row(Index dependent) { return {restricted_.row(dependent), restricted_.width()}; }

  const IncomingScores* scores_ = nullptr;
  MaximumBranching* branching_ = nullptr;
  bool single_root_ = false;
  bool root_arcs_ = true;
  std::vector<Part> parts_;
  std::vector<Index> queue_;  // a heap
  std::vector<TreeArc> kept_;
  std::vector<Choice> choices_;
  std::vector<std::int32_t> found_;  // heads of trees of the class
  IncomingScores restricted_;        // of the part at hand
  std::vector<Index> changed_;       // words whose scores are restricted
  std::vector<std::int32_t> heads_;  // of its best spanning tree
  ConflictFinder conflicts_;
  // Of the part at hand: its bound; for the words in conflicts, what they lose and have not paid yet; and the conflict
  // that costs most.
  double score_ = 0;
  std::vector<double> loss_, rest_;
  double costliest_ = 0;
  int paid_ = 0;  // how many conflicts
  Conflict costliest_conflict_;
};

}  // namespace crossarc
