// Training of networks for transitions and labels with Adam: an oracle says which transitions are right in the
// configurations that the parser itself gets into, and what is learnt is to give them the whole probability between
// them (Goldberg & Nivre 2013, Kiperwasser & Goldberg 2016). A batch is cut into parts in one way, and their gradients
// are added up in a fixed order, so that the number of threads changes nothing. O(words) for a sentence.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "nn/optimiser.hpp"
#include "parsers/arcs.hpp"
#include "parsers/network.hpp"
#include "transitions/oracles/training_oracle.hpp"

namespace crossarc {

struct NetworkDropout {
  EncoderDropout encoder;
  float hidden = 0.25F;
};

struct NetworkTraining {
  TrainingOracleOptions oracle;
  NetworkDropout dropout;
  std::size_t batch = 32;  // sentences
  std::uint64_t seed = 1;
  std::vector<std::vector<std::int32_t>> counts;  // of the values of each lexical column
};

class NetworkLearner {
 public:
  NetworkLearner(ParserDefinition definition, const NetworkSizes& sizes, NetworkTraining training);
  ~NetworkLearner();
  NetworkLearner(const NetworkLearner&) = delete;

  const ParserDefinition& definition() const { return definition_; }
  const Network& network() const { return network_; }

  // Learns from sentences in this order, a batch at a time, and returns the number of mistakes.
  std::int64_t learn(const SentenceTable& table, const GoldTable& gold, std::span<const std::int32_t> order,
                     unsigned explore, float rate, int threads);

  // To go on from a checkpoint to the very same model.
  struct Memory {
    Adam::Memory optimiser;
    std::vector<std::vector<float>> weights;
  };
  Memory remember() const { return {optimiser_.remember(), values_of(network_.weights())}; }
  void restore(const Memory& memory);

 private:
  class PartGradient;

  // The parts of the batch at hand.
  std::span<const std::unique_ptr<PartGradient>> parts() const { return std::span(parts_).first(parts_in_use_); }
  void update(float rate, int threads);
  void update_embeddings(std::size_t column);
  void update_dense(std::size_t number);

  ParserDefinition definition_;
  NetworkTraining training_;
  Network network_;
  Adam optimiser_;
  std::vector<RowGradients> embedding_gradients_;
  std::vector<std::unique_ptr<PartGradient>> parts_;
  std::size_t parts_in_use_ = 0;
};

}  // namespace crossarc
