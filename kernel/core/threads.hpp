// Runs a task for every index of a range on a few threads. Which thread takes which index does not matter to any
// caller: results go to places of their own, so that the number of threads never changes an answer.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace crossarc {

// 0 asks for all cores.
inline std::size_t thread_count(int asked) {
  if (asked > 0) return static_cast<std::size_t>(asked);
  return std::max(1U, std::thread::hardware_concurrency());
}

// Calls task(index) for 0 <= index < count. The first exception stops the rest and is thrown again here.
template <typename Task>
void parallel_for(std::size_t count, std::size_t threads, Task&& task) {
  threads = std::min(threads, count);
  if (threads <= 1) {
    for (std::size_t index = 0; index < count; ++index) task(index);
    return;
  }
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto work = [&] {
    try {
      for (std::size_t index; (index = next.fetch_add(1)) < count;) task(index);
    } catch (...) {
      next = count;
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> workers;
    for (std::size_t worker = 1; worker < threads; ++worker) workers.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace crossarc
