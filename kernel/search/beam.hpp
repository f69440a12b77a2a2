// Beam search over sequences of transitions (Zhang & Clark 2008), whatever scores them. Step by step, every state in
// the beam is extended by its legal transitions, and the best so many by the sum of their scores stay. A finished state
// stays in the beam with its score while others go on, as if it took idle transitions worth nothing (Zhu et al. 2013),
// so that sequences of different length compare; with a beam of one the search is the greedy parser. The last one that
// goes on from a state takes it over, and for the others it is copied; in a long sentence, where a state is large, a
// state that has dropped out of the beam is led there instead: back to the step where the two parted, and forward from
// there. O(width · transitions of a sentence) scored states, and as many copies of a state at most.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/threads.hpp"
#include "search/state.hpp"

namespace crossarc {

template <typename Score>
using TotalScore = std::conditional_t<std::is_integral_v<Score>, std::int64_t, double>;

template <StateScorer Scorer>
class BeamSearch {
 public:
  using Score = typename Scorer::Score;

  // A transition on the way to a state; the steps of all states of a sentence make a tree.
  struct Step {
    std::int32_t before = kNoNode;  // the step before it
    std::int32_t transition = kNoNode;
    std::int32_t label = kNoLabel;
    Score score = 0;
    Score margin = 0;        // over the best other legal transition
    bool alone = false;      // there was no other
    std::int32_t depth = 0;  // how many steps led here, with it
  };
  // What is to be taken back to go up from a state in the tree of steps.
  struct Marks {
    std::size_t configuration, arcs;
  };
  struct Trail {
    std::int64_t sentence = -1;   // of which the state is
    std::int32_t step = kNoNode;  // the last one
    std::vector<Marks> marks;     // before the last ones, oldest first
  };
  struct Item {
    ParseState state;
    TotalScore<Score> total = 0;
    std::int32_t step = kNoNode;  // the last one
    bool finished = false;
    Trail trail;  // in long sentences
  };
  struct Candidate {
    TotalScore<Score> total = 0;
    std::int32_t parent = 0;            // in the beam
    std::int32_t transition = kNoNode;  // kNoNode for what is finished
  };

  BeamSearch(const ParserDefinition& definition, std::size_t width)
      : definition_(&definition), width_(width), beam_(1) {}

  void start(std::int32_t words) {
    Item& first = beam_[0];
    start_state(*definition_, words, first.state);
    first.total = 0;
    first.step = kNoNode;
    first.finished = false;
    first.trail = {++sentence_, kNoNode, {}};
    size_ = 1;
    steps_.clear();
    const std::int32_t nodes = first.state.configuration.nodes();
    is_long_ = nodes >= kLongSentence;
    most_steps_ = std::min(kMostSteps, static_cast<std::size_t>(nodes / kNodesOfStep));
    if (is_long_) first.state.arcs.keep_history();
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
      check_interruption(16);
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
    for (const Candidate& candidate : candidates_) ++uses_[candidate.parent];
    for (std::size_t number = 0; number < candidates_.size(); ++number) {
      const Candidate& candidate = candidates_[number];
      Item& parent = beam_[candidate.parent];
      Item& item = next_[number];
      item.total = candidate.total;
      item.finished = parent.finished;
      item.step = parent.step;
      if (--uses_[candidate.parent] == 0) {
        std::swap(item.state, parent.state);
        std::swap(item.trail, parent.trail);
      } else if (!is_long_ || !lead(item, parent.step)) {
        item.state = parent.state;
        item.trail = parent.trail;
      }
      if (candidate.transition != kNoNode) item.step = take(scorer, item, candidate);
    }
    size_ = candidates_.size();
    beam_.swap(next_);
  }

  std::span<Item> items() { return {beam_.data(), size_}; }
  std::span<const Candidate> candidates() const { return candidates_; }
  std::span<const std::uint8_t> legal(std::size_t item) const {
    return std::span(legal_).subspan(item * definition_->program->size(), definition_->program->size());
  }
  std::span<const Score> scores(std::size_t item) const {
    return std::span(scores_).subspan(item * definition_->program->size(), definition_->program->size());
  }
  // The steps to a state, first to last.
  void path(std::int32_t last, std::vector<Step>& steps) const {
    steps.clear();
    for (; last != kNoNode; last = steps_[last].before) {
      steps.push_back(steps_[last]);
    }
    std::reverse(steps.begin(), steps.end());
  }
  // A step of a sequence that is followed beside the beam.
  std::int32_t add_step(const Step& step) {
    steps_.push_back(step);
    steps_.back().depth = depth(step.before) + 1;
    return static_cast<std::int32_t>(steps_.size()) - 1;
  }

