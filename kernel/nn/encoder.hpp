// The encoder of a network: it reads whole sentences (Kiperwasser & Goldberg 2016). What is known of a word is embedded
// and added up, and LSTM layers read the words in both directions. What it says of each word is given to heads
// (nn/heads.hpp), of which it knows nothing. A batch of sentences is read at once, the longest first.
// O(words · cells · (inputs + cells)) for each layer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/random.hpp"
#include "features/words.hpp"
#include "nn/lstm.hpp"
#include "nn/matrix.hpp"
#include "nn/optimiser.hpp"

namespace crossarc {

struct EncoderShape {
  std::vector<std::int32_t> lexical_columns;      // for each, how many values it has
  std::vector<std::int32_t> grammatical_columns;  // likewise; they follow the lexical ones
  std::size_t lexical = 0;                        // embedding dimension of lexical columns
  std::size_t grammatical = 0;
  std::size_t layers = 1;
  std::size_t cells = 0;  // in each direction

  std::size_t columns() const { return lexical_columns.size() + grammatical_columns.size(); }
  std::size_t inputs() const { return lexical + grammatical; }
  std::size_t outputs() const { return 2 * cells; }
  // Where the embeddings of a column are added to the inputs.
  std::size_t input_of(std::size_t column) const { return column < lexical_columns.size() ? 0 : lexical; }
};

// All parameters; of gradients, everything but those of embeddings, which stay empty.
struct EncoderWeights {
  std::vector<Matrix> embeddings;  // of each column; that of kNoValue is zero and is never learnt
  std::vector<LstmWeights> lstms;  // two for each layer: forwards, backwards

  EncoderWeights() = default;
  EncoderWeights(const EncoderShape& shape, bool with_embeddings);
  void initialise(Random& random);
  // Adds its matrices: embeddings, then input, recurrent and bias weights of each LSTM.
  void list(std::vector<Matrix*>& all);
};

struct Encoder {
  EncoderShape shape;
  EncoderWeights weights;
  std::vector<PackedLstm> packed;

  Encoder() = default;
  explicit Encoder(const EncoderShape& of_shape) : shape(of_shape), weights(of_shape, true) {}
  // To be done after every change of weights; or for one matrix, by its number in the list, if it is one to be packed.
  void pack(bool to_learn);
  void pack(std::size_t number, bool to_learn);
};

// How much is left out at random in training (Srivastava et al. 2014).
struct EncoderDropout {
  float inputs = 0.15F;
  float layers = 0.33F;
  float words = 0.25F;  // a value seen n times becomes unknown with the chance words / (words + n)
};

// Some sentences, the longest first, with the values of their words in the order in which they are read.
struct SentenceBatch {
  std::vector<std::int32_t> sentences;
  std::vector<std::int32_t> lengths;
  WordOrder order;
  std::size_t columns = 0;
  std::vector<std::uint32_t> values;
  std::vector<std::int32_t> sentence_of_row;

  // Sentences without words are left out.
  void gather(const SentenceTable& table, std::span<const std::int32_t> chosen);
  // Word dropout; `counts`: of the values of each lexical column.
  void drop_words(std::span<const std::vector<std::int32_t>> counts, float words, Random& random);
};

// The numbers of all sentences in batches of similar lengths, each of a limited number of words.
std::vector<std::vector<std::int32_t>> batches_of(const SentenceTable& table);

// A batch of sentences as the encoder sees it. Keeps its memory.
class SentenceReading {
 public:
  void read(const Encoder& encoder, const SentenceBatch& batch);
  // The same with dropout; the words of a sentence share the mask of a layer.
  void read_to_learn(const Encoder& encoder, const SentenceBatch& batch, const EncoderDropout& dropout, Random& random);
  // What the last layer says of each word, a row for each.
  const Matrix& encoded() const { return layers_.back(); }

  // To learn: the gradient of what was said is to be written, and then goes back through all layers. Writes the
  // gradients of the LSTMs; those of the inputs can be asked for then.
  Matrix& encoded_gradient() { return input_gradients_.back(); }
  void backward(const Encoder& encoder, const SentenceBatch& batch, EncoderWeights& gradients);
  // Adds those of the embeddings of a column.
  void add_embedding_gradients(const EncoderShape& shape, const SentenceBatch& batch, std::size_t column,
                               RowGradients& gradients) const;

 private:
  void embed(const Encoder& encoder, std::span<const std::uint32_t> values, std::size_t words);
  void find_different(const SentenceBatch& batch);
  void read_every_word(const WordOrder& order);
  void run(const Encoder& encoder, const SentenceBatch& batch, bool to_learn);

  std::vector<Matrix> layers_;  // the inputs of each, and what the last one says
  std::vector<Lstm> lstms_;
  std::vector<std::int32_t> places_, mirrored_places_;  // rows of the first layer's inputs, for each row
  std::vector<std::uint32_t> different_;
  std::vector<std::int32_t> table_;
  std::vector<Matrix> layer_masks_;
  Matrix input_mask_, hidden_gradient_;
  std::vector<Matrix> input_gradients_;  // of each layer, and of what the last one says
};

}  // namespace crossarc
