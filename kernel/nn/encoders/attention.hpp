// Attention of every row of a sequence to all of its rows, head by head (Vaswani et al. 2017): scores are products of
// queries and keys, their softmax weighs the values. Some queries at a time, whose scores stay in the nearest cache.
// O(rows² · size); O(rows · head size) memory. core/vector_path.hpp says with which vector instructions.
#pragma once

#include <cstddef>

#include "nn/matrix.hpp"

namespace crossarc {

// The rows of a sequence, `stride` apart: of each its query, key and value, of all heads one after the other.
struct AttentionRows {
  const float* queries = nullptr;
  const float* keys = nullptr;
  const float* values = nullptr;
  std::size_t stride = 0;
  std::size_t rows = 0;
  std::size_t heads = 0;
  std::size_t head_size = 0;
};

// Keeps its memory.
class Attention {
 public:
  // Writes what all heads say of each row; the rows of the result stand `stride` apart.
  void read(const AttentionRows& rows, float* result, std::size_t stride);

 private:
  AlignedFloats keys_;    // of one head: values of a key stand below each other, side by side those of all keys
  AlignedFloats values_;  // of one head, filled up to whole vectors
  AlignedFloats scores_;  // of some queries
};

}  // namespace crossarc
