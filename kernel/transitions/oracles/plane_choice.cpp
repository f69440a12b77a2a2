#include "transitions/oracles/plane_choice.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/threads.hpp"

namespace crossarc {
namespace {

constexpr std::size_t kMostChoices = 1024;
constexpr std::size_t kMostOpen = 60;
constexpr std::size_t kMostPairs = 40;  // arcs of a component of which pairs are tried
constexpr std::int64_t kColouringBudget = 100'000;
constexpr std::size_t kMostEnds = 2000;

// The most arcs of which no two cross: what a parser with one plane can keep of a graph that is not planar. A dynamic
// program over the ends of the arcs, exact in O(a e) time and O(e²) memory for a arcs with e different ends, while e is
// at most kMostEnds; beyond, the shortest arcs first.
class PlanarSubset {
 public:
  explicit PlanarSubset(std::span<const Arc> arcs) : arcs_(arcs) {
    for (const Arc& arc : arcs) ends_.insert(ends_.end(), {arc.left, arc.right});
    std::sort(ends_.begin(), ends_.end());
    ends_.erase(std::unique(ends_.begin(), ends_.end()), ends_.end());
  }

  // A mark for each arc that is kept.
  std::vector<std::uint8_t> find() {
    if (arcs_.empty()) return {};
    if (ends_.size() > kMostEnds) return shortest_first();
    weight_.assign(ends_.size() * ends_.size(), 0);
    most_.assign(ends_.size() * ends_.size(), 0);
    split_.assign(ends_.size() * ends_.size(), 0);
    left_.resize(ends_.size());
    for (const Arc& arc : arcs_) {
      if (weight_[at(arc)]++ == 0) left_[number(arc.right)].push_back(number(arc.left));
    }
    for (std::size_t right = 1; right < ends_.size(); ++right) {
      for (std::size_t left = right; left-- > 0;) {
        check_interruption(1 + static_cast<std::int32_t>(left_[right].size() / 128));
        fill(left, right);
      }
    }
    const std::vector<std::uint8_t> drawn = collect();
    std::vector<std::uint8_t> chosen;
    for (const Arc& arc : arcs_) chosen.push_back(drawn[at(arc)]);
    return chosen;
  }

 private:
  std::size_t number(std::int32_t end) const {
    return static_cast<std::size_t>(std::lower_bound(ends_.begin(), ends_.end(), end) - ends_.begin());
  }
  std::size_t at(std::size_t left, std::size_t right) const { return left * ends_.size() + right; }
  std::size_t at(const Arc& arc) const { return at(number(arc.left), number(arc.right)); }

  // Either the right end has no arc to the inside, or its longest one there divides what is inside into two.
  void fill(std::size_t left, std::size_t right) {
    std::int32_t best = most_[at(left, right - 1)];
    std::size_t split = right;
    for (const std::size_t middle : left_[right]) {
      if (middle <= left) continue;
      const std::int32_t arcs = most_[at(left, middle)] + most_[at(middle, right)];
      if (arcs > best) {
        best = arcs;
        split = middle;
      }
    }
    most_[at(left, right)] = best + weight_[at(left, right)];
    split_[at(left, right)] = static_cast<std::int32_t>(split);
  }

  std::vector<std::uint8_t> collect() const {
    std::vector<std::uint8_t> drawn(weight_.size(), 0);
    std::vector<std::pair<std::size_t, std::size_t>> spans{{0, ends_.size() - 1}};
    while (!spans.empty()) {
      const auto [left, right] = spans.back();
      spans.pop_back();
      if (left >= right) continue;
      drawn[at(left, right)] = weight_[at(left, right)] > 0;
      const auto split = static_cast<std::size_t>(split_[at(left, right)]);
      spans.emplace_back(left, split == right ? right - 1 : split);
      if (split != right) spans.emplace_back(split, right);
    }
    return drawn;
  }

  std::vector<std::uint8_t> shortest_first() const {
    std::vector<std::size_t> order(arcs_.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::size_t arc) { return arcs_[arc].right - arcs_[arc].left; });
    std::vector<std::uint8_t> chosen(arcs_.size(), 0);
    std::vector<std::size_t> taken;
    for (const std::size_t arc : order) {
      check_interruption(1 + static_cast<std::int32_t>(taken.size() / 128));
      chosen[arc] = std::ranges::none_of(taken, [&](std::size_t other) { return cross(arcs_[arc], arcs_[other]); });
      if (chosen[arc]) taken.push_back(arc);
    }
    return chosen;
  }

