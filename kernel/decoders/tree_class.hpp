// Is a tree 1-Endpoint-Crossing, and if not, which few arcs show it (2013 TACL, Definition 2)? The arcs that cross an
// arc share an endpoint. With I(v) the arcs at word v as a set, the arcs that cross (l, r) are two look-ups in prefix
// sums of I (see structure/measures.hpp): O(n²/64).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace crossarc {

enum class TreeClass : std::uint8_t { kProjective, kOneEndpointCrossing, kSpanningTree };

// Dependents of arcs that no tree of the class has together.
struct Conflict {
  std::array<std::int32_t, 4> dependents{};
  int size = 0;
};

// Keeps its memory from sentence to sentence.
class ConflictFinder {
 public:
  // Whether the tree is 1-Endpoint-Crossing. Without root_arcs, arcs from 0 do not count.
  bool accepts(std::span<const std::int32_t> heads, bool root_arcs) {
    bool accepted = true;
    load(heads, root_arcs);
    for_each_conflict(heads, [&](const Conflict&) { return accepted = false; });
    return accepted;
  }

  // To be called first. Any assignment of heads will do, not only trees.
  void load(std::span<const std::int32_t> heads, bool root_arcs) {
    sets_ = heads.size() / 64 + 1;
    incident_.assign((heads.size() + 1) * sets_, 0);
    excluded_.assign(sets_, 0);
    for (std::size_t word = 1; word <= heads.size(); ++word) {
      const auto head = static_cast<std::size_t>(heads[word - 1]);
      const Set bit = Set{1} << (word % 64);
      if (head == 0 && !root_arcs) {
        excluded_[word / 64] |= bit;
        continue;
      }
      incident_[word * sets_ + word / 64] ^= bit;
      incident_[head * sets_ + word / 64] ^= bit;
    }
    prefix_ = incident_;
    for (std::size_t place = sets_; place < prefix_.size(); ++place) prefix_[place] ^= prefix_[place - sets_];
    crossing_.resize(sets_);
  }

  // The arc into a word is in no conflict that is found from now on.
  void exclude(std::int32_t word) { excluded_[word / 64] |= Set{1} << (word % 64); }

  // Calls found(conflict), which excludes at least one of its arcs or returns false to end; for none if and only if no
  // conflict is left.
  template <typename Found>
  void for_each_conflict(std::span<const std::int32_t> heads, Found&& found) {
    const auto words = static_cast<std::int32_t>(heads.size());
    for (std::int32_t word = 1; word <= words; ++word) {
      while (!is_excluded(word)) {
        const std::int32_t crossing = first_crossing(heads, word);
        if (crossing == 0) break;
        const Conflict conflict = find_apart(heads, word, crossing);
        if (conflict.size == 0) break;
        if (!found(conflict)) return;
      }
    }
  }

 private:
  using Set = std::uint64_t;

  bool is_excluded(std::int32_t word) const { return excluded_[word / 64] >> (word % 64) & 1; }

  // Fills crossing_ with the arcs, not excluded, that cross the arc into a word; the first of them, or 0.
  std::int32_t first_crossing(std::span<const std::int32_t> heads, std::int32_t word) {
    const std::size_t left = std::min(word, heads[word - 1]);
    const std::size_t right = std::max(word, heads[word - 1]);
    std::int32_t first = 0;
    for (std::size_t set = sets_; set-- > 0;) {
      crossing_[set] = (prefix_[(right - 1) * sets_ + set] ^ prefix_[left * sets_ + set]) &
                       ~(incident_[left * sets_ + set] | incident_[right * sets_ + set] | excluded_[set]);
      if (crossing_[set] != 0) first = static_cast<std::int32_t>(64 * set) + std::countr_zero(crossing_[set]);
    }
    return first;
  }

  // Of the arcs in crossing_, one that touches neither end of the first, or one beyond each of its ends.
  Conflict find_apart(std::span<const std::int32_t> heads, std::int32_t word, std::int32_t first) const {
    const Set* one = &incident_[first * sets_];
    const Set* other = &incident_[heads[first - 1] * sets_];
    std::int32_t neither = 0;
    std::int32_t beyond_one = 0;
    std::int32_t beyond_other = 0;
    for (std::size_t set = 0; set < sets_; ++set) {
      const auto pick = [set](std::int32_t& found, Set from) {
        if (found == 0 && from != 0) found = static_cast<std::int32_t>(64 * set) + std::countr_zero(from);
      };
      pick(neither, crossing_[set] & ~one[set] & ~other[set]);
      pick(beyond_one, crossing_[set] & ~one[set]);
      pick(beyond_other, crossing_[set] & ~other[set]);
    }
    if (beyond_one == 0 || beyond_other == 0) return {};
    if (neither != 0) return {{word, first, neither}, 3};
    return {{word, first, beyond_one, beyond_other}, 4};
  }

  std::size_t sets_ = 1;
  std::vector<Set> incident_;  // arcs by their dependents
  std::vector<Set> prefix_;
  std::vector<Set> crossing_;
  std::vector<Set> excluded_;
};

}  // namespace crossarc
