// Spanning trees in the order of their scores, part by part (Lawler 1972): a part is all trees that have some arcs and
// lack others; it is known by its best tree, which costs O(n²). Used to find the best tree of a class
// (tree_decoder.hpp) and the k best spanning trees (k_best.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "decoders/scores.hpp"
#include "decoders/spanning_tree.hpp"

namespace crossarc {

// Keeps its memory from sentence to sentence.
class TreeParts {
  struct Part {
    double score = 0;
    std::int32_t parent = -1;
    std::int32_t forbidden = 0;        // the dependent of an arc of the parent's best tree that is lacked
    std::vector<std::int32_t> forced;  // of arcs of the parent's best tree that are kept
    std::vector<std::int32_t> heads;
  };

  // Whether a is taken out after b.
  auto worse() const {
    return [this](std::int32_t a, std::int32_t b) {
      return parts_[a].score < parts_[b].score || (parts_[a].score == parts_[b].score && a > b);
    };
  }

 public:
  // Begins with all trees; false if there are none.
  bool start(const IncomingScores& scores, bool single_root) {
    scores_ = &scores;
    single_root_ = single_root;
    parts_.clear();
    queue_.clear();
    solved_ = 0;
    return add(Part{});
  }

  bool empty() const { return queue_.empty(); }
  std::int64_t solved() const { return solved_; }

  // Takes out the part with the best tree; of equal ones the oldest.
  std::int32_t pop() {
    std::pop_heap(queue_.begin(), queue_.end(), worse());
    const std::int32_t part = queue_.back();
    queue_.pop_back();
    return part;
  }

  std::span<const std::int32_t> heads(std::int32_t part) const { return parts_[part].heads; }
  double score(std::int32_t part) const { return parts_[part].score; }

  // Parts a part by which of some arcs of its best tree, given by their dependents, is the first that a tree lacks.
  void split(std::int32_t part, std::span<const std::int32_t> dependents) {
    std::vector<std::int32_t> forced = forced_dependents(part);
    Part child;
    child.parent = part;
    for (const std::int32_t dependent : dependents) {
      if (std::find(forced.begin(), forced.end(), dependent) != forced.end()) continue;
      child.forbidden = dependent;
      add(child);
      child.forced.push_back(dependent);
    }
  }

 private:
  std::vector<std::int32_t> forced_dependents(std::int32_t part) const {
    std::vector<std::int32_t> forced;
    for (; part >= 0; part = parts_[part].parent) {
      forced.insert(forced.end(), parts_[part].forced.begin(), parts_[part].forced.end());
    }
    return forced;
  }

  // Adds a part if it has a tree.
  bool add(Part part) {
    ++solved_;
    restricted_ = *scores_;
    const Part* at = &part;
    while (at->parent >= 0) {
      const Part& parent = parts_[at->parent];
      restricted_.row(at->forbidden)[parent.heads[at->forbidden - 1]] = kForbidden;
      for (const std::int32_t dependent : at->forced) {
        double* row = restricted_.row(dependent);
        const std::int32_t head = parent.heads[dependent - 1];
        const double kept = row[head];
        std::fill_n(row, restricted_.width(), kForbidden);
        row[head] = kept;
      }
      at = &parent;
    }
    part.heads.resize(static_cast<std::size_t>(scores_->words()));
    if (!branching_.solve(restricted_, single_root_, part.heads)) return false;
    part.score = scores_->sum(part.heads);
    parts_.push_back(std::move(part));
    queue_.push_back(static_cast<std::int32_t>(parts_.size()) - 1);
    std::push_heap(queue_.begin(), queue_.end(), worse());
    return true;
  }

  const IncomingScores* scores_ = nullptr;
  bool single_root_ = false;
  std::int64_t solved_ = 0;
  std::vector<Part> parts_;
  std::vector<std::int32_t> queue_;
  IncomingScores restricted_;
  MaximumBranching branching_;
};

}  // namespace crossarc
