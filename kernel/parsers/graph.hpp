// Graph parsers: an encoder reads the whole sentence, a biaffine head scores every arc, and the tree of a class with
// the best sum of scores is found exactly (Dozat & Manning 2017; decoders/tree_decoder.hpp for the classes, among them
// the 1-Endpoint-Crossing trees of the 2013 TACL paper). Scores of arcs are logarithms of the probabilities of heads,
// so that they add up to that of a tree. A network may find tags of words, too (nn/tags.hpp). A model whose weights are
// bytes is computed with as such (nn/quantised.hpp): all products with the words of a sentence but those of characters
// and labels. O(words · encoder), O(n² · arc size) for each sentence, and its decoding.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "decoders/tree_decoder.hpp"
#include "features/words.hpp"
#include "nn/biaffine.hpp"
#include "nn/encoder.hpp"
#include "nn/tags.hpp"

namespace crossarc {

struct GraphShape {
  EncoderShape encoder;
  std::size_t arc = 0;    // hidden size of arcs
  std::size_t label = 0;  // hidden size of labels
  std::size_t labels = 0;
  std::vector<std::size_t> tags;  // how many classes each has, of the tags that words get beside their heads

  TagShape tag_shape() const { return {encoder.outputs(), tags}; }
  // How many weights such a network has: to be asked before it is made.
  std::size_t weight_count() const {
    const std::size_t roles = 2 * (arc + label);
    return encoder.weight_count() + (encoder.outputs() + 1) * roles + (arc + 1) * arc + (3 * label + 1) * labels +
           tag_shape().weight_count();
  }
};

struct GraphNetwork {
  Encoder encoder;
  BiaffineWeights heads;
  PackedBiaffine packed_heads;
  TagWeights tags;
  PackedTags packed_tags;

  explicit GraphNetwork(const GraphShape& shape);
  void initialise(std::uint64_t seed);
  // In the order of model files: those of the encoder, those of the heads, those of tags if there are any.
  std::vector<Matrix*> weights();
  std::vector<const Matrix*> weights() const;
  // To be done after every change of weights; or for one of them, by its number, if it is one to be packed.
  void pack(bool to_learn);
  void pack(std::size_t number, bool to_learn);
  // Where one of them is packed as bytes, by its number; null if it cannot be.
  QuantisedMatrix* bytes(std::size_t number);
};

struct GraphGradients {
  EncoderWeights encoder;
  BiaffineWeights heads;
  TagWeights tags;

  explicit GraphGradients(const GraphNetwork& network);
  // In the order of the weights; those of embeddings are empty.
  std::vector<Matrix*> all();
};

// Trees of all sentences, one behind the other, best first. Of each tree its score, of each word its head, label, the
// score of its arc and by how much that is better than the best other one. Tags do not depend on the tree: of each word
// of the table the best class of each.
struct GraphTrees {
  std::vector<std::int64_t> counts;  // trees of each sentence
  std::vector<double> totals;
  std::vector<std::int32_t> heads, labels;
  std::vector<float> scores, margins;
  std::vector<std::int32_t> tags;
  // Sentences too long for the chart of the class: they got their best projective trees, or with minimum_risk the best
  // instead of that of the least risk.
  std::int64_t fallbacks = 0;
};

struct GraphSearch {
  DecodeOptions trees;
  std::size_t most = 1;          // trees of each sentence
  float temperature = 1.0F;      // by which scores are divided
  bool minimum_risk = false;     // the tree with the most expected heads instead of the best one
  std::int32_t root_label = -1;  // of arcs from 0 and of no others; -1: any
  // Of each word of the table, the head that it has in every tree; -1: any. Empty if all words may have any. A sentence
  // all of whose heads are given keeps its tree, of whatever class.
  std::span<const std::int32_t> heads;
};

// No sentence may have more words: a matrix of their arcs has to be held.
constexpr std::int32_t kMostGraphWords = 4096;
// More labels no parser tells apart; errors.py has the same bound.
constexpr std::size_t kMostLabels = 32'000;
// Sentences of more words never go through the chart of 1-Endpoint-Crossing trees, whose memory grows with n³: that of
// the best tree takes 120 MB for so many words, that of several best trees 0.9 GB, those of sums 1.2 GB.
constexpr std::int32_t kMostChartWords = 120;
constexpr std::int32_t kMostRankedWords = 96;
constexpr std::int32_t kMostSummedWords = 64;
// So many trees of a sentence can be asked for.
constexpr std::size_t kMostRankedTrees = 64;
// Of sentences of more words, for which the chart of the best tree takes 20 MB, only one is decoded at a time.
constexpr std::int32_t kLongSentence = 64;

// A trained parser.
class GraphModel {
 public:
  // `scales`: of each matrix that is computed with as bytes, those of its columns; its weights are then whole numbers
  // from -127 to 127 times the scale of their column. For other matrices nothing, or no scales at all. Throws
  // std::invalid_argument where these are not the weights of such a network.
  GraphModel(const GraphShape& shape, const ValueLists& weights, std::span<const std::vector<float>> scales = {});

  const GraphNetwork& network() const { return network_; }
  // A list for each matrix.
  const std::vector<std::vector<float>>& scales() const { return scales_; }
  // Of each matrix, its number of columns if it can be computed with as bytes, else 0.
  std::vector<std::size_t> byte_columns() const;
  // Throws std::invalid_argument where no tree of the class has the heads that are given.
  GraphTrees parse(const SentenceTable& table, const GraphSearch& search, int threads) const;
  // The scores of all arcs, matrix after matrix, [head][dependent], as decoders take them.
  std::vector<float> arc_scores(const SentenceTable& table, int threads) const;
  // The scores of the labels of the arcs into all words, with these heads: a row for each word.
  std::vector<float> label_scores(const SentenceTable& table, std::span<const std::int32_t> heads, int threads) const;
  // The scores of all classes of tags: a row for each word.
  std::vector<float> tag_scores(const SentenceTable& table, int threads) const;

 private:
  class Reader;
  // Calls work(reader, batch) for all sentences in batches, on some threads.
  template <typename Work>
  void for_batches(const SentenceTable& table, int threads, Work&& work) const;

  GraphNetwork network_;
  std::vector<std::vector<float>> scales_;
};

}  // namespace crossarc
