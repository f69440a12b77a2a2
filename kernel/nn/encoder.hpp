// The encoder of a network: it reads whole sentences (Kiperwasser & Goldberg 2016). What is known of a word is
// embedded, added up in groups, and joined with what its characters say (nn/characters.hpp); LSTM layers read the words
// in both directions. What it says of each word is given to heads (nn/heads.hpp), of which it knows nothing. A batch of
// sentences is read at once, the longest first. O(words · cells · (inputs + cells)) for each layer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/random.hpp"
#include "features/words.hpp"
#include "nn/characters.hpp"
#include "nn/lstm.hpp"
#include "nn/matrix.hpp"
#include "nn/optimiser.hpp"
#include "nn/quantised.hpp"
#include "nn/shared_words.hpp"

namespace crossarc {

// Columns whose embeddings are added up.
struct EmbeddingGroup {
  std::vector<std::int32_t> columns;  // for each, how many values it has
  std::size_t dimension = 0;
};

struct EncoderShape {
  std::vector<EmbeddingGroup> groups;
  CharacterShape characters;
  std::size_t layers = 1;
  std::size_t cells = 0;  // in each direction

  std::size_t columns() const;
  // Those of the groups, one after the other, then those of the characters.
  std::size_t inputs() const { return embedded() + characters.outputs; }
  std::size_t embedded() const;
  std::size_t outputs() const { return 2 * cells; }
  // How many weights such an encoder has: to be asked before it is made.
  std::size_t weight_count() const;
};

// All parameters; of gradients, everything but those of embeddings, which stay empty.
struct EncoderWeights {
  // Embeddings begin within a range: a narrow one, or one with a variance of one.
  static constexpr float kNarrowRange = 0.5F;
  static constexpr float kUnitVariance = 1.7320508F;

  std::vector<Matrix> embeddings;  // of each column; that of kNoValue is zero and is never learnt
  std::vector<LstmWeights> lstms;  // two for each layer: forwards, backwards
  CharacterWeights characters;

  EncoderWeights() = default;
  EncoderWeights(const EncoderShape& shape, bool with_embeddings);
  void initialise(Random& random, float embedding_range);
  // Adds its matrices: embeddings, then input, recurrent and bias weights of each LSTM, then those of characters.
  void list(std::vector<Matrix*>& all);
  std::size_t count() const { return embeddings.size() + 3 * lstms.size() + characters.count(); }
};

struct Encoder {
  EncoderShape shape;
  EncoderWeights weights;
  std::vector<PackedLstm> packed;
  PackedCharacters packed_characters;

  Encoder() = default;
  explicit Encoder(const EncoderShape& of_shape) : shape(of_shape), weights(of_shape, true) {}
  // To be done after every change of weights; or for one matrix, by its number in the list, if it is one to be packed.
  void pack(bool to_learn);
  void pack(std::size_t number, bool to_learn);
  // In place of that, where the matrix is to be bytes; null if it cannot be.
  QuantisedMatrix* bytes(std::size_t number);
  // Whether the inputs of a layer are multiplied as bytes.
  bool reads_bytes(std::size_t layer) const {
    return !packed[2 * layer].input_bytes.empty() || !packed[2 * layer + 1].input_bytes.empty();
  }
};

// How much is left out at random in training (Srivastava et al. 2014).
struct EncoderDropout {
  float inputs = 0.15F;
  float layers = 0.33F;
  float words = 0.25F;  // word dropout: of rare words, seen n times, words / (words + n); of any, this share
  float groups = 0.0F;  // of whole groups of a word, its characters being one; those that stay make up for the others
};

// Columns that are empty in some input, such as tags: in training a sentence loses some of them at random.
struct ColumnDropout {
  std::vector<std::vector<std::int32_t>> families;  // columns that are empty together
  std::vector<std::uint32_t> empty;                 // for each column, its value where it is empty
  float share = 0.0F;                               // of sentences: half of them lose all, half of them some
};

// Some sentences, the longest first, with the values of their words in the order in which they are read. With an
// artificial root, it is the first word of every sentence.
struct SentenceBatch {
  std::vector<std::int32_t> sentences;
  std::vector<std::int32_t> lengths;
  WordOrder order;
  std::size_t columns = 0;            // of the table, and one for the form where it has forms
  std::vector<std::uint32_t> values;  // the last: the number of the form and 1, 0 for the artificial root
  std::vector<std::int32_t> sentence_of_row;
  std::vector<std::size_t> word_of_row;  // in the table; its number of words for the artificial root

