// The words of a system's output that stand for the words of the gold standard when the two cut the text differently:
// the alignment of the CoNLL 2018 shared task (Zeman et al. 2018, Section 4.1).
//
// Both sides are words over the same characters, white space aside. Outside multiword tokens two words are the same if
// they begin and end at the same characters. The words of a multiword token have no place of their own in the text, so
// where either side has one, the words of both sides up to the end of all multiword tokens that overlap there are
// aligned by a longest common subsequence of their forms. O(words), and O(gold × system) words of each such region.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace crossarc {

// One entry for each word. A word of a multiword token has the place of the token.
struct PlacedWords {
  std::span<const std::int64_t> begin;  // the first character
  std::span<const std::int64_t> end;    // the one behind the last
  std::span<const std::uint8_t> multiword;
  std::span<const std::int32_t> form;  // a number for each form, letter case aside, the same on both sides

  std::size_t size() const { return begin.size(); }
};

// Throws std::invalid_argument unless lengths agree, no word is empty and begins never go back.
void check_placed_words(const PlacedWords& words);

// The gold word of each system word, or -1. Throws std::length_error where multiword tokens overlap for thousands of
// words.
std::vector<std::int64_t> align_words(const PlacedWords& gold, const PlacedWords& system);

}  // namespace crossarc
