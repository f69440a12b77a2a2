#include "search/easy_first.hpp"

#include <limits>
#include <numeric>

namespace crossarc {
namespace {

struct ExpectedStep {
  Operation operation;
  std::int32_t constant;
  std::int32_t times;
};

bool consists_of(const Transition& transition, std::span<const ExpectedStep> expected) {
  return std::equal(transition.steps.begin(), transition.steps.end(), expected.begin(), expected.end(),
                    [](const Step& step, const ExpectedStep& wanted) {
                      return step.operation == wanted.operation && step.constant == wanted.constant &&
                             step.times == wanted.times && step.depth == 0 && step.guard.empty();
                    });
}

}  // namespace

std::optional<EasyFirstMoves> easy_first_moves(const Program& program) {
  using enum Operation;
  constexpr ExpectedStep kShiftOne[] = {{kShift, 1, 0}};
  constexpr ExpectedStep kLeft[] = {{kShift, 0, 1}, {kLeftArc, 1, 0}, {kReduce, 1, 0}, {kUnshift, -1, 1}};
  constexpr ExpectedStep kRight[] = {{kShift, 0, 1},  {kRightArc, 1, 0}, {kShift, 1, 0},
                                     {kReduce, 1, 0}, {kUnshift, 1, 0},  {kUnshift, -1, 1}};
  EasyFirstMoves moves;
  for (std::size_t number = 0; number < program.size(); ++number) {
    const auto transition = static_cast<std::int32_t>(number);
    if (consists_of(program[number], kShiftOne)) moves.shift = transition;
    if (consists_of(program[number], kLeft)) moves.attach_left = transition;
    if (consists_of(program[number], kRight)) moves.attach_right = transition;
  }
  const bool all = std::min({moves.shift, moves.attach_left, moves.attach_right}) != kNoNode;
  return all && program.size() == 3 && program.stacks() == 1 ? std::optional(moves) : std::nullopt;
}

void PendingWords::start(std::int32_t words) {
  start_state(*definition_, words, state_);
  order_.resize(static_cast<std::size_t>(state_.configuration.nodes()));
  std::iota(order_.begin(), order_.end(), 0);
}

WordView PendingWords::view(std::int32_t position) const {
  const auto stack = std::span<const std::int32_t>(order_).first(shifted() + static_cast<std::size_t>(position));
  const auto rest = static_cast<std::size_t>(positions() - position);
  return {stack, stack, state_.configuration.reversed_buffer().first(rest), {}, 0, 1};
}

GoldArc PendingWords::arc(const Move& move) const {
  if (!is_arc(move)) return {kNoNode, pending(0), kNoLabel};
  const std::int32_t left = pending(move.position - 1);
  const std::int32_t right = pending(move.position);
  if (move.transition == moves_.attach_left) return {right, left, kNoLabel};
  return {left, right, kNoLabel};
}

void PendingWords::apply(const Move& move, std::int32_t label) {
  if (is_arc(move)) {
    const std::int32_t behind = move.transition == moves_.attach_left ? 1 : 0;
    order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(shifted()) + move.position - behind);
  }
  apply_transition(state_, move.transition, label, move.position);
}

void EasyFirstOracle::start(std::int32_t nodes, std::span<const GoldArc> gold) {
  gold_.assign(static_cast<std::size_t>(nodes), {kNoNode, kNoNode, kNoLabel});
  waiting_.assign(static_cast<std::size_t>(nodes), 0);
  for (const GoldArc& arc : gold) {
    gold_[static_cast<std::size_t>(arc.dependent)] = arc;
    ++waiting_[static_cast<std::size_t>(arc.head)];
  }
}

std::int32_t EasyFirstOracle::loss(const PendingWords& pending, const Move& move) const {
  const GoldArc arc = pending.arc(move);
  const auto taken = static_cast<std::size_t>(arc.dependent);
  const std::int32_t head = gold_[taken].head;
  const bool loses_head =
      head == kNoNode ? arc.head != kNoNode : head != arc.head && pending.state().configuration.in_buffer(head);
  return waiting_[taken] + (loses_head ? 1 : 0);
}

std::int32_t EasyFirstOracle::least_loss(const PendingWords& pending) const {
  std::int32_t least = std::numeric_limits<std::int32_t>::max();
  pending.visit_moves([&](const Move& move) { least = std::min(least, loss(pending, move)); });
  return least;
}

std::int32_t EasyFirstOracle::label(const PendingWords& pending, const Move& move) const {
  const GoldArc arc = pending.arc(move);
  const GoldArc& gold = gold_[static_cast<std::size_t>(arc.dependent)];
  return arc.head != kNoNode && gold.head == arc.head ? gold.label : kNoLabel;
}

void EasyFirstOracle::advance(const PendingWords& pending, const Move& move) {
  const std::int32_t head = gold_[static_cast<std::size_t>(pending.arc(move).dependent)].head;
  if (head != kNoNode) --waiting_[static_cast<std::size_t>(head)];
}

}  // namespace crossarc
