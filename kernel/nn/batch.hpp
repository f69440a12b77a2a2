// A batch of sentences as encoders and heads see it: words have rows, and batch.row(sentence, word) alone says which.
// In which order the rows come is the encoder's choice: an LSTM takes all first words, then all second ones; others
// take one sentence after the other. Sentences come the longest first. O(words).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/random.hpp"
#include "features/words.hpp"

namespace crossarc {

enum class RowOrder : std::uint8_t {
  kTimeMajor,      // the first words of all sentences, then the second ones, and so on
  kSentenceMajor,  // all words of a sentence, then those of the next one
};

// Columns that are empty in some input, such as tags: in training a sentence loses some of them at random.
struct ColumnDropout {
  std::vector<std::vector<std::int32_t>> families;  // columns that are empty together
  std::vector<std::uint32_t> empty;                 // for each column, its value where it is empty
  float share = 0.0F;                               // of sentences: half of them lose all, half of them some
};

// What of a batch is left out at random in training.
struct InputDropout {
  float words = 0.0F;               // word dropout: the share of values that becomes the unknown one
  std::size_t lexical_columns = 0;  // of the first columns; those after them keep their values
  // Of the values of each lexical column, how often each occurs, if rare words alone are to be left out: a word that
  // was seen n times with the chance words / (words + n).
  std::vector<std::vector<std::int32_t>> counts;
  ColumnDropout columns;
};

class Batch {
 public:
  std::vector<std::int32_t> sentences;  // their numbers in the table
  std::vector<std::int32_t> lengths;    // with the artificial root, where there is one: it is the first word then
  std::size_t columns = 0;              // of the table, and one for the form where it has forms
  std::vector<std::uint32_t> values;    // the last: the number of the form and 1, 0 for the artificial root
  std::vector<std::int32_t> sentence_of_row;
  std::vector<std::size_t> word_of_row;  // in the table; its number of words for the artificial root

  // Sentences without words are left out.
  void gather(const SentenceTable& table, std::span<const std::int32_t> chosen, RowOrder order, bool with_root);

  std::size_t size() const { return sentences.size(); }
  std::size_t rows() const { return sentence_of_row.size(); }
  std::size_t words(std::size_t sentence) const { return static_cast<std::size_t>(lengths[sentence]); }
  std::size_t row(std::size_t sentence, std::size_t word) const {
    return order_ == RowOrder::kTimeMajor ? first_rows_[word] + sentence : first_rows_[sentence] + word;
  }
  std::span<const std::uint32_t> row_values(std::size_t row) const {
    return std::span(values).subspan(row * columns, columns);
  }
  std::uint32_t form(std::size_t row) const { return values[(row + 1) * columns - 1]; }
  void drop(const InputDropout& dropout, Random& random);

 private:
  void place_rows(RowOrder order);
  void drop_words(const InputDropout& dropout, Random& random);
  void drop_columns(const ColumnDropout& dropout, Random& random);

  RowOrder order_ = RowOrder::kTimeMajor;
  std::vector<std::size_t> first_rows_;  // of each word, or of each sentence
};

// How many sentences go together, at most so many, if every thread is to have some: results do not depend on it.
std::size_t shared_sentences(const SentenceTable& table, int threads, std::size_t most);

// The numbers of all sentences in batches of similar lengths, each of a limited number of sentences and words.
std::vector<std::vector<std::int32_t>> batches_by_length(const SentenceTable& table, std::size_t sentences,
                                                         std::int32_t words);

// To learn: batches of so many sentences as they come, the longest of each first.
std::vector<std::vector<std::int32_t>> batches_in_order(const SentenceTable& table, std::span<const std::int32_t> order,
                                                        std::size_t sentences);
// To learn: sentences of similar lengths in batches of about so many words, the longest sentences of a batch first; the
// batches come in an order that the seed says.
std::vector<std::vector<std::int32_t>> shuffled_batches(const SentenceTable& table, std::span<const std::int32_t> order,
                                                        std::size_t words, std::uint64_t seed);

}  // namespace crossarc
