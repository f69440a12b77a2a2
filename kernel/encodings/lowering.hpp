// Lowers marked arcs to the heads from which they were lifted: the inverse transformation of the 2005 paper, Section 2.
// Marked words are taken from the top of the projective tree downwards, from left to right; for each a breadth-first
// search from its linear head looks for a target arc, in the tree as it is by then. Which of several targets is taken
// is the reading (Search). O(n) for each marked word.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "structure/tree_order.hpp"

namespace crossarc {

enum class Scheme : std::uint8_t { kHead, kPath, kHeadPath };
enum class Search : std::uint8_t {
  kFirst,    // the first target that the search finds
  kCareful,  // see Lowerer::choose and Lowerer::choose_path_end
};

struct MarkedTree {
  std::span<const std::int32_t> heads;
  std::span<const std::int32_t> labels;       // without marks
  std::span<const std::int32_t> head_labels;  // of a lifted word: the label of its syntactic head; -1 if not known
  std::span<const std::uint8_t> marks;        // of structure/lifting.hpp
};

// Keeps its memory from sentence to sentence.
class Lowerer {
 public:
  Lowerer(Scheme scheme, Search search) : scheme_(scheme), search_(search) {}

  // `order` belongs to the heads. Writes the new heads, and 1 for every lifted word that found no target and stays with
  // its linear head.
  void lower(const MarkedTree& tree, const TreeOrder& order, std::span<std::int32_t> heads,
             std::span<std::uint8_t> missed);

 private:
  static constexpr std::int32_t kNone = -1;
  struct Found {
    std::int32_t word;   // the target arc points to it
    std::int32_t depth;  // below the linear head
  };

  std::int32_t find(std::int32_t word);
  template <typename Follow>
  void search_below(std::int32_t word, Follow&& follow);
  void keep_label(std::int32_t label);
  std::int32_t choose(std::int32_t word);
  std::int32_t choose_path_end(std::int32_t word);
  void keep_crossing(std::int32_t word);
  std::int32_t deepest() const;
  void explain(std::int32_t from, std::int32_t linear_head);
  bool on_path(std::int32_t word) const;

  Scheme scheme_;
  Search search_;
  MarkedTree marked_;
  ChildLists tree_;
  std::vector<Found> found_;
  std::vector<Found> kept_;
  std::vector<std::uint8_t> explained_;  // a lowered arc passed over this one
  // For the test whether an arc would be projective: when a walk through the tree enters and leaves each word, and the
  // first and last entry of all words between it and the dependent.
  std::vector<std::int32_t> enter_;
  std::vector<std::int32_t> leave_;
  std::vector<std::int32_t> first_between_;
  std::vector<std::int32_t> last_between_;
};

}  // namespace crossarc
