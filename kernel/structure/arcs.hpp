// An arc as it is drawn over the sentence: what matters to crossings is where it begins and ends, not where it points.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

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

}  // namespace crossarc
