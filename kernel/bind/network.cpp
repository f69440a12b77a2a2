#include "parsers/network.hpp"

#include <nanobind/nanobind.h>
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
#include "parsers/network_learner.hpp"

namespace nb = nanobind;

namespace crossarc {
namespace {

using Floats = InputArray<float>;
using FloatArrays = std::vector<NumpyArray<float>>;
// Values of the lexical and of the grammatical columns, dimensions of their embeddings, layers, cells, hidden sizes for
// transitions and labels.
using ShapeTuple = std::tuple<std::vector<std::int32_t>, std::vector<std::int32_t>, std::size_t, std::size_t,
                              std::size_t, std::size_t, std::size_t, std::size_t>;

NetworkShape to_shape(const ShapeTuple& given, const ParserDefinition& definition) {
  NetworkShape shape;
  EncoderShape& encoder = shape.encoder;
  std::tie(encoder.lexical_columns, encoder.grammatical_columns, encoder.lexical, encoder.grammatical, encoder.layers,
           encoder.cells, shape.transitions.hidden, shape.labels.hidden) = given;
  constexpr std::size_t kLargest = 1 << 14;
  for (const std::size_t size :
       {encoder.lexical, encoder.grammatical, encoder.cells, shape.transitions.hidden, shape.labels.hidden}) {
    if (size < 1 || size > kLargest) throw std::invalid_argument("the sizes of a network are from 1 to 16384");
  }
  if (encoder.layers < 1 || encoder.layers > 8) throw std::invalid_argument("a network has from 1 to 8 layers");
  if (encoder.columns() == 0) throw std::invalid_argument("a network reads at least one column");
  for (const auto* columns : {&encoder.lexical_columns, &encoder.grammatical_columns}) {
    for (const std::int32_t values : *columns) {
      if (values < 3) throw std::invalid_argument("a column has at least three values");
    }
  }
  shape.transitions.slots = definition.transition_features.addresses.size();
  shape.transitions.atoms = definition.transition_features.atoms.size();
  shape.transitions.transitions = definition.program->size();
  shape.labels.first_column = shape.transitions.projected();
  shape.labels.labels = definition.labels;
  return shape;
}

ParserDefinition network_definition(std::shared_ptr<Program> program, const std::string& root,
                                    const FeatureTuple& features, std::int32_t labels) {
  ParserDefinition definition = to_definition(std::move(program), root, features, {}, labels);
  for (const Atom& atom : definition.transition_features.atoms) {
    if (is_column(atom.attribute)) throw std::invalid_argument("a network reads the columns of words itself");
  }
  return definition;
}

// The words have the columns that the encoder reads; of the sentences named, or of all, values in range.
SentenceTable network_table(const EncoderShape& shape, const ValueTable& values, const Offsets& word_offsets) {
  if (values.shape(1) != shape.columns()) throw std::invalid_argument("the words have other columns");
  return to_table(values, word_offsets);
}

void check_values(const EncoderShape& shape, const SentenceTable& table, std::size_t first, std::size_t last) {
  for (std::size_t word = first; word < last; ++word) {
    const std::uint32_t* value = table.row(word);
    bool fit = true;
    for (const std::int32_t most : shape.lexical_columns) fit &= *value++ < static_cast<std::uint32_t>(most);
    for (const std::int32_t most : shape.grammatical_columns) fit &= *value++ < static_cast<std::uint32_t>(most);
    if (!fit) throw std::invalid_argument("a word has a value that its column does not have");
  }
}

std::vector<std::vector<float>> copied(const std::vector<Floats>& arrays) {
  std::vector<std::vector<float>> all;
  for (const Floats& array : arrays) all.emplace_back(to_span(array).begin(), to_span(array).end());
  return all;
}

FloatArrays to_arrays(std::vector<std::vector<float>>&& weights) {
  FloatArrays arrays;
  for (std::vector<float>& one : weights) arrays.push_back(to_numpy(std::move(one)));
  return arrays;
}

NetworkModel make_model(std::shared_ptr<Program> program, const std::string& root, const FeatureTuple& features,
                        std::int32_t labels, const ShapeTuple& shape, const std::vector<Floats>& weights) {
  const ParserDefinition definition = network_definition(std::move(program), root, features, labels);
  return {definition, to_shape(shape, definition), copied(weights)};
}

ParsedArcs checked_parse(const NetworkModel& model, const ValueTable& values, const Offsets& word_offsets,
                         int threads) {
  const EncoderShape& shape = model.network().encoder.shape;
  const SentenceTable table = network_table(shape, values, word_offsets);
  check_values(shape, table, 0, values.shape(0));
  const nb::gil_scoped_release release;
  return model.parse(table, threads);
}

SearchResults checked_search(const NetworkModel& model, const ValueTable& values, const Offsets& word_offsets,
                             std::int32_t width, std::int32_t kept, int threads) {
  const EncoderShape& shape = model.network().encoder.shape;
  const SentenceTable table = network_table(shape, values, word_offsets);
  check_values(shape, table, 0, values.shape(0));
  check_beam(*model.definition().program, width, kept);
  const nb::gil_scoped_release release;
  return model.search(table, static_cast<std::size_t>(width), static_cast<std::size_t>(kept), threads);
}

void make_learner(NetworkLearner* learner, std::shared_ptr<Program> program, const std::string& root,
                  const FeatureTuple& features, std::int32_t labels, int rule, const std::vector<std::int32_t>& roles,
                  int reach, const std::vector<bool>& guarantees, bool free_planes, const ShapeTuple& shape,
                  const std::vector<std::vector<std::int32_t>>& counts, std::size_t batch,
                  const std::tuple<float, float, float, float>& dropout, std::uint64_t seed) {
  const ParserDefinition definition = network_definition(std::move(program), root, features, labels);
  const NetworkShape own = to_shape(shape, definition);
  NetworkTraining training;
  training.teacher = to_training_oracle(rule, roles, reach, guarantees, free_planes);
  std::tie(training.dropout.inputs, training.dropout.layers, training.hidden_dropout, training.dropout.words) = dropout;
  for (const float share : {training.dropout.inputs, training.dropout.layers, training.hidden_dropout}) {
    if (!(share >= 0.0F && share < 1.0F)) throw std::invalid_argument("dropout is a share from 0 to below 1");
  }
  if (batch < 1) throw std::invalid_argument("a batch has at least one sentence");
  if (counts.size() != own.encoder.lexical_columns.size()) {
    throw std::invalid_argument("counts are needed for every lexical column");
  }
  for (std::size_t column = 0; column < counts.size(); ++column) {
    if (counts[column].size() != static_cast<std::size_t>(own.encoder.lexical_columns[column])) {
      throw std::invalid_argument("a count is needed for every value");
    }
  }
  training.batch = batch;
  training.seed = seed;
  training.counts = counts;
  new (learner) NetworkLearner(definition, own, std::move(training));
}

std::int64_t learn(NetworkLearner& learner, const Ids& order, const ValueTable& values, const Offsets& word_offsets,
                   const Offsets& arc_offsets, const Ids& heads, const Ids& dependents, const Ids& labels,
                   unsigned explore, float rate, int threads) {
  const EncoderShape& shape = learner.network().encoder.shape;
  const SentenceTable table = network_table(shape, values, word_offsets);
  const GoldTable gold = to_gold(table, arc_offsets, heads, dependents, labels, learner.definition().labels);
  check_order(table, order);
  for (const std::int32_t number : to_span(order)) {
    const auto sentence = static_cast<std::size_t>(number);
    check_values(shape, table, table.first_word(sentence), table.first_word(sentence + 1));
  }
  const nb::gil_scoped_release release;
  return learner.learn(table, gold, to_span(order), explore, rate, threads);
}

std::tuple<std::uint64_t, FloatArrays, FloatArrays, FloatArrays> remember(const NetworkLearner& learner) {
  NetworkLearner::Memory memory = learner.remember();
  return {memory.optimiser.steps, to_arrays(std::move(memory.weights)), to_arrays(std::move(memory.optimiser.first)),
          to_arrays(std::move(memory.optimiser.second))};
}

void restore(NetworkLearner& learner, std::uint64_t steps, const std::vector<Floats>& weights,
             const std::vector<Floats>& first, const std::vector<Floats>& second) {
  learner.restore({{steps, copied(first), copied(second)}, copied(weights)});
}

}  // namespace

void bind_network(nb::module_& module) {
  nb::class_<NetworkModel>(module, "NetworkModel")
      .def(
          "parse_arcs",
          [](const NetworkModel& model, const ValueTable& values, const Offsets& word_offsets, int threads) {
            return to_tuple(checked_parse(model, values, word_offsets, threads));
          },
          nb::arg("values"), nb::arg("word_offsets"), nb::arg("threads"))
      .def(
          "search",
          [](const NetworkModel& model, const ValueTable& values, const Offsets& word_offsets, std::int32_t width,
             std::int32_t kept,
             int threads) { return to_tuple(checked_search(model, values, word_offsets, width, kept, threads)); },
          nb::arg("values"), nb::arg("word_offsets"), nb::arg("width"), nb::arg("kept"), nb::arg("threads"))
      .def("weights", [](const NetworkModel& model) { return to_arrays(values_of(model.network().weights())); });
  module.def("make_network_model", &make_model, nb::arg("program"), nb::arg("root"), nb::arg("features"),
             nb::arg("labels"), nb::arg("shape"), nb::arg("weights"));
  nb::class_<NetworkLearner>(module, "NetworkLearner")
      .def("__init__", &make_learner, nb::arg("program"), nb::arg("root"), nb::arg("features"), nb::arg("labels"),
           nb::arg("rule"), nb::arg("roles"), nb::arg("reach"), nb::arg("guarantees"), nb::arg("free_planes"),
           nb::arg("shape"), nb::arg("counts"), nb::arg("batch"), nb::arg("dropout"), nb::arg("seed"))
      .def("learn", &learn, nb::arg("order"), nb::arg("values"), nb::arg("word_offsets"), nb::arg("arc_offsets"),
           nb::arg("heads"), nb::arg("dependents"), nb::arg("labels"), nb::arg("explore"), nb::arg("rate"),
           nb::arg("threads"))
      .def("weights", [](const NetworkLearner& learner) { return to_arrays(values_of(learner.network().weights())); })
      .def("remember", &remember)
      .def("restore", &restore, nb::arg("steps"), nb::arg("weights"), nb::arg("first"), nb::arg("second"));
}

}  // namespace crossarc