 private:
  static constexpr std::int32_t kLongSentence = 256;
  // A step that is taken back or again takes about as long as the copy of so many nodes.
  static constexpr std::int32_t kNodesOfStep = 8;
  static constexpr std::size_t kMostSteps = 4096;

  std::int32_t take(Scorer& scorer, Item& item, const Candidate& candidate) {
    const auto transition = static_cast<std::size_t>(candidate.transition);
    const std::span<const Score> own = scores(static_cast<std::size_t>(candidate.parent));
    const std::span<const std::uint8_t> possible = legal(static_cast<std::size_t>(candidate.parent));
    Step step{item.step, candidate.transition, kNoLabel, own[transition], 0, true};
    for (std::size_t other = 0; other < own.size(); ++other) {
      if (other == transition || !possible[other]) continue;
      const Score margin = own[transition] - own[other];
      if (step.alone || margin < step.margin) step.margin = margin;
      step.alone = false;
    }
    if (definition_->adds_arc(candidate.transition)) step.label = scorer.label(item.state, candidate.transition);
    const std::int32_t number = add_step(step);
    if (is_long_) {
      follow(item, number);
    } else {
      apply_transition(item.state, candidate.transition, step.label);
    }
    return number;
  }

  std::int32_t depth(std::int32_t step) const { return step == kNoNode ? 0 : steps_[step].depth; }
  std::int32_t before(std::int32_t step) const { return steps_[step].before; }

  // Leads the state of a dropped item to a step; false, and nothing is changed, where a copy is cheaper.
  bool lead(Item& item, std::int32_t target) {
    Trail& trail = item.trail;
    if (trail.sentence != sentence_) return false;
    std::int32_t from = trail.step;
    forward_.clear();
    std::size_t back = 0;
    for (std::int32_t to = target; from != to;) {
      const bool up = depth(from) >= depth(to);
      if (up) {
        from = before(from);
        ++back;
      }
      if (!up || depth(to) > depth(from)) {
        forward_.push_back(to);
        to = before(to);
      }
      if (back + forward_.size() > most_steps_ || back > trail.marks.size()) return false;
    }
    if (back > 0) {
      const Marks marks = trail.marks[trail.marks.size() - back];
      item.state.configuration.undo_to(marks.configuration);
      item.state.arcs.undo_to(marks.arcs);
      trail.marks.resize(trail.marks.size() - back);
    }
    trail.step = from;
    for (auto step = forward_.rbegin(); step != forward_.rend(); ++step) follow(item, *step);
    return true;
  }

  // Takes a step so that it can be taken back.
  void follow(Item& item, std::int32_t number) {
    const Step& step = steps_[number];
    if (item.trail.marks.size() >= 2 * most_steps_) forget_old_steps(item);
    item.trail.marks.push_back({item.state.configuration.mark(), item.state.arcs.mark()});
    item.trail.step = number;
    take_step(item.state, step.transition, step.label);
  }

  // All but the last ones, as many as are ever taken back.
  void forget_old_steps(Item& item) {
    std::vector<Marks>& kept = item.trail.marks;
    const std::size_t old = kept.size() - most_steps_;
    const Marks first = kept[old];
    item.state.configuration.forget_before(first.configuration);
    item.state.arcs.forget_before(first.arcs);
    kept.erase(kept.begin(), kept.begin() + old);
    for (Marks& marks : kept) {
      marks.configuration -= first.configuration;
      marks.arcs -= first.arcs;
    }
  }

  const ParserDefinition* definition_;
  std::size_t width_;
  bool is_long_ = false;
  std::size_t most_steps_ = 0;  // that a state is led along
  std::int64_t sentence_ = 0;   // a number for each
  std::size_t size_ = 0;
  std::vector<Item> beam_;  // the first `size_` of them; the others keep their memory
  std::vector<Item> next_;
  std::vector<Candidate> candidates_;
  std::vector<Step> steps_;
  std::vector<std::int32_t> uses_;
  std::vector<std::int32_t> forward_;
  std::vector<std::uint8_t> legal_;  // for each state of the beam
  std::vector<Score> scores_;
};

}  // namespace crossarc
