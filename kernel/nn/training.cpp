#include "nn/training.hpp"

#include <stdexcept>
#include <utility>

#include "core/threads.hpp"

namespace crossarc {

TrainingPart::TrainingPart(const Network& network, const TrainingDropout& dropout, bool with_root)
    : gradients_(network.parameters()),
      hidden_dropout_(dropout.hidden),
      dropout_(&dropout),
      with_root_(with_root),
      row_order_(network.encoder().row_order()),
      tape_(network.encoder().tape()) {
  if (tape_ == nullptr) throw std::invalid_argument("this encoder is learnt with torch only");
}

void TrainingPart::learn(const SentenceTable& table, std::span<const std::int32_t> sentences, std::uint64_t seed) {
  random_ = Random(seed);
  mistakes_ = 0;
  batch_.gather(table, sentences, row_order_, with_root_);
  batch_.drop(dropout_->inputs, random_);
  const Matrix& encoded = tape_->read(table, batch_, dropout_->encoder, random_);
  encoded_gradient_.reset(encoded.rows, encoded.columns);
  learn_heads(table, encoded, encoded_gradient_);
  tape_->backward(batch_, encoded_gradient_, gradients_);
}

Training::Training(std::shared_ptr<Network> network, std::uint64_t seed, const PartRule& rule,
                   const MakePart& make_part)
    : network_(std::move(network)), seed_(seed), rule_(rule), optimiser_(network_->parameters()) {
  const ParameterList& parameters = network_->parameters();
  for (const Parameter* parameter : parameters) {
    if (parameter->is_int8()) throw std::invalid_argument("a network of eight bits cannot be trained any more");
  }
  network_->pack(true);
  blocks_left_ = std::vector<std::atomic<std::size_t>>(parameters.size());
  for (std::size_t part = 0; part < rule.most; ++part) parts_.push_back(make_part());
  for (const Parameter* parameter : parameters) {
    const bool by_rows = parameter->use == Use::kEmbeddings;
    row_gradients_.emplace_back(by_rows ? parameter->rows : 0, parameter->columns);
    const std::size_t blocks = by_rows ? 0 : Adam::blocks(parameter->values);
    for (std::size_t block = 0; block < blocks; ++block) tasks_.push_back({parameter->index, block});
  }
  for (const Parameter* parameter : parameters) {
    if (parameter->use == Use::kEmbeddings) tasks_.push_back({parameter->index, 0});
  }
}

std::int64_t Training::step(const SentenceTable& table, std::span<const std::int32_t> batch, float rate, int threads) {
  const std::vector<std::size_t> begins = cut_into_parts(table, batch, rule_);
  parts_in_use_ = begins.size() - 1;
  parallel_for(parts_in_use_, thread_count(threads), [&](std::size_t part) {
    Random random(seed_ ^ (optimiser_.steps() * 0x9E3779B97F4A7C15ULL + part));
    parts_[part]->learn(table, batch.subspan(begins[part], begins[part + 1] - begins[part]), random.bits());
  });
  update(rate, threads);
  std::int64_t mistakes = 0;
  for (const auto& part : parts()) mistakes += part->mistakes();
  return mistakes;
}

std::int64_t Training::steps(const SentenceTable& table, const std::vector<std::vector<std::int32_t>>& batches,
                             float rate, int threads) {
  std::int64_t mistakes = 0;
  for (const std::vector<std::int32_t>& batch : batches) mistakes += step(table, batch, rate, threads);
  return mistakes;
}

void Training::update(float rate, int threads) {
  const ParameterList& parameters = network_->parameters();
  std::size_t words = 0;
  for (const auto& part : parts()) words += part->words();
  optimiser_.begin_step(rate, 1.0F / static_cast<float>(std::max<std::size_t>(1, words)));
  std::vector<std::vector<float*>> gradients(parameters.size());  // of each parameter, those of all parts
  for (const Parameter* parameter : parameters) {
    for (const auto& part : parts()) gradients[parameter->index].push_back(part->gradient(parameter->index));
    blocks_left_[parameter->index] = Adam::blocks(parameter->values);
  }
  parallel_for(tasks_.size(), thread_count(threads), [&](std::size_t task) {
    const auto [index, block] = tasks_[task];
    Parameter& parameter = *parameters[index];
    if (parameter.use == Use::kEmbeddings) return update_embeddings(index);
    optimiser_.update(index, parameter.values, gradients[index], block);
    if (--blocks_left_[index] == 0) parameter.pack(true);
  });
}

void Training::update_embeddings(std::size_t index) {
  Parameter& parameter = *network_->parameters()[index];
  for (const auto& part : parts()) part->add_embedding_gradients(parameter, row_gradients_[index]);
  optimiser_.update(index, parameter.values, row_gradients_[index]);
}

TrainingState Training::state() const {
  TrainingState state{optimiser_.steps(), {}, {}, {}};
  for (const Parameter* parameter : network_->parameters()) {
    const auto copied = [](const Matrix& matrix) {
      return std::vector<float>(matrix.values.begin(), matrix.values.end());
    };
    state.weights[parameter->name] = copied(parameter->values);
    state.first[parameter->name] = copied(optimiser_.first(parameter->index));
    state.second[parameter->name] = copied(optimiser_.second(parameter->index));
  }
  return state;
}

void Training::set_state(const TrainingState& state) {
  const auto view = [](const TrainingState::Values& values) {
    NamedValues views;
    for (const auto& [name, numbers] : values) views.emplace(name, numbers);
    return views;
  };
  optimiser_.set_state(state.steps, network_->parameters(), state.first, state.second);
  network_->set_values(view(state.weights));
  network_->pack(true);
}

std::vector<std::size_t> cut_into_parts(const SentenceTable& table, std::span<const std::int32_t> batch,
                                        const PartRule& rule) {
  const auto length = [&](std::int32_t sentence) {
    return static_cast<std::size_t>(table.length(static_cast<std::size_t>(sentence)));
  };
  std::size_t words = 0;
  for (const std::int32_t sentence : batch) words += length(sentence);
  const std::size_t parts = rule.parts(words);
  std::vector<std::size_t> begins{0};
  std::size_t before = 0;
  for (std::size_t index = 0; index < batch.size(); ++index) {
    // A sentence belongs where its middle lies.
    while ((2 * before + length(batch[index])) * parts > 2 * words * begins.size()) begins.push_back(index);
    before += length(batch[index]);
  }
  begins.resize(parts, batch.size());
  begins.push_back(batch.size());
  return begins;
}

}  // namespace crossarc
