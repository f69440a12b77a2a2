#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
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

#include "bind/arrays.hpp"
#include "bind/roots.hpp"
#include "parsers/greedy.hpp"
#include "threads.hpp"
#include "treebank/writer.hpp"

namespace nb = nanobind;

namespace crossarc {
namespace {

using Ids = InputArray<std::int32_t>;
using Offsets = InputArray<std::int64_t>;
using ValueTable = nb::ndarray<const std::uint32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using AddressTuple = std::tuple<int, std::int32_t, int, int>;
using AtomTuple = std::tuple<std::int32_t, int, std::int32_t>;
using FeatureTuple =
    std::tuple<std::vector<AddressTuple>, std::vector<AtomTuple>, std::vector<std::vector<std::int32_t>>>;

FeatureSet to_features(const FeatureTuple& given) {
  FeatureSet features;
  for (const auto& [base, index, first, second] : std::get<0>(given)) {
    if (base < 0 || base >= kBases || index < 0 || first < 0 || first >= kHops || second < 0 || second >= kHops) {
      throw std::invalid_argument("an address that there is not");
    }
    features.addresses.push_back({static_cast<Base>(base), index, static_cast<Hop>(first), static_cast<Hop>(second)});
  }
  const auto addresses = static_cast<std::int32_t>(features.addresses.size());
  for (const auto& [address, attribute, argument] : std::get<1>(given)) {
    if (address < 0 || address >= addresses || attribute < 0 || attribute >= kAttributes || argument < 0) {
      throw std::invalid_argument("an attribute that there is not");
    }
    const bool pair = attribute >= static_cast<int>(Attribute::kDistance);
    if (pair && argument >= addresses) throw std::invalid_argument("an address that there is not");
    features.atoms.push_back({address, static_cast<Attribute>(attribute), argument});
  }
  for (const std::vector<std::int32_t>& members : std::get<2>(given)) {
    for (const std::int32_t member : members) {
      if (member < 0 || member >= static_cast<std::int32_t>(features.atoms.size())) {
        throw std::invalid_argument("a template of an attribute that there is not");
      }
    }
    features.templates.push_back(members);
  }
  return features;
}

// The values of a sentence's nodes: those of its words, and a row of 2 for the artificial root.
class SentenceValues {
 public:
  WordValues load(const ValueTable& table, std::int64_t first, std::int64_t last, Root root) {
    const std::size_t columns = table.shape(1);
    values_.clear();
    if (root == Root::kFirst) values_.resize(columns, 2);
    values_.insert(values_.end(), table.data() + static_cast<std::size_t>(first) * columns,
                   table.data() + static_cast<std::size_t>(last) * columns);
    if (root == Root::kLast) values_.resize(values_.size() + columns, 2);
    return {values_.data(), columns};
  }

 private:
  std::vector<std::uint32_t> values_;
};

void check_columns(const FeatureSet& features, std::size_t columns) {
  for (const Atom& atom : features.atoms) {
    if (atom.attribute == Attribute::kColumn && static_cast<std::size_t>(atom.argument) >= columns) {
      throw std::invalid_argument("a column that there is not");
    }
  }
}

// A trained parser.
struct GreedyModel {
  std::shared_ptr<Program> program;
  ParserDefinition definition;
  LinearModel transitions;
  LinearModel labels;
};

class GreedyLearner {
 public:
  GreedyLearner(std::shared_ptr<Program> program, const std::string& root, const FeatureTuple& transition_features,
                const FeatureTuple& label_features, std::int32_t labels, int rule,
                const std::vector<std::int32_t>& roles, int reach, const std::vector<bool>& guarantees,
                std::uint64_t seed)
      : program_(std::move(program)) {
    if (labels < 1 || rule < 0 || rule >= kRules || roles.size() != 7 || guarantees.size() != 4 || reach < 0 ||
        reach > static_cast<int>(Reach::kCovington) || program_->positional()) {
      throw std::invalid_argument("the options of a learner are not those");
    }
    definition_ = {program_.get(), to_root(root), to_features(transition_features), to_features(label_features),
                   static_cast<std::size_t>(labels)};
    TrainerOptions options;
    options.oracle.rule = static_cast<Rule>(rule);
    options.oracle.roles = {roles[0], roles[1], roles[2], roles[3], roles[4], roles[5], roles[6]};
    options.oracle.guarantees = {guarantees[0], guarantees[1], guarantees[2]};
    options.oracle.projective = guarantees[3];
    options.reach = static_cast<Reach>(reach);
    trainer_ = std::make_unique<GreedyTrainer>(definition_, options, seed);
  }

