#include "transitions/oracles/plane_choice.hpp"

#include <algorithm>
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
    for (const Arc& arc : arcs) {
      ends_.push_back(arc.left);
      ends_.push_back(arc.right);
    }
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
      if (weight_[at(number(arc.left), number(arc.right))]++ == 0) {
        left_[number(arc.right)].push_back(number(arc.left));
      }
    }
    for (std::size_t right = 1; right < ends_.size(); ++right) {
      for (std::size_t left = right; left-- > 0;) {
        check_interruption(1 + static_cast<std::int32_t>(left_[right].size() / 128));
        fill(left, right);
      }
    }
    std::vector<std::uint8_t> chosen(arcs_.size(), 0);
    std::vector<std::uint8_t> drawn(ends_.size() * ends_.size(), 0);
    collect(drawn);
    for (std::size_t arc = 0; arc < arcs_.size(); ++arc) {
      chosen[arc] = drawn[at(number(arcs_[arc].left), number(arcs_[arc].right))];
    }
    return chosen;
  }

 private:
  std::size_t number(std::int32_t end) const {
    return static_cast<std::size_t>(std::lower_bound(ends_.begin(), ends_.end(), end) - ends_.begin());
  }
  std::size_t at(std::size_t left, std::size_t right) const { return left * ends_.size() + right; }

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

  void collect(std::vector<std::uint8_t>& drawn) const {
    std::vector<std::pair<std::size_t, std::size_t>> spans{{0, ends_.size() - 1}};
    while (!spans.empty()) {
      const auto [left, right] = spans.back();
      spans.pop_back();
      if (left >= right) continue;
      drawn[at(left, right)] = weight_[at(left, right)] > 0;
      const auto split = static_cast<std::size_t>(split_[at(left, right)]);
      if (split == right) {
        spans.emplace_back(left, right - 1);
      } else {
        spans.emplace_back(left, split);
        spans.emplace_back(split, right);
      }
    }
  }

  std::vector<std::uint8_t> shortest_first() const {
    std::vector<std::size_t> order(arcs_.size());
    for (std::size_t arc = 0; arc < order.size(); ++arc) order[arc] = arc;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return arcs_[a].right - arcs_[a].left < arcs_[b].right - arcs_[b].left;
    });
    std::vector<std::uint8_t> chosen(arcs_.size(), 0);
    std::vector<std::size_t> taken;
    for (const std::size_t arc : order) {
      check_interruption(1 + static_cast<std::int32_t>(taken.size() / 128));
      if (std::any_of(taken.begin(), taken.end(), [&](std::size_t other) { return cross(arcs_[arc], arcs_[other]); })) {
        continue;
      }
      chosen[arc] = 1;
      taken.push_back(arc);
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
  std::vector<std::int32_t>& number = arc_starts_;  // of the component that an arc stands for
  number.assign(kept_.size(), kNoPlane);
  std::vector<std::int32_t>& size = arcs_by_end_;
  size.assign(kept_.size(), 0);
  for (std::size_t arc = 0; arc < kept_.size(); ++arc) ++size[components_.component(static_cast<std::int32_t>(arc))];
  component_of_.assign(arcs.size(), kNoPlane);
  found_.clear();
  for (std::size_t arc = 0; arc < kept_.size(); ++arc) {
    const std::int32_t stands = components_.component(static_cast<std::int32_t>(arc));
    if (size[stands] == 1) continue;
    if (number[stands] == kNoPlane) {
      number[stands] = static_cast<std::int32_t>(found_.size());
      found_.push_back({});
    }
    component_of_[kept_arcs_[arc]] = number[stands];
  }
  return !found_.empty();
}

// True if some arcs were given up.
bool PlaneChoice::give_up(std::span<const Arc> arcs, std::int32_t nodes, std::int32_t stacks,
                          std::span<std::int32_t> planes) {
  std::vector<std::vector<std::int32_t>> members(found_.size());
  std::vector<std::uint8_t> odd(found_.size(), 0);
  for (std::size_t arc = 0; arc < kept_.size(); ++arc) {
    const std::int32_t component = component_of_[kept_arcs_[arc]];
    if (component == kNoPlane) continue;
    members[component].push_back(kept_arcs_[arc]);
    odd[component] = !components_.two_planes_suffice(components_.component(static_cast<std::int32_t>(arc)));
  }
  bool any = false;
  for (std::size_t component = 0; component < members.size(); ++component) {
    if (stacks > 1 && !odd[component]) continue;
    std::vector<Arc> own;
    for (const std::int32_t arc : members[component]) own.push_back(arcs[arc]);
    if (stacks > 2 && colourable(own, nodes, stacks)) continue;
    const std::vector<std::uint8_t> lost = arcs_to_give_up(own, nodes, stacks);
    for (std::size_t arc = 0; arc < own.size(); ++arc) {
      if (lost[arc]) planes[members[component][arc]] = kNoPlane;
    }
    any = true;
  }
  return any;
}

