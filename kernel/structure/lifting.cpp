#include "structure/lifting.hpp"

#include <algorithm>
#include <bit>

#include "core/threads.hpp"

namespace crossarc {

void LiftedTree::load(std::span<const std::int32_t> heads, const TreeOrder& order) {
  tree_.load(heads, order);
  if (heads.size() > kMostInSets) {
    sets_ = 0;
    dominated_in_.assign(heads.size() + 1, 0);
    test_ = 0;
    return;
  }
  sets_ = (heads.size() + 63) / 64;
  below_.assign((heads.size() + 1) * sets_, 0);
  for (std::size_t place = order.order().size(); place-- > 1;) {
    const std::int32_t word = order.order()[place];
    below(word)[(word - 1) / 64] |= only_word((word - 1) % 64 + 1);
    const std::span<WordSet> own = below(word);
    const std::span<WordSet> above = below(heads[word - 1]);
    for (std::size_t set = 0; set < sets_; ++set) above[set] |= own[set];
  }
}

bool LiftedTree::nonprojective(std::int32_t word) {
  check_interruption(1 + tree_.last() / 1024);
  const std::int32_t head = tree_.head(word);
  if (head == 0) return false;
  const Arc arc = arc_between(head, word);
  return sets_ > 0 ? leaves_set(arc, below(head)) : leaves_subtree(arc, head);
}

// Whether a word between the ends of the arc is not in the set. The words between are bits left to right - 2.
bool LiftedTree::leaves_set(const Arc& arc, std::span<const WordSet> words) const {
  if (arc.right - arc.left < 2) return false;
  const std::size_t first = static_cast<std::size_t>(arc.left) / 64;
  const std::size_t last = static_cast<std::size_t>(arc.right - 2) / 64;
  const WordSet from_first = ~WordSet{0} << (arc.left % 64);
  const WordSet to_last = ~WordSet{0} >> (63 - (arc.right - 2) % 64);
  if (first == last) return (from_first & to_last & ~words[first]) != 0;
  if ((from_first & ~words[first]) != 0 || (to_last & ~words[last]) != 0) return true;
  return std::any_of(words.begin() + static_cast<std::ptrdiff_t>(first) + 1,
                     words.begin() + static_cast<std::ptrdiff_t>(last), [](WordSet set) { return ~set != 0; });
}

// The same where the set would be the words below the head.
bool LiftedTree::leaves_subtree(const Arc& arc, std::int32_t head) {
  ++test_;
  for (std::int32_t between = arc.left + 1; between < arc.right; ++between) {
    for (std::int32_t above = between; above != head && dominated_in_[above] != test_; above = tree_.head(above)) {
      if (above == 0) return true;
      dominated_in_[above] = test_;
    }
  }
  return false;
}

// The nearest words on both sides of a word among another one and all below it; 0 and n + 1 where there is none.
Arc LiftedTree::nearest_below(std::int32_t top, std::int32_t around) {
  Arc nearest{0, tree_.last() + 1};
  if (!tree_.has_children(top)) {
    (top < around ? nearest.left : nearest.right) = top;
    return nearest;
  }
  if (sets_ == 0) {
    tree_.walk(top, [&](std::int32_t word) {
      if (word < around) {
        nearest.left = std::max(nearest.left, word);
      } else {
        nearest.right = std::min(nearest.right, word);
      }
    });
    return nearest;
  }
  const std::span<const WordSet> words = below(top);
  const std::size_t middle = static_cast<std::size_t>(around - 1) / 64;
  const WordSet from_middle = ~WordSet{0} << ((around - 1) % 64);
  const auto word_of = [](std::size_t set, int bit) { return static_cast<std::int32_t>(set * 64) + bit + 1; };
  for (std::size_t set = middle + 1; set-- > 0;) {
    const WordSet left = words[set] & (set == middle ? ~from_middle : ~WordSet{0});
    if (left == 0) continue;
    nearest.left = word_of(set, 63 - std::countl_zero(left));
    break;
  }
  for (std::size_t set = middle; set < sets_; ++set) {
    const WordSet right = words[set] & (set == middle ? from_middle : ~WordSet{0});
    if (right == 0) continue;
    nearest.right = word_of(set, std::countr_zero(right));
    break;
  }
  return nearest;
}

template <typename Visit>
void LiftedTree::lift(std::int32_t word, Visit&& visit) {
  const std::int32_t old_head = tree_.head(word);
  const Arc lost = nearest_below(word, old_head);
  const std::span<WordSet> own = below(word);
  const std::span<WordSet> above = below(old_head);
  if (sets_ > 0 && !tree_.has_children(word)) {
    above[(word - 1) / 64] &= ~own[(word - 1) / 64];
  } else {
    for (std::size_t set = 0; set < sets_; ++set) above[set] &= ~own[set];
  }
  tree_.move(word, tree_.head(old_head));
  tree_.for_each_child(old_head, [&](std::int32_t child) {
    if (child < old_head ? child < lost.left : child > lost.right) visit(child);
  });
}

void LiftedTree::attach(std::int32_t root, std::int32_t head) {
  tree_.move(root, head);
  const std::span<WordSet> own = below(root);
  for (std::int32_t word = head; word != 0; word = tree_.head(word)) {
    const std::span<WordSet> above = below(word);
    for (std::size_t set = 0; set < sets_; ++set) above[set] |= own[set];
  }
}

void ShortLiftedTree::load(const ShortTree& tree) {
  words_ = tree.heads().size();
  heads_[0] = 0;
  std::copy(tree.heads().begin(), tree.heads().end(), heads_.begin() + 1);
  std::copy_n(tree.children().begin(), words_ + 1, children_.begin());
  std::copy_n(tree.descendants().begin(), words_ + 1, below_.begin());
}

bool ShortLiftedTree::nonprojective(std::int32_t word) const {
  const std::int32_t head = heads_[word];
  return head != 0 && (words_between(arc_between(head, word)) & ~below_[head]) != 0;
}

template <typename Visit>
void ShortLiftedTree::lift(std::int32_t word, Visit&& visit) {
  const std::int32_t old_head = heads_[word];
  const WordSet lost = below_[word];
  below_[old_head] &= ~lost;
  children_[old_head] &= ~only_word(word);
  heads_[word] = heads_[old_head];
  children_[heads_[word]] |= only_word(word);
  for_each_word(children_[old_head], [&](std::int32_t child) {
    if ((words_between(arc_between(old_head, child)) & lost) != 0) visit(child);
  });
}

void ShortLiftedTree::attach(std::int32_t root, std::int32_t head) {
  children_[0] &= ~only_word(root);
  children_[head] |= only_word(root);
  heads_[root] = head;
  for (std::int32_t above = head; above != 0; above = heads_[above]) below_[above] |= below_[root];
}

template <typename Visit>
void ShortLiftedTree::for_each_root(Visit&& visit) const {
  for_each_word(children_[0], visit);
}

template <typename Visit>
void ShortLiftedTree::for_each_below(std::int32_t word, Visit&& visit) const {
  for_each_word(below_[word], visit);
}

void LiftQueue::clear(std::size_t words) {
  heap_.clear();
  waits_.assign(words + 1, 0);
}

void LiftQueue::add(const LiftTurn& turn) {
  waits_[turn.word] = 1;
  heap_.push_back(turn);
  std::push_heap(heap_.begin(), heap_.end());
}

template <typename TurnOf>
bool LiftQueue::take(TurnOf&& turn_of, std::int32_t& word) {
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end());
    const LiftTurn next = heap_.back();
    heap_.pop_back();
    if (!waits_[next.word] || next != turn_of(next.word)) continue;
    word = next.word;
    waits_[word] = 0;
    return true;
  }
  return false;
}

