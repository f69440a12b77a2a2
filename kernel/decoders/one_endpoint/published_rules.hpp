// The rules of the published program one by one (2013 TACL, Appendix A, with LR corrected), for following a derivation
// back after the chart is filled. Mirror images are had by reflecting the line: v becomes -v, L becomes R.
#pragma once

#include <array>
#include <initializer_list>
#include <optional>

#include "decoders/one_endpoint/published_chart.hpp"

namespace crossarc {
namespace published {

inline constexpr int kNever = -1;  // an item that no derivation has

constexpr int int_item(bool bi, bool bj) { return bi ? (bj ? kNever : kInt10) : (bj ? kInt01 : kInt00); }
constexpr int lr_item(bool bx) { return bx ? kLR1 : kLR0; }
constexpr int n_item(bool bi, bool bj, bool bx) {
  if (!bx) return bi ? (bj ? kN110 : kN100) : (bj ? kN010 : kN000);
  return bi ? (bj ? kNever : kN101) : (bj ? kN011 : kN001);
}
constexpr int l_item(bool bi, bool bj, bool bx) {
  if (!bx) return bi ? (bj ? kL110 : kL100) : (bj ? kL010 : kL000);
  return bi ? kNever : (bj ? kL011 : kL001);
}
constexpr int r_item(bool bi, bool bj, bool bx) {
  if (!bx) return bi ? (bj ? kR110 : kR100) : (bj ? kR010 : kR000);
  return bj ? kNever : (bi ? kR101 : kR001);
}

constexpr std::array<int, kItems> make_mirror() {
  std::array<int, kItems> mirror{};
  for (int item = 0; item < kItems; ++item) mirror[item] = item;
  const int pairs[][2] = {{kN100, kN010},       {kN101, kN011},       {kNXFromI, kNXFromJ}, {kNIFromX, kNJFromX},
                          {kL000, kR000},       {kL100, kR010},       {kL010, kR100},       {kL110, kR110},
                          {kL001, kR001},       {kL011, kR101},       {kLXFromI, kRXFromJ}, {kLIFromX, kRJFromX},
                          {kLJFromX, kRIFromX}, {kLJFromI, kRIFromJ}, {kInt10, kInt01}};
  for (const auto& pair : pairs) {
    mirror[pair[0]] = pair[1];
    mirror[pair[1]] = pair[0];
  }
  return mirror;
}
inline constexpr std::array<int, kItems> kMirror = make_mirror();

// The booleans of N and L items that have no suffix.
struct Booleans {
  bool i;
  bool j;
  bool x;
};
constexpr Booleans booleans(int item) {
  for (int bits = 0; bits < 8; ++bits) {
    const Booleans b{(bits & 4) != 0, (bits & 2) != 0, (bits & 1) != 0};
    if (n_item(b.i, b.j, b.x) == item || l_item(b.i, b.j, b.x) == item) return b;
  }
  return {};
}

struct Part {
  int type;
  std::int32_t i;
  std::int32_t j;
  std::int32_t x = 0;
};

// One item in the frame of its rules, which may be the reflected one. emit(arc or nothing, items) gets every rule.
template <typename Emit>
class RuleList {
 public:
  RuleList(std::int32_t i, std::int32_t j, std::int32_t x, const Emit& emit) : i_(i), j_(j), x_(x), emit_(emit) {}

  void list(int type) {
    if (type == kInt00 || type == kInt01) return list_int(type == kInt01);
    if (type == kLR0 || type == kLR1) return list_lr(type == kLR1);
    if (type == kNXFromI) return list_n_x_from_i();
    if (type == kNIFromX) return list_n_i_from_x();
    if (type >= kN000 && type <= kN011) return list_n(booleans(type));
    if (type >= kL000 && type <= kL011) return list_l(booleans(type));
    if (type == kLXFromI) return list_l_x_from_i();
    if (type == kLIFromX) return list_l_i_from_x();
    list_l_j_from(type);
  }

 private:
  template <typename... Parts>
  void rule(Parts... parts) {
    emit_(std::nullopt, std::initializer_list<Part>{parts...});
  }
  template <typename... Parts>
  void arc(std::int32_t head, std::int32_t dependent, Parts... parts) {
    emit_(TreeArc{head, dependent}, std::initializer_list<Part>{parts...});
  }

