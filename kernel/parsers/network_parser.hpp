// Parsing with a network: a batch of sentences is read at once, each is parsed by the best legal transitions, greedily
// or in a beam, and the arcs get their labels at the end. O(words) for the systems of linear length.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "parsers/network_scorer.hpp"
#include "search/beam.hpp"
#include "search/easy_first.hpp"

namespace crossarc {

// Sentences of which some are to be read together.
struct SentenceTable {
  const std::uint32_t* values = nullptr;
  std::size_t columns = 0;
  std::span<const std::int64_t> offsets;  // of the words of each sentence

  std::int32_t length(std::size_t sentence) const {
    return static_cast<std::int32_t>(offsets[sentence + 1] - offsets[sentence]);
  }
  std::size_t sentences() const { return offsets.size() - 1; }
};

// Some sentences, the longest first, with the values of their words in the order in which networks read.
struct SentenceBatch {
  std::vector<std::int32_t> sentences;
  std::vector<std::int32_t> lengths;
  WordOrder order;
  std::vector<std::uint32_t> values;
  std::vector<std::int32_t> sentence_of_row;

  // Sentences without words are left out.
  void gather(const SentenceTable& table, std::span<const std::int32_t> chosen);
};

class NetworkParser {
 public:
  using Search = BeamSearch<BeamTransitionScorer>;

  NetworkParser(const Network& network, const ParserDefinition& definition, const PackedMatrix& label_output)
      : network_(&network),
        label_output_(&label_output),
        definition_(&definition),
        scorer_(network, definition),
        scores_(definition.program->size()),
        legal_(definition.program->size()) {
    if (definition.program->positional()) easy_first_.emplace(definition);
  }

  // Calls use(sentence, configuration, labels of its arcs) for every sentence of the batch.
  template <typename Use>
  void parse(const SentenceBatch& batch, Use&& use) {
    reading_.read(*network_, batch.order, batch.values);
    for (std::size_t place = 0; place < batch.sentences.size(); ++place) {
      const Configuration& built = parse_one(batch, place);
      find_labels(batch, place, built);
      use(batch.sentences[place], built, labels_);
    }
  }

  // The same with a beam: use(sentence, search, item, labels of its arcs) for at most so many states of each, best
  // first.
  template <typename Use>
  void search(const SentenceBatch& batch, std::size_t width, std::size_t kept, Use&& use) {
    reading_.read(*network_, batch.order, batch.values);
    Search beam(*definition_, width);
    BeamTransitionScorer scorer(scorer_);
    for (std::size_t place = 0; place < batch.sentences.size(); ++place) {
      scorer_.start(reading_.projected(), batch.order, place);
      beam.start(batch.lengths[place]);
      beam.run(scorer);
      for (const Search::Item& item : beam.items().first(std::min(kept, beam.items().size()))) {
        find_labels(batch, place, item.state.configuration);
        use(batch.sentences[place], beam, item, labels_);
      }
    }
  }

 private:
  const Configuration& parse_one(const SentenceBatch& batch, std::size_t place);
  void find_labels(const SentenceBatch& batch, std::size_t place, const Configuration& configuration);

  const Network* network_;
  const PackedMatrix* label_output_;
  const ParserDefinition* definition_;
  SentenceReading reading_;
  TransitionScorer scorer_;
  LabelScorer label_scorer_;
  ParseState state_;
  std::optional<EasyFirst<float>> easy_first_;
  std::vector<float> scores_;
  std::vector<std::uint8_t> legal_;
  std::vector<LabelQuestion> questions_;
  std::vector<std::int32_t> labels_;
};

// The question for the label of an arc between two words (0 is the artificial root) of a sentence in a batch.
LabelQuestion label_question(const WordOrder& order, std::size_t place, std::int32_t head, std::int32_t dependent,
                             bool undirected);

// The best of what is allowed, the first of equals; kNoNode if there is none.
std::int32_t best_of(std::span<const float> scores, std::span<const std::uint8_t> allowed);

// What is allowed if it is one alone, else kNoNode.
std::int32_t only_one(std::span<const std::uint8_t> allowed);

// The numbers of all sentences in batches of similar lengths, each of a limited number of words.
std::vector<std::vector<std::int32_t>> batches_of(const SentenceTable& table);

}  // namespace crossarc
