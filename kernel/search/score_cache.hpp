// Rows of scores that were worked out before, by a number that says for what. States of a beam look at the same words
// again and again (Goldberg, Zhao & Huang 2013). O(1) for each question.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace crossarc {

class ScoreCache {
 public:
  explicit ScoreCache(std::size_t columns) : columns_(columns), slots_(kSlots) {}

  void clear() {
    ++generation_;
    size_ = 0;
  }

  // Room for so many more rows; in a very long sentence this may forget what there is.
  void make_room(std::size_t rows) {
    if (size_ + rows > kSlots / 2) clear();
    if (rows_.size() < (size_ + rows) * columns_) rows_.resize(2 * (size_ + rows) * columns_);
  }

  // The number of a key's row, and whether it is new, that is, not filled yet. There must be room.
  std::pair<std::uint32_t, bool> find(std::uint64_t key) {
    std::size_t place = key & (kSlots - 1);
    while (slots_[place].generation == generation_ && slots_[place].key != key) place = (place + 1) & (kSlots - 1);
    const bool fresh = slots_[place].generation != generation_;
    if (fresh) slots_[place] = {key, generation_, static_cast<std::uint32_t>(size_++)};
    return {slots_[place].row, fresh};
  }

  std::span<std::int32_t> row(std::uint32_t number) { return std::span(rows_).subspan(number * columns_, columns_); }

 private:
  static constexpr std::size_t kSlots = 1U << 14;
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t generation = 0;
    std::uint32_t row = 0;
  };

  std::size_t columns_;
  std::size_t size_ = 0;
  std::uint32_t generation_ = 1;
  std::vector<Slot> slots_;
  std::vector<std::int32_t> rows_;
};

}  // namespace crossarc
