// Easy-first parsing by a network, and how it learns it: all moves that lose no more gold arcs than they must get the
// whole probability between them, among all moves at all positions (Kiperwasser & Goldberg 2016 for transitions).
// O(n · slots · hidden) for a sentence, in training as much for every move that is not all but certain or impossible.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/random.hpp"
#include "parsers/network_scorer.hpp"
#include "search/easy_first.hpp"

namespace crossarc {

// The scorer was started with the sentence; the arcs, without labels, are in the configuration of the pending words
// then.
void parse_easy_first(std::int32_t words, TransitionScorer& scorer, EasyFirst<float>& search);

class EasyFirstLesson {
 public:
  EasyFirstLesson(const ParserDefinition& definition, TransitionScorer& scorer, SentenceReading& reading,
                  NetworkWeights& gradients)
      : search_(definition),
        scorer_(&scorer),
        reading_(&reading),
        gradients_(&gradients),
        scores_(definition.program->size()),
        score_gradients_(definition.program->size()) {}

  // Adds to the gradients what one sentence says, with which the scorer was started, and returns the number of
  // mistakes. `mask`: by what hidden values are multiplied, all through the sentence. `explore`: how often, of a
  // hundred, the parser's own choice is followed where it is wrong.
  std::int64_t learn(std::int32_t words, std::span<const GoldArc> gold, std::span<const float> mask, unsigned explore,
                     Random& random);

 private:
  // All moves at once; the right ones lose so many arcs.
  void learn_moves(std::int32_t least, std::span<const float> mask);
  void learn_position(std::int32_t position, std::span<const float> mask);

  EasyFirst<float> search_;
  EasyFirstTeacher teacher_;
  TransitionScorer* scorer_;
  SentenceReading* reading_;
  NetworkWeights* gradients_;
  std::vector<float> scores_;
  std::vector<float> score_gradients_;  // of the moves at one position
};

}  // namespace crossarc
