// Where the artificial root stands, as Python names it.
#pragma once

#include <stdexcept>
#include <string>

#include "transitions/machine/configuration.hpp"

namespace crossarc {

inline Root to_root(const std::string& root) {
  if (root == "none") return Root::kNone;
  if (root == "first") return Root::kFirst;
  if (root == "last") return Root::kLast;
  throw std::invalid_argument("the root is none, first or last");
}

}  // namespace crossarc
