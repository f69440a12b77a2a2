#include "parsers/perceptron_easy_first.hpp"

#include <algorithm>

namespace crossarc {

void parse_easy_first(std::int32_t words, LinearScorer<LinearModel>& scorer, EasyFirst<std::int32_t>& search) {
  search.start(words);
  const PendingWords& pending = search.pending();
  while (!pending.finished()) {
    search.rescore(scorer);
    const Move move = search.best();
    const std::int32_t label = pending.is_arc(move)
                                   ? scorer.label(pending.view(move.position), pending.state().arcs, move.transition)
                                   : kNoLabel;
    search.apply(move, label);
  }
}

void EasyFirstTrainer::learn(std::int32_t words, const WordValues& values, std::span<const GoldArc> gold,
                             unsigned explore) {
  const PendingWords& pending = search_.pending();
  search_.start(words);
  scorer_.start(values);
  teacher_.start(pending.state().configuration.nodes(), gold);
  while (!pending.finished()) {
    search_.rescore(scorer_);
    const std::int32_t least = teacher_.least_loss(pending);
    const Move guess = search_.best();
    Move taken = guess;
    transitions_->tick();
    if (teacher_.loss(pending, guess) > least) {
      ++mistakes_;
      const Move right = search_.best([&](const Move& move) { return teacher_.loss(pending, move) == least; });
      update(right, 1, values);
      update(guess, -1, values);
      scorer_.start(values);
      search_.forget_scores();
      if (random_->bits() % 100 >= explore) taken = right;
    }
    const std::int32_t label = pending.is_arc(taken) ? learn_label(taken, values) : kNoLabel;
    teacher_.advance(pending, taken);
    search_.apply(taken, label);
  }
}

void EasyFirstTrainer::update(const Move& move, std::int32_t amount, const WordValues& values) {
  const PendingWords& pending = search_.pending();
  extractor_.extract(pending.view(move.position), pending.state().arcs, values, 0, hashes_);
  transitions_->add(hashes_, static_cast<std::size_t>(move.transition), amount);
}

std::int32_t EasyFirstTrainer::learn_label(const Move& move, const WordValues& values) {
  const PendingWords& pending = search_.pending();
  label_extractor_.extract(pending.view(move.position), pending.state().arcs, values, label_salt(move.transition),
                           hashes_);
  std::fill(label_scores_.begin(), label_scores_.end(), 0);
  labels_->score(hashes_, label_scores_);
  const auto guess =
      static_cast<std::int32_t>(std::max_element(label_scores_.begin(), label_scores_.end()) - label_scores_.begin());
  const std::int32_t gold = teacher_.label(pending, move);
  labels_->tick();
  if (gold == kNoLabel || gold == guess) return guess;
  labels_->update(hashes_, static_cast<std::size_t>(gold), static_cast<std::size_t>(guess));
  return gold;
}

}  // namespace crossarc
