// The best projective trees of many sentences: those whose best heads make a tree are done (best_heads.hpp); the others
// go through the chart side by side, several of about the same length at once (eisner_lanes.hpp). At most O(n³) each.
#pragma once

#include <cstdint>
#include <span>

#include "decoders/batch.hpp"
#include "decoders/scores.hpp"

namespace crossarc {

// The heads of a sentence go to its place in `heads`, its score to that in `scores`. `pruned` false: the chart at once.
template <typename Score>
BatchFault decode_projective(std::span<const ScoreView<Score>> sentences, bool single_root, bool pruned, int threads,
                             std::span<const std::span<std::int32_t>> heads, std::span<double> scores);

}  // namespace crossarc
