#include "transitions/oracles/reachable_rule.hpp"

#include <algorithm>

#include "transitions/oracles/plane_choice.hpp"
#include "transitions/oracles/projective_order.hpp"

namespace crossarc {

void Expert::start(const Gold& gold, std::span<const std::int32_t> planes) {
  gold_ = &gold;
  planes_ = planes;
  if (rule_ == Rule::kSwapEager || rule_ == Rule::kSwapLazy) projective_order_ = projective_order(gold);
}

std::int32_t Expert::next(const Configuration& configuration) const {
  const std::span<const std::int32_t> stack = configuration.active_stack();
  const std::int32_t top = stack.empty() ? kNoNode : stack.back();
  const std::int32_t second = stack.size() < 2 ? kNoNode : stack[stack.size() - 2];
  const std::int32_t first = configuration.buffer_first();
  std::int32_t transition = kNoNode;
  switch (rule_) {
    case Rule::kPlanar:
    case Rule::kArcEager:
    case Rule::kCovington:
      return link_waiting(configuration);
    case Rule::kArcStandard:
      transition = combine(configuration, first, top);
      break;
    case Rule::kArcStandardStack:
      transition = combine(configuration, top, second);
      break;
    case Rule::kArcHybrid:
      if (top != kNoNode && gold_->head(top) != kNoNode && !waits(configuration, top)) {
        if (gold_->head(top) == first) transition = roles_.left_arc;
        if (gold_->head(top) == second) transition = roles_.right_arc;
      }
      break;
    case Rule::kSwapEager:
    case Rule::kSwapLazy:
      transition = combine(configuration, top, second);
      if (transition == kNoNode && top != kNoNode && second != kNoNode && second < top &&
          second != configuration.root_position() && projective_order_[top] < projective_order_[second]) {
        return roles_.swap;
      }
      break;
    case Rule::kNone:
      return kNoNode;
  }
  return transition == kNoNode ? roles_.shift : transition;
}

// In a forest: its dependent has no head, and it closes no cycle.
bool Expert::possible(const Configuration& configuration, const GoldArc& arc) const {
  if (configuration.gone(arc.head) || configuration.gone(arc.dependent)) return false;
  if (!forests_) {
    const bool leftward = arc.head > arc.dependent;
    const auto [left, right] = std::minmax(arc.head, arc.dependent);
    return !configuration.linked(arc.head, arc.dependent) &&
           !configuration.ruled_out(leftward ? roles_.left_arc : roles_.right_arc, left, right);
  }
  const bool taken = !configuration.program().undirected() && configuration.has_head(arc.dependent);
  return !taken && !configuration.connected(arc.head, arc.dependent);
}

// Whether a word still waits for dependents.
bool Expert::waits(const Configuration& configuration, std::int32_t node) const {
  for (const Gold::Neighbour& neighbour : gold_->neighbours(node)) {
    const GoldArc& arc = gold_->arc(neighbour.arc);
    if (arc.head == node && possible(configuration, arc)) return true;
  }
  return false;
}

bool Expert::has_pending(const Configuration& configuration, std::int32_t node) const {
  for (const Gold::Neighbour& neighbour : gold_->neighbours(node)) {
    const bool ahead = configuration.in_buffer(neighbour.node) || configuration.in_buffer(node);
    if (ahead && possible(configuration, gold_->arc(neighbour.arc))) return true;
  }
  return false;
}

std::int32_t Expert::combine(const Configuration& configuration, std::int32_t right, std::int32_t left) const {
  if (right == kNoNode || left == kNoNode) return kNoNode;
  if (gold_->head(left) == right && !waits(configuration, left)) return roles_.left_arc;
  if (gold_->head(right) == left && !waits(configuration, right)) return roles_.right_arc;
  return kNoNode;
}

std::int32_t Expert::link_waiting(const Configuration& configuration) const {
  const std::int32_t first = configuration.buffer_first();
  if (first == kNoNode) return kNoNode;
  const std::span<const Gold::Neighbour> neighbours = gold_->neighbours(first);
  bool elsewhere = false;
  // The nearest words to the left come first.
  const std::span<const std::int32_t> stack = configuration.active_stack();
  for (auto neighbour = std::lower_bound(neighbours.begin(), neighbours.end(), first,
                                         [](const Gold::Neighbour& a, std::int32_t b) { return a.node < b; });
       neighbour != neighbours.begin();) {
    --neighbour;
    const GoldArc& arc = gold_->arc(neighbour->arc);
    const bool lost = !planes_.empty() && planes_[neighbour->arc] == kNoPlane;
    if (lost || !possible(configuration, arc)) continue;
    const bool here = std::binary_search(stack.begin(), stack.end(), neighbour->node);
    const bool wanted_here = planes_.empty() || planes_[neighbour->arc] == configuration.active();
    if (here && wanted_here) {
      if (stack.back() == neighbour->node) return arc.head == first ? roles_.left_arc : roles_.right_arc;
      return rule_ == Rule::kCovington ? roles_.no_arc : roles_.reduce;
    }
    if (configuration.program().stacks() > 1) elsewhere = true;
  }
  return elsewhere && configuration.switches() == 0 ? roles_.switch_stack : roles_.shift;
}

}  // namespace crossarc
