// The oracle that training asks which transitions are right in the configuration that a parser got into, whatever
// scores its transitions. Dynamic where the system has a rule: right are the transitions that lose the fewest gold arcs
// (Goldberg & Nivre 2013), where it is known how to count them, else the one that the rule asks for, in projective
// systems for the nearest projective tree. Without a rule, or if it is asked for, it is the static oracle: the next
// transition of a derivation made beforehand. O(transitions · words) for each question, with free planes O(crossings)
// more.
//
// In a planar graph an arc hinders no other: from any configuration all gold arcs of a plane can be built of which one
// word is in the buffer and the other has not gone. What can be lost is an arc whose word goes, and what can be wrong
// is an arc that is not gold. Where a system forbids cycles or several heads this is a lower bound.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "transitions/machine/configuration.hpp"
#include "transitions/oracles/gold.hpp"
#include "transitions/oracles/losses.hpp"
#include "transitions/oracles/rule_oracle.hpp"
#include "transitions/oracles/static_oracle.hpp"

namespace crossarc {

struct TrainingOracleOptions {
  OracleOptions oracle;
  Reach reach = Reach::kUnknown;
  // On two stacks: whichever plane an arc comes to is right, and so is every SWITCH that loses nothing, so that words
  // which are done can leave both stacks. Otherwise arcs have their planes, and SWITCH is right where one waits.
  bool free_planes = false;
  // One derivation made beforehand is right and nothing else, as in training before dynamic oracles.
  bool follows_derivation = false;

  // Whether it is known what is right in every configuration.
  bool is_dynamic() const { return oracle.rule != Rule::kNone && !follows_derivation; }
};

class TrainingOracle {
 public:
  TrainingOracle(const Program& program, const TrainingOracleOptions& options)
      : program_(&program),
        options_(options),
        forests_(options.oracle.rule != Rule::kPlanar || program.undirected() ||
                 (options.oracle.guarantees.single_head && options.oracle.guarantees.acyclic)),
        rule_(options.oracle.rule, options.oracle.roles, forests_ ? Obstacle::kForest : Obstacle::kGuard, 1),
        static_(program, options.oracle) {}

  // Whether it has an answer in every configuration. Where it has not, it is the static oracle: the transitions of its
  // derivation are to be taken one after the other, and nothing can be explored.
  bool is_dynamic() const { return options_.is_dynamic(); }

  // A sentence with the arcs to be built, whose configuration was just started.
  void start(const Configuration& configuration, std::int32_t words, Root root, std::span<const GoldArc> gold);
  // Of the static oracle: whether the derivation has come to its end.
  bool finished() const { return !is_dynamic() && step_ >= derivation_.actions.size(); }
  // Marks what is right of what is legal; the configuration is left as it was.
  void ask(Configuration& configuration, std::span<const std::uint8_t> legal, std::vector<std::uint8_t>& right);
  // A transition was taken.
  void advance() { ++step_; }
  // The gold label of the arc that a transition adds, kNoLabel if it is no gold arc.
  std::int32_t label(Configuration& configuration, std::int32_t transition) const;

  const Gold& gold() const { return gold_; }

 private:
  bool follows_rule() const { return is_dynamic() && options_.reach == Reach::kUnknown && forests_; }
  void count_losses(Configuration& configuration, std::span<const std::uint8_t> legal,
                    std::vector<std::uint8_t>& right);
  std::int32_t loss_after(Configuration& configuration, std::int32_t transition);
  std::int32_t loss_beyond(Configuration& configuration, std::int32_t transition);
  std::int32_t graph_loss(const Configuration& configuration, std::size_t links_before) const;
  const GoldArc* find_gold(const BuiltArc& link) const;
  void prefer_planes(const Configuration& configuration, std::span<const std::uint8_t> legal,
                     std::vector<std::uint8_t>& right) const;
  void forbid_idle_reduce(const Configuration& configuration, std::vector<std::uint8_t>& right) const;

  const Program* program_;
  TrainingOracleOptions options_;
  bool forests_;
  RuleOracle rule_;
  StaticOracle static_;
  Derivation derivation_;
  std::size_t step_ = 0;  // of the derivation
  Gold gold_;
  PlaneChoice plane_choice_;
  LossCounter loss_;
  PlaneLoss plane_loss_;
  bool free_planes_ = false;
  std::vector<std::int32_t> losses_;
  std::vector<std::int32_t> planes_;
  std::vector<std::uint8_t> lost_;  // to the nearest projective tree
};

// The cost of an action that is not legal.
constexpr std::int32_t kIllegal = -1;

// For each action, how many gold arcs more are out of reach after it, or kIllegal. Where the reach of the system is not
// known, a beam search from each successor estimates the cost relative to the best action.
std::vector<std::int32_t> transition_costs(const Configuration& given, std::span<const GoldArc> arcs,
                                           const TrainingOracleOptions& options);

}  // namespace crossarc
