// What all charts share: the algebras in which they are filled, and the derivations that they hold.
//
// The algebras in which a chart can be filled (semirings): what "or" (plus) and "and" (times) of partial trees mean.
// Each turns the score of an arc into a value; a forbidden arc becomes zero.
//
// What all charts have in common: items with values, and for each item the rules that make it, each of at most three
// items and four arcs. On top of that, written once for every chart: the best tree, a random tree (derive), and the k
// best.
//
// A Forest has `value(item)`, `top()` and `for_each_rule(item, visit)`, which calls visit(Rule); a rule is made of
// items that were filled before. The algebra is the one the chart was filled in.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/compiler.hpp"
#include "core/threads.hpp"
#include "decoders/scores.hpp"

namespace crossarc {

// Throws std::length_error where a chart is larger than the memory of the machine, rather than to fill it: that of
// 1-Endpoint-Crossing trees grows with the third power of the words.
inline void check_chart_size(std::int32_t words, std::size_t bytes) {
  if (bytes <= machine_memory()) return;
  const auto gibibytes = [](std::size_t size) { return std::to_string((size + (1U << 30) - 1) >> 30); };
  throw std::length_error("the chart of a sentence of " + std::to_string(words) + " words takes " + gibibytes(bytes) +
                          " GiB of memory, and this machine has " + gibibytes(machine_memory()));
}

// The score of the best tree.
template <typename Score>
struct Best {
  using Value = Score;
  static constexpr Value zero() { return -std::numeric_limits<Score>::infinity(); }
  static constexpr Value one() { return 0; }
  static Value plus(Value a, Value b) { return a > b ? a : b; }
  static Value times(Value a, Value b) { return a + b; }
  static Value of_score(double score) { return static_cast<Value>(score); }
  static bool is_zero(Value value) { return value == zero(); }
};

// The sum over trees of exp(score): fast, and right within the range of a double.
struct Sum {
  using Value = double;
  static constexpr Value zero() { return 0; }
  static constexpr Value one() { return 1; }
  static Value plus(Value a, Value b) { return a + b; }
  static Value times(Value a, Value b) { return a * b; }
  static Value of_score(double score) { return std::exp(score); }
  static bool is_zero(Value value) { return value == 0; }
  static double log(Value value) { return std::log(value); }
};

// The same as logarithms: slower, and right always.
struct LogSum {
  using Value = double;
  static constexpr Value zero() { return kForbidden; }
  static constexpr Value one() { return 0; }
  static Value plus(Value a, Value b) {
    const double larger = std::max(a, b);
    const double smaller = std::min(a, b);
    return smaller == kForbidden ? larger : larger + std::log1p(std::exp(smaller - larger));
  }
  static Value times(Value a, Value b) { return a + b; }
  static Value of_score(double score) { return score; }
  static bool is_zero(Value value) { return value == kForbidden; }
  static double log(Value value) { return value; }
};

// The number of trees modulo a prime below 2^31; several primes make it exact.
struct Count {
  using Value = std::uint64_t;
  static inline thread_local std::uint64_t prime = 2147483647;  // set before a chart is filled
  static constexpr Value zero() { return 0; }
  static constexpr Value one() { return 1; }
  static Value plus(Value a, Value b) { return (a + b) % prime; }
  static Value times(Value a, Value b) { return a * b % prime; }
  static Value of_score(double score) { return score == kForbidden ? 0 : 1; }
  static bool is_zero(Value value) { return value == 0; }
};

// Values by the number of arcs from 0, none or one: a polynomial in that number, cut off after its second term. So the
// trees with exactly one child of 0 are told from the others in any algebra at a constant cost.
template <typename Algebra>
struct OneRoot {
  struct Value {
    typename Algebra::Value none;
    typename Algebra::Value one;
  };
  static constexpr Value zero() { return {Algebra::zero(), Algebra::zero()}; }
  static constexpr Value one() { return {Algebra::one(), Algebra::zero()}; }
  static Value plus(Value a, Value b) { return {Algebra::plus(a.none, b.none), Algebra::plus(a.one, b.one)}; }
  static Value times(Value a, Value b) {
    return {Algebra::times(a.none, b.none),
            Algebra::plus(Algebra::times(a.none, b.one), Algebra::times(a.one, b.none))};
  }
  static bool is_zero(Value value) { return Algebra::is_zero(value.none) && Algebra::is_zero(value.one); }
};

// The value of an arc, and what counts of a value in the end; OneRoot has its own.
template <typename Algebra>
struct Reading {
  using Plain = Algebra;
  static typename Algebra::Value arc(std::int32_t, double score) { return Algebra::of_score(score); }
  static typename Algebra::Value result(typename Algebra::Value value) { return value; }
};
template <typename Algebra>
struct Reading<OneRoot<Algebra>> {
  using Plain = Algebra;
  static typename OneRoot<Algebra>::Value arc(std::int32_t head, double score) {
    const typename Algebra::Value value = Algebra::of_score(score);
    if (head == 0) return {Algebra::zero(), value};
    return {value, Algebra::zero()};
  }
  static typename Algebra::Value result(typename OneRoot<Algebra>::Value value) { return value.one; }
};

using ItemId = std::int64_t;

struct TreeArc {
  std::int32_t head;
  std::int32_t dependent;
  bool crossed = false;  // by another arc of the tree
};

struct ForestRule {
  std::array<ItemId, 3> items{-1, -1, -1};
  std::array<TreeArc, 4> arcs{};
  int arc_count = 0;

