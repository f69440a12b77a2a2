#include "structure/planes.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "core/threads.hpp"

namespace crossarc {
namespace {

// The least number of planes for one component of the crossings graph, exactly where the budget allows: that is a graph
// colouring (2010, Section 3), NP-complete in general and small in real sentences.
//
// Lower bound: the largest set of arcs that all cross each other. Upper bound: planes filled one behind the other from
// left to right. Between the two, k colours are tried by a search that always colours next an arc with the fewest
// colours left (DSATUR, Brélaz 1979), after arcs with fewer than k crossings are peeled off, for they can always be
// coloured last.
struct Colouring {
  std::int32_t lower = 1;             // so many colours are needed
  std::int32_t upper = 1;             // so many colours are enough: `colours` has no more
  std::vector<std::int32_t> colours;  // of each arc, from 0
};

// The largest set of arcs that all cross each other: no fewer planes can do. Such arcs begin in some order and end in
// the same order, and all lie over the gap behind the place where the last of them begins; so over each such gap the
// largest set is a longest increasing subsequence of right ends. O(sum over the gaps of arcs above it · log m).
//
// `arcs` are in opening order. After `budget` arcs looked at, the largest set found so far, still a lower bound.
std::int32_t largest_clique(std::span<const Arc> arcs, std::int64_t budget) {
  std::vector<Arc> above;          // arcs over the gap, in opening order
  std::vector<std::int32_t> ends;  // the least right end of an increasing sequence of each length
  std::size_t best = arcs.empty() ? 0 : 1;
  for (std::size_t arc = 0; arc < arcs.size() && budget > 0;) {
    check_interruption(1 + static_cast<std::int32_t>(above.size() / 32));
    const std::int32_t position = arcs[arc].left;
    std::erase_if(above, [position](const Arc& open) { return open.right <= position; });
    budget -= static_cast<std::int64_t>(above.size()) + 1;
    for (; arc < arcs.size() && arcs[arc].left == position; ++arc) above.push_back(arcs[arc]);
    if (above.size() <= best) continue;
    ends.clear();
    for (const Arc& open : above) {
      const auto place = std::lower_bound(ends.begin(), ends.end(), open.right);
      if (place == ends.end()) {
        ends.push_back(open.right);
      } else {
        *place = open.right;
      }
    }
    best = std::max(best, ends.size());
  }
  return static_cast<std::int32_t>(best);
}

// Can the arcs be coloured with k colours? A search with backtracking and a budget.
enum class SearchOutcome : std::uint8_t { kColoured, kImpossible, kOutOfBudget };

class ColouringSearch {
 public:
  // Takes m²/8 bytes.
  explicit ColouringSearch(std::span<const Arc> arcs);

  // Lowers the budget by the arcs that it looks at.
  SearchOutcome run(std::int32_t colours, std::int64_t& budget);

  // The colour of each arc, after kColoured.
  std::span<const std::int32_t> colours() const { return colour_; }

 private:
  using Set = std::uint64_t;
  static constexpr std::int32_t kUncoloured = -1;

  bool crosses(std::size_t a, std::size_t b) const { return rows_[a * width_ + b / 64] >> (b % 64) & 1; }
  void peel(std::int32_t colours);
  void colour_peeled(std::int32_t colours);
  std::int32_t most_constrained() const;
  SearchOutcome extend(std::int32_t used, std::size_t left, std::int64_t& budget);
  void assign(std::int32_t arc, std::int32_t colour);
  void unassign(std::int32_t arc);
  template <typename Visit>
  void for_each_open_neighbour(std::int32_t arc, Visit&& visit) const;

  std::size_t arcs_;
  std::size_t width_;
  std::vector<Set> rows_;  // whom each arc crosses
  std::vector<std::int32_t> degree_;
  std::vector<Set> open_;  // arcs still to colour
  std::vector<std::int32_t> colour_;
  std::vector<std::int32_t> peeled_;      // in the order of peeling
  std::vector<std::int32_t> core_;        // the others, those with most crossings first
  std::vector<std::uint16_t> seen_;       // of each arc and colour, how many neighbours have it
  std::vector<std::int32_t> saturation_;  // how many colours the neighbours have
  std::size_t colours_ = 0;
};

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
  check_interruption();
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

// The search keeps a table of m²/8 bytes: 2 MiB at most.
constexpr std::size_t kMostSearched = 4096;

// Puts each arc, in opening order, on the first plane where it crosses none. On a plane the open arcs are nested, so it
// is enough to look at the innermost. O(m · planes).
Colouring fill_planes(std::span<const Arc> arcs) {
  Colouring colouring;
  std::vector<std::vector<std::int32_t>> planes;  // right ends of the open arcs, the innermost last
  for (const Arc& arc : arcs) {
    check_interruption(1 + static_cast<std::int32_t>(planes.size() / 128));
    std::size_t plane = 0;
    for (; plane < planes.size(); ++plane) {
      std::vector<std::int32_t>& open = planes[plane];
      while (!open.empty() && open.back() <= arc.left) open.pop_back();
      if (open.empty() || open.back() >= arc.right) break;
    }
    if (plane == planes.size()) planes.emplace_back();
    planes[plane].push_back(arc.right);
    colouring.colours.push_back(static_cast<std::int32_t>(plane));
  }
  colouring.upper = static_cast<std::int32_t>(std::max<std::size_t>(planes.size(), 1));
  return colouring;
}

// Asks for one colour fewer until that is impossible or the budget is spent.
void lower_upper_bound(Colouring& colouring, ColouringSearch& search, std::int64_t budget) {
  while (colouring.upper > colouring.lower) {
    const SearchOutcome outcome = search.run(colouring.upper - 1, budget);
    if (outcome == SearchOutcome::kImpossible) colouring.lower = colouring.upper;
    if (outcome != SearchOutcome::kColoured) return;
    colouring.colours.assign(search.colours().begin(), search.colours().end());
    colouring.upper = *std::max_element(colouring.colours.begin(), colouring.colours.end()) + 1;
  }
}

// Asks for as few colours as the lower bound allows and raises it while that is impossible.
void raise_lower_bound(Colouring& colouring, ColouringSearch& search, std::int64_t budget) {
  while (colouring.lower < colouring.upper) {
    const SearchOutcome outcome = search.run(colouring.lower, budget);
    if (outcome == SearchOutcome::kOutOfBudget) return;
    if (outcome == SearchOutcome::kImpossible) {
      ++colouring.lower;
    } else {
      colouring.colours.assign(search.colours().begin(), search.colours().end());
      colouring.upper = colouring.lower;
    }
  }
}

Colouring colour_component(std::span<const Arc> arcs, std::int64_t budget) {
  Colouring colouring = fill_planes(arcs);
  colouring.lower = 3;
  if (colouring.upper == 3) return colouring;
  colouring.lower = std::max(3, largest_clique(arcs, budget));
  if (colouring.lower == colouring.upper || arcs.size() > kMostSearched) return colouring;
  ColouringSearch search(arcs);
  lower_upper_bound(colouring, search, budget / 2);
  raise_lower_bound(colouring, search, budget / 2);
  return colouring;
}

}  // namespace

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
