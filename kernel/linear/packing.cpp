#include "linear/packing.hpp"

#include <stdexcept>

namespace crossarc {

std::vector<std::uint8_t> pack_ascending(std::span<const std::uint64_t> numbers) {
  std::vector<std::uint8_t> bytes;
  std::uint64_t before = 0;
  for (const std::uint64_t number : numbers) {
    if (number <= before) throw std::invalid_argument("the numbers do not ascend");
    std::uint64_t difference = number - before;
    for (; difference >= 0x80; difference >>= 7) bytes.push_back(static_cast<std::uint8_t>(difference | 0x80));
    bytes.push_back(static_cast<std::uint8_t>(difference));
    before = number;
  }
  return bytes;
}

std::vector<std::uint64_t> unpack_ascending(std::span<const std::uint8_t> bytes) {
  std::vector<std::uint64_t> numbers;
  numbers.reserve(bytes.size() / 3);
  std::uint64_t difference = 0;
  std::uint64_t before = 0;
  unsigned shift = 0;
  for (const std::uint8_t byte : bytes) {
    if (shift > 56) throw std::invalid_argument("a number has too many bytes");
    difference |= std::uint64_t{byte & 0x7FU} << shift;
    shift += 7;
    if ((byte & 0x80) != 0) continue;
    if (difference == 0 || before + difference < before) throw std::invalid_argument("the numbers do not ascend");
    numbers.push_back(before += difference);
    difference = 0;
    shift = 0;
  }
  if (shift != 0) throw std::invalid_argument("the last number is cut short");
  return numbers;
}

}  // namespace crossarc
