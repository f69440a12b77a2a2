#include "parsers/network_parser.hpp"

#include <algorithm>
#include <numeric>

#include "parsers/network_easy_first.hpp"

namespace crossarc {

void SentenceBatch::gather(const SentenceTable& table, std::span<const std::int32_t> chosen) {
  sentences.clear();
  for (const std::int32_t sentence : chosen) {
    if (table.length(static_cast<std::size_t>(sentence)) > 0) sentences.push_back(sentence);
  }
  const auto length = [&](std::int32_t sentence) { return table.length(static_cast<std::size_t>(sentence)); };
  std::stable_sort(sentences.begin(), sentences.end(),
                   [&](std::int32_t a, std::int32_t b) { return length(a) > length(b); });
  lengths.resize(sentences.size());
  std::transform(sentences.begin(), sentences.end(), lengths.begin(), length);
  order.set(lengths);
  values.resize(order.rows() * table.columns);
  sentence_of_row.resize(order.rows());
  for (std::size_t place = 0; place < sentences.size(); ++place) {
    const auto first = static_cast<std::size_t>(table.offsets[static_cast<std::size_t>(sentences[place])]);
    for (std::size_t word = 0; word < static_cast<std::size_t>(lengths[place]); ++word) {
      const std::size_t row = order.row(place, word);
      sentence_of_row[row] = static_cast<std::int32_t>(place);
      std::copy_n(table.values + (first + word) * table.columns, table.columns, values.data() + row * table.columns);
    }
  }
}

const Configuration& NetworkParser::parse_one(const SentenceBatch& batch, std::size_t place) {
  const Program& program = *definition_->program;
  scorer_.start(reading_.projected(), batch.order, place);
  if (easy_first_) {
    parse_easy_first(batch.lengths[place], scorer_, *easy_first_);
    return easy_first_->pending().state().configuration;
  }
  start_state(*definition_, batch.lengths[place], state_);
  while (find_legal(program, state_.configuration, legal_)) {
    std::int32_t transition = only_one(legal_);
    if (transition == kNoNode) {
      scorer_.look(state_);
      scorer_.score(scores_);
      transition = best_of(scores_, legal_);
    }
    apply_transition(state_, transition, program[static_cast<std::size_t>(transition)].arcs > 0 ? 0 : kNoLabel);
  }
  return state_.configuration;
}

void NetworkParser::find_labels(const SentenceBatch& batch, std::size_t place, const Configuration& configuration) {
  questions_.clear();
  for (const BuiltArc& arc : configuration.links()) {
    questions_.push_back(label_question(batch.order, place, configuration.word_at(arc.head),
                                        configuration.word_at(arc.dependent), definition_->program->undirected()));
  }
  label_scorer_.answer(*network_, *label_output_, reading_.projected(), questions_, labels_);
}

LabelQuestion label_question(const WordOrder& order, std::size_t place, std::int32_t head, std::int32_t dependent,
                             bool undirected) {
  if (undirected && head > dependent) std::swap(head, dependent);
  const auto row = [&](std::int32_t word) {
    return word == 0 ? LabelQuestion::kRootRow
                     : static_cast<std::int64_t>(order.row(place, static_cast<std::size_t>(word - 1)));
  };
  return {row(head), row(dependent), kNoLabel};
}

std::int32_t best_of(std::span<const float> scores, std::span<const std::uint8_t> allowed) {
  std::int32_t best = kNoNode;
  for (std::size_t place = 0; place < scores.size(); ++place) {
    if (allowed[place] && (best == kNoNode || scores[place] > scores[static_cast<std::size_t>(best)])) {
      best = static_cast<std::int32_t>(place);
    }
  }
  return best;
}

std::int32_t only_one(std::span<const std::uint8_t> allowed) {
  const auto first = std::find(allowed.begin(), allowed.end(), 1);
  if (first == allowed.end() || std::find(first + 1, allowed.end(), 1) != allowed.end()) return kNoNode;
  return static_cast<std::int32_t>(first - allowed.begin());
}

std::vector<std::vector<std::int32_t>> batches_of(const SentenceTable& table) {
  constexpr std::size_t kSentences = 32;
  constexpr std::int32_t kWords = 2048;
  std::vector<std::int32_t> order(table.sentences());
  std::iota(order.begin(), order.end(), 0);
  const auto length = [&](std::int32_t sentence) { return table.length(static_cast<std::size_t>(sentence)); };
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return length(a) > length(b); });
  std::vector<std::vector<std::int32_t>> batches;
  std::int32_t words = 0;
  for (const std::int32_t sentence : order) {
    if (batches.empty() || batches.back().size() == kSentences || words + length(sentence) > kWords) {
      batches.emplace_back();
      words = 0;
    }
    batches.back().push_back(sentence);
    words += length(sentence);
  }
  return batches;
}

}  // namespace crossarc
