// Tags: gradients of parameters and of what was encoded against central differences of the loss; probabilities add up.
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "check.hpp"
#include "core/random.hpp"
#include "nn/heads/tags.hpp"

namespace crossarc {
namespace {

constexpr std::size_t kRows = 5;

struct TagLesson {
  TagHead head{4, {3, 2, 5}};
  ParameterList parameters;
  Matrix encoded{kRows, 4};
  std::vector<std::int32_t> gold{0, 1, 4, 2, -1, 0, 1, 0, 3, -1, -1, -1, 2, 1, 2};

  TagLesson() {
    Random random(7);
    head.list("tags.", parameters);
    for (Parameter* parameter : parameters) {
      parameter->allocate();
      fill(parameter->values, random);
    }
    fill(encoded, random);
  }
  static void fill(Matrix& matrix, Random& random) {
    for (float& value : matrix.values) value = 2.0F * random.share() - 1.0F;
  }
  std::unique_ptr<WordReading> read(Matrix& probabilities) {
    for (Parameter* parameter : parameters) parameter->pack(true);
    std::unique_ptr<WordReading> reading = head.reading();
    probabilities = reading->read(encoded, true);
    return reading;
  }
  double loss() {
    Matrix probabilities;
    read(probabilities);
    double sum = 0.0;
    for (std::size_t row = 0; row < kRows; ++row) {
      for (std::size_t tag = 0; tag < 3; ++tag) {
        const std::int32_t target = gold[row * 3 + tag];
        if (target < 0) continue;
        sum -= std::log(probabilities.row(row)[head.first_column(tag) + static_cast<std::size_t>(target)]);
      }
    }
    return sum;
  }
};

TEST(gradients_of_tags) {
  constexpr float kStep = 1e-2F;
  TagLesson lesson;
  Matrix probabilities;
  const std::unique_ptr<WordReading> reading = lesson.read(probabilities);
  Gradients gradients(lesson.parameters);
  Matrix encoded_gradient(kRows, 4);
  reading->learn(lesson.encoded, lesson.gold, 1.0F, gradients, encoded_gradient);
  const auto check = [&](Matrix& values, const Matrix& expected) {
    for (std::size_t index = 0; index < values.rows * values.columns; ++index) {
      const float before = values.values[index];
      values.values[index] = before + kStep;
      const double above = lesson.loss();
      values.values[index] = before - kStep;
      const double below = lesson.loss();
      values.values[index] = before;
      CHECK_NEAR(expected.values[index], (above - below) / (2 * kStep), 2e-3);
    }
  };
  for (Parameter* parameter : lesson.parameters) check(parameter->values, gradients[*parameter]);
  check(lesson.encoded, encoded_gradient);
}

TEST(probabilities_of_each_tag_add_up_to_one) {
  TagLesson lesson;
  Matrix probabilities;
  lesson.read(probabilities);
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t tag = 0; tag < 3; ++tag) {
      const float* const of_tag = probabilities.row(row) + lesson.head.first_column(tag);
      const auto best = static_cast<std::size_t>(lesson.head.best(probabilities.row(row), tag));
      double sum = 0.0;
      for (std::size_t number = 0; number < lesson.head.classes(tag); ++number) {
        CHECK(of_tag[number] <= of_tag[best]);
        sum += of_tag[number];
      }
      CHECK_NEAR(sum, 1.0, 1e-5);
    }
  }
}

TEST(the_best_tags_together) {
  const TagHead head(1, {2, 3, 2});
  //                              tag 0       tag 1             tag 2
  const std::vector<float> scores{1.0F, 0.0F, 0.0F, 2.0F, 1.5F, 9.0F, 0.0F};
  const std::vector<std::int32_t> rows{0, 0, 1, 1, 0, 2};  // tag 0 is best 0 and tag 1 is 1, but not together
  const auto found = [&](std::vector<std::int32_t> given, std::vector<float> evidence = {}) {
    const std::int32_t* const best = head.best_together(scores.data(), TagRows(rows, 2), given, evidence);
    return std::pair{best[0], best[1]};
  };
  CHECK((found({}) == std::pair{0, 2}));
  CHECK((found({-1, -1}) == std::pair{0, 2}));
  CHECK((found({1, -1}) == std::pair{1, 1}));
  CHECK((found({-1, 0}) == std::pair{0, 0}));
  CHECK((found({1, 2}) == std::pair{0, 2}));  // no row has both
  CHECK((found({}, {0.0F, 0.4F, 0.0F}) == std::pair{0, 2}));
  CHECK((found({}, {0.0F, 1.0F, 0.0F}) == std::pair{1, 1}));
  CHECK((found({-1, 0}, {0.0F, 1.0F, 0.0F}) == std::pair{0, 0}));  // what is given stays
  CHECK(head.best_together(scores.data(), {}, {}, {}) == nullptr);
}

// Groups that are passed over hold no row that would be the best: the first of those with the largest sum.
TEST(the_best_tags_together_are_those_of_all_rows) {
  const TagHead head(1, {4, 5, 3});
  Random random(11);
  for (int round = 0; round < 300; ++round) {
    std::vector<float> scores(head.columns());
    // Few different ones, so that sums are often equal.
    for (float& score : scores) score = static_cast<float>(random.bits() % 7) / 4.0F;
    std::vector<std::int32_t> rows;
    for (std::int32_t first = 0; first < 4; ++first) {
      for (std::int32_t second = 0; second < 5; ++second) {
        for (std::int32_t third = 0; third < 3; ++third) {
          if (random.share() < 0.3F) rows.insert(rows.end(), {first, second, third});
        }
      }
    }
    std::size_t best = 0;
    const auto sum = [&](std::size_t row) {
      float total = 0.0F;
      for (std::size_t tag = 0; tag < 3; ++tag) {
        total += scores[head.first_column(tag) + static_cast<std::size_t>(rows[3 * row + tag])];
      }
      return total;
    };
    for (std::size_t row = 1; row < rows.size() / 3; ++row) best = sum(row) > sum(best) ? row : best;
    const std::int32_t* const found = head.best_together(scores.data(), TagRows(rows, 3), {}, {});
    CHECK(found == (rows.empty() ? nullptr : rows.data() + 3 * best));
  }
}

}  // namespace
}  // namespace crossarc
