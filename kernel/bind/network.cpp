#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/features.hpp"
#include "bind/found.hpp"
#include "bind/parsers.hpp"
#include "bind/roots.hpp"
#include "core/threads.hpp"
#include "parsers/network_trainer.hpp"
#include "treebank/writer.hpp"

namespace nb = nanobind;

namespace crossarc {
namespace {

using Floats = InputArray<float>;
// Values of the lexical and of the grammatical columns, lengths of their embeddings, layers, cells, hidden, hidden for
// labels.
using ShapeTuple = std::tuple<std::vector<std::int32_t>, std::vector<std::int32_t>, std::size_t, std::size_t,
                              std::size_t, std::size_t, std::size_t, std::size_t>;

NetworkShape to_shape(const ShapeTuple& given, const ParserDefinition& definition) {
  NetworkShape shape;
  std::tie(shape.lexical_columns, shape.grammatical_columns, shape.lexical, shape.grammatical, shape.layers,
           shape.cells, shape.hidden, shape.label_hidden) = given;
  constexpr std::size_t kLargest = 1 << 14;
  for (const std::size_t length :
       {shape.lexical, shape.grammatical, shape.cells, shape.hidden, shape.label_hidden, shape.layers}) {
    if (length < 1 || length > kLargest) throw std::invalid_argument("a network of that shape cannot be made");
  }
  for (const auto* columns : {&shape.lexical_columns, &shape.grammatical_columns}) {
    for (const std::int32_t values : *columns) {
      if (values < 3) throw std::invalid_argument("a column without values");
    }
  }
  if (shape.columns() == 0 || shape.layers > 8) throw std::invalid_argument("a network of that shape cannot be made");
  shape.slots = definition.transition_features.addresses.size();
  shape.atoms = definition.transition_features.atoms.size();
  shape.transitions = definition.program->size();
  shape.labels = definition.labels;
  return shape;
}

ParserDefinition to_definition(const Program& program, const std::string& root, const FeatureTuple& features,
                               std::int32_t labels) {
  check_system(program);
  if (labels < 1) throw std::invalid_argument("a parser has labels");
  ParserDefinition definition{&program, to_root(root), to_features(features), {}, static_cast<std::size_t>(labels)};
  for (const Atom& atom : definition.transition_features.atoms) {
    if (is_column(atom.attribute)) throw std::invalid_argument("words are read by the network itself");
  }
  return definition;
}

// Words in [first, last) may have such values.
void check_values(const NetworkShape& shape, const ValueTable& values, std::size_t first, std::size_t last) {
  for (std::size_t word = first; word < last; ++word) {
    const std::uint32_t* value = values.data() + word * values.shape(1);
    bool fit = true;
    for (const std::int32_t most : shape.lexical_columns) fit &= *value++ < static_cast<std::uint32_t>(most);
    for (const std::int32_t most : shape.grammatical_columns) fit &= *value++ < static_cast<std::uint32_t>(most);
    if (!fit) throw std::invalid_argument("a value that there is not");
  }
}

SentenceTable to_table(const NetworkShape& shape, const ValueTable& values, const Offsets& offsets) {
  check_offsets(to_span(offsets), values.shape(0));
  if (values.shape(1) != shape.columns()) throw std::invalid_argument("the words have other columns");
  return {values.data(), values.shape(1), to_span(offsets)};
}

struct NetworkModel {
  std::shared_ptr<Program> program;
  ParserDefinition definition;
  Network network;
  PackedMatrix label_output;
};

std::shared_ptr<NetworkModel> make_network_model(std::shared_ptr<Program> program, const std::string& root,
                                                 const FeatureTuple& features, std::int32_t labels,
                                                 const ShapeTuple& shape, const std::vector<Floats>& weights) {
  auto model = std::make_shared<NetworkModel>();
  model->program = std::move(program);
  model->definition = to_definition(*model->program, root, features, labels);
  model->network.shape = to_shape(shape, model->definition);
  model->network.weights = NetworkWeights(model->network.shape, true);
  const std::vector<Matrix*> all = model->network.weights.all();
  if (weights.size() != all.size()) throw std::invalid_argument("the weights of another network");
  for (std::size_t number = 0; number < all.size(); ++number) {
    const std::span<const float> own = to_span(weights[number]);
    if (own.size() != all[number]->values.size()) throw std::invalid_argument("the weights of another network");
    all[number]->values.assign(own.begin(), own.end());
  }
  model->network.pack(false);
  model->label_output.pack(model->network.weights.label_output);
  return model;
}

std::vector<NumpyArray<float>> to_arrays(std::vector<std::vector<float>>&& weights) {
  std::vector<NumpyArray<float>> arrays;
  for (std::vector<float>& one : weights) arrays.push_back(to_numpy(std::move(one)));
  return arrays;
}

std::vector<NumpyArray<float>> weights_of(const Network& network) {
  std::vector<std::vector<float>> weights;
  for (const Matrix* one : network.weights.all()) weights.emplace_back(one->values.begin(), one->values.end());
  return to_arrays(std::move(weights));
}

class NetworkLearner {
 public:
  NetworkLearner(std::shared_ptr<Program> program, const std::string& root, const FeatureTuple& features,
                 std::int32_t labels, int rule, const std::vector<std::int32_t>& roles, int reach,
                 const std::vector<bool>& guarantees, bool free_planes, const ShapeTuple& shape,
                 const std::vector<std::vector<std::int32_t>>& counts, std::size_t batch,
                 const std::tuple<float, float, float, float>& dropout, std::uint64_t seed)
      : program_(std::move(program)) {
    const ParserDefinition definition = to_definition(*program_, root, features, labels);
    shape_ = to_shape(shape, definition);
    NetworkTraining training;
    training.teacher = to_training_oracle(rule, roles, reach, guarantees, free_planes);
    std::tie(training.dropout.inputs, training.dropout.layers, training.dropout.hidden, training.dropout.words) =
        dropout;
    if (batch < 1 || counts.size() != shape_.lexical_columns.size()) {
      throw std::invalid_argument("the options of a learner are not those");
    }
    for (const float share : {training.dropout.inputs, training.dropout.layers, training.dropout.hidden}) {
      if (!(share >= 0.0F && share < 1.0F)) throw std::invalid_argument("what is dropped is a share from 0 to below 1");
    }
    for (std::size_t column = 0; column < counts.size(); ++column) {
      if (counts[column].size() != static_cast<std::size_t>(shape_.lexical_columns[column])) {
        throw std::invalid_argument("a count is needed for every value");
      }
    }
    training.batch = batch;
    training.seed = seed;
    training.counts = counts;
    trainer_ = std::make_unique<NetworkTrainer>(definition, shape_, std::move(training));
    labels_ = labels;
  }

