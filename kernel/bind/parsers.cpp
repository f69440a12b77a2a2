#include "bind/parsers.hpp"

#include <nanobind/nanobind.h>
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

#include "core/arrays.hpp"
#include "features/features.hpp"
#include "search/crossing_penalty.hpp"
#include "search/easy_first.hpp"

namespace nb = nanobind;

namespace crossarc {
namespace {

// `roles`: a transition or kNoNode for each Role; `guarantees`: a truth value for each Guarantee.
void make_oracle(TrainingOracleOptions* options, int rule, const std::vector<std::int32_t>& roles, int reach,
                 const std::vector<bool>& guarantees, bool free_planes, bool follows_derivation) {
  if (rule < 0 || rule >= kRules) throw std::invalid_argument("no such rule of an oracle");
  if (roles.size() != kRoles) throw std::invalid_argument("every role of a rule needs a transition, or -1");
  if (reach < 0 || reach >= kReaches) throw std::invalid_argument("no such way of counting the arcs out of reach");
  if (guarantees.size() != kGuarantees) throw std::invalid_argument("every guarantee needs a truth value");
  new (options) TrainingOracleOptions{{}, static_cast<Reach>(reach), free_planes, follows_derivation};
  options->oracle.rule = static_cast<Rule>(rule);
  for (int role = 0; role < kRoles; ++role) options->oracle.roles[static_cast<Role>(role)] = roles[role];
  const auto holds = [&](Guarantee guarantee) -> bool { return guarantees[static_cast<std::size_t>(guarantee)]; };
  options->oracle.guarantees = {holds(Guarantee::kSingleHead), holds(Guarantee::kAcyclic),
                                holds(Guarantee::kNoCoveredRoots), holds(Guarantee::kProjective)};
}

void make_definition(ParserDefinition* definition, std::shared_ptr<Program> program, const std::string& root,
                     const FeatureTuple& transition_features, const FeatureTuple& label_features, std::int32_t labels,
                     bool joint) {
  // Of the systems whose transitions choose a position, easy-first is the one that parsers know.
  if (program->positional() && !easy_first_moves(*program)) {
    throw std::invalid_argument("of the systems that choose a position, parsers know easy-first only");
  }
  if (labels < 1) throw std::invalid_argument("a parser needs at least one label");
  new (definition) ParserDefinition{std::move(program),
                                    to_root(root),
                                    to_features(transition_features),
                                    to_features(label_features),
                                    static_cast<std::size_t>(labels),
                                    joint,
                                    {}};
}

void bind_features(nb::module_& module) {
  module.attr("NO_VALUE") = kNoValue;
  module.attr("UNKNOWN_VALUE") = kUnknownValue;
  module.attr("ROOT_VALUE") = kRootValue;
  nb::enum_<Base>(module, "FeatureBase", nb::is_arithmetic(), "Where the address of a word begins.")
      .value("stack", Base::kStack)
      .value("other_stack", Base::kOtherStack)
      .value("buffer", Base::kBuffer)
      .value("aside", Base::kAside);
  nb::enum_<Hop>(module, "FeatureStep", nb::is_arithmetic(), "A step of an address along arcs.")
      .value("none", Hop::kNone)
      .value("head", Hop::kHead)
      .value("left1", Hop::kLeft1)
      .value("left2", Hop::kLeft2)
      .value("left3", Hop::kLeft3)
      .value("right1", Hop::kRight1)
      .value("right2", Hop::kRight2)
      .value("right3", Hop::kRight3)
      .value("left_sibling", Hop::kLeftSibling)
      .value("right_sibling", Hop::kRightSibling);
  nb::enum_<Attribute>(module, "FeatureAttribute", nb::is_arithmetic(), "What of a word is looked at.")
      .value("column", Attribute::kColumn)
      .value("optional_column", Attribute::kOptional)
      .value("label", Attribute::kLabel)
      .value("left_valency", Attribute::kLeftValency)
      .value("right_valency", Attribute::kRightValency)
      .value("left_labels", Attribute::kLeftLabels)
      .value("right_labels", Attribute::kRightLabels)
      .value("plane", Attribute::kPlane)
      .value("distance", Attribute::kDistance)
      .value("linked", Attribute::kLinked);
}

}  // namespace

FeatureSet to_features(const FeatureTuple& given) {
  constexpr std::int32_t kDeepest = 1 << 16;
  FeatureSet features;
  for (const auto& [base, index, first, second] : std::get<0>(given)) {
    if (base < 0 || base >= kBases || index < 0 || index > kDeepest || first < 0 || first >= kHops || second < 0 ||
        second >= kHops) {
      throw std::invalid_argument("no such address");
    }
    features.addresses.push_back({static_cast<Base>(base), index, static_cast<Hop>(first), static_cast<Hop>(second)});
  }
  const auto addresses = static_cast<std::int32_t>(features.addresses.size());
  for (const auto& [address, attribute, argument] : std::get<1>(given)) {
    if (attribute < 0 || attribute >= kAttributes || argument < 0) throw std::invalid_argument("no such attribute");
    const bool pair = of_two_words(static_cast<Attribute>(attribute));
    if (address < 0 || address >= addresses || (pair && argument >= addresses)) {
      throw std::invalid_argument("an attribute is of no such address");
    }
    features.atoms.push_back({address, static_cast<Attribute>(attribute), argument});
  }
  for (const std::vector<std::int32_t>& members : std::get<2>(given)) {
    for (const std::int32_t member : members) {
      if (member < 0 || member >= static_cast<std::int32_t>(features.atoms.size())) {
        throw std::invalid_argument("a template has no such attribute");
      }
    }
    features.templates.push_back(members);
  }
  return features;
}

void check_columns(const FeatureSet& features, std::size_t columns) {
  for (const Atom& atom : features.atoms) {
    if (is_column(atom.attribute) && static_cast<std::size_t>(atom.argument) >= columns) {
      throw std::invalid_argument("a template names no such column");
    }
  }
}

SentenceTable to_table(const ValueTable& values, const Offsets& word_offsets) {
  check_offsets(to_span(word_offsets), values.shape(0));
  return {values.data(), values.shape(1), to_span(word_offsets), {}};
}

GoldTable to_gold(const SentenceTable& table, const Offsets& arc_offsets, const Ids& heads, const Ids& dependents,
                  const Ids& labels, std::size_t count) {
  check_offsets(to_span(arc_offsets), heads.shape(0));
  if (arc_offsets.shape(0) != table.offsets.size() || dependents.shape(0) != heads.shape(0) ||
      labels.shape(0) != heads.shape(0)) {
    throw std::invalid_argument("as many heads, dependents and labels are needed, for every sentence");
  }
  const GoldTable gold{to_span(arc_offsets), to_span(heads), to_span(dependents), to_span(labels)};
  for (std::size_t sentence = 0; sentence < table.sentences(); ++sentence) {
    const std::int32_t words = table.length(sentence);
    for (auto arc = static_cast<std::size_t>(gold.offsets[sentence]);
         arc < static_cast<std::size_t>(gold.offsets[sentence + 1]); ++arc) {
      const std::int32_t head = gold.heads[arc];
      const std::int32_t dependent = gold.dependents[arc];
      if (head < 0 || head > words || dependent < 1 || dependent > words || head == dependent ||
          gold.labels[arc] >= static_cast<std::int32_t>(count)) {
        throw std::invalid_argument("heads, dependents or labels out of range");
      }
    }
  }
  return gold;
}

void check_order(const SentenceTable& table, const Ids& order) {
  for (const std::int32_t sentence : to_span(order)) {
    if (sentence < 0 || static_cast<std::size_t>(sentence) >= table.sentences()) {
      throw std::invalid_argument("no such sentence");
    }
  }
}

void check_beam(const Program& program, std::int32_t width, std::int32_t kept) {
  constexpr std::int32_t kWidest = 1 << 20;
  if (width < 1 || kept < 1) throw std::invalid_argument("a beam has room for at least one state");
  if (width > kWidest) throw std::invalid_argument("a beam has room for at most 1048576 states");
  if (program.positional()) throw std::invalid_argument("there is no beam search for systems that choose a position");
}

void check_explore(unsigned explore) {
  if (explore > 100) throw std::invalid_argument("exploration is at most 100 of a hundred choices");
}

ArcTuple to_tuple(ParsedArcs&& parsed) {
  return {to_numpy(std::move(parsed.heads)), to_numpy(std::move(parsed.dependents)), to_numpy(std::move(parsed.labels)),
          to_numpy(std::move(parsed.offsets))};
}

SearchTuple to_tuple(SearchResults&& found) {
  return {to_numpy(std::move(found.offsets)),     to_numpy(std::move(found.totals)),
          to_numpy(std::move(found.arc_offsets)), to_numpy(std::move(found.heads)),
          to_numpy(std::move(found.dependents)),  to_numpy(std::move(found.labels)),
          to_numpy(std::move(found.scores)),      to_numpy(std::move(found.margins))};
}

void bind_parsers(nb::module_& module) {
  bind_features(module);
  nb::class_<ParserDefinition>(module, "ParserDefinition", "Everything about a parser but its weights.")
      .def("__init__", &make_definition, nb::arg("program"), nb::kw_only(), nb::arg("artificial_root"),
           nb::arg("transition_features"), nb::arg("label_features") = FeatureTuple(), nb::arg("labels"),
           nb::arg("joint") = false,
           "What is looked at for transitions and for labels; joint: transitions and labels are one choice.");
  module.def(
      "lets_arcs_cross", [](const Program& program) { return CrossingTransitions(program).any(); }, nb::arg("program"),
      "Whether a system has transitions that a crossing penalty is for.");
  nb::class_<TrainingOracleOptions>(module, "TrainingOracle", "Which transitions training calls right.")
      .def(
          "__init__", &make_oracle, nb::kw_only(), nb::arg("rule"), nb::arg("roles"), nb::arg("reach"),
          nb::arg("guarantees"), nb::arg("free_planes") = false, nb::arg("follows_derivation") = false,
          "roles: the transition of each Role, -1 for none. guarantees: a truth value for each Guarantee. free_planes: "
          "whichever of two planes an arc comes to is right.");
}

}  // namespace crossarc
