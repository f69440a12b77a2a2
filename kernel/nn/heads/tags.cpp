#include "nn/heads/tags.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "nn/activation.hpp"
#include "nn/optimiser.hpp"

namespace crossarc {
namespace {

const Registry<Head> kRegistered("tags", [](std::size_t inputs, SizeReader& sizes) -> std::unique_ptr<Head> {
  std::vector<std::size_t> classes = sizes.take_list("classes", 1, kMostClasses);
  if (classes.empty() || classes.size() > kMostTags) throw std::invalid_argument("a word has from 1 to 64 tags");
  return std::make_unique<TagHead>(inputs, std::move(classes));
});

class TagReading : public WordReading {
 public:
  explicit TagReading(const TagHead& head) : head_(&head) {}

  const Matrix& read(const Matrix& encoded, bool probabilities) override {
    scores_.resize(encoded.rows, head_->columns());
    left_.set(encoded);
    multiply_with_bias(left_, head_->weights(), head_->bias(), scores_.values.data(), scores_.columns);
    for (std::size_t row = 0; probabilities && row < encoded.rows; ++row) {
      for (std::size_t tag = 0; tag < head_->targets(); ++tag) normalise(scores_of(row, tag), {});
    }
    return scores_;
  }

  std::int64_t learn(const Matrix& encoded, std::span<const std::int32_t> targets, float weight, Gradients& gradients,
                     Matrix& encoded_gradient) override {
    const std::int64_t mistakes = compare(encoded.rows, targets, weight);
    packed_gradient_.pack(scores_.values.data(), encoded.rows, scores_.columns, scores_.columns);
    multiply(LeftFactor::transposed(encoded), packed_gradient_, gradients[head_->weights()].values.data(),
             scores_.columns);
    sum_rows(scores_, encoded.rows, gradients[head_->bias()]);
    multiply_add({scores_.values.data(), encoded.rows, scores_.columns, 1}, head_->weights().packed_transposed,
                 encoded_gradient.values.data(), encoded_gradient.columns);
    return mistakes;
  }

 private:
  std::span<float> scores_of(std::size_t row, std::size_t tag) {
    return {scores_.row(row) + head_->first_column(tag), head_->classes(tag)};
  }

  // Probabilities become the gradients of scores.
  std::int64_t compare(std::size_t rows, std::span<const std::int32_t> targets, float weight) {
    std::int64_t mistakes = 0;
    auto target = targets.begin();
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t tag = 0; tag < head_->targets(); ++tag, ++target) {
        const std::span<float> scores = scores_of(row, tag);
        if (*target < 0) {
          std::fill(scores.begin(), scores.end(), 0.0F);
          continue;
        }
        mistakes += head_->best(scores_.row(row), tag) != *target;
        scores[static_cast<std::size_t>(*target)] -= 1.0F;
        if (weight == 1.0F) continue;
        for (float& score : scores) score *= weight;
      }
    }
    return mistakes;
  }

  const TagHead* head_;
  Matrix scores_;
  LeftRows left_;
  PackedMatrix packed_gradient_;
};

}  // namespace

TagHead::TagHead(std::size_t inputs, std::vector<std::size_t> classes) : begins_(1, 0) {
  for (const std::size_t count : classes) begins_.push_back(begins_.back() + count);
  weights_ = Parameter(Use::kInt8Factor, inputs, columns());
  bias_ = Parameter(Use::kValues, 1, columns());
}

void TagHead::list(const std::string& prefix, ParameterList& parameters) {
  parameters.add(prefix + "weights", weights_);
  parameters.add(prefix + "bias", bias_);
}

void TagHead::initialise(Random& random) { spread(weights_.values, random); }

std::unique_ptr<WordReading> TagHead::reading() const { return std::make_unique<TagReading>(*this); }

std::int32_t TagHead::best(const float* scores, std::size_t tag) const {
  const float* const first = scores + begins_[tag];
  // The last one, should none be the largest: scores of weights that are far too large are no numbers.
  const float* const last = first + classes(tag) - 1;
  return static_cast<std::int32_t>(std::find(first, last, maximum(first, classes(tag))) - first);
}

TagRows::TagRows(std::span<const std::int32_t> rows, std::size_t tags) : rows_(rows), tags_(tags) {
  const std::size_t count = tags == 0 ? 0 : rows.size() / tags;
  for (std::size_t index = 1; index < count; ++index) {
    if (row(index)[0] != row(index - 1)[0]) begins_.push_back(index);
  }
  if (count > 0) begins_.push_back(count);
}

const std::int32_t* TagHead::best_together(const float* scores, const TagRows& together,
                                           std::span<const std::int32_t> given, std::span<const float> evidence) const {
  // Without anything else that counts, a group whose first class and the best of all others add up to too little has
  // no row to look at: sums are rounded alike.
  const bool bounded = given.empty() && evidence.empty();
  float others = 0.0F;
  for (std::size_t tag = 1; bounded && tag < together.tags(); ++tag) {
    others += maximum(scores + begins_[tag], classes(tag));
  }
  const float least = bounded ? least_of_best(scores, together, others) : 0.0F;
  const std::int32_t* best = nullptr;
  float most = 0.0F;
  bool best_fits = false;
  for (std::size_t group = 0; group < together.groups(); ++group) {
    if (bounded && scores[begins_[0] + static_cast<std::size_t>(together.first_class(group))] + others < least)
      continue;
    for (std::size_t index = together.begin(group); index < together.begin(group + 1); ++index) {
      const std::int32_t* const row = together.row(index);
      bool fits = true;
      for (std::size_t tag = 0; !given.empty() && tag < together.tags(); ++tag) {
        fits &= given[tag] < 0 || given[tag] == row[tag];
      }
      const float sum = sum_of(scores, together, index) + (evidence.empty() ? 0.0F : evidence[index]);
      if (best == nullptr || fits > best_fits || (fits == best_fits && sum > most)) {
        best = row;
        most = sum;
        best_fits = fits;
      }
    }
  }
  return best;
}

// The score of the first tag comes last, so that a bound is rounded as a sum is.
float TagHead::sum_of(const float* scores, const TagRows& together, std::size_t index) const {
  const std::int32_t* const row = together.row(index);
  float others = 0.0F;
  for (std::size_t tag = 1; tag < together.tags(); ++tag) {
    others += scores[begins_[tag] + static_cast<std::size_t>(row[tag])];
  }
  return scores[begins_[0] + static_cast<std::size_t>(row[0])] + others;
}

// What the best row comes to at least: the best one of the group that may come to the most.
float TagHead::least_of_best(const float* scores, const TagRows& together, float others) const {
  const auto bound = [&](std::size_t group) {
    return scores[begins_[0] + static_cast<std::size_t>(together.first_class(group))] + others;
  };
  float least = -std::numeric_limits<float>::infinity();
  if (together.groups() == 0) return least;
  std::size_t likely = 0;
  for (std::size_t group = 1; group < together.groups(); ++group) {
    if (bound(group) > bound(likely)) likely = group;
  }
  for (std::size_t index = together.begin(likely); index < together.begin(likely + 1); ++index) {
    least = std::max(least, sum_of(scores, together, index));
  }
  return least;
}

}  // namespace crossarc
