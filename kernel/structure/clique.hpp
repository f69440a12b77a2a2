// The largest set of arcs that all cross each other: no fewer planes can do. Such arcs begin in some order and end in
// the same order, and all lie over the gap behind the place where the last of them begins; so over each such gap the
// largest set is a longest increasing subsequence of right ends. O(sum over the gaps of arcs above it · log m).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "structure/arcs.hpp"

namespace crossarc {

// `arcs` are in opening order. After `budget` arcs looked at, the largest set found so far, still a lower bound.
inline std::int32_t largest_clique(std::span<const Arc> arcs, std::int64_t budget) {
  std::vector<Arc> above;          // arcs over the gap, in opening order
  std::vector<std::int32_t> ends;  // the least right end of an increasing sequence of each length
  std::size_t best = arcs.empty() ? 0 : 1;
  for (std::size_t arc = 0; arc < arcs.size() && budget > 0;) {
    const std::int32_t position = arcs[arc].left;
    std::erase_if(above, [position](const Arc& open) { return open.right <= position; });
    budget -= static_cast<std::int64_t>(above.size()) + 1;
    for (; arc < arcs.size() && arcs[arc].left == position; ++arc) above.push_back(arcs[arc]);
    if (above.size() <= best) continue;
    ends.clear();
    for (const Arc& open : above) {
      const auto place = std::lower_bound(ends.begin(), ends.end(), open.right);
      if (place == ends.end()) {
        ends.push_back(open.right);
      } else {
        *place = open.right;
      }
    }
    best = std::max(best, ends.size());
  }
  return static_cast<std::int32_t>(best);
}

}  // namespace crossarc
