#include "transitions/machine/configuration.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace crossarc {
namespace {

// Entries of the trail that are no operation of their own.
constexpr auto kBegin = static_cast<Operation>(kOperations);

}  // namespace

void Configuration::start(const Program& program, std::int32_t words, Root root) {
  program_ = &program;
  root_ = root;
  nodes_ = words + (root == Root::kNone ? 0 : 1);
  root_position_ = root == Root::kNone ? kNoNode : root == Root::kFirst ? 0 : nodes_ - 1;
  active_ = 0;
  switches_ = 0;
  aside_ = 0;
  const auto count = static_cast<std::size_t>(nodes_);
  stacks_.resize(static_cast<std::size_t>(program.stacks()));
  for (std::vector<std::int32_t>& stack : stacks_) {
    stack.clear();
    stack.reserve(count);
  }
  buffer_.resize(count);
  std::iota(buffer_.rbegin(), buffer_.rend(), 0);
  links_.clear();
  links_.reserve(count);
  last_in_.assign(count, kNoNode);
  presence_.assign(count, 1);
  in_buffer_.assign(count, 1);
  parent_.resize(count);
  std::iota(parent_.begin(), parent_.end(), 0);
  size_.assign(count, 1);
  trail_.clear();
}

bool Configuration::apply(std::int32_t transition, std::int32_t position, std::int32_t label) {
  const std::size_t before = trail_.size();
  trail_.push_back({kBegin, switches_, 0});
  for (const Step& step : (*program_)[transition].steps) {
    const std::int32_t repeats = step.constant + step.times * position;
    bool done = guard_holds(step);
    for (std::int32_t repeat = 0; done && repeat < repeats; ++repeat) done = execute(step, label);
    if (!done) {
      undo_to(before);
      return false;
    }
  }
  const bool switched = (*program_)[transition].only_switch;
  switches_ = switched ? std::min(switches_ + 1, program_->stacks()) : 0;  // more need not be told apart
  return true;
}

bool Configuration::legal(std::int32_t transition, std::int32_t position, std::int32_t label) {
  const std::size_t before = trail_.size();
  if (!apply(transition, position, label)) return false;
  undo_to(before);
  return true;
}

bool Configuration::guard_holds(const Step& step) const {
  if (step.guard.empty()) return true;
  return std::any_of(step.guard.begin(), step.guard.end(),
                     [&](const Clause& clause) { return clause_holds(clause, step.depth); });
}

// A literal about a word that is not there fails, negated or not (2013, Section 3.1).
bool Configuration::clause_holds(const Clause& clause, std::int32_t depth) const {
  constexpr unsigned kAsksStack = 0b0101111101;
  constexpr unsigned kAsksBuffer = 0b1001111110;
  const unsigned asked = clause.must | clause.must_not;
  const std::int32_t on_stack = stack_word(depth);
  const std::int32_t in_buffer = buffer_first();
  if ((asked & kAsksStack) != 0 && on_stack == kNoNode) return false;
  if ((asked & kAsksBuffer) != 0 && in_buffer == kNoNode) return false;
  for (unsigned left = asked; left != 0; left &= left - 1) {
    const auto bit = static_cast<unsigned>(std::countr_zero(left));
    const bool wanted = ((clause.must >> bit) & 1U) != 0;
    if (holds(static_cast<Fact>(bit), on_stack, in_buffer) != wanted) return false;
  }
  return true;
}

bool Configuration::ruled_out(std::int32_t transition, std::int32_t on_stack, std::int32_t in_buffer) const {
  const std::vector<Clause>& guard = (*program_)[transition].steps.front().guard;
  const auto broken = [&](const Clause& clause) {
    for (unsigned left = clause.must_not; left != 0; left &= left - 1) {
      if (holds(static_cast<Fact>(std::countr_zero(left)), on_stack, in_buffer)) return true;
    }
    return false;
  };
  return !guard.empty() && std::all_of(guard.begin(), guard.end(), broken);
}

bool Configuration::holds(Fact fact, std::int32_t on_stack, std::int32_t in_buffer) const {
  switch (fact) {
    case Fact::kStackHasHead:
      return has_head(on_stack);
    case Fact::kBufferHasHead:
      return has_head(in_buffer);
    case Fact::kConnected:
      return connected(on_stack, in_buffer);
    case Fact::kStackReachesBuffer:
      return reaches(on_stack, in_buffer);
    case Fact::kBufferReachesStack:
      return reaches(in_buffer, on_stack);
    case Fact::kArcFromStack:
      return parallel_links(on_stack, in_buffer) > 0;
    case Fact::kArcFromBuffer:
      return parallel_links(in_buffer, on_stack) > 0;
    case Fact::kSwitchedRound:
      return switches_ >= program_->stacks() - 1;
    case Fact::kStackIsRoot:
      return on_stack == root_position_;
    case Fact::kBufferIsRoot:
      return in_buffer == root_position_;
  }
  return false;
}

