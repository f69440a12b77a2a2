// What a transformer computes value by value: layer norms (Ba et al. 2016), Gaussian error linear units (Hendrycks &
// Gimpel 2016) and rotary positions (Su et al. 2021). O(values). core/vector_path.hpp says with which instructions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace crossarc {

// In the order in which files number them. To about seven digits; kGelu and kGeluTanh of networks whose weights have
// eight bits to about four, in a fraction of the time.
enum class Activation : std::uint8_t { kGelu, kGeluTanh, kRelu };
void activate(Activation kind, bool eight_bits, float* values, std::size_t count);

// A row of values gets a mean of zero and a variance of one, then the scale and the bias.
struct NormRow {
  const float* scale = nullptr;
  const float* bias = nullptr;
  float epsilon = 0.0F;
};
void layer_norm(const NormRow& norm, const float* values, float* result, std::size_t count);
// In place.
void layer_norm(const NormRow& norm, float* values, std::size_t count);

// Turns pairs of values by the angles of their place, one of the first half of a row with one of the second.
void turn(const float* cosines, const float* sines, float* values, std::size_t pairs);

}  // namespace crossarc
