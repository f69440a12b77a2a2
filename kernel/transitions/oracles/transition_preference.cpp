#include "transitions/oracles/transition_preference.hpp"

#include "transitions/oracles/projective_order.hpp"

namespace crossarc {

void Preference::start(const Gold& gold, std::span<const std::int32_t> planes, const Program& program) {
  planes_ = planes;
  projective_order_.clear();
  if (program.swaps() && gold.forest()) projective_order_ = projective_order(gold);
}

void Preference::look_at(const Configuration& configuration, const Progress& progress) {
  active_ = configuration.active();
  const std::span<const std::int32_t> stack = configuration.active_stack();
  top_ = stack.empty() ? kNoNode : stack.back();
  below_top_ = stack.size() < 2 ? kNoNode : stack[stack.size() - 2];
  buffer_first_ = configuration.buffer_first();
  wanted_here_ = top_waits_here_ = false;
  if (planes_.empty()) return;
  if (buffer_first_ != kNoNode && progress.pending(buffer_first_) > 0) {
    for (const Gold::Neighbour& neighbour : progress.gold().neighbours(buffer_first_)) {
      if (neighbour.node > buffer_first_) break;
      wanted_here_ |= progress.open(neighbour.arc) && planes_[neighbour.arc] == active_;
      if (wanted_here_) break;
    }
  }
  if (top_ != kNoNode && progress.pending(top_) > 0) {
    const std::span<const Gold::Neighbour> neighbours = progress.gold().neighbours(top_);
    for (auto neighbour = neighbours.rbegin(); neighbour != neighbours.rend() && neighbour->node > top_; ++neighbour) {
      top_waits_here_ |= progress.open(neighbour->arc) && planes_[neighbour->arc] == active_;
      if (top_waits_here_) break;
    }
  }
}

std::int32_t Preference::rank(const Configuration& configuration, std::size_t mark, const Transition& transition,
                              std::span<const std::int32_t> arcs) const {
  enum : std::int32_t {
    kArcAndRemove,
    kArc,
    kSwapInto,
    kTake,
    kUncover,
    kSwitch,
    kOtherArc,
    kOtherSwitch,
    kRest,
    kBack
  };
  bool removed = false;
  configuration.visit_moved(mark, [&](std::int32_t node) { removed |= configuration.gone(node); });
  if (!arcs.empty()) {
    const bool elsewhere = !planes_.empty() && planes_[arcs[0]] != active_;
    return elsewhere ? kOtherArc : removed ? kArcAndRemove : kArc;
  }
  if (transition.arcs > 0) return kRest;
  if (transition.only_switch) return wanted_here_ ? kOtherSwitch : kSwitch;
  if (!projective_order_.empty()) {
    const std::int32_t came_back = configuration.buffer_first();
    if (came_back != kNoNode && came_back == below_top_ && configuration.in_buffer(below_top_)) {
      return projective_order_[top_] < projective_order_[below_top_] ? kSwapInto : kBack;
    }
  }
  if (buffer_first_ != kNoNode && !configuration.in_buffer(buffer_first_)) return kTake;
  if (top_ != kNoNode && configuration.in_buffer(top_)) return kBack;
  if (planes_.empty()) return kUncover;
  return wanted_here_ && !top_waits_here_ ? kUncover : kRest;
}

}  // namespace crossarc
