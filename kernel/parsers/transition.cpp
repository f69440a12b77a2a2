#include "parsers/transition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include "search/beam.hpp"
#include "search/crossing_penalty.hpp"
#include "search/easy_first.hpp"
#include "search/greedy.hpp"

namespace crossarc {

const TransitionHead& fitting_head(const Network& network, const ParserDefinition& definition) {
  const TransitionHead& head = network.head<TransitionHead>();
  const FeatureSet& features = definition.transition_features;
  if (head.sizes.slots != features.addresses.size() || head.sizes.atoms != features.atoms.size() ||
      head.sizes.transitions != definition.program->size() || head.sizes.labels != definition.labels) {
    throw std::invalid_argument("the network is of another transition system, views or labels");
  }
  return head;
}

void TransitionScorer::look(const WordView& view, const ArcTable& arcs) {
  extractor_.extract(view, arcs, {}, 0, hashes_);
  const std::span<const FeatureExtractor::Place> places = extractor_.places();
  rows_.resize(places.size());
  for (std::size_t slot = 0; slot < places.size(); ++slot) {
    const std::int32_t node = places[slot].node;
    const std::int32_t word = node == kNoNode ? kNoNode : Configuration::word_at(node, arcs.nodes(), root_);
    if (word > 0) {
      rows_[slot] = static_cast<std::int64_t>(batch_->row(sentence_, static_cast<std::size_t>(word - 1)));
    } else {
      rows_[slot] = word == 0 ? TransitionScores::kArtificial : TransitionScores::kAbsent;
    }
  }
  scores_.look(*projected_, rows_, extractor_.values());
}

ArcToLabel arc_to_label(const Batch& batch, std::size_t sentence, const LabelledArc& arc) {
  const auto row = [&](std::int32_t word) {
    return word == 0 ? ArcToLabel::kRootRow
                     : static_cast<std::int64_t>(batch.row(sentence, static_cast<std::size_t>(word - 1)));
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
class TransitionModel::Worker {
 public:
  using SearchScorer = PenalisedScorer<LogProbabilityScorer>;
  using Search = BeamSearch<SearchScorer>;

  explicit Worker(const TransitionModel& model)
      : definition_(&model.definition_),
        projected_(*model.head_),
        scorer_(model.definition_, *model.head_, model.definition_),
        labels_(*model.head_),
        label_losses_(label_losses<float>(model.definition_)),
        greedy_(model.definition_) {
    if (definition_->program->positional()) easy_first_.emplace(*definition_);
  }

  void read(const Matrix& encoded) { projected_.project(encoded); }

  void parse(const Batch& batch, std::span<std::vector<LabelledArc>> all) {
    for (std::size_t sentence = 0; sentence < batch.size(); ++sentence) {
      scorer_.start(projected_.values(), batch, sentence);
      const std::int32_t words = batch.lengths[sentence];
      std::vector<LabelledArc>& arcs = all[static_cast<std::size_t>(batch.sentences[sentence])];
      add_word_arcs(*definition_, words,
                    easy_first_ ? easy_first_->parse(words, scorer_) : greedy_.parse(words, scorer_), arcs);
      find_labels(batch, sentence, arcs);
    }
  }

  void search(const Batch& batch, std::size_t width, std::size_t kept, std::span<std::vector<Analysis>> all) {
    Search beam(*definition_, width);
    SearchScorer scorer(*definition_, scorer_);
    std::vector<Search::Step> steps;
    for (std::size_t sentence = 0; sentence < batch.size(); ++sentence) {
      scorer_.start(projected_.values(), batch, sentence);
      beam.start(batch.lengths[sentence]);
      beam.run(scorer);
      std::vector<Analysis>& analyses = all[static_cast<std::size_t>(batch.sentences[sentence])];
      for (const Search::Item& item : beam.items().first(std::min(kept, beam.items().size()))) {
        find_labels(batch, sentence, analyses.emplace_back(beam, item, steps).arcs);
      }
    }
  }

  Trace trace(const Batch& batch, std::span<const std::int32_t> given) {
    scorer_.start(projected_.values(), batch, 0);
    SearchScorer scorer(*definition_, scorer_);
    return trace_sentence(*definition_, batch.lengths.front(), scorer, given);
  }

 private:
  void find_labels(const Batch& batch, std::size_t sentence, std::vector<LabelledArc>& arcs) {
    to_label_.clear();
    for (const LabelledArc& arc : arcs) to_label_.push_back(arc_to_label(batch, sentence, arc));
    labels_.find(projected_.values(), to_label_, label_losses_, best_labels_);
    for (std::size_t arc = 0; arc < arcs.size(); ++arc) arcs[arc].label = best_labels_[arc];
  }

  const ParserDefinition* definition_;
  ProjectedWords projected_;
  PenalisedScorer<TransitionScorer> scorer_;
  LabelScores labels_;
  std::vector<float> label_losses_;
  GreedySearch<float> greedy_;
  std::optional<EasyFirstSearch<float>> easy_first_;
  std::vector<ArcToLabel> to_label_;
  std::vector<std::int32_t> best_labels_;
};

TransitionModel::TransitionModel(ParserDefinition definition, std::shared_ptr<const Network> network)
    : definition_(std::move(definition)), network_(std::move(network)), head_(&fitting_head(*network_, definition_)) {}

TransitionModel TransitionModel::penalised(const CrossingPenalty& penalty) const {
  check_penalty(penalty, definition_.labels);
  TransitionModel model = *this;
  model.definition_.crossing_penalty = penalty;
  return model;
}

template <typename Work>
void TransitionModel::for_all(const SentenceTable& table, int threads, Work&& work) const {
  for_batches(
      *network_, table, {32, 2048, false}, threads, [&] { return std::make_unique<Worker>(*this); },
      [&](std::unique_ptr<Worker>& worker, const Batch& batch, const Matrix& encoded) {
        worker->read(encoded);
        work(*worker, batch);
      });
}

ParsedArcs TransitionModel::parse(const SentenceTable& table, int threads) const {
  std::vector<std::vector<LabelledArc>> arcs(table.sentences());
  for_all(table, threads, [&](Worker& worker, const Batch& batch) { worker.parse(batch, arcs); });
  return ParsedArcs(arcs);
}

SearchResults TransitionModel::search(const SentenceTable& table, std::size_t width, std::size_t kept,
                                      int threads) const {
  std::vector<std::vector<Analysis>> analyses(table.sentences());
  for_all(table, threads, [&](Worker& worker, const Batch& batch) { worker.search(batch, width, kept, analyses); });
  return SearchResults(analyses);
}

Trace TransitionModel::trace(const SentenceTable& table, std::span<const std::int32_t> given) const {
  Trace trace;
  for_all(table, 1, [&](Worker& worker, const Batch& batch) { trace = worker.trace(batch, given); });
  return trace;
}

}  // namespace crossarc
