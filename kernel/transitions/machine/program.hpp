// A transition system as the machine executes it: every transition is a list of steps, a step an elementary transition
// (2013, Section 3; 2012, Section 3; Nivre 2009; Attardi 2006; Nivre 2008 for Covington's lists) with the guard under
// which it may be taken. Built once from the definition, read-only afterwards.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace crossarc {

// σ|i is the active stack, j|β the buffer.
enum class Operation : std::uint8_t {
  kShift,     // j goes on all stacks
  kUnshift,   // i, the top of all stacks, goes back to the buffer
  kReduce,    // the word at some depth of the active stack is removed from it
  kLeftArc,   // j → the word at some depth
  kRightArc,  // the word at some depth → j
  kArc,       // a link between them without direction
  kSwitch,    // the next stack becomes active
  kSwap,      // i and j change places, if they are in the order of the sentence
  kSkip,      // Covington: i goes to the front of the list λ2
  kJoin,      // Covington: λ2 goes back on the stack
  kClear,     // Covington: λ2 is dropped
};
constexpr int kOperations = 11;

// The limits of a definition.
constexpr std::int32_t kMostStacks = 255;
constexpr std::int32_t kMostDepth = 7;   // of a word below the top of the stack
constexpr std::int32_t kMostSteps = 64;  // of a transition
constexpr std::int32_t kMostTransitions = 1000;
constexpr std::int32_t kMostRepeats = 1000;  // of a step, beside its position

// What a guard may ask about i and j; the value is the number of its bit in the masks.
enum class Fact : std::uint8_t {
  kStackHasHead,
  kBufferHasHead,
  kConnected,
  kStackReachesBuffer,
  kBufferReachesStack,
  kArcFromStack,
  kArcFromBuffer,
  kSwitchedRound,
  kStackIsRoot,
  kBufferIsRoot,
};
constexpr int kFacts = 10;

// All of `must` hold and none of `must_not`.
struct Clause {
  std::uint16_t must = 0;
  std::uint16_t must_not = 0;
};

struct Step {
  Operation operation = Operation::kShift;
  std::int32_t depth = 0;
  std::int32_t constant = 1;  // it is repeated constant + times * position times
  std::int32_t times = 0;
  std::vector<Clause> guard;  // one of them holds; empty: always
};

struct Transition {
  std::vector<Step> steps;
  std::int32_t arcs = 0;     // how many it adds
  bool positional = false;   // takes a position in the buffer as its argument
  bool only_switch = false;  // does nothing but choose another stack
};

class Program {
 public:
  // Throws std::invalid_argument if the definition breaks a limit. `labels`: how many there are, 0 for none.
  Program(std::int32_t stacks, std::vector<Transition> transitions, std::int32_t labels);

  std::int32_t stacks() const { return stacks_; }
  std::int32_t labels() const { return labels_; }
  std::span<const Transition> transitions() const { return transitions_; }
  const Transition& operator[](std::size_t transition) const { return transitions_[transition]; }
  std::size_t size() const { return transitions_.size(); }

  // A word that has left the buffer can come back.
  bool refills_buffer() const { return refills_buffer_; }
  // Nothing but stacks whose tops are linked with the buffer: arcs made on one stack never cross (2013, Proposition 4).
  bool planar_stacks() const { return planar_stacks_; }
  bool undirected() const { return undirected_; }
  bool swaps() const { return swaps_; }
  bool positional() const { return positional_; }

  // Actions of a sentence with so many nodes: a transition, or a transition with a position, as one number. First come
  // the transitions without position, then for each position those with one.
  std::int32_t action_count(std::int32_t nodes) const;
  std::pair<std::int32_t, std::int32_t> transition_of(std::int32_t action) const;
  std::int32_t action_of(std::int32_t transition, std::int32_t position) const;

 private:
  void check(const Step& step) const;

  std::int32_t stacks_;
  std::int32_t labels_;
  std::vector<Transition> transitions_;
  std::vector<std::int32_t> plain_;  // transitions without position
  std::vector<std::int32_t> positional_transitions_;
  std::vector<std::int32_t> index_;  // of each transition in its list
  bool refills_buffer_ = false;
  bool planar_stacks_ = true;
  bool undirected_ = false;
  bool swaps_ = false;
  bool positional_ = false;
};

// The transitions of easy-first (2013, Section 3.1), by their numbers.
struct EasyFirstMoves {
  std::int32_t shift = -1;
  std::int32_t attach_left = -1;
  std::int32_t attach_right = -1;
};

// Nothing, if the program is that of another system.
std::optional<EasyFirstMoves> easy_first_moves(const Program& program);

}  // namespace crossarc
