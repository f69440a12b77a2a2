// Training of networks: a batch is cut into parts in one way, each part finds its gradients on any thread, and they are
// added up in a fixed order by Adam, so that the number of threads changes nothing. Embeddings are updated by the rows
// that were used. What a part learns, its heads say. O(weights) for each batch beside the parts.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "nn/network.hpp"
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

struct TrainingDropout {
  InputDropout inputs;
  EncoderDropout encoder;
  float hidden = 0.33F;  // of the hidden layers of heads
};

// Learns from a part of a batch; its gradients wait for the update. A kind of parser says what its heads learn.
class TrainingPart {
 public:
  TrainingPart(const Network& network, const TrainingDropout& dropout, bool with_root);
  virtual ~TrainingPart() = default;
  TrainingPart(const TrainingPart&) = delete;

  void learn(const SentenceTable& table, std::span<const std::int32_t> sentences, std::uint64_t seed);
  // The artificial root is no word.
  std::size_t words() const { return batch_.rows() - (with_root_ ? batch_.size() : 0); }
  std::int64_t mistakes() const { return mistakes_; }
  float* gradient(std::size_t index) { return gradients_.data(index); }
  void add_embedding_gradients(const Parameter& embeddings, RowGradients& gradients) const {
    tape_->add_embedding_gradients(batch_, embeddings, gradients);
  }

 protected:
  // Writes the gradients of the heads, and adds to that of what was encoded, which is zero before.
  virtual void learn_heads(const SentenceTable& table, const Matrix& encoded, Matrix& encoded_gradient) = 0;

  Batch batch_;
  Gradients gradients_;
  Random random_{0};
  float hidden_dropout_;
  std::int64_t mistakes_ = 0;

 private:
  const TrainingDropout* dropout_;
  bool with_root_;
  RowOrder row_order_;
  std::unique_ptr<EncoderTape> tape_;
  Matrix encoded_gradient_;
};

// All that training has come to, to go on from a checkpoint to the very same model: by the names of parameters.
struct TrainingState {
  using Values = std::map<std::string, std::vector<float>>;
  std::uint64_t steps = 0;
  Values weights, first, second;
};

class Training {
 public:
  using MakePart = std::function<std::unique_ptr<TrainingPart>()>;

  // Throws std::invalid_argument if the encoder is learnt in torch only.
  Training(std::shared_ptr<Network> network, std::uint64_t seed, const PartRule& rule, const MakePart& make_part);

  // One step: every part of the batch, whose longest sentences come first, learns; then the update. Returns the number
  // of mistakes.
  std::int64_t step(const SentenceTable& table, std::span<const std::int32_t> batch, float rate, int threads);
  std::int64_t steps(const SentenceTable& table, const std::vector<std::vector<std::int32_t>>& batches, float rate,
                     int threads);

  const Network& network() const { return *network_; }
  std::shared_ptr<Network> shared_network() const { return network_; }
  // Changes from step to step: for the order of batches.
  std::uint64_t order_seed() const { return seed_ + optimiser_.steps(); }
  TrainingState state() const;
  void set_state(const TrainingState& state);

 private:
  // What threads update at once: a block of a parameter, or all rows of embeddings.
  struct Task {
    std::size_t index = 0;
    std::size_t block = 0;
  };

  void update(float rate, int threads);
  void update_embeddings(std::size_t index);
  std::span<const std::unique_ptr<TrainingPart>> parts() const { return std::span(parts_).first(parts_in_use_); }

  std::shared_ptr<Network> network_;
  std::uint64_t seed_;
  PartRule rule_;
  Adam optimiser_;
  std::vector<Task> tasks_;
  std::vector<std::atomic<std::size_t>> blocks_left_;  // of each parameter: whoever updates the last one packs it
  std::vector<RowGradients> row_gradients_;            // of embeddings; of other parameters empty
  std::vector<std::unique_ptr<TrainingPart>> parts_;
  std::size_t parts_in_use_ = 0;  // of the batch at hand
};

// Where parts of about as many words each begin, and where the last one ends.
std::vector<std::size_t> cut_into_parts(const SentenceTable& table, std::span<const std::int32_t> batch,
                                        const PartRule& rule);

}  // namespace crossarc
