#include "parsers/network_easy_first.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace crossarc {
namespace {

// Positions whose moves have smaller gradients than this are passed over.
constexpr float kSmall = 1e-3F;

// Looks at positions, with the hidden values multiplied by a mask.
class MaskedScorer {
 public:
  MaskedScorer(TransitionScorer& scorer, std::span<const float> mask) : scorer_(&scorer), mask_(mask) {}

  void score(const WordView& view, const ArcTable& arcs, std::span<float> scores) {
    scorer_->look(view, arcs);
    scorer_->mask(mask_);
    scorer_->score(scores);
  }

 private:
  TransitionScorer* scorer_;
  std::span<const float> mask_;
};

}  // namespace

void parse_easy_first(std::int32_t words, TransitionScorer& scorer, EasyFirst<float>& search) {
  MaskedScorer whole(scorer, {});
  search.start(words);
  while (!search.pending().finished()) {
    search.rescore(whole);
    const Move move = search.best();
    search.apply(move, search.pending().is_arc(move) ? 0 : kNoLabel);
  }
}

std::int64_t EasyFirstLesson::learn(std::int32_t words, std::span<const GoldArc> gold, std::span<const float> mask,
                                    unsigned explore, Random& random) {
  MaskedScorer masked(*scorer_, mask);
  const PendingWords& pending = search_.pending();
  std::int64_t mistakes = 0;
  search_.start(words);
  teacher_.start(pending.state().configuration.nodes(), gold);
  while (!pending.finished()) {
    search_.rescore(masked);
    const std::int32_t least = teacher_.least_loss(pending);
    if (pending.positions() > 1) learn_moves(least, mask);
    Move taken = search_.best();
    if (teacher_.loss(pending, taken) > least) {
      ++mistakes;
      if (random.bits() % 100 >= explore) {
        taken = search_.best([&](const Move& move) { return teacher_.loss(pending, move) == least; });
      }
    }
    teacher_.advance(pending, taken);
    search_.apply(taken, pending.is_arc(taken) ? 0 : kNoLabel);
  }
  return mistakes;
}

void EasyFirstLesson::learn_moves(std::int32_t least, std::span<const float> mask) {
  const PendingWords& pending = search_.pending();
  const float largest = search_.score(search_.best());
  const auto weight = [&](const Move& move) { return std::exp(search_.score(move) - largest); };
  const auto is_right = [&](const Move& move) { return teacher_.loss(pending, move) == least; };
  float all = 0.0F;
  float right = std::numeric_limits<float>::min();
  pending.visit_moves([&](const Move& move) {
    all += weight(move);
    right += is_right(move) ? weight(move) : 0.0F;
  });
  std::int32_t position = 0;
  std::fill(score_gradients_.begin(), score_gradients_.end(), 0.0F);
  pending.visit_moves([&](const Move& move) {
    if (move.position != position) learn_position(position, mask);
    position = move.position;
    score_gradients_[static_cast<std::size_t>(move.transition)] =
        weight(move) / all - (is_right(move) ? weight(move) / right : 0.0F);
  });
  learn_position(position, mask);
}

void EasyFirstLesson::learn_position(std::int32_t position, std::span<const float> mask) {
  const auto matters = [](float gradient) { return std::abs(gradient) >= kSmall; };
  if (std::any_of(score_gradients_.begin(), score_gradients_.end(), matters)) {
    const PendingWords& pending = search_.pending();
    MaskedScorer(*scorer_, mask).score(pending.view(position), pending.state().arcs, scores_);
    scorer_->learn(score_gradients_, mask, reading_->projected_gradient(), *gradients_);
  }
  std::fill(score_gradients_.begin(), score_gradients_.end(), 0.0F);
}

}  // namespace crossarc
