// Easy-first parsing (Goldberg & Elhadad 2010): of all pairs of neighbours among the words that have no head yet, the
// one that a model is surest about is joined next, wherever it stands. In the terms of the divisible system (2013,
// Section 3.1) the pair at position p is the top of the stack and the first word of the buffer after p times SHIFT, and
// that is what the features of its arcs see. Scores are kept and worked out anew only where a move was seen, and the
// best one is found by a tree of matches: O(n) model scores and O(n log n) steps for a sentence.
//
// In training the right moves are those that lose the fewest gold arcs; they are looked for among all: O(n²) small
// steps, and O(n) model scores after every mistake. A learner is a ViewScorer with
//   static constexpr bool kLearnsLabels;  // whether arcs are labelled, and labels learnt, while they are made
//   void learn(EasyFirstSearch<Score>& search, is_right, const Move& right, const Move& guess);  // is_right(move)
//   std::int32_t learn_label(const WordView& view, const ArcTable& arcs, std::int32_t transition, std::int32_t gold);
// `right` is the best right move, and `guess` itself if it is right. If weights change, learn() has to forget scores.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/threads.hpp"
#include "search/state.hpp"
#include "transitions/oracles/gold.hpp"

namespace crossarc {

// What may be done at a pending word: SHIFT, which says that the first one is a root, or an arc between the word and
// the pending one before it.
struct Move {
  std::int32_t transition = kNoNode;
  std::int32_t word = kNoNode;
  bool operator==(const Move& other) const = default;
};

// The words without a head, in their order, and what can be done with them. Every step is O(1).
class PendingWords {
 public:
  // The program of the definition is easy-first.
  explicit PendingWords(const ParserDefinition& definition);

  void start(std::int32_t words);
  const ArcTable& arcs() const { return arcs_; }
  // Those made so far, in their order.
  std::span<const BuiltArc> links() const { return links_; }
  std::int32_t nodes() const { return nodes_; }
  bool finished() const { return positions_ == 0; }
  // How many are pending.
  std::int32_t positions() const { return positions_; }
  bool pending(std::int32_t word) const { return pending_[word] != 0; }
  // The first one, and those around one; kNoNode where there is none. Words that were shifted stand before the first.
  std::int32_t first() const { return first_; }
  std::int32_t before(std::int32_t word) const { return before_[word]; }
  std::int32_t behind(std::int32_t word) const { return behind_[word]; }
  // The one at a position, from 0 on. O(position).
  std::int32_t at(std::int32_t position) const;
  // What features see of a move at the word, as deep as any of them looks. Valid until the next call.
  WordView view(std::int32_t word) const;
  bool is_arc(const Move& move) const { return move.transition != moves_.shift; }
  // The arc of a move; a root that is shifted is a dependent without a head.
  GoldArc arc(const Move& move) const;
  void apply(const Move& move, std::int32_t label);

  // Calls visit(move) for everything that may be done at a pending word.
  template <typename Visit>
  void visit_moves_at(std::int32_t word, Visit&& visit) const {
    if (word == first_) return visit(Move{moves_.shift, word});
    if (before(word) != root_position_) visit(Move{moves_.attach_left, word});
    if (word != root_position_) visit(Move{moves_.attach_right, word});
  }
  // Calls visit(move, position) for everything that may be done, from left to right.
  template <typename Visit>
  void visit_moves(Visit&& visit) const {
    std::int32_t position = 0;
    for (std::int32_t word = first_; word != kNoNode; word = behind(word), ++position) {
      visit_moves_at(word, [&](const Move& move) { visit(move, position); });
    }
  }

 private:
  const ParserDefinition* definition_;
  EasyFirstMoves moves_;
  std::size_t seen_left_ = 0;  // how many words features see on each side
  std::size_t seen_right_ = 0;
  std::int32_t nodes_ = 0;
  std::int32_t root_position_ = kNoNode;
  std::int32_t positions_ = 0;
  std::int32_t first_ = kNoNode;
  ArcTable arcs_;
  std::vector<BuiltArc> links_;
  std::vector<std::int32_t> before_, behind_;
  std::vector<std::uint8_t> pending_;
  mutable std::vector<std::int32_t> left_view_, right_view_;
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

// The leftmost of the best of some values: every place plays against its neighbour, the winners against each other.
// O(log n) for a value that changes.
template <typename Score>
class BestPlace {
 public:
  // So many places without a value.
  void start(std::size_t places) {
    for (leaves_ = 1; leaves_ < places;) leaves_ *= 2;
    winners_.assign(2 * leaves_, kNone);
    values_.resize(places);
  }
  void set(std::int32_t place, Score value) {
    values_[place] = value;
    play(place, place);
  }
  void remove(std::int32_t place) { play(place, kNone); }
  std::int32_t best() const { return winners_[1]; }

 private:
  static constexpr std::int32_t kNone = -1;

  void play(std::int32_t place, std::int32_t winner) {
    std::size_t at = leaves_ + static_cast<std::size_t>(place);
    winners_[at] = winner;
    for (at /= 2; at > 0; at /= 2) {
      const std::int32_t left = winners_[2 * at];
      const std::int32_t right = winners_[2 * at + 1];
      const bool right_wins = left == kNone || (right != kNone && values_[right] > values_[left]);
      winners_[at] = right_wins ? right : left;
    }
  }

