#include "structure/colouring.hpp"

#include <algorithm>
#include <bit>

namespace crossarc {
namespace {

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

}  // namespace

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

}  // namespace crossarc
