// Transition parsers with networks (Kiperwasser & Goldberg 2016): the encoder reads a batch of sentences at once, each
// is parsed by the search of its system (kernel/search) over what the head for transitions scores, and the arcs get
// their labels at the end. O(words) for the systems of linear length.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "nn/heads/transitions.hpp"
#include "nn/network.hpp"
#include "parsers/arcs.hpp"
#include "search/state.hpp"
#include "search/trace.hpp"

namespace crossarc {

// The head of a network that scores the transitions and labels of such a parser; throws std::invalid_argument if it has
// none.
const TransitionHead& fitting_head(const Network& network, const ParserDefinition& definition);

// Transitions of one sentence after the other, in a batch: features of the state find the words and numbers that the
// head looks at. Labels are left for the end.
class TransitionScorer {
 public:
  using Score = float;

  // The addresses and atoms of the features for transitions are what is looked at.
  TransitionScorer(const TransitionHead& head, const ParserDefinition& definition)
      : scores_(head), root_(definition.root), extractor_(definition.transition_features) {}

  void start(const Matrix& projected, const Batch& batch, std::size_t sentence) {
    projected_ = &projected;
    batch_ = &batch;
    sentence_ = sentence;
  }
  void look(const WordView& view, const ArcTable& arcs);
  TransitionScores& scores() { return scores_; }

  void score(const WordView& view, const ArcTable& arcs, std::span<Score> scores) {
    look(view, arcs);
    scores_.score(scores);
  }
  void score(const ParseState& state, std::span<const std::uint8_t> /* legal */, std::span<Score> scores) {
    score(state.view(), state.arcs, scores);
  }
  static std::int32_t label(const WordView& /* view */, const ArcTable& /* arcs */, std::int32_t /* transition */) {
    return kLabelledLater;
  }
  static std::int32_t label(const ParseState& /* state */, std::int32_t /* transition */) { return kLabelledLater; }

 private:
  static constexpr std::int32_t kLabelledLater = 0;  // any label: none is looked at

  TransitionScores scores_;
  Root root_;
  FeatureExtractor extractor_;
  const Matrix* projected_ = nullptr;
  const Batch* batch_ = nullptr;
  std::size_t sentence_ = 0;
  std::vector<std::int64_t> rows_;
  std::vector<std::uint64_t> hashes_;
};

// An arc between two words (0 is the artificial root) of a sentence, as one between rows of a batch.
ArcToLabel arc_to_label(const Batch& batch, std::size_t sentence, const LabelledArc& arc);

// A trained parser.
class TransitionModel {
 public:
  // Throws std::invalid_argument where the network does not fit the definition.
  TransitionModel(ParserDefinition definition, std::shared_ptr<const Network> network);

  const ParserDefinition& definition() const { return definition_; }
  const Network& network() const { return *network_; }
  // The same with another penalty.
  TransitionModel penalised(const CrossingPenalty& penalty) const;
  ParsedArcs parse(const SentenceTable& table, int threads) const;
  // At most `kept` analyses of each sentence.
  SearchResults search(const SentenceTable& table, std::size_t width, std::size_t kept, int threads) const;
  // Of a table of one sentence; scores are logarithms of probabilities.
  Trace trace(const SentenceTable& table, std::span<const std::int32_t> given) const;

 private:
  class Worker;
  // Calls work(worker, batch), which has read it, for all sentences in batches, on some threads.
  template <typename Work>
  void for_all(const SentenceTable& table, int threads, Work&& work) const;

  ParserDefinition definition_;
  std::shared_ptr<const Network> network_;
  const TransitionHead* head_;
};

}  // namespace crossarc
