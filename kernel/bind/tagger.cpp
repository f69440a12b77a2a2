#include "parsers/tagger.hpp"

#include <nanobind/nanobind.h>

#include <memory>
#include <stdexcept>
#include <utility>

#include "bind/network.hpp"
#include "bind/parsers.hpp"

namespace nb = nanobind;

namespace crossarc {
namespace {

NumpyArray<float> probabilities(const TaggerModel& model, const ValueTable& values, const Offsets& offsets,
                                const FormTuple& forms, int threads) {
  check_threads(threads);
  const SentenceTable table = checked_table(model.network(), values, offsets, forms);
  return to_numpy([&] {
    const WithoutPython work;
    return model.probabilities(table, threads);
  }());
}

void make_learner(TaggerLearner* learner, std::shared_ptr<Network> network, const EncoderDropout& dropout,
                  float word_dropout, std::size_t lexical_columns, std::size_t rows, std::uint64_t seed) {
  if (rows < 1) throw std::invalid_argument("a batch has at least one row");
  TrainingDropout all = to_dropout(*network, dropout, word_dropout, 0.0F, {}, lexical_columns);
  new (learner) TaggerLearner(std::move(network), {std::move(all), rows, seed});
}

std::int64_t learn(TaggerLearner& learner, const Ids& order, const ValueTable& values, const Offsets& offsets,
                   const FormTuple& forms, const Ids& classes, float rate, int threads) {
  check_threads(threads);
  check_rate(rate);
  const SentenceTable table = checked_table(learner.training().network(), values, offsets, forms);
  check_targets(learner.head(), values.shape(0), to_span(classes));
  check_order(table, order);
  const WithoutPython work;
  return learner.learn(table, to_span(classes), to_span(order), rate, threads);
}

}  // namespace

void bind_tagger(nb::module_& module) {
  nb::class_<TaggerModel>(module, "TaggerModel", "A trained tagger: what a word head of a network says of every word.")
      .def(
          "__init__",
          [](TaggerModel* own, std::shared_ptr<Network> network) { new (own) TaggerModel(std::move(network)); },
          nb::arg("network"))
      .def("probabilities", &probabilities, nb::arg("values"), nb::arg("offsets"), nb::arg("forms"), nb::kw_only(),
           nb::arg("threads"), "The probabilities of all classes of all tags, row by row.");
  nb::class_<TaggerLearner> learner(module, "TaggerLearner",
                                    "Trains the network of a TaggerModel in place, and can stop and go on.");
  learner
      .def("__init__", &make_learner, nb::arg("network"), nb::kw_only(), nb::arg("dropout"), nb::arg("word_dropout"),
           nb::arg("lexical_columns"), nb::arg("rows"), nb::arg("seed"))
      .def("learn", &learn, nb::arg("order"), nb::arg("values"), nb::arg("offsets"), nb::arg("forms"),
           nb::arg("classes"), nb::kw_only(), nb::arg("rate"), nb::arg("threads"),
           "One epoch over the sequences in an order; how many tags were wrong. rate: the learning rate.")
      .def_static(
          "most_parts", [] { return TaggerLearner::part_rule().most; },
          "How many parts of a batch have gradients of their own.");
  bind_state(learner);
}

}  // namespace crossarc
