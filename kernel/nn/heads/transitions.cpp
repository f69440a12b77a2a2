#include "nn/heads/transitions.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "nn/activation.hpp"
#include "nn/optimiser.hpp"

namespace crossarc {
namespace {

constexpr std::int64_t kMostParts = 1 << 16;  // slots, atoms and transitions

const Registry<Head> kRegistered("transitions", [](std::size_t inputs, SizeReader& given) -> std::unique_ptr<Head> {
  TransitionHeadSizes sizes;
  sizes.slots = given.take("slots", 0, kMostParts);
  sizes.atoms = given.take("atoms", 0, kMostParts);
  sizes.hidden_size = given.take("hidden_size");
  sizes.transitions = given.take("transitions", 1, kMostParts);
  sizes.label_hidden_size = given.take("label_hidden_size");
  sizes.labels = given.take("labels", 1, kMostLabels);
  return std::make_unique<TransitionHead>(inputs, sizes);
});

}  // namespace

TransitionHead::TransitionHead(std::size_t inputs, const TransitionHeadSizes& of_sizes)
    : sizes(of_sizes),
      projection(Use::kInt8Factor, inputs, sizes.projected()),
      absent(Use::kValues, sizes.slots, sizes.hidden_size),
      artificial(Use::kValues, sizes.slots, sizes.hidden_size),
      atoms(Use::kValues, sizes.atoms * TransitionHeadSizes::kAtomValues, sizes.hidden_size),
      hidden_bias(Use::kValues, 1, sizes.hidden_size),
      output(Use::kValues, sizes.transitions, sizes.hidden_size),
      output_bias(Use::kValues, 1, sizes.transitions),
      label_root(Use::kValues, 1, sizes.label_hidden_size),
      label_bias(Use::kValues, 1, sizes.label_hidden_size),
      label_output(Use::kFactor, sizes.label_hidden_size, sizes.labels),
      label_output_bias(Use::kValues, 1, sizes.labels) {}

void TransitionHead::list(const std::string& prefix, ParameterList& parameters) {
  parameters.add(prefix + "projection", projection);
  parameters.add(prefix + "absent", absent);
  parameters.add(prefix + "artificial", artificial);
  parameters.add(prefix + "atoms", atoms);
  parameters.add(prefix + "hidden_bias", hidden_bias);
  parameters.add(prefix + "output", output);
  parameters.add(prefix + "output_bias", output_bias);
  parameters.add(prefix + "labels.root", label_root);
  parameters.add(prefix + "labels.bias", label_bias);
  parameters.add(prefix + "labels.output", label_output);
  parameters.add(prefix + "labels.output_bias", label_output_bias);
}

void TransitionHead::initialise(Random& random) {
  // Of each role by itself, not of all together.
  const auto both = static_cast<float>(projection.rows) + static_cast<float>(sizes.hidden_size);
  spread(projection.values, std::sqrt(6.0F / both), random);
  spread(output.values, random);
  spread(label_output.values, random);
}

void ProjectedWords::project(const Matrix& encoded) {
  values_.resize(encoded.rows, head_->projection.columns);
  left_.set(encoded);
  multiply(left_, head_->projection, values_.values.data(), values_.columns);
}

void ProjectedWords::backward(const Matrix& encoded, Gradients& gradients, Matrix& encoded_gradient) {
  packed_gradient_.pack(gradient_);
  multiply(LeftFactor::transposed(encoded), packed_gradient_, gradients[head_->projection].values.data(),
           gradient_.columns);
  multiply_add(LeftFactor::of(gradient_), head_->projection.packed_transposed, encoded_gradient.values.data(),
               encoded_gradient.columns);
}

void TransitionScores::look(const Matrix& projected, std::span<const std::int64_t> rows,
                            std::span<const std::uint32_t> numbers) {
  constexpr std::size_t kAtomValues = TransitionHeadSizes::kAtomValues;
  const std::size_t size = head_->sizes.hidden_size;
  hidden_.assign(head_->hidden_bias.row(0), head_->hidden_bias.row(0) + size);
  rows_.assign(rows.begin(), rows.end());
  for (std::size_t slot = 0; slot < rows.size(); ++slot) {
    const float* from = rows[slot] >= 0 ? projected.row(static_cast<std::size_t>(rows[slot])) + slot * size
                                        : (rows[slot] == kArtificial ? head_->artificial : head_->absent).row(slot);
    add(hidden_.data(), from, size);
  }
  atom_rows_.resize(head_->sizes.atoms);
  for (std::size_t atom = 0; atom < atom_rows_.size(); ++atom) {
    atom_rows_[atom] = atom * kAtomValues + std::min<std::size_t>(numbers[atom], kAtomValues - 1);
    add(hidden_.data(), head_->atoms.row(atom_rows_[atom]), size);
  }
  for (float& value : hidden_) value = std::max(value, 0.0F);
}

void TransitionScores::mask(std::span<const float> mask) { scale(hidden_.data(), mask.data(), mask.size()); }

void TransitionScores::score(std::span<float> scores) const {
  for (std::size_t transition = 0; transition < scores.size(); ++transition) {
    scores[transition] = head_->output_bias.row(0)[transition] +
                         dot(hidden_.data(), head_->output.row(transition), head_->sizes.hidden_size);
  }
}

void TransitionScores::clear(Gradients& gradients) const {
  for (const Parameter* parameter :
       {&head_->absent, &head_->artificial, &head_->atoms, &head_->hidden_bias, &head_->output, &head_->output_bias}) {
    std::vector<float, LineAllocator<float>>& values = gradients[*parameter].values;
    std::fill(values.begin(), values.end(), 0.0F);
  }
}

void TransitionScores::learn(std::span<const float> score_gradients, std::span<const float> mask,
                             Matrix& projected_gradient, Gradients& gradients) {
  const std::size_t size = head_->sizes.hidden_size;
  hidden_gradient_.assign(size, 0.0F);
  for (std::size_t transition = 0; transition < score_gradients.size(); ++transition) {
    const float gradient = score_gradients[transition];
    if (gradient == 0.0F) continue;
    add_scaled(hidden_gradient_.data(), head_->output.row(transition), gradient, size);
    add_scaled(gradients[head_->output].row(transition), hidden_.data(), gradient, size);
    gradients[head_->output_bias].row(0)[transition] += gradient;
  }
  for (std::size_t column = 0; column < size; ++column) {
    hidden_gradient_[column] = hidden_[column] > 0.0F ? hidden_gradient_[column] * mask[column] : 0.0F;
  }
  add(gradients[head_->hidden_bias].row(0), hidden_gradient_.data(), size);
  for (std::size_t slot = 0; slot < rows_.size(); ++slot) {
    const Parameter& instead = rows_[slot] == kArtificial ? head_->artificial : head_->absent;
    float* to = rows_[slot] >= 0 ? projected_gradient.row(static_cast<std::size_t>(rows_[slot])) + slot * size
                                 : gradients[instead].row(slot);
    add(to, hidden_gradient_.data(), size);
  }
  for (const std::size_t row : atom_rows_) add(gradients[head_->atoms].row(row), hidden_gradient_.data(), size);
}

void LabelScores::look(const Matrix& projected, std::span<const ArcToLabel> arcs) {
  const std::size_t size = head_->sizes.label_hidden_size;
  const std::size_t first = head_->sizes.first_label_column();
  hidden_.resize(arcs.size(), size);
  for (std::size_t index = 0; index < arcs.size(); ++index) {
    const ArcToLabel& arc = arcs[index];
    float* hidden = hidden_.row(index);
    std::copy_n(head_->label_bias.row(0), size, hidden);
    add(hidden, arc.head < 0 ? head_->label_root.row(0) : projected.row(static_cast<std::size_t>(arc.head)) + first,
        size);
    add(hidden, projected.row(static_cast<std::size_t>(arc.dependent)) + first + size, size);
    for (std::size_t column = 0; column < size; ++column) hidden[column] = std::max(hidden[column], 0.0F);
  }
}

void LabelScores::score() {
  scores_.resize(hidden_.rows, head_->sizes.labels);
  multiply_with_bias(LeftFactor::of(hidden_), head_->label_output.packed, head_->label_output_bias.row(0),
                     scores_.values.data(), scores_.columns);
}

void LabelScores::find(const Matrix& projected, std::span<const ArcToLabel> arcs, std::span<const float> losses,
                       std::vector<std::int32_t>& labels) {
  look(projected, arcs);
  score();
  labels.resize(arcs.size());
  for (std::size_t row = 0; row < arcs.size(); ++row) {
    float* scores = scores_.row(row);
    for (std::size_t label = 0; label < losses.size(); ++label) scores[label] -= losses[label];
    labels[row] = static_cast<std::int32_t>(std::max_element(scores, scores + scores_.columns) - scores);
  }
}

// Scores become their gradients, and what is written of them is that of the last layer.
void LabelScores::learn_output(std::span<const ArcToLabel> arcs, Gradients& gradients) {
  const std::size_t labels = head_->sizes.labels;
  for (std::size_t row = 0; row < arcs.size(); ++row) {
    const std::span<float> scores(scores_.row(row), labels);
    normalise(scores, {});
    scores[static_cast<std::size_t>(arcs[row].gold)] -= 1.0F;
  }
  sum_rows(scores_, arcs.size(), gradients[head_->label_output_bias]);
  packed_.pack(scores_.values.data(), arcs.size(), labels, labels);
  multiply(LeftFactor::transposed(hidden_), packed_, gradients[head_->label_output].values.data(), labels);
}

void LabelScores::learn(const Matrix& projected, std::span<const ArcToLabel> arcs, float dropped, Random& random,
                        Matrix& projected_gradient, Gradients& gradients) {
  const std::size_t size = head_->sizes.label_hidden_size;
  const std::size_t first = head_->sizes.first_label_column();
  look(projected, arcs);
  mask_.resize(arcs.size(), size);
  fill_mask(mask_.values.data(), mask_.rows * mask_.columns, dropped, random.bits());
  scale(hidden_.values.data(), mask_.values.data(), mask_.rows * mask_.columns);
  score();
  learn_output(arcs, gradients);
  hidden_gradient_.resize(arcs.size(), size);
  multiply(LeftFactor::of(scores_), head_->label_output.packed_transposed, hidden_gradient_.values.data(), size);
  Matrix& root_gradient = gradients[head_->label_root];
  std::fill(root_gradient.values.begin(), root_gradient.values.end(), 0.0F);
  for (std::size_t row = 0; row < arcs.size(); ++row) {
    float* gradient = hidden_gradient_.row(row);
    for (std::size_t column = 0; column < size; ++column) {
      gradient[column] = hidden_.row(row)[column] > 0.0F ? gradient[column] * mask_.row(row)[column] : 0.0F;
    }
    const ArcToLabel& arc = arcs[row];
    add(arc.head < 0 ? root_gradient.row(0) : projected_gradient.row(static_cast<std::size_t>(arc.head)) + first,
        gradient, size);
    add(projected_gradient.row(static_cast<std::size_t>(arc.dependent)) + first + size, gradient, size);
  }
  sum_rows(hidden_gradient_, arcs.size(), gradients[head_->label_bias]);
}

}  // namespace crossarc
