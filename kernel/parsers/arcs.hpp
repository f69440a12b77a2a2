// Arcs of many sentences: those that a parser built, and the analyses that a search found, as arrays of word numbers.
// Of a link without direction the left word stands in the place of the head. O(arcs).
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "search/beam.hpp"
#include "transitions/machine/configuration.hpp"
#include "transitions/oracles/gold.hpp"

namespace crossarc {

struct LabelledArc {
  std::int32_t head = 0;
  std::int32_t dependent = 0;
  std::int32_t label = kNoLabel;
};

// An arc between positions, a BuiltArc or a GoldArc, as an arc between words.
template <typename Arc>
LabelledArc word_arc(const Program& program, std::int32_t nodes, Root root, const Arc& between) {
  const auto word = [&](std::int32_t position) { return Configuration::word_at(position, nodes, root); };
  LabelledArc arc{word(between.head), word(between.dependent), between.label};
  if (program.undirected() && arc.head > arc.dependent) std::swap(arc.head, arc.dependent);
  return arc;
}
// Those that a search made of a sentence of so many words.
inline void add_word_arcs(const ParserDefinition& definition, std::int32_t words, std::span<const BuiltArc> links,
                          std::vector<LabelledArc>& arcs) {
  const std::int32_t nodes = words + (definition.root == Root::kNone ? 0 : 1);
  for (const BuiltArc& link : links) arcs.push_back(word_arc(*definition.program, nodes, definition.root, link));
}
inline LabelledArc word_arc(const Configuration& configuration, const BuiltArc& link) {
  return word_arc(configuration.program(), configuration.nodes(), configuration.root(), link);
}

// What was built of each sentence, one after the other.
struct ParsedArcs {
  std::vector<std::int32_t> heads, dependents, labels;
  std::vector<std::int64_t> offsets{0};

  explicit ParsedArcs(std::span<const std::vector<LabelledArc>> sentences) {
    for (const std::vector<LabelledArc>& sentence : sentences) {
      for (const LabelledArc& arc : sentence) {
        heads.push_back(arc.head);
        dependents.push_back(arc.dependent);
        labels.push_back(arc.label);
      }
      offsets.push_back(static_cast<std::int64_t>(heads.size()));
    }
  }
};

// A finished state of a search: its arcs in the order in which they were made, with the scores of the transitions that
// made them, and how far these were ahead of the best other legal one (infinitely, where there was none).
struct Analysis {
  double total = 0;
  std::vector<LabelledArc> arcs;
  std::vector<float> scores, margins;

  template <typename Search>
  Analysis(const Search& search, const typename Search::Item& item, std::vector<typename Search::Step>& steps)
      : total(static_cast<double>(item.total)) {
    const Configuration& configuration = item.state.configuration;
    search.path(item.step, steps);
    for (const typename Search::Step& step : steps) {
      if (configuration.program()[static_cast<std::size_t>(step.transition)].arcs == 0) continue;
      arcs.push_back(word_arc(configuration, configuration.links()[arcs.size()]));
      scores.push_back(static_cast<float>(step.score));
      margins.push_back(step.alone ? std::numeric_limits<float>::infinity() : static_cast<float>(step.margin));
    }
  }
};

// The analyses of each sentence, best first, one after the other.
struct SearchResults {
  std::vector<std::int64_t> offsets{0};      // where those of each sentence begin
  std::vector<double> totals;                // of each analysis
  std::vector<std::int64_t> arc_offsets{0};  // where its arcs begin
  std::vector<std::int32_t> heads, dependents, labels;
  std::vector<float> scores, margins;

  explicit SearchResults(std::span<const std::vector<Analysis>> sentences) {
    for (const std::vector<Analysis>& sentence : sentences) {
      for (const Analysis& analysis : sentence) {
        totals.push_back(analysis.total);
        for (const LabelledArc& arc : analysis.arcs) {
          heads.push_back(arc.head);
          dependents.push_back(arc.dependent);
          labels.push_back(arc.label);
        }
        scores.insert(scores.end(), analysis.scores.begin(), analysis.scores.end());
        margins.insert(margins.end(), analysis.margins.begin(), analysis.margins.end());
        arc_offsets.push_back(static_cast<std::int64_t>(heads.size()));
      }
      offsets.push_back(static_cast<std::int64_t>(totals.size()));
    }
  }
};

}  // namespace crossarc
