// The algebras in which a chart can be filled (semirings): what "or" (plus) and "and" (times) of partial trees mean.
// Each turns the score of an arc into a value; a forbidden arc becomes zero.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "decoders/scores.hpp"

namespace crossarc {

// The score of the best tree.
template <typename Score>
struct Best {
  using Value = Score;
  static constexpr Value zero() { return -std::numeric_limits<Score>::infinity(); }
  static constexpr Value one() { return 0; }
  static Value plus(Value a, Value b) { return a > b ? a : b; }
  static Value times(Value a, Value b) { return a + b; }
  static Value of_score(double score) { return static_cast<Value>(score); }
  static bool is_zero(Value value) { return value == zero(); }
};

// The sum over trees of exp(score): fast, and right within the range of a double.
struct Sum {
  using Value = double;
  static constexpr Value zero() { return 0; }
  static constexpr Value one() { return 1; }
  static Value plus(Value a, Value b) { return a + b; }
  static Value times(Value a, Value b) { return a * b; }
  static Value of_score(double score) { return std::exp(score); }
  static bool is_zero(Value value) { return value == 0; }
  static double log(Value value) { return std::log(value); }
};

// The same as logarithms: slower, and right always.
struct LogSum {
  using Value = double;
  static constexpr Value zero() { return kForbidden; }
  static constexpr Value one() { return 0; }
  static Value plus(Value a, Value b) {
    const double larger = std::max(a, b);
    const double smaller = std::min(a, b);
    return smaller == kForbidden ? larger : larger + std::log1p(std::exp(smaller - larger));
  }
  static Value times(Value a, Value b) { return a + b; }
  static Value of_score(double score) { return score; }
  static bool is_zero(Value value) { return value == kForbidden; }
  static double log(Value value) { return value; }
};

// The number of trees modulo a prime below 2^31; several primes make it exact.
struct Count {
  using Value = std::uint64_t;
  static inline thread_local std::uint64_t prime = 2147483647;  // set before a chart is filled
  static constexpr Value zero() { return 0; }
  static constexpr Value one() { return 1; }
  static Value plus(Value a, Value b) { return (a + b) % prime; }
  static Value times(Value a, Value b) { return a * b % prime; }
  static Value of_score(double score) { return score == kForbidden ? 0 : 1; }
  static bool is_zero(Value value) { return value == 0; }
};

// Values by the number of arcs from 0, none or one: a polynomial in that number, cut off after its second term. So the
// trees with exactly one child of 0 are told from the others in any algebra at a constant cost.
template <typename Algebra>
struct OneRoot {
  struct Value {
    typename Algebra::Value none;
    typename Algebra::Value one;
  };
  static constexpr Value zero() { return {Algebra::zero(), Algebra::zero()}; }
  static constexpr Value one() { return {Algebra::one(), Algebra::zero()}; }
  static Value plus(Value a, Value b) { return {Algebra::plus(a.none, b.none), Algebra::plus(a.one, b.one)}; }
  static Value times(Value a, Value b) {
    return {Algebra::times(a.none, b.none),
            Algebra::plus(Algebra::times(a.none, b.one), Algebra::times(a.one, b.none))};
  }
  static bool is_zero(Value value) { return Algebra::is_zero(value.none) && Algebra::is_zero(value.one); }
};

// The value of an arc, and what counts of a value in the end; OneRoot has its own.
template <typename Algebra>
struct Reading {
  using Plain = Algebra;
  static typename Algebra::Value arc(std::int32_t, double score) { return Algebra::of_score(score); }
  static typename Algebra::Value result(typename Algebra::Value value) { return value; }
};
template <typename Algebra>
struct Reading<OneRoot<Algebra>> {
  using Plain = Algebra;
  static typename OneRoot<Algebra>::Value arc(std::int32_t head, double score) {
    const typename Algebra::Value value = Algebra::of_score(score);
    if (head == 0) return {Algebra::zero(), value};
    return {value, Algebra::zero()};
  }
  static typename Algebra::Value result(typename OneRoot<Algebra>::Value value) { return value.one; }
};

}  // namespace crossarc
