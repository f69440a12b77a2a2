// Ascending numbers as the differences between them, each in as many bytes of seven bits as it needs: the features of a
// model take three bytes instead of eight. O(numbers).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace crossarc {

// Both throw std::invalid_argument where numbers do not ascend strictly from above 0.
std::vector<std::uint8_t> pack_ascending(std::span<const std::uint64_t> numbers);
std::vector<std::uint64_t> unpack_ascending(std::span<const std::uint8_t> bytes);

}  // namespace crossarc
