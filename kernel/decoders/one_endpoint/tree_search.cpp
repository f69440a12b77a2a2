#include "decoders/one_endpoint/tree_search.hpp"

#include <algorithm>

#include "core/threads.hpp"

namespace crossarc {
namespace {

// Every conflict multiplies the number of parts; with more of them the search is hopeless.
constexpr int kMostConflicts = 16;

}  // namespace

TreeSearch::Outcome TreeSearch::run(const IncomingScores& scores, MaximumBranching& branching, bool single_root,
                                    bool root_arcs, std::int64_t limit, std::span<std::int32_t> heads) {
  scores_ = &scores;
  branching_ = &branching;
  single_root_ = single_root;
  root_arcs_ = root_arcs;
  restricted_ = scores;
  heads_.assign(heads.begin(), heads.end());
  loss_.assign(scores.width(), -1);
  rest_.resize(scores.width());
  changed_.clear();
  parts_.assign(1, Part{});
  queue_.clear();
  kept_.clear();
  choices_.clear();
  found_.clear();
  evaluate(0, true);
  if (paid_ > kMostConflicts) return Outcome::kGivenUp;
  push(0);
  std::int64_t evaluated = 1;
  while (!queue_.empty()) {
    check_interruption();
    const Index part = pop();
    if (parts_[part].state == State::kTree) {
      std::copy_n(found_.begin() + parts_[part].heads, heads.size(), heads.begin());
      return Outcome::kFound;
    }
    if (parts_[part].state == State::kNew) {
      if (++evaluated > limit) return dive(part, heads) ? Outcome::kTreeOnly : Outcome::kGivenUp;
      if (evaluate(part, false)) push(part);
    } else {
      split(part);
    }
  }
  return Outcome::kNoTree;
}

// Bounds a part by its best spanning tree, if that is not known yet, and its conflicts; false if it has no tree.
bool TreeSearch::evaluate(Index part, bool solved) {
  if (!solved) {
    const auto restored = static_cast<std::ptrdiff_t>(changed_.size());
    restrict(part);
    const bool has_tree = branching_->solve_again(restricted_, single_root_, changed_, heads_);
    changed_.erase(changed_.begin(), changed_.begin() + restored);
    if (!has_tree) return false;
  }
  score_ = scores_->sum(heads_);
  costliest_ = -1;
  paid_ = 0;
  conflicts_.load(heads_, root_arcs_);
  conflicts_.for_each_conflict(heads_, [&](const Conflict& conflict) { return pay(conflict); });
  Part& own = parts_[part];
  if (costliest_ < 0) {
    own.state = State::kTree;
    own.heads = static_cast<Index>(found_.size());
    own.score = score_;
    found_.insert(found_.end(), heads_.begin(), heads_.end());
    return true;
  }
  own.state = State::kSplittable;
  own.score = score_;
  own.choices.begin = static_cast<Index>(choices_.size());
  for (int place = 0; place < costliest_conflict_.size; ++place) {
    const Index dependent = costliest_conflict_.dependents[place];
    choices_.push_back({{heads_[dependent - 1], dependent}, score_ - rest_[dependent]});
  }
  own.choices.end = static_cast<Index>(choices_.size());
  std::fill(loss_.begin(), loss_.end(), -1);
  return score_ > kForbidden;
}

// Scores in which a part's trees are all trees.
void TreeSearch::restrict(Index part) {
  for (const Index dependent : changed_) {
    std::copy_n(scores_->row(dependent), scores_->width(), restricted_.row(dependent));
  }
  for (Index at = part; at >= 0; at = parts_[at].parent) {
    if (parts_[at].lacks.dependent > 0) {
      row(parts_[at].lacks.dependent)[parts_[at].lacks.head] = kForbidden;
      changed_.push_back(parts_[at].lacks.dependent);
    }
    for (Index place = parts_[at].kept.begin; place < parts_[at].kept.end; ++place) {
      const auto [head, dependent] = kept_[place];
      const double score = scores_->at(head, dependent);
      std::ranges::fill(row(dependent), kForbidden);
      row(dependent)[head] = score;
      changed_.push_back(dependent);
    }
  }
}

// Lets the arcs of a conflict pay for it; false if none of them can be lacked, so that there is no tree.
bool TreeSearch::pay(const Conflict& conflict) {
  const std::span<const Index> dependents(conflict.dependents.data(), static_cast<std::size_t>(conflict.size));
  double least = -kForbidden;
  double payment = -kForbidden;
  for (const Index dependent : dependents) {
    if (loss_[dependent] < 0) {
      loss_[dependent] = rest_[dependent] = branching_->bound_loss_without(restricted_, dependent);
    }
    least = std::min(least, loss_[dependent]);
    payment = std::min(payment, rest_[dependent]);
  }
  score_ -= payment;
  ++paid_;
  if (least > costliest_) {
    costliest_ = least;
    costliest_conflict_ = conflict;
  }
  if (payment == -kForbidden) return false;
  for (const Index dependent : dependents) {
    rest_[dependent] -= payment;
    if (rest_[dependent] <= 0) conflicts_.exclude(dependent);
  }
  return true;
}

// One part for each choice, which lacks it and keeps those before.
void TreeSearch::split(Index index) {
  const Range choices = parts_[index].choices;
  const auto kept_begin = static_cast<Index>(kept_.size());
  for (Index place = choices.begin; place < choices.end; ++place) {
    if (choices_[place].score > kForbidden) {
      Part child;
      child.score = choices_[place].score;
      child.parent = index;
      child.lacks = choices_[place].arc;
      child.kept = {kept_begin, static_cast<Index>(kept_.size())};
      parts_.push_back(child);
      push(static_cast<Index>(parts_.size()) - 1);
    }
    kept_.push_back(choices_[place].arc);
  }
}

// Some good tree of the class within a part: always the best part of the last that was split.
bool TreeSearch::dive(Index part, std::span<std::int32_t> heads) {
  std::vector<Index> open{part};
  for (std::size_t tries = 10 + 2 * heads.size(); tries > 0 && !open.empty(); --tries) {
    const Index last = open.back();
    open.pop_back();
    if (parts_[last].state == State::kNew && !evaluate(last, false)) continue;
    if (parts_[last].state == State::kTree) {
      std::copy_n(found_.begin() + parts_[last].heads, heads.size(), heads.begin());
      return true;
    }
    const auto first = static_cast<Index>(parts_.size());
    const std::size_t before = open.size();
    split(last);
    for (Index child = first; child < static_cast<Index>(parts_.size()); ++child) open.push_back(child);
    std::sort(open.begin() + static_cast<std::ptrdiff_t>(before), open.end(), Worse{parts_});
  }
  return false;
}

void TreeSearch::push(Index part) {
  queue_.push_back(part);
  std::push_heap(queue_.begin(), queue_.end(), Worse{parts_});
}

TreeSearch::Index TreeSearch::pop() {
  std::pop_heap(queue_.begin(), queue_.end(), Worse{parts_});
  const Index part = queue_.back();
  queue_.pop_back();
  return part;
}

}  // namespace crossarc
