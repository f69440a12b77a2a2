// How many gold arcs two stacks must give up, beside those out of reach, because arcs that can still be built cross:
// each can be built on the stacks where its left word still is, on either one if that is in the buffer yet, and two
// that cross not on the same one, since building one takes the left word of the other away. Every component of the
// crossings graph (2010, Section 3) that has no such colouring costs one arc at least. O(m + c) for a configuration
// with c crossings.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "transitions/machine/configuration.hpp"
#include "transitions/oracles/gold.hpp"

namespace crossarc {

// Keeps its memory from sentence to sentence.
class PlaneLoss {
 public:
  // Finds the crossings of a sentence; false if there are too many to look at in every configuration.
  bool start(const Gold& gold);
  // `in_reach`: of each gold arc, whether it can be built as far as other arcs do not hinder it.
  std::int32_t count(const Configuration& configuration, std::span<const std::uint8_t> in_reach);

 private:
  bool colourable_from(std::int32_t arc, std::uint8_t colour);
  std::span<const std::int32_t> crossing(std::int32_t arc) const {
    return std::span(others_).subspan(static_cast<std::size_t>(starts_[arc]),
                                      static_cast<std::size_t>(starts_[arc + 1] - starts_[arc]));
  }

  std::vector<Arc> drawn_;
  std::vector<std::int32_t> starts_, others_;  // of each arc: those that it crosses
  std::vector<std::int32_t> crossed_;          // arcs that cross any
  std::vector<std::uint8_t> stacks_;  // of each arc: a bit for each stack where it can be built; 0 out of reach
  std::vector<std::uint8_t> colour_;  // the bit taken; 0 for none yet
  std::vector<std::int32_t> found_;   // the component at hand
};

}  // namespace crossarc
