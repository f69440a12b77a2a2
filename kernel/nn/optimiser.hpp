// What training does to weights, for any list of matrices: random values at the start (Glorot & Bengio 2010) and steps
// of Adam (Kingma & Ba 2015). Matrices are independent of each other, so that several threads may update different
// ones. O(weights), and for matrices of which few rows were used O(those rows).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/random.hpp"
#include "nn/activation.hpp"
#include "nn/matrix.hpp"

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
  explicit Adam(std::span<const Matrix* const> weights);

  // Begins the next step for all matrices. `scale` multiplies the gradients.
  void begin_step(float rate, float scale);
  std::uint64_t steps() const { return steps_; }
  // Updates a block of the weights of a matrix, by its number in the list; gradients that come in parts are added up in
  // this order. Blocks of one matrix are independent of each other, too.
  void update(std::size_t number, Matrix& weights, std::span<float* const> gradients, std::size_t block);
  static std::size_t blocks(const Matrix& weights) { return (weights.values.size() + kBlock - 1) / kBlock; }
  // Updates the rows that were used, and clears their gradients.
  void update(std::size_t number, Matrix& weights, RowGradients& gradients);

  // Running means of the gradients and of their squares, to go on from a checkpoint.
  struct Memory {
    std::uint64_t steps = 0;
    std::vector<std::vector<float>> first, second;
  };
  Memory remember() const;
  void restore(const Memory& memory);

 private:
  static constexpr std::size_t kBlock = 1 << 14;

  std::vector<Matrix> first_, second_;
  AdamStep step_;
  std::uint64_t steps_ = 0;
};

// Lists of values that are held elsewhere: those of a model file are large, and are copied once, into their matrices.
class ValueLists : public std::vector<std::span<const float>> {
 public:
  using vector::vector;
  ValueLists(const std::vector<std::vector<float>>& lists) : vector(lists.begin(), lists.end()) {}
};

// Throws std::invalid_argument if these are not so many weights in all, or one is not a number or so large that sums
// through all layers would not stay finite. For model files, before a network is made of what they say.
void check_weights(const ValueLists& weights, std::size_t wanted);

// The values of matrices as lists of floats, and back; throws std::invalid_argument where sizes differ or a value is
// not a finite number.
std::vector<std::vector<float>> values_of(std::span<const Matrix* const> matrices);
void set_values(std::span<Matrix* const> matrices, const ValueLists& values);

}  // namespace crossarc
