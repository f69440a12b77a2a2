#include "parsers/perceptron.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/threads.hpp"
#include "parsers/perceptron_scorer.hpp"
#include "search/easy_first.hpp"
#include "search/greedy.hpp"

namespace crossarc {
namespace {

using GreedyScorer = PenalisedScorer<LinearScorer<PlainScores, LinearModel>>;
using SearchScorer = PenalisedScorer<LinearScorer<CachedScores, LinearModel>>;
using JointGreedyScorer = PenalisedScorer<JointScorer<PlainScores, LinearModel>>;
using JointSearchScorer = PenalisedScorer<JointScorer<CachedScores, LinearModel>>;

// Makes a scorer and a search for every few sentences and calls work(scorer, search, sentence, its length), on threads.
template <typename Scorer, typename MakeSearch, typename Work>
void for_sentences(const PerceptronModel& model, const SentenceTable& table, std::size_t together, int threads,
                   MakeSearch&& make_search, Work&& work) {
  const std::size_t sentences = table.sentences();
  parallel_for((sentences + together - 1) / together, thread_count(threads), [&](std::size_t chunk) {
    Scorer scorer(model.definition(), model.definition(), model.transitions(), model.labels());
    auto search = make_search();
    std::vector<std::uint32_t> memory;
    for (std::size_t sentence = chunk * together; sentence < std::min(sentences, (chunk + 1) * together); ++sentence) {
      scorer.start(load_values(table, sentence, model.definition().root, memory));
      work(scorer, search, sentence, table.length(sentence));
    }
  });
}

template <typename Search, typename Scorer>
ParsedArcs parse_with(const PerceptronModel& model, const SentenceTable& table, int threads) {
  std::vector<std::vector<LabelledArc>> arcs(table.sentences());
  for_sentences<Scorer>(
      model, table, 32, threads, [&] { return Search(model.definition()); },
      [&](Scorer& scorer, Search& search, std::size_t sentence, std::int32_t words) {
        add_word_arcs(model.definition(), words, search.parse(words, scorer), arcs[sentence]);
      });
  return ParsedArcs(arcs);
}

template <typename Scorer>
SearchResults search_with(const PerceptronModel& model, const SentenceTable& table, std::size_t width, std::size_t kept,
                          int threads) {
  using Beam = BeamSearch<Scorer>;
  std::vector<std::vector<Analysis>> found(table.sentences());
  for_sentences<Scorer>(
      model, table, 8, threads, [&] { return Beam(model.definition(), width); },
      [&](Scorer& scorer, Beam& beam, std::size_t sentence, std::int32_t words) {
        beam.start(words);
        beam.run(scorer);
        std::vector<typename Beam::Step> steps;
        const auto items = beam.items();
        for (const auto& item : items.first(std::min(kept, items.size()))) {
          found[sentence].emplace_back(beam, item, steps);
        }
      });
  return SearchResults(found);
}

template <typename Scorer>
Trace trace_with(const PerceptronModel& model, const SentenceTable& table, std::span<const std::int32_t> given) {
  std::vector<std::uint32_t> memory;
  Scorer scorer(model.definition(), model.definition(), model.transitions(), model.labels());
  scorer.start(load_values(table, 0, model.definition().root, memory));
  return trace_sentence(model.definition(), table.length(0), scorer, given);
}

// A scorer that moves weights. Features are extracted as they are.
class UpdatingScorer : public LinearScorer<PlainScores, Perceptron> {
 public:
  static constexpr bool kLearnsLabels = true;

  UpdatingScorer(const ParserDefinition& definition, Perceptrons& learnt)
      : LinearScorer(definition, learnt.transitions, learnt.labels), learnt_(&learnt) {}

  void tick() { learnt_->transitions.tick(); }

  void learn(std::span<const Score> /* scores */, std::span<const std::uint8_t> /* legal */,
             std::span<const std::uint8_t> right, std::int32_t best_right, std::int32_t guess) {
    if (right[guess]) return;
    learnt_->transitions.update(transitions_.features(), best_right, guess);
  }

  void add(const WordView& view, const ArcTable& arcs, std::int32_t transition, std::int32_t amount) {
    transitions_.extract(view, arcs, words_, 0);
    learnt_->transitions.add(transitions_.features(), transition, amount);
  }