  std::int64_t learn(const Ids& order, const ValueTable& values, const Offsets& word_offsets, const Ids& heads,
                     const Ids& labels, unsigned explore) {
    check_offsets(to_span(word_offsets), values.shape(0));
    check_columns(definition_.transition_features, values.shape(1));
    check_columns(definition_.label_features, values.shape(1));
    if (heads.shape(0) != values.shape(0) || labels.shape(0) != values.shape(0)) {
      throw std::invalid_argument("as many heads and labels as words are needed");
    }
    const nb::gil_scoped_release release;
    const std::int64_t before = trainer_->mistakes();
    SentenceValues own;
    std::vector<GoldArc> gold;
    for (const std::int32_t sentence : to_span(order)) {
      if (sentence < 0 || static_cast<std::size_t>(sentence) + 1 >= word_offsets.shape(0)) {
        throw std::invalid_argument("a sentence that there is not");
      }
      const std::int64_t first = to_span(word_offsets)[static_cast<std::size_t>(sentence)];
      const std::int64_t last = to_span(word_offsets)[static_cast<std::size_t>(sentence) + 1];
      const auto words = static_cast<std::int32_t>(last - first);
      gold.clear();
      for (std::int32_t word = 1; word <= words; ++word) {
        const std::int32_t head = to_span(heads)[static_cast<std::size_t>(first + word - 1)];
        const std::int32_t label = to_span(labels)[static_cast<std::size_t>(first + word - 1)];
        if (head < 0 || head > words || head == word || label >= static_cast<std::int32_t>(definition_.labels)) {
          throw std::invalid_argument("heads or labels out of range");
        }
        if (head == 0 && definition_.root == Root::kNone) continue;
        gold.push_back({Configuration::position_of(head, words, definition_.root),
                        Configuration::position_of(word, words, definition_.root), label});
      }
      trainer_->learn(words, own.load(values, first, last, definition_.root), gold, explore);
    }
    return trainer_->mistakes() - before;
  }

  // The model of this learner and of others that were made alike and learnt in another order.
  std::shared_ptr<GreedyModel> average(const std::vector<const GreedyLearner*>& others,
                                       std::int32_t least_updates) const {
    std::vector<const Perceptron*> transitions{&trainer_->transitions()};
    std::vector<const Perceptron*> labels{&trainer_->labels()};
    for (const GreedyLearner* other : others) {
      if (other->definition_.labels != definition_.labels ||
          other->definition_.program->size() != definition_.program->size()) {
        throw std::invalid_argument("the learners have different classes");
      }
      transitions.push_back(&other->trainer_->transitions());
      labels.push_back(&other->trainer_->labels());
    }
    auto model = std::make_shared<GreedyModel>();
    model->program = program_;
    model->definition = definition_;
    const nb::gil_scoped_release release;
    model->transitions = Perceptron::average(transitions, least_updates);
    model->labels = Perceptron::average(labels, least_updates);
    return model;
  }

  GreedyTrainer::Memory remember() const { return trainer_->remember(); }
  void restore(const GreedyTrainer::Memory& memory) { trainer_->restore(memory); }

  std::pair<std::size_t, std::size_t> features() const {
    return {trainer_->transitions().features(), trainer_->labels().features()};
  }

