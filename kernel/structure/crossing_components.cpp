#include "structure/crossing_components.hpp"

#include <numeric>
#include <utility>

namespace crossarc {

void CrossingComponents::find(std::span<const Arc> arcs, std::int32_t last_position) {
  parent_.resize(arcs.size());
  std::iota(parent_.begin(), parent_.end(), 0);
  run_parent_ = parent_;
  run_last_ = parent_;
  differs_.assign(arcs.size(), 0);
  odd_cycle_.assign(arcs.size(), 0);
  size_.assign(arcs.size(), 1);
  sweep_.run(arcs, last_position, [this](std::int32_t arc) { close(arc); });
}

void CrossingComponents::close(std::int32_t arc) {
  const std::int32_t first = sweep_.next(arc);
  if (first != kNone) {
    unite(arc, first, true);
    const std::int32_t run = run_of(first);
    for (std::int32_t other; (other = sweep_.next(run_last_[run])) != kNone;) {
      unite(first, other, false);
      const std::int32_t other_run = run_of(other);
      run_parent_[other_run] = run;
      run_last_[run] = run_last_[other_run];
    }
  }
  const std::int32_t run = run_of(arc);
  const std::int32_t before = sweep_.previous(arc);
  if (run_last_[run] == arc && before != kNone && run_of(before) == run) run_last_[run] = before;
}

std::int32_t CrossingComponents::root(std::int32_t arc) {
  path_.clear();
  while (parent_[arc] != arc) {
    path_.push_back(arc);
    arc = parent_[arc];
  }
  // From the top down, so that each arc's parent already differs from the root as it says.
  std::uint8_t differs = 0;
  for (auto on_path = path_.rbegin(); on_path != path_.rend(); ++on_path) {
    differs ^= differs_[*on_path];
    differs_[*on_path] = differs;
    parent_[*on_path] = arc;
  }
  return arc;
}

void CrossingComponents::unite(std::int32_t a, std::int32_t b, bool different) {
  std::int32_t upper = root(a);
  std::int32_t lower = root(b);
  const bool colours_differ = colour(a) != colour(b);
  if (upper == lower) {
    if (colours_differ != different) odd_cycle_[upper] = 1;
    return;
  }
  if (size_[upper] < size_[lower]) std::swap(upper, lower);
  parent_[lower] = upper;
  differs_[lower] = colours_differ != different;
  size_[upper] += size_[lower];
  odd_cycle_[upper] |= odd_cycle_[lower];
}

std::int32_t CrossingComponents::run_of(std::int32_t arc) {
  while (run_parent_[arc] != arc) arc = run_parent_[arc] = run_parent_[run_parent_[arc]];
  return arc;
}

}  // namespace crossarc
