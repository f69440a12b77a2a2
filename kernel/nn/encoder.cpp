#include "nn/encoder.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "nn/activation.hpp"

namespace crossarc {

EncoderWeights::EncoderWeights(const EncoderShape& shape, bool with_embeddings) {
  const auto embed = [&](std::int32_t values, std::size_t dimension) {
    embeddings.emplace_back(with_embeddings ? static_cast<std::size_t>(values) : 0, dimension);
  };
  for (const std::int32_t values : shape.lexical_columns) embed(values, shape.lexical);
  for (const std::int32_t values : shape.grammatical_columns) embed(values, shape.grammatical);
  for (std::size_t number = 0; number < 2 * shape.layers; ++number) {
    const std::size_t inputs = number < 2 ? shape.inputs() : shape.outputs();
    lstms.push_back(
        {Matrix(inputs, 4 * shape.cells), Matrix(shape.cells, 4 * shape.cells), Matrix(1, 4 * shape.cells)});
  }
}

void EncoderWeights::initialise(Random& random) {
  for (Matrix& one : embeddings) {
    spread(one, 0.5F, random);
    std::fill_n(one.row(kNoValue), one.columns, 0.0F);
  }
  for (LstmWeights& one : lstms) {
    spread(one.input, random);
    spread(one.recurrent, random);
    // At first nothing is forgotten.
    const std::size_t cells = one.recurrent.rows;
    std::fill_n(one.bias.row(0) + cells, cells, 1.0F);
  }
}

void EncoderWeights::list(std::vector<Matrix*>& all) {
  for (Matrix& one : embeddings) all.push_back(&one);
  for (LstmWeights& one : lstms) all.insert(all.end(), {&one.input, &one.recurrent, &one.bias});
}

void Encoder::pack(bool to_learn) {
  packed.resize(weights.lstms.size());
  for (std::size_t number = 0; number < 3 * packed.size(); ++number) {
    pack(weights.embeddings.size() + number, to_learn);
  }
}

void Encoder::pack(std::size_t number, bool to_learn) {
  const std::size_t first = weights.embeddings.size();
  if (number < first) return;
  const LstmWeights& own = weights.lstms[(number - first) / 3];
  PackedLstm& one = packed[(number - first) / 3];
  const auto both = [&](const Matrix& matrix, PackedMatrix& forward, PackedMatrix& back) {
    forward.pack(matrix);
    if (to_learn) back.pack_transposed(matrix);
  };
  if ((number - first) % 3 == 0) both(own.input, one.input, one.input_back);
  if ((number - first) % 3 == 1) both(own.recurrent, one.recurrent, one.recurrent_back);
}

void SentenceBatch::gather(const SentenceTable& table, std::span<const std::int32_t> chosen) {
  const auto length = [&](std::int32_t sentence) { return table.length(static_cast<std::size_t>(sentence)); };
  sentences.clear();
  for (const std::int32_t sentence : chosen) {
    if (length(sentence) > 0) sentences.push_back(sentence);
  }
  std::stable_sort(sentences.begin(), sentences.end(),
                   [&](std::int32_t a, std::int32_t b) { return length(a) > length(b); });
  lengths.resize(sentences.size());
  std::transform(sentences.begin(), sentences.end(), lengths.begin(), length);
  order.set(lengths);
  columns = table.columns;
  values.resize(order.rows() * columns);
  sentence_of_row.resize(order.rows());
  for (std::size_t place = 0; place < sentences.size(); ++place) {
    const std::size_t first = table.first_word(static_cast<std::size_t>(sentences[place]));
    for (std::size_t word = 0; word < static_cast<std::size_t>(lengths[place]); ++word) {
      const std::size_t row = order.row(place, word);
      sentence_of_row[row] = static_cast<std::int32_t>(place);
      std::copy_n(table.row(first + word), columns, values.data() + row * columns);
    }
  }
}

void SentenceBatch::drop_words(std::span<const std::vector<std::int32_t>> counts, float words, Random& random) {
  for (std::size_t row = 0; row < order.rows(); ++row) {
    for (std::size_t column = 0; column < counts.size(); ++column) {
      std::uint32_t& value = values[row * columns + column];
      const auto count = static_cast<float>(counts[column][value]);
      if (random.share() < words / (words + count)) value = kUnknownValue;
    }
  }
}

std::vector<std::vector<std::int32_t>> batches_of(const SentenceTable& table) {
  constexpr std::size_t kSentences = 32;
  constexpr std::int32_t kWords = 2048;
  std::vector<std::int32_t> order(table.sentences());
  std::iota(order.begin(), order.end(), 0);
  const auto length = [&](std::int32_t sentence) { return table.length(static_cast<std::size_t>(sentence)); };
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return length(a) > length(b); });
  std::vector<std::vector<std::int32_t>> batches;
  std::int32_t words = 0;
  for (const std::int32_t sentence : order) {
    if (batches.empty() || batches.back().size() == kSentences || words + length(sentence) > kWords) {
      batches.emplace_back();
      words = 0;
    }
    batches.back().push_back(sentence);
    words += length(sentence);
  }
  return batches;
}

