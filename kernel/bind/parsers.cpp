#include "bind/parsers.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/features.hpp"
#include "bind/roots.hpp"
#include "core/threads.hpp"
#include "linear/packing.hpp"
#include "parsers/perceptron_beam_trainer.hpp"
#include "parsers/perceptron_easy_first.hpp"
#include "search/greedy.hpp"
#include "treebank/writer.hpp"

namespace nb = nanobind;

namespace crossarc {
namespace {

bool are_classes(std::int32_t count) {
  return count >= 1 && static_cast<std::size_t>(count) <= LinearModel::kMostClasses;
}

class PerceptronLearner {
 public:
  PerceptronLearner(std::shared_ptr<Program> program, const std::string& root, const FeatureTuple& transition_features,
                    const FeatureTuple& label_features, std::int32_t labels, int rule,
                    const std::vector<std::int32_t>& roles, int reach, const std::vector<bool>& guarantees,
                    std::uint64_t seed)
      : program_(std::move(program)) {
    check_system(*program_);
    if (!are_classes(labels)) throw std::invalid_argument("the options of a learner are not those");
    definition_ = {program_.get(), to_root(root), to_features(transition_features), to_features(label_features),
                   static_cast<std::size_t>(labels)};
    options_ = to_training_oracle(rule, roles, reach, guarantees, false);
    trainer_ = std::make_unique<GreedyTrainer>(definition_, options_, seed);
  }

  std::int64_t learn(const Ids& order, const ValueTable& values, const Offsets& word_offsets,
                     const Offsets& arc_offsets, const Ids& heads, const Ids& dependents, const Ids& labels,
                     unsigned explore, std::int32_t beam, bool early) {
    if (beam != 1) check_beam(*program_, beam, 1);
    check_offsets(to_span(word_offsets), values.shape(0));
    check_columns(definition_.transition_features, values.shape(1));
    check_columns(definition_.label_features, values.shape(1));
    const GoldTable table =
        to_gold(word_offsets, arc_offsets, heads, dependents, labels, static_cast<std::int32_t>(definition_.labels));
    const nb::gil_scoped_release release;
    const std::int64_t before = trainer_->mistakes();
    std::unique_ptr<EasyFirstTrainer> easy_first;
    if (program_->positional()) {
      easy_first = std::make_unique<EasyFirstTrainer>(definition_, trainer_->transitions(), trainer_->labels(),
                                                      trainer_->random());
    }
    std::unique_ptr<BeamTrainer> searching;
    if (beam > 1) {
      searching = std::make_unique<BeamTrainer>(definition_, options_, static_cast<std::size_t>(beam),
                                                early ? BeamUpdate::kEarly : BeamUpdate::kMaxViolation,
                                                trainer_->transitions(), trainer_->labels());
    }
    SentenceValues own;
    std::vector<GoldArc> gold;
    for (const std::int32_t sentence : to_span(order)) {
      if (sentence < 0 || static_cast<std::size_t>(sentence) + 1 >= word_offsets.shape(0)) {
        throw std::invalid_argument("a sentence that there is not");
      }
      const std::int64_t first = to_span(word_offsets)[static_cast<std::size_t>(sentence)];
      const std::int64_t last = to_span(word_offsets)[static_cast<std::size_t>(sentence) + 1];
      const auto words = static_cast<std::int32_t>(last - first);
      table.load(static_cast<std::size_t>(sentence), words, definition_.root, gold);
      const WordValues given = own.load(values, first, last, definition_.root);
      if (easy_first) {
        easy_first->learn(words, given, gold, explore);
      } else if (searching) {
        searching->learn(words, given, gold);
      } else {
        trainer_->learn(words, given, gold, explore);
      }
    }
    if (easy_first) return easy_first->mistakes();
    return searching ? searching->mistakes() : trainer_->mistakes() - before;
  }

