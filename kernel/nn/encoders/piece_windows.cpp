#include "nn/encoders/piece_windows.hpp"

#include <algorithm>
#include <numeric>

namespace crossarc {
namespace {

std::size_t count_of(std::span<const std::int32_t> counts, std::size_t word) {
  return static_cast<std::size_t>(counts[word]);
}

// Where the window that begins at a word ends.
std::size_t end_of(std::span<const std::int32_t> counts, std::size_t begin, std::size_t most) {
  std::size_t end = begin;
  for (std::size_t pieces = 0; end < counts.size() && pieces + count_of(counts, end) <= most; ++end) {
    pieces += count_of(counts, end);
  }
  return end;
}

// Where the window behind another one begins: the first word that only it has fits.
std::size_t next_begin(std::span<const std::int32_t> counts, const PieceWindow& window, const WindowSizes& sizes) {
  const std::size_t most = std::min(sizes.overlap, sizes.pieces - count_of(counts, window.end));
  std::size_t begin = window.end;
  for (std::size_t pieces = 0; begin - 1 > window.begin && pieces + count_of(counts, begin - 1) <= most; --begin) {
    pieces += count_of(counts, begin - 1);
  }
  return begin;
}

// The first word that is taken from the later of two windows.
std::size_t split(std::span<const std::int32_t> counts, const PieceWindow& earlier, const PieceWindow& later) {
  std::size_t behind = 0;
  for (std::size_t word = later.begin; word < earlier.end; ++word) behind += count_of(counts, word);
  std::size_t before = 0;
  std::size_t word = later.begin;
  for (; word < earlier.end; ++word) {
    behind -= count_of(counts, word);
    if (behind < before) break;
    before += count_of(counts, word);
  }
  return std::max(word, earlier.first_taken);
}

}  // namespace

void cut_windows(std::span<const std::int32_t> counts, const WindowSizes& sizes, std::vector<PieceWindow>& windows) {
  windows.clear();
  if (counts.empty()) return;
  windows.push_back({0, end_of(counts, 0, sizes.pieces), 0, counts.size()});
  while (windows.back().end < counts.size()) {
    PieceWindow& earlier = windows.back();
    PieceWindow later;
    later.begin = next_begin(counts, earlier, sizes);
    later.end = end_of(counts, later.begin, sizes.pieces);
    later.first_taken = earlier.last_taken = split(counts, earlier, later);
    later.last_taken = counts.size();
    windows.push_back(later);
  }
}

}  // namespace crossarc
