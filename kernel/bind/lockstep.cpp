#include "search/lockstep.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/parsers.hpp"

namespace nb = nanobind;

namespace crossarc {
namespace {

// Where the arcs of each sentence begin, their heads, dependents and labels.
using GoldArrays = std::tuple<Offsets, Ids, Ids, Ids>;

struct LockstepBatch {
  FeatureSet features;
  Lockstep steps;

  LockstepBatch(std::shared_ptr<Program> program, const TrainingOracleOptions& oracle, const std::string& root,
                const FeatureTuple& given, int threads)
      : features(to_features(given)), steps(std::move(program), to_root(root), features, oracle, threads) {
    check_threads(threads);
  }
};

void start(LockstepBatch& batch, const Offsets& offsets, const ValueTable& values, const Ids& chosen,
           const std::optional<GoldArrays>& gold) {
  const SentenceTable sentences = to_table(values, offsets);
  check_columns(batch.features, sentences.columns);
  check_order(sentences, chosen);
  std::optional<GoldTable> table;
  if (gold) {
    table = to_gold(sentences, std::get<0>(*gold), std::get<1>(*gold), std::get<2>(*gold), std::get<3>(*gold),
                    std::numeric_limits<std::int32_t>::max());
  }
  const WithoutPython work;
  batch.steps.start(sentences, to_span(chosen), table ? &*table : nullptr);
}

// What `write` writes into an array of so many values for each row.
template <typename Value, typename Write>
NumpyArray<Value> written(const LockstepBatch& batch, std::size_t each, Write&& write) {
  std::vector<Value> values(batch.steps.rows() * each);
  {
    const WithoutPython work;
    write(std::span<Value>(values));
  }
  return to_numpy(std::move(values));
}

NumpyArray<std::uint32_t> features(const LockstepBatch& batch) {
  return written<std::uint32_t>(batch, batch.steps.positions() * batch.steps.atoms(),
                                [&](std::span<std::uint32_t> values) { batch.steps.write_features(values); });
}

NumpyArray<std::uint8_t> legal(const LockstepBatch& batch) {
  return written<std::uint8_t>(batch, static_cast<std::size_t>(batch.steps.actions()),
                               [&](std::span<std::uint8_t> values) { batch.steps.write_legal(values); });
}

NumpyArray<std::uint8_t> crossing(const LockstepBatch& batch) {
  return written<std::uint8_t>(batch, static_cast<std::size_t>(batch.steps.actions()),
                               [&](std::span<std::uint8_t> values) { batch.steps.write_crossing(values); });
}

void check_gold(const LockstepBatch& batch) {
  if (!batch.steps.has_gold()) throw std::invalid_argument("the sentences were started without gold arcs");
}

NumpyArray<std::int32_t> costs(const LockstepBatch& batch) {
  check_gold(batch);
  return written<std::int32_t>(batch, static_cast<std::size_t>(batch.steps.actions()),
                               [&](std::span<std::int32_t> values) { batch.steps.write_costs(values); });
}

NumpyArray<std::int32_t> gold_labels(const LockstepBatch& batch, const Ids& actions) {
  check_gold(batch);
  if (actions.shape(0) != batch.steps.rows()) throw std::invalid_argument("one action for each row is needed");
  if (batch.steps.find_illegal(to_span(actions))) throw std::invalid_argument("an action is not legal");
  return written<std::int32_t>(
      batch, 1, [&](std::span<std::int32_t> values) { batch.steps.write_gold_labels(to_span(actions), values); });
}

// Nothing, or the first row that is refused, and the reason.
std::optional<std::pair<std::size_t, Lockstep::Refusal>> apply(LockstepBatch& batch, const Ids& actions,
                                                               const Ids& labels) {
  if (actions.shape(0) != batch.steps.rows() || labels.shape(0) != batch.steps.rows()) {
    throw std::invalid_argument("one action and one label for each row are needed");
  }
  for (const std::int32_t label : to_span(labels)) {
    if (label < kNoLabel) throw std::invalid_argument("a label is -1 or more");
  }
  Lockstep::Outcome outcome;
  {
    const nb::gil_scoped_release release;  // a step is taken by all sentences or by none
    outcome = batch.steps.apply(to_span(actions), to_span(labels));
  }
  if (outcome.refusal == Lockstep::Refusal::kNone) return std::nullopt;
  return std::pair(outcome.row, outcome.refusal);
}

std::tuple<NumpyArray<std::int64_t>, NumpyArray<std::int32_t>, NumpyArray<std::int32_t>, NumpyArray<std::int32_t>> arcs(
    const LockstepBatch& batch) {
  std::vector<std::int64_t> offsets(batch.steps.sentences() + 1, 0);
  std::vector<std::int32_t> heads, dependents, labels;
  batch.steps.visit_arcs([&](std::size_t sentence, const BuiltArc& arc) {
    ++offsets[sentence + 1];
    heads.push_back(arc.head);
    dependents.push_back(arc.dependent);
    labels.push_back(arc.label);
  });
  for (std::size_t sentence = 0; sentence < batch.steps.sentences(); ++sentence) {
    offsets[sentence + 1] += offsets[sentence];
  }
  return {to_numpy(std::move(offsets)), to_numpy(std::move(heads)), to_numpy(std::move(dependents)),
          to_numpy(std::move(labels))};
}

}  // namespace

void bind_lockstep(nb::module_& module) {
  nb::enum_<Lockstep::Refusal>(module, "Refusal", "Why a step was refused.")
      .value("NOT_LEGAL", Lockstep::Refusal::kNotLegal)
      .value("LABEL_NOT_LEGAL", Lockstep::Refusal::kLabelNotLegal)
      .value("NOT_DERIVED", Lockstep::Refusal::kNotDerived);
  nb::class_<LockstepBatch>(
      module, "Lockstep",
      "Sentences that take steps together, for scorers outside the kernel. Rows are those that have not ended.")
      .def(nb::init<std::shared_ptr<Program>, const TrainingOracleOptions&, const std::string&, const FeatureTuple&,
                    int>(),
           nb::arg("program"), nb::arg("oracle"), nb::kw_only(), nb::arg("artificial_root"), nb::arg("features"),
           nb::arg("threads"))
      .def("start", &start, nb::arg("word_offsets"), nb::arg("values"), nb::arg("sentences"), nb::arg("gold").none(),
           "Starts with some of the sentences; gold arcs are needed for costs.")
      .def_prop_ro(
          "actions", [](const LockstepBatch& batch) { return batch.steps.actions(); },
          "How many actions there are for each row.")
      .def_prop_ro(
          "positions", [](const LockstepBatch& batch) { return batch.steps.positions(); },
          "How many positions of each row are looked at.")
      .def_prop_ro(
          "is_dynamic", [](const LockstepBatch& batch) { return batch.steps.is_dynamic(); },
          "Whether costs are known in every configuration, right ones or not.")
      .def(
          "unfinished",
          [](const LockstepBatch& batch) {
            const std::span<const std::int32_t> rows = batch.steps.unfinished();
            return to_numpy(std::vector<std::int32_t>(rows.begin(), rows.end()));
          },
          "The sentence of each row.")
      .def("features", &features, "The values of all attributes at all positions of each row.")
      .def("legal", &legal, "For each row and action 1 where it is legal.")
      .def("crossing", &crossing, "For each row and action 1 where it is legal and lets arcs cross.")
      .def("costs", &costs, "For each row and action how many gold arcs it loses.")
      .def("gold_labels", &gold_labels, nb::arg("actions"),
           "The gold labels of the arcs that actions build, -1 for none.")
      .def("apply", &apply, nb::arg("actions"), nb::arg("labels"),
           "Takes a step in every row; or none, and the first row that is refused with the reason.")
      .def("arcs", &arcs, "The arcs that were built.");
}

}  // namespace crossarc
