// The spanning trees in the order of their scores, part by part (Lawler 1972): a part is all trees that have some arcs
// and lack others. It is known by its best tree, which costs O(n²), and is solved only when its bound, taken over from
// the part it was split from, is the best of all.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "decoders/scores.hpp"
#include "decoders/spanning/spanning_tree.hpp"

namespace crossarc {

class TreeParts {
 public:
  TreeParts(const IncomingScores& scores, bool single_root) : scores_(scores), single_root_(single_root) {
    parts_.emplace_back();
    solve(0);
  }

  // Takes out the part with the best bound, its best tree found; of equal ones the oldest. -1 if there is no more.
  std::int32_t pop() {
    while (!queue_.empty()) {
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
    std::vector<std::int32_t> forced;
    for (std::int32_t word = 1; word <= scores_.words(); ++word) {
      Part child{.bound = parts_[index].bound - losses[word - 1], .parent = index, .forbidden = word, .forced = forced};
      forced.push_back(word);
      if (child.bound == kForbidden) continue;  // the arc is forced
      parts_.push_back(std::move(child));
      push(static_cast<std::int32_t>(parts_.size()) - 1);
    }
  }

 private:
  struct Part {
    double bound = 0;
    std::int32_t parent = -1;
    std::int32_t forbidden = 0;        // the dependent of an arc of the parent's best tree that is lacked
    std::vector<std::int32_t> forced;  // of arcs of the parent's best tree that are kept
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
      for (const std::int32_t dependent : at->forced) {
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
