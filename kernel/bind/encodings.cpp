#include "encodings/encodings.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "bind/arrays.hpp"
#include "core/arrays.hpp"

namespace nb = nanobind;

namespace crossarc {
namespace {

using Ids = InputArray<std::int32_t>;
using Flags = InputArray<std::uint8_t>;
using Offsets = InputArray<std::int64_t>;
// The sentence, from 0, what is wrong with its heads, and the words it concerns.
using Fault = std::tuple<std::int64_t, TreeFaultKind, std::vector<std::int32_t>>;

void check_length(std::size_t length, std::size_t words) {
  if (length != words) throw std::invalid_argument("every column needs a value for each word");
}

template <typename Result>
std::optional<Fault> to_fault(Result& result) {
  if (result.faulty_sentence < 0) return std::nullopt;
  return Fault(result.faulty_sentence, result.fault.kind, std::move(result.fault.words));
}

std::tuple<NumpyArray<std::int32_t>, NumpyArray<std::uint8_t>, std::optional<Fault>> lift_heads(
    const Ids& heads, const Offsets& word_offsets, LiftOrder order, CoveredRoots covered_roots, int threads) {
  check_offsets(to_span(word_offsets), heads.shape(0));
  check_threads(threads);
  const LiftOptions options{order, covered_roots};
  LiftedTreebank result;
  {
    const WithoutPython work;
    result = lift_treebank(to_span(heads), to_span(word_offsets), options, threads);
  }
  auto fault = to_fault(result);
  return {to_numpy(std::move(result.heads)), to_numpy(std::move(result.marks)), std::move(fault)};
}

std::tuple<NumpyArray<std::int32_t>, NumpyArray<std::uint8_t>, std::optional<Fault>> lower_heads(
    const Ids& heads, const Ids& labels, const Ids& head_labels, const Flags& marks, const Offsets& word_offsets,
    Scheme scheme, Search search, int threads) {
  check_offsets(to_span(word_offsets), heads.shape(0));
  check_length(labels.shape(0), heads.shape(0));
  check_length(head_labels.shape(0), heads.shape(0));
  check_length(marks.shape(0), heads.shape(0));
  check_threads(threads);
  LoweredTreebank result;
  {
    const WithoutPython work;
    const MarkedTree trees{to_span(heads), to_span(labels), to_span(head_labels), to_span(marks)};
    result = lower_treebank(trees, to_span(word_offsets), scheme, search, threads);
  }
  auto fault = to_fault(result);
  return {to_numpy(std::move(result.heads)), to_numpy(std::move(result.missed)), std::move(fault)};
}

// The links of all sentences, checked to be in the range of their words.
std::vector<Link> checked_links(const Ids& left, const Ids& right, const Flags& directions, const Offsets& link_offsets,
                                const Offsets& word_offsets) {
  if (right.shape(0) != left.shape(0) || directions.shape(0) != left.shape(0)) {
    throw std::invalid_argument("as many left as right ends and directions are needed");
  }
  check_offsets(to_span(link_offsets), left.shape(0));
  const auto words = to_span(word_offsets);
  const auto offsets = to_span(link_offsets);
  if (words.empty() || words.back() < 0) throw std::invalid_argument("offsets begin with 0");
  check_offsets(words, static_cast<std::size_t>(words.back()));
  if (offsets.size() != words.size()) throw std::invalid_argument("as many sentences of links as of words are needed");
  std::vector<Link> links(left.shape(0));
  for (std::size_t sentence = 0; sentence + 1 < words.size(); ++sentence) {
    const std::int64_t last_word = words[sentence + 1] - words[sentence];
    if (last_word >= std::numeric_limits<std::int32_t>::max()) throw std::invalid_argument("a sentence is too long");
    for (auto link = static_cast<std::size_t>(offsets[sentence]);
         link < static_cast<std::size_t>(offsets[sentence + 1]); ++link) {
      const auto direction = to_span(directions)[link];
      links[link] = {to_span(left)[link], to_span(right)[link], static_cast<Direction>(direction)};
      if (links[link].left < 0 || links[link].left >= links[link].right || links[link].right > last_word) {
        throw std::invalid_argument("link " + std::to_string(link) + " does not join two words of its sentence, " +
                                    "the left one first");
      }
      if (direction > 2) throw std::invalid_argument("a direction is 0 (none), 1 (left) or 2 (right)");
    }
  }
  return links;
}

// The heads, the link that each arc goes along (-1: none), and the first sentence whose links have a cycle.
std::tuple<NumpyArray<std::int32_t>, NumpyArray<std::int64_t>, std::optional<std::int64_t>> reconstruct_heads(
    const Ids& left, const Ids& right, const Flags& directions, const Offsets& link_offsets,
    const Offsets& word_offsets, Reconstruction reconstruction, int threads) {
  const std::vector<Link> links = checked_links(left, right, directions, link_offsets, word_offsets);
  check_threads(threads);
  ReconstructedTreebank result;
  {
    const WithoutPython work;
    result = reconstruct_treebank(links, to_span(link_offsets), to_span(word_offsets), reconstruction, threads);
  }
  std::optional<std::int64_t> faulty;
  if (result.faulty_sentence >= 0) faulty = result.faulty_sentence;
  return {to_numpy(std::move(result.heads)), to_numpy(std::move(result.link_of)), faulty};
}

}  // namespace

void bind_encodings(nb::module_& module) {
  nb::enum_<Mark>(module, "Mark", nb::is_arithmetic(), "What lifting marks an arc with; marks add up.")
      .value("lifted", kLifted)
      .value("on_path", kOnPath)
      .value("covered_root", kCoveredRoot);
  nb::enum_<LiftOrder>(module, "LiftOrder", "Which non-projective arc is lifted first.")
      .value("shortest", LiftOrder::kShortest)
      .value("deepest", LiftOrder::kDeepest);
  nb::enum_<CoveredRoots>(module, "CoveredRoots", "What covered roots are attached to.")
      .value("none", CoveredRoots::kNone)
      .value("left", CoveredRoots::kLeft)
      .value("right", CoveredRoots::kRight)
      .value("head", CoveredRoots::kHead);
  nb::enum_<Scheme>(module, "Scheme", "What labels say of a lifted arc.")
      .value("head", Scheme::kHead)
      .value("path", Scheme::kPath)
      .value("head_path", Scheme::kHeadPath);
  nb::enum_<Search>(module, "Search", "How the former head of a lifted arc is searched for.")
      .value("careful", Search::kCareful)
      .value("first", Search::kFirst);
  nb::enum_<Reconstruction>(module, "Reconstruction", "How links become arcs.")
      .value("label", Reconstruction::kLabel)
      .value("label_strict", Reconstruction::kLabelStrict)
      .value("naive", Reconstruction::kNaive);
  nb::enum_<Direction>(module, "Direction", nb::is_arithmetic(), "Which way a link was marked to go.")
      .value("none", Direction::kNone)
      .value("left", Direction::kLeft)
      .value("right", Direction::kRight);
  module.def("lift", &lift_heads, nb::arg("heads"), nb::arg("word_offsets"), nb::arg("order"), nb::arg("covered_roots"),
             nb::arg("threads"),
             "Projective heads, the Marks of each arc, and the first sentence whose heads are not a tree.");
  module.def("lower", &lower_heads, nb::arg("heads"), nb::arg("labels"), nb::arg("head_labels"), nb::arg("marks"),
             nb::arg("word_offsets"), nb::arg("scheme"), nb::arg("search"), nb::arg("threads"),
             "Heads with marked arcs moved back, 1 for each arc whose head was not found, and the first sentence whose "
             "heads are not a tree.");
  module.def("reconstruct", &reconstruct_heads, nb::arg("left"), nb::arg("right"), nb::arg("directions"),
             nb::arg("link_offsets"), nb::arg("word_offsets"), nb::arg("reconstruction"), nb::arg("threads"),
             "Heads, the link that each arc goes along (-1: none), and the first sentence whose links have a cycle.");
}

}  // namespace crossarc
