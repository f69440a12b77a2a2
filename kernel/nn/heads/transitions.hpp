// The head of a transition parser: scores of the transitions of a configuration, and of the labels of arcs between two
// words, each through one hidden layer with rectifiers (Kiperwasser & Goldberg 2016). What the encoder says of a word
// is projected once for every role that it can play, in one product; a configuration then costs a few additions of
// vectors, however large its parts are. O(inputs · hidden size) for each word and role, O(slots · hidden size) for each
// configuration, O(hidden size · labels) for each arc.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nn/heads/biaffine.hpp"
#include "nn/heads/head.hpp"

namespace crossarc {

struct TransitionHeadSizes {
  std::size_t slots = 0;  // words of a configuration that are looked at
  std::size_t atoms = 0;  // and small numbers of it
  std::size_t hidden_size = 0;
  std::size_t transitions = 0;
  std::size_t label_hidden_size = 0;
  std::size_t labels = 0;

  static constexpr std::size_t kAtomValues = 16;
  // Columns of the projection: slot after slot, then head and dependent of an arc to be labelled.
  std::size_t first_label_column() const { return slots * hidden_size; }
  std::size_t projected() const { return first_label_column() + 2 * label_hidden_size; }
};

class TransitionHead : public Head {
 public:
  TransitionHead(std::size_t inputs, const TransitionHeadSizes& sizes);

  void list(const std::string& prefix, ParameterList& parameters) override;
  void initialise(Random& random) override;

  const TransitionHeadSizes sizes;
  Parameter projection;
  Parameter absent, artificial;  // slots × hidden size: no word there, the artificial root there
  Parameter atoms;               // (atom, value) × hidden size
  Parameter hidden_bias, output, output_bias;
  Parameter label_root;  // in place of the projection of a head
  Parameter label_bias, label_output, label_output_bias;
};

// The words of a batch in all their roles. Keeps its memory.
class ProjectedWords {
 public:
  explicit ProjectedWords(const TransitionHead& head) : head_(&head) {}

  void project(const Matrix& encoded);
  const Matrix& values() const { return values_; }

  // To learn: scores add to the gradient, which is zero at first, and it then goes back to the encoder. Writes the
  // gradient of the projection and adds to that of what was encoded.
  void clear_gradient() { gradient_.reset(values_.rows, values_.columns); }
  Matrix& gradient() { return gradient_; }
  void backward(const Matrix& encoded, Gradients& gradients, Matrix& encoded_gradient);

 private:
  const TransitionHead* head_;
  Matrix values_, gradient_;
  LeftRows left_;
  PackedMatrix packed_gradient_;
};

// Scores the configurations of a sentence, one after the other.
class TransitionScores {
 public:
  // In place of the row of a word in the batch.
  static constexpr std::int64_t kAbsent = -1;
  static constexpr std::int64_t kArtificial = -2;

  explicit TransitionScores(const TransitionHead& head) : head_(&head) {}

  // Sums up what the words in the slots, by their rows, and the numbers say.
  void look(const Matrix& projected, std::span<const std::int64_t> rows, std::span<const std::uint32_t> numbers);
  // Multiplies the hidden values, those below 0 being 0.
  void mask(std::span<const float> mask);
  void score(std::span<float> scores) const;

  // To learn: from the gradients of the scores to everything below, which is added to. `mask`: by what the hidden
  // values were multiplied.
  void learn(std::span<const float> score_gradients, std::span<const float> mask, Matrix& projected_gradient,
             Gradients& gradients);
  // Before that, once a batch.
  void clear(Gradients& gradients) const;

 private:
  const TransitionHead* head_;
  std::vector<std::int64_t> rows_;
  std::vector<std::size_t> atom_rows_;
  std::vector<float> hidden_, hidden_gradient_;
};

// Labels of many arcs at once; the head of an arc may be the artificial root.
class LabelScores {
 public:
  explicit LabelScores(const TransitionHead& head) : head_(&head) {}

  // The best label of each arc; `losses`: by how much less each label counts, if not empty.
  void find(const Matrix& projected, std::span<const ArcToLabel> arcs, std::span<const float> losses,
            std::vector<std::int32_t>& labels);
  // Writes the gradients of the parameters of labels and adds to that of the projection. `dropped`: the share of hidden
  // values that is left out.
  void learn(const Matrix& projected, std::span<const ArcToLabel> arcs, float dropped, Random& random,
             Matrix& projected_gradient, Gradients& gradients);

 private:
  void look(const Matrix& projected, std::span<const ArcToLabel> arcs);
  void score();
  void learn_output(std::span<const ArcToLabel> arcs, Gradients& gradients);

  const TransitionHead* head_;
  Matrix hidden_, scores_, mask_, hidden_gradient_;
  PackedMatrix packed_;
};

}  // namespace crossarc
