// What the characters of words say (character CNN, as in Dozat & Manning 2017's successors; Kim et al. 2016): embedded
// characters, filters over two to five neighbours, of each filter its largest value in the word, then a linear layer.
// Forms are read one behind the other in one matrix, so that a filter is one product for all of them.
// O(characters · widths · embedding size · filters) for the different forms at hand.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "features/words.hpp"
#include "nn/parameters.hpp"

namespace crossarc {

struct CharacterSizes {
  static constexpr std::size_t kNarrowest = 2;  // characters that a filter sees
  static constexpr std::size_t kWidest = 5;
  static constexpr std::size_t kWidths = kWidest - kNarrowest + 1;

  std::size_t characters = 0;      // how many values a character has; that of kNoValue is zero and is never learnt
  std::size_t embedding_size = 0;  // of characters
  std::size_t filters = 0;         // of each width
  std::size_t outputs = 0;         // 0: characters are not read
};

struct CharacterParameters {
  Parameter embeddings;
  std::array<Parameter, CharacterSizes::kWidths> filters;  // width · embedding size × filters
  Parameter filter_bias;                                   // 1 × filters of all widths
  Parameter output, output_bias;

  explicit CharacterParameters(const CharacterSizes& sizes);
  // Where characters are not read, there are none.
  bool empty() const { return output.columns == 0; }
  void list(const std::string& prefix, ParameterList& parameters);
  void initialise(Random& random);
};

// Some forms as their characters say. Keeps its memory.
class CharacterReading {
 public:
  void read(const CharacterParameters& parameters, const FormTable& table, std::span<const std::int32_t> forms,
            bool to_learn);
  // A row for each form.
  const Matrix& values() const { return values_; }

  // After a reading to learn: from the gradient of the values, writes those of all parameters.
  void backward(const CharacterParameters& parameters, const Matrix& gradient, Gradients& gradients);

 private:
  void embed(const Parameter& embeddings, const FormTable& table, std::span<const std::int32_t> forms);
  template <bool kToLearn>
  void pool(const Parameter& filter_bias, std::size_t width_number);
  void backward_filters(const CharacterParameters& parameters, std::size_t width_number, Gradients& gradients);

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
Matrix read_forms(const CharacterParameters& parameters, const FormTable& table, int threads);

}  // namespace crossarc
