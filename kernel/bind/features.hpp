// Features and teachers from plain data, checked.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "features/features.hpp"
#include "transitions/oracles/teacher.hpp"

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

inline TeacherOptions to_teacher(int rule, const std::vector<std::int32_t>& roles, int reach,
                                 const std::vector<bool>& guarantees, bool free_planes) {
  if (rule < 0 || rule >= kRules || roles.size() != 7 || guarantees.size() != 4 || reach < 0 ||
      reach > static_cast<int>(Reach::kCovington)) {
    throw std::invalid_argument("the options of a teacher are not those");
  }
  TeacherOptions options;
  options.oracle.rule = static_cast<Rule>(rule);
  options.oracle.roles = {roles[0], roles[1], roles[2], roles[3], roles[4], roles[5], roles[6]};
  options.oracle.guarantees = {guarantees[0], guarantees[1], guarantees[2]};
  options.oracle.projective = guarantees[3];
  options.free_planes = free_planes;
  options.reach = static_cast<Reach>(reach);
  return options;
}

}  // namespace crossarc
