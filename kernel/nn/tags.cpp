#include "nn/tags.hpp"

#include <algorithm>
#include <numeric>

#include "nn/activation.hpp"
#include "nn/heads.hpp"
#include "nn/optimiser.hpp"

namespace crossarc {

std::size_t TagShape::columns() const { return std::accumulate(classes.begin(), classes.end(), std::size_t{0}); }

TagWeights::TagWeights(const TagShape& of_shape)
    : shape(of_shape), output(shape.inputs, shape.columns()), bias(1, shape.columns()) {}

void TagWeights::initialise(Random& random) { spread(output, random); }

void TagWeights::list(std::vector<Matrix*>& all) {
  if (shape.tags() > 0) all.insert(all.end(), {&output, &bias});
}

void PackedTags::pack(const TagWeights& weights, std::size_t number, bool to_learn) {
  if (number != 0) return;
  output.pack(weights.output);
  if (to_learn) output_back.pack_transposed(weights.output);
}

void TagReading::score(const TagWeights& weights, const PackedTags& packed, const Matrix& encoded) {
  begins_.assign(1, 0);
  for (const std::size_t classes : weights.shape.classes) begins_.push_back(begins_.back() + classes);
  scores_.resize(encoded.rows, begins_.back());
  if (!packed.output_bytes.empty()) {
    rounded_.round(encoded);
    multiply_with_bias(rounded_, packed.output_bytes, weights.bias.row(0), scores_.values.data(), scores_.columns);
    return;
  }
  for (std::size_t row = 0; row < encoded.rows; ++row) {
    std::copy_n(weights.bias.row(0), scores_.columns, scores_.row(row));
  }
  multiply_add(LeftFactor::of(encoded), packed.output, scores_.values.data(), scores_.columns);
}

void TagReading::read(const TagWeights& weights, const PackedTags& packed, const Matrix& encoded) {
  score(weights, packed, encoded);
  for (std::size_t row = 0; row < encoded.rows; ++row) {
    for (std::size_t tag = 0; tag + 1 < begins_.size(); ++tag) {
      normalise(std::span(scores_.row(row) + begins_[tag], begins_[tag + 1] - begins_[tag]), {});
    }
  }
}

std::int32_t TagReading::best(std::size_t row, std::size_t tag) const {
  const float* own = scores_.row(row) + begins_[tag];
  const std::size_t classes = begins_[tag + 1] - begins_[tag];
  return static_cast<std::int32_t>(std::max_element(own, own + classes) - own);
}

std::int64_t TagReading::learn(const PackedTags& packed, const Matrix& encoded, std::span<const std::int32_t> gold,
                               TagWeights& gradients, Matrix& encoded_gradient, float weight) {
  const std::size_t tags = begins_.size() - 1;
  std::int64_t mistakes = 0;
  for (std::size_t row = 0; row < encoded.rows; ++row) {
    for (std::size_t tag = 0; tag < tags; ++tag) {
      float* own = scores_.row(row) + begins_[tag];
      const std::int32_t right = gold[row * tags + tag];
      if (right < 0) {
        std::fill_n(own, begins_[tag + 1] - begins_[tag], 0.0F);
        continue;
      }
      mistakes += best(row, tag) != right;
      own[right] -= 1.0F;
      if (weight != 1.0F) {
        for (std::size_t place = 0; place < begins_[tag + 1] - begins_[tag]; ++place) own[place] *= weight;
      }
    }
  }
  packed_gradient_.pack(scores_.values.data(), encoded.rows, scores_.columns, scores_.columns);
  multiply(LeftFactor::transposed(encoded), packed_gradient_, gradients.output.values.data(), scores_.columns);
  std::fill(gradients.bias.values.begin(), gradients.bias.values.end(), 0.0F);
  for (std::size_t row = 0; row < encoded.rows; ++row) add(gradients.bias.row(0), scores_.row(row), scores_.columns);
  multiply_add({scores_.values.data(), encoded.rows, scores_.columns, 1}, packed.output_back,
               encoded_gradient.values.data(), encoded_gradient.columns);
  return mistakes;
}

}  // namespace crossarc
