#include "nn/encoder.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <unordered_map>

#include "core/threads.hpp"
#include "nn/activation.hpp"

namespace crossarc {

std::size_t EncoderShape::columns() const {
  std::size_t sum = 0;
  for (const EmbeddingGroup& group : groups) sum += group.columns.size();
  return sum;
}

std::size_t EncoderShape::embedded() const {
  std::size_t sum = 0;
  for (const EmbeddingGroup& group : groups) sum += group.dimension;
  return sum;
}

std::size_t EncoderShape::weight_count() const {
  std::size_t count = characters.weight_count();
  for (const EmbeddingGroup& group : groups) {
    for (const std::int32_t values : group.columns) count += static_cast<std::size_t>(values) * group.dimension;
  }
  const auto of_lstm = [&](std::size_t from) { return 4 * cells * (from + cells + 1); };
  return count + 2 * (of_lstm(inputs()) + (layers - 1) * of_lstm(outputs()));
}

EncoderWeights::EncoderWeights(const EncoderShape& shape, bool with_embeddings) : characters(shape.characters) {
  for (const EmbeddingGroup& group : shape.groups) {
    for (const std::int32_t values : group.columns) {
      embeddings.emplace_back(with_embeddings ? static_cast<std::size_t>(values) : 0, group.dimension);
    }
  }
  for (std::size_t number = 0; number < 2 * shape.layers; ++number) {
    const std::size_t inputs = number < 2 ? shape.inputs() : shape.outputs();
    lstms.push_back(
        {Matrix(inputs, 4 * shape.cells), Matrix(shape.cells, 4 * shape.cells), Matrix(1, 4 * shape.cells)});
  }
}

void EncoderWeights::initialise(Random& random, float embedding_range) {
  for (Matrix& one : embeddings) {
    spread(one, embedding_range, random);
    std::fill_n(one.row(kNoValue), one.columns, 0.0F);
  }
  for (LstmWeights& one : lstms) {
    spread(one.input, random);
    spread(one.recurrent, random);
    // At first nothing is forgotten.
    const std::size_t cells = one.recurrent.rows;
    std::fill_n(one.bias.row(0) + cells, cells, 1.0F);
  }
  characters.initialise(random);
}

void EncoderWeights::list(std::vector<Matrix*>& all) {
  for (Matrix& one : embeddings) all.push_back(&one);
  for (LstmWeights& one : lstms) all.insert(all.end(), {&one.input, &one.recurrent, &one.bias});
  characters.list(all);
}

void Encoder::pack(bool to_learn) {
  packed.resize(weights.lstms.size());
  for (std::size_t number = weights.embeddings.size(); number < weights.count(); ++number) pack(number, to_learn);
}

void Encoder::pack(std::size_t number, bool to_learn) {
  const std::size_t first = weights.embeddings.size();
  const std::size_t last = first + 3 * packed.size();
  if (number >= last) packed_characters.pack(weights.characters, number - last, to_learn);
  if (number < first || number >= last) return;
  const LstmWeights& own = weights.lstms[(number - first) / 3];
  PackedLstm& one = packed[(number - first) / 3];
  const auto both = [&](const Matrix& matrix, PackedMatrix& forward, PackedMatrix& back) {
    forward.pack(matrix);
    if (to_learn) back.pack_transposed(matrix);
  };
  if ((number - first) % 3 == 0) both(own.input, one.input, one.input_back);
  if ((number - first) % 3 == 1) both(own.recurrent, one.recurrent, one.recurrent_back);
}

QuantisedMatrix* Encoder::bytes(std::size_t number) {
  const std::size_t first = weights.embeddings.size();
  if (number < first || number >= first + 3 * packed.size()) return nullptr;
  PackedLstm& one = packed[(number - first) / 3];
  if ((number - first) % 3 == 0) return &one.input_bytes;
  return (number - first) % 3 == 1 ? &one.recurrent_bytes : nullptr;
}

void SentenceBatch::gather(const SentenceTable& table, std::span<const std::int32_t> chosen, bool with_root) {
  const auto length = [&](std::int32_t sentence) { return table.length(static_cast<std::size_t>(sentence)); };
  sentences.clear();
  for (const std::int32_t sentence : chosen) {
    if (length(sentence) > 0) sentences.push_back(sentence);
  }
  std::stable_sort(sentences.begin(), sentences.end(),
                   [&](std::int32_t a, std::int32_t b) { return length(a) > length(b); });
  const std::int32_t root = with_root ? 1 : 0;
  lengths.resize(sentences.size());
  std::transform(sentences.begin(), sentences.end(), lengths.begin(),
                 [&](std::int32_t sentence) { return length(sentence) + root; });
  order.set(lengths);
  const bool with_forms = table.forms.forms() > 0;
  columns = table.columns + (with_forms ? 1 : 0);
  values.resize(order.rows() * columns);
  sentence_of_row.resize(order.rows());
  word_of_row.resize(order.rows());
  for (std::size_t place = 0; place < sentences.size(); ++place) {
    const std::size_t first = table.first_word(static_cast<std::size_t>(sentences[place]));
    for (std::size_t word = 0; word < static_cast<std::size_t>(lengths[place]); ++word) {
      const std::size_t row = order.row(place, word);
      std::uint32_t* own = values.data() + row * columns;
      sentence_of_row[row] = static_cast<std::int32_t>(place);
      if (with_root && word == 0) {
        std::fill_n(own, table.columns, kRootValue);
        if (with_forms) own[columns - 1] = 0;
        word_of_row[row] = static_cast<std::size_t>(table.offsets.back());
        continue;
      }
      const std::size_t from = first + word - static_cast<std::size_t>(root);
      word_of_row[row] = from;
      std::copy_n(table.row(from), table.columns, own);
      if (with_forms) own[columns - 1] = static_cast<std::uint32_t>(table.forms.form_of_word[from]) + 1;
    }
  }
}

template <typename Chance>
void SentenceBatch::drop_words(std::size_t first_columns, Chance&& chance, Random& random) {
  for (std::size_t row = 0; row < order.rows(); ++row) {
    for (std::size_t column = 0; column < first_columns; ++column) {
      std::uint32_t& value = values[row * columns + column];
      if (value != kRootValue && random.share() < chance(column, value)) value = kUnknownValue;
    }
  }
}

void SentenceBatch::drop_rare_words(std::span<const std::vector<std::int32_t>> counts, float words, Random& random) {
  const auto chance = [&](std::size_t column, std::uint32_t value) {
    return words / (words + static_cast<float>(counts[column][value]));
  };
  drop_words(counts.size(), chance, random);
}

void SentenceBatch::drop_any_words(std::size_t first_columns, float share, Random& random) {
  drop_words(first_columns, [&](std::size_t /* column */, std::uint32_t /* value */) { return share; }, random);
}

void SentenceBatch::drop_columns(const ColumnDropout& dropout, Random& random) {
  if (dropout.share <= 0.0F) return;
  std::vector<std::uint8_t> dropped(sentences.size() * columns, 0);
  for (std::size_t place = 0; place < sentences.size(); ++place) {
    if (random.share() >= dropout.share) continue;
    const bool all = random.share() < 0.5F;
    for (const std::vector<std::int32_t>& family : dropout.families) {
      if (!all && random.share() < 0.5F) continue;
      for (const std::int32_t column : family) dropped[place * columns + static_cast<std::size_t>(column)] = 1;
    }
  }
  for (std::size_t row = 0; row < order.rows(); ++row) {
    const std::uint8_t* own = dropped.data() + static_cast<std::size_t>(sentence_of_row[row]) * columns;
    for (std::size_t column = 0; column < dropout.empty.size(); ++column) {
      std::uint32_t& value = values[row * columns + column];
      if (own[column] && value != kRootValue) value = dropout.empty[column];
    }
  }
}

std::size_t shared_sentences(const SentenceTable& table, int threads, std::size_t most) {
  constexpr std::size_t kLeast = 8;
  const std::size_t count = thread_count(threads);
  return std::clamp((table.sentences() + count - 1) / count, std::min(kLeast, most), most);
}

std::vector<std::vector<std::int32_t>> batches_of(const SentenceTable& table, std::size_t most_sentences,
                                                  std::int32_t most_words) {
  std::vector<std::int32_t> order(table.sentences());
  std::iota(order.begin(), order.end(), 0);
  const auto length = [&](std::int32_t sentence) { return table.length(static_cast<std::size_t>(sentence)); };
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return length(a) > length(b); });
  std::vector<std::vector<std::int32_t>> batches;
  std::int32_t words = 0;
  for (const std::int32_t sentence : order) {
    if (batches.empty() || batches.back().size() == most_sentences || words + length(sentence) > most_words) {
      batches.emplace_back();
      words = 0;
    }
    batches.back().push_back(sentence);
    words += length(sentence);
  }
  return batches;
}

