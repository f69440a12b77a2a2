// Structured training with beam search. The search runs beside the best right sequence: of the sequences that take only
// transitions which the oracle calls right, the one that scores best, in the beam as long as it stays there and on its
// own afterwards. If the search ends elsewhere, weights move from its sequence to the right one, up to where it leads
// by most (max-violation, Huang, Fayong & Guo 2012) or, with early update (Collins & Roark 2004), up to where the last
// right sequence falls out of the beam. O(width) times the cost of greedy training.
//
// A learner is a StateScorer with
//   void add(const WordView& view, const ArcTable& arcs, std::int32_t transition, std::int32_t amount);
//   void tick();  // once for every word
//   std::int32_t learn_label(const WordView& view, const ArcTable& arcs, std::int32_t transition, std::int32_t gold);
// The first moves the score of a transition by some amount of its features; the last returns the label that it would
// have given.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/threads.hpp"
#include "search/beam.hpp"
#include "transitions/oracles/gold.hpp"
#include "transitions/oracles/training_oracle.hpp"

namespace crossarc {

enum class BeamUpdate : std::uint8_t { kMaxViolation, kEarly };

// A scorer that labels gold arcs as in the gold tree, so that no sequence is blamed for a label.
template <StateScorer Scorer>
class GoldLabelScorer {
 public:
  using Score = typename Scorer::Score;

  GoldLabelScorer(Scorer& scorer, const TrainingOracle& oracle) : scorer_(&scorer), oracle_(&oracle) {}

  void score(const ParseState& state, std::span<const std::uint8_t> legal, std::span<Score> scores) {
    scorer_->score(state, legal, scores);
  }
  std::int32_t label(ParseState& state, std::int32_t transition) {
    const std::int32_t gold = oracle_->label(state.configuration, transition);
    return gold != kNoLabel ? gold : scorer_->label(state, transition);
  }

 private:
  Scorer* scorer_;
  const TrainingOracle* oracle_;
};

template <StateScorer Learner>
class BeamTraining {
 public:
  BeamTraining(const ParserDefinition& definition, std::size_t width, BeamUpdate update, Learner& learner,
               TrainingOracle& oracle)
      : definition_(&definition),
        update_(update),
        learner_(&learner),
        oracle_(&oracle),
        scorer_(learner, oracle),
        search_(definition, width) {}

  // Learns from one sentence and returns the number of mistakes: one if the search ended elsewhere, and wrong labels.
  std::int64_t learn(std::int32_t words, std::span<const GoldArc> gold) {
    search_.start(words);
    oracle_->start(search_.items()[0].state.configuration, words, definition_->root, gold);
    right_items_.assign(1, 1);
    in_beam_ = true;
    violation_ = 0;
    violating_ = violated_ = kNoNode;
    while (step()) {
      compare();
      oracle_->advance();
      if (!in_beam_ && update_ == BeamUpdate::kEarly) break;
    }
    if (!in_beam_) {  // for the labels to be learnt
      while (step_alone()) oracle_->advance();
    }
    std::int64_t mistakes = 0;
    if ((!in_beam_ || !right_items_[0]) && violating_ != kNoNode) {
      ++mistakes;
      move_weights(words);
    }
    for (std::int32_t word = 0; word < words; ++word) learner_->tick();
    return mistakes + learn_labels(words, right_sequence().step);
  }

 private:
  using Score = typename Learner::Score;
  using Search = BeamSearch<GoldLabelScorer<Learner>>;
  using Item = typename Search::Item;
  using Candidate = typename Search::Candidate;
  using Step = typename Search::Step;

  // One step of the search and of the right sequence; false if both are finished.
  bool step() {
    if (in_beam_) return step_in_beam();
    const bool searching = search_.expand(scorer_);
    if (searching) {
      search_.prune();
      search_.advance(scorer_);
      right_items_.assign(search_.items().size(), 0);
    }
    return step_alone() || searching;
  }

  bool step_in_beam() {
    if (!search_.expand(scorer_)) return false;
    const Candidate best = find_right();
    search_.prune();
    std::vector<std::uint8_t> next;
    for (const Candidate& candidate : search_.candidates()) {
      const auto parent = static_cast<std::size_t>(candidate.parent);
      const auto transition = static_cast<std::size_t>(candidate.transition);
      next.push_back(right_items_[parent] && (candidate.transition == kNoNode || right_[parent][transition]));
    }
    in_beam_ = std::find(next.begin(), next.end(), 1) != next.end();
    if (!in_beam_) leave_beam(best);
    search_.advance(scorer_);
    right_items_ = next;
    return true;
  }

  // What is right of what is legal; after the end of a derivation whatever is legal.
  void ask(Configuration& configuration, std::span<const std::uint8_t> legal, std::vector<std::uint8_t>& right) {
    if (oracle_->finished()) {
      right.assign(legal.begin(), legal.end());
    } else {
      oracle_->ask(configuration, legal, right);
    }
  }

