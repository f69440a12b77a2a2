#include "linear/perceptron.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <tuple>

#include "core/threads.hpp"

namespace crossarc {
namespace {

std::size_t mixed(std::uint64_t feature) { return feature ^ (feature >> 32) * 0x9E3779B1U; }

// What training never comes to. Below these limits sums of weights do not overflow, and training can go on for long.
constexpr std::int64_t kMostSteps = std::int64_t{1} << 40;
constexpr std::int32_t kMostUpdates = 1 << 30;
constexpr std::int64_t kMostWeighted = std::int64_t{1} << 62;

// The largest weight of a class that as many features as there are templates can have together.
std::int32_t largest_weight(std::size_t templates) {
  return static_cast<std::int32_t>((std::size_t{1} << 30) / std::max<std::size_t>(templates, 1));
}

}  // namespace

std::size_t Perceptron::find(std::uint64_t feature) const {
  std::size_t slot = mixed(feature) & (slots_.size() - 1);
  while (slots_[slot] >= 0 && rows_[static_cast<std::size_t>(slots_[slot])].feature != feature) {
    slot = (slot + 1) & (slots_.size() - 1);
  }
  return slot;
}

void Perceptron::grow() {
  slots_.assign(2 * slots_.size(), -1);
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    slots_[find(rows_[row].feature)] = static_cast<std::int32_t>(row);
  }
}

Perceptron::Row& Perceptron::find_or_add(std::uint64_t feature) {
  std::size_t slot = find(feature);
  if (slots_[slot] < 0) {
    if (2 * rows_.size() >= slots_.size()) {
      grow();
      slot = find(feature);
    }
    slots_[slot] = static_cast<std::int32_t>(rows_.size());
    rows_.push_back({feature});
  }
  return rows_[static_cast<std::size_t>(slots_[slot])];
}

std::uint32_t Perceptron::allocate(std::uint32_t room) {
  std::vector<std::uint32_t>& free = free_[static_cast<std::size_t>(std::countr_zero(room))];
  if (!free.empty()) {
    const std::uint32_t first = free.back();
    free.pop_back();
    return first;
  }
  if (used_ + room > kChunk) {
    chunks_.push_back(std::make_unique<Weight[]>(kChunk));
    used_ = 0;
  }
  const auto first = static_cast<std::uint32_t>(chunks_.size() - 1) * kChunk + used_;
  used_ += room;
  return first;
}

Perceptron::Weight& Perceptron::weight_of(Row& row, std::size_t one) {
  for (std::uint16_t index = 0; index < row.size; ++index) {
    Weight& known = weights_at(row.first)[index];
    if (known.one == one) return known;
  }
  if (row.size == row.room) {
    const auto room = static_cast<std::uint16_t>(row.room == 0 ? 2 : 2 * row.room);
    const std::uint32_t first = allocate(room);
    if (row.room > 0) {
      std::copy_n(weights_at(row.first), row.size, weights_at(first));
      free_[static_cast<std::size_t>(std::countr_zero(row.room))].push_back(row.first);
    }
    row.first = first;
    row.room = room;
  }
  Weight& added = weights_at(row.first)[row.size++];
  added = {0, 0, static_cast<std::uint16_t>(one)};
  return added;
}

void Perceptron::prefetch(std::span<const std::uint64_t> features) const {
  for (const std::uint64_t feature : features) fetch_ahead(&slots_[mixed(feature) & (slots_.size() - 1)]);
}

// Slots, rows and weights are far away, and each says where the next one is: of many features together, all are asked
// for before the first is read.
void Perceptron::score(std::span<const std::uint64_t> features, std::span<std::int32_t> scores) const {
  constexpr std::size_t kBlock = 64;
  std::array<std::span<const Weight>, kBlock> rows;
  for (std::size_t first = 0; first < features.size(); first += kBlock) {
    const std::span<const std::uint64_t> block = features.subspan(first, std::min(kBlock, features.size() - first));
    prefetch(block);
    for (const std::uint64_t feature : block) {
      const std::int32_t row = slots_[mixed(feature) & (slots_.size() - 1)];
      if (row >= 0) fetch_ahead(&rows_[static_cast<std::size_t>(row)]);
    }
    for (std::size_t one = 0; one < block.size(); ++one) {
      const std::int32_t row = slots_[find(block[one])];
      rows[one] = row < 0 ? std::span<const Weight>{} : weights_of(rows_[static_cast<std::size_t>(row)]);
      if (!rows[one].empty()) fetch_ahead(rows[one].data());
    }
    for (std::size_t one = 0; one < block.size(); ++one) {
      for (const Weight& known : rows[one]) scores[known.one] += known.weight;
    }
  }
}

void Perceptron::update(std::span<const std::uint64_t> features, std::size_t right, std::size_t wrong) {
  for (const std::uint64_t feature : features) {
    Row& row = find_or_add(feature);
    ++row.updates;
    for (const auto& [one, sign] : {std::pair{right, 1}, std::pair{wrong, -1}}) {
      Weight& known = weight_of(row, one);
      known.weight += sign;
      known.weighted += sign * step_;
    }
  }
}

void Perceptron::add(std::span<const std::uint64_t> features, std::size_t one, std::int32_t amount) {
  for (const std::uint64_t feature : features) {
    Row& row = find_or_add(feature);
    ++row.updates;
    Weight& known = weight_of(row, one);
    known.weight += amount;
    known.weighted += amount * step_;
  }
}

