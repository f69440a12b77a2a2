#include "nn/encoders/transformer_reader.hpp"

#include <algorithm>
#include <memory>

#include "nn/activation.hpp"

namespace crossarc {
namespace {

// Rows that are read together, about: their states stay in the second cache, and weights are read seldom enough.
constexpr std::size_t kTogether = 256;
// Rows whose hidden layer is made before the next ones: it stays in the second cache.
constexpr std::size_t kHiddenRows = 64;

}  // namespace

TransformerReader::TransformerReader(const TransformerEncoder& encoder, const FormTable& table, const Matrix& forms)
    : encoder_(&encoder),
      sizes_(&encoder.sizes()),
      table_(&table),
      forms_(&forms),
      shares_(encoder.mixture()),
      lstm_layers_(encoder.lstm_layers()) {}

const Matrix& TransformerReader::read(const Batch& batch) {
  encoded_.resize(batch.rows(), sizes_->of_word());
  cut(batch);
  for (std::size_t first = 0; first < sequences_.size();) {
    std::size_t last = first;
    rows_ = 0;
    while (last < sequences_.size() && (last == first || rows_ + sequences_[last].rows <= kTogether)) {
      rows_ += sequences_[last++].rows;
    }
    read_together(batch, std::span(sequences_).subspan(first, last - first));
    first = last;
  }
  if (sizes_->inputs() > 0) {
    encoder_->inputs().embed(batch.values, batch.columns, forms_, beside_);
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      std::copy_n(beside_.row(row), beside_.columns, encoded_.row(row) + sizes_->hidden_size);
    }
  }
  return sizes_->lstm_layers > 0 ? lstm_layers_.read(batch, encoded_) : encoded_;
}

// Of a word with more pieces than a window has, the first ones are read.
std::span<const std::uint32_t> TransformerReader::pieces(const Batch& batch, std::size_t row) const {
  const std::span<const std::uint32_t> all = table_->pieces_of(batch.form(row) - 1);
  return all.first(std::min(all.size(), sizes_->window.pieces));
}

// The words of a window are those of the sentence without the artificial root.
void TransformerReader::cut(const Batch& batch) {
  sequences_.clear();
  for (std::size_t sentence = 0; sentence < batch.size(); ++sentence) {
    const std::size_t root = batch.form(batch.row(sentence, 0)) == 0 ? 1 : 0;
    counts_.clear();
    for (std::size_t word = root; word < batch.words(sentence); ++word) {
      counts_.push_back(static_cast<std::int32_t>(pieces(batch, batch.row(sentence, word)).size()));
    }
    cut_windows(counts_, sizes_->window, windows_);
    for (const PieceWindow& window : windows_) {
      std::size_t rows = 2;
      for (std::size_t word = window.begin; word < window.end; ++word) rows += static_cast<std::size_t>(counts_[word]);
      sequences_.push_back({sentence, window, rows});
    }
  }
}

void TransformerReader::read_together(const Batch& batch, std::span<const Sequence> sequences) {
  embed(batch, sequences);
  mixed_.resize(rows_, sizes_->hidden_size);
  std::fill_n(mixed_.values.data(), rows_ * sizes_->hidden_size, 0.0F);
  mix(0);
  for (std::size_t number = 0; number < sizes_->layers; ++number) {
    attend(encoder_->layer(number), sequences);
    feed_forward(encoder_->layer(number));
    mix(number + 1);
  }
  say(batch, sequences);
}

void TransformerReader::embed(const Batch& batch, std::span<const Sequence> sequences) {
  states_.resize(rows_, sizes_->hidden_size);
  std::size_t row = 0;
  for (const Sequence& sequence : sequences) {
    const std::size_t root = batch.form(batch.row(sequence.sentence, 0)) == 0 ? 1 : 0;
    std::size_t position = 0;
    encoder_->embed(sizes_->begin, position++, states_.row(row++));
    for (std::size_t word = sequence.window.begin; word < sequence.window.end; ++word) {
      for (const std::uint32_t piece : pieces(batch, batch.row(sequence.sentence, word + root))) {
        encoder_->embed(piece, position++, states_.row(row++));
      }
    }
    encoder_->embed(sizes_->end, position, states_.row(row++));
  }
}

// Adds to the states what attention says of them.
void TransformerReader::attend(const TransformerLayer& layer, std::span<const Sequence> sequences) {
  const std::size_t size = sizes_->hidden_size;
  const NormRow norm = layer.attention_norm.row(sizes_->norm_epsilon);
  if (sizes_->norm_before) {
    normed_.resize(rows_, size);
    for (std::size_t row = 0; row < rows_; ++row) layer_norm(norm, states_.row(row), normed_.row(row), size);
  }
  left_.set((sizes_->norm_before ? normed_ : states_).values.data(), rows_, size, size);
  heads_.resize(rows_, 3 * size);
  float* const heads = heads_.values.data();
  multiply_with_bias(left_, layer.query.weights, layer.query.bias, heads, 3 * size);
  multiply_with_bias(left_, layer.key.weights, layer.key.bias, heads + size, 3 * size);
  multiply_with_bias(left_, layer.value.weights, layer.value.bias, heads + 2 * size, 3 * size);
  said_.resize(rows_, size);
  std::size_t first = 0;
  for (const Sequence& sequence : sequences) {
    for (std::size_t position = 0; position < sequence.rows; ++position) {
      encoder_->turn_heads(position, heads_.row(first + position));
      encoder_->turn_heads(position, heads_.row(first + position) + size);
    }
    const float* const rows = heads_.row(first);
    attention_.read(
        {rows, rows + size, rows + 2 * size, 3 * size, sequence.rows, sizes_->attention_heads, sizes_->head_size()},
        said_.row(first), size);
    first += sequence.rows;
  }
  left_.set(said_.values.data(), rows_, size, size);
  multiply_with_bias(left_, layer.output.weights, layer.output.bias, heads, size);
  for (std::size_t row = 0; row < rows_; ++row) {
    add(states_.row(row), heads + row * size, size);
    if (!sizes_->norm_before) layer_norm(norm, states_.row(row), size);
  }
}

