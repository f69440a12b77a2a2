// From what a parser built back to trees: lifted arcs are lowered, links get directions; of a sentence, and of all
// sentences of a treebank.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/arrays.hpp"
#include "structure/lifting.hpp"
#include "structure/tree_order.hpp"
#include "treebank/tree_check.hpp"

namespace crossarc {

// Lowers marked arcs to the heads from which they were lifted: the inverse transformation of the 2005 paper, Section 2.
// Marked words are taken from the top of the projective tree downwards, from left to right; for each a breadth-first
// search from its linear head looks for a target arc, in the tree as it is by then. Which of several targets is taken
// is the reading (Search). O(n) for each marked word.

enum class Scheme : std::uint8_t { kHead, kPath, kHeadPath };
enum class Search : std::uint8_t {
  kFirst,    // the first target that the search finds
  kCareful,  // see Lowerer::choose and Lowerer::choose_path_end
};

struct MarkedTree {
  std::span<const std::int32_t> heads;
  std::span<const std::int32_t> labels;       // without marks
  std::span<const std::int32_t> head_labels;  // of a lifted word: the label of its syntactic head; -1 if not known
  std::span<const std::uint8_t> marks;        // of structure/lifting.hpp
};

// Keeps its memory from sentence to sentence.
class Lowerer {
 public:
  Lowerer(Scheme scheme, Search search) : scheme_(scheme), search_(search) {}

  // `order` belongs to the heads. Writes the new heads, and 1 for every lifted word that found no target and stays with
  // its linear head.
  void lower(const MarkedTree& tree, const TreeOrder& order, std::span<std::int32_t> heads,
             std::span<std::uint8_t> missed);

 private:
  static constexpr std::int32_t kNone = -1;
  struct Found {
    std::int32_t word;   // the target arc points to it
    std::int32_t depth;  // below the linear head
  };

  std::int32_t find(std::int32_t word);
  template <typename Follow>
  void search_below(std::int32_t word, Follow&& follow);
  void keep_label(std::int32_t label);
  std::int32_t choose(std::int32_t word);
  std::int32_t choose_path_end(std::int32_t word);
  void keep_crossing(std::int32_t word);
  std::int32_t deepest() const;
  void explain(std::int32_t from, std::int32_t linear_head);
  bool on_path(std::int32_t word) const;

  Scheme scheme_;
  Search search_;
  MarkedTree marked_;
  ChildLists tree_;
  std::vector<Found> found_;
  std::vector<Found> kept_;
  std::vector<std::uint8_t> explained_;  // a lowered arc passed over this one
  // For the test whether an arc would be projective: when a walk through the tree enters and leaves each word, and the
  // first and last entry of all words between it and the dependent.
  std::vector<std::int32_t> enter_;
  std::vector<std::int32_t> leave_;
  std::vector<std::int32_t> first_between_;
  std::vector<std::int32_t> last_between_;
};

// From an undirected forest with directions in its labels to a tree (2012, Section 4): a root is chosen in each
// component of words and everything is directed away from it, so that the sum of the costs of the arcs is minimal.
// O(n): moving the root from a word to its neighbour changes the cost by what the one link between them costs in its
// two directions.

// Costs of an arc; n is the number of words.
enum class Reconstruction : std::uint8_t {
  kNaive,        // 1 along a link, 2 from the root without one
  kLabel,        // 1 with and 2 against the label of a link between words, 2n from the root, with a link or not
  kLabelStrict,  // 1 with and 2 against the label of a link, 2n from the root without one
};

// What the label of a link says: Xl, Xr or nothing.
enum class Direction : std::uint8_t { kNone, kLeft, kRight };

struct Link {
  std::int32_t left;
  std::int32_t right;
  Direction direction;
};

// Keeps its memory from sentence to sentence.
class Reconstructor {
 public:
  static constexpr std::int32_t kNoLink = -1;

  explicit Reconstructor(Reconstruction reconstruction) : reconstruction_(reconstruction) {}

  // The links are over words 0 to n, left < right. Writes the head of every word and the number of the link that its
  // arc goes along; of an arc from 0 without a link, that of the link from 0 which it replaces, if there is one. False
  // if the links have a cycle.
  bool reconstruct(std::span<const Link> links, std::span<std::int32_t> heads, std::span<std::int32_t> link_of);

 private:
  bool acyclic(std::span<const Link> links);
  void collect(std::span<const Link> links, std::int32_t start);
  std::int32_t choose_root(std::span<const Link> links);

  Reconstruction reconstruction_;
  std::int32_t words_ = 0;
  std::vector<std::int32_t> representative_;  // union-find
  std::vector<std::int32_t> link_starts_;     // where the links at each word begin in links_at_
  std::vector<std::int32_t> links_at_;
  std::vector<std::int32_t> root_link_;  // the link from 0 to each word
  // A component, each word behind the one from which it was reached, and the link to that.
  std::vector<std::int32_t> component_;
  std::vector<std::int32_t> reached_by_;
  std::vector<std::uint8_t> reached_;
  std::vector<std::int64_t> cost_;  // of the component if the word is its root
};

// The encodings of all sentences of a treebank, on several threads. Sentences are independent of each other, so the
// number of threads does not change a result. For the cost see structure/lifting.hpp and above.

struct LiftedTreebank {
  LongArray<std::int32_t> heads;
  LongArray<std::uint8_t> marks;
  std::int64_t faulty_sentence = -1;  // the first whose heads are no tree, and why; then the rest means nothing
  TreeFault fault;
};

struct LoweredTreebank {
  LongArray<std::int32_t> heads;
  LongArray<std::uint8_t> missed;
  std::int64_t faulty_sentence = -1;
  TreeFault fault;
};

struct ReconstructedTreebank {
  LongArray<std::int32_t> heads;
  LongArray<std::int64_t> link_of;    // among all links; -1: none
  std::int64_t faulty_sentence = -1;  // the first whose links have a cycle
};

// word_offsets lead from 0 to the number of words (check_offsets); all columns are as long as the heads.
LiftedTreebank lift_treebank(std::span<const std::int32_t> heads, std::span<const std::int64_t> word_offsets,
                             const LiftOptions& options, int threads);
LoweredTreebank lower_treebank(const MarkedTree& trees, std::span<const std::int64_t> word_offsets, Scheme scheme,
                               Search search, int threads);
// link_offsets lead from 0 to the number of links, with as many sentences; the links are in the range of theirs.
ReconstructedTreebank reconstruct_treebank(std::span<const Link> links, std::span<const std::int64_t> link_offsets,
                                           std::span<const std::int64_t> word_offsets, Reconstruction reconstruction,
                                           int threads);

}  // namespace crossarc