  // Sentences without words are left out.
  void gather(const SentenceTable& table, std::span<const std::int32_t> chosen, bool with_root = false);
  std::uint32_t form(std::size_t row) const { return values[(row + 1) * columns - 1]; }
  // Word dropout, mostly of rare words; `counts`: of the values of each lexical column.
  void drop_rare_words(std::span<const std::vector<std::int32_t>> counts, float words, Random& random);
  // Word dropout of a share of the values of the first columns.
  void drop_any_words(std::size_t first_columns, float share, Random& random);
  void drop_columns(const ColumnDropout& dropout, Random& random);

 private:
  // `chance`: of a column and a value, that it becomes the unknown one.
  template <typename Chance>
  void drop_words(std::size_t first_columns, Chance&& chance, Random& random);
};

// How many sentences go together, at most so many, if every thread is to have some: results do not depend on it.
std::size_t shared_sentences(const SentenceTable& table, int threads, std::size_t most);

// The numbers of all sentences in batches of similar lengths, each of a limited number of sentences and words.
std::vector<std::vector<std::int32_t>> batches_of(const SentenceTable& table, std::size_t sentences = 32,
                                                  std::int32_t words = 2048);

// Embeds words. `values`: of `stride` for each, the last being what SentenceBatch::form gives, which `forms` has rows
// for.
void embed_words(const Encoder& encoder, std::span<const std::uint32_t> values, std::size_t stride, const Matrix* forms,
                 Matrix& inputs);

// A batch of sentences as the encoder sees it. Keeps its memory.
class SentenceReading {
 public:
  // `forms`: what the characters of each form of the table say, for encoders that read them.
  void read(const Encoder& encoder, const SentenceBatch& batch, const Matrix* forms = nullptr,
            const SharedWords* shared = nullptr);
  // The same with dropout; the words of a sentence share the mask of a layer.
  void read_to_learn(const Encoder& encoder, const SentenceBatch& batch, const EncoderDropout& dropout, Random& random,
                     const FormTable& forms = {});
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
  void draw_input_mask(const EncoderShape& shape, const EncoderDropout& dropout, Random& random);
  void number_forms(const SentenceBatch& batch);
  void find_different(const SentenceBatch& batch, const SharedWords* shared);
  void read_layer(const Encoder& encoder, const SentenceBatch& batch, std::size_t layer, const SharedWords* shared);
  void run_to_learn(const Encoder& encoder, const SentenceBatch& batch);

  std::vector<Matrix> layers_;  // the inputs of each, and what the last one says
  std::vector<std::int32_t> every_row_;
  // To parse: words of which the same is known are read into the first layer once.
  DifferentWords different_;
  std::vector<std::int32_t> places_;  // among them, of each row; -1 for words that are shared
  LstmReader reader_;
  Matrix sums_;  // of the inputs of a layer in one direction
  std::vector<const float*> row_sums_;
  QuantisedRows rounded_;
  // To learn.
  std::vector<Lstm> lstms_;
  CharacterReading characters_;
  std::vector<std::int32_t> forms_;         // the different forms of the batch
  std::vector<std::uint32_t> form_places_;  // and of each row its place among them, and 1; 0 for the artificial root
  Matrix form_gradient_;
  std::vector<Matrix> layer_masks_;
  Matrix input_mask_, hidden_gradient_;
  std::vector<Matrix> input_gradients_;  // of each layer, and of what the last one says
};

}  // namespace crossarc
