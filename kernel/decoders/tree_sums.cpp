#include <algorithm>
#include <cmath>
#include <type_traits>

#include "core/random.hpp"
#include "core/threads.hpp"
#include "decoders/chart/chart.hpp"
#include "decoders/spanning/matrix_tree.hpp"
#include "decoders/tree_decoder.hpp"

namespace crossarc {
namespace {

template <typename Algebra>
std::vector<typename Algebra::Value> arc_values(const IncomingScores& scores) {
  std::vector<typename Algebra::Value> values;
  values.reserve(scores.values().size());
  for (const double score : scores.values()) {
    const auto head = static_cast<std::int32_t>(values.size() % scores.width());
    values.push_back(Reading<Algebra>::arc(head, score));
  }
  return values;
}

// Fills the chart of a class in an algebra and calls use(chart, its value, its algebra).
template <typename Algebra, typename Use>
auto with_chart(const IncomingScores& scores, const DecodeOptions& options, Use&& use) {
  if (options.tree_class == TreeClass::kProjective) {
    EisnerChart<Algebra> chart;
    const auto value = chart.fill(scores.words(), options.single_root, arc_values<Algebra>(scores));
    return use(chart, value, Algebra{});
  }
  CrossingChart<Algebra> chart(options.root_arcs);
  const auto value = chart.fill(scores.words(), arc_values<Algebra>(scores));
  return use(chart, value, Algebra{});
}

// The same where trees with one child of 0 must be told from others without a penalty.
template <typename Algebra, typename Use>
auto with_counting_chart(const IncomingScores& scores, const DecodeOptions& options, Use&& use) {
  if (options.single_root && options.tree_class == TreeClass::kOneEndpointCrossing && scores.words() > 0) {
    return with_chart<OneRoot<Algebra>>(scores, options, use);
  }
  return with_chart<Algebra>(scores, options, use);
}

// Subtracts from the scores of each word's heads the highest, so that no weight is above 1; returns what was
// subtracted. A word without heads gets -inf.
double normalise(IncomingScores& scores) {
  double total = 0;
  for (std::int32_t word = 1; word <= scores.words(); ++word) {
    double *row = scores.row(word), *crossed = scores.crossed_row(word);
    const double highest =
        std::max(*std::max_element(row, row + scores.width()), *std::max_element(crossed, crossed + scores.width()));
    total += highest;
    if (highest == kForbidden) continue;
    for (std::size_t head = 0; head < scores.width(); ++head) row[head] -= highest;
    for (std::size_t head = 0; scores.has_crossed() && head < scores.width(); ++head) crossed[head] -= highest;
  }
  return total;
}

// The logarithm of the sum, and the probabilities if asked for.
template <typename Algebra>
double sum_in(const IncomingScores& scores, const DecodeOptions& options, std::vector<double>* probabilities) {
  return with_counting_chart<Algebra>(scores, options, [&](auto& chart, auto value, auto algebra) {
    using Reader = Reading<decltype(algebra)>;
    const double total = Algebra::log(Reader::result(value));
    if (probabilities != nullptr && total != kForbidden) {
      probabilities->clear();
      for (const auto& sum : chart.arc_sums()) {
        probabilities->push_back(std::exp(Algebra::log(Reader::result(sum)) - total));
      }
    }
    return total;
  });
}

// A partial tree is lost if its weight is below the smallest double. All weights are at most 1, so what is lost is at
// most that much for each of fewer than (n + 1)^(n - 1) trees; the sum must be far above it.
bool trustworthy(double total, std::int32_t words) {
  constexpr double kSmallest = -690;  // e^-690 is about 1e-300
  const double trees = words * std::log(words + 1.0);
  return std::isfinite(total) && total > kSmallest + trees + 40;
}

// Every word has exactly one head.
bool add_up(const std::vector<double>& probabilities, const IncomingScores& scores) {
  for (std::int32_t word = 1; word <= scores.words(); ++word) {
    double sum = 0;
    for (std::size_t arc = word * scores.width(); arc < probabilities.size(); arc += scores.width() * scores.width()) {
      for (std::size_t head = 0; head < scores.width(); ++head) sum += probabilities[arc + head];
    }
    if (!(std::abs(sum - 1) < 1e-9)) return false;
  }
  return true;
}

// Adds to the scores of arcs from 0.
void shift_root_arcs(IncomingScores& scores, double shift) {
  for (std::int32_t word = 1; word <= scores.words(); ++word) {
    scores.row(word)[0] += shift;
    if (scores.has_crossed()) scores.crossed_row(word)[0] += shift;
  }
}

// False, without a tree, if the sums of a chart in Sum cannot be trusted.
template <typename Algebra>
bool draw_from_chart(const IncomingScores& scores, const DecodeOptions& options, std::size_t count, Random& random,
                     std::vector<std::int32_t>& trees) {
  const auto words = static_cast<std::size_t>(scores.words());
  return with_chart<Algebra>(scores, options, [&](const auto& chart, auto value, auto) {
    if (std::is_same_v<Algebra, Sum> && !trustworthy(Algebra::log(value), scores.words())) return false;
    const auto choose = [&](ItemId item) {
      // The place in the sum that the random number points at; rounding may leave the last rule for it.
      double left = random.unit();
      const double total = Algebra::log(chart.value(item));
      ForestRule chosen;
      bool done = false;
      chart.for_each_rule(item, [&](const ForestRule& rule) {
        if (done) return true;
        const double weight = std::exp(Algebra::log(rule_value<Algebra>(chart, rule)) - total);
        if (weight > 0) chosen = rule;
        left -= weight;
        return done = left < 0;
      });
      return chosen;
    };
    std::vector<std::int32_t> heads(words);
    while (trees.size() < count * words) {
      check_interruption();
      derive(chart, choose, heads);
      const bool wanted = !options.single_root || std::count(heads.begin(), heads.end(), 0) == 1;
      if (wanted) trees.insert(trees.end(), heads.begin(), heads.end());
    }
    return true;
  });
}

// Draws the heads of one word after the other, each given those before, for several trees at once: trees that agree so
// far share the probabilities, and what remains of their words is drawn in one place, so that memory is O(n²) for each
// time that trees part. A word whose head is certain changes nothing for the others.
class SpanningTreeSampler {
 public:
  SpanningTreeSampler(bool single_root, Random& random, std::vector<std::int32_t>& trees)
      : single_root_(single_root), random_(random), trees_(trees) {}

