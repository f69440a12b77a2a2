#include "structure/colouring.hpp"

#include <algorithm>

#include "structure/clique.hpp"
#include "structure/colouring_search.hpp"

namespace crossarc {
namespace {

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
