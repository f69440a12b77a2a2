#include "nn/heads.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nn/activation.hpp"
#include "nn/optimiser.hpp"

namespace crossarc {
namespace {

void clear_all(std::initializer_list<Matrix*> matrices) {
  for (Matrix* one : matrices) std::fill(one->values.begin(), one->values.end(), 0.0F);
}

}  // namespace

void Projection::pack(bool to_learn) {
  packed.pack(weights);
  if (to_learn) packed_back.pack_transposed(weights);
}

void ProjectedWords::project(const Projection& projection, const Matrix& encoded) {
  values_.resize(encoded.rows, projection.weights.columns);
  multiply(LeftFactor::of(encoded), projection.packed, values_.values.data(), values_.columns);
}

void ProjectedWords::backward(const Projection& projection, const Matrix& encoded, Matrix& weight_gradient,
                              Matrix& encoded_gradient) {
  packed_gradient_.pack(gradient_);
  multiply(LeftFactor::transposed(encoded), packed_gradient_, weight_gradient.values.data(), gradient_.columns);
  multiply(LeftFactor::of(gradient_), projection.packed_back, encoded_gradient.values.data(), encoded_gradient.columns);
}

TransitionHeadWeights::TransitionHeadWeights(const TransitionHeadShape& of_shape)
    : shape(of_shape),
      absent(shape.slots, shape.hidden),
      artificial(shape.slots, shape.hidden),
      atoms(shape.atoms * TransitionHeadShape::kAtomValues, shape.hidden),
      hidden_bias(1, shape.hidden),
      output(shape.transitions, shape.hidden),
      output_bias(1, shape.transitions) {}

void TransitionHeadWeights::initialise(Random& random) { spread(output, random); }

void TransitionHeadWeights::list(std::vector<Matrix*>& all) {
  all.insert(all.end(), {&absent, &artificial, &atoms, &hidden_bias, &output, &output_bias});
}

void TransitionHeadWeights::clear() { clear_all({&absent, &artificial, &atoms, &hidden_bias, &output, &output_bias}); }

void TransitionHead::look(const Matrix& projected, std::span<const std::int64_t> rows,
                          std::span<const std::uint32_t> numbers) {
  const std::size_t hidden = weights_->shape.hidden;
  hidden_.assign(weights_->hidden_bias.row(0), weights_->hidden_bias.row(0) + hidden);
  rows_.assign(rows.begin(), rows.end());
  for (std::size_t slot = 0; slot < rows.size(); ++slot) {
    const float* from = rows[slot] >= 0
                            ? projected.row(static_cast<std::size_t>(rows[slot])) + slot * hidden
                            : (rows[slot] == kArtificial ? weights_->artificial : weights_->absent).row(slot);
    add(hidden_.data(), from, hidden);
  }
  atom_rows_.resize(weights_->shape.atoms);
  for (std::size_t atom = 0; atom < weights_->shape.atoms; ++atom) {
    const std::size_t value = std::min<std::size_t>(numbers[atom], TransitionHeadShape::kAtomValues - 1);
    atom_rows_[atom] = atom * TransitionHeadShape::kAtomValues + value;
    add(hidden_.data(), weights_->atoms.row(atom_rows_[atom]), hidden);
  }
  for (float& value : hidden_) value = std::max(value, 0.0F);
}

void TransitionHead::mask(std::span<const float> mask) { scale(hidden_.data(), mask.data(), mask.size()); }

void TransitionHead::score(std::span<float> scores) const {
  for (std::size_t transition = 0; transition < scores.size(); ++transition) {
    scores[transition] = weights_->output_bias.row(0)[transition] +
                         dot(hidden_.data(), weights_->output.row(transition), weights_->shape.hidden);
  }
}

void TransitionHead::learn(std::span<const float> score_gradients, std::span<const float> mask,
                           Matrix& projected_gradient, TransitionHeadWeights& gradients) {
  const std::size_t hidden = weights_->shape.hidden;
  hidden_gradient_.assign(hidden, 0.0F);
  for (std::size_t transition = 0; transition < score_gradients.size(); ++transition) {
    if (score_gradients[transition] == 0.0F) continue;
    add_scaled(hidden_gradient_.data(), weights_->output.row(transition), score_gradients[transition], hidden);
    add_scaled(gradients.output.row(transition), hidden_.data(), score_gradients[transition], hidden);
    gradients.output_bias.row(0)[transition] += score_gradients[transition];
  }
  for (std::size_t place = 0; place < hidden; ++place) {
    hidden_gradient_[place] = hidden_[place] > 0.0F ? hidden_gradient_[place] * mask[place] : 0.0F;
  }
  add(gradients.hidden_bias.row(0), hidden_gradient_.data(), hidden);
  for (std::size_t slot = 0; slot < rows_.size(); ++slot) {
    float* to = rows_[slot] >= 0 ? projected_gradient.row(static_cast<std::size_t>(rows_[slot])) + slot * hidden
                                 : (rows_[slot] == kArtificial ? gradients.artificial : gradients.absent).row(slot);
    add(to, hidden_gradient_.data(), hidden);
  }
  for (const std::size_t row : atom_rows_) add(gradients.atoms.row(row), hidden_gradient_.data(), hidden);
}

LabelHeadWeights::LabelHeadWeights(const LabelHeadShape& of_shape)
    : shape(of_shape),
      root(1, shape.hidden),
      bias(1, shape.hidden),
      output(shape.hidden, shape.labels),
      output_bias(1, shape.labels) {}

void LabelHeadWeights::initialise(Random& random) { spread(output, random); }

void LabelHeadWeights::list(std::vector<Matrix*>& all) { all.insert(all.end(), {&root, &bias, &output, &output_bias}); }

void LabelHeadWeights::clear() { clear_all({&root, &bias, &output_bias}); }

void LabelHead::look(const Matrix& projected, std::span<const LabelQuestion> questions) {
  const std::size_t hidden = weights_->shape.hidden;
  hidden_.resize(questions.size(), hidden);
  for (std::size_t place = 0; place < questions.size(); ++place) {
    const LabelQuestion& arc = questions[place];
    float* own = hidden_.row(place);
    std::copy_n(weights_->bias.row(0), hidden, own);
    add(own,
        arc.head < 0 ? weights_->root.row(0)
                     : projected.row(static_cast<std::size_t>(arc.head)) + weights_->shape.first_column,
        hidden);
    add(own, projected.row(static_cast<std::size_t>(arc.dependent)) + weights_->shape.first_column + hidden, hidden);
    for (std::size_t one = 0; one < hidden; ++one) own[one] = std::max(own[one], 0.0F);
  }
}

void LabelHead::score(const PackedMatrix& output) {
  scores_.resize(hidden_.rows, weights_->shape.labels);
  for (std::size_t row = 0; row < scores_.rows; ++row) {
    std::copy_n(weights_->output_bias.row(0), scores_.columns, scores_.row(row));
  }
  multiply_add(LeftFactor::of(hidden_), output, scores_.values.data(), scores_.columns);
}

void LabelHead::answer(const PackedMatrix& output, const Matrix& projected, std::span<const LabelQuestion> questions,
                       std::vector<std::int32_t>& labels) {
  look(projected, questions);
  score(output);
  labels.resize(questions.size());
  for (std::size_t row = 0; row < questions.size(); ++row) {
    const float* scores = scores_.row(row);
    labels[row] = static_cast<std::int32_t>(std::max_element(scores, scores + scores_.columns) - scores);
  }
}

void LabelHead::learn(const Matrix& projected, std::span<const LabelQuestion> questions, float dropped, Random& random,
                      Matrix& projected_gradient, LabelHeadWeights& gradients) {
  const std::size_t hidden = weights_->shape.hidden;
  const std::size_t labels = weights_->shape.labels;
  look(projected, questions);
  mask_.resize(questions.size(), hidden);
  fill_mask(mask_.values.data(), mask_.rows * mask_.columns, dropped, random.bits());
  scale(hidden_.values.data(), mask_.values.data(), mask_.rows * mask_.columns);
  packed_.pack(weights_->output);
  score(packed_);
  for (std::size_t row = 0; row < questions.size(); ++row) {
    const std::span<float> scores(scores_.row(row), labels);
    normalise(scores, {});
    scores[static_cast<std::size_t>(questions[row].gold)] -= 1.0F;
    add(gradients.output_bias.row(0), scores.data(), labels);
  }
  packed_.pack(scores_.values.data(), questions.size(), labels, labels);
  multiply(LeftFactor::transposed(hidden_), packed_, gradients.output.values.data(), labels);
  hidden_gradient_.resize(questions.size(), hidden);
  packed_.pack_transposed(weights_->output);
  multiply(LeftFactor::of(scores_), packed_, hidden_gradient_.values.data(), hidden);
  for (std::size_t row = 0; row < questions.size(); ++row) {
    float* own = hidden_gradient_.row(row);
    for (std::size_t one = 0; one < hidden; ++one) {
      own[one] = hidden_.row(row)[one] > 0.0F ? own[one] * mask_.row(row)[one] : 0.0F;
    }
    const LabelQuestion& arc = questions[row];
    add(gradients.bias.row(0), own, hidden);
    add(arc.head < 0 ? gradients.root.row(0)
                     : projected_gradient.row(static_cast<std::size_t>(arc.head)) + weights_->shape.first_column,
        own, hidden);
    add(projected_gradient.row(static_cast<std::size_t>(arc.dependent)) + weights_->shape.first_column + hidden, own,
        hidden);
  }
}

void normalise(std::span<float> scores, std::span<const std::uint8_t> allowed) {
  const auto counts = [&](std::size_t place) { return allowed.empty() || allowed[place]; };
  float largest = -std::numeric_limits<float>::infinity();
  for (std::size_t place = 0; place < scores.size(); ++place) {
    if (counts(place)) largest = std::max(largest, scores[place]);
  }
  float sum = 0.0F;
  for (std::size_t place = 0; place < scores.size(); ++place) {
    scores[place] = counts(place) ? std::exp(scores[place] - largest) : 0.0F;
    sum += scores[place];
  }
  for (float& score : scores) score /= sum;
}

}  // namespace crossarc
