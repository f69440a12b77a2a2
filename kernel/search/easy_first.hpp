// Easy-first parsing (Goldberg & Elhadad 2010): of all pairs of neighbours among the words that have no head yet, the
// one that a model is surest about is joined next, wherever it stands. In the terms of the divisible system (2013,
// Section 3.1) the pair at position p is the top of the stack and the first word of the buffer after p times SHIFT, and
// that is what the features of its arcs see. Scores are kept and worked out anew only where a move was seen: O(n) model
// scores for a sentence, and O(n²) steps, all very small, to find the best ones and to move words.
//
// In training the right moves are those that lose the fewest gold arcs. What learns is a ViewScorer with
//   static constexpr bool kLearnsLabels;  // whether arcs are labelled, and labels learnt, while they are made
//   void learn(EasyFirstSearch<Score>& search, is_right, const Move& right, const Move& guess);  // is_right(move)
//   tells std::int32_t learn_label(const WordView& view, const ArcTable& arcs, std::int32_t transition, std::int32_t
//   gold);
// `right` is the best right move, and `guess` itself if it is right. If weights change, learn() has to forget scores.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "search/state.hpp"
#include "transitions/oracles/gold.hpp"

namespace crossarc {

// The numbers of the transitions of the system.
struct EasyFirstMoves {
  std::int32_t shift = kNoNode;
  std::int32_t attach_left = kNoNode;
  std::int32_t attach_right = kNoNode;
};

// Nothing, if the program is that of another system.
std::optional<EasyFirstMoves> easy_first_moves(const Program& program);

// SHIFT at position 0 says that the first word is a root. At position p, pending words p and p + 1 may be joined.
struct Move {
  std::int32_t transition = kNoNode;
  std::int32_t position = 0;
  bool operator==(const Move& other) const = default;
};

// The words without a head, in their order, and what can be done with them.
class PendingWords {
 public:
  // The program of the definition is easy-first.
  explicit PendingWords(const ParserDefinition& definition)
      : definition_(&definition), moves_(*easy_first_moves(*definition.program)) {}

  void start(std::int32_t words);
  const ParseState& state() const { return state_; }
  bool finished() const { return state_.configuration.terminal(); }
  std::int32_t positions() const { return static_cast<std::int32_t>(state_.configuration.reversed_buffer().size()); }
  // What features see at a position.
  WordView view(std::int32_t position) const;
  bool is_arc(const Move& move) const { return move.transition != moves_.shift; }
  // The arc of a move; a root that is shifted is a dependent without a head.
  GoldArc arc(const Move& move) const;
  void apply(const Move& move, std::int32_t label);

  // Calls visit(move) for everything that may be done.
  template <typename Visit>
  void visit_moves(Visit&& visit) const {
    const std::int32_t root = state_.configuration.root_position();
    for (std::int32_t position = 0; position < positions(); ++position) {
      if (position == 0) {
        visit(Move{moves_.shift, 0});
      } else {
        if (pending(position - 1) != root) visit(Move{moves_.attach_left, position});
        if (pending(position) != root) visit(Move{moves_.attach_right, position});
      }
    }
  }

 private:
  std::int32_t pending(std::int32_t place) const {
    return state_.configuration.reversed_buffer()[static_cast<std::size_t>(positions() - 1 - place)];
  }
  std::size_t shifted() const { return state_.configuration.active_stack().size(); }

  const ParserDefinition* definition_;
  EasyFirstMoves moves_;
  ParseState state_;
  std::vector<std::int32_t> order_;  // the words that were shifted, then those that are pending
};

// Says how many gold arcs a move loses (Goldberg & Nivre 2013): those from the word that is taken away to
// words that are still pending, and the one into it, if its head is pending, too, and another one; of a root, if it
// gets a head. O(1).
class EasyFirstOracle {
 public:
  void start(std::int32_t nodes, std::span<const GoldArc> gold);
  std::int32_t loss(const PendingWords& pending, const Move& move) const;
  std::int32_t least_loss(const PendingWords& pending) const;
  // The gold label of the arc that a move adds, kNoLabel if it is no gold arc.
  std::int32_t label(const PendingWords& pending, const Move& move) const;
  // A move is about to be made.
  void advance(const PendingWords& pending, const Move& move);

 private:
  std::vector<GoldArc> gold_;          // into each node; its head is kNoNode if there is none
  std::vector<std::int32_t> waiting_;  // how many gold dependents of each node are pending
};

// Pending words with the scores of all moves. Keeps its memory from sentence to sentence.
template <typename Score>
class EasyFirstSearch {
 public:
  explicit EasyFirstSearch(const ParserDefinition& definition)
      : pending_(definition), classes_(definition.program->size()) {
    for (const Address& address : definition.transition_features.addresses) {
      std::int32_t& seen = address.base == Base::kBuffer ? seen_right_ : seen_left_;
      seen = std::max(seen, address.index);
    }
  }

