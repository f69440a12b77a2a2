// Products of matrices against three plain loops, for all remainders of the block sizes; packing; the vector paths.
#include <algorithm>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "core/random.hpp"
#include "core/vector_path.hpp"
#include "nn/matrix.hpp"

namespace crossarc {
namespace {

constexpr float kUntouched = 777.0F;

Matrix random_matrix(std::size_t rows, std::size_t columns, Random& random) {
  Matrix matrix(rows, columns);
  for (float& value : matrix.values) value = 2.0F * random.share() - 1.0F;
  return matrix;
}

Matrix transposed(const Matrix& matrix) {
  Matrix turned(matrix.columns, matrix.rows);
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    for (std::size_t column = 0; column < matrix.columns; ++column) turned.row(column)[row] = matrix.row(row)[column];
  }
  return turned;
}

// Multiplies in one of the ways that there are, and compares with the definition; what lies beyond the columns of the
// result stays as it was.
void check_product(std::size_t rows, std::size_t inner, std::size_t columns, bool left_turned, bool right_turned,
                   bool accumulate, Random& random) {
  const Matrix left = random_matrix(rows, inner, random);
  const Matrix right = random_matrix(inner, columns, random);
  const Matrix left_stored = left_turned ? transposed(left) : left;
  PackedMatrix packed;
  if (right_turned) {
    packed.pack_transposed(transposed(right));
  } else {
    packed.pack(right);
  }
  CHECK(packed.rows() == inner && packed.columns() == columns);
  const std::size_t stride = columns + 3;
  std::vector<float> result(rows * stride, kUntouched);
  std::vector<float> before(rows * columns);
  for (float& value : before) value = random.share();
  for (std::size_t row = 0; row < rows; ++row) {
    std::copy_n(before.data() + row * columns, columns, result.data() + row * stride);
  }
  const LeftFactor factor = left_turned ? LeftFactor::transposed(left_stored) : LeftFactor::of(left_stored);
  (accumulate ? multiply_add : multiply)(factor, packed, result.data(), stride);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      double expected = accumulate ? before[row * columns + column] : 0.0;
      for (std::size_t step = 0; step < inner; ++step) {
        expected += static_cast<double>(left.row(row)[step]) * right.row(step)[column];
      }
      CHECK_NEAR(result[row * stride + column], expected, 1e-5);
    }
    for (std::size_t column = columns; column < stride; ++column) CHECK(result[row * stride + column] == kUntouched);
  }
}

TEST(products_of_every_shape_class) {
  Random random(1);
  // Rows: all remainders of the blocks of 2, 3 and 8 rows. Columns: below, at and beyond panels of 32.
  for (const std::size_t rows : {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 15, 16, 17}) {
    for (const std::size_t columns : {1, 3, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100}) {
      for (const std::size_t inner : {1, 2, 7, 33}) check_product(rows, inner, columns, false, false, false, random);
    }
  }
}

TEST(products_of_transposed_factors_and_sums) {
  Random random(2);
  for (const bool left_turned : {false, true}) {
    for (const bool right_turned : {false, true}) {
      for (const bool accumulate : {false, true}) {
        for (const std::size_t rows : {1, 3, 8, 13}) {
          for (const std::size_t columns : {1, 31, 32, 70}) {
            for (const std::size_t inner : {1, 5, 64, 130}) {
              check_product(rows, inner, columns, left_turned, right_turned, accumulate, random);
            }
          }
        }
      }
    }
  }
}

TEST(products_without_rows_or_inner_dimension) {
  Random random(3);
  check_product(0, 4, 40, false, false, false, random);
  check_product(4, 4, 0, false, false, false, random);
  check_product(5, 0, 40, false, false, false, random);  // all zero
  check_product(5, 0, 40, false, false, true, random);   // as it was
}

TEST(packing_of_a_part_of_a_matrix) {
  Random random(4);
  const Matrix whole = random_matrix(6, 50, random);
  PackedMatrix packed;
  packed.pack(whole.values.data() + 7, 6, 35, whole.columns);
  const Matrix left = random_matrix(3, 6, random);
  std::vector<float> result(3 * 35);
  multiply(LeftFactor::of(left), packed, result.data(), 35);
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 35; ++column) {
      double expected = 0.0;
      for (std::size_t step = 0; step < 6; ++step) {
        expected += static_cast<double>(left.row(row)[step]) * whole.row(step)[7 + column];
      }
      CHECK_NEAR(result[row * 35 + column], expected, 1e-6);
    }
  }
}

TEST(a_smaller_matrix_in_the_memory_of_a_larger_one) {
  Matrix matrix(4, 5);
  std::fill(matrix.values.begin(), matrix.values.end(), 1.0F);
  matrix.resize(2, 3);
  CHECK(matrix.rows == 2 && matrix.columns == 3 && matrix.row(1) == matrix.values.data() + 3);
  matrix.reset(2, 2);
  CHECK(std::all_of(matrix.values.begin(), matrix.values.end(), [](float value) { return value == 0.0F; }));
}

#if CROSSARC_WIDE_PATHS && !defined(_WIN32)
TEST(the_processor_is_what_the_compiler_says) {
  const Processor found = this_processor();
  CHECK(found.avx2 == (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")));
  CHECK(found.avx512 == (found.avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")));
  CHECK(found.vnni == (found.avx512 && __builtin_cpu_supports("avx512vnni")));
}
#endif

TEST(settings_of_the_vector_path) {
  CHECK(allowed_vector_path(nullptr) == VectorPath::kVnni);
  CHECK(allowed_vector_path("") == VectorPath::kVnni);
  CHECK(allowed_vector_path("narrow") == VectorPath::kNarrow);
  CHECK(allowed_vector_path("avx2") == VectorPath::kAvx2);
  CHECK(allowed_vector_path("avx512") == VectorPath::kAvx512);
  CHECK(vector_path() <= widest_vector_path());
  bool refused = false;
  try {
    allowed_vector_path("wide");
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  CHECK(refused);
}

}  // namespace
}  // namespace crossarc
