// Arcs as they are drawn over the sentence, and which of them cross: what matters is where an arc begins and ends, not
// where it points. All pairs are found in a sweep from left to right: O(n + m + c) for m arcs and c crossings,
// which may be as many as m²/2.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/threads.hpp"

namespace crossarc {

struct Arc {
  std::int32_t left = 0;
  std::int32_t right = 0;
};

inline Arc arc_between(std::int32_t head, std::int32_t dependent) {
  return head < dependent ? Arc{head, dependent} : Arc{dependent, head};
}

// Exactly one endpoint of one lies strictly inside the other (2010, Section 2.3; 2013 TACL, Definition 1).
inline bool cross(const Arc& a, const Arc& b) {
  return (a.left < b.left && b.left < a.right && a.right < b.right) ||
         (b.left < a.left && a.left < b.right && b.right < a.right);
}

// A sweep over the sentence from left to right that opens every arc at its left end and closes it at its right end.
// When an arc is closed, the arcs that were opened after it and are still open are those that cross it from the right,
// so every crossing is met once. O(n + m) beside what is done on closing. Keeps its memory from sentence to sentence.
class ArcSweep {
 public:
  static constexpr std::int32_t kNone = -1;

  // Calls close(arc) for every arc in the order of closing, while it is still in the list of open arcs.
  template <typename Close>
  void run(std::span<const Arc> arcs, std::int32_t last_position, Close&& close) {
    sort(arcs, last_position);
    next_.assign(arcs.size(), kNone);
    previous_.assign(arcs.size(), kNone);
    last_open_ = kNone;
    std::size_t opened = 0;
    for (const std::int32_t arc : closing_) {
      for (; opened < opening_.size() && arcs[opening_[opened]].left < arcs[arc].right; ++opened) {
        open(opening_[opened]);
      }
      close(arc);
      remove(arc);
    }
  }

  // The open arcs around an open arc, in the order of opening.
  std::int32_t next(std::int32_t arc) const { return next_[arc]; }
  std::int32_t previous(std::int32_t arc) const { return previous_[arc]; }

  // By left end; the longer first of those that begin together.
  std::span<const std::int32_t> opening_order() const { return opening_; }

 private:
  void sort(std::span<const Arc> arcs, std::int32_t last_position) {
    // Each pass reads the one before backwards and is stable: by right end; by left end, the longer arcs first, which
    // is the opening order; by right end again, so that arcs which end together close in the reverse of that order.
    opening_.resize(arcs.size());
    closing_.resize(arcs.size());
    for (std::size_t arc = 0; arc < arcs.size(); ++arc) closing_[arc] = static_cast<std::int32_t>(arc);
    bucket(arcs, last_position, closing_, opening_, &Arc::right);
    bucket(arcs, last_position, opening_, closing_, &Arc::left);
    opening_.swap(closing_);
    bucket(arcs, last_position, opening_, closing_, &Arc::right);
  }

  // Stable counting sort of `from`, read backwards, into `to`.
  void bucket(std::span<const Arc> arcs, std::int32_t last_position, const std::vector<std::int32_t>& from,
              std::vector<std::int32_t>& to, std::int32_t Arc::* key) {
    starts_.assign(static_cast<std::size_t>(last_position) + 2, 0);
    for (const Arc& arc : arcs) ++starts_[arc.*key + 1];
    for (std::size_t position = 1; position < starts_.size(); ++position) starts_[position] += starts_[position - 1];
    for (auto arc = from.rbegin(); arc != from.rend(); ++arc) to[starts_[arcs[*arc].*key]++] = *arc;
  }

  void open(std::int32_t arc) {
    previous_[arc] = last_open_;
    if (last_open_ != kNone) next_[last_open_] = arc;
    last_open_ = arc;
  }

  void remove(std::int32_t arc) {
    const std::int32_t before = previous_[arc];
    const std::int32_t after = next_[arc];
    if (before != kNone) next_[before] = after;
    if (after != kNone) {
      previous_[after] = before;
    } else {
      last_open_ = before;
    }
  }

  std::vector<std::int32_t> opening_;
  std::vector<std::int32_t> closing_;
  std::vector<std::int32_t> starts_;
  std::vector<std::int32_t> next_;
  std::vector<std::int32_t> previous_;
  std::int32_t last_open_ = kNone;
};

// All pairs of arcs that cross, by their numbers; the arc that begins further to the left is first in its pair, and
// pairs are in that order too. O(n + m + crossings).
inline std::vector<std::pair<std::int32_t, std::int32_t>> find_crossings(std::span<const Arc> arcs,
                                                                         std::int32_t last_position) {
  std::vector<std::pair<std::int32_t, std::int32_t>> found;      // in the order in which the first ones close
  std::vector<std::size_t> ends(arcs.size(), 0), begins = ends;  // of the pairs of each arc
  ArcSweep sweep;
  sweep.run(arcs, last_position, [&](std::int32_t arc) {
    begins[arc] = found.size();
    for (std::int32_t other = sweep.next(arc); other != ArcSweep::kNone; other = sweep.next(other)) {
      check_interruption(1);
      found.emplace_back(arc, other);
    }
    ends[arc] = found.size();
  });
  std::vector<std::pair<std::int32_t, std::int32_t>> pairs;
  pairs.reserve(found.size());
  for (const std::int32_t arc : sweep.opening_order()) {
    check_interruption(1);
    pairs.insert(pairs.end(), found.begin() + static_cast<std::ptrdiff_t>(begins[arc]),
                 found.begin() + static_cast<std::ptrdiff_t>(ends[arc]));
  }
  return pairs;
}

}  // namespace crossarc
