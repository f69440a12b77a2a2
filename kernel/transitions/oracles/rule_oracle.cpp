#include "transitions/oracles/rule_oracle.hpp"

#include <algorithm>

#include "transitions/oracles/plane_choice.hpp"

namespace crossarc {

void RuleOracle::start(const Gold& gold, std::span<const std::int32_t> planes) {
  gold_ = &gold;
  planes_ = planes;
  if (rule_ == Rule::kSwapEager || rule_ == Rule::kSwapLazy) projective_order_ = projective_order(gold);
  if (rule_ == Rule::kSwapLazy) projective_component_ = projective_components(gold);
}

RuleOracle::Choice RuleOracle::next(const Configuration& configuration) const {
  const std::span<const std::int32_t> stack = configuration.active_stack();
  const std::int32_t top = stack.empty() ? kNoNode : stack.back();
  const std::int32_t second = stack.size() < 2 ? kNoNode : stack[stack.size() - 2];
  const std::int32_t first = configuration.buffer_first();
  Choice choice;
  switch (rule_) {
    case Rule::kNone:
      return {};
    case Rule::kPlanar:
    case Rule::kArcEager:
    case Rule::kCovington:
      return link_first_word(configuration);
    case Rule::kArcStandard:
      choice = combine(configuration, first, top);
      break;
    case Rule::kArcStandardStack:
      choice = combine(configuration, top, second);
      break;
    case Rule::kArcHybrid:
      if (top != kNoNode && gold_->head(top) != kNoNode && !waits_for_dependents(configuration, top)) {
        if (gold_->head(top) == first) choice = attach(top, Role::kLeftArc);
        if (gold_->head(top) == second) choice = attach(top, Role::kRightArc);
      }
      break;
    case Rule::kSwapEager:
    case Rule::kSwapLazy:
      choice = combine(configuration, top, second);
      if (choice.transition == kNoNode && swaps(configuration, top, second)) return {roles_[Role::kSwap]};
      break;
  }
  return choice.transition == kNoNode ? Choice{roles_[Role::kShift]} : choice;
}

// The rules that go through the arcs of the buffer's first word to the left, the nearest first: build it when its other
// end is on top, uncover it when it is not, and shift when none is left.
RuleOracle::Choice RuleOracle::link_first_word(const Configuration& configuration) const {
  const std::int32_t first = configuration.buffer_first();
  if (first == kNoNode) return {};
  const std::span<const Gold::Neighbour> neighbours = gold_->neighbours(first);
  const std::span<const std::int32_t> stack = configuration.active_stack();
  // What lies right of the top is not on this stack.
  const auto end = std::lower_bound(neighbours.begin(), neighbours.end(), stack.empty() ? 0 : stack.back() + 1,
                                    [](const Gold::Neighbour& a, std::int32_t b) { return a.node < b; });
  for (auto neighbour = end; neighbour != neighbours.begin();) {
    --neighbour;
    const GoldArc& arc = gold_->arc(neighbour->arc);
    if (!planes_.empty() && planes_[neighbour->arc] != configuration.active()) continue;
    if (!possible(configuration, arc)) continue;
    if (stack.back() == neighbour->node) {
      return {roles_[arc.head == first ? Role::kLeftArc : Role::kRightArc], neighbour->arc};
    }
    // After mistakes it may have gone from this stack. Where only gold arcs are built, a word with arcs to be built
    // stays, or the graph is none of the system's class, which shows in the end.
    if (obstacle_ != Obstacle::kNone && !std::binary_search(stack.begin(), stack.end(), neighbour->node)) continue;
    return {roles_[rule_ == Rule::kCovington ? Role::kNoArc : Role::kReduce]};
  }
  return {roles_[waits_elsewhere(configuration, first) ? Role::kSwitch : Role::kShift]};
}

// Whether the first word of the buffer, which has nothing to do on the active stack, has an arc for another one.
bool RuleOracle::waits_elsewhere(const Configuration& configuration, std::int32_t first) const {
  if (configuration.program().stacks() == 1 || configuration.switches() >= most_switches_) return false;
  return std::ranges::any_of(gold_->neighbours(first), [&](const Gold::Neighbour& neighbour) {
    const bool given_up = !planes_.empty() && planes_[neighbour.arc] == kNoPlane;
    return neighbour.node < first && !given_up && possible(configuration, gold_->arc(neighbour.arc));
  });
}

// The arc between two neighbours, the right one first, if its dependent has all its own dependents.
RuleOracle::Choice RuleOracle::combine(const Configuration& configuration, std::int32_t right,
                                       std::int32_t left) const {
  if (right == kNoNode || left == kNoNode) return {};
  if (gold_->head(left) == right && !waits_for_dependents(configuration, left)) return attach(left, Role::kLeftArc);
  if (gold_->head(right) == left && !waits_for_dependents(configuration, right)) return attach(right, Role::kRightArc);
  return {};
}

// Whether the two topmost words are to change places: they are not in projective order. Lazily, only when the upper one
// has nothing to wait for in the buffer.
bool RuleOracle::swaps(const Configuration& configuration, std::int32_t top, std::int32_t second) const {
  if (top == kNoNode || second == kNoNode || second > top || second == configuration.root_position()) return false;
  if (projective_order_[top] > projective_order_[second]) return false;
  const std::int32_t first = configuration.buffer_first();
  return rule_ == Rule::kSwapEager || first == kNoNode || projective_component_[top] != projective_component_[first];
}

bool RuleOracle::waits_for_dependents(const Configuration& configuration, std::int32_t node) const {
  return std::ranges::any_of(gold_->neighbours(node), [&](const Gold::Neighbour& neighbour) {
    const GoldArc& arc = gold_->arc(neighbour.arc);
    return arc.head == node && possible(configuration, arc);
  });
}

bool RuleOracle::has_pending(const Configuration& configuration, std::int32_t node) const {
  return std::ranges::any_of(gold_->neighbours(node), [&](const Gold::Neighbour& neighbour) {
    const bool ahead = configuration.in_buffer(neighbour.node) || configuration.in_buffer(node);
    return ahead && possible(configuration, gold_->arc(neighbour.arc));
  });
}

bool RuleOracle::possible(const Configuration& configuration, const GoldArc& arc) const {
  if (configuration.gone(arc.head) || configuration.gone(arc.dependent)) return false;
  const bool undirected = configuration.program().undirected();
  if (obstacle_ == Obstacle::kForest) {
    const bool taken = !undirected && configuration.has_head(arc.dependent);
    return !taken && !configuration.connected(arc.head, arc.dependent);
  }
  if (configuration.linked(arc.head, arc.dependent)) return false;
  if (undirected && configuration.linked(arc.dependent, arc.head)) return false;
  if (obstacle_ == Obstacle::kNone) return true;
  const auto [left, right] = std::minmax(arc.head, arc.dependent);
  return !configuration.ruled_out(roles_[arc.head > arc.dependent ? Role::kLeftArc : Role::kRightArc], left, right);
}

}  // namespace crossarc
