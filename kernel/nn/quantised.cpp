#include "nn/quantised.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/vector_path.hpp"
#include "simd/byte_products.hpp"

namespace crossarc {
namespace {

// Steps whose products, each at most 127², add up to a whole number that floats hold exactly.
constexpr std::size_t kExact = 1024;

// The path for bytes that the processor has; null: they are computed with as floats.
const BytePath* byte_path() {
  static const BytePath* const chosen = []() -> const BytePath* {
#if defined(__x86_64__)
    switch (vector_path()) {
      case VectorPath::kVnni:
        return &kVnniPath;
      case VectorPath::kAvx512:
        return &kAvx512BytesPath;
      case VectorPath::kAvx2:
        return &kAvx2Path;
      case VectorPath::kNarrow:
        return nullptr;
    }
#elif defined(__aarch64__)
    if (has_dot_products()) return &kDotPath;
#endif
    return nullptr;
  }();
  return chosen;
}

template <Start start>
void multiply_floats(const QuantisedRows& left, const QuantisedMatrix& right, const float* bias, float* result,
                     std::size_t stride) {
  static thread_local std::vector<std::int32_t> sums;
  static thread_local std::vector<float> exact;
  const std::size_t columns = right.columns();
  sums.resize(kByteRows * columns);
  exact.resize(kByteRows * columns);
  for (std::size_t block = 0; block < left.rows(); block += kByteRows) {
    const std::size_t rows = std::min(left.rows() - block, kByteRows);
    std::fill(sums.begin(), sums.end(), 0);
    for (std::size_t part = 0; part < right.parts().size(); ++part) {
      const float* own = left.whole_numbers() + block * left.columns() + part * kExact;
      multiply(LeftFactor{own, rows, left.columns(), 1}, right.parts()[part], exact.data(), columns);
      for (std::size_t place = 0; place < rows * columns; ++place) {
        sums[place] += static_cast<std::int32_t>(exact[place]);
      }
    }
    for (std::size_t row = 0; row < rows; ++row) {
      float* const place = result + (block + row) * stride;
      const float* const base = start == Start::kBias ? bias : place;
      const std::int32_t* const own = sums.data() + row * columns;
      const float scale = left.scales()[block + row];
      for (std::size_t column = 0; column < columns; ++column) {
        const float value = static_cast<float>(own[column]) * (right.scales()[column] * scale);
        place[column] = start == Start::kZero ? value : base[column] + value;
      }
    }
  }
}

template <Start start>
void multiply_on_path(const QuantisedRows& left, const QuantisedMatrix& right, const float* bias, float* result,
                      std::size_t stride) {
  const BytePath* const path = byte_path();
  const auto multiply_all = path != nullptr ? path->multiply[static_cast<std::size_t>(start)] : multiply_floats<start>;
  multiply_all(left, right, bias, result, stride);
}

}  // namespace

void QuantisedRows::round(const float* values, std::size_t rows, std::size_t columns, std::size_t stride) {
  rows_ = rows;
  columns_ = columns;
  stride_ = whole(columns, kAlignment);
  scales_.resize(std::max(scales_.size(), rows));
  if (const BytePath* const path = byte_path()) {
    if (bytes_.size() < rows * stride_) bytes_.resize(rows * stride_);
    for (std::size_t row = 0; row < rows; ++row) {
      scales_[row] = path->round(values + row * stride, columns, bytes_.data() + row * stride_);
    }
    return;
  }
  std::vector<std::int8_t> bytes(columns);
  if (whole_.size() < rows * columns) whole_.resize(rows * columns);
  for (std::size_t row = 0; row < rows; ++row) {
    scales_[row] = round_row(values + row * stride, columns, 0, bytes.data());
    std::copy(bytes.begin(), bytes.end(), whole_.begin() + static_cast<std::ptrdiff_t>(row * columns));
  }
}

void QuantisedMatrix::pack(std::span<const std::int8_t> values, std::size_t rows, std::span<const float> scales) {
  if (rows > kMostRows) throw std::invalid_argument("a matrix of bytes has at most 131072 rows");
  rows_ = rows;
  columns_ = scales.size();
  const std::size_t padded = whole(columns_, kPanel);
  scales_.assign(padded, 0.0F);
  std::copy(scales.begin(), scales.end(), scales_.begin());
  bytes_.clear();
  offsets_.assign(padded, 0);
  parts_.clear();
  if (byte_path() == nullptr) {
    pack_floats(values);
  } else {
    pack_bytes(values);
  }
}

void QuantisedMatrix::pack(const Matrix& matrix) {
  std::vector<float> scales(matrix.columns, 0.0F);
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    for (std::size_t column = 0; column < matrix.columns; ++column) {
      scales[column] = std::max(scales[column], std::abs(matrix.row(row)[column]) / 127.0F);
    }
  }
  std::vector<std::int8_t> values(matrix.rows * matrix.columns, 0);
  for (std::size_t index = 0; index < values.size(); ++index) {
    const float scale = scales[index % matrix.columns];
    if (scale > 0.0F) values[index] = static_cast<std::int8_t>(std::lround(matrix.values[index] / scale));
  }
  pack(values, matrix.rows, scales);
}

