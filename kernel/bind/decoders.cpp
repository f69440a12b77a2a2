#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "bind/arrays.hpp"
#include "decoders/batch.hpp"

namespace nb = nanobind;

namespace crossarc {
namespace {

template <typename Score>
using Matrix = AlignedArray<const Score, nb::ndim<2>, nb::device::cpu>;
template <typename Score>
using ScoreArray = AlignedArray<const Score, nb::device::cpu>;
template <typename Score>
using Views = std::vector<ScoreView<Score>>;
using Words = InputArray<std::int64_t>;
// The sentence, from 0, what is wrong with it, and the head and the dependent it concerns.
using Fault = std::optional<std::tuple<std::int64_t, ScoreFault, std::int32_t, std::int32_t>>;
// The heads of all trees one after the other, their scores, and how many trees each sentence has.
using Trees = std::tuple<NumpyArray<std::int32_t>, NumpyArray<double>, NumpyArray<std::int64_t>, Fault>;
using Sums = std::tuple<NumpyArray<double>, NumpyArray<double>, Fault>;

constexpr std::int64_t kMostWords = 8191;
constexpr std::size_t kMostTrees = 1 << 20;
constexpr std::size_t kMostHeads = 1 << 30;

[[noreturn]] void refuse(std::size_t sentence, const std::string& why) {
  throw std::invalid_argument("sentence " + std::to_string(sentence + 1) + ": " + why);
}

std::int32_t checked_words(std::int64_t words, std::size_t sentence) {
  if (words < 0) refuse(sentence, std::to_string(words) + " words: a number of words is 0 or more");
  if (words > kMostWords) refuse(sentence, "a sentence has at most 8,191 words");
  return static_cast<std::int32_t>(words);
}

// A list of matrices.
template <typename Score>
Views<Score> views_of(const std::vector<Matrix<Score>>& matrices) {
  Views<Score> views;
  views.reserve(matrices.size());
  for (const Matrix<Score>& matrix : matrices) {
    if (matrix.shape(0) != matrix.shape(1) || matrix.shape(0) == 0) {
      refuse(views.size(), "scores are a square matrix of one row more than there are words");
    }
    const std::int32_t words = checked_words(static_cast<std::int64_t>(matrix.shape(0)) - 1, views.size());
    views.push_back({matrix.data(), static_cast<std::ptrdiff_t>(matrix.stride(0)),
                     static_cast<std::ptrdiff_t>(matrix.stride(1)), words});
  }
  return views;
}

// Scores of crossed arcs lie as the scores of the others do.
template <typename Score>
void add_crossed(Views<Score>& views, const std::vector<Matrix<Score>>& crossed) {
  if (crossed.size() != views.size()) throw std::invalid_argument("each matrix needs one of crossed arcs");
  for (std::size_t index = 0; index < views.size(); ++index) {
    ScoreView<Score>& view = views[index];
    const Matrix<Score>& matrix = crossed[index];
    const auto width = static_cast<std::size_t>(view.words) + 1;
    if (matrix.shape(0) != width || matrix.shape(1) != width || matrix.stride(0) != view.head_stride ||
        matrix.stride(1) != view.dependent_stride) {
      refuse(index, "the scores of crossed arcs have another shape or order than the scores");
    }
    view.crossed = matrix.data();
  }
}

// Matrices one after the other in one array.
template <typename Score>
Views<Score> flat_views(const ScoreArray<Score>& scores, std::span<const std::int64_t> lengths) {
  Views<Score> views;
  views.reserve(lengths.size());
  std::size_t start = 0;
  const auto stride = static_cast<std::ptrdiff_t>(scores.stride(0));
  for (const std::int64_t length : lengths) {
    const std::int32_t words = checked_words(length, views.size());
    const std::size_t width = static_cast<std::size_t>(words) + 1;
    if (scores.shape(0) - start < width * width) refuse(views.size(), "the scores end before its matrix does");
    views.push_back({scores.data() + static_cast<std::ptrdiff_t>(start) * stride,
                     static_cast<std::ptrdiff_t>(width) * stride, stride, words});
    start += width * width;
  }
  const std::size_t rest = scores.shape(0) - start;
  if (rest != 0) throw std::invalid_argument(std::to_string(rest) + " scores are left over after the last sentence");
  return views;
}

// Padded matrices in an array of three axes.
template <typename Score>
Views<Score> padded_views(const ScoreArray<Score>& scores, std::span<const std::int64_t> lengths) {
  if (lengths.size() != scores.shape(0)) {
    throw std::invalid_argument(std::to_string(lengths.size()) + " lengths for " + std::to_string(scores.shape(0)) +
                                " matrices");
  }
  const auto most = static_cast<std::int64_t>(std::min(scores.shape(1), scores.shape(2))) - 1;
  Views<Score> views;
  views.reserve(lengths.size());
  for (const std::int64_t length : lengths) {
    const std::int32_t words = checked_words(length, views.size());
    if (words > most) {
      refuse(views.size(), std::to_string(words) + " words do not fit into scores for " + std::to_string(most));
    }
    views.push_back({scores.data() + static_cast<std::ptrdiff_t>(views.size()) * scores.stride(0),
                     static_cast<std::ptrdiff_t>(scores.stride(1)), static_cast<std::ptrdiff_t>(scores.stride(2)),
                     words});
  }
  return views;
}

template <typename Score>
Views<Score> views_of(const ScoreArray<Score>& scores, const Words& lengths) {
  if (scores.ndim() == 1) return flat_views<Score>(scores, to_span(lengths));
  if (scores.ndim() == 3) return padded_views<Score>(scores, to_span(lengths));
  throw std::invalid_argument("the scores of a batch are one flat array or one of three axes, not of " +
                              std::to_string(scores.ndim()));
}

Fault to_python(const BatchFault& fault) {
  if (fault.sentence < 0) return std::nullopt;
  return Fault({fault.sentence, fault.kind, fault.head, fault.dependent});
}

Trees to_python(TreeBatch&& batch) {
  return {to_numpy(std::move(batch.heads)), to_numpy(std::move(batch.totals)), to_numpy(std::move(batch.counts)),
          to_python(batch.fault)};
}

// The scores of some sentences, as they lie in the arrays of the caller, which are kept.
class ScoreMatrices {
 private:
  // use(span of views), with the interpreter free meanwhile.
  template <typename Use>
  auto without_python(Use&& use) const {
    const WithoutPython work;
    return std::visit([&](const auto& views) { return use(std::span(views)); }, views_);
  }

