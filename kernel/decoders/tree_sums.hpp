// Everything about the trees of a class together: how many there are, the sum of exp(score) over all of them, the
// probability of each arc, random trees, and the k best (one chart, many algebras; for unrestricted trees the
// matrix-tree theorem). O(n³) for projective and unrestricted trees, O(n⁴) for 1-Endpoint-Crossing ones.
#pragma once

#include <cstdint>
#include <vector>

#include "decoders/scores.hpp"
#include "decoders/tree_decoder.hpp"

namespace crossarc {

// The logarithm of the sum over all trees of exp(score), -inf if there is none; and, if asked for, the probability of
// every arc, by dependent.
double sum_trees(const IncomingScores& scores, const DecodeOptions& options, std::vector<double>* probabilities);

// Trees drawn independently with probability proportional to exp(score): the heads of all words, tree after tree. Empty
// if there is no tree.
std::vector<std::int32_t> sample_trees(const IncomingScores& scores, const DecodeOptions& options, std::size_t count,
                                       std::uint64_t seed);

// The best trees, best first, at most k: their heads, tree after tree, and their scores.
struct RankedTrees {
  std::vector<std::int32_t> heads;
  std::vector<double> scores;
};
RankedTrees find_k_best(const IncomingScores& scores, const DecodeOptions& options, std::size_t k);

// The number of trees with allowed arcs only, modulo a prime below 2^31.
std::uint64_t count_trees(const IncomingScores& scores, const DecodeOptions& options, std::uint64_t prime);

}  // namespace crossarc
