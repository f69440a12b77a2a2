#include "decoders/projective/projective_batch.hpp"

#include <algorithm>
#include <vector>

#include "decoders/projective/best_heads.hpp"
#include "decoders/projective/eisner_lanes.hpp"

namespace crossarc {
namespace {

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

}  // namespace

template <typename Score>
BatchFault decode_projective(std::span<const ScoreView<Score>> sentences, bool single_root, bool pruned, int threads,
                             std::span<const std::span<std::int32_t>> heads, std::span<double> scores) {
  std::vector<char> done(sentences.size(), 0);
  const auto try_best_heads = [&](std::size_t index, const IncomingScores& incoming, BestHeads& best) {
    done[index] = pruned && best.make_projective_tree(incoming, single_root, heads[index]);
    if (done[index]) scores[index] = incoming.sum(heads[index]);
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
      feasible[index] = chart.trace(lane, views[lane].words, single_root, heads[index]);
      if (feasible[index]) scores[index] = views[lane].sum(heads[index]);
    }
  });
  const auto first = std::find(feasible.begin(), feasible.end(), 0);
  if (first == feasible.end()) return fault;
  return {first - feasible.begin(), ScoreFault::kInfeasible, 0, 0};
}

template BatchFault decode_projective(std::span<const ScoreView<float>>, bool, bool, int,
                                      std::span<const std::span<std::int32_t>>, std::span<double>);
template BatchFault decode_projective(std::span<const ScoreView<double>>, bool, bool, int,
                                      std::span<const std::span<std::int32_t>>, std::span<double>);

}  // namespace crossarc
