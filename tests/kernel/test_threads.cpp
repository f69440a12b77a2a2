// Work on several threads: every index once, the first exception comes out, and a caller who wants to stop ends all of
// it, while it works itself and while it waits for its workers.
#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "check.hpp"
#include "core/threads.hpp"

namespace crossarc {
namespace {

std::atomic<int> questions = 0;

bool stop_at_once() {
  ++questions;
  return true;
}
bool never_stop() {
  ++questions;
  return false;
}

// Runs until it is interrupted.
[[noreturn]] void work_for_ever() {
  for (;;) check_interruption();
}

template <typename Work>
bool is_interrupted(Work&& work) {
  try {
    work();
  } catch (const Interrupted&) {
    return true;
  }
  return false;
}

TEST(the_setting_says_how_many_threads_there_are_where_none_are_asked_for) {
  CHECK(threads_of_setting("1") == 1);
  CHECK(threads_of_setting("12") == 12);
  CHECK(threads_of_setting(nullptr) == std::max(1U, std::thread::hardware_concurrency()));
  CHECK(threads_of_setting("") == threads_of_setting(nullptr));
  CHECK(thread_count(0) == default_threads());
  CHECK(thread_count(3) == 3);
  for (const char* setting : {"0", "-1", "1025", "two", "2x", " 2"}) {
    bool refused = false;
    try {
      threads_of_setting(setting);
    } catch (const std::invalid_argument&) {
      refused = true;
    }
    CHECK(refused);
  }
}

TEST(every_index_is_worked_on_once) {
  for (const std::size_t threads : {1, 2, 5}) {
    std::vector<std::atomic<int>> done(100);
    parallel_for(done.size(), threads, [&](std::size_t index) { ++done[index]; });
    for (const std::atomic<int>& times : done) CHECK(times == 1);
  }
}

TEST(an_exception_of_a_worker_comes_out) {
  for (const std::size_t threads : {1, 3}) {
    bool thrown = false;
    try {
      parallel_for(50, threads, [](std::size_t index) {
        if (index == 20) throw std::out_of_range("twenty");
      });
    } catch (const std::out_of_range&) {
      thrown = true;
    }
    CHECK(thrown);
  }
}

TEST(without_a_call_nothing_is_asked) {
  questions = 0;
  for (int round = 0; round < 1'000'000; ++round) check_interruption();
  CHECK(questions == 0);
}

TEST(a_call_that_is_to_stop_ends_on_all_threads) {
  for (const std::size_t threads : {1, 2, 4}) {
    const InterruptibleCall call(&stop_at_once);
    CHECK(is_interrupted([&] { parallel_for(4, threads, [](std::size_t) { work_for_ever(); }); }));
    CHECK(is_interrupted([&] { parallel_for(4, threads, [](std::size_t) {}); }));  // and stays so
  }
  check_interruption();  // the calls are over
}

TEST(a_caller_that_waits_for_a_worker_asks_too) {
  const std::thread::id caller = std::this_thread::get_id();
  const InterruptibleCall call(&stop_at_once);
  CHECK(is_interrupted([&] {
    std::atomic<bool> taken = false;
    parallel_for(2, 2, [&](std::size_t) {
      if (std::this_thread::get_id() != caller) {
        taken = true;
        work_for_ever();
      }
      while (!taken) std::this_thread::yield();  // the other index is the worker's
    });
  }));
}

TEST(a_call_that_nobody_stops_is_asked_and_goes_on) {
  questions = 0;
  const InterruptibleCall call(&never_stop);
  parallel_for(2, 2, [](std::size_t) {
    while (questions < 3) check_interruption();
  });
  CHECK(questions >= 3);
}

TEST(calls_are_nested) {
  const InterruptibleCall outer(&never_stop);
  {
    const InterruptibleCall inner(&stop_at_once);
    CHECK(is_interrupted(work_for_ever));
  }
  CHECK(!is_interrupted([] { parallel_for(3, 1, [](std::size_t) {}); }));
}

}  // namespace
}  // namespace crossarc
