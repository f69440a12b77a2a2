// What the bindings of parsers share: definitions and tables of words and arcs from plain data, checked, and the three
// methods that every model has.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "parsers/arcs.hpp"
#include "search/state.hpp"
#include "search/trace.hpp"
#include "transitions/oracles/training_oracle.hpp"

namespace crossarc {

using Ids = InputArray<std::int32_t>;
using Offsets = InputArray<std::int64_t>;
using ValueTable = AlignedArray<const std::uint32_t, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;
using FloatTable = AlignedArray<const float, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;
using IdTable = AlignedArray<const std::int32_t, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;

inline Root to_root(const std::string& root) {
  if (root == "none") return Root::kNone;
  if (root == "first") return Root::kFirst;
  if (root == "last") return Root::kLast;
  throw std::invalid_argument("the artificial root is none, first or last");
}

// Addresses as (base, index, first step, second step), atoms as (address, attribute, column or other address), and
// templates as the numbers of their atoms.
using AddressTuple = std::tuple<int, std::int32_t, int, int>;
using AtomTuple = std::tuple<std::int32_t, int, std::int32_t>;
using FeatureTuple =
    std::tuple<std::vector<AddressTuple>, std::vector<AtomTuple>, std::vector<std::vector<std::int32_t>>>;
FeatureSet to_features(const FeatureTuple& given);

// The words have the columns that the templates name.
void check_columns(const FeatureSet& features, std::size_t columns);
SentenceTable to_table(const ValueTable& values, const Offsets& word_offsets);
// The arcs of all sentences to learn from; their labels are below `count`.
GoldTable to_gold(const SentenceTable& table, const Offsets& arc_offsets, const Ids& heads, const Ids& dependents,
                  const Ids& labels, std::size_t count);
// The sentences to learn from, in this order.
void check_order(const SentenceTable& table, const Ids& order);
void check_beam(const Program& program, std::int32_t width, std::int32_t kept);
// How often, of a hundred, training follows a wrong choice.
void check_explore(unsigned explore);

// All arcs or links: heads (or left words), dependents (or right words), labels, and where each sentence's begin.
using ArcTuple =
    std::tuple<NumpyArray<std::int32_t>, NumpyArray<std::int32_t>, NumpyArray<std::int32_t>, NumpyArray<std::int64_t>>;
ArcTuple to_tuple(ParsedArcs&& parsed);

// As in SearchResults.
using SearchTuple =
    std::tuple<NumpyArray<std::int64_t>, NumpyArray<double>, NumpyArray<std::int64_t>, NumpyArray<std::int32_t>,
               NumpyArray<std::int32_t>, NumpyArray<std::int32_t>, NumpyArray<float>, NumpyArray<float>>;
SearchTuple to_tuple(SearchResults&& found);

// The transitions, and the scores of all transitions at each step, one row behind the other.
using TraceTuple = std::tuple<NumpyArray<std::int32_t>, NumpyArray<float>>;

// Binds parsing, searching and tracing of a model; checked_table(model, inputs…) gives the words that it reads.
// `names`: those of the inputs.
template <typename Model, typename... Inputs, typename... Names>
void bind_searches(nanobind::class_<Model>& bound, SentenceTable (*checked_table)(const Model&, const Inputs&...),
                   const Names&... names) {
  namespace nb = nanobind;
  bound.def(
      "parse_arcs",
      [checked_table](const Model& model, const Inputs&... inputs, int threads) {
        const SentenceTable table = checked_table(model, inputs...);
        check_threads(threads);
        return to_tuple([&] {
          const WithoutPython work;
          return model.parse(table, threads);
        }());
      },
      names..., nb::arg("threads"), "The arcs of the best analysis of each sentence, by greedy search.");
  bound.def(
      "search",
      [checked_table](const Model& model, const Inputs&... inputs, std::int32_t width, std::int32_t kept, int threads) {
        const SentenceTable table = checked_table(model, inputs...);
        check_beam(*model.definition().program, width, kept);
        check_threads(threads);
        return to_tuple([&] {
          const WithoutPython work;
          return model.search(table, static_cast<std::size_t>(width), static_cast<std::size_t>(kept), threads);
        }());
      },
      names..., nb::arg("width"), nb::arg("kept"), nb::arg("threads"),
      "The best analyses of each sentence, at most kept of them, by beam search of a width.");
  bound.def(
      "penalised",
      [](const Model& model, double amount, const InputArray<std::uint8_t>& labels) {
        return model.penalised({amount, {to_span(labels).begin(), to_span(labels).end()}});
      },
      nb::arg("amount"), nb::arg("labels"),
      "The same model with a penalty for transitions that let arcs cross. labels: of each label 1 if it loses as much, "
      "or "
      "nothing.");
  bound.def(
      "trace",
      [checked_table](const Model& model, const Inputs&... inputs, const Ids& given) {
        const SentenceTable table = checked_table(model, inputs...);
        if (table.sentences() != 1) throw std::invalid_argument("one sentence is traced at a time");
        if (model.definition().program->positional()) throw std::invalid_argument("easy-first has no trace");
        Trace found = [&] {
          const WithoutPython work;
          return model.trace(table, to_span(given));
        }();
        return TraceTuple{to_numpy(std::move(found.transitions)), to_numpy(std::move(found.scores))};
      },
      names..., nb::arg("given"),
      "The transitions for one sentence, and the scores of all transitions at each step, row by row. given: the first "
      "transitions.");
}

}  // namespace crossarc
