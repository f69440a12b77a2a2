// Many sentences at once: threads take one after the other, each with its own memory; the number of threads never
// changes an answer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/threads.hpp"
#include "decoders/scores.hpp"

namespace crossarc {

struct BatchFault {
  std::int64_t sentence = -1;  // the first with a fault; -1: none
  ScoreFault kind = ScoreFault::kNone;
  std::int32_t head = 0;
  std::int32_t dependent = 0;
};

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

// Calls task(index, scores, worker) for every sentence whose scores can be used; a task returns false if there is no
// tree. Worker is made anew for each slice.
template <typename Worker, typename Score, typename Task>
BatchFault for_each_sentence(std::span<const ScoreView<Score>> sentences, int threads, Task&& task) {
  struct Loaded {
    Worker worker;
    IncomingScores scores;
  };
  std::vector<BatchFault> faults(sentences.size());
  for_each_slice<Loaded>(sentences.size(), threads, [&](std::size_t index, Loaded& loaded) {
    loaded.scores.load(sentences[index]);
    BatchFault& fault = faults[index];
    fault.kind = find_score_fault(loaded.scores, fault.head, fault.dependent);
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

}  // namespace crossarc
