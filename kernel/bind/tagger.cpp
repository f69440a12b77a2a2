#include "parsers/tagger.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <utility>
#include <vector>

#include "bind/networks.hpp"
#include "bind/parsers.hpp"

namespace nb = nanobind;

namespace crossarc {
namespace {

void make_shape(TaggerShape* shape, const Groups& groups, std::size_t characters, std::size_t character_dimension,
                std::size_t filters, std::size_t character_outputs, std::size_t layers, std::size_t cells,
                std::vector<std::size_t> classes) {
  constexpr std::size_t kMostTags = 64;
  constexpr std::size_t kMostClasses = 1 << 20;
  EncoderShape encoder =
      to_encoder(groups, {characters, character_dimension, filters, character_outputs}, layers, cells);
  if (classes.empty() || classes.size() > kMostTags) throw std::invalid_argument("a tagger has from 1 to 64 tags");
  for (const std::size_t own : classes) {
    if (own < 1 || own > kMostClasses) throw std::invalid_argument("a tag has from 1 to 1048576 classes");
  }
  new (shape) TaggerShape{std::move(encoder), std::move(classes)};
}

SentenceTable checked_table(const TaggerNetwork& network, const ValueTable& values, const Offsets& offsets,
                            const FormTuple& forms) {
  const EncoderShape& shape = network.encoder.shape;
  const SentenceTable table = network_table(shape, values, offsets, forms);
  check_values(shape, table, 0, values.shape(0));
  return table;
}

NumpyArray<float> probabilities(const TaggerModel& model, const ValueTable& values, const Offsets& offsets,
                                const FormTuple& forms, int threads) {
  check_threads(threads);
  const SentenceTable table = checked_table(model.network(), values, offsets, forms);
  return to_numpy([&] {
    const WithoutPython work;
    return model.probabilities(table, threads);
  }());
}

void make_learner(TaggerLearner* learner, const TaggerShape& shape, const EncoderDropout& dropout,
                  std::size_t lexical_columns, std::size_t rows, std::uint64_t seed) {
  if (rows < 1) throw std::invalid_argument("a batch has at least one row");
  check_share(dropout.words);
  if (lexical_columns > shape.encoder.columns()) throw std::invalid_argument("more lexical columns than columns");
  new (learner) TaggerLearner(shape, {dropout, rows, seed, lexical_columns});
}

std::int64_t learn(TaggerLearner& learner, const Ids& order, const ValueTable& values, const Offsets& offsets,
                   const FormTuple& forms, const Ids& classes, float rate, int threads) {
  check_threads(threads);
  check_rate(rate);
  const SentenceTable table = checked_table(learner.network(), values, offsets, forms);
  const TagShape& shape = learner.network().tags.shape;
  if (classes.shape(0) != values.shape(0) * shape.tags()) throw std::invalid_argument("every row has all tags");
  for (std::size_t place = 0; place < classes.shape(0); ++place) {
    const std::int32_t own = to_span(classes)[place];
    if (own < -1 || own >= static_cast<std::int32_t>(shape.classes[place % shape.tags()])) {
      throw std::invalid_argument("a row has a class that its tag does not have");
    }
  }
  for (const std::int32_t sequence : to_span(order)) {
    if (sequence < 0 || static_cast<std::size_t>(sequence) >= table.sentences()) {
      throw std::invalid_argument("no such sequence");
    }
  }
  const WithoutPython work;
  return learner.learn(table, to_span(classes), to_span(order), rate, threads);
}

}  // namespace

void bind_tagger(nb::module_& module) {
  nb::class_<TaggerShape>(module, "TaggerShape", "The sizes of a tagger.")
      .def("__init__", &make_shape, nb::kw_only(), nb::arg("groups"), nb::arg("characters"),
           nb::arg("character_dimension"), nb::arg("filters"), nb::arg("character_outputs"), nb::arg("layers"),
           nb::arg("cells"), nb::arg("classes"));
  nb::class_<TaggerModel>(module, "TaggerModel", "A trained tagger.")
      .def(
          "__init__",
          [](TaggerModel* model, const TaggerShape& shape, const std::vector<Floats>& weights, bool bytes) {
            new (model) TaggerModel(shape, viewed(weights), bytes);
          },
          nb::arg("shape"), nb::arg("weights"), nb::kw_only(), nb::arg("bytes"))
      .def(
          "weights", [](const TaggerModel& model) { return to_arrays(values_of(model.network().weights())); },
          "All weights, a flat array for each matrix.")
      .def("probabilities", &probabilities, nb::arg("values"), nb::arg("offsets"), nb::arg("forms"), nb::kw_only(),
           nb::arg("threads"), "The probabilities of all classes of all tags, row by row.");
  nb::class_<TaggerLearner> learner(module, "TaggerLearner", "Trains a TaggerModel, and can stop and go on.");
  learner
      .def("__init__", &make_learner, nb::arg("shape"), nb::kw_only(), nb::arg("dropout"), nb::arg("lexical_columns"),
           nb::arg("rows"), nb::arg("seed"))
      .def("learn", &learn, nb::arg("order"), nb::arg("values"), nb::arg("offsets"), nb::arg("forms"),
           nb::arg("classes"), nb::kw_only(), nb::arg("rate"), nb::arg("threads"),
           "One epoch over the sequences in an order; how many tags were wrong. rate: the learning rate.");
  bind_memory(learner);
}

}  // namespace crossarc
