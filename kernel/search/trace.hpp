// A sentence parsed step by step, with the scores of all transitions at every step: to be looked at, where the other
// searches are for speed. Greedy, or along transitions that are given, as an oracle gives them. O(transitions of the
// sentence) scored states.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include "core/threads.hpp"
#include "search/state.hpp"

namespace crossarc {

struct Trace {
  std::vector<std::int32_t> transitions;
  std::vector<float> scores;  // a row for each step: of all transitions, NaN for those that are not legal there
};

// `given`: the transitions to take one after the other; greedy if there are none. Throws std::invalid_argument where
// one of them is not legal.
template <StateScorer Scorer>
Trace trace_sentence(const ParserDefinition& definition, std::int32_t words, Scorer& scorer,
                     std::span<const std::int32_t> given) {
  using Score = typename Scorer::Score;
  const std::size_t size = definition.program->size();
  std::vector<Score> scores(size);
  std::vector<std::uint8_t> legal(size);
  ParseState state;
  Trace trace;
  start_state(definition, words, state);
  while (find_legal(*definition.program, state.configuration, legal)) {
    check_interruption(16);
    const std::size_t step = trace.transitions.size();
    if (!given.empty() && step == given.size()) break;
    scorer.score(state, legal, scores);
    const std::int32_t transition = given.empty() ? best_of<Score>(scores, legal) : given[step];
    const auto number = static_cast<std::size_t>(transition);
    if (transition < 0 || number >= size || !legal[number]) {
      throw std::invalid_argument("a transition to be traced is not legal");
    }
    for (std::size_t other = 0; other < size; ++other) {
      trace.scores.push_back(legal[other] ? static_cast<float>(scores[other])
                                          : std::numeric_limits<float>::quiet_NaN());
    }
    trace.transitions.push_back(transition);
    apply_transition(state, transition, definition.adds_arc(transition) ? scorer.label(state, transition) : kNoLabel);
  }
  if (trace.transitions.size() < given.size()) throw std::invalid_argument("too many transitions to be traced");
  return trace;
}

}  // namespace crossarc
