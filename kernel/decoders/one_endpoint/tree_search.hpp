// The best 1-Endpoint-Crossing trees without a chart: best-first branching on arcs that conflict (as Lawler 1972).
//
// A part of all trees keeps some arcs and lacks others. Its best spanning tree is a bound of its trees of the class. If
// that tree is of the class, it is the part's answer; if not, three of its arcs show it (ConflictFinder), every tree of
// the class lacks one of them, and the part is split by the first that a tree lacks, in the order of what that costs.
// Each conflict costs at least what its cheapest arc loses by being lacked (the dual solution of spanning_tree.hpp).
// Where conflicts share arcs, an arc pays for all of them together no more than it loses: a dual solution of hitting
// set.
//
// For the next best tree the part of a tree that was found is split by the first of all its arcs that a tree lacks.
//
// Where crossed arcs have scores of their own, a part is bounded by the higher score of each arc, and two arcs of its
// best tree that cross are a conflict, too: a tree lacks the one, or the other, or has both and their scores as crossed
// arcs. In a bound an arc pays for its crossings together no more than it loses by being crossed. An arc of the best
// tree that scores higher as a crossed arc, and that no arc crosses there, is a conflict by itself: a tree lacks it, or
// has it uncrossed, with its lower score, or has some arc that crosses it, and then some word has another head. What is
// paid for it is no more than the least of these, and an arc that would cross several pays for all of them together.
//
// A part differs from the whole in the heads of a few words, so that its spanning tree is found again from the others'
// best heads: O(n) for each of those words and for each word in a cycle.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "decoders/chart/chart.hpp"
#include "decoders/scores.hpp"
#include "decoders/spanning/spanning_tree.hpp"

namespace crossarc {

// Dependents of three arcs that no tree of the class has together: one is crossed by the others, which share no
// endpoint. All 0: none. The last alone is 0: two arcs that cross. The last two are 0: an arc that is not crossed and
// would score higher if it were.
using Conflict = std::array<std::int32_t, 3>;

// Is a tree 1-Endpoint-Crossing, and if not, which three arcs show it (2013 TACL, Definition 2)? The arcs that cross an
// arc share an endpoint. Each has one end inside of the arc and one outside, so that three of them cannot share
// endpoints in pairs without sharing one in all: two of them without a common endpoint show it. With I(v) the arcs at
// word v as a set, the arcs that cross (l, r) are two look-ups in prefix sums of I (see structure/measures.hpp):
// O(n²/64). Keeps its memory from sentence to sentence.
class ConflictFinder {
 public:
  // Whether the tree is 1-Endpoint-Crossing. Without root_arcs, arcs from 0 do not count.
  bool accepts(std::span<const std::int32_t> heads, bool root_arcs) {
    bool accepted = true;
    load(heads, root_arcs);
    for_each_conflict(heads, [&](const Conflict&) { return accepted = false; });
    return accepted;
  }

  // To be called first. Any assignment of heads will do, not only trees.
  void load(std::span<const std::int32_t> heads, bool root_arcs) {
    sets_ = heads.size() / 64 + 1;
    incident_.assign((heads.size() + 1) * sets_, 0);
    excluded_.assign(sets_, 0);
    for (std::size_t word = 1; word <= heads.size(); ++word) {
      const auto head = static_cast<std::size_t>(heads[word - 1]);
      const Set bit = Set{1} << (word % 64);
      if (head == 0 && !root_arcs) {
        excluded_[word / 64] |= bit;
        continue;
      }
      incident_[word * sets_ + word / 64] ^= bit;
      incident_[head * sets_ + word / 64] ^= bit;
    }
    prefix_ = incident_;
    for (std::size_t place = sets_; place < prefix_.size(); ++place) prefix_[place] ^= prefix_[place - sets_];
    crossing_.resize(sets_);
  }

  // The arc into a word is in no conflict that is found from now on.
  void exclude(std::int32_t word) { excluded_[word / 64] |= Set{1} << (word % 64); }

  // Whether another arc crosses the arc into a word, after load.
  bool is_crossed(std::span<const std::int32_t> heads, std::int32_t word) const {
    const std::size_t left = std::min(word, heads[word - 1]);
    const std::size_t right = std::max(word, heads[word - 1]);
    if ((incident_[word * sets_ + word / 64] >> (word % 64) & 1) == 0) return false;  // its arc does not count
    Set crossing = 0;
    for (std::size_t set = 0; set < sets_; ++set) {
      crossing |= (prefix_[(right - 1) * sets_ + set] ^ prefix_[left * sets_ + set]) &
                  ~(incident_[left * sets_ + set] | incident_[right * sets_ + set]);
    }
    return crossing != 0;
  }

