// A sentence in the course of parsing, and what every search does with it: start, find what is legal, choose, go on. A
// search is written once and knows nothing of what scores; a scorer knows nothing of how the search goes on.
//
// A StateScorer, for searches over states of the machine (search/greedy.hpp, search/beam.hpp), has a type Score and
//   void score(const ParseState& state, std::span<const std::uint8_t> legal, std::span<Score> scores);
//   std::int32_t label(ParseState& state, std::int32_t transition);  // of the arc that a transition is going to add
// A ViewScorer, for searches over positions (search/easy_first.hpp), has
//   void score(const WordView& view, const ArcTable& arcs, std::span<Score> scores);
//   std::int32_t label(const WordView& view, const ArcTable& arcs, std::int32_t transition);
// Scores are those of all transitions. A learner has in addition what the training of its search names.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/random.hpp"
#include "features/features.hpp"
#include "features/words.hpp"
#include "transitions/machine/configuration.hpp"

namespace crossarc {

// What transitions lose that let arcs cross, and labels that are marked as those of lifted arcs
// (search/crossing_penalty.hpp).
struct CrossingPenalty {
  double amount = 0;
  std::vector<std::uint8_t> labels;  // of each whether it is marked; empty if none is
};

// Everything about a parser but its weights.
struct ParserDefinition {
  std::shared_ptr<const Program> program;
  Root root = Root::kNone;
  FeatureSet transition_features;
  FeatureSet label_features;
  std::size_t labels = 0;
  // Whether one model scores transitions together with labels, so that each label of an arc is a class of its own.
  bool joint = false;
  CrossingPenalty crossing_penalty = {};  // in parsing; training does not know it

  bool adds_arc(std::int32_t transition) const { return (*program)[transition].arcs > 0; }
};

struct ParseState {
  Configuration configuration;
  ArcTable arcs;
  WordView view() const { return view_of(configuration); }
};

template <typename Scorer>
concept StateScorer = requires(Scorer scorer, ParseState& state, std::span<const std::uint8_t> legal,
                               std::span<typename Scorer::Score> scores, std::int32_t transition) {
  scorer.score(state, legal, scores);
  { scorer.label(state, transition) } -> std::same_as<std::int32_t>;
};

template <typename Scorer>
concept ViewScorer = requires(Scorer scorer, const WordView& view, const ArcTable& arcs,
                              std::span<typename Scorer::Score> scores, std::int32_t transition) {
  scorer.score(view, arcs, scores);
  { scorer.label(view, arcs, transition) } -> std::same_as<std::int32_t>;
};

inline void start_state(const ParserDefinition& definition, std::int32_t words, ParseState& state) {
  state.configuration.start(*definition.program, words, definition.root);
  state.arcs.start(state.configuration.nodes(), definition.program->undirected());
}

// The values of a sentence's nodes: those of its words and of the artificial root. They stay in `memory`.
inline WordValues load_values(const SentenceTable& table, std::size_t sentence, Root root,
                              std::vector<std::uint32_t>& memory) {
  const std::size_t first = table.first_word(sentence);
  memory.clear();
  if (root == Root::kFirst) memory.resize(table.columns, kRootValue);
  memory.insert(memory.end(), table.row(first), table.row(first + static_cast<std::size_t>(table.length(sentence))));
  if (root == Root::kLast) memory.resize(memory.size() + table.columns, kRootValue);
  return {memory.data(), table.columns};
}

// Marks the legal transitions; false if there is nothing more to do.
inline bool find_legal(const Program& program, Configuration& configuration, std::span<std::uint8_t> legal) {
  if (configuration.terminal() && !program.refills_buffer()) return false;
  bool any = false;
  for (std::size_t transition = 0; transition < program.size(); ++transition) {
    legal[transition] = configuration.legal(transition, 0);
    any |= legal[transition] != 0;
  }
  return any;
}

// Applies a transition; the configuration knows how to take it back.
inline void take_step(ParseState& state, std::int32_t transition, std::int32_t label) {
  const std::size_t links = state.configuration.links().size();
  state.configuration.apply(transition, 0, label);
  for (std::size_t link = links; link < state.configuration.links().size(); ++link) {
    state.arcs.add(state.configuration.links()[link]);
  }
}

// The same for good.
inline void apply_transition(ParseState& state, std::int32_t transition, std::int32_t label) {
  take_step(state, transition, label);
  state.configuration.forget();
}

// What is allowed if it is one alone, else kNoNode.
inline std::int32_t only_one(std::span<const std::uint8_t> allowed) {
  const auto first = std::find(allowed.begin(), allowed.end(), 1);
  if (first == allowed.end() || std::find(first + 1, allowed.end(), 1) != allowed.end()) return kNoNode;
  return static_cast<std::int32_t>(first - allowed.begin());
}

// The best of what is allowed, the first of equals; kNoNode if there is none.
template <typename Score>
std::int32_t best_of(std::span<const Score> scores, std::span<const std::uint8_t> allowed) {
  std::int32_t best = kNoNode;
  for (std::size_t number = 0; number < scores.size(); ++number) {
    if (allowed[number] && (best == kNoNode || scores[number] > scores[best])) best = number;
  }
  return best;
}

// The best of all, the first of equals.
template <typename Score>
std::int32_t best_of(std::span<const Score> scores) {
  return static_cast<std::int32_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
}

// Whether training goes on from the parser's own choice where it is wrong (Goldberg & Nivre 2013): so often, of a
// hundred.
inline bool explores(Random& random, unsigned explore) { return random.bits() % 100 < explore; }

}  // namespace crossarc
