// Offsets: where the rows of each item (the words of a sentence, the arcs of a tree) begin in a long array. Those of
// item i are offsets[i] to offsets[i + 1] - 1.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>

namespace crossarc {

// Throws std::invalid_argument unless offsets lead from 0 to `total` without going back. O(items).
inline void check_offsets(std::span<const std::int64_t> offsets, std::size_t total) {
  const bool good = !offsets.empty() && offsets.front() == 0 && std::is_sorted(offsets.begin(), offsets.end()) &&
                    offsets.back() == static_cast<std::int64_t>(total);
  if (!good) throw std::invalid_argument("offsets must start at 0, ascend, and end at the number of rows");
}

}  // namespace crossarc
