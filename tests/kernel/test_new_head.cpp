// A head of somebody else (heads/number.cpp, as CONTRIBUTING.md adds it): a network is made with it by name, its
// gradients are the slopes of its loss, and a tagger learns with it.
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "check.hpp"
#include "nn/network.hpp"
#include "parsers/tagger.hpp"

namespace crossarc {
namespace {

const PartDescription kEncoder{"lstm",
                               {{"columns", {9}},
                                {"group_sizes", {1}},
                                {"embedding_sizes", {4}},
                                {"unit_embeddings", {1}},
                                {"characters", {0}},
                                {"character_embedding_size", {0}},
                                {"filters", {0}},
                                {"character_size", {0}},
                                {"layers", {1}},
                                {"hidden_size", {4}}}};
const std::vector<PartDescription> kHeads{{"number", {{"largest", {20}}}}};

TEST(gradients_of_a_new_head) {
  Network network(kEncoder, kHeads, 3);
  const WordHead& head = network.head<WordHead>();
  network.pack(true);
  Matrix encoded(3, network.encoder().width());
  Random random(4);
  for (float& value : encoded.values) value = random.share() - 0.5F;
  const std::vector<std::int32_t> targets{2, -1, 5};
  const auto loss = [&] {
    const std::unique_ptr<WordReading> reading = head.reading();
    const Matrix& scores = reading->read(encoded, true);
    return (std::pow(scores.row(0)[0] - 2.0, 2) + std::pow(scores.row(2)[0] - 5.0, 2)) / 2;
  };
  const std::unique_ptr<WordReading> reading = head.reading();
  Gradients gradients(network.parameters());
  Matrix encoded_gradient(3, encoded.columns);
  reading->read(encoded, true);
  CHECK(reading->learn(encoded, targets, 1.0F, gradients, encoded_gradient) == 2);
  for (std::size_t index = 0; index < encoded.values.size(); ++index) {
    constexpr float kStep = 1e-2F;
    const float before = encoded.values[index];
    encoded.values[index] = before + kStep;
    const double above = loss();
    encoded.values[index] = before - kStep;
    const double below = loss();
    encoded.values[index] = before;
    CHECK_NEAR(encoded_gradient.values[index], (above - below) / (2 * kStep), 1e-3);
  }
}

// Sentences in which each word's number is that of its value.
TEST(a_tagger_learns_with_a_new_head) {
  const std::vector<std::uint32_t> values{3, 5, 4, 8, 7, 6, 3, 4, 8, 5};
  const std::vector<std::int64_t> offsets{0, 4, 7, 10};
  const std::vector<std::int32_t> targets(values.begin(), values.end());
  const std::vector<std::int32_t> order{0, 1, 2};
  const SentenceTable table{values.data(), 1, offsets, {}};
  const auto network = std::make_shared<Network>(kEncoder, kHeads, 3);
  TaggerTraining training;
  training.dropout.encoder = {0.0F, 0.0F, 0.0F};
  TaggerLearner learner(network, training);
  std::int64_t mistakes = 0;
  for (int epoch = 0; epoch < 400; ++epoch) mistakes = learner.learn(table, targets, order, 0.02F, 1);
  CHECK(mistakes == 0);
  const std::vector<float> numbers = TaggerModel(network).probabilities(table, 1);
  for (std::size_t word = 0; word < values.size(); ++word) CHECK_NEAR(numbers[word], targets[word], 0.5);
}

}  // namespace
}  // namespace crossarc
