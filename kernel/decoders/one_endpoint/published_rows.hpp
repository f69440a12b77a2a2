// The items of the published program (2013 TACL, Section 4 and Appendix A): which sub-problems there are, and where the
// values of one interval [i, j] stand, one row over the exterior point x for each. A boolean says whether the item
// contains the arc into i, j or x (in this order: kN011 has those into j and x); AFromB, that A descends from B.
//
// And its inner loops: for one split k of one interval, all exterior points x at once. What
// depends on (i, k, j) alone is a number; what depends on x is a row, so a rule is out[x] = max(out[x], arc[x] + row[x]
// + number) and the loop runs over neighbours in memory. Everything here is inlined into functions that are compiled
// for several instruction sets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/compiler.hpp"

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

template <typename Score>
CROSSARC_INLINE Score larger(Score a, Score b) {
  return a > b ? a : b;
}

// The exterior points of an interval, widened to whole vectors: what lies between is computed and never read.
struct Columns {
  std::size_t begin;
  std::size_t end;
};

// The rows of an interval.
template <typename Score>
struct Rows {
  Score* data;
  std::size_t stride;
  CROSSARC_INLINE Score* operator[](int row) const { return data + row * stride; }
  CROSSARC_INLINE Score at(int row, std::size_t x) const { return data[row * stride + x]; }
};

// The three values of an interval without exterior point.
template <typename Score>
struct Interval {
  Score int00;
  Score int10;
  Score int01;
  CROSSARC_INLINE Score get(int item) const { return item == kInt10 ? int10 : int01; }
};

// N, split at k: in[x] is the arc from x to k, out[x] the arc from k to x.
template <typename Score>
CROSSARC_INLINE void split_n(Rows<Score> result, Rows<Score> left, Rows<Score> right, Interval<Score> ik,
                             Interval<Score> kj, const Score* in, const Score* out, Columns columns) {
  const Score *left000 = left[kN000], *left100 = left[kN100], *left_xi = left[kNXFromI];
  const Score *right_xj = right[kNXFromJ], *right010 = right[kN010];
  Score *n000 = result[kN000], *n100 = result[kN100], *n010 = result[kN010], *n110 = result[kN110];
  Score *n001 = result[kN001], *n101 = result[kN101], *n011 = result[kN011];
  Score *xi = result[kNXFromI], *xj = result[kNXFromJ], *jx = result[kNJFromX];
  const Score both01 = ik.int01 + kj.int01, both10 = ik.int10 + kj.int10;
  const Score xi_end = ik.int01 + kj.int00, xj_end = kj.int10 + ik.int00;
  CROSSARC_INDEPENDENT
  for (std::size_t x = columns.begin; x < columns.end; ++x) {
    const Score into = in[x], from = out[x];
    n000[x] = larger(n000[x], into + (left000[x] + kj.int00));
    n100[x] = larger(n100[x], into + (left100[x] + kj.int00));
    n010[x] = larger(n010[x], into + (left000[x] + kj.int01));
    n110[x] = larger(n110[x], into + (left100[x] + kj.int01));
    n001[x] = larger(n001[x], from + (left000[x] + kj.int10));
    n011[x] = larger(n011[x], larger(into + (left_xi[x] + kj.int01), from + both01));
    n101[x] = larger(n101[x], larger(into + (right_xj[x] + ik.int10), from + both10));
    xi[x] = larger(xi[x], larger(into + (left_xi[x] + kj.int00), from + xi_end));
    xj[x] = larger(xj[x], larger(into + (right_xj[x] + ik.int00), from + xj_end));
    jx[x] = larger(jx[x], into + (right010[x] + ik.int00));
  }
}

