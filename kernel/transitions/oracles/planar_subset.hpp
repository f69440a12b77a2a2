// The most arcs of which no two cross: what a parser with one plane can keep of a graph that is not planar. A dynamic
// program over the ends of the arcs, exact in O(a e) time and O(e²) memory for a arcs with e different ends, while e is
// at most kMostEnds; beyond, the shortest arcs first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "structure/arcs.hpp"

namespace crossarc {

constexpr std::size_t kMostEnds = 2000;

// A mark for each arc that is kept.
std::vector<std::uint8_t> largest_planar_subset(std::span<const Arc> arcs);

}  // namespace crossarc