Perceptron::State Perceptron::state_dict() const {
  State state;
  state.step = step_;
  for (const Row& row : rows_) {
    state.features.push_back(row.feature);
    state.updates.push_back(row.updates);
    state.counts.push_back(row.size);
    for (const Weight& known : weights_of(row)) {
      state.classes.push_back(known.one);
      state.weights.push_back(known.weight);
      state.weighted.push_back(known.weighted);
    }
  }
  return state;
}

void Perceptron::load_state_dict(const State& state, std::size_t templates) {
  const std::size_t rows = state.features.size();
  const std::size_t weights = state.classes.size();
  if (state.updates.size() != rows || state.counts.size() != rows || state.weights.size() != weights ||
      state.weighted.size() != weights) {
    throw std::invalid_argument("the arrays of a learner differ in length");
  }
  if (state.step < 1 || state.step > kMostSteps) throw std::invalid_argument("a learner has no such step");
  const std::int32_t most = largest_weight(templates);
  *this = Perceptron(classes_);
  step_ = state.step;
  std::size_t index = 0;
  for (std::size_t number = 0; number < rows; ++number) {
    const std::uint64_t feature = state.features[number];
    if (feature >> 32 >= templates || (feature & 0xFFFFFFFF) == 0) {
      throw std::invalid_argument("a learner remembers a feature of no template");
    }
    Row& row = find_or_add(feature);
    if (rows_.size() != number + 1) throw std::invalid_argument("a learner remembers a feature twice");
    row.updates = state.updates[number];
    if (row.updates < 0 || row.updates > kMostUpdates) throw std::invalid_argument("a feature has no such updates");
    for (std::uint16_t count = 0; count < state.counts[number]; ++count, ++index) {
      if (index >= weights || state.classes[index] >= classes_) {
        throw std::invalid_argument("a learner remembers no such class");
      }
      Weight& known = weight_of(row, state.classes[index]);
      if (row.size != count + 1) throw std::invalid_argument("a learner remembers a class twice");
      known.weight = state.weights[index];
      known.weighted = state.weighted[index];
      // Every update of a feature changes a weight by 1, and its weighted sum by the step.
      const std::int64_t size = std::abs(std::int64_t{known.weight});
      const std::int64_t weighted = std::max(known.weighted, -kMostWeighted - 1);
      if (size > row.updates || size > most || std::abs(weighted) > kMostWeighted ||
          std::abs(weighted) / step_ > row.updates) {
        throw std::invalid_argument("a learner remembers a weight that is too large");
      }
    }
  }
  if (index != weights) throw std::invalid_argument("a learner remembers weights of no feature");
}

LinearModel Perceptron::average(std::span<const Perceptron* const> learners, std::int32_t least_updates,
                                std::size_t templates) {
  struct Found {
    std::uint64_t feature;
    std::uint32_t learner;
    std::uint32_t row;
  };
  std::vector<Found> found;
  for (std::uint32_t learner = 0; learner < learners.size(); ++learner) {
    for (std::uint32_t row = 0; row < learners[learner]->rows_.size(); ++row) {
      found.push_back({learners[learner]->rows_[row].feature, learner, row});
    }
  }
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    return std::tie(a.feature, a.learner) < std::tie(b.feature, b.learner);
  });
  // Calls `use` for each feature that is kept; what it knows of is in `known_classes` and `sums`.
  std::vector<double> sums(learners.front()->classes_, 0.0);
  std::vector<std::uint16_t> known_classes;
  const auto for_each = [&](auto&& use) {
    for (std::size_t first = 0, last = 0; first < found.size(); first = last) {
      check_interruption(1);
      std::int64_t updates = 0;
      for (; last < found.size() && found[last].feature == found[first].feature; ++last) {
        const Perceptron& learner = *learners[found[last].learner];
        const Row& row = learner.rows_[found[last].row];
        updates += row.updates;
        for (const Weight& known : learner.weights_of(row)) {
          known_classes.push_back(known.one);
          sums[known.one] += learner.averaged(known);
        }
      }
      std::sort(known_classes.begin(), known_classes.end());
      known_classes.erase(std::unique(known_classes.begin(), known_classes.end()), known_classes.end());
      if (updates >= least_updates) use(found[first].feature);
      for (const std::uint16_t one : known_classes) sums[one] = 0.0;
      known_classes.clear();
    }
  };
  double largest = 1e-9;
  for_each([&](std::uint64_t) {
    for (const std::uint16_t one : known_classes) largest = std::max(largest, std::abs(sums[one]));
  });
  std::vector<ClassWeight> weights;
  const auto round_weights = [&] {
    weights.clear();
    for (const std::uint16_t one : known_classes) {
      const auto weight = static_cast<std::int16_t>(std::lround(sums[one] * 32767.0 / largest));
      if (weight != 0) weights.push_back({one, weight});
    }
    return !weights.empty();
  };
  std::vector<std::uint32_t> counts(templates, 0);
  for_each([&](std::uint64_t feature) { counts[feature >> 32] += round_weights(); });
  LinearModel model(sums.size(), counts);
  for_each([&](std::uint64_t feature) {
    if (round_weights()) model.append(feature, weights);
  });
  return model;
}

}  // namespace crossarc
