// A good tree among all trees where crossed arcs have scores of their own. That is a search, not exact: no fast way to
// the best one is known. It begins with the best spanning tree under the higher of the two scores of every arc, which
// is the answer if its arcs have them, and with the best 1-Endpoint-Crossing tree, which is exact, of up to 40 words,
// or the best projective one of more; both are improved by giving words other heads, one at a time, as long as that
// helps. O(n²) if the first tree is the answer, else O(n³) and O(n² · heads that are tried) for each sweep.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "decoders/scores.hpp"
#include "decoders/tree_decoder.hpp"

namespace crossarc {

// Keeps its memory from sentence to sentence.
class CrossingSearch {
 public:
  // False if no tree has allowed arcs only. Crossed arcs may be much worse than others, but not forbidden.
  bool find(const IncomingScores& scores, const DecodeOptions& options, std::span<std::int32_t> heads);

 private:
  // Gives words of a tree other heads while that improves it.
  void climb(const IncomingScores& scores, const DecodeOptions& options, std::span<std::int32_t> heads);
  // What a tree gains where a word gets this head, its crossings counted in crossings_.
  double gain(const IncomingScores& scores, std::span<const std::int32_t> heads, std::int32_t word,
              std::int32_t head) const;
  void attach(std::span<std::int32_t> heads, std::int32_t word, std::int32_t head);
  bool counts(std::int32_t head) const { return root_arcs_ || head != 0; }

  MaximumBranching branching_;
  TreeDecoder<float> decoder_;
  IncomingScores relaxed_;
  std::vector<std::int32_t> crossings_;                  // of the arc into each word
  std::vector<std::pair<double, std::int32_t>> ranked_;  // heads of a word
  std::vector<std::vector<std::int32_t>> tried_;         // of each word
  std::vector<std::int32_t> other_;
  bool root_arcs_ = true;
};

}  // namespace crossarc
