#include "structure/colouring_search.hpp"

#include <algorithm>
#include <bit>

namespace crossarc {

ColouringSearch::ColouringSearch(std::span<const Arc> arcs)
    : arcs_(arcs.size()),
      width_((arcs.size() + 63) / 64),
      rows_(arcs_ * width_),
      degree_(arcs_),
      open_(width_),
      colour_(arcs_),
      saturation_(arcs_) {
  for (std::size_t a = 0; a < arcs_; ++a) {
    // In opening order, an arc that begins behind the end of another crosses neither it nor comes one that does.
    for (std::size_t b = a + 1; b < arcs_ && arcs[b].left < arcs[a].right; ++b) {
      if (!cross(arcs[a], arcs[b])) continue;
      rows_[a * width_ + b / 64] |= Set{1} << (b % 64);
      rows_[b * width_ + a / 64] |= Set{1} << (a % 64);
      ++degree_[a];
      ++degree_[b];
    }
  }
}

SearchOutcome ColouringSearch::run(std::int32_t colours, std::int64_t& budget) {
  std::fill(colour_.begin(), colour_.end(), kUncoloured);
  std::fill(open_.begin(), open_.end(), 0);
  for (std::size_t arc = 0; arc < arcs_; ++arc) open_[arc / 64] |= Set{1} << (arc % 64);
  peel(colours);
  colours_ = static_cast<std::size_t>(colours);
  seen_.assign(arcs_ * colours_, 0);
  std::fill(saturation_.begin(), saturation_.end(), 0);
  const SearchOutcome outcome = extend(0, core_.size(), budget);
  if (outcome == SearchOutcome::kColoured) colour_peeled(colours);
  return outcome;
}

template <typename Visit>
void ColouringSearch::for_each_open_neighbour(std::int32_t arc, Visit&& visit) const {
  const Set* row = &rows_[static_cast<std::size_t>(arc) * width_];
  for (std::size_t block = 0; block < width_; ++block) {
    for (Set rest = row[block] & open_[block]; rest != 0; rest &= rest - 1) {
      visit(static_cast<std::int32_t>(block * 64) + std::countr_zero(rest));
    }
  }
}

void ColouringSearch::peel(std::int32_t colours) {
  peeled_.clear();
  std::vector<std::int32_t> degree = degree_;
  for (std::size_t arc = 0; arc < arcs_; ++arc) {
    if (degree[arc] < colours) peeled_.push_back(static_cast<std::int32_t>(arc));
  }
  for (std::size_t done = 0; done < peeled_.size(); ++done) {
    const std::int32_t arc = peeled_[done];
    open_[arc / 64] &= ~(Set{1} << (arc % 64));
    for_each_open_neighbour(arc, [&](std::int32_t other) {
      if (--degree[other] == colours - 1) peeled_.push_back(other);
    });
  }
  core_.clear();
  for (std::size_t arc = 0; arc < arcs_; ++arc) {
    if (open_[arc / 64] >> (arc % 64) & 1) core_.push_back(static_cast<std::int32_t>(arc));
  }
  std::stable_sort(core_.begin(), core_.end(),
                   [&degree](std::int32_t a, std::int32_t b) { return degree[a] > degree[b]; });
}

void ColouringSearch::colour_peeled(std::int32_t colours) {
  std::vector<std::uint8_t> taken(static_cast<std::size_t>(colours));
  for (auto arc = peeled_.rbegin(); arc != peeled_.rend(); ++arc) {
    std::fill(taken.begin(), taken.end(), 0);
    for (std::size_t other = 0; other < arcs_; ++other) {
      if (colour_[other] != kUncoloured && crosses(static_cast<std::size_t>(*arc), other)) taken[colour_[other]] = 1;
    }
    colour_[*arc] = static_cast<std::int32_t>(std::find(taken.begin(), taken.end(), 0) - taken.begin());
  }
}

std::int32_t ColouringSearch::most_constrained() const {
  std::int32_t best = kUncoloured;
  for (const std::int32_t arc : core_) {
    if (colour_[arc] == kUncoloured && (best == kUncoloured || saturation_[arc] > saturation_[best])) best = arc;
  }
  return best;
}

SearchOutcome ColouringSearch::extend(std::int32_t used, std::size_t left, std::int64_t& budget) {
  if (left == 0) return SearchOutcome::kColoured;
  const std::int32_t arc = most_constrained();
  budget -= static_cast<std::int64_t>(core_.size());
  // Colours not used yet are all alike, so only the first of them is tried.
  const std::int32_t last = std::min(used, static_cast<std::int32_t>(colours_) - 1);
  for (std::int32_t colour = 0; colour <= last; ++colour) {
    if (seen_[static_cast<std::size_t>(arc) * colours_ + colour] != 0) continue;
    if (budget <= 0) return SearchOutcome::kOutOfBudget;
    assign(arc, colour);
    budget -= degree_[arc];
    const SearchOutcome outcome = extend(std::max(used, colour + 1), left - 1, budget);
    if (outcome != SearchOutcome::kImpossible) return outcome;
    unassign(arc);
  }
  return SearchOutcome::kImpossible;
}

void ColouringSearch::assign(std::int32_t arc, std::int32_t colour) {
  colour_[arc] = colour;
  open_[arc / 64] &= ~(Set{1} << (arc % 64));
  for_each_open_neighbour(arc, [&](std::int32_t other) {
    saturation_[other] += seen_[static_cast<std::size_t>(other) * colours_ + colour]++ == 0;
  });
}

void ColouringSearch::unassign(std::int32_t arc) {
  const std::int32_t colour = colour_[arc];
  for_each_open_neighbour(arc, [&](std::int32_t other) {
    saturation_[other] -= --seen_[static_cast<std::size_t>(other) * colours_ + colour] == 0;
  });
  colour_[arc] = kUncoloured;
  open_[arc / 64] |= Set{1} << (arc % 64);
}

}  // namespace crossarc
