// Parsers whose transitions and labels are scored by a network (Kiperwasser & Goldberg 2016): an encoder that reads the
// whole sentence, and two heads. A batch of sentences is read at once, each is parsed by the search of its system
// (kernel/search), and the arcs get their labels at the end. O(words) for the systems of linear length.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nn/encoder.hpp"
#include "nn/heads.hpp"
#include "parsers/arcs.hpp"
#include "search/state.hpp"
#include "search/trace.hpp"

namespace crossarc {

// What can be chosen; the definition of the parser says the rest.
struct NetworkSizes {
  EncoderShape encoder;
  std::size_t hidden = 0;
  std::size_t label_hidden = 0;
};

struct Network {
  Encoder encoder;
  Projection projection;
  TransitionHeadWeights transitions;
  LabelHeadWeights labels;

  Network(const ParserDefinition& definition, const NetworkSizes& sizes);
  // How many weights a network of such sizes has: to be asked before it is made.
  static std::size_t weight_count(const ParserDefinition& definition, const NetworkSizes& sizes);
  void initialise(std::uint64_t seed);
  // In the order of model files: those of the encoder, the projection, those of transitions and of labels.
  std::vector<Matrix*> weights();
  std::vector<const Matrix*> weights() const;
  // To be done after every change of weights; or for one of them, by its number, if it is one to be packed.
  void pack(bool to_learn);
  void pack(std::size_t number, bool to_learn);
};

// Of everything but embeddings.
struct NetworkGradients {
  EncoderWeights encoder;
  Matrix projection;
  TransitionHeadWeights transitions;
  LabelHeadWeights labels;

  explicit NetworkGradients(const Network& network);
  // In the order of the weights; those of embeddings are empty.
  std::vector<Matrix*> all();
  // Makes zero what learning adds to. What it writes anew every time stays as it is.
  void clear();
};

// Transitions of one sentence after the other, in a batch: features of the state find the words and numbers that the
// head looks at. Labels are left for the end.
class TransitionScorer {
 public:
  using Score = float;

  // The addresses and atoms of the features for transitions are what is looked at.
  TransitionScorer(const Network& network, const ParserDefinition& definition)
      : head_(network.transitions), root_(definition.root), extractor_(definition.transition_features) {}

  void start(const Matrix& projected, const WordOrder& order, std::size_t sentence) {
    projected_ = &projected;
    order_ = &order;
    sentence_ = sentence;
  }
  void look(const WordView& view, const ArcTable& arcs);
  TransitionHead& head() { return head_; }

  void score(const WordView& view, const ArcTable& arcs, std::span<Score> scores) {
    look(view, arcs);
    head_.score(scores);
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

  TransitionHead head_;
  Root root_;
  FeatureExtractor extractor_;
  const Matrix* projected_ = nullptr;
  const WordOrder* order_ = nullptr;
  std::size_t sentence_ = 0;
  std::vector<std::int64_t> rows_;
  std::vector<std::uint64_t> hashes_;
};

// The question for the label of an arc between two words (0 is the artificial root) of a sentence in a batch.
LabelQuestion label_question(const WordOrder& order, std::size_t sentence, const LabelledArc& arc);

// A trained parser.
class NetworkModel {
 public:
  // Throws std::invalid_argument where these are not the weights of such a network.
  NetworkModel(ParserDefinition definition, const NetworkSizes& sizes, const ValueLists& weights);

  const ParserDefinition& definition() const { return definition_; }
  const Network& network() const { return network_; }
  ParsedArcs parse(const SentenceTable& table, int threads) const;
  // At most `kept` analyses of each sentence.
  SearchResults search(const SentenceTable& table, std::size_t width, std::size_t kept, int threads) const;
  // Of a table of one sentence; scores are logarithms of probabilities.
  Trace trace(const SentenceTable& table, std::span<const std::int32_t> given) const;

 private:
  class Parser;
  // Calls work(parser, batch) for all sentences in batches, on some threads.
  template <typename Work>
  void for_batches(const SentenceTable& table, int threads, Work&& work) const;

  ParserDefinition definition_;
  Network network_;
  PackedMatrix label_output_;
};

}  // namespace crossarc
