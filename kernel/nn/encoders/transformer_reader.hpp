// Reads batches with a transformer (transformer.hpp). Pieces of several sequences are read together, as many as the
// caches hold beside a layer's weights; no sequence is filled up, so that nothing depends on what is read with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nn/encoders/attention.hpp"
#include "nn/encoders/transformer.hpp"

namespace crossarc {

// Keeps its memory.
class TransformerReader : public EncoderReader {
 public:
  // `forms`: what the characters of each form say, if they are read.
  TransformerReader(const TransformerEncoder& encoder, const FormTable& table, const Matrix& forms);

  const Matrix& read(const Batch& batch) override;

 private:
  // A window over a sentence of the batch.
  struct Sequence {
    std::size_t sentence = 0;
    PieceWindow window;
    std::size_t rows = 0;  // with the two special pieces
  };

  void cut(const Batch& batch);
  std::span<const std::uint32_t> pieces(const Batch& batch, std::size_t row) const;
  void read_together(const Batch& batch, std::span<const Sequence> sequences);
  void embed(const Batch& batch, std::span<const Sequence> sequences);
  void attend(const TransformerLayer& layer, std::span<const Sequence> sequences);
  void feed_forward(const TransformerLayer& layer);
  void mix(std::size_t layer);
  void say(const Batch& batch, std::span<const Sequence> sequences);

  const TransformerEncoder* encoder_;
  const TransformerSizes* sizes_;
  const FormTable* table_;
  const Matrix* forms_;
  std::vector<float> shares_;  // of the layers
  std::vector<Sequence> sequences_;
  std::vector<PieceWindow> windows_;
  std::vector<std::int32_t> counts_;  // of the pieces of each word of a sentence
  std::size_t rows_ = 0;              // that are read together
  Matrix states_, normed_, heads_, said_, hidden_, mixed_, beside_, encoded_;
  Attention attention_;
  LeftRows left_;
  LstmLayersReader lstm_layers_;
};

}  // namespace crossarc
