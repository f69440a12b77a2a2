// Products of bytes against plain loops over whole numbers, exactly, for all remainders of the block sizes; the scales
// of rows and columns; and how far a rounded product is from that of floats.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "check.hpp"
#include "core/random.hpp"
#include "nn/quantised.hpp"

namespace crossarc {
namespace {

constexpr float kUntouched = 777.0F;

std::int8_t random_byte(Random& random) {
  return static_cast<std::int8_t>(static_cast<int>(random.bits() % 255) - 127);
}

// A product of whole numbers. Rows have a largest absolute value of 127, so that they are their own bytes.
struct Product {
  std::size_t rows, inner, columns;
  std::vector<std::int8_t> left, right;
  Matrix floats;
  std::vector<float> scales;
  QuantisedRows rounded;
  QuantisedMatrix packed;

  Product(std::size_t of_rows, std::size_t of_inner, std::size_t of_columns, Random& random)
      : rows(of_rows), inner(of_inner), columns(of_columns), left(rows * inner), right(inner * columns) {
    for (std::int8_t& value : left) value = random_byte(random);
    for (std::int8_t& value : right) value = random_byte(random);
    for (std::size_t row = 0; row < rows && inner > 0; ++row) left[row * inner + random.bits() % inner] = -127;
    floats.resize(rows, inner);
    std::copy(left.begin(), left.end(), floats.values.begin());
    scales.assign(columns, 1.0F);
  }

  std::int64_t sum(std::size_t row, std::size_t column) const {
    std::int64_t total = 0;
    for (std::size_t step = 0; step < inner; ++step) total += left[row * inner + step] * right[step * columns + column];
    return total;
  }

  void prepare() {
    packed.pack(right, inner, scales);
    rounded.round(floats);
  }
};

void check_product(std::size_t rows, std::size_t inner, std::size_t columns, Random& random) {
  Product product(rows, inner, columns, random);
  product.prepare();
  CHECK(product.packed.rows() == inner && product.packed.columns() == columns);
  const std::size_t stride = columns + 3;
  std::vector<float> bias(columns);
  for (float& value : bias) value = static_cast<float>(random.bits() % 100);
  std::vector<float> zero(rows * stride, kUntouched);
  std::vector<float> with_bias = zero;
  multiply(product.rounded, product.packed, zero.data(), stride);
  std::vector<float> added = zero;
  multiply_add(product.rounded, product.packed, added.data(), stride);
  multiply_with_bias(product.rounded, product.packed, bias.data(), with_bias.data(), stride);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      const std::size_t place = row * stride + column;
      const auto expected = static_cast<float>(product.sum(row, column));
      CHECK(zero[place] == expected);
      CHECK(added[place] == expected + expected);
      CHECK(with_bias[place] == bias[column] + expected);
    }
    for (std::size_t column = columns; column < stride; ++column) {
      CHECK(zero[row * stride + column] == kUntouched && with_bias[row * stride + column] == kUntouched);
    }
  }
}

TEST(products_of_bytes_of_every_shape_class) {
  Random random(1);
  // Rows: all remainders of the blocks of 2, 4 and 8 rows. Columns: below, at and beyond panels of 16 and 32.
  for (const std::size_t rows : {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 15, 16, 17}) {
    for (const std::size_t columns : {1, 3, 15, 16, 17, 31, 32, 33, 65, 100}) {
      for (const std::size_t inner : {1, 3, 4, 7, 16, 19, 33}) check_product(rows, inner, columns, random);
    }
  }
}

TEST(long_products_of_bytes) {
  Random random(2);
  check_product(65, 450, 40, random);
  check_product(130, 64, 33, random);
  check_product(3, 1024, 17, random);
  check_product(2, 1025, 17, random);
  check_product(2, 3001, 5, random);
}

TEST(products_of_bytes_without_rows_or_inner_dimension) {
  Random random(3);
  check_product(0, 4, 40, random);
  check_product(4, 4, 0, random);
  check_product(5, 0, 40, random);
}

TEST(the_largest_bytes_do_not_overflow) {
  Random random(4);
  Product product(9, 2000, 33, random);
  for (std::size_t place = 0; place < product.left.size(); ++place) {
    product.left[place] = place / product.inner % 2 == 0 ? 127 : -127;
    product.floats.values[place] = product.left[place];
  }
  for (std::size_t place = 0; place < product.right.size(); ++place) product.right[place] = place % 3 == 0 ? 127 : -127;
  product.prepare();
  std::vector<float> result(9 * 33);
  multiply(product.rounded, product.packed, result.data(), 33);
  for (std::size_t row = 0; row < 9; ++row) {
    for (std::size_t column = 0; column < 33; ++column) {
      CHECK(result[row * 33 + column] == static_cast<float>(product.sum(row, column)));
    }
  }
}

TEST(what_is_packed_can_be_read_again) {
  Random random(6);
  Product product(1, 2050, 37, random);  // more rows than floats add up exactly at once
  product.prepare();
  for (std::size_t row = 0; row < product.inner; ++row) {
    for (std::size_t column = 0; column < product.columns; ++column) {
      CHECK(product.packed.step(row, column) == product.right[row * product.columns + column]);
    }
  }
}

