#include "transitions/oracles/search_oracle.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include "core/threads.hpp"

namespace crossarc {

void CandidateRanking::start(const Gold& gold, std::span<const std::int32_t> planes, const Program& program) {
  planes_ = planes;
  projective_order_.clear();
  if (program.swaps() && gold.forest()) projective_order_ = projective_order(gold);
}

void CandidateRanking::look_at(const Configuration& configuration, const PendingArcs& pending) {
  active_ = configuration.active();
  const std::span<const std::int32_t> stack = configuration.active_stack();
  top_ = stack.empty() ? kNoNode : stack.back();
  below_top_ = stack.size() < 2 ? kNoNode : stack[stack.size() - 2];
  buffer_first_ = configuration.buffer_first();
  const auto waits_here = [&](std::int32_t node, bool leftward) {
    if (planes_.empty() || node == kNoNode || pending.count(node) == 0) return false;
    return std::ranges::any_of(pending.gold().neighbours(node), [&](const Gold::Neighbour& neighbour) {
      return (neighbour.node < node) == leftward && pending.contains(neighbour.arc) &&
             planes_[neighbour.arc] == active_;
    });
  };
  wanted_here_ = waits_here(buffer_first_, true);
  top_waits_here_ = waits_here(top_, false);
}

std::int32_t CandidateRanking::rank(const Configuration& configuration, std::size_t mark, const Transition& transition,
                                    std::span<const std::int32_t> arcs) const {
  enum : std::int32_t {
    kArcAndRemove,
    kArc,
    kSwapInto,
    kTake,
    kUncover,
    kSwitch,
    kOtherArc,
    kOtherSwitch,
    kRest,
    kBack
  };
  bool removed = false;
  configuration.visit_moved(mark, [&](std::int32_t node) { removed |= configuration.gone(node); });
  if (!arcs.empty()) {
    const bool elsewhere = !planes_.empty() && planes_[arcs[0]] != active_;
    return elsewhere ? kOtherArc : removed ? kArcAndRemove : kArc;
  }
  if (transition.arcs > 0) return kRest;
  if (transition.only_switch) return wanted_here_ ? kOtherSwitch : kSwitch;
  if (!projective_order_.empty()) {
    const std::int32_t came_back = configuration.buffer_first();
    if (came_back != kNoNode && came_back == below_top_ && configuration.in_buffer(below_top_)) {
      return projective_order_[top_] < projective_order_[below_top_] ? kSwapInto : kBack;
    }
  }
  if (buffer_first_ != kNoNode && !configuration.in_buffer(buffer_first_)) return kTake;
  if (top_ != kNoNode && configuration.in_buffer(top_)) return kBack;
  if (planes_.empty()) return kUncover;
  return wanted_here_ && !top_waits_here_ ? kUncover : kRest;
}

bool SearchOracle::derive(const Program& program, std::int32_t words, Root root, const Gold& gold,
                          std::span<const std::int32_t> planes, std::int64_t budget) {
  program_ = &program;
  configuration_.start(program, words, root);
  pending_.start(gold, configuration_);
  ranking_.start(gold, program.stacks() > 1 ? planes : std::span<const std::int32_t>(), program);
  candidates_.clear();
  frames_.clear();
  built_.clear();
  actions_.clear();
  failed_.clear();
  if (const std::optional<EasyFirstMoves> moves = easy_first_moves(program)) return derive_easy_first(*moves, gold);
  const auto finished = [this] { return configuration_.terminal() && pending_.count() == 0; };
  if (finished()) return true;
  expand();
  while (!frames_.empty() && budget-- > 0) {
    check_interruption(16);
    Frame& frame = frames_.back();
    if (frame.next == candidates_.size()) {  // nothing more to try from here
      if (frames_.size() > 1) {
        failed_.insert(configuration_.fingerprint());
        actions_.pop_back();
      }
      candidates_.resize(frame.first);
      const Frame left = frame;
      frames_.pop_back();
      take_back(left.mark, left.built);
      continue;
    }
    const Candidate candidate = candidates_[frame.next++];
    const std::size_t mark = configuration_.mark();
    const std::size_t built = built_.size();
    try_transition(candidate.transition, candidate.position);
    const std::int32_t label = built_.size() > built ? gold.arc(built_[built]).label : kNoLabel;
    if (!failed_.empty() && failed_.contains(configuration_.fingerprint())) {
      take_back(mark, built);
      continue;
    }
    actions_.push_back({candidate.transition, candidate.position, label});
    if (finished()) return true;
    expand();
    frames_.back().mark = mark;
    frames_.back().built = built;
  }
  return false;
}

namespace {

// The words that are left, from left to right, and how many of them stand before one. O(log n) for the latter.
class NeighbouringWords {
 public:
  explicit NeighbouringWords(std::int32_t words) : before_(words), behind_(words), left_(words + 1, 0) {
    for (std::int32_t word = 0; word < words; ++word) {
      before_[word] = word - 1;
      behind_[word] = word + 1 < words ? word + 1 : kNoNode;
    }
    for (std::int32_t place = 1; place <= words; ++place) left_[place] = place & -place;
  }

