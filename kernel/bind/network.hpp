// What the bindings of all networks share: tables that are checked, dropout, and the state of a learner.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/parsers.hpp"
#include "core/arrays.hpp"
#include "nn/network.hpp"
#include "nn/training.hpp"

namespace crossarc {

using Floats = AlignedArray<const float, nanobind::c_contig, nanobind::device::cpu>;
using NamedFloats = std::map<std::string, Floats>;
// Parameters of eight bits: whole numbers, and a column of scales for their rows or a row of them for their columns.
using Bytes = AlignedArray<const std::int8_t, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;
using Scales = AlignedArray<const float, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;
using NamedBytes = std::map<std::string, std::tuple<Bytes, Scales>>;
// In the order of model files.
using NamedArrays = nanobind::typed<nanobind::dict, std::string, nanobind::ndarray<nanobind::numpy, float>>;

// The forms of words: of each word, and the characters and pieces of each form; what a model does not read is empty.
using FormTuple = std::tuple<Ids, Offsets, InputArray<std::uint32_t>, Offsets, InputArray<std::uint32_t>>;

inline void check_share(float share) {
  if (!(share >= 0.0F && share < 1.0F)) throw std::invalid_argument("dropout is a share from 0 to below 1");
}

inline void check_rate(float rate) {
  if (!(rate >= 0.0F && std::isfinite(rate))) throw std::invalid_argument("the learning rate is a number from 0 on");
}

// The words of sentences as the network takes them.
SentenceTable checked_table(const Network& network, const ValueTable& values, const Offsets& word_offsets,
                            const FormTuple& forms);

// The classes of tags, or what else a word head learns of each word.
void check_targets(const WordHead& head, std::size_t words, std::span<const std::int32_t> targets);

// The dropout of training; `counts` of the values of each lexical column, if rare words alone are left out.
TrainingDropout to_dropout(const Network& network, const EncoderDropout& encoder, float words, float hidden,
                           const ColumnDropout& columns, std::size_t lexical_columns,
                           std::vector<std::vector<std::int32_t>> counts = {});

using StateTuple = std::tuple<std::uint64_t, NamedArrays, NamedArrays, NamedArrays>;
StateTuple to_tuple(const Network& network, TrainingState&& state);
TrainingState to_state(std::uint64_t steps, const NamedFloats& weights, const NamedFloats& first,
                       const NamedFloats& second);

// Binds what a learner knows, for models and checkpoints.
template <typename Learner>
void bind_state(nanobind::class_<Learner>& bound) {
  namespace nb = nanobind;
  bound.def_prop_ro(
      "network", [](Learner& learner) { return learner.training().shared_network(); }, "What is learnt, in place.");
  bound.def(
      "state_dict", [](Learner& learner) { return to_tuple(learner.training().network(), learner.training().state()); },
      "Steps, weights and the two moments of their gradients, by the names of parameters, for a checkpoint.");
  bound.def(
      "load_state_dict",
      [](Learner& learner, std::uint64_t steps, const NamedFloats& weights, const NamedFloats& first,
         const NamedFloats& second) { learner.training().set_state(to_state(steps, weights, first, second)); },
      nb::arg("steps"), nb::arg("weights"), nb::arg("first"), nb::arg("second"), "Goes on from a checkpoint.");
}

}  // namespace crossarc
