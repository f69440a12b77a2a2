#include "nn/encoders/transformer.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "nn/activation.hpp"
#include "nn/optimiser.hpp"

namespace crossarc {
namespace {

const Registry<Encoder> kRegistered("transformer",
                                    [](std::size_t /* inputs */, SizeReader& sizes) -> std::unique_ptr<Encoder> {
                                      return std::make_unique<TransformerEncoder>(TransformerSizes(sizes));
                                    });

}  // namespace

TransformerSizes::TransformerSizes(SizeReader& sizes) : WordInputSizes(sizes) {
  constexpr std::int64_t kMostPieces = 1 << 21;
  constexpr double kEpsilonUnit = 1e-15;
  layers = sizes.take("layers", 1, 64);
  hidden_size = sizes.take("hidden_size", 2, 8192);
  attention_heads = sizes.take("attention_heads", 1, 256);
  feed_forward_size = sizes.take("feed_forward_size");
  pieces = sizes.take("pieces", 3, kMostPieces);
  begin = static_cast<std::uint32_t>(sizes.take("begin", 0, static_cast<std::int64_t>(pieces) - 1));
  end = static_cast<std::uint32_t>(sizes.take("end", 0, static_cast<std::int64_t>(pieces) - 1));
  norm_before = sizes.take("norm_before", 0, 1) != 0;
  positions = sizes.take("positions", 0, 1 << 16);
  first_position = sizes.take("first_position", 0, 1 << 10);
  rotary_base = sizes.take("rotary_base", 1, 1 << 24);
  activation = static_cast<Activation>(sizes.take("activation", 0, 2));
  token_types = sizes.take("token_types", 0, 1) != 0;
  norm_epsilon = static_cast<float>(
      static_cast<double>(sizes.take("norm_epsilon", 1, std::int64_t{100'000'000'000'000})) * kEpsilonUnit);
  first_pieces = sizes.take("first_pieces", 0, 1) != 0;
  const std::size_t all = sizes.take("window", 4);
  window = {all - 2, sizes.take("overlap", 0, (static_cast<std::int64_t>(all) - 2) / 2)};
  lstm_layers = sizes.take("lstm_layers", 0, 8);
  lstm_hidden_size = sizes.take("lstm_hidden_size", 0, 1 << 13);
  if (lstm_layers > 0 && lstm_hidden_size == 0) throw std::invalid_argument("LSTM layers have a hidden size");
  if (hidden_size % attention_heads != 0) {
    throw std::invalid_argument("attention heads have equal parts of the hidden size");
  }
  if (positions == 0 && head_size() % 2 != 0) throw std::invalid_argument("rotary positions turn pairs of values");
  if (positions > 0 && first_position + all > positions) {
    throw std::invalid_argument("a window has more pieces than there are positions");
  }
}

void NormParameters::list(const std::string& prefix, ParameterList& parameters) {
  parameters.add(prefix + "scale", scale);
  parameters.add(prefix + "bias", bias);
}

void LinearParameters::list(const std::string& name, ParameterList& parameters) {
  parameters.add(name, weights);
  parameters.add(name + "_bias", bias);
}

TransformerLayer::TransformerLayer(const TransformerSizes& sizes)
    : query(sizes.hidden_size, sizes.hidden_size),
      key(sizes.hidden_size, sizes.hidden_size),
      value(sizes.hidden_size, sizes.hidden_size),
      output(sizes.hidden_size, sizes.hidden_size),
      attention_norm(sizes.hidden_size),
      hidden(sizes.hidden_size, sizes.feed_forward_size),
      said(sizes.feed_forward_size, sizes.hidden_size),
      feed_forward_norm(sizes.hidden_size) {}

void TransformerLayer::list(const std::string& prefix, ParameterList& parameters) {
  query.list(prefix + "attention.query", parameters);
  key.list(prefix + "attention.key", parameters);
  value.list(prefix + "attention.value", parameters);
  output.list(prefix + "attention.output", parameters);
  attention_norm.list(prefix + "attention_norm.", parameters);
  hidden.list(prefix + "feed_forward.input", parameters);
  said.list(prefix + "feed_forward.output", parameters);
  feed_forward_norm.list(prefix + "feed_forward_norm.", parameters);
}

void TransformerLayer::initialise(Random& random) {
  for (LinearParameters* part : {&query, &key, &value, &output, &hidden, &said}) spread(part->weights.values, random);
  attention_norm.initialise();
  feed_forward_norm.initialise();
}

TransformerEncoder::TransformerEncoder(TransformerSizes sizes)
    : sizes_(std::move(sizes)),
      inputs_(sizes_),
      pieces_(Use::kEmbeddings, sizes_.pieces, sizes_.hidden_size),
      positions_(Use::kValues, sizes_.positions, sizes_.hidden_size),
      token_type_(Use::kValues, 1, sizes_.hidden_size),
      norm_(sizes_.hidden_size),
      layers_(sizes_.layers, TransformerLayer(sizes_)),
      mixture_(Use::kValues, 1, sizes_.layers + 1),
      lstm_layers_(sizes_.of_word(), sizes_.lstm_layers, sizes_.lstm_hidden_size) {
  if (sizes_.positions > 0) return;
  const std::size_t pairs = sizes_.head_size() / 2;
  cosines_.resize(sizes_.window.pieces + 2, pairs);
  sines_.resize(cosines_.rows, pairs);
  for (std::size_t position = 0; position < cosines_.rows; ++position) {
    for (std::size_t pair = 0; pair < pairs; ++pair) {
      const double power = -static_cast<double>(pair) / static_cast<double>(pairs);
      const double angle = static_cast<double>(position) * std::pow(static_cast<double>(sizes_.rotary_base), power);
      cosines_.row(position)[pair] = static_cast<float>(std::cos(angle));
      sines_.row(position)[pair] = static_cast<float>(std::sin(angle));
    }
  }
}

void TransformerEncoder::check(const SentenceTable& table) const {
  inputs_.check(table);
  const FormTable& forms = table.forms;
  for (std::size_t form = 0; form < forms.forms(); ++form) {
    const std::span<const std::uint32_t> pieces = forms.pieces_of(form);
    if (pieces.empty()) throw std::invalid_argument("every form has a piece");
    if (*std::max_element(pieces.begin(), pieces.end()) >= sizes_.pieces) {
      throw std::invalid_argument("a form has a piece that the model does not have");
    }
  }
}

void TransformerEncoder::list(const std::string& prefix, ParameterList& parameters) {
  inputs_.list_embeddings(prefix, parameters);
  parameters.add(prefix + "pieces", pieces_);
  if (sizes_.positions > 0) parameters.add(prefix + "positions", positions_);
  if (sizes_.token_types) parameters.add(prefix + "token_type", token_type_);
  norm_.list(prefix + "norm.", parameters);
  for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
    layers_[layer].list(prefix + "transformer." + std::to_string(layer) + ".", parameters);
  }
  parameters.add(prefix + "mixture", mixture_);
  lstm_layers_.list(prefix, parameters);
  inputs_.list_characters(prefix, parameters);
}

