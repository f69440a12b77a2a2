// What every head of a network offers: it makes scores of what an encoder says of the words of a batch. A word head
// gives every word a row of scores, and learns from whole numbers, one or more for each word: tags are the usual kind.
// Other heads score what their parser asks for: arcs, or the transitions of a configuration. A kind of head is one file
// that registers itself (nn/sizes.hpp); CONTRIBUTING.md adds one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>

#include "core/random.hpp"
#include "nn/matrix.hpp"
#include "nn/parameters.hpp"
#include "nn/sizes.hpp"

namespace crossarc {

// No parser tells more labels apart, and no head gives a word more tags or a tag more classes.
constexpr std::int64_t kMostLabels = 32'000;
constexpr std::int64_t kMostTags = 64;
constexpr std::int64_t kMostClasses = 1 << 20;

class Head {
 public:
  virtual ~Head() = default;
  virtual void list(const std::string& prefix, ParameterList& parameters) = 0;
  // Parameters are zero before.
  virtual void initialise(Random& random) = 0;
};

// The words of a batch as a word head sees them. Keeps its memory.
class WordReading {
 public:
  virtual ~WordReading() = default;
  // Scores every column of every row; probabilities where the head has them and they are asked for.
  virtual const Matrix& read(const Matrix& encoded, bool probabilities) = 0;
  // To learn, after probabilities were read: `targets` has those of each row, -1 for none; the loss is multiplied by
  // `weight`. Writes the gradients of the parameters, adds to that of what was encoded, and returns the number of
  // mistakes.
  virtual std::int64_t learn(const Matrix& encoded, std::span<const std::int32_t> targets, float weight,
                             Gradients& gradients, Matrix& encoded_gradient) = 0;
};

class WordHead : public Head {
 public:
  // Scores of a word.
  virtual std::size_t columns() const = 0;
  // How many numbers it learns of each word, and below what they are, from -1 on.
  virtual std::size_t targets() const = 0;
  virtual std::int32_t target_bound(std::size_t target) const = 0;
  virtual std::unique_ptr<WordReading> reading() const = 0;
};

// Scores become probabilities of those that are allowed; of all, if `allowed` is empty.
inline void normalise(std::span<float> scores, std::span<const std::uint8_t> allowed) {
  const auto counts = [&](std::size_t index) { return allowed.empty() || allowed[index]; };
  float largest = -std::numeric_limits<float>::infinity();
  for (std::size_t index = 0; index < scores.size(); ++index) {
    if (counts(index)) largest = std::max(largest, scores[index]);
  }
  float sum = 0.0F;
  for (std::size_t index = 0; index < scores.size(); ++index) {
    scores[index] = counts(index) ? std::exp(scores[index] - largest) : 0.0F;
    sum += scores[index];
  }
  for (float& score : scores) score /= sum;
}

}  // namespace crossarc