  std::int64_t learn(const Ids& order, const ValueTable& values, const Offsets& word_offsets,
                     const Offsets& arc_offsets, const Ids& heads, const Ids& dependents, const Ids& labels,
                     unsigned explore, float rate, int threads) {
    const SentenceTable table = to_table(shape_, values, word_offsets);
    const GoldTable gold = to_gold(word_offsets, arc_offsets, heads, dependents, labels, labels_);
    for (const std::int32_t sentence : to_span(order)) {
      if (sentence < 0 || static_cast<std::size_t>(sentence) >= table.sentences()) {
        throw std::invalid_argument("a sentence that there is not");
      }
      const auto first = static_cast<std::size_t>(table.offsets[static_cast<std::size_t>(sentence)]);
      const std::int32_t words = table.length(static_cast<std::size_t>(sentence));
      check_values(shape_, values, first, first + static_cast<std::size_t>(words));
    }
    const nb::gil_scoped_release release;
    return trainer_->learn(table, gold, to_span(order), explore, rate, threads);
  }

  std::vector<NumpyArray<float>> weights() const { return weights_of(trainer_->network()); }

  std::tuple<std::uint64_t, std::vector<NumpyArray<float>>, std::vector<NumpyArray<float>>,
             std::vector<NumpyArray<float>>>
  remember() const {
    NetworkTrainer::Memory memory = trainer_->remember();
    return {memory.steps, to_arrays(std::move(memory.weights)), to_arrays(std::move(memory.first)),
            to_arrays(std::move(memory.second))};
  }

  void restore(std::uint64_t steps, const std::vector<Floats>& weights, const std::vector<Floats>& first,
               const std::vector<Floats>& second) {
    const auto copy = [](const std::vector<Floats>& arrays) {
      std::vector<std::vector<float>> all;
      for (const Floats& array : arrays) all.emplace_back(to_span(array).begin(), to_span(array).end());
      return all;
    };
    trainer_->restore({steps, copy(weights), copy(first), copy(second)});
  }

