// Products of matrices of floats, the work that networks spend most of their time on. The right factor is packed into
// panels of columns once and then read from front to back; core/vector_path.hpp says with which vector instructions.
// O(rows · inner · columns).
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "core/compiler.hpp"

namespace crossarc {

// Memory that begins where a line of the cache does: a vector of the widest kind never lies in two of them then. Values
// that a vector gets without saying which are whatever was there.
template <typename Value>
struct LineAllocator {
  using value_type = Value;
  static constexpr std::align_val_t kLine{64};

  LineAllocator() = default;
  template <typename Other>
  LineAllocator(const LineAllocator<Other>& /* other */) {}
  Value* allocate(std::size_t count) { return static_cast<Value*>(::operator new(count * sizeof(Value), kLine)); }
  void deallocate(Value* place, std::size_t /* count */) { ::operator delete(place, kLine); }
  // What is written anyway is not filled with zeros before.
  template <typename Other>
  void construct(Other* place) noexcept {
    ::new (static_cast<void*>(place)) Other;
  }
  bool operator==(const LineAllocator& /* other */) const { return true; }
};
using AlignedFloats = std::vector<float, LineAllocator<float>>;

// Row by row.
struct Matrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  AlignedFloats values;

  Matrix() = default;
  Matrix(std::size_t row_count, std::size_t column_count) { reset(row_count, column_count); }
  // All zero.
  void reset(std::size_t row_count, std::size_t column_count) {
    rows = row_count;
    columns = column_count;
    values.assign(rows * columns, 0.0F);
  }
  // Whatever was there before: for those who write all of it.
  void resize(std::size_t row_count, std::size_t column_count) {
    rows = row_count;
    columns = column_count;
    if (values.size() < rows * columns) values.resize(rows * columns);
  }
  float* row(std::size_t number) { return values.data() + number * columns; }
  const float* row(std::size_t number) const { return values.data() + number * columns; }
};

// A right factor. Its last panel is filled up with zeros.
class PackedMatrix {
 public:
  static constexpr std::size_t kPanel = 32;

  void pack(const float* values, std::size_t rows, std::size_t columns, std::size_t stride);
  void pack(const Matrix& matrix) { pack(matrix.values.data(), matrix.rows, matrix.columns, matrix.columns); }
  // The matrix with rows and columns exchanged.
  void pack_transposed(const Matrix& matrix);

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  const float* panel(std::size_t number) const { return values_.data() + number * rows_ * kPanel; }

 private:
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  AlignedFloats values_;
};

// A left factor: the element of row r and column c stands at values[r · row_step + c · column_step].
struct LeftFactor {
  const float* values = nullptr;
  std::size_t rows = 0;
  std::size_t row_step = 0;
  std::size_t column_step = 1;

  static LeftFactor of(const Matrix& matrix) { return {matrix.values.data(), matrix.rows, matrix.columns, 1}; }
  static LeftFactor transposed(const Matrix& matrix) {
    return {matrix.values.data(), matrix.columns, 1, matrix.columns};
  }
};

// result = left · right; the result's rows stand `stride` apart.
void multiply(const LeftFactor& left, const PackedMatrix& right, float* result, std::size_t stride);
// result += left · right.
void multiply_add(const LeftFactor& left, const PackedMatrix& right, float* result, std::size_t stride);
// result = bias + left · right, with the same bias in every row.
void multiply_with_bias(const LeftFactor& left, const PackedMatrix& right, const float* bias, float* result,
                        std::size_t stride);

// What a product is added to: nothing, what stands there, or a row of biases.
enum class Start : std::uint8_t { kZero, kResult, kBias };

// For programs of products. Calls task with the number of rows as a constant: as many at once as there are registers
// for, then what is left.
template <std::size_t Rows, typename Task>
[[gnu::always_inline]] inline void for_row_groups(std::size_t first, std::size_t last, Task&& task) {
  std::size_t row = first;
  for (; row + Rows <= last; row += Rows) task.template operator()<Rows>(row);
  const std::size_t rest = last - row;
  [&]<std::size_t... Some>(std::index_sequence<Some...>) CROSSARC_INLINE_LAMBDA {
    (void)((rest == Some + 1 && (task.template operator()<Some + 1>(row), true)) || ...);
  }(std::make_index_sequence<Rows - 1>());
}

}  // namespace crossarc
