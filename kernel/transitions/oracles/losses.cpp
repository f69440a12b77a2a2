#include "transitions/oracles/losses.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "structure/arcs.hpp"

namespace crossarc {
namespace {

constexpr std::size_t kMostCrossings = 4096;
constexpr std::uint8_t kBoth = 3;

}  // namespace

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

bool PlaneLoss::start(const Gold& gold) {
  const auto arcs = static_cast<std::int32_t>(gold.arcs().size());
  drawn_.clear();
  for (std::int32_t arc = 0; arc < arcs; ++arc) drawn_.push_back(gold.drawn(arc));
  const std::vector<std::pair<std::int32_t, std::int32_t>> pairs = find_crossings(drawn_, gold.nodes());
  starts_.assign(static_cast<std::size_t>(arcs) + 1, 0);
  for (const auto& [a, b] : pairs) {
    ++starts_[a];
    ++starts_[b];
  }
  crossed_.clear();
  std::int32_t end = 0;
  for (std::int32_t arc = 0; arc <= arcs; ++arc) {
    if (starts_[arc] > 0) crossed_.push_back(arc);
    starts_[arc] = end += starts_[arc];
  }
  others_.resize(static_cast<std::size_t>(end));
  for (const auto& [a, b] : pairs) {
    others_[--starts_[a]] = b;
    others_[--starts_[b]] = a;
  }
  return pairs.size() <= kMostCrossings;
}

std::int32_t PlaneLoss::count(const Configuration& configuration, std::span<const std::uint8_t> in_reach) {
  if (crossed_.empty()) return 0;
  stacks_.assign(drawn_.size(), 0);
  colour_.assign(drawn_.size(), 0);
  for (const std::int32_t arc : crossed_) {
    if (!in_reach[arc]) continue;
    const std::int32_t left = drawn_[arc].left;
    if (configuration.in_buffer(left)) {
      stacks_[arc] = kBoth;
      continue;
    }
    for (std::int32_t number = 0; number < 2; ++number) {
      const std::span<const std::int32_t> stack = configuration.stack(number);
      if (std::binary_search(stack.begin(), stack.end(), left)) stacks_[arc] |= static_cast<std::uint8_t>(1 << number);
    }
  }
  std::int32_t lost = 0;
  for (const std::int32_t arc : crossed_) {
    if (stacks_[arc] == 0 || colour_[arc] != 0) continue;
    if (colourable_from(arc, 1)) continue;
    for (const std::int32_t one : found_) colour_[one] = 0;
    lost += !colourable_from(arc, 2);
  }
  return lost;
}

// Colours the whole component of an arc, even if that does not succeed.
bool PlaneLoss::colourable_from(std::int32_t arc, std::uint8_t colour) {
  found_.assign(1, arc);
  colour_[arc] = colour;
  bool possible = true;
  for (std::size_t next = 0; next < found_.size(); ++next) {
    const std::int32_t one = found_[next];
    possible &= (stacks_[one] & colour_[one]) != 0;
    for (const std::int32_t other : crossing(one)) {
      if (stacks_[other] == 0) continue;
      possible &= colour_[other] != colour_[one];
      if (colour_[other] != 0) continue;
      colour_[other] = kBoth - colour_[one];
      found_.push_back(other);
    }
  }
  return possible;
}

}  // namespace crossarc
