// The rules of the chart of the best 1-Endpoint-Crossing tree (best_chart.hpp), glued (gluing.hpp); and its items as a
// forest, in which the best derivation is followed. Points of a rule: the item's i, j and x, and k and l inside.
#pragma once

#include "decoders/one_endpoint/best_chart.hpp"

namespace crossarc {

namespace best_rules {

using namespace gluing;

// The entries that satisfy a condition.
template <typename Keep>
consteval GluingTable kept(GluingTable table, Keep keep) {
  GluingTable result;
  for (std::size_t index = 0; index < table.size; ++index) {
    if (keep(result, table.entries[index])) result.entries[result.size++] = table.entries[index];
  }
  return result;
}

// States of an item below an edge between i and j before the edge is added; numbers of those that items of x with both
// ends have.
inline constexpr int kBothStates = 5;
inline constexpr std::array<int, kStates> kBothNumber{0, -1, -1, 1, 2, 3, 4, -1, -1, -1};
// And after it was.
inline constexpr std::array<int, kStates> kBridgeNumber{-1, 0, 1, -1, -1, -1, -1, 2, 3, 4};

// An interval: any two; an edge to k crossed by edges of j; two crossing edges, one with the end k or l, and what is
// beyond.
inline constexpr GluingTable kPairSplit = glue({kI, kJ}, {kI, kK}, {kK, kJ});
inline constexpr GluingTable kBridgedSplit =
    kept(glue({kI, kJ}, {kI, kK, kJ}, {kK, kJ}),
         [](const GluingTable&, const Entry& entry) { return kBridgeNumber[entry.first] >= 0; });
inline constexpr GluingTable kCrossingSplit = glue({kI, kJ}, {kI, kK, kL}, {kL, kJ, kK});
// k is the last word with an edge to x, seen from i; or the first, seen from j (R).
inline constexpr GluingTable kSplitN = glue({kI, kJ, kX}, {kI, kK, kX}, {kK, kJ}, {kX, kK});
inline constexpr GluingTable kSplitL = glue({kI, kJ, kX}, {kI, kK, kX}, {kK, kJ, kI}, {kX, kK});
inline constexpr GluingTable kSplitR = glue({kI, kJ, kX}, {kK, kJ, kX}, {kI, kK, kJ}, {kX, kK});
// It is the only one, and edges of i (R: of j) that cross it are crossed in turn by edges of k.
inline constexpr GluingTable kAloneL = glue({kI, kJ, kX}, {kI, kK}, {kK, kJ, kI}, {kX, kK});
inline constexpr GluingTable kAloneR = glue({kI, kJ, kX}, {kK, kJ}, {kI, kK, kJ}, {kX, kK});
inline constexpr auto kFirstOfResult = [](const GluingTable& table, const Entry& entry) {
  for (std::size_t index = 0; index < table.size; ++index) {
    const Entry& other = table.entries[index];
    if (other.result == entry.result && other.direction == entry.direction) return false;
  }
  return true;
};
inline constexpr GluingTable kAloneResultsL = kept(kAloneL, kFirstOfResult);
inline constexpr GluingTable kAloneResultsR = kept(kAloneR, kFirstOfResult);
// Edges of x left of k are crossed by edges of i, those right of it by edges of j.
inline constexpr GluingTable kSplitBoth =
    kept(glue({kI, kJ, kX}, {kI, kK, kX}, {kK, kJ, kX}, {kX, kK, false}),
         [](const GluingTable&, const Entry& entry) { return kBothNumber[entry.result] >= 0; });
// An edge between i and j, or none; with it; an edge between j and x, or none; with it.
inline constexpr GluingTable kOpening = glue({kI, kJ, kX}, {kI, kJ, kX}, {}, {kI, kJ, false});
inline constexpr GluingTable kBridging = glue({kI, kJ, kX}, {kI, kJ, kX}, {}, {kI, kJ});
inline constexpr GluingTable kTailing = glue({kI, kJ, kX}, {kI, kJ, kX}, {}, {kJ, kX, false});
inline constexpr GluingTable kTailEdge = glue({kI, kJ, kX}, {kI, kJ}, {}, {kJ, kX});
// What two crossing edges from i enclose.
inline constexpr GluingTable kHullOfBridge =
    kept(glue({kI, kK, kL}, {kI, kK, kL}, {kK, kL}),
         [](const GluingTable&, const Entry& entry) { return kBridgeNumber[entry.first] >= 0; });
inline constexpr GluingTable kHullEdge = glue({kI, kK, kL}, {kI, kK, kL}, {kK, kL}, {kI, kL});
inline constexpr GluingTable kPlainHullEdge = glue({kI, kK, kL}, {kI, kK}, {kK, kL, kI}, {kI, kL});

}  // namespace best_rules

template <typename Score>
template <typename Visit>
void BestChart<Score>::for_each_rule(ItemId number, Visit&& visit) const {
  const ChartItem item = item_of(number);
  // One rule: up to two parts, up to two arcs.
  bool ended = false;
  const auto emit = [&](std::initializer_list<ChartItem> parts, std::initializer_list<TreeArc> arcs) {
    ForestRule rule;
    std::size_t count = 0;
    for (const ChartItem& part : parts) rule.items[count++] = id(part);
    for (const TreeArc& arc : arcs) {
      if (arc.head >= 0) rule.add(arc.head, arc.dependent, arc.crossed);
    }
    ended = ended || visit(rule);
    return ended;
  };
  if (item.type <= kBridged) {
    list_pair(item, emit);
  } else {
    list_row(item, emit);
  }
}

namespace best_rules {

inline constexpr TreeArc kNoArc{-1, -1};

inline TreeArc arc_between(Direction direction, std::int32_t a, std::int32_t b, bool crossed = true) {
  if (direction == kNone) return kNoArc;
  return direction == kForward ? TreeArc{a, b, crossed} : TreeArc{b, a, crossed};
}

// Calls use(entry) for the entries with a result.
template <typename Use>
void for_each_reading(const GluingTable& table, int result, Use&& use) {
  for (std::size_t index = 0; index < table.size; ++index) {
    if (table.entries[index].result == result) use(table.entries[index]);
  }
}

}  // namespace best_rules

template <typename Score>
template <typename Emit>
void BestChart<Score>::list_pair(const ChartItem& item, const Emit& emit) const {
  using namespace best_rules;
  const auto& [type, state, i, j, x] = item;
  if (type == kOpen) {
    emit({{kClosed, state, i, j, 0}}, {});
    if (state == kBFromA) emit({{kClosed, kApart, i, j, 0}}, {{i, j}});
    if (state == kAFromB) emit({{kClosed, kApart, i, j, 0}}, {{j, i}});
    return;
  }
  if (type == kBridged) {
    for (std::int32_t k = i + 1; k < j; ++k) {
      for_each_reading(kBridgedSplit, state, [&, i = i, j = j](const Entry& entry) {
        emit({{kBridge, entry.first, i, k, j}, {kOpen, entry.second, k, j, 0}}, {});
      });
    }
    return;
  }
  if (j == i + 1) {
    if (state == kApart) emit({}, {});
    return;
  }
  if (emit({{kBridged, state, i, j, 0}}, {})) return;
  for (std::int32_t k = i + 1; k < j; ++k) {
    for_each_reading(kPairSplit, state, [&, i = i, j = j](const Entry& entry) {
      emit({{kOpen, entry.first, i, k, 0}, {kOpen, entry.second, k, j, 0}}, {});
    });
  }
  for (std::int32_t l = i + 2; l < j; ++l) {
    for (std::int32_t k = i + 1; k < l; ++k) {
      bool ended = false;
      for_each_reading(kCrossingSplit, state, [&, i = i, j = j](const Entry& entry) {
        ended = emit({{kHull, entry.first, i, k, l}, {kTail, entry.second, l, j, k}}, {}) ||
                emit({{kPlainHull, entry.first, i, k, l}, {kPlainTail, entry.second, l, j, k}}, {});
      });
      if (ended) return;
    }
  }
}

// The rules of N, L, R or (kBridge) of both ends that end with an edge between x and some k, all of them together with
// what emit adds.
template <typename Score>
template <typename Emit>
void BestChart<Score>::list_closed(Type type, int state, const ChartItem& item, const Emit& emit) const {
  using namespace best_rules;
  const std::int32_t i = item.i, j = item.j, x = item.x;
  for (std::int32_t k = i + 1; k < j; ++k) {
    const auto list = [&](const GluingTable& table, auto&& first, auto&& second) {
      for_each_reading(table, state, [&](const Entry& entry) {
        emit(first(entry.first), second(entry.second), arc_between(entry.direction, x, k));
      });
    };
    const auto part = [](Type part_type, std::int32_t a, std::int32_t b, std::int32_t outside) {
      return [=](int part_state) { return ChartItem{part_type, part_state, a, b, outside}; };
    };
    if (type == kN) list(kSplitN, part(kFullN, i, k, x), part(kOpen, k, j, 0));
    if (type == kOpenL) list(kSplitL, part(kFullL, i, k, x), part(kFullN, k, j, i));
    if (type == kOpenL) list(kAloneL, part(kOpen, i, k, 0), part(kOpenL, k, j, i));
    if (type == kOpenR) list(kSplitR, part(kFullR, k, j, x), part(kFullN, i, k, j));
    if (type == kOpenR) list(kAloneR, part(kOpen, k, j, 0), part(kOpenR, i, k, j));
    if (type == kBridge) list(kSplitBoth, part(kOpenL, i, k, x), part(kOpenR, k, j, x));
  }
}

template <typename Score>
template <typename Emit>
void BestChart<Score>::list_row(const ChartItem& item, const Emit& emit) const {
  using namespace best_rules;
  const auto& [type, state, i, j, x] = item;
  const ChartItem pair{kOpen, state, i, j, 0};
  // Items of x with an edge of their own added, by a table.
  const auto list_with_edge = [&, i = i, j = j](Type closed, const GluingTable& table) {
    for_each_reading(table, item.state, [&](const Entry& outer) {
      const TreeArc added = arc_between(outer.direction, i, j);
      list_closed(closed, outer.first, item, [&](const ChartItem& first, const ChartItem& second, TreeArc arc) {
        emit({first, second}, {arc, added});
      });
    });
  };
  const auto list_tail = [&, i = i, j = j, x = x](Type closed, const GluingTable& table) {
    for_each_reading(table, item.state, [&](const Entry& entry) {
      const ChartItem part{closed, entry.first, i, j, closed == kOpen ? 0 : x};
      emit({part}, {arc_between(entry.direction, j, x)});
    });
  };
  const auto list_hull = [&, i = i, k = j, l = x](const GluingTable& table, Type first, Type second) {
    for_each_reading(table, item.state, [&](const Entry& entry) {
      const ChartItem left{first, entry.first, i, k, first == kOpen ? 0 : l};
      const ChartItem right{second, entry.second, k, l, second == kOpen ? 0 : i};
      emit({left, right}, {arc_between(entry.direction, i, l)});
    });
  };
  const bool full = type == kFullN || type == kFullL || type == kFullR;
  if (full && state < kPairStates) emit({pair}, {});
  switch (type) {
    case kFullN:
    case kN:
      list_closed(kN, state, item,
                  [&](const ChartItem& first, const ChartItem& second, TreeArc arc) { emit({first, second}, {arc}); });
      break;
    case kFullL:
    case kOpenL:
      list_with_edge(kOpenL, kOpening);
      break;
    case kFullR:
    case kOpenR:
      list_with_edge(kOpenR, kOpening);
      break;
    case kBridge:
      list_with_edge(kOpenL, kBridging);
      list_with_edge(kBridge, kBridging);
      list_with_edge(kOpenR, kBridging);
      break;
    case kRightBridge:
      list_with_edge(kOpenR, kBridging);
      break;
    case kTail:
      list_tail(kOpenL, kTailing);
      list_tail(kOpen, kTailEdge);
      break;
    case kPlainTail:
      list_tail(kN, kTailing);
      break;
    case kHull:
      list_hull(kHullOfBridge, kRightBridge, kOpen);
      list_hull(kHullEdge, kFullR, kOpen);
      break;
    case kPlainHull:
      list_hull(kPlainHullEdge, kOpen, kOpenL);
      break;
    default:
      break;
  }
}

}  // namespace crossarc
