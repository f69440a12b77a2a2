// Scores of arcs as callers hold them: any strides, float or double, scores[head, dependent]; and the copy that the
// programs work on, by dependent, so that the heads of a word lie side by side. O(n²). An arc may have a second score,
// which counts where it is crossed by another (Pitler 2014, Section 3).
#pragma once

#include <algorithm>
#include <array>
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
  const Score* crossed = nullptr;  // the scores of crossed arcs, with the same strides; none if they are the same

  Score at(std::int32_t head, std::int32_t dependent) const {
    return data[head * head_stride + dependent * dependent_stride];
  }

  Score crossed_at(std::int32_t head, std::int32_t dependent) const {
    return crossed[head * head_stride + dependent * dependent_stride];
  }

  // The score of a tree without crossings, summed from the first word to the last.
  double sum(std::span<const std::int32_t> heads) const {
    double total = 0;
    for (std::int32_t word = 1; word <= words; ++word) total += at(heads[word - 1], word);
    return total;
  }
};

// Whether another arc of the tree crosses the arc into a word; arcs from 0 only count with root_arcs. O(n).
inline bool is_crossed(std::span<const std::int32_t> heads, std::int32_t word, bool root_arcs) {
  const std::int32_t left = std::min(word, heads[word - 1]);
  const std::int32_t right = std::max(word, heads[word - 1]);
  if (left == 0 && !root_arcs) return false;
  for (std::int32_t other = 1; other <= static_cast<std::int32_t>(heads.size()); ++other) {
    const std::int32_t head = heads[other - 1];
    if (head == 0 && !root_arcs) continue;
    const bool inside = left < other && other < right;
    const bool head_inside = left < head && head < right;
    if (inside != head_inside && (inside ? head < left || head > right : other < left || other > right)) return true;
  }
  return false;
}

// Incoming scores of every word; what points at 0 or at itself is forbidden. Scores are doubles inside: a maximum
// branching subtracts them from each other many times.
class IncomingScores {
 public:
  template <typename Score>
  void load(const ScoreView<Score>& scores) {
    words_ = scores.words;
    values_.resize((scores.crossed == nullptr ? 1 : 2) * width() * width());
    usable_ = load_matrix<false>(scores, values_.data());
    if (scores.crossed == nullptr) return;
    ScoreView<Score> crossed = scores;
    crossed.data = scores.crossed;
    usable_ &= load_matrix<false>(crossed, values_.data() + width() * width());
  }
  // Whether all that was loaded is below +inf and none is NaN; also false where only what is never looked at is not.
  bool usable() const { return usable_; }

  // The higher of the two scores of every arc.
  template <typename Score>
  void load_highest(const ScoreView<Score>& scores) {
    words_ = scores.words;
    values_.resize(width() * width());
    usable_ = load_matrix<true>(scores, values_.data());
  }
  void load_highest(const IncomingScores& scores) {
    words_ = scores.words_;
    values_.resize(width() * width());
    for (std::size_t index = 0; index < values_.size(); ++index) {
      values_[index] = std::max(scores.values_[index], scores.crossed_row(0)[index]);
    }
  }

  std::int32_t words() const { return words_; }
  std::size_t width() const { return static_cast<std::size_t>(words_) + 1; }
  // All of them, by dependent; then those of crossed arcs, if these have their own.
  std::span<const double> values() const { return values_; }
  bool has_crossed() const { return values_.size() > width() * width(); }
  const double* row(std::int32_t dependent) const { return values_.data() + dependent * width(); }
  double* row(std::int32_t dependent) { return values_.data() + dependent * width(); }
  double at(std::int32_t head, std::int32_t dependent) const { return row(dependent)[head]; }
  // The same for crossed arcs; row(…) again where they have no scores of their own.
  const double* crossed_row(std::int32_t dependent) const { return row(crossed_index(dependent)); }
  double* crossed_row(std::int32_t dependent) { return row(crossed_index(dependent)); }

  // The score of a tree, summed from the first word to the last; arcs from 0 cross others only with root_arcs.
  double sum(std::span<const std::int32_t> heads, bool root_arcs = true) const {
    double total = 0;
    for (std::int32_t word = 1; word <= words_; ++word) {
      const bool crossed = has_crossed() && is_crossed(heads, word, root_arcs);
      total += (crossed ? crossed_row(word) : row(word))[heads[word - 1]];
    }
    return total;
  }

