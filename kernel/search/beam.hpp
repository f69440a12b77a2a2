// Beam search over sequences of transitions (Zhang & Clark 2008), whatever scores them. Step by step, every state in
// the beam is extended by its legal transitions, and the best so many by the sum of their scores stay. A finished state
// stays in the beam with its score while others go on, as if it took idle transitions worth nothing (Zhu et al. 2013),
// so that sequences of different length compare; with a beam of one the search is the greedy parser. Only states that
// stay are copied, and the last one that goes on from a state takes it over. O(width · transitions of a sentence)
// scored states, and as many copies of a state at most.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "search/state.hpp"

namespace crossarc {

template <typename Score>
using TotalScore = std::conditional_t<std::is_integral_v<Score>, std::int64_t, double>;

// A transition on the way to a state; the steps of all states of a sentence make a tree.
template <typename Score>
struct BeamStep {
  std::int32_t before = kNoNode;  // the step before it
  std::int32_t transition = kNoNode;
  std::int32_t label = kNoLabel;
  Score score = 0;
  Score margin = 0;    // over the best other legal transition
  bool alone = false;  // there was no other
};

template <typename Score>
struct BeamItem {
  ParseState state;
  TotalScore<Score> total = 0;
  std::int32_t step = kNoNode;  // the last one
  bool finished = false;
};

template <typename Score>
struct BeamCandidate {
  TotalScore<Score> total = 0;
  std::int32_t parent = 0;            // in the beam
  std::int32_t transition = kNoNode;  // kNoNode for what is finished
};

template <StateScorer Scorer>
class BeamSearch {
 public:
  using Score = typename Scorer::Score;
  using Item = BeamItem<Score>;
  using Candidate = BeamCandidate<Score>;
  using Step = BeamStep<Score>;

  BeamSearch(const ParserDefinition& definition, std::size_t width)
      : definition_(&definition), width_(width), beam_(1) {}

  void start(std::int32_t words) {
    start_state(*definition_, words, beam_[0].state);
    beam_[0].total = 0;
    beam_[0].step = kNoNode;
    beam_[0].finished = false;
    size_ = 1;
    steps_.clear();
  }

  // Goes on until all states are finished.
  void run(Scorer& scorer) {
    while (expand(scorer)) {
      prune();
      advance(scorer);
    }
  }

  // Collects what may come next; false if all states are finished.
  bool expand(Scorer& scorer) {
    const std::size_t transitions = definition_->program->size();
    legal_.resize(size_ * transitions);
    scores_.resize(size_ * transitions);
    candidates_.clear();
    bool going_on = false;
    for (std::size_t number = 0; number < size_; ++number) {
      Item& item = beam_[number];
      const std::span<std::uint8_t> legal(&legal_[number * transitions], transitions);
      item.finished = item.finished || !find_legal(*definition_->program, item.state.configuration, legal);
      const auto parent = static_cast<std::int32_t>(number);
      if (item.finished) {
        candidates_.push_back({item.total, parent, kNoNode});
        continue;
      }
      going_on = true;
      const std::span<Score> scores(&scores_[number * transitions], transitions);
      scorer.score(item.state, legal, scores);
      for (std::size_t transition = 0; transition < transitions; ++transition) {
        if (!legal[transition]) continue;
        candidates_.push_back({item.total + scores[transition], parent, static_cast<std::int32_t>(transition)});
      }
    }
    return going_on;
  }

  // Keeps the best candidates, best first; of equals those of the better state and the lower number.
  void prune() {
    const auto kept = static_cast<std::ptrdiff_t>(std::min(width_, candidates_.size()));
    std::partial_sort(candidates_.begin(), candidates_.begin() + kept, candidates_.end(),
                      [](const Candidate& a, const Candidate& b) {
                        if (a.total != b.total) return a.total > b.total;
                        return a.parent != b.parent ? a.parent < b.parent : a.transition < b.transition;
                      });
    candidates_.resize(static_cast<std::size_t>(kept));
  }

  // The candidates become the beam.
  void advance(Scorer& scorer) {
    if (next_.size() < candidates_.size()) next_.resize(candidates_.size());
    uses_.assign(size_, 0);
    for (const Candidate& candidate : candidates_) ++uses_[static_cast<std::size_t>(candidate.parent)];
    for (std::size_t number = 0; number < candidates_.size(); ++number) {
      const Candidate& candidate = candidates_[number];
      Item& parent = beam_[static_cast<std::size_t>(candidate.parent)];
      Item& item = next_[number];
      item.total = candidate.total;
      item.finished = parent.finished;
      item.step = parent.step;
      if (--uses_[static_cast<std::size_t>(candidate.parent)] == 0) {
        std::swap(item.state, parent.state);
      } else {
        item.state = parent.state;
      }
      if (candidate.transition != kNoNode) item.step = take(scorer, item.state, item.step, candidate);
    }
    size_ = candidates_.size();
    beam_.swap(next_);
  }

  std::span<Item> items() { return {beam_.data(), size_}; }
  std::span<const Candidate> candidates() const { return candidates_; }
  std::span<const std::uint8_t> legal(std::size_t item) const {
    const std::size_t transitions = definition_->program->size();
    return std::span<const std::uint8_t>(legal_).subspan(item * transitions, transitions);
  }
  std::span<const Score> scores(std::size_t item) const {
    const std::size_t transitions = definition_->program->size();
    return std::span<const Score>(scores_).subspan(item * transitions, transitions);
  }
  // The steps to a state, first to last.
  void path(std::int32_t last, std::vector<Step>& steps) const {
    steps.clear();
    for (; last != kNoNode; last = steps_[static_cast<std::size_t>(last)].before) {
      steps.push_back(steps_[static_cast<std::size_t>(last)]);
    }
    std::reverse(steps.begin(), steps.end());
  }
  // A step of a sequence that is followed beside the beam.
  std::int32_t add_step(const Step& step) {
    steps_.push_back(step);
    return static_cast<std::int32_t>(steps_.size()) - 1;
  }

 private:
  std::int32_t take(Scorer& scorer, ParseState& state, std::int32_t before, const Candidate& candidate) {
    const auto transition = static_cast<std::size_t>(candidate.transition);
    const std::span<const Score> own = scores(static_cast<std::size_t>(candidate.parent));
    const std::span<const std::uint8_t> possible = legal(static_cast<std::size_t>(candidate.parent));
    Step step{before, candidate.transition, kNoLabel, own[transition], 0, true};
    for (std::size_t other = 0; other < own.size(); ++other) {
      if (other == transition || !possible[other]) continue;
      const Score margin = own[transition] - own[other];
      if (step.alone || margin < step.margin) step.margin = margin;
      step.alone = false;
    }
    if (definition_->adds_arc(candidate.transition)) step.label = scorer.label(state, candidate.transition);
    apply_transition(state, candidate.transition, step.label);
    return add_step(step);
  }

  const ParserDefinition* definition_;
  std::size_t width_;
  std::size_t size_ = 0;
  std::vector<Item> beam_;  // the first `size_` of them; the others keep their memory
  std::vector<Item> next_;
  std::vector<Candidate> candidates_;
  std::vector<Step> steps_;
  std::vector<std::int32_t> uses_;
  std::vector<std::uint8_t> legal_;  // for each state of the beam
  std::vector<Score> scores_;
};

}  // namespace crossarc
