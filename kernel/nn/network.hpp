// A network that reads whole sentences (Kiperwasser & Goldberg 2016): what is known of a word is embedded and added up,
// long short-term memories read the words in both directions, and what they say of a word is projected once for every
// role that it can play in a configuration, and for the two that it can play in an arc that wants a label. A
// configuration then costs a few additions of vectors, however large its parts are.
//
// Reading is O(words · cells · (inputs + cells)), a projection O(cells · hidden) for each word and role.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/random.hpp"
#include "nn/lstm.hpp"
#include "nn/matrix.hpp"

namespace crossarc {

struct NetworkShape {
  std::vector<std::int32_t> lexical_columns;      // for each, how many values it has
  std::vector<std::int32_t> grammatical_columns;  // likewise; they follow the lexical ones
  std::size_t lexical = 0;                        // the length of what stands for them
  std::size_t grammatical = 0;
  std::size_t layers = 1;
  std::size_t cells = 0;  // in each direction
  std::size_t slots = 0;  // words of a configuration that are looked at
  std::size_t atoms = 0;  // and small numbers of it
  std::size_t hidden = 0;
  std::size_t label_hidden = 0;
  std::size_t transitions = 0;
  std::size_t labels = 0;

  static constexpr std::size_t kAtomValues = 16;
  // Of columns: what a word without the feature has. Its embedding is zero and is never learnt.
  static constexpr std::uint32_t kNothing = 0;

  std::size_t columns() const { return lexical_columns.size() + grammatical_columns.size(); }
  std::size_t inputs() const { return lexical + grammatical; }
  std::size_t projected() const { return slots * hidden + 2 * label_hidden; }
};

// All parameters; of gradients, everything but those of embeddings, which stay empty.
struct NetworkWeights {
  std::vector<Matrix> embeddings;     // of each column
  std::vector<LstmWeights> memories;  // two for each layer: forwards, backwards
  Matrix projection;                  // 2 cells × projected
  Matrix absent, artificial;          // slots × hidden: no word there, the artificial root there
  Matrix atoms;                       // (atom, value) × hidden
  Matrix hidden_bias, output, output_bias;
  Matrix label_root;  // in place of the projection of a head
  Matrix label_bias, label_output, label_output_bias;

  explicit NetworkWeights(const NetworkShape& shape, bool with_embeddings);
  NetworkWeights() = default;
  // In a fixed order: embeddings, memories (input, recurrent, bias of each), the projection, and the small rest.
  std::vector<Matrix*> all();
  std::vector<const Matrix*> all() const;
  // Of gradients: makes zero what learning adds to. What it writes anew every time stays as it is.
  void clear_sums();
};

void initialise(const NetworkShape& shape, std::uint64_t seed, NetworkWeights& weights);

struct Network {
  NetworkShape shape;
  NetworkWeights weights;
  std::vector<PackedLstm> memories;
  PackedMatrix projection, projection_back;

  // To be done after every change of weights; or for one of them, by its number among all, if it is one to be packed.
  void pack(bool to_learn);
  void pack(std::size_t number, bool to_learn);
};

// How much is left out at random in learning, so that no single thing is relied on.
struct Dropout {
  float inputs = 0.15F;
  float layers = 0.33F;
  float hidden = 0.25F;
  float words = 0.25F;  // a value seen n times becomes unknown with the chance words / (words + n)
};

// A batch of sentences as the network sees it. Keeps its memory.
class SentenceReading {
 public:
  // Values of words by row, as features.hpp has them: a row for each word of the order.
  void read(const Network& network, const WordOrder& order, std::span<const std::uint32_t> values);
  // The same with things left out; `sentences` names the row of a mask that the words of one sentence share.
  void read_to_learn(const Network& network, const WordOrder& order, std::span<const std::uint32_t> values,
                     std::span<const std::int32_t> sentences, const Dropout& dropout, Random& random);
  // Of the projections, slot after slot, then as head and as dependent of an arc.
  const Matrix& projected() const { return projected_; }
  // To be filled by whoever learns; read_to_learn makes it zero.
  Matrix& projected_gradient() { return projected_gradient_; }
  // Writes the gradients of memories and projection; those of the inputs can be asked for then.
  void learn(const Network& network, const WordOrder& order, NetworkWeights& gradients);
  const Matrix& input_gradients() const { return input_gradients_[0]; }

 private:
  void embed(const Network& network, std::span<const std::uint32_t> values, std::size_t words);
  void find_different(std::span<const std::uint32_t> values, std::size_t columns);
  // `sentences` is empty when nothing is to be learnt.
  void run(const Network& network, const WordOrder& order, std::span<const std::int32_t> sentences);

  std::vector<Matrix> layers_;  // the inputs of each, and what the last one says
  std::vector<Lstm> memories_;
  std::vector<std::int32_t> places_, mirrored_places_;
  std::vector<std::uint32_t> different_;
  std::vector<std::int32_t> table_;
  std::vector<Matrix> layer_masks_;
  std::vector<std::int32_t> mask_rows_;
  Matrix input_mask_;
  Matrix projected_, projected_gradient_, hidden_gradient_;
  std::vector<Matrix> input_gradients_;
  PackedMatrix packed_gradient_;
};

}  // namespace crossarc
