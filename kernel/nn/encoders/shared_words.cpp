#include "nn/encoders/shared_words.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/threads.hpp"
#include "nn/encoders/lstm.hpp"

namespace crossarc {

void DifferentWords::clear(std::size_t columns, std::size_t words) {
  columns_ = columns;
  values_.clear();
  table_.assign(std::bit_ceil(2 * words + 1), -1);
}

std::span<const std::uint32_t> DifferentWords::values(std::size_t number) const {
  return std::span(values_).subspan(number * columns_, columns_);
}

std::int32_t DifferentWords::number(std::span<const std::uint32_t> values) {
  std::uint64_t hash = 0;
  for (const std::uint32_t value : values) {
    hash = (hash ^ value) * 0xD6E8FEB86659FD93ULL;
    hash ^= hash >> 32;
  }
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = hash & mask;
  while (table_[slot] >= 0 &&
         !std::equal(values.begin(), values.end(), this->values(static_cast<std::size_t>(table_[slot])).begin())) {
    slot = (slot + 1) & mask;
  }
  if (table_[slot] < 0) {
    table_[slot] = static_cast<std::int32_t>(count());
    values_.insert(values_.end(), values.begin(), values.end());
  }
  return table_[slot];
}

// Numbers the words of a table, the artificial root behind them, and returns the values of those that are shared.
std::vector<std::uint32_t> SharedWords::choose(const LstmEncoder& encoder, const SentenceTable& table) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 26;
  const std::size_t most = kMostBytes / (8 * encoder.sizes().hidden_size * sizeof(float));
  const auto words = static_cast<std::size_t>(table.offsets.back());
  const bool with_forms = table.forms.forms() > 0;
  std::vector<std::uint32_t> values(table.columns + (with_forms ? 1 : 0));
  DifferentWords different;
  different.clear(values.size(), words + 1);
  indices_.resize(words + 1);
  std::vector<std::int32_t> counts;
  for (std::size_t word = 0; word <= words; ++word) {
    if (word < words) {
      std::copy_n(table.row(word), table.columns, values.begin());
      if (with_forms) values.back() = static_cast<std::uint32_t>(table.forms.form_of_word[word]) + 1;
    } else {
      std::fill(values.begin(), values.end(), kRootValue);
      if (with_forms) values.back() = 0;
    }
    indices_[word] = different.number(values);
    counts.resize(different.count());
    ++counts[static_cast<std::size_t>(indices_[word])];
  }
  // The artificial root stands before every sentence.
  counts[static_cast<std::size_t>(indices_[words])] += static_cast<std::int32_t>(table.sentences());
  std::vector<std::int32_t> chosen(counts.size());
  std::iota(chosen.begin(), chosen.end(), 0);
  std::erase_if(chosen, [&](std::int32_t number) { return counts[static_cast<std::size_t>(number)] < 2; });
  const auto count = [&](std::int32_t number) { return counts[static_cast<std::size_t>(number)]; };
  std::stable_sort(chosen.begin(), chosen.end(), [&](std::int32_t a, std::int32_t b) { return count(a) > count(b); });
  chosen.resize(std::min(chosen.size(), most));
  std::vector<std::int32_t> index_of(counts.size(), -1);
  std::vector<std::uint32_t> all;
  for (std::size_t index = 0; index < chosen.size(); ++index) {
    const auto number = static_cast<std::size_t>(chosen[index]);
    index_of[number] = static_cast<std::int32_t>(index);
    all.insert(all.end(), different.values(number).begin(), different.values(number).end());
  }
  for (std::int32_t& index : indices_) index = index_of[static_cast<std::size_t>(index)];
  return all;
}

SharedWords::SharedWords(const LstmEncoder& encoder, const SentenceTable& table, const Matrix& forms, int threads) {
  constexpr std::size_t kTogether = 256;
  const std::vector<std::uint32_t> values = choose(encoder, table);
  const std::size_t columns = table.columns + (table.forms.forms() > 0 ? 1 : 0);
  const std::size_t words = values.size() / columns;
  for (Matrix& sums : sums_) sums.resize(words, 4 * encoder.sizes().hidden_size);
  parallel_for((words + kTogether - 1) / kTogether, thread_count(threads), [&](std::size_t part) {
    const std::size_t first = part * kTogether;
    const std::size_t some = std::min(kTogether, words - first);
    Matrix inputs, sums;
    LeftRows left;
    encoder.inputs().embed(std::span(values).subspan(first * columns, some * columns), columns, &forms, inputs);
    left.set(inputs);
    for (std::size_t direction = 0; direction < 2; ++direction) {
      encoder.layers().sum_inputs(0, direction, left, sums);
      std::copy_n(sums.row(0), some * sums.columns, sums_[direction].row(first));
    }
  });
}

}  // namespace crossarc
