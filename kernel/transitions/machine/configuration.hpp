// A configuration of the machine (2013, Definition 3 and Section 5): k stacks of which one is active, a buffer, arcs,
// and for Covington the list λ2 beside the stack. A transition is executed step by step; where a step is not defined,
// everything before it is taken back, so that asking whether a transition is legal costs what applying it costs.
//
// Every step is O(1), but: a guard on connectedness O(log n), one on directed paths O(arcs), removing a word below the
// top O(depth), and a step repeated p times O(p). Nothing is allocated per step once the vectors have grown.
//
// Nodes are positions in the order of reading, from 0: where the artificial root stands first, position p is word p;
// where there is none, or it stands last, word p + 1.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "transitions/machine/program.hpp"

namespace crossarc {

// Where the artificial root stands among the words.
enum class Root : std::uint8_t { kNone, kFirst, kLast };
constexpr std::int32_t kNoLabel = -1;
constexpr std::int32_t kNoNode = -1;

struct BuiltArc {
  std::int32_t head = 0;  // of an undirected link, the word that was on the stack
  std::int32_t dependent = 0;
  std::int32_t label = kNoLabel;
  std::int32_t stack = 0;     // on which it was made
  std::int32_t previous = 0;  // the link into the same dependent made before it, or kNoNode
};

class Configuration {
 public:
  // The initial configuration of a sentence of so many words. The program must outlive the configuration.
  void start(const Program& program, std::int32_t words, Root root);

  // Executes a transition; false, and nothing is changed, where it is not defined. The label is for its arc.
  bool apply(std::int32_t transition, std::int32_t position, std::int32_t label);
  bool legal(std::int32_t transition, std::int32_t position, std::int32_t label = kNoLabel);

  // Sets the label of a link that was added without one.
  void label_link(std::size_t link, std::int32_t label) { links_[link].label = label; }

  // What was done since a mark can be taken back, until it is forgotten.
  std::size_t mark() const { return trail_.size(); }
  void undo_to(std::size_t mark);
  void forget() { trail_.clear(); }
  // Forgets what was done up to a mark; later marks become less by it.
  void forget_before(std::size_t mark) { trail_.erase(trail_.begin(), trail_.begin() + mark); }

  // The terminal configurations of Definition 3.
  bool terminal() const { return buffer_.empty(); }

  std::int32_t nodes() const { return nodes_; }
  std::int32_t words() const { return nodes_ - (root_ == Root::kNone ? 0 : 1); }
  Root root() const { return root_; }
  std::int32_t root_position() const { return root_position_; }
  // The number of the word at a position; the artificial root is 0.
  std::int32_t word_at(std::int32_t position) const { return word_at(position, nodes_, root_); }
  static std::int32_t word_at(std::int32_t position, std::int32_t nodes, Root root) {
    if (root == Root::kFirst) return position;
    return root == Root::kLast && position == nodes - 1 ? 0 : position + 1;
  }

  // The other way round.
  static std::int32_t position_of(std::int32_t word, std::int32_t words, Root root) {
    if (root == Root::kFirst) return word;
    return word == 0 ? words : word - 1;
  }

  const Program& program() const { return *program_; }
  std::int32_t active() const { return active_; }
  std::int32_t switches() const { return switches_; }
  // From the bottom to the top.
  std::span<const std::int32_t> stack(std::int32_t number) const {
    return {stacks_[number].data(), number == 0 ? static_cast<std::size_t>(aside_) : stacks_[number].size()};
  }
  std::span<const std::int32_t> active_stack() const { return stack(active_); }
  // The list λ2, front first.
  std::span<const std::int32_t> aside() const {
    return std::span<const std::int32_t>(stacks_[0]).subspan(static_cast<std::size_t>(aside_));
  }
  // The first word last.
  std::span<const std::int32_t> reversed_buffer() const { return buffer_; }
  std::int32_t buffer_first() const { return buffer_.empty() ? kNoNode : buffer_.back(); }
  std::span<const BuiltArc> links() const { return links_; }
  bool has_head(std::int32_t node) const { return last_in_[node] != kNoNode; }
  // Whether the node is in no stack, list or buffer any more.
  bool gone(std::int32_t node) const { return presence_[node] == 0; }
  bool in_buffer(std::int32_t node) const { return in_buffer_[node] != 0; }
  bool connected(std::int32_t a, std::int32_t b) const { return component(a) == component(b); }
  bool linked(std::int32_t head, std::int32_t dependent) const { return parallel_links(head, dependent) > 0; }
  // Whether the guard of a transition's first step can never hold for two words, the left one on the stack and the
  // other first in the buffer, because something that it forbids has come about: arcs stay.
  bool ruled_out(std::int32_t transition, std::int32_t on_stack, std::int32_t in_buffer) const;

