// Is a list of heads a tree? O(n): every word is visited once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace crossarc {

// Finds the cycles of a list of heads that are all in range; keeps its memory from sentence to sentence.
class CycleFinder {
 public:
  // Calls found(cycle) for every cycle: its words, each followed by its head.
  template <typename Found>
  void run(std::span<const std::int32_t> heads, Found&& found) {
    enum : std::uint8_t { kNew, kOnPath, kDone };
    state_.assign(heads.size() + 1, kNew);
    state_[0] = kDone;
    for (std::int32_t start = 1; start <= static_cast<std::int32_t>(heads.size()); ++start) {
      path_.clear();
      std::int32_t word = start;
      for (; state(word) == kNew; word = heads[static_cast<std::size_t>(word - 1)]) {
        state(word) = kOnPath;
        path_.push_back(word);
      }
      if (state(word) == kOnPath) {
        found(std::vector<std::int32_t>(std::find(path_.begin(), path_.end(), word), path_.end()));
      }
      for (const std::int32_t seen : path_) state(seen) = kDone;
    }
  }

 private:
  std::uint8_t& state(std::int32_t word) { return state_[static_cast<std::size_t>(word)]; }

  std::vector<std::uint8_t> state_;
  std::vector<std::int32_t> path_;
};

enum class TreeFaultKind : std::uint8_t { kNone, kOutOfRange, kOwnHead, kCycle };

// The first reason why heads are no tree, and the words it concerns.
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
