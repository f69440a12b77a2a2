#include "parsers/network.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/networks.hpp"
#include "bind/parsers.hpp"
#include "parsers/network_learner.hpp"

namespace nb = nanobind;

namespace crossarc {
namespace {

void make_sizes(NetworkSizes* sizes, const Groups& groups, std::size_t characters, std::size_t character_dimension,
                std::size_t filters, std::size_t character_outputs, std::size_t layers, std::size_t cells,
                std::size_t hidden, std::size_t label_hidden) {
  EncoderShape encoder =
      to_encoder(groups, {characters, character_dimension, filters, character_outputs}, layers, cells);
  check_sizes({hidden, label_hidden});
  new (sizes) NetworkSizes{std::move(encoder), hidden, label_hidden};
}

const ParserDefinition& checked(const ParserDefinition& definition) {
  for (const Atom& atom : definition.transition_features.atoms) {
    if (is_column(atom.attribute)) throw std::invalid_argument("a network reads the columns of words itself");
  }
  return definition;
}

SentenceTable checked_table(const NetworkModel& model, const ValueTable& values, const Offsets& word_offsets,
                            const FormTuple& forms) {
  const EncoderShape& shape = model.network().encoder.shape;
  const SentenceTable table = network_table(shape, values, word_offsets, forms);
  check_values(shape, table, 0, values.shape(0));
  return table;
}

void make_learner(NetworkLearner* learner, const ParserDefinition& definition, const TrainingOracleOptions& oracle,
                  const NetworkSizes& sizes, const EncoderDropout& dropout, float hidden_dropout,
                  const ColumnDropout& columns, std::vector<std::vector<std::int32_t>> counts, std::size_t sentences,
                  std::size_t words, std::uint64_t seed) {
  constexpr std::size_t kLargestBatch = 1 << 20;
  if (sentences < 1 || sentences > kLargestBatch || words > kLargestBatch) {
    throw std::invalid_argument("a batch has from 1 to 1048576 sentences or words");
  }
  check_share(hidden_dropout);
  check_dropped_columns(sizes.encoder, columns);
  check_counts(sizes.encoder, counts);
  new (learner) NetworkLearner(checked(definition), sizes,
                               {oracle, dropout, hidden_dropout, columns, sentences, words, seed, std::move(counts)});
}

std::int64_t learn(NetworkLearner& learner, const Ids& order, const ValueTable& values, const Offsets& word_offsets,
                   const FormTuple& forms, const Offsets& arc_offsets, const Ids& heads, const Ids& dependents,
                   const Ids& labels, unsigned explore, float rate, int threads) {
  if (!(rate > 0.0F && std::isfinite(rate))) throw std::invalid_argument("the learning rate is a number above 0");
  check_explore(explore);
  check_threads(threads);
  const EncoderShape& shape = learner.network().encoder.shape;
  const SentenceTable table = network_table(shape, values, word_offsets, forms);
  const GoldTable gold = to_gold(table, arc_offsets, heads, dependents, labels, learner.definition().labels);
  check_order(table, order);
  for (const std::int32_t number : to_span(order)) {
    const auto sentence = static_cast<std::size_t>(number);
    check_values(shape, table, table.first_word(sentence), table.first_word(sentence + 1));
  }
  const WithoutPython work;
  return learner.learn(table, gold, to_span(order), explore, rate, threads);
}

}  // namespace

void bind_network(nb::module_& module) {
  module.attr("ATOM_VALUES") = TransitionHeadShape::kAtomValues;
  module.attr("NARROWEST_FILTER") = CharacterShape::kNarrowest;
  module.attr("WIDEST_FILTER") = CharacterShape::kWidest;
  nb::class_<NetworkSizes>(module, "NetworkSizes", "How many values each column has, and the sizes of all layers.")
      .def("__init__", &make_sizes, nb::kw_only(), nb::arg("groups"), nb::arg("characters"),
           nb::arg("character_dimension"), nb::arg("filters"), nb::arg("character_outputs"), nb::arg("layers"),
           nb::arg("cells"), nb::arg("hidden"), nb::arg("label_hidden"));
  nb::class_<NetworkModel> model(module, "NetworkModel", "A transition parser with a network: parses and searches.");
  model.def(
      "__init__",
      [](NetworkModel* own, const ParserDefinition& definition, const NetworkSizes& sizes,
         const std::vector<Floats>& weights) { new (own) NetworkModel(checked(definition), sizes, viewed(weights)); },
      nb::arg("definition"), nb::arg("sizes"), nb::kw_only(), nb::arg("weights"));
  model.def(
      "weights", [](const NetworkModel& own) { return to_arrays(values_of(own.network().weights())); },
      "All weights, a flat array for each matrix.");
  bind_searches(model, &checked_table, nb::arg("values"), nb::arg("word_offsets"), nb::arg("forms"));
  nb::class_<NetworkLearner> learner(module, "NetworkLearner", "Trains a NetworkModel, and can stop and go on.");
  learner
      .def("__init__", &make_learner, nb::arg("definition"), nb::arg("oracle"), nb::arg("sizes"), nb::kw_only(),
           nb::arg("dropout"), nb::arg("hidden_dropout"), nb::arg("columns"), nb::arg("counts"), nb::arg("sentences"),
           nb::arg("words"), nb::arg("seed"))
      .def("learn", &learn, nb::arg("order"), nb::arg("values"), nb::arg("word_offsets"), nb::arg("forms"),
           nb::arg("arc_offsets"), nb::arg("heads"), nb::arg("dependents"), nb::arg("labels"), nb::kw_only(),
           nb::arg("explore"), nb::arg("rate"), nb::arg("threads"),
           "One epoch over the sentences in an order; how many choices were wrong. explore: of a hundred choices of "
           "the model, how many are followed though they are wrong. rate: the learning rate.");
  bind_memory(learner);
}

}  // namespace crossarc
