// What to do next in any configuration, also after mistakes, in order to build what is still possible of a gold
// graph: the rules of rule_oracle.hpp, with arcs that are out of reach left aside. It teaches systems for which no
// exact costs are known. O(degree) for each question.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "transitions/machine/configuration.hpp"
#include "transitions/oracles/gold.hpp"
#include "transitions/oracles/rule_oracle.hpp"

namespace crossarc {

class Expert {
 public:
  // `forests`: words have one head at most, and no links make a circle.
  Expert(Rule rule, const Roles& roles, bool forests) : rule_(rule), roles_(roles), forests_(forests) {}

  // `planes`: of each gold arc. Both must outlive the use.
  void start(const Gold& gold, std::span<const std::int32_t> planes);
  // A transition, or kNoNode if the rule has no answer. It may be illegal after mistakes.
  std::int32_t next(const Configuration& configuration) const;
  // Whether some gold arc of the word can still be added.
  bool has_pending(const Configuration& configuration, std::int32_t node) const;
  // Whether a gold arc can still be added, as far as its two words and the arcs so far go.
  bool possible(const Configuration& configuration, const GoldArc& arc) const;

 private:
  std::int32_t link_waiting(const Configuration& configuration) const;
  std::int32_t combine(const Configuration& configuration, std::int32_t right, std::int32_t left) const;
  bool waits(const Configuration& configuration, std::int32_t node) const;

  Rule rule_;
  Roles roles_;
  bool forests_;
  const Gold* gold_ = nullptr;
  std::span<const std::int32_t> planes_;
  std::vector<std::int32_t> projective_order_;
};

}  // namespace crossarc
