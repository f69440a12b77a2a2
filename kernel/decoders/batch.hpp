// Many sentences at once: threads take one after the other, each with its own memory; the number of threads never
// changes an answer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "decoders/scores.hpp"
#include "threads.hpp"

namespace crossarc {

struct BatchFault {
  std::int64_t sentence = -1;  // the first with a fault; -1: none
  ScoreFault kind = ScoreFault::kNone;
  std::int32_t head = 0;
  std::int32_t dependent = 0;
};

// Calls task(index, scores, worker) for every sentence whose scores can be used; a task returns false if there is no
// tree. Worker is made anew for each thread.
template <typename Worker, typename Score, typename Task>
BatchFault for_each_sentence(std::span<const ScoreView<Score>> sentences, int threads, Task&& task) {
  std::vector<BatchFault> faults(sentences.size());
  // Slices of neighbours, so that a worker keeps its memory for some sentences.
  const std::size_t workers = std::min(thread_count(threads), sentences.size());
  const std::size_t slices = workers <= 1 ? workers : std::min(sentences.size(), 8 * workers);
  parallel_for(slices, workers, [&](std::size_t slice) {
    Worker worker;
    IncomingScores scores;
    const std::size_t end = sentences.size() * (slice + 1) / slices;
    for (std::size_t index = sentences.size() * slice / slices; index < end; ++index) {
      scores.load(sentences[index]);
      BatchFault& fault = faults[index];
      fault.kind = find_score_fault(scores, fault.head, fault.dependent);
      if (fault.kind == ScoreFault::kNone && !task(index, scores, worker)) fault.kind = ScoreFault::kInfeasible;
    }
  });
  for (std::size_t index = 0; index < faults.size(); ++index) {
    if (faults[index].kind == ScoreFault::kNone) continue;
    faults[index].sentence = static_cast<std::int64_t>(index);
    return faults[index];
  }
  return {};
}

}  // namespace crossarc