const std::int8_t* QuantisedMatrix::panel(std::size_t number) const {
  return bytes_.data() + number * kPanel * whole(rows_, kSteps);
}

std::int8_t QuantisedMatrix::step(std::size_t row, std::size_t column) const {
  if (parts_.empty()) return bytes_[index(row, column)];
  constexpr std::size_t kWidth = PackedMatrix::kPanel;
  const float* const panel = parts_[row / kExact].panel(column / kWidth);
  return static_cast<std::int8_t>(panel[row % kExact * kWidth + column % kWidth]);
}

std::size_t QuantisedMatrix::index(std::size_t row, std::size_t column) const {
  return column / kPanel * kPanel * whole(rows_, kSteps) + row / kSteps * kSteps * kPanel + column % kPanel * kSteps +
         row % kSteps;
}

void QuantisedMatrix::pack_bytes(std::span<const std::int8_t> values) {
  static_assert(kSteps == 4);
  // Bytes may stand for anything: what is not in variables would be looked up again for each one that is written.
  const std::size_t columns = columns_;
  const std::vector<std::int8_t> none(columns, 0);
  bytes_.assign(whole(columns, kPanel) * whole(rows_, kSteps), 0);
  for (std::size_t row = 0; row < rows_; row += kSteps) {
    const auto step = [&](std::size_t number) {
      return row + number < rows_ ? values.data() + (row + number) * columns : none.data();
    };
    const std::int8_t* const first = step(0);
    const std::int8_t* const second = step(1);
    const std::int8_t* const third = step(2);
    const std::int8_t* const fourth = step(3);
    for (std::size_t begin = 0; begin < columns; begin += kPanel) {
      std::int8_t* __restrict to = bytes_.data() + index(row, begin);
      const std::size_t end = std::min(begin + kPanel, columns);
      for (std::size_t column = begin; column < end; ++column, to += kSteps) {
        to[0] = first[column];
        to[1] = second[column];
        to[2] = third[column];
        to[3] = fourth[column];
      }
    }
    for (std::size_t column = 0; column < columns; ++column) {
      offsets_[column] -= 128 * (first[column] + second[column] + third[column] + fourth[column]);
    }
  }
}

void QuantisedMatrix::pack_floats(std::span<const std::int8_t> values) {
  for (std::size_t first = 0; first < rows_; first += kExact) {
    const std::size_t rows = std::min(kExact, rows_ - first);
    const std::span<const std::int8_t> some = values.subspan(first * columns_, rows * columns_);
    const std::vector<float> floats(some.begin(), some.end());
    parts_.emplace_back().pack(floats.data(), rows, columns_, columns_);
  }
}

void multiply(const QuantisedRows& left, const QuantisedMatrix& right, float* result, std::size_t stride) {
  multiply_on_path<Start::kZero>(left, right, nullptr, result, stride);
}

void multiply_add(const QuantisedRows& left, const QuantisedMatrix& right, float* result, std::size_t stride) {
  multiply_on_path<Start::kResult>(left, right, nullptr, result, stride);
}

void multiply_with_bias(const QuantisedRows& left, const QuantisedMatrix& right, const float* bias, float* result,
                        std::size_t stride) {
  multiply_on_path<Start::kBias>(left, right, bias, result, stride);
}

}  // namespace crossarc
