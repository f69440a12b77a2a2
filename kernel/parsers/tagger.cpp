#include "parsers/tagger.hpp"

#include <algorithm>

#include "core/threads.hpp"
#include "nn/optimiser.hpp"

namespace crossarc {

void TaggerNetwork::initialise(std::uint64_t seed) {
  Random random(seed);
  encoder.weights.initialise(random, EncoderWeights::kNarrowRange);
  tags.initialise(random);
}

std::vector<Matrix*> TaggerNetwork::weights() {
  std::vector<Matrix*> all;
  encoder.weights.list(all);
  tags.list(all);
  return all;
}

std::vector<const Matrix*> TaggerNetwork::weights() const {
  const std::vector<Matrix*> all = const_cast<TaggerNetwork*>(this)->weights();
  return {all.begin(), all.end()};
}

void TaggerNetwork::pack(bool to_learn) {
  encoder.pack(to_learn);
  packed_tags.pack(tags, 0, to_learn);
}

void TaggerNetwork::pack(std::size_t number, bool to_learn) {
  const std::size_t of_encoder = encoder.weights.count();
  if (number < of_encoder) {
    encoder.pack(number, to_learn);
  } else {
    packed_tags.pack(tags, number - of_encoder, to_learn);
  }
}

std::vector<Matrix*> TaggerGradients::all() {
  std::vector<Matrix*> matrices;
  encoder.list(matrices);
  tags.list(matrices);
  return matrices;
}

namespace {

// The network of a model file, unless it would need other weights than the file has.
TaggerNetwork fitting_network(const TaggerShape& shape, const ValueLists& weights) {
  check_weights(weights, shape.weight_count());
  return TaggerNetwork(shape);
}

}  // namespace

TaggerModel::TaggerModel(const TaggerShape& shape, const ValueLists& weights, bool bytes)
    : network_(fitting_network(shape, weights)) {
  set_values(network_.weights(), weights);
  network_.pack(false);
  for (std::size_t lstm = 0; bytes && lstm < network_.encoder.packed.size(); ++lstm) {
    network_.encoder.packed[lstm].recurrent_bytes.pack(network_.encoder.weights.lstms[lstm].recurrent);
  }
}

std::vector<float> TaggerModel::probabilities(const SentenceTable& table, int threads) const {
  constexpr std::size_t kSequences = 64;
  constexpr std::int32_t kRows = 1 << 14;
  const std::size_t columns = network_.tags.shape.columns();
  std::vector<float> all(static_cast<std::size_t>(table.offsets.back()) * columns);
  const std::vector<std::vector<std::int32_t>> batches =
      batches_of(table, shared_sentences(table, threads, kSequences), kRows);
  const Encoder& encoder = network_.encoder;
  const Matrix forms = read_forms(encoder.weights.characters, encoder.packed_characters, table.forms, threads);
  const SharedWords shared(encoder, table, &forms, threads);
  parallel_for(batches.size(), thread_count(threads), [&](std::size_t number) {
    SentenceBatch batch;
    SentenceReading reading;
    TagReading tags;
    batch.gather(table, batches[number]);
    if (batch.sentences.empty()) return;
    reading.read(encoder, batch, &forms, &shared);
    tags.read(network_.tags, network_.packed_tags, reading.encoded());
    for (std::size_t place = 0; place < batch.sentences.size(); ++place) {
      const std::size_t first = table.first_word(static_cast<std::size_t>(batch.sentences[place]));
      for (std::size_t word = 0; word < static_cast<std::size_t>(batch.lengths[place]); ++word) {
        const float* own = tags.probabilities().row(batch.order.row(place, word));
        std::copy_n(own, columns, all.data() + (first + word) * columns);
      }
    }
  });
  return all;
}

// Learns from a part of a batch; what it found waits in its gradients.
class TaggerLearner::PartGradient {
 public:
  PartGradient(const TaggerNetwork& network, const TaggerTraining& training)
      : network_(&network), training_(&training), gradients_(network) {}

  void learn(const SentenceTable& table, std::span<const std::int32_t> gold, std::span<const std::int32_t> sequences,
             std::uint64_t seed) {
    Random random(seed);
    const std::size_t tags = network_->tags.shape.tags();
    batch_.gather(table, sequences);
    own_gold_.resize(batch_.order.rows() * tags);
    for (std::size_t place = 0; place < batch_.sentences.size(); ++place) {
      const std::size_t first = table.first_word(static_cast<std::size_t>(batch_.sentences[place]));
      for (std::size_t word = 0; word < static_cast<std::size_t>(batch_.lengths[place]); ++word) {
        const auto from = gold.subspan((first + word) * tags, tags);
        std::copy(from.begin(), from.end(), own_gold_.data() + batch_.order.row(place, word) * tags);
      }
    }
    batch_.drop_any_words(training_->lexical_columns, training_->encoder.words, random);
    reading_.read_to_learn(network_->encoder, batch_, training_->encoder, random, table.forms);
    tags_.read(network_->tags, network_->packed_tags, reading_.encoded());
    Matrix& encoded_gradient = reading_.encoded_gradient();
    std::fill_n(encoded_gradient.values.begin(), encoded_gradient.rows * encoded_gradient.columns, 0.0F);
    mistakes_ = tags_.learn(network_->packed_tags, reading_.encoded(), own_gold_, gradients_.tags, encoded_gradient);
    reading_.backward(network_->encoder, batch_, gradients_.encoder);
  }

  std::size_t words() const { return batch_.order.rows(); }
  std::int64_t mistakes() const { return mistakes_; }
  TaggerGradients& gradients() { return gradients_; }
  void add_embedding_gradients(std::size_t column, RowGradients& to) const {
    reading_.add_embedding_gradients(network_->encoder.shape, batch_, column, to);
  }

 private:
  const TaggerNetwork* network_;
  const TaggerTraining* training_;
  TaggerGradients gradients_;
  SentenceBatch batch_;
  SentenceReading reading_;
  TagReading tags_;
  std::vector<std::int32_t> own_gold_;
  std::int64_t mistakes_ = 0;
};

TaggerLearner::TaggerLearner(const TaggerShape& shape, const TaggerTraining& training)
    : training_(training), network_(shape) {
  network_.initialise(training_.seed);
  steps_ = std::make_unique<Steps>(network_, [this] { return std::make_unique<PartGradient>(network_, training_); });
}

TaggerLearner::~TaggerLearner() = default;

std::int64_t TaggerLearner::learn(const SentenceTable& table, std::span<const std::int32_t> gold,
                                  std::span<const std::int32_t> order, float rate, int threads) {
  std::int64_t mistakes = 0;
  for (const std::vector<std::int32_t>& batch :
       shuffled_batches(table, order, training_.rows, training_.seed + steps_->steps())) {
    mistakes += steps_->step(table, batch, training_.seed, rate, threads,
                             [&](PartGradient& part, std::span<const std::int32_t> sequences, std::uint64_t seed) {
                               part.learn(table, gold, sequences, seed);
                             });
  }
  return mistakes;
}

}  // namespace crossarc
