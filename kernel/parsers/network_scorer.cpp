#include "parsers/network_scorer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nn/activation.hpp"

namespace crossarc {

void TransitionScorer::look(const WordView& view, const ArcTable& arcs) {
  const NetworkShape& shape = network_->shape;
  const NetworkWeights& weights = network_->weights;
  extractor_.extract(view, arcs, {}, 0, hashes_);
  hidden_.assign(weights.hidden_bias.row(0), weights.hidden_bias.row(0) + shape.hidden);
  rows_.resize(shape.slots);
  for (std::size_t slot = 0; slot < shape.slots; ++slot) {
    const std::int32_t node = extractor_.places()[slot].node;
    const std::int32_t word = node == kNoNode ? kNoNode : Configuration::word_at(node, arcs.nodes(), root_);
    const float* from = nullptr;
    if (word > 0) {
      rows_[slot] = static_cast<std::int64_t>(order_->row(sentence_, static_cast<std::size_t>(word - 1)));
      from = projected_->row(static_cast<std::size_t>(rows_[slot])) + slot * shape.hidden;
    } else {
      rows_[slot] = word == 0 ? kArtificial : kAbsent;
      from = (word == 0 ? weights.artificial : weights.absent).row(slot);
    }
    add(hidden_.data(), from, shape.hidden);
  }
  atom_rows_.resize(shape.atoms);
  for (std::size_t atom = 0; atom < shape.atoms; ++atom) {
    const std::size_t value = std::min<std::size_t>(extractor_.values()[atom], NetworkShape::kAtomValues - 1);
    atom_rows_[atom] = atom * NetworkShape::kAtomValues + value;
    add(hidden_.data(), weights.atoms.row(atom_rows_[atom]), shape.hidden);
  }
  for (float& value : hidden_) value = std::max(value, 0.0F);
}

void TransitionScorer::score(std::span<float> scores) const {
  const NetworkWeights& weights = network_->weights;
  for (std::size_t transition = 0; transition < scores.size(); ++transition) {
    scores[transition] = weights.output_bias.row(0)[transition] +
                         dot(hidden_.data(), weights.output.row(transition), network_->shape.hidden);
  }
}

void TransitionScorer::learn(std::span<const float> score_gradients, std::span<const float> mask,
                             Matrix& projected_gradient, NetworkWeights& gradients) {
  const NetworkShape& shape = network_->shape;
  hidden_gradient_.assign(shape.hidden, 0.0F);
  for (std::size_t transition = 0; transition < score_gradients.size(); ++transition) {
    if (score_gradients[transition] == 0.0F) continue;
    add_scaled(hidden_gradient_.data(), network_->weights.output.row(transition), score_gradients[transition],
               shape.hidden);
    add_scaled(gradients.output.row(transition), hidden_.data(), score_gradients[transition], shape.hidden);
    gradients.output_bias.row(0)[transition] += score_gradients[transition];
  }
  for (std::size_t place = 0; place < shape.hidden; ++place) {
    hidden_gradient_[place] = hidden_[place] > 0.0F ? hidden_gradient_[place] * mask[place] : 0.0F;
  }
  add(gradients.hidden_bias.row(0), hidden_gradient_.data(), shape.hidden);
  for (std::size_t slot = 0; slot < shape.slots; ++slot) {
    float* to = nullptr;
    if (rows_[slot] >= 0) {
      to = projected_gradient.row(static_cast<std::size_t>(rows_[slot])) + slot * shape.hidden;
    } else {
      to = (rows_[slot] == kArtificial ? gradients.artificial : gradients.absent).row(slot);
    }
    add(to, hidden_gradient_.data(), shape.hidden);
  }
  for (const std::size_t row : atom_rows_) add(gradients.atoms.row(row), hidden_gradient_.data(), shape.hidden);
}

void BeamTransitionScorer::score(const ParseState& state, std::span<const std::uint8_t> legal,
                                 std::span<Score> scores) {
  scorer_->look(state);
  scorer_->score(scores);
  normalise(scores, legal);
  for (Score& score : scores) score = std::log(std::max(score, std::numeric_limits<Score>::min()));
}

void LabelScorer::look(const Network& network, const Matrix& projected, std::span<const LabelQuestion> questions) {
  const NetworkShape& shape = network.shape;
  const std::size_t as_head = shape.slots * shape.hidden;
  hidden_.resize(questions.size(), shape.label_hidden);
  for (std::size_t place = 0; place < questions.size(); ++place) {
    const LabelQuestion& arc = questions[place];
    float* hidden = hidden_.row(place);
    std::copy_n(network.weights.label_bias.row(0), shape.label_hidden, hidden);
    add(hidden,
        arc.head < 0 ? network.weights.label_root.row(0) : projected.row(static_cast<std::size_t>(arc.head)) + as_head,
        shape.label_hidden);
    add(hidden, projected.row(static_cast<std::size_t>(arc.dependent)) + as_head + shape.label_hidden,
        shape.label_hidden);
    for (std::size_t one = 0; one < shape.label_hidden; ++one) hidden[one] = std::max(hidden[one], 0.0F);
  }
}

void LabelScorer::score(const Network& network, const PackedMatrix& output) {
  scores_.resize(hidden_.rows, network.shape.labels);
  for (std::size_t row = 0; row < scores_.rows; ++row) {
    std::copy_n(network.weights.label_output_bias.row(0), scores_.columns, scores_.row(row));
  }
  multiply_add(LeftFactor::of(hidden_), output, scores_.values.data(), scores_.columns);
}

void LabelScorer::answer(const Network& network, const PackedMatrix& output, const Matrix& projected,
                         std::span<const LabelQuestion> questions, std::vector<std::int32_t>& labels) {
  look(network, projected, questions);
  score(network, output);
  labels.resize(questions.size());
  for (std::size_t row = 0; row < questions.size(); ++row) {
    const float* scores = scores_.row(row);
    labels[row] = static_cast<std::int32_t>(std::max_element(scores, scores + scores_.columns) - scores);
  }
}

void LabelScorer::learn(const Network& network, const Matrix& projected, std::span<const LabelQuestion> questions,
                        const Dropout& dropout, Random& random, Matrix& projected_gradient, NetworkWeights& gradients) {
  const NetworkShape& shape = network.shape;
  look(network, projected, questions);
  mask_.resize(questions.size(), shape.label_hidden);
  fill_mask(mask_.values.data(), mask_.rows * mask_.columns, dropout.hidden, random.bits());
  scale(hidden_.values.data(), mask_.values.data(), mask_.rows * mask_.columns);
  packed_.pack(network.weights.label_output);
  score(network, packed_);
  for (std::size_t row = 0; row < questions.size(); ++row) {
    const std::span<float> scores(scores_.row(row), shape.labels);
    normalise(scores, {});
    scores[static_cast<std::size_t>(questions[row].gold)] -= 1.0F;
    add(gradients.label_output_bias.row(0), scores.data(), shape.labels);
  }
  packed_.pack(scores_.values.data(), questions.size(), shape.labels, shape.labels);
  multiply(LeftFactor::transposed(hidden_), packed_, gradients.label_output.values.data(), shape.labels);
  hidden_gradient_.resize(questions.size(), shape.label_hidden);
  packed_.pack_transposed(network.weights.label_output);
  multiply(LeftFactor::of(scores_), packed_, hidden_gradient_.values.data(), shape.label_hidden);
  const std::size_t as_head = shape.slots * shape.hidden;
  for (std::size_t row = 0; row < questions.size(); ++row) {
    float* own = hidden_gradient_.row(row);
    for (std::size_t one = 0; one < shape.label_hidden; ++one) {
      own[one] = hidden_.row(row)[one] > 0.0F ? own[one] * mask_.row(row)[one] : 0.0F;
    }
    const LabelQuestion& arc = questions[row];
    add(gradients.label_bias.row(0), own, shape.label_hidden);
    add(arc.head < 0 ? gradients.label_root.row(0)
                     : projected_gradient.row(static_cast<std::size_t>(arc.head)) + as_head,
        own, shape.label_hidden);
    add(projected_gradient.row(static_cast<std::size_t>(arc.dependent)) + as_head + shape.label_hidden, own,
        shape.label_hidden);
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
