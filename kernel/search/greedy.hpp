// Greedy transition-based parsing, whatever scores: the best legal transition, one after the other, and nothing is
// scored where only one is legal. In training an oracle says which transitions are right in the configurations that the
// parser itself gets into (Goldberg & Nivre 2013). O(transitions of a sentence) scored states.
//
// A learner is a StateScorer with
//   static constexpr bool kLearnsLabels;  // whether arcs are labelled, and labels learnt, while they are made
//   void tick();                          // a transition is going to be taken, be it the only legal one
//   void learn(std::span<Score> scores, std::span<const std::uint8_t> legal, std::span<const std::uint8_t> right,
//              std::int32_t best_right, std::int32_t guess);  // from the state that was scored last
//   std::int32_t learn_label(const WordView& view, const ArcTable& arcs, std::int32_t transition, std::int32_t gold);
// The last one returns the label that it would have given; `gold` is kNoLabel for an arc without a gold label.
//
// A learner of transitions together with their labels has tick() and
//   LabelledChoices learn(const ParseState& state, std::span<const std::uint8_t> legal,
//                         std::span<const std::uint8_t> right, std::span<const std::int32_t> gold_labels);
// where gold_labels[transition] is kNoLabel for what adds no gold arc: such an arc may have any label.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/threads.hpp"
#include "search/state.hpp"
#include "transitions/oracles/gold.hpp"
#include "transitions/oracles/training_oracle.hpp"

namespace crossarc {

// A transition with the label of its arc.
struct LabelledTransition {
  std::int32_t transition = kNoNode;
  std::int32_t label = kNoLabel;
};
// What scores best of what is legal, and of what is right.
struct LabelledChoices {
  LabelledTransition guess;
  LabelledTransition best_right;
  bool mistaken = false;  // the guess is not right
};

// Keeps its memory from sentence to sentence.
template <typename Score>
class GreedySearch {
 public:
  explicit GreedySearch(const ParserDefinition& definition)
      : definition_(&definition), scores_(definition.program->size()), legal_(definition.program->size()) {}

  // The arcs that were made, in their order.
  template <StateScorer Scorer>
  std::span<const BuiltArc> parse(std::int32_t words, Scorer& scorer) {
    start_state(*definition_, words, state_);
    while (find_legal(*definition_->program, state_.configuration, legal_)) {
      check_interruption(16);
      std::int32_t transition = only_one(legal_);
      if (transition == kNoNode) {
        scorer.score(state_, legal_, scores_);
        transition = best_of<Score>(scores_, legal_);
      }
      const bool arc = definition_->adds_arc(transition);
      apply_transition(state_, transition, arc ? scorer.label(state_, transition) : kNoLabel);
    }
    return state_.configuration.links();
  }

  // Learns from one sentence and returns the number of mistakes. `explore`: how often, of a hundred, the parser's own
  // choice is followed where it is wrong.
  template <StateScorer Learner>
  std::int64_t learn(std::int32_t words, Learner& learner, TrainingOracle& oracle, std::span<const GoldArc> gold,
                     unsigned explore, Random& random) {
    std::int64_t mistakes = 0;
    follow(words, oracle, gold, [&]() -> LabelledTransition {
      learner.tick();
      std::int32_t taken = only_one(legal_);
      if (taken == kNoNode) {
        learner.score(state_, legal_, scores_);
        const std::int32_t guess = best_of<Score>(scores_, legal_);
        const std::int32_t best_right = best_of<Score>(scores_, right_);
        learner.learn(scores_, legal_, right_, best_right, guess);
        mistakes += !right_[guess];
        taken = follows_guess(oracle, guess, explore, random) ? guess : best_right;
      }
      return {taken, definition_->adds_arc(taken) ? learn_label(learner, oracle, taken) : kNoLabel};
    });
    return mistakes;
  }

  // The same for learners of transitions together with their labels.
  template <typename Learner>
  std::int64_t learn_joint(std::int32_t words, Learner& learner, TrainingOracle& oracle, std::span<const GoldArc> gold,
                           unsigned explore, Random& random) {
    std::int64_t mistakes = 0;
    follow(words, oracle, gold, [&]() -> LabelledTransition {
      gold_labels_.assign(legal_.size(), kNoLabel);
      for (std::size_t transition = 0; transition < legal_.size(); ++transition) {
        if (!legal_[transition] || !definition_->adds_arc(transition)) continue;
        gold_labels_[transition] = oracle.label(state_.configuration, transition);
      }
      learner.tick();
      const LabelledChoices choices = learner.learn(state_, legal_, right_, gold_labels_);
      mistakes += choices.mistaken;
      const bool follows = follows_guess(oracle, choices.guess.transition, explore, random);
      const auto [taken, label] = follows ? choices.guess : choices.best_right;
      return {taken, gold_labels_[taken] == kNoLabel ? label : gold_labels_[taken]};
    });
    return mistakes;
  }

 private:
  // Goes through a sentence by the transitions that choose() returns, with what is legal and right at hand.
  template <typename Choose>
  void follow(std::int32_t words, TrainingOracle& oracle, std::span<const GoldArc> gold, Choose&& choose) {
    start_state(*definition_, words, state_);
    oracle.start(state_.configuration, words, definition_->root, gold);
    while (find_legal(*definition_->program, state_.configuration, legal_) && !oracle.finished()) {
      check_interruption(16);
      oracle.ask(state_.configuration, legal_, right_);
      const LabelledTransition taken = choose();
      apply_transition(state_, taken.transition, taken.label);
      oracle.advance();
    }
  }

  bool follows_guess(const TrainingOracle& oracle, std::int32_t guess, unsigned explore, Random& random) const {
    return oracle.is_dynamic() && (right_[guess] || explores(random, explore));
  }

  // Returns the gold label if there is one, else that of the learner.
  template <typename Learner>
  std::int32_t learn_label(Learner& learner, const TrainingOracle& oracle, std::int32_t transition) {
    if constexpr (Learner::kLearnsLabels) {
      const std::int32_t gold = oracle.label(state_.configuration, transition);
      const std::int32_t guess = learner.learn_label(state_.view(), state_.arcs, transition, gold);
      return gold == kNoLabel ? guess : gold;
    } else {
      return learner.label(state_, transition);
    }
  }

  const ParserDefinition* definition_;
  ParseState state_;
  std::vector<Score> scores_;
  std::vector<std::uint8_t> legal_, right_;
  std::vector<std::int32_t> gold_labels_;
};

}  // namespace crossarc
