// Loops over many values that are compiled once for each vector path, and the functions that they are made of: without
// branches, so that they become vectors. A loop is a type with a function `run`; run_loop<Loop>(…) calls it on the path
// of the processor. For files that are compiled with the options of loops (CMakeLists.txt).
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/compiler.hpp"
#include "core/vector_path.hpp"

namespace crossarc {

// The larger and the smaller of two numbers as one instruction: what a comparison becomes on x86, and these functions
// on aarch64.
[[gnu::always_inline]] inline float larger(float x, float y) {
#if defined(__aarch64__)
  return __builtin_fmaxf(x, y);
#else
  return x > y ? x : y;
#endif
}

[[gnu::always_inline]] inline float smaller(float x, float y) {
#if defined(__aarch64__)
  return __builtin_fminf(x, y);
#else
  return x < y ? x : y;
#endif
}

// A number within ±limit.
[[gnu::always_inline]] inline float clamped(float x, float limit) {
#if defined(__aarch64__)
  return smaller(larger(x, -limit), limit);
#else
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const auto most = static_cast<std::int32_t>(std::bit_cast<std::uint32_t>(limit));
  const auto size = static_cast<std::int32_t>(bits & 0x7FFFFFFFU);
  return std::bit_cast<float>(static_cast<std::uint32_t>(size < most ? size : most) | (bits & 0x80000000U));
#endif
}

// Of a number from -87 to 87. Without branches, so that loops over it become vectors.
[[gnu::always_inline]] inline float exponential_within(float x) {
  const float scaled = x * 1.44269504F;
  // Adding and taking away 1.5 · 2²³ rounds to a whole number.
  const float whole = (scaled + 12582912.0F) - 12582912.0F;
  const float rest = (x - whole * 0.693359375F) + whole * 2.12194440e-4F;
  float power = 1.9875691500e-4F;
  power = power * rest + 1.3981999507e-3F;
  power = power * rest + 8.3334519073e-3F;
  power = power * rest + 4.1665795894e-2F;
  power = power * rest + 1.6666665459e-1F;
  power = power * rest + 5.0000001201e-1F;
  power = power * rest * rest + rest + 1.0F;
  const auto exponent = static_cast<std::int32_t>(whole) + 127;
  return power * std::bit_cast<float>(exponent << 23);
}

[[gnu::always_inline]] inline float exponential(float x) { return exponential_within(clamped(x, 87.0F)); }

[[gnu::always_inline]] inline float logistic(float x) { return 1.0F / (1.0F + exponential(-x)); }
[[gnu::always_inline]] inline float squash(float x) { return 2.0F * logistic(2.0F * x) - 1.0F; }

// 2 to the power of a number from -40 to 40, to five digits: the nearest whole number goes into the exponent, where the
// last bits of a sum with 1.5 · 2²³ have it, and the rest through a polynomial of least error.
[[gnu::always_inline]] inline float power_of_two(float x) {
  const float within = clamped(x, 40.0F);
  const float whole = within + 12582912.0F;
  const float rest = within - (whole - 12582912.0F);
  const float square = rest * rest;
  const float high = 9.5701e-3F * square + (5.591786e-2F * rest + 2.4024745e-1F);
  const float power = high * square + (6.9312181e-1F * rest + 9.9999926e-1F);
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(power) + (std::bit_cast<std::uint32_t>(whole) << 23));
}

template <typename Loop, typename... Arguments>
auto run_narrow(Arguments... arguments) {
  return Loop::run(arguments...);
}

#if CROSSARC_WIDE_PATHS
template <typename Loop, typename... Arguments>
CROSSARC_AVX2 auto run_avx2(Arguments... arguments) {
  return Loop::run(arguments...);
}

template <typename Loop, typename... Arguments>
CROSSARC_AVX512 auto run_avx512(Arguments... arguments) {
  return Loop::run(arguments...);
}

template <typename Loop, typename... Arguments>
auto choose_path() {
  if (vector_path() >= VectorPath::kAvx512) return run_avx512<Loop, Arguments...>;
  if (vector_path() == VectorPath::kAvx2) return run_avx2<Loop, Arguments...>;
  return run_narrow<Loop, Arguments...>;
}

template <typename Loop, typename... Arguments>
auto run_loop(Arguments... arguments) {
  static const auto chosen = choose_path<Loop, Arguments...>();
  return chosen(arguments...);
}
#else
template <typename Loop, typename... Arguments>
auto run_loop(Arguments... arguments) {
  return run_narrow<Loop>(arguments...);
}
#endif

}  // namespace crossarc
