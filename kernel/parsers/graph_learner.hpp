// Training of graph parsers with Adam. Three objectives: the probability of each word's head among all words (Dozat &
// Manning 2017), the default; the probability of the gold tree among all trees of a class, through exact marginals; and
// a margin between the gold tree and the best one where every wrong head counts one more (Taskar et al. 2005). Labels
// are learnt for gold arcs, and tags by their probabilities. O(encoder · words + n² · arc size) for a sentence, and for
// the last two its sums or decoding.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "parsers/batch_training.hpp"
#include "parsers/graph.hpp"

namespace crossarc {

enum class GraphObjective : std::uint8_t { kHeads, kLikelihood, kMargin };

struct GraphTraining {
  EncoderDropout encoder;
  float hidden = 0.33F;  // dropout of the first layer of the heads
  ColumnDropout columns;
  GraphObjective objective = GraphObjective::kHeads;
  DecodeOptions trees;       // of the objectives over trees
  std::size_t words = 1000;  // of a batch, about
  std::uint64_t seed = 1;
  std::size_t lexical_columns = 0;  // the first ones, forms and lemmas: a share of them becomes unknown
  float tag_weight = 1.0F;          // by which the loss of each tag is multiplied
};

// The trees to learn from: of each word its head, its label, -1 for none, and the class of each tag, -1 for none.
struct GoldTrees {
  std::span<const std::int32_t> heads, labels, tags;
};

class GraphLearner {
 public:
  GraphLearner(const GraphShape& shape, GraphTraining training);
  ~GraphLearner();
  GraphLearner(const GraphLearner&) = delete;

  const GraphNetwork& network() const { return network_; }

  // Learns from these sentences, in batches of similar lengths that come in any order, and returns the number of words
  // whose head did not have the best score.
  std::int64_t learn(const SentenceTable& table, const GoldTrees& gold, std::span<const std::int32_t> order, float rate,
                     int threads);

  TrainingMemory remember() const;
  void restore(const TrainingMemory& memory);

 private:
  class PartGradient;
  using Steps = BatchTraining<GraphNetwork, PartGradient>;

  GraphTraining training_;
  GraphNetwork network_;
  std::unique_ptr<Steps> steps_;
};

}  // namespace crossarc
