#include "evaluation/alignment.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "core/threads.hpp"

namespace crossarc {
namespace {

constexpr std::size_t kMostCells = std::size_t{1} << 24;

// A run of words on each side.
struct Region {
  std::size_t gold_begin, gold_end;
  std::size_t system_begin, system_end;
};

bool is_behind(const PlacedWords& words, std::size_t word, std::int64_t end) {
  if (word == words.size()) return true;
  return words.multiword[word] ? words.begin[word] >= end : words.end[word] > end;
}

// The words that are aligned together if one of two words is part of a multiword token. It begins where the two words
// stand (a plain word that begins before the multiword token is not part of it) and ends where no multiword token of
// either side sticks out. As in the official tool, words of the side that lags behind come along.
Region multiword_region(const PlacedWords& gold, const PlacedWords& system, std::size_t g, std::size_t s) {
  const bool from_gold = gold.multiword[g];
  std::int64_t end = from_gold ? gold.end[g] : system.end[s];
  if (from_gold && !system.multiword[s] && system.begin[s] < gold.begin[g]) ++s;
  if (!from_gold && gold.begin[g] < system.begin[s]) ++g;
  Region region{g, g, s, s};
  const auto take = [&end](const PlacedWords& words, std::size_t& next) {
    if (words.multiword[next]) end = std::max(end, words.end[next]);
    ++next;
  };
  while (!is_behind(gold, region.gold_end, end) || !is_behind(system, region.system_end, end)) {
    const bool gold_left = region.gold_end < gold.size();
    const bool system_left = region.system_end < system.size();
    if (gold_left && (!system_left || gold.begin[region.gold_end] <= system.begin[region.system_end])) {
      take(gold, region.gold_end);
    } else {
      take(system, region.system_end);
    }
  }
  return region;
}

// Matches the words of a region along a longest common subsequence of their forms; of several, the one that takes equal
// forms as soon as they meet and leaves gold words out before system words.
void align_region(const PlacedWords& gold, const PlacedWords& system, const Region& region,
                  std::vector<std::int32_t>& lengths, std::vector<std::int64_t>& gold_of) {
  const std::size_t rows = region.gold_end - region.gold_begin;
  const std::size_t columns = region.system_end - region.system_begin;
  if (rows == 0 || columns == 0) return;
  if (columns + 1 > kMostCells / (rows + 1)) {
    throw std::length_error("multiword tokens overlap for " + std::to_string(rows) + " words");
  }
  const auto equal = [&](std::size_t row, std::size_t column) {
    return gold.form[region.gold_begin + row] == system.form[region.system_begin + column];
  };
  // lengths(row, column): of the longest common subsequence of what is left from there.
  lengths.assign((rows + 1) * (columns + 1), 0);
  const auto length = [&](std::size_t row, std::size_t column) -> std::int32_t& {
    return lengths[row * (columns + 1) + column];
  };
  for (std::size_t row = rows; row-- > 0;) {
    check_interruption(1 + static_cast<std::int32_t>(columns / 256));
    for (std::size_t column = columns; column-- > 0;) {
      const std::int32_t skipped = std::max(length(row + 1, column), length(row, column + 1));
      length(row, column) = equal(row, column) ? std::max(skipped, 1 + length(row + 1, column + 1)) : skipped;
    }
  }
  for (std::size_t row = 0, column = 0; row < rows && column < columns;) {
    if (equal(row, column)) {
      gold_of[region.system_begin + column++] = static_cast<std::int64_t>(region.gold_begin + row++);
    } else if (length(row, column) == length(row + 1, column)) {
      ++row;
    } else {
      ++column;
    }
  }
}

}  // namespace

void check_placed_words(const PlacedWords& words) {
  if (words.end.size() != words.size() || words.multiword.size() != words.size() || words.form.size() != words.size()) {
    throw std::invalid_argument("as many begins, ends, marks and forms as words are needed");
  }
  for (std::size_t word = 0; word < words.size(); ++word) {
    if (words.end[word] <= words.begin[word]) throw std::invalid_argument("a word without characters");
    if (word > 0 && words.begin[word] < words.begin[word - 1]) throw std::invalid_argument("words out of order");
  }
}

std::vector<std::int64_t> align_words(const PlacedWords& gold, const PlacedWords& system) {
  std::vector<std::int64_t> gold_of(system.size(), -1);
  std::vector<std::int32_t> lengths;
  std::size_t g = 0, s = 0;
  while (g < gold.size() && s < system.size()) {
    if (gold.multiword[g] || system.multiword[s]) {
      const Region region = multiword_region(gold, system, g, s);
      align_region(gold, system, region, lengths, gold_of);
      g = region.gold_end;
      s = region.system_end;
    } else if (gold.begin[g] == system.begin[s] && gold.end[g] == system.end[s]) {
      gold_of[s++] = static_cast<std::int64_t>(g++);
    } else if (gold.begin[g] <= system.begin[s]) {
      ++g;
    } else {
      ++s;
    }
  }
  return gold_of;
}

}  // namespace crossarc
