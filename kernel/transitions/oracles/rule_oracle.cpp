#include "transitions/oracles/rule_oracle.hpp"

#include <algorithm>
#include <numeric>

#include "transitions/oracles/projective_order.hpp"

namespace crossarc {

bool RuleOracle::derive(const Program& program, Rule rule, const Roles& roles, std::int32_t words, Root root,
                        const Gold& gold, std::span<const std::int32_t> planes) {
  gold_ = &gold;
  roles_ = roles;
  planes_ = planes;
  actions_.clear();
  configuration_.start(program, words, root);
  buffer_first_ = kNoNode;
  waiting_.resize(static_cast<std::size_t>(program.stacks()));
  if (rule != Rule::kPlanar && rule != Rule::kCovington && !gold.forest()) return false;
  dependents_left_.assign(static_cast<std::size_t>(gold.nodes()), 0);
  for (const GoldArc& arc : gold.arcs()) ++dependents_left_[arc.head];
  if (rule == Rule::kSwapEager || rule == Rule::kSwapLazy) projective_order_ = projective_order(gold);
  if (rule == Rule::kSwapLazy) find_projective_components();
  while (!configuration_.terminal() || configuration_.links().size() < gold.arcs().size()) {
    const Action action = next(rule);
    if (action.transition == kNoNode) return false;
    if (!configuration_.apply(action.transition, action.position, action.label)) return false;
    configuration_.forget();
    actions_.push_back(action);
  }
  return true;
}

Action RuleOracle::next(Rule rule) {
  const std::span<const std::int32_t> stack = configuration_.active_stack();
  const std::int32_t top = stack.empty() ? kNoNode : stack.back();
  const std::int32_t second = stack.size() < 2 ? kNoNode : stack[stack.size() - 2];
  const std::int32_t first = configuration_.buffer_first();
  Action action;
  switch (rule) {
    case Rule::kPlanar:
    case Rule::kArcEager:
    case Rule::kCovington:
      return link_waiting(rule == Rule::kCovington);
    case Rule::kArcStandard:
      action = combine(first, top);
      break;
    case Rule::kArcStandardStack:
      action = combine(top, second);
      break;
    case Rule::kArcHybrid:
      action.transition = kNoNode;
      if (top != kNoNode && complete(top) && gold_->head(top) != kNoNode) {
        if (gold_->head(top) == first) action = attach(top, roles_.left_arc);
        if (gold_->head(top) == second) action = attach(top, roles_.right_arc);
      }
      break;
    case Rule::kSwapEager:
    case Rule::kSwapLazy:
      action = combine(top, second);
      if (action.transition == kNoNode && top != kNoNode && second != kNoNode && second < top &&
          projective_order_[top] < projective_order_[second]) {
        const bool wait =
            rule == Rule::kSwapLazy && first != kNoNode && projective_component_[top] == projective_component_[first];
        if (!wait) return {roles_.swap, 0, kNoLabel};
      }
      break;
    default:
      return {kNoNode, 0, kNoLabel};
  }
  return action.transition == kNoNode ? Action{roles_.shift, 0, kNoLabel} : action;
}

// The gold label of the arc into a word of a forest.
std::int32_t RuleOracle::label_into(std::int32_t dependent) const {
  for (const Gold::Neighbour& neighbour : gold_->neighbours(dependent)) {
    if (gold_->arc(neighbour.arc).dependent == dependent) return gold_->arc(neighbour.arc).label;
  }
  return kNoLabel;
}

// The rules that go through the arcs of the buffer's first word to the left, the nearest first: build it when its other
// end is on top, uncover it when it is not, and shift when none is left.
Action RuleOracle::link_waiting(bool covington) {
  const std::int32_t first = configuration_.buffer_first();
  if (first == kNoNode) return {kNoNode, 0, kNoLabel};
  if (first != buffer_first_) wait_for(first);
  std::vector<std::int32_t>& waiting = waiting_[static_cast<std::size_t>(configuration_.active())];
  if (waiting.empty()) {
    const bool elsewhere =
        std::any_of(waiting_.begin(), waiting_.end(), [](const auto& arcs) { return !arcs.empty(); });
    return {elsewhere ? roles_.switch_stack : roles_.shift, 0, kNoLabel};
  }
  const GoldArc& arc = gold_->arc(waiting.back());
  const std::int32_t other = std::min(arc.head, arc.dependent);
  const std::span<const std::int32_t> stack = configuration_.active_stack();
  if (stack.empty() || stack.back() < other) return {kNoNode, 0, kNoLabel};
  if (stack.back() > other) return {covington ? roles_.no_arc : roles_.reduce, 0, kNoLabel};
  waiting.pop_back();
  return {arc.head == first ? roles_.left_arc : roles_.right_arc, 0, arc.label};
}

void RuleOracle::wait_for(std::int32_t node) {
  buffer_first_ = node;
  for (std::vector<std::int32_t>& waiting : waiting_) waiting.clear();
  for (const Gold::Neighbour& neighbour : gold_->neighbours(node)) {
    if (neighbour.node > node) break;
    const std::int32_t plane = planes_.empty() ? 0 : planes_[neighbour.arc];
    waiting_[static_cast<std::size_t>(plane)].push_back(neighbour.arc);
  }
}

// The arc between two neighbours, the right one first, if its dependent has all its own dependents.
Action RuleOracle::combine(std::int32_t right, std::int32_t left) {
  if (right == kNoNode || left == kNoNode) return {kNoNode, 0, kNoLabel};
  if (gold_->head(left) == right && complete(left)) return attach(left, roles_.left_arc);
  if (gold_->head(right) == left && complete(right)) return attach(right, roles_.right_arc);
  return {kNoNode, 0, kNoLabel};
}

Action RuleOracle::attach(std::int32_t dependent, std::int32_t transition) {
  --dependents_left_[gold_->head(dependent)];
  return {transition, 0, label_into(dependent)};
}

// The parts of the tree that arc-standard builds without swapping (Nivre, Kuhlmann & Hall 2009).
void RuleOracle::find_projective_components() {
  const std::vector<std::int32_t> dependents = dependents_left_;
  const auto nodes = static_cast<std::size_t>(gold_->nodes());
  projective_component_.resize(nodes);
  std::iota(projective_component_.begin(), projective_component_.end(), 0);
  const auto component = [this](std::int32_t node) {
    while (projective_component_[node] != node) node = projective_component_[node];
    return node;
  };
  std::vector<std::int32_t> stack;
  for (std::int32_t node = 0; node < gold_->nodes(); ++node) {
    stack.push_back(node);
    while (stack.size() > 1) {
      const std::int32_t top = stack.back();
      const std::int32_t second = stack[stack.size() - 2];
      const Action action = combine(top, second);
      if (action.transition == kNoNode) break;
      const bool leftward = gold_->head(second) == top;
      stack.pop_back();
      if (leftward) stack.back() = top;
      projective_component_[component(leftward ? second : top)] = component(leftward ? top : second);
    }
  }
  for (std::int32_t node = 0; node < gold_->nodes(); ++node) projective_component_[node] = component(node);
  dependents_left_ = dependents;
}

}  // namespace crossarc
