#include "parsers/graph_learner.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "nn/heads.hpp"

namespace crossarc {

// Learns from a part of a batch; what it found waits in its gradients.
class GraphLearner::PartGradient {
 public:
  PartGradient(const GraphNetwork& network, const GraphTraining& training)
      : network_(&network), training_(&training), gradients_(network) {}

  void learn(const SentenceTable& table, const GoldTrees& gold, std::span<const std::int32_t> sentences,
             std::uint64_t seed) {
    random_ = Random(seed);
    mistakes_ = 0;
    batch_.gather(table, sentences, true);
    batch_.drop_any_words(training_->lexical_columns, training_->encoder.words, random_);
    batch_.drop_columns(training_->columns, random_);
    reading_.read_to_learn(network_->encoder, batch_, training_->encoder, random_, table.forms);
    heads_.read_to_learn(network_->heads, network_->packed_heads, reading_.encoded(), batch_, training_->hidden,
                         random_);
    heads_.clear_gradients();
    arcs_.clear();
    for (std::size_t place = 0; place < batch_.sentences.size(); ++place) {
      const std::size_t first = table.first_word(static_cast<std::size_t>(batch_.sentences[place]));
      const auto words = static_cast<std::size_t>(batch_.lengths[place]) - 1;
      learn_arcs(place, gold.heads.subspan(first, words));
      ask_for_labels(place, gold.heads.subspan(first, words), gold.labels.subspan(first, words));
    }
    learn_labels();
    heads_.backward(network_->packed_heads, reading_.encoded(), batch_, gradients_.heads, reading_.encoded_gradient());
    if (network_->tags.shape.tags() > 0) learn_tags(table, gold.tags);
    reading_.backward(network_->encoder, batch_, gradients_.encoder);
  }

  std::size_t words() const { return batch_.order.rows() - batch_.sentences.size(); }
  std::int64_t mistakes() const { return mistakes_; }
  GraphGradients& gradients() { return gradients_; }
  void add_embedding_gradients(std::size_t column, RowGradients& to) const {
    reading_.add_embedding_gradients(network_->encoder.shape, batch_, column, to);
  }

 private:
  void learn_arcs(std::size_t place, std::span<const std::int32_t> gold) {
    heads_.score_arcs(batch_, place, scores_);
    count_mistakes(gold);
    if (training_->objective == GraphObjective::kHeads) {
      for (std::size_t word = 1; word < scores_.width(); ++word) {
        const std::span<float> row(scores_.row(word), scores_.width());
        row[word] = -std::numeric_limits<float>::infinity();
        normalise(row, {});
      }
    } else {
      expect_trees(gold);
    }
    std::fill_n(scores_.row(0), scores_.width(), 0.0F);
    for (std::size_t word = 1; word < scores_.width(); ++word) {
      scores_.row(word)[gold[word - 1]] -= 1.0F;
    }
    heads_.learn_arcs(batch_, place, scores_);
  }

  void count_mistakes(std::span<const std::int32_t> gold) {
    for (std::size_t word = 1; word < scores_.width(); ++word) {
      float* row = scores_.row(word);
      row[word] = -std::numeric_limits<float>::infinity();
      mistakes_ += std::max_element(row, row + scores_.width()) - row != gold[word - 1];
    }
  }

  // Scores become the probabilities of arcs in trees, or with a margin those of the worst offender's.
  void expect_trees(std::span<const std::int32_t> gold) {
    const auto width = static_cast<std::ptrdiff_t>(scores_.width());
    incoming_.load(ScoreView<float>{scores_.values.data(), 1, width, scores_.words});
    const bool sums = training_->objective == GraphObjective::kLikelihood;
    DecodeOptions options = training_->trees;
    if (options.tree_class == TreeClass::kOneEndpointCrossing &&
        scores_.words > (sums ? kMostSummedWords : kMostChartWords)) {
      options.tree_class = TreeClass::kSpanningTree;  // too long for the chart of the class: among all trees
    }
    if (sums) {
      sum_trees(incoming_, options, &probabilities_);
      std::copy(probabilities_.begin(), probabilities_.end(), scores_.values.begin());
      return;
    }
    for (std::int32_t word = 1; word <= scores_.words; ++word) {
      for (std::int32_t head = 0; head <= scores_.words; ++head) {
        if (head != gold[static_cast<std::size_t>(word) - 1]) incoming_.row(word)[head] += 1.0;
      }
    }
    found_.resize(gold.size());
    decoder_.decode(incoming_, options, found_);
    std::fill(scores_.values.begin(), scores_.values.end(), 0.0F);
    for (std::size_t word = 1; word < scores_.width(); ++word) scores_.row(word)[found_[word - 1]] = 1.0F;
  }

