// From an undirected forest with directions in its labels to a tree (2012, Section 4): a root is chosen in each
// component of words and everything is directed away from it, so that the sum of the costs of the arcs is minimal.
// O(n): moving the root from a word to its neighbour changes the cost by what the one link between them costs in its
// two directions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace crossarc {

// Costs of an arc; n is the number of words.
enum class Reconstruction : std::uint8_t {
  kNaive,        // 1 along a link, 2 from the root without one
  kLabel,        // 1 with and 2 against the label of a link between words, 2n from the root, with a link or not
  kLabelStrict,  // 1 with and 2 against the label of a link, 2n from the root without one
};

// What the label of a link says: Xl, Xr or nothing.
enum class Direction : std::uint8_t { kNone, kLeft, kRight };

struct Link {
  std::int32_t left;
  std::int32_t right;
  Direction direction;
};

// Keeps its memory from sentence to sentence.
class Reconstructor {
 public:
  static constexpr std::int32_t kNoLink = -1;

  explicit Reconstructor(Reconstruction reconstruction) : reconstruction_(reconstruction) {}

  // The links are over words 0 to n, left < right. Writes the head of every word and the number of the link that its
  // arc goes along; of an arc from 0 without a link, that of the link from 0 which it replaces, if there is one. False
  // if the links have a cycle.
  bool reconstruct(std::span<const Link> links, std::span<std::int32_t> heads, std::span<std::int32_t> link_of);

 private:
  bool acyclic(std::span<const Link> links);
  void collect(std::span<const Link> links, std::int32_t start);
  std::int32_t choose_root(std::span<const Link> links);

  Reconstruction reconstruction_;
  std::int32_t words_ = 0;
  std::vector<std::int32_t> representative_;  // union-find
  std::vector<std::int32_t> link_starts_;     // where the links at each word begin in links_at_
  std::vector<std::int32_t> links_at_;
  std::vector<std::int32_t> root_link_;  // the link from 0 to each word
  // A component, each word behind the one from which it was reached, and the link to that.
  std::vector<std::int32_t> component_;
  std::vector<std::int32_t> reached_by_;
  std::vector<std::uint8_t> reached_;
  std::vector<std::int64_t> cost_;  // of the component if the word is its root
};

}  // namespace crossarc
