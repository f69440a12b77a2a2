// Perceptron training with beam search. The search runs beside the best right sequence: of the sequences that take only
// transitions which the teacher calls right, the one that scores best, in the beam as long as it stays there and on its
// own afterwards. If the search ends elsewhere, weights move from its sequence to the right one, up to where it leads
// by most (max-violation, Huang, Fayong & Guo 2012) or, with early update (Collins & Roark 2004), up to where the last
// right sequence falls out of the beam. O(width) times the cost of greedy training.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "parsers/perceptron_scorer.hpp"
#include "search/beam.hpp"
#include "transitions/oracles/training_oracle.hpp"

namespace crossarc {

enum class BeamUpdate : std::uint8_t { kMaxViolation, kEarly };

// A linear scorer that labels gold arcs as in the gold tree, so that no sequence is blamed for a label.
class TaughtScorer : public LinearScorer<Perceptron> {
 public:
  TaughtScorer(const ParserDefinition& definition, const Perceptron& transitions, const Perceptron& labels,
               const TrainingOracle& teacher)
      : LinearScorer(definition, transitions, labels), teacher_(&teacher) {}

  std::int32_t label(ParseState& state, std::int32_t transition) {
    const std::int32_t gold = teacher_->label(state.configuration, transition);
    return gold != kNoLabel ? gold : LinearScorer::label(state, transition);
  }

 private:
  const TrainingOracle* teacher_;
};

class BeamTrainer {
 public:
  // Teaches perceptrons that others hold.
  BeamTrainer(const ParserDefinition& definition, const TrainingOracleOptions& options, std::size_t width,
              BeamUpdate update, Perceptron& transitions, Perceptron& labels)
      : definition_(&definition),
        update_(update),
        transitions_(&transitions),
        labels_(&labels),
        teacher_(*definition.program, options),
        scorer_(definition, transitions, labels, teacher_),
        transition_extractor_(definition.transition_features),
        label_extractor_(definition.label_features),
        label_scores_(definition.labels),
        search_(definition, width) {}

  // Learns from one sentence.
  void learn(std::int32_t words, const WordValues& values, std::span<const GoldArc> gold);
  // Sentences in which the search ended elsewhere, and wrong labels.
  std::int64_t mistakes() const { return mistakes_; }

 private:
  using Search = BeamSearch<TaughtScorer>;

  // One step of the search and of the right sequence; false if both are finished.
  bool step();
  bool step_in_beam();
  // The best right candidate.
  Search::Candidate find_right();
  void leave_beam(const Search::Candidate& candidate);
  bool step_alone();
  void extend_alone(std::int32_t transition, std::int32_t score);
  void compare();
  const Search::Item& right_sequence();
  void move_weights(std::int32_t words);
  void add_path(std::int32_t words, std::span<const Search::Step> path, std::size_t from, std::int32_t amount);
  void learn_labels(std::int32_t words, std::int32_t last);

  const ParserDefinition* definition_;
  BeamUpdate update_;
  Perceptron* transitions_;
  Perceptron* labels_;
  TrainingOracle teacher_;
  TaughtScorer scorer_;
  FeatureExtractor transition_extractor_;
  FeatureExtractor label_extractor_;
  std::vector<std::int32_t> label_scores_;
  std::vector<std::uint64_t> hashes_;
  WordValues words_;
  Search search_;
  std::vector<std::uint8_t> right_items_;         // of the beam
  std::vector<std::vector<std::uint8_t>> right_;  // transitions of each state of the beam
  bool in_beam_ = true;                           // the right sequence is there
  Search::Item alone_;                            // else it is this
  // Where the search was ahead of the right sequence: by how much, and the last steps of both.
  std::int64_t violation_ = 0;
  std::int32_t violating_ = kNoNode;
  std::int32_t violated_ = kNoNode;
  ParseState replayed_;
  std::vector<Search::Step> right_path_;
  std::vector<Search::Step> wrong_path_;
  std::vector<std::uint8_t> legal_;
  std::vector<std::int32_t> scores_;
  std::int64_t mistakes_ = 0;
};

}  // namespace crossarc
