// Runs a task for every index of a range on a few threads, and lets whoever called the kernel stop long work. Which
// thread takes which index does not matter to any caller: results go to places of their own, so that the number of
// threads never changes an answer.
//
// Stopping: the caller opens an InterruptibleCall with a function that says whether to stop. Loops that may run for
// long call check_interruption() in every round. The thread that made the call asks the function every fifth of a
// second, its workers look whether it was told to stop, and all of them leave their work by Interrupted. Without such a
// call nothing is ever asked. A check is one subtraction; the clock is read every few milliseconds.
//
// Where a call leaves the number of threads open, it is that of CROSSARC_THREADS, without it that of the cores.
#pragma once

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

namespace crossarc {

inline constexpr std::size_t kMostThreads = 1024;

class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

// What a thread knows of the call that it works for.
struct CallWatch {
  using Clock = std::chrono::steady_clock;

  std::atomic<bool>* stopped = nullptr;  // null: there is no call that could be stopped
  bool (*stop_asked)() = nullptr;        // only in the thread that made the call
  Clock::rep next_question = 0;
  std::int32_t work_left = 0;  // before it looks again

  void look() {
    work_left = kWork;
    if (stopped == nullptr) return;
    if (stopped->load(std::memory_order_relaxed)) throw Interrupted();
    if (stop_asked == nullptr) return;
    const Clock::rep now = Clock::now().time_since_epoch().count();
    if (now < next_question) return;
    next_question = now + Clock::duration(kInterval).count();
    if (!stop_asked()) return;
    stopped->store(true, std::memory_order_relaxed);
    throw Interrupted();
  }

  static constexpr std::chrono::milliseconds kInterval{200};
  static constexpr std::int32_t kWork = 1 << 12;
};

inline constinit thread_local CallWatch call_watch;

// Throws Interrupted if the call that this thread works for is to stop. `microseconds`: about as long as the work
// between two checks may take, so that short rounds look seldom.
inline void check_interruption(std::int32_t microseconds = 64) {
  if ((call_watch.work_left -= microseconds) < 0) [[unlikely]] {
    call_watch.look();
  }
}

// While it lives, work of this thread and of the workers that it starts can be stopped. Calls may be nested.
class InterruptibleCall {
 public:
  // Null: nobody asks, so that it is never stopped.
  explicit InterruptibleCall(bool (*stop_asked)()) : before_(call_watch) {
    call_watch = {&stopped_, stop_asked, 0, 0};
    const auto first = CallWatch::Clock::now() + CallWatch::kInterval;
    call_watch.next_question = first.time_since_epoch().count();
  }
  ~InterruptibleCall() { call_watch = before_; }
  InterruptibleCall(const InterruptibleCall&) = delete;
  InterruptibleCall& operator=(const InterruptibleCall&) = delete;

 private:
  std::atomic<bool> stopped_{false};
  CallWatch before_;
};

// The number of threads that CROSSARC_THREADS says, null or empty for as many as there are cores. Throws
// std::invalid_argument if it is no number of threads.
inline std::size_t threads_of_setting(const char* setting) {
  const std::string_view text = setting == nullptr ? "" : setting;
  if (text.empty()) return std::max(1U, std::thread::hardware_concurrency());
  std::size_t threads = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), threads);
  if (error != std::errc() || end != text.data() + text.size() || threads < 1 || threads > kMostThreads) {
    throw std::invalid_argument("CROSSARC_THREADS is a whole number from 1 to " + std::to_string(kMostThreads) +
                                ", not " + std::string(text));
  }
  return threads;
}

inline std::size_t default_threads() {
  static const std::size_t threads = threads_of_setting(std::getenv("CROSSARC_THREADS"));
  return threads;
}

// 0 asks for the default.
inline std::size_t thread_count(int asked) { return asked > 0 ? static_cast<std::size_t>(asked) : default_threads(); }

// Threads that are waited for at the end of a block: std::jthread, which the library of macOS lacks.
struct Workers {
  std::vector<std::thread> threads;

  Workers() = default;
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers() {
    for (std::thread& thread : threads) thread.join();
  }
};

// Calls task(index) for 0 <= index < count. The first exception stops the rest and is thrown again here.
template <typename Task>
void parallel_for(std::size_t count, std::size_t threads, Task&& task) {
  threads = std::min(threads, count);
  if (threads <= 1) {
    for (std::size_t index = 0; index < count; ++index) {
      call_watch.look();
      task(index);
    }
    return;
  }
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::size_t running = threads - 1;
  std::mutex mutex;  // of the two above
  std::condition_variable finished;
  const auto fail = [&] {
    next = count;
    const std::lock_guard lock(mutex);
    if (!failure) failure = std::current_exception();
  };
  const auto work = [&] {
    try {
      for (std::size_t index; (index = next.fetch_add(1)) < count;) {
        call_watch.look();
        task(index);
      }
    } catch (...) {
      fail();
    }
  };
  {
    Workers workers;
    for (std::size_t worker = 1; worker < threads; ++worker) {
      workers.threads.emplace_back([&, stopped = call_watch.stopped] {
        call_watch.stopped = stopped;
        work();
        const std::lock_guard lock(mutex);
        if (--running == 0) finished.notify_one();
      });
    }
    work();
    std::unique_lock lock(mutex);
    while (!finished.wait_for(lock, CallWatch::kInterval, [&] { return running == 0; })) {
      lock.unlock();
      try {
        call_watch.look();
      } catch (...) {
        fail();
      }
      lock.lock();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace crossarc
