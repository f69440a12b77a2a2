#include "transitions/oracles/nearest_projective.hpp"

#include <limits>

#include "structure/lifts.hpp"
#include "structure/measures.hpp"

namespace crossarc {
namespace {

class Chart {
 public:
  explicit Chart(std::span<const std::int32_t> heads) : heads_(heads), nodes_(heads.size() + 1) {
    for (Table* table : {&open_left_, &open_right_, &closed_left_, &closed_right_}) {
      table->score.assign(nodes_ * nodes_, 0);
      table->split.assign(nodes_ * nodes_, 0);
    }
    weigh();
  }

  std::vector<std::int32_t> best() {
    for (std::size_t length = 1; length < nodes_; ++length) {
      for (std::size_t left = 0; left + length < nodes_; ++left) fill(left, left + length);
    }
    found_.assign(heads_.size(), 0);
    trace(closed_right_, 0, nodes_ - 1);
    return std::move(found_);
  }

 private:
  struct Table {
    std::vector<std::int32_t> score;
    std::vector<std::int32_t> split;
  };

  std::size_t at(std::size_t left, std::size_t right) const { return left * nodes_ + right; }

  // A common arc outweighs all that is gained elsewhere; then grandparents, then their heads.
  void weigh() {
    weight_.assign(nodes_ * nodes_, 0);
    for (std::size_t word = 1; word < nodes_; ++word) {
      auto head = static_cast<std::size_t>(heads_[word - 1]);
      weight_[at(head, word)] = 4 * static_cast<std::int32_t>(nodes_);
      for (std::int32_t gain = 3; gain > 0 && head != 0; --gain) {
        head = static_cast<std::size_t>(heads_[head - 1]);
        weight_[at(head, word)] = gain;
      }
    }
  }

  void fill(std::size_t left, std::size_t right) {
    constexpr std::int32_t kLowest = std::numeric_limits<std::int32_t>::min();
    std::int32_t inside = kLowest;
    std::size_t inside_split = left;
    for (std::size_t split = left; split < right; ++split) {
      const std::int32_t score = closed_right_.score[at(left, split)] + closed_left_.score[at(split + 1, right)];
      if (score > inside) {
        inside = score;
        inside_split = split;
      }
    }
    const std::size_t span = at(left, right);
    open_right_.score[span] = inside + weight_[at(left, right)];
    open_right_.split[span] = static_cast<std::int32_t>(inside_split);
    open_left_.score[span] = left == 0 ? kLowest / 4 : inside + weight_[at(right, left)];  // nothing above the root
    open_left_.split[span] = static_cast<std::int32_t>(inside_split);

    std::int32_t leftward = kLowest;
    std::int32_t rightward = kLowest;
    for (std::size_t split = left; split < right; ++split) {
      const std::int32_t score = closed_left_.score[at(left, split)] + open_left_.score[at(split, right)];
      if (score > leftward) {
        leftward = score;
        closed_left_.split[span] = static_cast<std::int32_t>(split);
      }
      const std::int32_t other = open_right_.score[at(left, split + 1)] + closed_right_.score[at(split + 1, right)];
      if (other > rightward) {
        rightward = other;
        closed_right_.split[span] = static_cast<std::int32_t>(split + 1);
      }
    }
    closed_left_.score[span] = leftward;
    closed_right_.score[span] = rightward;
  }

  void trace(const Table& table, std::size_t left, std::size_t right) {
    if (left == right) return;
    const auto split = static_cast<std::size_t>(table.split[at(left, right)]);
    if (&table == &closed_right_) {
      trace(open_right_, left, split);
      trace(closed_right_, split, right);
    } else if (&table == &closed_left_) {
      trace(closed_left_, left, split);
      trace(open_left_, split, right);
    } else {
      const bool rightward = &table == &open_right_;
      found_[(rightward ? right : left) - 1] = static_cast<std::int32_t>(rightward ? left : right);
      trace(closed_right_, left, split);
      trace(closed_left_, split + 1, right);
    }
  }

  std::span<const std::int32_t> heads_;
  std::size_t nodes_;
  std::vector<std::int32_t> weight_;
  Table open_left_, open_right_, closed_left_, closed_right_;
  std::vector<std::int32_t> found_;
};

}  // namespace

std::vector<std::int32_t> nearest_projective(std::span<const std::int32_t> heads) {
  if (heads.size() < kMostProjectivized) return Chart(heads).best();
  TreeOrder order;
  if (heads.size() > kMostLifted || !order.build(heads)) return {};
  order.measure_extents(heads);
  std::vector<std::uint8_t> nonprojective(heads.size());
  std::vector<std::int32_t> counts(heads.size());
  TreeMeasurer().measure(heads, order, true, nonprojective, counts);
  Projectivizer projectivizer;
  projectivizer.count_lifts(heads, order, nonprojective, counts);
  return {projectivizer.heads().begin(), projectivizer.heads().end()};
}

}  // namespace crossarc
