// The projective tree that has the most arcs in common with a tree: what a projective system can keep of a tree that is
// not projective. Eisner's chart (decoders/projective) over arcs that weigh as much as they agree: exact, O(n³) time
// and O(n²) memory, while the tree has at most kMostProjectivized nodes; longer ones are lifted (2005, Section 2).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace crossarc {

constexpr std::size_t kMostProjectivized = 400;

// Arcs from the root count like all others. Heads of the nodes 1… of a tree with its root at 0, as positions; entry i
// is for node i + 1. Of trees with as many common arcs, one whose other words hang on their grandparents, as lifting
// would have it; of equal ones the one whose first splits are furthest left. Empty if it is too long.
std::vector<std::int32_t> nearest_projective(std::span<const std::int32_t> heads);

}  // namespace crossarc
