// The chart of 1-Endpoint-Crossing trees over the grammar with one derivation for each tree, in any algebra: maximum,
// sums, counts (crossing_grammar.hpp says what the items are). O(n⁴) time and O(n³) memory.
//
// Intervals are filled with i falling and j rising, so that everything inside an interval is there before it. For
// marginals the same rules run backwards (outside values).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/arrays.hpp"
#include "core/threads.hpp"
#include "decoders/chart/chart.hpp"
#include "decoders/one_endpoint/crossing_grammar.hpp"

namespace crossarc {

template <typename Algebra>
class CrossingChart {
 public:
  using Value = typename Algebra::Value;
  using Grammar = CrossingGrammar;
  using Positions = std::array<std::int32_t, Grammar::kPoints + 1>;  // the last is 0, the head off the line

  explicit CrossingChart(bool root_arcs)
      : grammar_(root_arcs ? Grammar::with_root_arcs() : Grammar::without_root_arcs()), first_(root_arcs ? 0 : 1) {}

  // The value of all trees. Arcs have the given values, by dependent; crossed ones those that follow, if any do.
  Value fill(std::int32_t words, std::vector<Value> arc_values) {
    words_ = words;
    width_ = static_cast<std::size_t>(words) + 1;
    arcs_ = std::move(arc_values);
    crossed_ = arcs_.size() > width_ * width_ ? width_ * width_ : 0;
    allocate(inside_);
    if (words_ <= first_) return top_value_ = only_word();
    for_each_step([&](int type, const Positions& at) { fill_item(type, at); });
    return top_value_;
  }

  // After fill, in an algebra of sums: for every arc, as the values were given, that of all trees that have it.
  std::vector<Value> arc_sums() {
    std::vector<Value> sums(arcs_.size(), Algebra::zero());
    if (words_ <= first_) {
      if (words_ == 1) sums[width_] = top_value_;
      return sums;
    }
    allocate(outside_);
    std::vector<std::pair<int, Positions>> steps;
    for_each_step([&](int type, const Positions& at) { steps.emplace_back(type, at); });
    for (std::size_t step = steps.size(); step-- > 0;) {
      check_interruption();
      pull_item(steps[step].first, steps[step].second, sums);
    }
    outside_.clear();
    return sums;
  }

  // As a forest.
  ItemId top() const { return static_cast<ItemId>(inside_.size()); }
  Value value(ItemId item) const { return item == top() ? top_value_ : inside_[item]; }
  Value arc_value(TreeArc arc) const { return arcs_[arc_index(arc)]; }

  template <typename Visit>
  void for_each_rule(ItemId item, Visit&& visit) const {
    if (item == top() && words_ <= first_) {
      ForestRule rule;
      if (words_ == 1) rule.add(0, 1);
      visit(rule);
      return;
    }
    const auto [type, state, at] = place_of(item);
    for (const int number : grammar_.types()[type].rules) {
      const Grammar::Rule& rule = grammar_.rules()[number];
      for_each_split(rule, at, [&, wanted = state](const Positions& points) {
        for (const Grammar::Entry& entry : rule.entries) {
          if (entry.result != wanted) continue;
          ForestRule found;
          found.items[0] = place(rule.components[0], points) + entry.first;
          if (rule.components.size() > 1) found.items[1] = place(rule.components[1], points) + entry.second;
          const Grammar::ArcPattern& pattern = rule.arcs[entry.arcs];
          for (int arc = 0; arc < pattern.size; ++arc) {
            const TreeArc added = arc_at(pattern.arcs[arc], points);
            found.add(added.head, added.dependent, added.crossed);
          }
          visit(found);
        }
      });
    }
    // The interval of two neighbours needs no rule.
    if (type == grammar_.interval_type() && at[Grammar::kJ] == at[Grammar::kI] + 1 && is_apart(state)) {
      visit(ForestRule{});
    }
  }

 private:
  struct Place {
    int type;
    int state;
    Positions at;
  };

  Value only_word() const { return words_ == 0 ? Algebra::one() : arc_value({0, 1}); }

  std::size_t arc_index(TreeArc arc) const { return (arc.crossed ? crossed_ : 0) + arc.dependent * width_ + arc.head; }
  static TreeArc arc_at(const Grammar::PointArc& arc, const Positions& points) {
    return {points[arc.head], points[arc.dependent], arc.crossed};
  }

  bool is_apart(int state) const {
    return grammar_.types()[grammar_.interval_type()].states[state] == Grammar::State{0, 1, 0};
  }

  std::size_t interval_index(std::int32_t i, std::int32_t j) const { return i * width_ + j; }
  // Intervals with i < j, one after the other.
  std::size_t triangle_index(std::int32_t i, std::int32_t j) const {
    return static_cast<std::size_t>(j) * (j - 1) / 2 + i;
  }
  std::size_t outside_begin() const { return width_ * width_ * grammar_.interval_kinds(); }

