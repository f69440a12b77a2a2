// How many planes the arcs of a sentence need, and which arc is on which (2010, Section 3; 2013, Section 4.1).
// Components of the crossings graph are treated one by one: O(n + m α(m)) while two planes suffice; where they do not,
// colouring.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "structure/arcs.hpp"
#include "structure/crossing_components.hpp"

namespace crossarc {

// The least number of planes is in [lower, upper]; no arcs need one plane.
struct PlanarityBounds {
  std::int32_t lower = 1;
  std::int32_t upper = 1;
};

// Keeps its memory from sentence to sentence.
class PlaneFinder {
 public:
  // Writes the plane of each arc, from 0. In each component the plane with most arcs is the first, and so on; of planes
  // with as many arcs, the one with the leftmost arc. `budget` is for each component that needs more than two planes.
  PlanarityBounds find(std::span<const Arc> arcs, std::int32_t last_position, std::int64_t budget,
                       std::span<std::int32_t> planes);

 private:
  PlanarityBounds colour_pair(std::span<const std::int32_t> members, std::span<std::int32_t> planes);
  PlanarityBounds colour_many(std::span<const Arc> arcs, std::span<const std::int32_t> members, std::int64_t budget,
                              std::span<std::int32_t> planes);

  CrossingComponents components_;
  std::vector<std::int32_t> component_;
  std::vector<std::int32_t> starts_;
  std::vector<std::int32_t> members_;  // arcs by component, in opening order
};

}  // namespace crossarc
