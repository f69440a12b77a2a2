// Scores of transitions and labels by linear models: features of the state, weights of their hashes. Greedy parsing
// looks at every state once and extracts its features as they are. Beam search and easy-first look at the same words
// again and again: for them the templates are parted by the words that they look at, and the scores of each part are
// kept for states that look at the same words (Goldberg, Zhao & Huang 2013). O(templates) for a state at most. One
// model scores transitions and another one labels, or one scores transitions with their labels.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "features/features.hpp"
#include "linear/perceptron.hpp"
#include "search/crossing_penalty.hpp"
#include "search/greedy.hpp"
#include "search/state.hpp"

namespace crossarc {

// A model with its features.
template <typename Model>
class PlainScores {
 public:
  PlainScores(const FeatureSet& features, const Model& model, std::size_t /* classes */)
      : model_(&model), extractor_(features) {}

  void clear() {}

  void score(const WordView& view, const ArcTable& arcs, const WordValues& words, std::uint64_t salt,
             std::span<std::int32_t> scores) {
    extract(view, arcs, words, salt);
    std::fill(scores.begin(), scores.end(), 0);
    model_->score(hashes_, scores);
  }

  // The features alone.
  void extract(const WordView& view, const ArcTable& arcs, const WordValues& words, std::uint64_t salt) {
    extractor_.extract(view, arcs, words, salt, hashes_);
  }
  // Of what was scored or extracted last.
  std::span<const std::uint64_t> features() const { return hashes_; }

 private:
  const Model* model_;
  FeatureExtractor extractor_;
  std::vector<std::uint64_t> hashes_;
};

// Rows of scores that were worked out before, by a number that says for what. O(1) for each question.
class ScoreCache {
 public:
  explicit ScoreCache(std::size_t columns) : columns_(columns), slots_(kSlots) {}

  void clear() {
    ++generation_;
    size_ = 0;
  }

  // Room for so many more rows; in a very long sentence this may forget what there is.
  void make_room(std::size_t rows) {
    if (size_ + rows > kSlots / 2) clear();
    if (rows_.size() < (size_ + rows) * columns_) rows_.resize(2 * (size_ + rows) * columns_);
  }

  // The number of a key's row, and whether it is new, that is, not filled yet. There must be room.
  std::pair<std::uint32_t, bool> find(std::uint64_t key) {
    std::size_t index = key & (kSlots - 1);
    while (slots_[index].generation == generation_ && slots_[index].key != key) index = (index + 1) & (kSlots - 1);
    const bool fresh = slots_[index].generation != generation_;
    if (fresh) slots_[index] = {key, generation_, static_cast<std::uint32_t>(size_++)};
    return {slots_[index].row, fresh};
  }

  std::span<std::int32_t> row(std::uint32_t number) { return std::span(rows_).subspan(number * columns_, columns_); }

 private:
  static constexpr std::size_t kSlots = 1U << 14;
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t generation = 0;
    std::uint32_t row = 0;
  };

  std::size_t columns_;
  std::size_t size_ = 0;
  std::uint32_t generation_ = 1;
  std::vector<Slot> slots_;
  std::vector<std::int32_t> rows_;
};

// A model with its features, and the scores of parts that were worked out for the sentence at hand.
template <typename Model>
class CachedScores {
 public:
  CachedScores(const FeatureSet& features, const Model& model, std::size_t classes)
      : model_(&model), extractor_(features), cache_(classes) {}

  void clear() { cache_.clear(); }

  void score(const WordView& view, const ArcTable& arcs, const WordValues& words, std::uint64_t salt,
             std::span<std::int32_t> scores) {
    const std::size_t parts = extractor_.parts();
    extractor_.locate(view, arcs);
    cache_.make_room(parts);
    rows_.resize(parts);
    hashes_.resize(parts);
    for (std::size_t part = 0; part < parts; ++part) {
      bool fresh = false;
      std::tie(rows_[part], fresh) = cache_.find(extractor_.key(part, arcs, salt));
      hashes_[part].clear();
      if (!fresh) continue;
      extractor_.hash(part, arcs, words, salt, hashes_[part]);
      model_->prefetch(hashes_[part]);  // memory answers while the other parts are looked at
      std::ranges::fill(cache_.row(rows_[part]), 0);
    }
    std::fill(scores.begin(), scores.end(), 0);
    for (std::size_t part = 0; part < parts; ++part) {
      const std::span<std::int32_t> row = cache_.row(rows_[part]);
      if (!hashes_[part].empty()) model_->score(hashes_[part], row);
      for (std::size_t number = 0; number < scores.size(); ++number) scores[number] += row[number];
    }
  }

 private:
  const Model* model_;
  FeatureExtractor extractor_;
  ScoreCache cache_;
  std::vector<std::uint32_t> rows_;                 // of each part
  std::vector<std::vector<std::uint64_t>> hashes_;  // of parts that were not there
};

