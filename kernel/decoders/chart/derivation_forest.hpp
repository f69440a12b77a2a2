// What all charts have in common: items with values, and for each item the rules that make it, each of at most three
// items and four arcs. On top of that, written once for every chart: the best tree, a random tree, and the k best.
//
// A Forest has `value(item)`, `top()` and `for_each_rule(item, visit)`, which calls visit(Rule); a rule is made of
// items that were filled before. The algebra is the one the chart was filled in.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace crossarc {

using ItemId = std::int64_t;

struct TreeArc {
  std::int32_t head;
  std::int32_t dependent;
};

struct ForestRule {
  std::array<ItemId, 3> items{-1, -1, -1};
  std::array<TreeArc, 4> arcs{};
  int arc_count = 0;

  void add(std::int32_t head, std::int32_t dependent) { arcs[arc_count++] = {head, dependent}; }
};

// The value of one rule.
template <typename Algebra, typename Forest>
typename Algebra::Value rule_value(const Forest& forest, const ForestRule& rule) {
  typename Algebra::Value value = Algebra::one();
  for (int place = 0; place < rule.arc_count; ++place) {
    value = Algebra::times(value, forest.arc_value(rule.arcs[place].head, rule.arcs[place].dependent));
  }
  for (const ItemId item : rule.items) {
    if (item >= 0) value = Algebra::times(value, forest.value(item));
  }
  return value;
}

// Walks down from the top; choose(item) gives the rule to follow.
template <typename Forest, typename Choose>
void derive(const Forest& forest, Choose&& choose, std::span<std::int32_t> heads) {
  std::vector<ItemId> open{forest.top()};
  while (!open.empty()) {
    const ItemId item = open.back();
    open.pop_back();
    const ForestRule rule = choose(item);
    for (int place = 0; place < rule.arc_count; ++place) {
      heads[rule.arcs[place].dependent - 1] = rule.arcs[place].head;
    }
    for (const ItemId part : rule.items) {
      if (part >= 0) open.push_back(part);
    }
  }
}

// The best tree of a chart filled with Best. The rules are looked through again instead of being remembered: that is
// cheap along one derivation, and the first of equal rules is taken.
template <typename Algebra, typename Forest>
void best_tree(const Forest& forest, std::span<std::int32_t> heads) {
  const auto choose = [&](ItemId item) {
    ForestRule best;
    typename Algebra::Value best_value = Algebra::zero();
    const typename Algebra::Value known = forest.value(item);
    forest.for_each_rule(item, [&](const ForestRule& rule) {
      if (best_value >= known) return true;  // rounding may keep it a little below
      const typename Algebra::Value value = rule_value<Algebra>(forest, rule);
      if (value > best_value) {
        best_value = value;
        best = rule;
      }
      return false;
    });
    return best;
  };
  derive(forest, choose, heads);
}

}  // namespace crossarc