template <typename TurnOf>
bool ShortLiftQueue::take(TurnOf&& turn_of, std::int32_t& word) {
  if (waiting_ == 0) return false;
  word = std::countr_zero(waiting_) + 1;
  if (const WordSet others = waiting_ & (waiting_ - 1); others != 0) {
    LiftTurn next = turn_of(word);
    for_each_word(others, [&](std::int32_t other) {
      const LiftTurn turn = turn_of(other);
      if (next < turn) next = turn;
    });
    word = next.word;
  }
  waiting_ &= ~only_word(word);
  return true;
}

std::int64_t Lifter::lift(std::span<const std::int32_t> heads, const TreeOrder& order) {
  load(heads, order.order().subspan(1));
  tree_.load(heads, order);
  queue_.clear(heads.size());
  for (std::int32_t word = 1; word <= static_cast<std::int32_t>(heads.size()); ++word) {
    if (tree_.nonprojective(word)) queue_.add(turn_of(tree_, word));
  }
  return run(tree_, queue_);
}

std::int64_t Lifter::lift(const ShortTree& tree) {
  load(tree.heads(), tree.order());
  ShortLiftQueue queue;
  short_tree_.load(tree);
  for_each_word(tree.crossed(), [&](std::int32_t word) {
    if (short_tree_.nonprojective(word)) queue.add(turn_of(short_tree_, word));
  });
  return run(short_tree_, queue);
}

