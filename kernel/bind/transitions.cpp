#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
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
#include "bind/parsers.hpp"
#include "core/offsets.hpp"
#include "core/threads.hpp"
#include "transitions/machine/batch.hpp"
#include "transitions/machine/enumeration.hpp"
#include "transitions/oracles/loss.hpp"
#include "transitions/oracles/oracle.hpp"

namespace nb = nanobind;

namespace crossarc {
namespace {

using Ids = InputArray<std::int32_t>;
using Offsets = InputArray<std::int64_t>;
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
        step.guard.push_back({static_cast<std::uint16_t>(must), static_cast<std::uint16_t>(must_not)});
      }
    }
  }
  return std::make_shared<Program>(stacks, std::move(compiled), labels);
}

// A batch and the program it runs, which must live as long.
struct Machine {
  std::shared_ptr<Program> program;
  Batch batch;
};

Machine make_machine(std::shared_ptr<Program> program, const Ids& words, const std::string& root) {
  for (const std::int32_t count : to_span(words)) {
    if (count < 0) throw std::invalid_argument("a sentence has no negative number of words");
  }
  Batch batch(*program, to_span(words), to_root(root));
  return {std::move(program), std::move(batch)};
}

const Configuration& checked_sentence(const Machine& machine, std::size_t sentence) {
  if (sentence >= machine.batch.size()) throw std::out_of_range("no such sentence in the batch");
  return machine.batch[sentence];
}

NumpyArray<std::uint8_t> legal_actions(Machine& machine) {
  std::vector<std::uint8_t> legal(machine.batch.size() * static_cast<std::size_t>(machine.batch.actions()));
  {
    const nb::gil_scoped_release release;
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
  const nb::gil_scoped_release release;
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
    const nb::gil_scoped_release release;
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

std::vector<GoldArc> checked_arcs(const Ids& heads, const Ids& dependents, const Ids& labels, std::size_t begin,
                                  std::size_t end, std::int32_t words, Root root) {
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
                    to_span(labels)[arc]});
  }
  return arcs;
}

OracleOptions to_options(const Program& program, int rule, const std::vector<std::int32_t>& roles,
                         const std::vector<bool>& guarantees, std::int32_t width, std::int64_t budget) {
  if (rule < 0 || rule >= kRules || roles.size() != 7 || guarantees.size() != 4 || width < 1 || budget < 0) {
    throw std::invalid_argument("the options of an oracle are not those");
  }
  for (const std::int32_t role : roles) {
    if (role < kNoNode || role >= static_cast<std::int32_t>(program.size())) {
      throw std::invalid_argument("a role is played by a transition");
    }
  }
  OracleOptions options;
  options.rule = static_cast<Rule>(rule);
  options.roles = {roles[0], roles[1], roles[2], roles[3], roles[4], roles[5], roles[6]};
  options.guarantees = {guarantees[0], guarantees[1], guarantees[2]};
  options.projective = guarantees[3];
  options.width = static_cast<std::size_t>(width);
  options.budget = budget;
  return options;
}

struct Sequences {
  std::vector<std::int32_t> transitions, positions, labels;
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
    Oracle oracle(program, options);
    for (std::size_t sentence = chunk * kChunk; sentence < std::min(words.size(), (chunk + 1) * kChunk); ++sentence) {
      oracle.derive(words[sentence], root, arcs[sentence], planes, derivations[sentence]);
    }
  });
  Sequences out;
  for (const Derivation& derivation : derivations) {
    for (const Action& action : derivation.actions) {
      out.transitions.push_back(action.transition);
      out.positions.push_back(action.position);
      out.labels.push_back(action.label);
    }
    out.offsets.push_back(static_cast<std::int64_t>(out.transitions.size()));
    out.lost.insert(out.lost.end(), derivation.lost.begin(), derivation.lost.end());
    out.added.push_back(derivation.added);
    out.methods.push_back(static_cast<std::uint8_t>(derivation.method));
  }
  return out;
}

