#include "parsers/perceptron_beam_trainer.hpp"

#include <algorithm>

namespace crossarc {

void BeamTrainer::learn(std::int32_t words, const WordValues& values, std::span<const GoldArc> gold) {
  words_ = values;
  scorer_.start(values);
  search_.start(words);
  teacher_.start(search_.items()[0].state.configuration, words, definition_->root, gold);
  right_items_.assign(1, 1);
  in_beam_ = true;
  violation_ = 0;
  violating_ = violated_ = kNoNode;
  while (step()) {
    compare();
    teacher_.advance();
    if (!in_beam_ && update_ == BeamUpdate::kEarly) break;
  }
  if (!in_beam_) {  // for the labels to be learnt
    while (step_alone()) teacher_.advance();
  }
  if ((!in_beam_ || !right_items_[0]) && violating_ != kNoNode) {
    ++mistakes_;
    move_weights(words);
  }
  for (std::int32_t word = 0; word < words; ++word) transitions_->tick();
  learn_labels(words, right_sequence().step);
}

bool BeamTrainer::step() {
  if (in_beam_) return step_in_beam();
  const bool searching = search_.expand(scorer_);
  if (searching) {
    search_.prune();
    search_.advance(scorer_);
    right_items_.assign(search_.items().size(), 0);
  }
  return step_alone() || searching;
}

bool BeamTrainer::step_in_beam() {
  if (!search_.expand(scorer_)) return false;
  const Search::Candidate best = find_right();
  search_.prune();
  std::vector<std::uint8_t> next;
  for (const Search::Candidate& candidate : search_.candidates()) {
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

BeamTrainer::Search::Candidate BeamTrainer::find_right() {
  Search::Candidate best{0, kNoNode, kNoNode};
  right_.resize(search_.items().size());
  for (std::size_t number = 0; number < search_.items().size(); ++number) {
    if (!right_items_[number]) continue;
    Search::Item& item = search_.items()[number];
    const auto parent = static_cast<std::int32_t>(number);
    if (item.finished) {
      if (best.parent == kNoNode || item.total > best.total) best = {item.total, parent, kNoNode};
      continue;
    }
    const std::span<const std::uint8_t> legal = search_.legal(number);
    if (teacher_.finished()) {
      right_[number].assign(legal.begin(), legal.end());
    } else {
      teacher_.ask(item.state.configuration, legal, right_[number]);
    }
    for (std::size_t transition = 0; transition < legal.size(); ++transition) {
      const std::int64_t total = item.total + search_.scores(number)[transition];
      if (right_[number][transition] && (best.parent == kNoNode || total > best.total)) {
        best = {total, parent, static_cast<std::int32_t>(transition)};
      }
    }
  }
  return best;
}

void BeamTrainer::leave_beam(const Search::Candidate& candidate) {
  alone_ = search_.items()[static_cast<std::size_t>(candidate.parent)];
  if (candidate.transition == kNoNode) return;
  const auto parent = static_cast<std::size_t>(candidate.parent);
  extend_alone(candidate.transition, search_.scores(parent)[static_cast<std::size_t>(candidate.transition)]);
}

bool BeamTrainer::step_alone() {
  legal_.resize(definition_->program->size());
  alone_.finished = alone_.finished || !find_legal(*definition_->program, alone_.state.configuration, legal_);
  if (alone_.finished) return false;
  scores_.resize(legal_.size());
  scorer_.score(alone_.state, legal_, scores_);
  right_.resize(std::max<std::size_t>(1, right_.size()));
  if (teacher_.finished()) {
    right_[0] = legal_;
  } else {
    teacher_.ask(alone_.state.configuration, legal_, right_[0]);
  }
  std::int32_t best = kNoNode;
  for (std::size_t transition = 0; transition < legal_.size(); ++transition) {
    if (right_[0][transition] && (best == kNoNode || scores_[transition] > scores_[static_cast<std::size_t>(best)])) {
      best = static_cast<std::int32_t>(transition);
    }
  }
  extend_alone(best, scores_[static_cast<std::size_t>(best)]);
  return true;
}

void BeamTrainer::extend_alone(std::int32_t transition, std::int32_t score) {
  const bool arc = (*definition_->program)[static_cast<std::size_t>(transition)].arcs > 0;
  const std::int32_t label = arc ? scorer_.label(alone_.state, transition) : kNoLabel;
  apply_transition(alone_.state, transition, label);
  alone_.step = search_.add_step({alone_.step, transition, label, score, 0, false});
  alone_.total += score;
}

void BeamTrainer::compare() {
  if (right_items_[0]) return;
  const std::int64_t ahead = search_.items()[0].total - right_sequence().total;
  if (ahead < 0 || (update_ == BeamUpdate::kMaxViolation && ahead < violation_)) return;
  violation_ = ahead;
  violating_ = search_.items()[0].step;
  violated_ = right_sequence().step;
}

const BeamTrainer::Search::Item& BeamTrainer::right_sequence() {
  if (!in_beam_) return alone_;
  const auto first = std::find(right_items_.begin(), right_items_.end(), 1);
  return search_.items()[static_cast<std::size_t>(first - right_items_.begin())];
}

void BeamTrainer::move_weights(std::int32_t words) {
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

void BeamTrainer::add_path(std::int32_t words, std::span<const Search::Step> path, std::size_t from,
                           std::int32_t amount) {
  start_state(*definition_, words, replayed_);
  for (std::size_t place = 0; place < path.size(); ++place) {
    if (place >= from) {
      transition_extractor_.extract(replayed_.view(), replayed_.arcs, words_, 0, hashes_);
      transitions_->add(hashes_, static_cast<std::size_t>(path[place].transition), amount);
    }
    apply_transition(replayed_, path[place].transition, path[place].label);
  }
}

void BeamTrainer::learn_labels(std::int32_t words, std::int32_t last) {
  search_.path(last, right_path_);
  start_state(*definition_, words, replayed_);
  for (const Search::Step& step : right_path_) {
    if ((*definition_->program)[static_cast<std::size_t>(step.transition)].arcs > 0) {
      const std::int32_t gold = teacher_.label(replayed_.configuration, step.transition);
      if (gold != kNoLabel) {
        label_extractor_.extract(replayed_.view(), replayed_.arcs, words_, label_salt(step.transition), hashes_);
        std::fill(label_scores_.begin(), label_scores_.end(), 0);
        labels_->score(hashes_, label_scores_);
        const auto guess = static_cast<std::int32_t>(std::max_element(label_scores_.begin(), label_scores_.end()) -
                                                     label_scores_.begin());
        labels_->tick();
        if (guess != gold) {
          ++mistakes_;
          labels_->update(hashes_, static_cast<std::size_t>(gold), static_cast<std::size_t>(guess));
        }
      }
    }
    apply_transition(replayed_, step.transition, step.label);
  }
}

}  // namespace crossarc