 private:
  std::shared_ptr<Program> program_;
  ParserDefinition definition_;
  std::unique_ptr<GreedyTrainer> trainer_;
};

// The features of a model, ascending, and their weights side by side.
std::pair<NumpyArray<std::uint64_t>, NumpyArray<std::int16_t>> export_weights(const LinearModel& model) {
  std::vector<std::uint64_t> features = model.features();
  std::vector<std::int16_t> weights;
  weights.reserve(features.size() * model.classes());
  for (const std::uint64_t feature : features) {
    const std::int16_t* row = model.weights(feature);
    weights.insert(weights.end(), row, row + model.classes());
  }
  return {to_numpy(std::move(features)), to_numpy(std::move(weights))};
}

LinearModel import_weights(std::size_t classes, const InputArray<std::uint64_t>& features,
                           const InputArray<std::int16_t>& weights) {
  if (weights.shape(0) != features.shape(0) * classes) throw std::invalid_argument("features and weights do not fit");
  LinearModel model(classes, features.shape(0));
  for (std::size_t row = 0; row < features.shape(0); ++row) {
    std::copy_n(to_span(weights).data() + row * classes, classes, model.insert(to_span(features)[row]));
  }
  return model;
}

std::shared_ptr<GreedyModel> make_model(std::shared_ptr<Program> program, const std::string& root,
                                        const FeatureTuple& transition_features, const FeatureTuple& label_features,
                                        std::int32_t labels, const InputArray<std::uint64_t>& transition_hashes,
                                        const InputArray<std::int16_t>& transition_weights,
                                        const InputArray<std::uint64_t>& label_hashes,
                                        const InputArray<std::int16_t>& label_weights) {
  if (labels < 1) throw std::invalid_argument("a parser has labels");
  auto model = std::make_shared<GreedyModel>();
  model->program = std::move(program);
  model->definition = {model->program.get(), to_root(root), to_features(transition_features),
                       to_features(label_features), static_cast<std::size_t>(labels)};
  model->transitions = import_weights(model->program->size(), transition_hashes, transition_weights);
  model->labels = import_weights(static_cast<std::size_t>(labels), label_hashes, label_weights);
  return model;
}

using MemoryTuple = std::tuple<std::int64_t, NumpyArray<std::uint64_t>, NumpyArray<std::int32_t>,
                               NumpyArray<std::int32_t>, NumpyArray<std::int64_t>>;

MemoryTuple to_python(Perceptron::Memory&& memory) {
  return {memory.step, to_numpy(std::move(memory.hashes)), to_numpy(std::move(memory.updates)),
          to_numpy(std::move(memory.weights)), to_numpy(std::move(memory.weighted))};
}

using MemoryArguments = std::tuple<std::int64_t, InputArray<std::uint64_t>, Ids, Ids, Offsets>;

Perceptron::Memory to_memory(const MemoryArguments& given) {
  const auto& [step, hashes, updates, weights, weighted] = given;
  const auto copy = [](const auto& array) {
    const auto span = to_span(array);
    return std::vector(span.begin(), span.end());
  };
  return {step, copy(hashes), copy(updates), copy(weights), copy(weighted)};
}

// The arcs of all sentences one after the other, as numbers of words; of a link without direction, the left word first.
struct ParsedArcs {
  std::vector<std::int32_t> heads, dependents, labels;
  std::vector<std::int64_t> offsets{0};
};

ParsedArcs parse_all(const GreedyModel& model, const ValueTable& values, std::span<const std::int64_t> word_offsets,
                     int threads) {
  constexpr std::size_t kChunk = 32;
  const std::size_t sentences = word_offsets.size() - 1;
  std::vector<std::vector<BuiltArc>> arcs(sentences);
  parallel_for((sentences + kChunk - 1) / kChunk, thread_count(threads), [&](std::size_t chunk) {
    GreedyEngine engine(model.definition);
    SentenceValues own;
    ParseState state;
    for (std::size_t sentence = chunk * kChunk; sentence < std::min(sentences, (chunk + 1) * kChunk); ++sentence) {
      const std::int64_t first = word_offsets[sentence];
      const std::int64_t last = word_offsets[sentence + 1];
      parse_greedily(engine, static_cast<std::int32_t>(last - first),
                     own.load(values, first, last, model.definition.root), model.transitions, model.labels, state);
      for (BuiltArc arc : state.configuration.links()) {
        arc.head = state.configuration.word_at(arc.head);
        arc.dependent = state.configuration.word_at(arc.dependent);
        if (model.program->undirected() && arc.head > arc.dependent) std::swap(arc.head, arc.dependent);
        arcs[sentence].push_back(arc);
      }
    }
  });
  ParsedArcs out;
  for (const std::vector<BuiltArc>& own : arcs) {
    for (const BuiltArc& arc : own) {
      out.heads.push_back(arc.head);
      out.dependents.push_back(arc.dependent);
      out.labels.push_back(arc.label);
    }
    out.offsets.push_back(static_cast<std::int64_t>(out.heads.size()));
  }
  return out;
}

ParsedArcs checked_parse(const GreedyModel& model, const ValueTable& values, const Offsets& word_offsets, int threads) {
  check_offsets(to_span(word_offsets), values.shape(0));
  check_columns(model.definition.transition_features, values.shape(1));
  check_columns(model.definition.label_features, values.shape(1));
  const nb::gil_scoped_release release;
  return parse_all(model, values, to_span(word_offsets), threads);
}

// Heads as numbers of words, -1 for none, and labels; of several heads the last.
std::pair<NumpyArray<std::int32_t>, NumpyArray<std::int32_t>> parse(const GreedyModel& model, const ValueTable& values,
                                                                    const Offsets& word_offsets, int threads) {
  const ParsedArcs parsed = checked_parse(model, values, word_offsets, threads);
  std::vector<std::int32_t> heads(values.shape(0), -1);
  std::vector<std::int32_t> labels(values.shape(0), -1);
  for (std::size_t sentence = 0; sentence + 1 < parsed.offsets.size(); ++sentence) {
    for (auto arc = static_cast<std::size_t>(parsed.offsets[sentence]);
         arc < static_cast<std::size_t>(parsed.offsets[sentence + 1]); ++arc) {
      const auto place = static_cast<std::size_t>(to_span(word_offsets)[sentence] + parsed.dependents[arc] - 1);
      heads[place] = parsed.heads[arc];
      labels[place] = parsed.labels[arc];
    }
  }
  return {to_numpy(std::move(heads)), to_numpy(std::move(labels))};
}

// All arcs or links: heads (or left words), dependents (or right words), labels, and where each sentence's begin.
std::tuple<NumpyArray<std::int32_t>, NumpyArray<std::int32_t>, NumpyArray<std::int32_t>, NumpyArray<std::int64_t>>
parse_arcs(const GreedyModel& model, const ValueTable& values, const Offsets& word_offsets, int threads) {
  ParsedArcs parsed = checked_parse(model, values, word_offsets, threads);
  return {to_numpy(std::move(parsed.heads)), to_numpy(std::move(parsed.dependents)), to_numpy(std::move(parsed.labels)),
          to_numpy(std::move(parsed.offsets))};
}

}  // namespace

void bind_parsers(nb::module_& module) {
  nb::class_<GreedyModel>(module, "GreedyModel")
      .def("parse", &parse, nb::arg("values"), nb::arg("word_offsets"), nb::arg("threads"))
      .def("parse_arcs", &parse_arcs, nb::arg("values"), nb::arg("word_offsets"), nb::arg("threads"))
      .def("transition_weights", [](const GreedyModel& model) { return export_weights(model.transitions); })
      .def("label_weights", [](const GreedyModel& model) { return export_weights(model.labels); })
      .def("memory", [](const GreedyModel& model) { return model.transitions.memory() + model.labels.memory(); });
  module.def("make_greedy_model", &make_model, nb::arg("program"), nb::arg("root"), nb::arg("transition_features"),
             nb::arg("label_features"), nb::arg("labels"), nb::arg("transition_hashes"), nb::arg("transition_weights"),
             nb::arg("label_hashes"), nb::arg("label_weights"));
  nb::class_<GreedyLearner>(module, "GreedyLearner")
      .def(
          nb::init<std::shared_ptr<Program>, const std::string&, const FeatureTuple&, const FeatureTuple&, std::int32_t,
                   int, const std::vector<std::int32_t>&, int, const std::vector<bool>&, std::uint64_t>(),
          nb::arg("program"), nb::arg("root"), nb::arg("transition_features"), nb::arg("label_features"),
          nb::arg("labels"), nb::arg("rule"), nb::arg("roles"), nb::arg("reach"), nb::arg("guarantees"),
          nb::arg("seed"))
      .def("learn", &GreedyLearner::learn, nb::arg("order"), nb::arg("values"), nb::arg("word_offsets"),
           nb::arg("heads"), nb::arg("labels"), nb::arg("explore"))
      .def("average", &GreedyLearner::average, nb::arg("others"), nb::arg("least_updates"))
      .def("features", &GreedyLearner::features)
      .def("remember",
           [](const GreedyLearner& learner) {
             GreedyTrainer::Memory memory = learner.remember();
             return std::tuple(to_python(std::move(memory.transitions)), to_python(std::move(memory.labels)),
                               memory.random);
           })
      .def(
          "restore",
          [](GreedyLearner& learner, const MemoryArguments& transitions, const MemoryArguments& labels,
             std::uint64_t random) { learner.restore({to_memory(transitions), to_memory(labels), random}); },
          nb::arg("transitions"), nb::arg("labels"), nb::arg("random"));
}

}  // namespace crossarc
