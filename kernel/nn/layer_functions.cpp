#include "nn/layer_functions.hpp"

#include "nn/vector_loops.hpp"

namespace crossarc {
namespace {

// Sums side by side, in an order that does not depend on the path.
constexpr std::size_t kSums = 16;

template <typename Value>
[[gnu::always_inline]] inline float sum_of(std::size_t count, const Value& value) {
  float sums[kSums] = {};
  std::size_t index = 0;
  for (; index + kSums <= count; index += kSums) {
    for (std::size_t lane = 0; lane < kSums; ++lane) sums[lane] += value(index + lane);
  }
  float sum = 0.0F;
  for (; index < count; ++index) sum += value(index);
  for (std::size_t half = kSums / 2; half > 0; half /= 2) {
    for (std::size_t lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
  }
  return sum + sums[0];
}

// What a row is taken away and multiplied with.
struct RowNorm {
  float mean = 0.0F;
  float factor = 0.0F;

  [[gnu::always_inline]] static RowNorm of(const float* values, float epsilon, std::size_t count) {
    const auto size = static_cast<float>(count);
    const float mean = sum_of(count, [=](std::size_t index) CROSSARC_INLINE_LAMBDA { return values[index]; }) / size;
    const float squares = sum_of(count, [=](std::size_t index) CROSSARC_INLINE_LAMBDA {
      const float distance = values[index] - mean;
      return distance * distance;
    });
    return {mean, 1.0F / std::sqrt(squares / size + epsilon)};
  }
  [[gnu::always_inline]] float apply(float value, float scale, float bias) const {
    return (value - mean) * (factor * scale) + bias;
  }
};

struct LayerNorm {
  [[gnu::always_inline]] static void run(NormRow norm, const float* __restrict values, float* __restrict result,
                                         std::size_t count) {
    const float* __restrict const scale = norm.scale;
    const float* __restrict const bias = norm.bias;
    const RowNorm row = RowNorm::of(values, norm.epsilon, count);
    for (std::size_t index = 0; index < count; ++index) {
      result[index] = row.apply(values[index], scale[index], bias[index]);
    }
  }
};

struct LayerNormInPlace {
  [[gnu::always_inline]] static void run(NormRow norm, float* __restrict values, std::size_t count) {
    const float* __restrict const scale = norm.scale;
    const float* __restrict const bias = norm.bias;
    const RowNorm row = RowNorm::of(values, norm.epsilon, count);
    for (std::size_t index = 0; index < count; ++index) {
      values[index] = row.apply(values[index], scale[index], bias[index]);
    }
  }
};

// erf to 1.5e-7 (Abramowitz & Stegun 1964, 7.1.26).
struct Gelu {
  [[gnu::always_inline]] static void run(float* values, std::size_t count) {
    for (std::size_t index = 0; index < count; ++index) {
      const float x = values[index];
      const float absolute = std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & 0x7FFFFFFFU) * 0.70710678F;
      const float t = 1.0F / (1.0F + 0.3275911F * absolute);
      float power = 1.061405429F;
      power = power * t - 1.453152027F;
      power = power * t + 1.421413741F;
      power = power * t - 0.284496736F;
      power = power * t + 0.254829592F;
      // Of the tail beyond |x|: half of it is what is missing from 0 or from x.
      const float tail = 0.5F * power * t * exponential(-absolute * absolute);
      values[index] = x * (x < 0.0F ? tail : 1.0F - tail);
    }
  }
};

struct GeluTanh {
  [[gnu::always_inline]] static void run(float* values, std::size_t count) {
    for (std::size_t index = 0; index < count; ++index) {
      const float x = values[index];
      values[index] = x * logistic(1.5957691216F * (x + 0.044715F * x * x * x));
    }
  }
};

// A value times the chance that a number of a normal distribution is below it, which is 0.5 + x · P(x²) up to 4: P is a
// polynomial of least error, so that the result is off by at most 0.0002 anywhere.
template <typename Coefficients>
struct ByteGelu {
  [[gnu::always_inline]] static void run(float* values, std::size_t count) {
    constexpr float kMost = 4.0F;
    for (std::size_t index = 0; index < count; ++index) {
      const float x = values[index];
      const float within = smaller(larger(x, -kMost), kMost);
      const float square = within * within;
      float power = Coefficients::kValues[6];
      for (std::size_t degree = 6; degree-- > 0;) power = power * square + Coefficients::kValues[degree];
      values[index] = x * (0.5F + within * power);
    }
  }
};

struct GeluCoefficients {
  static constexpr float kValues[] = {3.97870272e-01F, -6.45544156e-02F, 8.76369234e-03F, -8.12187907e-04F,
                                      4.77639333e-05F, -1.58882960e-06F, 2.25882584e-08F};
};

struct GeluTanhCoefficients {
  static constexpr float kValues[] = {3.97713512e-01F, -6.45966977e-02F, 8.81871022e-03F, -8.24474846e-04F,
                                      4.89345584e-05F, -1.64072549e-06F, 2.34688926e-08F};
};

struct Relu {
  [[gnu::always_inline]] static void run(float* values, std::size_t count) {
    for (std::size_t index = 0; index < count; ++index) values[index] = larger(values[index], 0.0F);
  }
};

struct Turn {
  [[gnu::always_inline]] static void run(const float* __restrict cosines, const float* __restrict sines,
                                         float* __restrict first, float* __restrict second, std::size_t pairs) {
    for (std::size_t pair = 0; pair < pairs; ++pair) {
      const float before = first[pair];
      first[pair] = before * cosines[pair] - second[pair] * sines[pair];
      second[pair] = second[pair] * cosines[pair] + before * sines[pair];
    }
  }
};

}  // namespace

void activate(Activation kind, bool eight_bits, float* values, std::size_t count) {
  switch (kind) {
    case Activation::kGelu:
      return eight_bits ? run_loop<ByteGelu<GeluCoefficients>>(values, count) : run_loop<Gelu>(values, count);
    case Activation::kGeluTanh:
      return eight_bits ? run_loop<ByteGelu<GeluTanhCoefficients>>(values, count) : run_loop<GeluTanh>(values, count);
    case Activation::kRelu:
      return run_loop<Relu>(values, count);
  }
}

void layer_norm(const NormRow& norm, const float* values, float* result, std::size_t count) {
  run_loop<LayerNorm>(norm, values, result, count);
}

void layer_norm(const NormRow& norm, float* values, std::size_t count) {
  run_loop<LayerNormInPlace>(norm, values, count);
}

void turn(const float* cosines, const float* sines, float* values, std::size_t pairs) {
  run_loop<Turn>(cosines, sines, values, values + pairs, pairs);
}

}  // namespace crossarc
