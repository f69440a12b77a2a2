#include "linear/linear_model.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

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
    fetch_ahead(&hashes_[slots[one]]);
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
  for (const std::uint32_t slot : slots) fetch_ahead(&few_[slot * stride_]);
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
  for (const std::uint32_t slot : slots) fetch_ahead(&starts_[slot]);
  for (std::size_t one = 0; one < slots.size(); ++one) {
    places[one] = starts_[slots[one]];
    fetch_ahead(&many_[places[one]]);
  }
  for (std::size_t one = 0; one < slots.size(); ++one) {
    const ClassWeight* known = &many_[places[one]];
    for (; (known->one & kLast) == 0; ++known) scores[known->one] += known->weight;
    scores[known->one & ~kLast] += known->weight;
  }
}

LinearModel::Rows LinearModel::rows() const {
  Rows all;
  std::vector<std::uint64_t> features;
  std::uint64_t number = 0;  // of the template
  const auto add = [&](std::size_t one, std::int16_t weight) {
    all.classes.push_back(static_cast<std::uint16_t>(one));
    all.weights.push_back(weight);
  };
  for (std::uint32_t slot = 0; slot < hashes_.size(); ++slot) {
    if (hashes_[slot] == 0) continue;
    for (std::size_t next = number + 1; next < regions_.size() && regions_[next].first <= slot; ++next) {
      if (regions_[next].first != 0) number = next;
    }
    const std::size_t before = all.weights.size();
    if (dense()) {
      for (std::size_t one = 0; one < classes_; ++one) {
        const std::int16_t weight = few_[slot * stride_ + one];
        if (weight != 0) add(one, weight);
      }
    } else {
      const ClassWeight* known = &many_[starts_[slot]];
      for (; (known->one & kLast) == 0; ++known) add(known->one, known->weight);
      add(known->one & ~kLast, known->weight);
    }
    features.push_back(number << 32 | hashes_[slot]);
    all.counts.push_back(static_cast<std::uint16_t>(all.weights.size() - before));
  }
  all.features = pack_ascending(features);
  return all;
}

LinearModel LinearModel::of_rows(std::size_t classes, std::size_t templates, const RowsView& rows) {
  const std::vector<std::uint64_t> features = unpack_ascending(rows.features);
  if (features.size() != rows.counts.size() || rows.classes.size() != rows.weights.size()) {
    throw std::invalid_argument("the numbers of features and weights do not agree");
  }
  std::vector<std::uint32_t> of_template(templates, 0);
  for (const std::uint64_t feature : features) {
    if (feature >> 32 >= templates || (feature & kHash) == 0) {
      throw std::invalid_argument("a feature belongs to no template");
    }
    ++of_template[feature >> 32];
  }
  LinearModel model(classes, of_template);
  std::vector<ClassWeight> row;
  std::size_t place = 0;
  for (std::size_t feature = 0; feature < features.size(); ++feature) {
    row.clear();
    for (std::uint16_t count = 0; count < rows.counts[feature] && place < rows.classes.size(); ++count, ++place) {
      row.push_back({rows.classes[place], rows.weights[place]});
      if (row.back().weight == 0 || row.back().one >= classes || (count > 0 && row[count - 1U].one >= row[count].one)) {
        throw std::invalid_argument("the classes of a feature do not ascend, or a weight is 0");
      }
    }
    if (row.empty() || row.size() != rows.counts[feature]) {
      throw std::invalid_argument("the numbers of features and weights do not agree");
    }
    model.append(features[feature], row);
  }
  if (place != rows.classes.size()) throw std::invalid_argument("the numbers of features and weights do not agree");
  return model;
}

std::vector<std::uint8_t> pack_ascending(std::span<const std::uint64_t> numbers) {
  std::vector<std::uint8_t> bytes;
  std::uint64_t before = 0;
  for (const std::uint64_t number : numbers) {
    if (number <= before) throw std::invalid_argument("the numbers do not ascend");
    std::uint64_t difference = number - before;
    for (; difference >= 0x80; difference >>= 7) bytes.push_back(static_cast<std::uint8_t>(difference | 0x80));
    bytes.push_back(static_cast<std::uint8_t>(difference));
    before = number;
  }
  return bytes;
}

std::vector<std::uint64_t> unpack_ascending(std::span<const std::uint8_t> bytes) {
  std::vector<std::uint64_t> numbers;
  numbers.reserve(bytes.size() / 3);
  std::uint64_t difference = 0;
  std::uint64_t before = 0;
  unsigned shift = 0;
  for (const std::uint8_t byte : bytes) {
    if (shift > 56) throw std::invalid_argument("a number has too many bytes");
    difference |= std::uint64_t{byte & 0x7FU} << shift;
    shift += 7;
    if ((byte & 0x80) != 0) continue;
    if (difference == 0 || before + difference < before) throw std::invalid_argument("the numbers do not ascend");
    numbers.push_back(before += difference);
    difference = 0;
    shift = 0;
  }
  if (shift != 0) throw std::invalid_argument("the last number is cut short");
  return numbers;
}

}  // namespace crossarc
