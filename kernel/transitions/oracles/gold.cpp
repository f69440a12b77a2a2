#include "transitions/oracles/gold.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "decoders/chart/chart.hpp"
#include "decoders/projective/eisner_chart.hpp"
#include "structure/lifting.hpp"

namespace crossarc {

void Gold::set(std::int32_t nodes, std::span<const GoldArc> arcs) {
  arcs_.assign(arcs.begin(), arcs.end());
  drawn_.clear();
  const auto count = static_cast<std::size_t>(nodes);
  starts_.assign(count + 1, 0);
  head_.assign(count, kNoNode);
  arc_into_.assign(count, kNoNode);
  forest_ = true;
  for (std::size_t arc = 0; arc < arcs_.size(); ++arc) {
    const auto [head, dependent, label] = arcs_[arc];
    drawn_.push_back(arc_between(head, dependent));
    ++starts_[head];
    ++starts_[dependent];
    forest_ &= head_[dependent] == kNoNode;
    head_[dependent] = head;
    arc_into_[dependent] = static_cast<std::int32_t>(arc);
  }
  std::int32_t end = 0;
  for (std::int32_t& start : starts_) start = end += start;
  neighbours_.resize(static_cast<std::size_t>(end));
  for (std::size_t arc = arcs_.size(); arc-- > 0;) {
    neighbours_[--starts_[arcs_[arc].head]] = {arcs_[arc].dependent, static_cast<std::int32_t>(arc)};
    neighbours_[--starts_[arcs_[arc].dependent]] = {arcs_[arc].head, static_cast<std::int32_t>(arc)};
  }
  for (std::int32_t node = 0; node < nodes; ++node) {
    std::sort(
        neighbours_.begin() + starts_[node], neighbours_.begin() + starts_[node + 1],
        [](const Neighbour& a, const Neighbour& b) { return a.node != b.node ? a.node < b.node : a.arc < b.arc; });
  }
  forest_ = forest_ && count_cycles(head_, seen_) == 0;
}

// Walking up from every node and marking the path: a path that meets itself is a cycle.
std::int32_t count_cycles(std::span<const std::int32_t> heads, std::vector<std::int32_t>& seen) {
  seen.assign(heads.size(), kNoNode);
  std::int32_t cycles = 0;
  for (std::int32_t node = 0; node < static_cast<std::int32_t>(heads.size()); ++node) {
    std::int32_t above = node;
    while (above != kNoNode && seen[above] == kNoNode) {
      seen[above] = node;
      above = heads[above];
    }
    cycles += above != kNoNode && seen[above] == node;
  }
  return cycles;
}

void PendingArcs::start(const Gold& gold, const Configuration& configuration) {
  gold_ = &gold;
  removed_.assign(gold.arcs().size(), 0);
  count_.assign(static_cast<std::size_t>(gold.nodes()), 0);
  for (const GoldArc& arc : gold.arcs()) {
    ++count_[arc.head];
    ++count_[arc.dependent];
  }
  all_ = static_cast<std::int32_t>(gold.arcs().size());
  for (const BuiltArc& link : configuration.links()) {
    const std::int32_t arc = match(link, configuration.program().undirected());
    if (arc != kNoNode) remove(arc);
  }
}

std::int32_t PendingArcs::match(const BuiltArc& link, bool undirected) const {
  for (const Gold::Neighbour& neighbour : gold_->neighbours(link.dependent)) {
    if (neighbour.node != link.head || removed_[neighbour.arc]) continue;
    if (undirected || gold_->arc(neighbour.arc).dependent == link.dependent) return neighbour.arc;
  }
  return kNoNode;
}

std::int32_t PendingArcs::unreachable(const Configuration& configuration, std::int32_t node) const {
  if (count_[node] == 0 || configuration.in_buffer(node)) return kNoNode;
  const bool gone = configuration.gone(node);
  if (!gone && configuration.program().refills_buffer()) return kNoNode;
  // Farthest to the left first: what is nearer has been built before.
  for (const Gold::Neighbour& neighbour : gold_->neighbours(node)) {
    if (!removed_[neighbour.arc] && (gone || !configuration.in_buffer(neighbour.node))) return neighbour.arc;
  }
  return kNoNode;
}

std::vector<std::int32_t> projective_order(const Gold& gold) {
  std::vector<std::int32_t> rank(static_cast<std::size_t>(gold.nodes()), 0);
  std::int32_t next = 0;
  std::vector<std::pair<std::int32_t, bool>> pending;  // a node, and whether its own turn has come
  for (std::int32_t node = gold.nodes(); node-- > 0;) {
    if (gold.head(node) == kNoNode) pending.emplace_back(node, false);
  }
  while (!pending.empty()) {
    const auto [node, own_turn] = pending.back();
    pending.pop_back();
    if (own_turn) {
      rank[node] = next++;
      continue;
    }
    const std::span<const Gold::Neighbour> neighbours = gold.neighbours(node);
    bool placed = false;
    for (auto neighbour = neighbours.rbegin(); neighbour != neighbours.rend(); ++neighbour) {
      if (neighbour->node < node && !placed) {
        pending.emplace_back(node, true);
        placed = true;
      }
      if (gold.head(node) != neighbour->node) pending.emplace_back(neighbour->node, false);
    }
    if (!placed) pending.emplace_back(node, true);
  }
  return rank;
}

std::vector<std::int32_t> projective_components(const Gold& gold) {
  std::vector<std::int32_t> above(static_cast<std::size_t>(gold.nodes()));  // the head, or itself if it has none there
  std::iota(above.begin(), above.end(), 0);
  std::vector<std::int32_t> dependents(above.size(), 0);  // not attached yet
  for (const GoldArc& arc : gold.arcs()) ++dependents[arc.head];
  std::vector<std::int32_t> stack;
  for (std::int32_t node = 0; node < gold.nodes(); ++node) {
    stack.push_back(node);
    while (stack.size() > 1) {
      const std::int32_t top = stack.back();
      const std::int32_t second = stack[stack.size() - 2];
      const bool leftward = gold.head(second) == top && dependents[second] == 0;
      if (!leftward && (gold.head(top) != second || dependents[top] != 0)) break;
      const auto [head, dependent] = leftward ? std::pair(top, second) : std::pair(second, top);
      --dependents[head];
      above[dependent] = head;
      stack.pop_back();
      stack.back() = head;
    }
  }
  std::vector<std::int32_t> component(above.size());
  for (std::int32_t node = 0; node < gold.nodes(); ++node) {
    std::int32_t root = node;
    while (above[root] != root) root = above[root] = above[above[root]];
    component[node] = root;
  }
  return component;
}

namespace {

using Weights = Best<float>;  // whole numbers below 2^24, which floats hold exactly

// By dependent. A common arc outweighs all that is gained elsewhere; then grandparents, then their heads.
std::vector<float> weigh_arcs(std::span<const std::int32_t> heads) {
  const std::size_t nodes = heads.size() + 1;
  std::vector<float> weights(nodes * nodes, 0);
  std::fill_n(weights.begin(), nodes, Weights::zero());  // nothing above the root
  for (std::size_t word = 1; word < nodes; ++word) {
    float* row = weights.data() + word * nodes;
    std::int32_t head = heads[word - 1];
    row[head] = 4 * static_cast<float>(nodes);
    for (std::int32_t gain = 3; gain > 0 && head != 0; --gain) {
      head = heads[head - 1];
      row[head] = static_cast<float>(gain);
    }
  }
  return weights;
}

std::vector<std::int32_t> lift_to_projective(std::span<const std::int32_t> heads) {
  TreeOrder order;
  if (heads.size() > kMostLifted || !order.build(heads)) return {};
  Lifter lifter{LiftOptions{}};
  lifter.lift(heads, order);
  return {lifter.heads().begin(), lifter.heads().end()};
}

}  // namespace

std::vector<std::int32_t> nearest_projective(std::span<const std::int32_t> heads) {
  if (heads.size() >= kMostProjectivized) return lift_to_projective(heads);
  EisnerChart<Weights> chart;
  chart.fill(static_cast<std::int32_t>(heads.size()), false, weigh_arcs(heads));
  std::vector<std::int32_t> nearest(heads.size());
  best_tree<Weights>(chart, nearest);
  return nearest;
}

}  // namespace crossarc
