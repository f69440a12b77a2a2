// The frozen linear model: for each feature the weights of some classes, sixteen bits each. A feature is a template's
// number and a hash that is not 0 (features/features.hpp). Every template has a region of one table to itself, as large
// as its features need, so that the few features of a template of tags, which are asked for most, lie close together in
// the caches. Its hashes ascend, each at the place where it should be by its size or soon after, so that four places
// are looked at together and hardly anything has to be guessed by the processor. Of few classes all weights are kept;
// of many, such as labels, most weights are 0, and only the others are. O(1) for a feature, and O(weights).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/compiler.hpp"

namespace crossarc {

struct ClassWeight {
  std::uint16_t one = 0;
  std::int16_t weight = 0;
};

// Ascending numbers as the differences between them, each in as many bytes of seven bits as it needs: the features of a
// model take three bytes instead of eight. Both throw std::invalid_argument where numbers do not ascend strictly from
// above 0. O(numbers).
std::vector<std::uint8_t> pack_ascending(std::span<const std::uint64_t> numbers);
std::vector<std::uint64_t> unpack_ascending(std::span<const std::uint8_t> bytes);

class LinearModel {
 public:
  static constexpr std::size_t kMostClasses = 1U << 15;

  LinearModel() = default;
  // `features`: how many each template is going to have.
  LinearModel(std::size_t classes, std::span<const std::uint32_t> features);

  // Features come in ascending order; their weights, at least one, are not 0, and the classes ascend.
  void append(std::uint64_t feature, std::span<const ClassWeight> weights);
  // Asks for what scoring these features is going to read.
  void prefetch(std::span<const std::uint64_t> features) const {
    for (const std::uint64_t feature : features) fetch_ahead(&hashes_[home(feature)]);
  }
  // Adds the weights of all features to the scores of the classes.
  void score(std::span<const std::uint64_t> features, std::span<std::int32_t> scores) const;
  // A model as it stands in files: its features packed, how many weights each has, their classes, and the weights.
  struct Rows {
    std::vector<std::uint8_t> features;
    std::vector<std::uint16_t> counts;
    std::vector<std::uint16_t> classes;
    std::vector<std::int16_t> weights;
  };
  struct RowsView {
    std::span<const std::uint8_t> features;
    std::span<const std::uint16_t> counts;
    std::span<const std::uint16_t> classes;
    std::span<const std::int16_t> weights;
  };
  Rows rows() const;
  // The model with these rows; throws std::invalid_argument where they are not rows of so many classes and templates.
  static LinearModel of_rows(std::size_t classes, std::size_t templates, const RowsView& rows);

 private:
  struct Region {
    std::uint32_t first = 0;  // its first slot
    std::uint32_t size = 0;   // hashes are spread over so many
  };
  static constexpr std::size_t kBlock = 64;  // features that are looked up together
  using Slots = std::array<std::uint32_t, kBlock>;

  bool dense() const { return classes_ <= kFewClasses; }
  // The slot where a feature should be.
  std::uint32_t home(std::uint64_t feature) const {
    const Region& region = regions_[feature >> 32];
    return region.first + static_cast<std::uint32_t>((feature & kHash) * region.size >> 32);
  }
  std::size_t find(std::span<const std::uint64_t> features, Slots& slots) const;
  template <std::size_t kClasses>
  void score_few(std::span<const std::uint32_t> slots, std::span<std::int32_t> scores) const;
  void score_many(std::span<const std::uint32_t> slots, std::span<std::int32_t> scores) const;

  static constexpr std::size_t kFewClasses = 16;
  static constexpr std::uint64_t kHash = 0xFFFFFFFF;
  static constexpr std::uint16_t kLast = 1U << 15;  // marks the last weight of a row
  static constexpr std::uint32_t kWindow = 4;       // slots that are looked at together

  std::size_t classes_ = 0;
  std::size_t stride_ = 0;  // of the weights of few classes
  std::uint32_t free_ = 0;  // the first slot behind the last feature
  std::vector<std::uint32_t> expected_;
  std::vector<Region> regions_;
  std::vector<std::uint32_t> hashes_;  // by slot, 0 for none; some are free at the end of each region
  std::vector<std::int16_t> few_;      // by slot, if there are few classes
  std::vector<std::uint32_t> starts_;  // by slot, where its weights begin, if there are many
  std::vector<ClassWeight> many_;
};

}  // namespace crossarc