  std::int32_t learn_label(const WordView& view, const ArcTable& arcs, std::int32_t transition, std::int32_t gold) {
    const std::int32_t guess = label(view, arcs, transition);
    learnt_->labels.tick();
    if (gold != kNoLabel && gold != guess) {
      learnt_->labels.update(labels_.features(), gold, guess);
    }
    return guess;
  }

 private:
  Perceptrons* learnt_;
};

// A scorer of transitions with labels that moves weights.
class JointUpdatingScorer : public JointScorer<PlainScores, Perceptron> {
 public:
  JointUpdatingScorer(const ParserDefinition& definition, Perceptrons& learnt)
      : JointScorer(definition, learnt.transitions, learnt.labels), learnt_(&learnt) {}

  void tick() { learnt_->transitions.tick(); }

  LabelledChoices learn(const ParseState& state, std::span<const std::uint8_t> legal,
                        std::span<const std::uint8_t> right, std::span<const std::int32_t> gold_labels) {
    score_classes(state);
    LabelledChoices choices;
    Score best_score = 0;
    Score right_score = 0;
    for (std::size_t number = 0; number < legal.size(); ++number) {
      if (!legal[number]) continue;
      auto [labelled, score] = best(number);
      if (choices.guess.transition == kNoNode || score > best_score) {
        choices.guess = labelled;
        best_score = score;
      }
      if (!right[number]) continue;
      if (gold_labels[number] != kNoLabel) labelled.label = gold_labels[number];
      score = class_scores_[classes_.number(labelled)];
      if (choices.best_right.transition == kNoNode || score > right_score) {
        choices.best_right = labelled;
        right_score = score;
      }
    }
    const std::int32_t gold_label = gold_labels[choices.guess.transition];
    const bool mislabelled = gold_label != kNoLabel && gold_label != choices.guess.label;
    choices.mistaken = !right[choices.guess.transition] || mislabelled;
    if (choices.mistaken) {
      learnt_->transitions.update(transitions_.features(), classes_.number(choices.best_right),
                                  classes_.number(choices.guess));
    }
    return choices;
  }

 private:
  Perceptrons* learnt_;
};

// The same with scores that are kept while a sentence is searched.
class CachedUpdatingScorer : public LinearScorer<CachedScores, Perceptron> {
 public:
  static constexpr bool kLearnsLabels = true;

  CachedUpdatingScorer(const ParserDefinition& definition, Perceptrons& learnt)
      : LinearScorer(definition, learnt.transitions, learnt.labels), updating_(definition, learnt) {}

  void start(const WordValues& words) {
    LinearScorer::start(words);
    updating_.start(words);
  }
  void tick() { updating_.tick(); }
  void add(const WordView& view, const ArcTable& arcs, std::int32_t transition, std::int32_t amount) {
    updating_.add(view, arcs, transition, amount);
  }
  std::int32_t learn_label(const WordView& view, const ArcTable& arcs, std::int32_t transition, std::int32_t gold) {
    return updating_.learn_label(view, arcs, transition, gold);
  }

  // Easy-first: weights move from the features of a wrong move to those of the best right one (Goldberg & Elhadad
  // 2010).
  template <typename IsRight>
  void learn(EasyFirstSearch<Score>& search, IsRight&& /* is_right */, const Move& right, const Move& guess) {
    tick();
    if (right == guess) return;
    const ArcTable& arcs = search.pending().arcs();
    add(search.view(right), arcs, right.transition, 1);
    add(search.view(guess), arcs, guess.transition, -1);
    LinearScorer::start(words_);
    search.forget_scores();
  }

