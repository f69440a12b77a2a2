// What transitions lose that let arcs cross, so that a search takes them only where they are better by so much: SWAP,
// arcs to words below the top of the stack, and, on several stacks and in Covington's lists, arcs that cross one that
// was built. Labels that say that an arc was lifted (Nivre & Nilsson 2005) lose as much. O(transitions) for each state,
// and O(arcs) where an arc may cross others.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "search/state.hpp"

namespace crossarc {

// An amount as what a score loses; perceptrons score in whole numbers.
template <typename Score>
Score loss_of(double amount) {
  if constexpr (std::is_integral_v<Score>) return static_cast<Score>(std::lround(amount));
  return static_cast<Score>(amount);
}

// Throws std::invalid_argument where it cannot be that of a parser with so many labels.
void check_penalty(const CrossingPenalty& penalty, std::size_t labels);

// Which transitions of a program let arcs cross.
class CrossingTransitions {
 public:
  explicit CrossingTransitions(const Program& program);

  // Whether a configuration may have any.
  bool any() const { return any_; }
  // Those of what is legal in a configuration.
  void find(const Configuration& configuration, std::span<const std::uint8_t> legal,
            std::vector<std::int32_t>& numbers) const;

 private:
  std::vector<std::uint8_t> always_;    // of each transition whether it does in every configuration
  std::vector<std::uint8_t> adds_arc_;  // and whether it does where its arc crosses another
  bool any_ = false;
};

// A StateScorer whose scores are less by what crossings cost.
template <StateScorer Scorer>
class PenalisedScorer : public Scorer {
 public:
  using Score = typename Scorer::Score;
  using Scorer::score;  // of what is no state, as it is

  // `arguments`: those of the scorer.
  template <typename... Arguments>
  explicit PenalisedScorer(const ParserDefinition& definition, Arguments&&... arguments)
      : Scorer(std::forward<Arguments>(arguments)...),
        crossing_(*definition.program),
        loss_(crossing_.any() ? loss_of<Score>(definition.crossing_penalty.amount) : Score{0}) {}

  void score(const ParseState& state, std::span<const std::uint8_t> legal, std::span<Score> scores) {
    Scorer::score(state, legal, scores);
    if (loss_ == 0) return;
    crossing_.find(state.configuration, legal, found_);
    for (const std::int32_t transition : found_) scores[transition] -= loss_;
  }

 private:
  CrossingTransitions crossing_;
  Score loss_;
  std::vector<std::int32_t> found_;
};

// What each label loses; empty if none loses anything.
template <typename Score>
std::vector<Score> label_losses(const ParserDefinition& definition) {
  const CrossingPenalty& penalty = definition.crossing_penalty;
  const auto loss = loss_of<Score>(penalty.amount);
  if (loss == 0 || std::ranges::count(penalty.labels, 0) == std::ssize(penalty.labels)) return {};
  std::vector<Score> losses;
  for (const std::uint8_t marked : penalty.labels) losses.push_back(marked ? loss : Score{0});
  return losses;
}

}  // namespace crossarc
