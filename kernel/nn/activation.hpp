// The cells of a long short-term memory (Hochreiter & Schmidhuber 1997, with forget gates), value by value, and what
// comes back through them. Exponentials are computed for many values at once by a polynomial, to about seven digits.
// O(cells). core/vector_path.hpp says with which vector instructions.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace crossarc {

// One step of some cells. `gates` holds, one after the other, input, forget and output gates and candidates, of each as
// many as there are cells: before the call their sums, after it their values. `previous` may be null, for zeros.
void lstm_step(float* gates, const float* previous, float* cells, float* squashed, float* hidden, std::size_t count);

// A step of which nothing is kept for learning. `inputs`: what the inputs come to; `gates`: what the hidden values of
// the step before come to, overwritten; in the first step, neither they nor the cells are looked at. `cells` are
// replaced.
void lstm_read_step(const float* inputs, bool first, float* gates, float* cells, float* hidden, std::size_t count);

// The same to about five digits and in less than half the time, for networks whose weights have eight bits.
void lstm_byte_step(const float* inputs, bool first, float* gates, float* cells, float* hidden, std::size_t count);

// The step of learning backwards: from the gradients of hidden values and cells, those of the gates' sums (`gates` is
// overwritten with them) and of the previous cells, which replace those of the cells.
void lstm_step_back(float* gates, const float* previous, const float* squashed, const float* hidden_gradient,
                    float* cell_gradient, std::size_t count);

// What Adam (Kingma & Ba 2015) does to parameters with their gradients.
struct AdamStep {
  float rate = 0.0F;  // corrected for the first steps
  float first_decay = 0.9F;
  float second_decay = 0.95F;
  float scale = 1.0F;  // of the gradients
};
void adam_update(const AdamStep& step, float* values, const float* gradients, float* first, float* second,
                 std::size_t count);

// For each value 0 with the chance `dropped`, else what makes up for it (Srivastava et al. 2014). The same seed gives
// the same mask on every machine.
void fill_mask(float* mask, std::size_t count, float dropped, std::uint64_t seed);

// to += from.
void add(float* to, const float* from, std::size_t count);
// to += factor · from.
void add_scaled(float* to, const float* from, float factor, std::size_t count);
// values *= factors.
void scale(float* values, const float* factors, std::size_t count);
float dot(const float* left, const float* right, std::size_t count);
// The largest of some values, one or more.
float maximum(const float* values, std::size_t count);
// Scores of a row become logarithms of probabilities, after all were divided by the temperature. -inf is no chance.
void log_softmax(float* scores, std::size_t count, float temperature);
// The logarithm of the sum of what two logarithms stand for. Where one is less than e⁻¹⁷ of the other, that is left
// out: it would add less than 5 · 10⁻⁸.
inline float add_logs(float first, float second) {
  constexpr float kNothing = -17.0F;
  const float larger = first > second ? first : second;
  const float other = (first > second ? second : first) - larger;
  return other > kNothing ? larger + std::log1p(std::exp(other)) : larger;
}
// Leaky rectifiers: values below zero are multiplied with the leak.
inline constexpr float kLeak = 0.1F;
void rectify(float* values, std::size_t count);

}  // namespace crossarc
