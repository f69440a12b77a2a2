// The least number of planes for one component of the crossings graph, exactly where the budget allows: that is a graph
// colouring (2010, Section 3), NP-complete in general and small in real sentences.
//
// Lower bound: the largest set of arcs that all cross each other. Upper bound: planes filled one behind the other from
// left to right. Between the two, k colours are tried by a search that always colours next an arc with the fewest
// colours left (DSATUR, Brélaz 1979), after arcs with fewer than k crossings are peeled off, for they can always be
// coloured last.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "structure/arcs.hpp"

namespace crossarc {

struct Colouring {
  std::int32_t lower = 1;             // so many colours are needed
  std::int32_t upper = 1;             // so many colours are enough: `colours` has no more
  std::vector<std::int32_t> colours;  // of each arc, from 0
};

// `arcs` are in opening order (ArcSweep) and known to need three colours or more; `budget` bounds the arcs that the
// search may look at.
Colouring colour_component(std::span<const Arc> arcs, std::int64_t budget);

}  // namespace crossarc