  // The model of this learner and of others that were made alike and learnt in another order.
  std::shared_ptr<PerceptronModel> average(const std::vector<const PerceptronLearner*>& others,
                                           std::int32_t least_updates) const {
    std::vector<const Perceptron*> transitions{&trainer_->transitions()};
    std::vector<const Perceptron*> labels{&trainer_->labels()};
    for (const PerceptronLearner* other : others) {
      if (other->definition_.labels != definition_.labels ||
          other->definition_.program->size() != definition_.program->size()) {
        throw std::invalid_argument("the learners have different classes");
      }
      transitions.push_back(&other->trainer_->transitions());
      labels.push_back(&other->trainer_->labels());
    }
    auto model = std::make_shared<PerceptronModel>();
    model->program = program_;
    model->definition = definition_;
    const nb::gil_scoped_release release;
    model->transitions =
        Perceptron::average(transitions, least_updates, definition_.transition_features.templates.size());
    model->labels = Perceptron::average(labels, least_updates, definition_.label_features.templates.size());
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
  TrainingOracleOptions options_;
  std::unique_ptr<GreedyTrainer> trainer_;
};

using RowsTuple = std::tuple<NumpyArray<std::uint8_t>, NumpyArray<std::uint16_t>, NumpyArray<std::uint16_t>,
                             NumpyArray<std::int16_t>>;
using RowsArguments = std::tuple<InputArray<std::uint8_t>, InputArray<std::uint16_t>, InputArray<std::uint16_t>,
                                 InputArray<std::int16_t>>;

// The features of a model as packed differences, how many weights each has, their classes, and the weights.
RowsTuple export_rows(const LinearModel& model) {
  const LinearModel::Rows rows = model.rows();
  std::vector<std::uint16_t> classes;
  std::vector<std::int16_t> weights;
  for (const ClassWeight& known : rows.weights) {
    classes.push_back(known.one);
    weights.push_back(known.weight);
  }
  return {to_numpy(pack_ascending(rows.features)), to_numpy(std::vector(rows.counts)), to_numpy(std::move(classes)),
          to_numpy(std::move(weights))};
}

LinearModel import_rows(std::size_t classes, const FeatureSet& set, const RowsArguments& given) {
  const auto& [packed, counts, numbers, weights] = given;
  const std::vector<std::uint64_t> features = unpack_ascending(to_span(packed));
  if (features.size() != counts.shape(0) || numbers.shape(0) != weights.shape(0)) {
    throw std::invalid_argument("features and weights do not fit");
  }
  std::vector<std::uint32_t> of_template(set.templates.size(), 0);
  for (const std::uint64_t feature : features) {
    if (feature >> 32 >= of_template.size() || (feature & 0xFFFFFFFF) == 0) {
      throw std::invalid_argument("a feature of a template that there is not");
    }
    ++of_template[feature >> 32];
  }
  LinearModel model(classes, of_template);
  std::vector<ClassWeight> row;
  std::size_t place = 0;
  for (std::size_t feature = 0; feature < features.size(); ++feature) {
    row.clear();
    for (std::uint16_t count = 0; count < to_span(counts)[feature] && place < numbers.shape(0); ++count, ++place) {
      row.push_back({to_span(numbers)[place], to_span(weights)[place]});
      if (row.back().weight == 0 || row.back().one >= classes || (count > 0 && row[count - 1U].one >= row[count].one)) {
        throw std::invalid_argument("the classes of a feature do not ascend");
      }
    }
    if (row.empty() || row.size() != to_span(counts)[feature]) {
      throw std::invalid_argument("features and weights do not fit");
    }
    model.append(features[feature], row);
  }
  if (place != numbers.shape(0)) throw std::invalid_argument("features and weights do not fit");
  return model;
}

std::shared_ptr<PerceptronModel> make_model(std::shared_ptr<Program> program, const std::string& root,
                                            const FeatureTuple& transition_features, const FeatureTuple& label_features,
                                            std::int32_t labels, const RowsArguments& transition_rows,
                                            const RowsArguments& label_rows) {
  check_system(*program);
  if (!are_classes(labels)) throw std::invalid_argument("a parser has labels, but not that many");
  auto model = std::make_shared<PerceptronModel>();
  model->program = std::move(program);
  model->definition = {model->program.get(), to_root(root), to_features(transition_features),
                       to_features(label_features), static_cast<std::size_t>(labels)};
  model->transitions = import_rows(model->program->size(), model->definition.transition_features, transition_rows);
  model->labels = import_rows(static_cast<std::size_t>(labels), model->definition.label_features, label_rows);
  return model;
}

using MemoryTuple =
    std::tuple<std::int64_t, NumpyArray<std::uint64_t>, NumpyArray<std::int32_t>, NumpyArray<std::uint16_t>,
               NumpyArray<std::uint16_t>, NumpyArray<std::int32_t>, NumpyArray<std::int64_t>>;

MemoryTuple to_python(Perceptron::Memory&& memory) {
  return {memory.step,
          to_numpy(std::move(memory.features)),
          to_numpy(std::move(memory.updates)),
          to_numpy(std::move(memory.counts)),
          to_numpy(std::move(memory.classes)),
          to_numpy(std::move(memory.weights)),
          to_numpy(std::move(memory.weighted))};
}

using MemoryArguments = std::tuple<std::int64_t, InputArray<std::uint64_t>, Ids, InputArray<std::uint16_t>,
                                   InputArray<std::uint16_t>, Ids, Offsets>;

Perceptron::Memory to_memory(const MemoryArguments& given) {
  const auto& [step, features, updates, counts, classes, weights, weighted] = given;
  const auto copy = [](const auto& array) {
    const auto span = to_span(array);
    return std::vector(span.begin(), span.end());
  };
  return {step, copy(features), copy(updates), copy(counts), copy(classes), copy(weights), copy(weighted)};
}

// The arcs of all sentences one after the other, as numbers of words; of a link without direction, the left word first.
struct ParsedArcs {
  std::vector<std::int32_t> heads, dependents, labels;
  std::vector<std::int64_t> offsets{0};
};

// Parses one sentence after the other in the way of its system.
class LinearParser {
 public:
  explicit LinearParser(const PerceptronModel& model) : model_(&model), engine_(model.definition) {
    if (!model.program->positional()) return;
    scorer_.emplace(model.definition, model.transitions, model.labels);
    easy_first_.emplace(model.definition);
  }

