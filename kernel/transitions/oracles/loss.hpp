// How many gold arcs can no longer be built from a configuration, exactly, for systems of which the literature proves
// it: arc-eager and arc-hybrid are arc-decomposable (Goldberg & Nivre 2013), so that it is enough to count the arcs out
// of reach one by one; for Covington and the planar forest, whose transitions may not close a cycle, every cycle that
// the arcs built and those in reach would make costs one more (Gómez-Rodríguez & Fernández-González 2015). Without
// direction (2012) every circle does: links that close none are a matroid, so that it does not matter which one is
// given up. O(n + m). The gold graph is a forest of the system's class. For planar forests on several stacks it is a
// lower bound, since it does not see that arcs on one stack must not cross.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "transitions/machine/configuration.hpp"
#include "transitions/oracles/gold.hpp"

namespace crossarc {

enum class Reach : std::uint8_t { kUnknown, kArcEager, kArcHybrid, kPlanar, kCovington };

class LossCounter {
 public:
  std::int32_t count(Reach reach, const Configuration& configuration, const Gold& gold);
  // Of each gold arc, whether it was in reach and not built, when losses were last counted.
  std::span<const std::uint8_t> in_reach() const { return in_reach_; }

 private:
  std::int32_t count_links(Reach reach, const Configuration& configuration, const Gold& gold);
  bool reaches(Reach reach, const Configuration& configuration, const GoldArc& arc) const;
  std::int32_t count_cycles();
  // Makes one component of those of two words; false if they are one already.
  bool unite(std::int32_t a, std::int32_t b);

  std::vector<std::uint8_t> in_reach_;
  std::vector<std::int32_t> head_;  // built, or gold and in reach
  std::vector<std::int32_t> seen_;
  std::vector<std::int32_t> place_;  // on the stack, from the bottom
  std::vector<std::int32_t> above_;  // in the trees of components, without direction
};

}  // namespace crossarc
