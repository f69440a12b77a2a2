// Bidirectional LSTM layers, one upon the other (lstm_layer.hpp): the LSTM encoder has them behind what is read of
// words (lstm.hpp), a transformer may have them behind what it says of words (transformer.hpp). The rows of a batch are
// time-major. O(words · hidden size · (inputs + hidden size)) for each layer.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "nn/batch.hpp"
#include "nn/encoders/lstm_layer.hpp"

namespace crossarc {

class LstmLayers {
 public:
  // `hidden_size`: in each direction.
  LstmLayers(std::size_t inputs, std::size_t layers, std::size_t hidden_size);

  std::size_t size() const { return lstms_.size() / 2; }
  std::size_t hidden_size() const { return hidden_size_; }
  const LstmParameters& lstm(std::size_t layer, std::size_t direction) const { return lstms_[2 * layer + direction]; }
  void list(const std::string& prefix, ParameterList& parameters);
  void initialise(Random& random);
  // What inputs come to before anything is recurrent: bias + inputs · weights, a row for each of them.
  void sum_inputs(std::size_t layer, std::size_t direction, LeftRows& inputs, Matrix& sums) const;

 private:
  std::size_t hidden_size_;
  std::vector<LstmParameters> lstms_;  // two for each layer: forwards, backwards
};

// Reads batches to parse. Keeps its memory.
class LstmLayersReader {
 public:
  // For a direction and a row of the batch, what its input of the first layer comes to, given those of all inputs.
  using FirstSums = std::function<const float*(std::size_t direction, std::size_t row, const Matrix& sums)>;

  explicit LstmLayersReader(const LstmLayers& layers) : layers_(&layers), said_(layers.size()) {}

  // A row of `inputs` for each row of the batch.
  const Matrix& read(const Batch& batch, const Matrix& inputs);
  // With inputs that several rows share, say.
  const Matrix& read(const Batch& batch, const Matrix& inputs, const FirstSums& first_sums);

 private:
  const LstmLayers* layers_;
  TimeSteps steps_;
  std::vector<Matrix> said_;  // by each layer
  LstmReader lstm_;
  Matrix sums_;  // of the inputs of a layer in one direction
  std::vector<const float*> row_sums_;
  LeftRows left_;
};

}  // namespace crossarc
