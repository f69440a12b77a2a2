// The LSTM encoder: it reads whole sentences (Kiperwasser & Goldberg 2016). What is known of a word is embedded, added
// up in groups, and joined with what its characters say (characters.hpp); LSTM layers read the words in both
// directions. A batch of sentences is read at once, the longest first; words of which the same is known are read into
// the first layer once (shared_words.hpp). O(words · hidden size · (inputs + hidden size)) for each layer.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "nn/encoders/encoder.hpp"
#include "nn/encoders/lstm_layers.hpp"
#include "nn/encoders/word_inputs.hpp"

namespace crossarc {

struct LstmSizes : WordInputSizes {
  std::size_t layers = 1;
  std::size_t hidden_size = 0;  // in each direction

  explicit LstmSizes(SizeReader& sizes);
  LstmSizes() = default;
  std::size_t outputs() const { return 2 * hidden_size; }
};

class LstmEncoder : public Encoder {
 public:
  explicit LstmEncoder(LstmSizes sizes);

  std::size_t width() const override { return sizes_.outputs(); }
  std::size_t columns() const override { return sizes_.columns(); }
  void check(const SentenceTable& table) const override { inputs_.check(table); }
  bool reads_characters() const override { return sizes_.characters.outputs > 0; }
  RowOrder row_order() const override { return RowOrder::kTimeMajor; }
  void list(const std::string& prefix, ParameterList& parameters) override;
  void initialise(Random& random) override;
  std::unique_ptr<EncoderCall> begin(const SentenceTable& table, int threads) const override;
  std::unique_ptr<EncoderTape> tape() const override;

  const LstmSizes& sizes() const { return sizes_; }
  const WordInputs& inputs() const { return inputs_; }
  const LstmLayers& layers() const { return layers_; }

 private:
  LstmSizes sizes_;
  WordInputs inputs_;
  LstmLayers layers_;
};

}  // namespace crossarc
