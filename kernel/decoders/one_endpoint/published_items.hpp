// The items of the published program (2013 TACL, Section 4 and Appendix A): which sub-problems there are, and where the
// values of one interval [i, j] stand, one row over the exterior point x for each. A boolean says whether the item
// contains the arc into i, j or x (in this order: kN011 has those into j and x); AFromB, that A descends from B.
#pragma once

#include <cstdint>

namespace crossarc::published {

enum Row : int {
  kLR0,
  kLR1,  // x's edges are crossed by edges of i or of j; arc into x or not
  kN000,
  kN100,
  kN010,
  kN110,
  kN001,
  kN101,
  kN011,  // x's edges are not crossed inside
  kNXFromI,
  kNXFromJ,
  kNIFromX,
  kNJFromX,  //
  kL000,
  kL100,
  kL010,
  kL110,
  kL001,
  kL011,  // x's edges are crossed by edges of i
  kLXFromI,
  kLIFromX,
  kLJFromX,
  kLJFromI,  //
  kR000,
  kR100,
  kR010,
  kR110,
  kR001,
  kR101,  // by edges of j
  kRXFromJ,
  kRJFromX,
  kRIFromX,
  kRIFromJ,  //
  kRows,
  kInt00 = kRows,
  kInt10,
  kInt01,  // no exterior point
  kItems
};

// L and R are mirror images: what one says of i, the other says of j. "Near" is the end whose edges may cross.
template <bool kMirrored>
struct Side {
  static constexpr int k000 = kMirrored ? kR000 : kL000;
  static constexpr int k100 = kMirrored ? kR010 : kL100;  // the arc into the near end
  static constexpr int k010 = kMirrored ? kR100 : kL010;
  static constexpr int k110 = kMirrored ? kR110 : kL110;
  static constexpr int k001 = kMirrored ? kR001 : kL001;
  static constexpr int k011 = kMirrored ? kR101 : kL011;
  static constexpr int kXFromNear = kMirrored ? kRXFromJ : kLXFromI;
  static constexpr int kNearFromX = kMirrored ? kRJFromX : kLIFromX;
  static constexpr int kFarFromX = kMirrored ? kRIFromX : kLJFromX;
  static constexpr int kFarFromNear = kMirrored ? kRIFromJ : kLJFromI;
  static constexpr int kN100 = kMirrored ? published::kN010 : published::kN100;
  static constexpr int kN010 = kMirrored ? published::kN100 : published::kN010;
  static constexpr int kN110 = published::kN110;
  static constexpr int kN011 = kMirrored ? published::kN101 : published::kN011;
  static constexpr int kNXFromNear = kMirrored ? published::kNXFromJ : published::kNXFromI;
  static constexpr int kNNearFromX = kMirrored ? published::kNJFromX : published::kNIFromX;
  static constexpr int kNFarFromX = kMirrored ? published::kNIFromX : published::kNJFromX;
  static constexpr int kInt10 = kMirrored ? published::kInt01 : published::kInt10;
  static constexpr int kInt01 = kMirrored ? published::kInt10 : published::kInt01;
};

}  // namespace crossarc::published
