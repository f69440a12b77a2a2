#include "transitions/oracles/planar_subset.hpp"

#include <algorithm>
#include <utility>

namespace crossarc {
namespace {

// Most arcs inside [left, right] of numbered ends, each weighing as many as are drawn there.
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

  std::vector<std::uint8_t> find() {
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
      for (std::size_t left = right; left-- > 0;) fill(left, right);
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
  std::vector<std::int32_t> most_;
  std::vector<std::int32_t> split_;
  std::vector<std::vector<std::size_t>> left_;
};

}  // namespace

std::vector<std::uint8_t> largest_planar_subset(std::span<const Arc> arcs) {
  if (arcs.empty()) return {};
  return PlanarSubset(arcs).find();
}

}  // namespace crossarc