void embed_words(const Encoder& encoder, std::span<const std::uint32_t> values, std::size_t stride, const Matrix* forms,
                 Matrix& inputs) {
  const EncoderShape& shape = encoder.shape;
  const std::size_t words = values.size() / stride;
  inputs.reset(words, shape.inputs());
  for (std::size_t word = 0; word < words; ++word) {
    const std::uint32_t* own = values.data() + word * stride;
    float* to = inputs.row(word);
    std::size_t column = 0;
    for (const EmbeddingGroup& group : shape.groups) {
      for (std::size_t member = 0; member < group.columns.size(); ++member, ++column) {
        add(to, encoder.weights.embeddings[column].row(own[column]), group.dimension);
      }
      to += group.dimension;
    }
    const std::uint32_t form = own[stride - 1];
    if (forms != nullptr && form > 0) std::copy_n(forms->row(form - 1), forms->columns, to);
  }
}

void SentenceReading::find_different(const SentenceBatch& batch, const SharedWords* shared) {
  different_.clear(batch.columns, batch.order.rows());
  places_.resize(batch.order.rows());
  for (std::size_t row = 0; row < places_.size(); ++row) {
    const bool is_shared = shared != nullptr && shared->sums(0, batch.word_of_row[row]) != nullptr;
    places_[row] =
        is_shared ? -1 : different_.number(std::span(batch.values).subspan(row * batch.columns, batch.columns));
  }
}

