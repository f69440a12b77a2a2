#include "parsers/transition_learner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "search/easy_first.hpp"
#include "search/greedy.hpp"

namespace crossarc {
namespace {

// Scores transitions with some hidden values left out, and adds to gradients what is wrong with the scores.
class GradientScorer {
 public:
  using Score = float;
  static constexpr bool kLearnsLabels = false;

  GradientScorer(const TransitionHead& head, const ParserDefinition& definition, float dropped, Random& random,
                 Matrix& projected_gradient, Gradients& gradients)
      : scorer_(head, definition),
        dropped_(dropped),
        random_(&random),
        projected_gradient_(&projected_gradient),
        gradients_(&gradients),
        mask_(head.sizes.hidden_size),
        scores_(definition.program->size()),
        score_gradients_(definition.program->size()) {}

  // Once a batch.
  void clear_gradients() { scorer_.scores().clear(*gradients_); }
  void start(const Matrix& projected, const Batch& batch, std::size_t sentence) {
    scorer_.start(projected, batch, sentence);
  }
  // By what hidden values are multiplied.
  void draw_mask() { fill_mask(mask_.data(), mask_.size(), dropped_, random_->bits()); }

  // Greedy: every state has a mask of its own.
  void score(const ParseState& state, std::span<const std::uint8_t> /* legal */, std::span<Score> scores) {
    draw_mask();
    score(state.view(), state.arcs, scores);
  }
  // Easy-first: all moves of a sentence have the same mask.
  void score(const WordView& view, const ArcTable& arcs, std::span<Score> scores) {
    scorer_.look(view, arcs);
    scorer_.scores().mask(mask_);
    scorer_.scores().score(scores);
  }
  std::int32_t label(const ParseState& state, std::int32_t transition) { return scorer_.label(state, transition); }
  std::int32_t label(const WordView& view, const ArcTable& arcs, std::int32_t transition) {
    return scorer_.label(view, arcs, transition);
  }

  void tick() {}

  void learn(std::span<Score> scores, std::span<const std::uint8_t> legal, std::span<const std::uint8_t> right,
             std::int32_t /* best_right */, std::int32_t /* guess */) {
    normalise(scores, legal);
    float right_share = 0.0F;
    for (std::size_t index = 0; index < scores.size(); ++index) right_share += right[index] ? scores[index] : 0.0F;
    right_share = std::max(right_share, 1e-20F);
    for (std::size_t index = 0; index < scores.size(); ++index) {
      score_gradients_[index] = scores[index] - (right[index] ? scores[index] / right_share : 0.0F);
    }
    scorer_.scores().learn(score_gradients_, mask_, *projected_gradient_, *gradients_);
  }

  // Easy-first: all moves at all words at once. O(pending words), and as much as scoring for every word whose moves
  // are not all but certain or impossible.
  template <typename IsRight>
  void learn(const EasyFirstSearch<Score>& search, IsRight&& is_right, const Move& /* right */, const Move& guess) {
    const PendingWords& pending = search.pending();
    if (pending.positions() == 1) return;
    const float largest = search.score(guess);
    const auto weight = [&](const Move& move) { return std::exp(search.score(move) - largest); };
    float all = 0.0F;
    float right = std::numeric_limits<float>::min();
    pending.visit_moves([&](const Move& move, std::int32_t) {
      all += weight(move);
      right += is_right(move) ? weight(move) : 0.0F;
    });
    std::int32_t word = pending.first();
    std::fill(score_gradients_.begin(), score_gradients_.end(), 0.0F);
    pending.visit_moves([&](const Move& move, std::int32_t) {
      if (move.word != word) learn_moves_at(pending, word);
      word = move.word;
      score_gradients_[static_cast<std::size_t>(move.transition)] =
          weight(move) / all - (is_right(move) ? weight(move) / right : 0.0F);
    });
    learn_moves_at(pending, word);
  }

 private:
  static constexpr float kSmall = 1e-3F;  // words whose moves have smaller gradients are passed over

  void learn_moves_at(const PendingWords& pending, std::int32_t word) {
    const auto matters = [](float gradient) { return std::abs(gradient) >= kSmall; };
    if (std::any_of(score_gradients_.begin(), score_gradients_.end(), matters)) {
      score(pending.view(word), pending.arcs(), scores_);
      scorer_.scores().learn(score_gradients_, mask_, *projected_gradient_, *gradients_);
    }
    std::fill(score_gradients_.begin(), score_gradients_.end(), 0.0F);
  }

