// The static oracle: from a gold graph to the transitions that build it, or as much of it as the system can. First the
// nearest graph of the system's class, where it is known how to find it; then the system's rule, if it has one; then
// the search; and where all of that fails, the beam.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "structure/tree_order.hpp"
#include "transitions/machine/configuration.hpp"
#include "transitions/oracles/beam_oracle.hpp"
#include "transitions/oracles/gold.hpp"
#include "transitions/oracles/plane_choice.hpp"
#include "transitions/oracles/rule_oracle.hpp"
#include "transitions/oracles/search_oracle.hpp"

namespace crossarc {

struct OracleOptions {
  Rule rule = Rule::kNone;
  Roles roles;
  Guarantees guarantees;
  std::size_t width = 16;        // of the beam
  std::int64_t budget = 20'000;  // configurations of the search, beside a number for each word
};

struct Derivation {
  ActionSequence actions;
  std::vector<std::uint8_t> lost;  // for each gold arc
  std::int32_t added = 0;          // arcs that are not gold
  enum class Method : std::uint8_t { kRule, kSearch, kBeam } method = Method::kRule;
};

// Longer sequences are not kept: Covington's systems take as many transitions as there are pairs of words.
constexpr std::size_t kMostActions = std::size_t{1} << 25;

// Keeps its memory from sentence to sentence.
class StaticOracle {
 public:
  StaticOracle(const Program& program, const OracleOptions& options)
      : program_(&program),
        options_(options),
        rule_(options.rule, options.roles, Obstacle::kNone, program.stacks() - 1),
        beam_(program, options.guarantees, options.width) {}

  // `given_planes`: of each arc, or empty to have them chosen. Throws std::length_error for sequences that are too
  // long.
  void derive(std::int32_t words, Root root, std::span<const GoldArc> arcs, std::span<const std::int32_t> given_planes,
              Derivation& derivation);
  // What a projective system is made to build of a forest: all of it, or the nearest projective one. Marks the arcs
  // that are lost. Valid until the next call.
  std::span<const GoldArc> nearest_projective_arcs(std::int32_t nodes, Root root, std::span<const GoldArc> arcs,
                                                   std::vector<std::uint8_t>& lost);

 private:
  void find_actions(std::int32_t words, Root root, std::span<const GoldArc> arcs,
                    std::span<const std::int32_t> given_planes, Derivation& derivation);
  bool follow_rule(std::int32_t words, Root root, ActionSequence& actions);
  void aim(std::int32_t nodes, Root root, std::span<const GoldArc> arcs, std::span<const std::int32_t> given_planes,
           std::vector<std::uint8_t>& lost);

  const Program* program_;
  OracleOptions options_;
  Gold gold_;
  std::vector<GoldArc> target_arcs_;
  std::vector<std::int32_t> planes_;  // of the target's arcs
  PlaneChoice plane_choice_;
  TreeOrder order_;
  Configuration configuration_;
  RuleOracle rule_;
  SearchOracle search_;
  BeamOracle beam_;
};

}  // namespace crossarc
