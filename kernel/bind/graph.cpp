#include "parsers/graph.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/networks.hpp"
#include "bind/parsers.hpp"
#include "parsers/graph_learner.hpp"

namespace nb = nanobind;

namespace crossarc {
namespace {

void make_shape(GraphShape* shape, const Groups& groups, std::size_t characters, std::size_t character_dimension,
                std::size_t filters, std::size_t character_outputs, std::size_t layers, std::size_t cells,
                std::size_t arc, std::size_t label, std::size_t labels, std::vector<std::size_t> tags) {
  constexpr std::size_t kMostTags = 64;
  constexpr std::size_t kMostClasses = 1 << 20;
  EncoderShape encoder =
      to_encoder(groups, {characters, character_dimension, filters, character_outputs}, layers, cells);
  check_sizes({arc, label});
  if (labels < 1 || labels > kMostLabels) {
    throw std::invalid_argument("a parser has from 1 to " + std::to_string(kMostLabels) + " labels");
  }
  if (tags.size() > kMostTags) throw std::invalid_argument("a parser finds at most 64 tags of a word");
  for (const std::size_t classes : tags) {
    if (classes < 1 || classes > kMostClasses) throw std::invalid_argument("a tag has from 1 to 1048576 classes");
  }
  new (shape) GraphShape{std::move(encoder), arc, label, labels, std::move(tags)};
}

SentenceTable checked_table(const GraphNetwork& network, const ValueTable& values, const Offsets& word_offsets,
                            const FormTuple& forms) {
  const EncoderShape& shape = network.encoder.shape;
  const SentenceTable table = network_table(shape, values, word_offsets, forms);
  check_values(shape, table, 0, values.shape(0));
  for (std::size_t sentence = 0; sentence < table.sentences(); ++sentence) {
    if (table.length(sentence) > kMostGraphWords) {
      throw std::invalid_argument("sentence " + std::to_string(sentence + 1) + " has " +
                                  std::to_string(table.length(sentence)) + " words: a graph parser takes at most " +
                                  std::to_string(kMostGraphWords));
    }
  }
  return table;
}

DecodeOptions to_options(TreeClass tree_class, bool single_root) {
  DecodeOptions options;
  options.tree_class = tree_class;
  options.single_root = single_root;
  return options;
}

// `least`: 0, or -1 where a word may have none.
void check_heads(const SentenceTable& table, std::span<const std::int32_t> heads, std::int32_t least = 0) {
  if (heads.size() != static_cast<std::size_t>(table.offsets.back())) {
    throw std::invalid_argument("every word has a head");
  }
  for (std::size_t sentence = 0; sentence < table.sentences(); ++sentence) {
    const std::size_t first = table.first_word(sentence);
    const std::int32_t words = table.length(sentence);
    for (std::int32_t word = 1; word <= words; ++word) {
      const std::int32_t head = heads[first + static_cast<std::size_t>(word) - 1];
      if (head < least || head > words || head == word) {
        throw std::invalid_argument("sentence " + std::to_string(sentence + 1) + ", word " + std::to_string(word) +
                                    ": the head is 0 or another word");
      }
    }
  }
}

using TreeTuple =
    std::tuple<NumpyArray<std::int64_t>, NumpyArray<double>, NumpyArray<std::int32_t>, NumpyArray<std::int32_t>,
               NumpyArray<float>, NumpyArray<float>, NumpyArray<std::int32_t>, std::int64_t>;

TreeTuple parse(const GraphModel& model, const ValueTable& values, const Offsets& word_offsets, const FormTuple& forms,
                TreeClass tree_class, bool single_root, std::size_t most, float temperature, bool minimum_risk,
                std::int32_t root_label, const Ids& heads, int threads) {
  const SentenceTable table = checked_table(model.network(), values, word_offsets, forms);
  check_threads(threads);
  if (most < 1 || most > kMostRankedTrees) throw std::invalid_argument("the number of trees is from 1 to 64");
  if (!(temperature > 0.0F && std::isfinite(temperature))) throw std::invalid_argument("a temperature is above 0");
  if (root_label >= static_cast<std::int32_t>(model.network().heads.shape.labels)) {
    throw std::invalid_argument("no such label of roots");
  }
  if (heads.shape(0) > 0) check_heads(table, to_span(heads), -1);
  const GraphSearch search{
      to_options(tree_class, single_root), most, temperature, minimum_risk, root_label, to_span(heads)};
  GraphTrees trees = [&] {
    const WithoutPython work;
    return model.parse(table, search, threads);
  }();
  return {to_numpy(std::move(trees.counts)), to_numpy(std::move(trees.totals)),
          to_numpy(std::move(trees.heads)),  to_numpy(std::move(trees.labels)),
          to_numpy(std::move(trees.scores)), to_numpy(std::move(trees.margins)),
          to_numpy(std::move(trees.tags)),   trees.fallbacks};
}

NumpyArray<float> arc_scores(const GraphModel& model, const ValueTable& values, const Offsets& word_offsets,
                             const FormTuple& forms, int threads) {
  check_threads(threads);
  const SentenceTable table = checked_table(model.network(), values, word_offsets, forms);
  return to_numpy([&] {
    const WithoutPython work;
    return model.arc_scores(table, threads);
  }());
}

NumpyArray<float> label_scores(const GraphModel& model, const ValueTable& values, const Offsets& word_offsets,
                               const FormTuple& forms, const Ids& heads, int threads) {
  check_threads(threads);
  const SentenceTable table = checked_table(model.network(), values, word_offsets, forms);
  check_heads(table, to_span(heads));
  return to_numpy([&] {
    const WithoutPython work;
    return model.label_scores(table, to_span(heads), threads);
  }());
}

NumpyArray<float> tag_scores(const GraphModel& model, const ValueTable& values, const Offsets& word_offsets,
                             const FormTuple& forms, int threads) {
  check_threads(threads);
  const SentenceTable table = checked_table(model.network(), values, word_offsets, forms);
  return to_numpy([&] {
    const WithoutPython work;
    return model.tag_scores(table, threads);
  }());
}

void check_tags(const TagShape& shape, std::size_t words, std::span<const std::int32_t> classes) {
  if (classes.size() != words * shape.tags()) throw std::invalid_argument("every word has a class of each tag, or -1");
  for (std::size_t place = 0; place < classes.size(); ++place) {
    const std::int32_t own = classes[place];
    if (own < -1 || own >= static_cast<std::int32_t>(shape.classes[place % shape.tags()])) {
      throw std::invalid_argument("a word has a class that its tag does not have");
    }
  }
}

void make_learner(GraphLearner* learner, const GraphShape& shape, const EncoderDropout& dropout, float hidden_dropout,
                  const ColumnDropout& columns, float tag_weight, GraphObjective objective, TreeClass tree_class,
                  bool single_root, std::size_t lexical_columns, std::size_t words, std::uint64_t seed) {
  if (words < 1) throw std::invalid_argument("a batch has at least one word");
  check_share(hidden_dropout);
  check_share(dropout.words);
  if (!(tag_weight >= 0.0F && std::isfinite(tag_weight))) throw std::invalid_argument("a weight of tags is from 0 on");
  if (lexical_columns > shape.encoder.columns()) {
    throw std::invalid_argument("more lexical columns than there are columns");
  }
  check_dropped_columns(shape.encoder, columns);
  new (learner) GraphLearner(shape, {dropout, hidden_dropout, columns, objective, to_options(tree_class, single_root),
                                     words, seed, lexical_columns, tag_weight});
}

std::int64_t learn(GraphLearner& learner, const Ids& order, const ValueTable& values, const Offsets& word_offsets,
                   const FormTuple& forms, const Ids& heads, const Ids& labels, const Ids& tags, float rate,
                   int threads) {
  check_rate(rate);
  check_threads(threads);
  const SentenceTable table = checked_table(learner.network(), values, word_offsets, forms);
  check_order(table, order);
  check_heads(table, to_span(heads));
  const auto most = static_cast<std::int32_t>(learner.network().heads.shape.labels);
  const auto own = to_span(labels);
  if (own.size() != to_span(heads).size() ||
      !std::all_of(own.begin(), own.end(), [&](std::int32_t label) { return label >= -1 && label < most; })) {
    throw std::invalid_argument("every word has a label of the parser, or -1");
  }
  check_tags(learner.network().tags.shape, own.size(), to_span(tags));
  const WithoutPython work;
  return learner.learn(table, {to_span(heads), own, to_span(tags)}, to_span(order), rate, threads);
}

}  // namespace

void bind_graph(nb::module_& module) {
  module.attr("MOST_GRAPH_WORDS") = kMostGraphWords;
  module.attr("MOST_CHART_WORDS") = kMostChartWords;
  module.attr("MOST_SUMMED_WORDS") = kMostSummedWords;
  module.attr("MOST_RANKED_TREES") = kMostRankedTrees;
  module.attr("LEAK") = kLeak;
  nb::enum_<GraphObjective>(
      module, "GraphObjective",
      "What training a graph parser minimises: the loss of each head, of whole trees, or a margin.")
      .value("heads", GraphObjective::kHeads)
      .value("likelihood", GraphObjective::kLikelihood)
      .value("margin", GraphObjective::kMargin);
  nb::class_<GraphShape>(module, "GraphShape", "How many values each column has, and the sizes of all layers.")
      .def("__init__", &make_shape, nb::kw_only(), nb::arg("groups"), nb::arg("characters"),
           nb::arg("character_dimension"), nb::arg("filters"), nb::arg("character_outputs"), nb::arg("layers"),
           nb::arg("cells"), nb::arg("arc"), nb::arg("label"), nb::arg("labels"),
           nb::arg("tags") = std::vector<std::size_t>());
  nb::class_<GraphModel>(module, "GraphModel", "A graph parser: a network that scores all arcs, and exact decoding.")
      .def(
          "__init__",
          [](GraphModel* own, const GraphShape& shape, const std::vector<Floats>& weights,
             const std::vector<Floats>& scales) { new (own) GraphModel(shape, viewed(weights), copied(scales)); },
          nb::arg("shape"), nb::kw_only(), nb::arg("weights"), nb::arg("scales") = std::vector<Floats>(),
          "`scales`: of the columns of each matrix that is computed with as bytes; empty for the others.")
      .def(
          "weights", [](const GraphModel& own) { return to_arrays(values_of(own.network().weights())); },
          "All weights, a flat array for each matrix.")
      .def(
          "scales", [](const GraphModel& own) { return to_arrays(std::vector(own.scales())); },
          "The scales of matrices that are computed with as bytes.")
      .def("byte_columns", &GraphModel::byte_columns,
           "Of each matrix, its columns if it can be computed with as bytes, else 0.")
      .def("parse", &parse, nb::arg("values"), nb::arg("word_offsets"), nb::arg("forms"), nb::kw_only(),
           nb::arg("tree_class"), nb::arg("single_root"), nb::arg("most"), nb::arg("temperature"),
           nb::arg("minimum_risk"), nb::arg("root_label"), nb::arg("heads"), nb::arg("threads"),
           "`heads`: those that words have in every tree, -1 for any; empty if there are none.")
      .def("arc_scores", &arc_scores, nb::arg("values"), nb::arg("word_offsets"), nb::arg("forms"), nb::kw_only(),
           nb::arg("threads"), "The scores of all arcs, the matrices of the sentences one after the other.")
      .def("label_scores", &label_scores, nb::arg("values"), nb::arg("word_offsets"), nb::arg("forms"),
           nb::arg("heads"), nb::kw_only(), nb::arg("threads"),
           "The scores of all labels for each word and its given head.")
      .def("tag_scores", &tag_scores, nb::arg("values"), nb::arg("word_offsets"), nb::arg("forms"), nb::kw_only(),
           nb::arg("threads"), "The scores of all classes of all tags for each word.");
  nb::class_<EncoderDropout>(module, "EncoderDropout", "How much of the inputs and layers is left out in training.")
      .def(
          "__init__",
          [](EncoderDropout* own, float inputs, float layers, float words, float groups) {
            for (const float share : {inputs, layers, groups}) check_share(share);
            check_word_dropout(words);
            new (own) EncoderDropout{inputs, layers, words, groups};
          },
          nb::kw_only(), nb::arg("inputs"), nb::arg("layers"), nb::arg("words"), nb::arg("groups"));
  nb::class_<ColumnDropout>(module, "ColumnDropout", "Which columns sentences lose in training, and how often.")
      .def(
          "__init__",
          [](ColumnDropout* own, std::vector<std::vector<std::int32_t>> families, std::vector<std::uint32_t> empty,
             float share) {
            check_share(share);
            new (own) ColumnDropout{std::move(families), std::move(empty), share};
          },
          nb::kw_only(), nb::arg("families"), nb::arg("empty"), nb::arg("share"));
  nb::class_<GraphLearner> learner(module, "GraphLearner", "Trains a GraphModel, and can stop and go on.");
  learner
      .def("__init__", &make_learner, nb::arg("shape"), nb::kw_only(), nb::arg("dropout"), nb::arg("hidden_dropout"),
           nb::arg("columns"), nb::arg("tag_weight"), nb::arg("objective"), nb::arg("tree_class"),
           nb::arg("single_root"), nb::arg("lexical_columns"), nb::arg("words"), nb::arg("seed"))
      .def("learn", &learn, nb::arg("order"), nb::arg("values"), nb::arg("word_offsets"), nb::arg("forms"),
           nb::arg("heads"), nb::arg("labels"), nb::arg("tags"), nb::kw_only(), nb::arg("rate"), nb::arg("threads"),
           "One epoch over the sentences in an order; how many heads were wrong. rate: the learning rate.");
  bind_memory(learner);
}

}  // namespace crossarc