 private:
  UpdatingScorer updating_;
};

}  // namespace

PerceptronModel PerceptronModel::penalised(const CrossingPenalty& penalty) const {
  check_penalty(penalty, definition_.labels);
  PerceptronModel model = *this;
  model.definition_.crossing_penalty = penalty;
  return model;
}

ParsedArcs PerceptronModel::parse(const SentenceTable& table, int threads) const {
  if (definition_.program->positional()) {
    return parse_with<EasyFirstSearch<std::int32_t>, SearchScorer>(*this, table, threads);
  }
  if (definition_.joint) return parse_with<GreedySearch<std::int32_t>, JointGreedyScorer>(*this, table, threads);
  return parse_with<GreedySearch<std::int32_t>, GreedyScorer>(*this, table, threads);
}

SearchResults PerceptronModel::search(const SentenceTable& table, std::size_t width, std::size_t kept,
                                      int threads) const {
  if (definition_.joint) return search_with<JointSearchScorer>(*this, table, width, kept, threads);
  return search_with<SearchScorer>(*this, table, width, kept, threads);
}

Trace PerceptronModel::trace(const SentenceTable& table, std::span<const std::int32_t> given) const {
  return definition_.joint ? trace_with<JointGreedyScorer>(*this, table, given)
                           : trace_with<GreedyScorer>(*this, table, given);
}

std::size_t transition_classes(const ParserDefinition& definition) {
  return definition.joint ? JointClasses(definition).size() : definition.program->size();
}

PerceptronLearner::PerceptronLearner(ParserDefinition definition, const TrainingOracleOptions& oracle,
                                     std::uint64_t seed)
    : definition_(std::move(definition)),
      oracle_(*definition_.program, oracle),
      learnt_{Perceptron(transition_classes(definition_)), Perceptron(definition_.labels)},
      random_(seed) {}

std::int64_t PerceptronLearner::learn(const SentenceTable& table, const GoldTable& gold,
                                      std::span<const std::int32_t> order, unsigned explore, std::size_t beam,
                                      BeamUpdate update) {
  std::vector<std::uint32_t> memory;
  std::vector<GoldArc> arcs;
  // Calls learn_sentence(number of words) for each sentence, whose arcs are at hand.
  const auto learn_all = [&](auto& scorer, auto&& learn_sentence) {
    std::int64_t mistakes = 0;
    for (const std::int32_t sentence : order) {
      const std::int32_t words = table.length(sentence);
      gold.load(sentence, words, definition_.root, arcs);
      scorer.start(load_values(table, sentence, definition_.root, memory));
      mistakes += learn_sentence(words);
    }
    return mistakes;
  };
  if (definition_.program->positional()) {
    CachedUpdatingScorer scorer(definition_, learnt_);
    EasyFirstSearch<std::int32_t> search(definition_);
    EasyFirstOracle oracle;
    return learn_all(scorer,
                     [&](std::int32_t words) { return search.learn(words, scorer, oracle, arcs, explore, random_); });
  }
  if (beam > 1) {
    CachedUpdatingScorer scorer(definition_, learnt_);
    BeamTraining<CachedUpdatingScorer> training(definition_, beam, update, scorer, oracle_);
    return learn_all(scorer, [&](std::int32_t words) { return training.learn(words, arcs); });
  }
  GreedySearch<std::int32_t> search(definition_);
  if (definition_.joint) {
    JointUpdatingScorer scorer(definition_, learnt_);
    return learn_all(
        scorer, [&](std::int32_t words) { return search.learn_joint(words, scorer, oracle_, arcs, explore, random_); });
  }
  UpdatingScorer scorer(definition_, learnt_);
  return learn_all(scorer,
                   [&](std::int32_t words) { return search.learn(words, scorer, oracle_, arcs, explore, random_); });
}

PerceptronModel PerceptronLearner::average(std::span<const PerceptronLearner* const> learners,
                                           std::int32_t least_updates) {
  const ParserDefinition& definition = learners.front()->definition_;
  std::vector<const Perceptron*> transitions, labels;
  for (const PerceptronLearner* learner : learners) {
    const ParserDefinition& other = learner->definition_;
    if (other.labels != definition.labels || other.joint != definition.joint ||
        other.program->size() != definition.program->size() ||
        other.transition_features.templates.size() != definition.transition_features.templates.size() ||
        other.label_features.templates.size() != definition.label_features.templates.size()) {
      throw std::invalid_argument("the learners have different numbers of transitions, labels or templates");
    }
    transitions.push_back(&learner->learnt_.transitions);
    labels.push_back(&learner->learnt_.labels);
  }
  return {definition, Perceptron::average(transitions, least_updates, definition.transition_features.templates.size()),
          Perceptron::average(labels, least_updates, definition.label_features.templates.size())};
}

PerceptronLearner::State PerceptronLearner::state_dict() const {
  return {learnt_.transitions.state_dict(), learnt_.labels.state_dict(), random_.state()};
}

void PerceptronLearner::load_state_dict(const State& state) {
  learnt_.transitions.load_state_dict(state.transitions, definition_.transition_features.templates.size());
  learnt_.labels.load_state_dict(state.labels, definition_.label_features.templates.size());
  random_ = Random(state.random);
}

}  // namespace crossarc
