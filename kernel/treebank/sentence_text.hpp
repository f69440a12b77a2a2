// Puts the texts of sentences together from their words. O(bytes).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "treebank/string_pool.hpp"

namespace crossarc {

// The id of `prefix` and the words of each sentence, with a space after each word where space_after says so, but not
// after the last one. A word with the id kNotWritten is left out, not its space. Throws std::invalid_argument unless
// offsets ascend from 0 to the number of words, lengths agree and every id is in the pool.
constexpr std::int32_t kNotWritten = -1;
std::vector<std::int32_t> intern_joined(StringPool& pool, std::string_view prefix, std::span<const std::int32_t> words,
                                        std::span<const std::uint8_t> space_after,
                                        std::span<const std::int64_t> offsets);

}  // namespace crossarc
