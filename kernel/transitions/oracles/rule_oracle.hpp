// Oracles by rule for the systems of the papers, O(1) for each transition: planar (2010, Section 4.3), 2-planar with
// given planes (2010, Section 5.1) and k-planar alike, arc-eager, arc-standard, arc-hybrid, Covington, swap in its
// eager (Nivre 2009) and lazy (Nivre, Kuhlmann & Hall 2009) order, and the undirected forms (2012, Section 3). The
// graph must be in the system's class.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "transitions/machine/configuration.hpp"
#include "transitions/oracles/gold.hpp"

namespace crossarc {

enum class Rule : std::uint8_t {
  kNone,
  kPlanar,
  kArcEager,
  kArcStandard,
  kArcStandardStack,
  kArcHybrid,
  kCovington,
  kSwapEager,
  kSwapLazy,
};
constexpr int kRules = 9;

// Which transition of the system plays which part; kNoNode where it has none.
struct Roles {
  std::int32_t shift = kNoNode;
  std::int32_t reduce = kNoNode;
  std::int32_t left_arc = kNoNode;
  std::int32_t right_arc = kNoNode;
  std::int32_t switch_stack = kNoNode;
  std::int32_t no_arc = kNoNode;
  std::int32_t swap = kNoNode;
};

// Keeps its memory from sentence to sentence.
class RuleOracle {
 public:
  // False if the rule does not lead to the graph. `planes`: of each gold arc.
  bool derive(const Program& program, Rule rule, const Roles& roles, std::int32_t words, Root root, const Gold& gold,
              std::span<const std::int32_t> planes);
  std::span<const Action> actions() const { return actions_; }

 private:
  Action next(Rule rule);
  Action link_waiting(bool covington);
  Action combine(std::int32_t right, std::int32_t left);
  Action attach(std::int32_t dependent, std::int32_t transition);
  void wait_for(std::int32_t node);
  void find_projective_components();
  std::int32_t label_into(std::int32_t dependent) const;
  bool complete(std::int32_t node) const { return dependents_left_[node] == 0; }

  const Gold* gold_ = nullptr;
  Roles roles_;
  std::span<const std::int32_t> planes_;
  Configuration configuration_;
  std::vector<Action> actions_;
  std::int32_t buffer_first_ = kNoNode;
  std::vector<std::vector<std::int32_t>> waiting_;  // for each plane: arcs from the buffer's first word to the left
  std::vector<std::int32_t> dependents_left_;
  std::vector<std::int32_t> projective_order_;
  std::vector<std::int32_t> projective_component_;
};

}  // namespace crossarc
