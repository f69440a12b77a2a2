#include "parsers/network.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/threads.hpp"
#include "search/beam.hpp"
#include "search/easy_first.hpp"
#include "search/greedy.hpp"

namespace crossarc {
namespace {

std::vector<Matrix*> list_all(EncoderWeights& encoder, Matrix& projection, TransitionHeadWeights& transitions,
                              LabelHeadWeights& labels) {
  std::vector<Matrix*> all;
  encoder.list(all);
  all.push_back(&projection);
  transitions.list(all);
  labels.list(all);
  return all;
}

// The network of a model file, unless it would need more weights than the file has.
Network fitting_network(const ParserDefinition& definition, const NetworkSizes& sizes, const ValueLists& weights) {
  check_weights(weights, Network::weight_count(definition, sizes));
  return Network(definition, sizes);
}

}  // namespace

std::size_t Network::weight_count(const ParserDefinition& definition, const NetworkSizes& sizes) {
  std::size_t count = sizes.encoder.weight_count();
  const std::size_t slots = definition.transition_features.addresses.size();
  const std::size_t atoms = definition.transition_features.atoms.size() * TransitionHeadShape::kAtomValues;
  const std::size_t transitions = definition.program->size();
  count += sizes.encoder.outputs() * (slots * sizes.hidden + 2 * sizes.label_hidden);  // the projection
  count += (2 * slots + atoms + 1 + transitions) * sizes.hidden + transitions;
  return count + (2 + definition.labels) * sizes.label_hidden + definition.labels;
}

Network::Network(const ParserDefinition& definition, const NetworkSizes& sizes)
    : encoder(sizes.encoder),
      transitions({definition.transition_features.addresses.size(), definition.transition_features.atoms.size(),
                   sizes.hidden, definition.program->size()}),
      labels({transitions.shape.projected(), sizes.label_hidden, definition.labels}) {
  projection.weights.reset(sizes.encoder.outputs(), transitions.shape.projected() + labels.shape.projected());
}

void Network::initialise(std::uint64_t seed) {
  Random random(seed);
  // What reads characters is the larger network, which learns better from larger embeddings.
  const bool large = encoder.shape.characters.outputs > 0;
  encoder.weights.initialise(random, large ? EncoderWeights::kUnitVariance : EncoderWeights::kNarrowRange);
  // Of each role by itself, not of all together.
  const auto sizes = static_cast<float>(projection.weights.rows) + static_cast<float>(transitions.shape.hidden);
  spread(projection.weights, std::sqrt(6.0F / sizes), random);
  transitions.initialise(random);
  labels.initialise(random);
}

std::vector<Matrix*> Network::weights() { return list_all(encoder.weights, projection.weights, transitions, labels); }

std::vector<const Matrix*> Network::weights() const {
  const std::vector<Matrix*> all = const_cast<Network*>(this)->weights();
  return {all.begin(), all.end()};
}

void Network::pack(bool to_learn) {
  encoder.pack(to_learn);
  projection.pack(to_learn);
}

void Network::pack(std::size_t number, bool to_learn) {
  const std::size_t of_encoder = encoder.weights.count();
  if (number < of_encoder) encoder.pack(number, to_learn);
  if (number == of_encoder) projection.pack(to_learn);
}

NetworkGradients::NetworkGradients(const Network& network)
    : encoder(network.encoder.shape, false),
      projection(network.projection.weights.rows, network.projection.weights.columns),
      transitions(network.transitions.shape),
      labels(network.labels.shape) {}

std::vector<Matrix*> NetworkGradients::all() { return list_all(encoder, projection, transitions, labels); }

void NetworkGradients::clear() {
  transitions.clear();
  labels.clear();
}

void TransitionScorer::look(const WordView& view, const ArcTable& arcs) {
  extractor_.extract(view, arcs, {}, 0, hashes_);
  const std::span<const FeatureExtractor::Place> places = extractor_.places();
  rows_.resize(places.size());
  for (std::size_t slot = 0; slot < places.size(); ++slot) {
    const std::int32_t node = places[slot].node;
    const std::int32_t word = node == kNoNode ? kNoNode : Configuration::word_at(node, arcs.nodes(), root_);
    if (word > 0) {
      rows_[slot] = static_cast<std::int64_t>(order_->row(sentence_, static_cast<std::size_t>(word - 1)));
    } else {
      rows_[slot] = word == 0 ? TransitionHead::kArtificial : TransitionHead::kAbsent;
    }
  }
  head_.look(*projected_, rows_, extractor_.values());
}

LabelQuestion label_question(const WordOrder& order, std::size_t sentence, const LabelledArc& arc) {
  const auto row = [&](std::int32_t word) {
    return word == 0 ? LabelQuestion::kRootRow
                     : static_cast<std::int64_t>(order.row(sentence, static_cast<std::size_t>(word - 1)));
  };
  return {row(arc.head), row(arc.dependent), arc.label};
}

namespace {

// For beam search: logarithms of probabilities, which add up over transitions.
class LogProbabilityScorer {
 public:
  using Score = float;

  explicit LogProbabilityScorer(TransitionScorer& scorer) : scorer_(&scorer) {}

  void score(const ParseState& state, std::span<const std::uint8_t> legal, std::span<Score> scores) {
    scorer_->score(state, legal, scores);
    normalise(scores, legal);
    for (Score& score : scores) score = std::log(std::max(score, std::numeric_limits<Score>::min()));
  }
  std::int32_t label(const ParseState& state, std::int32_t transition) { return scorer_->label(state, transition); }

