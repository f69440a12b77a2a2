// The heads of a graph parser: scores of all arcs of a sentence, and of the labels of given arcs (Dozat & Manning
// 2017). What the encoder says of a word goes through a layer with leaky rectifiers once for every role: dependent and
// head of an arc, dependent and head for its label. An arc is scored by a biaffine product of its two words. A label is
// scored by the product of the two words value by value, and by each of them: a biaffine product whose matrix of each
// label is diagonal, which scored as well as a full one in our trials at a hundredth of its cost. With the artificial
// root as first word of every sentence. O(words · outputs · roles), and O(words² · arc size) for each sentence.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/random.hpp"
#include "nn/encoder.hpp"
#include "nn/matrix.hpp"
#include "nn/quantised.hpp"

namespace crossarc {

struct BiaffineShape {
  std::size_t inputs = 0;  // what the encoder says of a word
  std::size_t arc = 0;     // hidden size of arcs
  std::size_t label = 0;   // hidden size of labels
  std::size_t labels = 0;

  // Columns of the first layer: dependents, heads, dependents for labels, heads for labels.
  std::size_t projected() const { return 2 * (arc + label); }
  std::size_t label_inputs() const { return 3 * label; }
};

// All parameters, or their gradients.
struct BiaffineWeights {
  BiaffineShape shape;
  Matrix projection, projection_bias;
  Matrix arc, arc_bias;      // of a dependent's row: what it says of heads
  Matrix label, label_bias;  // product, dependent, head

  BiaffineWeights() = default;
  explicit BiaffineWeights(const BiaffineShape& of_shape);
  void initialise(Random& random);
  // Adds its matrices, in the order of model files.
  void list(std::vector<Matrix*>& all);
  static constexpr std::size_t kCount = 6;
};

struct PackedBiaffine {
  PackedMatrix projection, projection_back, arc, arc_back, label, label_back;
  QuantisedMatrix projection_bytes, arc_bytes;  // in place of those of floats, where weights are bytes

  // One matrix, by its number in the list, if it is one to be packed.
  void pack(const BiaffineWeights& weights, std::size_t number, bool to_learn);
  // In place of that, where it is to be bytes; null if it cannot be.
  QuantisedMatrix* bytes(std::size_t number);
};

// Scores of the arcs of a sentence: a row for each dependent, the artificial root being 0 and the first of them.
struct ArcScores {
  std::int32_t words = 0;
  std::vector<float> values;

  std::size_t width() const { return static_cast<std::size_t>(words) + 1; }
  float* row(std::size_t dependent) { return values.data() + dependent * width(); }
  const float* row(std::size_t dependent) const { return values.data() + dependent * width(); }
};

// An arc of a sentence of the batch that wants a label.
struct ArcLabel {
  std::size_t head = 0;  // rows of the batch
  std::size_t dependent = 0;
  std::int32_t gold = -1;
};

// A batch of sentences as the heads see it. Keeps its memory.
class BiaffineReading {
 public:
  void read(const BiaffineWeights& weights, const PackedBiaffine& packed, const Matrix& encoded);
  // The same with dropout; the words of a sentence share the mask.
  void read_to_learn(const BiaffineWeights& weights, const PackedBiaffine& packed, const Matrix& encoded,
                     const SentenceBatch& batch, float dropped, Random& random);

  void score_arcs(const SentenceBatch& batch, std::size_t sentence, ArcScores& scores);
  // A row for each arc, a column for each label.
  const Matrix& score_labels(const BiaffineWeights& weights, const PackedBiaffine& packed,
                             std::span<const ArcLabel> arcs);

  // To learn. First the gradients of the scores of each sentence, then of labels, then everything below: writes the
  // gradients of all weights and of what was encoded.
  void clear_gradients();
  void learn_arcs(const SentenceBatch& batch, std::size_t sentence, const ArcScores& score_gradients);
  // The gradients of the scores stand in what score_labels gave.
  Matrix& label_gradients() { return label_scores_; }
  void learn_labels(const PackedBiaffine& packed, std::span<const ArcLabel> arcs, BiaffineWeights& gradients);
  void backward(const PackedBiaffine& packed, const Matrix& encoded, const SentenceBatch& batch,
                BiaffineWeights& gradients, Matrix& encoded_gradient);

 private:
  void project(const BiaffineWeights& weights, const PackedBiaffine& packed, const Matrix& encoded);
  void multiply_dependents(const BiaffineWeights& weights, const PackedBiaffine& packed);
  void gather(const SentenceBatch& batch, std::size_t sentence, const Matrix& from, std::size_t first,
              Matrix& to) const;

  BiaffineShape shape_;
  Matrix projected_, mask_, gradient_;       // a row for each word
  Matrix dependents_, dependents_gradient_;  // times the weights of arcs
  Matrix own_dependents_, own_heads_;        // of one sentence
  Matrix head_sums_;                         // gradients of one sentence
  Matrix label_inputs_, label_scores_, label_input_gradient_;
  PackedMatrix packed_own_, packed_gradient_;
  QuantisedRows rounded_;
};

}  // namespace crossarc
