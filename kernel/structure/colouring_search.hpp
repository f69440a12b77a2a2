// Can the arcs be coloured with k colours? A search with backtracking and a budget; see colouring.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "structure/arcs.hpp"

namespace crossarc {

enum class SearchOutcome : std::uint8_t { kColoured, kImpossible, kOutOfBudget };

class ColouringSearch {
 public:
  // Takes m²/8 bytes.
  explicit ColouringSearch(std::span<const Arc> arcs);

  // Lowers the budget by the arcs that it looks at.
  SearchOutcome run(std::int32_t colours, std::int64_t& budget);

  // The colour of each arc, after kColoured.
  std::span<const std::int32_t> colours() const { return colour_; }

 private:
  using Set = std::uint64_t;
  static constexpr std::int32_t kUncoloured = -1;

  bool crosses(std::size_t a, std::size_t b) const { return rows_[a * width_ + b / 64] >> (b % 64) & 1; }
  void peel(std::int32_t colours);
  void colour_peeled(std::int32_t colours);
  std::int32_t most_constrained() const;
  SearchOutcome extend(std::int32_t used, std::size_t left, std::int64_t& budget);
  void assign(std::int32_t arc, std::int32_t colour);
  void unassign(std::int32_t arc);
  template <typename Visit>
  void for_each_open_neighbour(std::int32_t arc, Visit&& visit) const;

  std::size_t arcs_;
  std::size_t width_;
  std::vector<Set> rows_;  // whom each arc crosses
  std::vector<std::int32_t> degree_;
  std::vector<Set> open_;  // arcs still to colour
  std::vector<std::int32_t> colour_;
  std::vector<std::int32_t> peeled_;      // in the order of peeling
  std::vector<std::int32_t> core_;        // the others, those with most crossings first
  std::vector<std::uint16_t> seen_;       // of each arc and colour, how many neighbours have it
  std::vector<std::int32_t> saturation_;  // how many colours the neighbours have
  std::size_t colours_ = 0;
};

}  // namespace crossarc
