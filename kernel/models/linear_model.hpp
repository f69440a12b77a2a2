// Weights of hashed features: for each feature a row, one weight for each class. Trained as an averaged perceptron
// (Collins 2002) in whole numbers, so that the same data give the same model everywhere; frozen into one table with
// sixteen-bit weights, in which a feature is found with one access to memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace crossarc {

// The frozen model: slots of a check number and a row of weights, by open addressing over the features' hashes.
class LinearModel {
 public:
  LinearModel() = default;
  LinearModel(std::size_t classes, std::size_t features);

  std::size_t classes() const { return classes_; }
  // The weights of a feature, to be written.
  std::int16_t* insert(std::uint64_t hash);
  // The weights of a feature, or null.
  const std::int16_t* weights(std::uint64_t hash) const;
  // Adds the weights of all features to the scores of the classes.
  void score(std::span<const std::uint64_t> hashes, std::span<std::int32_t> scores) const;
  // All features, ascending.
  std::vector<std::uint64_t> features() const;
  std::size_t memory() const {
    return table_.size() * sizeof(std::uint32_t) + features_.size() * sizeof(std::uint64_t);
  }

 private:
  std::size_t find(std::uint64_t hash) const;
  static std::uint32_t check_of(std::uint64_t hash) {
    const auto check = static_cast<std::uint32_t>(hash >> 32);
    return check == 0 ? 1 : check;  // 0 marks a free slot
  }

  std::size_t classes_ = 0;
  std::size_t stride_ = 0;  // of a slot, in words of four bytes
  std::size_t mask_ = 0;
  std::vector<std::uint32_t> table_;
  std::vector<std::uint64_t> features_;  // in the order of insertion
};

// The model in training.
class Perceptron {
 public:
  explicit Perceptron(std::size_t classes);

  std::size_t classes() const { return classes_; }
  std::size_t features() const { return size_; }
  void score(std::span<const std::uint64_t> hashes, std::span<std::int32_t> scores) const;
  // One step: the features speak for one class and against another.
  void update(std::span<const std::uint64_t> hashes, std::size_t right, std::size_t wrong);
  void tick() { ++step_; }

  // Everything it knows, to go on from there another time.
  struct Memory {
    std::int64_t step = 1;
    std::vector<std::uint64_t> hashes;
    std::vector<std::int32_t> updates;
    std::vector<std::int32_t> weights;
    std::vector<std::int64_t> weighted;
  };
  Memory remember() const;
  void restore(const Memory& memory);

  // The average of the weights over all steps and over several perceptrons of the same classes; features seen in fewer
  // updates than `least_updates` in all are left out.
  static LinearModel average(std::span<const Perceptron* const> learners, std::int32_t least_updates);

 private:
  struct Row {
    std::uint64_t hash = 0;
    std::int32_t updates = 0;
  };

  // w averaged over the steps is w - (sum of update · step at which it was made) / steps.
  double averaged(std::size_t place) const {
    return weights_[place] - static_cast<double>(weighted_[place]) / static_cast<double>(step_);
  }
  std::size_t find(std::uint64_t hash) const;
  std::size_t find_or_add(std::uint64_t hash);
  void grow();

  std::size_t classes_;
  std::size_t size_ = 0;
  std::int64_t step_ = 1;
  std::vector<std::int32_t> slots_;  // numbers of rows, -1 for none
  std::vector<Row> rows_;
  std::vector<std::int32_t> weights_;
  std::vector<std::int64_t> weighted_;  // the sum of update · step
};

}  // namespace crossarc
