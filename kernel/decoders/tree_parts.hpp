// All trees, part by part (Lawler 1972): a part is all trees that have some arcs and lack others. It is known by its
// best spanning tree, which costs O(n²), and by an upper bound of the scores of its trees that are of a class: every
// conflict (tree_class.hpp) costs at least what it costs to give up the cheapest of its arcs, and disjoint conflicts
// add up. A part is solved only when its bound, taken over from the part it was split from, is the best of all. Used to
// find the best tree of a class (tree_decoder.hpp) and the k best spanning trees (tree_sums.cpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "decoders/scores.hpp"
#include "decoders/spanning_tree.hpp"
#include "decoders/tree_class.hpp"

namespace crossarc {

// Keeps its memory from sentence to sentence.
class TreeParts {
 public:
  // Begins with all trees; false if there are none.
  bool start(const IncomingScores& scores, bool single_root, TreeClass tree_class, bool root_arcs) {
    scores_ = &scores;
    single_root_ = single_root;
    tree_class_ = tree_class;
    root_arcs_ = root_arcs;
    parts_.clear();
    queue_.clear();
    solved_ = 0;
    conflicts_at_start_ = 0;
    parts_.emplace_back();
    return solve(0);
  }

  // Takes out the part with the best bound, its best tree found; of equal ones the oldest. -1 if there is no more.
  std::int32_t pop() {
    while (!queue_.empty()) {
      std::pop_heap(queue_.begin(), queue_.end(), Worse{parts_});
      const std::int32_t part = queue_.back();
      queue_.pop_back();
      if (!parts_[part].heads.empty() || scores_->words() == 0) return part;
      solve(part);
    }
    return -1;
  }

  // Of a part taken out: its best spanning tree, and whether it is of the class.
  std::span<const std::int32_t> heads(std::int32_t part) const { return parts_[part].heads; }
  bool in_class(std::int32_t part) const { return parts_[part].in_class; }

  // Parts a part taken out by which of the arcs that conflict is the first that a tree lacks; if no class was asked
  // for, by all arcs, so that the one tree is left out.
  void split(std::int32_t index) {
    const std::vector<Choice> choices = std::move(parts_[index].choices);
    std::vector<std::int32_t> forced;
    for (const Choice& choice : choices) {
      Part child;
      child.parent = index;
      child.forbidden = choice.dependent;
      child.forced = forced;
      child.bound = parts_[index].bound + parts_[index].conflict_loss - choice.loss;
      forced.push_back(choice.dependent);
      if (child.bound == kForbidden) continue;  // the arc is forced
      parts_.push_back(std::move(child));
      push(static_cast<std::int32_t>(parts_.size()) - 1);
    }
  }

  bool empty() const { return queue_.empty(); }
  // How many disjoint conflicts the best tree of all has.
  std::int32_t conflicts_at_start() const { return conflicts_at_start_; }
  // How many spanning trees were found.
  std::int64_t solved() const { return solved_; }

 private:
  // An arc of a part's best tree that a tree of the class may have to lack, and what that costs at least.
  struct Choice {
    std::int32_t dependent;
    double loss;
  };
  struct Part {
    double bound = 0;
    std::int32_t parent = -1;
    std::int32_t forbidden = 0;        // the dependent of an arc of the parent's best tree that is lacked
    std::vector<std::int32_t> forced;  // of arcs of the parent's best tree that are kept
    // Once it is solved:
    std::vector<std::int32_t> heads;
    std::vector<Choice> choices;
    double conflict_loss = 0;  // the least loss of the choices, if they conflict
    bool in_class = true;
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

  // Finds the best tree of a part and puts it back with its bound; false if it has no tree.
  bool solve(std::int32_t index) {
    ++solved_;
    const IncomingScores* scores = scores_;
    if (parts_[index].parent >= 0) {
      restrict(index);
      scores = &restricted_;
    }
    Part& part = parts_[index];
    part.heads.resize(static_cast<std::size_t>(scores_->words()));
    if (!branching_.solve(*scores, single_root_, part.heads)) return false;
    bound(part, *scores);
    if (part.bound == kForbidden) return false;
    push(index);
    return true;
  }

  void restrict(std::int32_t index) {
    restricted_ = *scores_;
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

  void bound(Part& part, const IncomingScores& scores) {
    part.bound = scores_->sum(part.heads);
    const auto choice_of = [&](std::int32_t dependent) {
      return Choice{dependent, branching_.bound_loss_without(scores, dependent)};
    };
    // The costliest conflict is split first.
    conflicts_.for_each_conflict(part.heads, tree_class_, root_arcs_, [&](const Conflict& conflict) {
      std::vector<Choice> choices;
      double least = -kForbidden;
      for (int place = 0; place < conflict.size; ++place) {
        choices.push_back(choice_of(conflict.dependents[place]));
        least = std::min(least, choices.back().loss);
      }
      part.bound -= least;
      if (part.in_class || least > part.conflict_loss) {
        part.conflict_loss = least;
        part.choices = std::move(choices);
      }
      part.in_class = false;
      conflicts_at_start_ += part.parent < 0;
      return true;
    });
    if (tree_class_ != TreeClass::kSpanningTree) return;
    for (std::int32_t word = 1; word <= scores_->words(); ++word) part.choices.push_back(choice_of(word));
  }

  const IncomingScores* scores_ = nullptr;
  bool single_root_ = false;
  TreeClass tree_class_ = TreeClass::kSpanningTree;
  bool root_arcs_ = true;
  std::int64_t solved_ = 0;
  std::int32_t conflicts_at_start_ = 0;
  std::vector<Part> parts_;
  std::vector<std::int32_t> queue_;  // a heap
  IncomingScores restricted_;
  MaximumBranching branching_;
  ConflictFinder conflicts_;
};

}  // namespace crossarc
