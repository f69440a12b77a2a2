// Native tests without a framework: TEST defines and registers one, CHECK and CHECK_NEAR say what must hold in it. A
// test goes on after a check that fails, prints the first few, and counts as failed once. main.cpp runs them all.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace crossarc::tests {

struct Test {
  std::string name;
  std::function<void()> run;
};

inline std::vector<Test>& all_tests() {
  static std::vector<Test> tests;
  return tests;
}

struct Registration {
  Registration(const char* name, std::function<void()> run) { all_tests().push_back({name, std::move(run)}); }
};

// Of the test that is running.
inline std::size_t failed_checks = 0;

inline void report(bool holds, const char* file, int line, const std::string& what) {
  constexpr std::size_t kShown = 5;
  if (holds) return;
  if (++failed_checks <= kShown) std::cout << "  " << file << ':' << line << ": " << what << '\n';
}

// Within an absolute tolerance for small numbers, a relative one for large ones.
inline void report_near(double found, double expected, double tolerance, const char* file, int line, const char* text) {
  if (std::abs(found - expected) <= tolerance * std::max(1.0, std::abs(expected))) return;
  std::ostringstream out;
  out.precision(9);
  out << text << " is " << found << ", not " << expected;
  report(false, file, line, out.str());
}

}  // namespace crossarc::tests

#define CHECK(condition) ::crossarc::tests::report((condition), __FILE__, __LINE__, #condition)
#define CHECK_NEAR(found, expected, tolerance) \
  ::crossarc::tests::report_near((found), (expected), (tolerance), __FILE__, __LINE__, #found)
#define TEST(name)                                                                  \
  static void name();                                                               \
  static const ::crossarc::tests::Registration registration_of_##name(#name, name); \
  static void name()
