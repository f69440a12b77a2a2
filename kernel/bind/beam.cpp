#include "search/beam.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/found.hpp"
#include "bind/parsers.hpp"
#include "core/offsets.hpp"
#include "core/threads.hpp"
#include "parsers/perceptron_scorer.hpp"

namespace nb = nanobind;

namespace crossarc {
namespace {

using Search = BeamSearch<LinearScorer<LinearModel>>;

std::vector<std::vector<Found>> search_all(const PerceptronModel& model, const ValueTable& values,
                                           std::span<const std::int64_t> word_offsets, std::size_t width,
                                           std::size_t kept, int threads) {
  constexpr std::size_t kChunk = 8;
  const std::size_t sentences = word_offsets.size() - 1;
  std::vector<std::vector<Found>> found(sentences);
  parallel_for((sentences + kChunk - 1) / kChunk, thread_count(threads), [&](std::size_t chunk) {
    LinearScorer<LinearModel> scorer(model.definition, model.transitions, model.labels);
    Search search(model.definition, width);
    SentenceValues own;
    std::vector<Search::Step> steps;
    for (std::size_t sentence = chunk * kChunk; sentence < std::min(sentences, (chunk + 1) * kChunk); ++sentence) {
      const std::int64_t first = word_offsets[sentence];
      const std::int64_t last = word_offsets[sentence + 1];
      scorer.start(own.load(values, first, last, model.definition.root));
      search.start(static_cast<std::int32_t>(last - first));
      search.run(scorer);
      const std::size_t count = std::min(kept, search.items().size());
      for (const Search::Item& item : search.items().first(count))
        found[sentence].push_back(found_by(search, item, steps));
    }
  });
  return found;
}

FoundTuple search_beam(const PerceptronModel& model, const ValueTable& values, const Offsets& word_offsets,
                       std::int32_t width, std::int32_t kept, int threads) {
  check_offsets(to_span(word_offsets), values.shape(0));
  check_columns(model.definition.transition_features, values.shape(1));
  check_columns(model.definition.label_features, values.shape(1));
  check_beam(*model.program, width, kept);
  std::vector<std::vector<Found>> found;
  {
    const nb::gil_scoped_release release;
    found = search_all(model, values, to_span(word_offsets), static_cast<std::size_t>(width),
                       static_cast<std::size_t>(kept), threads);
  }
  return to_tuple(found);
}

}  // namespace

void bind_beam(nb::module_& module) {
  module.def("search_beam", &search_beam, nb::arg("model"), nb::arg("values"), nb::arg("word_offsets"),
             nb::arg("width"), nb::arg("kept"), nb::arg("threads"));
}

}  // namespace crossarc
