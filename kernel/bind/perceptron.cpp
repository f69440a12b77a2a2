#include "parsers/perceptron.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/parsers.hpp"

namespace nb = nanobind;

namespace crossarc {
namespace {

ParserDefinition linear_definition(std::shared_ptr<Program> program, const std::string& root,
                                   const FeatureTuple& transition_features, const FeatureTuple& label_features,
                                   std::int32_t labels) {
  if (labels > static_cast<std::int32_t>(LinearModel::kMostClasses)) throw std::invalid_argument("too many labels");
  return to_definition(std::move(program), root, transition_features, label_features, labels);
}

SentenceTable linear_table(const ParserDefinition& definition, const ValueTable& values, const Offsets& word_offsets) {
  check_columns(definition.transition_features, values.shape(1));
  check_columns(definition.label_features, values.shape(1));
  return to_table(values, word_offsets);
}

// Features packed, how many weights each has, their classes, and the weights.
using RowsTuple = std::tuple<NumpyArray<std::uint8_t>, NumpyArray<std::uint16_t>, NumpyArray<std::uint16_t>,
                             NumpyArray<std::int16_t>>;
using RowsArguments = std::tuple<InputArray<std::uint8_t>, InputArray<std::uint16_t>, InputArray<std::uint16_t>,
                                 InputArray<std::int16_t>>;

RowsTuple to_python(LinearModel::Rows&& rows) {
  return {to_numpy(std::move(rows.features)), to_numpy(std::move(rows.counts)), to_numpy(std::move(rows.classes)),
          to_numpy(std::move(rows.weights))};
}

LinearModel::RowsView to_rows(const RowsArguments& given) {
  const auto& [features, counts, classes, weights] = given;
  return {to_span(features), to_span(counts), to_span(classes), to_span(weights)};
}

PerceptronModel make_model(std::shared_ptr<Program> program, const std::string& root,
                           const FeatureTuple& transition_features, const FeatureTuple& label_features,
                           std::int32_t labels, const RowsArguments& transition_rows, const RowsArguments& label_rows) {
  PerceptronModel model{
      linear_definition(std::move(program), root, transition_features, label_features, labels), {}, {}};
  const ParserDefinition& own = model.definition;
  model.transitions =
      LinearModel::of_rows(own.program->size(), own.transition_features.templates.size(), to_rows(transition_rows));
  model.labels = LinearModel::of_rows(own.labels, own.label_features.templates.size(), to_rows(label_rows));
  return model;
}

ParsedArcs checked_parse(const PerceptronModel& model, const ValueTable& values, const Offsets& word_offsets,
                         int threads) {
  const SentenceTable table = linear_table(model.definition, values, word_offsets);
  const nb::gil_scoped_release release;
  return model.parse(table, threads);
}

// Heads as numbers of words, -1 for none, and labels; of several heads the last.
std::pair<NumpyArray<std::int32_t>, NumpyArray<std::int32_t>> parse(const PerceptronModel& model,
                                                                    const ValueTable& values,
                                                                    const Offsets& word_offsets, int threads) {
  const ParsedArcs parsed = checked_parse(model, values, word_offsets, threads);
  std::vector<std::int32_t> heads(values.shape(0), -1);
  std::vector<std::int32_t> labels(values.shape(0), -1);
  for (std::size_t sentence = 0; sentence + 1 < parsed.offsets.size(); ++sentence) {
    for (auto arc = static_cast<std::size_t>(parsed.offsets[sentence]);
         arc < static_cast<std::size_t>(parsed.offsets[sentence + 1]); ++arc) {
      const auto place = static_cast<std::size_t>(to_span(word_offsets)[sentence] + parsed.dependents[arc] - 1);
      heads[place] = parsed.heads[arc];
      labels[place] = parsed.labels[arc];
    }
  }
  return {to_numpy(std::move(heads)), to_numpy(std::move(labels))};
}

ArcTuple parse_arcs(const PerceptronModel& model, const ValueTable& values, const Offsets& word_offsets, int threads) {
  return to_tuple(checked_parse(model, values, word_offsets, threads));
}

SearchResults checked_search(const PerceptronModel& model, const ValueTable& values, const Offsets& word_offsets,
                             std::int32_t width, std::int32_t kept, int threads) {
  const SentenceTable table = linear_table(model.definition, values, word_offsets);
  check_beam(*model.definition.program, width, kept);
  const nb::gil_scoped_release release;
  return model.search(table, static_cast<std::size_t>(width), static_cast<std::size_t>(kept), threads);
}

SearchTuple search_beam(const PerceptronModel& model, const ValueTable& values, const Offsets& word_offsets,
                        std::int32_t width, std::int32_t kept, int threads) {
  return to_tuple(checked_search(model, values, word_offsets, width, kept, threads));
}

void make_learner(PerceptronLearner* learner, std::shared_ptr<Program> program, const std::string& root,
                  const FeatureTuple& transition_features, const FeatureTuple& label_features, std::int32_t labels,
                  int rule, const std::vector<std::int32_t>& roles, int reach, const std::vector<bool>& guarantees,
                  std::uint64_t seed) {
  new (learner)
      PerceptronLearner(linear_definition(std::move(program), root, transition_features, label_features, labels),
                        to_training_oracle(rule, roles, reach, guarantees, false), seed);
}

std::int64_t learn(PerceptronLearner& learner, const Ids& order, const ValueTable& values, const Offsets& word_offsets,
                   const Offsets& arc_offsets, const Ids& heads, const Ids& dependents, const Ids& labels,
                   unsigned explore, std::int32_t beam, bool early) {
  const ParserDefinition& definition = learner.definition();
  if (beam != 1) check_beam(*definition.program, beam, 1);
  const SentenceTable table = linear_table(definition, values, word_offsets);
  const GoldTable gold = to_gold(table, arc_offsets, heads, dependents, labels, definition.labels);
  check_order(table, order);
  const nb::gil_scoped_release release;
  return learner.learn(table, gold, to_span(order), explore, static_cast<std::size_t>(beam),
                       early ? BeamUpdate::kEarly : BeamUpdate::kMaxViolation);
}

// The model of this learner and of others that were made alike and learnt in another order.
PerceptronModel average(const PerceptronLearner& learner, std::vector<const PerceptronLearner*> others,
                        std::int32_t least_updates) {
  others.insert(others.begin(), &learner);
  const nb::gil_scoped_release release;
  return PerceptronLearner::average(others, least_updates);
}

using MemoryTuple =
    std::tuple<std::int64_t, NumpyArray<std::uint64_t>, NumpyArray<std::int32_t>, NumpyArray<std::uint16_t>,
               NumpyArray<std::uint16_t>, NumpyArray<std::int32_t>, NumpyArray<std::int64_t>>;

MemoryTuple to_python(Perceptron::Memory&& memory) {
  return {memory.step,
          to_numpy(std::move(memory.features)),
          to_numpy(std::move(memory.updates)),
          to_numpy(std::move(memory.counts)),
          to_numpy(std::move(memory.classes)),
          to_numpy(std::move(memory.weights)),
          to_numpy(std::move(memory.weighted))};
}

using MemoryArguments = std::tuple<std::int64_t, InputArray<std::uint64_t>, Ids, InputArray<std::uint16_t>,
                                   InputArray<std::uint16_t>, Ids, Offsets>;

Perceptron::Memory to_memory(const MemoryArguments& given) {
  const auto& [step, features, updates, counts, classes, weights, weighted] = given;
  const auto copy = [](const auto& array) {
    const auto span = to_span(array);
    return std::vector(span.begin(), span.end());
  };
  return {step, copy(features), copy(updates), copy(counts), copy(classes), copy(weights), copy(weighted)};
}

std::tuple<MemoryTuple, MemoryTuple, std::uint64_t> remember(const PerceptronLearner& learner) {
  PerceptronLearner::Memory memory = learner.remember();
  return {to_python(std::move(memory.transitions)), to_python(std::move(memory.labels)), memory.random};
}

void restore(PerceptronLearner& learner, const MemoryArguments& transitions, const MemoryArguments& labels,
             std::uint64_t random) {
  learner.restore({to_memory(transitions), to_memory(labels), random});
}

}  // namespace

void bind_perceptron(nb::module_& module) {
  nb::class_<PerceptronModel>(module, "PerceptronModel")
      .def("parse", &parse, nb::arg("values"), nb::arg("word_offsets"), nb::arg("threads"))
      .def("parse_arcs", &parse_arcs, nb::arg("values"), nb::arg("word_offsets"), nb::arg("threads"))
      .def("transition_rows", [](const PerceptronModel& model) { return to_python(model.transitions.rows()); })
      .def("label_rows", [](const PerceptronModel& model) { return to_python(model.labels.rows()); })
      .def("memory", [](const PerceptronModel& model) { return model.transitions.memory() + model.labels.memory(); });
  module.def("make_greedy_model", &make_model, nb::arg("program"), nb::arg("root"), nb::arg("transition_features"),
             nb::arg("label_features"), nb::arg("labels"), nb::arg("transition_rows"), nb::arg("label_rows"));
  module.def("search_beam", &search_beam, nb::arg("model"), nb::arg("values"), nb::arg("word_offsets"),
             nb::arg("width"), nb::arg("kept"), nb::arg("threads"));
  module.def(
      "pack_ascending",
      [](const InputArray<std::uint64_t>& numbers) { return to_numpy(pack_ascending(to_span(numbers))); },
      nb::arg("numbers"));
  module.def(
      "unpack_ascending",
      [](const InputArray<std::uint8_t>& bytes) { return to_numpy(unpack_ascending(to_span(bytes))); },
      nb::arg("bytes"));
  nb::class_<PerceptronLearner>(module, "PerceptronLearner")
      .def("__init__", &make_learner, nb::arg("program"), nb::arg("root"), nb::arg("transition_features"),
           nb::arg("label_features"), nb::arg("labels"), nb::arg("rule"), nb::arg("roles"), nb::arg("reach"),
           nb::arg("guarantees"), nb::arg("seed"))
      .def("learn", &learn, nb::arg("order"), nb::arg("values"), nb::arg("word_offsets"), nb::arg("arc_offsets"),
           nb::arg("heads"), nb::arg("dependents"), nb::arg("labels"), nb::arg("explore"), nb::arg("beam"),
           nb::arg("early"))
      .def("average", &average, nb::arg("others"), nb::arg("least_updates"))
      .def("features",
           [](const PerceptronLearner& learner) {
             return std::pair(learner.learnt().transitions.features(), learner.learnt().labels.features());
           })
      .def("remember", &remember)
      .def("restore", &restore, nb::arg("transitions"), nb::arg("labels"), nb::arg("random"));
}

}  // namespace crossarc
