// Training of graph parsers with Adam. Three objectives: the probability of each word's head among all words (Dozat &
// Manning 2017), the default; the probability of the gold tree among all trees of a class, through exact marginals; and
// a margin between the gold tree and the best one where every wrong head counts one more (Taskar et al. 2005). Labels
// are learnt for gold arcs, and tags by their probabilities. Where crossed arcs have scores of their own, a word learns
// its head and whether the arc is crossed together, one outcome among twice as many; objectives over trees do so among
// 1-Endpoint-Crossing trees that fit the chart, and learn the scores of uncrossed arcs from others.
// O(encoder · words + n² · arc hidden size) for a sentence, and for the last two its sums or decoding.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "nn/training.hpp"
#include "parsers/graph.hpp"

namespace crossarc {

enum class GraphObjective : std::uint8_t { kHeads, kLikelihood, kMargin };

struct GraphTraining {
  TrainingDropout dropout;
  GraphObjective objective = GraphObjective::kHeads;
  DecodeOptions trees;       // of the objectives over trees
  std::size_t words = 1000;  // of a batch, about
  std::uint64_t seed = 1;
  float tag_weight = 1.0F;  // by which the loss of each tag is multiplied
};

// The trees to learn from: of each word its head, its label, -1 for none, the class of each tag, -1 for none, and, only
// where the network scores that, whether its arc is crossed, 1 or 0, or may never be, -1.
struct GoldTrees {
  std::span<const std::int32_t> heads, labels, tags, crossed;
};

class GraphLearner {
 public:
  GraphLearner(std::shared_ptr<Network> network, GraphTraining training);
  ~GraphLearner();
  GraphLearner(const GraphLearner&) = delete;

  Training& training() { return *steps_; }
  // How batches of about so many words are cut into parts.
  static PartRule part_rule(std::size_t words) { return few_parts(words); }

  // Learns from these sentences, in batches of similar lengths that come in any order, and returns the number of words
  // whose head did not have the best score.
  std::int64_t learn(const SentenceTable& table, const GoldTrees& gold, std::span<const std::int32_t> order, float rate,
                     int threads);

 private:
  class Part;

  GraphTraining training_;
  GoldTrees gold_;  // of the batches at hand
  std::unique_ptr<Training> steps_;
};

}  // namespace crossarc
