// Runs the native tests, all of them or those whose names contain the argument; fails if one fails or there is none.
#include <exception>
#include <iostream>
#include <string>

#include "check.hpp"
#include "core/vector_path.hpp"

int main(int count, char** arguments) {
  using namespace crossarc::tests;
  const std::string wanted = count > 1 ? arguments[1] : "";
  std::size_t passed = 0;
  std::size_t failed = 0;
  for (const Test& test : all_tests()) {
    if (test.name.find(wanted) == std::string::npos) continue;
    failed_checks = 0;
    try {
      test.run();
    } catch (const std::exception& error) {
      report(false, "main.cpp", __LINE__, error.what());
    }
    ++(failed_checks == 0 ? passed : failed);
    if (failed_checks > 0) std::cout << test.name << ": " << failed_checks << " checks failed\n";
  }
  const auto path = static_cast<std::size_t>(crossarc::vector_path());
  std::cout << passed << " passed, " << failed << " failed (vector path: " << crossarc::kVectorPathNames[path] << ")\n";
  return failed == 0 && passed > 0 ? 0 : 1;
}
