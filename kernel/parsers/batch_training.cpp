#include "parsers/batch_training.hpp"

namespace crossarc {
namespace {

std::size_t length_of(const SentenceTable& table, std::int32_t sentence) {
  return static_cast<std::size_t>(table.length(static_cast<std::size_t>(sentence)));
}

void sort_by_length(const SentenceTable& table, std::vector<std::int32_t>& sentences) {
  std::stable_sort(sentences.begin(), sentences.end(),
                   [&](std::int32_t a, std::int32_t b) { return length_of(table, a) > length_of(table, b); });
}

}  // namespace

std::vector<std::size_t> cut_into_parts(const SentenceTable& table, std::span<const std::int32_t> batch,
                                        const PartRule& rule) {
  std::size_t words = 0;
  for (const std::int32_t sentence : batch) words += length_of(table, sentence);
  const std::size_t parts = rule.parts(words);
  std::vector<std::size_t> begins{0};
  std::size_t before = 0;
  for (std::size_t place = 0; place < batch.size(); ++place) {
    const std::size_t own = length_of(table, batch[place]);
    // A sentence belongs where its middle lies.
    while ((2 * before + own) * parts > 2 * words * begins.size()) begins.push_back(place);
    before += own;
  }
  begins.resize(parts, batch.size());
  begins.push_back(batch.size());
  return begins;
}

std::vector<std::vector<std::int32_t>> batches_in_order(const SentenceTable& table, std::span<const std::int32_t> order,
                                                        std::size_t sentences) {
  std::vector<std::vector<std::int32_t>> batches;
  for (std::size_t first = 0; first < order.size(); first += sentences) {
    const std::span<const std::int32_t> own = order.subspan(first, std::min(sentences, order.size() - first));
    sort_by_length(table, batches.emplace_back(own.begin(), own.end()));
  }
  return batches;
}

std::vector<std::vector<std::int32_t>> shuffled_batches(const SentenceTable& table, std::span<const std::int32_t> order,
                                                        std::size_t words, std::uint64_t seed) {
  std::vector<std::int32_t> sentences(order.begin(), order.end());
  sort_by_length(table, sentences);
  std::vector<std::vector<std::int32_t>> batches;
  std::size_t own = words;
  for (const std::int32_t sentence : sentences) {
    if (own >= words) {
      batches.emplace_back();
      own = 0;
    }
    batches.back().push_back(sentence);
    own += length_of(table, sentence);
  }
  Random random(seed);
  for (std::size_t place = batches.size(); place > 1; --place) {
    std::swap(batches[place - 1], batches[random.bits() % place]);
  }
  return batches;
}

}  // namespace crossarc
