#include "parsers/greedy.hpp"

#include <algorithm>
#include <limits>

namespace crossarc {

void GreedyEngine::start(std::int32_t words, ParseState& state) const {
  state.configuration.start(*definition_->program, words, definition_->root);
  state.arcs.start(state.configuration.nodes(), definition_->program->undirected());
}

bool GreedyEngine::finished(ParseState& state) {
  const Program& program = *definition_->program;
  if (state.configuration.terminal() && !program.refills_buffer()) return true;
  bool any = false;
  for (std::size_t transition = 0; transition < program.size(); ++transition) {
    legal_[transition] = state.configuration.legal(static_cast<std::int32_t>(transition), 0);
    any |= legal_[transition] != 0;
  }
  return !any;
}

template <typename Model>
std::int32_t GreedyEngine::best_transition(const ParseState& state, const WordValues& words, const Model& model) {
  transition_extractor_.extract(state.configuration, state.arcs, words, 0, transition_hashes_);
  std::fill(scores_.begin(), scores_.end(), 0);
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
  label_extractor_.extract(state.configuration, state.arcs, words,
                           static_cast<std::uint64_t>(transition + 1) * 0xA24BAED4963EE407ULL, label_hashes_);
  std::fill(label_scores_.begin(), label_scores_.end(), 0);
  model.score(label_hashes_, label_scores_);
  return static_cast<std::int32_t>(std::max_element(label_scores_.begin(), label_scores_.end()) -
                                   label_scores_.begin());
}

void GreedyEngine::apply(ParseState& state, std::int32_t transition, std::int32_t label) const {
  const std::size_t links = state.configuration.links().size();
  state.configuration.apply(transition, 0, label);
  state.configuration.forget();
  for (std::size_t link = links; link < state.configuration.links().size(); ++link) {
    state.arcs.add(state.configuration.links()[link]);
  }
}

void parse_greedily(GreedyEngine& engine, std::int32_t words, const WordValues& values, const LinearModel& transitions,
                    const LinearModel& labels, ParseState& state) {
  const Program& program = *engine.definition().program;
  engine.start(words, state);
  while (!engine.finished(state)) {
    const std::int32_t transition = engine.best_transition(state, values, transitions);
    const bool arc = program[static_cast<std::size_t>(transition)].arcs > 0;
    const std::int32_t label = arc ? engine.best_label(state, values, labels, transition) : kNoLabel;
    engine.apply(state, transition, label);
  }
}

void GreedyTrainer::learn(std::int32_t words, const WordValues& values, std::span<const GoldArc> gold,
                          unsigned explore) {
  const ParserDefinition& definition = engine_.definition();
  engine_.start(words, state_);
  gold_.set(state_.configuration.nodes(), gold);
  planes_.clear();
  if (definition.program->stacks() > 1) {
    drawn_.clear();
    for (std::int32_t arc = 0; arc < static_cast<std::int32_t>(gold.size()); ++arc) drawn_.push_back(gold_.drawn(arc));
    planes_.resize(gold.size());
    plane_choice_.choose(drawn_, state_.configuration.nodes(), definition.program->stacks(), planes_);
  }
  expert_.start(gold_, planes_);
  const bool by_rule = options_.oracle.rule != Rule::kNone;
  if (!by_rule) {
    oracle_.derive(words, definition.root, gold, {}, derivation_);
    explore = 0;
  }
  step_ = 0;
  right_.resize(definition.program->size());
  while (!engine_.finished(state_) && (by_rule || step_ < derivation_.actions.size())) {
    const std::int32_t guess = engine_.best_transition(state_, values, transitions_);
    const std::int32_t right = right_transition();
    transitions_.tick();
    std::int32_t taken = guess;
    ++step_;
    if (!by_rule) taken = right;
    if (!right_[static_cast<std::size_t>(guess)]) {
      ++mistakes_;
      transitions_.update(engine_.transition_hashes(), static_cast<std::size_t>(right),
                          static_cast<std::size_t>(guess));
      if (random_() % 100 >= explore) taken = right;
    }
    std::int32_t label = kNoLabel;
    if ((*definition.program)[static_cast<std::size_t>(taken)].arcs > 0) learn_label(taken, values, label);
    engine_.apply(state_, taken, label);
  }
}

std::int32_t GreedyTrainer::right_transition() {
  const std::size_t transitions = right_.size();
  std::fill(right_.begin(), right_.end(), 0);
  Configuration& configuration = state_.configuration;
  if (options_.oracle.rule == Rule::kNone) {
    const std::int32_t next = derivation_.actions[step_].transition;
    right_[static_cast<std::size_t>(next)] = 1;
    return next;
  }
  if (options_.reach != Reach::kUnknown) {
    std::int32_t least = std::numeric_limits<std::int32_t>::max();
    std::vector<std::int32_t> losses(transitions, 0);
    for (std::size_t transition = 0; transition < transitions; ++transition) {
      if (!engine_.legal()[transition]) continue;
      const std::size_t mark = configuration.mark();
      configuration.apply(static_cast<std::int32_t>(transition), 0, kNoLabel);
      losses[transition] = loss_.count(options_.reach, configuration, gold_);
      configuration.undo_to(mark);
      least = std::min(least, losses[transition]);
    }
    for (std::size_t transition = 0; transition < transitions; ++transition) {
      right_[transition] = engine_.legal()[transition] && losses[transition] == least;
    }
    if (definition().program->stacks() > 1) prefer_planes();
  } else {
    const std::int32_t next = expert_.next(configuration);
    if (next != kNoNode && engine_.legal()[static_cast<std::size_t>(next)]) {
      right_[static_cast<std::size_t>(next)] = 1;
    } else {  // the rule has no answer: whatever is legal will do
      std::copy(engine_.legal().begin(), engine_.legal().end(), right_.begin());
    }
  }
  std::int32_t best = kNoNode;
  for (std::size_t transition = 0; transition < transitions; ++transition) {
    if (right_[transition] &&
        (best == kNoNode || engine_.scores()[transition] > engine_.scores()[static_cast<std::size_t>(best)])) {
      best = static_cast<std::int32_t>(transition);
    }
  }
  return best;
}

// On several stacks the losses do not see the planes: to switch, or to reduce a word that still waits, is right only
// where the rule says so.
void GreedyTrainer::prefer_planes() {
  const std::int32_t next = expert_.next(state_.configuration);
  if (next == kNoNode || !engine_.legal()[static_cast<std::size_t>(next)] || !right_[static_cast<std::size_t>(next)])
    return;
  const std::span<const std::int32_t> stack = state_.configuration.active_stack();
  const auto forbid = [&](std::int32_t transition) {
    if (transition != kNoNode && transition != next) right_[static_cast<std::size_t>(transition)] = 0;
  };
  forbid(options_.oracle.roles.switch_stack);
  if (!stack.empty() && expert_.has_pending(state_.configuration, stack.back())) forbid(options_.oracle.roles.reduce);
}

void GreedyTrainer::learn_label(std::int32_t transition, const WordValues& values, std::int32_t& label) {
  Configuration& configuration = state_.configuration;
  const std::size_t mark = configuration.mark();
  configuration.apply(transition, 0, kNoLabel);
  const BuiltArc link = configuration.links().back();
  configuration.undo_to(mark);
  label = engine_.best_label(state_, values, labels_, transition);
  labels_.tick();
  std::int32_t gold_label = kNoLabel;
  for (const Gold::Neighbour& neighbour : gold_.neighbours(link.dependent)) {
    const GoldArc& arc = gold_.arc(neighbour.arc);
    const bool same = arc.head == link.head && arc.dependent == link.dependent;
    const bool turned =
        engine_.definition().program->undirected() && arc.head == link.dependent && arc.dependent == link.head;
    if (same || turned) gold_label = arc.label;
  }
  if (gold_label == kNoLabel || gold_label == label) return;
  labels_.update(engine_.label_hashes(), static_cast<std::size_t>(gold_label), static_cast<std::size_t>(label));
  label = gold_label;
}

template std::int32_t GreedyEngine::best_transition(const ParseState&, const WordValues&, const LinearModel&);
template std::int32_t GreedyEngine::best_label(const ParseState&, const WordValues&, const LinearModel&, std::int32_t);

}  // namespace crossarc
