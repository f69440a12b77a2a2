// The best 1-Endpoint-Crossing tree by the dynamic program of Pitler, Kannan & Marcus (2013 TACL, Section 4 and
// Appendix A) with the correction of LR (published_rows.hpp). O(n⁴) time, with loops over the exterior point that are
// vectors, and O(n³) memory. It derives a tree many times, so it is good for a maximum only; sums are in
// crossing_chart.hpp.
//
// Intervals are filled with i falling and j rising. The rules of Int with two splits, k and l, are parted: what depends
// on (i, k, l) is kept in tables, so that for each (i, l, j) one vector loop over k is left.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/arrays.hpp"
#include "decoders/chart/chart.hpp"
#include "decoders/one_endpoint/published_rows.hpp"
#include "decoders/scores.hpp"

namespace crossarc {

template <typename Score>
class PublishedChart {
 public:
  // The score of the best tree; -inf if there is none. Keeps its memory from sentence to sentence.
  Score fill(const IncomingScores& scores);

  // As a forest.
  ItemId top() const { return id({published::kInt01, 0, words_, 0}); }
  Score value(ItemId item) const { return value_of(item_of(item)); }
  Score arc_value(std::int32_t head, std::int32_t dependent) const { return outgoing_[head * stride_ + dependent]; }
  template <typename Visit>
  void for_each_rule(ItemId item, Visit&& visit) const;

 private:
  struct Item {
    int type;
    std::int32_t i;
    std::int32_t j;
    std::int32_t x;
  };
  // What the rules of Int with two splits need of (i, y, m) for i < y < m, or mirrored of (m, y, j) for m < y < j.
  enum Table : int { kCrossedFromBeyond, kBeyondHead, kInnerHead, kCrossedInside, kInsideHead, kTables };

  void allocate(std::int32_t words);
  void load(const IncomingScores& scores);
  void fill_interval(std::int32_t i, std::int32_t j);
  void fill_baseline(std::int32_t i, std::int32_t j);
  void fill_avx2(std::int32_t i, std::int32_t j);
  CROSSARC_INLINE void fill_int(std::int32_t i, std::int32_t j);
  CROSSARC_INLINE void fill_rows(std::int32_t i, std::int32_t j);
  void fill_left_tables(std::int32_t i, std::int32_t m);
  void fill_right_tables(std::int32_t m, std::int32_t j);

  std::size_t triangle(std::int32_t i, std::int32_t j) const { return static_cast<std::size_t>(j) * (j - 1) / 2 + i; }
  published::Rows<Score> rows(std::int32_t i, std::int32_t j) {
    return {rows_.data() + triangle(i, j) * published::kRows * stride_, stride_};
  }
  Score row_value(int row, std::int32_t i, std::int32_t j, std::int32_t x) const {
    return rows_[(triangle(i, j) * published::kRows + row) * stride_ + x];
  }
  const published::Interval<Score>& interval(std::int32_t i, std::int32_t j) const {
    return intervals_[i * width_ + j];
  }
  Score* left_table(Table table, std::int32_t m) { return left_.data() + (m * kTables + table) * stride_; }
  Score* right_table(Table table, std::int32_t m, std::int32_t j) {
    return right_.data() + (triangle(m, j) * kTables + table) * stride_;
  }
  Score score(std::int32_t head, std::int32_t dependent) const { return arc_value(head, dependent); }

  // 13 bits for each position.
  ItemId id(const Item& item) const {
    return static_cast<ItemId>(item.type) << 39 | static_cast<ItemId>(item.i) << 26 |
           static_cast<ItemId>(item.j) << 13 | static_cast<ItemId>(item.x);
  }
  Item item_of(ItemId item) const {
    const auto position = [item](int shift) { return static_cast<std::int32_t>(item >> shift & 0x1fff); };
    return {static_cast<int>(item >> 39), position(26), position(13), position(0)};
  }
  Score value_of(const Item& item) const {
    if (item.type == published::kInt00) return interval(item.i, item.j).int00;
    if (item.type >= published::kRows) return interval(item.i, item.j).get(item.type);
    return row_value(item.type, item.i, item.j, item.x);
  }

  std::int32_t words_ = 0;
  std::size_t width_ = 1;
  std::size_t stride_ = 0;                      // a row, rounded up to whole vectors
  std::vector<Score> outgoing_;                 // by head
  std::vector<Score> incoming_;                 // by dependent
  std::vector<std::int32_t> lowest_, highest_;  // of the words that each word may have an arc with
  std::vector<published::Interval<Score>> intervals_;
  LongArray<Score> rows_;
  std::vector<Score> left_;  // tables of the i at hand
  LongArray<Score> right_;   // tables of all j
  // LR with its split, and the interval up to l, for each l: with and without the arc into l.
  std::vector<Score> left_lr0_, left_lr1_, right_lr1_;
  std::vector<Score> best0_, best1_;  // one entry for each y
};

}  // namespace crossarc
