// A long short-term memory over a batch of sentences against one cell and one word at a time in double precision, and
// its gradients against central differences of that.
#include <cmath>
#include <list>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "core/random.hpp"
#include "nn/encoders/lstm_layer.hpp"

namespace crossarc {
namespace {

using Numbers = std::vector<double>;

double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }

// The parameters in double precision: input, recurrent and bias as in LstmParameters, one after the other.
struct PlainLstm {
  std::size_t inputs;
  std::size_t cells;
  Numbers parameters;

  double input(std::size_t from, std::size_t to) const { return parameters[from * 4 * cells + to]; }
  double recurrent(std::size_t from, std::size_t to) const { return parameters[(inputs + from) * 4 * cells + to]; }
  double bias(std::size_t to) const { return parameters[(inputs + cells) * 4 * cells + to]; }

  // Hidden values of one sentence, word after word, from the inputs of its words.
  Numbers run(const std::vector<const double*>& words) const {
    Numbers hidden(cells);
    Numbers memory(cells);
    Numbers all;
    for (const double* word : words) {
      Numbers sums(4 * cells);
      for (std::size_t to = 0; to < 4 * cells; ++to) {
        sums[to] = bias(to);
        for (std::size_t from = 0; from < inputs; ++from) sums[to] += word[from] * input(from, to);
        for (std::size_t from = 0; from < cells; ++from) sums[to] += hidden[from] * recurrent(from, to);
      }
      for (std::size_t cell = 0; cell < cells; ++cell) {
        memory[cell] =
            logistic(sums[cell]) * std::tanh(sums[3 * cells + cell]) + logistic(sums[cells + cell]) * memory[cell];
        hidden[cell] = logistic(sums[2 * cells + cell]) * std::tanh(memory[cell]);
      }
      all.insert(all.end(), hidden.begin(), hidden.end());
    }
    return all;
  }
};

void fill(Matrix& matrix, Random& random) {
  for (float& value : matrix.values) value = 2.0F * random.share() - 1.0F;
}

// A batch of sentences with an LSTM: words of different sentences may share a row of the inputs.
struct Example {
  std::size_t inputs;
  std::size_t cells;
  std::vector<std::int32_t> lengths;
  TimeSteps order;
  LstmParameters parameters;
  ParameterList list;
  Matrix given;
  std::vector<std::int32_t> places;  // the row of `given` for each row of the order

  Example(std::size_t input_count, std::size_t cell_count, std::vector<std::int32_t> sentence_lengths, bool backwards,
          bool shared, std::uint64_t seed)
      : inputs(input_count),
        cells(cell_count),
        lengths(std::move(sentence_lengths)),
        parameters(input_count, cell_count) {
    Random random(seed);
    order.set(lengths);
    parameters.list("lstm.", list);
    for (Parameter* parameter : list) {
      parameter->allocate();
      fill(parameter->values, random);
      parameter->pack(true);
    }
    given.reset(shared ? 3 : order.rows(), inputs);
    fill(given, random);
    for (std::size_t row = 0; row < order.rows(); ++row) {
      const std::size_t from = backwards ? static_cast<std::size_t>(order.rows(false)[row]) : row;
      places.push_back(static_cast<std::int32_t>(from % given.rows));
    }
  }

  // What parsing reads of all words, in the rows of the order.
  Matrix read() const {
    Matrix sums, said(order.rows(), cells);
    std::vector<const float*> rows;
    std::vector<std::int32_t> every(order.rows());
    std::iota(every.begin(), every.end(), 0);
    LeftRows left;
    left.set(given);
    sums.resize(given.rows, 4 * cells);
    multiply_with_bias(left, parameters.input, parameters.bias, sums.values.data(), sums.columns);
    for (const std::int32_t place : places) rows.push_back(sums.row(static_cast<std::size_t>(place)));
    LstmReader reader;
    reader.read(parameters, rows, order, every, 0, said);
    return said;
  }

  PlainLstm plain() const {
    PlainLstm found{inputs, cells, {}};
    for (const Parameter* parameter : list) {
      const AlignedFloats& values = parameter->values.values;
      found.parameters.insert(found.parameters.end(), values.begin(), values.end());
    }
    return found;
  }

