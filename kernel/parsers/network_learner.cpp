#include "parsers/network_learner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "parsers/batch_training.hpp"
#include "search/easy_first.hpp"
#include "search/greedy.hpp"

namespace crossarc {
namespace {

// Scores transitions with some hidden values left out, and adds to gradients what is wrong with the scores.
class GradientScorer {
 public:
  using Score = float;
  static constexpr bool kLearnsLabels = false;

  GradientScorer(const Network& network, const ParserDefinition& definition, float dropped, Random& random,
                 Matrix& projected_gradient, TransitionHeadWeights& gradients)
      : scorer_(network, definition),
        dropped_(dropped),
        random_(&random),
        projected_gradient_(&projected_gradient),
        gradients_(&gradients),
        mask_(network.transitions.shape.hidden),
        scores_(definition.program->size()),
        score_gradients_(definition.program->size()) {}

  void start(const Matrix& projected, const WordOrder& order, std::size_t sentence) {
    scorer_.start(projected, order, sentence);
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
    scorer_.head().mask(mask_);
    scorer_.head().score(scores);
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
    for (std::size_t place = 0; place < scores.size(); ++place) right_share += right[place] ? scores[place] : 0.0F;
    right_share = std::max(right_share, 1e-20F);
    for (std::size_t place = 0; place < scores.size(); ++place) {
      score_gradients_[place] = scores[place] - (right[place] ? scores[place] / right_share : 0.0F);
    }
    scorer_.head().learn(score_gradients_, mask_, *projected_gradient_, *gradients_);
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
      scorer_.head().learn(score_gradients_, mask_, *projected_gradient_, *gradients_);
    }
    std::fill(score_gradients_.begin(), score_gradients_.end(), 0.0F);
  }

  TransitionScorer scorer_;
  float dropped_;
  Random* random_;
  Matrix* projected_gradient_;
  TransitionHeadWeights* gradients_;
  std::vector<float> mask_, scores_, score_gradients_;
};

}  // namespace

// Learns from a part of a batch; what it found waits in its gradients.
class NetworkLearner::PartGradient {
 public:
  PartGradient(const Network& network, const ParserDefinition& definition, const NetworkTraining& training)
      : network_(&network),
        training_(&training),
        definition_(&definition),
        oracle_(*definition.program, training.oracle),
        gradients_(network),
        scorer_(network, definition, training.hidden, random_, projected_.gradient(), gradients_.transitions),
        label_head_(network.labels),
        greedy_(definition) {
    if (definition.program->positional()) easy_first_.emplace(definition);
  }

  PartGradient(const PartGradient&) = delete;

  void learn(const SentenceTable& table, const GoldTable& gold, std::span<const std::int32_t> sentences,
             unsigned explore, std::uint64_t seed) {
    random_ = Random(seed);
    gradients_.clear();
    batch_.gather(table, sentences);
    if (network_->encoder.shape.characters.outputs > 0) {
      // Characters stand in for the words that are left out, frequent ones too.
      batch_.drop_any_words(training_->counts.size(), training_->encoder.words, random_);
    } else {
      batch_.drop_rare_words(training_->counts, training_->encoder.words, random_);
    }
    batch_.drop_columns(training_->columns, random_);
    reading_.read_to_learn(network_->encoder, batch_, training_->encoder, random_, table.forms);
    projected_.project(network_->projection, reading_.encoded());
    projected_.clear_gradient();
    questions_.clear();
    mistakes_ = 0;
    for (std::size_t place = 0; place < batch_.sentences.size(); ++place) learn_sentence(gold, place, explore);
    label_head_.learn(projected_.values(), questions_, training_->hidden, random_, projected_.gradient(),
                      gradients_.labels);
    projected_.backward(network_->projection, reading_.encoded(), gradients_.projection, reading_.encoded_gradient());
    reading_.backward(network_->encoder, batch_, gradients_.encoder);
  }

  NetworkGradients& gradients() { return gradients_; }
  std::size_t words() const { return batch_.order.rows(); }
  std::int64_t mistakes() const { return mistakes_; }
  void add_embedding_gradients(std::size_t column, RowGradients& to) const {
    reading_.add_embedding_gradients(network_->encoder.shape, batch_, column, to);
  }

 private:
  void learn_sentence(const GoldTable& gold, std::size_t place, unsigned explore) {
    const std::int32_t words = batch_.lengths[place];
    gold.load(static_cast<std::size_t>(batch_.sentences[place]), words, definition_->root, arcs_);
    ask_for_labels(place, words);
    scorer_.start(projected_.values(), batch_.order, place);
    if (easy_first_) {
      scorer_.draw_mask();
      mistakes_ += easy_first_->learn(words, scorer_, easy_first_oracle_, arcs_, explore, random_);
    } else {
      mistakes_ += greedy_.learn(words, scorer_, oracle_, arcs_, explore, random_);
    }
  }

  void ask_for_labels(std::size_t place, std::int32_t words) {
    const std::int32_t nodes = words + (definition_->root == Root::kNone ? 0 : 1);
    for (const GoldArc& arc : arcs_) {
      if (arc.label < 0) continue;
      const LabelledArc between = word_arc(*definition_->program, nodes, definition_->root, arc);
      questions_.push_back(label_question(batch_.order, place, between));
    }
  }

  const Network* network_;
  const NetworkTraining* training_;
  const ParserDefinition* definition_;
  Random random_{0};
  TrainingOracle oracle_;
  EasyFirstOracle easy_first_oracle_;
  NetworkGradients gradients_;
  SentenceBatch batch_;
  SentenceReading reading_;
  ProjectedWords projected_;
  GradientScorer scorer_;
  LabelHead label_head_;
  GreedySearch<float> greedy_;
  std::optional<EasyFirstSearch<float>> easy_first_;
  std::vector<GoldArc> arcs_;
  std::vector<LabelQuestion> questions_;
  std::int64_t mistakes_ = 0;
};

NetworkLearner::NetworkLearner(ParserDefinition definition, const NetworkSizes& sizes, NetworkTraining training)
    : definition_(std::move(definition)), training_(std::move(training)), network_(definition_, sizes) {
  network_.initialise(training_.seed);
  steps_ = std::make_unique<Steps>(
      network_, [this] { return std::make_unique<PartGradient>(network_, definition_, training_); },
      training_.words > 0 ? kManyParts : few_parts());
}

NetworkLearner::~NetworkLearner() = default;

std::int64_t NetworkLearner::learn(const SentenceTable& table, const GoldTable& gold,
                                   std::span<const std::int32_t> order, unsigned explore, float rate, int threads) {
  const std::vector<std::vector<std::int32_t>> batches =
      training_.words > 0 ? shuffled_batches(table, order, training_.words, training_.seed + steps_->steps())
                          : batches_in_order(table, order, training_.sentences);
  std::int64_t mistakes = 0;
  for (const std::vector<std::int32_t>& batch : batches) {
    mistakes += steps_->step(table, batch, training_.seed, rate, threads,
                             [&](PartGradient& part, std::span<const std::int32_t> sentences, std::uint64_t seed) {
                               part.learn(table, gold, sentences, explore, seed);
                             });
  }
  return mistakes;
}

TrainingMemory NetworkLearner::remember() const { return steps_->remember(); }

void NetworkLearner::restore(const TrainingMemory& memory) { steps_->restore(memory); }

}  // namespace crossarc
