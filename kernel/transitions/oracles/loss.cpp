#include "transitions/oracles/loss.hpp"

#include <algorithm>
#include <numeric>

namespace crossarc {

std::int32_t LossCounter::count(Reach reach, const Configuration& configuration, const Gold& gold) {
  const auto nodes = static_cast<std::size_t>(configuration.nodes());
  place_.assign(nodes, kNoNode);
  in_reach_.assign(gold.arcs().size(), 0);
  const std::span<const std::int32_t> stack = configuration.stack(0);
  for (std::size_t place = 0; place < stack.size(); ++place) place_[stack[place]] = static_cast<std::int32_t>(place);
  if (configuration.program().undirected()) return count_links(reach, configuration, gold);
  head_.assign(nodes, kNoNode);
  for (const BuiltArc& link : configuration.links()) head_[link.dependent] = link.head;
  std::int32_t lost = 0;
  for (std::size_t number = 0; number < gold.arcs().size(); ++number) {
    const GoldArc& arc = gold.arcs()[number];
    if (head_[arc.dependent] == arc.head) continue;  // built: no other gold arc goes into that word
    in_reach_[number] = reaches(reach, configuration, arc);
    if (in_reach_[number]) {
      head_[arc.dependent] = arc.head;
    } else {
      ++lost;
    }
  }
  const bool may_close_cycles = reach == Reach::kPlanar || reach == Reach::kCovington;
  return lost + (may_close_cycles ? count_cycles() : 0);
}

std::int32_t LossCounter::count_links(Reach reach, const Configuration& configuration, const Gold& gold) {
  above_.resize(static_cast<std::size_t>(configuration.nodes()));
  std::iota(above_.begin(), above_.end(), 0);
  for (const BuiltArc& link : configuration.links()) unite(link.head, link.dependent);
  std::int32_t lost = 0;
  for (std::size_t number = 0; number < gold.arcs().size(); ++number) {
    const GoldArc& arc = gold.arcs()[number];
    if (configuration.linked(arc.head, arc.dependent) || configuration.linked(arc.dependent, arc.head)) continue;
    in_reach_[number] = reaches(reach, configuration, arc);
    lost += !(in_reach_[number] && unite(arc.head, arc.dependent));
  }
  return lost;
}

bool LossCounter::unite(std::int32_t a, std::int32_t b) {
  const auto top = [&](std::int32_t node) {
    while (above_[node] != node) node = above_[node] = above_[above_[node]];
    return node;
  };
  const std::int32_t from = top(a);
  const std::int32_t to = top(b);
  above_[from] = to;
  return from != to;
}

bool LossCounter::reaches(Reach reach, const Configuration& configuration, const GoldArc& arc) const {
  if (!configuration.program().undirected() && configuration.has_head(arc.dependent)) return false;
  const auto in_buffer = [&](std::int32_t node) { return configuration.in_buffer(node); };
  const auto on_stack = [&](std::int32_t node) {
    return reach == Reach::kPlanar ? !configuration.gone(node) && !in_buffer(node) : place_[node] != kNoNode;
  };
  if (reach == Reach::kCovington) {
    const std::int32_t left = std::min(arc.head, arc.dependent);
    const std::int32_t right = std::max(arc.head, arc.dependent);
    if (!in_buffer(right) || configuration.connected(left, right)) return false;
    return right != configuration.buffer_first() || on_stack(left);
  }
  if (in_buffer(arc.head) && in_buffer(arc.dependent)) return true;
  if (in_buffer(arc.head) || in_buffer(arc.dependent)) {
    if (!on_stack(arc.head) && !on_stack(arc.dependent)) return false;
    return reach != Reach::kPlanar || !configuration.connected(arc.head, arc.dependent);
  }
  // On the stack both: the head just below the dependent, and nothing above that stays for ever, as the root would.
  if (reach != Reach::kArcHybrid || !on_stack(arc.head) || !on_stack(arc.dependent)) return false;
  const std::int32_t root = configuration.root_position();
  if (root != kNoNode && place_[root] > place_[arc.dependent]) return false;
  return place_[arc.dependent] == place_[arc.head] + 1;
}

std::int32_t LossCounter::count_cycles() {
  seen_.assign(head_.size(), kNoNode);
  std::int32_t cycles = 0;
  for (std::int32_t node = 0; node < static_cast<std::int32_t>(head_.size()); ++node) {
    std::int32_t above = node;
    while (above != kNoNode && seen_[above] == kNoNode) {
      seen_[above] = node;
      above = head_[above];
    }
    cycles += above != kNoNode && seen_[above] == node;
  }
  return cycles;
}

}  // namespace crossarc
