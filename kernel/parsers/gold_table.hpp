// The arcs that a parser learns to build, of many sentences one after the other, as numbers of words.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "transitions/machine/configuration.hpp"
#include "transitions/oracles/gold.hpp"

namespace crossarc {

struct GoldTable {
  std::span<const std::int64_t> offsets;  // where the arcs of each sentence begin
  std::span<const std::int32_t> heads;
  std::span<const std::int32_t> dependents;
  std::span<const std::int32_t> labels;  // -1 for one that is not to be learnt

  // The arcs of a sentence between positions, those from the root only where it has one.
  void load(std::size_t sentence, std::int32_t words, Root root, std::vector<GoldArc>& arcs) const {
    arcs.clear();
    for (auto arc = static_cast<std::size_t>(offsets[sentence]); arc < static_cast<std::size_t>(offsets[sentence + 1]);
         ++arc) {
      if (heads[arc] == 0 && root == Root::kNone) continue;
      arcs.push_back({Configuration::position_of(heads[arc], words, root),
                      Configuration::position_of(dependents[arc], words, root), labels[arc]});
    }
  }
};

}  // namespace crossarc
