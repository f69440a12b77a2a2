#include "transitions/oracles/plane_loss.hpp"

#include <algorithm>
#include <utility>

#include "structure/arcs.hpp"

namespace crossarc {
namespace {

constexpr std::size_t kMostCrossings = 4096;
constexpr std::uint8_t kBoth = 3;

}  // namespace

bool PlaneLoss::start(const Gold& gold) {
  const auto arcs = static_cast<std::int32_t>(gold.arcs().size());
  drawn_.clear();
  for (std::int32_t arc = 0; arc < arcs; ++arc) drawn_.push_back(gold.drawn(arc));
  const std::vector<std::pair<std::int32_t, std::int32_t>> pairs = find_crossings(drawn_, gold.nodes());
  starts_.assign(static_cast<std::size_t>(arcs) + 1, 0);
  for (const auto& [a, b] : pairs) {
    ++starts_[a];
    ++starts_[b];
  }
  crossed_.clear();
  std::int32_t end = 0;
  for (std::int32_t arc = 0; arc <= arcs; ++arc) {
    if (starts_[arc] > 0) crossed_.push_back(arc);
    starts_[arc] = end += starts_[arc];
  }
  others_.resize(static_cast<std::size_t>(end));
  for (const auto& [a, b] : pairs) {
    others_[--starts_[a]] = b;
    others_[--starts_[b]] = a;
  }
  return pairs.size() <= kMostCrossings;
}

std::int32_t PlaneLoss::count(const Configuration& configuration, std::span<const std::uint8_t> in_reach) {
  if (crossed_.empty()) return 0;
  stacks_.assign(drawn_.size(), 0);
  colour_.assign(drawn_.size(), 0);
  for (const std::int32_t arc : crossed_) {
    if (!in_reach[arc]) continue;
    const std::int32_t left = drawn_[arc].left;
    if (configuration.in_buffer(left)) {
      stacks_[arc] = kBoth;
      continue;
    }
    for (std::int32_t number = 0; number < 2; ++number) {
      const std::span<const std::int32_t> stack = configuration.stack(number);
      if (std::binary_search(stack.begin(), stack.end(), left)) stacks_[arc] |= static_cast<std::uint8_t>(1 << number);
    }
  }
  std::int32_t lost = 0;
  for (const std::int32_t arc : crossed_) {
    if (stacks_[arc] == 0 || colour_[arc] != 0) continue;
    if (colourable_from(arc, 1)) continue;
    for (const std::int32_t one : found_) colour_[one] = 0;
    lost += !colourable_from(arc, 2);
  }
  return lost;
}

// Colours the whole component of an arc, even if that does not succeed.
bool PlaneLoss::colourable_from(std::int32_t arc, std::uint8_t colour) {
  found_.assign(1, arc);
  colour_[arc] = colour;
  bool possible = true;
  for (std::size_t next = 0; next < found_.size(); ++next) {
    const std::int32_t one = found_[next];
    possible &= (stacks_[one] & colour_[one]) != 0;
    for (const std::int32_t other : crossing(one)) {
      if (stacks_[other] == 0) continue;
      possible &= colour_[other] != colour_[one];
      if (colour_[other] != 0) continue;
      colour_[other] = kBoth - colour_[one];
      found_.push_back(other);
    }
  }
  return possible;
}

}  // namespace crossarc