  TransitionScorer scorer_;
  float dropped_;
  Random* random_;
  Matrix* projected_gradient_;
  Gradients* gradients_;
  std::vector<float> mask_, scores_, score_gradients_;
};

}  // namespace

// What the heads learn from a part of a batch.
class TransitionLearner::Part : public TrainingPart {
 public:
  Part(const Network& network, const ParserDefinition& definition, const TransitionTraining& training,
       const Lesson& lesson)
      : TrainingPart(network, training.dropout, false),
        definition_(&definition),
        lesson_(&lesson),
        oracle_(*definition.program, training.oracle),
        projected_(network.head<TransitionHead>()),
        scorer_(network.head<TransitionHead>(), definition, hidden_dropout_, random_, projected_.gradient(),
                gradients_),
        labels_(network.head<TransitionHead>()),
        greedy_(definition) {
    if (definition.program->positional()) easy_first_.emplace(definition);
  }

 protected:
  void learn_heads(const SentenceTable& /* table */, const Matrix& encoded, Matrix& encoded_gradient) override {
    projected_.project(encoded);
    projected_.clear_gradient();
    scorer_.clear_gradients();
    to_label_.clear();
    for (std::size_t sentence = 0; sentence < batch_.size(); ++sentence) learn_sentence(sentence);
    labels_.learn(projected_.values(), to_label_, hidden_dropout_, random_, projected_.gradient(), gradients_);
    projected_.backward(encoded, gradients_, encoded_gradient);
  }

 private:
  void learn_sentence(std::size_t sentence) {
    const std::int32_t words = batch_.lengths[sentence];
    lesson_->gold->load(static_cast<std::size_t>(batch_.sentences[sentence]), words, definition_->root, arcs_);
    ask_for_labels(sentence, words);
    scorer_.start(projected_.values(), batch_, sentence);
    if (easy_first_) {
      scorer_.draw_mask();
      mistakes_ += easy_first_->learn(words, scorer_, easy_first_oracle_, arcs_, lesson_->explore, random_);
    } else {
      mistakes_ += greedy_.learn(words, scorer_, oracle_, arcs_, lesson_->explore, random_);
    }
  }

  void ask_for_labels(std::size_t sentence, std::int32_t words) {
    const std::int32_t nodes = words + (definition_->root == Root::kNone ? 0 : 1);
    for (const GoldArc& arc : arcs_) {
      if (arc.label < 0) continue;
      const LabelledArc between = word_arc(*definition_->program, nodes, definition_->root, arc);
      to_label_.push_back(arc_to_label(batch_, sentence, between));
    }
  }

  const ParserDefinition* definition_;
  const Lesson* lesson_;
  TrainingOracle oracle_;
  EasyFirstOracle easy_first_oracle_;
  ProjectedWords projected_;
  GradientScorer scorer_;
  LabelScores labels_;
  GreedySearch<float> greedy_;
  std::optional<EasyFirstSearch<float>> easy_first_;
  std::vector<GoldArc> arcs_;
  std::vector<ArcToLabel> to_label_;
};

TransitionLearner::TransitionLearner(ParserDefinition definition, std::shared_ptr<Network> network,
                                     TransitionTraining training)
    : definition_(std::move(definition)), training_(std::move(training)) {
  fitting_head(*network, definition_);
  steps_ = std::make_unique<Training>(network, training_.seed, part_rule(training_.words), [&] {
    return std::make_unique<Part>(*network, definition_, training_, lesson_);
  });
}

TransitionLearner::~TransitionLearner() = default;

std::int64_t TransitionLearner::learn(const SentenceTable& table, const GoldTable& gold,
                                      std::span<const std::int32_t> order, unsigned explore, float rate, int threads) {
  lesson_ = {&gold, explore};
  const std::vector<std::vector<std::int32_t>> batches =
      training_.words > 0 ? shuffled_batches(table, order, training_.words, steps_->order_seed())
                          : batches_in_order(table, order, training_.sentences);
  return steps_->steps(table, batches, rate, threads);
}

}  // namespace crossarc
