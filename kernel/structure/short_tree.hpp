// The measures, the two-plane test and the lifts of a tree of up to 64 words, where a set of words is one machine word.
// What is decided and why is in measures.hpp, crossing_components.hpp and lifts.hpp; here each costs O(n) and no
// allocation. Real sentences are mostly this short, and this is most of the speed of classify.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "structure/measures.hpp"

namespace crossarc {

class ShortTree {
 public:
  static constexpr std::size_t kMostWords = 64;

  // False if the heads make no tree. They must outlive the questions.
  bool load(std::span<const std::int32_t> heads);

  bool projective() const { return crossed_ == 0; }

  // As TreeMeasurer::measure.
  TreeMeasures measure(bool root_arcs, std::span<std::uint8_t> nonprojective, std::span<std::int32_t> crossings);

  // Whether the crossings graph is bipartite.
  bool two_planes_suffice(bool root_arcs) const;

  // As Projectivizer::count_lifts, after measure.
  std::int64_t count_lifts(std::span<std::int32_t> lifts) const;

 private:
  using Set = std::uint64_t;  // bit v - 1 is word v, or the arc into it
  using Sets = std::array<Set, kMostWords + 1>;

  void load_dominance();
  std::int32_t measure_blocks(TreeMeasures& measures) const;
  bool share_endpoint(Set arcs) const;

  std::span<const std::int32_t> heads_;
  std::array<std::uint8_t, kMostWords> order_;  // heads before dependents
  Sets children_;
  Sets incident_;              // the arcs at a word
  Sets prefix_;                // sum modulo 2 of incident_ up to a word
  Sets crossing_;              // the arcs that cross the arc into a word, arcs from 0 counted
  Sets descendants_;           // the projection
  Sets hanging_on_ancestors_;  // the words whose head is the word or dominates it
  Set crossed_ = 0;            // arcs that some arc crosses
  Set nonprojective_ = 0;
};

}  // namespace crossarc
