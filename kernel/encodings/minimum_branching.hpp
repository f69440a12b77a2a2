// The cheapest tree rooted at 0 in any weighted directed graph: Chu-Liu/Edmonds in Tarjan's way, with heaps that can be
// merged and whose costs can be lowered all at once. O(m log n). It is what the 2012 paper, Section 4, names as the
// general way of reconstruction, beside the linear one of reconstruction.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace crossarc {

struct WeightedArc {
  std::int32_t head;
  std::int32_t dependent;
  std::int64_t cost;
};

// The heads of words 1 to n, or nothing if some word cannot be reached from 0. Of arcs between the same words the
// cheapest counts; arcs into 0 and from a word to itself do not.
std::optional<std::vector<std::int32_t>> minimum_branching(std::int32_t words, std::span<const WeightedArc> arcs);

}  // namespace crossarc