void SentenceReading::embed(const Encoder& encoder, std::span<const std::uint32_t> values, std::size_t words) {
  const EncoderShape& shape = encoder.shape;
  Matrix& inputs = layers_[0];
  inputs.reset(words, shape.inputs());
  for (std::size_t word = 0; word < words; ++word) {
    for (std::size_t column = 0; column < shape.columns(); ++column) {
      const Matrix& embeddings = encoder.weights.embeddings[column];
      add(inputs.row(word) + shape.input_of(column), embeddings.row(values[word * shape.columns() + column]),
          embeddings.columns);
    }
  }
}

// Words of which the same is known are read into the first layer once: numbers them, and lists their values.
void SentenceReading::find_different(const SentenceBatch& batch) {
  const std::size_t columns = batch.columns;
  const std::size_t words = batch.order.rows();
  const std::size_t mask = std::bit_ceil(2 * words + 1) - 1;
  table_.assign(mask + 1, -1);
  different_.clear();
  places_.resize(words);
  for (std::size_t word = 0; word < words; ++word) {
    const auto own = std::span(batch.values).subspan(word * columns, columns);
    std::uint64_t hash = 0;
    for (const std::uint32_t value : own) {
      hash = (hash ^ value) * 0xD6E8FEB86659FD93ULL;
      hash ^= hash >> 32;
    }
    std::size_t slot = hash & mask;
    while (table_[slot] >= 0 && !std::equal(own.begin(), own.end(),
                                            different_.begin() + table_[slot] * static_cast<std::ptrdiff_t>(columns))) {
      slot = (slot + 1) & mask;
    }
    if (table_[slot] < 0) {
      table_[slot] = static_cast<std::int32_t>(different_.size() / columns);
      different_.insert(different_.end(), own.begin(), own.end());
    }
    places_[word] = table_[slot];
  }
}

void SentenceReading::read_every_word(const WordOrder& order) {
  places_.resize(order.rows());
  std::iota(places_.begin(), places_.end(), 0);
  mirrored_places_.assign(order.mirrored().begin(), order.mirrored().end());
}

void SentenceReading::read(const Encoder& encoder, const SentenceBatch& batch) {
  layers_.resize(encoder.shape.layers + 1);
  find_different(batch);
  embed(encoder, different_, different_.size() / batch.columns);
  mirrored_places_.resize(batch.order.rows());
  for (std::size_t row = 0; row < batch.order.rows(); ++row) {
    mirrored_places_[row] = places_[static_cast<std::size_t>(batch.order.mirrored()[row])];
  }
  run(encoder, batch, false);
}

