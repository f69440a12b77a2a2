// What the learners of all networks share: a batch is cut into parts in one way, each part finds its gradients on any
// thread, and they are added up in a fixed order by Adam, so that the number of threads changes nothing. Embeddings,
// the first weights of a network, are updated by the rows that were used. O(weights) for each batch beside the parts.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/random.hpp"
#include "core/threads.hpp"
#include "features/words.hpp"
#include "nn/optimiser.hpp"

namespace crossarc {

// How many parts a batch has: one for every so many words, a multiple of `step` up to `most`.
struct PartRule {
  std::size_t step = 1;
  std::size_t words = 64;
  std::size_t most = 16;

  std::size_t parts(std::size_t batch_words) const { return std::clamp(batch_words / words, step, most) / step * step; }
};
// Few, since products of few rows are slow, and an even number, so that two threads are never left with an odd one:
// two or four, and in batches of 1,536 words and more up to 16.
constexpr PartRule few_parts(std::size_t batch_words = 0) {
  return {2, 256, std::clamp<std::size_t>(batch_words / 256, 4, 16)};
}
// Many, for transition parsers with large networks, which many threads learn together.
constexpr PartRule kManyParts;
// Where parts of about as many words each begin, and where the last one ends.
std::vector<std::size_t> cut_into_parts(const SentenceTable& table, std::span<const std::int32_t> batch,
                                        const PartRule& rule);

// Batches of so many sentences as they come, the longest of each first.
std::vector<std::vector<std::int32_t>> batches_in_order(const SentenceTable& table, std::span<const std::int32_t> order,
                                                        std::size_t sentences);
// Sentences of similar lengths in batches of about so many words, the longest sentences of a batch first; the batches
// come in an order that the seed says.
std::vector<std::vector<std::int32_t>> shuffled_batches(const SentenceTable& table, std::span<const std::int32_t> order,
                                                        std::size_t words, std::uint64_t seed);

// To go on from a checkpoint to the very same model.
struct TrainingMemory {
  Adam::Memory optimiser;
  std::vector<std::vector<float>> weights;
};

// A network has encoder.weights.embeddings, weights() and pack(). A part has words(), mistakes(), gradients().all() and
// add_embedding_gradients().
template <typename Network, typename Part>
class BatchTraining {
 public:
  template <typename MakePart>
  BatchTraining(Network& network, MakePart&& make_part, const PartRule& rule = few_parts())
      : network_(&network), rule_(rule), optimiser_(std::as_const(network).weights()) {
    network.pack(true);
    for (const Matrix& embeddings : network.encoder.weights.embeddings) {
      embedding_gradients_.emplace_back(embeddings.rows, embeddings.columns);
    }
    for (std::size_t part = 0; part < rule.most; ++part) parts_.push_back(make_part());
    const std::vector<Matrix*> weights = network.weights();
    blocks_left_ = std::vector<std::atomic<std::size_t>>(weights.size());
    for (std::size_t number = embedding_gradients_.size(); number < weights.size(); ++number) {
      for (std::size_t block = 0; block < Adam::blocks(*weights[number]); ++block) tasks_.push_back({number, block});
    }
    for (std::size_t column = 0; column < embedding_gradients_.size(); ++column) tasks_.push_back({column, 0});
  }

  // One step: learn(part, sentences, seed) for every part of the batch, the longest sentences first; then the update.
  // Returns the number of mistakes.
  template <typename Learn>
  std::int64_t step(const SentenceTable& table, std::span<const std::int32_t> batch, std::uint64_t seed, float rate,
                    int threads, Learn&& learn) {
    const std::vector<std::size_t> begins = cut_into_parts(table, batch, rule_);
    parts_in_use_ = begins.size() - 1;
    parallel_for(parts_in_use_, thread_count(threads), [&](std::size_t part) {
      Random random(seed ^ (optimiser_.steps() * 0x9E3779B97F4A7C15ULL + part));
      learn(*parts_[part], batch.subspan(begins[part], begins[part + 1] - begins[part]), random.bits());
    });
    update(rate, threads);
    std::int64_t mistakes = 0;
    for (const auto& part : parts()) mistakes += part->mistakes();
    return mistakes;
  }

  std::uint64_t steps() const { return optimiser_.steps(); }
  TrainingMemory remember() const { return {optimiser_.remember(), values_of(std::as_const(*network_).weights())}; }
  void restore(const TrainingMemory& memory) {
    set_values(network_->weights(), memory.weights);
    optimiser_.restore(memory.optimiser);
    network_->pack(true);
  }

 private:
  // The parts of the batch at hand.
  std::span<const std::unique_ptr<Part>> parts() const { return std::span(parts_).first(parts_in_use_); }

  void update(float rate, int threads) {
    std::size_t words = 0;
    for (const auto& part : parts()) words += part->words();
    optimiser_.begin_step(rate, 1.0F / static_cast<float>(std::max<std::size_t>(1, words)));
    const std::vector<Matrix*> weights = network_->weights();
    std::vector<std::vector<float*>> gradients(weights.size());  // of each matrix, those of all parts
    for (const auto& part : parts()) {
      const std::vector<Matrix*> own = part->gradients().all();
      for (std::size_t one = 0; one < own.size(); ++one) gradients[one].push_back(own[one]->values.data());
    }
    for (std::size_t number = 0; number < weights.size(); ++number) {
      blocks_left_[number] = Adam::blocks(*weights[number]);
    }
    parallel_for(tasks_.size(), thread_count(threads), [&](std::size_t place) {
      const auto [number, block] = tasks_[place];
      if (number < embedding_gradients_.size()) return update_embeddings(number);
      optimiser_.update(number, *weights[number], gradients[number], block);
      if (--blocks_left_[number] == 0) network_->pack(number, true);
    });
  }

  void update_embeddings(std::size_t column) {
    for (const auto& part : parts()) part->add_embedding_gradients(column, embedding_gradients_[column]);
    optimiser_.update(column, network_->encoder.weights.embeddings[column], embedding_gradients_[column]);
  }

  // What threads update at once: a block of a matrix, by their numbers, or the embeddings of a column.
  struct Task {
    std::size_t number = 0;
    std::size_t block = 0;
  };

  Network* network_;
  PartRule rule_;
  Adam optimiser_;
  std::vector<Task> tasks_;
  std::vector<std::atomic<std::size_t>> blocks_left_;  // of each matrix: whoever updates the last one packs it
  std::vector<RowGradients> embedding_gradients_;
  std::vector<std::unique_ptr<Part>> parts_;
  std::size_t parts_in_use_ = 0;
};

}  // namespace crossarc
