#include "structure/classify.hpp"

#include <algorithm>
#include <mutex>

#include "core/threads.hpp"
#include "structure/lifting.hpp"
#include "structure/measures.hpp"
#include "structure/planes.hpp"
#include "structure/short_tree.hpp"
#include "structure/tree_order.hpp"

namespace crossarc {
namespace {

constexpr std::size_t kSentencesPerTask = 128;

void resize(Classes& classes, std::size_t sentences, std::size_t words) {
  for (auto* column :
       {&classes.nonprojective_arcs, &classes.covered_roots, &classes.planarity_lower, &classes.planarity_upper,
        &classes.gap_degree, &classes.gap_inheritance_degree, &classes.edge_degree}) {
    column->resize(sentences);
  }
  for (auto* column : {&classes.well_nested, &classes.gap_minding, &classes.one_endpoint_crossing,
                       &classes.one_endpoint_crossing_without_root}) {
    column->resize(sentences);
  }
  classes.crossings.resize(sentences);
  classes.lifts.resize(sentences);
  classes.arc_nonprojective.resize(words);
  classes.arc_crossings.resize(words);
  classes.arc_lifts.resize(words);
}

bool in_range(std::span<const std::int32_t> heads) {
  const auto words = static_cast<std::int32_t>(heads.size());
  return std::all_of(heads.begin(), heads.end(), [words](std::int32_t head) { return head >= 0 && head <= words; });
}

// Classifies one sentence after the other into the same arrays.
class Classifier {
 public:
  Classifier(const ClassifyOptions& options, Classes& classes) : options_(options), classes_(classes) {}

  // False if the heads are no tree.
  bool classify(std::size_t sentence, std::span<const std::int32_t> heads, std::size_t first) {
    heads_ = heads;
    nonprojective_ = std::span(classes_.arc_nonprojective).subspan(first, heads.size());
    crossings_ = std::span(classes_.arc_crossings).subspan(first, heads.size());
    lifts_ = std::span(classes_.arc_lifts).subspan(first, heads.size());
    return heads.size() <= ShortTree::kMostWords ? classify_short(sentence) : classify_long(sentence);
  }

 private:
  bool classify_short(std::size_t sentence) {
    if (!short_tree_.load(heads_)) return false;
    if (short_tree_.projective()) {
      store_projective(sentence);
      return true;
    }
    const TreeMeasures measures = short_tree_.measure(options_.root_arcs, nonprojective_, crossings_);
    const bool two_planes = measures.crossings > 0 && short_tree_.two_planes_suffice(options_.root_arcs);
    store(sentence, measures, two_planes ? PlanarityBounds{2, 2} : bound_planarity(measures));
    if (options_.lifts) {
      store_lifts(sentence, lifter_.lift(short_tree_));
    } else {
      leave_lifts(sentence);
    }
    return true;
  }

  bool classify_long(std::size_t sentence) {
    if (!in_range(heads_) || !order_.build(heads_)) return false;
    if (order_.measure_extents(heads_)) {
      store_projective(sentence);
      return true;
    }
    const TreeMeasures measures = measurer_.measure(heads_, order_, options_.root_arcs, nonprojective_, crossings_);
    store(sentence, measures, bound_planarity(measures));
    if (options_.lifts && heads_.size() <= kMostLifted) {
      store_lifts(sentence, lifter_.lift(heads_, order_));
    } else {
      leave_lifts(sentence);
    }
    return true;
  }

  PlanarityBounds bound_planarity(const TreeMeasures& measures) {
    if (measures.crossings == 0) return {};
    if (!options_.planarity) return {2, static_cast<std::int32_t>(heads_.size())};
    arcs_.clear();
    for (std::size_t word = 1; word <= heads_.size(); ++word) {
      if (!options_.root_arcs && heads_[word - 1] == 0) continue;
      arcs_.push_back(arc_between(heads_[word - 1], static_cast<std::int32_t>(word)));
    }
    planes_.resize(arcs_.size());
    return plane_finder_.find(arcs_, static_cast<std::int32_t>(heads_.size()), options_.budget, planes_);
  }

