// The probability of one class, which tests of tags and of graph parsers take from those of all classes of all tags.
#pragma once

#include <cstddef>
#include <cstdint>

#include "nn/tags.hpp"

namespace crossarc::tests {

inline float probability(const TagReading& reading, const TagShape& shape, std::size_t row, std::size_t tag,
                         std::int32_t of_class) {
  std::size_t column = static_cast<std::size_t>(of_class);
  for (std::size_t before = 0; before < tag; ++before) column += shape.classes[before];
  return reading.probabilities().row(row)[column];
}

}  // namespace crossarc::tests