void TransformerEncoder::initialise(Random& random) {
  constexpr float kRange = 0.035F;  // a standard deviation of 0.02
  inputs_.initialise_embeddings(random);
  spread(pieces_.values, kRange, random);
  if (sizes_.positions > 0) spread(positions_.values, kRange, random);
  if (sizes_.token_types) spread(token_type_.values, kRange, random);
  norm_.initialise();
  for (TransformerLayer& layer : layers_) layer.initialise(random);
  lstm_layers_.initialise(random);
  inputs_.initialise_characters(random);
}

std::vector<float> TransformerEncoder::mixture() const {
  std::vector<float> shares(mixture_.row(0), mixture_.row(0) + mixture_.columns);
  log_softmax(shares.data(), shares.size(), 1.0F);
  for (float& share : shares) share = std::exp(share);
  return shares;
}

void TransformerEncoder::embed(std::uint32_t piece, std::size_t position, float* state) const {
  const std::size_t size = sizes_.hidden_size;
  pieces_.copy_row(piece, state);
  if (sizes_.token_types) add(state, token_type_.row(0), size);
  if (sizes_.positions > 0) add(state, positions_.row(position + sizes_.first_position), size);
  if (!sizes_.norm_before) layer_norm(norm(), state, size);
}

void TransformerEncoder::turn_heads(std::size_t position, float* values) const {
  if (sizes_.positions > 0) return;
  for (std::size_t head = 0; head < sizes_.attention_heads; ++head) {
    turn(cosines_.row(position), sines_.row(position), values + head * sizes_.head_size(), cosines_.columns);
  }
}

}  // namespace crossarc