  std::span<const Arc> arcs_;
  std::vector<std::int32_t> ends_;
  std::vector<std::int32_t> weight_;
  std::vector<std::int32_t> most_;  // arcs inside [left, right] of numbered ends
  std::vector<std::int32_t> split_;
  std::vector<std::vector<std::size_t>> left_;
};

bool colourable(std::span<const Arc> arcs, std::int32_t nodes, std::int32_t planes) {
  std::vector<std::int32_t> found(arcs.size());
  PlaneFinder finder;
  return finder.find(arcs, nodes, planes > 2 ? kColouringBudget : 0, found).upper <= planes;
}

// Marks the fewest arcs found whose loss leaves `planes` planes enough; `arcs` is one component.
std::vector<std::uint8_t> arcs_to_give_up(std::span<const Arc> arcs, std::int32_t nodes, std::int32_t planes) {
  std::vector<std::uint8_t> lost(arcs.size(), 0);
  const auto enough_without = [&](std::size_t a, std::size_t b) {
    check_interruption(1 + static_cast<std::int32_t>(arcs.size() / 4));
    std::vector<Arc> rest;
    for (std::size_t arc = 0; arc < arcs.size(); ++arc) {
      if (arc != a && arc != b) rest.push_back(arcs[arc]);
    }
    if (!colourable(rest, nodes, planes)) return false;
    lost[a] = lost[b] = 1;
    return true;
  };
  if (planes > 1) {
    for (std::size_t arc = 0; arc < arcs.size(); ++arc) {
      if (enough_without(arc, arc)) return lost;
    }
    for (std::size_t arc = 0; arc < arcs.size() && arcs.size() <= kMostPairs; ++arc) {
      for (std::size_t other = arc + 1; other < arcs.size(); ++other) {
        if (enough_without(arc, other)) return lost;
      }
    }
  }
  std::fill(lost.begin(), lost.end(), 1);
  for (std::int32_t plane = 0; plane < planes; ++plane) {
    std::vector<Arc> rest;
    std::vector<std::size_t> numbers;
    for (std::size_t arc = 0; arc < arcs.size(); ++arc) {
      if (!lost[arc]) continue;
      rest.push_back(arcs[arc]);
      numbers.push_back(arc);
    }
    const std::vector<std::uint8_t> chosen = PlanarSubset(rest).find();
    for (std::size_t arc = 0; arc < rest.size(); ++arc) lost[numbers[arc]] = !chosen[arc];
  }
  return lost;
}

}  // namespace

void PlaneChoice::choose(std::span<const Arc> arcs, std::int32_t nodes, std::int32_t stacks,
                         std::span<std::int32_t> planes) {
  std::fill(planes.begin(), planes.end(), 0);
  if (!find_components(arcs, nodes, planes)) return;  // nothing crosses
  if (give_up(arcs, nodes, stacks, planes) && !find_components(arcs, nodes, planes)) return;
  colour(arcs.size(), nodes, stacks);
  list_events(arcs, nodes, planes);
  if (stacks == 2) choose_sides();
  assign(stacks, planes);
}

// False if none of the arcs that are left cross.
bool PlaneChoice::find_components(std::span<const Arc> arcs, std::int32_t nodes, std::span<const std::int32_t> planes) {
  kept_.clear();
  kept_arcs_.clear();
  for (std::size_t arc = 0; arc < arcs.size(); ++arc) {
    if (planes[arc] == kNoPlane) continue;
    kept_.push_back(arcs[arc]);
    kept_arcs_.push_back(static_cast<std::int32_t>(arc));
  }
  components_.find(kept_, nodes);
  // Of the component that an arc stands for.
  std::vector<std::int32_t> numbers(kept_.size(), kNoPlane);
  std::vector<std::int32_t> sizes(kept_.size(), 0);
  for (std::size_t arc = 0; arc < kept_.size(); ++arc) ++sizes[components_.component(arc)];
  component_of_.assign(arcs.size(), kNoPlane);
  crossing_.clear();
  for (std::size_t arc = 0; arc < kept_.size(); ++arc) {
    const std::int32_t stands = components_.component(arc);
    if (sizes[stands] == 1) continue;
    if (numbers[stands] == kNoPlane) {
      numbers[stands] = crossing_.size();
      crossing_.push_back({});
    }
    component_of_[kept_arcs_[arc]] = numbers[stands];
  }
  return !crossing_.empty();
}

