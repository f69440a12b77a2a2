#include "decoders/one_endpoint/best_chart.hpp"

#include <algorithm>
#include <limits>

#include "core/threads.hpp"
#include "core/vector_path.hpp"
#include "decoders/one_endpoint/best_rules.hpp"

namespace crossarc {

using namespace gluing;
using namespace best_rules;

namespace {

template <typename Score>
constexpr Score kNever = -std::numeric_limits<Score>::infinity();

template <typename Score>
CROSSARC_INLINE void raise(Score& own, Score other) {
  own = own > other ? own : other;
}

// The score of an edge by its direction.
template <typename Score>
CROSSARC_INLINE Score edge_score(Direction direction, Score forward, Score backward) {
  return direction == kNone ? Score{0} : direction == kForward ? forward : backward;
}

// Raises the values of a rule's results by all of its readings; first(state) and second(state) are those of its parts.
template <const GluingTable& table, typename Score, typename First, typename Second>
CROSSARC_INLINE void raise_all(Score* results, const First& first, const Second& second, Score forward = 0,
                               Score backward = 0) {
  for_each_entry<table>([&](auto index) CROSSARC_INLINE_LAMBDA {
    constexpr Entry entry = table.entries[index];
    raise(results[entry.result],
          first(entry.first) + second(entry.second) + edge_score(entry.direction, forward, backward));
  });
}

// The same for a split of a row at k, for the exterior points of one block: the part with x from row first(state) on,
// the part beyond as a number; with `alone`, also x without further edges.
template <const GluingTable& table, const GluingTable& alone_table, std::size_t kBlock, typename Score, typename Side>
CROSSARC_INLINE void split_rows(Score* out, const Score* first, const Side& side, const Score* into,
                                const Score* from) {
  CROSSARC_INDEPENDENT
  for (std::size_t lane = 0; lane < kBlock; ++lane) {
    const Score forward = into[lane], backward = from[lane];
    Score results[kStates];
    for (int state = 0; state < kStates; ++state) results[state] = out[state * kBlock + lane];
    for_each_entry<table>([&](auto index) CROSSARC_INLINE_LAMBDA {
      constexpr Entry entry = table.entries[index];
      raise(results[entry.result], (first[entry.first * kBlock + lane] + side.beyond[entry.second]) +
                                       edge_score(entry.direction, forward, backward));
    });
    if constexpr (alone_table.size > 0) {
      for_each_entry<alone_table>([&](auto index) CROSSARC_INLINE_LAMBDA {
        constexpr Entry entry = alone_table.entries[index];
        raise(results[entry.result],
              side.alone[entry.result][entry.direction - 1] + edge_score(entry.direction, forward, backward));
      });
    }
    for (int state = 0; state < kStates; ++state) out[state * kBlock + lane] = results[state];
  }
}

constexpr GluingTable kNothingAlone{};

}  // namespace

template <typename Score>
bool BestChart<Score>::fill(const IncomingScores& scores, double least) {
  allocate(scores.words());
  if (!load(scores, least)) return false;
  for (std::int32_t i = words_ - 1; i >= 0; --i) {
    for (std::int32_t j = i + 1; j <= words_; ++j) {
      check_interruption();
      fill_interval(i, j);
    }
  }
  return words_ == 0 || open(0, words_)[kBFromA] > kNever<Score>;
}

template <typename Score>
void BestChart<Score>::fill_interval(std::int32_t i, std::int32_t j) {
#if CROSSARC_WIDE_PATHS
  if (vector_path() >= VectorPath::kAvx2) return fill_avx2(i, j);
#endif
  fill_baseline(i, j);
}

template <typename Score>
void BestChart<Score>::fill_baseline(std::int32_t i, std::int32_t j) {
  fill_pair(i, j);
  fill_rows(i, j);
}

#if CROSSARC_WIDE_PATHS
template <typename Score>
__attribute__((target("avx2"))) void BestChart<Score>::fill_avx2(std::int32_t i, std::int32_t j) {
  fill_pair(i, j);
  fill_rows(i, j);
}
#endif

template <typename Score>
CROSSARC_INLINE void BestChart<Score>::fill_pair(std::int32_t i, std::int32_t j) {
  PairValues closed{j == i + 1 ? Score{0} : kNever<Score>, kNever<Score>, kNever<Score>};
  PairValues bridged{kNever<Score>, kNever<Score>, kNever<Score>};
  const Score least = limit(i);
  const std::size_t block_of_j = static_cast<std::size_t>(j) / kBlock;
  for (std::int32_t k = i + 1; k < j; ++k) {
    const PairValues &left = open(i, k), &right = open(k, j);
    const auto of_left = [&](int state) CROSSARC_INLINE_LAMBDA { return left[state]; };
    const auto of_right = [&](int state) CROSSARC_INLINE_LAMBDA { return right[state]; };
    if (pair_peak(i, k) + pair_peak(k, j) >= least) raise_all<kPairSplit>(closed.data(), of_left, of_right);
    if (peak(i, k, block_of_j) + pair_peak(k, j) < least) continue;
    const Score* bridge = block(i, k, block_of_j) + kBridgeSlot * kBlock + static_cast<std::size_t>(j) % kBlock;
    const auto of_bridge = [&](int state) CROSSARC_INLINE_LAMBDA { return bridge[kBridgeNumber[state] * kBlock]; };
    raise_all<kBridgedSplit>(bridged.data(), of_bridge, of_right);
  }
  alignas(64) Score best[kPairStates * kBlock];
  std::fill_n(best, kPairStates * kBlock, kNever<Score>);
  for (std::int32_t l = i + 2; l < j; ++l) {
    for (std::size_t index = (i + 1) / kBlock; index <= (l - 1) / kBlock; ++index) {
      if (hull_peaks_[l * blocks_ + index] + peak(l, j, index) < least) continue;
      const Score* hull = hulls(l, index);
      const Score* tail = block(l, j, index) + kTailSlot * kBlock;
      const Score* plain_tail = block(l, j, index) + kPlainTailSlot * kBlock;
      CROSSARC_INDEPENDENT
      for (std::size_t lane = 0; lane < kBlock; ++lane) {
        for_each_entry<kCrossingSplit>([&](auto number) CROSSARC_INLINE_LAMBDA {
          constexpr Entry entry = kCrossingSplit.entries[number];
          Score& result = best[entry.result * kBlock + lane];
          raise(result, hull[entry.first * kBlock + lane] + tail[entry.second * kBlock + lane]);
          raise(result, hull[(kStates + entry.first) * kBlock + lane] + plain_tail[entry.second * kBlock + lane]);
        });
      }
    }
  }
  for (int state = 0; state < kPairStates; ++state) {
    raise(closed[state], bridged[state]);
    for (std::size_t lane = 0; lane < kBlock; ++lane) raise(closed[state], best[state * kBlock + lane]);
  }
  PairValues both = closed;
  raise(both[kBFromA], closed[kApart] + uncrossed(i, j));
  raise(both[kAFromB], closed[kApart] + uncrossed(j, i));
  closed_[i * width_ + j] = closed;
  open_[i * width_ + j] = both;
  const Score highest = *std::max_element(both.begin(), both.end());
  pair_peaks_[i * width_ + j] = highest >= least ? highest : kNever<Score>;
  bridged_[i * width_ + j] = bridged;
}

template <typename Score>
CROSSARC_INLINE void BestChart<Score>::fill_rows(std::int32_t i, std::int32_t j) {
  prepare_splits(i, j);
  Score highest = pair_peak(i, j);
  for (std::size_t index = 0; index < blocks_; ++index) {
    const auto first = static_cast<std::int32_t>(index * kBlock);
    if (first >= i && first + static_cast<std::int32_t>(kBlock) <= j + 1) continue;
    fill_block(i, j, index);
    raise(highest, peak(i, j, index));
  }
  row_peaks_[i * width_ + j] = highest;
  fill_hulls(i, j);
}

template <typename Score>
void BestChart<Score>::prepare_splits(std::int32_t i, std::int32_t j) {
  splits_.clear();
  for (std::int32_t k = i + 1; k < j; ++k) {
    if (lowest_[k] >= i && highest_[k] <= j) continue;
    if (row_peak(i, k) + row_peak(k, j) + word_peaks_[k] < limit(i)) continue;
    Split split{k, open(k, j), {}, {}, 0, 0, 0, 0};
    split.l.beyond = full_n(k, j, i);
    split.r.beyond = full_n(i, k, j);
    for (Side* side : {&split.l, &split.r}) {
      for (auto& alone : side->alone) alone = {kNever<Score>, kNever<Score>};
    }
    for_each_entry<kAloneL>([&](auto number) {
      constexpr Entry entry = kAloneL.entries[number];
      raise(split.l.alone[entry.result][entry.direction - 1],
            open(i, k)[entry.first] + open_value(kOpenLSlot, kFullLSlot, entry.second, k, j, i));
    });
    for_each_entry<kAloneR>([&](auto number) {
      constexpr Entry entry = kAloneR.entries[number];
      raise(split.r.alone[entry.result][entry.direction - 1],
            open(k, j)[entry.first] + open_value(kOpenRSlot, kFullRSlot, entry.second, i, k, j));
    });
    const auto highest_alone = [](const Side& side) {
      Score highest = kNever<Score>;
      for (const auto& alone : side.alone) raise(highest, std::max(alone[0], alone[1]));
      return highest;
    };
    split.l_beyond = *std::max_element(split.l.beyond.begin(), split.l.beyond.end());
    split.r_beyond = *std::max_element(split.r.beyond.begin(), split.r.beyond.end());
    split.l_alone = highest_alone(split.l);
    split.r_alone = highest_alone(split.r);
    splits_.push_back(split);
  }
}

template <typename Score>
typename BestChart<Score>::Values BestChart<Score>::full_n(std::int32_t i, std::int32_t j, std::int32_t x) const {
  Values values;
  for (int state = 0; state < kStates; ++state) values[state] = row_value(kFullNSlot + state, i, j, x);
  return values;
}

// All items of the interval whose exterior point is in the block.
template <typename Score>
CROSSARC_INLINE void BestChart<Score>::fill_block(std::int32_t i, std::int32_t j, std::size_t index) {
  const auto begin = static_cast<std::int32_t>(index * kBlock);
  const bool on_left = begin < i;
  const bool on_right = begin + static_cast<std::int32_t>(kBlock) > j + 1;
  const Score least = limit(i);
  Score* out = block(i, j, index);
  alignas(64) Score both[kBothStates * kBlock];
  Score& highest = peaks_[triangle(i, j) * blocks_ + index];
  highest = on_left ? pair_peak(i, j) + arc_peak(j, index) : kNever<Score>;
  const bool has_edges = reaches(i, j, index);
  const bool has_splits = has_edges && add_splits(i, j, index, least, out);
  const bool has_both = has_edges && on_right && add_both_ends(i, j, index, least, both);
  if (has_splits) {
    for (const int slot : {kFullNSlot, kFullLSlot, kFullRSlot})
      raise_peak(highest, index, out + slot * kBlock, kStates);
  }
  if (has_both) raise_peak(highest, index, both, kBothStates);
  if (highest < least) {
    highest = kNever<Score>;
    return;
  }
  if (!has_splits) std::fill_n(out, kSlots * kBlock, kNever<Score>);
  if (!has_both) std::fill_n(both, kBothStates * kBlock, kNever<Score>);
  if (on_left && on_right) {
    alignas(64) Score left[kSlots * kBlock], right[kSlots * kBlock];
    finish_left(i, j, index, left);
    finish_right(i, j, index, both, right);
    for (std::size_t lane = 0; lane < kBlock; ++lane) {
      const Score* side = begin + static_cast<std::int32_t>(lane) < i ? left : right;
      for (int slot = kTailSlot; slot < kSlots; ++slot) out[slot * kBlock + lane] = side[slot * kBlock + lane];
    }
  } else if (on_left) {
    finish_left(i, j, index, out);
  } else {
    finish_right(i, j, index, both, out);
  }
  finish_shared(i, j, index);
}

// The highest value of some rows.
template <typename Score>
CROSSARC_INLINE void BestChart<Score>::raise_peak(Score& highest, std::size_t index, const Score* rows,
                                                  int states) const {
  Score peaks[kBlock];
  std::fill_n(peaks, kBlock, kNever<Score>);
  for (int state = 0; state < states; ++state) {
    for (std::size_t lane = 0; lane < kBlock; ++lane) raise(peaks[lane], rows[state * kBlock + lane]);
  }
  if (index == 0) peaks[0] += root_loss_;
  for (const Score peak_of_lane : peaks) raise(highest, peak_of_lane);
}

// N, L and R by all splits; false if nothing is left of them, and then nothing is written.
template <typename Score>
CROSSARC_INLINE bool BestChart<Score>::add_splits(std::int32_t i, std::int32_t j, std::size_t index, Score least,
                                                  Score* out) const {
  struct Plain {
    PairValues beyond;
  };
  const std::size_t begin = index * kBlock;
  const bool on_right = begin + kBlock > static_cast<std::size_t>(j) + 1;
  bool found = false;
  // Rows of which nothing is kept: the values of the interval, for all exterior points.
  alignas(64) Score repeated[kStates * kBlock];
  const auto rows = [&](std::int32_t from, std::int32_t to, int slot) CROSSARC_INLINE_LAMBDA {
    if (peak(from, to, index) > kNever<Score>) return block(from, to, index) + slot * kBlock;
    std::fill_n(repeated + kPairStates * kBlock, (kStates - kPairStates) * kBlock, kNever<Score>);
    for (int state = 0; state < kPairStates; ++state) {
      std::fill_n(repeated + state * kBlock, kBlock, open(from, to)[state]);
    }
    return static_cast<const Score*>(repeated);
  };
  for (const Split& split : splits_) {
    const Score arc = arc_peak(split.k, index);
    const Score left_peak = full_peak(i, split.k, index) + arc, right_peak = full_peak(split.k, j, index) + arc;
    const bool n = left_peak + pair_peak(split.k, j) >= least;
    const bool l = std::max(left_peak + split.l_beyond, split.l_alone + arc) >= least;
    const bool r = on_right && std::max(right_peak + split.r_beyond, split.r_alone + arc) >= least;
    if (!n && !l && !r) continue;
    if (!found) std::fill_n(out, kSlots * kBlock, kNever<Score>);
    found = true;
    const Score* into = incoming_.data() + split.k * stride_ + begin;
    const Score* from = outgoing_.data() + split.k * stride_ + begin;
    const Plain plain{split.right};
    if (n) split_rows<kSplitN, kNothingAlone, kBlock>(out, rows(i, split.k, kFullNSlot), plain, into, from);
    if (l) {
      split_rows<kSplitL, kAloneResultsL, kBlock>(out + kFullLSlot * kBlock, rows(i, split.k, kFullLSlot), split.l,
                                                  into, from);
    }
    if (r) {
      split_rows<kSplitR, kAloneResultsR, kBlock>(out + kFullRSlot * kBlock, rows(split.k, j, kFullRSlot), split.r,
                                                  into, from);
    }
  }
  return found;
}

// Edges of x that are crossed by edges of i on the left of some k, and by edges of j on the right of it. Only an edge
// between i and j asks for them. False if there are none, and then nothing is written.
template <typename Score>
CROSSARC_INLINE bool BestChart<Score>::add_both_ends(std::int32_t i, std::int32_t j, std::size_t index, Score least,
                                                     Score* both) const {
  const Score edge = edge_peak(i, j);
  if (edge == kNever<Score>) return false;
  bool found = false;
  const std::size_t begin = index * kBlock;
  for (std::int32_t k = i + 2; k < j - 1; ++k) {
    if (peak(i, k, index) + peak(k, j, index) + edge < least) continue;
    if (!found) std::fill_n(both, kBothStates * kBlock, kNever<Score>);
    found = true;
    const Score* left = block(i, k, index);
    const Score* right = block(k, j, index);
    const Score* into = incoming_.data() + k * stride_ + begin;
    const Score* from = outgoing_.data() + k * stride_ + begin;
    CROSSARC_INDEPENDENT
    for (std::size_t lane = 0; lane < kBlock; ++lane) {
      const Score forward = into[lane], backward = from[lane];
      for_each_entry<kSplitBoth>([&](auto number) CROSSARC_INLINE_LAMBDA {
        constexpr Entry entry = kSplitBoth.entries[number];
        constexpr int first = entry.first < kPairStates ? kOpenLSlot + entry.first : kFullLSlot + entry.first;
        constexpr int second = entry.second < kPairStates ? kOpenRSlot + entry.second : kFullRSlot + entry.second;
        raise(both[kBothNumber[entry.result] * kBlock + lane],
              (left[first * kBlock + lane] + right[second * kBlock + lane]) +
                  edge_score(entry.direction, forward, backward));
      });
    }
  }
  return found;
}

// After all splits: N with an edge between j and x or without, L with edges between i and j, and j and x.
template <typename Score>
CROSSARC_INLINE void BestChart<Score>::finish_left(std::int32_t i, std::int32_t j, std::size_t index,
                                                   Score* out) const {
  const Score* closed = block(i, j, index);
  const Score *to_x = outgoing_.data() + j * stride_ + index * kBlock,
              *from_x = incoming_.data() + j * stride_ + index * kBlock;
  const Score ij = crossed(i, j), ji = crossed(j, i);
  const PairValues pair = open(i, j);
  CROSSARC_INDEPENDENT
  for (std::size_t lane = 0; lane < kBlock; ++lane) {
    Score l[kStates], tail[kStates], plain[kStates];
    for (int state = 0; state < kStates; ++state) l[state] = tail[state] = plain[state] = kNever<Score>;
    const Score jx = to_x[lane], xj = from_x[lane];
    const auto nothing = [](int) CROSSARC_INLINE_LAMBDA { return Score{0}; };
    const auto of_n = [&](int state) CROSSARC_INLINE_LAMBDA { return closed[(kFullNSlot + state) * kBlock + lane]; };
    const auto of_l = [&](int state) CROSSARC_INLINE_LAMBDA { return closed[(kFullLSlot + state) * kBlock + lane]; };
    raise_all<kOpening>(l, of_l, nothing, ij, ji);
    raise_all<kTailing>(tail, [&](int state) CROSSARC_INLINE_LAMBDA { return l[state]; }, nothing, jx, xj);
    raise_all<kTailEdge>(tail, [&](int state) CROSSARC_INLINE_LAMBDA { return pair[state]; }, nothing, jx, xj);
    raise_all<kTailing>(plain, of_n, nothing, jx, xj);
    const Score n = of_n(kApart);
    for (int state = 0; state < kStates; ++state) {
      out[(kTailSlot + state) * kBlock + lane] = tail[state];
      out[(kPlainTailSlot + state) * kBlock + lane] = plain[state];
    }
    out[kNSlot * kBlock + lane] = n;
  }
}

// R with an edge between i and j or without, and what is below such an edge.
template <typename Score>
CROSSARC_INLINE void BestChart<Score>::finish_right(std::int32_t i, std::int32_t j, std::size_t index,
                                                    const Score* both, Score* out) const {
  const Score* closed = block(i, j, index);
  const Score ij = crossed(i, j), ji = crossed(j, i);
  const PairValues pair = open(i, j);
  CROSSARC_INDEPENDENT
  for (std::size_t lane = 0; lane < kBlock; ++lane) {
    Score r[kStates], opened[kStates], bridge[kStates], right_bridge[kStates];
    for (int state = 0; state < kStates; ++state) {
      r[state] = closed[(kFullRSlot + state) * kBlock + lane];
      opened[state] = bridge[state] = right_bridge[state] = kNever<Score>;
    }
    const auto nothing = [](int) CROSSARC_INLINE_LAMBDA { return Score{0}; };
    const auto of_r = [&](int state) CROSSARC_INLINE_LAMBDA { return r[state]; };
    const auto of_any = [&](int state) CROSSARC_INLINE_LAMBDA {
      Score value = closed[(kFullLSlot + state) * kBlock + lane];
      raise(value, r[state]);
      if (kBothNumber[state] >= 0) raise(value, both[kBothNumber[state] * kBlock + lane]);
      return value;
    };
    raise_all<kOpening>(opened, of_r, nothing, ij, ji);
    raise_all<kBridging>(bridge, of_any, nothing, ij, ji);
    raise_all<kBridging>(right_bridge, of_r, nothing, ij, ji);
    for (int state = 0; state < kStates; ++state) {
      if (state < kPairStates) out[(kOpenRSlot + state) * kBlock + lane] = opened[state];
      if (state < kPairStates) raise(opened[state], pair[state]);
      out[(kFullRSlot + state) * kBlock + lane] = opened[state];
      if (kBridgeNumber[state] < 0) continue;
      out[(kBridgeSlot + kBridgeNumber[state]) * kBlock + lane] = bridge[state];
      out[(kRightBridgeSlot + kBridgeNumber[state]) * kBlock + lane] = right_bridge[state];
    }
  }
}

// Last, N and L with or without edges of x.
template <typename Score>
CROSSARC_INLINE void BestChart<Score>::finish_shared(std::int32_t i, std::int32_t j, std::size_t index) {
  Score* out = block(i, j, index);
  const Score ij = crossed(i, j), ji = crossed(j, i);
  const PairValues pair = open(i, j);
  CROSSARC_INDEPENDENT
  for (std::size_t lane = 0; lane < kBlock; ++lane) {
    Score opened[kStates];
    for (int state = 0; state < kStates; ++state) opened[state] = kNever<Score>;
    const auto of_l = [&](int state) CROSSARC_INLINE_LAMBDA { return out[(kFullLSlot + state) * kBlock + lane]; };
    raise_all<kOpening>(opened, of_l, [](int) CROSSARC_INLINE_LAMBDA { return Score{0}; }, ij, ji);
    for (int state = 0; state < kStates; ++state) {
      if (state < kPairStates) {
        out[(kOpenLSlot + state) * kBlock + lane] = opened[state];
        raise(opened[state], pair[state]);
        raise(out[(kFullNSlot + state) * kBlock + lane], pair[state]);
      }
      out[(kFullLSlot + state) * kBlock + lane] = opened[state];
    }
  }
}

// What lies within two crossing edges, from i to l on: for each k between them. Only the tables of one i are kept.
template <typename Score>
void BestChart<Score>::fill_hulls(std::int32_t i, std::int32_t l) const {
  const Score il = crossed(i, l), li = crossed(l, i);
  const Score edge = edge_peak(i, l);
  const Score least = limit(i);
  const std::size_t block_of_l = static_cast<std::size_t>(l) / kBlock,
                    block_of_i = static_cast<std::size_t>(i) / kBlock;
  Score* const peaks = hull_peaks_.data() + l * blocks_;
  std::fill_n(peaks, blocks_, kNever<Score>);
  hulls_of_ = i;
  for (std::int32_t k = i + 1; k < l; ++k) {
    const Score right_peak = pair_peak(k, l);
    const bool of_bridges = edge_peak(i, k) > kNever<Score> && peak(i, k, block_of_l) + right_peak >= least;
    const bool with_edge = full_peak(i, k, block_of_l) + right_peak + edge >= least;
    const bool is_plain = pair_peak(i, k) + peak(k, l, block_of_i) + edge >= least;
    if (!of_bridges && !with_edge && !is_plain) continue;
    Values hull, plain;
    hull.fill(kNever<Score>);
    plain.fill(kNever<Score>);
    const auto of_right = [&](int state) { return open(k, l)[state]; };
    if (of_bridges) {
      const auto of_bridge = [&](int state) { return row_value(kRightBridgeSlot + kBridgeNumber[state], i, k, l); };
      raise_all<kHullOfBridge>(hull.data(), of_bridge, of_right);
    }
    if (with_edge) {
      const auto of_r = [&](int state) { return row_value(kFullRSlot + state, i, k, l); };
      raise_all<kHullEdge>(hull.data(), of_r, of_right, il, li);
    }
    if (is_plain) {
      const auto of_left = [&](int state) { return open(i, k)[state]; };
      const auto of_l = [&](int state) { return open_value(kOpenLSlot, kFullLSlot, state, k, l, i); };
      raise_all<kPlainHullEdge>(plain.data(), of_left, of_l, il, li);
    }
    const Score highest =
        std::max(*std::max_element(hull.begin(), hull.end()), *std::max_element(plain.begin(), plain.end()));
    if (highest < least) continue;
    const std::size_t index = static_cast<std::size_t>(k) / kBlock;
    if (peaks[index] == kNever<Score>) std::fill_n(hulls(l, index), kHullSlots * kBlock, kNever<Score>);
    raise(peaks[index], highest);
    Score* out = hulls(l, index) + static_cast<std::size_t>(k) % kBlock;
    for (int state = 0; state < kStates; ++state) {
      out[state * kBlock] = hull[state];
      out[(kStates + state) * kBlock] = plain[state];
    }
  }
}

template class BestChart<float>;
template class BestChart<double>;

}  // namespace crossarc
