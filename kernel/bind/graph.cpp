#include "parsers/graph.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/network.hpp"
#include "bind/parsers.hpp"
#include "parsers/graph_learner.hpp"

namespace nb = nanobind;

namespace crossarc {
namespace {

using Flags = InputArray<std::uint8_t>;

// No sentence of the table may be too long.
SentenceTable graph_table(const Network& network, const ValueTable& values, const Offsets& word_offsets,
                          const FormTuple& forms) {
  const SentenceTable table = checked_table(network, values, word_offsets, forms);
  for (std::size_t sentence = 0; sentence < table.sentences(); ++sentence) {
    if (table.length(sentence) > kMostGraphWords) {
      throw std::invalid_argument("sentence " + std::to_string(sentence + 1) + " has " +
                                  std::to_string(table.length(sentence)) + " words: a graph parser takes at most " +
                                  std::to_string(kMostGraphWords));
    }
  }
  return table;
}

DecodeOptions to_options(TreeClass tree_class, bool single_root, LongSentences long_sentences) {
  DecodeOptions options;
  options.tree_class = tree_class;
  options.single_root = single_root;
  options.long_sentences = long_sentences;
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

// What parsing is asked for, checked.
GraphSearch to_search(const GraphModel& model, const SentenceTable& table, TreeClass tree_class, bool single_root,
                      float temperature, bool minimum_risk, std::int32_t root_label, const Flags& never_crossed) {
  if (!(temperature > 0.0F && std::isfinite(temperature))) throw std::invalid_argument("a temperature is above 0");
  if (root_label >= static_cast<std::int32_t>(model.arcs().labels)) {
    throw std::invalid_argument("no such label of roots");
  }
  if (never_crossed.shape(0) > 0 && never_crossed.shape(0) != static_cast<std::size_t>(table.offsets.back())) {
    throw std::invalid_argument("of every word it is said whether arcs may cross the arc into it, or of none");
  }
  GraphSearch search;
  search.trees = to_options(tree_class, single_root, LongSentences::kProjective);
  search.temperature = temperature;
  search.minimum_risk = minimum_risk;
  search.root_label = root_label;
  search.never_crossed = to_span(never_crossed);
  return search;
}

// Rows of classes of the first tags, and those that are given, one row for each word of the table, or none; what is
// known of kinds of words, a row of numbers each, and the kind of each word.
TagCombinations to_combinations(const GraphModel& model, const SentenceTable& table, const IdTable& rows,
                                const IdTable& given, const FloatTable& evidence, const Ids& kinds) {
  TagCombinations together;
  if (rows.shape(0) == 0) return together;
  together.tags = rows.shape(1);
  together.rows = {rows.data(), rows.size()};
  together.given = {given.data(), given.size()};
  const TagHead* const head = model.tags();
  if (head == nullptr || together.tags < 1 || together.tags > head->targets()) {
    throw std::invalid_argument("rows have a class for each of the first tags");
  }
  for (std::size_t index = 0; index < together.rows.size(); ++index) {
    const std::int32_t number = together.rows[index];
    if (number < 0 || number >= head->target_bound(index % together.tags)) {
      throw std::invalid_argument("no such class of a tag");
    }
  }
  if (given.shape(0) > 0 &&
      (given.shape(1) != together.tags || given.shape(0) != static_cast<std::size_t>(table.offsets.back()))) {
    throw std::invalid_argument("of every word the tags of rows are given, -1 for none, or of no word");
  }
  if (kinds.shape(0) > 0) {
    together.evidence = {evidence.data(), evidence.size()};
    together.kinds = to_span(kinds);
    const auto count = static_cast<std::int32_t>(evidence.shape(0));
    if (evidence.shape(1) != rows.shape(0) || kinds.shape(0) != static_cast<std::size_t>(table.offsets.back()) ||
        !std::all_of(together.kinds.begin(), together.kinds.end(), [&](auto kind) { return kind < count; })) {
      throw std::invalid_argument("every word has a kind, -1 for none, and every kind a number for each row of tags");
    }
  }
  return together;
}

Crossing to_crossing(float weight, float penalty) {
  if (!std::isfinite(penalty)) throw std::invalid_argument("a penalty is a finite number");
  if (!(weight >= 0.0F && weight <= 1.0F)) throw std::invalid_argument("the weight of crossings is from 0 to 1");
  return {weight, penalty};
}

TreeTuple parse(const GraphModel& model, const ValueTable& values, const Offsets& word_offsets, const FormTuple& forms,
                TreeClass tree_class, bool single_root, std::size_t most, float temperature, bool minimum_risk,
                std::int32_t root_label, const Ids& heads, float crossing_weight, float crossing_penalty,
                const Flags& never_crossed, const IdTable& combinations, const IdTable& given_tags,
                const FloatTable& evidence, const Ids& kinds, int threads) {
  const SentenceTable table = graph_table(model.network(), values, word_offsets, forms);
  check_threads(threads);
  if (most < 1 || most > kMostRankedTrees) throw std::invalid_argument("the number of trees is from 1 to 64");
  GraphSearch search =
      to_search(model, table, tree_class, single_root, temperature, minimum_risk, root_label, never_crossed);
  if (heads.shape(0) > 0) check_heads(table, to_span(heads), -1);
  search.most = most;
  search.heads = to_span(heads);
  search.crossing = to_crossing(crossing_weight, crossing_penalty);
  search.combinations = to_combinations(model, table, combinations, given_tags, evidence, kinds);
  GraphTrees trees = [&] {
    const WithoutPython work;
    return model.parse(table, search, threads);
  }();
  return {to_numpy(std::move(trees.counts)), to_numpy(std::move(trees.totals)),
          to_numpy(std::move(trees.heads)),  to_numpy(std::move(trees.labels)),
          to_numpy(std::move(trees.scores)), to_numpy(std::move(trees.margins)),
          to_numpy(std::move(trees.tags)),   trees.fallbacks};
}

using HeadsAndLabels = std::pair<NumpyArray<std::int32_t>, NumpyArray<std::int32_t>>;

std::vector<HeadsAndLabels> compare_crossings(const GraphModel& model, const ValueTable& values,
                                              const Offsets& word_offsets, const FormTuple& forms,
                                              const std::vector<float>& weights, const std::vector<float>& penalties,
                                              TreeClass tree_class, bool single_root, float temperature,
                                              bool minimum_risk, std::int32_t root_label, const Flags& never_crossed,
                                              int threads) {
  const SentenceTable table = graph_table(model.network(), values, word_offsets, forms);
  check_threads(threads);
  if (weights.size() != penalties.size()) throw std::invalid_argument("there are as many weights as penalties");
  std::vector<Crossing> ways(weights.size());
  std::ranges::transform(weights, penalties, ways.begin(), to_crossing);
  const GraphSearch search =
      to_search(model, table, tree_class, single_root, temperature, minimum_risk, root_label, never_crossed);
  std::vector<BestTrees> by_way = [&] {
    const WithoutPython work;
    return model.compare_crossings(table, search, ways, threads);
  }();
  std::vector<HeadsAndLabels> all;
  for (BestTrees& trees : by_way) all.emplace_back(to_numpy(std::move(trees.heads)), to_numpy(std::move(trees.labels)));
  return all;
}

// What scores(table) gives, without the interpreter.
template <typename Scores>
NumpyArray<float> scored(const GraphModel& model, const ValueTable& values, const Offsets& word_offsets,
                         const FormTuple& forms, int threads, Scores&& scores) {
  check_threads(threads);
  const SentenceTable table = graph_table(model.network(), values, word_offsets, forms);
  return to_numpy(scores(table));
}

std::pair<NumpyArray<float>, NumpyArray<float>> arc_scores(const GraphModel& model, const ValueTable& values,
                                                           const Offsets& word_offsets, const FormTuple& forms,
                                                           int threads) {
  check_threads(threads);
  const SentenceTable table = graph_table(model.network(), values, word_offsets, forms);
  auto [uncrossed, crossed] = [&] {
    const WithoutPython work;
    return model.arc_scores(table, threads);
  }();
  return {to_numpy(std::move(uncrossed)), to_numpy(std::move(crossed))};
}

NumpyArray<float> label_scores(const GraphModel& model, const ValueTable& values, const Offsets& word_offsets,
                               const FormTuple& forms, const Ids& heads, int threads) {
  return scored(model, values, word_offsets, forms, threads, [&](const SentenceTable& table) {
    check_heads(table, to_span(heads));
    const WithoutPython work;
    return model.label_scores(table, to_span(heads), threads);
  });
}

NumpyArray<float> tag_scores(const GraphModel& model, const ValueTable& values, const Offsets& word_offsets,
                             const FormTuple& forms, int threads) {
  return scored(model, values, word_offsets, forms, threads, [&](const SentenceTable& table) {
    const WithoutPython work;
    return model.tag_scores(table, threads);
  });
}

void make_learner(GraphLearner* learner, std::shared_ptr<Network> network, const EncoderDropout& dropout,
                  float word_dropout, float hidden_dropout, const ColumnDropout& columns, float tag_weight,
                  GraphObjective objective, TreeClass tree_class, bool single_root, std::size_t lexical_columns,
                  std::size_t words, std::uint64_t seed) {
  if (words < 1) throw std::invalid_argument("a batch has at least one word");
  if (!(tag_weight >= 0.0F && std::isfinite(tag_weight))) throw std::invalid_argument("a weight of tags is from 0 on");
  TrainingDropout all = to_dropout(*network, dropout, word_dropout, hidden_dropout, columns, lexical_columns);
  new (learner) GraphLearner(
      std::move(network), {std::move(all), objective, to_options(tree_class, single_root, LongSentences::kSpanningTree),
                           words, seed, tag_weight});
}

std::int64_t learn(GraphLearner& learner, const Ids& order, const ValueTable& values, const Offsets& word_offsets,
                   const FormTuple& forms, const Ids& heads, const Ids& labels, const Ids& tags, const Ids& crossed,
                   float rate, int threads) {
  check_rate(rate);
  check_threads(threads);
  const Network& network = learner.training().network();
  const SentenceTable table = graph_table(network, values, word_offsets, forms);
  check_order(table, order);
  check_heads(table, to_span(heads));
  const auto most = static_cast<std::int32_t>(network.head<BiaffineHead>(BiaffineHead::kArcs).labels);
  const auto numbers = to_span(labels);
  if (numbers.size() != to_span(heads).size() ||
      !std::all_of(numbers.begin(), numbers.end(), [&](std::int32_t label) { return label >= -1 && label < most; })) {
    throw std::invalid_argument("every word has a label of the parser, or -1");
  }
  if (const TagHead* head = network.find<TagHead>()) check_targets(*head, numbers.size(), to_span(tags));
  const auto marks = to_span(crossed);
  if (network.find<BiaffineHead>(BiaffineHead::kCrossed) != nullptr &&
      (marks.size() != numbers.size() ||
       !std::all_of(marks.begin(), marks.end(), [](std::int32_t mark) { return mark >= -1 && mark <= 1; }))) {
    throw std::invalid_argument("every arc is crossed, 1, is not, 0, or may never be, -1");
  }
  const WithoutPython work;
  return learner.learn(table, {to_span(heads), numbers, to_span(tags), marks}, to_span(order), rate, threads);
}

}  // namespace

void bind_graph(nb::module_& module) {
  module.attr("MOST_GRAPH_WORDS") = kMostGraphWords;
  module.attr("MOST_RANKED_TREES") = kMostRankedTrees;
  module.attr("LEAK") = kLeak;
  module.attr("MOST_SUMMED_WORDS") = most_chart_words(ChartUse::kSums);
  module.attr("MOST_CHART_WORDS") = most_chart_words(ChartUse::kBest);
  nb::enum_<GraphObjective>(
      module, "GraphObjective",
      "What training a graph parser minimises: the loss of each head, of whole trees, or a margin.")
      .value("heads", GraphObjective::kHeads)
      .value("likelihood", GraphObjective::kLikelihood)
      .value("margin", GraphObjective::kMargin);
  nb::class_<GraphModel>(module, "GraphModel", "A graph parser: a network that scores all arcs, and exact decoding.")
      .def(
          "__init__",
          [](GraphModel* model, std::shared_ptr<Network> network) { new (model) GraphModel(std::move(network)); },
          nb::arg("network"))
      .def("parse", &parse, nb::arg("values"), nb::arg("word_offsets"), nb::arg("forms"), nb::kw_only(),
           nb::arg("tree_class"), nb::arg("single_root"), nb::arg("most"), nb::arg("temperature"),
           nb::arg("minimum_risk"), nb::arg("root_label"), nb::arg("heads"), nb::arg("crossing_weight"),
           nb::arg("crossing_penalty"), nb::arg("never_crossed"), nb::arg("combinations"), nb::arg("given_tags"),
           nb::arg("evidence"), nb::arg("kinds"), nb::arg("threads"),
           "`heads`: those that words have in every tree, -1 for any; empty if there are none. `crossing_weight`: how "
           "much the probability of being crossed or not counts beside that of the head. `crossing_penalty`: what "
           "crossed arcs lose. `never_crossed`: words whose arcs no arc may cross, or none. `combinations`: rows of "
           "classes that the first tags of a word may have together, none if any; `given_tags`: such a row for each "
           "word, -1 for what is to be found, or no rows. `evidence`: what is added to the scores of these rows for "
           "each kind of words; `kinds`: of each word, -1 for none, or empty.")
      .def("compare_crossings", &compare_crossings, nb::arg("values"), nb::arg("word_offsets"), nb::arg("forms"),
           nb::arg("weights"), nb::arg("penalties"), nb::kw_only(), nb::arg("tree_class"), nb::arg("single_root"),
           nb::arg("temperature"), nb::arg("minimum_risk"), nb::arg("root_label"), nb::arg("never_crossed"),
           nb::arg("threads"),
           "The heads and labels of the best trees with each of some weights and penalties of crossings.")
      .def("arc_scores", &arc_scores, nb::arg("values"), nb::arg("word_offsets"), nb::arg("forms"), nb::kw_only(),
           nb::arg("threads"),
           "The scores of all arcs, the matrices of the sentences one after the other; and those of crossed arcs, none "
           "where they have none of their own.")
      .def_prop_ro("scores_crossed", &GraphModel::scores_crossed, "Whether crossed arcs have scores of their own.")
      .def("label_scores", &label_scores, nb::arg("values"), nb::arg("word_offsets"), nb::arg("forms"),
           nb::arg("heads"), nb::kw_only(), nb::arg("threads"),
           "The scores of all labels for each word and its given head.")
      .def("tag_scores", &tag_scores, nb::arg("values"), nb::arg("word_offsets"), nb::arg("forms"), nb::kw_only(),
           nb::arg("threads"), "The scores of all classes of all tags for each word.");
  nb::class_<GraphLearner> learner(module, "GraphLearner",
                                   "Trains the network of a GraphModel in place, and can stop and go on.");
  learner
      .def("__init__", &make_learner, nb::arg("network"), nb::kw_only(), nb::arg("dropout"), nb::arg("word_dropout"),
           nb::arg("hidden_dropout"), nb::arg("columns"), nb::arg("tag_weight"), nb::arg("objective"),
           nb::arg("tree_class"), nb::arg("single_root"), nb::arg("lexical_columns"), nb::arg("words"), nb::arg("seed"))
      .def("learn", &learn, nb::arg("order"), nb::arg("values"), nb::arg("word_offsets"), nb::arg("forms"),
           nb::arg("heads"), nb::arg("labels"), nb::arg("tags"), nb::arg("crossed"), nb::kw_only(), nb::arg("rate"),
           nb::arg("threads"),
           "One epoch over the sentences in an order; how many heads were wrong. rate: the learning rate. crossed: of "
           "each word, whether its arc is crossed, 1 or 0, or may never be, -1; only where such arcs have scores.")
      .def_static(
          "most_parts", [](std::size_t words) { return GraphLearner::part_rule(words).most; }, nb::arg("words"),
          "How many parts of a batch have gradients of their own.");
  bind_state(learner);
}

}  // namespace crossarc
