// A head that predicts one number of each word, such as its depth in the tree: a linear layer with half the squared
// error as its loss. O(rows · inputs).
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "nn/heads/head.hpp"
#include "nn/optimiser.hpp"

namespace crossarc {
namespace {

class NumberHead : public WordHead {
 public:
  NumberHead(std::size_t inputs, std::size_t largest)
      : largest_(largest), weights_(Use::kInt8Factor, inputs, 1), bias_(Use::kValues, 1, 1) {}

  void list(const std::string& prefix, ParameterList& parameters) override {
    parameters.add(prefix + "weights", weights_);
    parameters.add(prefix + "bias", bias_);
  }
  void initialise(Random& random) override { spread(weights_.values, random); }
  std::size_t columns() const override { return 1; }
  std::size_t targets() const override { return 1; }
  std::int32_t target_bound(std::size_t /* target */) const override { return static_cast<std::int32_t>(largest_) + 1; }
  std::unique_ptr<WordReading> reading() const override;

  const Parameter& weights() const { return weights_; }
  const Parameter& bias() const { return bias_; }

 private:
  std::size_t largest_;
  Parameter weights_, bias_;
};

class NumberReading : public WordReading {
 public:
  explicit NumberReading(const NumberHead& head) : head_(&head) {}

  const Matrix& read(const Matrix& encoded, bool /* probabilities */) override {
    scores_.resize(encoded.rows, 1);
    left_.set(encoded);
    multiply_with_bias(left_, head_->weights(), head_->bias(), scores_.values.data(), 1);
    return scores_;
  }

  std::int64_t learn(const Matrix& encoded, std::span<const std::int32_t> targets, float weight, Gradients& gradients,
                     Matrix& encoded_gradient) override {
    std::int64_t mistakes = 0;
    for (std::size_t row = 0; row < encoded.rows; ++row) {
      float& score = scores_.row(row)[0];
      mistakes += targets[row] >= 0 && std::lround(score) != targets[row];
      score = targets[row] < 0 ? 0.0F : weight * (score - static_cast<float>(targets[row]));  // is its gradient now
    }
    packed_.pack(scores_.values.data(), encoded.rows, 1, 1);
    multiply(LeftFactor::transposed(encoded), packed_, gradients[head_->weights()].values.data(), 1);
    sum_rows(scores_, encoded.rows, gradients[head_->bias()]);
    multiply_add({scores_.values.data(), encoded.rows, 1, 1}, head_->weights().packed_transposed,
                 encoded_gradient.values.data(), encoded_gradient.columns);
    return mistakes;
  }

 private:
  const NumberHead* head_;
  Matrix scores_;
  LeftRows left_;
  PackedMatrix packed_;
};

std::unique_ptr<WordReading> NumberHead::reading() const { return std::make_unique<NumberReading>(*this); }

const Registry<Head> kRegistered("number", [](std::size_t inputs, SizeReader& sizes) -> std::unique_ptr<Head> {
  return std::make_unique<NumberHead>(inputs, sizes.take("largest"));
});

}  // namespace
}  // namespace crossarc
