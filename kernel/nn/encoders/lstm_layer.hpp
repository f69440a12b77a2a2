// A long short-term memory over a batch of sentences, in one direction, forwards and, to learn, backwards through time.
// The sentences go side by side, the longest first, so that one step is one product of matrices for all of them; to
// parse, with weights of floats or of eight bits (nn/quantised.hpp). O(words · (inputs + hidden size) · hidden size).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "nn/matrix.hpp"
#include "nn/parameters.hpp"

namespace crossarc {

// The steps of a batch whose rows are time-major (nn/batch.hpp): step n reads the word n of every sentence that has it.
class TimeSteps {
 public:
  // The lengths of the sentences, falling, none 0.
  void set(std::span<const std::int32_t> lengths);

  std::size_t rows() const { return rows_.back(); }
  std::size_t steps() const { return rows_.size() - 1; }
  std::size_t first_row(std::size_t step) const { return rows_[step]; }
  std::size_t width(std::size_t step) const { return rows_[step + 1] - rows_[step]; }
  std::size_t most() const { return steps() == 0 ? 0 : width(0); }
  std::size_t row(std::size_t sentence, std::size_t word) const { return rows_[word] + sentence; }
  // For each row itself forwards; backwards the row of the word that is as far from the other end of its sentence.
  std::span<const std::int32_t> rows(bool forwards) const { return forwards ? same_ : mirrored_; }

 private:
  std::vector<std::size_t> rows_{0};
  std::vector<std::int32_t> same_, mirrored_;
};

struct LstmParameters {
  Parameter input;      // inputs × 4 hidden sizes: input, forget and output gates, candidates
  Parameter recurrent;  // hidden size × 4 hidden sizes
  Parameter bias;       // 1 × 4 hidden sizes

  LstmParameters(std::size_t inputs, std::size_t hidden_size)
      : input(Use::kInt8Factor, inputs, 4 * hidden_size),
        recurrent(Use::kInt8Factor, hidden_size, 4 * hidden_size),
        bias(Use::kValues, 1, 4 * hidden_size) {}
  void list(const std::string& prefix, ParameterList& parameters);
  void initialise(Random& random);
};

// Runs an LSTM to parse: nothing is kept but what it says. Keeps its memory.
class LstmReader {
 public:
  // `sums`: of each row of the steps, what its input comes to: bias + input · weights. What the LSTM says of a row is
  // written, from a column on, into the row of `outputs` that `rows` has for it.
  void read(const LstmParameters& parameters, std::span<const float* const> sums, const TimeSteps& steps,
            std::span<const std::int32_t> rows, std::size_t first_column, Matrix& outputs);

 private:
  Matrix gates_, cells_, hidden_;  // of one step, a row for each sentence
  LeftRows left_;
};

// To learn.
class Lstm {
 public:
  // `rows`: for each row of the steps, the row of the inputs to be read there.
  void forward_to_learn(const LstmParameters& parameters, const Matrix& inputs, std::span<const std::int32_t> rows,
                        const TimeSteps& steps);
  const Matrix& hidden() const { return hidden_; }

  // Writes the gradients of the parameters, and adds to those of the inputs. Done once after forward_to_learn.
  void backward(const LstmParameters& parameters, std::span<const std::int32_t> rows, const TimeSteps& steps,
                Matrix& hidden_gradient, Gradients& gradients, Matrix& input_gradients);

 private:
  // From the sums that inputs come to, in gates_.
  void run(const LstmParameters& parameters, const TimeSteps& steps);
  void backward_through_time(const LstmParameters& parameters, const TimeSteps& steps, Matrix& hidden_gradient);

  Matrix gates_, cells_, squashed_, hidden_;
  Matrix seen_;  // for each row its input, then what was hidden before it
  Matrix cell_gradient_, seen_gradient_;
  PackedMatrix packed_gradient_;
};

}  // namespace crossarc
