// Memory-based classification, the IB1 of TiMBL (Daelemans & van den Bosch 2005) that Nivre & Nilsson 2005 parse with:
// the classes of the nearest training instances vote. Two values of a feature are as far apart as their classes are
// differently distributed (modified value difference metric, half the sum of the absolute differences, Cost & Salzberg
// 1993); a value that training saw less often than a threshold is as far as 1 from every other. The distance of two
// instances is the weighted sum over their features. `k` counts nearest *distances*: all instances at one of the k
// smallest different distances are neighbours. A vote counts 1 / (distance + ε).
//
// Exact and indexed: instances are sorted by their values, those of the features that tell most first, so that what is
// common to a run of instances is added up once, and a run is left as soon as it is farther away than the k nearest so
// far. O(instances · features) for a question at worst, and O(values and their classes) to compare its values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace crossarc {

struct MemoryOptions {
  std::size_t nearest = 5;       // distances
  std::int32_t threshold = 1;    // values seen less often are compared by overlap
  bool overlap = false;          // all values are: 0 for the same value, 1 for different ones
  bool inverse_distance = true;  // else all neighbours have the same vote
};

// Distances that differ by no more are one: sums of the same numbers in another order are.
constexpr double kSameDistance = 1e-12;

// Neighbours at one distance, as numbers of the instances that were given, ascending.
struct EquallyNear {
  double distance = 0;
  std::vector<std::int32_t> instances;
};

class InstanceBase {
 public:
  // `values`: a row of features for each instance. `order`: all features, those to be compared first in front; the
  // distance is added up in this order. `weights` of the features, none of them negative. A class has a number below
  // `class_count`; of classes with the same votes the lower one is preferred.
  InstanceBase(std::span<const std::uint32_t> values, std::span<const std::int32_t> classes, std::size_t class_count,
               std::span<const std::int32_t> order, std::span<const double> weights, const MemoryOptions& options);

  std::size_t features() const { return order_.size(); }
  std::size_t class_count() const { return class_count_; }

  // For each question, a row of values, the rank of every class from 0 on: by the votes of the k nearest distances,
  // then by those of one distance more (as TiMBL breaks ties), then by number. Values that training did not see are far
  // from all others.
  void rank(std::span<const std::uint32_t> questions, std::span<std::int32_t> ranks, int threads) const;
  // The neighbours of each question, nearest first.
  std::vector<std::vector<EquallyNear>> neighbours(std::span<const std::uint32_t> questions, int threads) const;

 private:
  struct ClassShare {
    std::int32_t one = 0;
    double share = 0;
  };
  // The values of a feature: how often each was seen, and the share of each class among these times.
  struct FeatureValues {
    std::vector<std::int32_t> counts;
    std::vector<std::uint32_t> starts;  // of the shares of each value, and the end of the last
    std::vector<ClassShare> shares;
  };
  struct Search;

  void sort_instances(std::span<const std::uint32_t> values, std::span<const std::int32_t> classes);
  void index_instances();
  FeatureValues count_values(std::span<const std::uint32_t> values, std::span<const std::int32_t> classes,
                             std::size_t feature) const;
  // How far all values of a feature are from one of them, times its weight.
  void find_distances(std::size_t place, std::uint32_t asked, Search& search) const;
  void find(std::span<const std::uint32_t> question, Search& search) const;
  void look_nearby(Search& search) const;
  void scan(Search& search) const;
  double distance(std::size_t instance, const Search& search) const;
  void vote(const Search& search, std::span<std::int32_t> ranks) const;
  template <typename Use>
  void for_each_question(std::span<const std::uint32_t> questions, int threads, Use&& use) const;

  std::size_t class_count_;
  MemoryOptions options_;
  std::vector<std::int32_t> order_;
  std::vector<double> weights_;        // in this order
  std::vector<FeatureValues> values_;  // likewise
  // Different instances, sorted; their values in the same order.
  std::size_t instances_ = 0;
  std::vector<std::uint32_t> rows_;
  std::vector<std::int32_t> given_;          // the numbers of the instances that were given, those of equals together
  std::vector<std::int32_t> given_classes_;  // their classes
  std::vector<std::uint32_t> first_given_;   // of each different instance, and the end
  std::vector<std::uint32_t> shared_;        // how many leading values an instance has in common with the one before
  std::vector<std::uint32_t>
      next_different_;  // for each instance and feature, the next one with another value up to it
};

}  // namespace crossarc
