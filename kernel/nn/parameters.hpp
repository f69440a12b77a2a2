// The parameters of networks by name: values, the forms in which products take them, and their gradients. What has a
// name is saved, rounded to eight bits and learnt by that name, in the file, here and in torch alike
// (encoder.lstm.0.forward.input). O(weights).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "nn/matrix.hpp"
#include "nn/quantised.hpp"

namespace crossarc {

// How a parameter is used, and so how it is packed, learnt and saved.
enum class Use : std::uint8_t {
  kEmbeddings,  // rows are looked up and learnt one by one; in files with eight bits a row has a scale
  kValues,      // biases and small tables: always floats
  kFactor,      // the right factor of products of floats
  kInt8Factor,  // the same, of eight bits where the file has them: a column has a scale
};

// A parameter of eight bits, as files have it: whole numbers from -127 to 127, row by row, and a matrix of scales that
// they are multiplied with: a column of them, for rows, or a row, for columns. They are held elsewhere.
struct Int8Values {
  std::span<const std::int8_t> steps;
  std::span<const float> scales;
  std::size_t scale_rows = 1;
};

struct Parameter {
  std::string name;
  Use use = Use::kValues;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t index = 0;  // in the list of all parameters of a network
  Matrix values;          // empty before allocate(), and where it is of eight bits
  PackedMatrix packed, packed_transposed;
  QuantisedMatrix int8;            // a factor of eight bits
  std::vector<std::int8_t> steps;  // embeddings of eight bits, row by row
  std::vector<float> scales;       // of eight bits: of the columns of a factor, of the rows of embeddings

  Parameter() = default;
  Parameter(Use of_use, std::size_t row_count, std::size_t column_count)
      : use(of_use), rows(row_count), columns(column_count) {}

  std::size_t size() const { return rows * columns; }
  void allocate() { values.reset(rows, columns); }
  bool is_factor() const { return use == Use::kFactor || use == Use::kInt8Factor; }
  bool is_int8() const { return !scales.empty(); }
  // Of a parameter that is never of eight bits.
  const float* row(std::size_t number) const { return values.row(number); }
  // Of embeddings, whose rows are widened where they are of eight bits: to = row, to += row.
  void copy_row(std::size_t number, float* to) const;
  void add_row(std::size_t number, float* to) const;
  // All values, row by row.
  AlignedFloats floats() const;
  // To be done after every change of values. Learning multiplies with the transposed matrix, too.
  void pack(bool to_learn);
  // Takes values of eight bits in place of floats; throws std::invalid_argument where they do not fit.
  void set_int8(const Int8Values& given);
};

// All parameters of a network, in the order of model files.
class ParameterList : public std::vector<Parameter*> {
 public:
  void add(std::string name, Parameter& parameter) {
    parameter.name = std::move(name);
    parameter.index = size();
    push_back(&parameter);
  }
  std::size_t weight_count() const;
};

// The gradients of all parameters but embeddings, whose gradients are kept by rows.
class Gradients {
 public:
  explicit Gradients(const ParameterList& parameters);

  Matrix& operator[](const Parameter& parameter) { return matrices_[parameter.index]; }
  float* data(std::size_t index) { return matrices_[index].values.data(); }

 private:
  std::vector<Matrix> matrices_;
};

// The left factor of products with parameters: rows that stand `stride` apart. They are rounded to eight bits once, if
// a parameter asks for it. Keeps its memory.
class LeftRows {
 public:
  void set(const float* values, std::size_t rows, std::size_t columns, std::size_t stride) {
    left_ = {values, rows, stride, 1};
    columns_ = columns;
    is_rounded_ = false;
  }
  void set(const Matrix& matrix) { set(matrix.values.data(), matrix.rows, matrix.columns, matrix.columns); }

  const LeftFactor& floats() const { return left_; }
  const QuantisedRows& rounded();

 private:
  LeftFactor left_;
  std::size_t columns_ = 0;
  bool is_rounded_ = false;
  QuantisedRows rounded_;
};

// result = left · right; the result's rows stand `stride` apart.
void multiply(LeftRows& left, const Parameter& right, float* result, std::size_t stride);
// result = bias + left · right, with the same bias in every row.
void multiply_with_bias(LeftRows& left, const Parameter& right, const Parameter& bias, float* result,
                        std::size_t stride);

// to = the sum of the first rows of a matrix.
void sum_rows(const Matrix& from, std::size_t rows, Matrix& to);

}  // namespace crossarc
