#include "encodings/minimum_branching.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace crossarc {
namespace {

constexpr std::int32_t kNone = -1;

// Skew heaps of arcs, one for each node, in one block of memory; the number of an arc is its place in it.
class ArcHeaps {
 public:
  explicit ArcHeaps(std::span<const WeightedArc> arcs) : entries_(arcs.size()) {
    for (std::size_t arc = 0; arc < arcs.size(); ++arc) entries_[arc].cost = arcs[arc].cost;
  }

  std::int64_t cost(std::int32_t top) const { return entries_[top].cost; }

  // All costs of a heap change by as much.
  void add(std::int32_t top, std::int64_t difference) {
    if (top == kNone) return;
    entries_[top].cost += difference;
    entries_[top].pending += difference;
  }

  std::int32_t merge(std::int32_t one, std::int32_t other) {
    // Without recursion: down the right spines, then up again, where each node swaps its children.
    spine_.clear();
    while (one != kNone && other != kNone) {
      if (entries_[other].cost < entries_[one].cost) std::swap(one, other);
      settle(one);
      spine_.push_back(one);
      one = entries_[one].right;
    }
    std::int32_t top = one == kNone ? other : one;
    for (; !spine_.empty(); spine_.pop_back()) {
      Entry& entry = entries_[spine_.back()];
      entry.right = std::exchange(entry.left, top);
      top = spine_.back();
    }
    return top;
  }

  std::int32_t without_top(std::int32_t top) {
    settle(top);
    return merge(entries_[top].left, entries_[top].right);
  }

 private:
  struct Entry {
    std::int64_t cost = 0;
    std::int64_t pending = 0;  // still to be added to the children
    std::int32_t left = kNone;
    std::int32_t right = kNone;
  };

  void settle(std::int32_t top) {
    Entry& entry = entries_[top];
    const std::int64_t pending = std::exchange(entry.pending, 0);
    add(entry.left, pending);
    add(entry.right, pending);
  }

  std::vector<Entry> entries_;
  std::vector<std::int32_t> spine_;
};

// Words, and behind them the cycles that were contracted, each a node of its own.
class Contraction {
 public:
  Contraction(std::int32_t words, std::span<const WeightedArc> arcs)
      : words_(words), arcs_(arcs), heaps_(arcs), state_(2 * static_cast<std::size_t>(words) + 1) {
    const std::size_t nodes = state_.size();
    top_.assign(nodes, kNone);
    chosen_.assign(nodes, kNone);
    parent_.assign(nodes, kNone);
    representative_.resize(nodes);
    std::iota(representative_.begin(), representative_.end(), 0);
    for (std::size_t arc = 0; arc < arcs.size(); ++arc) {
      const WeightedArc& added = arcs[arc];
      if (added.dependent == 0 || added.dependent == added.head) continue;
      top_[added.dependent] = heaps_.merge(top_[added.dependent], static_cast<std::int32_t>(arc));
    }
  }

  // False if some word cannot be reached from 0.
  bool contract() {
    state_[0] = State::kFinished;
    for (std::int32_t word = 1; word <= words_; ++word) {
      if (!follow(find(word))) return false;
    }
    return true;
  }

  std::vector<std::int32_t> expand() {
    std::vector<std::uint8_t> open(nodes_ + std::size_t{1}, 0);
    for (std::int32_t node = nodes_; node > 0; --node) {
      if (open[node]) continue;
      // The arc into a cycle enters one of its nodes, and replaces the arc that was chosen there.
      const std::int32_t arc = chosen_[node];
      for (std::int32_t inner = arcs_[arc].dependent; inner != node; inner = parent_[inner]) {
        chosen_[inner] = arc;
        open[inner] = 1;
      }
    }
    std::vector<std::int32_t> heads(static_cast<std::size_t>(words_));
    for (std::int32_t word = 1; word <= words_; ++word) heads[word - 1] = arcs_[chosen_[word]].head;
    return heads;
  }

 private:
  enum class State : std::uint8_t { kNew, kOnPath, kFinished };

  std::int32_t find(std::int32_t node) {
    while (representative_[node] != node) node = representative_[node] = representative_[representative_[node]];
    return node;
  }

  // Goes from heads to heads along the cheapest arcs, until something finished is met; cycles become nodes on the way.
  bool follow(std::int32_t node) {
    path_.clear();
    while (state_[node] != State::kFinished) {
      if (state_[node] == State::kOnPath) {
        node = contract_cycle(node);
        continue;
      }
      state_[node] = State::kOnPath;
      path_.push_back(node);
      if (!choose(node)) return false;
      node = find(arcs_[chosen_[node]].head);
    }
    for (const std::int32_t done : path_) state_[done] = State::kFinished;
    return true;
  }

  // The cheapest arc from outside into a node.
  bool choose(std::int32_t node) {
    while (top_[node] != kNone && find(arcs_[top_[node]].head) == node) top_[node] = heaps_.without_top(top_[node]);
    chosen_[node] = top_[node];
    return chosen_[node] != kNone;
  }

  std::int32_t contract_cycle(std::int32_t first) {
    const std::int32_t cycle = ++nodes_;
    for (std::int32_t node = kNone; node != first;) {
      node = path_.back();
      path_.pop_back();
      // Whoever enters the cycle here saves the arc that was chosen.
      heaps_.add(top_[node], -heaps_.cost(chosen_[node]));
      top_[cycle] = heaps_.merge(top_[cycle], top_[node]);
      parent_[node] = cycle;
      representative_[node] = cycle;
    }
    return cycle;
  }

  std::int32_t words_;
  std::span<const WeightedArc> arcs_;
  ArcHeaps heaps_;
  std::vector<State> state_;
  std::vector<std::int32_t> top_;     // of the heap of arcs into each node
  std::vector<std::int32_t> chosen_;  // the arc into each node
  std::vector<std::int32_t> parent_;  // the cycle that a node is part of
  std::vector<std::int32_t> representative_;
  std::vector<std::int32_t> path_;
  std::int32_t nodes_ = words_;
};

}  // namespace

std::optional<std::vector<std::int32_t>> minimum_branching(std::int32_t words, std::span<const WeightedArc> arcs) {
  Contraction contraction(words, arcs);
  if (!contraction.contract()) return std::nullopt;
  return contraction.expand();
}

}  // namespace crossarc