  // The best right candidate.
  Candidate find_right() {
    Candidate best{0, kNoNode, kNoNode};
    right_.resize(search_.items().size());
    for (std::size_t number = 0; number < search_.items().size(); ++number) {
      if (!right_items_[number]) continue;
      Item& item = search_.items()[number];
      const auto parent = static_cast<std::int32_t>(number);
      if (item.finished) {
        if (best.parent == kNoNode || item.total > best.total) best = {item.total, parent, kNoNode};
        continue;
      }
      const std::span<const std::uint8_t> legal = search_.legal(number);
      ask(item.state.configuration, legal, right_[number]);
      for (std::size_t transition = 0; transition < legal.size(); ++transition) {
        const TotalScore<Score> total = item.total + search_.scores(number)[transition];
        if (right_[number][transition] && (best.parent == kNoNode || total > best.total)) {
          best = {total, parent, static_cast<std::int32_t>(transition)};
        }
      }
    }
    return best;
  }

  void leave_beam(const Candidate& candidate) {
    const auto parent = static_cast<std::size_t>(candidate.parent);
    alone_ = search_.items()[parent];
    if (candidate.transition == kNoNode) return;
    extend_alone(candidate.transition, search_.scores(parent)[candidate.transition]);
  }

  bool step_alone() {
    check_interruption();
    legal_.resize(definition_->program->size());
    alone_.finished = alone_.finished || !find_legal(*definition_->program, alone_.state.configuration, legal_);
    if (alone_.finished) return false;
    scores_.resize(legal_.size());
    scorer_.score(alone_.state, legal_, scores_);
    right_.resize(std::max<std::size_t>(1, right_.size()));
    ask(alone_.state.configuration, legal_, right_[0]);
    const std::int32_t best = best_of<Score>(scores_, right_[0]);
    extend_alone(best, scores_[best]);
    return true;
  }

  void extend_alone(std::int32_t transition, Score score) {
    const bool arc = definition_->adds_arc(transition);
    const std::int32_t label = arc ? scorer_.label(alone_.state, transition) : kNoLabel;
    apply_transition(alone_.state, transition, label);
    alone_.step = search_.add_step({alone_.step, transition, label, score, 0, false});
    alone_.total += score;
  }

  void compare() {
    if (right_items_[0]) return;
    const TotalScore<Score> ahead = search_.items()[0].total - right_sequence().total;
    if (ahead < 0 || (update_ == BeamUpdate::kMaxViolation && ahead < violation_)) return;
    violation_ = ahead;
    violating_ = search_.items()[0].step;
    violated_ = right_sequence().step;
  }

  const Item& right_sequence() {
    if (!in_beam_) return alone_;
    const auto first = std::find(right_items_.begin(), right_items_.end(), 1);
    return search_.items()[first - right_items_.begin()];
  }

  void move_weights(std::int32_t words) {
    search_.path(violated_, right_path_);
    search_.path(violating_, wrong_path_);
    std::size_t same = 0;
    while (same < right_path_.size() && same < wrong_path_.size() &&
           right_path_[same].transition == wrong_path_[same].transition &&
           right_path_[same].label == wrong_path_[same].label) {
      ++same;
    }
    add_path(words, right_path_, same, 1);
    add_path(words, wrong_path_, same, -1);
  }

  void add_path(std::int32_t words, std::span<const Step> path, std::size_t from, std::int32_t amount) {
    start_state(*definition_, words, replayed_);
    for (std::size_t number = 0; number < path.size(); ++number) {
      check_interruption();
      if (number >= from) learner_->add(replayed_.view(), replayed_.arcs, path[number].transition, amount);
      apply_transition(replayed_, path[number].transition, path[number].label);
    }
  }

  // Of the gold arcs of a sequence; returns the number of wrong labels.
  std::int64_t learn_labels(std::int32_t words, std::int32_t last) {
    std::int64_t mistakes = 0;
    search_.path(last, right_path_);
    start_state(*definition_, words, replayed_);
    for (const Step& step : right_path_) {
      check_interruption();
      const bool arc = definition_->adds_arc(step.transition);
      const std::int32_t gold = arc ? oracle_->label(replayed_.configuration, step.transition) : kNoLabel;
      if (gold != kNoLabel) {
        mistakes += learner_->learn_label(replayed_.view(), replayed_.arcs, step.transition, gold) != gold;
      }
      apply_transition(replayed_, step.transition, step.label);
    }
    return mistakes;
  }

  const ParserDefinition* definition_;
  BeamUpdate update_;
  Learner* learner_;
  TrainingOracle* oracle_;
  GoldLabelScorer<Learner> scorer_;
  Search search_;
  std::vector<std::uint8_t> right_items_;         // of the beam
  std::vector<std::vector<std::uint8_t>> right_;  // transitions of each state of the beam
  bool in_beam_ = true;                           // the right sequence is there
  Item alone_;                                    // else it is this
  // Where the search was ahead of the right sequence: by how much, and the last steps of both.
  TotalScore<Score> violation_ = 0;
  std::int32_t violating_ = kNoNode;
  std::int32_t violated_ = kNoNode;
  ParseState replayed_;
  std::vector<Step> right_path_;
  std::vector<Step> wrong_path_;
  std::vector<std::uint8_t> legal_;
  std::vector<Score> scores_;
};

}  // namespace crossarc
