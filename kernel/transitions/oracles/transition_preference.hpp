// In which order the searching oracles try the transitions that are possible: search_oracle.hpp says why.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "transitions/machine/configuration.hpp"
#include "transitions/oracles/gold.hpp"
#include "transitions/oracles/gold_progress.hpp"

namespace crossarc {

// How much a transition is preferred; lower comes first.
class Preference {
 public:
  // `planes`: of each gold arc, empty for systems with one stack.
  void start(const Gold& gold, std::span<const std::int32_t> planes, const Program& program);
  // What is wanted of a configuration; to be called before rank().
  void look_at(const Configuration& configuration, const Progress& progress);
  // Of the transition just applied. `arcs`: the gold arcs it built.
  std::int32_t rank(const Configuration& configuration, std::size_t mark, const Transition& transition,
                    std::span<const std::int32_t> arcs) const;

 private:
  std::span<const std::int32_t> planes_;
  std::vector<std::int32_t> projective_order_;
  std::int32_t active_ = 0;
  std::int32_t top_ = kNoNode;
  std::int32_t buffer_first_ = kNoNode;
  std::int32_t below_top_ = kNoNode;
  bool wanted_here_ = false;     // the first word of the buffer has arcs pending on the active stack
  bool top_waits_here_ = false;  // the top of the active stack has arcs pending there
};

}  // namespace crossarc
