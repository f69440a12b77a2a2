// A network: an encoder and heads, made of what a model file says of them (nn/sizes.hpp), with parameters by name.
// Parsers search over what its heads score (kernel/parsers); they share the loop over batches that is here. O(weights).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/threads.hpp"
#include "features/words.hpp"
#include "nn/batch.hpp"
#include "nn/encoders/encoder.hpp"
#include "nn/heads/head.hpp"
#include "nn/parameters.hpp"

namespace crossarc {

// A part of a network: what kind it is of, and its sizes.
struct PartDescription {
  std::string kind;
  Sizes sizes;
};

// Values by the names of parameters. They are held elsewhere: those of a file are large, and are copied once.
using NamedValues = std::map<std::string, std::span<const float>>;
using NamedInt8 = std::map<std::string, Int8Values>;

// How many weights are rows that are looked up, factors of products, and others.
struct WeightCounts {
  std::size_t embeddings = 0;
  std::size_t factors = 0;
  std::size_t others = 0;
};

class Network {
 public:
  // How many weights such a network has, before memory is taken for it.
  static WeightCounts count_weights(const PartDescription& encoder, const std::vector<PartDescription>& heads);
  // With random values that the seed says.
  Network(const PartDescription& encoder, const std::vector<PartDescription>& heads, std::uint64_t seed);
  // With the weights of a file, floats and of eight bits. Throws std::invalid_argument where these are not the weights
  // of such a network, before memory is taken for it.
  Network(const PartDescription& encoder, const std::vector<PartDescription>& heads, const NamedValues& weights,
          const NamedInt8& int8);
  Network(const Network&) = delete;

  const Encoder& encoder() const { return *encoder_; }
  const ParameterList& parameters() const { return parameters_; }
  // The first head of a class, or of a class and a kind that has this name; null if there is none.
  template <typename Kind>
  const Kind* find(const std::string& kind = {}) const {
    for (std::size_t index = 0; index < heads_.size(); ++index) {
      if (!kind.empty() && kinds_[index] != kind) continue;
      if (const auto* found = dynamic_cast<const Kind*>(heads_[index].get())) return found;
    }
    return nullptr;
  }
  // The same; throws std::invalid_argument if there is none.
  template <typename Kind>
  const Kind& head(const std::string& kind = {}) const {
    const Kind* const found = find<Kind>(kind);
    if (found == nullptr) throw std::invalid_argument("the network has not the heads that such a parser needs");
    return *found;
  }
  // Throws std::invalid_argument where values are missing, foreign, of another size or no finite numbers.
  void set_values(const NamedValues& values, const NamedInt8& int8 = {});
  // To be done after every change of values.
  void pack(bool to_learn);

 private:
  Network() = default;
  void make(const PartDescription& encoder, const std::vector<PartDescription>& heads);

  std::unique_ptr<Encoder> encoder_;
  std::vector<std::unique_ptr<Head>> heads_;
  std::vector<std::string> kinds_;  // of the heads
  ParameterList parameters_;
};

// How many sentences and words are read at once.
struct BatchLimits {
  std::size_t sentences = 64;
  std::int32_t words = 2048;
  bool with_root = false;  // the artificial root is the first word of every sentence
};

// Calls work(worker, batch, encoded) for all sentences in batches, on some threads. make_worker() makes what a thread
// needs; it is used again for the next batch, so that its memory is.
template <typename MakeWorker, typename Work>
void for_batches(const Network& network, const SentenceTable& table, const BatchLimits& limits, int threads,
                 MakeWorker&& make_worker, Work&& work) {
  const Encoder& encoder = network.encoder();
  const std::vector<std::vector<std::int32_t>> batches =
      batches_by_length(table, shared_sentences(table, threads, limits.sentences), limits.words);
  const std::unique_ptr<EncoderCall> call = encoder.begin(table, threads);
  using Worker = decltype(make_worker());
  struct Memory {
    std::unique_ptr<EncoderReader> reader;
    Worker worker;
    Batch batch;
  };
  std::mutex mutex;
  std::vector<std::unique_ptr<Memory>> idle;
  parallel_for(batches.size(), thread_count(threads), [&](std::size_t number) {
    std::unique_ptr<Memory> memory;
    {
      const std::lock_guard lock(mutex);
      if (!idle.empty()) {
        memory = std::move(idle.back());
        idle.pop_back();
      }
    }
    if (memory == nullptr) memory.reset(new Memory{call->reader(), make_worker(), {}});
    memory->batch.gather(table, batches[number], encoder.row_order(), limits.with_root);
    if (memory->batch.rows() > 0) work(memory->worker, memory->batch, memory->reader->read(memory->batch));
    const std::lock_guard lock(mutex);
    idle.push_back(std::move(memory));
  });
}

}  // namespace crossarc