// The different forms of a batch, numbered as they come.
void SentenceReading::number_forms(const SentenceBatch& batch) {
  std::unordered_map<std::uint32_t, std::uint32_t> places;
  forms_.clear();
  form_places_.resize(batch.order.rows());
  for (std::size_t row = 0; row < batch.order.rows(); ++row) {
    const std::uint32_t form = batch.form(row);
    form_places_[row] = 0;
    if (form == 0) continue;
    const auto [found, is_new] = places.try_emplace(form, static_cast<std::uint32_t>(forms_.size() + 1));
    if (is_new) forms_.push_back(static_cast<std::int32_t>(form - 1));
    form_places_[row] = found->second;
  }
}

void SentenceReading::read(const Encoder& encoder, const SentenceBatch& batch, const Matrix* forms,
                           const SharedWords* shared) {
  layers_.resize(encoder.shape.layers + 1);
  find_different(batch, shared);
  embed_words(encoder, different_.values(), batch.columns, forms, layers_[0]);
  every_row_.resize(batch.order.rows());
  std::iota(every_row_.begin(), every_row_.end(), 0);
  for (std::size_t layer = 0; layer < encoder.shape.layers; ++layer) read_layer(encoder, batch, layer, shared);
}

void SentenceReading::read_layer(const Encoder& encoder, const SentenceBatch& batch, std::size_t layer,
                                 const SharedWords* shared) {
  const EncoderShape& shape = encoder.shape;
  const WordOrder& order = batch.order;
  if (encoder.reads_bytes(layer)) rounded_.round(layers_[layer]);
  layers_[layer + 1].resize(order.rows(), shape.outputs());
  row_sums_.resize(order.rows());
  for (std::size_t direction = 0; direction < 2; ++direction) {
    const std::size_t number = 2 * layer + direction;
    sum_inputs(encoder.weights.lstms[number], encoder.packed[number], layers_[layer], rounded_, sums_);
    const std::span<const std::int32_t> rows = direction == 0 ? every_row_ : order.mirrored();
    for (std::size_t row = 0; row < order.rows(); ++row) {
      const auto from = static_cast<std::size_t>(rows[row]);
      if (layer > 0) {
        row_sums_[row] = sums_.row(from);
      } else {
        row_sums_[row] = places_[from] < 0 ? shared->sums(direction, batch.word_of_row[from])
                                           : sums_.row(static_cast<std::size_t>(places_[from]));
      }
    }
    reader_.read(encoder.packed[number], row_sums_, order, rows, direction * shape.cells, layers_[layer + 1]);
  }
}

void SentenceReading::draw_input_mask(const EncoderShape& shape, const EncoderDropout& dropout, Random& random) {
  const std::size_t rows = layers_[0].rows;
  input_mask_.resize(rows, shape.inputs());
  fill_mask(input_mask_.values.data(), rows * shape.inputs(), dropout.inputs, random.bits());
  if (dropout.groups <= 0.0F) return;
  std::vector<std::size_t> dimensions;
  for (const EmbeddingGroup& group : shape.groups) dimensions.push_back(group.dimension);
  if (shape.characters.outputs > 0) dimensions.push_back(shape.characters.outputs);
  std::vector<float> factors(dimensions.size());
  for (std::size_t row = 0; row < rows; ++row) {
    float kept = 0.0F;
    for (float& factor : factors) kept += factor = random.share() < dropout.groups ? 0.0F : 1.0F;
    float* own = input_mask_.row(row);
    for (std::size_t group = 0; group < factors.size(); ++group) {
      const float factor = factors[group] * static_cast<float>(factors.size()) / std::max(kept, 1.0F);
      for (std::size_t place = 0; place < dimensions[group]; ++place) *own++ *= factor;
    }
  }
}