  // Of everything that tells configurations apart; the order in which arcs were added does not.
  std::uint64_t fingerprint() const;

  // Calls visit(transition, position) for all transitions, those that take a position with each of the buffer. What is
  // visited may be applied if it is taken back.
  template <typename Visit>
  void visit_actions(Visit&& visit) const {
    const auto positions = static_cast<std::int32_t>(buffer_.size());
    for (std::size_t transition = 0; transition < program_->size(); ++transition) {
      const bool positional = (*program_)[transition].positional;
      for (std::int32_t position = positional; position < (positional ? positions : 1); ++position) {
        visit(static_cast<std::int32_t>(transition), position);
      }
    }
  }

  // The nodes that left the buffer or lost a place since a mark.
  template <typename Visit>
  void visit_moved(std::size_t mark, Visit&& visit) const {
    for (std::size_t entry = mark; entry < trail_.size(); ++entry) {
      const Undo& undo = trail_[entry];
      if (undo.operation == Operation::kShift || undo.operation == Operation::kReduce ||
          undo.operation == Operation::kClear) {
        visit(undo.node);
      }
    }
  }

 private:
  struct Undo {
    Operation operation;
    std::int32_t node;
    std::int32_t extra;
  };

  bool execute(const Step& step, std::int32_t label);
  bool guard_holds(const Step& step) const;
  bool clause_holds(const Clause& clause, std::int32_t depth) const;
  bool holds(Fact fact, std::int32_t stack_word, std::int32_t buffer_word) const;
  std::int32_t stack_word(std::int32_t depth) const;

  bool on_top_of_all(std::int32_t node) const;
  void move_to_stacks();
  void move_to_buffer();
  void exchange(std::int32_t top, std::int32_t first);
  bool unshift();
  bool reduce(std::int32_t depth);
  bool add_link(Operation operation, std::int32_t depth, std::int32_t label);
  bool swap();
  void take_back(const Undo& undo);
  void push(std::int32_t number, std::int32_t node);
  void pop(std::int32_t number);

  bool link_exists(std::int32_t head, std::int32_t dependent, std::int32_t label) const;
  std::int32_t parallel_links(std::int32_t head, std::int32_t dependent) const;
  bool reaches(std::int32_t from, std::int32_t to) const;
  std::int32_t component(std::int32_t node) const;
  void unite(std::int32_t a, std::int32_t b);

  const Program* program_ = nullptr;
  Root root_ = Root::kNone;
  std::int32_t nodes_ = 0;
  std::int32_t root_position_ = kNoNode;
  std::int32_t active_ = 0;
  std::int32_t switches_ = 0;  // how many transitions in a row were SWITCH
  std::int32_t aside_ = 0;     // where λ2 begins behind the first stack
  std::vector<std::vector<std::int32_t>> stacks_;
  std::vector<std::int32_t> buffer_;
  std::vector<BuiltArc> links_;
  std::vector<std::int32_t> last_in_;   // the newest link into a node
  std::vector<std::int32_t> presence_;  // in how many stacks, lists and buffers a node is
  std::vector<std::uint8_t> in_buffer_;
  std::vector<std::int32_t> parent_;  // of the connected components, united by size so that it can be undone
  std::vector<std::int32_t> size_;
  std::vector<Undo> trail_;
  mutable std::vector<std::int32_t> pending_;  // of the search for a directed path
  mutable std::vector<std::uint8_t> seen_;
};

}  // namespace crossarc
