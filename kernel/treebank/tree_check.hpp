// Is a list of heads a tree? O(n): every word is visited once.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace crossarc {

// Finds the cycles of a list of heads that are all in range; keeps its memory from sentence to sentence.
class CycleFinder {
 public:
  // Calls found(cycle) for every cycle: its words, each followed by its head.
  template <typename Found>
  void run(std::span<const std::int32_t> heads, Found&& found) {
    const auto head_of = [&heads](std::int32_t word) { return heads[static_cast<std::size_t>(word - 1)]; };
    const auto met_from = [this](std::int32_t word) -> std::int32_t& {
      return met_from_[static_cast<std::size_t>(word)];
    };
    met_from_.assign(heads.size() + 1, 0);
    met_from(0) = -1;
    for (std::int32_t start = 1; start <= static_cast<std::int32_t>(heads.size()); ++start) {
      std::int32_t word = start;
      for (; met_from(word) == 0; word = head_of(word)) met_from(word) = start;
      if (met_from(word) != start) continue;
      std::vector<std::int32_t> cycle{word};
      for (std::int32_t next = head_of(word); next != word; next = head_of(next)) cycle.push_back(next);
      found(std::move(cycle));
    }
  }

 private:
  std::vector<std::int32_t> met_from_;  // for each word, the start from which it was first reached; 0: not yet
};

enum class TreeFaultKind : std::uint8_t { kNone, kOutOfRange, kOwnHead, kCycle };

// The first reason why heads are not a tree, and the words it concerns.
struct TreeFault {
  TreeFaultKind kind = TreeFaultKind::kNone;
  std::vector<std::int32_t> words;
};

inline TreeFault find_tree_fault(std::span<const std::int32_t> heads, CycleFinder& cycles) {
  const auto words = static_cast<std::int32_t>(heads.size());
  for (std::int32_t word = 1; word <= words; ++word) {
    const std::int32_t head = heads[static_cast<std::size_t>(word - 1)];
    if (head < 0 || head > words) return {TreeFaultKind::kOutOfRange, {word}};
    if (head == word) return {TreeFaultKind::kOwnHead, {word}};
  }
  TreeFault fault;
  cycles.run(heads, [&fault](std::vector<std::int32_t> cycle) {
    if (fault.kind == TreeFaultKind::kNone) fault = {TreeFaultKind::kCycle, std::move(cycle)};
  });
  return fault;
}

}  // namespace crossarc
