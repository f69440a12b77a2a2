// What the bindings of parsers share: definitions, teachers and tables from plain data, checked, and arcs as arrays.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "core/offsets.hpp"
#include "features/features.hpp"
#include "parsers/arcs.hpp"
#include "search/easy_first.hpp"
#include "search/state.hpp"
#include "transitions/oracles/training_oracle.hpp"

namespace crossarc {

using Ids = InputArray<std::int32_t>;
using Offsets = InputArray<std::int64_t>;
using ValueTable = nanobind::ndarray<const std::uint32_t, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;

using AddressTuple = std::tuple<int, std::int32_t, int, int>;
using AtomTuple = std::tuple<std::int32_t, int, std::int32_t>;
using FeatureTuple =
    std::tuple<std::vector<AddressTuple>, std::vector<AtomTuple>, std::vector<std::vector<std::int32_t>>>;

inline Root to_root(const std::string& root) {
  if (root == "none") return Root::kNone;
  if (root == "first") return Root::kFirst;
  if (root == "last") return Root::kLast;
  throw std::invalid_argument("the artificial root is none, first or last");
}

inline FeatureSet to_features(const FeatureTuple& given) {
  FeatureSet features;
  for (const auto& [base, index, first, second] : std::get<0>(given)) {
    if (base < 0 || base >= kBases || index < 0 || first < 0 || first >= kHops || second < 0 || second >= kHops) {
      throw std::invalid_argument("no such address");
    }
    features.addresses.push_back({static_cast<Base>(base), index, static_cast<Hop>(first), static_cast<Hop>(second)});
  }
  const auto addresses = static_cast<std::int32_t>(features.addresses.size());
  for (const auto& [address, attribute, argument] : std::get<1>(given)) {
    if (attribute < 0 || attribute >= kAttributes || argument < 0) throw std::invalid_argument("no such attribute");
    const bool pair = of_two_words(static_cast<Attribute>(attribute));
    if (address < 0 || address >= addresses || (pair && argument >= addresses)) {
      throw std::invalid_argument("no such address");
    }
    features.atoms.push_back({address, static_cast<Attribute>(attribute), argument});
  }
  for (const std::vector<std::int32_t>& members : std::get<2>(given)) {
    for (const std::int32_t member : members) {
      if (member < 0 || member >= static_cast<std::int32_t>(features.atoms.size())) {
        throw std::invalid_argument("a template names no such atom");
      }
    }
    features.templates.push_back(members);
  }
  return features;
}

inline ParserDefinition to_definition(std::shared_ptr<Program> program, const std::string& root,
                                      const FeatureTuple& transition_features, const FeatureTuple& label_features,
                                      std::int32_t labels) {
  // Of the systems whose transitions choose a position, easy-first is the one that parsers know.
  if (program->positional() && !easy_first_moves(*program)) {
    throw std::invalid_argument("of the systems that choose a position only easy-first can be parsed with");
  }
  if (labels < 1) throw std::invalid_argument("a parser needs at least one label");
  return {std::move(program), to_root(root), to_features(transition_features), to_features(label_features),
          static_cast<std::size_t>(labels)};
}

// `roles`: a transition or kNoNode for each Role; `guarantees`: a truth value for each Guarantee.
inline OracleOptions to_oracle(int rule, const std::vector<std::int32_t>& roles, const std::vector<bool>& guarantees) {
  if (rule < 0 || rule >= kRules) throw std::invalid_argument("no such rule of an oracle");
  if (roles.size() != kRoles) throw std::invalid_argument("every role of a rule needs a transition, or -1");
  if (guarantees.size() != kGuarantees) throw std::invalid_argument("every guarantee needs a truth value");
  OracleOptions options;
  options.rule = static_cast<Rule>(rule);
  for (int role = 0; role < kRoles; ++role) {
    options.roles[static_cast<Role>(role)] = roles[static_cast<std::size_t>(role)];
  }
  const auto holds = [&](Guarantee guarantee) -> bool { return guarantees[static_cast<std::size_t>(guarantee)]; };
  options.guarantees = {holds(Guarantee::kSingleHead), holds(Guarantee::kAcyclic), holds(Guarantee::kNoCoveredRoots),
                        holds(Guarantee::kProjective)};
  return options;
}

inline TrainingOracleOptions to_training_oracle(int rule, const std::vector<std::int32_t>& roles, int reach,
                                                const std::vector<bool>& guarantees, bool free_planes) {
  if (reach < 0 || reach >= kReaches) throw std::invalid_argument("no such way of counting the arcs out of reach");
  return {to_oracle(rule, roles, guarantees), static_cast<Reach>(reach), free_planes};
}

// The words have the columns that the templates name.
inline void check_columns(const FeatureSet& features, std::size_t columns) {
  for (const Atom& atom : features.atoms) {
    if (is_column(atom.attribute) && static_cast<std::size_t>(atom.argument) >= columns) {
      throw std::invalid_argument("a template names no such column");
    }
  }
}

inline SentenceTable to_table(const ValueTable& values, const Offsets& word_offsets) {
  check_offsets(to_span(word_offsets), values.shape(0));
  return {values.data(), values.shape(1), to_span(word_offsets)};
}

// The arcs of all sentences to learn from; `labels` are below `count`.
inline GoldTable to_gold(const SentenceTable& table, const Offsets& arc_offsets, const Ids& heads,
                         const Ids& dependents, const Ids& labels, std::size_t count) {
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

// The sentences to learn from, in this order.
inline void check_order(const SentenceTable& table, const Ids& order) {
  for (const std::int32_t sentence : to_span(order)) {
    if (sentence < 0 || static_cast<std::size_t>(sentence) >= table.sentences()) {
      throw std::invalid_argument("no such sentence");
    }
  }
}

inline void check_beam(const Program& program, std::int32_t width, std::int32_t kept) {
  if (width < 1 || kept < 1) throw std::invalid_argument("a beam has room for at least one state");
  if (program.positional()) throw std::invalid_argument("there is no beam search for systems that choose a position");
}

// All arcs or links: heads (or left words), dependents (or right words), labels, and where each sentence's begin.
using ArcTuple =
    std::tuple<NumpyArray<std::int32_t>, NumpyArray<std::int32_t>, NumpyArray<std::int32_t>, NumpyArray<std::int64_t>>;

inline ArcTuple to_tuple(ParsedArcs&& parsed) {
  return {to_numpy(std::move(parsed.heads)), to_numpy(std::move(parsed.dependents)), to_numpy(std::move(parsed.labels)),
          to_numpy(std::move(parsed.offsets))};
}

// As in SearchResults.
using SearchTuple =
    std::tuple<NumpyArray<std::int64_t>, NumpyArray<double>, NumpyArray<std::int64_t>, NumpyArray<std::int32_t>,
               NumpyArray<std::int32_t>, NumpyArray<std::int32_t>, NumpyArray<float>, NumpyArray<float>>;

inline SearchTuple to_tuple(SearchResults&& found) {
  return {to_numpy(std::move(found.offsets)),     to_numpy(std::move(found.totals)),
          to_numpy(std::move(found.arc_offsets)), to_numpy(std::move(found.heads)),
          to_numpy(std::move(found.dependents)),  to_numpy(std::move(found.labels)),
          to_numpy(std::move(found.scores)),      to_numpy(std::move(found.margins))};
}

}  // namespace crossarc