TEST(scales_of_rows_and_columns) {
  Random random(5);
  Product product(7, 50, 37, random);
  for (float& scale : product.scales) scale = 0.001F + random.share();
  std::vector<float> row_scales;
  for (std::size_t row = 0; row < product.rows; ++row) {
    row_scales.push_back(0x1p-10F * static_cast<float>(row + 1));
    for (std::size_t step = 0; step < product.inner; ++step) product.floats.row(row)[step] *= row_scales.back();
  }
  product.prepare();
  std::vector<float> result(7 * 37);
  multiply(product.rounded, product.packed, result.data(), 37);
  for (std::size_t row = 0; row < product.rows; ++row) {
    for (std::size_t column = 0; column < product.columns; ++column) {
      const double expected = static_cast<double>(product.sum(row, column)) * row_scales[row] * product.scales[column];
      CHECK(std::abs(result[row * 37 + column] - expected) <= 1e-6 * std::abs(expected));
    }
  }
}

// Half a step of every left value: that is how far off a rounded product may be.
TEST(rounded_products_are_near_those_of_floats) {
  Random random(6);
  Product product(20, 200, 48, random);
  for (float& value : product.floats.values) value = 2.0F * random.share() - 1.0F;
  product.prepare();
  std::vector<float> result(20 * 48);
  multiply(product.rounded, product.packed, result.data(), 48);
  for (std::size_t row = 0; row < 20; ++row) {
    const float* own = product.floats.row(row);
    const float largest =
        std::abs(*std::max_element(own, own + 200, [](float a, float b) { return std::abs(a) < std::abs(b); }));
    for (std::size_t column = 0; column < 48; ++column) {
      double expected = 0.0;
      double most = 0.0;
      for (std::size_t step = 0; step < 200; ++step) {
        const double weight = product.right[step * 48 + column];
        expected += own[step] * weight;
        most += 0.5001 * largest / 127 * std::abs(weight);
      }
      CHECK(std::abs(result[row * 48 + column] - expected) <= most + 1e-3);
    }
  }
}

TEST(a_matrix_of_floats_is_rounded_column_by_column) {
  Matrix matrix(3, 3);
  matrix.values = {1.0F, -50.0F, 0.0F, -0.5F, 25.2F, 0.0F, 0.26F, 0.0F, 0.0F};
  QuantisedMatrix packed;
  packed.pack(matrix);
  QuantisedRows ones;
  const std::vector<float> first = {1.0F, 0.0F, 0.0F}, second = {0.0F, 1.0F, 0.0F}, third = {0.0F, 0.0F, 1.0F};
  for (const auto& [row, left] : {std::pair{0, first}, std::pair{1, second}, std::pair{2, third}}) {
    ones.round(left.data(), 1, 3, 3);
    std::vector<float> found(3);
    multiply(ones, packed, found.data(), 3);
    for (std::size_t column = 0; column < 3; ++column) {
      const float scale = column == 1 ? 50.0F : 1.0F;
      CHECK_NEAR(found[column], matrix.row(static_cast<std::size_t>(row))[column], 0.51 * scale / 127);
    }
  }
}

TEST(rows_of_zeros_and_of_what_is_no_number) {
  Random random(7);
  Product product(4, 20, 16, random);
  std::fill_n(product.floats.row(0), 20, 0.0F);
  std::fill_n(product.floats.row(1), 20, 1e-42F);
  product.floats.row(2)[3] = std::numeric_limits<float>::infinity();
  product.floats.row(3)[3] = std::numeric_limits<float>::quiet_NaN();
  product.prepare();
  std::vector<float> result(4 * 16);
  multiply(product.rounded, product.packed, result.data(), 16);
  for (std::size_t column = 0; column < 16; ++column) {
    CHECK(result[column] == 0.0F);
    CHECK(std::abs(result[16 + column]) < 1e-30F);
    CHECK(std::isnan(result[48 + column]));
  }
}

TEST(packing_again_in_the_memory_of_another_matrix) {
  Random random(8);
  Product large(3, 40, 70, random);
  large.prepare();
  Product small(3, 10, 20, random);
  large.packed.pack(small.right, 10, small.scales);
  large.rounded.round(small.floats);
  std::vector<float> result(3 * 20);
  multiply(large.rounded, large.packed, result.data(), 20);
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 20; ++column) {
      CHECK(result[row * 20 + column] == static_cast<float>(small.sum(row, column)));
    }
  }
}

TEST(a_matrix_of_bytes_with_too_many_rows_is_refused) {
  const std::vector<std::int8_t> values(QuantisedMatrix::kMostRows + 1, 1);
  QuantisedMatrix packed;
  bool refused = false;
  try {
    packed.pack(values, values.size(), std::vector<float>{1.0F});
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  CHECK(refused);
}

}  // namespace
}  // namespace crossarc
