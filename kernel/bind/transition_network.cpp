#include <nanobind/nanobind.h>

#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bind/network.hpp"
#include "bind/parsers.hpp"
#include "parsers/transition.hpp"
#include "parsers/transition_learner.hpp"

namespace nb = nanobind;

namespace crossarc {
namespace {

const ParserDefinition& checked(const ParserDefinition& definition) {
  for (const Atom& atom : definition.transition_features.atoms) {
    if (is_column(atom.attribute)) throw std::invalid_argument("a network reads the columns of words itself");
  }
  return definition;
}

SentenceTable model_table(const TransitionModel& model, const ValueTable& values, const Offsets& word_offsets,
                          const FormTuple& forms) {
  return checked_table(model.network(), values, word_offsets, forms);
}

void make_learner(TransitionLearner* learner, const ParserDefinition& definition, const TrainingOracleOptions& oracle,
                  std::shared_ptr<Network> network, const EncoderDropout& dropout, float word_dropout,
                  float hidden_dropout, bool rare_words, const ColumnDropout& columns,
                  std::vector<std::vector<std::int32_t>> counts, std::size_t sentences, std::size_t words,
                  std::uint64_t seed) {
  constexpr std::size_t kLargestBatch = 1 << 20;
  if (sentences < 1 || sentences > kLargestBatch || words > kLargestBatch) {
    throw std::invalid_argument("a batch has from 1 to 1048576 sentences or words");
  }
  const std::size_t lexical_columns = counts.size();
  if (!rare_words) counts.clear();
  TrainingDropout all =
      to_dropout(*network, dropout, word_dropout, hidden_dropout, columns, lexical_columns, std::move(counts));
  new (learner)
      TransitionLearner(checked(definition), std::move(network), {oracle, std::move(all), sentences, words, seed});
}

std::int64_t learn(TransitionLearner& learner, const Ids& order, const ValueTable& values, const Offsets& word_offsets,
                   const FormTuple& forms, const Offsets& arc_offsets, const Ids& heads, const Ids& dependents,
                   const Ids& labels, unsigned explore, float rate, int threads) {
  if (!(rate > 0.0F && std::isfinite(rate))) throw std::invalid_argument("the learning rate is a number above 0");
  check_explore(explore);
  check_threads(threads);
  const SentenceTable table = checked_table(learner.training().network(), values, word_offsets, forms);
  const GoldTable gold = to_gold(table, arc_offsets, heads, dependents, labels, learner.definition().labels);
  check_order(table, order);
  const WithoutPython work;
  return learner.learn(table, gold, to_span(order), explore, rate, threads);
}

}  // namespace

void bind_transition_network(nb::module_& module) {
  module.attr("ATOM_VALUES") = TransitionHeadSizes::kAtomValues;
  nb::class_<TransitionModel> model(module, "TransitionModel",
                                    "A transition parser with a network: parses and searches.");
  model.def(
      "__init__",
      [](TransitionModel* own, const ParserDefinition& definition, std::shared_ptr<Network> network) {
        new (own) TransitionModel(checked(definition), std::move(network));
      },
      nb::arg("definition"), nb::arg("network"));
  bind_searches(model, &model_table, nb::arg("values"), nb::arg("word_offsets"), nb::arg("forms"));
  nb::class_<TransitionLearner> learner(module, "TransitionLearner",
                                        "Trains the network of a TransitionModel in place, and can stop and go on.");
  learner
      .def("__init__", &make_learner, nb::arg("definition"), nb::arg("oracle"), nb::arg("network"), nb::kw_only(),
           nb::arg("dropout"), nb::arg("word_dropout"), nb::arg("hidden_dropout"), nb::arg("rare_words"),
           nb::arg("columns"), nb::arg("counts"), nb::arg("sentences"), nb::arg("words"), nb::arg("seed"))
      .def("learn", &learn, nb::arg("order"), nb::arg("values"), nb::arg("word_offsets"), nb::arg("forms"),
           nb::arg("arc_offsets"), nb::arg("heads"), nb::arg("dependents"), nb::arg("labels"), nb::kw_only(),
           nb::arg("explore"), nb::arg("rate"), nb::arg("threads"),
           "One epoch over the sentences in an order; how many choices were wrong. explore: of a hundred choices of "
           "the model, how many are followed though they are wrong. rate: the learning rate.")
      .def_static(
          "most_parts", [](std::size_t words) { return TransitionLearner::part_rule(words).most; }, nb::arg("words"),
          "How many parts of a batch have gradients of their own.");
  bind_state(learner);
}

}  // namespace crossarc
