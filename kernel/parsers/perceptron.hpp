// Parsers whose transitions and labels are scored by linear models, and the averaged perceptrons that these are learnt
// with. Parsing and training are those of kernel/search: greedy, with a beam, or easy-first where the system chooses
// positions. O(transitions · templates) for a sentence, with a beam O(width) times that.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "linear/linear_model.hpp"
#include "linear/perceptron.hpp"
#include "parsers/arcs.hpp"
#include "search/beam_training.hpp"
#include "search/state.hpp"
#include "search/trace.hpp"
#include "transitions/oracles/training_oracle.hpp"

namespace crossarc {

// How many classes the model of transitions has: the transitions, or in a joint model these with their labels.
std::size_t transition_classes(const ParserDefinition& definition);

// A trained parser. Where one model scores transitions with their labels, the other one has no weights.
class PerceptronModel {
 public:
  PerceptronModel(ParserDefinition definition, LinearModel transitions, LinearModel labels)
      : definition_(std::move(definition)),
        transitions_(std::make_shared<const LinearModel>(std::move(transitions))),
        labels_(std::make_shared<const LinearModel>(std::move(labels))) {}

  const ParserDefinition& definition() const { return definition_; }
  const LinearModel& transitions() const { return *transitions_; }
  const LinearModel& labels() const { return *labels_; }
  // The same with another penalty.
  PerceptronModel penalised(const CrossingPenalty& penalty) const;
  ParsedArcs parse(const SentenceTable& table, int threads) const;
  // At most `kept` analyses of each sentence.
  SearchResults search(const SentenceTable& table, std::size_t width, std::size_t kept, int threads) const;
  // Of a table of one sentence.
  Trace trace(const SentenceTable& table, std::span<const std::int32_t> given) const;

 private:
  ParserDefinition definition_;
  std::shared_ptr<const LinearModel> transitions_;
  std::shared_ptr<const LinearModel> labels_;
};

// The two perceptrons of a parser.
struct Perceptrons {
  Perceptron transitions;
  Perceptron labels;
};

class PerceptronLearner {
 public:
  PerceptronLearner(ParserDefinition definition, const TrainingOracleOptions& oracle, std::uint64_t seed);
  PerceptronLearner(const PerceptronLearner&) = delete;

  const ParserDefinition& definition() const { return definition_; }

  // Learns from sentences in this order and returns the number of mistakes. `explore`: how often, of a hundred, the
  // parser's own choice is followed where it is wrong. With a beam of more than one state, training is structured.
  std::int64_t learn(const SentenceTable& table, const GoldTable& gold, std::span<const std::int32_t> order,
                     unsigned explore, std::size_t beam, BeamUpdate update);

  // The model of several learners of the same classes; features in fewer updates than so many are left out.
  static PerceptronModel average(std::span<const PerceptronLearner* const> learners, std::int32_t least_updates);

  // To go on from a checkpoint to the very same model.
  struct State {
    Perceptron::State transitions;
    Perceptron::State labels;
    std::uint64_t random = 0;
  };
  State state_dict() const;
  void load_state_dict(const State& state);

 private:
  ParserDefinition definition_;
  TrainingOracle oracle_;
  Perceptrons learnt_;
  Random random_;
};

}  // namespace crossarc