// True if some arcs were given up.
bool PlaneChoice::give_up(std::span<const Arc> arcs, std::int32_t nodes, std::int32_t stacks,
                          std::span<std::int32_t> planes) {
  std::vector<std::vector<std::int32_t>> members(crossing_.size());
  std::vector<std::uint8_t> odd(crossing_.size(), 0);
  for (std::size_t arc = 0; arc < kept_.size(); ++arc) {
    const std::int32_t component = component_of_[kept_arcs_[arc]];
    if (component == kNoPlane) continue;
    members[component].push_back(kept_arcs_[arc]);
    odd[component] = !components_.two_planes_suffice(components_.component(arc));
  }
  bool any = false;
  for (std::size_t component = 0; component < members.size(); ++component) {
    if (stacks > 1 && !odd[component]) continue;
    std::vector<Arc> drawn;
    for (const std::int32_t arc : members[component]) drawn.push_back(arcs[arc]);
    if (stacks > 2 && colourable(drawn, nodes, stacks)) continue;
    const std::vector<std::uint8_t> lost = arcs_to_give_up(drawn, nodes, stacks);
    for (std::size_t arc = 0; arc < drawn.size(); ++arc) {
      if (lost[arc]) planes[members[component][arc]] = kNoPlane;
    }
    any = true;
  }
  return any;
}

void PlaneChoice::colour(std::size_t arcs, std::int32_t nodes, std::int32_t stacks) {
  colour_of_.assign(arcs, 0);
  std::vector<std::int32_t> colours(kept_.size());
  if (stacks > 2) finder_.find(kept_, nodes, kColouringBudget, colours);
  for (std::size_t arc = 0; arc < kept_.size(); ++arc) {
    colour_of_[kept_arcs_[arc]] = stacks > 2 ? colours[arc] : components_.colour(arc);
  }
}

void PlaneChoice::list_events(std::span<const Arc> arcs, std::int32_t nodes, std::span<const std::int32_t> planes) {
  arcs_into_.resize(static_cast<std::size_t>(nodes));
  for (std::vector<std::int32_t>& list : arcs_into_) list.clear();
  for (std::size_t arc = 0; arc < arcs.size(); ++arc) {
    if (planes[arc] != kNoPlane) arcs_into_[arcs[arc].right].push_back(arc);
  }
  for (Component& component : crossing_) component = {nodes, -1, 0, false};
  events_.clear();
  for (std::int32_t node = 0; node < nodes; ++node) {
    bool event = false;
    for (const std::int32_t arc : arcs_into_[node]) {
      if (component_of_[arc] == kNoPlane) continue;
      Component& component = crossing_[component_of_[arc]];
      event = true;
      component.first_event = std::min(component.first_event, node);
      component.last_event = node;
    }
    if (event) events_.push_back(node);
  }
}

void PlaneChoice::choose_sides() {
  states_.resize(std::max(states_.size(), events_.size() + 1));
  open_.resize(std::max(open_.size(), events_.size() + 1));
  states_[0].assign(1, State{});
  open_[0].clear();
  for (std::size_t event = 0; event < events_.size(); ++event) {
    check_interruption();
    step(event);
  }
  trace_back();
}

