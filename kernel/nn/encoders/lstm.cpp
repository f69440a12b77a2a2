#include "nn/encoders/lstm.hpp"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "core/threads.hpp"
#include "nn/activation.hpp"
#include "nn/encoders/shared_words.hpp"

namespace crossarc {
namespace {

const Registry<Encoder> kRegistered("lstm",
                                    [](std::size_t /* inputs */, SizeReader& sizes) -> std::unique_ptr<Encoder> {
                                      return std::make_unique<LstmEncoder>(LstmSizes(sizes));
                                    });

}  // namespace

LstmSizes::LstmSizes(SizeReader& sizes) : WordInputSizes(sizes) {
  if (groups.empty()) throw std::invalid_argument("an LSTM reads at least one group of columns");
  layers = sizes.take("layers", 1, 8);
  hidden_size = sizes.take("hidden_size");
}

LstmEncoder::LstmEncoder(LstmSizes sizes)
    : sizes_(std::move(sizes)), inputs_(sizes_), layers_(sizes_.inputs(), sizes_.layers, sizes_.hidden_size) {}

void LstmEncoder::list(const std::string& prefix, ParameterList& parameters) {
  inputs_.list_embeddings(prefix, parameters);
  layers_.list(prefix, parameters);
  inputs_.list_characters(prefix, parameters);
}

void LstmEncoder::initialise(Random& random) {
  inputs_.initialise_embeddings(random);
  layers_.initialise(random);
  inputs_.initialise_characters(random);
}

namespace {

// To parse: words of which the same is known are read into the first layer once.
class LstmEncoderReader : public EncoderReader {
 public:
  LstmEncoderReader(const LstmEncoder& encoder, const Matrix& forms, const SharedWords& shared)
      : encoder_(&encoder), forms_(&forms), shared_(&shared), layers_(encoder.layers()) {}

  const Matrix& read(const Batch& batch) override {
    find_different(batch);
    encoder_->inputs().embed(different_.values(), batch.columns, forms_, inputs_);
    return layers_.read(batch, inputs_, [&](std::size_t direction, std::size_t row, const Matrix& sums) {
      return numbers_[row] < 0 ? shared_->sums(direction, batch.word_of_row[row])
                               : sums.row(static_cast<std::size_t>(numbers_[row]));
    });
  }

 private:
  void find_different(const Batch& batch) {
    different_.clear(batch.columns, batch.rows());
    numbers_.resize(batch.rows());
    for (std::size_t row = 0; row < numbers_.size(); ++row) {
      const bool is_shared = shared_->sums(0, batch.word_of_row[row]) != nullptr;
      numbers_[row] = is_shared ? -1 : different_.number(batch.row_values(row));
    }
  }

  const LstmEncoder* encoder_;
  const Matrix* forms_;
  const SharedWords* shared_;
  LstmLayersReader layers_;
  DifferentWords different_;
  Matrix inputs_;                      // of the different words
  std::vector<std::int32_t> numbers_;  // among them, of each row; -1 for words that are shared
};

class LstmEncoderCall : public EncoderCall {
 public:
  LstmEncoderCall(const LstmEncoder& encoder, const SentenceTable& table, int threads)
      : encoder_(&encoder),
        forms_(read_forms(encoder.inputs().characters(), table.forms, threads)),
        shared_(encoder, table, forms_, threads) {}

  std::unique_ptr<EncoderReader> reader() const override {
    return std::make_unique<LstmEncoderReader>(*encoder_, forms_, shared_);
  }

 private:
  const LstmEncoder* encoder_;
  Matrix forms_;  // what the characters of each form of the table say, if they are read
  SharedWords shared_;
};

// To learn, with dropout; the words of a sentence share the mask of a layer.
class LstmEncoderTape : public EncoderTape {
 public:
  explicit LstmEncoderTape(const LstmEncoder& encoder)
      : encoder_(&encoder),
        sizes_(&encoder.sizes()),
        layers_(sizes_->layers + 1),
        input_gradients_(sizes_->layers + 1) {}

  const Matrix& read(const SentenceTable& table, const Batch& batch, const EncoderDropout& dropout,
                     Random& random) override {
    steps_.set(batch.lengths);
    encoder_->inputs().embed(batch.values, batch.columns, nullptr, layers_[0]);
    if (encoder_->reads_characters()) read_characters(table.forms, batch);
    draw_input_mask(dropout, random);
    scale(layers_[0].values.data(), input_mask_.values.data(), batch.rows() * sizes_->inputs());
    layer_masks_.resize(sizes_->layers);
    for (Matrix& mask : layer_masks_) {
      mask.resize(batch.size(), sizes_->outputs());
      fill_mask(mask.values.data(), mask.rows * mask.columns, dropout.layers, random.bits());
    }
    run(batch);
    return layers_.back();
  }

  void backward(const Batch& batch, Matrix& gradient, Gradients& gradients) override {
    const std::size_t size = sizes_->hidden_size;
    for (std::size_t layer = sizes_->layers; layer-- > 0;) {
      Matrix& outputs = layer + 1 == sizes_->layers ? gradient : input_gradients_[layer + 1];
      mask_layer(batch, layer, outputs);
      input_gradients_[layer].reset(batch.rows(), layers_[layer].columns);
      for (std::size_t direction = 0; direction < 2; ++direction) {
        const std::span<const std::int32_t> rows = steps_.rows(direction == 0);
        hidden_gradient_.resize(batch.rows(), size);
        for (std::size_t row = 0; row < batch.rows(); ++row) {
          std::copy_n(outputs.row(static_cast<std::size_t>(rows[row])) + direction * size, size,
                      hidden_gradient_.row(row));
        }
        lstms_[2 * layer + direction].backward(encoder_->layers().lstm(layer, direction), rows, steps_,
                                               hidden_gradient_, gradients, input_gradients_[layer]);
      }
    }
    scale(input_gradients_[0].values.data(), input_mask_.values.data(), batch.rows() * sizes_->inputs());
    if (encoder_->reads_characters()) backward_characters(gradients);
  }

