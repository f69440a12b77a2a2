// The measures and the two-plane test of a tree of up to 64 words, where a set of words is one machine word. What is
// decided and why is in measures.hpp and planes.hpp; here each costs O(n) and no allocation. Real sentences are mostly
// this short, and this is most of the speed of classify.hpp.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "structure/arcs.hpp"
#include "structure/measures.hpp"

namespace crossarc {

using WordSet = std::uint64_t;  // bit v - 1 is word v, or the arc into it

inline WordSet only_word(std::int32_t word) { return WordSet{1} << (word - 1); }

inline WordSet words_between(const Arc& arc) {
  const std::int32_t count = arc.right - arc.left - 1;
  return count == 0 ? 0 : (~WordSet{0} >> (64 - count)) << arc.left;
}

// Calls visit(word) for every word of the set, from left to right.
template <typename Visit>
void for_each_word(WordSet words, Visit&& visit) {
  for (; words != 0; words &= words - 1) visit(std::countr_zero(words) + 1);
}

class ShortTree {
 public:
  static constexpr std::size_t kMostWords = 64;
  using Sets = std::array<WordSet, kMostWords + 1>;  // of each word, and of 0

  // False if the heads make no tree. They must outlive the questions.
  bool load(std::span<const std::int32_t> heads);
  // After load; measure does it.
  void load_dominance();

  std::span<const std::int32_t> heads() const { return heads_; }
  // Heads before dependents.
  std::span<const std::uint8_t> order() const { return std::span(order_).first(heads_.size()); }
  const Sets& children() const { return children_; }
  // Words and what is below them, after load_dominance.
  const Sets& descendants() const { return descendants_; }
  // The arcs that some arc crosses, arcs from 0 counted.
  WordSet crossed() const { return crossed_; }
  bool projective() const { return crossed_ == 0; }

  // As TreeMeasurer::measure.
  TreeMeasures measure(bool root_arcs, std::span<std::uint8_t> nonprojective, std::span<std::int32_t> crossings);

  // Whether the crossings graph is bipartite.
  bool two_planes_suffice(bool root_arcs) const;

 private:
  std::int32_t measure_blocks(TreeMeasures& measures) const;
  bool share_endpoint(WordSet arcs) const;

  std::span<const std::int32_t> heads_;
  std::array<std::uint8_t, kMostWords> order_;
  Sets children_;
  Sets incident_;              // the arcs at a word
  Sets prefix_;                // sum modulo 2 of incident_ up to a word
  Sets crossing_;              // the arcs that cross the arc into a word, arcs from 0 counted
  Sets descendants_;           // the projection
  Sets hanging_on_ancestors_;  // the words whose head is the word or dominates it
  WordSet crossed_ = 0;
  WordSet nonprojective_ = 0;
};

}  // namespace crossarc
