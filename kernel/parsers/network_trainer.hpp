// Training of a network for transitions and labels by Adam (Kingma & Ba 2015): the teacher says which transitions are
// right in the configurations that the parser itself gets into, and what is learnt is to give them the whole
// probability between them (Goldberg & Nivre 2013, Kiperwasser & Goldberg 2016). A batch is cut into
// parts in one way, and their gradients are added up in a fixed order, so that the number of threads changes nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "nn/activation.hpp"
#include "parsers/gold_table.hpp"
#include "parsers/network_easy_first.hpp"
#include "parsers/network_parser.hpp"
#include "transitions/oracles/training_oracle.hpp"

namespace crossarc {

struct NetworkTraining {
  TrainingOracleOptions teacher;
  Dropout dropout;
  std::size_t batch = 32;  // sentences
  std::uint64_t seed = 1;
  std::vector<std::vector<std::int32_t>> counts;  // of the values of each lexical column
};

// Learns from some sentences of one batch; what it found waits in its gradients.
class NetworkPupil {
 public:
  NetworkPupil(const Network& network, const ParserDefinition& definition, const NetworkTraining& training)
      : network_(&network),
        training_(&training),
        definition_(&definition),
        scorer_(network, definition),
        teacher_(*definition.program, training.teacher),
        gradients_(network.shape, false),
        scores_(definition.program->size()),
        legal_(definition.program->size()) {
    if (definition.program->positional()) easy_first_.emplace(definition, scorer_, reading_, gradients_);
  }

  NetworkPupil(const NetworkPupil&) = delete;

  void learn(const SentenceTable& table, const GoldTable& gold, std::span<const std::int32_t> sentences,
             unsigned explore, std::uint64_t seed);
  NetworkWeights& gradients() { return gradients_; }
  std::size_t words() const { return batch_.order.rows(); }
  std::int64_t mistakes() const { return mistakes_; }
  // For the embeddings: what was read, and the gradients of their sums.
  const SentenceBatch& batch() const { return batch_; }
  const Matrix& input_gradients() const { return reading_.input_gradients(); }

 private:
  void drop_words();
  void learn_sentence(const SentenceTable& table, const GoldTable& gold, std::size_t place, unsigned explore);
  // By what hidden values are multiplied.
  void draw_mask();
  std::int32_t learn_transition(unsigned explore);

  const Network* network_;
  const NetworkTraining* training_;
  const ParserDefinition* definition_;
  TransitionScorer scorer_;
  LabelScorer label_scorer_;
  TrainingOracle teacher_;
  std::optional<EasyFirstLesson> easy_first_;
  NetworkWeights gradients_;
  SentenceBatch batch_;
  SentenceReading reading_;
  Random random_{0};
  ParseState state_;
  std::vector<float> scores_, score_gradients_, mask_;
  std::vector<std::uint8_t> legal_, right_;
  std::vector<GoldArc> arcs_;
  std::vector<LabelQuestion> questions_;
  std::int64_t mistakes_ = 0;
};

class NetworkTrainer {
 public:
  NetworkTrainer(const ParserDefinition& definition, const NetworkShape& shape, NetworkTraining training);

  // Learns from sentences in this order, a batch at a time, and returns the number of mistakes.
  std::int64_t learn(const SentenceTable& table, const GoldTable& gold, std::span<const std::int32_t> order,
                     unsigned explore, float rate, int threads);
  const Network& network() const { return network_; }

  // To go on from a checkpoint to the very same model.
  struct Memory {
    std::uint64_t steps = 0;
    std::vector<std::vector<float>> weights, first, second;
  };
  Memory remember() const;
  void restore(const Memory& memory);

 private:
  // Of the batch at hand.
  std::span<const std::unique_ptr<NetworkPupil>> at_work() const { return std::span(pupils_).first(parts_); }
  void update(float rate, int threads);
  void update_dense(std::size_t number, const AdamStep& step);
  void update_embeddings(std::size_t column, const AdamStep& step);

  ParserDefinition definition_;
  NetworkTraining training_;
  Network network_;
  NetworkWeights first_, second_;  // running means of gradients and of their squares
  std::vector<Matrix> embedding_gradients_;
  std::vector<std::vector<std::uint8_t>> touched_;
  std::vector<std::unique_ptr<NetworkPupil>> pupils_;
  std::size_t parts_ = 0;
  std::uint64_t steps_ = 0;
};

}  // namespace crossarc
