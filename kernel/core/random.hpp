// Random numbers that are the same on every machine: SplitMix64 (Steele et al. 2014).
#pragma once

#include <cstdint>

namespace crossarc {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    std::uint64_t mixed = state_ += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    return mixed ^ (mixed >> 31);
  }

  // In [0, 1).
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  float share() { return static_cast<float>(bits() >> 40) * 0x1p-24F; }

  // All there is to know of it.
  std::uint64_t state() const { return state_; }

 private:
  std::uint64_t state_;
};

}  // namespace crossarc
