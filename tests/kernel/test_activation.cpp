// The loops over vectors of floats against the standard library in double precision.
#include <algorithm>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "core/random.hpp"
#include "nn/activation.hpp"

namespace crossarc {
namespace {

// Around the widths of vectors, so that every remainder occurs.
constexpr std::size_t kCounts[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 100};

double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }

std::vector<float> random_values(std::size_t count, float range, Random& random) {
  std::vector<float> values(count);
  for (float& value : values) value = (2.0F * random.share() - 1.0F) * range;
  return values;
}

void check_step(std::size_t count, const std::vector<float>& sums, const std::vector<float>* previous) {
  std::vector<float> gates = sums;
  std::vector<float> cells(count);
  std::vector<float> squashed(count);
  std::vector<float> hidden(count);
  lstm_step(gates.data(), previous == nullptr ? nullptr : previous->data(), cells.data(), squashed.data(),
            hidden.data(), count);
  for (std::size_t cell = 0; cell < count; ++cell) {
    const double input = logistic(sums[cell]);
    const double forget = logistic(sums[count + cell]);
    const double output = logistic(sums[2 * count + cell]);
    const double candidate = std::tanh(static_cast<double>(sums[3 * count + cell]));
    const double kept = input * candidate + (previous == nullptr ? 0.0 : forget * (*previous)[cell]);
    CHECK_NEAR(gates[cell], input, 1e-6);
    CHECK_NEAR(gates[count + cell], forget, 1e-6);
    CHECK_NEAR(gates[2 * count + cell], output, 1e-6);
    CHECK_NEAR(gates[3 * count + cell], candidate, 1e-6);
    CHECK_NEAR(cells[cell], kept, 1e-6);
    CHECK_NEAR(squashed[cell], std::tanh(kept), 1e-6);
    CHECK_NEAR(hidden[cell], output * std::tanh(kept), 1e-6);
  }
}

TEST(a_step_of_lstm_cells) {
  Random random(1);
  for (const std::size_t count : kCounts) {
    for (const float range : {0.01F, 1.0F, 10.0F}) {
      const std::vector<float> previous = random_values(count, 2.0F, random);
      check_step(count, random_values(4 * count, range, random), &previous);
      check_step(count, random_values(4 * count, range, random), nullptr);
    }
  }
}

// To the last bit: a model parses as it was evaluated in training.
TEST(a_step_that_parses_is_the_step_that_learns) {
  Random random(2);
  for (const std::size_t count : kCounts) {
    const std::vector<float> inputs = random_values(4 * count, 3.0F, random);
    const std::vector<float> recurrent = random_values(4 * count, 3.0F, random);
    const std::vector<float> previous = random_values(count, 2.0F, random);
    for (const bool first : {true, false}) {
      std::vector<float> sums = inputs;
      if (!first) add(sums.data(), recurrent.data(), 4 * count);
      std::vector<float> cells(count), squashed(count), hidden(count);
      lstm_step(sums.data(), first ? nullptr : previous.data(), cells.data(), squashed.data(), hidden.data(), count);
      std::vector<float> gates = recurrent;
      std::vector<float> own_cells = previous;
      std::vector<float> own_hidden(count);
      lstm_read_step(inputs.data(), first, gates.data(), own_cells.data(), own_hidden.data(), count);
      CHECK(own_cells == cells && own_hidden == hidden);
    }
  }
}

TEST(a_step_of_bytes_is_nearly_the_same) {
  Random random(5);
  for (const std::size_t count : kCounts) {
    for (const float range : {0.1F, 3.0F, 100.0F}) {
      const std::vector<float> inputs = random_values(4 * count, range, random);
      const std::vector<float> recurrent = random_values(4 * count, range, random);
      const std::vector<float> previous = random_values(count, 20.0F, random);
      for (const bool first : {true, false}) {
        std::vector<float> gates = recurrent, cells = previous, hidden(count);
        lstm_read_step(inputs.data(), first, gates.data(), cells.data(), hidden.data(), count);
        std::vector<float> own_gates = recurrent, own_cells = previous, own_hidden(count);
        lstm_byte_step(inputs.data(), first, own_gates.data(), own_cells.data(), own_hidden.data(), count);
        for (std::size_t cell = 0; cell < count; ++cell) {
          CHECK_NEAR(own_cells[cell], cells[cell], 1e-4);
          CHECK_NEAR(own_hidden[cell], hidden[cell], 1e-5);
        }
      }
    }
  }
}

TEST(logarithms_of_probabilities) {
  Random random(3);
  for (const std::size_t count : kCounts) {
    for (const float temperature : {0.5F, 1.0F, 3.0F}) {
      std::vector<float> scores = random_values(count + 1, 20.0F, random);
      scores.back() = -INFINITY;
      double sum = 0.0;
      for (const float score : scores) sum += std::exp(static_cast<double>(score) / temperature);
      std::vector<float> found = scores;
      log_softmax(found.data(), found.size(), temperature);
      CHECK(found.back() == -INFINITY);
      for (std::size_t place = 0; place < count; ++place) {
        CHECK_NEAR(found[place], static_cast<double>(scores[place]) / temperature - std::log(sum), 1e-5);
      }
    }
  }
}

TEST(leaky_rectifiers) {
  for (const std::size_t count : kCounts) {
    std::vector<float> values(count, -2.0F);
    values.back() = 3.0F;
    rectify(values.data(), count);
    CHECK(values.back() == 3.0F && (count == 1 || values.front() == kLeak * -2.0F));
  }
}

TEST(gates_far_from_zero_are_saturated) {
  for (const float sum : {87.0F, 88.0F, 1e4F, 3e38F, INFINITY}) {
    for (const float sign : {-1.0F, 1.0F}) check_step(1, std::vector<float>(4, sign * sum), nullptr);
  }
}

// hidden · a + cells · b as a function of the sums of the gates and the previous cells.
double weighted(const std::vector<double>& sums, const std::vector<double>& previous,
                const std::vector<float>& of_hidden, const std::vector<float>& of_cells) {
  const std::size_t count = previous.size();
  double total = 0.0;
  for (std::size_t cell = 0; cell < count; ++cell) {
    const double kept =
        logistic(sums[cell]) * std::tanh(sums[3 * count + cell]) + logistic(sums[count + cell]) * previous[cell];
    total += of_cells[cell] * kept + of_hidden[cell] * logistic(sums[2 * count + cell]) * std::tanh(kept);
  }
  return total;
}

void check_step_back(std::size_t count, bool with_previous, Random& random) {
  const std::vector<float> sums = random_values(4 * count, 2.0F, random);
  const std::vector<float> previous = random_values(count, with_previous ? 1.0F : 0.0F, random);
  const std::vector<float> hidden_gradient = random_values(count, 1.0F, random);
  const std::vector<float> cell_gradient = random_values(count, 1.0F, random);
  std::vector<float> gates = sums;
  std::vector<float> cells(count);
  std::vector<float> squashed(count);
  std::vector<float> hidden(count);
  const float* before = with_previous ? previous.data() : nullptr;
  lstm_step(gates.data(), before, cells.data(), squashed.data(), hidden.data(), count);
  std::vector<float> carried = cell_gradient;
  lstm_step_back(gates.data(), before, squashed.data(), hidden_gradient.data(), carried.data(), count);

  std::vector<double> at(sums.begin(), sums.end());
  std::vector<double> memory(previous.begin(), previous.end());
  constexpr double kStep = 1e-5;
  const auto slope = [&](double& place) {
    const double kept = place;
    place = kept + kStep;
    const double above = weighted(at, memory, hidden_gradient, cell_gradient);
    place = kept - kStep;
    const double below = weighted(at, memory, hidden_gradient, cell_gradient);
    place = kept;
    return (above - below) / (2 * kStep);
  };
  for (std::size_t place = 0; place < at.size(); ++place) CHECK_NEAR(gates[place], slope(at[place]), 1e-5);
  for (std::size_t cell = 0; cell < count; ++cell) CHECK_NEAR(carried[cell], slope(memory[cell]), 1e-5);
}

TEST(a_step_of_lstm_cells_backwards) {
  Random random(2);
  for (const std::size_t count : kCounts) {
    check_step_back(count, true, random);
    check_step_back(count, false, random);
  }
}

TEST(sums_products_and_dot_products) {
  Random random(3);
  for (const std::size_t count : kCounts) {
    const std::vector<float> left = random_values(count, 1.0F, random);
    const std::vector<float> right = random_values(count, 1.0F, random);
    std::vector<float> sum = left;
    std::vector<float> scaled_sum = left;
    std::vector<float> product = left;
    add(sum.data(), right.data(), count);
    add_scaled(scaled_sum.data(), right.data(), 0.75F, count);
    scale(product.data(), right.data(), count);
    double expected = 0.0;
    for (std::size_t place = 0; place < count; ++place) {
      CHECK(sum[place] == left[place] + right[place]);
      CHECK_NEAR(scaled_sum[place], left[place] + 0.75 * right[place], 1e-6);
      CHECK(product[place] == left[place] * right[place]);
      expected += static_cast<double>(left[place]) * right[place];
    }
    CHECK_NEAR(dot(left.data(), right.data(), count), expected, 1e-5);
  }
  CHECK(dot(nullptr, nullptr, 0) == 0.0F);
}

TEST(adam_follows_its_definition) {
  Random random(4);
  for (const std::size_t count : kCounts) {
    std::vector<float> values = random_values(count, 1.0F, random);
    std::vector<double> expected(values.begin(), values.end());
    std::vector<float> first(count);
    std::vector<float> second(count);
    std::vector<double> mean(count);
    std::vector<double> square(count);
    const AdamStep step{.rate = 0.01F, .first_decay = 0.9F, .second_decay = 0.95F, .scale = 0.5F};
    for (int time = 0; time < 5; ++time) {
      const std::vector<float> gradients = random_values(count, 1.0F, random);
      adam_update(step, values.data(), gradients.data(), first.data(), second.data(), count);
      for (std::size_t place = 0; place < count; ++place) {
        const double gradient = 0.5 * gradients[place];
        mean[place] = 0.9 * mean[place] + 0.1 * gradient;
        square[place] = 0.95 * square[place] + 0.05 * gradient * gradient;
        expected[place] -= 0.01 * mean[place] / (std::sqrt(square[place]) + 1e-8);
        CHECK_NEAR(values[place], expected[place], 1e-5);
      }
    }
  }
}

TEST(masks_drop_the_share_that_was_asked_for) {
  constexpr std::size_t kMany = 100'000;
  std::vector<float> mask(kMany);
  for (const float dropped : {0.0F, 0.25F, 0.5F}) {
    fill_mask(mask.data(), kMany, dropped, 12345);
    const auto zeros = static_cast<double>(std::count(mask.begin(), mask.end(), 0.0F));
    CHECK_NEAR(zeros / kMany, dropped, 0.01);
    const float kept = 1.0F / (1.0F - dropped);
    CHECK(std::count(mask.begin(), mask.end(), kept) + zeros == kMany);
  }
  // The same seed gives the same mask, wherever it is drawn.
  const std::vector<float> whole = mask;
  std::vector<float> part(17);
  fill_mask(part.data(), part.size(), 0.5F, 12345);
  CHECK(std::equal(part.begin(), part.end(), whole.begin()));
  fill_mask(mask.data(), kMany, 0.5F, 12346);
  CHECK(mask != whole);
}

}  // namespace
}  // namespace crossarc
