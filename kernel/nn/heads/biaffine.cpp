#include "nn/heads/biaffine.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "nn/activation.hpp"
#include "nn/optimiser.hpp"

namespace crossarc {
namespace {

// Crossed arcs begin e⁴ times rarer than others.
constexpr float kFirstBias = -4.0F;

const Registry<Head> kArcs(BiaffineHead::kArcs, [](std::size_t inputs, SizeReader& sizes) -> std::unique_ptr<Head> {
  const std::size_t arc = sizes.take("arc_hidden_size");
  const std::size_t label = sizes.take("label_hidden_size");
  return std::make_unique<BiaffineHead>(inputs, arc, label, sizes.take("labels", 1, kMostLabels));
});

const Registry<Head> kCrossed(BiaffineHead::kCrossed,
                              [](std::size_t inputs, SizeReader& sizes) -> std::unique_ptr<Head> {
                                return std::make_unique<BiaffineHead>(inputs, sizes.take("arc_hidden_size"), 0, 0);
                              });

}  // namespace

BiaffineHead::BiaffineHead(std::size_t inputs, std::size_t arc_hidden_size, std::size_t label_hidden_size,
                           std::size_t label_count)
    : arc_size(arc_hidden_size),
      label_size(label_hidden_size),
      labels(label_count),
      projection(Use::kInt8Factor, inputs, 2 * (arc_size + label_size)),
      projection_bias(Use::kValues, 1, projection.columns),
      arc(Use::kInt8Factor, arc_size, arc_size),
      arc_bias(Use::kValues, 1, arc_size),
      label(Use::kFactor, 3 * label_size, labels),
      label_bias(Use::kValues, 1, labels),
      bias(Use::kValues, 1, 1) {}

void BiaffineHead::list(const std::string& prefix, ParameterList& parameters) {
  parameters.add(prefix + "projection", projection);
  parameters.add(prefix + "projection_bias", projection_bias);
  parameters.add(prefix + "arc", arc);
  parameters.add(prefix + "arc_bias", arc_bias);
  if (labels > 0) {
    parameters.add(prefix + "label", label);
    parameters.add(prefix + "label_bias", label_bias);
  } else {
    parameters.add(prefix + "bias", bias);
  }
}

void BiaffineHead::initialise(Random& random) {
  // Of each role by itself, not of all together.
  spread(projection.values, std::sqrt(6.0F / static_cast<float>(projection.rows + arc_size)), random);
  if (labels > 0) {
    spread(label.values, random);
  } else {
    bias.values.values.front() = kFirstBias;
  }
}

void BiaffineReading::project(const Matrix& encoded) {
  projected_.resize(encoded.rows, head_->projection.columns);
  left_.set(encoded);
  multiply_with_bias(left_, head_->projection, head_->projection_bias, projected_.values.data(), projected_.columns);
  rectify(projected_.values.data(), encoded.rows * projected_.columns);
}

void BiaffineReading::multiply_dependents() {
  dependents_.resize(projected_.rows, head_->arc_size);
  left_.set(projected_.values.data(), projected_.rows, head_->arc_size, projected_.columns);
  multiply_with_bias(left_, head_->arc, head_->arc_bias, dependents_.values.data(), head_->arc_size);
}

void BiaffineReading::read(const Matrix& encoded) {
  project(encoded);
  multiply_dependents();
}

void BiaffineReading::read_to_learn(const Matrix& encoded, const Batch& batch, float dropped, Random& random) {
  project(encoded);
  mask_.resize(batch.size(), projected_.columns);
  fill_mask(mask_.values.data(), mask_.rows * mask_.columns, dropped, random.bits());
  for (std::size_t row = 0; row < projected_.rows; ++row) {
    scale(projected_.row(row), mask_.row(static_cast<std::size_t>(batch.sentence_of_row[row])), projected_.columns);
  }
  multiply_dependents();
  gradient_.reset(projected_.rows, projected_.columns);
  dependents_gradient_.reset(projected_.rows, head_->arc_size);
  bias_gradient_ = 0.0F;
}

// The words of a sentence, one below the other; they may lie apart in the batch.
void BiaffineReading::gather(const Batch& batch, std::size_t sentence, const Matrix& from, std::size_t first,
                             Matrix& to) const {
  to.resize(batch.words(sentence), head_->arc_size);
  for (std::size_t word = 0; word < to.rows; ++word) {
    std::copy_n(from.row(batch.row(sentence, word)) + first, head_->arc_size, to.row(word));
  }
}

void BiaffineReading::gather(const Batch& batch, std::size_t sentence) {
  gather(batch, sentence, dependents_, 0, sentence_dependents_);
  gather(batch, sentence, projected_, head_->arc_size, sentence_heads_);
}

void BiaffineReading::score_arcs(const Batch& batch, std::size_t sentence, ArcScores& scores) {
  gather(batch, sentence);
  packed_sentence_.pack_transposed(sentence_heads_);
  scores.words = batch.lengths[sentence] - 1;
  scores.values.resize(scores.width() * scores.width());
  multiply(LeftFactor::of(sentence_dependents_), packed_sentence_, scores.values.data(), scores.width());
  if (head_->labels > 0) return;
  for (float& score : scores.values) score += head_->bias.row(0)[0];
}

const Matrix& BiaffineReading::score_labels(std::span<const ArcToLabel> arcs) {
  const std::size_t size = head_->label_size;
  label_inputs_.resize(arcs.size(), 3 * size);
  label_scores_.resize(arcs.size(), head_->labels);
  for (std::size_t row = 0; row < arcs.size(); ++row) {
    const float* dependent = projected_.row(static_cast<std::size_t>(arcs[row].dependent)) + 2 * head_->arc_size;
    const float* head = projected_.row(static_cast<std::size_t>(arcs[row].head)) + 2 * head_->arc_size + size;
    float* inputs = label_inputs_.row(row);
    for (std::size_t column = 0; column < size; ++column) inputs[column] = dependent[column] * head[column];
    std::copy_n(dependent, size, inputs + size);
    std::copy_n(head, size, inputs + 2 * size);
  }
  multiply_with_bias({label_inputs_.values.data(), arcs.size(), label_inputs_.columns, 1}, head_->label.packed,
                     head_->label_bias.row(0), label_scores_.values.data(), head_->labels);
  return label_scores_;
}

void BiaffineReading::learn_arcs(const Batch& batch, std::size_t sentence, const ArcScores& score_gradients) {
  gather(batch, sentence);
  const std::size_t width = score_gradients.width();
  const std::size_t size = head_->arc_size;
  if (head_->labels == 0) {
    for (const float gradient : score_gradients.values) bias_gradient_ += gradient;
  }
  sentence_gradient_.resize(width, size);
  packed_sentence_.pack(sentence_dependents_);
  multiply({score_gradients.values.data(), width, 1, width}, packed_sentence_, sentence_gradient_.values.data(), size);
  for (std::size_t word = 0; word < width; ++word) {
    add(gradient_.row(batch.row(sentence, word)) + size, sentence_gradient_.row(word), size);
  }
  packed_sentence_.pack(sentence_heads_);
  multiply({score_gradients.values.data(), width, width, 1}, packed_sentence_, sentence_gradient_.values.data(), size);
  for (std::size_t word = 0; word < width; ++word) {
    std::copy_n(sentence_gradient_.row(word), size, dependents_gradient_.row(batch.row(sentence, word)));
  }
}

void BiaffineReading::learn_labels(std::span<const ArcToLabel> arcs, Gradients& gradients) {
  const std::size_t size = head_->label_size;
  const std::size_t labels = head_->labels;
  packed_gradient_.pack(label_scores_.values.data(), arcs.size(), labels, labels);
  multiply({label_inputs_.values.data(), 3 * size, 1, label_inputs_.columns}, packed_gradient_,
           gradients[head_->label].values.data(), labels);
  sum_rows(label_scores_, arcs.size(), gradients[head_->label_bias]);
  label_input_gradient_.resize(arcs.size(), 3 * size);
  multiply({label_scores_.values.data(), arcs.size(), labels, 1}, head_->label.packed_transposed,
           label_input_gradient_.values.data(), 3 * size);
  for (std::size_t row = 0; row < arcs.size(); ++row) {
    const float* inputs = label_inputs_.row(row);
    const float* from = label_input_gradient_.row(row);
    float* dependent = gradient_.row(static_cast<std::size_t>(arcs[row].dependent)) + 2 * head_->arc_size;
    float* head = gradient_.row(static_cast<std::size_t>(arcs[row].head)) + 2 * head_->arc_size + size;
    for (std::size_t column = 0; column < size; ++column) {
      dependent[column] += from[column] * inputs[2 * size + column] + from[size + column];
      head[column] += from[column] * inputs[size + column] + from[2 * size + column];
    }
  }
}

// Through the mask and the rectifiers: values keep their sign in both.
void BiaffineReading::backward_rectifiers(const Batch& batch) {
  for (std::size_t row = 0; row < gradient_.rows; ++row) {
    const float* mask = mask_.row(static_cast<std::size_t>(batch.sentence_of_row[row]));
    const float* value = projected_.row(row);
    float* gradient = gradient_.row(row);
    for (std::size_t column = 0; column < gradient_.columns; ++column) {
      gradient[column] *= value[column] < 0.0F ? kLeak * mask[column] : mask[column];
    }
  }
}

void BiaffineReading::backward(const Matrix& encoded, const Batch& batch, Gradients& gradients,
                               Matrix& encoded_gradient) {
  const std::size_t size = head_->arc_size;
  packed_gradient_.pack(dependents_gradient_);
  multiply({projected_.values.data(), size, 1, projected_.columns}, packed_gradient_,
           gradients[head_->arc].values.data(), size);
  sum_rows(dependents_gradient_, projected_.rows, gradients[head_->arc_bias]);
  if (head_->labels == 0) gradients[head_->bias].values.front() = bias_gradient_;
  multiply_add(LeftFactor::of(dependents_gradient_), head_->arc.packed_transposed, gradient_.values.data(),
               gradient_.columns);
  backward_rectifiers(batch);
  packed_gradient_.pack(gradient_);
  multiply(LeftFactor::transposed(encoded), packed_gradient_, gradients[head_->projection].values.data(),
           gradient_.columns);
  sum_rows(gradient_, projected_.rows, gradients[head_->projection_bias]);
  multiply_add(LeftFactor::of(gradient_), head_->projection.packed_transposed, encoded_gradient.values.data(),
               encoded_gradient.columns);
}

}  // namespace crossarc
