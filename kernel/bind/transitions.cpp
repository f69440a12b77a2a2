#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/parsers.hpp"
#include "core/arrays.hpp"
#include "core/threads.hpp"
#include "transitions/machine/batch.hpp"
#include "transitions/machine/enumeration.hpp"
#include "transitions/oracles/training_oracle.hpp"

namespace nb = nanobind;

namespace crossarc {
namespace {

using Ids = InputArray<std::int32_t>;
using Offsets = InputArray<std::int64_t>;
constexpr std::int32_t kWidest = 1 << 16;  // beam of an oracle
using NamedArrays = nb::typed<nb::dict, nb::str, nb::any>;
// Operation, depth, repeats = constant + times · position, and the guard as (must, must not).
using StepTuple = std::tuple<int, std::int32_t, std::int32_t, std::int32_t, std::vector<std::pair<int, int>>>;

std::shared_ptr<Program> make_program(std::int32_t stacks, const std::vector<std::vector<StepTuple>>& transitions,
                                      std::int32_t labels) {
  std::vector<Transition> compiled;
  for (const std::vector<StepTuple>& steps : transitions) {
    Transition& transition = compiled.emplace_back();
    for (const auto& [operation, depth, constant, times, guard] : steps) {
      if (operation < 0 || operation >= kOperations) throw std::invalid_argument("an unknown elementary transition");
      Step& step = transition.steps.emplace_back();
      step = {static_cast<Operation>(operation), depth, constant, times, {}};
      for (const auto& [must, must_not] : guard) {
        if (must < 0 || must >= 1 << kFacts || must_not < 0 || must_not >= 1 << kFacts) {
          throw std::invalid_argument("an unknown fact in a guard");
        }
        step.guard.push_back({static_cast<std::uint16_t>(must), static_cast<std::uint16_t>(must_not)});
      }
    }
  }
  return std::make_shared<Program>(stacks, std::move(compiled), labels);
}

// Numbers of actions are 32 bits wide.
void check_words(const Program& program, std::span<const std::int32_t> words) {
  constexpr std::int32_t kMostWords = 1 << 24;
  const auto most = std::min<std::size_t>(kMostWords, std::numeric_limits<std::int32_t>::max() / (2 * program.size()));
  for (const std::int32_t count : words) {
    if (count < 0) throw std::invalid_argument("the number of words of a sentence is negative");
    if (static_cast<std::size_t>(count) > most) throw std::invalid_argument("a sentence has too many words");
  }
}

// A batch and the program it runs, which must live as long.
struct Machine {
  std::shared_ptr<Program> program;
  ConfigurationBatch batch;
};

Machine make_machine(std::shared_ptr<Program> program, const Ids& words, const std::string& root) {
  check_words(*program, to_span(words));
  ConfigurationBatch batch(*program, to_span(words), to_root(root));
  return {std::move(program), std::move(batch)};
}

std::int32_t checked_action_count(const Program& program, std::int32_t nodes) {
  check_words(program, {&nodes, 1});
  return program.action_count(nodes);
}

std::pair<std::int32_t, std::int32_t> checked_transition_of(const Program& program, std::int32_t action) {
  if (action < 0 || (!program.positional() && action >= static_cast<std::int32_t>(program.size()))) {
    throw std::invalid_argument("an unknown action");
  }
  return program.transition_of(action);
}

std::int32_t checked_action_of(const Program& program, std::int32_t transition, std::int32_t position) {
  check_words(program, {&position, 1});
  if (transition < 0 || transition >= static_cast<std::int32_t>(program.size()) ||
      (program[static_cast<std::size_t>(transition)].positional && position < 1)) {
    throw std::invalid_argument("an unknown transition, or one that needs a position");
  }
  return program.action_of(transition, position);
}

const Configuration& checked_sentence(const Machine& machine, std::size_t sentence) {
  if (sentence >= machine.batch.size()) throw std::out_of_range("no such sentence in the batch");
  return machine.batch[sentence];
}

NumpyArray<std::uint8_t> legal_actions(Machine& machine) {
  std::vector<std::uint8_t> legal(machine.batch.size() * static_cast<std::size_t>(machine.batch.actions()));
  {
    const WithoutPython work;
    machine.batch.write_legal(legal);
  }
  return to_numpy(std::move(legal));
}

std::int64_t apply_actions(Machine& machine, const Ids& actions, const Ids& labels) {
  if (actions.shape(0) != machine.batch.size() || labels.shape(0) != machine.batch.size()) {
    throw std::invalid_argument("one action and one label for each sentence are needed");
  }
  for (const std::int32_t action : to_span(actions)) {
    if (action < kNoAction || action >= machine.batch.actions()) throw std::invalid_argument("an unknown action");
  }
  for (const std::int32_t label : to_span(labels)) {
    if (label < kNoLabel || label >= std::max(1, machine.program->labels())) {
      throw std::invalid_argument("an unknown label");
    }
  }
  const nb::gil_scoped_release release;  // a step is taken by all sentences or by none
  return machine.batch.apply(to_span(actions), to_span(labels));
}

std::vector<std::int32_t> words_of(const Configuration& configuration, std::span<const std::int32_t> nodes) {
  std::vector<std::int32_t> words;
  for (const std::int32_t node : nodes) words.push_back(configuration.word_at(node));
  return words;
}

// Everything there is to see of a configuration, in numbers of words.
NamedArrays describe(const Machine& machine, std::size_t sentence) {
  const Configuration& configuration = checked_sentence(machine, sentence);
  NamedArrays out;
  std::vector<std::vector<std::int32_t>> stacks;
  for (std::int32_t number = 0; number < machine.program->stacks(); ++number) {
    stacks.push_back(words_of(configuration, configuration.stack(number)));
  }
  out["stacks"] = stacks;
  out["active"] = configuration.active();
  out["aside"] = words_of(configuration, configuration.aside());
  std::vector<std::int32_t> buffer = words_of(configuration, configuration.reversed_buffer());
  out["buffer"] = std::vector<std::int32_t>(buffer.rbegin(), buffer.rend());
  std::vector<std::tuple<std::int32_t, std::int32_t, std::int32_t>> arcs;
  for (const BuiltArc& link : configuration.links()) {
    arcs.emplace_back(configuration.word_at(link.head), configuration.word_at(link.dependent), link.label);
  }
  out["arcs"] = arcs;
  out["words"] = configuration.words();
  return out;
}

// What stands at addresses, in numbers of words or kNoNode, and the values of atoms that speak of arcs and distances.
std::pair<std::vector<std::int32_t>, std::vector<std::uint32_t>> look(const Machine& machine, std::size_t sentence,
                                                                      const FeatureTuple& views) {
  const Configuration& configuration = checked_sentence(machine, sentence);
  const FeatureSet features = to_features(views);
  for (const Atom& atom : features.atoms) {
    if (is_column(atom.attribute)) throw std::invalid_argument("a configuration has no columns of words");
  }
  ArcTable arcs;
  arcs.start(configuration.nodes(), machine.program->undirected());
  for (const BuiltArc& link : configuration.links()) arcs.add(link);
  FeatureExtractor extractor(features);
  std::vector<std::uint64_t> unused;
  extractor.extract(view_of(configuration), arcs, {}, 0, unused);
  std::vector<std::int32_t> words;
  for (const FeatureExtractor::Place& place : extractor.places()) {
    words.push_back(place.node == kNoNode ? kNoNode : configuration.word_at(place.node));
  }
  return {words, {extractor.values().begin(), extractor.values().end()}};
}

NamedArrays enumerate_small(const std::shared_ptr<Program>& program, std::int32_t words, const std::string& root,
                            std::int64_t limit) {
  Enumeration found;
  {
    const WithoutPython work;
    found = enumerate_graphs(*program, words, to_root(root), limit);
  }
  NamedArrays out;
  out["graphs"] = to_numpy(std::move(found.graphs));
  out["configurations"] = found.configurations;
  out["stuck"] = found.stuck;
  out["looping"] = found.looping;
  out["exhausted"] = found.exhausted;
  return out;
}

// The gold arcs from `begin` to `end`, given as numbers of words, in positions. Without labels if `labels` is empty.
std::vector<GoldArc> checked_arcs(const Ids& heads, const Ids& dependents, std::span<const std::int32_t> labels,
                                  std::size_t begin, std::size_t end, std::int32_t words, Root root) {
  const std::int32_t lowest = root == Root::kNone ? 1 : 0;
  std::vector<GoldArc> arcs;
  arcs.reserve(end - begin);
  for (std::size_t arc = begin; arc < end; ++arc) {
    const std::int32_t head = to_span(heads)[arc];
    const std::int32_t dependent = to_span(dependents)[arc];
    if (head < lowest || head > words || dependent < 1 || dependent > words || head == dependent) {
      throw std::invalid_argument("an arc is no arc of its sentence");
    }
    arcs.push_back({Configuration::position_of(head, words, root), Configuration::position_of(dependent, words, root),
                    labels.empty() ? kNoLabel : labels[arc]});
  }
  return arcs;
}

// The gold arcs of the sentence of a configuration.
std::vector<GoldArc> checked_arcs(const Configuration& configuration, const Ids& heads, const Ids& dependents) {
  if (heads.shape(0) != dependents.shape(0)) throw std::invalid_argument("as many heads as dependents are needed");
  return checked_arcs(heads, dependents, {}, 0, heads.shape(0), configuration.words(), configuration.root());
}

void check_roles(const Program& program, const TrainingOracleOptions& oracle) {
  for (int role = 0; role < kRoles; ++role) {
    const std::int32_t transition = oracle.oracle.roles[static_cast<Role>(role)];
    if (transition < kNoNode || transition >= static_cast<std::int32_t>(program.size())) {
      throw std::invalid_argument("a role needs a transition of the system, or -1");
    }
  }
}

struct Sequences {
  ActionSequence actions;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::uint8_t> lost;
  std::vector<std::int32_t> added;
  std::vector<std::uint8_t> methods;
};

// Sentences are independent; each thread has an oracle of its own.
Sequences derive_all(const Program& program, const OracleOptions& options, Root root,
                     std::span<const std::int32_t> words, const std::vector<std::vector<GoldArc>>& arcs,
                     std::span<const std::int32_t> planes, int threads) {
  constexpr std::size_t kChunk = 64;
  std::vector<Derivation> derivations(words.size());
  const std::size_t chunks = (words.size() + kChunk - 1) / kChunk;
  parallel_for(chunks, thread_count(threads), [&](std::size_t chunk) {
    StaticOracle oracle(program, options);
    for (std::size_t sentence = chunk * kChunk; sentence < std::min(words.size(), (chunk + 1) * kChunk); ++sentence) {
      oracle.derive(words[sentence], root, arcs[sentence], planes, derivations[sentence]);
    }
  });
  Sequences out;
  for (Derivation& derivation : derivations) {
    if (derivations.size() == 1) {
      out.actions = std::move(derivation.actions);
    } else {
      out.actions.append(derivation.actions);
      derivation.actions = {};
    }
    out.offsets.push_back(static_cast<std::int64_t>(out.actions.size()));
    out.lost.insert(out.lost.end(), derivation.lost.begin(), derivation.lost.end());
    out.added.push_back(derivation.added);
    out.methods.push_back(static_cast<std::uint8_t>(derivation.method));
    derivation = {};  // its memory is needed for the next ones
  }
  return out;
}

NamedArrays derive(const std::shared_ptr<Program>& program, const std::string& root_name, const Ids& words,
                   const Offsets& arc_offsets, const Ids& heads, const Ids& dependents, const Ids& labels,
                   const Ids& planes, const TrainingOracleOptions& oracle, std::int32_t width, std::int64_t budget,
                   int threads) {
  const Root root = to_root(root_name);
  check_offsets(to_span(arc_offsets), heads.shape(0));
  if (arc_offsets.shape(0) != words.shape(0) + 1 || dependents.shape(0) != heads.shape(0) ||
      labels.shape(0) != heads.shape(0)) {
    throw std::invalid_argument("arcs and sentences differ in number");
  }
  if (planes.shape(0) != 0 && (words.shape(0) != 1 || planes.shape(0) != heads.shape(0))) {
    throw std::invalid_argument("planes are for all arcs of one sentence");
  }
  for (const std::int32_t plane : to_span(planes)) {
    if (plane < 0 || plane >= program->stacks()) throw std::invalid_argument("a plane has no stack");
  }
  if (width < 1 || width > kWidest || budget < 0) throw std::invalid_argument("a search needs a width and a budget");
  check_words(*program, to_span(words));
  check_threads(threads);
  check_roles(*program, oracle);
  OracleOptions options = oracle.oracle;
  options.width = static_cast<std::size_t>(width);
  options.budget = budget;
  std::vector<std::vector<GoldArc>> arcs;
  for (std::size_t sentence = 0; sentence < words.shape(0); ++sentence) {
    const std::span<const std::int64_t> offsets = to_span(arc_offsets);
    arcs.push_back(checked_arcs(heads, dependents, to_span(labels), static_cast<std::size_t>(offsets[sentence]),
                                static_cast<std::size_t>(offsets[sentence + 1]), to_span(words)[sentence], root));
  }
  Sequences out;
  {
    const WithoutPython work;
    out = derive_all(*program, options, root, to_span(words), arcs, to_span(planes), threads);
  }
  NamedArrays named;
  // Positions and labels are empty where there are none.
  named["transitions"] = to_numpy(std::move(out.actions.transitions()));
  named["positions"] = to_numpy(std::move(out.actions.positions()));
  named["labels"] = to_numpy(std::move(out.actions.labels()));
  named["offsets"] = to_numpy(std::move(out.offsets));
  named["lost"] = to_numpy(std::move(out.lost));
  named["added"] = to_numpy(std::move(out.added));
  named["methods"] = to_numpy(std::move(out.methods));
  return named;
}

NumpyArray<std::int32_t> count_costs(const Machine& machine, std::size_t sentence, const Ids& heads,
                                     const Ids& dependents, const TrainingOracleOptions& oracle, std::int32_t width) {
  const Configuration& configuration = checked_sentence(machine, sentence);
  if (width < 1 || width > kWidest) throw std::invalid_argument("a search needs a width");
  TrainingOracleOptions options = oracle;
  options.oracle.width = static_cast<std::size_t>(width);
  const std::vector<GoldArc> arcs = checked_arcs(configuration, heads, dependents);
  std::vector<std::int32_t> costs;
  {
    const WithoutPython work;
    costs = transition_costs(configuration, arcs, options);
  }
  costs.resize(static_cast<std::size_t>(machine.batch.actions()), kIllegal);
  return to_numpy(std::move(costs));
}

// For each transition, whether training calls it right here.
std::vector<bool> right_transitions(const Machine& machine, std::size_t sentence, const Ids& heads,
                                    const Ids& dependents, const TrainingOracleOptions& options) {
  Configuration configuration = checked_sentence(machine, sentence);
  const std::vector<GoldArc> arcs = checked_arcs(configuration, heads, dependents);
  check_roles(*machine.program, options);
  TrainingOracle oracle(*machine.program, options);
  if (!oracle.is_dynamic()) throw std::invalid_argument("without a rule there is no dynamic oracle");
  oracle.start(configuration, configuration.words(), configuration.root(), arcs);
  std::vector<std::uint8_t> legal(machine.program->size());
  for (std::size_t transition = 0; transition < legal.size(); ++transition) {
    legal[transition] = configuration.legal(static_cast<std::int32_t>(transition), 0);
  }
  std::vector<std::uint8_t> right;
  if (std::count(legal.begin(), legal.end(), 1) > 0) oracle.ask(configuration, legal, right);
  return {right.begin(), right.end()};
}

// What Python knows by name: its own definitions take their values from here.
void bind_constants(nb::module_& module) {
  nb::enum_<Operation>(module, "Operation", nb::is_arithmetic(), "An elementary transition.")
      .value("SHIFT", Operation::kShift)
      .value("UNSHIFT", Operation::kUnshift)
      .value("REDUCE", Operation::kReduce)
      .value("LEFT_ARC", Operation::kLeftArc)
      .value("RIGHT_ARC", Operation::kRightArc)
      .value("ARC", Operation::kArc)
      .value("SWITCH", Operation::kSwitch)
      .value("SWAP", Operation::kSwap)
      .value("SKIP", Operation::kSkip)
      .value("JOIN", Operation::kJoin)
      .value("CLEAR", Operation::kClear);
  nb::enum_<Fact>(module, "Fact", nb::is_arithmetic(), "What a guard asks of a configuration.")
      .value("stack_has_head", Fact::kStackHasHead)
      .value("buffer_has_head", Fact::kBufferHasHead)
      .value("connected", Fact::kConnected)
      .value("stack_reaches_buffer", Fact::kStackReachesBuffer)
      .value("buffer_reaches_stack", Fact::kBufferReachesStack)
      .value("arc_from_stack", Fact::kArcFromStack)
      .value("arc_from_buffer", Fact::kArcFromBuffer)
      .value("switched_round", Fact::kSwitchedRound)
      .value("stack_is_root", Fact::kStackIsRoot)
      .value("buffer_is_root", Fact::kBufferIsRoot);
  nb::enum_<Rule>(module, "Rule", nb::is_arithmetic(),
                  "A static oracle that a paper gives for a system; NONE: by search.")
      .value("NONE", Rule::kNone)
      .value("PLANAR", Rule::kPlanar)
      .value("ARC_EAGER", Rule::kArcEager)
      .value("ARC_STANDARD", Rule::kArcStandard)
      .value("ARC_STANDARD_STACK", Rule::kArcStandardStack)
      .value("ARC_HYBRID", Rule::kArcHybrid)
      .value("COVINGTON", Rule::kCovington)
      .value("SWAP_EAGER", Rule::kSwapEager)
      .value("SWAP_LAZY", Rule::kSwapLazy);
  nb::enum_<Role>(module, "Role", nb::is_arithmetic(), "What a transition does in a rule.")
      .value("SHIFT", Role::kShift)
      .value("REDUCE", Role::kReduce)
      .value("LEFT_ARC", Role::kLeftArc)
      .value("RIGHT_ARC", Role::kRightArc)
      .value("SWITCH", Role::kSwitch)
      .value("NO_ARC", Role::kNoArc)
      .value("SWAP", Role::kSwap);
  nb::enum_<Reach>(module, "Reach", nb::is_arithmetic(), "How a dynamic oracle counts the arcs that are out of reach.")
      .value("UNKNOWN", Reach::kUnknown)
      .value("ARC_EAGER", Reach::kArcEager)
      .value("ARC_HYBRID", Reach::kArcHybrid)
      .value("PLANAR", Reach::kPlanar)
      .value("COVINGTON", Reach::kCovington);
  nb::enum_<Guarantee>(module, "Guarantee", nb::is_arithmetic(), "What holds of everything that a system builds.")
      .value("single_head", Guarantee::kSingleHead)
      .value("acyclic", Guarantee::kAcyclic)
      .value("no_covered_roots", Guarantee::kNoCoveredRoots)
      .value("projective", Guarantee::kProjective);
  nb::enum_<Derivation::Method>(module, "Method", nb::is_arithmetic(), "How a derivation was found.")
      .value("rule", Derivation::Method::kRule)
      .value("search", Derivation::Method::kSearch)
      .value("beam", Derivation::Method::kBeam);
  module.attr("MOST_STACKS") = kMostStacks;
  module.attr("MOST_DEPTH") = kMostDepth;
  module.attr("MOST_STEPS") = kMostSteps;
  module.attr("MOST_TRANSITIONS") = kMostTransitions;
  module.attr("MOST_REPEATS") = kMostRepeats;
  module.attr("MOST_ENUMERATED_NODES") = kMostEnumeratedNodes;
  module.attr("NO_ACTION") = kNoAction;
  module.attr("NO_LABEL") = kNoLabel;
}

}  // namespace

void bind_transitions(nb::module_& module) {
  bind_constants(module);
  nb::class_<Program>(module, "Program", "A transition system as the kernel runs it.")
      .def("action_count", &checked_action_count, nb::arg("nodes"),
           "How many actions there are for a sentence of so many nodes.")
      .def("transition_of", &checked_transition_of, nb::arg("action"), "The transition of an action, and its position.")
      .def("action_of", &checked_action_of, nb::arg("transition"), nb::arg("position"),
           "The action of a transition at a position.");
  module.def("make_program", &make_program, nb::arg("stacks"), nb::arg("transitions"), nb::arg("labels"),
             "A system of stacks and transitions. A step of a transition: operation, depth, repeats (a constant, and "
             "times the position), and facts that must and must not hold.");
  nb::class_<Machine>(module, "Machine", "Configurations of sentences that run a program.")
      .def_prop_ro(
          "actions", [](const Machine& machine) { return machine.batch.actions(); },
          "How many actions there are for each sentence.")
      .def("legal", &legal_actions, "For each sentence and action 1 where it is legal.")
      .def("apply", &apply_actions, nb::arg("actions"), nb::arg("labels"),
           "Takes a step in every sentence, -1 for none; the first sentence where it is not legal, else -1.")
      .def("describe", &describe, nb::arg("sentence"), "Stacks, buffer and arcs of a sentence, in numbers of words.")
      .def("look", &look, nb::arg("sentence"), nb::arg("views"),
           "The words at addresses, -1 for none, and the values of attributes.")
      .def(
          "terminal",
          [](const Machine& machine, std::size_t sentence) { return checked_sentence(machine, sentence).terminal(); },
          "Whether a sentence has ended.")
      .def("copy", [](const Machine& machine) { return Machine(machine); }, "A machine in the same configurations.");
  module.def("make_machine", &make_machine, nb::arg("program"), nb::arg("words"), nb::arg("root"),
             "Sentences of so many words at their beginning; root: none, first or last.");
  module.def("enumerate_graphs", &enumerate_small, nb::arg("program"), nb::arg("words"), nb::arg("root"),
             nb::arg("limit"),
             "All graphs that a program can build over so many words, in at most limit configurations.");
  module.def("derive", &derive, nb::arg("program"), nb::arg("root"), nb::arg("words"), nb::arg("arc_offsets"),
             nb::arg("heads"), nb::arg("dependents"), nb::arg("labels"), nb::arg("planes"), nb::arg("oracle"),
             nb::arg("width"), nb::arg("budget"), nb::arg("threads"),
             "The transitions that build the gold arcs of sentences, with what is lost: by a rule, or by search within "
             "a width and a budget of steps.");
  module.def("right_transitions", &right_transitions, nb::arg("machine"), nb::arg("sentence"), nb::arg("heads"),
             nb::arg("dependents"), nb::arg("oracle"), "For each transition whether training calls it right here.");
  module.def("count_costs", &count_costs, nb::arg("machine"), nb::arg("sentence"), nb::arg("heads"),
             nb::arg("dependents"), nb::arg("oracle"), nb::arg("width"),
             "For each action how many gold arcs it loses.");
}

}  // namespace crossarc