  std::int32_t before(std::int32_t word) const { return before_[word]; }
  std::int32_t behind(std::int32_t word) const { return behind_[word]; }
  std::int32_t count_before(std::int32_t word) const {
    std::int32_t count = 0;
    for (std::int32_t place = word; place > 0; place &= place - 1) count += left_[place];
    return count;
  }
  void remove(std::int32_t word) {
    if (before_[word] != kNoNode) behind_[before_[word]] = behind_[word];
    if (behind_[word] != kNoNode) before_[behind_[word]] = before_[word];
    for (std::int32_t place = word + 1; place < static_cast<std::int32_t>(left_.size()); place += place & -place) {
      --left_[place];
    }
  }

 private:
  std::vector<std::int32_t> before_, behind_;
  std::vector<std::int32_t> left_;  // sums of those that are left (a Fenwick tree)
};

}  // namespace

// Of the arcs between neighbours whose dependent has no other arc pending, that of the transition that was defined
// first, and of several the leftmost; SHIFT when there is none. If arcs are left then, nothing could have built them:
// which arcs come to be between neighbours does not depend on the order.
bool SearchOracle::derive_easy_first(const EasyFirstMoves& moves, const Gold& gold) {
  NeighbouringWords words(gold.nodes());
  // For each transition, the right words of pairs that it may join, the leftmost on top; pairs may be gone since.
  std::vector<std::int32_t> ready[2];
  const std::int32_t transitions[2] = {std::min(moves.attach_left, moves.attach_right),
                                       std::max(moves.attach_left, moves.attach_right)};
  // The gold arc that a transition would add between a word and the one before it, if that can be done; or kNoNode.
  const auto joins = [&](std::int32_t transition, std::int32_t right) {
    const std::int32_t left = words.before(right);
    if (left == kNoNode) return kNoNode;
    const bool leftward = transition == moves.attach_left;
    const std::int32_t dependent = leftward ? left : right;
    if (pending_.count(dependent) != 1) return kNoNode;
    return pending_.match({leftward ? right : left, dependent}, false);
  };
  const auto look_at = [&](std::int32_t right) {
    if (right == kNoNode) return;
    for (std::size_t kind = 0; kind < 2; ++kind) {
      if (joins(transitions[kind], right) == kNoNode) continue;
      ready[kind].push_back(right);
      std::push_heap(ready[kind].begin(), ready[kind].end(), std::greater<>());
    }
  };
  std::vector<std::uint8_t> gone(static_cast<std::size_t>(gold.nodes()), 0);
  for (std::int32_t word = 0; word < gold.nodes(); ++word) look_at(word);
  while (!ready[0].empty() || !ready[1].empty()) {
    check_interruption(1);
    const std::size_t kind = ready[0].empty() ? 1 : 0;
    std::pop_heap(ready[kind].begin(), ready[kind].end(), std::greater<>());
    const std::int32_t right = ready[kind].back();
    ready[kind].pop_back();
    const std::int32_t arc = gone[right] ? kNoNode : joins(transitions[kind], right);
    if (arc == kNoNode) continue;
    actions_.push_back({transitions[kind], words.count_before(right), gold.arc(arc).label});
    pending_.remove(arc);
    const std::int32_t head = gold.arc(arc).head;
    gone[gold.arc(arc).dependent] = 1;
    words.remove(gold.arc(arc).dependent);
    look_at(head);
    look_at(words.behind(head));
  }
  if (pending_.count() > 0) return false;
  for (std::int32_t word = 0; word < gold.nodes(); ++word) {
    if (!gone[word]) actions_.push_back({moves.shift, 0, kNoLabel});
  }
  return true;
}

// Collects what may be done here, in order of preference.
void SearchOracle::expand() {
  frames_.push_back({configuration_.mark(), candidates_.size(), candidates_.size(), built_.size()});
  ranking_.look_at(configuration_, pending_);
  configuration_.visit_actions([&](std::int32_t transition, std::int32_t position) {
    const std::size_t mark = configuration_.mark();
    const std::size_t built = built_.size();
    if (!try_transition(transition, position)) return;
    const std::span<const std::int32_t> arcs = std::span(built_).subspan(built);
    candidates_.push_back({ranking_.rank(configuration_, mark, (*program_)[transition], arcs), transition, position});
    take_back(mark, built);
  });
  std::stable_sort(candidates_.begin() + frames_.back().first, candidates_.end(),
                   [](const Candidate& a, const Candidate& b) { return a.rank < b.rank; });
}

// Applies a transition if it adds gold arcs only and leaves all others within reach.
bool SearchOracle::try_transition(std::int32_t transition, std::int32_t position) {
  const std::size_t mark = configuration_.mark();
  const std::size_t built = built_.size();
  const std::size_t links = configuration_.links().size();
  if (!configuration_.apply(transition, position, kNoLabel)) return false;
  bool good = pending_.remove_built(configuration_, links, built_, [](const BuiltArc&) { return false; });
  if (good) {
    configuration_.visit_moved(
        mark, [&](std::int32_t node) { good &= pending_.unreachable(configuration_, node) == kNoNode; });
  }
  if (!good) take_back(mark, built);
  return good;
}

void SearchOracle::take_back(std::size_t mark, std::size_t built) {
  configuration_.undo_to(mark);
  for (; built_.size() > built; built_.pop_back()) pending_.put_back(built_.back());
}

}  // namespace crossarc
