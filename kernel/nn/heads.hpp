// Heads: what a network predicts from what its encoder (nn/encoder.hpp) says of words. Here are those of a transition
// parser: transitions, from a few words of a configuration and small numbers of it, and labels, from the two words of
// an arc (Kiperwasser & Goldberg 2016). What the encoder says of a word is projected once for every role that it can
// play, for all heads in one product; a configuration then costs a few additions of vectors, however large its parts
// are. O(outputs · hidden) for each word and role, O(slots · hidden) for each configuration, O(hidden · labels) for
// each arc.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/random.hpp"
#include "nn/matrix.hpp"

namespace crossarc {

// The first layer of heads, for all of them: outputs of the encoder × roles of words.
struct Projection {
  Matrix weights;
  PackedMatrix packed, packed_back;

  // To be done after every change of weights.
  void pack(bool to_learn);
};

// The projections of a batch of words. Keeps its memory.
class ProjectedWords {
 public:
  void project(const Projection& projection, const Matrix& encoded);
  const Matrix& values() const { return values_; }

  // To learn: heads add to the gradient, which is zero at first, and it then goes back to the encoder. Writes the
  // gradients of the weights and of what was encoded.
  void clear_gradient() { gradient_.reset(values_.rows, values_.columns); }
  Matrix& gradient() { return gradient_; }
  void backward(const Projection& projection, const Matrix& encoded, Matrix& weight_gradient, Matrix& encoded_gradient);

 private:
  Matrix values_, gradient_;
  PackedMatrix packed_gradient_;
};

struct TransitionHeadShape {
  std::size_t slots = 0;  // words of a configuration that are looked at
  std::size_t atoms = 0;  // and small numbers of it
  std::size_t hidden = 0;
  std::size_t transitions = 0;

  static constexpr std::size_t kAtomValues = 16;
  // Columns of the projection, which begin at 0: slot after slot.
  std::size_t projected() const { return slots * hidden; }
};

struct TransitionHeadWeights {
  TransitionHeadShape shape;
  Matrix absent, artificial;  // slots × hidden: no word there, the artificial root there
  Matrix atoms;               // (atom, value) × hidden
  Matrix hidden_bias, output, output_bias;

  TransitionHeadWeights() = default;
  explicit TransitionHeadWeights(const TransitionHeadShape& of_shape);
  void initialise(Random& random);
  // Adds its matrices, in the order of model files.
  void list(std::vector<Matrix*>& all);
  // Of gradients: makes zero what learning adds to.
  void clear();
};

// Scores the configurations of a sentence, one after the other.
class TransitionHead {
 public:
  // In place of the row of a word in the batch.
  static constexpr std::int64_t kAbsent = -1;
  static constexpr std::int64_t kArtificial = -2;

  explicit TransitionHead(const TransitionHeadWeights& weights) : weights_(&weights) {}

  // Sums up what the words in the slots, by their rows, and the numbers say.
  void look(const Matrix& projected, std::span<const std::int64_t> rows, std::span<const std::uint32_t> numbers);
  // Multiplies the hidden values, those below 0 being 0.
  void mask(std::span<const float> mask);
  void score(std::span<float> scores) const;

  // To learn: from the gradients of the scores to everything below. `mask`: by what the hidden values were multiplied.
  void learn(std::span<const float> score_gradients, std::span<const float> mask, Matrix& projected_gradient,
             TransitionHeadWeights& gradients);

 private:
  const TransitionHeadWeights* weights_;
  std::vector<std::int64_t> rows_;
  std::vector<std::size_t> atom_rows_;
  std::vector<float> hidden_;
  std::vector<float> hidden_gradient_;
};

struct LabelHeadShape {
  std::size_t first_column = 0;  // of the projection: as head, then as dependent of an arc
  std::size_t hidden = 0;
  std::size_t labels = 0;

  std::size_t projected() const { return 2 * hidden; }
};

struct LabelHeadWeights {
  LabelHeadShape shape;
  Matrix root;  // in place of the projection of a head
  Matrix bias, output, output_bias;

  LabelHeadWeights() = default;
  explicit LabelHeadWeights(const LabelHeadShape& of_shape);
  void initialise(Random& random);
  void list(std::vector<Matrix*>& all);
  // Of gradients: makes zero what learning adds to. That of the output is written anew every time.
  void clear();
};

// An arc that wants a label: rows of the batch, or kRootRow for the artificial root as head.
struct LabelQuestion {
  static constexpr std::int64_t kRootRow = -1;
  std::int64_t head = kRootRow;
  std::int64_t dependent = 0;
  std::int32_t gold = -1;
};

// Labels of many arcs at once.
class LabelHead {
 public:
  explicit LabelHead(const LabelHeadWeights& weights) : weights_(&weights) {}

  // The best label of each arc. `output`: the packed weights.
  void answer(const PackedMatrix& output, const Matrix& projected, std::span<const LabelQuestion> questions,
              std::vector<std::int32_t>& labels);
  // Writes the gradient of the output and adds to the rest. `dropped`: the share of hidden values that is left out.
  void learn(const Matrix& projected, std::span<const LabelQuestion> questions, float dropped, Random& random,
             Matrix& projected_gradient, LabelHeadWeights& gradients);

 private:
  void look(const Matrix& projected, std::span<const LabelQuestion> questions);
  void score(const PackedMatrix& output);

  const LabelHeadWeights* weights_;
  Matrix hidden_, scores_, mask_, hidden_gradient_;
  PackedMatrix packed_;
};

// Scores become probabilities of those that are allowed; of all, if `allowed` is empty.
void normalise(std::span<float> scores, std::span<const std::uint8_t> allowed);

}  // namespace crossarc
