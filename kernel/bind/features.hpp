// Features and oracles from plain data, checked.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "features/features.hpp"
#include "transitions/oracles/training_oracle.hpp"

namespace crossarc {

using AddressTuple = std::tuple<int, std::int32_t, int, int>;
using AtomTuple = std::tuple<std::int32_t, int, std::int32_t>;
using FeatureTuple =
    std::tuple<std::vector<AddressTuple>, std::vector<AtomTuple>, std::vector<std::vector<std::int32_t>>>;

inline FeatureSet to_features(const FeatureTuple& given) {
  FeatureSet features;
  for (const auto& [base, index, first, second] : std::get<0>(given)) {
    if (base < 0 || base >= kBases || index < 0 || first < 0 || first >= kHops || second < 0 || second >= kHops) {
      throw std::invalid_argument("an address that there is not");
    }
    features.addresses.push_back({static_cast<Base>(base), index, static_cast<Hop>(first), static_cast<Hop>(second)});
  }
  const auto addresses = static_cast<std::int32_t>(features.addresses.size());
  for (const auto& [address, attribute, argument] : std::get<1>(given)) {
    if (address < 0 || address >= addresses || attribute < 0 || attribute >= kAttributes || argument < 0) {
      throw std::invalid_argument("an attribute that there is not");
    }
    const bool pair = of_two_words(static_cast<Attribute>(attribute));
    if (pair && argument >= addresses) throw std::invalid_argument("an address that there is not");
    features.atoms.push_back({address, static_cast<Attribute>(attribute), argument});
  }
  for (const std::vector<std::int32_t>& members : std::get<2>(given)) {
    for (const std::int32_t member : members) {
      if (member < 0 || member >= static_cast<std::int32_t>(features.atoms.size())) {
        throw std::invalid_argument("a template of an attribute that there is not");
      }
    }
    features.templates.push_back(members);
  }
  return features;
}

// `roles`: a transition or kNoNode for each Role; `guarantees`: a truth value for each Guarantee.
inline OracleOptions to_oracle(int rule, const std::vector<std::int32_t>& roles, const std::vector<bool>& guarantees) {
  if (rule < 0 || rule >= kRules) throw std::invalid_argument("no such rule of an oracle");
  if (roles.size() != kRoles) throw std::invalid_argument("every role of a rule needs a transition, or -1");
  if (guarantees.size() != kGuarantees) throw std::invalid_argument("every guarantee needs a truth value");
  OracleOptions options;
  options.rule = static_cast<Rule>(rule);
  for (int role = 0; role < kRoles; ++role) {
    options.roles[static_cast<Role>(role)] = roles[static_cast<std::size_t>(role)];
  }
  const auto holds = [&](Guarantee guarantee) -> bool { return guarantees[static_cast<std::size_t>(guarantee)]; };
  options.guarantees = {holds(Guarantee::kSingleHead), holds(Guarantee::kAcyclic), holds(Guarantee::kNoCoveredRoots),
                        holds(Guarantee::kProjective)};
  return options;
}

inline TrainingOracleOptions to_training_oracle(int rule, const std::vector<std::int32_t>& roles, int reach,
                                                const std::vector<bool>& guarantees, bool free_planes) {
  if (reach < 0 || reach >= kReaches) throw std::invalid_argument("no such way of counting the arcs out of reach");
  return {to_oracle(rule, roles, guarantees), static_cast<Reach>(reach), free_planes};
}

}  // namespace crossarc