  void list_int(bool bj) {
    if (j_ == i_ + 1 && !bj) rule();
    if (!bj && j_ > i_ + 1) rule(Part{kInt10, i_ + 1, j_});
    if (bj) arc(i_, j_, Part{kInt00, i_, j_});
    for (std::int32_t k = i_ + 1; k < j_; ++k) {
      arc(i_, k, Part{kInt00, i_, k}, Part{int_item(false, bj), k, j_});
      arc(i_, k, Part{lr_item(bj), i_, k, j_}, Part{kInt00, k, j_});
      if (bj) arc(i_, k, Part{kLR0, i_, k, j_}, Part{kInt01, k, j_});
      // Exactly one of three holds the arc into l.
      for (int holder = 0; holder < 3; ++holder) {
        const bool first = holder == 0;
        const bool middle = holder == 1;
        const bool last = holder == 2;
        for (std::int32_t l = k + 1; l < j_; ++l) {
          const Part between{int_item(false, middle), k, l};
          arc(i_, k, Part{r_item(false, false, first), i_, k, l}, between, Part{l_item(last, bj, false), l, j_, k});
          arc(i_, k, Part{lr_item(first), i_, k, l}, between, Part{int_item(last, bj), l, j_});
        }
        for (std::int32_t l = i_ + 1; l < k; ++l) {
          arc(i_, k, Part{int_item(false, first), i_, l}, Part{l_item(middle, false, false), l, k, i_},
              Part{n_item(false, bj, last), k, j_, l});
          arc(i_, k, Part{r_item(false, first, false), i_, l, k}, Part{int_item(middle, false), l, k},
              Part{l_item(false, bj, last), k, j_, l});
        }
      }
    }
  }

  void list_lr(bool bx) {
    rule(own(l_item(false, false, bx)));
    rule(own(r_item(false, false, bx)));
    for (std::int32_t k = i_ + 1; k < j_; ++k) {
      const auto split = [&](int left, int right) { rule(Part{left, i_, k, x_}, Part{right, k, j_, x_}); };
      split(bx ? kL011 : kL010, kR000);
      split(kL000, bx ? kR101 : kR100);
      if (!bx) continue;
      // x below k on one side and k below x on the other would be a cycle.
      split(kLXFromI, kR100);
      split(kL001, kRIFromJ);
      split(kLJFromI, kR001);
      split(kL010, kRXFromJ);
    }
  }

  void list_n(Booleans b) {
    if (!b.x) {
      rule(own(int_item(b.i, b.j)));
      if (b.i) arc(x_, i_, own(n_item(false, b.j, false)));
      if (b.j) arc(x_, j_, own(n_item(b.i, false, false)));
      for (std::int32_t k = i_ + 1; k < j_; ++k)
        arc(x_, k, left(n_item(b.i, false, false), k), right_int(false, b.j, k));
      return;
    }
    arc(i_, x_, own(n_item(false, b.j, false)));
    if (b.j) {
      arc(x_, j_, own(kNXFromI));
      arc(j_, x_, own(kInt01));
    } else {
      arc(j_, x_, own(kN000));
    }
    for (std::int32_t k = i_ + 1; k < j_; ++k) {
      arc(x_, k, left(kNXFromI, k), right_int(false, b.j, k));
      arc(k, x_, left(kInt01, k), right_int(false, b.j, k));
      arc(k, x_, left(kN000, k), right_int(true, b.j, k));
    }
  }

  void list_n_x_from_i() {
    arc(i_, x_, own(kN000));
    for (std::int32_t k = i_ + 1; k < j_; ++k) {
      arc(x_, k, left(kNXFromI, k), right_int(false, false, k));
      arc(k, x_, left(kInt01, k), right_int(false, false, k));
    }
  }

  void list_n_i_from_x() {
    arc(x_, i_, own(kN000));
    for (std::int32_t k = i_ + 1; k < j_; ++k) arc(x_, k, left(kN100, k), right_int(false, false, k));
  }

