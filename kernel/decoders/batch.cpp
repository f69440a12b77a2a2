#include "decoders/batch.hpp"

#include <algorithm>

#include "core/threads.hpp"
#include "decoders/projective/eisner_lanes.hpp"
#include "decoders/tree_decoder.hpp"

namespace crossarc {
namespace {

constexpr std::size_t kSideBySide = 3;  // as many sentences are faster side by side than one by one

// Calls task(index, worker) for 0 <= index < count. Threads take slices of neighbours, each with a worker of its own,
// which keeps its memory for some of them.
template <typename Worker, typename Task>
void for_each_slice(std::size_t count, int threads, Task&& task) {
  const std::size_t workers = std::min(thread_count(threads), count);
  const std::size_t slices = workers <= 1 ? workers : std::min(count, 8 * workers);
  parallel_for(slices, workers, [&](std::size_t slice) {
    Worker worker;
    const std::size_t end = count * (slice + 1) / slices;
    for (std::size_t index = count * slice / slices; index < end; ++index) task(index, worker);
  });
}

constexpr auto kNothingBefore = [](std::size_t, auto&) { return false; };

// Calls task(index, scores, worker) for every sentence whose scores can be used; a task returns false if there is no
// tree. Sentences for which before(index, worker) is true are done. Worker is made anew for each slice.
template <typename Worker, typename Score, typename Task, typename Before = decltype(kNothingBefore)>
BatchFault for_each_sentence(std::span<const ScoreView<Score>> sentences, int threads, Task&& task,
                             Before before = kNothingBefore) {
  struct Loaded {
    Worker worker;
    IncomingScores scores;
  };
  std::vector<BatchFault> faults(sentences.size());
  for_each_slice<Loaded>(sentences.size(), threads, [&](std::size_t index, Loaded& loaded) {
    if (before(index, loaded.worker)) return;
    loaded.scores.load(sentences[index]);
    BatchFault& fault = faults[index];
    if (!loaded.scores.usable()) fault.kind = find_score_fault(loaded.scores, fault.head, fault.dependent);
    if (fault.kind != ScoreFault::kNone) return;
    if (!task(index, loaded.scores, loaded.worker)) fault.kind = ScoreFault::kInfeasible;
  });
  for (std::size_t index = 0; index < faults.size(); ++index) {
    if (faults[index].kind == ScoreFault::kNone) continue;
    faults[index].sentence = static_cast<std::int64_t>(index);
    return faults[index];
  }
  return {};
}

// The places of the sentences in what has one entry for each word, or one for each arc.
template <typename Score>
std::vector<std::size_t> starts(std::span<const ScoreView<Score>> sentences, bool arcs) {
  std::vector<std::size_t> offsets{0};
  offsets.reserve(sentences.size() + 1);
  for (const ScoreView<Score>& sentence : sentences) {
    const auto words = static_cast<std::size_t>(sentence.words);
    const std::size_t matrices = sentence.crossed == nullptr ? 1 : 2;
    offsets.push_back(offsets.back() + (arcs ? matrices * (words + 1) * (words + 1) : words));
  }
  return offsets;
}

// The sentences that are not done, longest first, so that neighbours have about the same length.
template <typename Score>
std::vector<std::size_t> longest_first(std::span<const ScoreView<Score>> sentences, std::span<const char> done) {
  std::vector<std::size_t> order;
  for (std::size_t index = 0; index < sentences.size(); ++index) {
    if (!done[index]) order.push_back(index);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return sentences[a].words > sentences[b].words; });
  return order;
}

// The heads of a sentence go to its place in `heads`, its score to that in `totals`.
template <typename Score>
BatchFault decode_side_by_side(std::span<const ScoreView<Score>> sentences, const DecodeOptions& options, int threads,
                               std::span<const std::span<std::int32_t>> heads, std::span<double> totals) {
  std::vector<char> done(sentences.size(), 0);
  const auto try_best_heads = [&](std::size_t index, const IncomingScores& incoming, BestHeads& best) {
    done[index] = options.pruned && best.make_projective_tree(incoming, options.single_root, heads[index]);
    if (done[index]) totals[index] = incoming.sum(heads[index]);
    return true;
  };
  const BatchFault fault = for_each_sentence<BestHeads>(sentences, threads, try_best_heads);
  if (fault.sentence >= 0) sentences = sentences.first(static_cast<std::size_t>(fault.sentence));

  constexpr std::size_t kLanes = EisnerLanes<Score>::kLanes;
  const std::vector<std::size_t> order = longest_first<Score>(sentences, done);
  const std::size_t groups = (order.size() + kLanes - 1) / kLanes;
  std::vector<char> feasible(sentences.size(), 1);
  for_each_slice<EisnerLanes<Score>>(groups, threads, [&](std::size_t group, EisnerLanes<Score>& chart) {
    const std::span<const std::size_t> members =
        std::span(order).subspan(group * kLanes, std::min(kLanes, order.size() - group * kLanes));
    std::vector<ScoreView<Score>> views;
    for (const std::size_t index : members) views.push_back(sentences[index]);
    chart.fill(views);
    for (std::size_t lane = 0; lane < views.size(); ++lane) {
      const std::size_t index = members[lane];
      feasible[index] = chart.trace(lane, views[lane].words, options.single_root, heads[index]);
      if (feasible[index]) totals[index] = views[lane].sum(heads[index]);
    }
  });
  const auto first = std::find(feasible.begin(), feasible.end(), 0);
  if (first == feasible.end()) return fault;
  return {first - feasible.begin(), ScoreFault::kInfeasible, 0, 0};
}

// What find(scores, index) finds for each sentence, one after the other.
template <typename Score, typename Find>
TreeBatch collect(std::span<const ScoreView<Score>> sentences, int threads, Find&& find) {
  std::vector<RankedTrees> found(sentences.size());
  TreeBatch batch;
  const auto task = [&](std::size_t index, const IncomingScores& incoming, auto&) {
    return find(incoming, index, found[index]);
  };
  struct Nothing {};
  batch.fault = for_each_sentence<Nothing>(sentences, threads, task);
  if (batch.fault.sentence >= 0) return batch;
  for (RankedTrees& trees : found) {
    batch.heads.insert(batch.heads.end(), trees.heads.begin(), trees.heads.end());
    batch.totals.insert(batch.totals.end(), trees.scores.begin(), trees.scores.end());
    batch.counts.push_back(static_cast<std::int64_t>(trees.scores.size()));
    trees = {};
  }
  return batch;
}

}  // namespace

