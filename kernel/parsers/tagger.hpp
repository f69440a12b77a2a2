// Taggers: an encoder reads a sequence, and every row gets a class of each tag. Of the words of a sentence these are
// tags and rules that make lemmas; of the characters of a text, where tokens and sentences end. O(rows · encoder).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "features/words.hpp"
#include "nn/encoder.hpp"
#include "nn/tags.hpp"
#include "parsers/batch_training.hpp"

namespace crossarc {

struct TaggerShape {
  EncoderShape encoder;
  std::vector<std::size_t> classes;  // of each tag

  TagShape tags() const { return {encoder.outputs(), classes}; }
  // How many weights such a network has: to be asked before it is made.
  std::size_t weight_count() const { return encoder.weight_count() + tags().weight_count(); }
};

struct TaggerNetwork {
  Encoder encoder;
  TagWeights tags;
  PackedTags packed_tags;

  explicit TaggerNetwork(const TaggerShape& shape) : encoder(shape.encoder), tags(shape.tags()) {}
  void initialise(std::uint64_t seed);
  // In the order of model files: those of the encoder, then those of tags.
  std::vector<Matrix*> weights();
  std::vector<const Matrix*> weights() const;
  // To be done after every change of weights; or for one of them, by its number, if it is one to be packed.
  void pack(bool to_learn);
  void pack(std::size_t number, bool to_learn);
};

struct TaggerGradients {
  EncoderWeights encoder;
  TagWeights tags;

  explicit TaggerGradients(const TaggerNetwork& network)
      : encoder(network.encoder.shape, false), tags(network.tags.shape) {}
  // In the order of the weights; those of embeddings are empty.
  std::vector<Matrix*> all();
};

// A trained tagger.
class TaggerModel {
 public:
  // With bytes, recurrent weights are rounded to eight bits. Throws std::invalid_argument where these are not the
  // weights of such a network.
  TaggerModel(const TaggerShape& shape, const ValueLists& weights, bool bytes);

  const TaggerNetwork& network() const { return network_; }
  // The probabilities of the classes of all tags, a row for each row of the table.
  std::vector<float> probabilities(const SentenceTable& table, int threads) const;

 private:
  TaggerNetwork network_;
};

struct TaggerTraining {
  EncoderDropout encoder;
  std::size_t rows = 1000;  // of a batch, about
  std::uint64_t seed = 1;
  std::size_t lexical_columns = 0;  // the first ones: a share of them becomes unknown
};

class TaggerLearner {
 public:
  TaggerLearner(const TaggerShape& shape, const TaggerTraining& training);
  ~TaggerLearner();
  TaggerLearner(const TaggerLearner&) = delete;

  const TaggerNetwork& network() const { return network_; }
  // Learns from these sequences, in batches of similar lengths that come in any order; `gold` has the class of each tag
  // of each row, -1 for none. Returns the number of tags whose best class was another.
  std::int64_t learn(const SentenceTable& table, std::span<const std::int32_t> gold,
                     std::span<const std::int32_t> order, float rate, int threads);

  TrainingMemory remember() const { return steps_->remember(); }
  void restore(const TrainingMemory& memory) { steps_->restore(memory); }

 private:
  class PartGradient;
  using Steps = BatchTraining<TaggerNetwork, PartGradient>;

  TaggerTraining training_;
  TaggerNetwork network_;
  std::unique_ptr<Steps> steps_;
};

}  // namespace crossarc
