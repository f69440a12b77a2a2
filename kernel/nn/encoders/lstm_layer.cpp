#include "nn/encoders/lstm_layer.hpp"

#include <algorithm>
#include <numeric>

#include "core/threads.hpp"
#include "nn/activation.hpp"
#include "nn/optimiser.hpp"

namespace crossarc {

void TimeSteps::set(std::span<const std::int32_t> lengths) {
  rows_.assign(1, 0);
  const std::size_t steps = lengths.empty() ? 0 : static_cast<std::size_t>(lengths.front());
  std::size_t width = lengths.size();
  for (std::size_t step = 0; step < steps; ++step) {
    while (width > 0 && static_cast<std::size_t>(lengths[width - 1]) <= step) --width;
    rows_.push_back(rows_.back() + width);
  }
  same_.resize(rows());
  std::iota(same_.begin(), same_.end(), 0);
  mirrored_.resize(rows());
  for (std::size_t sentence = 0; sentence < lengths.size(); ++sentence) {
    const auto length = static_cast<std::size_t>(lengths[sentence]);
    for (std::size_t word = 0; word < length; ++word) {
      mirrored_[row(sentence, word)] = static_cast<std::int32_t>(row(sentence, length - 1 - word));
    }
  }
}

void LstmParameters::list(const std::string& prefix, ParameterList& parameters) {
  parameters.add(prefix + "input", input);
  parameters.add(prefix + "recurrent", recurrent);
  parameters.add(prefix + "bias", bias);
}

void LstmParameters::initialise(Random& random) {
  spread(input.values, random);
  spread(recurrent.values, random);
  // At first nothing is forgotten.
  std::fill_n(bias.values.row(0) + recurrent.rows, recurrent.rows, 1.0F);
}

namespace {

// Sums are read in any order, since words of which the same is known share them: the beginning of the next ones is
// asked for in time.
void fetch(const float* sums, std::size_t count) {
  constexpr std::size_t kLine = 16;
  constexpr std::size_t kMost = 256;
  for (std::size_t at = 0; at < std::min(count, kMost); at += kLine) __builtin_prefetch(sums + at);
}

}  // namespace

void LstmReader::read(const LstmParameters& parameters, std::span<const float* const> sums, const TimeSteps& steps,
                      std::span<const std::int32_t> rows, std::size_t first_column, Matrix& outputs) {
  const std::size_t size = parameters.recurrent.rows;
  const auto take_step = parameters.recurrent.is_int8() ? lstm_byte_step : lstm_read_step;
  gates_.resize(steps.most(), 4 * size);
  cells_.resize(steps.most(), size);
  hidden_.resize(steps.most(), size);
  for (std::size_t step = 0; step < steps.steps(); ++step) {
    check_interruption();
    const std::size_t width = steps.width(step);
    if (step > 0) {
      left_.set(hidden_.values.data(), width, size, size);
      multiply(left_, parameters.recurrent, gates_.values.data(), 4 * size);
    }
    for (std::size_t sentence = 0; sentence < width; ++sentence) {
      const std::size_t row = steps.first_row(step) + sentence;
      if (row + 1 < steps.rows()) fetch(sums[row + 1], 4 * size);
      take_step(sums[row], step == 0, gates_.row(sentence), cells_.row(sentence), hidden_.row(sentence), size);
      std::copy_n(hidden_.row(sentence), size, outputs.row(static_cast<std::size_t>(rows[row])) + first_column);
    }
  }
}

void Lstm::forward_to_learn(const LstmParameters& parameters, const Matrix& inputs, std::span<const std::int32_t> rows,
                            const TimeSteps& steps) {
  const std::size_t size = parameters.recurrent.rows;
  seen_.resize(steps.rows(), inputs.columns + size);
  gates_.resize(steps.rows(), 4 * size);
  for (std::size_t row = 0; row < steps.rows(); ++row) {
    std::copy_n(inputs.row(static_cast<std::size_t>(rows[row])), inputs.columns, seen_.row(row));
  }
  multiply_with_bias({seen_.values.data(), steps.rows(), seen_.columns, 1}, parameters.input.packed,
                     parameters.bias.row(0), gates_.values.data(), 4 * size);
  run(parameters, steps);
  for (std::size_t step = 0; step < steps.steps(); ++step) {
    const std::size_t first = steps.first_row(step);
    for (std::size_t sentence = 0; sentence < steps.width(step); ++sentence) {
      float* before = seen_.row(first + sentence) + inputs.columns;
      if (step == 0) {
        std::fill_n(before, size, 0.0F);
      } else {
        std::copy_n(hidden_.row(steps.first_row(step - 1) + sentence), size, before);
      }
    }
  }
}

void Lstm::run(const LstmParameters& parameters, const TimeSteps& steps) {
  const std::size_t size = parameters.recurrent.rows;
  cells_.resize(steps.rows(), size);
  squashed_.resize(steps.rows(), size);
  hidden_.resize(steps.rows(), size);
  for (std::size_t step = 0; step < steps.steps(); ++step) {
    check_interruption();
    const std::size_t first = steps.first_row(step);
    const std::size_t before = step == 0 ? 0 : steps.first_row(step - 1);
    if (step > 0) {
      multiply_add({hidden_.row(before), steps.width(step), size, 1}, parameters.recurrent.packed, gates_.row(first),
                   4 * size);
    }
    for (std::size_t sentence = 0; sentence < steps.width(step); ++sentence) {
      const std::size_t row = first + sentence;
      lstm_step(gates_.row(row), step == 0 ? nullptr : cells_.row(before + sentence), cells_.row(row),
                squashed_.row(row), hidden_.row(row), size);
    }
  }
}

void Lstm::backward(const LstmParameters& parameters, std::span<const std::int32_t> rows, const TimeSteps& steps,
                    Matrix& hidden_gradient, Gradients& gradients, Matrix& input_gradients) {
  const std::size_t size = cells_.columns;
  const std::size_t inputs = input_gradients.columns;
  backward_through_time(parameters, steps, hidden_gradient);
  packed_gradient_.pack(gates_.values.data(), steps.rows(), 4 * size, 4 * size);
  multiply({seen_.values.data(), inputs, 1, seen_.columns}, packed_gradient_, gradients[parameters.input].values.data(),
           4 * size);
  multiply({seen_.values.data() + inputs, size, 1, seen_.columns}, packed_gradient_,
           gradients[parameters.recurrent].values.data(), 4 * size);
  seen_gradient_.resize(steps.rows(), inputs);
  multiply({gates_.values.data(), steps.rows(), 4 * size, 1}, parameters.input.packed_transposed,
           seen_gradient_.values.data(), inputs);
  sum_rows(gates_, steps.rows(), gradients[parameters.bias]);
  for (std::size_t row = 0; row < steps.rows(); ++row) {
    add(input_gradients.row(static_cast<std::size_t>(rows[row])), seen_gradient_.row(row), inputs);
  }
}

// Leaves the gradients of the gates' sums in gates_.
void Lstm::backward_through_time(const LstmParameters& parameters, const TimeSteps& steps, Matrix& hidden_gradient) {
  const std::size_t size = cells_.columns;
  cell_gradient_.reset(steps.most(), size);
  for (std::size_t step = steps.steps(); step-- > 0;) {
    check_interruption();
    const std::size_t first = steps.first_row(step);
    const std::size_t before = step == 0 ? 0 : steps.first_row(step - 1);
    for (std::size_t sentence = 0; sentence < steps.width(step); ++sentence) {
      lstm_step_back(gates_.row(first + sentence), step == 0 ? nullptr : cells_.row(before + sentence),
                     squashed_.row(first + sentence), hidden_gradient.row(first + sentence),
                     cell_gradient_.row(sentence), size);
    }
    if (step > 0) {
      multiply_add({gates_.row(first), steps.width(step), 4 * size, 1}, parameters.recurrent.packed_transposed,
                   hidden_gradient.row(before), size);
    }
  }
}

}  // namespace crossarc
