// Training of networks for transitions and labels with Adam: an oracle says which transitions are right in the
// configurations that the parser itself gets into, and what is learnt is to give them the whole probability between
// them (Goldberg & Nivre 2013, Kiperwasser & Goldberg 2016). O(words) for a sentence.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "parsers/arcs.hpp"
#include "parsers/batch_training.hpp"
#include "parsers/network.hpp"
#include "transitions/oracles/training_oracle.hpp"

namespace crossarc {

struct NetworkTraining {
  TrainingOracleOptions oracle;
  EncoderDropout encoder;
  float hidden = 0.25F;  // dropout of the hidden layers of the heads
  ColumnDropout columns;
  std::size_t sentences = 32;  // of a batch, as they come
  std::size_t words = 0;       // of a batch, about, of sentences of similar lengths; 0: so many sentences instead
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

  TrainingMemory remember() const;
  void restore(const TrainingMemory& memory);

 private:
  class PartGradient;
  using Steps = BatchTraining<Network, PartGradient>;

  ParserDefinition definition_;
  NetworkTraining training_;
  Network network_;
  std::unique_ptr<Steps> steps_;
};

}  // namespace crossarc