  void add_embedding_gradients(const Batch& batch, const Parameter& embeddings,
                               RowGradients& gradients) const override {
    const std::size_t column = encoder_->inputs().column(embeddings);
    const std::size_t first = encoder_->inputs().first_input(column);
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      const std::uint32_t value = batch.row_values(row)[column];
      if (value != kNoValue) gradients.add(value, input_gradients_[0].row(row) + first);
    }
  }

 private:
  // The different forms of a batch, numbered as they come, are read once each.
  void read_characters(const FormTable& forms, const Batch& batch) {
    std::unordered_map<std::uint32_t, std::uint32_t> numbers;
    forms_.clear();
    form_numbers_.resize(batch.rows());
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      const std::uint32_t form = batch.form(row);
      form_numbers_[row] = 0;
      if (form == 0) continue;
      const auto [entry, is_new] = numbers.try_emplace(form, static_cast<std::uint32_t>(forms_.size() + 1));
      if (is_new) forms_.push_back(static_cast<std::int32_t>(form - 1));
      form_numbers_[row] = entry->second;
    }
    characters_.read(encoder_->inputs().characters(), forms, forms_, true);
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      if (form_numbers_[row] == 0) continue;
      std::copy_n(characters_.values().row(form_numbers_[row] - 1), sizes_->characters.outputs,
                  layers_[0].row(row) + sizes_->embedded());
    }
  }

  void backward_characters(Gradients& gradients) {
    form_gradient_.reset(forms_.size(), sizes_->characters.outputs);
    for (std::size_t row = 0; row < form_numbers_.size(); ++row) {
      if (form_numbers_[row] == 0) continue;
      add(form_gradient_.row(form_numbers_[row] - 1), input_gradients_[0].row(row) + sizes_->embedded(),
          sizes_->characters.outputs);
    }
    characters_.backward(encoder_->inputs().characters(), form_gradient_, gradients);
  }

  void draw_input_mask(const EncoderDropout& dropout, Random& random) {
    const std::size_t rows = layers_[0].rows;
    input_mask_.resize(rows, sizes_->inputs());
    fill_mask(input_mask_.values.data(), rows * sizes_->inputs(), dropout.inputs, random.bits());
    if (dropout.groups <= 0.0F) return;
    std::vector<std::size_t> widths;
    for (const EmbeddingGroup& group : sizes_->groups) widths.push_back(group.embedding_size);
    if (encoder_->reads_characters()) widths.push_back(sizes_->characters.outputs);
    std::vector<float> factors(widths.size());
    for (std::size_t row = 0; row < rows; ++row) {
      float kept = 0.0F;
      for (float& factor : factors) kept += factor = random.share() < dropout.groups ? 0.0F : 1.0F;
      float* mask = input_mask_.row(row);
      for (std::size_t group = 0; group < factors.size(); ++group) {
        const float factor = factors[group] * static_cast<float>(factors.size()) / std::max(kept, 1.0F);
        for (std::size_t column = 0; column < widths[group]; ++column) *mask++ *= factor;
      }
    }
  }

  void run(const Batch& batch) {
    const std::size_t size = sizes_->hidden_size;
    lstms_.resize(2 * sizes_->layers);
    for (std::size_t layer = 0; layer < sizes_->layers; ++layer) {
      Matrix& outputs = layers_[layer + 1];
      outputs.resize(batch.rows(), sizes_->outputs());
      for (std::size_t direction = 0; direction < 2; ++direction) {
        Lstm& lstm = lstms_[2 * layer + direction];
        const std::span<const std::int32_t> rows = steps_.rows(direction == 0);
        lstm.forward_to_learn(encoder_->layers().lstm(layer, direction), layers_[layer], rows, steps_);
        for (std::size_t row = 0; row < batch.rows(); ++row) {
          std::copy_n(lstm.hidden().row(static_cast<std::size_t>(rows[row])), size,
                      outputs.row(row) + direction * size);
        }
      }
      mask_layer(batch, layer, outputs);
    }
  }

  void mask_layer(const Batch& batch, std::size_t layer, Matrix& outputs) const {
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      scale(outputs.row(row), layer_masks_[layer].row(static_cast<std::size_t>(batch.sentence_of_row[row])),
            sizes_->outputs());
    }
  }

  const LstmEncoder* encoder_;
  const LstmSizes* sizes_;
  TimeSteps steps_;
  std::vector<Matrix> layers_;           // the inputs of each, and what the last one says
  std::vector<Matrix> input_gradients_;  // of each layer
  std::vector<Lstm> lstms_;
  std::vector<Matrix> layer_masks_;
  Matrix input_mask_, hidden_gradient_, form_gradient_;
  CharacterReading characters_;
  std::vector<std::int32_t> forms_;          // the different forms of the batch
  std::vector<std::uint32_t> form_numbers_;  // of each row the number of its form among them, and 1; 0 for the root
};

}  // namespace

std::unique_ptr<EncoderCall> LstmEncoder::begin(const SentenceTable& table, int threads) const {
  return std::make_unique<LstmEncoderCall>(*this, table, threads);
}

std::unique_ptr<EncoderTape> LstmEncoder::tape() const { return std::make_unique<LstmEncoderTape>(*this); }

}  // namespace crossarc
