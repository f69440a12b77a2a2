// How often the arc into each word is lifted until the tree is projective (2005, Section 2): always the shortest
// non-projective arc, the leftmost of several, by one step. O(n²/64) and, for each lift, O(n/64 + children + log n);
// memory n²/8 bytes, so that trees of more than kMostLifted words are not tried.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "structure/arcs.hpp"
#include "structure/tree_order.hpp"

namespace crossarc {

constexpr std::size_t kMostLifted = 8192;
constexpr std::int32_t kLiftsUnknown = -1;

// Keeps its memory from sentence to sentence.
class Projectivizer {
 public:
  // `order` belongs to the heads; `nonprojective` says of each word whether the arc into it is. Writes the lifts of
  // each word, or kLiftsUnknown for all if the tree is too long, and returns their sum.
  std::int64_t count_lifts(std::span<const std::int32_t> heads, const TreeOrder& order,
                           std::span<const std::uint8_t> nonprojective, std::span<std::int32_t> lifts);
  // The heads after the last lift.
  std::span<const std::int32_t> heads() const { return heads_; }

 private:
  using Set = std::uint64_t;

  // The non-projective arc into a word. It stays so until it is lifted: other lifts only take words from projections.
  struct Candidate {
    std::int32_t length;
    std::int32_t left;
    std::int32_t word;
    // For a heap with the shortest, leftmost on top.
    bool operator<(const Candidate& other) const {
      return length != other.length ? length > other.length : left > other.left;
    }
  };

  void load(std::span<const std::int32_t> heads, const TreeOrder& order);
  void push(std::int32_t word);
  void lift(std::int32_t word);
  Set* projection(std::int32_t word) { return &projections_[static_cast<std::size_t>(word) * width_]; }
  template <typename Test>
  bool any_between(const Arc& arc, Test&& test) const;

  std::size_t width_ = 0;  // of a projection, in sets of 64 words
  std::vector<std::int32_t> heads_;
  std::vector<std::int32_t> first_child_;
  std::vector<std::int32_t> next_sibling_;
  std::vector<Set> projections_;
  std::vector<Candidate> heap_;
  std::vector<std::uint8_t> nonprojective_;
};

}  // namespace crossarc
