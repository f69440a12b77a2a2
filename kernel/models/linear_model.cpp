#include "models/linear_model.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace crossarc {

LinearModel::LinearModel(std::size_t classes, std::size_t features)
    : classes_(classes),
      stride_(1 + (classes + 1) / 2),
      mask_(std::bit_ceil(std::max<std::size_t>(16, features * 3 / 2)) - 1) {
  table_.assign((mask_ + 1) * stride_, 0);
}

std::size_t LinearModel::find(std::uint64_t hash) const {
  const std::uint32_t check = check_of(hash);
  std::size_t slot = hash & mask_;
  for (std::size_t tried = 0; tried <= mask_; ++tried) {
    const std::uint32_t found = table_[slot * stride_];
    if (found == check || found == 0) break;
    slot = (slot + 1) & mask_;
  }
  return slot * stride_;
}

std::int16_t* LinearModel::insert(std::uint64_t hash) {
  const std::size_t place = find(hash);
  if (table_[place] == 0) {
    table_[place] = check_of(hash);
    features_.push_back(hash);
  }
  return reinterpret_cast<std::int16_t*>(&table_[place + 1]);
}

const std::int16_t* LinearModel::weights(std::uint64_t hash) const {
  const std::size_t place = find(hash);
  return table_[place] == 0 ? nullptr : reinterpret_cast<const std::int16_t*>(&table_[place + 1]);
}

std::vector<std::uint64_t> LinearModel::features() const {
  std::vector<std::uint64_t> sorted = features_;
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

void LinearModel::score(std::span<const std::uint64_t> hashes, std::span<std::int32_t> scores) const {
  for (const std::uint64_t hash : hashes) __builtin_prefetch(&table_[(hash & mask_) * stride_]);
  for (const std::uint64_t hash : hashes) {
    const std::size_t place = find(hash);
    if (table_[place] == 0) continue;
    const auto* weights = reinterpret_cast<const std::int16_t*>(&table_[place + 1]);
    for (std::size_t one = 0; one < classes_; ++one) scores[one] += weights[one];
  }
}

Perceptron::Perceptron(std::size_t classes) : classes_(classes), slots_(1U << 16, -1) {}

std::size_t Perceptron::find(std::uint64_t hash) const {
  std::size_t slot = hash & (slots_.size() - 1);
  while (slots_[slot] >= 0 && rows_[static_cast<std::size_t>(slots_[slot])].hash != hash) {
    slot = (slot + 1) & (slots_.size() - 1);
  }
  return slot;
}

void Perceptron::grow() {
  slots_.assign(2 * slots_.size(), -1);
  for (std::size_t row = 0; row < rows_.size(); ++row) slots_[find(rows_[row].hash)] = static_cast<std::int32_t>(row);
}

std::size_t Perceptron::find_or_add(std::uint64_t hash) {
  std::size_t slot = find(hash);
  if (slots_[slot] < 0) {
    if (2 * rows_.size() >= slots_.size()) {
      grow();
      slot = find(hash);
    }
    slots_[slot] = static_cast<std::int32_t>(rows_.size());
    rows_.push_back({hash, 0});
    weights_.resize(weights_.size() + classes_, 0);
    weighted_.resize(weighted_.size() + classes_, 0);
    ++size_;
  }
  return static_cast<std::size_t>(slots_[slot]);
}

void Perceptron::score(std::span<const std::uint64_t> hashes, std::span<std::int32_t> scores) const {
  for (const std::uint64_t hash : hashes) __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]);
  for (const std::uint64_t hash : hashes) {
    const std::int32_t row = slots_[find(hash)];
    if (row < 0) continue;
    const std::int32_t* weights = &weights_[static_cast<std::size_t>(row) * classes_];
    for (std::size_t one = 0; one < classes_; ++one) scores[one] += weights[one];
  }
}

void Perceptron::update(std::span<const std::uint64_t> hashes, std::size_t right, std::size_t wrong) {
  for (const std::uint64_t hash : hashes) {
    const std::size_t row = find_or_add(hash);
    ++rows_[row].updates;
    const std::size_t first = row * classes_;
    ++weights_[first + right];
    weighted_[first + right] += step_;
    --weights_[first + wrong];
    weighted_[first + wrong] -= step_;
  }
}

Perceptron::Memory Perceptron::remember() const {
  Memory memory{step_, {}, {}, weights_, weighted_};
  for (const Row& row : rows_) {
    memory.hashes.push_back(row.hash);
    memory.updates.push_back(row.updates);
  }
  return memory;
}

void Perceptron::restore(const Memory& memory) {
  const std::size_t rows = memory.hashes.size();
  if (memory.updates.size() != rows || memory.weights.size() != rows * classes_ ||
      memory.weighted.size() != rows * classes_ || memory.step < 1) {
    throw std::invalid_argument("the memory of a learner has another size");
  }
  rows_.clear();
  weights_.clear();
  weighted_.clear();
  size_ = 0;
  slots_.assign(1U << 16, -1);
  for (std::size_t row = 0; row < rows; ++row) {
    if (find_or_add(memory.hashes[row]) != row) throw std::invalid_argument("a learner remembers a feature twice");
    rows_[row].updates = memory.updates[row];
  }
  weights_ = memory.weights;
  weighted_ = memory.weighted;
  step_ = memory.step;
}

LinearModel Perceptron::average(std::span<const Perceptron* const> learners, std::int32_t least_updates) {
  const std::size_t classes = learners.front()->classes_;
  Perceptron joint(classes);  // only as a table of rows
  std::vector<double> sums;
  for (const Perceptron* learner : learners) {
    for (std::size_t row = 0; row < learner->rows_.size(); ++row) {
      const std::size_t place = joint.find_or_add(learner->rows_[row].hash);
      joint.rows_[place].updates += learner->rows_[row].updates;
      sums.resize(joint.rows_.size() * classes, 0.0);
      for (std::size_t one = 0; one < classes; ++one) {
        sums[place * classes + one] += learner->averaged(row * classes + one);
      }
    }
  }
  double largest = 1e-9;
  std::size_t kept = 0;
  for (std::size_t row = 0; row < joint.rows_.size(); ++row) {
    if (joint.rows_[row].updates < least_updates) continue;
    ++kept;
    for (std::size_t one = 0; one < classes; ++one) largest = std::max(largest, std::abs(sums[row * classes + one]));
  }
  const double scale = 32767.0 / largest;
  LinearModel model(classes, kept);
  for (std::size_t row = 0; row < joint.rows_.size(); ++row) {
    if (joint.rows_[row].updates < least_updates) continue;
    std::int16_t* weights = model.insert(joint.rows_[row].hash);
    for (std::size_t one = 0; one < classes; ++one) {
      weights[one] = static_cast<std::int16_t>(std::lround(sums[row * classes + one] * scale));
    }
  }
  return model;
}

}  // namespace crossarc
