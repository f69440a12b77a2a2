// The graph that an oracle wants to see built: arcs between positions in the order of reading, and for every position
// its neighbours from left to right; which of its arcs are still pending; and its words in projective order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "structure/arcs.hpp"
#include "transitions/machine/configuration.hpp"

namespace crossarc {

struct GoldArc {
  std::int32_t head = 0;
  std::int32_t dependent = 0;
  std::int32_t label = kNoLabel;
};

// A transition as an oracle asks for it.
struct Action {
  std::int32_t transition = 0;
  std::int32_t position = 0;
  std::int32_t label = kNoLabel;
};

// Actions in little memory, since there may be n² of them: positions and labels only if any of them has one.
class ActionSequence {
 public:
  std::size_t size() const { return transitions_.size(); }
  Action operator[](std::size_t place) const {
    return {transitions_[place], positions_.empty() ? 0 : positions_[place],
            labels_.empty() ? kNoLabel : labels_[place]};
  }
  void clear() {
    transitions_.clear();
    positions_.clear();
    labels_.clear();
  }
  void push_back(const Action& action) {
    transitions_.push_back(static_cast<std::uint16_t>(action.transition));
    push_back(positions_, action.position, 0);
    push_back(labels_, action.label, kNoLabel);
  }
  void assign(std::span<const Action> actions) {
    clear();
    for (const Action& action : actions) push_back(action);
  }
  // The actions of one are added to those of others before it.
  void append(const ActionSequence& other) {
    const std::size_t before = size();
    transitions_.insert(transitions_.end(), other.transitions_.begin(), other.transitions_.end());
    append(positions_, before, other.positions_, 0);
    append(labels_, before, other.labels_, kNoLabel);
  }

  // One number for each action. Positions are empty if all are 0, labels if all are kNoLabel.
  std::vector<std::uint16_t>& transitions() { return transitions_; }
  std::vector<std::int32_t>& positions() { return positions_; }
  std::vector<std::int32_t>& labels() { return labels_; }

 private:
  void push_back(std::vector<std::int32_t>& values, std::int32_t value, std::int32_t usual) {
    if (values.empty() && value == usual) return;
    values.resize(transitions_.size() - 1, usual);
    values.push_back(value);
  }
  void append(std::vector<std::int32_t>& values, std::size_t before, const std::vector<std::int32_t>& others,
              std::int32_t usual) {
    if (values.empty() && others.empty()) return;
    values.resize(before, usual);
    values.insert(values.end(), others.begin(), others.end());
    values.resize(transitions_.size(), usual);
  }

  std::vector<std::uint16_t> transitions_;
  std::vector<std::int32_t> positions_, labels_;
};

// Keeps its memory from sentence to sentence.
class Gold {
 public:
  struct Neighbour {
    std::int32_t node = 0;
    std::int32_t arc = 0;
  };

  // `arcs` has no loops and no arc twice; positions are 0 to nodes - 1. O(n + m log m).
  void set(std::int32_t nodes, std::span<const GoldArc> arcs);

  std::int32_t nodes() const { return static_cast<std::int32_t>(head_.size()); }
  std::span<const GoldArc> arcs() const { return arcs_; }
  const GoldArc& arc(std::int32_t number) const { return arcs_[number]; }
  // The arcs without direction.
  std::span<const Arc> drawn() const { return drawn_; }
  std::span<const Neighbour> neighbours(std::int32_t node) const {
    return std::span<const Neighbour>(neighbours_)
        .subspan(static_cast<std::size_t>(starts_[node]), static_cast<std::size_t>(starts_[node + 1] - starts_[node]));
  }
  // At most one head each and no cycle.
  bool forest() const { return forest_; }
  // The head in a forest, and the number of the arc from it; kNoNode for a word without a head.
  std::int32_t head(std::int32_t node) const { return head_[node]; }
  std::int32_t arc_into(std::int32_t node) const { return arc_into_[node]; }

 private:
  std::vector<GoldArc> arcs_;
  std::vector<Arc> drawn_;
  std::vector<Neighbour> neighbours_;
  std::vector<std::int32_t> starts_;
  std::vector<std::int32_t> head_;
  std::vector<std::int32_t> arc_into_;
  std::vector<std::int32_t> seen_;
  bool forest_ = true;
};

// How many cycles there are where every node has the head given, or none; `seen` is memory for it. O(n).
std::int32_t count_cycles(std::span<const std::int32_t> heads, std::vector<std::int32_t>& seen);

// The gold arcs that are neither built nor given up.
class PendingArcs {
 public:
  // Those that are not among the links of a configuration.
  void start(const Gold& gold, const Configuration& configuration);
  const Gold& gold() const { return *gold_; }