  void draw(IncomingScores scores, std::int32_t word, std::vector<std::size_t> of_trees) {
    const auto words = static_cast<std::size_t>(scores.words());
    MatrixTree matrix;
    std::vector<double> probabilities;
    const auto find_probabilities = [&] {
      matrix.log_partition(scores, single_root_);
      matrix.marginals(scores, probabilities);
    };
    const auto fix = [](IncomingScores& fixed, std::int32_t dependent, std::size_t head) {
      const double score = fixed.row(dependent)[head];
      std::fill_n(fixed.row(dependent), fixed.width(), kForbidden);
      fixed.row(dependent)[head] = score;
    };
    find_probabilities();
    for (; word <= scores.words(); ++word) {
      const double* row = probabilities.data() + word * scores.width();
      std::vector<std::vector<std::size_t>> by_head(scores.width());
      for (const std::size_t tree : of_trees) {
        check_interruption();
        const std::int32_t head = choose(row, scores.width());
        trees_[tree * words + word - 1] = head;
        by_head[head].push_back(tree);
      }
      const auto certain = std::find_if(row, row + scores.width(), [](double value) { return value > 1 - 1e-13; });
      if (certain != row + scores.width() && by_head[certain - row].size() == of_trees.size()) continue;
      const auto same = std::find_if(by_head.begin(), by_head.end(),
                                     [&](const auto& trees) { return trees.size() == of_trees.size(); });
      if (same != by_head.end()) {
        fix(scores, word, static_cast<std::size_t>(same - by_head.begin()));
        if (word < scores.words()) find_probabilities();
        continue;
      }
      for (std::size_t head = 0; head < scores.width(); ++head) {
        if (by_head[head].empty()) continue;
        IncomingScores fixed = scores;
        fix(fixed, word, head);
        draw(std::move(fixed), word + 1, std::move(by_head[head]));
      }
      return;
    }
  }

 private:
  std::int32_t choose(const double* row, std::size_t width) {
    double left = random_.unit();
    std::int32_t chosen = 0;
    for (std::size_t head = 0; head < width; ++head) {
      if (row[head] <= 0) continue;
      chosen = static_cast<std::int32_t>(head);
      left -= row[head];
      if (left < 0) break;
    }
    return chosen;
  }

