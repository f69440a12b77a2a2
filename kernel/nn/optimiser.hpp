// What training does to parameters: random values at the start (Glorot & Bengio 2010) and steps of Adam (Kingma & Ba
// 2015). Parameters are independent of each other, so that several threads may update different ones. O(weights), and
// for embeddings, of which few rows are used at a time, O(those rows).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "nn/activation.hpp"
#include "nn/matrix.hpp"
#include "nn/parameters.hpp"

namespace crossarc {

// Random values from -range to range; by default the range of Glorot & Bengio.
void spread(Matrix& matrix, float range, Random& random);
void spread(Matrix& matrix, Random& random);

// Gradients of a matrix of which few rows are used at a time, such as embeddings.
class RowGradients {
 public:
  RowGradients(std::size_t rows, std::size_t columns) : sums_(rows, columns), used_(rows, 0) {}

  void add(std::uint32_t row, const float* gradient);
  // The rows that were used, with their sums.
  std::span<const std::uint32_t> rows() const { return rows_; }
  const float* sum(std::uint32_t row) const { return sums_.row(row); }
  // All zero again.
  void clear();

 private:
  Matrix sums_;
  std::vector<std::uint8_t> used_;
  std::vector<std::uint32_t> rows_;
};

class Adam {
 public:
  explicit Adam(const ParameterList& parameters);

  // Begins the next step for all parameters. `scale` multiplies the gradients.
  void begin_step(float rate, float scale);
  std::uint64_t steps() const { return steps_; }
  // Updates a block of the values of a parameter, by its index; gradients that come in parts are added up in this
  // order. Blocks of one parameter are independent of each other, too.
  void update(std::size_t index, Matrix& values, std::span<float* const> gradients, std::size_t block);
  static std::size_t blocks(const Matrix& values) { return (values.values.size() + kBlock - 1) / kBlock; }
  // Updates the rows that were used, and clears their gradients.
  void update(std::size_t index, Matrix& values, RowGradients& gradients);

  // Running means of the gradients of a parameter and of their squares.
  const Matrix& first(std::size_t index) const { return first_[index]; }
  const Matrix& second(std::size_t index) const { return second_[index]; }
  // Goes on from a checkpoint; throws std::invalid_argument where it is of other parameters or not of Adam.
  void set_state(std::uint64_t steps, const ParameterList& parameters,
                 const std::map<std::string, std::vector<float>>& first,
                 const std::map<std::string, std::vector<float>>& second);

 private:
  static constexpr std::size_t kBlock = 1 << 14;

  std::vector<Matrix> first_, second_;
  AdamStep step_;
  std::uint64_t steps_ = 0;
};

}  // namespace crossarc
