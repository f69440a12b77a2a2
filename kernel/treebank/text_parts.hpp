// The columns of words that stand in a text: their forms, which are parts of it, and their ranges. A text is an array
// of code points, so that what is counted in characters is found at once. O(characters of the parts).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "treebank/string_pool.hpp"

namespace crossarc {

// The id of each part of a text, from a character to before another. Throws std::invalid_argument where a part is empty
// or not in the text, or has a character that no column can hold.
std::vector<std::int32_t> intern_parts(StringPool& pool, std::span<const std::uint32_t> text,
                                       std::span<const std::int64_t> starts, std::span<const std::int64_t> ends);

// The id of a prefix, given by its index, and the range of characters behind it: "…TokenRange=start:end". Throws
// std::invalid_argument where lengths differ or there is no such prefix.
std::vector<std::int32_t> intern_ranges(StringPool& pool, const std::vector<std::string_view>& prefixes,
                                        std::span<const std::int64_t> indices, std::span<const std::int64_t> starts,
                                        std::span<const std::int64_t> ends);

}  // namespace crossarc
