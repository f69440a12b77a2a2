#include "decoders/one_endpoint/tree_search.hpp"

#include <algorithm>
#include <cmath>

#include "core/threads.hpp"

namespace crossarc {
namespace {

// Every conflict multiplies the number of parts; with more of them the search is hopeless.
constexpr int kMostConflicts = 16;

// How many parts cost about as much as the chart of what is left of the arcs: a part costs O(n) and the chart O(n⁴).
double chart_parts(std::int32_t words) { return std::pow(words, 3) / 80; }

// After so many parts the search asks itself for the first time whether to go on. In vain, it has cost about a tenth of
// the chart: O(n²) parts, since where it is in vain, a part costs O(n) for each of many words.
std::int64_t first_check(std::int32_t words) { return 8 + static_cast<std::int64_t>(std::pow(words, 2) / 24); }

// Arcs that would score higher if they were crossed cost a part as much as all arcs of so many words do.
constexpr std::int32_t kUncrossedWork = 4;

// Will the search end before it costs as much as the chart? The bound falls about with the logarithm of the number of
// parts, and the best tree is about a third of the way from the first bound to the tree that is known.
bool is_promising(std::int64_t work, double fallen, double to_known, std::int32_t words) {
  const auto parts = static_cast<double>(work);
  return parts < chart_parts(words) && std::log(parts) * to_known / 3 <= std::log(chart_parts(words)) * fallen;
}

}  // namespace

void TreeSearch::begin(const IncomingScores& scores, const IncomingScores& highest, MaximumBranching& branching,
                       bool single_root, bool root_arcs) {
  scores_ = &highest;
  crossing_ = scores.has_crossed() ? &scores : nullptr;
  branching_ = &branching;
  single_root_ = single_root;
  root_arcs_ = root_arcs;
  restricted_ = *scores_;
  heads_.resize(static_cast<std::size_t>(scores.words()));
  loss_.assign(scores.width(), -1);
  rest_.resize(scores.width());
  penalty_.resize(scores.width());
  fixed_.assign(scores.width(), Scored::kHigher);
  crossed_.resize(scores.width());
  changed_.clear();
  parts_.assign(1, Part{});
  queue_.clear();
  kept_.clear();
  choices_.clear();
  found_.clear();
}

TreeSearch::Outcome TreeSearch::run(const IncomingScores& scores, const IncomingScores& highest,
                                    MaximumBranching& branching, bool single_root, bool root_arcs,
                                    std::span<std::int32_t> heads) {
  begin(scores, highest, branching, single_root, root_arcs);
  heads_.assign(heads.begin(), heads.end());
  evaluate(0, true);
  bound_ = parts_[0].score;
  // With scores of crossed arcs less can be left out of the chart, which costs several times as much.
  const int patience = crossing_ == nullptr ? 1 : has_uncrossed_ ? 3 : 8;
  if (paid_ > kMostConflicts * patience) return Outcome::kGivenUp;
  push(0);
  const double top = parts_[0].score;
  double reached = kForbidden;
  std::int64_t next_check = first_check(scores.words());
  for (std::int64_t work = 1; !queue_.empty();) {
    check_interruption();
    const Index part = pop();
    if (parts_[part].state == State::kTree) {
      std::copy_n(found_.begin() + parts_[part].heads, heads.size(), heads.begin());
      return Outcome::kFound;
    }
    bound_ = parts_[part].score;
    if (work >= next_check) {
      if (reached == kForbidden && dive(part, heads)) reached = scores.sum(heads, root_arcs);
      const double to_known = reached == kForbidden ? 0 : top - reached;
      if (!is_promising(work, top - bound_, to_known, scores.words())) {
        return reached == kForbidden ? Outcome::kGivenUp : Outcome::kTreeOnly;
      }
      next_check = 5 * work / 4;
    }
    if (parts_[part].state == State::kNew) {
      if (evaluate(part, false)) push(part);
      work += crossing_ != nullptr && has_uncrossed_ ? 1 + scores.words() / kUncrossedWork : 1;
    } else {
      split(part);
    }
  }
  return Outcome::kNoTree;
}

bool TreeSearch::rank(const IncomingScores& scores, MaximumBranching& branching, bool single_root, bool root_arcs,
                      std::size_t k, std::int64_t most, std::vector<std::int32_t>& heads) {
  begin(scores, scores, branching, single_root, root_arcs);
  if (k == 0 || !branching.solve(scores, single_root, heads_)) return true;
  if (evaluate(0, true)) push(0);
  for (std::int64_t evaluated = 1; !queue_.empty();) {
    check_interruption(1 + scores.words() / 16);
    const Index part = pop();
    if (parts_[part].state == State::kTree) {
      const auto tree = found_.begin() + parts_[part].heads;
      heads.insert(heads.end(), tree, tree + scores.words());
      if (--k == 0 || scores.words() == 0) return true;
      split_tree(part);
    } else if (parts_[part].state == State::kSplittable) {
      split(part);
    } else {
      if (++evaluated > most) return false;
      if (evaluate(part, false)) push(part);
    }
  }
  return true;
}

// Finds the best spanning tree of a part; false if it has none.
bool TreeSearch::solve(Index part) {
  const auto restored = static_cast<std::ptrdiff_t>(changed_.size());
  restrict(part);
  const bool has_tree = branching_->solve_again(restricted_, single_root_, changed_, heads_);
  changed_.erase(changed_.begin(), changed_.begin() + restored);
  return has_tree;
}

// Bounds a part by its best spanning tree, if that is not known yet, and its conflicts; false if it has no tree.
bool TreeSearch::evaluate(Index part, bool solved) {
  if (!solved && !solve(part)) return false;
  pay_conflicts();
  Part& searched = parts_[part];
  searched.score = score_;
  if (costliest_ < 0) {
    searched.state = State::kTree;
    searched.heads = static_cast<Index>(found_.size());
    found_.insert(found_.end(), heads_.begin(), heads_.end());
  } else {
    searched.state = State::kSplittable;
    searched.choices.begin = static_cast<Index>(choices_.size());
    list_choices(searched);
    searched.choices.end = static_cast<Index>(choices_.size());
  }
  std::fill(loss_.begin(), loss_.end(), -1);
  return score_ > kForbidden;
}

// The bound of the part at hand by its best spanning tree, less what conflicts cost.
void TreeSearch::pay_conflicts() {
  score_ = restricted_.sum(heads_);
  costliest_ = -1;
  paid_ = 0;
  conflicts_.load(heads_, root_arcs_);
  conflicts_.for_each_conflict(heads_, [&](const Conflict& conflict) { return pay(conflict); });
  before_uncrossed_ = score_;
  if (crossing_ != nullptr) {
    std::fill(crossed_.begin(), crossed_.end(), 0);
    conflicts_.for_each_crossing(heads_, [&](Index arc, Index other) {
      crossed_[arc] = crossed_[other] = 1;
      pay_crossing(arc, other);
    });
    before_uncrossed_ = score_;
    pay_uncrossed();
  }
}

double TreeSearch::bound_costs(std::span<const std::int32_t> heads, std::vector<double>& uncrossed,
                               std::vector<double>& crossed) {
  restrict(0);
  changed_.clear();
  heads_.assign(heads.begin(), heads.end());
  has_uncrossed_ = false;
  pay_conflicts();
  if (!has_uncrossed_) load_losses();
  uncrossed.assign(residual_.begin(), residual_.end());
  crossed.assign(residual_.begin(), residual_.end());
  for (Index word = 1; crossing_ != nullptr && word <= scores_->words(); ++word) {
    const double *highest = scores_->row(word), *of_uncrossed = crossing_->row(word),
                 *of_crossed = crossing_->crossed_row(word);
    for (Index head = 0; head <= scores_->words(); ++head) {
      if (highest[head] == kForbidden) continue;
      uncrossed[word * scores_->width() + head] += highest[head] - of_uncrossed[head];
      crossed[word * scores_->width() + head] += highest[head] - of_crossed[head];
    }
  }
  // Arcs of the tree itself pay for being crossed, and for not being crossed.
  for (Index word = 1; word <= scores_->words(); ++word) {
    const std::size_t arc = word * scores_->width() + heads[word - 1];
    uncrossed[arc] = crossed[arc] = 0;
    if (crossing_ == nullptr) continue;
    const double highest = scores_->row(word)[heads[word - 1]];
    if (crossed_[word]) uncrossed[arc] = highest - crossing_->row(word)[heads[word - 1]];
    find_loss(word);
    crossed[arc] = penalty_[word];
  }
  std::fill(loss_.begin(), loss_.end(), -1);
  return score_;
}

// Into what a part is split: by the conflict that costs most.
void TreeSearch::list_choices(Part& part) {
  const auto arc_into = [&](Index dependent) { return TreeArc{heads_[dependent - 1], dependent}; };
  const auto add = [&](TreeArc arc, double loss, Trees trees, Index crosser = 0) {
    choices_.push_back({arc, std::min(part.score, before_uncrossed_ - loss), trees, crosser});
  };
  const auto [first, second, third] = costliest_conflict_;
  if (second == 0) {
    add(arc_into(first), rest_[first], Trees::kLack);
    add(arc_into(first), row(first)[heads_[first - 1]] - crossing_->row(first)[heads_[first - 1]], Trees::kUncrossed);
    for (Index word = 1; word <= crossing_->words(); ++word) {
      const double loss = least_crossing(first, word, losses_);
      if (loss < -kForbidden) add(arc_into(first), loss, Trees::kCrossed, word);
    }
    return;
  }
  const std::span<Index> members = std::span(costliest_conflict_).first(third == 0 ? 2 : 3);
  std::ranges::sort(members, {}, [&](Index dependent) { return loss_[dependent]; });
  double crossed = 0;
  for (const Index dependent : members) {
    add(arc_into(dependent), rest_[dependent], Trees::kLack);
    crossed += penalty_[dependent];
  }
  if (third == 0) add({0, 0}, crossed, Trees::kAllCrossed);
}

// Scores in which a part's trees are all trees.
void TreeSearch::restrict(Index part) {
  for (const Index dependent : changed_) {
    std::copy_n(scores_->row(dependent), scores_->width(), restricted_.row(dependent));
    fixed_[dependent] = Scored::kHigher;
  }
  for (Index at = part; at >= 0; at = parts_[at].parent) {
    if (parts_[at].lacks.dependent > 0) {
      row(parts_[at].lacks.dependent)[parts_[at].lacks.head] = kForbidden;
      changed_.push_back(parts_[at].lacks.dependent);
    }
    for (Index index = parts_[at].kept.begin; index < parts_[at].kept.end; ++index) {
      const auto [arc, scored] = kept_[index];
      if (fixed_[arc.dependent] != Scored::kHigher) continue;
      fixed_[arc.dependent] = scored;
      const double* const scores = scored == Scored::kHigher    ? scores_->row(arc.dependent)
                                   : scored == Scored::kCrossed ? crossing_->crossed_row(arc.dependent)
                                                                : crossing_->row(arc.dependent);
      std::ranges::fill(row(arc.dependent), kForbidden);
      row(arc.dependent)[arc.head] = scores[arc.head];
      changed_.push_back(arc.dependent);
    }
    if (parts_[at].crosser > 0) {
      const auto [first, second] = crossing_heads(kept_[parts_[at].kept.end - 1].arc, parts_[at].crosser);
      for (Index head = 0; head <= scores_->words(); ++head) {
        const bool crosses = (first.begin <= head && head < first.end) || (second.begin <= head && head < second.end);
        if (!crosses) row(parts_[at].crosser)[head] = kForbidden;
      }
      changed_.push_back(parts_[at].crosser);
    }
  }
}

// Lets the arcs of a conflict pay for it; false if none of them can be lacked, so that there is no tree.
bool TreeSearch::pay(const Conflict& conflict) {
  double least = -kForbidden;
  double payment = -kForbidden;
  for (const Index dependent : conflict) {
    find_loss(dependent);
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

// Lets two arcs that cross pay for it, unless they are known to.
void TreeSearch::pay_crossing(Index arc, Index other) {
  find_loss(arc);
  find_loss(other);
  const double penalty = penalty_[arc] + penalty_[other];
  if (penalty <= 0) return;
  const double least = std::min({loss_[arc], loss_[other], penalty});
  if (least > costliest_) {
    costliest_ = least;
    costliest_conflict_ = {arc, other, 0};
  }
  const double payment = std::min({rest_[arc], rest_[other], penalty});
  ++paid_;
  score_ -= payment;
  if (payment == -kForbidden) return;
  rest_[arc] -= payment;
  rest_[other] -= payment;
  const double of_arc = std::min(penalty_[arc], payment);
  penalty_[arc] -= of_arc;
  penalty_[other] -= payment - of_arc;
}

// Lets arcs pay that no arc crosses and that would score higher if one did, unless they are known not to be crossed.
void TreeSearch::pay_uncrossed() {
  has_uncrossed_ = false;
  for (Index word = 1; word <= crossing_->words(); ++word) {
    const Index head = heads_[word - 1];
    const double gain = row(word)[head] - crossing_->row(word)[head];
    if (crossed_[word] || fixed_[word] != Scored::kHigher || gain <= 0) continue;
    if (!has_uncrossed_) load_losses();
    has_uncrossed_ = true;
    find_loss(word);
    double payment = gain;
    for (Index other = 0; other <= crossing_->words(); ++other) {
      if (other != head) payment = std::min(payment, residual_[word * scores_->width() + other]);
      if (other > 0) payment = std::min(payment, least_crossing(word, other, residual_));
    }
    ++paid_;
    score_ -= payment;
    if (payment > costliest_) {
      costliest_ = payment;
      costliest_conflict_ = {word, 0, 0};
    }
    charge_uncrossed(word, payment);
  }
}

// What each arc loses, less what was paid where the arc of the tree is lacked.
void TreeSearch::load_losses() {
  branching_->bound_losses(restricted_, losses_);
  for (Index word = 1; word <= scores_->words(); ++word) {
    const double paid = loss_[word] < 0 || loss_[word] == rest_[word] ? 0 : loss_[word] - rest_[word];
    if (paid == 0) continue;
    for (Index head = 0; head <= scores_->words(); ++head) losses_[word * scores_->width() + head] -= paid;
  }
  residual_ = losses_;
}

// The arcs that a word has instead of its own, and those that cross it, have paid so much.
void TreeSearch::charge_uncrossed(Index dependent, double payment) {
  const TreeArc arc{heads_[dependent - 1], dependent};
  for (Index word = 1; word <= crossing_->words(); ++word) {
    double* const residual = residual_.data() + word * scores_->width();
    const auto charge = [&](Range heads) {
      for (Index head = heads.begin; head < heads.end; ++head) residual[head] -= payment;
    };
    if (word == dependent) charge({0, static_cast<Index>(scores_->width())});
    for (const Range heads : crossing_heads(arc, word)) charge(heads);
  }
}

// The least that is lost if the arc into a word crosses that into another.
double TreeSearch::least_crossing(Index dependent, Index crosser, const std::vector<double>& losses) const {
  double least = -kForbidden;
  const double* const of_crosser = losses.data() + crosser * scores_->width();
  for (const auto [begin, end] : crossing_heads({heads_[dependent - 1], dependent}, crosser)) {
    for (Index head = begin; head < end; ++head) least = std::min(least, of_crosser[head]);
  }
  return least;
}

// With which heads a word has an arc that crosses another: beyond its ends if the word is between them, and between
// them if it is not.
std::array<TreeSearch::Range, 2> TreeSearch::crossing_heads(TreeArc arc, Index word) const {
  const auto [left, right] = std::minmax(arc.head, arc.dependent);
  if (word == left || word == right || (left == 0 && !root_arcs_)) return {};
  if (word < left || word > right) return {Range{left + 1, right}, {}};
  return {Range{root_arcs_ ? 0 : 1, left}, {right + 1, crossing_->words() + 1}};
}

// What the arc into a word loses by being lacked, and by being crossed.
void TreeSearch::find_loss(Index dependent) {
  if (loss_[dependent] >= 0) return;
  loss_[dependent] = rest_[dependent] = branching_->bound_loss_without(restricted_, dependent);
  if (crossing_ == nullptr) return;
  const Index head = heads_[dependent - 1];
  const bool never = fixed_[dependent] == Scored::kUncrossed;
  penalty_[dependent] = never ? -kForbidden : row(dependent)[head] - crossing_->crossed_row(dependent)[head];
}

// One part for each choice. What is lacked in one is kept in those behind.
void TreeSearch::split(Index part) {
  const Range choices = parts_[part].choices;
  const auto kept_begin = static_cast<Index>(kept_.size());
  for (Index index = choices.begin; index < choices.end; ++index) {
    const Choice choice = choices_[index];
    Part child;
    child.score = choice.score;
    child.parent = part;
    child.kept = {kept_begin, static_cast<Index>(kept_.size())};
    if (choice.trees == Trees::kLack) {
      child.lacks = choice.arc;
      kept_.push_back({choice.arc});
    } else if (choice.trees == Trees::kAllCrossed) {
      child.kept.begin = child.kept.end;
      for (Index arc = kept_begin; arc < child.kept.begin; ++arc) kept_.push_back({kept_[arc].arc, Scored::kCrossed});
      child.kept.end = static_cast<Index>(kept_.size());
    } else {
      child.kept.begin = child.kept.end++;
      child.crosser = choice.crosser;
      kept_.push_back({choice.arc, choice.trees == Trees::kCrossed ? Scored::kCrossed : Scored::kUncrossed});
    }
    if (choice.score == kForbidden) continue;
    parts_.push_back(child);
    push(static_cast<Index>(parts_.size()) - 1);
  }
}

// One part for each arc of the best tree of a part, which is of the class: each lacks its arc and keeps those before,
// in the order of what lacking them costs. Where another tree is as good and was found this time, that is not known.
void TreeSearch::split_tree(Index index) {
  const std::int32_t* const heads = found_.data() + parts_[index].heads;
  const bool same = solve(index) && std::equal(heads_.begin(), heads_.end(), heads);
  std::vector<std::pair<double, Index>> by_loss;
  for (Index word = 1; word <= scores_->words(); ++word) {
    if (std::ranges::count(row(word), kForbidden) + 1 >= std::ssize(row(word))) continue;  // the arc is kept
    by_loss.emplace_back(same ? branching_->bound_loss_without(restricted_, word) : 0, word);
  }
  std::ranges::sort(by_loss);
  parts_[index].choices.begin = static_cast<Index>(choices_.size());
  for (const auto& [loss, word] : by_loss) {
    choices_.push_back({{heads[word - 1], word}, parts_[index].score - loss});
  }
  parts_[index].choices.end = static_cast<Index>(choices_.size());
  split(index);
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