void SentenceReading::read_to_learn(const Encoder& encoder, const SentenceBatch& batch, const EncoderDropout& dropout,
                                    Random& random) {
  const EncoderShape& shape = encoder.shape;
  const WordOrder& order = batch.order;
  layers_.resize(shape.layers + 1);
  embed(encoder, batch.values, order.rows());
  input_mask_.resize(order.rows(), shape.inputs());
  fill_mask(input_mask_.values.data(), order.rows() * shape.inputs(), dropout.inputs, random.bits());
  scale(layers_[0].values.data(), input_mask_.values.data(), order.rows() * shape.inputs());
  layer_masks_.resize(shape.layers);
  for (Matrix& mask : layer_masks_) {
    mask.resize(order.steps() == 0 ? 0 : order.width(0), shape.outputs());
    fill_mask(mask.values.data(), mask.rows * mask.columns, dropout.layers, random.bits());
  }
  read_every_word(order);
  run(encoder, batch, true);
  input_gradients_.resize(shape.layers + 1);
  input_gradients_.back().resize(order.rows(), shape.outputs());
}

void SentenceReading::run(const Encoder& encoder, const SentenceBatch& batch, bool to_learn) {
  const EncoderShape& shape = encoder.shape;
  const WordOrder& order = batch.order;
  lstms_.resize(2 * shape.layers);
  for (std::size_t layer = 0; layer < shape.layers; ++layer) {
    if (layer == 1) read_every_word(order);
    for (std::size_t direction = 0; direction < 2; ++direction) {
      const std::size_t number = 2 * layer + direction;
      const auto forward = to_learn ? &Lstm::forward_to_learn : &Lstm::forward;
      (lstms_[number].*forward)(encoder.weights.lstms[number], encoder.packed[number], layers_[layer],
                                direction == 0 ? places_ : mirrored_places_, order);
    }
    Matrix& said = layers_[layer + 1];
    said.resize(order.rows(), shape.outputs());
    for (std::size_t row = 0; row < order.rows(); ++row) {
      std::copy_n(lstms_[2 * layer].hidden().row(row), shape.cells, said.row(row));
      std::copy_n(lstms_[2 * layer + 1].hidden().row(static_cast<std::size_t>(order.mirrored()[row])), shape.cells,
                  said.row(row) + shape.cells);
      if (!to_learn) continue;
      scale(said.row(row), layer_masks_[layer].row(static_cast<std::size_t>(batch.sentence_of_row[row])),
            shape.outputs());
    }
  }
}

void SentenceReading::backward(const Encoder& encoder, const SentenceBatch& batch, EncoderWeights& gradients) {
  const EncoderShape& shape = encoder.shape;
  const WordOrder& order = batch.order;
  for (std::size_t layer = shape.layers; layer-- > 0;) {
    Matrix& said = input_gradients_[layer + 1];
    for (std::size_t row = 0; row < order.rows(); ++row) {
      scale(said.row(row), layer_masks_[layer].row(static_cast<std::size_t>(batch.sentence_of_row[row])),
            shape.outputs());
    }
    input_gradients_[layer].reset(order.rows(), layers_[layer].columns);
    for (std::size_t direction = 0; direction < 2; ++direction) {
      hidden_gradient_.resize(order.rows(), shape.cells);
      for (std::size_t row = 0; row < order.rows(); ++row) {
        const std::size_t from = direction == 0 ? row : static_cast<std::size_t>(order.mirrored()[row]);
        std::copy_n(said.row(from) + direction * shape.cells, shape.cells, hidden_gradient_.row(row));
      }
      const std::size_t number = 2 * layer + direction;
      lstms_[number].backward(encoder.packed[number], direction == 0 ? places_ : mirrored_places_, order,
                              hidden_gradient_, gradients.lstms[number], input_gradients_[layer]);
    }
  }
  scale(input_gradients_[0].values.data(), input_mask_.values.data(), order.rows() * shape.inputs());
}

void SentenceReading::add_embedding_gradients(const EncoderShape& shape, const SentenceBatch& batch, std::size_t column,
                                              RowGradients& gradients) const {
  for (std::size_t row = 0; row < batch.order.rows(); ++row) {
    const std::uint32_t value = batch.values[row * batch.columns + column];
    if (value != kNoValue) gradients.add(value, input_gradients_[0].row(row) + shape.input_of(column));
  }
}

}  // namespace crossarc