  bool single_root_;
  Random& random_;
  std::vector<std::int32_t>& trees_;
};

// At how many parts of all trees the search for the k best ones looks, at most: no more than cost as much as the chart,
// a second at most, and 100 MB.
std::int64_t most_searched(std::int32_t words, std::size_t k) {
  constexpr std::int64_t kMost = 4000;
  const std::int64_t chart = static_cast<std::int64_t>(words) * words * words / 80;
  return (std::min(kMost, chart) + 4 * static_cast<std::int64_t>(k)) * 128 / std::max(128, words);
}

// The k best 1-Endpoint-Crossing trees without a chart. False where there are more than it found, which are the best.
bool rank_by_search(const IncomingScores& scores, const DecodeOptions& options, std::size_t k, RankedTrees& ranked) {
  const std::int64_t most = most_searched(scores.words(), k);
  if (scores.words() == 0) return false;
  MaximumBranching branching;
  TreeSearch search;
  const bool all = search.rank(scores, branching, options.single_root, options.root_arcs, k, most, ranked.heads);
  const auto words = static_cast<std::size_t>(scores.words());
  for (std::size_t first = 0; first < ranked.heads.size(); first += words) {
    ranked.scores.push_back(scores.sum(std::span(ranked.heads).subspan(first, words)));
  }
  return all;
}

}  // namespace

double sum_trees(const IncomingScores& scores, const DecodeOptions& given, std::vector<double>* probabilities) {
  const DecodeOptions options = fitted(given, scores.words(), ChartUse::kSums);
  if (options.tree_class == TreeClass::kSpanningTree) {
    MatrixTree matrix;
    const double total = matrix.log_partition(scores, options.single_root);
    if (probabilities != nullptr && total != kForbidden) matrix.marginals(scores, *probabilities);
    return total;
  }
  IncomingScores normal = scores;
  const double shift = normalise(normal);
  if (shift == kForbidden) return kForbidden;
  double total = sum_in<Sum>(normal, options, probabilities);
  const bool good = trustworthy(total, scores.words()) && (probabilities == nullptr || add_up(*probabilities, scores));
  if (!good) total = sum_in<LogSum>(normal, options, probabilities);
  return total + shift;
}

std::vector<std::int32_t> sample_trees(const IncomingScores& scores, const DecodeOptions& given, std::size_t count,
                                       std::uint64_t seed) {
  const DecodeOptions options = fitted(given, scores.words(), ChartUse::kSums);
  Random random(seed);
  std::vector<std::int32_t> trees;
  const double total = sum_trees(scores, options, nullptr);
  if (total == kForbidden || scores.words() == 0) return trees;
  if (options.tree_class == TreeClass::kSpanningTree) {
    trees.resize(count * static_cast<std::size_t>(scores.words()));
    std::vector<std::size_t> all(count);
    for (std::size_t tree = 0; tree < count; ++tree) all[tree] = tree;
    SpanningTreeSampler(options.single_root, random, trees).draw(scores, 1, std::move(all));
    return trees;
  }
  IncomingScores normal = scores;
  if (options.single_root && options.tree_class == TreeClass::kOneEndpointCrossing) {
    // Make arcs from 0 so unlikely that hardly a tree has two; one that has is drawn again. Among the trees with one,
    // the probabilities are as they were.
    DecodeOptions any = options;
    any.single_root = false;
    shift_root_arcs(normal, total - sum_trees(scores, any, nullptr) - 20);
  }
  normalise(normal);
  if (!draw_from_chart<Sum>(normal, options, count, random, trees)) {
    draw_from_chart<LogSum>(normal, options, count, random, trees);
  }
  return trees;
}

RankedTrees find_k_best(const IncomingScores& scores, const DecodeOptions& given, std::size_t k) {
  RankedTrees ranked;
  const bool crossing = given.tree_class == TreeClass::kOneEndpointCrossing;
  if (crossing && given.pruned && !scores.has_crossed() && rank_by_search(scores, given, k, ranked)) return ranked;
  const DecodeOptions options = fitted(given, scores.words(), ChartUse::kRanked);
  ranked.fell_back = options.tree_class != given.tree_class;
  std::vector<std::int32_t> heads(static_cast<std::size_t>(scores.words()));
  const auto add = [&](std::span<const std::int32_t> tree) {
    ranked.heads.insert(ranked.heads.end(), tree.begin(), tree.end());
    ranked.scores.push_back(scores.sum(tree, options.root_arcs));
  };
  if (ranked.fell_back && given.long_sentences == LongSentences::kProjective) {
    // Fewer trees, which are the best; one at least.
    if (ranked.scores.empty() && TreeDecoder<double>().decode(scores, given, heads)) add(heads);
    return ranked;
  }
  ranked.heads.clear();
  ranked.scores.clear();
  if (options.tree_class == TreeClass::kSpanningTree) {
    TreeParts parts(scores, options.single_root);
    for (std::int32_t part; ranked.scores.size() < k && (part = parts.pop()) >= 0; parts.split(part)) {
      add(parts.heads(part));
    }
    return ranked;
  }
  IncomingScores penalised = scores;
  const bool penalty = options.single_root && options.tree_class == TreeClass::kOneEndpointCrossing;
  if (penalty) penalise_root_arcs(scores, sufficient_penalty(scores), penalised);
  with_chart<Best<double>>(penalised, options, [&](const auto& chart, double value, auto) {
    if (value == kForbidden) return;
    KBestTrees finder(chart, k);
    double score = 0;
    for (std::size_t rank = 0; rank < k && finder.find(rank, score, heads); ++rank) {
      if (penalty && !heads.empty() && std::count(heads.begin(), heads.end(), 0) != 1) break;
      add(heads);
    }
  });
  return ranked;
}

std::uint64_t count_trees(const IncomingScores& scores, const DecodeOptions& given, std::uint64_t prime) {
  const DecodeOptions options = fitted(given, scores.words(), ChartUse::kSums);
  if (options.tree_class == TreeClass::kSpanningTree) return count_spanning_trees(scores, options.single_root, prime);
  Count::prime = prime;
  return with_counting_chart<Count>(
      scores, options, [](auto&, auto value, auto algebra) { return Reading<decltype(algebra)>::result(value); });
}

}  // namespace crossarc
