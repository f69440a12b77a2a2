// The head of a graph parser: scores of all arcs of a sentence, and of the labels of given arcs (Dozat & Manning 2017).
// What the encoder says of a word goes through a layer with leaky rectifiers once for every role: dependent and head of
// an arc, dependent and head for its label. An arc is scored by a biaffine product of its two words. A label is scored
// by the product of the two words value by value, and by each of them: a biaffine product whose matrix of each label is
// diagonal, which scored as well as a full one in our trials at a hundredth of its cost. With the artificial root as
// first word of every sentence. O(words · inputs · roles), and O(words² · arc hidden size) for each sentence.
// The head "crossed" is the same without labels: what it adds to the score of an arc where another arc crosses it
// (Pitler 2014). It has a bias instead, which is low at first, as crossed arcs are rare.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nn/batch.hpp"
#include "nn/heads/head.hpp"

namespace crossarc {

class BiaffineHead : public Head {
 public:
  // The kinds by which networks know it: of arcs and labels, and of what crossing adds.
  static constexpr const char* kArcs = "biaffine";
  static constexpr const char* kCrossed = "crossed";

  // Without labels, it scores arcs with a bias.
  BiaffineHead(std::size_t inputs, std::size_t arc_hidden_size, std::size_t label_hidden_size, std::size_t labels);

  void list(const std::string& prefix, ParameterList& parameters) override;
  void initialise(Random& random) override;

  const std::size_t arc_size, label_size, labels;  // hidden sizes of arcs and of labels
  // Dependents, heads, dependents for labels, heads for labels.
  Parameter projection, projection_bias;
  Parameter arc, arc_bias;      // of a dependent's row: what it says of heads
  Parameter label, label_bias;  // product, dependent, head
  Parameter bias;               // of all arcs, in place of labels
};

// Scores of the arcs of a sentence: a row for each dependent, the artificial root being 0 and the first of them.
struct ArcScores {
  std::int32_t words = 0;
  std::vector<float> values;

  std::size_t width() const { return static_cast<std::size_t>(words) + 1; }
  float* row(std::size_t dependent) { return values.data() + dependent * width(); }
  const float* row(std::size_t dependent) const { return values.data() + dependent * width(); }
};

// An arc between rows of the batch that wants a label.
struct ArcToLabel {
  // In place of a row: the artificial root, where it has none.
  static constexpr std::int64_t kRootRow = -1;
  std::int64_t head = kRootRow;
  std::int64_t dependent = 0;
  std::int32_t gold = -1;
};

// A batch of sentences as the head sees it. Keeps its memory.
class BiaffineReading {
 public:
  explicit BiaffineReading(const BiaffineHead& head) : head_(&head) {}

  void read(const Matrix& encoded);
  // What labels are scored by, and nothing else.
  void project(const Matrix& encoded);
  // All of it with dropout; the words of a sentence share the mask.
  void read_to_learn(const Matrix& encoded, const Batch& batch, float dropped, Random& random);

  void score_arcs(const Batch& batch, std::size_t sentence, ArcScores& scores);
  // A row for each arc, a column for each label.
  const Matrix& score_labels(std::span<const ArcToLabel> arcs);

  // To learn. First the gradients of the scores of each sentence, then of labels, then everything below: writes the
  // gradients of all parameters and adds to that of what was encoded.
  void learn_arcs(const Batch& batch, std::size_t sentence, const ArcScores& score_gradients);
  // The gradients of the scores stand in what score_labels gave.
  Matrix& label_gradients() { return label_scores_; }
  void learn_labels(std::span<const ArcToLabel> arcs, Gradients& gradients);
  void backward(const Matrix& encoded, const Batch& batch, Gradients& gradients, Matrix& encoded_gradient);

 private:
  void multiply_dependents();
  void gather(const Batch& batch, std::size_t sentence, const Matrix& from, std::size_t first, Matrix& to) const;
  void gather(const Batch& batch, std::size_t sentence);
  void backward_rectifiers(const Batch& batch);

  const BiaffineHead* head_;
  Matrix projected_, mask_, gradient_;           // a row for each word
  Matrix dependents_, dependents_gradient_;      // times the weights of arcs
  Matrix sentence_dependents_, sentence_heads_;  // of one sentence
  Matrix sentence_gradient_;
  Matrix label_inputs_, label_scores_, label_input_gradient_;
  float bias_gradient_ = 0.0F;
  PackedMatrix packed_sentence_, packed_gradient_;
  LeftRows left_;
};

}  // namespace crossarc
