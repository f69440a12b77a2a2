// What the label of a word says beside its relation, once the tree is projective (2005, Table 1).
#pragma once

#include <cstdint>

namespace crossarc {

constexpr std::uint8_t kLifted = 1;       // d↑: the arc was lifted from a head further down
constexpr std::uint8_t kOnPath = 2;       // p↓: an arc was lifted over this one
constexpr std::uint8_t kCoveredRoot = 4;  // a child of 0 that was attached to an arc above it

}  // namespace crossarc