std::int32_t Configuration::stack_word(std::int32_t depth) const {
  const std::span<const std::int32_t> words = active_stack();
  const auto below = static_cast<std::size_t>(depth);
  return below < words.size() ? words[words.size() - 1 - below] : kNoNode;
}

bool Configuration::execute(const Step& step, std::int32_t label) {
  switch (step.operation) {
    case Operation::kShift:
      if (buffer_.empty()) return false;
      trail_.push_back({Operation::kShift, buffer_.back(), 0});
      move_to_stacks();
      return true;
    case Operation::kUnshift:
      return unshift();
    case Operation::kReduce:
      return reduce(step.depth);
    case Operation::kLeftArc:
    case Operation::kRightArc:
    case Operation::kArc:
      return add_link(step.operation, step.depth, label);
    case Operation::kSwitch:
      trail_.push_back({Operation::kSwitch, kNoNode, active_});
      active_ = (active_ + 1) % program_->stacks();
      return true;
    case Operation::kSwap:
      return swap();
    case Operation::kSkip:
      if (aside_ == 0) return false;
      --aside_;
      trail_.push_back({Operation::kSkip, kNoNode, 0});
      return true;
    case Operation::kJoin:
      trail_.push_back({Operation::kJoin, kNoNode, aside_});
      aside_ = static_cast<std::int32_t>(stacks_[0].size());
      return true;
    case Operation::kClear:
      while (stacks_[0].size() > static_cast<std::size_t>(aside_)) {
        const std::int32_t node = stacks_[0].back();
        stacks_[0].pop_back();
        --presence_[node];
        trail_.push_back({Operation::kClear, node, 0});
      }
      return true;
  }
  return false;
}

void Configuration::push(std::int32_t number, std::int32_t node) {
  std::vector<std::int32_t>& stack = stacks_[number];
  if (number == 0) {
    stack.insert(stack.begin() + aside_, node);
    ++aside_;
  } else {
    stack.push_back(node);
  }
}

void Configuration::pop(std::int32_t number) {
  std::vector<std::int32_t>& stack = stacks_[number];
  if (number == 0) {
    --aside_;
    stack.erase(stack.begin() + aside_);
  } else {
    stack.pop_back();
  }
}

// The first word of the buffer goes on all stacks.
void Configuration::move_to_stacks() {
  const std::int32_t node = buffer_.back();
  buffer_.pop_back();
  for (std::int32_t number = 0; number < program_->stacks(); ++number) push(number, node);
  in_buffer_[node] = 0;
  presence_[node] += program_->stacks() - 1;
}

// The top of all stacks goes to the front of the buffer.
void Configuration::move_to_buffer() {
  const std::int32_t node = stack(0).back();
  for (std::int32_t number = 0; number < program_->stacks(); ++number) pop(number);
  buffer_.push_back(node);
  in_buffer_[node] = 1;
  presence_[node] -= program_->stacks() - 1;
}

// The top of all stacks and the first word of the buffer change places.
void Configuration::exchange(std::int32_t top, std::int32_t first) {
  for (std::int32_t number = 0; number < program_->stacks(); ++number)
    stacks_[number][stack(number).size() - 1] = first;
  buffer_.back() = top;
  in_buffer_[top] = 1;
  in_buffer_[first] = 0;
  std::swap(presence_[top], presence_[first]);
}

bool Configuration::on_top_of_all(std::int32_t node) const {
  for (std::int32_t number = 0; number < program_->stacks(); ++number) {
    if (stack(number).empty() || stack(number).back() != node) return false;
  }
  return true;
}

bool Configuration::unshift() {
  const std::int32_t node = stack_word(0);
  if (node == kNoNode || !on_top_of_all(node)) return false;
  move_to_buffer();
  trail_.push_back({Operation::kUnshift, node, 0});
  return true;
}

bool Configuration::reduce(std::int32_t depth) {
  const std::int32_t node = stack_word(depth);
  if (node == kNoNode) return false;
  std::vector<std::int32_t>& stack = stacks_[active_];
  const auto top = static_cast<std::int32_t>(active_stack().size());
  stack.erase(stack.begin() + (top - 1 - depth));
  if (active_ == 0) --aside_;
  --presence_[node];
  trail_.push_back({Operation::kReduce, node, depth});
  return true;
}

bool Configuration::add_link(Operation operation, std::int32_t depth, std::int32_t label) {
  const std::int32_t on_stack = stack_word(depth);
  const std::int32_t in_buffer = buffer_first();
  if (on_stack == kNoNode || in_buffer == kNoNode) return false;
  const bool leftward = operation == Operation::kLeftArc;
  const std::int32_t head = leftward ? in_buffer : on_stack;
  const std::int32_t dependent = leftward ? on_stack : in_buffer;
  const bool undirected = operation == Operation::kArc;
  if (!undirected && dependent == root_position_) return false;
  if (link_exists(head, dependent, label) || (undirected && link_exists(dependent, head, label))) return false;
  links_.push_back({head, dependent, label, active_, last_in_[dependent]});
  last_in_[dependent] = static_cast<std::int32_t>(links_.size()) - 1;
  trail_.push_back({operation, dependent, 0});
  unite(head, dependent);
  return true;
}

