// How many gold arcs can no longer be built from a configuration, exactly, for systems of which the literature proves
// it: arc-eager and arc-hybrid are arc-decomposable (Goldberg & Nivre 2013), so that it is enough to count the arcs out
// of reach one by one; for Covington and the planar forest, whose transitions may not close a cycle, every cycle that
// the arcs built and those in reach would make costs one more (Gómez-Rodríguez & Fernández-González 2015). Without
// direction (2012) every cycle does: sets of links without cycles are a matroid, so that it does not matter which one
// is given up. O(n + m). The gold graph is a forest of the system's class. For planar forests on several stacks it is a
// lower bound, since it does not see that arcs on one stack must not cross.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "transitions/machine/configuration.hpp"
#include "transitions/oracles/gold.hpp"

namespace crossarc {

enum class Reach : std::uint8_t { kUnknown, kArcEager, kArcHybrid, kPlanar, kCovington };
constexpr int kReaches = 5;

class LossCounter {
 public:
  std::int32_t count(Reach reach, const Configuration& configuration, const Gold& gold);
  // Of each gold arc, whether it was in reach and not built, when losses were last counted.
  std::span<const std::uint8_t> in_reach() const { return in_reach_; }

 private:
  bool reaches(Reach reach, const Configuration& configuration, const GoldArc& arc) const;
  // Makes one component of those of two words; false if they are one already.
  bool unite(std::int32_t a, std::int32_t b);

  std::vector<std::uint8_t> in_reach_;
  std::vector<std::int32_t> head_;  // built, or gold and in reach
  std::vector<std::int32_t> seen_;
  std::vector<std::int32_t> height_;  // on the stack, from the bottom
  std::vector<std::int32_t> above_;   // in the trees of components, without direction
};

// How many gold arcs two stacks must give up, beside those out of reach, because arcs that can still be built cross:
// each can be built on the stacks where its left word still is, on either one if that is in the buffer yet, and two
// that cross not on the same one, since building one takes the left word of the other away. Every component of the
// crossings graph (2010, Section 3) that has no such colouring costs one arc at least. O(m + c) for a configuration
// with c crossings. Keeps its memory from sentence to sentence.
class PlaneLoss {
 public:
  // Finds the crossings of a sentence, whose arcs stay; false if there are too many to look at in every configuration.
  bool start(const Gold& gold);
  // `in_reach`: of each gold arc, whether it can be built as far as other arcs do not hinder it.
  std::int32_t count(const Configuration& configuration, std::span<const std::uint8_t> in_reach);

 private:
  bool colourable_from(std::int32_t arc, std::uint8_t colour);

  std::span<const Arc> drawn_;
  std::vector<std::vector<std::int32_t>> crossing_;  // of each arc: those that it crosses
  std::vector<std::int32_t> crossed_;                // arcs that cross any
  std::vector<std::uint8_t> stacks_;     // of each arc: a bit for each stack where it can be built; 0 out of reach
  std::vector<std::uint8_t> colour_;     // the bit taken; 0 for none yet
  std::vector<std::int32_t> component_;  // at hand
};

}  // namespace crossarc