void SentenceReading::read_to_learn(const Encoder& encoder, const SentenceBatch& batch, const EncoderDropout& dropout,
                                    Random& random, const FormTable& forms) {
  const EncoderShape& shape = encoder.shape;
  const WordOrder& order = batch.order;
  layers_.resize(shape.layers + 1);
  if (shape.characters.outputs > 0) {
    number_forms(batch);
    characters_.read(encoder.weights.characters, encoder.packed_characters, forms, forms_);
  }
  embed_words(encoder, batch.values, batch.columns, nullptr, layers_[0]);
  for (std::size_t row = 0; shape.characters.outputs > 0 && row < order.rows(); ++row) {
    if (form_places_[row] == 0) continue;
    std::copy_n(characters_.values().row(form_places_[row] - 1), shape.characters.outputs,
                layers_[0].row(row) + shape.embedded());
  }
  draw_input_mask(shape, dropout, random);
  scale(layers_[0].values.data(), input_mask_.values.data(), order.rows() * shape.inputs());
  layer_masks_.resize(shape.layers);
  for (Matrix& mask : layer_masks_) {
    mask.resize(order.steps() == 0 ? 0 : order.width(0), shape.outputs());
    fill_mask(mask.values.data(), mask.rows * mask.columns, dropout.layers, random.bits());
  }
  every_row_.resize(order.rows());
  std::iota(every_row_.begin(), every_row_.end(), 0);
  run_to_learn(encoder, batch);
  input_gradients_.resize(shape.layers + 1);
  input_gradients_.back().resize(order.rows(), shape.outputs());
}

void SentenceReading::run_to_learn(const Encoder& encoder, const SentenceBatch& batch) {
  const EncoderShape& shape = encoder.shape;
  const WordOrder& order = batch.order;
  lstms_.resize(2 * shape.layers);
  for (std::size_t layer = 0; layer < shape.layers; ++layer) {
    for (std::size_t direction = 0; direction < 2; ++direction) {
      const std::size_t number = 2 * layer + direction;
      lstms_[number].forward_to_learn(encoder.weights.lstms[number], encoder.packed[number], layers_[layer],
                                      direction == 0 ? every_row_ : order.mirrored(), order);
    }
    Matrix& said = layers_[layer + 1];
    said.resize(order.rows(), shape.outputs());
    for (std::size_t row = 0; row < order.rows(); ++row) {
      std::copy_n(lstms_[2 * layer].hidden().row(row), shape.cells, said.row(row));
      std::copy_n(lstms_[2 * layer + 1].hidden().row(static_cast<std::size_t>(order.mirrored()[row])), shape.cells,
                  said.row(row) + shape.cells);
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
      lstms_[number].backward(encoder.packed[number], direction == 0 ? every_row_ : order.mirrored(), order,
                              hidden_gradient_, gradients.lstms[number], input_gradients_[layer]);
    }
  }
  scale(input_gradients_[0].values.data(), input_mask_.values.data(), order.rows() * shape.inputs());
  if (shape.characters.outputs == 0) return;
  form_gradient_.reset(forms_.size(), shape.characters.outputs);
  for (std::size_t row = 0; row < order.rows(); ++row) {
    if (form_places_[row] == 0) continue;
    add(form_gradient_.row(form_places_[row] - 1), input_gradients_[0].row(row) + shape.embedded(),
        shape.characters.outputs);
  }
  characters_.backward(encoder.weights.characters, encoder.packed_characters, form_gradient_, gradients.characters);
}

void SentenceReading::add_embedding_gradients(const EncoderShape& shape, const SentenceBatch& batch, std::size_t column,
                                              RowGradients& gradients) const {
  std::size_t first = 0;  // of its inputs
  std::size_t before = 0;
  for (const EmbeddingGroup& group : shape.groups) {
    before += group.columns.size();
    if (column < before) break;
    first += group.dimension;
  }
  for (std::size_t row = 0; row < batch.order.rows(); ++row) {
    const std::uint32_t value = batch.values[row * batch.columns + column];
    if (value != kNoValue) gradients.add(value, input_gradients_[0].row(row) + first);
  }
}

}  // namespace crossarc
