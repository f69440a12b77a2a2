#include "nn/batch.hpp"

#include <algorithm>
#include <numeric>

#include "core/threads.hpp"

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

void Batch::gather(const SentenceTable& table, std::span<const std::int32_t> chosen, RowOrder order, bool with_root) {
  sentences.assign(chosen.begin(), chosen.end());
  std::erase_if(sentences, [&](std::int32_t sentence) { return length_of(table, sentence) == 0; });
  sort_by_length(table, sentences);
  const std::size_t root = with_root ? 1 : 0;
  lengths.resize(sentences.size());
  std::transform(sentences.begin(), sentences.end(), lengths.begin(),
                 [&](std::int32_t sentence) { return static_cast<std::int32_t>(length_of(table, sentence) + root); });
  place_rows(order);
  const bool with_forms = table.forms.forms() > 0;
  columns = table.columns + (with_forms ? 1 : 0);
  values.resize(rows() * columns);
  for (std::size_t sentence = 0; sentence < size(); ++sentence) {
    const std::size_t first = table.first_word(static_cast<std::size_t>(sentences[sentence]));
    for (std::size_t word = 0; word < words(sentence); ++word) {
      const std::size_t to = row(sentence, word);
      std::uint32_t* const known = values.data() + to * columns;
      sentence_of_row[to] = static_cast<std::int32_t>(sentence);
      if (with_root && word == 0) {
        std::fill_n(known, table.columns, kRootValue);
        if (with_forms) known[columns - 1] = 0;
        word_of_row[to] = static_cast<std::size_t>(table.offsets.back());
        continue;
      }
      const std::size_t from = first + word - root;
      word_of_row[to] = from;
      std::copy_n(table.row(from), table.columns, known);
      if (with_forms) known[columns - 1] = static_cast<std::uint32_t>(table.forms.form_of_word[from]) + 1;
    }
  }
}

void Batch::place_rows(RowOrder order) {
  order_ = order;
  first_rows_.clear();
  std::size_t rows = 0;
  if (order == RowOrder::kSentenceMajor) {
    for (std::size_t sentence = 0; sentence < size(); ++sentence) {
      first_rows_.push_back(rows);
      rows += words(sentence);
    }
  } else {
    std::size_t width = size();
    for (std::size_t word = 0; width > 0; ++word) {
      first_rows_.push_back(rows);
      rows += width;
      while (width > 0 && words(width - 1) <= word + 1) --width;
    }
  }
  sentence_of_row.resize(rows);
  word_of_row.resize(rows);
}

void Batch::drop(const InputDropout& dropout, Random& random) {
  drop_words(dropout, random);
  if (dropout.columns.share > 0.0F) drop_columns(dropout.columns, random);
}

void Batch::drop_words(const InputDropout& dropout, Random& random) {
  const auto chance = [&](std::size_t column, std::uint32_t value) {
    if (dropout.counts.empty()) return dropout.words;
    return dropout.words / (dropout.words + static_cast<float>(dropout.counts[column][value]));
  };
  for (std::size_t row = 0; row < rows(); ++row) {
    for (std::size_t column = 0; column < dropout.lexical_columns; ++column) {
      std::uint32_t& value = values[row * columns + column];
      if (value != kRootValue && random.share() < chance(column, value)) value = kUnknownValue;
    }
  }
}

void Batch::drop_columns(const ColumnDropout& dropout, Random& random) {
  std::vector<std::uint8_t> dropped(size() * columns, 0);
  for (std::size_t sentence = 0; sentence < size(); ++sentence) {
    if (random.share() >= dropout.share) continue;
    const bool all = random.share() < 0.5F;
    for (const std::vector<std::int32_t>& family : dropout.families) {
      if (!all && random.share() < 0.5F) continue;
      for (const std::int32_t column : family) dropped[sentence * columns + static_cast<std::size_t>(column)] = 1;
    }
  }
  for (std::size_t row = 0; row < rows(); ++row) {
    const std::uint8_t* const lost = dropped.data() + static_cast<std::size_t>(sentence_of_row[row]) * columns;
    for (std::size_t column = 0; column < dropout.empty.size(); ++column) {
      std::uint32_t& value = values[row * columns + column];
      if (lost[column] && value != kRootValue) value = dropout.empty[column];
    }
  }
}

std::size_t shared_sentences(const SentenceTable& table, int threads, std::size_t most) {
  constexpr std::size_t kLeast = 8;
  const std::size_t count = thread_count(threads);
  return std::clamp((table.sentences() + count - 1) / count, std::min(kLeast, most), most);
}

std::vector<std::vector<std::int32_t>> batches_by_length(const SentenceTable& table, std::size_t most_sentences,
                                                         std::int32_t most_words) {
  std::vector<std::int32_t> order(table.sentences());
  std::iota(order.begin(), order.end(), 0);
  sort_by_length(table, order);
  std::vector<std::vector<std::int32_t>> batches;
  std::size_t words = 0;
  for (const std::int32_t sentence : order) {
    const std::size_t length = length_of(table, sentence);
    if (batches.empty() || batches.back().size() == most_sentences ||
        words + length > static_cast<std::size_t>(most_words)) {
      batches.emplace_back();
      words = 0;
    }
    batches.back().push_back(sentence);
    words += length;
  }
  return batches;
}

std::vector<std::vector<std::int32_t>> batches_in_order(const SentenceTable& table, std::span<const std::int32_t> order,
                                                        std::size_t sentences) {
  std::vector<std::vector<std::int32_t>> batches;
  for (std::size_t first = 0; first < order.size(); first += sentences) {
    const std::span<const std::int32_t> some = order.subspan(first, std::min(sentences, order.size() - first));
    sort_by_length(table, batches.emplace_back(some.begin(), some.end()));
  }
  return batches;
}

std::vector<std::vector<std::int32_t>> shuffled_batches(const SentenceTable& table, std::span<const std::int32_t> order,
                                                        std::size_t words, std::uint64_t seed) {
  std::vector<std::int32_t> sentences(order.begin(), order.end());
  sort_by_length(table, sentences);
  std::vector<std::vector<std::int32_t>> batches;
  std::size_t batch_words = words;
  for (const std::int32_t sentence : sentences) {
    if (batch_words >= words) {
      batches.emplace_back();
      batch_words = 0;
    }
    batches.back().push_back(sentence);
    batch_words += length_of(table, sentence);
  }
  Random random(seed);
  for (std::size_t last = batches.size(); last > 1; --last) {
    std::swap(batches[last - 1], batches[random.bits() % last]);
  }
  return batches;
}

}  // namespace crossarc
