// What the bindings of parsers share: the model, and tables of word values.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "bind/arrays.hpp"
#include "core/offsets.hpp"
#include "linear/linear_model.hpp"
#include "parsers/gold_table.hpp"
#include "search/easy_first.hpp"
#include "search/greedy.hpp"

namespace crossarc {

using Ids = InputArray<std::int32_t>;
using Offsets = InputArray<std::int64_t>;
using ValueTable = nanobind::ndarray<const std::uint32_t, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;

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

inline void check_columns(const FeatureSet& features, std::size_t columns) {
  for (const Atom& atom : features.atoms) {
    if (is_column(atom.attribute) && static_cast<std::size_t>(atom.argument) >= columns) {
      throw std::invalid_argument("a column that there is not");
    }
  }
}

// The arcs of all sentences to learn from: `labels` are below `count`.
inline GoldTable to_gold(const Offsets& word_offsets, const Offsets& arc_offsets, const Ids& heads,
                         const Ids& dependents, const Ids& labels, std::int32_t count) {
  check_offsets(to_span(arc_offsets), heads.shape(0));
  if (arc_offsets.shape(0) != word_offsets.shape(0) || dependents.shape(0) != heads.shape(0) ||
      labels.shape(0) != heads.shape(0)) {
    throw std::invalid_argument("as many heads, dependents and labels are needed, for every sentence");
  }
  const GoldTable gold{to_span(arc_offsets), to_span(heads), to_span(dependents), to_span(labels)};
  for (std::size_t sentence = 0; sentence + 1 < gold.offsets.size(); ++sentence) {
    const std::int64_t words = to_span(word_offsets)[sentence + 1] - to_span(word_offsets)[sentence];
    for (auto arc = static_cast<std::size_t>(gold.offsets[sentence]);
         arc < static_cast<std::size_t>(gold.offsets[sentence + 1]); ++arc) {
      const std::int32_t head = gold.heads[arc];
      const std::int32_t dependent = gold.dependents[arc];
      if (head < 0 || head > words || dependent < 1 || dependent > words || head == dependent ||
          gold.labels[arc] >= count) {
        throw std::invalid_argument("heads, dependents or labels out of range");
      }
    }
  }
  return gold;
}

// Of the systems whose transitions choose a position, easy-first is the one that parsers know.
inline void check_system(const Program& program) {
  if (program.positional() && !easy_first_moves(program)) throw std::invalid_argument("no parser has such a system");
}

inline void check_beam(const Program& program, std::int32_t width, std::int32_t kept) {
  if (width < 1 || kept < 1) throw std::invalid_argument("a beam has room for one at least");
  if (program.positional()) throw std::invalid_argument("there is no beam for systems that choose a position");
}

// A trained parser.
struct PerceptronModel {
  std::shared_ptr<Program> program;
  ParserDefinition definition;
  LinearModel transitions;
  LinearModel labels;
};

}  // namespace crossarc
