// Charts and the spanning tree against all trees of small sentences: the best one, sums, probabilities, numbers and
// ranks. A tree is projective if no two arcs cross, 1-Endpoint-Crossing if all arcs that cross an arc share an endpoint
// (2013 TACL, Definition 2); both are checked arc by arc here.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "check.hpp"
#include "core/random.hpp"
#include "decoders/batch.hpp"
#include "decoders/chart/chart.hpp"
#include "decoders/one_endpoint/crossing_chart.hpp"
#include "decoders/projective/eisner_chart.hpp"
#include "decoders/spanning/spanning_tree.hpp"
#include "decoders/tree_decoder.hpp"

namespace crossarc {
namespace {

using Heads = std::vector<std::int32_t>;

constexpr std::int32_t kMostWords = 5;

bool is_tree(const Heads& heads) {
  for (std::size_t word = 1; word <= heads.size(); ++word) {
    std::size_t above = word;
    for (std::size_t steps = 0; above != 0; ++steps) {
      if (steps > heads.size()) return false;
      above = static_cast<std::size_t>(heads[above - 1]);
    }
  }
  return true;
}

struct Span {
  std::int32_t left;
  std::int32_t right;
};

bool cross(const Span& a, const Span& b) {
  return (a.left < b.left && b.left < a.right && a.right < b.right) ||
         (b.left < a.left && a.left < b.right && b.right < a.right);
}

bool touches(const Span& arc, std::int32_t word) { return arc.left == word || arc.right == word; }

bool is_of_class(const Heads& heads, const DecodeOptions& options) {
  if (options.single_root && std::count(heads.begin(), heads.end(), 0) != 1) return false;
  if (options.tree_class == TreeClass::kSpanningTree) return true;
  std::vector<Span> arcs;
  for (std::int32_t word = 1; word <= static_cast<std::int32_t>(heads.size()); ++word) {
    const std::int32_t head = heads[static_cast<std::size_t>(word) - 1];
    if (head > 0 || options.root_arcs) arcs.push_back({std::min(head, word), std::max(head, word)});
  }
  for (const Span& arc : arcs) {
    std::vector<Span> crossing;
    std::copy_if(arcs.begin(), arcs.end(), std::back_inserter(crossing),
                 [&](const Span& other) { return cross(arc, other); });
    if (crossing.empty()) continue;
    if (options.tree_class == TreeClass::kProjective) return false;
    const auto all_touch = [&](std::int32_t word) {
      return std::all_of(crossing.begin(), crossing.end(), [&](const Span& one) { return touches(one, word); });
    };
    if (!all_touch(crossing.front().left) && !all_touch(crossing.front().right)) return false;
  }
  return true;
}

// All assignments of heads that are trees.
std::vector<Heads> all_trees(std::int32_t words) {
  std::vector<Heads> found;
  Heads heads(static_cast<std::size_t>(words), 0);
  while (true) {
    const bool loop = [&] {
      for (std::size_t word = 0; word < heads.size(); ++word) {
        if (heads[word] == static_cast<std::int32_t>(word) + 1) return true;
      }
      return false;
    }();
    if (!loop && is_tree(heads)) found.push_back(heads);
    std::size_t place = 0;
    while (place < heads.size() && heads[place] == words) heads[place++] = 0;
    if (place == heads.size()) return found;
    ++heads[place];
  }
}

const std::vector<Heads>& trees_of(std::int32_t words) {
  static const std::vector<std::vector<Heads>> all = [] {
    std::vector<std::vector<Heads>> trees;
    for (std::int32_t count = 0; count <= kMostWords; ++count) trees.push_back(all_trees(count));
    return trees;
  }();
  return all[static_cast<std::size_t>(words)];
}

// A score matrix by head and dependent, some arcs of which may be forbidden.
struct Example {
  std::int32_t words;
  std::vector<double> matrix;