template <typename Score>
TreeBatch decode_batch(std::span<const ScoreView<Score>> sentences, const DecodeOptions& options, int threads) {
  const std::vector<std::size_t> offsets = starts(sentences, false);
  TreeBatch batch;
  batch.heads.resize(offsets.back());
  batch.totals.resize(sentences.size());
  std::vector<std::span<std::int32_t>> heads;
  heads.reserve(sentences.size());
  for (const ScoreView<Score>& sentence : sentences) {
    heads.emplace_back(batch.heads.data() + offsets[heads.size()], static_cast<std::size_t>(sentence.words));
  }
  if (options.tree_class == TreeClass::kProjective && sentences.size() >= kSideBySide) {
    batch.fault = decode_side_by_side(sentences, options, threads, heads, batch.totals);
    return batch;
  }
  const auto task = [&](std::size_t index, const IncomingScores& incoming, TreeDecoder<Score>& decoder) {
    if (!decoder.decode(incoming, options, heads[index])) return false;
    batch.totals[index] = decoder.score(incoming, options.root_arcs, heads[index]);
    return true;
  };
  const auto at_once = [&](std::size_t index, TreeDecoder<Score>& decoder) {
    return sentences[index].crossed != nullptr &&
           decoder.decode_at_once(sentences[index], options, heads[index], batch.totals[index]);
  };
  batch.fault = for_each_sentence<TreeDecoder<Score>>(sentences, threads, task, at_once);
  return batch;
}

