// Tags: gradients of weights and of what was encoded against central differences of the loss; probabilities add up.
#include <cmath>
#include <cstdint>
#include <vector>

#include "check.hpp"
#include "core/random.hpp"
#include "nn/tags.hpp"
#include "tag_probabilities.hpp"

namespace crossarc {
namespace {

constexpr std::size_t kRows = 5;

struct TagLesson {
  TagWeights weights{TagShape{4, {3, 2, 5}}};
  PackedTags packed;
  Matrix encoded{kRows, 4};
  std::vector<std::int32_t> gold{0, 1, 4, 2, -1, 0, 1, 0, 3, -1, -1, -1, 2, 1, 2};

  TagLesson() {
    Random random(7);
    for (Matrix* one : {&weights.output, &weights.bias, &encoded}) {
      for (float& value : one->values) value = 2.0F * random.share() - 1.0F;
    }
  }
  double loss() {
    TagReading reading;
    packed.pack(weights, 0, true);
    reading.read(weights, packed, encoded);
    double sum = 0.0;
    for (std::size_t row = 0; row < kRows; ++row) {
      for (std::size_t tag = 0; tag < 3; ++tag) {
        const std::int32_t own = gold[row * 3 + tag];
        if (own >= 0) sum -= std::log(static_cast<double>(tests::probability(reading, weights.shape, row, tag, own)));
      }
    }
    return sum;
  }
};

TEST(gradients_of_tags) {
  constexpr float kStep = 1e-2F;
  TagLesson lesson;
  lesson.loss();
  TagReading reading;
  reading.read(lesson.weights, lesson.packed, lesson.encoded);
  TagWeights gradients(lesson.weights.shape);
  Matrix encoded_gradient(kRows, 4);
  reading.learn(lesson.packed, lesson.encoded, lesson.gold, gradients, encoded_gradient);
  const auto check = [&](Matrix& values, const Matrix& found) {
    for (std::size_t place = 0; place < values.rows * values.columns; ++place) {
      const float before = values.values[place];
      values.values[place] = before + kStep;
      const double above = lesson.loss();
      values.values[place] = before - kStep;
      const double below = lesson.loss();
      values.values[place] = before;
      CHECK_NEAR(found.values[place], (above - below) / (2 * kStep), 2e-3);
    }
  };
  check(lesson.weights.output, gradients.output);
  check(lesson.weights.bias, gradients.bias);
  check(lesson.encoded, encoded_gradient);
}

TEST(probabilities_of_each_tag_add_up_to_one) {
  TagLesson lesson;
  lesson.loss();
  TagReading reading;
  reading.read(lesson.weights, lesson.packed, lesson.encoded);
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t tag = 0; tag < 3; ++tag) {
      double sum = 0.0;
      for (std::size_t own = 0; own < lesson.weights.shape.classes[tag]; ++own) {
        const TagShape& shape = lesson.weights.shape;
        const float probability = tests::probability(reading, shape, row, tag, static_cast<std::int32_t>(own));
        CHECK(probability <= tests::probability(reading, shape, row, tag, reading.best(row, tag)));
        sum += probability;
      }
      CHECK_NEAR(sum, 1.0, 1e-5);
    }
  }
}

}  // namespace
}  // namespace crossarc
