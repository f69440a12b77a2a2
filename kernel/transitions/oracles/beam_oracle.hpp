// The sequence of transitions that loses few gold arcs, for graphs that a system cannot derive whole: a beam search
// from any configuration, by the gold arcs lost so far and then by the ranking of the search oracle. A word whose
// gold head is lost may get another one, since some systems cannot go on otherwise. O(transitions · width · m).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "transitions/machine/configuration.hpp"
#include "transitions/oracles/gold.hpp"
#include "transitions/oracles/search_oracle.hpp"

namespace crossarc {

// What a system is known to guarantee (2013, Propositions 1 to 4): what it rules out need not be hoped for.
struct Guarantees {
  bool single_head = false;
  bool acyclic = false;  // without undirected cycles
  bool no_covered_roots = false;
  bool projective = false;  // it derives the projective forests, and nothing else
};
// Their order in a list.
enum class Guarantee : std::uint8_t { kSingleHead, kAcyclic, kNoCoveredRoots, kProjective };
constexpr int kGuarantees = 4;

class BeamOracle {
 public:
  BeamOracle(const Program& program, Guarantees guarantees, std::size_t width)
      : program_(&program), guarantees_(guarantees), width_(width) {}

  // Goes on from a configuration to the end. Returns how many gold arcs are not built then, and words are spoiled.
  std::int32_t complete(const Configuration& start, const Gold& gold, std::span<const std::int32_t> planes);
  // Of the completion found.
  const std::vector<Action>& actions() const { return actions_; }
  const std::vector<std::int32_t>& lost() const { return lost_; }

 private:
  struct Item {
    Configuration configuration;
    PendingArcs pending;
    std::int32_t lost = 0;
    std::int32_t history = kNoNode;
  };
  struct Candidate {
    std::int32_t lost = 0;
    std::int32_t rank = 0;
    std::int32_t parent = 0;
    Action action;
  };
  struct History {
    std::int32_t parent = kNoNode;
    Action action;
  };

  void expand(std::int32_t number);
  bool apply(Item& item, const Action& action, std::vector<std::int32_t>& built, std::int32_t& spoiled) const;
  std::int32_t lose_unreachable(Item& item, bool keep) const;
  void advance();
  void finish(const Item& item, const Gold& gold);

  const Program* program_;
  Guarantees guarantees_;
  std::size_t width_;
  CandidateRanking ranking_;
  std::vector<Item> beam_;
  std::vector<Item> next_;
  std::vector<Candidate> candidates_;
  std::vector<History> history_;
  std::vector<std::int32_t> built_;
  std::vector<Action> actions_;
  std::vector<std::int32_t> lost_;
};

}  // namespace crossarc
