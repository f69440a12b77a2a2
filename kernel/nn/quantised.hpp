// Products of matrices of bytes, for networks whose weights have eight bits. A column of the right factor is a scale
// times whole numbers from -127 to 127; so is a row of the left one, which is rounded when it is used. Products of
// bytes are added up exactly, in 32 bits, and a sum is multiplied with both scales: all processors compute the same.
// The right factor is packed into panels of columns, four steps of a column side by side, as instructions for such sums
// take them (VNNI of AVX-512, SDOT of aarch64; AVX-512 without VNNI and AVX2 have them for pairs; others compute with
// floats that are whole numbers). O(rows · inner · columns), and O(rows · inner) for rounding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nn/matrix.hpp"

namespace crossarc {

using AlignedBytes = std::vector<std::int8_t, LineAllocator<std::int8_t>>;

// A left factor, rounded. Keeps its memory.
class QuantisedRows {
 public:
  // Rows that stand `stride` apart.
  void round(const float* values, std::size_t rows, std::size_t columns, std::size_t stride);
  void round(const Matrix& matrix) { round(matrix.values.data(), matrix.rows, matrix.columns, matrix.columns); }

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  std::size_t stride() const { return stride_; }
  const std::int8_t* row(std::size_t number) const { return bytes_.data() + number * stride_; }
  const float* whole_numbers() const { return whole_.data(); }
  const float* scales() const { return scales_.data(); }

 private:
  static constexpr std::size_t kAlignment = 16;

  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::size_t stride_ = 0;
  AlignedBytes bytes_;   // on paths for bytes; those for unsigned ones hold 128 more
  AlignedFloats whole_;  // on the path for floats
  std::vector<float> scales_;
};

// A right factor.
class QuantisedMatrix {
 public:
  // Sums of so many products fit 32 bits.
  static constexpr std::size_t kMostRows = 1 << 17;

  // `values`: row by row; a scale for each column. Throws std::invalid_argument if there are too many rows.
  void pack(std::span<const std::int8_t> values, std::size_t rows, std::span<const float> scales);
  // Rounds a matrix of floats; the largest value of a column becomes 127 of its scales.
  void pack(const Matrix& matrix);

  bool empty() const { return scales_.empty(); }
  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  const std::int8_t* panel(std::size_t number) const;
  // What it was packed of.
  std::int8_t step(std::size_t row, std::size_t column) const;
  // Of all columns, filled up with zeros to whole panels.
  const float* scales() const { return scales_.data(); }
  // Of all columns, what sums begin with where left bytes are 128 more than they stand for.
  const std::int32_t* offsets() const { return offsets_.data(); }
  // The factor as whole numbers in floats, in parts of some rows each, so that sums stay exact.
  std::span<const PackedMatrix> parts() const { return parts_; }

 private:
  // Where a step lies in the panels of bytes.
  std::size_t index(std::size_t row, std::size_t column) const;
  void pack_bytes(std::span<const std::int8_t> values);
  void pack_floats(std::span<const std::int8_t> values);

  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  AlignedBytes bytes_;
  AlignedFloats scales_;
  std::vector<std::int32_t, LineAllocator<std::int32_t>> offsets_;
  std::vector<PackedMatrix> parts_;
};

// result = left · right; the result's rows stand `stride` apart.
void multiply(const QuantisedRows& left, const QuantisedMatrix& right, float* result, std::size_t stride);
// result += left · right.
void multiply_add(const QuantisedRows& left, const QuantisedMatrix& right, float* result, std::size_t stride);
// result = bias + left · right, with the same bias in every row.
void multiply_with_bias(const QuantisedRows& left, const QuantisedMatrix& right, const float* bias, float* result,
                        std::size_t stride);

}  // namespace crossarc