  // Calls use(word, other) for each two arcs that cross, given by their dependents, after load.
  template <typename Use>
  void for_each_crossing(std::span<const std::int32_t> heads, Use&& use) const {
    for (std::int32_t word = 1; word <= static_cast<std::int32_t>(heads.size()); ++word) {
      const std::size_t left = std::min(word, heads[word - 1]);
      const std::size_t right = std::max(word, heads[word - 1]);
      if ((incident_[word * sets_ + word / 64] >> (word % 64) & 1) == 0) continue;  // its arc does not count
      for (std::size_t set = word / 64; set < sets_; ++set) {
        Set crossing = (prefix_[(right - 1) * sets_ + set] ^ prefix_[left * sets_ + set]) &
                       ~(incident_[left * sets_ + set] | incident_[right * sets_ + set]);
        for (; crossing != 0; crossing &= crossing - 1) {
          const auto other = static_cast<std::int32_t>(64 * set) + std::countr_zero(crossing);
          if (other > word) use(word, other);
        }
      }
    }
  }

  // Calls found(conflict), which excludes at least one of its arcs or returns false to end; for none if and only if no
  // conflict is left.
  template <typename Found>
  void for_each_conflict(std::span<const std::int32_t> heads, Found&& found) {
    const auto words = static_cast<std::int32_t>(heads.size());
    for (std::int32_t word = 1; word <= words; ++word) {
      while (!is_excluded(word)) {
        const std::int32_t crossing = first_crossing(heads, word);
        if (crossing == 0) break;
        const Conflict conflict = find_apart(heads, word, crossing);
        if (conflict == Conflict{}) break;
        if (!found(conflict)) return;
      }
    }
  }

 private:
  using Set = std::uint64_t;

  bool is_excluded(std::int32_t word) const { return excluded_[word / 64] >> (word % 64) & 1; }

  // Fills crossing_ with the arcs, not excluded, that cross the arc into a word; the first of them, or 0.
  std::int32_t first_crossing(std::span<const std::int32_t> heads, std::int32_t word) {
    const std::size_t left = std::min(word, heads[word - 1]);
    const std::size_t right = std::max(word, heads[word - 1]);
    std::int32_t first = 0;
    for (std::size_t set = sets_; set-- > 0;) {
      crossing_[set] = (prefix_[(right - 1) * sets_ + set] ^ prefix_[left * sets_ + set]) &
                       ~(incident_[left * sets_ + set] | incident_[right * sets_ + set] | excluded_[set]);
      if (crossing_[set] != 0) first = static_cast<std::int32_t>(64 * set) + std::countr_zero(crossing_[set]);
    }
    return first;
  }

  // Of the arcs in crossing_, two that share no endpoint: the first and one that touches neither of its ends, or one
  // that touches only the one end and one that touches only the other.
  Conflict find_apart(std::span<const std::int32_t> heads, std::int32_t word, std::int32_t first) const {
    const Set* one = &incident_[first * sets_];
    const Set* other = &incident_[heads[first - 1] * sets_];
    std::int32_t neither = 0;
    std::int32_t beyond_one = 0;
    std::int32_t beyond_other = 0;
    for (std::size_t set = 0; set < sets_; ++set) {
      const auto pick = [set](std::int32_t& found, Set from) {
        if (found == 0 && from != 0) found = static_cast<std::int32_t>(64 * set) + std::countr_zero(from);
      };
      pick(neither, crossing_[set] & ~one[set] & ~other[set]);
      pick(beyond_one, crossing_[set] & ~one[set]);
      pick(beyond_other, crossing_[set] & ~other[set]);
    }
    if (beyond_one == 0 || beyond_other == 0) return {};
    if (neither != 0) return {word, first, neither};
    return {word, beyond_one, beyond_other};
  }

  std::size_t sets_ = 1;
  std::vector<Set> incident_;  // arcs by their dependents
  std::vector<Set> prefix_;
  std::vector<Set> crossing_;
  std::vector<Set> excluded_;
};

// Keeps its memory from sentence to sentence.
class TreeSearch {
 public:
  // kTreeOnly: some good tree of the class, but not known to be the best.
  enum class Outcome : std::uint8_t { kFound, kNoTree, kTreeOnly, kGivenUp };

  // `branching` has just found the best spanning tree by `highest`, the higher of the scores that arcs have, which is
  // in `heads`; the answer takes its place. Gives up when the chart promises to be faster.
  Outcome run(const IncomingScores& scores, const IncomingScores& highest, MaximumBranching& branching,
              bool single_root, bool root_arcs, std::span<std::int32_t> heads);