  // The pending gold arc that a link stands for, or kNoNode.
  std::int32_t match(const BuiltArc& link, bool undirected) const;
  void remove(std::int32_t arc) { change(arc, -1); }
  void put_back(std::int32_t arc) { change(arc, 1); }
  // Removes the gold arcs among the links after the first so many, which get their labels, and adds them to `built`;
  // false as soon as a link is none and accept(link) refuses it.
  template <typename Accept>
  bool remove_built(Configuration& configuration, std::size_t first, std::vector<std::int32_t>& built,
                    Accept&& accept) {
    for (std::size_t link = first; link < configuration.links().size(); ++link) {
      const BuiltArc made = configuration.links()[link];
      const std::int32_t arc = match(made, configuration.program().undirected());
      if (arc == kNoNode && !accept(made)) return false;
      if (arc == kNoNode) continue;
      remove(arc);
      built.push_back(arc);
      configuration.label_link(link, gold_->arc(arc).label);
    }
    return true;
  }
  bool contains(std::int32_t arc) const { return !removed_[arc]; }
  std::int32_t count(std::int32_t node) const { return count_[node]; }
  std::int32_t count() const { return all_; }
  // A pending arc of the node that can no longer be built, or kNoNode.
  std::int32_t unreachable(const Configuration& configuration, std::int32_t node) const;

 private:
  void change(std::int32_t arc, std::int32_t amount) {
    removed_[arc] = amount < 0;
    count_[gold_->arc(arc).head] += amount;
    count_[gold_->arc(arc).dependent] += amount;
    all_ += amount;
  }

  const Gold* gold_ = nullptr;
  std::vector<std::uint8_t> removed_;
  std::vector<std::int32_t> count_;
  std::int32_t all_ = 0;
};

// The arcs of many sentences to be learnt, one after the other, as numbers of words.
struct GoldTable {
  std::span<const std::int64_t> offsets;  // where the arcs of each sentence begin
  std::span<const std::int32_t> heads;
  std::span<const std::int32_t> dependents;
  std::span<const std::int32_t> labels;  // -1 for one that is not to be learnt

  // The arcs of a sentence between positions, those from the root only where it has one.
  void load(std::size_t sentence, std::int32_t words, Root root, std::vector<GoldArc>& arcs) const {
    arcs.clear();
    for (auto arc = static_cast<std::size_t>(offsets[sentence]); arc < static_cast<std::size_t>(offsets[sentence + 1]);
         ++arc) {
      if (heads[arc] == 0 && root == Root::kNone) continue;
      arcs.push_back({Configuration::position_of(heads[arc], words, root),
                      Configuration::position_of(dependents[arc], words, root), labels[arc]});
    }
  }
};

// The rank of every node of a forest in projective order: an inorder walk, every head between its left and right
// children (Nivre 2009, Section 3.1). Sorting the words so makes the tree projective. O(n).
std::vector<std::int32_t> projective_order(const Gold& gold);

// For every node of a forest, the part of it that arc-standard builds without swapping (Nivre, Kuhlmann & Hall 2009):
// nodes with the same number belong together. O(n log n).
std::vector<std::int32_t> projective_components(const Gold& gold);

// The projective tree that has the most arcs in common with a tree: what a projective system can keep of a tree that is
// not projective. Eisner's chart (decoders/projective) over arcs that weigh as much as they agree: exact, O(n³) time
// and O(n²) memory, while the tree has at most kMostProjectivized nodes; longer ones are lifted (2005, Section 2).
constexpr std::size_t kMostProjectivized = 400;

// Arcs from the root count like all others. Heads of the nodes 1… of a tree with its root at 0, as positions; entry i
// is for node i + 1. Of trees with as many common arcs, one whose other words hang on their grandparents, as lifting
// would have it; of equal ones the one whose first splits are furthest left. Empty if it is too long.
std::vector<std::int32_t> nearest_projective(std::span<const std::int32_t> heads);

}  // namespace crossarc
