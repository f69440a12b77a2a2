// Scores of arcs as callers hold them: any strides, float or double, scores[head, dependent]; and the copy that the
// programs work on, by dependent, so that the heads of a word lie side by side. O(n²).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace crossarc {

inline constexpr double kForbidden = -std::numeric_limits<double>::infinity();

template <typename Score>
struct ScoreView {
  const Score* data = nullptr;
  std::ptrdiff_t head_stride = 0;
  std::ptrdiff_t dependent_stride = 0;
  std::int32_t words = 0;

  Score at(std::int32_t head, std::int32_t dependent) const {
    return data[head * head_stride + dependent * dependent_stride];
  }

  // The score of a tree, summed from the first word to the last.
  double sum(std::span<const std::int32_t> heads) const {
    double total = 0;
    for (std::int32_t word = 1; word <= words; ++word) total += at(heads[word - 1], word);
    return total;
  }
};

// Incoming scores of every word; what points at 0 or at itself is forbidden. Scores are doubles inside: a maximum
// branching subtracts them from each other many times.
class IncomingScores {
 public:
  template <typename Score>
  void load(const ScoreView<Score>& scores) {
    words_ = scores.words;
    values_.resize(width() * width());
    for (std::int32_t head = 0; head <= words_; ++head) values_[head] = kForbidden;
    for (std::int32_t dependent = 1; dependent <= words_; ++dependent) {
      double* row = values_.data() + dependent * width();
      for (std::int32_t head = 0; head <= words_; ++head) row[head] = scores.at(head, dependent);
      row[dependent] = kForbidden;
    }
  }

  std::int32_t words() const { return words_; }
  std::size_t width() const { return static_cast<std::size_t>(words_) + 1; }
  std::span<const double> values() const { return values_; }
  const double* row(std::int32_t dependent) const { return values_.data() + dependent * width(); }
  double* row(std::int32_t dependent) { return values_.data() + dependent * width(); }
  double at(std::int32_t head, std::int32_t dependent) const { return row(dependent)[head]; }

  // The score of a tree, summed from the first word to the last.
  double sum(std::span<const std::int32_t> heads) const {
    double total = 0;
    for (std::int32_t word = 1; word <= words_; ++word) total += at(heads[word - 1], word);
    return total;
  }

 private:
  std::int32_t words_ = 0;
  std::vector<double> values_;
};

// Four chains, because one would wait for the last comparison at every step.
inline std::int32_t first_of_the_largest(const double* values, std::int32_t begin, std::int32_t end) {
  double largest[4] = {kForbidden, kForbidden, kForbidden, kForbidden};
  std::int32_t place = begin;
  for (; place + 4 <= end; place += 4) {
    for (int chain = 0; chain < 4; ++chain) {
      largest[chain] = values[place + chain] > largest[chain] ? values[place + chain] : largest[chain];
    }
  }
  for (; place < end; ++place) largest[0] = std::max(largest[0], values[place]);
  const double best = std::max(std::max(largest[0], largest[1]), std::max(largest[2], largest[3]));
  for (place = begin; place + 1 < end && values[place] != best;) ++place;
  return place;
}

// What no tree exceeds.
inline double sum_of_best_heads(const IncomingScores& scores) {
  double sum = 0;
  for (std::int32_t word = 1; word <= scores.words(); ++word) {
    const double* row = scores.row(word);
    sum += *std::max_element(row, row + scores.width());
  }
  return sum;
}

// So much that if arcs from 0 lose it, a tree with fewer of them always wins.
inline double sufficient_penalty(const IncomingScores& scores) {
  double range = 1;
  for (std::int32_t word = 1; word <= scores.words(); ++word) {
    double highest = kForbidden;
    double lowest = -kForbidden;
    for (std::int32_t head = 0; head <= scores.words(); ++head) {
      const double score = scores.at(head, word);
      if (score == kForbidden) continue;
      highest = std::max(highest, score);
      lowest = std::min(lowest, score);
    }
    range += std::max(0.0, highest - lowest);
  }
  return range;
}

// Arcs from 0 lose so much; what the other arcs add is kept in full precision.
inline void penalise_root_arcs(const IncomingScores& scores, double penalty, IncomingScores& penalised) {
  penalised = scores;
  for (std::int32_t word = 1; word <= scores.words(); ++word) penalised.row(word)[0] -= penalty;
}

enum class ScoreFault : std::uint8_t { kNone, kNotANumber, kInfinite, kInfeasible };

// The first score that cannot be used: NaN or +inf. What points at 0 or at itself is never looked at.
inline ScoreFault find_score_fault(const IncomingScores& scores, std::int32_t& head, std::int32_t& dependent) {
  for (dependent = 1; dependent <= scores.words(); ++dependent) {
    const double* row = scores.row(dependent);
    bool usable = true;
    for (std::size_t place = 0; place < scores.width(); ++place) {
      usable &= row[place] <= std::numeric_limits<double>::max();  // false for NaN and +inf
    }
    if (usable) continue;
    for (head = 0; row[head] <= std::numeric_limits<double>::max();) ++head;
    return std::isnan(row[head]) ? ScoreFault::kNotANumber : ScoreFault::kInfinite;
  }
  return ScoreFault::kNone;
}

}  // namespace crossarc
