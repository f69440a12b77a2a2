// The best projective trees of several sentences at once (Eisner 1996): the chart of eisner_chart.hpp with one sentence
// in each lane of a vector, so that every step is a step of all of them and none waits for another. O(n³) time and
// O(n²) memory in the longest sentence; the chart of a shorter one is the beginning of its lane. Sums, ties and so the
// trees are those of the chart for one sentence.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/compiler.hpp"
#include "core/threads.hpp"
#include "decoders/scores.hpp"

namespace crossarc {

template <typename Score>
class EisnerLanes {
 public:
  static constexpr std::size_t kLanes = 32 / sizeof(Score);

  // Fills the chart for at most kLanes sentences, the first of which is the longest. Keeps its memory.
  void fill(std::span<const ScoreView<Score>> sentences) {
    load(sentences);
    for (std::int32_t left = words_; left >= 0; --left) {
      check_interruption(1 + words_ * words_ / 1024);
      for (Table* table : {&right_, &right_by_end_, &left_, &left_by_end_}) (*table)[at(left, left)] = Lanes{};
      for (std::int32_t right = left + 1; right <= words_; ++right) fill_span(left, right);
    }
  }

  // After fill: the best tree of the sentence in a lane, of so many words; false if there is none.
  bool trace(std::size_t lane, std::int32_t words, bool single_root, std::span<std::int32_t> heads) {
    open_.clear();
    if (words == 0) return true;
    if (!single_root) {
      open_.push_back({kRight, 0, words});
    } else if (!choose_root(lane, words, heads)) {
      return false;
    }
    while (!open_.empty()) {
      const Item item = open_.back();
      open_.pop_back();
      if (item.left < item.right && !expand(lane, item, heads)) return false;
    }
    return true;
  }

 private:
  // What every common machine has: vectors of 16 bytes, here two of them.
  struct Lanes {
    typename VectorOf<Score>::Type vectors[2];

    Score operator[](std::size_t lane) const { return vectors[lane / (kLanes / 2)][lane % (kLanes / 2)]; }
    void set(std::size_t lane, Score score) { vectors[lane / (kLanes / 2)][lane % (kLanes / 2)] = score; }
    Lanes operator+(const Lanes& other) const { return {vectors[0] + other.vectors[0], vectors[1] + other.vectors[1]}; }
    void raise(const Lanes& other) {
      for (std::size_t part = 0; part < 2; ++part) raise_lanes(vectors[part], other.vectors[part]);
    }
  };
  using Table = std::vector<Lanes>;

  // Complete spans with the head at the left (kRight) or right (kLeft) end, and those from end to end of an arc.
  enum Kind : int { kRight, kLeft, kRightArc, kLeftArc };
  struct Item {
    Kind kind;
    std::int32_t left;
    std::int32_t right;
  };

  std::size_t at(std::int32_t row, std::int32_t column) const { return row * width_ + column; }

  // What lies beyond the end of a shorter sentence, or in a lane without one, is never read.
  void load(std::span<const ScoreView<Score>> sentences) {
    words_ = sentences.front().words;
    width_ = static_cast<std::size_t>(words_) + 1;
    for (Table* table : {&arcs_, &right_, &right_by_end_, &left_, &left_by_end_, &right_arc_, &left_arc_by_end_}) {
      if (table->size() < width_ * width_) table->resize(width_ * width_);
    }
    for (std::size_t lane = 0; lane < sentences.size(); ++lane) {
      const ScoreView<Score>& scores = sentences[lane];
      for (std::int32_t head = 0; head <= scores.words; ++head) {
        for (std::int32_t dependent = 1; dependent <= scores.words; ++dependent) {
          arcs_[at(head, dependent)].set(lane, scores.at(head, dependent));
        }
      }
    }
  }

  // The best of the sums of neighbours. Two chains, because one would wait for the last comparison at every step.
  static Lanes best_sum(const Lanes* one, const Lanes* other, std::int32_t count) {
    Lanes best = *one + *other;
    Lanes second = best;
    std::int32_t place = 1;
    for (; place + 2 <= count; place += 2) {
      best.raise(one[place] + other[place]);
      second.raise(one[place + 1] + other[place + 1]);
    }
    if (place < count) best.raise(one[place] + other[place]);
    best.raise(second);
    return best;
  }