  // The arcs are in the configuration.
  template <ViewScorer Scorer>
  const Configuration& parse(std::int32_t words, Scorer& scorer) {
    start(words);
    while (!pending_.finished()) {
      rescore(scorer);
      const Move move = best();
      const bool arc = pending_.is_arc(move);
      apply(move, arc ? scorer.label(view(move), pending_.state().arcs, move.transition) : kNoLabel);
    }
    return pending_.state().configuration;
  }

  // Learns from one sentence and returns the number of mistakes. `explore`: how often, of a hundred, the parser's own
  // choice is followed where it is wrong.
  template <ViewScorer Learner>
  std::int64_t learn(std::int32_t words, Learner& learner, EasyFirstOracle& oracle, std::span<const GoldArc> gold,
                     unsigned explore, Random& random) {
    std::int64_t mistakes = 0;
    start(words);
    oracle.start(pending_.state().configuration.nodes(), gold);
    while (!pending_.finished()) {
      rescore(learner);
      const std::int32_t least = oracle.least_loss(pending_);
      const auto is_right = [&](const Move& move) { return oracle.loss(pending_, move) == least; };
      const Move guess = best();
      const Move right = is_right(guess) ? guess : best(is_right);
      learner.learn(*this, is_right, right, guess);
      const bool mistaken = right != guess;
      mistakes += mistaken;
      const Move taken = mistaken && !explores(random, explore) ? right : guess;
      const std::int32_t label = pending_.is_arc(taken) ? learn_label(learner, oracle, taken) : kNoLabel;
      oracle.advance(pending_, taken);
      apply(taken, label);
    }
    return mistakes;
  }

  const PendingWords& pending() const { return pending_; }
  WordView view(const Move& move) const { return pending_.view(move.position); }

  // The model has changed.
  void forget_scores() { known_.assign(static_cast<std::size_t>(pending_.positions()), 0); }

  Score score(const Move& move) const {
    return scores_[static_cast<std::size_t>(move.position) * classes_ + static_cast<std::size_t>(move.transition)];
  }

  // The best of the moves that are allowed, the first of equals; one at least is.
  template <typename Allowed>
  Move best(Allowed&& allowed) const {
    Move best;
    pending_.visit_moves([&](const Move& move) {
      if ((best.transition == kNoNode || score(move) > score(best)) && allowed(move)) best = move;
    });
    return best;
  }
  Move best() const {
    return best([](const Move&) { return true; });
  }

 private:
  void start(std::int32_t words) {
    pending_.start(words);
    scores_.assign(static_cast<std::size_t>(pending_.positions()) * classes_, Score{});
    forget_scores();
  }

  template <typename Scorer>
  void rescore(Scorer& scorer) {
    for (std::size_t position = 0; position < known_.size(); ++position) {
      if (known_[position]) continue;
      const std::span<Score> row = std::span(scores_).subspan(position * classes_, classes_);
      scorer.score(pending_.view(static_cast<std::int32_t>(position)), pending_.state().arcs, row);
      known_[position] = 1;
    }
  }

  // Returns the gold label if there is one, else that of the learner.
  template <typename Learner>
  std::int32_t learn_label(Learner& learner, const EasyFirstOracle& oracle, const Move& move) {
    if constexpr (Learner::kLearnsLabels) {
      const std::int32_t gold = oracle.label(pending_, move);
      const std::int32_t guess = learner.learn_label(view(move), pending_.state().arcs, move.transition, gold);
      return gold == kNoLabel ? guess : gold;
    } else {
      return learner.label(view(move), pending_.state().arcs, move.transition);
    }
  }

  void apply(const Move& move, std::int32_t label) {
    const bool arc = pending_.is_arc(move);
    pending_.apply(move, label);
    const auto at = static_cast<std::ptrdiff_t>(move.position);
    const auto classes = static_cast<std::ptrdiff_t>(classes_);
    scores_.erase(scores_.begin() + at * classes, scores_.begin() + (at + 1) * classes);
    known_.erase(known_.begin() + at);
    if (!arc) return;  // what stood at position 1 stands at 0 now and looks the same
    // The head is the pending word before `position` now; the words around it have a new neighbour.
    const std::int32_t first = std::max(0, move.position - 1 - seen_right_);
    const std::int32_t last = std::min(pending_.positions() - 1, move.position + seen_left_);
    for (std::int32_t position = first; position <= last; ++position) known_[static_cast<std::size_t>(position)] = 0;
  }

  PendingWords pending_;
  std::size_t classes_;
  std::int32_t seen_left_ = 0;   // how deep features look into the stack
  std::int32_t seen_right_ = 0;  // and into the buffer
  std::vector<Score> scores_;    // of each position those of all transitions
  std::vector<std::uint8_t> known_;
};

}  // namespace crossarc
