#include "transitions/oracles/gold_progress.hpp"

namespace crossarc {

void Progress::start(const Gold& gold) {
  gold_ = &gold;
  closed_.assign(gold.arcs().size(), 0);
  pending_.assign(static_cast<std::size_t>(gold.nodes()), 0);
  for (const GoldArc& arc : gold.arcs()) {
    ++pending_[arc.head];
    ++pending_[arc.dependent];
  }
  all_pending_ = static_cast<std::int32_t>(gold.arcs().size());
}

std::int32_t Progress::match(const BuiltArc& link, bool undirected) const {
  for (const Gold::Neighbour& neighbour : gold_->neighbours(link.dependent)) {
    if (neighbour.node != link.head || closed_[neighbour.arc]) continue;
    if (undirected || gold_->arc(neighbour.arc).dependent == link.dependent) return neighbour.arc;
  }
  return kNoNode;
}

void Progress::build(std::int32_t arc) {
  closed_[arc] = 1;
  --pending_[gold_->arc(arc).head];
  --pending_[gold_->arc(arc).dependent];
  --all_pending_;
}

void Progress::unbuild(std::int32_t arc) {
  closed_[arc] = 0;
  ++pending_[gold_->arc(arc).head];
  ++pending_[gold_->arc(arc).dependent];
  ++all_pending_;
}

std::int32_t Progress::unreachable(const Configuration& configuration, std::int32_t node) const {
  if (pending_[node] == 0 || configuration.in_buffer(node)) return kNoNode;
  const bool gone = configuration.gone(node);
  if (!gone && configuration.program().refills_buffer()) return kNoNode;
  // Farthest to the left first: what is nearer has been built before.
  for (const Gold::Neighbour& neighbour : gold_->neighbours(node)) {
    if (!closed_[neighbour.arc] && (gone || !configuration.in_buffer(neighbour.node))) return neighbour.arc;
  }
  return kNoNode;
}

}  // namespace crossarc