 private:
  std::int32_t crossed_index(std::int32_t dependent) const {
    return has_crossed() ? dependent + words_ + 1 : dependent;
  }

  // One matrix, or the higher scores of both. Whether all are usable.
  template <bool both, typename Score>
  bool load_matrix(const ScoreView<Score>& scores, double* matrix) const {
    std::fill_n(matrix, width(), kForbidden);
    std::int32_t dependent = 1;
    std::int32_t usable = 1;
    if (scores.dependent_stride == 1) {
      for (; dependent + kNeighbours <= width(); dependent += kNeighbours) {
        usable &= load_neighbours<both>(scores, dependent, matrix + dependent * width());
      }
    }
    for (; dependent <= words_; ++dependent) {
      double* row = matrix + dependent * width();
      for (std::int32_t head = 0; head <= words_; ++head) {
        row[head] = read<both>(scores, head * scores.head_stride + dependent * scores.dependent_stride, usable);
      }
    }
    for (dependent = 1; dependent <= words_; ++dependent) matrix[dependent * width() + dependent] = kForbidden;
    return usable != 0;
  }

  // The rows of neighbours whose scores lie side by side: each line of the caller's matrix is read once for all of
  // them.
  template <bool both, typename Score>
  std::int32_t load_neighbours(const ScoreView<Score>& scores, std::ptrdiff_t place, double* rows) const {
    std::array<std::int32_t, kNeighbours> usable;
    usable.fill(1);
    for (std::size_t head = 0; head < width(); ++head, place += scores.head_stride) {
      for (std::size_t row = 0; row < kNeighbours; ++row) {
        rows[row * width() + head] = read<both>(scores, place + static_cast<std::ptrdiff_t>(row), usable[row]);
      }
    }
    return std::ranges::count(usable, 0) == 0 ? 1 : 0;
  }

  // Usable becomes 0 with NaN and +inf.
  template <bool both, typename Score>
  static Score read(const ScoreView<Score>& scores, std::ptrdiff_t place, std::int32_t& usable) {
    const Score own = scores.data[place];
    usable &= own <= std::numeric_limits<Score>::max() ? 1 : 0;
    if constexpr (!both) return own;
    const Score crossed = scores.crossed[place];
    usable &= crossed <= std::numeric_limits<Score>::max() ? 1 : 0;
    return own > crossed ? own : crossed;
  }

  static constexpr std::size_t kNeighbours = 4;
  bool usable_ = true;
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
    const double *row = scores.row(word), *crossed = scores.crossed_row(word);
    sum += std::max(*std::max_element(row, row + scores.width()), *std::max_element(crossed, crossed + scores.width()));
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
      for (const double score : {scores.row(word)[head], scores.crossed_row(word)[head]}) {
        if (score == kForbidden) continue;
        highest = std::max(highest, score);
        lowest = std::min(lowest, score);
      }
    }
    range += std::max(0.0, highest - lowest);
  }
  return range;
}

// Arcs from 0 lose so much; what the other arcs add is kept in full precision.
inline void penalise_root_arcs(const IncomingScores& scores, double penalty, IncomingScores& penalised) {
  penalised = scores;
  for (std::int32_t word = 1; word <= scores.words(); ++word) {
    penalised.row(word)[0] -= penalty;
    if (scores.has_crossed()) penalised.crossed_row(word)[0] -= penalty;
  }
}

enum class ScoreFault : std::uint8_t { kNone, kNotANumber, kInfinite, kInfeasible };

// The first score that cannot be used: NaN or +inf. What points at 0 or at itself is never looked at.
inline ScoreFault find_score_fault(const IncomingScores& scores, std::int32_t& head, std::int32_t& dependent) {
  for (dependent = 1; dependent <= scores.words(); ++dependent) {
    for (const double* row : {scores.row(dependent), scores.crossed_row(dependent)}) {
      bool usable = true;
      for (std::size_t place = 0; place < scores.width(); ++place) {
        usable &= row[place] <= std::numeric_limits<double>::max();  // false for NaN and +inf
      }
      if (usable) continue;
      for (head = 0; row[head] <= std::numeric_limits<double>::max();) ++head;
      return std::isnan(row[head]) ? ScoreFault::kNotANumber : ScoreFault::kInfinite;
    }
  }
  return ScoreFault::kNone;
}

}  // namespace crossarc