  ItemId place(int type, std::int32_t i, std::int32_t j, std::int32_t x) const {
    const Grammar::Type& named = grammar_.types()[type];
    if (named.points == 2) {
      return static_cast<ItemId>(interval_index(i, j) * grammar_.interval_kinds() + named.first_kind);
    }
    const std::size_t row = triangle_index(i, j) * width_ + x;
    return static_cast<ItemId>(outside_begin() + row * grammar_.outside_kinds() + named.first_kind);
  }
  ItemId place(const Grammar::Component& component, const Positions& at) const {
    return place(component.type, at[component.points[0]], at[component.points[1]], at[component.points[2]]);
  }

  Place place_of(ItemId item) const {
    Place found{grammar_.top_type(), 0, {first_, words_, 0, 0, 0, 0}};
    if (item == top()) return found;
    auto index = static_cast<std::size_t>(item);
    const bool interval = index < outside_begin();
    if (!interval) index -= outside_begin();
    const auto kinds = static_cast<std::size_t>(interval ? grammar_.interval_kinds() : grammar_.outside_kinds());
    const auto kind = static_cast<int>(index % kinds);
    std::size_t row = index / kinds;
    if (!interval) {
      found.at[Grammar::kX] = static_cast<std::int32_t>(row % width_);
      row /= width_;
      std::int32_t j = 1;
      while (triangle_index(0, j + 1) <= row) ++j;
      found.at[Grammar::kJ] = j;
      found.at[Grammar::kI] = static_cast<std::int32_t>(row - triangle_index(0, j));
    } else {
      found.at[Grammar::kJ] = static_cast<std::int32_t>(row % width_);
      found.at[Grammar::kI] = static_cast<std::int32_t>(row / width_);
    }
    for (std::size_t type = 0; type < grammar_.types().size(); ++type) {
      const Grammar::Type& named = grammar_.types()[type];
      const int states = static_cast<int>(named.states.size());
      if (named.points != (interval ? 2 : 3) || kind < named.first_kind || kind >= named.first_kind + states) continue;
      found.type = static_cast<int>(type);
      found.state = kind - named.first_kind;
    }
    return found;
  }

  void allocate(LongArray<Value>& values) const {
    const std::size_t triangles = width_ * (width_ - 1) / 2;
    const std::size_t size = outside_begin() + triangles * width_ * grammar_.outside_kinds();
    check_chart_size(words_, size * sizeof(Value));
    values.assign(size, Algebra::zero());
  }

  // Calls step(type, positions) for all items, in an order in which what an item is made of precedes it.
  template <typename Step>
  void for_each_step(Step&& step) const {
    const auto types = static_cast<int>(grammar_.types().size());
    const auto run = [&](Grammar::Phase phase, const Positions& at) {
      for (int type = 0; type < types; ++type) {
        if (grammar_.types()[type].phase == phase) step(type, at);
      }
    };
    for (std::int32_t i = words_ - 1; i >= first_; --i) {
      for (std::int32_t j = i + 1; j <= words_; ++j) {
        const std::int32_t work = 1 + (j - i) * (j - i) / 16;
        for (std::int32_t inner = i + 1; inner < j; ++inner) {
          check_interruption(work);
          run(Grammar::Phase::kHull, {i, inner, j, 0, 0, 0});
        }
        run(Grammar::Phase::kInterval, {i, j, 0, 0, 0, 0});
        for (std::int32_t x = first_; x <= words_; ++x) {
          if (i <= x && x <= j) continue;
          check_interruption(work);
          run(Grammar::Phase::kOutside, {i, j, x, 0, 0, 0});
        }
      }
    }
    run(Grammar::Phase::kTop, {first_, words_, 0, 0, 0, 0});
  }

  template <typename Visit>
  void for_each_split(const Grammar::Rule& rule, Positions at, Visit&& visit) const {
    const std::int32_t i = at[Grammar::kI];
    const std::int32_t j = at[Grammar::kJ];
    std::int32_t& k = at[Grammar::kK];
    std::int32_t& l = at[Grammar::kL];
    switch (rule.inside) {
      case Grammar::Inside::kNone:
        visit(at);
        break;
      case Grammar::Inside::kNext:
        k = i + 1;
        if (k < j) visit(at);
        break;
      case Grammar::Inside::kOne:
        for (k = i + 1; k < j; ++k) visit(at);
        break;
      case Grammar::Inside::kTwo:
        for (l = i + 2; l < j; ++l) {
          for (k = i + 1; k < l; ++k) visit(at);
        }
    }
  }

