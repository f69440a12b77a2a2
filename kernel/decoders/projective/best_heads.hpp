// The best head of every word. If they happen to make a projective tree, it is the best one. O(n²). A trained model's
// best heads mostly are a tree, and next to Eisner's chart even a spanning tree has its cost.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "decoders/scores.hpp"
#include "structure/tree_order.hpp"

namespace crossarc {

// Keeps its memory from sentence to sentence.
class BestHeads {
 public:
  // True if they make a projective tree, with exactly one child of 0 if single_root.
  bool make_projective_tree(const IncomingScores& scores, bool single_root, std::span<std::int32_t> heads) {
    for (std::int32_t word = 1; word <= scores.words(); ++word) {
      heads[word - 1] = first_of_the_largest(scores.row(word), 0, scores.words() + 1);
      if (scores.at(heads[word - 1], word) == kForbidden) return false;
    }
    if (single_root && std::count(heads.begin(), heads.end(), 0) != 1) return false;
    return order_.build(heads) && order_.measure_extents(heads);
  }

 private:
  TreeOrder order_;
};

}  // namespace crossarc
