// What of the chart of best_chart.cpp is no rule: its memory, the arcs that it takes, by how far they are behind the
// best ones, and the values of its items by number.
#include <algorithm>
#include <limits>

#include "decoders/one_endpoint/best_chart.hpp"
#include "decoders/one_endpoint/best_rules.hpp"

namespace crossarc {

using namespace gluing;
using namespace best_rules;

namespace {

// Sums of scores in other orders, and in the precision of the chart, differ by less than this part of them.
constexpr double kRounding = 1e-4;

}  // namespace

template <typename Score>
void BestChart<Score>::allocate(std::int32_t words) {
  words_ = words;
  width_ = static_cast<std::size_t>(words) + 1;
  blocks_ = (width_ + kBlock - 1) / kBlock;
  stride_ = blocks_ * kBlock;
  const std::size_t triangles = width_ * (width_ - 1) / 2;
  check_chart_size(words, triangles * kSlots * stride_ * sizeof(Score));
  rows_.resize(triangles * kSlots * stride_);
  peaks_.resize(triangles * blocks_);
  hulls_.resize(width_ * kHullSlots * stride_);
  hull_peaks_.resize(width_ * blocks_);
  for (std::vector<PairValues>* values : {&closed_, &open_, &bridged_}) values->resize(width_ * width_);
  for (std::vector<Score>* values : {&pair_peaks_, &row_peaks_}) values->resize(width_ * width_);
}

// False if some word has no head.
template <typename Score>
bool BestChart<Score>::load(const IncomingScores& scores, double least) {
  for (std::vector<Score>* matrix : {&uncrossed_, &outgoing_, &incoming_}) matrix->assign(width_ * stride_, kNone);
  arc_peaks_.assign(width_ * blocks_, kNone);
  lowest_.assign(width_, words_);
  highest_.assign(width_, 0);
  double bound = 0;               // no tree scores more
  double from_root = kForbidden;  // the highest of all arcs from 0, beside the best into the same word
  for (std::int32_t dependent = 1; dependent <= words_; ++dependent) {
    const double *row = scores.row(dependent), *crossed_row = scores.crossed_row(dependent);
    const double highest =
        std::max(*std::max_element(row, row + width_), *std::max_element(crossed_row, crossed_row + width_));
    if (highest == kForbidden) return false;
    bound += highest;
    from_root = std::max(from_root, std::max(row[0], crossed_row[0]) - highest);
    load_arcs(scores, dependent, highest);
  }
  if (from_root == kForbidden) return words_ == 0;
  root_loss_ = static_cast<Score>(-from_root);
  find_peaks();
  const double most = (1 + kRounding) * (bound - least) + kRounding * (1 - from_root);
  limit_ = static_cast<Score>(std::max(0.5 * std::numeric_limits<Score>::lowest(), -most - from_root));
  return true;
}

// Arcs into a word, by how far they are behind the best.
template <typename Score>
void BestChart<Score>::load_arcs(const IncomingScores& scores, std::int32_t dependent, double highest) {
  const double *row = scores.row(dependent), *crossed_row = scores.crossed_row(dependent);
  for (std::int32_t head = 0; head <= words_; ++head) {
    uncrossed_[head * stride_ + dependent] = static_cast<Score>(row[head] - highest);
    const auto value = static_cast<Score>(crossed_row[head] - highest);
    outgoing_[head * stride_ + dependent] = value;
    incoming_[dependent * stride_ + head] = value;
    if (value == kNone) continue;
    lowest_[head] = std::min(lowest_[head], dependent);
    lowest_[dependent] = std::min(lowest_[dependent], head);
    highest_[head] = std::max(highest_[head], dependent);
    highest_[dependent] = std::max(highest_[dependent], head);
    arc_peaks_[head * blocks_ + dependent / kBlock] = std::max(arc_peaks_[head * blocks_ + dependent / kBlock], value);
    arc_peaks_[dependent * blocks_ + head / kBlock] = std::max(arc_peaks_[dependent * blocks_ + head / kBlock], value);
  }
}

template <typename Score>
void BestChart<Score>::find_peaks() {
  for (std::size_t word = 1; word < width_; ++word) {
    arc_peaks_[word * blocks_] =
        std::max(arc_peaks_[word * blocks_], crossed(0, static_cast<std::int32_t>(word)) + root_loss_);
  }
  word_peaks_.resize(width_);
  for (std::size_t word = 0; word < width_; ++word) {
    const auto begin = arc_peaks_.begin() + static_cast<std::ptrdiff_t>(word * blocks_);
    word_peaks_[word] = *std::max_element(begin, begin + static_cast<std::ptrdiff_t>(blocks_));
  }
  reach_.assign(blocks_ * (width_ + 1), 0);
  for (std::size_t index = 0; index < blocks_; ++index) {
    std::int32_t* reach = reach_.data() + index * (width_ + 1);
    for (std::size_t word = 0; word < width_; ++word) {
      reach[word + 1] = reach[word] + (arc_peaks_[word * blocks_ + index] > kNone ? 1 : 0);
    }
  }
}

template <typename Score>
Score BestChart<Score>::value(ItemId number) const {
  const auto [type, state, i, j, x] = item_of(number);
  switch (type) {
    case kClosed:
      return closed_[i * width_ + j][state];
    case kOpen:
      return open_[i * width_ + j][state];
    case kBridged:
      return bridged_[i * width_ + j][state];
    case kFullN:
      return row_value(kFullNSlot + state, i, j, x);
    case kN:
      return row_value(state == kApart ? kNSlot : kFullNSlot + state, i, j, x);
    case kFullL:
      return row_value(kFullLSlot + state, i, j, x);
    case kOpenL:
      return open_value(kOpenLSlot, kFullLSlot, state, i, j, x);
    case kFullR:
      return row_value(kFullRSlot + state, i, j, x);
    case kOpenR:
      return open_value(kOpenRSlot, kFullRSlot, state, i, j, x);
    case kBridge:
      return row_value(kBridgeSlot + kBridgeNumber[state], i, j, x);
    case kRightBridge:
      return row_value(kRightBridgeSlot + kBridgeNumber[state], i, j, x);
    case kTail:
      return row_value(kTailSlot + state, i, j, x);
    case kPlainTail:
      return row_value(kPlainTailSlot + state, i, j, x);
    case kHull:
    case kPlainHull:
      // (i, k, l) as (i, j, x).
      if (hulls_of_ != i) {
        for (std::int32_t l = i + 1; l <= words_; ++l) fill_hulls(i, l);
      }
      return hull_value((type == kHull ? 0 : kStates) + state, j, x);
  }
  return kNone;
}

template void BestChart<float>::allocate(std::int32_t);
template void BestChart<double>::allocate(std::int32_t);
template bool BestChart<float>::load(const IncomingScores&, double);
template bool BestChart<double>::load(const IncomingScores&, double);
template float BestChart<float>::value(ItemId) const;
template double BestChart<double>::value(ItemId) const;

}  // namespace crossarc