  Value pattern_value(const Grammar::ArcPattern& pattern, const Positions& points) const {
    Value value = Algebra::one();
    for (int arc = 0; arc < pattern.size; ++arc) {
      value = Algebra::times(value, arc_value(arc_at(pattern.arcs[arc], points)));
    }
    return value;
  }

  // Calls use(pattern, its value, first entry, last entry) for every pattern whose arcs are all allowed.
  template <typename Use>
  void for_each_pattern(const Grammar::Rule& rule, const Positions& points, Use&& use) const {
    const Grammar::Entry* entry = rule.entries.data();
    const Grammar::Entry* end = entry + rule.entries.size();
    while (entry != end) {
      const std::uint16_t pattern = entry->arcs;
      const Grammar::Entry* begin = entry;
      while (entry != end && entry->arcs == pattern) ++entry;
      const Value value = pattern_value(rule.arcs[pattern], points);
      if (!Algebra::is_zero(value)) use(rule.arcs[pattern], value, begin, entry);
    }
  }

  void fill_item(int type, const Positions& at) {
    Value* out = type == grammar_.top_type() ? &top_value_
                                             : &inside_[place(type, at[Grammar::kI], at[Grammar::kJ], at[Grammar::kX])];
    if (type == grammar_.top_type()) top_value_ = Algebra::zero();
    if (type == grammar_.interval_type() && at[Grammar::kJ] == at[Grammar::kI] + 1) {
      for (int state = 0; state < static_cast<int>(grammar_.types()[type].states.size()); ++state) {
        if (is_apart(state)) out[state] = Algebra::one();
      }
    }
    for (const int number : grammar_.types()[type].rules) {
      const Grammar::Rule& rule = grammar_.rules()[number];
      const bool two = rule.components.size() > 1;
      for_each_split(rule, at, [&](const Positions& points) {
        const Value* first = &inside_[place(rule.components[0], points)];
        const Value* second = two ? &inside_[place(rule.components[1], points)] : &unit_;
        for_each_pattern(rule, points, [&](const auto&, Value arcs, const auto* entry, const auto* end) {
          for (; entry != end; ++entry) {
            const Value parts = Algebra::times(first[entry->first], second[entry->second]);
            out[entry->result] = Algebra::plus(out[entry->result], Algebra::times(parts, arcs));
          }
        });
      });
    }
  }

  void pull_item(int type, const Positions& at, std::vector<Value>& sums) {
    const Value top_outside = Algebra::one();
    const Value* result = type == grammar_.top_type()
                              ? &top_outside
                              : &outside_[place(type, at[Grammar::kI], at[Grammar::kJ], at[Grammar::kX])];
    const std::size_t states = grammar_.types()[type].states.size();
    if (std::all_of(result, result + states, [](Value value) { return Algebra::is_zero(value); })) return;
    Value unused = Algebra::zero();
    for (const int number : grammar_.types()[type].rules) {
      const Grammar::Rule& rule = grammar_.rules()[number];
      const bool two = rule.components.size() > 1;
      for_each_split(rule, at, [&](const Positions& points) {
        const ItemId first_place = place(rule.components[0], points);
        const ItemId second_place = two ? place(rule.components[1], points) : 0;
        const Value* first = &inside_[first_place];
        const Value* second = two ? &inside_[second_place] : &unit_;
        Value* first_outside = &outside_[first_place];
        Value* second_outside = two ? &outside_[second_place] : &unused;
        for_each_pattern(rule, points, [&](const auto& pattern, Value arcs, const auto* entry, const auto* end) {
          Value sum = Algebra::zero();
          for (; entry != end; ++entry) {
            const Value around = Algebra::times(result[entry->result], arcs);
            const Value with_first = Algebra::times(around, first[entry->first]);
            Value& below_first = first_outside[entry->first];
            below_first = Algebra::plus(below_first, Algebra::times(around, second[entry->second]));
            Value& below_second = second_outside[entry->second];
            below_second = Algebra::plus(below_second, with_first);
            sum = Algebra::plus(sum, Algebra::times(with_first, second[entry->second]));
          }
          for (int arc = 0; arc < pattern.size; ++arc) {
            Value& own = sums[arc_index(arc_at(pattern.arcs[arc], points))];
            own = Algebra::plus(own, sum);
          }
        });
      });
    }
  }

  static constexpr Value unit_ = Algebra::one();

  const Grammar& grammar_;
  std::int32_t first_;
  std::int32_t words_ = 0;
  std::size_t width_ = 1;
  std::vector<Value> arcs_;
  std::size_t crossed_ = 0;  // where the values of crossed arcs begin; 0 if they are the same
  LongArray<Value> inside_;
  LongArray<Value> outside_;
  Value top_value_ = Algebra::one();
};

}  // namespace crossarc