// Adds to the states what the hidden layer says of them.
void TransformerReader::feed_forward(const TransformerLayer& layer) {
  const std::size_t size = sizes_->hidden_size;
  const std::size_t hidden = sizes_->feed_forward_size;
  const NormRow norm = layer.feed_forward_norm.row(sizes_->norm_epsilon);
  const bool eight_bits = layer.hidden.weights.is_int8();
  hidden_.resize(kHiddenRows, hidden);
  said_.resize(std::max(rows_, kHiddenRows), size);
  normed_.resize(std::max(rows_, kHiddenRows), size);
  for (std::size_t first = 0; first < rows_; first += kHiddenRows) {
    const std::size_t rows = std::min(kHiddenRows, rows_ - first);
    float* const states = states_.row(first);
    if (sizes_->norm_before) {
      for (std::size_t row = 0; row < rows; ++row) layer_norm(norm, states + row * size, normed_.row(row), size);
    }
    left_.set(sizes_->norm_before ? normed_.values.data() : states, rows, size, size);
    multiply_with_bias(left_, layer.hidden.weights, layer.hidden.bias, hidden_.values.data(), hidden);
    activate(sizes_->activation, eight_bits, hidden_.values.data(), rows * hidden);
    left_.set(hidden_.values.data(), rows, hidden, hidden);
    multiply_with_bias(left_, layer.said.weights, layer.said.bias, said_.values.data(), size);
    for (std::size_t row = 0; row < rows; ++row) {
      add(states + row * size, said_.row(row), size);
      if (!sizes_->norm_before) layer_norm(norm, states + row * size, size);
    }
  }
}

// Adds the share of a layer; where norms are before the parts of layers, as it is behind the last norm.
void TransformerReader::mix(std::size_t layer) {
  const std::size_t size = sizes_->hidden_size;
  const float share = shares_[layer];
  if (!sizes_->norm_before) return add_scaled(mixed_.values.data(), states_.values.data(), share, rows_ * size);
  normed_.resize(rows_, size);
  for (std::size_t row = 0; row < rows_; ++row) {
    layer_norm(encoder_->norm(), states_.row(row), normed_.row(row), size);
  }
  add_scaled(mixed_.values.data(), normed_.values.data(), share, rows_ * size);
}

void TransformerReader::say(const Batch& batch, std::span<const Sequence> sequences) {
  const std::size_t size = sizes_->hidden_size;
  std::size_t first = 0;
  for (const Sequence& sequence : sequences) {
    const PieceWindow& window = sequence.window;
    const std::size_t root = batch.form(batch.row(sequence.sentence, 0)) == 0 ? 1 : 0;
    if (root == 1 && window.begin == 0) {
      std::copy_n(mixed_.row(first), size, encoded_.row(batch.row(sequence.sentence, 0)));
    }
    std::size_t row = first + 1;
    for (std::size_t word = window.begin; word < window.end; ++word) {
      const std::size_t to = batch.row(sequence.sentence, word + root);
      const std::size_t count = pieces(batch, to).size();
      if (word >= window.first_taken && word < window.last_taken) {
        float* const said = encoded_.row(to);
        std::copy_n(mixed_.row(row), size, said);
        const std::size_t read = sizes_->first_pieces ? 1 : count;
        for (std::size_t piece = 1; piece < read; ++piece) add(said, mixed_.row(row + piece), size);
        const float share = 1.0F / static_cast<float>(read);
        if (read > 1) std::transform(said, said + size, said, [share](float value) { return value * share; });
      }
      row += count;
    }
    first += sequence.rows;
  }
}

namespace {

class TransformerCall : public EncoderCall {
 public:
  TransformerCall(const TransformerEncoder& encoder, const SentenceTable& table, int threads)
      : encoder_(&encoder), table_(table.forms) {
    if (encoder.reads_characters()) forms_ = read_forms(encoder.inputs().characters(), table.forms, threads);
  }

  std::unique_ptr<EncoderReader> reader() const override {
    return std::make_unique<TransformerReader>(*encoder_, table_, forms_);
  }

 private:
  const TransformerEncoder* encoder_;
  FormTable table_;
  Matrix forms_;
};

}  // namespace

std::unique_ptr<EncoderCall> TransformerEncoder::begin(const SentenceTable& table, int threads) const {
  return std::make_unique<TransformerCall>(*this, table, threads);
}

}  // namespace crossarc
