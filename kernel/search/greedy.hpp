// Greedy transition-based parsing and its training: the best legal transition by a linear model, a label for every arc
// by another one, and an averaged perceptron that learns from an oracle in the configurations that the parser itself
// gets into (Goldberg & Nivre 2013). O(transitions · features).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/random.hpp"
#include "features/features.hpp"
#include "linear/linear_model.hpp"
#include "linear/perceptron.hpp"
#include "transitions/machine/configuration.hpp"
#include "transitions/oracles/gold.hpp"
#include "transitions/oracles/training_oracle.hpp"

namespace crossarc {

struct ParserDefinition {
  const Program* program = nullptr;
  Root root = Root::kNone;
  FeatureSet transition_features;
  FeatureSet label_features;
  std::size_t labels = 0;
};

// A sentence in the course of parsing.
struct ParseState {
  Configuration configuration;
  ArcTable arcs;
  WordView view() const { return view_of(configuration); }
};

void start_state(const ParserDefinition& definition, std::int32_t words, ParseState& state);
// Marks the legal transitions; false if there is nothing more to do.
bool find_legal(const Program& program, Configuration& configuration, std::span<std::uint8_t> legal);
void apply_transition(ParseState& state, std::int32_t transition, std::int32_t label, std::int32_t position = 0);
// What tells apart the features of labels by the transition that adds the arc.
inline std::uint64_t label_salt(std::int32_t transition) {
  return static_cast<std::uint64_t>(transition + 1) * 0xA24BAED4963EE407ULL;
}

// What parsing and training share: features and scores of the state at hand. Keeps its memory.
class GreedyEngine {
 public:
  explicit GreedyEngine(const ParserDefinition& definition)
      : definition_(&definition),
        transition_extractor_(definition.transition_features),
        label_extractor_(definition.label_features),
        scores_(definition.program->size()),
        label_scores_(definition.labels),
        legal_(definition.program->size()) {}

  const ParserDefinition& definition() const { return *definition_; }
  void start(std::int32_t words, ParseState& state) const { start_state(*definition_, words, state); }
  // True if there is nothing more to do; else legal() is known.
  bool finished(ParseState& state) { return !find_legal(*definition_->program, state.configuration, legal_); }
  const std::vector<std::uint8_t>& legal() const { return legal_; }

  template <typename Model>
  std::int32_t best_transition(const ParseState& state, const WordValues& words, const Model& model);
  // Of an arc to be made by a transition from this state.
  template <typename Model>
  std::int32_t best_label(const ParseState& state, const WordValues& words, const Model& model,
                          std::int32_t transition);

  std::span<const std::int32_t> scores() const { return scores_; }
  std::span<const std::uint64_t> transition_hashes() const { return transition_hashes_; }
  std::span<const std::uint64_t> label_hashes() const { return label_hashes_; }

 private:
  const ParserDefinition* definition_;
  FeatureExtractor transition_extractor_;
  FeatureExtractor label_extractor_;
  std::vector<std::uint64_t> transition_hashes_;
  std::vector<std::uint64_t> label_hashes_;
  std::vector<std::int32_t> scores_;
  std::vector<std::int32_t> label_scores_;
  std::vector<std::uint8_t> legal_;
};

// The arcs are in the configuration then.
void parse_greedily(GreedyEngine& engine, std::int32_t words, const WordValues& values, const LinearModel& transitions,
                    const LinearModel& labels, ParseState& state);

class GreedyTrainer {
 public:
  GreedyTrainer(const ParserDefinition& definition, const TrainingOracleOptions& options, std::uint64_t seed)
      : engine_(definition),
        teacher_(*definition.program, options),
        transitions_(definition.program->size()),
        labels_(definition.labels),
        random_{seed} {}

  // Learns from one sentence. `explore`: how often, of a hundred, the parser's own choice is followed where it is
  // wrong.
  void learn(std::int32_t words, const WordValues& values, std::span<const GoldArc> gold, unsigned explore);
  const Perceptron& transitions() const { return transitions_; }
  const Perceptron& labels() const { return labels_; }
  // For others who teach the same perceptrons.
  Perceptron& transitions() { return transitions_; }
  Perceptron& labels() { return labels_; }
  Random& random() { return random_; }
  std::int64_t mistakes() const { return mistakes_; }

  // To go on from a checkpoint to the very same model.
  struct Memory {
    Perceptron::Memory transitions;
    Perceptron::Memory labels;
    std::uint64_t random = 0;
  };
  Memory remember() const { return {transitions_.remember(), labels_.remember(), random_.state()}; }
  void restore(const Memory& memory) {
    transitions_.restore(memory.transitions);
    labels_.restore(memory.labels);
    random_ = Random(memory.random);
  }

 private:
  // The best right transition by the scores.
  std::int32_t best_right() const;
  std::int32_t learn_label(std::int32_t transition, const WordValues& values);

  GreedyEngine engine_;
  TrainingOracle teacher_;
  Perceptron transitions_;
  Perceptron labels_;
  Random random_;
  ParseState state_;
  std::vector<std::uint8_t> right_;
  std::int64_t mistakes_ = 0;
};

}  // namespace crossarc
