// Greedy transition-based parsing and its training: the best legal transition by a linear model, a label for every arc
// by another one, and an averaged perceptron that learns from an oracle in the configurations that the parser itself
// gets into (Goldberg & Nivre 2013). O(transitions · features).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/features.hpp"
#include "models/linear_model.hpp"
#include "parsers/expert.hpp"
#include "transitions/configuration.hpp"
#include "transitions/gold.hpp"
#include "transitions/loss.hpp"
#include "transitions/oracle.hpp"

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
};

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
  void start(std::int32_t words, ParseState& state) const;
  // True if there is nothing more to do; else legal() is known.
  bool finished(ParseState& state);
  const std::vector<std::uint8_t>& legal() const { return legal_; }

  template <typename Model>
  std::int32_t best_transition(const ParseState& state, const WordValues& words, const Model& model);
  // Of an arc to be made by a transition from this state.
  template <typename Model>
  std::int32_t best_label(const ParseState& state, const WordValues& words, const Model& model,
                          std::int32_t transition);
  void apply(ParseState& state, std::int32_t transition, std::int32_t label) const;

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

// A small generator of random numbers whose whole state is one number (Steele, Lea & Flood 2014).
struct SplitMix {
  std::uint64_t state = 0;
  std::uint64_t operator()() {
    state += 0x9E3779B97F4A7C15ULL;
    std::uint64_t mixed = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9ULL;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBULL;
    return mixed ^ (mixed >> 31);
  }
};

// Where there is no rule, the sequences of the generic oracle are learnt, and nothing is explored.
struct TrainerOptions {
  OracleOptions oracle;
  Reach reach = Reach::kUnknown;
};

class GreedyTrainer {
 public:
  GreedyTrainer(const ParserDefinition& definition, const TrainerOptions& options, std::uint64_t seed)
      : engine_(definition),
        options_(options),
        expert_(options.oracle.rule, options.oracle.roles),
        oracle_(*definition.program, options.oracle),
        transitions_(definition.program->size()),
        labels_(definition.labels),
        random_{seed} {}

  // Learns from one sentence. `explore`: how often, of a hundred, the parser's own choice is followed where it is
  // wrong.
  void learn(std::int32_t words, const WordValues& values, std::span<const GoldArc> gold, unsigned explore);
  const Perceptron& transitions() const { return transitions_; }
  const Perceptron& labels() const { return labels_; }
  std::int64_t mistakes() const { return mistakes_; }

  // To go on from a checkpoint to the very same model.
  struct Memory {
    Perceptron::Memory transitions;
    Perceptron::Memory labels;
    std::uint64_t random = 0;
  };
  Memory remember() const { return {transitions_.remember(), labels_.remember(), random_.state}; }
  void restore(const Memory& memory) {
    transitions_.restore(memory.transitions);
    labels_.restore(memory.labels);
    random_.state = memory.random;
  }

 private:
  // The best right transition by the scores; marks in right_ all that are.
  std::int32_t right_transition();
  void prefer_planes();
  const ParserDefinition& definition() const { return engine_.definition(); }
  void learn_label(std::int32_t transition, const WordValues& values, std::int32_t& label);

  GreedyEngine engine_;
  TrainerOptions options_;
  Expert expert_;
  Oracle oracle_;
  Derivation derivation_;
  std::size_t step_ = 0;  // of the derivation
  Perceptron transitions_;
  Perceptron labels_;
  SplitMix random_;
  Gold gold_;
  ParseState state_;
  PlaneChoice plane_choice_;
  LossCounter loss_;
  std::vector<std::int32_t> planes_;
  std::vector<Arc> drawn_;
  std::vector<std::uint8_t> right_;
  std::int64_t mistakes_ = 0;
};

}  // namespace crossarc
