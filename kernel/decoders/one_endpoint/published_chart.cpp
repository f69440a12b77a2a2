#include "decoders/one_endpoint/published_chart.hpp"

#include <algorithm>

#include "core/threads.hpp"
#include "core/vector_path.hpp"

namespace crossarc {

using namespace published;

namespace {

constexpr std::size_t kVector = 8;  // values that a row is rounded up to

}  // namespace

template <typename Score>
Score PublishedChart<Score>::fill(const IncomingScores& scores) {
  if (scores.words() == 0) return 0;
  allocate(scores.words());
  load(scores);
  for (std::int32_t i = words_; i >= 0; --i) {
    intervals_[i * width_ + i] = {0, -std::numeric_limits<Score>::infinity(), -std::numeric_limits<Score>::infinity()};
    for (std::int32_t j = i + 1; j <= words_; ++j) {
      check_interruption();
      fill_interval(i, j);
    }
  }
  return interval(0, words_).int01;
}

template <typename Score>
void PublishedChart<Score>::allocate(std::int32_t words) {
  constexpr Score kNone = -std::numeric_limits<Score>::infinity();
  words_ = words;
  width_ = static_cast<std::size_t>(words) + 1;
  stride_ = (width_ + kVector - 1) / kVector * kVector;
  outgoing_.assign(width_ * stride_, kNone);
  incoming_.assign(width_ * stride_, kNone);
  intervals_.resize(width_ * width_);
  const std::size_t triangles = width_ * (width_ - 1) / 2;
  check_chart_size(words, triangles * (std::size_t{kRows} + std::size_t{kTables}) * stride_ * sizeof(Score));
  rows_.resize(triangles * kRows * stride_);
  right_.resize(triangles * kTables * stride_);
  left_.assign(width_ * kTables * stride_, kNone);
  left_lr0_.resize(width_);
  left_lr1_.resize(width_);
  right_lr1_.resize(width_ * width_);
  best0_.resize(stride_);
  best1_.resize(stride_);
}

template <typename Score>
void PublishedChart<Score>::load(const IncomingScores& scores) {
  lowest_.assign(width_, words_);
  highest_.assign(width_, 0);
  for (std::int32_t dependent = 0; dependent <= words_; ++dependent) {
    for (std::int32_t head = 0; head <= words_; ++head) {
      const auto value = static_cast<Score>(scores.at(head, dependent));
      outgoing_[head * stride_ + dependent] = value;
      incoming_[dependent * stride_ + head] = value;
      if (value == -std::numeric_limits<Score>::infinity()) continue;
      lowest_[head] = std::min(lowest_[head], dependent);
      lowest_[dependent] = std::min(lowest_[dependent], head);
      highest_[head] = std::max(highest_[head], dependent);
      highest_[dependent] = std::max(highest_[dependent], head);
    }
  }
}

template <typename Score>
void PublishedChart<Score>::fill_interval(std::int32_t i, std::int32_t j) {
  fill_left_tables(i, j);
  fill_right_tables(i, j);
#if CROSSARC_WIDE_PATHS
  if (vector_path() >= VectorPath::kAvx2) return fill_avx2(i, j);
#endif
  fill_baseline(i, j);
}

template <typename Score>
void PublishedChart<Score>::fill_baseline(std::int32_t i, std::int32_t j) {
  fill_int(i, j);
  fill_rows(i, j);
}

#if CROSSARC_WIDE_PATHS
template <typename Score>
__attribute__((target("avx2"))) void PublishedChart<Score>::fill_avx2(std::int32_t i, std::int32_t j) {
  fill_int(i, j);
  fill_rows(i, j);
}
#endif

// For the arc i → y crossed by edges of m > y, whose other ends cross nothing beyond (kCrossedFromBeyond, with the head
// of m on this side, or kBeyondHead, with its head further right), and for the arc i → m crossed by edges of y < m:
// those of y that go beyond m cross edges of m only (the first three rows again) or edges of i (the last two).
template <typename Score>
void PublishedChart<Score>::fill_left_tables(std::int32_t i, std::int32_t m) {
  Score lr0 = -std::numeric_limits<Score>::infinity();
  Score lr1 = lr0;
  const Score to_m = score(i, m);
  for (std::int32_t y = i + 1; y < m; ++y) {
    const Interval<Score>& ym = interval(y, m);
    const Interval<Score>& iy = interval(i, y);
    const Score to_y = score(i, y);
    const Score r000 = row_value(kR000, i, y, m);
    const Score l000 = row_value(kL000, y, m, i);
    const Score beyond = to_y + larger(row_value(kR001, i, y, m) + ym.int00, r000 + ym.int01);
    const Score inner = to_m + larger(row_value(kR010, i, y, m) + ym.int00, r000 + ym.int10);
    left_table(kCrossedFromBeyond, m)[y] = larger(beyond, inner);
    left_table(kBeyondHead, m)[y] = to_y + (r000 + ym.int00);
    left_table(kInnerHead, m)[y] = to_m + (r000 + ym.int00);
    left_table(kCrossedInside, m)[y] = to_m + larger(iy.int01 + l000, iy.int00 + row_value(kL100, y, m, i));
    left_table(kInsideHead, m)[y] = to_m + (iy.int00 + l000);
    const Score lr_without = row_value(kLR0, i, y, m);
    lr0 = larger(lr0, to_y + (lr_without + ym.int00));
    lr1 = larger(lr1, to_y + larger(row_value(kLR1, i, y, m) + ym.int00, lr_without + ym.int01));
  }
  left_lr0_[m] = lr0;
  left_lr1_[m] = lr1;
}

// The same mirrored, for arcs from j, with y between m and j.
template <typename Score>
void PublishedChart<Score>::fill_right_tables(std::int32_t m, std::int32_t j) {
  Score lr1 = -std::numeric_limits<Score>::infinity();
  const Score to_m = score(j, m);
  for (std::int32_t y = m + 1; y < j; ++y) {
    const Interval<Score>& my = interval(m, y);
    const Interval<Score>& yj = interval(y, j);
    const Score to_y = score(j, y);
    const Score l000 = row_value(kL000, y, j, m);
    const Score r000 = row_value(kR000, m, y, j);
    const Score beyond = to_y + larger(row_value(kL001, y, j, m) + my.int00, l000 + my.int10);
    const Score inner = to_m + larger(row_value(kL100, y, j, m) + my.int00, l000 + my.int01);
    right_table(kCrossedFromBeyond, m, j)[y] = larger(beyond, inner);
    right_table(kBeyondHead, m, j)[y] = to_y + (l000 + my.int00);
    right_table(kInnerHead, m, j)[y] = to_m + (l000 + my.int00);
    right_table(kCrossedInside, m, j)[y] = to_m + larger(yj.int10 + r000, yj.int00 + row_value(kR010, m, y, j));
    right_table(kInsideHead, m, j)[y] = to_m + (yj.int00 + r000);
    const Score lr_without = row_value(kLR0, y, j, m);
    lr1 = larger(lr1, to_y + larger(row_value(kLR1, y, j, m) + my.int00, lr_without + my.int10));
  }
  right_lr1_[m * width_ + j] = lr1;
}

template <typename Score>
CROSSARC_INLINE void PublishedChart<Score>::fill_int(std::int32_t i, std::int32_t j) {
  constexpr Score kNone = -std::numeric_limits<Score>::infinity();
  Score int00 = j == i + 1 ? 0 : interval(i + 1, j).int10;
  Score int01 = kNone;
  Score int10 = kNone;
  Score* best0 = best0_.data();
  Score* best1 = best1_.data();
  std::fill_n(best0 + i, j - i + 1, kNone);
  std::fill_n(best1 + i, j - i + 1, kNone);
  for (std::int32_t m = i + 1; m < j; ++m) {
    const Interval<Score>& im = interval(i, m);
    const Interval<Score>& mj = interval(m, j);
    const Score to_m = score(i, m) + im.int00;
    int00 = larger(int00, larger(to_m, left_lr1_[m]) + mj.int00);
    int01 = larger(int01, larger(to_m, left_lr1_[m]) + mj.int01);
    int00 = larger(int00, left_lr0_[m] + mj.int10);
    const Rows<Score> right = rows(m, j);
    const Score *crossed = left_table(kCrossedFromBeyond, m), *beyond = left_table(kBeyondHead, m);
    const Score *inner = left_table(kInnerHead, m), *inside = left_table(kCrossedInside, m);
    const Score* inside_head = left_table(kInsideHead, m);
    const Score *l000 = right[kL000], *l100 = right[kL100], *l010 = right[kL010], *l110 = right[kL110];
    const Score *l001 = right[kL001], *l011 = right[kL011];
    const Score *n000 = right[kN000], *n001 = right[kN001], *n010 = right[kN010], *n011 = right[kN011];
    CROSSARC_INDEPENDENT
    for (std::int32_t y = i + 1; y < m; ++y) {
      const Score with_l = larger(crossed[y] + l000[y], larger(beyond[y] + l100[y], inner[y] + l001[y]));
      const Score with_n = larger(inside[y] + n000[y], inside_head[y] + n001[y]);
      best0[y] = larger(best0[y], larger(with_l, with_n));
      const Score with_l1 = larger(crossed[y] + l010[y], larger(beyond[y] + l110[y], inner[y] + l011[y]));
      const Score with_n1 = larger(inside[y] + n010[y], inside_head[y] + n011[y]);
      best1[y] = larger(best1[y], larger(with_l1, with_n1));
    }
  }
  int00 = larger(int00, left_lr0_[j]);
  int01 = larger(int01, left_lr1_[j]);
  for (std::int32_t y = i + 1; y < j; ++y) {
    int00 = larger(int00, best0[y]);
    int01 = larger(int01, best1[y]);
  }
  int01 = larger(int01, score(i, j) + int00);
  // Mirrored, with the arc into i: from j.
  std::fill_n(best1 + i, j - i + 1, kNone);
  for (std::int32_t m = i + 1; m < j; ++m) {
    const Interval<Score>& im = interval(i, m);
    const Interval<Score>& mj = interval(m, j);
    int10 = larger(int10, larger(score(j, m) + mj.int00, right_lr1_[m * width_ + j]) + im.int10);
    const Rows<Score> left = rows(i, m);
    const Score *crossed = right_table(kCrossedFromBeyond, m, j), *beyond = right_table(kBeyondHead, m, j);
    const Score *inner = right_table(kInnerHead, m, j), *inside = right_table(kCrossedInside, m, j);
    const Score* inside_head = right_table(kInsideHead, m, j);
    const Score *r100 = left[kR100], *r110 = left[kR110], *r101 = left[kR101], *n100 = left[kN100], *n101 = left[kN101];
    CROSSARC_INDEPENDENT
    for (std::int32_t y = m + 1; y < j; ++y) {
      const Score with_r = larger(crossed[y] + r100[y], larger(beyond[y] + r110[y], inner[y] + r101[y]));
      const Score with_n = larger(inside[y] + n100[y], inside_head[y] + n101[y]);
      best1[y] = larger(best1[y], larger(with_r, with_n));
    }
  }
  for (std::int32_t y = i + 1; y < j; ++y) int10 = larger(int10, best1[y]);
  int10 = larger(int10, larger(right_lr1_[i * width_ + j], score(j, i) + int00));
  intervals_[i * width_ + j] = {int00, int10, int01};
}

template <typename Score>
CROSSARC_INLINE void PublishedChart<Score>::fill_rows(std::int32_t i, std::int32_t j) {
  const Rows<Score> result = rows(i, j);
  std::fill_n(result.data, kRows * stride_, -std::numeric_limits<Score>::infinity());
  const std::size_t left_end = (i + kVector - 1) / kVector * kVector;
  const std::size_t right_begin = std::max(left_end, (j + 1) / kVector * kVector);
  // Only an arc between i and j asks for LR.
  const bool bridged = larger(score(i, j), score(j, i)) > -std::numeric_limits<Score>::infinity();
  for (const bool on_left : {true, false}) {
    const Columns columns = on_left ? Columns{0, left_end} : Columns{right_begin, stride_};
    if (columns.begin >= columns.end) continue;
    for (std::int32_t k = i + 1; k < j; ++k) {
      const Rows<Score> left = rows(i, k);
      const Rows<Score> right = rows(k, j);
      const Interval<Score> ik = interval(i, k);
      const Interval<Score> kj = interval(k, j);
      const Score* in = incoming_.data() + k * stride_;
      const Score* out = outgoing_.data() + k * stride_;
      if (bridged) split_lr(result, left, right, columns);
      // All other rules have an arc between x and k; rounded up, the columns on the left may reach beyond j.
      const bool may_be_left = on_left && lowest_[k] < i;
      const bool may_be_right = columns.end > static_cast<std::size_t>(j) + 1 && highest_[k] > j;
      if (!may_be_left && !may_be_right) continue;
      split_n(result, left, right, ik, kj, in, out, columns);
      split_side<Side<false>>(result, left, right, static_cast<std::size_t>(i), ik, kj, in, out, columns);
      split_side<Side<true>>(result, right, left, static_cast<std::size_t>(j), kj, ik, in, out, columns);
    }
    const Interval<Score> own = interval(i, j);
    const Score *in_i = incoming_.data() + i * stride_, *in_j = incoming_.data() + j * stride_;
    const Score *out_i = outgoing_.data() + i * stride_, *out_j = outgoing_.data() + j * stride_;
    finish_n(result, own, in_i, in_j, out_i, out_j, columns);
    finish_side<Side<false>>(result, own, in_i, in_j, out_i, out_j, columns);
    finish_side<Side<true>>(result, own, in_j, in_i, out_j, out_i, columns);
    finish_lr(result, columns);
  }
}

template class PublishedChart<float>;
template class PublishedChart<double>;

}  // namespace crossarc
