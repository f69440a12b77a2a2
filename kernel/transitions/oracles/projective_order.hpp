// The words of a forest in projective order: an inorder walk, every head between its left and right children (Nivre
// 2009, Section 3.1). Sorting the words so makes the tree projective. O(n).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "transitions/oracles/gold.hpp"

namespace crossarc {

// The rank of every node.
inline std::vector<std::int32_t> projective_order(const Gold& gold) {
  std::vector<std::int32_t> rank(static_cast<std::size_t>(gold.nodes()), 0);
  std::int32_t next = 0;
  std::vector<std::pair<std::int32_t, bool>> pending;  // a node, and whether its own turn has come
  for (std::int32_t root = gold.nodes(); root-- > 0;) {
    if (gold.head(root) == kNoNode) pending.emplace_back(root, false);
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

}  // namespace crossarc
