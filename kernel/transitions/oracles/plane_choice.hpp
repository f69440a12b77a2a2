// Which plane of a multiplanar parser each gold arc is built on, so that the active stack is switched as rarely as can
// be (2010, Sections 3 and 5.2): arcs that cross are on different planes, and of all such choices one is taken that
// needs the fewest SWITCH transitions. Arcs that cross nothing go wherever the parser is.
//
// Two planes: a component of the crossings graph has two colourings, which mirror each other; a dynamic program goes
// over the words from left to right and keeps, for each active stack and each choice for the components that are still
// open, the fewest switches so far. Components are nested, so that few are open at once; where their choices are more
// than kMostChoices, the best are kept. O(n + m) beside the open choices. More planes: the colouring of planes.hpp,
// rotated for each component so that its first arc is on the active stack.
//
// Arcs for which k planes are not enough are given up: the fewest that a search over one or two arcs of a component
// finds, else what k greatest planar subsets one after the other leave over.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "structure/arcs.hpp"
#include "structure/planes.hpp"

namespace crossarc {

constexpr std::int32_t kNoPlane = -1;

// Keeps its memory from sentence to sentence.
class PlaneChoice {
 public:
  // Writes the plane of each arc, kNoPlane for one that is given up; arcs drawn alike share a plane.
  void choose(std::span<const Arc> arcs, std::int32_t nodes, std::int32_t stacks, std::span<std::int32_t> planes);

 private:
  // A component of the crossings graph with more than one arc, and the words where its arcs end.
  struct Component {
    std::int32_t first_event = 0;
    std::int32_t last_event = 0;
    std::int32_t side = 0;  // is added to the colours of its arcs
    bool decided = false;
  };
  // Of the dynamic program: the active stack in the lowest bit, above it the sides of the open components.
  struct State {
    std::uint64_t bits = 0;
    std::uint64_t before_closing = 0;  // the same with the components that close here
    std::int32_t switches = 0;
    std::int32_t parent = 0;
  };

  bool find_components(std::span<const Arc> arcs, std::int32_t nodes, std::span<const std::int32_t> planes);
  bool give_up(std::span<const Arc> arcs, std::int32_t nodes, std::int32_t stacks, std::span<std::int32_t> planes);
  void colour(std::size_t arcs, std::int32_t nodes, std::int32_t stacks);
  void list_events(std::span<const Arc> arcs, std::int32_t nodes, std::span<const std::int32_t> planes);
  void choose_sides();
  void step(std::size_t event);
  void keep_best(std::vector<State>& states);
  void trace_back();
  void assign(std::int32_t stacks, std::span<std::int32_t> planes);

  CrossingComponents components_;
  PlaneFinder finder_;
  std::vector<Arc> kept_;                   // arcs that are not given up
  std::vector<std::int32_t> kept_arcs_;     // their numbers
  std::vector<std::int32_t> component_of_;  // of each arc; kNoPlane if it crosses nothing
  std::vector<std::int32_t> colour_of_;
  std::vector<Component> crossing_;
  std::vector<std::vector<std::int32_t>> arcs_into_;  // of each node: those whose right end it is
  std::vector<std::int32_t> events_;                  // nodes where arcs that cross end
  std::vector<std::vector<State>> states_;            // before each event, and at the end
  std::vector<std::vector<std::int32_t>> open_;       // at each event: the components with a bit
};

}  // namespace crossarc
