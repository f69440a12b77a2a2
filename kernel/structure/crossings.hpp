// All pairs of arcs that cross. O(n + m + c log c) for c crossings, which may be as many as m²/2.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "structure/arc_sweep.hpp"

namespace crossarc {

// Pairs of numbers of arcs; the arc that begins further to the left is first in its pair, and pairs are in that order
// too.
inline std::vector<std::pair<std::int32_t, std::int32_t>> find_crossings(std::span<const Arc> arcs,
                                                                         std::int32_t last_position) {
  std::vector<std::pair<std::int32_t, std::int32_t>> pairs;
  ArcSweep sweep;
  sweep.run(arcs, last_position, [&](std::int32_t arc) {
    for (std::int32_t other = sweep.next(arc); other != ArcSweep::kNone; other = sweep.next(other)) {
      pairs.emplace_back(arc, other);
    }
  });
  std::vector<std::int32_t> rank(arcs.size());
  std::int32_t next_rank = 0;
  for (const std::int32_t arc : sweep.opening_order()) rank[arc] = next_rank++;
  std::sort(pairs.begin(), pairs.end(), [&rank](const auto& a, const auto& b) {
    return std::pair(rank[a.first], rank[a.second]) < std::pair(rank[b.first], rank[b.second]);
  });
  return pairs;
}

}  // namespace crossarc
