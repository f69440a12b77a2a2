// The encodings of all sentences of a treebank, on several threads. Sentences are independent of each other, so the
// number of threads does not change a result. For the cost see structure/lifting.hpp, lowering.hpp and
// reconstruction.hpp.
#pragma once

#include <cstdint>
#include <span>

#include "core/memory.hpp"
#include "encodings/lowering.hpp"
#include "encodings/reconstruction.hpp"
#include "structure/lifting.hpp"
#include "treebank/tree_check.hpp"

namespace crossarc {

struct LiftedTreebank {
  LongArray<std::int32_t> heads;
  LongArray<std::uint8_t> marks;
  std::int64_t faulty_sentence = -1;  // the first whose heads are no tree, and why; then the rest means nothing
  TreeFault fault;
};

struct LoweredTreebank {
  LongArray<std::int32_t> heads;
  LongArray<std::uint8_t> missed;
  std::int64_t faulty_sentence = -1;
  TreeFault fault;
};

struct ReconstructedTreebank {
  LongArray<std::int32_t> heads;
  LongArray<std::int64_t> link_of;    // among all links; -1: none
  std::int64_t faulty_sentence = -1;  // the first whose links have a cycle
};

// word_offsets lead from 0 to the number of words (check_offsets); all columns are as long as the heads.
LiftedTreebank lift_treebank(std::span<const std::int32_t> heads, std::span<const std::int64_t> word_offsets,
                             const LiftOptions& options, int threads);
LoweredTreebank lower_treebank(const MarkedTree& trees, std::span<const std::int64_t> word_offsets, Scheme scheme,
                               Search search, int threads);
// link_offsets lead from 0 to the number of links, with as many sentences; the links are in the range of theirs.
ReconstructedTreebank reconstruct_treebank(std::span<const Link> links, std::span<const std::int64_t> link_offsets,
                                           std::span<const std::int64_t> word_offsets, Reconstruction reconstruction,
                                           int threads);

}  // namespace crossarc
