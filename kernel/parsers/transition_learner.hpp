// Training of transition parsers with networks: an oracle says which transitions are right in the
// configurations that the parser itself gets into, and what is learnt is to give them the whole probability between
// them (Goldberg & Nivre 2013, Kiperwasser & Goldberg 2016). O(words) for a sentence.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "nn/training.hpp"
#include "parsers/arcs.hpp"
#include "parsers/transition.hpp"
#include "transitions/oracles/training_oracle.hpp"

namespace crossarc {

struct TransitionTraining {
  TrainingOracleOptions oracle;
  TrainingDropout dropout;
  std::size_t sentences = 32;  // of a batch, as they come
  std::size_t words = 0;       // of a batch, about, of sentences of similar lengths; 0: so many sentences instead
  std::uint64_t seed = 1;
};

class TransitionLearner {
 public:
  TransitionLearner(ParserDefinition definition, std::shared_ptr<Network> network, TransitionTraining training);
  ~TransitionLearner();
  TransitionLearner(const TransitionLearner&) = delete;

  const ParserDefinition& definition() const { return definition_; }
  Training& training() { return *steps_; }
  // How batches of about so many words are cut into parts; 0: of so many sentences.
  static PartRule part_rule(std::size_t words) { return words > 0 ? kManyParts : few_parts(); }

  // Learns from sentences in this order, a batch at a time, and returns the number of mistakes. `explore`: of a hundred
  // wrong choices, how many are followed.
  std::int64_t learn(const SentenceTable& table, const GoldTable& gold, std::span<const std::int32_t> order,
                     unsigned explore, float rate, int threads);

 private:
  class Part;
  // What the parts of the batches at hand learn from.
  struct Lesson {
    const GoldTable* gold = nullptr;
    unsigned explore = 0;
  };

  ParserDefinition definition_;
  TransitionTraining training_;
  Lesson lesson_;
  std::unique_ptr<Training> steps_;
};

}  // namespace crossarc
