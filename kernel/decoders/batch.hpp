// Many sentences at once: threads take one after the other, each with its own memory; the number of threads never
// changes an answer. What comes out is flat: the heads of all trees one after the other. Projective trees are found
// side by side: where the best heads of all words make a tree, it is the answer (tree_decoder.hpp); the other sentences
// go through the chart, several of about the same length at once (eisner_lanes.hpp). For the cost see tree_decoder.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decoders/scores.hpp"
#include "decoders/tree_decoder.hpp"

namespace crossarc {

// The first sentence whose scores cannot be used, or that has no tree.
struct BatchFault {
  std::int64_t sentence = -1;  // -1: none
  ScoreFault kind = ScoreFault::kNone;
  std::int32_t head = 0;
  std::int32_t dependent = 0;
};

// With a fault, the rest means nothing.
struct TreeBatch {
  std::vector<std::int32_t> heads;   // tree after tree
  std::vector<double> totals;        // the score of each tree
  std::vector<std::int64_t> counts;  // how many trees each sentence has, where it may be another number than one
  BatchFault fault;
};

struct SumBatch {
  std::vector<double> sums;           // the logarithm of the sum over all trees of each sentence; -inf: there is none
  std::vector<double> probabilities;  // of all arcs, matrix after matrix, as the scores; with scores of crossed arcs,
                                      // a matrix of uncrossed and one of crossed arcs for each sentence
  BatchFault fault;
};

// The best tree of each sentence.
template <typename Score>
TreeBatch decode_batch(std::span<const ScoreView<Score>> sentences, const DecodeOptions& options, int threads);

// Up to k best trees of each sentence, best first.
template <typename Score>
TreeBatch rank_batch(std::span<const ScoreView<Score>> sentences, const DecodeOptions& options, std::size_t k,
                     int threads);

// So many random trees of each sentence; sentence i is drawn with seed + i.
template <typename Score>
TreeBatch sample_batch(std::span<const ScoreView<Score>> sentences, const DecodeOptions& options, std::size_t count,
                       std::uint64_t seed, int threads);

// Sums, and probabilities if `marginals`, which need a tree.
template <typename Score>
SumBatch sum_batch(std::span<const ScoreView<Score>> sentences, const DecodeOptions& options, bool marginals,
                   int threads);

// The number of trees of one sentence modulo a prime below 2^31.
template <typename Score>
std::uint64_t count_checked(const ScoreView<Score>& sentence, const DecodeOptions& options, std::uint64_t prime,
                            BatchFault& fault);

}  // namespace crossarc