  void list_l(Booleans b) {
    if (!b.x) {
      rule(own(int_item(b.i, b.j)));
      if (b.i) arc(x_, i_, own(l_item(false, b.j, false)));
      if (b.j) arc(x_, j_, own(l_item(b.i, false, false)));
      for (std::int32_t k = i_ + 1; k < j_; ++k) {
        for (int holder = 0; holder < (b.i ? 2 : 1); ++holder) {
          const bool first = b.i && holder == 0;
          const bool second = b.i && holder == 1;
          arc(x_, k, left(l_item(first, false, false), k), beyond(n_item(false, b.j, second), k));
          arc(x_, k, left(int_item(first, false), k), beyond(l_item(false, b.j, second), k));
        }
      }
      return;
    }
    arc(i_, x_, own(l_item(false, b.j, false)));
    if (b.j) {
      arc(x_, j_, own(kLXFromI));
      arc(j_, x_, own(kLJFromI));
    } else {
      arc(j_, x_, own(kL000));
    }
    for (std::int32_t k = i_ + 1; k < j_; ++k) {
      arc(x_, k, left(kLXFromI, k), beyond(n_item(false, b.j, false), k));
      arc(k, x_, left(kLJFromI, k), beyond(n_item(false, b.j, false), k));
      arc(k, x_, left(kL000, k), beyond(n_item(true, b.j, false), k));
      arc(k, x_, left(kInt01, k), beyond(l_item(false, b.j, false), k));
      arc(k, x_, left(kInt00, k), beyond(l_item(true, b.j, false), k));
    }
  }

  void list_l_x_from_i() {
    arc(i_, x_, own(kL000));
    for (std::int32_t k = i_ + 1; k < j_; ++k) {
      arc(x_, k, left(kLXFromI, k), beyond(kN000, k));
      arc(k, x_, left(kLJFromI, k), beyond(kN000, k));
      arc(k, x_, left(kL000, k), beyond(kNIFromX, k));
      arc(k, x_, left(kInt01, k), beyond(kL000, k));
      arc(k, x_, left(kInt00, k), beyond(kLIFromX, k));
    }
  }

  void list_l_i_from_x() {
    arc(x_, i_, own(kL000));
    for (std::int32_t k = i_ + 1; k < j_; ++k) {
      arc(x_, k, left(kL100, k), beyond(kN000, k));
      arc(x_, k, left(kL000, k), beyond(kNXFromI, k));
      arc(x_, k, left(kInt10, k), beyond(kL000, k));
      arc(x_, k, left(kInt00, k), beyond(kLXFromI, k));
    }
  }

  void list_l_j_from(int type) {
    const bool from_x = type == kLJFromX;
    if (from_x) arc(x_, j_, own(kL000));
    if (!from_x) rule(own(kInt01));
    for (std::int32_t k = i_ + 1; k < j_; ++k) {
      arc(x_, k, left(kL000, k), from_x ? right_int(false, true, k) : beyond(kNJFromX, k));
      arc(x_, k, left(kInt00, k), beyond(from_x ? kLJFromI : kLJFromX, k));
    }
  }

  Part own(int type) const { return {type, i_, j_, x_}; }
  Part left(int type, std::int32_t k) const { return {type, i_, k, x_}; }
  Part right_int(bool bk, bool bj, std::int32_t k) const { return {int_item(bk, bj), k, j_}; }
  Part beyond(int type, std::int32_t k) const { return {type, k, j_, i_}; }

  std::int32_t i_;
  std::int32_t j_;
  std::int32_t x_;
  const Emit& emit_;
};

}  // namespace published

template <typename Score>
template <typename Visit>
void PublishedChart<Score>::for_each_rule(ItemId item_id, Visit&& visit) const {
  using namespace published;
  const Item item = item_of(item_id);
  const bool reflected = item.type == kInt10 || item.type == kN101 || item.type == kNXFromJ || item.type == kNJFromX ||
                         (item.type >= kR000 && item.type <= kRIFromJ);
  const std::int32_t sign = reflected ? -1 : 1;
  const auto emit = [&](std::optional<TreeArc> arc, std::initializer_list<Part> parts) {
    ForestRule rule;
    if (arc) rule.add(sign * arc->head, sign * arc->dependent);
    std::size_t place = 0;
    for (const auto& part : parts) {
      if (part.type == kNever) return;
      Item found{part.type, part.i, part.j, part.x};
      if (reflected) found = {kMirror[part.type], -part.j, -part.i, -part.x};
      if (part.type >= kRows) found.x = 0;
      rule.items[place++] = id(found);
    }
    visit(rule);
  };
  const std::int32_t left = reflected ? -item.j : item.i;
  const std::int32_t right = reflected ? -item.i : item.j;
  RuleList(left, right, sign * item.x, emit).list(reflected ? kMirror[item.type] : item.type);
}

}  // namespace crossarc