void PlaneChoice::colour(std::size_t arcs, std::int32_t nodes, std::int32_t stacks) {
  colour_of_.assign(arcs, 0);
  if (stacks == 2) {
    for (std::size_t arc = 0; arc < kept_.size(); ++arc) {
      colour_of_[kept_arcs_[arc]] = components_.colour(static_cast<std::int32_t>(arc));
    }
    return;
  }
  std::vector<std::int32_t> colours(kept_.size());
  finder_.find(kept_, nodes, kColouringBudget, colours);
  for (std::size_t arc = 0; arc < kept_.size(); ++arc) colour_of_[kept_arcs_[arc]] = colours[arc];
}

void PlaneChoice::list_events(std::span<const Arc> arcs, std::int32_t nodes, std::span<const std::int32_t> planes) {
  arc_starts_.assign(static_cast<std::size_t>(nodes) + 1, 0);
  arcs_by_end_.clear();
  for (std::size_t arc = 0; arc < arcs.size(); ++arc) {
    if (planes[arc] != kNoPlane) ++arc_starts_[arcs[arc].right + 1];
  }
  for (std::size_t node = 1; node < arc_starts_.size(); ++node) arc_starts_[node] += arc_starts_[node - 1];
  arcs_by_end_.resize(static_cast<std::size_t>(arc_starts_.back()));
  std::vector<std::int32_t> next(arc_starts_.begin(), arc_starts_.end() - 1);
  for (std::size_t arc = 0; arc < arcs.size(); ++arc) {
    if (planes[arc] != kNoPlane) arcs_by_end_[next[arcs[arc].right]++] = static_cast<std::int32_t>(arc);
  }
  for (Component& component : found_) component = {nodes, -1, 0, false};
  events_.clear();
  for (std::int32_t node = 0; node < nodes; ++node) {
    bool event = false;
    for (std::int32_t place = arc_starts_[node]; place < arc_starts_[node + 1]; ++place) {
      const std::int32_t number = component_of_[arcs_by_end_[place]];
      if (number == kNoPlane) continue;
      event = true;
      found_[number].first_event = std::min(found_[number].first_event, node);
      found_[number].last_event = node;
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
  for (std::int32_t place = arc_starts_[node]; place < arc_starts_[node + 1]; ++place) {
    const std::int32_t number = component_of_[arcs_by_end_[place]];
    if (number == kNoPlane || found_[number].first_event != node || found_[number].decided) continue;
    if (std::find(open.begin() + static_cast<std::ptrdiff_t>(open_before), open.end(), number) != open.end()) continue;
    found_[number].decided = open.size() >= kMostOpen;
    if (!found_[number].decided) open.push_back(number);
  }
  // The planes of the arcs that end here, as far as they do not depend on the state; and on which bit they do.
  unsigned always = 0;
  std::uint64_t as_is = 0;
  std::uint64_t turned = 0;
  for (std::int32_t place = arc_starts_[node]; place < arc_starts_[node + 1]; ++place) {
    const std::int32_t arc = arcs_by_end_[place];
    if (component_of_[arc] == kNoPlane) continue;
    const auto bit = std::find(open.begin(), open.end(), component_of_[arc]);
    if (bit == open.end()) {
      always |= 1U << ((colour_of_[arc] + found_[component_of_[arc]].side) % 2);
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
  for (const std::int32_t number : open) {
    if (found_[number].last_event != node) open_after.push_back(number);
  }
  for (State& state : next) {
    state.bits &= 1U;
    std::size_t place = 0;
    for (std::size_t bit = 0; bit < open.size(); ++bit) {
      if (found_[open[bit]].last_event == node) continue;
      state.bits |= ((state.before_closing >> (1 + bit)) & 1U) << (1 + place++);
    }
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
  std::stable_sort(states.begin(), states.end(),
                   [](const State& a, const State& b) { return a.switches < b.switches; });
  states.resize(kMostChoices);
}

void PlaneChoice::trace_back() {
  const std::vector<State>& last = states_[events_.size()];
  auto best = std::min_element(last.begin(), last.end(),
                               [](const State& a, const State& b) { return a.switches < b.switches; });
  auto state = static_cast<std::int32_t>(best - last.begin());
  for (std::size_t event = events_.size(); event-- > 0;) {
    const State& reached = states_[event + 1][state];
    for (std::size_t bit = 0; bit < open_[event].size(); ++bit) {
      Component& component = found_[open_[event][bit]];
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
  for (std::size_t node = 0; node + 1 < arc_starts_.size(); ++node) {
    std::int32_t farthest = 0;  // switches from the active stack on
    for (std::int32_t place = arc_starts_[node]; place < arc_starts_[node + 1]; ++place) {
      const std::int32_t arc = arcs_by_end_[place];
      planes[arc] = active;
      if (component_of_[arc] == kNoPlane) continue;
      Component& component = found_[component_of_[arc]];
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
