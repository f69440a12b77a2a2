#include "nn/biaffine.hpp"

#include <algorithm>
#include <cmath>

#include "nn/activation.hpp"
#include "nn/optimiser.hpp"

namespace crossarc {
namespace {

void sum_rows(const Matrix& from, std::size_t rows, Matrix& to) {
  std::fill(to.values.begin(), to.values.end(), 0.0F);
  for (std::size_t row = 0; row < rows; ++row) add(to.row(0), from.row(row), from.columns);
}

}  // namespace

BiaffineWeights::BiaffineWeights(const BiaffineShape& of_shape)
    : shape(of_shape),
      projection(shape.inputs, shape.projected()),
      projection_bias(1, shape.projected()),
      arc(shape.arc, shape.arc),
      arc_bias(1, shape.arc),
      label(shape.label_inputs(), shape.labels),
      label_bias(1, shape.labels) {}

void BiaffineWeights::initialise(Random& random) {
  // Of each role by itself, not of all together.
  spread(projection, std::sqrt(6.0F / static_cast<float>(shape.inputs + shape.arc)), random);
  spread(label, random);
}

void BiaffineWeights::list(std::vector<Matrix*>& all) {
  all.insert(all.end(), {&projection, &projection_bias, &arc, &arc_bias, &label, &label_bias});
}

void PackedBiaffine::pack(const BiaffineWeights& weights, std::size_t number, bool to_learn) {
  const auto both = [&](const Matrix& matrix, PackedMatrix& forward, PackedMatrix& back) {
    forward.pack(matrix);
    if (to_learn) back.pack_transposed(matrix);
  };
  if (number == 0) both(weights.projection, projection, projection_back);
  if (number == 2) both(weights.arc, arc, arc_back);
  if (number == 4) both(weights.label, label, label_back);
}

QuantisedMatrix* PackedBiaffine::bytes(std::size_t number) {
  if (number == 0) return &projection_bytes;
  return number == 2 ? &arc_bytes : nullptr;
}

void BiaffineReading::project(const BiaffineWeights& weights, const PackedBiaffine& packed, const Matrix& encoded) {
  shape_ = weights.shape;
  projected_.resize(encoded.rows, shape_.projected());
  const float* const bias = weights.projection_bias.row(0);
  if (packed.projection_bytes.empty()) {
    multiply_with_bias(LeftFactor::of(encoded), packed.projection, bias, projected_.values.data(), projected_.columns);
  } else {
    rounded_.round(encoded);
    multiply_with_bias(rounded_, packed.projection_bytes, bias, projected_.values.data(), projected_.columns);
  }
  rectify(projected_.values.data(), encoded.rows * shape_.projected());
}

void BiaffineReading::multiply_dependents(const BiaffineWeights& weights, const PackedBiaffine& packed) {
  dependents_.resize(projected_.rows, shape_.arc);
  const float* const bias = weights.arc_bias.row(0);
  if (packed.arc_bytes.empty()) {
    multiply_with_bias(LeftFactor::of(projected_), packed.arc, bias, dependents_.values.data(), shape_.arc);
  } else {
    rounded_.round(projected_.values.data(), projected_.rows, shape_.arc, projected_.columns);
    multiply_with_bias(rounded_, packed.arc_bytes, bias, dependents_.values.data(), shape_.arc);
  }
}

void BiaffineReading::read(const BiaffineWeights& weights, const PackedBiaffine& packed, const Matrix& encoded) {
  project(weights, packed, encoded);
  multiply_dependents(weights, packed);
}

void BiaffineReading::read_to_learn(const BiaffineWeights& weights, const PackedBiaffine& packed, const Matrix& encoded,
                                    const SentenceBatch& batch, float dropped, Random& random) {
  project(weights, packed, encoded);
  mask_.resize(batch.sentences.size(), shape_.projected());
  fill_mask(mask_.values.data(), mask_.rows * mask_.columns, dropped, random.bits());
  for (std::size_t row = 0; row < projected_.rows; ++row) {
    scale(projected_.row(row), mask_.row(static_cast<std::size_t>(batch.sentence_of_row[row])), shape_.projected());
  }
  multiply_dependents(weights, packed);
}

// The words of a sentence, one below the other; they lie apart in the batch.
void BiaffineReading::gather(const SentenceBatch& batch, std::size_t sentence, const Matrix& from, std::size_t first,
                             Matrix& to) const {
  const auto length = static_cast<std::size_t>(batch.lengths[sentence]);
  to.resize(length, shape_.arc);
  for (std::size_t word = 0; word < length; ++word) {
    std::copy_n(from.row(batch.order.row(sentence, word)) + first, shape_.arc, to.row(word));
  }
}

void BiaffineReading::score_arcs(const SentenceBatch& batch, std::size_t sentence, ArcScores& scores) {
  gather(batch, sentence, dependents_, 0, own_dependents_);
  gather(batch, sentence, projected_, shape_.arc, own_heads_);
  packed_own_.pack_transposed(own_heads_);
  scores.words = batch.lengths[sentence] - 1;
  scores.values.resize(scores.width() * scores.width());
  multiply(LeftFactor::of(own_dependents_), packed_own_, scores.values.data(), scores.width());
}

const Matrix& BiaffineReading::score_labels(const BiaffineWeights& weights, const PackedBiaffine& packed,
                                            std::span<const ArcLabel> arcs) {
  label_inputs_.resize(arcs.size(), shape_.label_inputs());
  label_scores_.resize(arcs.size(), shape_.labels);
  for (std::size_t row = 0; row < arcs.size(); ++row) {
    const float* dependent = projected_.row(arcs[row].dependent) + 2 * shape_.arc;
    const float* head = projected_.row(arcs[row].head) + 2 * shape_.arc + shape_.label;
    float* own = label_inputs_.row(row);
    for (std::size_t place = 0; place < shape_.label; ++place) own[place] = dependent[place] * head[place];
    std::copy_n(dependent, shape_.label, own + shape_.label);
    std::copy_n(head, shape_.label, own + 2 * shape_.label);
    std::copy_n(weights.label_bias.row(0), shape_.labels, label_scores_.row(row));
  }
  multiply_add({label_inputs_.values.data(), arcs.size(), label_inputs_.columns, 1}, packed.label,
               label_scores_.values.data(), shape_.labels);
  return label_scores_;
}

void BiaffineReading::clear_gradients() {
  gradient_.reset(projected_.rows, projected_.columns);
  dependents_gradient_.reset(projected_.rows, shape_.arc);
}

void BiaffineReading::learn_arcs(const SentenceBatch& batch, std::size_t sentence, const ArcScores& score_gradients) {
  gather(batch, sentence, dependents_, 0, own_dependents_);
  gather(batch, sentence, projected_, shape_.arc, own_heads_);
  const std::size_t width = score_gradients.width();
  head_sums_.resize(width, shape_.arc);
  packed_own_.pack(own_dependents_);
  multiply({score_gradients.values.data(), width, 1, width}, packed_own_, head_sums_.values.data(), shape_.arc);
  for (std::size_t word = 0; word < width; ++word) {
    add(gradient_.row(batch.order.row(sentence, word)) + shape_.arc, head_sums_.row(word), shape_.arc);
  }
  packed_own_.pack(own_heads_);
  multiply({score_gradients.values.data(), width, width, 1}, packed_own_, head_sums_.values.data(), shape_.arc);
  for (std::size_t word = 0; word < width; ++word) {
    std::copy_n(head_sums_.row(word), shape_.arc, dependents_gradient_.row(batch.order.row(sentence, word)));
  }
}

void BiaffineReading::learn_labels(const PackedBiaffine& packed, std::span<const ArcLabel> arcs,
                                   BiaffineWeights& gradients) {
  const std::size_t size = shape_.label;
  packed_gradient_.pack(label_scores_.values.data(), arcs.size(), shape_.labels, shape_.labels);
  multiply({label_inputs_.values.data(), shape_.label_inputs(), 1, label_inputs_.columns}, packed_gradient_,
           gradients.label.values.data(), shape_.labels);
  sum_rows(label_scores_, arcs.size(), gradients.label_bias);
  label_input_gradient_.resize(arcs.size(), shape_.label_inputs());
  multiply({label_scores_.values.data(), arcs.size(), shape_.labels, 1}, packed.label_back,
           label_input_gradient_.values.data(), shape_.label_inputs());
  for (std::size_t row = 0; row < arcs.size(); ++row) {
    const float* inputs = label_inputs_.row(row);
    const float* own = label_input_gradient_.row(row);
    float* dependent = gradient_.row(arcs[row].dependent) + 2 * shape_.arc;
    float* head = gradient_.row(arcs[row].head) + 2 * shape_.arc + size;
    for (std::size_t place = 0; place < size; ++place) {
      dependent[place] += own[place] * inputs[2 * size + place] + own[size + place];
      head[place] += own[place] * inputs[size + place] + own[2 * size + place];
    }
  }
}

void BiaffineReading::backward(const PackedBiaffine& packed, const Matrix& encoded, const SentenceBatch& batch,
                               BiaffineWeights& gradients, Matrix& encoded_gradient) {
  const std::size_t rows = projected_.rows;
  packed_gradient_.pack(dependents_gradient_);
  multiply({projected_.values.data(), shape_.arc, 1, projected_.columns}, packed_gradient_, gradients.arc.values.data(),
           shape_.arc);
  sum_rows(dependents_gradient_, rows, gradients.arc_bias);
  multiply_add(LeftFactor::of(dependents_gradient_), packed.arc_back, gradient_.values.data(), gradient_.columns);
  // Through the mask and the rectifiers: values keep their sign in both.
  for (std::size_t row = 0; row < rows; ++row) {
    const float* mask = mask_.row(static_cast<std::size_t>(batch.sentence_of_row[row]));
    const float* value = projected_.row(row);
    float* own = gradient_.row(row);
    for (std::size_t place = 0; place < gradient_.columns; ++place) {
      own[place] *= value[place] < 0.0F ? kLeak * mask[place] : mask[place];
    }
  }
  packed_gradient_.pack(gradient_);
  multiply(LeftFactor::transposed(encoded), packed_gradient_, gradients.projection.values.data(), gradient_.columns);
  sum_rows(gradient_, rows, gradients.projection_bias);
  multiply(LeftFactor::of(gradient_), packed.projection_back, encoded_gradient.values.data(), encoded_gradient.columns);
}

}  // namespace crossarc