 private:
  TransitionScorer* scorer_;
};

}  // namespace

// Parses batches, one after the other. Keeps its memory.
class NetworkModel::Parser {
 public:
  using Search = BeamSearch<LogProbabilityScorer>;

  // `forms`: what the characters of the forms of all sentences say, if they are read.
  Parser(const NetworkModel& model, const Matrix& forms)
      : model_(&model),
        forms_(&forms),
        scorer_(model.network_, model.definition_),
        label_head_(model.network_.labels),
        greedy_(model.definition_) {
    if (model.definition_.program->positional()) easy_first_.emplace(model.definition_);
  }

  void parse(const SentenceBatch& batch, std::span<std::vector<LabelledArc>> arcs) {
    read(batch);
    for (std::size_t place = 0; place < batch.sentences.size(); ++place) {
      scorer_.start(projected_.values(), batch.order, place);
      const std::int32_t words = batch.lengths[place];
      std::vector<LabelledArc>& own = arcs[static_cast<std::size_t>(batch.sentences[place])];
      add_word_arcs(model_->definition_, words,
                    easy_first_ ? easy_first_->parse(words, scorer_) : greedy_.parse(words, scorer_), own);
      find_labels(batch, place, own);
    }
  }

  void search(const SentenceBatch& batch, std::size_t width, std::size_t kept,
              std::span<std::vector<Analysis>> analyses) {
    read(batch);
    Search beam(model_->definition_, width);
    LogProbabilityScorer scorer(scorer_);
    std::vector<Search::Step> steps;
    for (std::size_t place = 0; place < batch.sentences.size(); ++place) {
      scorer_.start(projected_.values(), batch.order, place);
      beam.start(batch.lengths[place]);
      beam.run(scorer);
      std::vector<Analysis>& own = analyses[static_cast<std::size_t>(batch.sentences[place])];
      for (const Search::Item& item : beam.items().first(std::min(kept, beam.items().size()))) {
        find_labels(batch, place, own.emplace_back(beam, item, steps).arcs);
      }
    }
  }

  Trace trace(const SentenceBatch& batch, std::span<const std::int32_t> given) {
    read(batch);
    scorer_.start(projected_.values(), batch.order, 0);
    LogProbabilityScorer scorer(scorer_);
    return trace_sentence(model_->definition_, batch.lengths.front(), scorer, given);
  }

 private:
  void read(const SentenceBatch& batch) {
    reading_.read(model_->network_.encoder, batch, forms_);
    projected_.project(model_->network_.projection, reading_.encoded());
  }

  void find_labels(const SentenceBatch& batch, std::size_t place, std::vector<LabelledArc>& arcs) {
    questions_.clear();
    for (const LabelledArc& arc : arcs) questions_.push_back(label_question(batch.order, place, arc));
    label_head_.answer(model_->label_output_, projected_.values(), questions_, labels_);
    for (std::size_t arc = 0; arc < arcs.size(); ++arc) arcs[arc].label = labels_[arc];
  }

  const NetworkModel* model_;
  const Matrix* forms_;
  SentenceReading reading_;
  ProjectedWords projected_;
  TransitionScorer scorer_;
  LabelHead label_head_;
  GreedySearch<float> greedy_;
  std::optional<EasyFirstSearch<float>> easy_first_;
  std::vector<LabelQuestion> questions_;
  std::vector<std::int32_t> labels_;
};

NetworkModel::NetworkModel(ParserDefinition definition, const NetworkSizes& sizes, const ValueLists& weights)
    : definition_(std::move(definition)), network_(fitting_network(definition_, sizes, weights)) {
  set_values(network_.weights(), weights);
  network_.pack(false);
  label_output_.pack(network_.labels.output);
}

template <typename Work>
void NetworkModel::for_batches(const SentenceTable& table, int threads, Work&& work) const {
  const std::vector<std::vector<std::int32_t>> batches = batches_of(table);
  const Encoder& encoder = network_.encoder;
  const Matrix forms = read_forms(encoder.weights.characters, encoder.packed_characters, table.forms, threads);
  constexpr std::size_t kTogether = 8;  // batches that one parser takes
  parallel_for((batches.size() + kTogether - 1) / kTogether, thread_count(threads), [&](std::size_t group) {
    Parser parser(*this, forms);
    SentenceBatch batch;
    const std::size_t last = std::min(batches.size(), (group + 1) * kTogether);
    for (std::size_t number = group * kTogether; number < last; ++number) {
      batch.gather(table, batches[number]);
      work(parser, batch);
    }
  });
}

ParsedArcs NetworkModel::parse(const SentenceTable& table, int threads) const {
  std::vector<std::vector<LabelledArc>> arcs(table.sentences());
  for_batches(table, threads, [&](Parser& parser, const SentenceBatch& batch) { parser.parse(batch, arcs); });
  return ParsedArcs(arcs);
}

SearchResults NetworkModel::search(const SentenceTable& table, std::size_t width, std::size_t kept, int threads) const {
  std::vector<std::vector<Analysis>> analyses(table.sentences());
  for_batches(table, threads,
              [&](Parser& parser, const SentenceBatch& batch) { parser.search(batch, width, kept, analyses); });
  return SearchResults(analyses);
}

Trace NetworkModel::trace(const SentenceTable& table, std::span<const std::int32_t> given) const {
  Trace found;
  for_batches(table, 1, [&](Parser& parser, const SentenceBatch& batch) { found = parser.trace(batch, given); });
  return found;
}

}  // namespace crossarc
