// Eisner's chart of projective trees (Eisner 1996), in any algebra; every tree has exactly one derivation. O(n³) time,
// O(n²) memory. Exactly one child of 0 is had by leaving 0 out of the chart and giving its one child to the top.
//
// Values are pushed: a finished span adds to all longer spans with the same left end in one loop over the right end,
// which runs over neighbours in memory.
#pragma once

#include <cstdint>
#include <vector>

#include "core/threads.hpp"
#include "decoders/chart/chart.hpp"

namespace crossarc {

template <typename Algebra>
class EisnerChart {
 public:
  using Value = typename Algebra::Value;

  // The value of all trees. Arcs have the given values, by dependent. Keeps its memory from sentence to sentence.
  Value fill(std::int32_t words, bool single_root, const std::vector<Value>& arc_values) {
    words_ = words;
    width_ = static_cast<std::size_t>(words) + 1;
    first_ = single_root ? 1 : 0;
    arcs_ = arc_values;
    stride_ = (width_ + kVector - 1) / kVector * kVector;
    values_.assign(kKinds * width_ * stride_, Algebra::zero());
    raw_.resize(stride_);
    for (std::int32_t left = words_; left >= first_; --left) {
      check_interruption(1 + words_ * words_ / 1024);
      fill_from(left);
    }
    top_value_ = Algebra::zero();
    for_each_rule(top(), [&](const ForestRule& rule) {
      top_value_ = Algebra::plus(top_value_, rule_value<Algebra>(*this, rule));
      return false;
    });
    return top_value_;
  }

  // After fill, in an algebra of sums: for every arc, by dependent, the value of all trees that have it.
  std::vector<Value> arc_sums() const {
    std::vector<Value> sums(arcs_.size(), Algebra::zero());
    std::vector<Value> outside(values_.size() + 1, Algebra::zero());
    outside.back() = Algebra::one();
    pull(top(), outside, sums);
    for (std::int32_t left = first_; left <= words_; ++left) {
      for (std::int32_t right = words_; right >= left; --right) {
        check_interruption(1 + words_ / 32);
        for (const Kind kind : {kRight, kLeft, kRightArc, kLeftArc}) pull(id(kind, left, right), outside, sums);
      }
    }
    return sums;
  }

  // As a forest.
  ItemId top() const { return static_cast<ItemId>(values_.size()); }
  Value value(ItemId item) const { return item == top() ? top_value_ : values_[item]; }
  Value arc_value(TreeArc arc) const { return arcs_[arc.dependent * width_ + arc.head]; }

  template <typename Visit>
  void for_each_rule(ItemId item, Visit&& visit) const {
    if (item == top()) return for_each_top_rule(visit);
    const auto row = static_cast<std::int32_t>(item / static_cast<ItemId>(stride_));
    const auto right = static_cast<std::int32_t>(item % static_cast<ItemId>(stride_));
    const auto kind = static_cast<Kind>(row / static_cast<std::int32_t>(width_));
    const std::int32_t left = row % static_cast<std::int32_t>(width_);
    const bool arc = kind == kRightArc || kind == kLeftArc;
    if (left == right) {
      if (!arc) visit(ForestRule{});
      return;
    }
    ForestRule rule;
    if (kind == kRightArc) rule.add(left, right);
    if (kind == kLeftArc) rule.add(right, left);
    for (std::int32_t split = left; split < right; ++split) {
      if (arc) rule.items = {id(kRight, left, split), id(kLeft, split + 1, right), -1};
      if (kind == kRight) rule.items = {id(kRightArc, left, split + 1), id(kRight, split + 1, right), -1};
      if (kind == kLeft) rule.items = {id(kLeft, left, split), id(kLeftArc, split, right), -1};
      if (visit(rule)) return;
    }
  }

 private:
  static constexpr std::size_t kVector = 8;

  // A span whose head is its left (kRight) or right (kLeft) end and complete; or one from end to end of an arc.
  enum Kind : int { kRight, kLeft, kRightArc, kLeftArc, kKinds };

