#include "linear/linear_model.hpp"

#include <algorithm>
#include <bit>

namespace crossarc {

LinearModel::LinearModel(std::size_t classes, std::span<const std::uint32_t> features)
    : classes_(classes),
      stride_((classes + 3) / 4 * 4),
      expected_(features.begin(), features.end()),
      regions_(features.size(), {0, 1}),  // until they get slots: the free ones at the beginning
      hashes_(kWindow, 0) {}

void LinearModel::append(std::uint64_t feature, std::span<const ClassWeight> weights) {
  Region& region = regions_[feature >> 32];
  if (region.first == 0) {
    region = {static_cast<std::uint32_t>(hashes_.size()), expected_[feature >> 32] * 3 / 2 + 1};
    hashes_.resize(hashes_.size() + region.size + kWindow, 0);
    free_ = region.first;
  }
  const std::uint32_t slot = std::max(home(feature), free_);
  free_ = slot + 1;
  hashes_.resize(std::max<std::size_t>(hashes_.size(), free_ + kWindow), 0);
  hashes_[slot] = static_cast<std::uint32_t>(feature & kHash);
  if (dense()) {
    few_.resize((slot + 1) * stride_, 0);
    for (const ClassWeight& known : weights) few_[slot * stride_ + known.one] = known.weight;
  } else {
    starts_.resize(slot + 1, 0);
    starts_[slot] = static_cast<std::uint32_t>(many_.size());
    many_.insert(many_.end(), weights.begin(), weights.end());
    many_.back().one |= kLast;
  }
}

// The slots of those features that are there; returns how many are. All are asked for before the first is read, since
// most are far away.
std::size_t LinearModel::find(std::span<const std::uint64_t> features, Slots& slots) const {
  for (std::size_t one = 0; one < features.size(); ++one) {
    slots[one] = home(features[one]);
    __builtin_prefetch(&hashes_[slots[one]]);
  }
  std::size_t found = 0;
  for (std::size_t one = 0; one < features.size(); ++one) {
    const auto hash = static_cast<std::uint32_t>(features[one] & kHash);
    for (std::uint32_t slot = slots[one];; slot += kWindow) {
      const std::uint32_t* window = &hashes_[slot];
      const unsigned equal = static_cast<unsigned>(window[0] == hash) | static_cast<unsigned>(window[1] == hash) << 1 |
                             static_cast<unsigned>(window[2] == hash) << 2 |
                             static_cast<unsigned>(window[3] == hash) << 3;
      slots[found] = slot + static_cast<std::uint32_t>(std::countr_zero(equal | 1U << kWindow));
      found += equal != 0;
      // Where a slot is free, the feature is not behind it.
      if (equal != 0 || window[0] == 0 || window[1] == 0 || window[2] == 0 || window[3] == 0) break;
    }
  }
  return found;
}

void LinearModel::score(std::span<const std::uint64_t> features, std::span<std::int32_t> scores) const {
  Slots slots;
  for (std::size_t first = 0; first < features.size(); first += kBlock) {
    const std::size_t found = find(features.subspan(first, std::min(kBlock, features.size() - first)), slots);
    const std::span<const std::uint32_t> there(slots.data(), found);
    if (!dense()) {
      score_many(there, scores);
    } else if (stride_ == 4) {
      score_few<4>(there, scores);
    } else if (stride_ == 8) {
      score_few<8>(there, scores);
    } else {
      score_few<kFewClasses>(there, scores);
    }
  }
}

// At least as many classes as there are, so that the sums stay in registers.
template <std::size_t kClasses>
void LinearModel::score_few(std::span<const std::uint32_t> slots, std::span<std::int32_t> scores) const {
  for (const std::uint32_t slot : slots) __builtin_prefetch(&few_[slot * stride_]);
  std::array<std::int32_t, kClasses> sums{};
  for (const std::uint32_t slot : slots) {
    const std::int16_t* row = &few_[slot * stride_];
    const std::size_t count = kClasses == kFewClasses ? stride_ : kClasses;
    for (std::size_t one = 0; one < count; ++one) sums[one] += row[one];
  }
  for (std::size_t one = 0; one < classes_; ++one) scores[one] += sums[one];
}

void LinearModel::score_many(std::span<const std::uint32_t> slots, std::span<std::int32_t> scores) const {
  Slots places;
  for (const std::uint32_t slot : slots) __builtin_prefetch(&starts_[slot]);
  for (std::size_t one = 0; one < slots.size(); ++one) {
    places[one] = starts_[slots[one]];
    __builtin_prefetch(&many_[places[one]]);
  }
  for (std::size_t one = 0; one < slots.size(); ++one) {
    const ClassWeight* known = &many_[places[one]];
    for (; (known->one & kLast) == 0; ++known) scores[known->one] += known->weight;
    scores[known->one & ~kLast] += known->weight;
  }
}

LinearModel::Rows LinearModel::rows() const {
  Rows all;
  std::uint64_t number = 0;  // of the template
  for (std::uint32_t slot = 0; slot < hashes_.size(); ++slot) {
    if (hashes_[slot] == 0) continue;
    for (std::size_t next = number + 1; next < regions_.size() && regions_[next].first <= slot; ++next) {
      if (regions_[next].first != 0) number = next;
    }
    const std::size_t before = all.weights.size();
    if (dense()) {
      for (std::size_t one = 0; one < classes_; ++one) {
        const std::int16_t weight = few_[slot * stride_ + one];
        if (weight != 0) all.weights.push_back({static_cast<std::uint16_t>(one), weight});
      }
    } else {
      const ClassWeight* known = &many_[starts_[slot]];
      for (; (known->one & kLast) == 0; ++known) all.weights.push_back(*known);
      all.weights.push_back({static_cast<std::uint16_t>(known->one & ~kLast), known->weight});
    }
    all.features.push_back(number << 32 | hashes_[slot]);
    all.counts.push_back(static_cast<std::uint16_t>(all.weights.size() - before));
  }
  return all;
}

}  // namespace crossarc