 private:
  std::shared_ptr<Program> program_;
  NetworkShape shape_;
  std::int32_t labels_ = 0;
  std::unique_ptr<NetworkTrainer> trainer_;
};

// Calls work(parser, batch) for all sentences in batches, on some threads.
template <typename Work>
void for_batches(const NetworkModel& model, const SentenceTable& table, int threads, Work&& work) {
  const std::vector<std::vector<std::int32_t>> batches = batches_of(table);
  constexpr std::size_t kTogether = 8;  // batches that one parser takes, which keeps its memory
  parallel_for((batches.size() + kTogether - 1) / kTogether, thread_count(threads), [&](std::size_t group) {
    NetworkParser parser(model.network, model.definition, model.label_output);
    SentenceBatch batch;
    const std::size_t last = std::min(batches.size(), (group + 1) * kTogether);
    for (std::size_t number = group * kTogether; number < last; ++number) {
      batch.gather(table, batches[number]);
      work(parser, batch);
    }
  });
}

// All arcs or links: heads (or left words), dependents (or right words), labels, and where each sentence's begin.
std::tuple<NumpyArray<std::int32_t>, NumpyArray<std::int32_t>, NumpyArray<std::int32_t>, NumpyArray<std::int64_t>>
parse_network_arcs(const NetworkModel& model, const ValueTable& values, const Offsets& word_offsets, int threads) {
  const SentenceTable table = to_table(model.network.shape, values, word_offsets);
  check_values(model.network.shape, values, 0, values.shape(0));
  std::vector<std::int32_t> heads, dependents, labels;
  std::vector<std::int64_t> offsets{0};
  {
    const nb::gil_scoped_release release;
    std::vector<std::vector<BuiltArc>> arcs(table.sentences());
    for_batches(model, table, threads, [&](NetworkParser& parser, const SentenceBatch& batch) {
      parser.parse(batch,
                   [&](std::int32_t sentence, const Configuration& configuration, std::span<const std::int32_t> found) {
                     std::vector<BuiltArc>& own = arcs[static_cast<std::size_t>(sentence)];
                     own.assign(configuration.links().begin(), configuration.links().end());
                     for (std::size_t place = 0; place < own.size(); ++place) {
                       BuiltArc& arc = own[place];
                       arc.head = configuration.word_at(arc.head);
                       arc.dependent = configuration.word_at(arc.dependent);
                       arc.label = found[place];
                       if (model.program->undirected() && arc.head > arc.dependent) std::swap(arc.head, arc.dependent);
                     }
                   });
    });
    for (const std::vector<BuiltArc>& own : arcs) {
      for (const BuiltArc& arc : own) {
        heads.push_back(arc.head);
        dependents.push_back(arc.dependent);
        labels.push_back(arc.label);
      }
      offsets.push_back(static_cast<std::int64_t>(heads.size()));
    }
  }
  return {to_numpy(std::move(heads)), to_numpy(std::move(dependents)), to_numpy(std::move(labels)),
          to_numpy(std::move(offsets))};
}

FoundTuple search_network(const NetworkModel& model, const ValueTable& values, const Offsets& word_offsets,
                          std::int32_t width, std::int32_t kept, int threads) {
  const SentenceTable table = to_table(model.network.shape, values, word_offsets);
  check_values(model.network.shape, values, 0, values.shape(0));
  check_beam(*model.program, width, kept);
  std::vector<std::vector<Found>> found(table.sentences());
  {
    const nb::gil_scoped_release release;
    for_batches(model, table, threads, [&](NetworkParser& parser, const SentenceBatch& batch) {
      std::vector<NetworkParser::Search::Step> steps;
      parser.search(batch, static_cast<std::size_t>(width), static_cast<std::size_t>(kept),
                    [&](std::int32_t sentence, const NetworkParser::Search& search,
                        const NetworkParser::Search::Item& item, std::span<const std::int32_t> labels) {
                      Found one = found_by(search, item, steps);
                      for (std::size_t arc = 0; arc < one.arcs.size(); ++arc) one.arcs[arc].arc.label = labels[arc];
                      found[static_cast<std::size_t>(sentence)].push_back(std::move(one));
                    });
    });
  }
  return to_tuple(found);
}

}  // namespace

void bind_network(nb::module_& module) {
  nb::class_<NetworkModel>(module, "NetworkModel")
      .def("parse_arcs", &parse_network_arcs, nb::arg("values"), nb::arg("word_offsets"), nb::arg("threads"))
      .def("search", &search_network, nb::arg("values"), nb::arg("word_offsets"), nb::arg("width"), nb::arg("kept"),
           nb::arg("threads"))
      .def("weights", [](const NetworkModel& model) { return weights_of(model.network); });
  module.def("make_network_model", &make_network_model, nb::arg("program"), nb::arg("root"), nb::arg("features"),
             nb::arg("labels"), nb::arg("shape"), nb::arg("weights"));
  nb::class_<NetworkLearner>(module, "NetworkLearner")
      .def(nb::init<std::shared_ptr<Program>, const std::string&, const FeatureTuple&, std::int32_t, int,
                    const std::vector<std::int32_t>&, int, const std::vector<bool>&, bool, const ShapeTuple&,
                    const std::vector<std::vector<std::int32_t>>&, std::size_t,
                    const std::tuple<float, float, float, float>&, std::uint64_t>(),
           nb::arg("program"), nb::arg("root"), nb::arg("features"), nb::arg("labels"), nb::arg("rule"),
           nb::arg("roles"), nb::arg("reach"), nb::arg("guarantees"), nb::arg("free_planes"), nb::arg("shape"),
           nb::arg("counts"), nb::arg("batch"), nb::arg("dropout"), nb::arg("seed"))
      .def("learn", &NetworkLearner::learn, nb::arg("order"), nb::arg("values"), nb::arg("word_offsets"),
           nb::arg("arc_offsets"), nb::arg("heads"), nb::arg("dependents"), nb::arg("labels"), nb::arg("explore"),
           nb::arg("rate"), nb::arg("threads"))
      .def("weights", &NetworkLearner::weights)
      .def("remember", &NetworkLearner::remember)
      .def("restore", &NetworkLearner::restore, nb::arg("steps"), nb::arg("weights"), nb::arg("first"),
           nb::arg("second"));
}

}  // namespace crossarc