  void add(std::int32_t head, std::int32_t dependent, bool crossed = false) {
    arcs[arc_count++] = {head, dependent, crossed};
  }
};

// The value of one rule.
template <typename Algebra, typename Forest>
typename Algebra::Value rule_value(const Forest& forest, const ForestRule& rule) {
  typename Algebra::Value value = Algebra::one();
  for (int place = 0; place < rule.arc_count; ++place) {
    value = Algebra::times(value, forest.arc_value(rule.arcs[place]));
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

// The k best trees of a chart, lazily (Huang & Chiang 2005, Algorithm 3). The chart is filled with Best and has one
// derivation for each tree, so the k best derivations are the k best trees. An item keeps its derivations found so far
// and a heap of candidates; the next best one is a rule with parts of certain ranks, and its successors raise one rank
// by one.
template <typename Forest>
class KBestTrees {
 public:
  KBestTrees(const Forest& forest, std::size_t most) : forest_(forest), most_(most) {}

  // The score of the tree of a rank, from 0 on, and its heads; false if there are fewer trees.
  bool find(std::size_t rank, double& score, std::span<std::int32_t> heads) {
    if (!ensure(forest_.top(), rank)) return false;
    score = items_[forest_.top()].found[rank].value;
    collect(forest_.top(), rank, heads);
    return true;
  }

 private:
  struct Derivation {
    double value = 0;
    ForestRule rule;
    std::array<std::uint32_t, 3> ranks{};
    std::uint32_t order = 0;  // of equal derivations the one that was met first comes first
  };
  struct ItemState {
    std::vector<Derivation> found;
    std::vector<Derivation> candidates;  // a heap
    std::uint32_t met = 0;
    bool opened = false;
  };

  static bool worse(const Derivation& a, const Derivation& b) {
    return a.value < b.value || (a.value == b.value && a.order > b.order);
  }

  void open(ItemId item) {
    ItemState& state = items_[item];
    state.opened = true;
    forest_.for_each_rule(item, [&](const ForestRule& rule) {
      const double value = rule_value<Best<double>>(forest_, rule);
      if (value != kForbidden) state.candidates.push_back({value, rule, {}, state.met++});
      return false;
    });
    // No more than k of them can ever be used.
    if (state.candidates.size() > most_) {
      const auto better = [](const Derivation& a, const Derivation& b) { return worse(b, a); };
      std::nth_element(state.candidates.begin(), state.candidates.begin() + most_ - 1, state.candidates.end(), better);
      state.candidates.resize(most_);
      state.candidates.shrink_to_fit();
    }
    std::make_heap(state.candidates.begin(), state.candidates.end(), worse);
  }

  // Whether the item has a derivation of the rank. References into items_ stay valid while it grows.
  bool ensure(ItemId item, std::size_t rank) {
    check_interruption();
    ItemState& state = items_[item];
    if (!state.opened) open(item);
    while (state.found.size() <= rank) {
      if (!state.found.empty()) add_successors(state, state.found.size() - 1);
      if (state.candidates.empty()) return false;
      std::pop_heap(state.candidates.begin(), state.candidates.end(), worse);
      state.found.push_back(state.candidates.back());
      state.candidates.pop_back();
    }
    return true;
  }

  // Ranks are raised from the last raised part on, so that every combination comes up once.
  void add_successors(ItemState& state, std::size_t index) {
    const Derivation from = state.found[index];
    int first = 0;
    for (int part = 0; part < 3; ++part) {
      if (from.ranks[part] > 0) first = part;
    }
    for (int part = first; part < 3; ++part) {
      const ItemId item = from.rule.items[part];
      if (item < 0 || !ensure(item, from.ranks[part] + 1)) continue;
      Derivation next = from;
      ++next.ranks[part];
      next.value += items_[item].found[next.ranks[part]].value - items_[item].found[from.ranks[part]].value;
      next.order = state.met++;
      state.candidates.push_back(next);
      std::push_heap(state.candidates.begin(), state.candidates.end(), worse);
    }
  }

  void collect(ItemId item, std::size_t rank, std::span<std::int32_t> heads) {
    ensure(item, rank);
    const Derivation derivation = items_[item].found[rank];
    for (int arc = 0; arc < derivation.rule.arc_count; ++arc) {
      heads[derivation.rule.arcs[arc].dependent - 1] = derivation.rule.arcs[arc].head;
    }
    for (int part = 0; part < 3; ++part) {
      if (derivation.rule.items[part] >= 0) collect(derivation.rule.items[part], derivation.ranks[part], heads);
    }
  }

  const Forest& forest_;
  std::size_t most_;
  std::unordered_map<ItemId, ItemState> items_;
};

}  // namespace crossarc
