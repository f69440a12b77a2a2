// Graph parsers: an encoder reads the whole sentence, a biaffine head scores every arc, and the tree of a class with
// the best sum of scores is found exactly (Dozat & Manning 2017; decoders/tree_decoder.hpp for the classes, among them
// the 1-Endpoint-Crossing trees of the 2013 TACL paper). Scores of arcs are logarithms of the probabilities of heads,
// so that they add up to that of a tree. A second head may say what an arc gains or loses where another arc crosses it
// (Pitler 2014): a word then chooses among heads with and without a crossing, and 1-Endpoint-Crossing trees are the
// best under both scores; unrestricted ones are searched for (decoders/spanning/crossing_search.hpp), which is not
// exact, or for the least risk have the probabilities of both together; projective trees have no crossed arcs. A
// network may find tags of words, too. A model whose weights are of eight bits is computed with as such.
// O(words · encoder), O(n² · arc hidden size) for each sentence, and its decoding.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "decoders/tree_decoder.hpp"
#include "features/words.hpp"
#include "nn/heads/biaffine.hpp"
#include "nn/heads/tags.hpp"
#include "nn/network.hpp"

namespace crossarc {

// Trees of all sentences, one behind the other, best first. Of each tree its score, of each word its head, label, the
// score of its arc and by how much that is better than the best other one. Tags do not depend on the tree: of each word
// of the table the best class of each, or the best classes together.
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

// How crossings count where trees are compared; in trees of the least risk only if they are 1-Endpoint-Crossing. With a
// head for crossed arcs, the score of an arc is the logarithm of the probability of its head, and `weight` times that
// of being crossed, or of not being crossed, if it is the head. Whether arcs are crossed follows from the heads of all
// words, so that both say some of the same; the weight keeps it from counting twice. Crossed arcs lose the `penalty`.
struct Crossing {
  float weight = 1.0F;
  float penalty = 0.0F;
};

// Which classes the first tags of a word may have together.
struct TagCombinations {
  std::size_t tags = 0;                // that rows have
  std::span<const std::int32_t> rows;  // of classes; empty if each tag has its best class
  // Of each word of the table, the classes of these tags that are given, -1 for none; empty if none is.
  std::span<const std::int32_t> given;
  // What is known of the tags of kinds of words beside their sentences: of each kind a number for each row, which is
  // added to its scores. Of each word of the table, its kind, -1 for none; empty if no word has any.
  std::span<const float> evidence;
  std::span<const std::int32_t> kinds;

  std::span<const std::int32_t> given_of(std::size_t word) const {
    return given.empty() ? given : given.subspan(word * tags, tags);
  }
  std::span<const float> evidence_of(std::size_t word) const {
    if (kinds.empty() || kinds[word] < 0) return {};
    const std::size_t count = rows.size() / tags;
    return evidence.subspan(static_cast<std::size_t>(kinds[word]) * count, count);
  }
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
  Crossing crossing;
  // Of each word of the table, whether no arc may cross the arc into it; empty if arcs may cross all. Where heads are
  // given, they may.
  std::span<const std::uint8_t> never_crossed;
  TagCombinations combinations;

  // Of the words of a sentence.
  std::span<const std::uint8_t> never_crossed_of(std::size_t first, std::size_t words) const {
    return never_crossed.empty() ? never_crossed : never_crossed.subspan(first, words);
  }
};

// Of each word of a table its head and label in the best tree.
struct BestTrees {
  std::vector<std::int32_t> heads, labels;
};

// Scores of the arcs of a sentence, and, where `both`, those that they have where they are crossed.
struct ArcScorePair {
  ArcScores uncrossed, crossed;
  bool both = false;

  std::size_t width() const { return uncrossed.width(); }
  // The logarithm of the probability that a word has this head, crossed or not.
  float head_score(std::size_t dependent, std::size_t head) const;
  // What that is at most.
  float most(std::size_t dependent, std::size_t head) const;
};

// No sentence may have more words: a matrix of their arcs has to be held.
constexpr std::int32_t kMostGraphWords = 4096;
// So many trees of a sentence can be asked for.
constexpr std::size_t kMostRankedTrees = 64;
// Of sentences of more words, for which the chart of the best tree takes 20 MB, only one is decoded at a time.
constexpr std::int32_t kLongSentence = 64;

// A trained parser.
class GraphModel {
 public:
  // Throws std::invalid_argument where the network does not score arcs.
  explicit GraphModel(std::shared_ptr<const Network> network);

  const Network& network() const { return *network_; }
  const BiaffineHead& arcs() const { return *arcs_; }
  // Whether crossed arcs have scores of their own.
  bool scores_crossed() const { return crossed_ != nullptr; }
  // Null if the network finds no tags.
  const TagHead* tags() const { return tags_; }
  // Throws std::invalid_argument where no tree of the class has the heads that are given.
  GraphTrees parse(const SentenceTable& table, const GraphSearch& search, int threads) const;
  // The best trees where crossings count in each of some ways; sentences are scored once.
  std::vector<BestTrees> compare_crossings(const SentenceTable& table, const GraphSearch& search,
                                           std::span<const Crossing> ways, int threads) const;
  // The scores of all arcs, matrix after matrix, [head][dependent], as decoders take them; and those of crossed arcs,
  // none where they have none of their own.
  std::pair<std::vector<float>, std::vector<float>> arc_scores(const SentenceTable& table, int threads) const;
  // The scores of the labels of the arcs into all words, with these heads: a row for each word.
  std::vector<float> label_scores(const SentenceTable& table, std::span<const std::int32_t> heads, int threads) const;
  // The scores of all classes of tags: a row for each word.
  std::vector<float> tag_scores(const SentenceTable& table, int threads) const;

 private:
  class Worker;
  // Calls work(worker, batch), which has read it, for all sentences in batches, on some threads.
  // `kOnlyLabels`: no arcs and no tags are asked for.
  template <bool kOnlyLabels = false, typename Work>
  void for_all(const SentenceTable& table, int threads, Work&& work) const;

  std::shared_ptr<const Network> network_;
  const BiaffineHead* arcs_;
  const BiaffineHead* crossed_;  // null if there is none
  const TagHead* tags_;
};

}  // namespace crossarc
