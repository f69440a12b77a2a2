// What the characters of words say (character CNN, as in Dozat & Manning 2017's successors; Kim et al. 2016): embedded
// characters, filters over two to five neighbours, of each filter its largest value in the word, then a linear layer.
// Forms are read one behind the other in one matrix, so that a filter is one product for all of them.
// O(characters · widths · dimension · filters) for the different forms at hand.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/random.hpp"
#include "features/words.hpp"
#include "nn/matrix.hpp"

namespace crossarc {

struct CharacterShape {
  static constexpr std::size_t kNarrowest = 2;  // characters that a filter sees
  static constexpr std::size_t kWidest = 5;
  static constexpr std::size_t kWidths = kWidest - kNarrowest + 1;

  std::size_t characters = 0;  // how many values a character has; that of kNoValue is zero and is never learnt
  std::size_t dimension = 0;   // of their embeddings
  std::size_t filters = 0;     // of each width
  std::size_t outputs = 0;     // 0: characters are not read

  std::size_t pooled() const { return kWidths * filters; }
  std::size_t weight_count() const {
    constexpr std::size_t kSeen = kWidths * (kNarrowest + kWidest) / 2;  // by the filters of all widths
    if (outputs == 0) return 0;
    return characters * dimension + kSeen * dimension * filters + pooled() + (pooled() + 1) * outputs;
  }
};

// All parameters, or their gradients.
struct CharacterWeights {
  Matrix embeddings;
  std::array<Matrix, CharacterShape::kWidths> filters;  // width · dimension × filters
  Matrix filter_bias;                                   // 1 × filters of all widths
  Matrix output, output_bias;

  CharacterWeights() = default;
  explicit CharacterWeights(const CharacterShape& shape);
  void initialise(Random& random);
  // Adds its matrices, if characters are read.
  void list(std::vector<Matrix*>& all);
  std::size_t count() const { return output.columns == 0 ? 0 : CharacterShape::kWidths + 4; }
};

struct PackedCharacters {
  std::array<PackedMatrix, CharacterShape::kWidths> filters, filters_back;
  PackedMatrix output, output_back;

  // One matrix, by its number in the list, if it is one to be packed.
  void pack(const CharacterWeights& weights, std::size_t number, bool to_learn);
};

// Some forms as their characters say. Keeps its memory.
class CharacterReading {
 public:
  void read(const CharacterWeights& weights, const PackedCharacters& packed, const FormTable& table,
            std::span<const std::int32_t> forms);
  // A row for each form.
  const Matrix& values() const { return values_; }

  // To learn, after read: from the gradient of the values, writes those of all weights.
  void backward(const CharacterWeights& weights, const PackedCharacters& packed, const Matrix& gradient,
                CharacterWeights& gradients);

 private:
  void embed(const CharacterWeights& weights, const FormTable& table, std::span<const std::int32_t> forms);
  void pool(const CharacterWeights& weights, std::size_t width_number);
  void backward_filters(const PackedCharacters& packed, std::size_t width_number, CharacterWeights& gradients);

  std::vector<std::size_t> begins_;        // of the rows of each form, and where the last one ends
  std::vector<std::uint32_t> characters_;  // of each row
  Matrix embedded_, embedded_gradient_;    // a row for each character
  Matrix filtered_, filtered_gradient_, window_gradient_;
  Matrix pooled_, pooled_gradient_;
  std::vector<std::int32_t> largest_;  // of each form and filter, the row that it is from; -1 if it is below zero
  Matrix values_;
  PackedMatrix packed_gradient_;
};

// All forms of a table, on some threads.
Matrix read_forms(const CharacterWeights& weights, const PackedCharacters& packed, const FormTable& table, int threads);

}  // namespace crossarc
