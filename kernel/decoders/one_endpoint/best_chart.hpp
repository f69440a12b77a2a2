// The best 1-Endpoint-Crossing tree, with one score for arcs that are crossed and another for those that are not
// (Pitler 2014 TACL, Section 3). O(n⁴) time, with loops over the exterior point that are vectors, and O(n³) memory.
//
// The items are those of the grammar of sums (crossing_grammar.hpp) without what makes derivations unique: an interval
// [i, j] and mostly a point x outside, which owns the edges that have an end strictly inside, and knows for each of its
// points which is its root (gluing.hpp). N: no edge crosses those of x inside; L, R: edges of i, of j may. The items of
// the published program (Pitler, Kannan & Marcus 2013 TACL, Appendix A) know only which points have a head, and more
// where a cycle could arise; with their roots there are not more of them, no rule can make a cycle, and a rule knows of
// the edge that it adds whether it is crossed: the edge over an interval without x is not, all others are.
//
// Intervals are filled with i falling and j rising. Exterior points left and right of an interval are asked for
// different items, which share their memory. Rows of items are kept in blocks of eight exterior points.
//
// Every arc is scored by how far it is behind the best one into the same word, so that nothing is above 0, and a part
// of a tree is never behind the tree. Where only trees above some score are asked for, a part that is further behind is
// left out, with all that it would be a part of. Mostly few blocks are left: of the others nothing is kept, their items
// are those of the interval alone, without any edge from x.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/arrays.hpp"
#include "core/compiler.hpp"
#include "decoders/chart/chart.hpp"
#include "decoders/one_endpoint/gluing.hpp"
#include "decoders/scores.hpp"

namespace crossarc {

template <typename Score>
class BestChart {
 public:
  // Whether there is a tree. The best one is found if it scores `least` or more; if not, another one may be, or none.
  // Keeps its memory from sentence to sentence.
  bool fill(const IncomingScores& scores, double least = kForbidden);

  // As a forest.
  ItemId top() const { return id({kOpen, gluing::kBFromA, 0, words_, 0}); }
  Score value(ItemId item) const;
  Score arc_value(TreeArc arc) const {
    return (arc.crossed ? outgoing_ : uncrossed_)[arc.head * stride_ + arc.dependent];
  }
  template <typename Visit>
  void for_each_rule(ItemId item, Visit&& visit) const;

 private:
  // Closed: an interval without an edge between its ends; open: with or without it; bridged: the edge from i to some k
  // is crossed by edges of j. Full: or no edge from x at all; N, L, R alone: at least one. Bridges: an edge between the
  // ends, crossed by edges of x (of R alone: kRightBridge). Tails are what lies beyond the second of two crossing
  // edges, hulls what lies within: QH, E and G, F of the grammar of sums.
  enum Type : int {
    kClosed,
    kOpen,
    kBridged,
    kFullN,
    kN,
    kFullL,
    kOpenL,
    kFullR,
    kOpenR,
    kBridge,
    kRightBridge,
    kTail,
    kPlainTail,
    kHull,
    kPlainHull
  };
  struct ChartItem {
    Type type;
    int state;
    std::int32_t i;
    std::int32_t j;
    std::int32_t x;
  };
  // Rows of one interval: first those for exterior points on both sides, then those for points on the left, in the same
  // places those for points on the right.
  enum Slot : int {
    kFullNSlot = 0,
    kFullLSlot = 10,
    kOpenLSlot = 20,  // the three states that differ from full ones
    kTailSlot = 23,
    kPlainTailSlot = 33,
    kNSlot = 43,  // the state that differs from the full one
    kFullRSlot = 23,
    kOpenRSlot = 33,
    kBridgeSlot = 36,
    kRightBridgeSlot = 41,
    kSlots = 46
  };
  static constexpr std::size_t kBlock = 8;
  static constexpr Score kNone = -std::numeric_limits<Score>::infinity();
  static constexpr int kHullSlots = 2 * gluing::kStates;
  using PairValues = std::array<Score, gluing::kPairStates>;
  using Values = std::array<Score, gluing::kStates>;
  // What the split of an interval at one k contributes whatever x is: the part beyond k by its state, and both parts
  // where x has no further edge, by result and direction of the edge between x and k.
  struct Side {
    Values beyond;
    std::array<std::array<Score, 2>, gluing::kStates> alone;
  };
  struct Split {
    std::int32_t k;
    PairValues right;
    Side l, r;
    // The highest of these values, with and without further edges of x.
    Score l_beyond, l_alone, r_beyond, r_alone;
  };

