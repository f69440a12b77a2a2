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
  const bool undirected = configuration.program().undirected();
  height_.assign(nodes, kNoNode);
  in_reach_.assign(gold.arcs().size(), 0);
  const std::span<const std::int32_t> stack = configuration.stack(0);
  for (std::size_t height = 0; height < stack.size(); ++height) height_[stack[height]] = height;
  head_.assign(nodes, kNoNode);
  above_.resize(undirected ? nodes : 0);
  std::iota(above_.begin(), above_.end(), 0);
  for (const BuiltArc& link : configuration.links()) {
    head_[link.dependent] = link.head;
    if (undirected) unite(link.head, link.dependent);
  }
  std::int32_t lost = 0;
  for (std::size_t number = 0; number < gold.arcs().size(); ++number) {
    const GoldArc& arc = gold.arcs()[number];
    // Of arcs no other gold one goes into a word.
    const bool built =
        undirected ? configuration.linked(arc.head, arc.dependent) || configuration.linked(arc.dependent, arc.head)
                   : head_[arc.dependent] == arc.head;
    if (built) continue;
    in_reach_[number] = reaches(reach, configuration, arc);
    const bool kept = in_reach_[number] && (!undirected || unite(arc.head, arc.dependent));
    if (kept) head_[arc.dependent] = arc.head;
    lost += !kept;
  }
  const bool may_close_cycles = !undirected && (reach == Reach::kPlanar || reach == Reach::kCovington);
  return lost + (may_close_cycles ? count_cycles(head_, seen_) : 0);
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
    return reach == Reach::kPlanar ? !configuration.gone(node) && !in_buffer(node) : height_[node] != kNoNode;
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
  if (root != kNoNode && height_[root] > height_[arc.dependent]) return false;
  return height_[arc.dependent] == height_[arc.head] + 1;
}

bool PlaneLoss::start(const Gold& gold) {
  drawn_ = gold.drawn();
  const std::vector<std::pair<std::int32_t, std::int32_t>> pairs = find_crossings(drawn_, gold.nodes());
  crossing_.resize(drawn_.size());
  for (std::vector<std::int32_t>& others : crossing_) others.clear();
  crossed_.clear();
  for (const auto& [a, b] : pairs) {
    crossing_[a].push_back(b);
    crossing_[b].push_back(a);
  }
  for (std::size_t arc = 0; arc < drawn_.size(); ++arc) {
    if (!crossing_[arc].empty()) crossed_.push_back(arc);
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
    for (const std::int32_t member : component_) colour_[member] = 0;
    lost += !colourable_from(arc, 2);
  }
  return lost;
}

// Colours the whole component of an arc, even if that does not succeed.
bool PlaneLoss::colourable_from(std::int32_t arc, std::uint8_t colour) {
  component_.assign(1, arc);
  colour_[arc] = colour;
  bool possible = true;
  for (std::size_t next = 0; next < component_.size(); ++next) {
    const std::int32_t member = component_[next];
    possible &= (stacks_[member] & colour_[member]) != 0;
    for (const std::int32_t other : crossing_[member]) {
      if (stacks_[other] == 0) continue;
      possible &= colour_[other] != colour_[member];
      if (colour_[other] != 0) continue;
      colour_[other] = kBoth - colour_[member];
      component_.push_back(other);
    }
  }
  return possible;
}

}  // namespace crossarc
