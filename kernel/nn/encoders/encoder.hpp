// What every encoder of a network offers: it reads batches of sentences and says something of every word, of which
// heads make their scores (nn/heads/head.hpp). It knows nothing of what is predicted. Calls go through these interfaces
// once a batch. A kind of encoder is one file that registers itself (nn/sizes.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/random.hpp"
#include "features/words.hpp"
#include "nn/batch.hpp"
#include "nn/optimiser.hpp"
#include "nn/parameters.hpp"
#include "nn/sizes.hpp"

namespace crossarc {

// How much is left out at random in training (Srivastava et al. 2014), beside words and columns (InputDropout).
struct EncoderDropout {
  float inputs = 0.15F;  // of a word's input, value by value
  float layers = 0.33F;  // of what a layer says
  float groups = 0.0F;   // of whole groups of a word, its characters being one; those that stay make up for the others
};

// Reads batches to parse, one after the other. Keeps its memory.
class EncoderReader {
 public:
  virtual ~EncoderReader() = default;
  // What is said of each word, a row for each.
  virtual const Matrix& read(const Batch& batch) = 0;
};

// What the batches of one call share, such as what is computed once for all occurrences of a word.
class EncoderCall {
 public:
  virtual ~EncoderCall() = default;
  // One for each thread.
  virtual std::unique_ptr<EncoderReader> reader() const = 0;
};

// Reads a batch to learn, and goes back through it. Keeps its memory.
class EncoderTape {
 public:
  virtual ~EncoderTape() = default;
  virtual const Matrix& read(const SentenceTable& table, const Batch& batch, const EncoderDropout& dropout,
                             Random& random) = 0;
  // From the gradient of what was said, which is overwritten: writes the gradients of all parameters but embeddings.
  virtual void backward(const Batch& batch, Matrix& gradient, Gradients& gradients) = 0;
  // After that: adds those of embeddings.
  virtual void add_embedding_gradients(const Batch& batch, const Parameter& embeddings,
                                       RowGradients& gradients) const = 0;
};

class Encoder {
 public:
  virtual ~Encoder() = default;

  // How many values it says of a word.
  virtual std::size_t width() const = 0;
  virtual std::size_t columns() const = 0;
  // Throws std::invalid_argument where a word of the table has what the encoder does not have.
  virtual void check(const SentenceTable& table) const = 0;
  virtual bool reads_characters() const { return false; }
  virtual bool reads_pieces() const { return false; }
  virtual RowOrder row_order() const { return RowOrder::kSentenceMajor; }
  virtual void list(const std::string& prefix, ParameterList& parameters) = 0;
  virtual void initialise(Random& random) = 0;

  virtual std::unique_ptr<EncoderCall> begin(const SentenceTable& table, int threads) const = 0;
  // Null: it is learnt in torch only.
  virtual std::unique_ptr<EncoderTape> tape() const { return nullptr; }
};

}  // namespace crossarc
