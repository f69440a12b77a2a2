// The maximum spanning tree (maximum branching) of a dense score matrix, by Chu & Liu (1965) and Edmonds (1967), as a
// path that grows against the arcs (Gabow et al. 1986): each word takes its best head; where that closes a cycle, the
// cycle becomes one word. A contraction costs O(n) for each member and there are fewer than n of them: O(n²) in all.
//
// Exactly one child of 0: if all arcs from 0 lose the same amount, the best tree with one of them stays the best of its
// kind, so a penalty under which the best tree has only one gives the answer. Mostly a small one will do. If not,
// compare scores by (fewer arcs from 0, higher score). No cycle contains an arc from 0, so contractions subtract no arc
// from 0, and the comparison comes down to taking an arc from 0 only where there is no other: O(n²) as well.
//
// TreeParts gives the next best trees after it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/threads.hpp"
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

  // After solve with single_root: a penalty of arcs from 0 under which no tree is better than that found; none if it
  // was found without.
  std::optional<double> root_penalty() const { return avoid_root_ ? std::nullopt : std::optional(penalty_); }

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
  void merge_row(std::int32_t node, double* __restrict values, std::int64_t* __restrict dependents);
  void expand(std::span<std::int32_t> heads);
  void enter(std::int32_t dependent);
  void leave(std::int32_t dependent);
  double loss(std::int32_t head, double score) const;

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
  std::vector<std::int64_t> dependents_;  // the word inside the node that each value belongs to; as wide as these
};

// The spanning trees in the order of their scores, part by part (Lawler 1972): a part is all trees that have some arcs
// and lack others. It is known by its best tree, which costs O(n²), and is solved only when its bound, taken over from
// the part it was split from, is the best of all.
class TreeParts {
 public:
  TreeParts(const IncomingScores& scores, bool single_root) : scores_(scores), single_root_(single_root) {
    parts_.emplace_back();
    solve(0);
  }

  // Takes out the part with the best bound, its best tree found; of equal ones the oldest. -1 if there is no more.
  std::int32_t pop() {
    while (!queue_.empty()) {
      check_interruption(64 + scores_.words() * scores_.words() / 1024);
      std::pop_heap(queue_.begin(), queue_.end(), Worse{parts_});
      const std::int32_t part = queue_.back();
      queue_.pop_back();
      if (!parts_[part].heads.empty() || scores_.words() == 0) return part;
      solve(part);
    }
    return -1;
  }

  // Of a part taken out.
  std::span<const std::int32_t> heads(std::int32_t part) const { return parts_[part].heads; }

  // Parts a part taken out by which of the arcs of its best tree is the first that a tree lacks.
  void split(std::int32_t index) {
    const std::vector<double> losses = std::move(parts_[index].losses);
    for (std::int32_t word = 1; word <= scores_.words(); ++word) {
      Part child;
      child.bound = parts_[index].bound - losses[word - 1];
      child.parent = index;
      child.forbidden = word;
      if (child.bound == kForbidden) continue;  // the arc is kept
      parts_.push_back(std::move(child));
      push(static_cast<std::int32_t>(parts_.size()) - 1);
    }
  }

 private:
  struct Part {
    double bound = 0;
    std::int32_t parent = -1;
    // The dependent of an arc of the parent's best tree that is lacked; the arcs of all words before it are kept.
    std::int32_t forbidden = 0;
    // Once it is solved:
    std::vector<std::int32_t> heads;
    std::vector<double> losses;  // by lacking the arc into each word, at least
  };
  struct Worse {
    const std::vector<Part>& parts;
    bool operator()(std::int32_t a, std::int32_t b) const {
      return parts[a].bound < parts[b].bound || (parts[a].bound == parts[b].bound && a > b);
    }
  };

  void push(std::int32_t part) {
    queue_.push_back(part);
    std::push_heap(queue_.begin(), queue_.end(), Worse{parts_});
  }

  // Finds the best tree of a part and puts it back with its score, if there is one.
  void solve(std::int32_t index) {
    const bool whole = parts_[index].parent < 0;
    if (!whole) restrict(index);
    const IncomingScores& scores = whole ? scores_ : restricted_;
    Part& part = parts_[index];
    part.heads.resize(static_cast<std::size_t>(scores_.words()));
    if (!branching_.solve(scores, single_root_, part.heads)) return;
    part.bound = scores_.sum(part.heads);
    for (std::int32_t word = 1; word <= scores_.words(); ++word) {
      part.losses.push_back(branching_.bound_loss_without(scores, word));
    }
    push(index);
  }

  void restrict(std::int32_t index) {
    restricted_ = scores_;
    for (const Part* at = &parts_[index]; at->parent >= 0; at = &parts_[at->parent]) {
      const Part& parent = parts_[at->parent];
      restricted_.row(at->forbidden)[parent.heads[at->forbidden - 1]] = kForbidden;
      for (std::int32_t dependent = 1; dependent < at->forbidden; ++dependent) {
        double* row = restricted_.row(dependent);
        const std::int32_t head = parent.heads[dependent - 1];
        const double kept = row[head];
        std::fill_n(row, restricted_.width(), kForbidden);
        row[head] = kept;
      }
    }
  }

  const IncomingScores& scores_;
  bool single_root_;
  std::vector<Part> parts_;
  std::vector<std::int32_t> queue_;  // a heap
  IncomingScores restricted_;
  MaximumBranching branching_;
};

}  // namespace crossarc