  ScoreView<double> view() const { return {matrix.data(), words + 1, 1, words}; }
  IncomingScores scores() const {
    IncomingScores loaded;
    loaded.load(view());
    return loaded;
  }
  double score(const Heads& heads) const { return view().sum(heads); }
};

enum class Scores { kReal, kTied, kForbidding };

Example example(std::int32_t words, Scores kind, Random& random) {
  const auto width = static_cast<std::size_t>(words) + 1;
  Example made{words, std::vector<double>(width * width)};
  for (double& value : made.matrix) {
    value = kind == Scores::kTied ? std::floor(3 * random.unit()) : 4 * random.unit() - 2;
    if (kind == Scores::kForbidding && random.unit() < 0.45) value = kForbidden;
  }
  return made;
}

// Calls use(example, options) for scores of all kinds and all options that there are.
template <typename Use>
void for_each_case(int examples, Use&& use) {
  Random random(11);
  for (std::int32_t words = 0; words <= kMostWords; ++words) {
    for (const Scores kind : {Scores::kReal, Scores::kTied, Scores::kForbidding}) {
      for (int repeat = 0; repeat < (words < 2 ? 1 : examples); ++repeat) {
        const Example one = example(words, kind, random);
        for (const TreeClass tree_class :
             {TreeClass::kProjective, TreeClass::kOneEndpointCrossing, TreeClass::kSpanningTree}) {
          for (const bool single_root : {false, true}) {
            use(one, DecodeOptions{tree_class, single_root, true, true});
            if (tree_class == TreeClass::kOneEndpointCrossing) {
              use(one, DecodeOptions{tree_class, single_root, false, true});
            }
          }
        }
      }
    }
  }
}

// The scores of all trees of a class whose arcs are allowed, best first.
std::vector<double> ranked_scores(const Example& one, const DecodeOptions& options) {
  std::vector<double> scores;
  for (const Heads& heads : trees_of(one.words)) {
    const double score = one.score(heads);
    // The sentence without words has one tree, which has no root.
    const bool counts = one.words == 0 || is_of_class(heads, options);
    if (counts && score != kForbidden) scores.push_back(score);
  }
  std::sort(scores.rbegin(), scores.rend());
  return scores;
}

template <typename Score>
void check_best(const Example& one, const DecodeOptions& options, const std::vector<double>& ranked, double tolerance) {
  TreeDecoder<Score> decoder;
  Heads heads(static_cast<std::size_t>(one.words), -1);
  const bool found = decoder.decode(one.scores(), options, heads);
  CHECK(found == !ranked.empty());
  if (!found || one.words == 0) return;
  CHECK(is_tree(heads) && is_of_class(heads, options));
  CHECK_NEAR(one.score(heads), ranked.front(), tolerance);
}

// What is too long for the chart of the class depends on what the chart is for.
constexpr DecodeOptions kLimited{TreeClass::kOneEndpointCrossing, false, true, true, LongSentences::kProjective};
static_assert(fits_chart(kLimited, 120, ChartUse::kBest) && !fits_chart(kLimited, 121, ChartUse::kBest));
static_assert(fits_chart(kLimited, 56, ChartUse::kRanked) && !fits_chart(kLimited, 57, ChartUse::kRanked));
static_assert(fits_chart(kLimited, 64, ChartUse::kSums) && !fits_chart(kLimited, 65, ChartUse::kSums));
static_assert(fitted(kLimited, 65, ChartUse::kSums).tree_class == TreeClass::kProjective);
static_assert(fits_chart({TreeClass::kOneEndpointCrossing}, 1000, ChartUse::kSums));

TEST(numbers_of_small_trees) {
  // Cayley: (n + 1)^(n - 1) labelled trees over n words and 0.
  for (std::int32_t words = 1; words <= kMostWords; ++words) {
    CHECK(trees_of(words).size() == static_cast<std::size_t>(std::lround(std::pow(words + 1, words - 1))));
  }
  // Projective trees over n words and 0: C(3n, n) / (2n + 1).
  const std::size_t expected[] = {1, 1, 3, 12, 55, 273};
  for (std::int32_t words = 1; words <= kMostWords; ++words) {
    const auto projective = [](const Heads& heads) { return is_of_class(heads, {TreeClass::kProjective}); };
    CHECK(static_cast<std::size_t>(std::count_if(trees_of(words).begin(), trees_of(words).end(), projective)) ==
          expected[words]);
  }
}

TEST(the_best_tree_of_every_class) {
  for_each_case(8, [](const Example& one, DecodeOptions options) {
    const std::vector<double> ranked = ranked_scores(one, options);
    for (const bool pruned : {true, false}) {
      options.pruned = pruned;
      check_best<double>(one, options, ranked, 1e-12);
      check_best<float>(one, options, ranked, 1e-5);
    }
  });
}

// Where no other arcs are allowed, the chart derives a tree if and only if it is of the class.
TEST(every_tree_of_a_class_is_derived_and_no_other) {
  for (std::int32_t words = 1; words <= kMostWords + 1; ++words) {
    const std::vector<Heads> trees = words <= kMostWords ? trees_of(words) : all_trees(words);
    const auto width = static_cast<std::size_t>(words) + 1;
    for (std::size_t number = 0; number < trees.size(); number += words <= kMostWords ? 1 : 3) {
      Example one{words, std::vector<double>(width * width, kForbidden)};
      for (std::size_t word = 1; word < width; ++word) {
        one.matrix[static_cast<std::size_t>(trees[number][word - 1]) * width + word] = 1.0;
      }
      for (const DecodeOptions options : {DecodeOptions{TreeClass::kProjective, false, true, false},
                                          DecodeOptions{TreeClass::kOneEndpointCrossing, false, true, false},
                                          DecodeOptions{TreeClass::kOneEndpointCrossing, false, false, false}}) {
        TreeDecoder<float> decoder;
        Heads heads(static_cast<std::size_t>(words));
        const bool derived = decoder.decode(one.scores(), options, heads);
        CHECK(derived == is_of_class(trees[number], options));
        CHECK(!derived || heads == trees[number]);
      }
    }
  }
}

TEST(the_best_projective_trees_side_by_side) {
  for (const bool single_root : {false, true}) {
    for (const bool pruned : {false, true}) {
      Random random(3);
      std::vector<Example> examples;
      for (int number = 0; number < 11; ++number) {
        examples.push_back(example(1 + number % kMostWords, Scores::kReal, random));
      }
      std::vector<ScoreView<double>> views;
      for (const Example& one : examples) views.push_back(one.view());
      const DecodeOptions options{TreeClass::kProjective, single_root, true, pruned};
      const TreeBatch found = decode_batch<double>(views, options, 2);
      CHECK(found.fault.sentence < 0);
      auto place = found.heads.begin();
      for (std::size_t number = 0; number < examples.size(); ++number) {
        const Heads heads(place, place + examples[number].words);
        place += examples[number].words;
        CHECK(is_tree(heads) && is_of_class(heads, options));
        CHECK_NEAR(found.totals[number], ranked_scores(examples[number], options).front(), 1e-12);
        CHECK_NEAR(examples[number].score(heads), found.totals[number], 1e-12);
      }
    }
  }
}

TEST(sums_over_all_trees_and_probabilities_of_arcs) {
  for_each_case(3, [](const Example& one, const DecodeOptions& options) {
    const auto width = static_cast<std::size_t>(one.words) + 1;
    std::vector<double> expected(width * width, 0.0);  // by dependent
    double total = 0.0;
    for (const Heads& heads : trees_of(one.words)) {
      if (one.words > 0 && !is_of_class(heads, options)) continue;
      const double weight = std::exp(one.score(heads));
      total += weight;
      for (std::size_t word = 1; word < width; ++word) {
        expected[word * width + static_cast<std::size_t>(heads[word - 1])] += weight;
      }
    }
    std::vector<double> probabilities;
    const double sum = sum_trees(one.scores(), options, &probabilities);
    if (total == 0.0) {
      CHECK(sum == kForbidden);
      return;
    }
    CHECK_NEAR(sum, std::log(total), 1e-10);
    CHECK(probabilities.size() == expected.size());
    for (std::size_t place = 0; place < expected.size(); ++place) {
      CHECK_NEAR(probabilities[place], expected[place] / total, 1e-10);
    }
  });
}

TEST(numbers_and_ranks_of_trees) {
  for_each_case(2, [](const Example& one, const DecodeOptions& options) {
    const std::vector<double> ranked = ranked_scores(one, options);
    CHECK(count_trees(one.scores(), options, 2147483647) == ranked.size());
    constexpr std::size_t kAsked = 9;
    const RankedTrees best = find_k_best(one.scores(), options, kAsked);
    CHECK(best.scores.size() == std::min(kAsked, ranked.size()));
    std::vector<Heads> different;
    for (std::size_t rank = 0; rank < std::min(best.scores.size(), ranked.size()); ++rank) {
      const auto* const begin = best.heads.data() + rank * static_cast<std::size_t>(one.words);
      different.emplace_back(begin, begin + one.words);
      CHECK_NEAR(best.scores[rank], ranked[rank], 1e-10);
      CHECK_NEAR(one.score(different.back()), ranked[rank], 1e-10);
      CHECK(one.words == 0 || is_of_class(different.back(), options));
    }
    std::sort(different.begin(), different.end());
    CHECK(std::adjacent_find(different.begin(), different.end()) == different.end());
  });
}

// Both charts themselves, in algebras of maxima, sums and logarithms of sums.
template <typename Algebra, typename Fill>
void check_chart(const Example& one, const DecodeOptions& options, double expected, Fill&& fill) {
  const IncomingScores scores = one.scores();
  std::vector<typename Algebra::Value> values;
  for (const double score : scores.values()) values.push_back(Algebra::of_score(score));
  CHECK_NEAR(fill(one.words, options, values), expected, 1e-10);
}

TEST(charts_in_several_algebras) {
  for_each_case(2, [](const Example& one, const DecodeOptions& options) {
    if (one.words == 0 || options.tree_class == TreeClass::kSpanningTree) return;
    const bool crossing = options.tree_class == TreeClass::kOneEndpointCrossing;
    if (crossing && options.single_root) return;  // that is an algebra of its own (OneRoot)
    const std::vector<double> ranked = ranked_scores(one, options);
    if (ranked.empty()) return;
    double total = 0.0;
    for (const double score : ranked) total += std::exp(score);
    const auto fill = [&]<typename Algebra>(Algebra) {
      return [crossing](std::int32_t words, const DecodeOptions& chosen,
                        const std::vector<typename Algebra::Value>& values) {
        if (crossing) return CrossingChart<Algebra>(chosen.root_arcs).fill(words, values);
        return EisnerChart<Algebra>().fill(words, chosen.single_root, values);
      };
    };
    check_chart<Best<double>>(one, options, ranked.front(), fill(Best<double>{}));
    check_chart<Sum>(one, options, total, fill(Sum{}));
    check_chart<LogSum>(one, options, std::log(total), fill(LogSum{}));
  });
}

TEST(random_trees_are_drawn_as_often_as_they_weigh) {
  Random random(5);
  const Example one = example(3, Scores::kReal, random);
  for (const TreeClass tree_class :
       {TreeClass::kProjective, TreeClass::kOneEndpointCrossing, TreeClass::kSpanningTree}) {
    const DecodeOptions options{tree_class};
    constexpr std::size_t kDrawn = 20'000;
    const Heads drawn = sample_trees(one.scores(), options, kDrawn, 17);
    double total = 0.0;
    for (const double score : ranked_scores(one, options)) total += std::exp(score);
    std::size_t counted = 0;
    for (const Heads& heads : trees_of(3)) {
      if (!is_of_class(heads, options)) continue;
      std::size_t times = 0;
      for (std::size_t tree = 0; tree < kDrawn; ++tree) {
        times += std::equal(heads.begin(), heads.end(), drawn.begin() + static_cast<std::ptrdiff_t>(3 * tree));
      }
      counted += times;
      CHECK_NEAR(static_cast<double>(times) / kDrawn, std::exp(one.score(heads)) / total, 0.015);
    }
    CHECK(counted == kDrawn);
  }
}

TEST(losses_of_arcs_are_lower_bounds) {
  Random random(9);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const Example one = example(4, Scores::kReal, random);
    const IncomingScores scores = one.scores();
    MaximumBranching branching;
    Heads heads(4);
    CHECK(branching.solve(scores, false, heads));
    const double best = one.score(heads);
    std::vector<double> losses;
    branching.bound_losses(scores, losses);
    for (std::int32_t word = 1; word <= 4; ++word) {
      const double without = branching.bound_loss_without(scores, word);
      for (const Heads& other : trees_of(4)) {
        const std::int32_t head = other[static_cast<std::size_t>(word) - 1];
        const double loss = best - one.score(other);
        CHECK(losses[static_cast<std::size_t>(word) * scores.width() + static_cast<std::size_t>(head)] <= loss + 1e-12);
        if (head != heads[static_cast<std::size_t>(word) - 1]) CHECK(without <= loss + 1e-12);
      }
    }
  }
}

}  // namespace
}  // namespace crossarc
