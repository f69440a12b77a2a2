#include "structure/measures.hpp"

#include <algorithm>
#include <bit>

#include "core/threads.hpp"
#include "structure/arcs.hpp"

namespace crossarc {
namespace {

using Set = std::uint64_t;
constexpr std::int32_t kSetSize = 64;

// Of the 64 words from first_word on, those from `from` to `to`.
inline Set words_from_to(std::int32_t from, std::int32_t to, std::int32_t first_word) {
  const std::int32_t begin = std::max(from - first_word, 0);
  const std::int32_t end = std::min(to - first_word + 1, kSetSize);
  return begin < end ? (~Set{0} >> (kSetSize - (end - begin))) << begin : 0;
}

inline Set words_between(const Arc& arc, std::int32_t first_word) {
  return words_from_to(arc.left + 1, arc.right - 1, first_word);
}

}  // namespace

TreeMeasures TreeMeasurer::measure(std::span<const std::int32_t> heads, const TreeOrder& order, bool root_arcs,
                                   std::span<std::uint8_t> nonprojective, std::span<std::int32_t> crossings) {
  heads_ = heads;
  order_ = &order;
  crossings_ = crossings;
  const auto words = static_cast<std::int32_t>(heads.size());
  const std::size_t nodes = heads.size() + 1;
  std::fill(crossings.begin(), crossings.end(), 0);
  edge_degrees_.assign(nodes, 0);
  blocks_.assign(nodes, 0);
  block_open_.assign(nodes, 0);
  inherits_.assign(nodes, 0);
  shared_.assign(nodes, {});
  shared_without_root_.assign(nodes, {});

  TreeMeasures measures;
  for (std::int32_t first_word = 1; first_word <= words; first_word += kSetSize) {
    check_interruption(1 + words / 32);
    load_incidence(first_word);
    load_dominance(first_word);
    measure_arcs(first_word, root_arcs, measures);
    measure_blocks(first_word);
  }

  counts_.assign(nodes, 0);
  for (std::int32_t word = 1; word <= words; ++word) {
    measures.crossings += crossings[word - 1];
    nonprojective[word - 1] = edge_degrees_[word] > 0;
    measures.nonprojective_arcs += edge_degrees_[word] > 0;
    measures.edge_degree = std::max(measures.edge_degree, edge_degrees_[word]);
    measures.gap_degree = std::max(measures.gap_degree, blocks_[word] - 1);
    counts_[heads[word - 1]] += inherits_[word];
  }
  measures.crossings /= 2;  // each pair was seen from both arcs
  measures.gap_inheritance_degree = *std::max_element(counts_.begin(), counts_.end());
  measures.covered_roots = count_covered_roots();
  return measures;
}

void TreeMeasurer::load_incidence(std::int32_t first_word) {
  const auto words = static_cast<std::int32_t>(heads_.size());
  const std::int32_t last_word = std::min(words, first_word + kSetSize - 1);
  children_.assign(heads_.size() + 1, 0);
  for (std::int32_t word = first_word; word <= last_word; ++word) {
    children_[heads_[word - 1]] |= Set{1} << (word - first_word);
  }
  incident_ = children_;
  for (std::int32_t word = first_word; word <= last_word; ++word) incident_[word] |= Set{1} << (word - first_word);
  prefix_.resize(heads_.size() + 1);
  Set sum = 0;
  for (std::int32_t word = 0; word <= words; ++word) prefix_[word] = sum ^= incident_[word];
}

void TreeMeasurer::load_dominance(std::int32_t first_word) {
  const auto words = static_cast<std::int32_t>(heads_.size());
  const auto order = order_->order();
  descendants_.assign(heads_.size() + 1, 0);
  for (std::int32_t word = first_word; word <= std::min(words, first_word + kSetSize - 1); ++word) {
    descendants_[word] = Set{1} << (word - first_word);
  }
  for (std::size_t place = order.size() - 1; place > 0; --place) {
    descendants_[heads_[order[place] - 1]] |= descendants_[order[place]];
  }
  hanging_on_ancestors_.resize(heads_.size() + 1);
  hanging_on_ancestors_[0] = children_[0];
  for (std::size_t place = 1; place < order.size(); ++place) {
    const std::int32_t word = order[place];
    hanging_on_ancestors_[word] = hanging_on_ancestors_[heads_[word - 1]] | children_[word];
  }
}

void TreeMeasurer::measure_arcs(std::int32_t first_word, bool root_arcs, TreeMeasures& measures) {
  const auto words = static_cast<std::int32_t>(heads_.size());
  for (std::int32_t word = 1; word <= words; ++word) {
    const std::int32_t head = heads_[word - 1];
    const Arc arc = arc_between(head, word);
    const Set crossing = (prefix_[arc.right - 1] ^ prefix_[arc.left]) & ~(incident_[arc.left] | incident_[arc.right]);
    if (crossing == 0) continue;
    const Set without_root = head == 0 ? 0 : crossing & ~children_[0];
    crossings_[word - 1] += std::popcount(root_arcs ? crossing : without_root);

    // A component below the arc that the head does not dominate has a root whose own arc leaves the span.
    const Set not_dominated = crossing & ~descendants_[head];
    edge_degrees_[word] += std::popcount(not_dominated & words_between(arc, first_word));
    if ((not_dominated & ~hanging_on_ancestors_[head]) != 0) measures.well_nested = false;

    measures.one_endpoint_crossing = measures.one_endpoint_crossing && narrow(shared_[word], crossing, first_word);
    measures.one_endpoint_crossing_without_root =
        measures.one_endpoint_crossing_without_root && narrow(shared_without_root_[word], without_root, first_word);
  }
}

bool TreeMeasurer::narrow(SharedEndpoints& shared, Set crossing, std::int32_t first_word) const {
  if (crossing == 0) return true;
  if (!shared.seen) {
    const std::int32_t word = first_word + std::countr_zero(crossing);
    shared = {word, heads_[word - 1], true};
  }
  if (shared.first != kNone && (crossing & ~incident_[shared.first]) != 0) shared.first = kNone;
  if (shared.second != kNone && (crossing & ~incident_[shared.second]) != 0) shared.second = kNone;
  return shared.first != kNone || shared.second != kNone;
}

void TreeMeasurer::measure_blocks(std::int32_t first_word) {
  const auto words = static_cast<std::int32_t>(heads_.size());
  const auto leftmost = order_->leftmost();
  const auto rightmost = order_->rightmost();
  for (std::int32_t word = 1; word <= words; ++word) {
    const Set projection = descendants_[word];
    blocks_[word] += std::popcount(projection & ~(projection << 1 | block_open_[word]));
    block_open_[word] = static_cast<std::uint8_t>(projection >> (kSetSize - 1));
    // Descendants in two blocks of the head have a word between them that is not below the head.
    const Set extent = words_from_to(leftmost[word], rightmost[word], first_word);
    if ((extent & ~descendants_[heads_[word - 1]]) != 0) inherits_[word] = 1;
  }
}

std::int32_t TreeMeasurer::count_covered_roots() {
  const auto words = static_cast<std::int32_t>(heads_.size());
  counts_.assign(heads_.size() + 1, 0);  // how many arcs begin to cover a word, less how many end to
  for (std::int32_t word = 1; word <= words; ++word) {
    const Arc arc = arc_between(heads_[word - 1], word);
    if (arc.left == 0) continue;
    ++counts_[arc.left + 1];
    --counts_[arc.right];
  }
  std::int32_t covered = 0;
  std::int32_t covering = 0;
  for (std::int32_t word = 1; word <= words; ++word) {
    covering += counts_[word];
    covered += heads_[word - 1] == 0 && covering > 0;
  }
  return covered;
}

}  // namespace crossarc