// L, or R mirrored, split at k. `near` holds the rows of the interval from the near end to k; `other` the rows of the
// interval from k to the far end, of which the column of the near end is needed; near_int and far_int belong to both.
template <typename S, typename Score>
CROSSARC_INLINE void split_side(Rows<Score> result, Rows<Score> near, Rows<Score> other, std::size_t near_end,
                                Interval<Score> near_int, Interval<Score> far_int, const Score* in, const Score* out,
                                Columns columns) {
  const auto at = [&](int row) CROSSARC_INLINE_LAMBDA { return other.at(row, near_end); };
  const Score near01 = near_int.get(S::kInt01), near10 = near_int.get(S::kInt10);
  const Score far01 = far_int.get(S::kInt01), near00 = near_int.int00;
  const Score n000 = at(kN000), n100 = at(S::kN100), n010 = at(S::kN010), n110 = at(S::kN110), n001 = at(kN001),
              n011 = at(S::kN011), n_xn = at(S::kNXFromNear), n_nx = at(S::kNNearFromX), n_fx = at(S::kNFarFromX);
  const Score s000 = near00 + at(S::k000), s010 = near00 + at(S::k010);
  const Score s100 = larger(near10 + at(S::k000), near00 + at(S::k001));
  const Score s110 = larger(near10 + at(S::k010), near00 + at(S::k011));
  const Score s001 = larger(near01 + at(S::k000), near00 + at(S::k100));
  const Score s011 = larger(near01 + at(S::k010), near00 + at(S::k110));
  const Score s_xn = larger(near01 + at(S::k000), near00 + at(S::kNearFromX));
  const Score s_nx = larger(near10 + at(S::k000), near00 + at(S::kXFromNear));
  const Score s_fx = near00 + at(S::kFarFromNear), s_fn = near00 + at(S::kFarFromX);
  const Score *a000 = near[S::k000], *a100 = near[S::k100], *a_xn = near[S::kXFromNear], *a_fn = near[S::kFarFromNear];
  Score *r000 = result[S::k000], *r100 = result[S::k100], *r010 = result[S::k010], *r110 = result[S::k110];
  Score *r001 = result[S::k001], *r011 = result[S::k011], *r_xn = result[S::kXFromNear];
  Score *r_nx = result[S::kNearFromX], *r_fx = result[S::kFarFromX], *r_fn = result[S::kFarFromNear];
  CROSSARC_INDEPENDENT
  for (std::size_t x = columns.begin; x < columns.end; ++x) {
    const Score into = in[x], from = out[x];
    const Score part000 = a000[x], part100 = a100[x], part_xn = a_xn[x], part_fn = a_fn[x];
    r000[x] = larger(r000[x], into + larger(part000 + n000, s000));
    r010[x] = larger(r010[x], into + larger(part000 + n010, s010));
    r100[x] = larger(r100[x], into + larger(larger(part100 + n000, part000 + n001), s100));
    r110[x] = larger(r110[x], into + larger(larger(part100 + n010, part000 + n011), s110));
    r001[x] =
        larger(r001[x], larger(into + (part_xn + n000), from + larger(larger(part_fn + n000, part000 + n100), s001)));
    r011[x] =
        larger(r011[x], larger(into + (part_xn + n010), from + larger(larger(part_fn + n010, part000 + n110), s011)));
    r_xn[x] =
        larger(r_xn[x], larger(into + (part_xn + n000), from + larger(larger(part_fn + n000, part000 + n_nx), s_xn)));
    r_nx[x] = larger(r_nx[x], into + larger(larger(part100 + n000, part000 + n_xn), s_nx));
    r_fx[x] = larger(r_fx[x], into + larger(part000 + far01, s_fx));
    r_fn[x] = larger(r_fn[x], into + larger(part000 + n_fx, s_fn));
  }
}

// LR, split at k. Printed, the arc into x may be on one side and the arc into k on the other without more ado, and a
// cycle through x and k results; here one of the two must not descend from the other (docs/theory).
template <typename Score>
CROSSARC_INLINE void split_lr(Rows<Score> result, Rows<Score> left, Rows<Score> right, Columns columns) {
  const Score *l000 = left[kL000], *l010 = left[kL010], *l001 = left[kL001], *l011 = left[kL011];
  const Score *l_xi = left[kLXFromI], *l_ji = left[kLJFromI];
  const Score *r000 = right[kR000], *r100 = right[kR100], *r001 = right[kR001], *r101 = right[kR101];
  const Score *r_xj = right[kRXFromJ], *r_ij = right[kRIFromJ];
  Score *lr0 = result[kLR0], *lr1 = result[kLR1];
  CROSSARC_INDEPENDENT
  for (std::size_t x = columns.begin; x < columns.end; ++x) {
    lr0[x] = larger(lr0[x], larger(l010[x] + r000[x], l000[x] + r100[x]));
    const Score same_side = larger(l011[x] + r000[x], l000[x] + r101[x]);
    const Score x_left = larger(l_xi[x] + r100[x], l001[x] + r_ij[x]);
    const Score x_right = larger(l_ji[x] + r001[x], l010[x] + r_xj[x]);
    lr1[x] = larger(lr1[x], larger(same_side, larger(x_left, x_right)));
  }
}

