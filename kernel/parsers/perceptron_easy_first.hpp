// Easy-first parsing by linear models, and how they learn it: where the best move of all loses gold arcs that another
// one keeps, weights move from the features of the one to those of the best right one (Goldberg & Elhadad 2010), and
// training goes on from the parser's own move as often as it is told to (Goldberg & Nivre 2013).
// O(n · templates) for a sentence, in training O((n + mistakes · n) · templates).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/random.hpp"
#include "linear/perceptron.hpp"
#include "parsers/perceptron_scorer.hpp"
#include "search/easy_first.hpp"

namespace crossarc {

// The scorer was started with the words; the arcs are in the configuration of the pending words then.
void parse_easy_first(std::int32_t words, LinearScorer<LinearModel>& scorer, EasyFirst<std::int32_t>& search);

class EasyFirstTrainer {
 public:
  EasyFirstTrainer(const ParserDefinition& definition, Perceptron& transitions, Perceptron& labels, Random& random)
      : search_(definition),
        scorer_(definition, transitions, labels),
        extractor_(definition.transition_features),
        label_extractor_(definition.label_features),
        transitions_(&transitions),
        labels_(&labels),
        random_(&random),
        label_scores_(definition.labels) {}

  // Learns from one sentence. `explore`: how often, of a hundred, the parser's own choice is followed where it is
  // wrong.
  void learn(std::int32_t words, const WordValues& values, std::span<const GoldArc> gold, unsigned explore);
  std::int64_t mistakes() const { return mistakes_; }

 private:
  void update(const Move& move, std::int32_t amount, const WordValues& values);
  // Returns the gold label if there is one, else what the model says.
  std::int32_t learn_label(const Move& move, const WordValues& values);

  EasyFirst<std::int32_t> search_;
  EasyFirstTeacher teacher_;
  LinearScorer<Perceptron> scorer_;
  FeatureExtractor extractor_;
  FeatureExtractor label_extractor_;
  Perceptron* transitions_;
  Perceptron* labels_;
  Random* random_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::int32_t> label_scores_;
  std::int64_t mistakes_ = 0;
};

}  // namespace crossarc