template <typename Word>
void Lifter::load(std::span<const std::int32_t> heads, std::span<const Word> heads_first) {
  marks_.assign(heads.size(), 0);
  lifts_.assign(heads.size(), 0);
  if (options_.order == LiftOrder::kShortest) return;
  depth_.assign(heads.size() + 1, 0);
  for (const Word word : heads_first) depth_[word] = depth_[heads[word - 1]] + 1;
}

template <typename Tree>
LiftTurn Lifter::turn_of(const Tree& tree, std::int32_t word) const {
  const auto in_order = [](std::int64_t first, std::int32_t second) {
    return first * (std::int64_t{1} << 32) + second;
  };
  if (options_.order == LiftOrder::kDeepest) return {in_order(-depth_[word], word), word};
  const Arc arc = arc_between(tree.head(word), word);
  return {in_order(arc.right - arc.left, arc.left), word};
}

template <typename Tree, typename Queue>
std::int64_t Lifter::run(Tree& tree, Queue& queue) {
  const auto turn = [&](std::int32_t word) { return turn_of(tree, word); };
  std::int64_t total = 0;
  for (std::int32_t word = 0; queue.take(turn, word);) {
    if (options_.covered_roots != CoveredRoots::kNone) {
      if (!tree.nonprojective(word)) continue;  // a head that gained words may dominate what is below its arcs now
      if (attach_covered_roots(tree, queue, word)) {
        if (tree.nonprojective(word)) queue.add(turn(word));
        continue;
      }
    }
    lift_once(tree, queue, word);
    ++total;
  }
  heads_ = tree.heads();
  return total;
}

template <typename Tree, typename Queue>
void Lifter::lift_once(Tree& tree, Queue& queue, std::int32_t word) {
  const std::int32_t old_head = tree.head(word);  // not 0, since an arc from 0 is projective
  ++lifts_[word - 1];
  if ((marks_[word - 1] & kCoveredRoot) == 0) {
    marks_[word - 1] |= kLifted;
    marks_[old_head - 1] |= kOnPath;
  }
  // The old head loses the word and all below it, and no other word does. So its other arcs, if they cover any of those
  // words, are not projective any more.
  tree.lift(word, [&](std::int32_t child) {
    if (!queue.has(child)) queue.add(turn_of(tree, child));
  });
  change_depth(tree, queue, word, -1);
  if (tree.nonprojective(word)) queue.add(turn_of(tree, word));
}

// Attaches the children of 0 that lie, with all below them, below the arc into the word. False if there are none.
template <typename Tree, typename Queue>
bool Lifter::attach_covered_roots(Tree& tree, Queue& queue, std::int32_t word) {
  const std::int32_t head = tree.head(word);
  const Arc arc = arc_between(head, word);
  covered_.clear();
  tree.for_each_root([&](std::int32_t root) {
    if (root <= arc.left || root >= arc.right || (marks_[root - 1] & (kLifted | kCoveredRoot)) != 0) return;
    bool inside = true;
    tree.for_each_below(root, [&](std::int32_t below) { inside &= arc.left < below && below < arc.right; });
    if (inside) covered_.push_back(root);
  });
  const std::int32_t end = options_.covered_roots == CoveredRoots::kHead   ? head
                           : options_.covered_roots == CoveredRoots::kLeft ? arc.left
                                                                           : arc.right;
  for (const std::int32_t root : covered_) {
    tree.attach(root, end);
    marks_[root - 1] |= kCoveredRoot;
    if (options_.order == LiftOrder::kDeepest) change_depth(tree, queue, root, depth_[end] + 1 - depth_[root]);
    if (tree.nonprojective(root)) queue.add(turn_of(tree, root));
  }
  return !covered_.empty();
}

template <typename Tree, typename Queue>
void Lifter::change_depth(const Tree& tree, Queue& queue, std::int32_t word, std::int32_t difference) {
  if (options_.order != LiftOrder::kDeepest) return;
  tree.for_each_below(word, [&](std::int32_t below) {
    depth_[below] += difference;
    if (queue.has(below)) queue.add(turn_of(tree, below));  // its turn is another now
  });
}

}  // namespace crossarc