NamedArrays derive(const std::shared_ptr<Program>& program, const std::string& root_name, const Ids& words,
                   const Offsets& arc_offsets, const Ids& heads, const Ids& dependents, const Ids& labels,
                   const Ids& planes, int rule, const std::vector<std::int32_t>& roles,
                   const std::vector<bool>& guarantees, std::int32_t width, std::int64_t budget, int threads) {
  const Root root = to_root(root_name);
  check_offsets(to_span(arc_offsets), heads.shape(0));
  if (arc_offsets.shape(0) != words.shape(0) + 1 || dependents.shape(0) != heads.shape(0) ||
      labels.shape(0) != heads.shape(0)) {
    throw std::invalid_argument("arcs and sentences do not fit together");
  }
  if (planes.shape(0) != 0 && (words.shape(0) != 1 || planes.shape(0) != heads.shape(0))) {
    throw std::invalid_argument("planes are given for the arcs of one sentence");
  }
  for (const std::int32_t plane : to_span(planes)) {
    if (plane < 0 || plane >= program->stacks()) throw std::invalid_argument("a plane is one of the stacks");
  }
  const OracleOptions options = to_options(*program, rule, roles, guarantees, width, budget);
  std::vector<std::vector<GoldArc>> arcs;
  for (std::size_t sentence = 0; sentence < words.shape(0); ++sentence) {
    const std::span<const std::int64_t> offsets = to_span(arc_offsets);
    arcs.push_back(checked_arcs(heads, dependents, labels, static_cast<std::size_t>(offsets[sentence]),
                                static_cast<std::size_t>(offsets[sentence + 1]), to_span(words)[sentence], root));
  }
  Sequences out;
  {
    const nb::gil_scoped_release release;
    out = derive_all(*program, options, root, to_span(words), arcs, to_span(planes), threads);
  }
  NamedArrays named;
  named["transitions"] = to_numpy(std::move(out.transitions));
  named["positions"] = to_numpy(std::move(out.positions));
  named["labels"] = to_numpy(std::move(out.labels));
  named["offsets"] = to_numpy(std::move(out.offsets));
  named["lost"] = to_numpy(std::move(out.lost));
  named["added"] = to_numpy(std::move(out.added));
  named["methods"] = to_numpy(std::move(out.methods));
  return named;
}

// Gold arcs of a sentence, given as numbers of words, in positions.
std::vector<GoldArc> checked_arcs(const Configuration& given, const Ids& heads, const Ids& dependents) {
  if (heads.shape(0) != dependents.shape(0)) throw std::invalid_argument("as many heads as dependents are needed");
  std::vector<GoldArc> arcs;
  for (std::size_t arc = 0; arc < heads.shape(0); ++arc) {
    arcs.push_back({to_span(heads)[arc], to_span(dependents)[arc], kNoLabel});
    if (arcs.back().head == arcs.back().dependent || arcs.back().head < 0 || arcs.back().head > given.words() ||
        arcs.back().dependent < 1 || arcs.back().dependent > given.words() ||
        (given.root() == Root::kNone && arcs.back().head == 0)) {
      throw std::invalid_argument("an arc is no arc of its sentence");
    }
    arcs.back().head = Configuration::position_of(arcs.back().head, given.words(), given.root());
    arcs.back().dependent = Configuration::position_of(arcs.back().dependent, given.words(), given.root());
  }
  return arcs;
}

// For each action, how many gold arcs more are out of reach after it; -1 where it is not legal.
NumpyArray<std::int32_t> count_costs(const Machine& machine, std::size_t sentence, const Ids& heads,
                                     const Ids& dependents, int reach, const std::vector<bool>& guarantees,
                                     std::int32_t width) {
  const Configuration& given = checked_sentence(machine, sentence);
  if (reach < 0 || reach > static_cast<int>(Reach::kCovington)) throw std::invalid_argument("an unknown kind of reach");
  const OracleOptions options =
      to_options(*machine.program, 0, std::vector<std::int32_t>(7, kNoNode), guarantees, width, 0);
  const std::vector<GoldArc> arcs = checked_arcs(given, heads, dependents);
  const nb::gil_scoped_release release;
  Gold gold;
  gold.set(given.nodes(), arcs);
  LossCounter counter;
  BeamOracle beam(*machine.program, options.guarantees, options.width);
  std::vector<std::int32_t> planes(arcs.size(), 0);
  std::vector<Arc> drawn;
  for (std::int32_t arc = 0; arc < static_cast<std::int32_t>(arcs.size()); ++arc) drawn.push_back(gold.drawn(arc));
  PlaneChoice().choose(drawn, given.nodes(), machine.program->stacks(), planes);
  const auto loss = [&](const Configuration& configuration) {
    return reach == 0 ? beam.complete(configuration, gold, planes)
                      : counter.count(static_cast<Reach>(reach), configuration, gold);
  };
  const std::int32_t before = reach == 0 ? 0 : loss(given);
  std::vector<std::int32_t> costs(static_cast<std::size_t>(machine.batch.actions()), -1);
  Configuration configuration = given;
  for (std::int32_t action = 0; action < machine.program->action_count(given.nodes()); ++action) {
    const auto [transition, position] = machine.program->transition_of(action);
    const std::size_t mark = configuration.mark();
    if (!configuration.apply(transition, position, kNoLabel)) continue;
    costs[action] = loss(configuration) - before;
    configuration.undo_to(mark);
  }
  if (reach == 0) {  // a search knows what is lost only in the end: the best transition loses nothing
    std::int32_t least = -1;
    for (const std::int32_t cost : costs) least = cost >= 0 && (least < 0 || cost < least) ? cost : least;
    for (std::int32_t& cost : costs) cost -= cost >= 0 ? least : 0;
  }
  const nb::gil_scoped_acquire acquire;
  return to_numpy(std::move(costs));
}

