// How many planes the arcs of a sentence need, and which arc is on which (2010, Section 3; 2013, Section 4.1).
// Components of the crossings graph are treated one by one: O(n + m α(m)) while two planes suffice; where they do not,
// a search for the least colouring, bounded by a budget (planes.cpp).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "structure/arcs.hpp"

namespace crossarc {

// The connected components of the crossings graph (2010, Section 3), and for each whether two planes are enough for it,
// without building that graph. One sweep with two union-find structures: O(n + m α(m)), however many crossings there
// are.
//
// When an arc e is closed, all arcs opened after it and still open cross it, so they have one colour, the other one
// than e. Open arcs that are known to have one colour stand together in the list of open arcs, as a run; closing e
// makes all runs behind it one. A run is merged away at most once, which is why the crossings need not be counted out.
//
// Keeps its memory from sentence to sentence.
class CrossingComponents {
 public:
  // Positions of the arcs are 0 to last_position.
  void find(std::span<const Arc> arcs, std::int32_t last_position);

  // An arc that stands for the component of an arc.
  std::int32_t component(std::int32_t arc) { return root(arc); }
  // Whether its crossings graph is bipartite; asked of the arc that stands for it.
  bool two_planes_suffice(std::int32_t component) const { return !odd_cycle_[component]; }
  // 0 or 1: arcs of one component that cross differ, where two planes suffice.
  std::uint8_t colour(std::int32_t arc) {
    root(arc);
    return differs_[arc];
  }
  std::span<const std::int32_t> opening_order() const { return sweep_.opening_order(); }

 private:
  static constexpr std::int32_t kNone = ArcSweep::kNone;

  void close(std::int32_t arc);
  std::int32_t root(std::int32_t arc);
  void unite(std::int32_t a, std::int32_t b, bool different);
  std::int32_t run_of(std::int32_t arc);

  ArcSweep sweep_;
  std::vector<std::int32_t> parent_;
  std::vector<std::uint8_t> differs_;    // in colour from the parent
  std::vector<std::uint8_t> odd_cycle_;  // of the component that an arc stands for
  std::vector<std::int32_t> size_;
  std::vector<std::int32_t> run_parent_;
  std::vector<std::int32_t> run_last_;  // the last open arc of the run that an arc stands for
  std::vector<std::int32_t> path_;
};

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