  const Configuration& parse(std::int32_t words, const WordValues& values) {
    if (easy_first_) {
      scorer_->start(values);
      parse_easy_first(words, *scorer_, *easy_first_);
      return easy_first_->pending().state().configuration;
    }
    parse_greedily(engine_, words, values, model_->transitions, model_->labels, state_);
    return state_.configuration;
  }

 private:
  const PerceptronModel* model_;
  GreedyEngine engine_;
  ParseState state_;
  std::optional<LinearScorer<LinearModel>> scorer_;
  std::optional<EasyFirst<std::int32_t>> easy_first_;
};

ParsedArcs parse_all(const PerceptronModel& model, const ValueTable& values, std::span<const std::int64_t> word_offsets,
                     int threads) {
  constexpr std::size_t kChunk = 32;
  const std::size_t sentences = word_offsets.size() - 1;
  std::vector<std::vector<BuiltArc>> arcs(sentences);
  parallel_for((sentences + kChunk - 1) / kChunk, thread_count(threads), [&](std::size_t chunk) {
    LinearParser parser(model);
    SentenceValues own;
    for (std::size_t sentence = chunk * kChunk; sentence < std::min(sentences, (chunk + 1) * kChunk); ++sentence) {
      const std::int64_t first = word_offsets[sentence];
      const std::int64_t last = word_offsets[sentence + 1];
      const Configuration& built =
          parser.parse(static_cast<std::int32_t>(last - first), own.load(values, first, last, model.definition.root));
      for (BuiltArc arc : built.links()) {
        arc.head = built.word_at(arc.head);
        arc.dependent = built.word_at(arc.dependent);
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

ParsedArcs checked_parse(const PerceptronModel& model, const ValueTable& values, const Offsets& word_offsets,
                         int threads) {
  check_offsets(to_span(word_offsets), values.shape(0));
  check_columns(model.definition.transition_features, values.shape(1));
  check_columns(model.definition.label_features, values.shape(1));
  const nb::gil_scoped_release release;
  return parse_all(model, values, to_span(word_offsets), threads);
}

// Heads as numbers of words, -1 for none, and labels; of several heads the last.
std::pair<NumpyArray<std::int32_t>, NumpyArray<std::int32_t>> parse(const PerceptronModel& model,
                                                                    const ValueTable& values,
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
parse_arcs(const PerceptronModel& model, const ValueTable& values, const Offsets& word_offsets, int threads) {
  ParsedArcs parsed = checked_parse(model, values, word_offsets, threads);
  return {to_numpy(std::move(parsed.heads)), to_numpy(std::move(parsed.dependents)), to_numpy(std::move(parsed.labels)),
          to_numpy(std::move(parsed.offsets))};
}

}  // namespace

void bind_parsers(nb::module_& module) {
  nb::class_<PerceptronModel>(module, "PerceptronModel")
      .def("parse", &parse, nb::arg("values"), nb::arg("word_offsets"), nb::arg("threads"))
      .def("parse_arcs", &parse_arcs, nb::arg("values"), nb::arg("word_offsets"), nb::arg("threads"))
      .def("transition_rows", [](const PerceptronModel& model) { return export_rows(model.transitions); })
      .def("label_rows", [](const PerceptronModel& model) { return export_rows(model.labels); })
      .def("memory", [](const PerceptronModel& model) { return model.transitions.memory() + model.labels.memory(); });
  module.def("make_greedy_model", &make_model, nb::arg("program"), nb::arg("root"), nb::arg("transition_features"),
             nb::arg("label_features"), nb::arg("labels"), nb::arg("transition_rows"), nb::arg("label_rows"));
  module.def(
      "pack_ascending",
      [](const InputArray<std::uint64_t>& numbers) { return to_numpy(pack_ascending(to_span(numbers))); },
      nb::arg("numbers"));
  module.def(
      "unpack_ascending",
      [](const InputArray<std::uint8_t>& bytes) { return to_numpy(unpack_ascending(to_span(bytes))); },
      nb::arg("bytes"));
  nb::class_<PerceptronLearner>(module, "PerceptronLearner")
      .def(
          nb::init<std::shared_ptr<Program>, const std::string&, const FeatureTuple&, const FeatureTuple&, std::int32_t,
                   int, const std::vector<std::int32_t>&, int, const std::vector<bool>&, std::uint64_t>(),
          nb::arg("program"), nb::arg("root"), nb::arg("transition_features"), nb::arg("label_features"),
          nb::arg("labels"), nb::arg("rule"), nb::arg("roles"), nb::arg("reach"), nb::arg("guarantees"),
          nb::arg("seed"))
      .def("learn", &PerceptronLearner::learn, nb::arg("order"), nb::arg("values"), nb::arg("word_offsets"),
           nb::arg("arc_offsets"), nb::arg("heads"), nb::arg("dependents"), nb::arg("labels"), nb::arg("explore"),
           nb::arg("beam"), nb::arg("early"))
      .def("average", &PerceptronLearner::average, nb::arg("others"), nb::arg("least_updates"))
      .def("features", &PerceptronLearner::features)
      .def("remember",
           [](const PerceptronLearner& learner) {
             GreedyTrainer::Memory memory = learner.remember();
             return std::tuple(to_python(std::move(memory.transitions)), to_python(std::move(memory.labels)),
                               memory.random);
           })
      .def(
          "restore",
          [](PerceptronLearner& learner, const MemoryArguments& transitions, const MemoryArguments& labels,
             std::uint64_t random) { learner.restore({to_memory(transitions), to_memory(labels), random}); },
          nb::arg("transitions"), nb::arg("labels"), nb::arg("random"));
}

}  // namespace crossarc