bool Configuration::swap() {
  const std::int32_t on_stack = stack_word(0);
  const std::int32_t in_buffer = buffer_first();
  if (on_stack == kNoNode || in_buffer == kNoNode || on_stack > in_buffer) return false;
  if (on_stack == root_position_ || in_buffer == root_position_) return false;
  if (!on_top_of_all(on_stack)) return false;
  exchange(on_stack, in_buffer);
  trail_.push_back({Operation::kSwap, on_stack, in_buffer});
  return true;
}

void Configuration::undo_to(std::size_t mark) {
  while (trail_.size() > mark) {
    const Undo undo = trail_.back();
    trail_.pop_back();
    take_back(undo);
  }
}

void Configuration::take_back(const Undo& undo) {
  switch (undo.operation) {
    case Operation::kShift:
      move_to_buffer();
      break;
    case Operation::kUnshift:
      move_to_stacks();
      break;
    case Operation::kReduce: {
      std::vector<std::int32_t>& stack = stacks_[active_];
      const auto top = static_cast<std::int32_t>(active_stack().size());
      stack.insert(stack.begin() + (top - undo.extra), undo.node);
      if (active_ == 0) ++aside_;
      ++presence_[undo.node];
      break;
    }
    case Operation::kLeftArc:
    case Operation::kRightArc:
    case Operation::kArc: {
      const BuiltArc link = links_.back();
      links_.pop_back();
      last_in_[link.dependent] = link.previous;
      break;
    }
    case Operation::kSwitch:
      active_ = undo.extra;
      break;
    case Operation::kSwap:
      exchange(undo.extra, undo.node);
      break;
    case Operation::kSkip:
      ++aside_;
      break;
    case Operation::kJoin:
      aside_ = undo.extra;
      break;
    case Operation::kClear:
      stacks_[0].push_back(undo.node);
      ++presence_[undo.node];
      break;
    default:
      if (undo.operation == kBegin) {
        switches_ = undo.node;
      } else {  // two components were united
        size_[undo.extra] -= size_[undo.node];
        parent_[undo.node] = undo.node;
      }
  }
}

bool Configuration::link_exists(std::int32_t head, std::int32_t dependent, std::int32_t label) const {
  // Without a label at hand the question is whether any is left.
  if (label == kNoLabel) return parallel_links(head, dependent) >= std::max(1, program_->labels());
  for (std::int32_t link = last_in_[dependent]; link != kNoNode; link = links_[link].previous) {
    if (links_[link].head == head && links_[link].label == label) return true;
  }
  return false;
}

std::int32_t Configuration::parallel_links(std::int32_t head, std::int32_t dependent) const {
  std::int32_t count = 0;
  for (std::int32_t link = last_in_[dependent]; link != kNoNode; link = links_[link].previous) {
    count += links_[link].head == head;
  }
  return count;
}

bool Configuration::reaches(std::int32_t from, std::int32_t to) const {
  seen_.assign(static_cast<std::size_t>(nodes_), 0);
  pending_.assign(1, to);
  seen_[to] = 1;
  while (!pending_.empty()) {
    const std::int32_t node = pending_.back();
    pending_.pop_back();
    if (node == from) return true;
    for (std::int32_t link = last_in_[node]; link != kNoNode; link = links_[link].previous) {
      const std::int32_t head = links_[link].head;
      if (!seen_[head]) {
        seen_[head] = 1;
        pending_.push_back(head);
      }
    }
  }
  return false;
}

std::int32_t Configuration::component(std::int32_t node) const {
  while (parent_[node] != node) node = parent_[node];
  return node;
}

void Configuration::unite(std::int32_t a, std::int32_t b) {
  std::int32_t upper = component(a);
  std::int32_t lower = component(b);
  if (upper == lower) return;
  if (size_[upper] < size_[lower]) std::swap(upper, lower);
  parent_[lower] = upper;
  size_[upper] += size_[lower];
  trail_.push_back({static_cast<Operation>(kOperations + 1), lower, upper});
}

std::uint64_t Configuration::fingerprint() const {
  const auto mix = [](std::uint64_t hash, std::uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL;
    return hash ^ (hash >> 29);
  };
  std::uint64_t hash = mix(static_cast<std::uint64_t>(active_), static_cast<std::uint64_t>(switches_));
  const auto add = [&](std::span<const std::int32_t> nodes) {
    for (const std::int32_t node : nodes) hash = mix(hash, static_cast<std::uint64_t>(node) + 1);
    hash = mix(hash, 0);
  };
  for (std::int32_t number = 0; number < program_->stacks(); ++number) add(stack(number));
  add(aside());
  add(buffer_);
  std::uint64_t arcs = 0;
  for (const BuiltArc& link : links_) {
    arcs += mix(mix(mix(1, static_cast<std::uint64_t>(link.head)), static_cast<std::uint64_t>(link.dependent)),
                static_cast<std::uint64_t>(link.label + 1));
  }
  return hash ^ arcs;
}

}  // namespace crossarc
