// Makes a tree projective by lifting arcs, one step at a time, and marks what was lifted over which arcs (2005, Section
// 2). The order is that of the paper (the shortest non-projective arc first, the leftmost of several) or MaltParser's
// other one (the deepest dependent first). Children of 0 below an arc can be attached to one of its ends instead, as
// MaltParser's option for covered roots does. O(n) for each lift, and O(n) memory for any length.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "encodings/child_lists.hpp"
#include "structure/tree_order.hpp"

namespace crossarc {

enum class LiftOrder : std::uint8_t { kShortest, kDeepest };
// To which end of the arc above them covered roots are attached.
enum class CoveredRoots : std::uint8_t { kNone, kLeft, kRight, kHead };

struct LiftOptions {
  LiftOrder order = LiftOrder::kShortest;
  CoveredRoots covered_roots = CoveredRoots::kNone;
};

// Keeps its memory from sentence to sentence.
class Lifter {
 public:
  explicit Lifter(const LiftOptions& options) : options_(options) {}

  // `order` belongs to the heads and has measured their extents. Writes the heads of the projective tree and the marks
  // (marks.hpp) of each word.
  void lift(std::span<const std::int32_t> heads, const TreeOrder& order, std::span<std::int32_t> lifted_heads,
            std::span<std::uint8_t> marks);

 private:
  // A word whose arc is not projective, with what decides when it is its turn; the least comes first.
  struct Waiting {
    std::int32_t first;
    std::int32_t second;
    std::int32_t word;
    // For a heap with the least on top.
    bool operator<(const Waiting& other) const {
      return first != other.first ? first > other.first : second > other.second;
    }
    bool operator==(const Waiting& other) const = default;
  };

  void load(std::span<const std::int32_t> heads, const TreeOrder& order);
  bool nonprojective(std::int32_t word);
  Waiting turn_of(std::int32_t word) const;
  void wait(std::int32_t word);
  bool take_next(std::int32_t& word);
  void lift_once(std::int32_t word);
  bool attach_covered_roots(std::int32_t word);
  void change_depth(std::int32_t word, std::int32_t difference);

  LiftOptions options_;
  ChildLists tree_;
  std::span<std::uint8_t> marks_;
  std::vector<std::int32_t> depth_;         // only for the order by depth
  std::vector<Waiting> heap_;               // also turns of words that are over or have changed since
  std::vector<std::uint8_t> waits_;         // whether the arc into a word is known not to be projective
  std::vector<std::int64_t> dominated_in_;  // the last test that found a word to be dominated
  std::int64_t test_ = 0;
  std::vector<std::int32_t> covered_;
};

}  // namespace crossarc
