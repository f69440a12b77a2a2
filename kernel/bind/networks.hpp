// What the bindings of all networks share: shapes and tables that are checked, weights as lists of arrays, and the
// state of a learner.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/parsers.hpp"
#include "core/arrays.hpp"
#include "nn/encoder.hpp"
#include "parsers/batch_training.hpp"

namespace crossarc {

using Floats = InputArray<float>;
using FloatArrays = std::vector<NumpyArray<float>>;

// How many values each column of a group has, and the embedding dimension of the group.
using Groups = std::vector<std::tuple<std::vector<std::int32_t>, std::size_t>>;

inline void check_sizes(std::initializer_list<std::size_t> sizes) {
  constexpr std::size_t kLargest = 1 << 14;
  for (const std::size_t size : sizes) {
    if (size < 1 || size > kLargest) throw std::invalid_argument("the sizes of a network are from 1 to 16384");
  }
}

inline void check_share(float share) {
  if (!(share >= 0.0F && share < 1.0F)) throw std::invalid_argument("dropout is a share from 0 to below 1");
}

inline void check_rate(float rate) {
  if (!(rate >= 0.0F && std::isfinite(rate))) throw std::invalid_argument("the learning rate is a number from 0 on");
}

inline void check_word_dropout(float words) {
  if (!(words >= 0.0F && std::isfinite(words))) throw std::invalid_argument("word dropout is a number from 0 on");
}

inline void check_encoder(const EncoderShape& shape) {
  constexpr std::size_t kMostCharacters = 1 << 21;  // as many as Unicode has, and more
  check_sizes({shape.cells});
  if (shape.layers < 1 || shape.layers > 8) throw std::invalid_argument("a network has from 1 to 8 layers");
  if (shape.columns() == 0) throw std::invalid_argument("a network reads at least one column");
  for (const EmbeddingGroup& group : shape.groups) {
    check_sizes({group.dimension});
    for (const std::int32_t values : group.columns) {
      if (values < 3) throw std::invalid_argument("a column has at least three values");
    }
  }
  if (shape.characters.outputs == 0) return;
  check_sizes({shape.characters.outputs, shape.characters.dimension, shape.characters.filters});
  if (shape.characters.characters < 3 || shape.characters.characters > kMostCharacters) {
    throw std::invalid_argument("a network that reads characters has from 3 to 2097152 of them");
  }
}

// An encoder that can be made.
inline EncoderShape to_encoder(const Groups& groups, const CharacterShape& characters, std::size_t layers,
                               std::size_t cells) {
  EncoderShape shape;
  for (const auto& [columns, dimension] : groups) shape.groups.push_back({columns, dimension});
  shape.characters = characters;
  shape.layers = layers;
  shape.cells = cells;
  check_encoder(shape);
  return shape;
}

inline void check_values(const EncoderShape& shape, const SentenceTable& table, std::size_t first, std::size_t last) {
  for (std::size_t word = first; word < last; ++word) {
    const std::uint32_t* value = table.row(word);
    bool fit = true;
    for (const EmbeddingGroup& group : shape.groups) {
      for (const std::int32_t most : group.columns) fit &= *value++ < static_cast<std::uint32_t>(most);
    }
    if (!fit) throw std::invalid_argument("a word has a value that its column does not have");
  }
}

// The forms of words: of each word, and the characters of each form. Empty for models that do not read characters.
using FormTuple = std::tuple<Ids, Offsets, InputArray<std::uint32_t>>;

inline FormTable checked_forms(const EncoderShape& shape, std::size_t words, const FormTuple& forms) {
  const auto& [of_word, offsets, characters] = forms;
  if (shape.characters.outputs == 0) {
    if (of_word.shape(0) > 0) throw std::invalid_argument("the model does not read characters");
    return {};
  }
  check_offsets(to_span(offsets), characters.shape(0));
  const auto count = static_cast<std::int32_t>(offsets.shape(0)) - 1;
  const auto own = to_span(of_word);
  if (own.size() != words ||
      !std::all_of(own.begin(), own.end(), [&](std::int32_t form) { return form >= 0 && form < count; })) {
    throw std::invalid_argument("every word has a form");
  }
  for (const std::uint32_t character : to_span(characters)) {
    if (character >= shape.characters.characters) {
      throw std::invalid_argument("a form has a character that the model does not have");
    }
  }
  return {own, to_span(offsets), characters.data()};
}

// The values of words are not checked yet.
inline SentenceTable network_table(const EncoderShape& shape, const ValueTable& values, const Offsets& word_offsets,
                                   const FormTuple& forms) {
  if (values.shape(1) != shape.columns()) throw std::invalid_argument("the words have other columns");
  SentenceTable table = to_table(values, word_offsets);
  table.forms = checked_forms(shape, values.shape(0), forms);
  return table;
}

inline void check_dropped_columns(const EncoderShape& shape, const ColumnDropout& columns) {
  const std::size_t count = shape.columns();
  if (!columns.families.empty() && columns.empty.size() != count) {
    throw std::invalid_argument("every column has a value for where it is empty");
  }
  for (const std::vector<std::int32_t>& family : columns.families) {
    for (const std::int32_t column : family) {
      if (column < 0 || static_cast<std::size_t>(column) >= count) throw std::invalid_argument("no such column");
    }
  }
}

// Counts of the values of the first columns.
inline void check_counts(const EncoderShape& shape, const std::vector<std::vector<std::int32_t>>& counts) {
  std::size_t column = 0;
  for (const EmbeddingGroup& group : shape.groups) {
    for (const std::int32_t values : group.columns) {
      if (column < counts.size() && counts[column].size() != static_cast<std::size_t>(values)) {
        throw std::invalid_argument("a count is needed for every value of a lexical column");
      }
      for (const std::int32_t count : column < counts.size() ? counts[column] : std::vector<std::int32_t>{}) {
        if (count < 0) throw std::invalid_argument("a count is below 0");
      }
      ++column;
    }
  }
  if (counts.size() > column) throw std::invalid_argument("counts of columns that the network does not have");
}

inline std::vector<std::vector<float>> copied(const std::vector<Floats>& arrays) {
  std::vector<std::vector<float>> all;
  for (const Floats& array : arrays) all.emplace_back(to_span(array).begin(), to_span(array).end());
  return all;
}

inline ValueLists viewed(const std::vector<Floats>& arrays) {
  ValueLists all;
  for (const Floats& array : arrays) all.push_back(to_span(array));
  return all;
}

inline FloatArrays to_arrays(std::vector<std::vector<float>>&& weights) {
  FloatArrays arrays;
  for (std::vector<float>& one : weights) arrays.push_back(to_numpy(std::move(one)));
  return arrays;
}

// Binds what a learner knows, for models and checkpoints.
template <typename Learner>
void bind_memory(nanobind::class_<Learner>& bound) {
  namespace nb = nanobind;
  bound.def(
      "weights", [](const Learner& learner) { return to_arrays(values_of(learner.network().weights())); },
      "All weights, a flat array for each matrix.");
  bound.def(
      "remember",
      [](const Learner& learner) -> std::tuple<std::uint64_t, FloatArrays, FloatArrays, FloatArrays> {
        TrainingMemory memory = learner.remember();
        return {memory.optimiser.steps, to_arrays(std::move(memory.weights)),
                to_arrays(std::move(memory.optimiser.first)), to_arrays(std::move(memory.optimiser.second))};
      },
      "Weights and state of the optimiser, for a checkpoint.");
  bound.def(
      "restore",
      [](Learner& learner, std::uint64_t steps, const std::vector<Floats>& weights, const std::vector<Floats>& first,
         const std::vector<Floats>& second) {
        learner.restore({{steps, copied(first), copied(second)}, copied(weights)});
      },
      nb::arg("steps"), nb::arg("weights"), nb::arg("first"), nb::arg("second"), "Goes on from a checkpoint.");
}

}  // namespace crossarc
