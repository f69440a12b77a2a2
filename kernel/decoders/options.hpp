// Which trees are looked for, and what is looked for instead in a sentence too long for the chart of
// 1-Endpoint-Crossing trees, whose memory grows with n³.
#pragma once

#include <cstdint>

namespace crossarc {

enum class TreeClass : std::uint8_t { kProjective, kOneEndpointCrossing, kSpanningTree };

// kExact: the class, whatever its chart takes. kProjective: the best tree of all if it is of the class, else the best
// projective tree, which is of the class; of several best trees as many as are found without a chart. kSpanningTree:
// among all trees, as training compares a gold tree with others.
enum class LongSentences : std::uint8_t { kExact, kProjective, kSpanningTree };

struct DecodeOptions {
  TreeClass tree_class = TreeClass::kSpanningTree;
  bool single_root = false;
  bool root_arcs = true;  // whether arcs from 0 count for crossings, in 1-Endpoint-Crossing trees
  bool pruned = true;     // false: the chart of all arcs at once
  LongSentences long_sentences = LongSentences::kExact;
};

enum class ChartUse : std::uint8_t { kBest, kRanked, kSums };

// For so many words the chart of the best tree takes 120 MB, that of several best trees 190 MB, those of sums 1.2 GB.
constexpr std::int32_t most_chart_words(ChartUse use) {
  return use == ChartUse::kBest ? 120 : use == ChartUse::kRanked ? 56 : 64;
}

// Whether a sentence may go through the chart of its class.
constexpr bool fits_chart(const DecodeOptions& options, std::int32_t words, ChartUse use) {
  return options.tree_class != TreeClass::kOneEndpointCrossing || options.long_sentences == LongSentences::kExact ||
         words <= most_chart_words(use);
}

// The options for a sentence of so many words: another class if it is too long for the chart of its own.
constexpr DecodeOptions fitted(DecodeOptions options, std::int32_t words, ChartUse use) {
  if (fits_chart(options, words, use)) return options;
  const bool projective = options.long_sentences == LongSentences::kProjective;
  options.tree_class = projective ? TreeClass::kProjective : TreeClass::kSpanningTree;
  return options;
}

}  // namespace crossarc