  ItemId id(Kind kind, std::int32_t left, std::int32_t right) const {
    return static_cast<ItemId>((kind * width_ + left) * stride_ + right);
  }
  Value* row(Kind kind, std::int32_t left) { return values_.data() + (kind * width_ + left) * stride_; }

  template <typename Visit>
  void for_each_top_rule(Visit&& visit) const {
    ForestRule rule;
    if (first_ == 0 || words_ == 0) {
      if (words_ > 0) rule.items[0] = id(kRight, 0, words_);
      visit(rule);
      return;
    }
    for (std::int32_t root = 1; root <= words_; ++root) {
      rule = {};
      rule.add(0, root);
      rule.items = {id(kLeft, 1, root), id(kRight, root, words_), -1};
      if (visit(rule)) return;
    }
  }

  // Adds factor times the row to the sums, from a place on. They are rows of different spans.
  void add_row(Value* __restrict sums, Value factor, const Value* __restrict values, std::int32_t begin) const {
    if (Algebra::is_zero(factor)) return;
    // In whole vectors, for which no rest has to be thought of.
    const std::size_t first = static_cast<std::size_t>(begin) / kVector;
    sums += first * kVector;
    values += first * kVector;
    for (std::size_t vectors = stride_ / kVector - first; vectors > 0; --vectors) {
      for (std::size_t place = 0; place < kVector; ++place) {
        sums[place] = Algebra::plus(sums[place], Algebra::times(factor, values[place]));
      }
      sums += kVector;
      values += kVector;
    }
  }

  void fill_from(std::int32_t left) {
    Value* right = row(kRight, left);
    Value* to_left = row(kLeft, left);
    Value* right_arc = row(kRightArc, left);
    Value* left_arc = row(kLeftArc, left);
    std::fill(raw_.begin(), raw_.end(), Algebra::zero());
    right[left] = to_left[left] = Algebra::one();
    for (std::int32_t split = left; split <= words_; ++split) {
      if (split > left) {
        right_arc[split] = Algebra::times(raw_[split], arc_value({left, split}));
        left_arc[split] = Algebra::times(raw_[split], arc_value({split, left}));
        to_left[split] = Algebra::plus(to_left[split], left_arc[split]);
        add_row(right, right_arc[split], row(kRight, split), split);
        add_row(to_left, to_left[split], row(kLeftArc, split), split + 1);
      }
      if (split < words_) add_row(raw_.data(), right[split], row(kLeft, split + 1), split + 1);
    }
  }

  void pull(ItemId item, std::vector<Value>& outside, std::vector<Value>& sums) const {
    const Value around = outside[item];
    if (Algebra::is_zero(around)) return;
    for_each_rule(item, [&](const ForestRule& rule) {
      const Value all = Algebra::times(around, rule_value<Algebra>(*this, rule));
      for (int arc = 0; arc < rule.arc_count; ++arc) {
        Value& sum = sums[rule.arcs[arc].dependent * width_ + rule.arcs[arc].head];
        sum = Algebra::plus(sum, all);
      }
      Value arcs = around;
      for (int arc = 0; arc < rule.arc_count; ++arc) {
        arcs = Algebra::times(arcs, arc_value(rule.arcs[arc]));
      }
      for (int part = 0; part < 2; ++part) {
        if (rule.items[part] < 0) continue;
        const ItemId other = rule.items[1 - part];
        Value& own = outside[rule.items[part]];
        own = Algebra::plus(own, other < 0 ? arcs : Algebra::times(arcs, value(other)));
      }
      return false;
    });
  }

  std::int32_t words_ = 0;
  std::int32_t first_ = 0;
  std::size_t width_ = 1;
  std::size_t stride_ = 0;  // a row, rounded up to whole vectors
  std::vector<Value> arcs_;
  std::vector<Value> values_;
  std::vector<Value> raw_;  // arcs from the left end at hand, without their scores
  Value top_value_ = Algebra::one();
};

}  // namespace crossarc
