#include "parsers/network.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <stdexcept>
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

void make_sizes(NetworkSizes* sizes, std::vector<std::int32_t> lexical_columns,
                std::vector<std::int32_t> grammatical_columns, std::size_t lexical_dimension,
                std::size_t grammatical_dimension, std::size_t layers, std::size_t cells, std::size_t hidden,
                std::size_t label_hidden) {
  constexpr std::size_t kLargest = 1 << 14;
  for (const std::size_t size : {lexical_dimension, grammatical_dimension, cells, hidden, label_hidden}) {
    if (size < 1 || size > kLargest) throw std::invalid_argument("the sizes of a network are from 1 to 16384");
  }
  if (layers < 1 || layers > 8) throw std::invalid_argument("a network has from 1 to 8 layers");
  if (lexical_columns.empty() && grammatical_columns.empty()) {
    throw std::invalid_argument("a network reads at least one column");
  }
  for (const auto* columns : {&lexical_columns, &grammatical_columns}) {
    for (const std::int32_t values : *columns) {
      if (values < 3) throw std::invalid_argument("a column has at least three values");
    }
  }
  new (sizes) NetworkSizes{{std::move(lexical_columns), std::move(grammatical_columns), lexical_dimension,
                            grammatical_dimension, layers, cells},
                           hidden,
                           label_hidden};
}

void make_dropout(NetworkDropout* dropout, float inputs, float layers, float hidden, float words) {
  for (const float share : {inputs, layers, hidden}) {
    if (!(share >= 0.0F && share < 1.0F)) throw std::invalid_argument("dropout is a share from 0 to below 1");
  }
  if (!(words >= 0.0F && std::isfinite(words))) throw std::invalid_argument("word dropout is a number from 0 on");
  new (dropout) NetworkDropout{{inputs, layers, words}, hidden};
}

const ParserDefinition& checked(const ParserDefinition& definition) {
  for (const Atom& atom : definition.transition_features.atoms) {
    if (is_column(atom.attribute)) throw std::invalid_argument("a network reads the columns of words itself");
  }
  return definition;
}

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

SentenceTable checked_table(const NetworkModel& model, const ValueTable& values, const Offsets& word_offsets) {
  const EncoderShape& shape = model.network().encoder.shape;
  const SentenceTable table = network_table(shape, values, word_offsets);
  check_values(shape, table, 0, values.shape(0));
  return table;
}

void make_learner(NetworkLearner* learner, const ParserDefinition& definition, const TrainingOracleOptions& oracle,
                  const NetworkSizes& sizes, const NetworkDropout& dropout,
                  std::vector<std::vector<std::int32_t>> counts, std::size_t batch, std::uint64_t seed) {
  constexpr std::size_t kLargestBatch = 1 << 20;
  if (batch < 1 || batch > kLargestBatch) throw std::invalid_argument("a batch has from 1 to 1048576 sentences");
  const std::vector<std::int32_t>& lexical = sizes.encoder.lexical_columns;
  if (counts.size() != lexical.size()) throw std::invalid_argument("counts are needed for every lexical column");
  for (std::size_t column = 0; column < counts.size(); ++column) {
    if (counts[column].size() != static_cast<std::size_t>(lexical[column])) {
      throw std::invalid_argument("a count is needed for every value of a lexical column");
    }
    for (const std::int32_t count : counts[column]) {
      if (count < 0) throw std::invalid_argument("a count is below 0");
    }
  }
  new (learner) NetworkLearner(checked(definition), sizes, {oracle, dropout, batch, seed, std::move(counts)});
}

std::int64_t learn(NetworkLearner& learner, const Ids& order, const ValueTable& values, const Offsets& word_offsets,
                   const Offsets& arc_offsets, const Ids& heads, const Ids& dependents, const Ids& labels,
                   unsigned explore, float rate, int threads) {
  if (!(rate > 0.0F && std::isfinite(rate))) throw std::invalid_argument("the learning rate is a number above 0");
  check_explore(explore);
  check_threads(threads);
  const EncoderShape& shape = learner.network().encoder.shape;
  const SentenceTable table = network_table(shape, values, word_offsets);
  const GoldTable gold = to_gold(table, arc_offsets, heads, dependents, labels, learner.definition().labels);
  check_order(table, order);
  for (const std::int32_t number : to_span(order)) {
    const auto sentence = static_cast<std::size_t>(number);
    check_values(shape, table, table.first_word(sentence), table.first_word(sentence + 1));
  }
  const WithoutPython work;
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
  nb::class_<NetworkSizes>(module, "NetworkSizes", "How many values each column has, and the sizes of all layers.")
      .def("__init__", &make_sizes, nb::kw_only(), nb::arg("lexical_columns"), nb::arg("grammatical_columns"),
           nb::arg("lexical_dimension"), nb::arg("grammatical_dimension"), nb::arg("layers"), nb::arg("cells"),
           nb::arg("hidden"), nb::arg("label_hidden"));
  nb::class_<NetworkDropout>(module, "NetworkDropout", "How much is left out at random in training.")
      .def("__init__", &make_dropout, nb::kw_only(), nb::arg("inputs"), nb::arg("layers"), nb::arg("hidden"),
           nb::arg("words"));
  nb::class_<NetworkModel> model(module, "NetworkModel");
  model.def(
      "__init__",
      [](NetworkModel* own, const ParserDefinition& definition, const NetworkSizes& sizes,
         const std::vector<Floats>& weights) { new (own) NetworkModel(checked(definition), sizes, copied(weights)); },
      nb::arg("definition"), nb::arg("sizes"), nb::kw_only(), nb::arg("weights"));
  model.def("weights", [](const NetworkModel& own) { return to_arrays(values_of(own.network().weights())); });
  bind_searches(model, &checked_table);
  nb::class_<NetworkLearner>(module, "NetworkLearner")
      .def("__init__", &make_learner, nb::arg("definition"), nb::arg("oracle"), nb::arg("sizes"), nb::arg("dropout"),
           nb::kw_only(), nb::arg("counts"), nb::arg("batch"), nb::arg("seed"))
      .def("learn", &learn, nb::arg("order"), nb::arg("values"), nb::arg("word_offsets"), nb::arg("arc_offsets"),
           nb::arg("heads"), nb::arg("dependents"), nb::arg("labels"), nb::kw_only(), nb::arg("explore"),
           nb::arg("rate"), nb::arg("threads"))
      .def("weights", [](const NetworkLearner& learner) { return to_arrays(values_of(learner.network().weights())); })
      .def("remember", &remember)
      .def("restore", &restore, nb::arg("steps"), nb::arg("weights"), nb::arg("first"), nb::arg("second"));
}

}  // namespace crossarc
