// All graphs that a system derives for a sentence of a few words: every configuration that can be reached is visited
// once, whatever the order of transitions that leads to it. Exponential, for proofs by exhaustion and for teaching.
#pragma once

#include <cstdint>
#include <vector>

#include "transitions/machine/configuration.hpp"

namespace crossarc {

constexpr std::int32_t kMostEnumeratedNodes = 8;

struct Enumeration {
  // Each graph once, sorted: bit kMostEnumeratedNodes h + d is set where position h has an arc to d (undirected: h <
  // d).
  std::vector<std::uint64_t> graphs;
  std::int64_t configurations = 0;
  bool stuck = false;      // some configuration that is not terminal has no transition
  bool looping = false;    // some sequence of transitions leads back to where it began
  bool exhausted = false;  // the limit of configurations was reached: the rest is not known
};

Enumeration enumerate_graphs(const Program& program, std::int32_t words, Root root, std::int64_t limit);

}  // namespace crossarc
