#include "decoders/one_endpoint/tree_search.hpp"

#include <algorithm>
#include <cmath>

#include "core/threads.hpp"

namespace crossarc {
namespace {

// Every conflict multiplies the number of parts; with more of them the search is hopeless.
constexpr int kMostConflicts = 16;

// How many parts cost about as much as the chart: a part costs O(n) and the chart O(n⁴).
double chart_parts(std::int32_t words) { return std::pow(words, 3) / 80; }

// After so many parts the search asks itself for the first time whether to go on. In vain, it has cost about a tenth of
// the chart: O(n²) parts, since where it is in vain, a part costs O(n) for each of many words.
std::int64_t first_check(std::int32_t words) { return 8 + static_cast<std::int64_t>(std::pow(words, 2) / 24); }

// Will the search end before it costs half as much as the chart? The bound falls about with the logarithm of the number
// of parts, and the best tree is about halfway between the first bound and the tree that is known.
bool is_promising(std::int64_t evaluated, double fallen, double to_known, std::int32_t words) {
  const auto parts = static_cast<double>(evaluated);
  return parts < chart_parts(words) / 2 && std::log(parts) * to_known / 2 <= std::log(chart_parts(words)) * fallen;
}

}  // namespace

TreeSearch::Outcome TreeSearch::run(const IncomingScores& scores, MaximumBranching& branching, bool single_root,
                                    bool root_arcs, std::span<std::int32_t> heads) {
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
  const double top = parts_[0].score;
  double reached = kForbidden;
  std::int64_t next_check = first_check(scores.words());
  for (std::int64_t evaluated = 1; !queue_.empty();) {
    check_interruption();
    const Index part = pop();
    if (parts_[part].state == State::kTree) {
      std::copy_n(found_.begin() + parts_[part].heads, heads.size(), heads.begin());
      return Outcome::kFound;
    }
    if (evaluated >= next_check) {
      if (reached == kForbidden && dive(part, heads)) reached = scores.sum(heads);
      if (reached == kForbidden) return Outcome::kGivenUp;
      const double fallen = top - parts_[part].score;
      if (!is_promising(evaluated, fallen, top - reached, scores.words())) return Outcome::kTreeOnly;
      next_check = 5 * evaluated / 4;
    }
    if (parts_[part].state == State::kNew) {
      ++evaluated;
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
  std::ranges::sort(costliest_conflict_, {}, [&](Index dependent) { return loss_[dependent]; });
  for (const Index dependent : costliest_conflict_) {
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
  double least = -kForbidden;
  double payment = -kForbidden;
  for (const Index dependent : conflict) {
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
  for (const Index dependent : conflict) {
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

// Some good tree of the class within a part: always the best part of the last that was split. The search goes on as if
// nothing had been.
bool TreeSearch::dive(Index part, std::span<std::int32_t> heads) {
  const std::vector<Index> queue = queue_;
  const std::array sizes{parts_.size(), kept_.size(), choices_.size(), found_.size()};
  parts_.push_back(Part(parts_[part]));
  std::vector<Index> open{static_cast<Index>(parts_.size()) - 1};
  bool found = false;
  for (std::size_t tries = 10 + heads.size(); tries > 0 && !found && !open.empty(); --tries) {
    const Index last = open.back();
    open.pop_back();
    if (parts_[last].state == State::kNew && !evaluate(last, false)) continue;
    found = parts_[last].state == State::kTree;
    if (found) {
      std::copy_n(found_.begin() + parts_[last].heads, heads.size(), heads.begin());
      continue;
    }
    const auto first = static_cast<Index>(parts_.size());
    const std::size_t before = open.size();
    split(last);
    for (Index child = first; child < static_cast<Index>(parts_.size()); ++child) open.push_back(child);
    std::sort(open.begin() + static_cast<std::ptrdiff_t>(before), open.end(), Worse{parts_});
  }
  queue_ = queue;
  parts_.resize(sizes[0]);
  kept_.resize(sizes[1]);
  choices_.resize(sizes[2]);
  found_.resize(sizes[3]);
  return found;
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
