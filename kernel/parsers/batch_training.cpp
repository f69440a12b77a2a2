#include "parsers/batch_training.hpp"

namespace crossarc {

std::vector<std::size_t> cut_into_parts(const SentenceTable& table, std::span<const std::int32_t> batch) {
  constexpr std::size_t kManyWords = 1024;
  const auto length = [&](std::int32_t sentence) {
    return static_cast<std::size_t>(table.length(static_cast<std::size_t>(sentence)));
  };
  std::size_t words = 0;
  for (const std::int32_t sentence : batch) words += length(sentence);
  const std::size_t parts = words < kManyWords ? kMostParts / 2 : kMostParts;
  std::vector<std::size_t> begins{0};
  std::size_t before = 0;
  for (std::size_t place = 0; place < batch.size(); ++place) {
    // A sentence belongs where its middle lies.
    while ((2 * before + length(batch[place])) * parts > 2 * words * begins.size()) begins.push_back(place);
    before += length(batch[place]);
  }
  begins.resize(parts, batch.size());
  begins.push_back(batch.size());
  return begins;
}

}  // namespace crossarc