// What tells apart the features of labels by the transition that adds the arc.
inline std::uint64_t label_salt(std::int32_t transition) {
  return static_cast<std::uint64_t>(transition + 1) * 0xA24BAED4963EE407ULL;
}

// `Scores` is one of the two above; `Model` is a LinearModel or, in training, a Perceptron.
template <template <typename> typename Scores, typename Model>
class LinearScorer {
 public:
  using Score = std::int32_t;

  LinearScorer(const ParserDefinition& definition, const Model& transitions, const Model& labels)
      : transitions_(definition.transition_features, transitions, definition.program->size()),
        labels_(definition.label_features, labels, definition.labels),
        label_scores_(definition.labels),
        label_losses_(label_losses<Score>(definition)) {}

  // The words of the sentence at hand; the models may have changed.
  void start(const WordValues& words) {
    words_ = words;
    transitions_.clear();
    labels_.clear();
  }

  void score(const WordView& view, const ArcTable& arcs, std::span<Score> scores) {
    transitions_.score(view, arcs, words_, 0, scores);
  }
  std::int32_t label(const WordView& view, const ArcTable& arcs, std::int32_t transition) {
    labels_.score(view, arcs, words_, label_salt(transition), label_scores_);
    for (std::size_t label = 0; label < label_losses_.size(); ++label) label_scores_[label] -= label_losses_[label];
    return best_of<Score>(label_scores_);
  }

  void score(const ParseState& state, std::span<const std::uint8_t> /* legal */, std::span<Score> scores) {
    score(state.view(), state.arcs, scores);
  }
  std::int32_t label(const ParseState& state, std::int32_t transition) {
    return label(state.view(), state.arcs, transition);
  }

 protected:
  Scores<Model> transitions_;
  Scores<Model> labels_;
  WordValues words_;

 private:
  std::vector<Score> label_scores_, label_losses_;
};

// The classes of a model that scores transitions together with labels: a transition that adds an arc has one for each
// label, any other has one.
class JointClasses {
 public:
  explicit JointClasses(const ParserDefinition& definition) {
    for (std::size_t transition = 0; transition < definition.program->size(); ++transition) {
      const bool arc = definition.adds_arc(transition);
      adds_arc_.push_back(arc);
      starts_.push_back(starts_.back() + (arc ? definition.labels : 1));
    }
  }

  std::size_t size() const { return starts_.back(); }
  // Takes what each label loses, if it is given, from the scores of all classes.
  void lose(std::span<const std::int32_t> losses, std::span<std::int32_t> scores) const {
    if (losses.empty()) return;
    for (std::size_t transition = 0; transition < adds_arc_.size(); ++transition) {
      if (!adds_arc_[transition]) continue;
      for (std::size_t label = 0; label < losses.size(); ++label) scores[starts_[transition] + label] -= losses[label];
    }
  }
  std::size_t number(const LabelledTransition& labelled) const {
    return starts_[labelled.transition] + (adds_arc_[labelled.transition] ? labelled.label : 0);
  }
  // The label of a transition that scores best, and its score.
  std::pair<LabelledTransition, std::int32_t> best(std::int32_t transition,
                                                   std::span<const std::int32_t> scores) const {
    const std::size_t first = starts_[transition];
    const std::int32_t label = best_of(scores.subspan(first, starts_[transition + 1] - first));
    return {{transition, adds_arc_[transition] ? label : kNoLabel}, scores[first + label]};
  }

 private:
  std::vector<std::uint8_t> adds_arc_;
  std::vector<std::size_t> starts_{0};
};

// The score of a transition is that of its best label.
template <template <typename> typename Scores, typename Model>
class JointScorer {
 public:
  using Score = std::int32_t;

  JointScorer(const ParserDefinition& definition, const Model& transitions, const Model& /* labels */)
      : classes_(definition),
        transitions_(definition.transition_features, transitions, classes_.size()),
        class_scores_(classes_.size()),
        label_losses_(label_losses<Score>(definition)) {}

  void start(const WordValues& words) {
    words_ = words;
    transitions_.clear();
  }

  void score(const ParseState& state, std::span<const std::uint8_t> legal, std::span<Score> scores) {
    score_classes(state);
    for (std::size_t transition = 0; transition < scores.size(); ++transition) {
      if (legal[transition]) scores[transition] = best(transition).second;
    }
  }
  std::int32_t label(const ParseState& state, std::int32_t transition) {
    score_classes(state);
    return best(transition).first.label;
  }

 protected:
  void score_classes(const ParseState& state) {
    transitions_.score(state.view(), state.arcs, words_, 0, class_scores_);
    classes_.lose(label_losses_, class_scores_);
  }
  std::pair<LabelledTransition, Score> best(std::int32_t transition) const {
    return classes_.best(transition, class_scores_);
  }

  JointClasses classes_;
  Scores<Model> transitions_;
  WordValues words_;
  std::vector<Score> class_scores_;

 private:
  std::vector<Score> label_losses_;
};

}  // namespace crossarc
