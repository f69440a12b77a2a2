// All structural classes of all sentences of a treebank, on several threads. Sentences are independent of each other,
// so the number of threads does not change a result. For the cost see measures.hpp, planes.hpp and lifting.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/arrays.hpp"
#include "treebank/tree_check.hpp"

namespace crossarc {

constexpr std::int32_t kLiftsUnknown = -1;

struct ClassifyOptions {
  bool root_arcs = false;   // whether arcs from 0 count as crossings and for planarity
  bool planarity = true;    // else the bounds are 1 for planar sentences and [2, words] for others
  bool lifts = true;        // else kLiftsUnknown, as for trees of more than kMostLifted words
  std::int64_t budget = 0;  // of the search for each component of a crossings graph that needs more than two planes
  int threads = 0;
};

struct Classes {
  // Of each sentence; see TreeMeasures.
  LongArray<std::int32_t> nonprojective_arcs;
  LongArray<std::int32_t> covered_roots;
  LongArray<std::int64_t> crossings;
  LongArray<std::int32_t> planarity_lower;
  LongArray<std::int32_t> planarity_upper;
  LongArray<std::int32_t> gap_degree;
  LongArray<std::int32_t> gap_inheritance_degree;
  LongArray<std::int32_t> edge_degree;
  LongArray<std::int64_t> lifts;
  LongArray<std::uint8_t> well_nested;
  LongArray<std::uint8_t> gap_minding;
  LongArray<std::uint8_t> one_endpoint_crossing;
  LongArray<std::uint8_t> one_endpoint_crossing_without_root;
  // Of the arc into each word.
  LongArray<std::uint8_t> arc_nonprojective;
  LongArray<std::int32_t> arc_crossings;
  LongArray<std::int32_t> arc_lifts;
};

struct ClassifyResult {
  Classes classes;
  std::int64_t faulty_sentence = -1;  // the first whose heads are no tree, and why; then the classes mean nothing
  TreeFault fault;
};

// word_offsets lead from 0 to heads.size() (check_offsets).
ClassifyResult classify(std::span<const std::int32_t> heads, std::span<const std::int64_t> word_offsets,
                        const ClassifyOptions& options);

}  // namespace crossarc
