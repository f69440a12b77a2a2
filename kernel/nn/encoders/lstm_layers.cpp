#include "nn/encoders/lstm_layers.hpp"

namespace crossarc {

LstmLayers::LstmLayers(std::size_t inputs, std::size_t layers, std::size_t hidden_size) : hidden_size_(hidden_size) {
  for (std::size_t number = 0; number < 2 * layers; ++number) {
    lstms_.emplace_back(number < 2 ? inputs : 2 * hidden_size, hidden_size);
  }
}

void LstmLayers::list(const std::string& prefix, ParameterList& parameters) {
  for (std::size_t number = 0; number < lstms_.size(); ++number) {
    const std::string direction = number % 2 == 0 ? ".forward." : ".backward.";
    lstms_[number].list(prefix + "lstm." + std::to_string(number / 2) + direction, parameters);
  }
}

void LstmLayers::initialise(Random& random) {
  for (LstmParameters& lstm : lstms_) lstm.initialise(random);
}

void LstmLayers::sum_inputs(std::size_t layer, std::size_t direction, LeftRows& inputs, Matrix& sums) const {
  const LstmParameters& parameters = lstm(layer, direction);
  sums.resize(inputs.floats().rows, parameters.bias.columns);
  multiply_with_bias(inputs, parameters.input, parameters.bias, sums.values.data(), sums.columns);
}

const Matrix& LstmLayersReader::read(const Batch& batch, const Matrix& inputs) {
  return read(batch, inputs,
              [](std::size_t /* direction */, std::size_t row, const Matrix& sums) { return sums.row(row); });
}

const Matrix& LstmLayersReader::read(const Batch& batch, const Matrix& inputs, const FirstSums& first_sums) {
  const std::size_t size = layers_->hidden_size();
  steps_.set(batch.lengths);
  row_sums_.resize(batch.rows());
  for (std::size_t layer = 0; layer < said_.size(); ++layer) {
    left_.set(layer == 0 ? inputs : said_[layer - 1]);
    said_[layer].resize(batch.rows(), 2 * size);
    for (std::size_t direction = 0; direction < 2; ++direction) {
      layers_->sum_inputs(layer, direction, left_, sums_);
      const std::span<const std::int32_t> rows = steps_.rows(direction == 0);
      for (std::size_t row = 0; row < batch.rows(); ++row) {
        const auto from = static_cast<std::size_t>(rows[row]);
        row_sums_[row] = layer == 0 ? first_sums(direction, from, sums_) : sums_.row(from);
      }
      lstm_.read(layers_->lstm(layer, direction), row_sums_, steps_, rows, direction * size, said_[layer]);
    }
  }
  return said_.back();
}

}  // namespace crossarc