template <typename Score>
TreeBatch rank_batch(std::span<const ScoreView<Score>> sentences, const DecodeOptions& options, std::size_t k,
                     int threads) {
  return collect(sentences, threads, [&](const IncomingScores& incoming, std::size_t, RankedTrees& trees) {
    trees = find_k_best(incoming, options, k);
    return !trees.scores.empty();
  });
}

template <typename Score>
TreeBatch sample_batch(std::span<const ScoreView<Score>> sentences, const DecodeOptions& options, std::size_t count,
                       std::uint64_t seed, int threads) {
  return collect(sentences, threads, [&](const IncomingScores& incoming, std::size_t index, RankedTrees& trees) {
    trees.heads = sample_trees(incoming, options, count, seed + index);
    const auto words = static_cast<std::size_t>(incoming.words());
    if (count > 0 && words > 0 && trees.heads.empty()) return false;
    for (std::size_t tree = 0; tree < count; ++tree) {
      trees.scores.push_back(incoming.sum(std::span(trees.heads).subspan(tree * words, words), options.root_arcs));
    }
    return true;
  });
}

template <typename Score>
SumBatch sum_batch(std::span<const ScoreView<Score>> sentences, const DecodeOptions& options, bool marginals,
                   int threads) {
  const std::vector<std::size_t> offsets = starts(sentences, true);
  SumBatch batch;
  batch.sums.resize(sentences.size());
  batch.probabilities.resize(marginals ? offsets.back() : 0);
  const auto task = [&](std::size_t index, const IncomingScores& incoming, std::vector<double>& own) {
    batch.sums[index] = sum_trees(incoming, options, marginals ? &own : nullptr);
    if (batch.sums[index] == kForbidden) return !marginals;
    const std::size_t width = incoming.width();
    for (std::size_t arc = 0; marginals && arc < own.size(); ++arc) {
      const std::size_t matrix = arc / (width * width) * width * width;
      const std::size_t dependent = (arc - matrix) / width;
      batch.probabilities[offsets[index] + matrix + arc % width * width + dependent] = own[arc];
    }
    return true;
  };
  batch.fault = for_each_sentence<std::vector<double>>(sentences, threads, task);
  return batch;
}

template <typename Score>
std::uint64_t count_checked(const ScoreView<Score>& sentence, const DecodeOptions& options, std::uint64_t prime,
                            BatchFault& fault) {
  struct Nothing {};
  std::uint64_t trees = 0;
  const auto task = [&](std::size_t, const IncomingScores& incoming, Nothing&) {
    trees = count_trees(incoming, options, prime);
    return true;
  };
  fault = for_each_sentence<Nothing>(std::span(&sentence, 1), 1, task);
  return trees;
}

template TreeBatch decode_batch(std::span<const ScoreView<float>>, const DecodeOptions&, int);
template TreeBatch decode_batch(std::span<const ScoreView<double>>, const DecodeOptions&, int);
template TreeBatch rank_batch(std::span<const ScoreView<float>>, const DecodeOptions&, std::size_t, int);
template TreeBatch rank_batch(std::span<const ScoreView<double>>, const DecodeOptions&, std::size_t, int);
template TreeBatch sample_batch(std::span<const ScoreView<float>>, const DecodeOptions&, std::size_t, std::uint64_t,
                                int);
template TreeBatch sample_batch(std::span<const ScoreView<double>>, const DecodeOptions&, std::size_t, std::uint64_t,
                                int);
template SumBatch sum_batch(std::span<const ScoreView<float>>, const DecodeOptions&, bool, int);
template SumBatch sum_batch(std::span<const ScoreView<double>>, const DecodeOptions&, bool, int);
template std::uint64_t count_checked(const ScoreView<float>&, const DecodeOptions&, std::uint64_t, BatchFault&);
template std::uint64_t count_checked(const ScoreView<double>&, const DecodeOptions&, std::uint64_t, BatchFault&);

}  // namespace crossarc
