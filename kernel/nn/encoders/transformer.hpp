// The transformer encoder (Vaswani et al. 2017): it reads the pieces of all words of a sentence between two special
// ones. BERT and RoBERTa (norm after each part of a layer, learnt positions) and our own (norm before, rotary
// positions) are sizes of it. A word is the mean of its pieces in a mixture of all layers; what else is read of words
// stands beside it (word_inputs.hpp), and the artificial root is the first special piece. LSTM layers may read both
// (lstm_layers.hpp). Long sentences are read in windows (piece_windows.hpp). Learnt in torch only. O(pieces · hidden
// size · (hidden size + feed-forward size + window)) for each layer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "nn/encoders/encoder.hpp"
#include "nn/encoders/lstm_layers.hpp"
#include "nn/encoders/piece_windows.hpp"
#include "nn/encoders/word_inputs.hpp"
#include "nn/layer_functions.hpp"

namespace crossarc {

struct TransformerSizes : WordInputSizes {
  std::size_t layers = 1;
  std::size_t hidden_size = 0;
  std::size_t attention_heads = 1;
  std::size_t feed_forward_size = 0;
  std::size_t pieces = 0;
  std::uint32_t begin = 0;  // the special pieces
  std::uint32_t end = 0;
  bool norm_before = false;
  std::size_t positions = 0;  // 0: rotary ones
  std::size_t first_position = 0;
  std::size_t rotary_base = 0;
  Activation activation = Activation::kGelu;
  bool token_types = false;
  float norm_epsilon = 0.0F;
  bool first_pieces = false;  // a word is its first piece, not the mean of all
  WindowSizes window;
  std::size_t lstm_layers = 0;
  std::size_t lstm_hidden_size = 0;  // in each direction

  explicit TransformerSizes(SizeReader& sizes);
  // How many values are said of a word before LSTM layers.
  std::size_t of_word() const { return hidden_size + inputs(); }
  std::size_t head_size() const { return hidden_size / attention_heads; }
};

struct NormParameters {
  Parameter scale, bias;

  explicit NormParameters(std::size_t size) : scale(Use::kValues, 1, size), bias(Use::kValues, 1, size) {}
  void list(const std::string& prefix, ParameterList& parameters);
  void initialise() { std::fill(scale.values.values.begin(), scale.values.values.end(), 1.0F); }
  NormRow row(float epsilon) const { return {scale.row(0), bias.row(0), epsilon}; }
};

// A matrix and the bias of what it makes.
struct LinearParameters {
  Parameter weights, bias;

  LinearParameters(std::size_t inputs, std::size_t outputs)
      : weights(Use::kInt8Factor, inputs, outputs), bias(Use::kValues, 1, outputs) {}
  void list(const std::string& name, ParameterList& parameters);
};

struct TransformerLayer {
  LinearParameters query, key, value, output;
  NormParameters attention_norm;
  LinearParameters hidden, said;
  NormParameters feed_forward_norm;

  explicit TransformerLayer(const TransformerSizes& sizes);
  void list(const std::string& prefix, ParameterList& parameters);
  void initialise(Random& random);
};

class TransformerEncoder : public Encoder {
 public:
  explicit TransformerEncoder(TransformerSizes sizes);

  std::size_t width() const override { return sizes_.lstm_layers > 0 ? 2 * sizes_.lstm_hidden_size : sizes_.of_word(); }
  std::size_t columns() const override { return sizes_.columns(); }
  void check(const SentenceTable& table) const override;
  bool reads_characters() const override { return inputs_.reads_characters(); }
  bool reads_pieces() const override { return true; }
  RowOrder row_order() const override {
    return sizes_.lstm_layers > 0 ? RowOrder::kTimeMajor : RowOrder::kSentenceMajor;
  }
  void list(const std::string& prefix, ParameterList& parameters) override;
  void initialise(Random& random) override;
  std::unique_ptr<EncoderCall> begin(const SentenceTable& table, int threads) const override;

  const TransformerSizes& sizes() const { return sizes_; }
  const WordInputs& inputs() const { return inputs_; }
  const LstmLayers& lstm_layers() const { return lstm_layers_; }
  const TransformerLayer& layer(std::size_t number) const { return layers_[number]; }
  NormRow norm() const { return norm_.row(sizes_.norm_epsilon); }
  // The share of the embeddings and of each layer in what is said of a word.
  std::vector<float> mixture() const;
  // Writes the state of a piece at a position of its sequence before the first layer.
  void embed(std::uint32_t piece, std::size_t position, float* state) const;
  // Turns the queries or keys of a piece by its position, if positions are rotary.
  void turn_heads(std::size_t position, float* values) const;

 private:
  TransformerSizes sizes_;
  WordInputs inputs_;
  Parameter pieces_, positions_, token_type_;
  NormParameters norm_;  // of the embeddings, or behind the last layer
  std::vector<TransformerLayer> layers_;
  Parameter mixture_;  // before it becomes shares
  LstmLayers lstm_layers_;
  Matrix cosines_, sines_;  // of the angles of each position
};

}  // namespace crossarc