  void ask_for_labels(std::size_t place, std::span<const std::int32_t> heads, std::span<const std::int32_t> labels) {
    for (std::size_t word = 0; word < heads.size(); ++word) {
      if (labels[word] < 0) continue;
      arcs_.push_back({batch_.order.row(place, static_cast<std::size_t>(heads[word])),
                       batch_.order.row(place, word + 1), labels[word]});
    }
  }

  void learn_labels() {
    heads_.score_labels(network_->heads, network_->packed_heads, arcs_);
    Matrix& gradients = heads_.label_gradients();
    for (std::size_t row = 0; row < arcs_.size(); ++row) {
      const std::span<float> own(gradients.row(row), gradients.columns);
      normalise(own, {});
      own[static_cast<std::size_t>(arcs_[row].gold)] -= 1.0F;
    }
    heads_.learn_labels(network_->packed_heads, arcs_, gradients_.heads);
  }

  // The artificial root has none. Adds to the gradient of what was encoded.
  void learn_tags(const SentenceTable& table, std::span<const std::int32_t> gold) {
    const std::size_t tags = network_->tags.shape.tags();
    classes_.assign(batch_.order.rows() * tags, -1);
    for (std::size_t place = 0; place < batch_.sentences.size(); ++place) {
      const std::size_t first = table.first_word(static_cast<std::size_t>(batch_.sentences[place]));
      for (std::size_t word = 1; word < static_cast<std::size_t>(batch_.lengths[place]); ++word) {
        const auto own = gold.subspan((first + word - 1) * tags, tags);
        std::copy(own.begin(), own.end(), classes_.data() + batch_.order.row(place, word) * tags);
      }
    }
    tags_.read(network_->tags, network_->packed_tags, reading_.encoded());
    tags_.learn(network_->packed_tags, reading_.encoded(), classes_, gradients_.tags, reading_.encoded_gradient(),
                training_->tag_weight);
  }

  const GraphNetwork* network_;
  const GraphTraining* training_;
  Random random_{0};
  GraphGradients gradients_;
  SentenceBatch batch_;
  SentenceReading reading_;
  BiaffineReading heads_;
  TagReading tags_;
  std::vector<std::int32_t> classes_;  // of each row of the batch and tag
  ArcScores scores_;
  std::vector<ArcLabel> arcs_;
  IncomingScores incoming_;
  TreeDecoder<float> decoder_;
  std::vector<double> probabilities_;
  std::vector<std::int32_t> found_;
  std::int64_t mistakes_ = 0;
};

GraphLearner::GraphLearner(const GraphShape& shape, GraphTraining training)
    : training_(std::move(training)), network_(shape) {
  network_.initialise(training_.seed);
  steps_ = std::make_unique<Steps>(
      network_, [this] { return std::make_unique<PartGradient>(network_, training_); }, few_parts(training_.words));
}

GraphLearner::~GraphLearner() = default;

std::int64_t GraphLearner::learn(const SentenceTable& table, const GoldTrees& gold, std::span<const std::int32_t> order,
                                 float rate, int threads) {
  std::int64_t mistakes = 0;
  for (const std::vector<std::int32_t>& batch :
       shuffled_batches(table, order, training_.words, training_.seed + steps_->steps())) {
    mistakes += steps_->step(table, batch, training_.seed, rate, threads,
                             [&](PartGradient& part, std::span<const std::int32_t> sentences, std::uint64_t seed) {
                               part.learn(table, gold, sentences, seed);
                             });
  }
  return mistakes;
}

TrainingMemory GraphLearner::remember() const { return steps_->remember(); }

void GraphLearner::restore(const TrainingMemory& memory) { steps_->restore(memory); }

}  // namespace crossarc
