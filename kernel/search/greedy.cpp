#include "search/greedy.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

namespace crossarc {

void start_state(const ParserDefinition& definition, std::int32_t words, ParseState& state) {
  state.configuration.start(*definition.program, words, definition.root);
  state.arcs.start(state.configuration.nodes(), definition.program->undirected());
}

bool find_legal(const Program& program, Configuration& configuration, std::span<std::uint8_t> legal) {
  if (configuration.terminal() && !program.refills_buffer()) return false;
  bool any = false;
  for (std::size_t transition = 0; transition < program.size(); ++transition) {
    legal[transition] = configuration.legal(static_cast<std::int32_t>(transition), 0);
    any |= legal[transition] != 0;
  }
  return any;
}

void apply_transition(ParseState& state, std::int32_t transition, std::int32_t label, std::int32_t position) {
  const std::size_t links = state.configuration.links().size();
  state.configuration.apply(transition, position, label);
  state.configuration.forget();
  for (std::size_t link = links; link < state.configuration.links().size(); ++link) {
    state.arcs.add(state.configuration.links()[link]);
  }
}

template <typename Model>
std::int32_t GreedyEngine::best_transition(const ParseState& state, const WordValues& words, const Model& model) {
  std::fill(scores_.begin(), scores_.end(), 0);
  if (std::count(legal_.begin(), legal_.end(), 0) + 1 == std::ssize(legal_)) {  // there is nothing to choose
    return static_cast<std::int32_t>(std::find_if(legal_.begin(), legal_.end(), std::identity{}) - legal_.begin());
  }
  transition_extractor_.extract(state.view(), state.arcs, words, 0, transition_hashes_);
  model.score(transition_hashes_, scores_);
  std::int32_t best = kNoNode;
  for (std::size_t transition = 0; transition < scores_.size(); ++transition) {
    if (legal_[transition] && (best == kNoNode || scores_[transition] > scores_[static_cast<std::size_t>(best)])) {
      best = static_cast<std::int32_t>(transition);
    }
  }
  return best;
}

template <typename Model>
std::int32_t GreedyEngine::best_label(const ParseState& state, const WordValues& words, const Model& model,
                                      std::int32_t transition) {
  label_extractor_.extract(state.view(), state.arcs, words, label_salt(transition), label_hashes_);
  std::fill(label_scores_.begin(), label_scores_.end(), 0);
  model.score(label_hashes_, label_scores_);
  return static_cast<std::int32_t>(std::max_element(label_scores_.begin(), label_scores_.end()) -
                                   label_scores_.begin());
}

void parse_greedily(GreedyEngine& engine, std::int32_t words, const WordValues& values, const LinearModel& transitions,
                    const LinearModel& labels, ParseState& state) {
  const Program& program = *engine.definition().program;
  engine.start(words, state);
  while (!engine.finished(state)) {
    const std::int32_t transition = engine.best_transition(state, values, transitions);
    const bool arc = program[static_cast<std::size_t>(transition)].arcs > 0;
    const std::int32_t label = arc ? engine.best_label(state, values, labels, transition) : kNoLabel;
    apply_transition(state, transition, label);
  }
}

void GreedyTrainer::learn(std::int32_t words, const WordValues& values, std::span<const GoldArc> gold,
                          unsigned explore) {
  const ParserDefinition& definition = engine_.definition();
  engine_.start(words, state_);
  teacher_.start(state_.configuration, words, definition.root, gold);
  if (!teacher_.is_dynamic()) explore = 0;
  while (!engine_.finished(state_) && !teacher_.finished()) {
    const std::int32_t guess = engine_.best_transition(state_, values, transitions_);
    teacher_.ask(state_.configuration, engine_.legal(), right_);
    const std::int32_t right = best_right();
    transitions_.tick();
    std::int32_t taken = teacher_.is_dynamic() ? guess : right;
    if (!right_[static_cast<std::size_t>(guess)]) {
      ++mistakes_;
      transitions_.update(engine_.transition_hashes(), static_cast<std::size_t>(right),
                          static_cast<std::size_t>(guess));
      if (random_.bits() % 100 >= explore) taken = right;
    }
    const bool arc = (*definition.program)[static_cast<std::size_t>(taken)].arcs > 0;
    apply_transition(state_, taken, arc ? learn_label(taken, values) : kNoLabel);
    teacher_.advance();
  }
}

std::int32_t GreedyTrainer::best_right() const {
  std::int32_t best = kNoNode;
  for (std::size_t transition = 0; transition < right_.size(); ++transition) {
    if (right_[transition] &&
        (best == kNoNode || engine_.scores()[transition] > engine_.scores()[static_cast<std::size_t>(best)])) {
      best = static_cast<std::int32_t>(transition);
    }
  }
  return best;
}

// Returns the gold label if there is one, else what the model says.
std::int32_t GreedyTrainer::learn_label(std::int32_t transition, const WordValues& values) {
  const std::int32_t gold = teacher_.label(state_.configuration, transition);
  const std::int32_t guess = engine_.best_label(state_, values, labels_, transition);
  labels_.tick();
  if (gold == kNoLabel || gold == guess) return guess;
  labels_.update(engine_.label_hashes(), static_cast<std::size_t>(gold), static_cast<std::size_t>(guess));
  return gold;
}

template std::int32_t GreedyEngine::best_transition(const ParseState&, const WordValues&, const LinearModel&);
template std::int32_t GreedyEngine::best_label(const ParseState&, const WordValues&, const LinearModel&, std::int32_t);

}  // namespace crossarc
