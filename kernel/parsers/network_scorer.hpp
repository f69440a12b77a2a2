// Scores of transitions and labels by a network (nn/network.hpp) that has read the sentence. O(slots · hidden) for
// each configuration and O(hidden · labels) for each arc.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "features/features.hpp"
#include "nn/activation.hpp"
#include "nn/network.hpp"
#include "search/greedy.hpp"

namespace crossarc {

// Transitions of one sentence after the other, in a batch.
class TransitionScorer {
 public:
  // The addresses and atoms of the features for transitions are what is looked at.
  TransitionScorer(const Network& network, const ParserDefinition& definition)
      : network_(&network), root_(definition.root), extractor_(definition.transition_features) {}

  void start(const Matrix& projected, const WordOrder& order, std::size_t sentence) {
    projected_ = &projected;
    order_ = &order;
    sentence_ = sentence;
  }
  // Sums up what the parts of the configuration say.
  void look(const ParseState& state) { look(state.view(), state.arcs); }
  void look(const WordView& view, const ArcTable& arcs);
  // Multiplies the hidden values, those below 0 being 0.
  void mask(std::span<const float> mask) { scale(hidden_.data(), mask.data(), mask.size()); }
  void score(std::span<float> scores) const;

  // To learn: from the gradients of the scores to everything below. `mask`: by what the hidden values were multiplied.
  void learn(std::span<const float> score_gradients, std::span<const float> mask, Matrix& projected_gradient,
             NetworkWeights& gradients);

 private:
  // The row of the projections for a place, kAbsent or kArtificial.
  static constexpr std::int64_t kAbsent = -1;
  static constexpr std::int64_t kArtificial = -2;

  const Network* network_;
  Root root_;
  FeatureExtractor extractor_;
  const Matrix* projected_ = nullptr;
  const WordOrder* order_ = nullptr;
  std::size_t sentence_ = 0;
  std::vector<std::int64_t> rows_;
  std::vector<std::size_t> atom_rows_;
  std::vector<float> hidden_;
  std::vector<float> hidden_gradient_;
  std::vector<std::uint64_t> hashes_;
};

// The same for beam search: logarithms of probabilities, and labels left for the end.
class BeamTransitionScorer {
 public:
  using Score = float;

  explicit BeamTransitionScorer(TransitionScorer& scorer) : scorer_(&scorer) {}
  void score(const ParseState& state, std::span<const std::uint8_t> legal, std::span<Score> scores);
  std::int32_t label(const ParseState& /* state */, std::int32_t /* transition */) { return 0; }

 private:
  TransitionScorer* scorer_;
};

// An arc that wants a label: rows of the batch, or kRootRow for the artificial root as head.
struct LabelQuestion {
  static constexpr std::int64_t kRootRow = -1;
  std::int64_t head = kRootRow;
  std::int64_t dependent = 0;
  std::int32_t gold = kNoLabel;
};

// Labels of many arcs at once.
class LabelScorer {
 public:
  // The best label of each arc.
  void answer(const Network& network, const PackedMatrix& output, const Matrix& projected,
              std::span<const LabelQuestion> questions, std::vector<std::int32_t>& labels);
  // Writes the gradient of the label output and adds to the rest.
  void learn(const Network& network, const Matrix& projected, std::span<const LabelQuestion> questions,
             const Dropout& dropout, Random& random, Matrix& projected_gradient, NetworkWeights& gradients);

 private:
  void look(const Network& network, const Matrix& projected, std::span<const LabelQuestion> questions);
  void score(const Network& network, const PackedMatrix& output);

  Matrix hidden_, scores_, mask_, hidden_gradient_;
  PackedMatrix packed_;
};

// Scores become probabilities of those that are allowed.
void normalise(std::span<float> scores, std::span<const std::uint8_t> allowed);

}  // namespace crossarc