// After all splits: N, with the rules that have no split. in_i[x] is the arc from x to i.
template <typename Score>
CROSSARC_INLINE void finish_n(Rows<Score> result, Interval<Score> own, const Score* in_i, const Score* in_j,
                              const Score* out_i, const Score* out_j, Columns columns) {
  Score *n000 = result[kN000], *n100 = result[kN100], *n010 = result[kN010], *n110 = result[kN110];
  Score *n001 = result[kN001], *n101 = result[kN101], *n011 = result[kN011];
  Score *xi = result[kNXFromI], *xj = result[kNXFromJ], *ix = result[kNIFromX], *jx = result[kNJFromX];
  CROSSARC_INDEPENDENT
  for (std::size_t x = columns.begin; x < columns.end; ++x) {
    const Score v000 = larger(n000[x], own.int00);
    const Score split100 = n100[x];
    const Score v100 = larger(larger(split100, own.int10), in_i[x] + v000);
    const Score v010 = larger(larger(n010[x], own.int01), in_j[x] + v000);
    const Score v_xi = larger(xi[x], out_i[x] + v000);
    const Score v_xj = larger(xj[x], out_j[x] + v000);
    n000[x] = v000;
    n100[x] = v100;
    n010[x] = v010;
    n110[x] = larger(n110[x], larger(in_i[x] + v010, in_j[x] + v100));
    xi[x] = v_xi;
    xj[x] = v_xj;
    ix[x] = larger(split100, in_i[x] + v000);
    jx[x] = larger(jx[x], in_j[x] + v000);
    n001[x] = larger(n001[x], larger(v_xi, out_j[x] + v000));
    n011[x] = larger(larger(n011[x], out_i[x] + v010), larger(in_j[x] + v_xi, out_j[x] + own.int01));
    n101[x] = larger(larger(n101[x], out_j[x] + v100), larger(in_i[x] + v_xj, out_i[x] + own.int10));
  }
}

// After all splits: L, or R mirrored.
template <typename S, typename Score>
CROSSARC_INLINE void finish_side(Rows<Score> result, Interval<Score> own, const Score* in_near, const Score* in_far,
                                 const Score* out_near, const Score* out_far, Columns columns) {
  const Score own10 = own.get(S::kInt10), own01 = own.get(S::kInt01);
  Score *r000 = result[S::k000], *r100 = result[S::k100], *r010 = result[S::k010], *r110 = result[S::k110];
  Score *r001 = result[S::k001], *r011 = result[S::k011], *r_xn = result[S::kXFromNear];
  Score *r_nx = result[S::kNearFromX], *r_fx = result[S::kFarFromX], *r_fn = result[S::kFarFromNear];
  CROSSARC_INDEPENDENT
  for (std::size_t x = columns.begin; x < columns.end; ++x) {
    const Score v000 = larger(r000[x], own.int00);
    const Score v100 = larger(larger(r100[x], own10), in_near[x] + v000);
    const Score v010 = larger(larger(r010[x], own01), in_far[x] + v000);
    const Score v_xn = larger(r_xn[x], out_near[x] + v000);
    const Score v_fn = larger(r_fn[x], own01);
    r000[x] = v000;
    r100[x] = v100;
    r010[x] = v010;
    r110[x] = larger(r110[x], larger(in_near[x] + v010, in_far[x] + v100));
    r_xn[x] = v_xn;
    r_fn[x] = v_fn;
    r_nx[x] = larger(r_nx[x], in_near[x] + v000);
    r_fx[x] = larger(r_fx[x], in_far[x] + v000);
    r001[x] = larger(r001[x], larger(out_near[x], out_far[x]) + v000);
    r011[x] = larger(larger(r011[x], out_near[x] + v010), larger(in_far[x] + v_xn, out_far[x] + v_fn));
  }
}

template <typename Score>
CROSSARC_INLINE void finish_lr(Rows<Score> result, Columns columns) {
  Score *lr0 = result[kLR0], *lr1 = result[kLR1];
  const Score *l000 = result[kL000], *l001 = result[kL001], *r000 = result[kR000], *r001 = result[kR001];
  CROSSARC_INDEPENDENT
  for (std::size_t x = columns.begin; x < columns.end; ++x) {
    lr0[x] = larger(lr0[x], larger(l000[x], r000[x]));
    lr1[x] = larger(lr1[x], larger(l001[x], r001[x]));
  }
}

}  // namespace crossarc::published
