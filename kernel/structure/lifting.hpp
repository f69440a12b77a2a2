// Makes a tree projective by lifting arcs, one step at a time, and marks what was lifted over which arcs (2005, Section
// 2). The order is that of the paper (the shortest non-projective arc first, the leftmost of several) or MaltParser's
// other one (the deepest dependent first). Children of 0 below an arc can be attached to one of its ends instead, as
// MaltParser's option for covered roots does. O(n / 64 + children + log n) for each lift, by sets of the words below
// each one, O(n² / 8) bytes; O(n) for each lift, and O(n) memory, in trees of more than 16,384 words. There may be n² /
// 8 lifts.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "structure/arcs.hpp"
#include "structure/short_tree.hpp"
#include "structure/tree_order.hpp"

namespace crossarc {

// What the label of a word says beside its relation, once the tree is projective (2005, Table 1).
enum Mark : std::uint8_t {
  kLifted = 1,       // d↑: the arc was lifted from a head further down
  kOnPath = 2,       // p↓: an arc was lifted over this one
  kCoveredRoot = 4,  // a child of 0 that was attached to an arc above it
};

enum class LiftOrder : std::uint8_t { kShortest, kDeepest };
// To which end of the arc above them covered roots are attached.
enum class CoveredRoots : std::uint8_t { kNone, kLeft, kRight, kHead };

struct LiftOptions {
  LiftOrder order = LiftOrder::kShortest;
  CoveredRoots covered_roots = CoveredRoots::kNone;
};

// In longer trees lifts are not counted.
constexpr std::size_t kMostLifted = 8192;

// A tree whose arcs are lifted, of any length.
class LiftedTree {
 public:
  void load(std::span<const std::int32_t> heads, const TreeOrder& order);
  std::int32_t head(std::int32_t word) const { return tree_.head(word); }
  // The heads of words 1 to n.
  std::span<const std::int32_t> heads() const { return tree_.heads(); }

  // Whether some word between head and dependent is not below the head.
  bool nonprojective(std::int32_t word);
  // Gives the word the head of its head. Calls visit(child) for the other children of the old head whose arcs cover
  // some of the words that it lost.
  template <typename Visit>
  void lift(std::int32_t word, Visit&& visit);
  // Moves a child of 0.
  void attach(std::int32_t root, std::int32_t head);

  template <typename Visit>
  void for_each_root(Visit&& visit) const {
    tree_.for_each_child(0, visit);
  }
  // The word and all below it.
  template <typename Visit>
  void for_each_below(std::int32_t word, Visit&& visit) const {
    tree_.walk(word, visit);
  }

 private:
  bool leaves_set(const Arc& arc, std::span<const WordSet> words) const;
  bool leaves_subtree(const Arc& arc, std::int32_t head);
  Arc nearest_below(std::int32_t top, std::int32_t around);
  std::span<WordSet> below(std::int32_t word) {
    return std::span(below_).subspan(static_cast<std::size_t>(word) * sets_, sets_);
  }

  static constexpr std::size_t kMostInSets = std::size_t{1} << 14;

  ChildLists tree_;
  std::size_t sets_ = 0;        // how many hold all words; 0 where there are too many of these
  std::vector<WordSet> below_;  // the word and its descendants
  // Without sets:
  std::vector<std::int64_t> dominated_in_;  // the last test that found a word to be dominated
  std::int64_t test_ = 0;
};

// The same for up to 64 words.
class ShortLiftedTree {
 public:
  void load(const ShortTree& tree);
  std::int32_t head(std::int32_t word) const { return heads_[word]; }
  std::span<const std::int32_t> heads() const { return std::span(heads_).subspan(1, words_); }
  bool nonprojective(std::int32_t word) const;
  template <typename Visit>
  void lift(std::int32_t word, Visit&& visit);
  void attach(std::int32_t root, std::int32_t head);
  template <typename Visit>
  void for_each_root(Visit&& visit) const;
  template <typename Visit>
  void for_each_below(std::int32_t word, Visit&& visit) const;

 private:
  std::size_t words_ = 0;
  std::array<std::int32_t, ShortTree::kMostWords + 1> heads_;
  ShortTree::Sets children_;
  ShortTree::Sets below_;  // the word and its descendants
};

// When it is the turn of a word whose arc is not projective: the least comes first.
struct LiftTurn {
  std::int64_t turn;
  std::int32_t word;
  // For a heap with the least on top.
  bool operator<(const LiftTurn& other) const { return turn > other.turn; }
  bool operator==(const LiftTurn& other) const = default;
};

// The words whose arcs are known not to be projective, of a tree of any length.
class LiftQueue {
 public:
  void clear(std::size_t words);
  bool has(std::int32_t word) const { return waits_[word]; }
  // A word may be added again when its turn is another one.
  void add(const LiftTurn& turn);
  // Takes out the word whose turn it is, by turn_of(word); false if there is none.
  template <typename TurnOf>
  bool take(TurnOf&& turn_of, std::int32_t& word);

 private:
  std::vector<LiftTurn> heap_;  // also turns of words that are over or have changed since
  std::vector<std::uint8_t> waits_;
};

// The same for up to 64 words: so few wait at a time that they are looked through.
class ShortLiftQueue {
 public:
  bool has(std::int32_t word) const { return (waiting_ & only_word(word)) != 0; }
  void add(const LiftTurn& turn) { waiting_ |= only_word(turn.word); }
  template <typename TurnOf>
  bool take(TurnOf&& turn_of, std::int32_t& word);

 private:
  WordSet waiting_ = 0;
};

// Keeps its memory from sentence to sentence.
class Lifter {
 public:
  explicit Lifter(const LiftOptions& options) : options_(options) {}
  Lifter(const Lifter&) = delete;
  Lifter& operator=(const Lifter&) = delete;

  // Lifts a tree of any length, whose `order` is known, or a short one whose dominance is loaded. Returns how many
  // lifts there were in all.
  std::int64_t lift(std::span<const std::int32_t> heads, const TreeOrder& order);
  std::int64_t lift(const ShortTree& tree);

  // After lift, of each word: its head in the projective tree, its marks, and how often the arc into it was lifted.
  std::span<const std::int32_t> heads() const { return heads_; }
  std::span<const std::uint8_t> marks() const { return marks_; }
  std::span<const std::int32_t> lifts() const { return lifts_; }

 private:
  template <typename Word>
  void load(std::span<const std::int32_t> heads, std::span<const Word> heads_first);
  template <typename Tree, typename Queue>
  std::int64_t run(Tree& tree, Queue& queue);
  template <typename Tree>
  LiftTurn turn_of(const Tree& tree, std::int32_t word) const;
  template <typename Tree, typename Queue>
  void lift_once(Tree& tree, Queue& queue, std::int32_t word);
  template <typename Tree, typename Queue>
  bool attach_covered_roots(Tree& tree, Queue& queue, std::int32_t word);
  template <typename Tree, typename Queue>
  void change_depth(const Tree& tree, Queue& queue, std::int32_t word, std::int32_t difference);

  LiftOptions options_;
  LiftedTree tree_;
  LiftQueue queue_;
  ShortLiftedTree short_tree_;
  std::span<const std::int32_t> heads_;  // of one of the trees
  std::vector<std::uint8_t> marks_;
  std::vector<std::int32_t> lifts_;
  std::vector<std::int32_t> depth_;  // only for the order by depth
  std::vector<std::int32_t> covered_;
};

}  // namespace crossarc
