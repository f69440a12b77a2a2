#include "parsers/perceptron.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/parsers.hpp"
#include "core/threads.hpp"

namespace nb = nanobind;

namespace crossarc {
namespace {

const ParserDefinition& checked(const ParserDefinition& definition) {
  if (std::max(definition.labels, transition_classes(definition)) > LinearModel::kMostClasses) {
    throw std::invalid_argument("too many labels or transitions");
  }
  if (definition.joint && definition.program->positional()) {
    throw std::invalid_argument("systems that choose a position label arcs by a model of their own");
  }
  return definition;
}

SentenceTable checked_table(const ParserDefinition& definition, const ValueTable& values, const Offsets& word_offsets) {
  check_columns(definition.transition_features, values.shape(1));
  check_columns(definition.label_features, values.shape(1));
  return to_table(values, word_offsets);
}

SentenceTable model_table(const PerceptronModel& model, const ValueTable& values, const Offsets& word_offsets) {
  return checked_table(model.definition(), values, word_offsets);
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

void make_model(PerceptronModel* model, const ParserDefinition& definition, const RowsArguments& transition_rows,
                const RowsArguments& label_rows) {
  const std::size_t templates = checked(definition).transition_features.templates.size();
  const std::size_t label_templates = definition.label_features.templates.size();
  new (model) PerceptronModel(definition,
                              LinearModel::of_rows(transition_classes(definition), templates, to_rows(transition_rows)),
                              LinearModel::of_rows(definition.labels, label_templates, to_rows(label_rows)));
}

// Several learners that were made alike, each in an order of its own and on a thread of its own if there are as many.
// The sum of their mistakes.
std::int64_t learn(const std::vector<PerceptronLearner*>& learners, const std::vector<Ids>& orders,
                   const ValueTable& values, const Offsets& word_offsets, const Offsets& arc_offsets, const Ids& heads,
                   const Ids& dependents, const Ids& labels, unsigned explore, std::int32_t beam, bool early,
                   int threads) {
  if (learners.empty() || orders.size() != learners.size() ||
      std::set(learners.begin(), learners.end()).size() != learners.size()) {
    throw std::invalid_argument("an order is needed for every learner, and no learner twice");
  }
  if (std::find(learners.begin(), learners.end(), nullptr) != learners.end()) {
    throw std::invalid_argument("a learner is missing");
  }
  check_explore(explore);
  const SentenceTable table = to_table(values, word_offsets);
  std::size_t fewest_labels = std::numeric_limits<std::size_t>::max();
  for (const PerceptronLearner* learner : learners) {
    checked_table(learner->definition(), values, word_offsets);
    if (beam != 1) check_beam(*learner->definition().program, beam, 1);
    if (beam != 1 && learner->definition().joint) throw std::invalid_argument("joint labels are learnt greedily");
    fewest_labels = std::min(fewest_labels, learner->definition().labels);
  }
  const GoldTable gold = to_gold(table, arc_offsets, heads, dependents, labels, fewest_labels);
  for (const Ids& order : orders) check_order(table, order);
  const WithoutPython work;
  std::vector<std::int64_t> mistakes(learners.size());
  parallel_for(learners.size(), thread_count(threads), [&](std::size_t one) {
    mistakes[one] = learners[one]->learn(table, gold, to_span(orders[one]), explore, static_cast<std::size_t>(beam),
                                         early ? BeamUpdate::kEarly : BeamUpdate::kMaxViolation);
  });
  return std::accumulate(mistakes.begin(), mistakes.end(), std::int64_t{0});
}

// The model of this learner and of others that were made alike and learnt in another order.
PerceptronModel average(const PerceptronLearner& learner, std::vector<const PerceptronLearner*> others,
                        std::int32_t least_updates) {
  if (std::find(others.begin(), others.end(), nullptr) != others.end()) {
    throw std::invalid_argument("a learner is missing");
  }
  others.insert(others.begin(), &learner);
  const WithoutPython work;
  return PerceptronLearner::average(others, least_updates);
}

using StateTuple =
    std::tuple<std::int64_t, NumpyArray<std::uint64_t>, NumpyArray<std::int32_t>, NumpyArray<std::uint16_t>,
               NumpyArray<std::uint16_t>, NumpyArray<std::int32_t>, NumpyArray<std::int64_t>>;

StateTuple to_python(Perceptron::State&& state) {
  return {state.step,
          to_numpy(std::move(state.features)),
          to_numpy(std::move(state.updates)),
          to_numpy(std::move(state.counts)),
          to_numpy(std::move(state.classes)),
          to_numpy(std::move(state.weights)),
          to_numpy(std::move(state.weighted))};
}

using StateArguments = std::tuple<std::int64_t, InputArray<std::uint64_t>, Ids, InputArray<std::uint16_t>,
                                  InputArray<std::uint16_t>, Ids, Offsets>;

Perceptron::State to_state(const StateArguments& given) {
  const auto& [step, features, updates, counts, classes, weights, weighted] = given;
  const auto copy = [](const auto& array) {
    const auto span = to_span(array);
    return std::vector(span.begin(), span.end());
  };
  return {step, copy(features), copy(updates), copy(counts), copy(classes), copy(weights), copy(weighted)};
}

std::tuple<StateTuple, StateTuple, std::uint64_t> state_dict(const PerceptronLearner& learner) {
  PerceptronLearner::State state = learner.state_dict();
  return {to_python(std::move(state.transitions)), to_python(std::move(state.labels)), state.random};
}

void load_state_dict(PerceptronLearner& learner, const StateArguments& transitions, const StateArguments& labels,
                     std::uint64_t random) {
  learner.load_state_dict({to_state(transitions), to_state(labels), random});
}

}  // namespace

void bind_perceptron(nb::module_& module) {
  nb::class_<PerceptronModel> model(module, "PerceptronModel",
                                    "A transition parser with a linear model: parses and searches.");
  model.def("__init__", &make_model, nb::arg("definition"), nb::kw_only(), nb::arg("transition_rows"),
            nb::arg("label_rows"), "A model of stored weights.");
  model.def(
      "transition_rows", [](const PerceptronModel& own) { return to_python(own.transitions().rows()); },
      "The weights of transitions, for files.");
  model.def(
      "label_rows", [](const PerceptronModel& own) { return to_python(own.labels().rows()); },
      "The weights of labels, for files.");
  bind_searches(model, &model_table, nb::arg("values"), nb::arg("word_offsets"));
  module.def(
      "pack_ascending",
      [](const InputArray<std::uint64_t>& numbers) { return to_numpy(pack_ascending(to_span(numbers))); },
      nb::arg("numbers"), "Ascending numbers in few bytes: their differences, seven bits a byte.");
  module.def(
      "unpack_ascending",
      [](const InputArray<std::uint8_t>& bytes) { return to_numpy(unpack_ascending(to_span(bytes))); },
      nb::arg("bytes"), "The numbers that pack_ascending packed.");
  nb::class_<PerceptronLearner>(module, "PerceptronLearner", "Trains a PerceptronModel, and can stop and go on.")
      .def(
          "__init__",
          [](PerceptronLearner* learner, const ParserDefinition& definition, const TrainingOracleOptions& oracle,
             std::uint64_t seed) { new (learner) PerceptronLearner(checked(definition), oracle, seed); },
          nb::arg("definition"), nb::arg("oracle"), nb::kw_only(), nb::arg("seed"))
      .def_static("learn", &learn, nb::arg("learners"), nb::arg("orders"), nb::arg("values"), nb::arg("word_offsets"),
                  nb::arg("arc_offsets"), nb::arg("heads"), nb::arg("dependents"), nb::arg("labels"), nb::kw_only(),
                  nb::arg("explore"), nb::arg("beam"), nb::arg("early"), nb::arg("threads"),
                  "One epoch of learners that were made alike, each in an order of its own; the sum of their mistakes. "
                  "explore: of a hundred choices of the model, how many are followed though they are wrong. early: the "
                  "early update of beam search.")
      .def("average", &average, nb::arg("others"), nb::arg("least_updates"),
           "The mean of this learner and others; features with fewer updates are left out.")
      .def("state_dict", &state_dict,
           "The state of transitions and labels, and of the random numbers, for a checkpoint.")
      .def("load_state_dict", &load_state_dict, nb::arg("transitions"), nb::arg("labels"), nb::arg("random"),
           "Goes on from a checkpoint.");
}

}  // namespace crossarc
