#include "encodings/lifting.hpp"

#include <algorithm>

#include "encodings/marks.hpp"
#include "structure/arcs.hpp"

namespace crossarc {

void Lifter::lift(std::span<const std::int32_t> heads, const TreeOrder& order, std::span<std::int32_t> lifted_heads,
                  std::span<std::uint8_t> marks) {
  marks_ = marks;
  load(heads, order);
  for (std::int32_t word = 0; take_next(word);) {
    if (options_.covered_roots != CoveredRoots::kNone) {
      if (!nonprojective(word)) continue;  // a head that gained words may dominate what is below its arcs now
      if (attach_covered_roots(word)) {
        if (nonprojective(word)) wait(word);
        continue;
      }
    }
    lift_once(word);
  }
  std::copy(tree_.heads().begin(), tree_.heads().end(), lifted_heads.begin());
}

void Lifter::load(std::span<const std::int32_t> heads, const TreeOrder& order) {
  tree_.load(heads, order);
  std::fill(marks_.begin(), marks_.end(), 0);
  heap_.clear();
  waits_.assign(heads.size() + 1, 0);
  dominated_in_.assign(heads.size() + 1, 0);
  test_ = 0;
  if (options_.order == LiftOrder::kDeepest) {
    depth_.assign(heads.size() + 1, 0);
    for (const std::int32_t word : order.order().subspan(1)) depth_[word] = depth_[heads[word - 1]] + 1;
  }
  for (std::int32_t word = 1; word <= tree_.last(); ++word) {
    // If the head and all below it are neighbours, there is nothing else below the arc.
    if (!order.is_interval(tree_.head(word)) && nonprojective(word)) wait(word);
  }
}

// Whether some word between head and dependent is not below the head.
bool Lifter::nonprojective(std::int32_t word) {
  const std::int32_t head = tree_.head(word);
  if (head == 0) return false;
  const Arc arc = arc_between(head, word);
  ++test_;
  for (std::int32_t between = arc.left + 1; between < arc.right; ++between) {
    for (std::int32_t above = between; above != head && dominated_in_[above] != test_; above = tree_.head(above)) {
      if (above == 0) return true;
      dominated_in_[above] = test_;
    }
  }
  return false;
}

Lifter::Waiting Lifter::turn_of(std::int32_t word) const {
  if (options_.order == LiftOrder::kDeepest) return {-depth_[word], word, word};
  const Arc arc = arc_between(tree_.head(word), word);
  return {arc.right - arc.left, arc.left, word};
}

void Lifter::wait(std::int32_t word) {
  waits_[word] = 1;
  heap_.push_back(turn_of(word));
  std::push_heap(heap_.begin(), heap_.end());
}

// False when no word waits.
bool Lifter::take_next(std::int32_t& word) {
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end());
    const Waiting next = heap_.back();
    heap_.pop_back();
    if (!waits_[next.word] || next != turn_of(next.word)) continue;
    word = next.word;
    waits_[word] = 0;
    return true;
  }
  return false;
}

void Lifter::lift_once(std::int32_t word) {
  const std::int32_t old_head = tree_.head(word);
  const std::int32_t new_head = tree_.head(old_head);  // an arc from 0 is projective, so the old head has a head
  if ((marks_[word - 1] & kCoveredRoot) == 0) {
    marks_[word - 1] |= kLifted;
    marks_[old_head - 1] |= kOnPath;
  }
  // The old head loses the word and all below it, and nobody else does. So its other arcs, if they cover any of those
  // words, are not projective any more.
  std::int32_t lost_on_the_left = 0;
  std::int32_t lost_on_the_right = tree_.last() + 1;
  tree_.walk(word, [&](std::int32_t lost) {
    if (lost < old_head) {
      lost_on_the_left = std::max(lost_on_the_left, lost);
    } else {
      lost_on_the_right = std::min(lost_on_the_right, lost);
    }
  });
  tree_.move(word, new_head);
  change_depth(word, -1);
  tree_.for_each_child(old_head, [&](std::int32_t child) {
    const bool covers = child < old_head ? child < lost_on_the_left : child > lost_on_the_right;
    if (covers && !waits_[child]) wait(child);
  });
  if (nonprojective(word)) wait(word);
}

// Attaches the children of 0 that lie, with all below them, below the arc into the word. False if there are none.
bool Lifter::attach_covered_roots(std::int32_t word) {
  const std::int32_t head = tree_.head(word);
  const Arc arc = arc_between(head, word);
  covered_.clear();
  tree_.for_each_child(0, [&](std::int32_t root) {
    if (root <= arc.left || root >= arc.right || (marks_[root - 1] & (kLifted | kCoveredRoot)) != 0) return;
    bool inside = true;
    tree_.walk(root, [&](std::int32_t below) { inside &= arc.left < below && below < arc.right; });
    if (inside) covered_.push_back(root);
  });
  const std::int32_t end = options_.covered_roots == CoveredRoots::kHead   ? head
                           : options_.covered_roots == CoveredRoots::kLeft ? arc.left
                                                                           : arc.right;
  for (const std::int32_t root : covered_) {
    tree_.move(root, end);
    marks_[root - 1] |= kCoveredRoot;
    if (options_.order == LiftOrder::kDeepest) change_depth(root, depth_[end] + 1 - depth_[root]);
    if (nonprojective(root)) wait(root);
  }
  return !covered_.empty();
}

void Lifter::change_depth(std::int32_t word, std::int32_t difference) {
  if (options_.order != LiftOrder::kDeepest) return;
  tree_.walk(word, [&](std::int32_t below) {
    depth_[below] += difference;
    if (waits_[below]) wait(below);  // its turn is another now
  });
}

}  // namespace crossarc