  std::size_t leaves_ = 1;
  std::vector<std::int32_t> winners_;  // from 1 on, those of 2i and 2i + 1 at i
  std::vector<Score> values_;
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

  // The arcs that were made, in their order.
  template <ViewScorer Scorer>
  std::span<const BuiltArc> parse(std::int32_t words, Scorer& scorer) {
    start(words);
    while (!pending_.finished()) {
      check_interruption(16);
      rescore(scorer);
      const Move move = best();
      const bool arc = pending_.is_arc(move);
      apply(move, arc ? scorer.label(view(move), pending_.arcs(), move.transition) : kNoLabel);
    }
    return pending_.links();
  }

  // Learns from one sentence and returns the number of mistakes. `explore`: how often, of a hundred, the parser's own
  // choice is followed where it is wrong.
  template <ViewScorer Learner>
  std::int64_t learn(std::int32_t words, Learner& learner, EasyFirstOracle& oracle, std::span<const GoldArc> gold,
                     unsigned explore, Random& random) {
    std::int64_t mistakes = 0;
    start(words);
    oracle.start(pending_.nodes(), gold);
    while (!pending_.finished()) {
      check_interruption(16);
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
  WordView view(const Move& move) const { return pending_.view(move.word); }

  // The model has changed.
  void forget_scores() {
    for (std::int32_t word = pending_.first(); word != kNoNode; word = pending_.behind(word)) forget_scores(word);
  }

  Score score(const Move& move) const {
    return scores_[static_cast<std::size_t>(move.word) * classes_ + static_cast<std::size_t>(move.transition)];
  }

  // The best of the moves that are allowed, the first of equals; one at least is. O(n).
  template <typename Allowed>
  Move best(Allowed&& allowed) const {
    Move best;
    pending_.visit_moves([&](const Move& move, std::int32_t) { improve(best, move, allowed); });
    return best;
  }
  // The best of all.
  Move best() const { return best_at(best_word_.best()); }

 private:
  void start(std::int32_t words) {
    pending_.start(words);
    const auto nodes = static_cast<std::size_t>(pending_.nodes());
    scores_.assign(nodes * classes_, Score{});
    best_word_.start(nodes);
    known_.assign(nodes, 1);
    unknown_.clear();
    forget_scores();
  }

  void forget_scores(std::int32_t word) {
    if (known_[word]) unknown_.push_back(word);
    known_[word] = 0;
  }

  template <typename Allowed>
  void improve(Move& best, const Move& move, Allowed&& allowed) const {
    if ((best.transition == kNoNode || score(move) > score(best)) && allowed(move)) best = move;
  }
  Move best_at(std::int32_t word) const {
    Move best;
    pending_.visit_moves_at(word, [&](const Move& move) { improve(best, move, [](const Move&) { return true; }); });
    return best;
  }
  // The moves at a word or their scores have changed.
  void match(std::int32_t word) {
    const Move best = best_at(word);
    if (best.transition == kNoNode) {
      best_word_.remove(word);
    } else {
      best_word_.set(word, score(best));
    }
  }

  template <typename Scorer>
  void rescore(Scorer& scorer) {
    for (const std::int32_t word : unknown_) {
      if (!pending_.pending(word)) continue;
      check_interruption(16);
      known_[word] = 1;
      const std::span<Score> row = std::span(scores_).subspan(static_cast<std::size_t>(word) * classes_, classes_);
      scorer.score(pending_.view(word), pending_.arcs(), row);
      match(word);
    }
    unknown_.clear();
  }

  // Returns the gold label if there is one, else that of the learner.
  template <typename Learner>
  std::int32_t learn_label(Learner& learner, const EasyFirstOracle& oracle, const Move& move) {
    if constexpr (Learner::kLearnsLabels) {
      const std::int32_t gold = oracle.label(pending_, move);
      const std::int32_t guess = learner.learn_label(view(move), pending_.arcs(), move.transition, gold);
      return gold == kNoLabel ? guess : gold;
    } else {
      return learner.label(view(move), pending_.arcs(), move.transition);
    }
  }

  void apply(const Move& move, std::int32_t label) {
    const GoldArc arc = pending_.arc(move);
    pending_.apply(move, label);
    best_word_.remove(arc.dependent);
    if (arc.head == kNoNode) {  // what stands first now looks the same as before
      if (!pending_.finished()) match(pending_.first());
      return;
    }
    // The head and the words around it have a new neighbour.
    std::int32_t word = arc.head;
    for (std::int32_t step = 0; step < seen_right_ && word != pending_.first(); ++step) word = pending_.before(word);
    const std::int32_t last = seen_left_ + 1;
    for (std::int32_t step = 0; word != kNoNode && step <= last; word = pending_.behind(word)) {
      forget_scores(word);
      step += word >= arc.head;
    }
  }

  PendingWords pending_;
  std::size_t classes_;
  std::int32_t seen_left_ = 0;         // how deep features look into the stack
  std::int32_t seen_right_ = 0;        // and into the buffer
  std::vector<Score> scores_;          // of each word those of all transitions
  std::vector<std::uint8_t> known_;    // whether those of a word are
  std::vector<std::int32_t> unknown_;  // words of which they are not
  BestPlace<Score> best_word_;
};

}  // namespace crossarc
