// Windows over sentences that have more pieces than an encoder reads at once. Windows end between words and overlap; a
// word is taken from the earlier of two windows as long as at least as many pieces stand behind it there as before it
// in the later one: from that in which it is farther from an edge. A sentence that fits is one window. O(words).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace crossarc {

// Words of a sentence, from begin to before end, and those of them that are taken from it.
struct PieceWindow {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t first_taken = 0;
  std::size_t last_taken = 0;
};

// How many pieces a window has without the two special ones, and how many of them the next one has, too, at most.
struct WindowSizes {
  std::size_t pieces = 0;
  std::size_t overlap = 0;
};

// Replaces `windows` by those of a sentence. `counts`: of the pieces of each word, from 1 to sizes.pieces.
void cut_windows(std::span<const std::int32_t> counts, const WindowSizes& sizes, std::vector<PieceWindow>& windows);

}  // namespace crossarc