  // Hidden values of all words by the plain program, in the rows of the order.
  Numbers run_plain(const PlainLstm& lstm, const Numbers& words) const {
    Numbers all(order.rows() * cells);
    for (std::size_t sentence = 0; sentence < lengths.size(); ++sentence) {
      std::vector<const double*> own;
      for (std::int32_t word = 0; word < lengths[sentence]; ++word) {
        const std::size_t row = order.row(sentence, static_cast<std::size_t>(word));
        own.push_back(words.data() + static_cast<std::size_t>(places[row]) * inputs);
      }
      const Numbers hidden = lstm.run(own);
      for (std::size_t word = 0; word < own.size(); ++word) {
        std::copy_n(hidden.data() + word * cells, cells, all.data() + order.row(sentence, word) * cells);
      }
    }
    return all;
  }
};

// In a list, which moves nothing: parameters are known by where they are.
std::list<Example> examples() {
  std::list<Example> all;
  for (const bool backwards : {false, true}) {
    all.emplace_back(3, 5, std::vector<std::int32_t>{4, 2, 2, 1}, backwards, false, 1);
    all.emplace_back(2, 9, std::vector<std::int32_t>{3}, backwards, true, 2);
    all.emplace_back(1, 1, std::vector<std::int32_t>{5, 5}, backwards, true, 3);
  }
  return all;
}

TEST(words_of_a_batch_stand_side_by_side) {
  TimeSteps order;
  order.set(std::vector<std::int32_t>{3, 2, 2});
  CHECK(order.rows() == 7 && order.steps() == 3);
  CHECK(order.width(0) == 3 && order.width(1) == 3 && order.width(2) == 1);
  CHECK(order.row(0, 0) == 0 && order.row(2, 0) == 2 && order.row(1, 1) == 4 && order.row(0, 2) == 6);
  CHECK(order.rows(false)[order.row(0, 0)] == static_cast<std::int32_t>(order.row(0, 2)));
  CHECK(order.rows(false)[order.row(1, 0)] == static_cast<std::int32_t>(order.row(1, 1)));
  order.set({});
  CHECK(order.rows() == 0 && order.steps() == 0);
}

TEST(forward_is_the_plain_definition) {
  for (const Example& example : examples()) {
    const Numbers expected =
        example.run_plain(example.plain(), {example.given.values.begin(), example.given.values.end()});
    const Matrix parsing = example.read();
    Lstm learning;
    learning.forward_to_learn(example.parameters, example.given, example.places, example.order);
    for (std::size_t place = 0; place < expected.size(); ++place) {
      CHECK_NEAR(parsing.values[place], expected[place], 1e-5);
      CHECK_NEAR(learning.hidden().values[place], expected[place], 1e-5);
    }
  }
}

TEST(backward_is_the_slope_of_the_plain_definition) {
  for (const Example& example : examples()) {
    Random random(7);
    Matrix hidden_gradient(example.order.rows(), example.cells);
    fill(hidden_gradient, random);
    const Numbers weighing(hidden_gradient.values.begin(), hidden_gradient.values.end());
    Lstm lstm;
    lstm.forward_to_learn(example.parameters, example.given, example.places, example.order);
    Gradients gradients(example.list);
    for (const Parameter* parameter : example.list) fill(gradients[*parameter], random);  // to be overwritten
    Matrix input_gradients(example.given.rows, example.inputs);
    std::fill(input_gradients.values.begin(), input_gradients.values.end(), 2.0F);  // and this added to
    lstm.backward(example.parameters, example.places, example.order, hidden_gradient, gradients, input_gradients);

    PlainLstm plain = example.plain();
    Numbers words(example.given.values.begin(), example.given.values.end());
    constexpr double kStep = 1e-5;
    const auto total = [&] {
      const Numbers hidden = example.run_plain(plain, words);
      return std::inner_product(hidden.begin(), hidden.end(), weighing.begin(), 0.0);
    };
    const auto slope = [&](double& place) {
      const double kept = place;
      place = kept + kStep;
      const double above = total();
      place = kept - kStep;
      const double below = total();
      place = kept;
      return (above - below) / (2 * kStep);
    };
    std::size_t number = 0;
    for (const Parameter* parameter : example.list) {
      for (const float found : gradients[*parameter].values) {
        CHECK_NEAR(found, slope(plain.parameters[number++]), 2e-5);
      }
    }
    CHECK(number == plain.parameters.size());
    for (std::size_t place = 0; place < words.size(); ++place) {
      CHECK_NEAR(input_gradients.values[place] - 2.0F, slope(words[place]), 2e-5);
    }
  }
}

}  // namespace
}  // namespace crossarc