  // Tables that are looked up by their right end lie by it, so that all splits are neighbours in memory.
  void fill_span(std::int32_t left, std::int32_t right) {
    const std::int32_t splits = right - left;
    const Lanes raw = best_sum(&right_[at(left, left)], &left_by_end_[at(right, left + 1)], splits);
    right_arc_[at(left, right)] = raw + arcs_[at(left, right)];
    left_arc_by_end_[at(right, left)] = raw + arcs_[at(right, left)];
    right_[at(left, right)] = right_by_end_[at(right, left)] =
        best_sum(&right_arc_[at(left, left + 1)], &right_by_end_[at(right, left + 1)], splits);
    left_[at(left, right)] = left_by_end_[at(right, left)] =
        best_sum(&left_[at(left, left)], &left_arc_by_end_[at(right, left)], splits);
  }

  // The first split with the best value(split), which is known; -1 if there is none.
  template <typename Value>
  static std::int32_t first_best(std::int32_t begin, std::int32_t end, Score known, Value&& value) {
    Score best = -std::numeric_limits<Score>::infinity();
    std::int32_t found = -1;
    for (std::int32_t split = begin; split < end && best < known; ++split) {  // rounding may keep it a little below
      const Score here = value(split);
      if (here > best) {
        best = here;
        found = split;
      }
    }
    return found;
  }

  bool choose_root(std::size_t lane, std::int32_t words, std::span<std::int32_t> heads) {
    const auto value = [&](std::int32_t root) {
      return arcs_[at(0, root)][lane] + left_[at(1, root)][lane] + right_[at(root, words)][lane];
    };
    const std::int32_t root = first_best(1, words + 1, std::numeric_limits<Score>::infinity(), value);
    if (root < 0) return false;
    heads[root - 1] = 0;
    open_.push_back({kLeft, 1, root});
    open_.push_back({kRight, root, words});
    return true;
  }

  bool expand(std::size_t lane, const Item& item, std::span<std::int32_t> heads) {
    const auto [kind, left, right] = item;
    if (kind == kRight) {
      const Lanes *arc = &right_arc_[at(left, 0)], *rest = &right_by_end_[at(right, 0)];
      const std::int32_t split = first_best(left + 1, right + 1, right_[at(left, right)][lane],
                                            [&](std::int32_t k) { return arc[k][lane] + rest[k][lane]; });
      open_.push_back({kRightArc, left, split});
      open_.push_back({kRight, split, right});
      return split >= 0;
    }
    if (kind == kLeft) {
      const Lanes *rest = &left_[at(left, 0)], *arc = &left_arc_by_end_[at(right, 0)];
      const std::int32_t split = first_best(left, right, left_[at(left, right)][lane],
                                            [&](std::int32_t k) { return rest[k][lane] + arc[k][lane]; });
      open_.push_back({kLeft, left, split});
      open_.push_back({kLeftArc, split, right});
      return split >= 0;
    }
    const bool rightward = kind == kRightArc;
    const Score score = arcs_[rightward ? at(left, right) : at(right, left)][lane];
    const Score known = (rightward ? right_arc_[at(left, right)] : left_arc_by_end_[at(right, left)])[lane];
    const Lanes *one = &right_[at(left, 0)], *other = &left_by_end_[at(right, 0)];
    const std::int32_t split =
        first_best(left, right, known, [&](std::int32_t k) { return score + one[k][lane] + other[k + 1][lane]; });
    heads[(rightward ? right : left) - 1] = rightward ? left : right;
    open_.push_back({kRight, left, split});
    open_.push_back({kLeft, split + 1, right});
    return split >= 0;
  }

  std::int32_t words_ = 0;
  std::size_t width_ = 1;
  Table arcs_;  // by head
  Table right_, right_by_end_, left_, left_by_end_, right_arc_, left_arc_by_end_;
  std::vector<Item> open_;
};

}  // namespace crossarc
