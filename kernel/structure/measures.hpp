// Everything about one tree that is decided by sets of words: crossings, non-projective arcs, gaps, nesting,
// 1-Endpoint-Crossing (2013 TACL, Section 2; edge degree: Nivre 2006).
//
// Sets are taken 64 words at a time. With I(v) the arcs at word v, the arcs that cross (l, r) are those with an odd
// number of endpoints strictly between l and r, without those at l or r: two look-ups in a table of prefix sums of I
// modulo 2. So all questions together cost O(n) for a sentence of up to 64 words and O(n²/64) for a longer one, in O(n)
// memory.
//
// Nesting needs no pairs of subtrees: two disjoint subtrees interleave if and only if two crossing arcs have heads of
// which neither dominates the other. (An interleaving pair holds two paths that must cross somewhere; and the subtrees
// of two such heads interleave at the endpoints of their arcs.)
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "structure/tree_order.hpp"

namespace crossarc {

struct TreeMeasures {
  std::int64_t crossings = 0;               // pairs of arcs
  std::int32_t nonprojective_arcs = 0;      // some word between head and dependent is not below the head
  std::int32_t covered_roots = 0;           // children of 0 below an arc between words
  std::int32_t gap_degree = 0;              // most gaps of a word's projection
  std::int32_t gap_inheritance_degree = 0;  // most children of a word that have descendants in several of its blocks
  std::int32_t edge_degree = 0;             // most connected components below an arc that its head does not dominate
  bool well_nested = true;
  bool one_endpoint_crossing = true;
  bool one_endpoint_crossing_without_root = true;

  bool projective() const { return gap_degree == 0; }
  bool gap_minding() const { return well_nested && gap_degree <= 1 && gap_inheritance_degree == 0; }
};

// Keeps its memory from sentence to sentence.
class TreeMeasurer {
 public:
  // `order` belongs to the heads and has its extents measured. With root_arcs, arcs from 0 count as crossings.
  // For the arc into each word: whether it is non-projective, and how many arcs cross it.
  TreeMeasures measure(std::span<const std::int32_t> heads, const TreeOrder& order, bool root_arcs,
                       std::span<std::uint8_t> nonprojective, std::span<std::int32_t> crossings);

 private:
  using Set = std::uint64_t;

  // The endpoints that all arcs seen so far share: at most the two of the first one.
  struct SharedEndpoints {
    std::int32_t first = kNone;
    std::int32_t second = kNone;
    bool seen = false;
  };
  static constexpr std::int32_t kNone = -1;

  void load_incidence(std::int32_t first_word);
  void load_dominance(std::int32_t first_word);
  void measure_arcs(std::int32_t first_word, bool root_arcs, TreeMeasures& measures);
  void measure_blocks(std::int32_t first_word);
  bool narrow(SharedEndpoints& shared, Set crossing, std::int32_t first_word) const;
  std::int32_t count_covered_roots();

  std::span<const std::int32_t> heads_;
  const TreeOrder* order_ = nullptr;
  std::span<std::int32_t> crossings_;

  // Of the 64 words at hand, one entry for each word of the sentence and for 0:
  std::vector<Set> children_;
  std::vector<Set> incident_;              // the arcs at a word, named by their dependents
  std::vector<Set> prefix_;                // sum modulo 2 of incident_ up to a word
  std::vector<Set> descendants_;           // the projection
  std::vector<Set> hanging_on_ancestors_;  // the words whose head is the word or dominates it

  // Sums over the whole sentence.
  std::vector<std::int32_t> edge_degrees_;
  std::vector<std::int32_t> blocks_;
  std::vector<std::uint8_t> block_open_;  // whether the projection reaches the last word of the 64 before
  std::vector<std::uint8_t> inherits_;    // whether a word has descendants in several blocks of its head
  std::vector<std::int32_t> counts_;
  std::vector<SharedEndpoints> shared_;
  std::vector<SharedEndpoints> shared_without_root_;
};

}  // namespace crossarc