  void allocate(std::int32_t words);
  bool load(const IncomingScores& scores, double least);
  void load_arcs(const IncomingScores& scores, std::int32_t dependent, double highest);
  void find_peaks();
  CROSSARC_INLINE void raise_peak(Score& highest, std::size_t block, const Score* rows, int states) const;
  void fill_interval(std::int32_t i, std::int32_t j);
  void fill_baseline(std::int32_t i, std::int32_t j);
  void fill_avx2(std::int32_t i, std::int32_t j);
  CROSSARC_INLINE void fill_pair(std::int32_t i, std::int32_t j);
  CROSSARC_INLINE void fill_rows(std::int32_t i, std::int32_t j);
  CROSSARC_INLINE void fill_block(std::int32_t i, std::int32_t j, std::size_t block);
  CROSSARC_INLINE bool add_splits(std::int32_t i, std::int32_t j, std::size_t block, Score limit, Score* out) const;
  CROSSARC_INLINE bool add_both_ends(std::int32_t i, std::int32_t j, std::size_t block, Score limit, Score* both) const;
  CROSSARC_INLINE void finish_left(std::int32_t i, std::int32_t j, std::size_t block, Score* out) const;
  CROSSARC_INLINE void finish_right(std::int32_t i, std::int32_t j, std::size_t block, const Score* both,
                                    Score* out) const;
  CROSSARC_INLINE void finish_shared(std::int32_t i, std::int32_t j, std::size_t block);
  void prepare_splits(std::int32_t i, std::int32_t j);
  void fill_hulls(std::int32_t i, std::int32_t l) const;

  std::size_t triangle(std::int32_t i, std::int32_t j) const { return static_cast<std::size_t>(j) * (j - 1) / 2 + i; }
  const Score* block(std::int32_t i, std::int32_t j, std::size_t index) const {
    return rows_.data() + (triangle(i, j) * blocks_ + index) * kSlots * kBlock;
  }
  Score* block(std::int32_t i, std::int32_t j, std::size_t index) {
    return const_cast<Score*>(std::as_const(*this).block(i, j, index));
  }
  Score row_value(int slot, std::int32_t i, std::int32_t j, std::int32_t x) const {
    const auto column = static_cast<std::size_t>(x);
    if (peak(i, j, column / kBlock) == kNone) return value_without_edges(slot, i, j, x);
    return block(i, j, column / kBlock)[slot * kBlock + column % kBlock];
  }
  // Of a row of which nothing is kept, since no edges from x are left.
  Score value_without_edges(int slot, std::int32_t i, std::int32_t j, std::int32_t x) const {
    for (const int full : {static_cast<int>(kFullNSlot), static_cast<int>(kFullLSlot), static_cast<int>(kFullRSlot)}) {
      if (full == kFullRSlot && x < i) continue;  // a tail
      if (full <= slot && slot < full + gluing::kPairStates) return open(i, j)[slot - full];
    }
    return kNone;
  }
  Values full_n(std::int32_t i, std::int32_t j, std::int32_t x) const;
  Score open_value(int slot, int full_slot, int state, std::int32_t i, std::int32_t j, std::int32_t x) const {
    return row_value(state < gluing::kPairStates ? slot + state : full_slot + state, i, j, x);
  }
  Score* hulls(std::int32_t l, std::size_t index) const {
    return hulls_.data() + (l * blocks_ + index) * kHullSlots * kBlock;
  }
  Score hull_value(int slot, std::int32_t k, std::int32_t l) const {
    const auto column = static_cast<std::size_t>(k);
    if (hull_peaks_[l * blocks_ + column / kBlock] == kNone) return kNone;
    return hulls(l, column / kBlock)[slot * kBlock + column % kBlock];
  }
  const PairValues& open(std::int32_t i, std::int32_t j) const { return open_[i * width_ + j]; }
  Score uncrossed(std::int32_t head, std::int32_t dependent) const { return uncrossed_[head * stride_ + dependent]; }
  Score crossed(std::int32_t head, std::int32_t dependent) const { return outgoing_[head * stride_ + dependent]; }
  // Whether a word strictly between i and j has an arc with some word of a block.
  bool reaches(std::int32_t i, std::int32_t j, std::size_t index) const {
    return reach_[index * (width_ + 1) + j] > reach_[index * (width_ + 1) + i + 1];
  }
  // The highest value of an interval; of its items with edges from the points of a block; and of all of these.
  Score pair_peak(std::int32_t i, std::int32_t j) const { return pair_peaks_[i * width_ + j]; }
  Score peak(std::int32_t i, std::int32_t j, std::size_t index) const {
    return peaks_[triangle(i, j) * blocks_ + index];
  }
  Score full_peak(std::int32_t i, std::int32_t j, std::size_t index) const {
    return std::max(pair_peak(i, j), peak(i, j, index));
  }
  Score row_peak(std::int32_t i, std::int32_t j) const { return row_peaks_[i * width_ + j]; }
  // The highest score of a crossed arc, in either direction, between a word and those of a block.
  Score arc_peak(std::int32_t word, std::size_t index) const { return arc_peaks_[word * blocks_ + index]; }
  Score edge_peak(std::int32_t i, std::int32_t j) const { return std::max(crossed(i, j), crossed(j, i)); }
  // What is below is in no tree that is asked for. Every tree has an arc from 0, and all of these may be far behind: so
  // much is left to the parts that have none. Where 0 is the exterior point, it is added to the part instead.
  Score limit(std::int32_t i) const { return i == 0 ? limit_ - root_loss_ : limit_; }

