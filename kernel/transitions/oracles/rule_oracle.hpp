// The rules of the papers: what to do next in any configuration, also after mistakes, in order to build what is still
// possible of a gold graph. Planar (2010, Section 4.3), 2-planar with given planes (2010, Section 5.1) and k-planar
// alike, arc-eager, arc-standard, arc-hybrid, Covington, swap in its eager (Nivre 2009) and lazy (Nivre, Kuhlmann &
// Hall 2009) order, and the undirected forms (2012, Section 3). Followed from the initial configuration, a rule derives
// every graph of the system's class; the static oracle does that, and the oracle of training asks for one transition at
// a time. O(log degree) for a transition, but O(degree) where a word waits for dependents or the stack is switched.
#pragma once

#include <array>
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

// The parts that transitions play in the rules. A transition that adds a link without direction plays both arcs.
enum class Role : std::uint8_t { kShift, kReduce, kLeftArc, kRightArc, kSwitch, kNoArc, kSwap };
constexpr int kRoles = 7;

// Which transition of a system plays which part; kNoNode where it has none.
class Roles {
 public:
  Roles() { transitions_.fill(kNoNode); }
  std::int32_t operator[](Role role) const { return transitions_[static_cast<std::size_t>(role)]; }
  std::int32_t& operator[](Role role) { return transitions_[static_cast<std::size_t>(role)]; }

 private:
  std::array<std::int32_t, kRoles> transitions_;
};

// What may keep a gold arc from being built, beside a word of it that has gone.
enum class Obstacle : std::uint8_t {
  kNone,    // nothing: only gold arcs are built
  kForest,  // its dependent has another head, or it would close a cycle
  kGuard,   // the guard of its transition
};

// Keeps its memory from sentence to sentence.
class RuleOracle {
 public:
  struct Choice {
    std::int32_t transition = kNoNode;  // kNoNode: the rule has no answer
    std::int32_t arc = kNoNode;         // the gold arc that it builds, if any
  };

  // `most_switches`: how often in a row it changes the active stack.
  RuleOracle(Rule rule, const Roles& roles, Obstacle obstacle, std::int32_t most_switches)
      : rule_(rule), roles_(roles), obstacle_(obstacle), most_switches_(most_switches) {}

  // `planes`: of each gold arc, kNoPlane for one that is given up; empty: all on one. Both must outlive the use.
  void start(const Gold& gold, std::span<const std::int32_t> planes);
  // After mistakes the transition may be illegal.
  Choice next(const Configuration& configuration) const;
  // Whether a gold arc can still be added, as far as its two words and the arcs so far go.
  bool possible(const Configuration& configuration, const GoldArc& arc) const;
  // Whether a gold arc of the word can still be added, one end of which is in the buffer.
  bool has_pending(const Configuration& configuration, std::int32_t node) const;

 private:
  Choice link_first_word(const Configuration& configuration) const;
  bool waits_elsewhere(const Configuration& configuration, std::int32_t first) const;
  Choice combine(const Configuration& configuration, std::int32_t right, std::int32_t left) const;
  Choice attach(std::int32_t dependent, Role role) const { return {roles_[role], gold_->arc_into(dependent)}; }
  bool swaps(const Configuration& configuration, std::int32_t top, std::int32_t second) const;
  bool waits_for_dependents(const Configuration& configuration, std::int32_t node) const;

  Rule rule_;
  Roles roles_;
  Obstacle obstacle_;
  std::int32_t most_switches_;
  const Gold* gold_ = nullptr;
  std::span<const std::int32_t> planes_;
  std::vector<std::int32_t> projective_order_;
  std::vector<std::int32_t> projective_component_;
};

}  // namespace crossarc
