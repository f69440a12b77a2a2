// The graph that an oracle wants to see built: arcs between positions in the order of reading, and for every position
// its neighbours from left to right.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "structure/arcs.hpp"
#include "transitions/machine/configuration.hpp"

namespace crossarc {

struct GoldArc {
  std::int32_t head = 0;
  std::int32_t dependent = 0;
  std::int32_t label = kNoLabel;
};

// Keeps its memory from sentence to sentence.
class Gold {
 public:
  struct Neighbour {
    std::int32_t node = 0;
    std::int32_t arc = 0;
  };

  // `arcs` has no loops and no arc twice; positions are 0 to nodes - 1.
  void set(std::int32_t nodes, std::span<const GoldArc> arcs) {
    arcs_.assign(arcs.begin(), arcs.end());
    const auto count = static_cast<std::size_t>(nodes);
    starts_.assign(count + 1, 0);
    head_.assign(count, kNoNode);
    forest_ = true;
    for (const GoldArc& arc : arcs_) {
      ++starts_[arc.head];
      ++starts_[arc.dependent];
      forest_ &= head_[arc.dependent] == kNoNode;
      head_[arc.dependent] = arc.head;
    }
    std::int32_t end = 0;
    for (std::int32_t& start : starts_) start = end += start;
    neighbours_.resize(static_cast<std::size_t>(end));
    for (std::size_t arc = arcs_.size(); arc-- > 0;) {
      neighbours_[--starts_[arcs_[arc].head]] = {arcs_[arc].dependent, static_cast<std::int32_t>(arc)};
      neighbours_[--starts_[arcs_[arc].dependent]] = {arcs_[arc].head, static_cast<std::int32_t>(arc)};
    }
    for (std::int32_t node = 0; node < nodes; ++node) {
      std::sort(
          neighbours_.begin() + starts_[node], neighbours_.begin() + starts_[node + 1],
          [](const Neighbour& a, const Neighbour& b) { return a.node != b.node ? a.node < b.node : a.arc < b.arc; });
    }
    forest_ &= acyclic();
  }

  std::int32_t nodes() const { return static_cast<std::int32_t>(head_.size()); }
  std::span<const GoldArc> arcs() const { return arcs_; }
  const GoldArc& arc(std::int32_t number) const { return arcs_[static_cast<std::size_t>(number)]; }
  Arc drawn(std::int32_t number) const { return arc_between(arc(number).head, arc(number).dependent); }
  std::span<const Neighbour> neighbours(std::int32_t node) const {
    return std::span<const Neighbour>(neighbours_)
        .subspan(static_cast<std::size_t>(starts_[node]), static_cast<std::size_t>(starts_[node + 1] - starts_[node]));
  }
  // At most one head each and no cycle.
  bool forest() const { return forest_; }
  // The head in a forest, kNoNode for a root.
  std::int32_t head(std::int32_t node) const { return head_[node]; }

 private:
  bool acyclic() {
    if (!forest_) return false;
    // Walking up from every node and colouring the path: a path that meets itself is a cycle.
    colour_.assign(head_.size(), kNoNode);
    for (std::int32_t node = 0; node < nodes(); ++node) {
      std::int32_t above = node;
      while (above != kNoNode && colour_[above] == kNoNode) {
        colour_[above] = node;
        above = head_[above];
      }
      if (above != kNoNode && colour_[above] == node) return false;
    }
    return true;
  }

  std::vector<GoldArc> arcs_;
  std::vector<Neighbour> neighbours_;
  std::vector<std::int32_t> starts_;
  std::vector<std::int32_t> head_;
  std::vector<std::int32_t> colour_;
  bool forest_ = true;
};

struct Action {
  std::int32_t transition = 0;
  std::int32_t position = 0;
  std::int32_t label = kNoLabel;
};

}  // namespace crossarc
