// Taggers: an encoder reads a sequence, and every row gets what word heads say of it. Of the words of a sentence these
// are tags; of the characters of a text, where tokens and sentences end. O(rows · encoder).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "features/words.hpp"
#include "nn/network.hpp"
#include "nn/training.hpp"

namespace crossarc {

// A trained tagger.
class TaggerModel {
 public:
  // Throws std::invalid_argument where the network has no word head.
  explicit TaggerModel(std::shared_ptr<const Network> network);

  const Network& network() const { return *network_; }
  // The probabilities of all columns of the head, a row for each row of the table.
  std::vector<float> probabilities(const SentenceTable& table, int threads) const;

 private:
  std::shared_ptr<const Network> network_;
  const WordHead* head_;
};

struct TaggerTraining {
  TrainingDropout dropout;
  std::size_t rows = 1000;  // of a batch, about
  std::uint64_t seed = 1;
};

class TaggerLearner {
 public:
  TaggerLearner(std::shared_ptr<Network> network, TaggerTraining training);
  ~TaggerLearner();
  TaggerLearner(const TaggerLearner&) = delete;

  Training& training() { return *steps_; }
  // How batches are cut into parts.
  static PartRule part_rule() { return few_parts(); }
  const WordHead& head() const { return *head_; }
  // Learns from these sequences, in batches of similar lengths that come in any order; `targets` has those of each row,
  // -1 for none. Returns the number of mistakes.
  std::int64_t learn(const SentenceTable& table, std::span<const std::int32_t> targets,
                     std::span<const std::int32_t> order, float rate, int threads);

 private:
  class Part;

  TaggerTraining training_;
  const WordHead* head_;
  std::span<const std::int32_t> targets_;  // of the batches at hand
  std::unique_ptr<Training> steps_;
};

}  // namespace crossarc