  // After it gave up: what no tree exceeds.
  double bound() const { return bound_; }
  // The same by the conflicts of the best spanning tree alone, which the branching has just found again; with what each
  // arc costs, at least, beyond what conflicts cost, by dependent, as an uncrossed arc and as a crossed one. No tree
  // scores more than the bound less the costs of its arcs.
  double bound_costs(std::span<const std::int32_t> heads, std::vector<double>& uncrossed, std::vector<double>& crossed);

  // Appends the heads of the k best trees, best first; of all trees, if there are fewer. False where it would have to
  // look at more than `most` parts: what it found until then are the best trees all the same.
  bool rank(const IncomingScores& scores, MaximumBranching& branching, bool single_root, bool root_arcs, std::size_t k,
            std::int64_t most, std::vector<std::int32_t>& heads);

 private:
  using Index = std::int32_t;
  // Places in one of the arrays below.
  struct Range {
    Index begin = 0;
    Index end = 0;
  };
  enum class State : std::uint8_t { kNew, kSplittable, kTree };
  // By which score an arc counts that is kept: the higher one, or that of trees where it is crossed, or is not.
  enum class Scored : char { kHigher, kCrossed, kUncrossed };
  struct Kept {
    TreeArc arc;
    Scored scored = Scored::kHigher;
  };
  struct Part {
    double score = 0;  // none of its trees of the class is better
    Index parent = -1;
    TreeArc lacks{0, 0};  // beyond what its parent lacks; none if the dependent is 0
    Range kept;
    Index crosser = 0;  // a word whose arc crosses the last of the arcs that are kept; 0: none
    Range choices;      // if it can be split
    Index heads = 0;    // if its best tree is of the class
    State state = State::kNew;
  };
  // What trees of a part have in common, and their bound: they lack the arc; have all arcs before as crossed ones; have
  // the arc as an uncrossed one; or as one that the arc into the crosser crosses.
  enum class Trees : std::uint8_t { kLack, kAllCrossed, kUncrossed, kCrossed };
  struct Choice {
    TreeArc arc;
    double score;
    Trees trees = Trees::kLack;
    Index crosser = 0;
  };
  struct Worse {
    const std::vector<Part>& parts;
    bool operator()(Index a, Index b) const {
      return parts[a].score < parts[b].score || (parts[a].score == parts[b].score && a > b);
    }
  };

  void begin(const IncomingScores& scores, const IncomingScores& highest, MaximumBranching& branching, bool single_root,
             bool root_arcs);
  bool solve(Index part);
  bool evaluate(Index part, bool solved);
  void pay_conflicts();
  void restrict(Index part);
  bool pay(const Conflict& conflict);
  void pay_crossing(Index arc, Index other);
  void pay_uncrossed();
  void load_losses();
  void charge_uncrossed(Index dependent, double payment);
  std::array<Range, 2> crossing_heads(TreeArc arc, Index word) const;
  double least_crossing(Index dependent, Index crosser, const std::vector<double>& losses) const;
  void list_choices(Part& part);
  void find_loss(Index dependent);
  void split(Index part);
  void split_tree(Index part);
  bool dive(Index part, std::span<std::int32_t> heads);
  void push(Index part);
  Index pop();
  std::span<double> row(Index dependent) { return {restricted_.row(dependent), restricted_.width()}; }

  const IncomingScores* scores_ = nullptr;    // the higher of the two that an arc may have
  const IncomingScores* crossing_ = nullptr;  // both, if crossed arcs have their own
  MaximumBranching* branching_ = nullptr;
  bool single_root_ = false;
  bool root_arcs_ = true;
  std::vector<Part> parts_;
  std::vector<Index> queue_;  // a heap
  std::vector<Kept> kept_;
  std::vector<Choice> choices_;
  std::vector<std::int32_t> found_;  // heads of trees of the class
  IncomingScores restricted_;        // of the part at hand
  std::vector<Index> changed_;       // words whose scores are restricted
  std::vector<std::int32_t> heads_;  // of its best spanning tree
  ConflictFinder conflicts_;
  // Of the part at hand: its bound; for the words in conflicts, what they lose and have not paid yet; and the conflict
  // that costs most.
  double score_ = 0;
  double bound_ = 0;
  std::vector<double> loss_, rest_;
  std::vector<double> penalty_;            // what they lose by being crossed and have not paid yet
  std::vector<Scored> fixed_;              // how those that are kept are scored
  std::vector<char> crossed_;              // in its best tree
  std::vector<double> losses_, residual_;  // of all arcs, by dependent; what they have not paid yet
  bool has_uncrossed_ = false;             // arcs that would score higher if they were crossed
  double before_uncrossed_ = 0;            // the bound without what uncrossed arcs pay
  double costliest_ = 0;
  int paid_ = 0;  // how many conflicts
  Conflict costliest_conflict_;
};

}  // namespace crossarc
