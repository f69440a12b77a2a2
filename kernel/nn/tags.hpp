// Classes of the rows that an encoder read: tags of words, or where a text is cut. Every tag is a softmax over its
// classes on one linear layer; the layers of all tags are one product, of bytes where the weights are. O(rows · inputs
// · classes).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/random.hpp"
#include "nn/matrix.hpp"
#include "nn/quantised.hpp"

namespace crossarc {

struct TagShape {
  std::size_t inputs = 0;            // what the encoder says of a row
  std::vector<std::size_t> classes;  // of each tag

  std::size_t tags() const { return classes.size(); }
  std::size_t columns() const;
  std::size_t weight_count() const { return (inputs + 1) * columns(); }
};

// All parameters, or their gradients.
struct TagWeights {
  TagShape shape;
  Matrix output, bias;  // the classes of one tag after those of the other

  TagWeights() = default;
  explicit TagWeights(const TagShape& of_shape);
  void initialise(Random& random);
  // Adds its matrices, in the order of model files; none where there are no tags.
  void list(std::vector<Matrix*>& all);
};

struct PackedTags {
  PackedMatrix output, output_back;
  QuantisedMatrix output_bytes;  // in place of that of floats, where weights are bytes

  // One matrix, by its number in the list, if it is one to be packed.
  void pack(const TagWeights& weights, std::size_t number, bool to_learn);
  // In place of that, where it is to be bytes; null if it cannot be.
  QuantisedMatrix* bytes(std::size_t number) { return number == 0 ? &output_bytes : nullptr; }
};

// A batch as the tags see it. Keeps its memory.
class TagReading {
 public:
  // Scores every class: enough to find the best ones.
  void score(const TagWeights& weights, const PackedTags& packed, const Matrix& encoded);
  // The same, and scores become the probabilities of classes, of each tag by itself.
  void read(const TagWeights& weights, const PackedTags& packed, const Matrix& encoded);
  // A row for each row that was encoded, a column for each class of each tag.
  const Matrix& probabilities() const { return scores_; }
  const Matrix& scores() const { return scores_; }
  // The best class of a row.
  std::int32_t best(std::size_t row, std::size_t tag) const;

  // To learn, after read: `gold` has the class of each tag of each row, -1 for none; the loss is multiplied by
  // `weight`. Writes the gradients of the weights, adds to that of what was encoded, and returns the number of tags
  // whose best class is another.
  std::int64_t learn(const PackedTags& packed, const Matrix& encoded, std::span<const std::int32_t> gold,
                     TagWeights& gradients, Matrix& encoded_gradient, float weight = 1.0F);

 private:
  std::vector<std::size_t> begins_;  // of the columns of each tag, and where the last one ends
  Matrix scores_;
  QuantisedRows rounded_;
  PackedMatrix packed_gradient_;
};

}  // namespace crossarc