  void store_projective(std::size_t sentence) {
    std::fill(nonprojective_.begin(), nonprojective_.end(), 0);
    std::fill(crossings_.begin(), crossings_.end(), 0);
    std::fill(lifts_.begin(), lifts_.end(), 0);
    classes_.lifts[sentence] = 0;
    store(sentence, {}, {});
  }

  void store_lifts(std::size_t sentence, std::int64_t total) {
    classes_.lifts[sentence] = total;
    std::copy(lifter_.lifts().begin(), lifter_.lifts().end(), lifts_.begin());
  }

  void leave_lifts(std::size_t sentence) {
    std::fill(lifts_.begin(), lifts_.end(), kLiftsUnknown);
    classes_.lifts[sentence] = kLiftsUnknown;
  }

  void store(std::size_t sentence, const TreeMeasures& measures, const PlanarityBounds& planarity) {
    classes_.nonprojective_arcs[sentence] = measures.nonprojective_arcs;
    classes_.covered_roots[sentence] = measures.covered_roots;
    classes_.crossings[sentence] = measures.crossings;
    classes_.planarity_lower[sentence] = planarity.lower;
    classes_.planarity_upper[sentence] = planarity.upper;
    classes_.gap_degree[sentence] = measures.gap_degree;
    classes_.gap_inheritance_degree[sentence] = measures.gap_inheritance_degree;
    classes_.edge_degree[sentence] = measures.edge_degree;
    classes_.well_nested[sentence] = measures.well_nested;
    classes_.gap_minding[sentence] = measures.gap_minding();
    classes_.one_endpoint_crossing[sentence] = measures.one_endpoint_crossing;
    classes_.one_endpoint_crossing_without_root[sentence] = measures.one_endpoint_crossing_without_root;
  }

  const ClassifyOptions& options_;
  Classes& classes_;
  // The sentence at hand and what is said of its arcs.
  std::span<const std::int32_t> heads_;
  std::span<std::uint8_t> nonprojective_;
  std::span<std::int32_t> crossings_;
  std::span<std::int32_t> lifts_;
  // Memory that is used again and again.
  ShortTree short_tree_;
  TreeOrder order_;
  TreeMeasurer measurer_;
  PlaneFinder plane_finder_;
  Lifter lifter_{LiftOptions{}};
  std::vector<Arc> arcs_;
  std::vector<std::int32_t> planes_;
};

}  // namespace

ClassifyResult classify(std::span<const std::int32_t> heads, std::span<const std::int64_t> word_offsets,
                        const ClassifyOptions& options) {
  const std::size_t sentences = word_offsets.size() - 1;
  ClassifyResult result;
  resize(result.classes, sentences, heads.size());
  std::mutex fault_mutex;
  const auto own_heads = [&](std::size_t sentence) {
    const auto first = static_cast<std::size_t>(word_offsets[sentence]);
    return heads.subspan(first, static_cast<std::size_t>(word_offsets[sentence + 1]) - first);
  };
  const std::size_t tasks = (sentences + kSentencesPerTask - 1) / kSentencesPerTask;
  parallel_for(tasks, thread_count(options.threads), [&](std::size_t task) {
    Classifier classifier(options, result.classes);
    const std::size_t end = std::min(sentences, (task + 1) * kSentencesPerTask);
    for (std::size_t sentence = task * kSentencesPerTask; sentence < end; ++sentence) {
      const auto first = static_cast<std::size_t>(word_offsets[sentence]);
      if (classifier.classify(sentence, own_heads(sentence), first)) continue;
      const std::lock_guard lock(fault_mutex);
      const auto faulty = static_cast<std::int64_t>(sentence);
      if (result.faulty_sentence < 0 || faulty < result.faulty_sentence) result.faulty_sentence = faulty;
      return;
    }
  });
  if (result.faulty_sentence >= 0) {
    CycleFinder cycles;
    result.fault = find_tree_fault(own_heads(static_cast<std::size_t>(result.faulty_sentence)), cycles);
  }
  return result;
}

}  // namespace crossarc
