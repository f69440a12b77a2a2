#include "parsers/graph_learner.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "nn/activation.hpp"

namespace crossarc {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

}  // namespace

// What the heads learn from a part of a batch.
class GraphLearner::Part : public TrainingPart {
 public:
  Part(const Network& network, const GraphTraining& training, const GoldTrees& gold)
      : TrainingPart(network, training.dropout, true),
        training_(&training),
        gold_(&gold),
        tag_head_(network.find<TagHead>()),
        heads_(network.head<BiaffineHead>(BiaffineHead::kArcs)),
        tags_(tag_head_ == nullptr ? nullptr : tag_head_->reading()) {
    if (const auto* crossed = network.find<BiaffineHead>(BiaffineHead::kCrossed)) crossed_.emplace(*crossed);
  }

 protected:
  void learn_heads(const SentenceTable& table, const Matrix& encoded, Matrix& encoded_gradient) override {
    heads_.read_to_learn(encoded, batch_, hidden_dropout_, random_);
    if (crossed_) crossed_->read_to_learn(encoded, batch_, hidden_dropout_, random_);
    to_label_.clear();
    for (std::size_t sentence = 0; sentence < batch_.size(); ++sentence) {
      const std::size_t first = table.first_word(static_cast<std::size_t>(batch_.sentences[sentence]));
      const std::size_t words = batch_.words(sentence) - 1;
      const auto marks = crossed_ ? gold_->crossed.subspan(first, words) : gold_->crossed;
      learn_arcs(sentence, gold_->heads.subspan(first, words), marks);
      ask_for_labels(sentence, gold_->heads.subspan(first, words), gold_->labels.subspan(first, words));
    }
    learn_labels();
    heads_.backward(encoded, batch_, gradients_, encoded_gradient);
    if (crossed_) crossed_->backward(encoded, batch_, gradients_, encoded_gradient);
    if (tags_ != nullptr) learn_tags(table, encoded, encoded_gradient);
  }

 private:
  // `marks`: whether gold arcs are crossed, where that is learnt.
  void learn_arcs(std::size_t sentence, std::span<const std::int32_t> gold, std::span<const std::int32_t> marks) {
    score(sentence, marks);
    count_mistakes(gold);
    bool both = crossed_.has_value();
    if (training_->objective == GraphObjective::kHeads) {
      expect_outcomes();
    } else {
      both = both && training_->trees.tree_class == TreeClass::kOneEndpointCrossing &&
             fits_chart(training_->trees, scores_.words, use_of_chart());
      expect_trees(gold, both);
    }
    std::fill_n(scores_.row(0), scores_.width(), 0.0F);
    if (crossed_) std::fill_n(crossed_scores_.row(0), scores_.width(), 0.0F);
    for (std::size_t word = 1; word < scores_.width(); ++word) {
      (both && marks[word - 1] > 0 ? crossed_scores_ : scores_).row(word)[gold[word - 1]] -= 1.0F;
    }
    if (crossed_) {
      // The score of a crossed arc is that of the arc and what crossing adds.
      add(scores_.values.data(), crossed_scores_.values.data(), scores_.values.size());
      crossed_->learn_arcs(batch_, sentence, crossed_scores_);
    }
    heads_.learn_arcs(batch_, sentence, scores_);
  }

  void score(std::size_t sentence, std::span<const std::int32_t> marks) {
    heads_.score_arcs(batch_, sentence, scores_);
    for (std::size_t word = 1; word < scores_.width(); ++word) scores_.row(word)[word] = kNever;
    if (!crossed_) return;
    crossed_->score_arcs(batch_, sentence, crossed_scores_);
    add(crossed_scores_.values.data(), scores_.values.data(), scores_.values.size());
    for (std::size_t word = 1; word < scores_.width(); ++word) {
      if (marks[word - 1] < 0) std::fill_n(crossed_scores_.row(word), scores_.width(), kNever);
    }
  }

  void count_mistakes(std::span<const std::int32_t> gold) {
    for (std::size_t word = 1; word < scores_.width(); ++word) {
      const float* row = scores_.row(word);
      const float* best = std::max_element(row, row + scores_.width());
      std::ptrdiff_t head = best - row;
      if (crossed_) {
        const float* crossed = crossed_scores_.row(word);
        const float* other = std::max_element(crossed, crossed + scores_.width());
        if (*other > *best) head = other - crossed;
      }
      mistakes_ += head != gold[word - 1];
    }
  }

  // Scores become the probabilities of what a word chooses among.
  void expect_outcomes() {
    const std::size_t width = scores_.width();
    outcomes_.resize((crossed_ ? 2 : 1) * width);
    for (std::size_t word = 1; word < width; ++word) {
      std::copy_n(scores_.row(word), width, outcomes_.data());
      if (crossed_) std::copy_n(crossed_scores_.row(word), width, outcomes_.data() + width);
      normalise(outcomes_, {});
      std::copy_n(outcomes_.data(), width, scores_.row(word));
      if (crossed_) std::copy_n(outcomes_.data() + width, width, crossed_scores_.row(word));
    }
  }

