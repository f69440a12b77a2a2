// The averaged perceptron (Collins 2002) that a linear model is learnt with, in whole numbers, so that the same data
// give the same model everywhere. A feature has weights only for the classes that it was ever right or wrong about:
// with hundreds of labels these are few. O(classes of a feature) to score or change it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "linear/linear_model.hpp"

namespace crossarc {

class Perceptron {
 public:
  explicit Perceptron(std::size_t classes) : classes_(classes), slots_(1U << 16, -1) {}

  // Asks for what scoring these features is going to read.
  void prefetch(std::span<const std::uint64_t> features) const;
  void score(std::span<const std::uint64_t> features, std::span<std::int32_t> scores) const;
  // One step: the features speak for one class and against another.
  void update(std::span<const std::uint64_t> features, std::size_t right, std::size_t wrong);
  // The features speak for a class, or with a negative amount against it.
  void add(std::span<const std::uint64_t> features, std::size_t one, std::int32_t amount);
  void tick() { ++step_; }

  // Everything it knows, to go on from there another time.
  struct State {
    std::int64_t step = 1;
    std::vector<std::uint64_t> features;
    std::vector<std::int32_t> updates;
    std::vector<std::uint16_t> counts;  // of each feature's weights
    std::vector<std::uint16_t> classes;
    std::vector<std::int32_t> weights;
    std::vector<std::int64_t> weighted;
  };
  State state_dict() const;
  // Throws std::invalid_argument where no perceptron over so many templates can have come to that.
  void load_state_dict(const State& state, std::size_t templates);

  // The average of the weights over all steps and over several perceptrons of the same classes; features seen in fewer
  // updates than `least_updates` in all are left out.
  static LinearModel average(std::span<const Perceptron* const> learners, std::int32_t least_updates,
                             std::size_t templates);

 private:
  struct Row {
    std::uint64_t feature = 0;
    std::int32_t updates = 0;
    std::uint32_t first = 0;  // of its weights
    std::uint16_t size = 0;
    std::uint16_t room = 0;
  };
  struct Weight {
    std::int64_t weighted = 0;  // the sum of update · step
    std::int32_t weight = 0;
    std::uint16_t one = 0;
  };

  // Weights lie in chunks that never move, so that growing needs no second copy of them.
  static constexpr std::uint32_t kChunk = 1U << 16;
  Weight* weights_at(std::uint32_t first) { return &chunks_[first / kChunk][first % kChunk]; }
  const Weight* weights_at(std::uint32_t first) const { return &chunks_[first / kChunk][first % kChunk]; }
  std::span<const Weight> weights_of(const Row& row) const {
    return row.size == 0 ? std::span<const Weight>{} : std::span<const Weight>{weights_at(row.first), row.size};
  }
  std::uint32_t allocate(std::uint32_t room);
  Weight& weight_of(Row& row, std::size_t one);
  std::size_t find(std::uint64_t feature) const;
  Row& find_or_add(std::uint64_t feature);
  void grow();
  // w averaged over the steps is w - (sum of update · step at which it was made) / steps.
  double averaged(const Weight& known) const {
    return known.weight - static_cast<double>(known.weighted) / static_cast<double>(step_);
  }

  std::size_t classes_;
  std::int64_t step_ = 1;
  std::vector<std::int32_t> slots_;  // numbers of rows, -1 for none
  std::vector<Row> rows_;
  std::vector<std::unique_ptr<Weight[]>> chunks_;
  std::uint32_t used_ = kChunk;                       // of the last chunk
  std::vector<std::vector<std::uint32_t>> free_{17};  // places for 2^n weights that rows grew out of
};

}  // namespace crossarc
