// Gluing at compile time: what the parts of a rule make together if each is known only by the roots of its points. A
// state says for each point of an item, two ends and mostly a point x outside, which of them is its root inside the
// item, itself if it has no head there. Given the points of the parts and an edge, all readings of a rule are worked
// out: a state for each part, a direction for the edge, one head for every point inside, no cycle. The loops over them
// are unrolled (best_chart.cpp). crossing_grammar.hpp does the same at run time for the grammar of sums.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/compiler.hpp"

namespace crossarc::gluing {

enum Point : std::int8_t { kI, kJ, kX, kK, kL, kPoints };

// The states of two or three points a, b, x, by their roots; a < b says that b is the root of a. Those of two points
// are the first three.
enum State : int { kApart, kBFromA, kAFromB, kXFromA, kXFromB, kAFromX, kBFromX, kAllA, kAllB, kAllX, kStates };
inline constexpr int kPairStates = 3;
inline constexpr std::array<std::array<std::int8_t, 3>, kStates> kRoots{
    {{0, 1, 2}, {0, 0, 2}, {1, 1, 2}, {0, 1, 0}, {0, 1, 1}, {2, 1, 2}, {0, 2, 2}, {0, 0, 0}, {1, 1, 1}, {2, 2, 2}}};

struct Item {
  std::array<Point, 3> points{kPoints, kPoints, kPoints};
  int size = 0;

  constexpr Item() = default;
  constexpr Item(Point a, Point b) : points{a, b, kPoints}, size(2) {}
  constexpr Item(Point a, Point b, Point x) : points{a, b, x}, size(3) {}
  constexpr int states() const { return size == 0 ? 1 : size == 2 ? kPairStates : static_cast<int>(kStates); }
};

// How an edge (a, b) is added.
enum Direction : std::uint8_t { kNone, kForward, kBackward };  // no edge, a → b, b → a
struct Edge {
  Point a = kPoints;
  Point b = kPoints;
  bool required = true;
};

struct Entry {
  std::uint8_t result = 0;
  std::uint8_t first = 0;
  std::uint8_t second = 0;
  Direction direction = kNone;
};

struct GluingTable {
  std::array<Entry, 64> entries{};
  std::size_t size = 0;
};

namespace detail {

// The heads that points have so far; -1: none yet.
struct GluedHeads {
  std::array<int, kPoints> head{-1, -1, -1, -1, -1};

  constexpr bool give(int point, int new_head) {
    if (head[point] >= 0) return false;
    head[point] = new_head;
    return true;
  }
  constexpr bool add(const Item& item, int state) {
    for (int index = 0; index < item.size; ++index) {
      const int root = kRoots[state][index];
      if (root != index && !give(item.points[index], item.points[root])) return false;
    }
    return true;
  }
  // -1: there is a cycle.
  constexpr int root(int point) const {
    for (int steps = 0; steps <= kPoints; ++steps) {
      if (head[point] < 0) return point;
      point = head[point];
    }
    return -1;
  }
};

constexpr int state_of(const Item& outer, const GluedHeads& heads) {
  for (int state = 0; state < outer.states(); ++state) {
    bool same = true;
    for (int index = 0; index < outer.size; ++index) {
      same = same && heads.root(outer.points[index]) == outer.points[kRoots[state][index]];
    }
    if (same) return state;
  }
  return -1;
}

}  // namespace detail

// All readings of a rule for `outer` of one or two parts and an edge; points of the parts that are not its own are
// inside and need a head.
consteval GluingTable glue(Item outer, Item first, Item second, Edge edge = {}) {
  GluingTable table;
  for (int one = 0; one < first.states(); ++one) {
    for (int two = 0; two < second.states(); ++two) {
      for (const Direction direction : {kNone, kForward, kBackward}) {
        if (edge.a == kPoints ? direction != kNone : edge.required && direction == kNone) continue;
        detail::GluedHeads heads;
        bool valid = heads.add(first, one) && heads.add(second, two);
        if (direction == kForward) valid = valid && heads.give(edge.b, edge.a);
        if (direction == kBackward) valid = valid && heads.give(edge.a, edge.b);
        for (int point = 0; point < kPoints && valid; ++point) valid = heads.root(point) >= 0;
        for (const Item& part : {first, second}) {
          for (int index = 0; index < part.size && valid; ++index) {
            const Point point = part.points[index];
            const bool outside = point == outer.points[0] || point == outer.points[1] || point == outer.points[2];
            valid = outside || heads.head[point] >= 0;
          }
        }
        if (!valid) continue;
        const int result = detail::state_of(outer, heads);
        if (result < 0) continue;
        table.entries[table.size++] = {static_cast<std::uint8_t>(result), static_cast<std::uint8_t>(one),
                                       static_cast<std::uint8_t>(two), direction};
      }
    }
  }
  return table;
}

// Calls use(constant of type Entry) for every entry, unrolled.
template <const GluingTable& table, typename Use>
CROSSARC_INLINE void for_each_entry(Use&& use) {
  [&]<std::size_t... index>(std::index_sequence<index...>) CROSSARC_INLINE_LAMBDA {
    (use(std::integral_constant<std::size_t, index>{}), ...);
  }(std::make_index_sequence<table.size>{});
}

}  // namespace crossarc::gluing