 public:
  template <typename Score>
  static void from_list(ScoreMatrices* self, std::vector<Matrix<Score>> matrices,
                        std::optional<std::vector<Matrix<Score>>> crossed) {
    Views<Score> views = views_of(matrices);
    if (crossed) add_crossed(views, *crossed);
    new (self) ScoreMatrices(std::move(views));
    if (crossed) matrices.insert(matrices.end(), crossed->begin(), crossed->end());
    self->owner_ = std::make_shared<std::vector<Matrix<Score>>>(std::move(matrices));
  }
  template <typename Score>
  static void from_array(ScoreMatrices* self, const ScoreArray<Score>& scores, const Words& lengths) {
    new (self) ScoreMatrices(views_of<Score>(scores, lengths));
    self->owner_ = std::make_shared<ScoreArray<Score>>(scores);
  }

  // The heads of all trees one after the other, and their scores.
  std::tuple<NumpyArray<std::int32_t>, NumpyArray<double>, Fault> decode(const DecodeOptions& options,
                                                                         int threads) const {
    check_threads(threads);
    TreeBatch batch = without_python([&](auto views) { return decode_batch(views, options, threads); });
    return {to_numpy(std::move(batch.heads)), to_numpy(std::move(batch.totals)), to_python(batch.fault)};
  }

  Trees k_best(const DecodeOptions& options, std::size_t k, int threads) const {
    check_threads(threads);
    if (k == 0 || k > kMostTrees) throw std::invalid_argument("from 1 to 1048576 trees can be asked for");
    return to_python(without_python([&](auto views) { return rank_batch(views, options, k, threads); }));
  }

  Trees sample(const DecodeOptions& options, std::size_t count, std::uint64_t seed, int threads) const {
    check_threads(threads);
    // The heads of all trees are held at once.
    const std::size_t words = std::visit(
        [](const auto& views) {
          std::size_t sum = 1;
          for (const auto& view : views) sum += static_cast<std::size_t>(view.words);
          return sum;
        },
        views_);
    if (count > kMostHeads / words)
      throw std::invalid_argument("the trees that are drawn at once have at most 2^30 words");
    return to_python(without_python([&](auto views) { return sample_batch(views, options, count, seed, threads); }));
  }