  ChartUse use_of_chart() const {
    return training_->objective == GraphObjective::kLikelihood ? ChartUse::kSums : ChartUse::kBest;
  }

  // Scores become the probabilities of arcs in trees, or with a margin those of the worst offender's.
  void expect_trees(std::span<const std::int32_t> gold, bool both) {
    const auto width = static_cast<std::ptrdiff_t>(scores_.width());
    incoming_.load(ScoreView<float>{scores_.values.data(), 1, width, scores_.words,
                                    both ? crossed_scores_.values.data() : nullptr});
    if (crossed_) std::fill(crossed_scores_.values.begin(), crossed_scores_.values.end(), 0.0F);
    if (training_->objective == GraphObjective::kLikelihood) {
      sum_trees(incoming_, training_->trees, &probabilities_);
      const auto square = static_cast<std::ptrdiff_t>(scores_.values.size());
      std::copy_n(probabilities_.begin(), square, scores_.values.begin());
      if (both) std::copy_n(probabilities_.begin() + square, square, crossed_scores_.values.begin());
      return;
    }
    for (std::int32_t word = 1; word <= scores_.words; ++word) {
      for (std::int32_t head = 0; head <= scores_.words; ++head) {
        if (head == gold[static_cast<std::size_t>(word) - 1]) continue;
        incoming_.row(word)[head] += 1.0;
        if (both) incoming_.crossed_row(word)[head] += 1.0;
      }
    }
    decoded_.resize(gold.size());
    decoder_.decode(incoming_, training_->trees, decoded_);
    std::fill(scores_.values.begin(), scores_.values.end(), 0.0F);
    for (std::size_t word = 1; word < scores_.width(); ++word) {
      const bool crossed = both && is_crossed(decoded_, static_cast<std::int32_t>(word), training_->trees.root_arcs);
      (crossed ? crossed_scores_ : scores_).row(word)[decoded_[word - 1]] = 1.0F;
    }
  }

  void ask_for_labels(std::size_t sentence, std::span<const std::int32_t> heads, std::span<const std::int32_t> labels) {
    const auto row = [&](std::size_t word) { return static_cast<std::int64_t>(batch_.row(sentence, word)); };
    for (std::size_t word = 0; word < heads.size(); ++word) {
      if (labels[word] < 0) continue;
      to_label_.push_back({row(static_cast<std::size_t>(heads[word])), row(word + 1), labels[word]});
    }
  }

  void learn_labels() {
    heads_.score_labels(to_label_);
    Matrix& gradients = heads_.label_gradients();
    for (std::size_t row = 0; row < to_label_.size(); ++row) {
      const std::span<float> scores(gradients.row(row), gradients.columns);
      normalise(scores, {});
      scores[static_cast<std::size_t>(to_label_[row].gold)] -= 1.0F;
    }
    heads_.learn_labels(to_label_, gradients_);
  }

  // The artificial root has none.
  void learn_tags(const SentenceTable& table, const Matrix& encoded, Matrix& encoded_gradient) {
    const std::size_t tags = tag_head_->targets();
    classes_.assign(batch_.rows() * tags, -1);
    for (std::size_t sentence = 0; sentence < batch_.size(); ++sentence) {
      const std::size_t first = table.first_word(static_cast<std::size_t>(batch_.sentences[sentence]));
      for (std::size_t word = 1; word < batch_.words(sentence); ++word) {
        const auto gold = gold_->tags.subspan((first + word - 1) * tags, tags);
        std::copy(gold.begin(), gold.end(), classes_.data() + batch_.row(sentence, word) * tags);
      }
    }
    tags_->read(encoded, true);
    tags_->learn(encoded, classes_, training_->tag_weight, gradients_, encoded_gradient);
  }

  const GraphTraining* training_;
  const GoldTrees* gold_;
  const TagHead* tag_head_;
  BiaffineReading heads_;
  std::unique_ptr<WordReading> tags_;
  std::vector<std::int32_t> classes_;  // of each row of the batch and tag
  std::optional<BiaffineReading> crossed_;
  ArcScores scores_, crossed_scores_;  // the second of arcs that are crossed
  std::vector<float> outcomes_;
  std::vector<ArcToLabel> to_label_;
  IncomingScores incoming_;
  TreeDecoder<float> decoder_;
  std::vector<double> probabilities_;
  std::vector<std::int32_t> decoded_;
};

GraphLearner::GraphLearner(std::shared_ptr<Network> network, GraphTraining training) : training_(std::move(training)) {
  network->head<BiaffineHead>(BiaffineHead::kArcs);
  steps_ = std::make_unique<Training>(network, training_.seed, part_rule(training_.words),
                                      [&] { return std::make_unique<Part>(*network, training_, gold_); });
}

GraphLearner::~GraphLearner() = default;

std::int64_t GraphLearner::learn(const SentenceTable& table, const GoldTrees& gold, std::span<const std::int32_t> order,
                                 float rate, int threads) {
  gold_ = gold;
  return steps_->steps(table, shuffled_batches(table, order, training_.words, steps_->order_seed()), rate, threads);
}

}  // namespace crossarc