void PlaneChoice::step(std::size_t event) {
  const std::int32_t node = events_[event];
  std::vector<std::int32_t>& open = open_[event];
  const std::size_t open_before = open.size();
  for (const std::int32_t arc : arcs_into_[node]) {
    const std::int32_t number = component_of_[arc];
    if (number == kNoPlane || crossing_[number].first_event != node || crossing_[number].decided) continue;
    if (std::find(open.begin() + open_before, open.end(), number) != open.end()) continue;
    crossing_[number].decided = open.size() >= kMostOpen;
    if (!crossing_[number].decided) open.push_back(number);
  }
  // The planes of the arcs that end here, as far as they do not depend on the state; and on which bit they do.
  unsigned always = 0;
  std::uint64_t as_is = 0;
  std::uint64_t turned = 0;
  for (const std::int32_t arc : arcs_into_[node]) {
    if (component_of_[arc] == kNoPlane) continue;
    const auto bit = std::find(open.begin(), open.end(), component_of_[arc]);
    if (bit == open.end()) {
      always |= 1U << ((colour_of_[arc] + crossing_[component_of_[arc]].side) % 2);
    } else {
      (colour_of_[arc] == 0 ? as_is : turned) |= std::uint64_t{2} << (bit - open.begin());
    }
  }
  std::vector<State>& next = states_[event + 1];
  next.clear();
  const std::size_t fresh = open.size() - open_before;
  for (std::size_t parent = 0; parent < states_[event].size(); ++parent) {
    const State& state = states_[event][parent];
    for (std::uint64_t sides = 0; sides < (std::uint64_t{1} << std::min<std::size_t>(fresh, 10)); ++sides) {
      const std::uint64_t bits = state.bits | (sides << (1 + open_before));
      const unsigned active = bits & 1U;
      const bool one = ((bits & as_is) != 0) || ((~bits & turned) != 0) || (always & 2U) != 0;
      const bool zero = ((~bits & as_is) != 0) || ((bits & turned) != 0) || (always & 1U) != 0;
      const bool switched = active == 0 ? one : zero;
      const std::uint64_t after = (bits & ~std::uint64_t{1}) | (switched ? 1U - active : active);
      next.push_back({after, after, state.switches + switched, static_cast<std::int32_t>(parent)});
    }
  }
  std::vector<std::int32_t>& open_after = open_[event + 1];
  open_after.clear();
  for (State& state : next) state.bits &= 1U;
  for (std::size_t bit = 0; bit < open.size(); ++bit) {
    if (crossing_[open[bit]].last_event == node) continue;
    open_after.push_back(open[bit]);
    for (State& state : next) state.bits |= ((state.before_closing >> (1 + bit)) & 1U) << open_after.size();
  }
  keep_best(next);
}

void PlaneChoice::keep_best(std::vector<State>& states) {
  std::stable_sort(states.begin(), states.end(), [](const State& a, const State& b) {
    return a.bits != b.bits ? a.bits < b.bits : a.switches < b.switches;
  });
  const auto same = [](const State& a, const State& b) { return a.bits == b.bits; };
  states.erase(std::unique(states.begin(), states.end(), same), states.end());
  if (states.size() <= kMostChoices) return;
  std::ranges::stable_sort(states, {}, &State::switches);
  states.resize(kMostChoices);
}

void PlaneChoice::trace_back() {
  const std::vector<State>& last = states_[events_.size()];
  const auto best = std::ranges::min_element(last, {}, &State::switches);
  auto state = static_cast<std::int32_t>(best - last.begin());
  for (std::size_t event = events_.size(); event-- > 0;) {
    const State& reached = states_[event + 1][state];
    for (std::size_t bit = 0; bit < open_[event].size(); ++bit) {
      Component& component = crossing_[open_[event][bit]];
      if (component.last_event == events_[event]) {
        component.side = static_cast<std::int32_t>((reached.before_closing >> (1 + bit)) & 1U);
        component.decided = true;
      }
    }
    state = reached.parent;
  }
}

// Arcs that cross nothing are built on the stack that is active when the word comes.
void PlaneChoice::assign(std::int32_t stacks, std::span<std::int32_t> planes) {
  std::int32_t active = 0;
  for (const std::vector<std::int32_t>& arcs : arcs_into_) {
    std::int32_t farthest = 0;  // switches from the active stack on
    for (const std::int32_t arc : arcs) {
      planes[arc] = active;
      if (component_of_[arc] == kNoPlane) continue;
      Component& component = crossing_[component_of_[arc]];
      if (!component.decided) {
        component.side = (active - colour_of_[arc] + stacks) % stacks;
        component.decided = true;
      }
      planes[arc] = (colour_of_[arc] + component.side) % stacks;
      farthest = std::max(farthest, (planes[arc] - active + stacks) % stacks);
    }
    active = (active + farthest) % stacks;
  }
}

}  // namespace crossarc
