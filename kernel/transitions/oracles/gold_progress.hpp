// What of a gold graph has been built, and what is still to come.
#pragma once

#include <cstdint>
#include <vector>

#include "transitions/machine/configuration.hpp"
#include "transitions/oracles/gold.hpp"

namespace crossarc {

class Progress {
 public:
  void start(const Gold& gold);
  const Gold& gold() const { return *gold_; }

  // The gold arc that a link stands for and that is not built, or kNoNode.
  std::int32_t match(const BuiltArc& link, bool undirected) const;
  void build(std::int32_t arc);
  void unbuild(std::int32_t arc);
  bool open(std::int32_t arc) const { return !closed_[arc]; }
  std::int32_t pending(std::int32_t node) const { return pending_[node]; }
  std::int32_t pending() const { return all_pending_; }
  // A gold arc of the node that can no longer be built, or kNoNode.
  std::int32_t unreachable(const Configuration& configuration, std::int32_t node) const;

 private:
  const Gold* gold_ = nullptr;
  std::vector<std::uint8_t> closed_;
  std::vector<std::int32_t> pending_;
  std::int32_t all_pending_ = 0;
};

}  // namespace crossarc