// For each transition, whether parsers that learn these arcs are told that it is right here.
std::vector<bool> right_transitions(const Machine& machine, std::size_t sentence, const Ids& heads,
                                    const Ids& dependents, int rule, const std::vector<std::int32_t>& roles, int reach,
                                    const std::vector<bool>& guarantees, bool free_planes) {
  Configuration configuration = checked_sentence(machine, sentence);
  const std::vector<GoldArc> arcs = checked_arcs(configuration, heads, dependents);
  Teacher teacher(*machine.program, to_training_oracle(rule, roles, reach, guarantees, free_planes));
  if (!teacher.knows_everywhere()) throw std::invalid_argument("no rule knows what is right in any configuration");
  teacher.start(configuration, configuration.words(), configuration.root(), arcs);
  std::vector<std::uint8_t> legal(machine.program->size());
  for (std::size_t transition = 0; transition < legal.size(); ++transition) {
    legal[transition] = configuration.legal(static_cast<std::int32_t>(transition), 0);
  }
  std::vector<std::uint8_t> right;
  if (std::count(legal.begin(), legal.end(), 1) > 0) teacher.ask(configuration, legal, right);
  return {right.begin(), right.end()};
}

}  // namespace

void bind_transitions(nb::module_& module) {
  nb::class_<Program>(module, "Program")
      .def("action_count", &Program::action_count, nb::arg("nodes"))
      .def("transition_of", &Program::transition_of, nb::arg("action"))
      .def("action_of", &Program::action_of, nb::arg("transition"), nb::arg("position"));
  module.def("make_program", &make_program, nb::arg("stacks"), nb::arg("transitions"), nb::arg("labels"));
  nb::class_<Machine>(module, "Machine")
      .def_prop_ro("actions", [](const Machine& machine) { return machine.batch.actions(); })
      .def("legal", &legal_actions)
      .def("apply", &apply_actions, nb::arg("actions"), nb::arg("labels"))
      .def("describe", &describe, nb::arg("sentence"))
      .def("look", &look, nb::arg("sentence"), nb::arg("views"))
      .def("terminal",
           [](const Machine& machine, std::size_t sentence) { return checked_sentence(machine, sentence).terminal(); })
      .def("copy", [](const Machine& machine) { return Machine(machine); });
  module.def("make_machine", &make_machine, nb::arg("program"), nb::arg("words"), nb::arg("root"));
  module.def("enumerate_graphs", &enumerate_small, nb::arg("program"), nb::arg("words"), nb::arg("root"),
             nb::arg("limit"));
  module.def("derive", &derive, nb::arg("program"), nb::arg("root"), nb::arg("words"), nb::arg("arc_offsets"),
             nb::arg("heads"), nb::arg("dependents"), nb::arg("labels"), nb::arg("planes"), nb::arg("rule"),
             nb::arg("roles"), nb::arg("guarantees"), nb::arg("width"), nb::arg("budget"), nb::arg("threads"));
  module.def("right_transitions", &right_transitions, nb::arg("machine"), nb::arg("sentence"), nb::arg("heads"),
             nb::arg("dependents"), nb::arg("rule"), nb::arg("roles"), nb::arg("reach"), nb::arg("guarantees"),
             nb::arg("free_planes"));
  module.def("count_costs", &count_costs, nb::arg("machine"), nb::arg("sentence"), nb::arg("heads"),
             nb::arg("dependents"), nb::arg("reach"), nb::arg("guarantees"), nb::arg("width"));
}

}  // namespace crossarc
