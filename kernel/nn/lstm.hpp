// A long short-term memory over a batch of sentences, in one direction, forwards and, to learn, backwards through time.
// The sentences go side by side, the longest first, so that one step is one product of matrices for all of them; to
// parse, with weights of floats or of bytes (nn/quantised.hpp). O(words · (inputs + cells) · cells).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nn/matrix.hpp"
#include "nn/quantised.hpp"

namespace crossarc {

// Where the words of a batch stand: first the first words of all sentences, then the second ones, and so on.
class WordOrder {
 public:
  // The lengths of the sentences, falling, none 0.
  void set(std::span<const std::int32_t> lengths);

  std::size_t rows() const { return rows_.back(); }
  std::size_t steps() const { return rows_.size() - 1; }
  std::size_t first_row(std::size_t step) const { return rows_[step]; }
  std::size_t width(std::size_t step) const { return rows_[step + 1] - rows_[step]; }
  std::size_t row(std::size_t sentence, std::size_t word) const { return rows_[word] + sentence; }
  // For each row the row of the word that is as far from the other end of its sentence.
  std::span<const std::int32_t> mirrored() const { return mirrored_; }

 private:
  std::vector<std::size_t> rows_{0};
  std::vector<std::int32_t> mirrored_;
};

struct LstmWeights {
  Matrix input;      // inputs × 4 cells: input, forget and output gates, candidates
  Matrix recurrent;  // cells × 4 cells
  Matrix bias;       // 1 × 4 cells
};

struct PackedLstm {
  PackedMatrix input, recurrent, input_back, recurrent_back;
  QuantisedMatrix input_bytes, recurrent_bytes;  // in place of the first two, where weights are bytes
};

// What the inputs of an LSTM come to before anything is recurrent: bias + inputs · weights, a row for each of them.
// `rounded`: the inputs as bytes, looked at where weights are bytes.
void sum_inputs(const LstmWeights& weights, const PackedLstm& packed, const Matrix& inputs,
                const QuantisedRows& rounded, Matrix& sums);

// Runs an LSTM to parse: nothing is kept but what it says. Keeps its memory.
class LstmReader {
 public:
  // `sums`: of each row of the order, what its input comes to. What it says of a row is written, from a column on, into
  // the row of `said` that `places` has for it.
  void read(const PackedLstm& packed, std::span<const float* const> sums, const WordOrder& order,
            std::span<const std::int32_t> places, std::size_t first_column, Matrix& said);

 private:
  Matrix gates_, cells_, hidden_;  // of one step, a row for each sentence
  QuantisedRows rounded_;
};

// To learn.
class Lstm {
 public:
  // `places`: for each row of the order, the row of the inputs to be read there.
  void forward_to_learn(const LstmWeights& weights, const PackedLstm& packed, const Matrix& inputs,
                        std::span<const std::int32_t> places, const WordOrder& order);
  const Matrix& hidden() const { return hidden_; }

  // Writes the gradients of the weights, and adds to those of the inputs. Done once after forward_to_learn.
  void backward(const PackedLstm& packed, std::span<const std::int32_t> places, const WordOrder& order,
                Matrix& hidden_gradient, LstmWeights& gradients, Matrix& input_gradients);

 private:
  // From the sums that inputs come to, in gates_.
  void run(const PackedLstm& packed, const WordOrder& order);
  void backward_through_time(const PackedLstm& packed, const WordOrder& order, Matrix& hidden_gradient);

  Matrix gates_, cells_, squashed_, hidden_;
  Matrix seen_;  // for each row its input, then what was hidden before it
  Matrix cell_gradient_, seen_gradient_;
  PackedMatrix packed_gradient_;
};

}  // namespace crossarc
