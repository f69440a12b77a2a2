// Many sentences stepped in lockstep, for scorers that live outside the kernel: what is seen in each configuration (the
// values of atoms of feature templates), what is legal, what is right and which label its arc has (the
// dynamic oracle of training), and one action for each sentence. A row is a sentence that is not finished. An action is
// a number, as in transitions/machine/program.hpp: a transition, or in easy-first a transition and a position.
//
// A step costs O(atoms + transitions) for each row, and what the oracle is asked O(transitions · words); in easy-first
// both for each position. Threads share the rows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "features/features.hpp"
#include "features/words.hpp"
#include "search/crossing_penalty.hpp"
#include "search/easy_first.hpp"
#include "search/state.hpp"
#include "transitions/oracles/gold.hpp"
#include "transitions/oracles/training_oracle.hpp"

namespace crossarc {

class Lockstep {
 public:
  // A system that chooses positions is easy-first. Only the atoms of the features count.
  Lockstep(std::shared_ptr<const Program> program, Root root, const FeatureSet& features,
           const TrainingOracleOptions& oracle, int threads);
  Lockstep(const Lockstep&) = delete;
  Lockstep& operator=(const Lockstep&) = delete;

  // Puts some sentences into their initial configurations, with arcs to be learnt or without (null). Nothing that is
  // given need stay afterwards.
  void start(const SentenceTable& given, std::span<const std::int32_t> chosen, const GoldTable* gold);

  std::size_t rows() const { return unfinished_.size(); }
  std::size_t atoms() const { return definition_.transition_features.atoms.size(); }
  // Of the longest sentence.
  std::int32_t actions() const { return actions_; }
  // 1 where a system chooses no position.
  std::size_t positions() const { return positions_; }
  bool has_gold() const { return has_gold_; }
  // Whether it is known what is right in any configuration; else only what is right may be done.
  bool is_dynamic() const;
  // For each row, which of the sentences that were started it is.
  std::span<const std::int32_t> unfinished() const { return unfinished_; }

  // rows × positions × atoms; 0 where a sentence has no such position.
  void write_features(std::span<std::uint32_t> values) const;
  // rows × actions.
  void write_legal(std::span<std::uint8_t> legal) const;
  // rows × actions: 1 for what lets arcs cross (search/crossing_penalty.hpp) and is legal.
  void write_crossing(std::span<std::uint8_t> crossing) const;
  // rows × actions: 0 right, 1 wrong, -1 not legal.
  void write_costs(std::span<std::int32_t> costs) const;
  // The gold label of the arc that the action of each row adds, kNoLabel if it adds no gold arc. All are legal.
  void write_gold_labels(std::span<const std::int32_t> actions, std::span<std::int32_t> labels) const;

  // One action and the label of its arc for each row; all of them or, where one is refused, none.
  enum class Refusal : std::uint8_t { kNone, kNotLegal, kLabelNotLegal, kNotDerived };
  struct Outcome {
    Refusal refusal = Refusal::kNone;
    std::size_t row = 0;  // the first that is refused
  };
  Outcome apply(std::span<const std::int32_t> actions, std::span<const std::int32_t> labels);
  // The first row whose action is not legal, or none.
  std::optional<std::size_t> find_illegal(std::span<const std::int32_t> actions) const;

  // Calls use(sentence, arc) for all arcs of all sentences, finished or not, in numbers of words; of a link without
  // direction, the left word is the head.
  template <typename Use>
  void visit_arcs(Use&& use) const {
    for (std::size_t number = 0; number < sentences_.size(); ++number) {
      const Sentence& sentence = *sentences_[number];
      for (BuiltArc arc : sentence.links()) {
        if (definition_.program->undirected() && arc.head > arc.dependent) std::swap(arc.head, arc.dependent);
        arc.head = Configuration::word_at(arc.head, sentence.nodes(), definition_.root);
        arc.dependent = Configuration::word_at(arc.dependent, sentence.nodes(), definition_.root);
        use(number, arc);
      }
    }
  }
  std::size_t sentences() const { return sentences_.size(); }

 private:
  // A sentence on its way. Oracles hold on to what is in them, so that it stays where it is.
  struct Sentence {
    ParseState state;
    std::optional<PendingWords> pending;  // in easy-first, in place of the state
    std::optional<TrainingOracle> oracle;
    std::optional<EasyFirstOracle> easy_first_oracle;
    std::vector<std::uint32_t> values;  // of its nodes
    std::vector<std::uint8_t> legal;    // of each of its actions
    bool finished = false;

    std::int32_t nodes() const { return pending ? pending->nodes() : state.configuration.nodes(); }
    const ArcTable& arcs() const { return pending ? pending->arcs() : state.arcs; }
    std::span<const BuiltArc> links() const { return pending ? pending->links() : state.configuration.links(); }
  };

  void load(const SentenceTable& given, std::size_t number, const GoldTable* gold, Sentence& sentence) const;
  // Finds out what is legal, and whether anything is.
  void refresh(Sentence& sentence) const;
  void find_unfinished();
  void extract(const Sentence& sentence, FeatureExtractor& extractor, std::span<std::uint32_t> values) const;
  void find_costs(Sentence& sentence, std::vector<std::uint8_t>& right, std::span<std::int32_t> costs) const;
  bool takes_label(Sentence& sentence, std::int32_t action, std::int32_t label) const;
  void advance(Sentence& sentence, std::int32_t action, std::int32_t label) const;
  // Of easy-first.
  Move move_of(const Sentence& sentence, std::int32_t action) const;
  Sentence& at(std::size_t row) const { return *sentences_[unfinished_[row]]; }
  // Calls task(row, memory) for all rows, on threads, each with some Memory.
  template <typename Memory = int, typename Task, typename... Arguments>
  void for_each_row(Task&& task, const Arguments&... arguments) const;

  ParserDefinition definition_;
  CrossingTransitions crossing_;
  TrainingOracleOptions oracle_options_;
  int threads_;
  bool has_gold_ = false;
  std::int32_t actions_ = 0;
  std::size_t positions_ = 1;
  std::vector<std::unique_ptr<Sentence>> sentences_;
  std::vector<std::int32_t> unfinished_;
};

}  // namespace crossarc