  Sums sum(const DecodeOptions& options, bool marginals, int threads) const {
    check_threads(threads);
    SumBatch batch = without_python([&](auto views) { return sum_batch(views, options, marginals, threads); });
    return {to_numpy(std::move(batch.sums)), to_numpy(std::move(batch.probabilities)), to_python(batch.fault)};
  }

  // Of the first sentence.
  std::tuple<std::uint64_t, Fault> count(const DecodeOptions& options, std::uint64_t prime) const {
    if (prime < 2 || prime >= (std::uint64_t{1} << 31)) throw std::invalid_argument("the prime must be below 2^31");
    BatchFault fault;
    const std::uint64_t trees = without_python([&](auto views) {
      if (views.size() != 1) throw std::invalid_argument("trees are counted for one sentence at a time");
      return count_checked(views[0], options, prime, fault);
    });
    return {trees, to_python(fault)};
  }

 private:
  template <typename Score>
  explicit ScoreMatrices(Views<Score>&& views) : views_(std::move(views)) {}

  std::variant<Views<float>, Views<double>> views_;
  std::shared_ptr<void> owner_;  // of what the views show
};

template <typename Score>
void bind_constructors(nb::class_<ScoreMatrices>& matrices) {
  matrices.def("__init__", &ScoreMatrices::from_list<Score>, nb::arg("matrices"), nb::arg("crossed") = nb::none())
      .def("__init__", &ScoreMatrices::from_array<Score>, nb::arg("scores"), nb::arg("lengths"));
}

}  // namespace

void bind_decoders(nb::module_& module) {
  nb::enum_<TreeClass>(module, "TreeClass", "A class of trees that has an exact decoder.")
      .value("projective", TreeClass::kProjective)
      .value("one_endpoint_crossing", TreeClass::kOneEndpointCrossing)
      .value("spanning_tree", TreeClass::kSpanningTree);
  nb::enum_<LongSentences>(module, "LongSentences",
                           "What a sentence too long for the chart of 1-endpoint-crossing trees gets.")
      .value("exact", LongSentences::kExact)
      .value("projective", LongSentences::kProjective)
      .value("spanning_tree", LongSentences::kSpanningTree);
  nb::class_<DecodeOptions>(module, "DecodeOptions", "Which trees are looked for.")
      .def(
          "__init__",
          [](DecodeOptions* self, TreeClass tree_class, bool single_root, bool root_arcs, bool pruned,
             LongSentences long_sentences) {
            new (self) DecodeOptions{tree_class, single_root, root_arcs, pruned, long_sentences};
          },
          nb::arg("tree_class"), nb::arg("single_root") = false, nb::arg("root_arcs") = true, nb::arg("pruned") = true,
          nb::arg("long_sentences") = LongSentences::kExact)
      .def_ro("tree_class", &DecodeOptions::tree_class)
      .def_ro("single_root", &DecodeOptions::single_root);
  nb::enum_<ScoreFault>(module, "ScoreFault", "Why there is no best tree for scores.")
      .value("not_a_number", ScoreFault::kNotANumber)
      .value("infinite", ScoreFault::kInfinite)
      .value("infeasible", ScoreFault::kInfeasible);
  nb::class_<ScoreMatrices> matrices(
      module, "ScoreMatrices",
      "Scores of arcs of some sentences: a list of matrices, one array of them one after the other, or a padded one.");
  bind_constructors<float>(matrices);
  bind_constructors<double>(matrices);
  const nb::arg options("options"), threads("threads");
  matrices
      .def("decode", &ScoreMatrices::decode, options, threads,
           "The heads of the best trees one after the other, and their scores.")
      .def("k_best", &ScoreMatrices::k_best, options, nb::arg("k"), threads,
           "The heads of the k best trees one after the other, their scores, and how many trees each sentence has.")
      .def("sample", &ScoreMatrices::sample, options, nb::arg("count"), nb::arg("seed"), threads,
           "The heads of random trees one after the other, their scores, and how many trees each sentence has.")
      .def("sum", &ScoreMatrices::sum, options, nb::arg("marginals"), threads,
           "The logarithms of the sums over all trees, and the probabilities of arcs if marginals is set: with scores "
           "of "
           "crossed arcs, for each sentence those of uncrossed arcs and then those of crossed ones.")
      .def("count", &ScoreMatrices::count, options, nb::arg("prime"),
           "The number of trees of one sentence whose arcs are possible, modulo a prime.");
}

}  // namespace crossarc
