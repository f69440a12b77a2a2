#include "transitions/machine/program.hpp"

#include <algorithm>
#include <stdexcept>

namespace crossarc {
namespace {

bool is_arc(Operation operation) {
  return operation == Operation::kLeftArc || operation == Operation::kRightArc || operation == Operation::kArc;
}

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

Program::Program(std::int32_t stacks, std::vector<Transition> transitions, std::int32_t labels)
    : stacks_(stacks), labels_(labels), transitions_(std::move(transitions)) {
  if (stacks < 1 || stacks > kMostStacks) throw std::invalid_argument("the number of stacks is out of range");
  if (labels < 0) throw std::invalid_argument("the number of labels is not negative");
  if (transitions_.empty()) throw std::invalid_argument("a system needs transitions");
  if (transitions_.size() > kMostTransitions) throw std::invalid_argument("a system has too many transitions");
  for (Transition& transition : transitions_) {
    if (transition.steps.empty() || transition.steps.size() > kMostSteps) {
      throw std::invalid_argument("the number of steps of a transition is out of range");
    }
    transition.only_switch = true;
    for (const Step& step : transition.steps) {
      check(step);
      transition.arcs += is_arc(step.operation);
      transition.positional |= step.times != 0;
      transition.only_switch &= step.operation == Operation::kSwitch;
      refills_buffer_ |= step.operation == Operation::kUnshift || step.operation == Operation::kSwap;
      swaps_ |= step.operation == Operation::kSwap;
      undirected_ |= step.operation == Operation::kArc;
      planar_stacks_ &= step.operation < Operation::kSwap && (step.depth == 0);
    }
    positional_ |= transition.positional;
    std::vector<std::int32_t>& list = transition.positional ? positional_transitions_ : plain_;
    index_.push_back(static_cast<std::int32_t>(list.size()));
    list.push_back(static_cast<std::int32_t>(index_.size()) - 1);
  }
}

void Program::check(const Step& step) const {
  constexpr std::uint16_t kUnknown = static_cast<std::uint16_t>(~((1U << kFacts) - 1));
  if (step.depth < 0 || step.depth > kMostDepth) throw std::invalid_argument("a depth is out of range");
  if (step.times < 0 || step.times > 1 || step.constant < -1 || step.constant > kMostRepeats ||
      (step.times == 0 && step.constant < 1)) {
    throw std::invalid_argument("a step is repeated a constant number of times, or that and the position");
  }
  for (const Clause& clause : step.guard) {
    if (((clause.must | clause.must_not) & kUnknown) != 0) throw std::invalid_argument("an unknown fact in a guard");
  }
  const bool lists = step.operation >= Operation::kSkip;
  if (lists && stacks_ > 1) throw std::invalid_argument("Covington's lists stand beside one stack");
}

std::int32_t Program::action_count(std::int32_t nodes) const {
  const std::int32_t positions = nodes > 1 ? nodes - 1 : 0;
  return static_cast<std::int32_t>(plain_.size() +
                                   positional_transitions_.size() * static_cast<std::size_t>(positions));
}

std::pair<std::int32_t, std::int32_t> Program::transition_of(std::int32_t action) const {
  const auto plain = static_cast<std::int32_t>(plain_.size());
  if (action < plain) return {plain_[action], 0};
  const auto each = static_cast<std::int32_t>(positional_transitions_.size());
  return {positional_transitions_[(action - plain) % each], (action - plain) / each + 1};
}

std::int32_t Program::action_of(std::int32_t transition, std::int32_t position) const {
  if (!transitions_[transition].positional) return index_[transition];
  const auto each = static_cast<std::int32_t>(positional_transitions_.size());
  return static_cast<std::int32_t>(plain_.size()) + (position - 1) * each + index_[transition];
}

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
  const bool all = std::min({moves.shift, moves.attach_left, moves.attach_right}) >= 0;
  return all && program.size() == 3 && program.stacks() == 1 ? std::optional(moves) : std::nullopt;
}

}  // namespace crossarc
