#include "nn/lstm.hpp"

#include <algorithm>

#include "core/threads.hpp"
#include "nn/activation.hpp"

namespace crossarc {

void WordOrder::set(std::span<const std::int32_t> lengths) {
  rows_.assign(1, 0);
  const std::size_t steps = lengths.empty() ? 0 : static_cast<std::size_t>(lengths.front());
  std::size_t width = lengths.size();
  for (std::size_t step = 0; step < steps; ++step) {
    while (width > 0 && static_cast<std::size_t>(lengths[width - 1]) <= step) --width;
    rows_.push_back(rows_.back() + width);
  }
  mirrored_.resize(rows());
  for (std::size_t sentence = 0; sentence < lengths.size(); ++sentence) {
    const auto length = static_cast<std::size_t>(lengths[sentence]);
    for (std::size_t word = 0; word < length; ++word) {
      mirrored_[row(sentence, word)] = static_cast<std::int32_t>(row(sentence, length - 1 - word));
    }
  }
}

void sum_inputs(const LstmWeights& weights, const PackedLstm& packed, const Matrix& inputs,
                const QuantisedRows& rounded, Matrix& sums) {
  sums.resize(inputs.rows, weights.bias.columns);
  const float* const bias = weights.bias.row(0);
  if (packed.input_bytes.empty()) {
    multiply_with_bias(LeftFactor::of(inputs), packed.input, bias, sums.values.data(), sums.columns);
  } else {
    multiply_with_bias(rounded, packed.input_bytes, bias, sums.values.data(), sums.columns);
  }
}

namespace {

// Sums are read in any order, since words of which the same is known share them: the beginning of the next ones is
// asked for in time.
void fetch(const float* sums, std::size_t count) {
  constexpr std::size_t kLine = 16;
  constexpr std::size_t kMost = 256;
  for (std::size_t place = 0; place < std::min(count, kMost); place += kLine) __builtin_prefetch(sums + place);
}

}  // namespace

void LstmReader::read(const PackedLstm& packed, std::span<const float* const> sums, const WordOrder& order,
                      std::span<const std::int32_t> places, std::size_t first_column, Matrix& said) {
  const bool with_bytes = !packed.recurrent_bytes.empty();
  const std::size_t cells = with_bytes ? packed.recurrent_bytes.rows() : packed.recurrent.rows();
  const std::size_t most = order.steps() == 0 ? 0 : order.width(0);
  gates_.resize(most, 4 * cells);
  cells_.resize(most, cells);
  hidden_.resize(most, cells);
  for (std::size_t step = 0; step < order.steps(); ++step) {
    check_interruption();
    const std::size_t width = order.width(step);
    if (step > 0 && with_bytes) {
      rounded_.round(hidden_.values.data(), width, cells, cells);
      multiply(rounded_, packed.recurrent_bytes, gates_.values.data(), 4 * cells);
    } else if (step > 0) {
      multiply({hidden_.values.data(), width, cells, 1}, packed.recurrent, gates_.values.data(), 4 * cells);
    }
    for (std::size_t place = 0; place < width; ++place) {
      const std::size_t row = order.first_row(step) + place;
      if (row + 1 < order.rows()) fetch(sums[row + 1], 4 * cells);
      const auto take_step = with_bytes ? lstm_byte_step : lstm_read_step;
      take_step(sums[row], step == 0, gates_.row(place), cells_.row(place), hidden_.row(place), cells);
      std::copy_n(hidden_.row(place), cells, said.row(static_cast<std::size_t>(places[row])) + first_column);
    }
  }
}

void Lstm::forward_to_learn(const LstmWeights& weights, const PackedLstm& packed, const Matrix& inputs,
                            std::span<const std::int32_t> places, const WordOrder& order) {
  const std::size_t cells = weights.recurrent.rows;
  seen_.resize(order.rows(), inputs.columns + cells);
  gates_.resize(order.rows(), 4 * cells);
  for (std::size_t row = 0; row < order.rows(); ++row) {
    std::copy_n(inputs.row(static_cast<std::size_t>(places[row])), inputs.columns, seen_.row(row));
    std::copy_n(weights.bias.row(0), 4 * cells, gates_.row(row));
  }
  multiply_add({seen_.values.data(), order.rows(), seen_.columns, 1}, packed.input, gates_.values.data(), 4 * cells);
  run(packed, order);
  for (std::size_t step = 0; step < order.steps(); ++step) {
    const std::size_t first = order.first_row(step);
    for (std::size_t place = 0; place < order.width(step); ++place) {
      float* before = seen_.row(first + place) + inputs.columns;
      if (step == 0) {
        std::fill_n(before, cells, 0.0F);
      } else {
        std::copy_n(hidden_.row(order.first_row(step - 1) + place), cells, before);
      }
    }
  }
}

void Lstm::run(const PackedLstm& packed, const WordOrder& order) {
  const std::size_t cells = packed.recurrent.rows();
  cells_.resize(order.rows(), cells);
  squashed_.resize(order.rows(), cells);
  hidden_.resize(order.rows(), cells);
  for (std::size_t step = 0; step < order.steps(); ++step) {
    check_interruption();
    const std::size_t first = order.first_row(step);
    const std::size_t before = step == 0 ? 0 : order.first_row(step - 1);
    if (step > 0) {
      multiply_add({hidden_.row(before), order.width(step), cells, 1}, packed.recurrent, gates_.row(first), 4 * cells);
    }
    for (std::size_t place = 0; place < order.width(step); ++place) {
      lstm_step(gates_.row(first + place), step == 0 ? nullptr : cells_.row(before + place), cells_.row(first + place),
                squashed_.row(first + place), hidden_.row(first + place), cells);
    }
  }
}

void Lstm::backward(const PackedLstm& packed, std::span<const std::int32_t> places, const WordOrder& order,
                    Matrix& hidden_gradient, LstmWeights& gradients, Matrix& input_gradients) {
  const std::size_t cells = cells_.columns;
  const std::size_t inputs = input_gradients.columns;
  backward_through_time(packed, order, hidden_gradient);
  packed_gradient_.pack(gates_.values.data(), order.rows(), 4 * cells, 4 * cells);
  multiply({seen_.values.data(), inputs, 1, seen_.columns}, packed_gradient_, gradients.input.values.data(), 4 * cells);
  multiply({seen_.values.data() + inputs, cells, 1, seen_.columns}, packed_gradient_, gradients.recurrent.values.data(),
           4 * cells);
  seen_gradient_.resize(order.rows(), inputs);
  multiply({gates_.values.data(), order.rows(), 4 * cells, 1}, packed.input_back, seen_gradient_.values.data(), inputs);
  std::fill(gradients.bias.values.begin(), gradients.bias.values.end(), 0.0F);
  for (std::size_t row = 0; row < order.rows(); ++row) {
    add(gradients.bias.row(0), gates_.row(row), 4 * cells);
    add(input_gradients.row(static_cast<std::size_t>(places[row])), seen_gradient_.row(row), inputs);
  }
}

// Leaves the gradients of the gates' sums in gates_.
void Lstm::backward_through_time(const PackedLstm& packed, const WordOrder& order, Matrix& hidden_gradient) {
  const std::size_t cells = cells_.columns;
  cell_gradient_.reset(order.steps() == 0 ? 0 : order.width(0), cells);
  for (std::size_t step = order.steps(); step-- > 0;) {
    check_interruption();
    const std::size_t first = order.first_row(step);
    const std::size_t before = step == 0 ? 0 : order.first_row(step - 1);
    for (std::size_t place = 0; place < order.width(step); ++place) {
      lstm_step_back(gates_.row(first + place), step == 0 ? nullptr : cells_.row(before + place),
                     squashed_.row(first + place), hidden_gradient.row(first + place), cell_gradient_.row(place),
                     cells);
    }
    if (step > 0) {
      multiply_add({gates_.row(first), order.width(step), 4 * cells, 1}, packed.recurrent_back,
                   hidden_gradient.row(before), cells);
    }
  }
}

}  // namespace crossarc
