// What scores transitions and labels with linear models, for searches over states: features of the state, weights of
// their hashes. The templates are parted by the words that they look at, and the scores of each part are kept for
// states that look at the same words (Goldberg, Zhao & Huang 2013). O(templates) for a state at most.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "features/features.hpp"
#include "search/greedy.hpp"
#include "search/score_cache.hpp"

namespace crossarc {

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
      for (std::size_t one = 0; one < scores.size(); ++one) scores[one] += row[one];
    }
  }

 private:
  const Model* model_;
  FeatureExtractor extractor_;
  ScoreCache cache_;
  std::vector<std::uint32_t> rows_;                 // of each part
  std::vector<std::vector<std::uint64_t>> hashes_;  // of parts that were not there
};

// `Model` is a LinearModel or, in training, a Perceptron.
template <typename Model>
class LinearScorer {
 public:
  using Score = std::int32_t;

  LinearScorer(const ParserDefinition& definition, const Model& transitions, const Model& labels)
      : transitions_(definition.transition_features, transitions, definition.program->size()),
        labels_(definition.label_features, labels, definition.labels),
        label_scores_(definition.labels) {}

  // The words of the sentence at hand; the models may have changed.
  void start(const WordValues& words) {
    words_ = words;
    transitions_.clear();
    labels_.clear();
  }

  void score(const ParseState& state, std::span<const std::uint8_t> /* legal */, std::span<Score> scores) {
    score(state.view(), state.arcs, scores);
  }
  void score(const WordView& view, const ArcTable& arcs, std::span<Score> scores) {
    transitions_.score(view, arcs, words_, 0, scores);
  }

  std::int32_t label(const ParseState& state, std::int32_t transition) {
    return label(state.view(), state.arcs, transition);
  }
  std::int32_t label(const WordView& view, const ArcTable& arcs, std::int32_t transition) {
    labels_.score(view, arcs, words_, label_salt(transition), label_scores_);
    return static_cast<std::int32_t>(std::max_element(label_scores_.begin(), label_scores_.end()) -
                                     label_scores_.begin());
  }

 private:
  CachedScores<Model> transitions_;
  CachedScores<Model> labels_;
  WordValues words_;
  std::vector<Score> label_scores_;
};

}  // namespace crossarc