  // 13 bits for each position.
  ItemId id(const ChartItem& item) const {
    return static_cast<ItemId>(static_cast<int>(item.type) * gluing::kStates + item.state) << 39 |
           static_cast<ItemId>(item.i) << 26 | static_cast<ItemId>(item.j) << 13 | static_cast<ItemId>(item.x);
  }
  ChartItem item_of(ItemId item) const {
    const auto position = [item](int shift) { return static_cast<std::int32_t>(item >> shift & 0x1fff); };
    const auto kind = static_cast<int>(item >> 39);
    return {static_cast<Type>(kind / gluing::kStates), kind % gluing::kStates, position(26), position(13), position(0)};
  }
  template <typename Emit>
  void list_pair(const ChartItem& item, const Emit& emit) const;
  template <typename Emit>
  void list_closed(Type type, int state, const ChartItem& item, const Emit& emit) const;
  template <typename Emit>
  void list_row(const ChartItem& item, const Emit& emit) const;

  std::int32_t words_ = 0;
  std::size_t width_ = 1;
  std::size_t blocks_ = 0;
  std::size_t stride_ = 0;                      // a row, rounded up to whole blocks
  std::vector<Score> uncrossed_;                // by head
  std::vector<Score> outgoing_;                 // of crossed arcs, by head
  std::vector<Score> incoming_;                 // of crossed arcs, by dependent
  std::vector<std::int32_t> lowest_, highest_;  // of the words that each word may have a crossed arc with
  std::vector<Score> arc_peaks_;                // by word and block
  std::vector<Score> word_peaks_;               // the highest of these of each word
  std::vector<std::int32_t> reach_;             // by block, how many words before a word have
  std::vector<PairValues> closed_, open_, bridged_;
  std::vector<Score> pair_peaks_, row_peaks_;
  std::vector<Score> peaks_;
  Score limit_ = 0, root_loss_ = 0;
  std::vector<Split> splits_;  // of the interval at hand
  LongArray<Score> rows_;
  mutable std::vector<Score> hulls_;  // of one i; made again where a derivation is followed
  mutable std::vector<Score> hull_peaks_;
  mutable std::int32_t hulls_of_ = -1;
};

}  // namespace crossarc
