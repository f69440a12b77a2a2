// The oracle that every system has, without a rule of its own: a search over its transitions that adds only gold arcs
// and never lets a word go while gold arcs of it are pending; configurations from which it failed are remembered.
//
// Order of preference: a transition that adds an arc, first one that also removes a word; then taking a word from the
// buffer; then what uncovers a word that the first word of the buffer still waits for; other stacks; and last whatever
// else is legal. Where a system has several stacks, arcs are wanted on the stack that plane_choice.hpp chose for them;
// where it has SWAP, words are wanted in the projective order of the gold tree (Nivre 2009). These are preferences: the
// search tries everything else after them. For the systems of the catalogue it hardly ever has to, so that a derivation
// costs O(transitions), each O(1) but for the steps of the machine. In easy-first it never has to, since an arc between
// neighbours hinders no other one: O(n log n).
#pragma once

#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "transitions/machine/configuration.hpp"
#include "transitions/oracles/gold.hpp"

namespace crossarc {

// The order in which the searching oracles, this one and the beam, try the transitions that are possible.
class CandidateRanking {
 public:
  // `planes`: of each gold arc, empty for systems with one stack.
  void start(const Gold& gold, std::span<const std::int32_t> planes, const Program& program);
  // What is wanted of a configuration; to be called before rank().
  void look_at(const Configuration& configuration, const PendingArcs& pending);
  // Of the transition just applied: lower comes first. `arcs`: the gold arcs it built.
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

// Keeps its memory from sentence to sentence.
class SearchOracle {
 public:
  // True if a sequence was found that builds all gold arcs; actions() has it. `budget` bounds the configurations.
  bool derive(const Program& program, std::int32_t words, Root root, const Gold& gold,
              std::span<const std::int32_t> planes, std::int64_t budget);
  std::span<const Action> actions() const { return actions_; }

 private:
  struct Candidate {
    std::int32_t rank = 0;
    std::int32_t transition = 0;
    std::int32_t position = 0;
  };
  struct Frame {
    std::size_t mark = 0;
    std::size_t first = 0;  // of its candidates
    std::size_t next = 0;
    std::size_t built = 0;
  };

  bool derive_easy_first(const EasyFirstMoves& moves, const Gold& gold);
  void expand();
  bool try_transition(std::int32_t transition, std::int32_t position);
  void take_back(std::size_t mark, std::size_t built);

  const Program* program_ = nullptr;
  Configuration configuration_;
  PendingArcs pending_;
  CandidateRanking ranking_;
  std::vector<Candidate> candidates_;
  std::vector<Frame> frames_;
  std::vector<std::int32_t> built_;  // gold arcs in the order of building
  std::vector<Action> actions_;
  std::unordered_set<std::uint64_t> failed_;
};

}  // namespace crossarc
