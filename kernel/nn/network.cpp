#include "nn/network.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "nn/activation.hpp"

namespace crossarc {
namespace {

void spread(Matrix& matrix, float range, Random& random) {
  for (float& value : matrix.values) value = (2.0F * random.share() - 1.0F) * range;
}

// Glorot & Bengio 2010.
void spread(Matrix& matrix, Random& random) {
  spread(matrix, std::sqrt(6.0F / static_cast<float>(matrix.rows + matrix.columns)), random);
}

}  // namespace

NetworkWeights::NetworkWeights(const NetworkShape& shape, bool with_embeddings) {
  const auto embed = [&](std::int32_t values, std::size_t length) {
    embeddings.emplace_back(with_embeddings ? static_cast<std::size_t>(values) : 0, length);
  };
  for (const std::int32_t values : shape.lexical_columns) embed(values, shape.lexical);
  for (const std::int32_t values : shape.grammatical_columns) embed(values, shape.grammatical);
  for (std::size_t memory = 0; memory < 2 * shape.layers; ++memory) {
    const std::size_t inputs = memory < 2 ? shape.inputs() : 2 * shape.cells;
    memories.push_back(
        {Matrix(inputs, 4 * shape.cells), Matrix(shape.cells, 4 * shape.cells), Matrix(1, 4 * shape.cells)});
  }
  projection.reset(2 * shape.cells, shape.projected());
  absent.reset(shape.slots, shape.hidden);
  artificial.reset(shape.slots, shape.hidden);
  atoms.reset(shape.atoms * NetworkShape::kAtomValues, shape.hidden);
  hidden_bias.reset(1, shape.hidden);
  output.reset(shape.transitions, shape.hidden);
  output_bias.reset(1, shape.transitions);
  label_root.reset(1, shape.label_hidden);
  label_bias.reset(1, shape.label_hidden);
  label_output.reset(shape.label_hidden, shape.labels);
  label_output_bias.reset(1, shape.labels);
}

std::vector<Matrix*> NetworkWeights::all() {
  std::vector<Matrix*> found;
  for (Matrix& one : embeddings) found.push_back(&one);
  for (LstmWeights& one : memories) found.insert(found.end(), {&one.input, &one.recurrent, &one.bias});
  found.insert(found.end(), {&projection, &absent, &artificial, &atoms, &hidden_bias, &output, &output_bias,
                             &label_root, &label_bias, &label_output, &label_output_bias});
  return found;
}

std::vector<const Matrix*> NetworkWeights::all() const {
  const std::vector<Matrix*> found = const_cast<NetworkWeights*>(this)->all();
  return {found.begin(), found.end()};
}

void NetworkWeights::clear_sums() {
  for (Matrix* one : {&absent, &artificial, &atoms, &hidden_bias, &output, &output_bias, &label_root, &label_bias,
                      &label_output_bias}) {
    std::fill(one->values.begin(), one->values.end(), 0.0F);
  }
}

void initialise(const NetworkShape& shape, std::uint64_t seed, NetworkWeights& weights) {
  weights = NetworkWeights(shape, true);
  Random random(seed);
  for (Matrix& one : weights.embeddings) {
    spread(one, 0.5F, random);
    std::fill_n(one.row(NetworkShape::kNothing), one.columns, 0.0F);
  }
  for (LstmWeights& one : weights.memories) {
    spread(one.input, random);
    spread(one.recurrent, random);
    // At first nothing is forgotten.
    std::fill_n(one.bias.row(0) + shape.cells, shape.cells, 1.0F);
  }
  const auto rows = static_cast<float>(weights.projection.rows);
  spread(weights.projection, std::sqrt(6.0F / (rows + static_cast<float>(shape.hidden))), random);
  spread(weights.output, random);
  spread(weights.label_output, random);
}

void Network::pack(bool to_learn) {
  memories.resize(weights.memories.size());
  for (std::size_t number = 0; number < weights.all().size(); ++number) pack(number, to_learn);
}

void Network::pack(std::size_t number, bool to_learn) {
  const std::size_t first = weights.embeddings.size();
  const std::size_t end = first + 3 * memories.size();
  if (number < first || number > end) return;
  const auto both = [&](const Matrix& matrix, PackedMatrix& packed, PackedMatrix& back) {
    packed.pack(matrix);
    if (to_learn) back.pack_transposed(matrix);
  };
  if (number == end) return both(weights.projection, projection, projection_back);
  const LstmWeights& own = weights.memories[(number - first) / 3];
  PackedLstm& packed = memories[(number - first) / 3];
  if ((number - first) % 3 == 0) both(own.input, packed.input, packed.input_back);
  if ((number - first) % 3 == 1) both(own.recurrent, packed.recurrent, packed.recurrent_back);
}

void SentenceReading::embed(const Network& network, std::span<const std::uint32_t> values, std::size_t words) {
  const NetworkShape& shape = network.shape;
  Matrix& inputs = layers_[0];
  inputs.reset(words, shape.inputs());
  for (std::size_t word = 0; word < words; ++word) {
    for (std::size_t column = 0; column < shape.columns(); ++column) {
      const bool lexical = column < shape.lexical_columns.size();
      const Matrix& embeddings = network.weights.embeddings[column];
      add(inputs.row(word) + (lexical ? 0 : shape.lexical), embeddings.row(values[word * shape.columns() + column]),
          embeddings.columns);
    }
  }
}

// Words of which the same is known are read into the first layer once: numbers them, and lists their values.
void SentenceReading::find_different(std::span<const std::uint32_t> values, std::size_t columns) {
  const std::size_t words = values.size() / columns;
  const std::size_t mask = std::bit_ceil(2 * words + 1) - 1;
  table_.assign(mask + 1, -1);
  different_.clear();
  places_.resize(words);
  for (std::size_t word = 0; word < words; ++word) {
    const std::span<const std::uint32_t> own = values.subspan(word * columns, columns);
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

void SentenceReading::read(const Network& network, const WordOrder& order, std::span<const std::uint32_t> values) {
  layers_.resize(network.shape.layers + 1);
  find_different(values, network.shape.columns());
  embed(network, different_, different_.size() / network.shape.columns());
  mirrored_places_.resize(order.rows());
  for (std::size_t row = 0; row < order.rows(); ++row) {
    mirrored_places_[row] = places_[static_cast<std::size_t>(order.mirrored()[row])];
  }
  layer_masks_.clear();
  run(network, order, {});
}

void SentenceReading::read_to_learn(const Network& network, const WordOrder& order,
                                    std::span<const std::uint32_t> values, std::span<const std::int32_t> sentences,
                                    const Dropout& dropout, Random& random) {
  const NetworkShape& shape = network.shape;
  layers_.resize(shape.layers + 1);
  embed(network, values, order.rows());
  input_mask_.resize(order.rows(), shape.inputs());
  fill_mask(input_mask_.values.data(), order.rows() * shape.inputs(), dropout.inputs, random.bits());
  scale(layers_[0].values.data(), input_mask_.values.data(), order.rows() * shape.inputs());
  layer_masks_.resize(shape.layers);
  for (Matrix& mask : layer_masks_) {
    mask.resize(order.steps() == 0 ? 0 : order.width(0), 2 * shape.cells);
    fill_mask(mask.values.data(), mask.rows * mask.columns, dropout.layers, random.bits());
  }
  places_.resize(order.rows());
  for (std::size_t row = 0; row < order.rows(); ++row) places_[row] = static_cast<std::int32_t>(row);
  mirrored_places_.assign(order.mirrored().begin(), order.mirrored().end());
  mask_rows_.assign(sentences.begin(), sentences.end());
  run(network, order, sentences);
  projected_gradient_.reset(order.rows(), shape.projected());
}

void SentenceReading::run(const Network& network, const WordOrder& order, std::span<const std::int32_t> sentences) {
  const NetworkShape& shape = network.shape;
  memories_.resize(2 * shape.layers);
  for (std::size_t layer = 0; layer < shape.layers; ++layer) {
    if (layer == 1) {  // from the second layer on, every word is read for itself
      places_.resize(order.rows());
      for (std::size_t row = 0; row < order.rows(); ++row) places_[row] = static_cast<std::int32_t>(row);
      mirrored_places_.assign(order.mirrored().begin(), order.mirrored().end());
    }
    for (std::size_t direction = 0; direction < 2; ++direction) {
      const std::size_t memory = 2 * layer + direction;
      const auto forward = sentences.empty() ? &Lstm::forward : &Lstm::forward_to_learn;
      (memories_[memory].*forward)(network.weights.memories[memory], network.memories[memory], layers_[layer],
                                   direction == 0 ? places_ : mirrored_places_, order);
    }
    Matrix& said = layers_[layer + 1];
    said.resize(order.rows(), 2 * shape.cells);
    for (std::size_t row = 0; row < order.rows(); ++row) {
      std::copy_n(memories_[2 * layer].hidden().row(row), shape.cells, said.row(row));
      std::copy_n(memories_[2 * layer + 1].hidden().row(static_cast<std::size_t>(order.mirrored()[row])), shape.cells,
                  said.row(row) + shape.cells);
      if (!sentences.empty()) {
        scale(said.row(row), layer_masks_[layer].row(static_cast<std::size_t>(sentences[row])), 2 * shape.cells);
      }
    }
  }
  projected_.resize(order.rows(), shape.projected());
  multiply(LeftFactor::of(layers_.back()), network.projection, projected_.values.data(), projected_.columns);
}

void SentenceReading::learn(const Network& network, const WordOrder& order, NetworkWeights& gradients) {
  const NetworkShape& shape = network.shape;
  packed_gradient_.pack(projected_gradient_);
  multiply(LeftFactor::transposed(layers_.back()), packed_gradient_, gradients.projection.values.data(),
           shape.projected());
  input_gradients_.resize(shape.layers + 1);
  input_gradients_.back().resize(order.rows(), 2 * shape.cells);
  multiply(LeftFactor::of(projected_gradient_), network.projection_back, input_gradients_.back().values.data(),
           2 * shape.cells);
  for (std::size_t layer = shape.layers; layer-- > 0;) {
    Matrix& said = input_gradients_[layer + 1];
    for (std::size_t row = 0; row < order.rows(); ++row) {
      scale(said.row(row), layer_masks_[layer].row(static_cast<std::size_t>(mask_rows_[row])), 2 * shape.cells);
    }
    input_gradients_[layer].reset(order.rows(), layers_[layer].columns);
    for (std::size_t direction = 0; direction < 2; ++direction) {
      hidden_gradient_.resize(order.rows(), shape.cells);
      for (std::size_t row = 0; row < order.rows(); ++row) {
        const std::size_t from = direction == 0 ? row : static_cast<std::size_t>(order.mirrored()[row]);
        std::copy_n(said.row(from) + direction * shape.cells, shape.cells, hidden_gradient_.row(row));
      }
      const std::size_t memory = 2 * layer + direction;
      memories_[memory].backward(network.memories[memory], direction == 0 ? places_ : mirrored_places_, order,
                                 hidden_gradient_, gradients.memories[memory], input_gradients_[layer]);
    }
  }
  scale(input_gradients_[0].values.data(), input_mask_.values.data(), order.rows() * shape.inputs());
}

}  // namespace crossarc
