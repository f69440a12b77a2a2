#include "structure/planes.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "structure/colouring.hpp"

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

PlanarityBounds PlaneFinder::find(std::span<const Arc> arcs, std::int32_t last_position, std::int64_t budget,
                                  std::span<std::int32_t> planes) {
  components_.find(arcs, last_position);
  component_.resize(arcs.size());
  starts_.assign(arcs.size() + 1, 0);
  for (std::size_t arc = 0; arc < arcs.size(); ++arc) {
    component_[arc] = components_.component(static_cast<std::int32_t>(arc));
    ++starts_[component_[arc] + 1];
  }
  for (std::size_t arc = 0; arc < arcs.size(); ++arc) starts_[arc + 1] += starts_[arc];
  members_.resize(arcs.size());
  for (const std::int32_t arc : components_.opening_order()) members_[starts_[component_[arc]]++] = arc;

  // starts_[c] is now where component c ends and the one before it ended where c begins.
  PlanarityBounds bounds;
  std::int32_t begin = 0;
  for (std::size_t component = 0; component < arcs.size(); ++component) {
    const std::span<const std::int32_t> members(members_.data() + begin, members_.data() + starts_[component]);
    begin = starts_[component];
    if (members.empty()) continue;
    const PlanarityBounds found = components_.two_planes_suffice(static_cast<std::int32_t>(component))
                                      ? colour_pair(members, planes)
                                      : colour_many(arcs, members, budget, planes);
    bounds.lower = std::max(bounds.lower, found.lower);
    bounds.upper = std::max(bounds.upper, found.upper);
  }
  return bounds;
}

PlanarityBounds PlaneFinder::colour_pair(std::span<const std::int32_t> members, std::span<std::int32_t> planes) {
  const std::uint8_t leftmost = components_.colour(members[0]);
  std::size_t as_leftmost = 0;
  for (const std::int32_t arc : members) as_leftmost += components_.colour(arc) == leftmost;
  const bool leftmost_first = 2 * as_leftmost >= members.size();
  for (const std::int32_t arc : members) planes[arc] = (components_.colour(arc) == leftmost) != leftmost_first;
  const std::int32_t needed = members.size() > 1 ? 2 : 1;
  return {needed, needed};
}

PlanarityBounds PlaneFinder::colour_many(std::span<const Arc> arcs, std::span<const std::int32_t> members,
                                         std::int64_t budget, std::span<std::int32_t> planes) {
  std::vector<Arc> own;
  for (const std::int32_t arc : members) own.push_back(arcs[arc]);
  const Colouring colouring = colour_component(own, budget);

  const auto colours = static_cast<std::size_t>(colouring.upper);
  std::vector<std::int32_t> counts(colours);
  std::vector<std::int32_t> by_first_arc;
  for (const std::int32_t colour : colouring.colours) {
    if (counts[colour]++ == 0) by_first_arc.push_back(colour);
  }
  std::stable_sort(by_first_arc.begin(), by_first_arc.end(),
                   [&counts](std::int32_t a, std::int32_t b) { return counts[a] > counts[b]; });
  std::vector<std::int32_t> plane_of(colours);
  for (std::size_t plane = 0; plane < by_first_arc.size(); ++plane) {
    plane_of[by_first_arc[plane]] = static_cast<std::int32_t>(plane);
  }
  for (std::size_t member = 0; member < members.size(); ++member) {
    planes[members[member]] = plane_of[colouring.colours[member]];
  }
  return {colouring.lower, colouring.upper};
}

}  // namespace crossarc
