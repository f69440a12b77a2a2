// What beam searches found, as arrays.
#pragma once

#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "search/beam.hpp"

namespace crossarc {

// The arcs of a finished state, in the order in which they were made, as numbers of words; of a link without direction,
// the left word first.
struct FoundArc {
  BuiltArc arc;
  float score;
  float margin;  // infinite where there was no other transition
};

struct Found {
  double total = 0;
  std::vector<FoundArc> arcs;
};

template <typename Search>
Found found_by(const Search& search, const typename Search::Item& item, std::vector<typename Search::Step>& steps) {
  Found found{static_cast<double>(item.total), {}};
  const Configuration& configuration = item.state.configuration;
  search.path(item.step, steps);
  std::size_t link = 0;
  for (const typename Search::Step& step : steps) {
    if (configuration.program()[static_cast<std::size_t>(step.transition)].arcs == 0) continue;
    BuiltArc arc = configuration.links()[link++];
    arc.head = configuration.word_at(arc.head);
    arc.dependent = configuration.word_at(arc.dependent);
    if (configuration.program().undirected() && arc.head > arc.dependent) std::swap(arc.head, arc.dependent);
    const float margin = step.alone ? std::numeric_limits<float>::infinity() : static_cast<float>(step.margin);
    found.arcs.push_back({arc, static_cast<float>(step.score), margin});
  }
  return found;
}

// Of every sentence the best finished states, best first: where those of each sentence begin, the total of each, where
// its arcs begin, and of all arcs heads (or left words), dependents (or right words), labels, scores and margins.
using FoundTuple =
    std::tuple<NumpyArray<std::int64_t>, NumpyArray<double>, NumpyArray<std::int64_t>, NumpyArray<std::int32_t>,
               NumpyArray<std::int32_t>, NumpyArray<std::int32_t>, NumpyArray<float>, NumpyArray<float>>;

inline FoundTuple to_tuple(const std::vector<std::vector<Found>>& sentences) {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int64_t> arc_offsets{0};
  std::vector<double> totals;
  std::vector<std::int32_t> heads, dependents, labels;
  std::vector<float> scores, margins;
  for (const std::vector<Found>& sentence : sentences) {
    for (const Found& found : sentence) {
      totals.push_back(found.total);
      for (const FoundArc& one : found.arcs) {
        heads.push_back(one.arc.head);
        dependents.push_back(one.arc.dependent);
        labels.push_back(one.arc.label);
        scores.push_back(one.score);
        margins.push_back(one.margin);
      }
      arc_offsets.push_back(static_cast<std::int64_t>(heads.size()));
    }
    offsets.push_back(static_cast<std::int64_t>(totals.size()));
  }
  return {to_numpy(std::move(offsets)), to_numpy(std::move(totals)),     to_numpy(std::move(arc_offsets)),
          to_numpy(std::move(heads)),   to_numpy(std::move(dependents)), to_numpy(std::move(labels)),
          to_numpy(std::move(scores)),  to_numpy(std::move(margins))};
}

}  // namespace crossarc
