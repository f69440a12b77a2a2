#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "bind/arrays.hpp"
#include "core/arrays.hpp"
#include "structure/arcs.hpp"
#include "structure/classify.hpp"
#include "structure/planes.hpp"

namespace nb = nanobind;

namespace crossarc {
namespace {

using Ids = InputArray<std::int32_t>;
using NamedArrays = nb::typed<nb::dict, nb::str, nb::any>;
// The sentence, from 0, what is wrong with its heads, and the words it concerns.
using Fault = std::tuple<std::int64_t, TreeFaultKind, std::vector<std::int32_t>>;

NamedArrays to_python(Classes&& classes) {
  NamedArrays out;
  out["nonprojective_arcs"] = to_numpy(std::move(classes.nonprojective_arcs));
  out["covered_roots"] = to_numpy(std::move(classes.covered_roots));
  out["crossings"] = to_numpy(std::move(classes.crossings));
  out["planarity_lower"] = to_numpy(std::move(classes.planarity_lower));
  out["planarity_upper"] = to_numpy(std::move(classes.planarity_upper));
  out["gap_degree"] = to_numpy(std::move(classes.gap_degree));
  out["gap_inheritance_degree"] = to_numpy(std::move(classes.gap_inheritance_degree));
  out["edge_degree"] = to_numpy(std::move(classes.edge_degree));
  out["lifts"] = to_numpy(std::move(classes.lifts));
  out["well_nested"] = to_numpy(std::move(classes.well_nested));
  out["gap_minding"] = to_numpy(std::move(classes.gap_minding));
  out["one_endpoint_crossing"] = to_numpy(std::move(classes.one_endpoint_crossing));
  out["one_endpoint_crossing_without_root"] = to_numpy(std::move(classes.one_endpoint_crossing_without_root));
  out["arc_nonprojective"] = to_numpy(std::move(classes.arc_nonprojective));
  out["arc_crossings"] = to_numpy(std::move(classes.arc_crossings));
  out["arc_lifts"] = to_numpy(std::move(classes.arc_lifts));
  return out;
}

// The classes; or nothing and the first fault, if some heads are no tree.
std::pair<NamedArrays, std::optional<Fault>> classify_sentences(const Ids& heads,
                                                                const InputArray<std::int64_t>& word_offsets,
                                                                bool root_arcs, bool planarity, bool lifts,
                                                                std::int64_t budget, int threads) {
  check_offsets(to_span(word_offsets), heads.shape(0));
  if (budget < 0) throw std::invalid_argument("a budget is not negative");
  const ClassifyOptions options{root_arcs, planarity, lifts, budget, threads};
  ClassifyResult result;
  {
    const WithoutPython work;
    result = classify(to_span(heads), to_span(word_offsets), options);
  }
  if (result.faulty_sentence < 0) return {to_python(std::move(result.classes)), std::nullopt};
  return {NamedArrays(), Fault(result.faulty_sentence, result.fault.kind, std::move(result.fault.words))};
}

std::vector<Arc> checked_arcs(const Ids& heads, const Ids& dependents, std::int32_t last_position) {
  if (heads.shape(0) != dependents.shape(0)) throw std::invalid_argument("as many heads as dependents are needed");
  std::vector<Arc> arcs;
  arcs.reserve(heads.shape(0));
  for (std::size_t arc = 0; arc < heads.shape(0); ++arc) {
    const Arc drawn = arc_between(to_span(heads)[arc], to_span(dependents)[arc]);
    if (drawn.left < 0 || drawn.right > last_position) throw std::invalid_argument("an arc leaves the sentence");
    if (drawn.left == drawn.right) throw std::invalid_argument("an arc needs two words");
    arcs.push_back(drawn);
  }
  return arcs;
}

// The plane of each arc, and the bounds of their number.
std::tuple<NumpyArray<std::int32_t>, std::int32_t, std::int32_t> find_planes(const Ids& heads, const Ids& dependents,
                                                                             std::int32_t words, std::int64_t budget) {
  if (budget < 0) throw std::invalid_argument("a budget is not negative");
  const std::vector<Arc> arcs = checked_arcs(heads, dependents, words);
  std::vector<std::int32_t> planes(arcs.size());
  PlanarityBounds bounds;
  {
    const WithoutPython work;
    PlaneFinder finder;
    bounds = finder.find(arcs, words, budget, planes);
  }
  return {to_numpy(std::move(planes)), bounds.lower, bounds.upper};
}

// The numbers of the arcs that cross, pair by pair.
std::pair<NumpyArray<std::int32_t>, NumpyArray<std::int32_t>> list_crossings(const Ids& heads, const Ids& dependents,
                                                                             std::int32_t words) {
  const std::vector<Arc> arcs = checked_arcs(heads, dependents, words);
  std::vector<std::int32_t> first;
  std::vector<std::int32_t> second;
  {
    const WithoutPython work;
    for (const auto& [one, other] : find_crossings(arcs, words)) {
      first.push_back(one);
      second.push_back(other);
    }
  }
  return {to_numpy(std::move(first)), to_numpy(std::move(second))};
}

}  // namespace

void bind_structure(nb::module_& module) {
  module.def("classify", &classify_sentences, nb::arg("heads"), nb::arg("word_offsets"), nb::arg("root_arcs"),
             nb::arg("planarity"), nb::arg("lifts"), nb::arg("budget"), nb::arg("threads"),
             "Structural classes of each sentence and each arc by name; or nothing and the first sentence whose heads "
             "are not a tree. At most budget steps are spent on the planarity of a sentence.");
  module.def(
      "find_planes", &find_planes, nb::arg("heads"), nb::arg("dependents"), nb::arg("words"), nb::arg("budget"),
      "A plane for each arc so that arcs of one plane do not cross, and the bounds of the least number of planes.");
  module.def("find_crossings", &list_crossings, nb::arg("heads"), nb::arg("dependents"), nb::arg("words"),
             "The pairs of arcs that cross, as the numbers of both.");
}

}  // namespace crossarc
