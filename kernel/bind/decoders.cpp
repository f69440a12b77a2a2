#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "bind/arrays.hpp"
#include "decoders/batch.hpp"
#include "decoders/projective/projective_batch.hpp"
#include "decoders/tree_decoder.hpp"
#include "decoders/tree_sums.hpp"

namespace nb = nanobind;

namespace crossarc {
namespace {

template <typename Score>
using Matrix = nb::ndarray<const Score, nb::ndim<2>, nb::device::cpu>;
using Heads = NumpyArray<std::int32_t>;
using Numbers = NumpyArray<double>;
// The sentence, from 0, what is wrong with it, and the head and the dependent it concerns.
using Fault = std::optional<std::tuple<std::int64_t, std::string, std::int32_t, std::int32_t>>;

constexpr std::size_t kMostWords = 8191;
constexpr std::size_t kSideBySide = 3;  // as many sentences are faster side by side than one by one

template <typename Score>
ScoreView<Score> checked_view(const Matrix<Score>& matrix) {
  if (matrix.shape(0) != matrix.shape(1) || matrix.shape(0) == 0) {
    throw std::invalid_argument("scores are a square matrix of one row more than there are words");
  }
  if (matrix.shape(0) > kMostWords + 1) throw std::invalid_argument("a sentence has at most 8,191 words");
  return {matrix.data(), static_cast<std::ptrdiff_t>(matrix.stride(0)), static_cast<std::ptrdiff_t>(matrix.stride(1)),
          static_cast<std::int32_t>(matrix.shape(0)) - 1};
}

template <typename Score>
std::vector<ScoreView<Score>> checked_views(const std::vector<Matrix<Score>>& matrices) {
  std::vector<ScoreView<Score>> views;
  views.reserve(matrices.size());
  for (const Matrix<Score>& matrix : matrices) views.push_back(checked_view(matrix));
  return views;
}

DecodeOptions checked_options(int tree_class, bool single_root, bool root_arcs) {
  if (tree_class < 0 || tree_class > static_cast<int>(TreeClass::kSpanningTree)) {
    throw std::invalid_argument("no such class of trees");
  }
  return {static_cast<TreeClass>(tree_class), single_root, root_arcs, true};
}

Fault to_python(const BatchFault& fault) {
  if (fault.sentence < 0) return std::nullopt;
  constexpr const char* kNames[] = {"", "nan", "infinite", "infeasible"};
  return Fault({fault.sentence, kNames[static_cast<std::size_t>(fault.kind)], fault.head, fault.dependent});
}

template <typename Score>
std::vector<std::size_t> starts(const std::vector<ScoreView<Score>>& views, bool squares) {
  std::vector<std::size_t> offsets{0};
  for (const ScoreView<Score>& view : views) {
    const auto words = static_cast<std::size_t>(view.words);
    offsets.push_back(offsets.back() + (squares ? (words + 1) * (words + 1) : words));
  }
  return offsets;
}

template <typename Score>
BatchFault decode_all(const std::vector<ScoreView<Score>>& views, const DecodeOptions& options, int threads,
                      std::span<const std::span<std::int32_t>> heads, std::span<double> scores) {
  if (options.tree_class == TreeClass::kProjective && views.size() >= kSideBySide) {
    return decode_projective<Score>(views, options.single_root, options.pruned, threads, heads, scores);
  }
  const auto task = [&](std::size_t index, const IncomingScores& incoming, TreeDecoder<Score>& decoder) {
    if (!decoder.decode(incoming, options, heads[index])) return false;
    scores[index] = incoming.sum(heads[index]);
    return true;
  };
  return for_each_sentence<TreeDecoder<Score>>(std::span(views), threads, task);
}

// The heads of all sentences, one after the other, and their scores.
template <typename Score>
std::tuple<Heads, Numbers, Fault> decode(const std::vector<Matrix<Score>>& matrices, int tree_class, bool single_root,
                                         bool root_arcs, bool pruned, int threads) {
  const std::vector<ScoreView<Score>> views = checked_views(matrices);
  DecodeOptions options = checked_options(tree_class, single_root, root_arcs);
  options.pruned = pruned;
  const std::vector<std::size_t> offsets = starts(views, false);
  std::vector<std::int32_t> heads(offsets.back());
  std::vector<double> scores(views.size());
  std::vector<std::span<std::int32_t>> own;
  for (const std::size_t start : std::span(offsets).first(views.size())) {
    own.emplace_back(heads.data() + start, static_cast<std::size_t>(views[own.size()].words));
  }
  BatchFault fault;
  {
    const nb::gil_scoped_release release;
    fault = decode_all(views, options, threads, own, scores);
  }
  return {to_numpy(std::move(heads)), to_numpy(std::move(scores)), to_python(fault)};
}

struct Nothing {};

// The logarithms of the sums; and with `marginals` the probabilities of all arcs, matrix after matrix, as the scores.
std::tuple<Numbers, Numbers, Fault> sum_all(const std::vector<Matrix<double>>& matrices, int tree_class,
                                            bool single_root, bool root_arcs, bool marginals, int threads) {
  const std::vector<ScoreView<double>> views = checked_views(matrices);
  const DecodeOptions options = checked_options(tree_class, single_root, root_arcs);
  const std::vector<std::size_t> offsets = starts(views, true);
  std::vector<double> sums(views.size());
  std::vector<double> probabilities(marginals ? offsets.back() : 0);
  BatchFault fault;
  {
    const nb::gil_scoped_release release;
    const auto task = [&](std::size_t index, const IncomingScores& incoming, std::vector<double>& own) {
      sums[index] = sum_trees(incoming, options, marginals ? &own : nullptr);
      if (sums[index] == kForbidden) return !marginals;
      for (std::size_t place = 0; marginals && place < own.size(); ++place) {
        const std::size_t width = incoming.width();
        probabilities[offsets[index] + place % width * width + place / width] = own[place];
      }
      return true;
    };
    fault = for_each_sentence<std::vector<double>>(std::span<const ScoreView<double>>(views), threads, task);
  }
  return {to_numpy(std::move(sums)), to_numpy(std::move(probabilities)), to_python(fault)};
}

// One sentence: what use(scores) does with it; false if there is no tree.
template <typename Use>
Fault with_scores(const Matrix<double>& matrix, Use&& use) {
  const ScoreView<double> view = checked_view(matrix);
  const nb::gil_scoped_release release;
  return to_python(
      for_each_sentence<Nothing>(std::span<const ScoreView<double>>(&view, 1), 1,
                                 [&](std::size_t, const IncomingScores& incoming, Nothing&) { return use(incoming); }));
}

std::tuple<Heads, Fault> sample(const Matrix<double>& matrix, int tree_class, bool single_root, bool root_arcs,
                                std::size_t count, std::uint64_t seed) {
  const DecodeOptions options = checked_options(tree_class, single_root, root_arcs);
  std::vector<std::int32_t> heads;
  const Fault fault = with_scores(matrix, [&](const IncomingScores& incoming) {
    heads = sample_trees(incoming, options, count, seed);
    return count == 0 || incoming.words() == 0 || !heads.empty();
  });
  return {to_numpy(std::move(heads)), fault};
}

std::tuple<Heads, Numbers, Fault> k_best(const Matrix<double>& matrix, int tree_class, bool single_root, bool root_arcs,
                                         std::size_t k) {
  const DecodeOptions options = checked_options(tree_class, single_root, root_arcs);
  if (k == 0) throw std::invalid_argument("at least one tree must be asked for");
  RankedTrees ranked;
  const Fault fault = with_scores(matrix, [&](const IncomingScores& incoming) {
    ranked = find_k_best(incoming, options, k);
    return !ranked.scores.empty();
  });
  return {to_numpy(std::move(ranked.heads)), to_numpy(std::move(ranked.scores)), fault};
}

std::tuple<std::uint64_t, Fault> count(const Matrix<double>& matrix, int tree_class, bool single_root, bool root_arcs,
                                       std::uint64_t prime) {
  const DecodeOptions options = checked_options(tree_class, single_root, root_arcs);
  if (prime < 2 || prime >= (std::uint64_t{1} << 31)) throw std::invalid_argument("the prime must be below 2^31");
  std::uint64_t trees = 0;
  const Fault fault = with_scores(matrix, [&](const IncomingScores& incoming) {
    trees = count_trees(incoming, options, prime);
    return true;
  });
  return {trees, fault};
}

}  // namespace

void bind_decoders(nb::module_& module) {
  module.def("decode", &decode<float>, nb::arg("matrices"), nb::arg("tree_class"), nb::arg("single_root"),
             nb::arg("root_arcs"), nb::arg("pruned"), nb::arg("threads"));
  module.def("decode", &decode<double>, nb::arg("matrices"), nb::arg("tree_class"), nb::arg("single_root"),
             nb::arg("root_arcs"), nb::arg("pruned"), nb::arg("threads"));
  module.def("sum_trees", &sum_all, nb::arg("matrices"), nb::arg("tree_class"), nb::arg("single_root"),
             nb::arg("root_arcs"), nb::arg("marginals"), nb::arg("threads"));
  module.def("sample_trees", &sample, nb::arg("matrix"), nb::arg("tree_class"), nb::arg("single_root"),
             nb::arg("root_arcs"), nb::arg("count"), nb::arg("seed"));
  module.def("k_best_trees", &k_best, nb::arg("matrix"), nb::arg("tree_class"), nb::arg("single_root"),
             nb::arg("root_arcs"), nb::arg("k"));
  module.def("count_trees", &count, nb::arg("matrix"), nb::arg("tree_class"), nb::arg("single_root"),
             nb::arg("root_arcs"), nb::arg("prime"));
}

}  // namespace crossarc
