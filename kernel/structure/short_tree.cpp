#include "structure/short_tree.hpp"

#include <algorithm>
#include <bit>

namespace crossarc {
bool ShortTree::load(std::span<const std::int32_t> heads) {
  heads_ = heads;
  const auto words = static_cast<std::int32_t>(heads.size());
  std::fill_n(children_.begin(), words + 1, 0);
  for (std::int32_t word = 1; word <= words; ++word) {
    const std::int32_t head = heads[word - 1];
    if (head < 0 || head > words) return false;
    children_[head] |= only_word(word);
  }
  std::int32_t found = 0;
  for (WordSet waiting = children_[0]; waiting != 0;) {
    const std::int32_t word = std::countr_zero(waiting) + 1;
    waiting = (waiting & (waiting - 1)) | children_[word];
    order_[found++] = static_cast<std::uint8_t>(word);
  }
  if (found != words) return false;  // words on or below a cycle are never reached

  prefix_[0] = incident_[0] = children_[0];
  for (std::int32_t word = 1; word <= words; ++word) {
    incident_[word] = children_[word] | only_word(word);
    prefix_[word] = prefix_[word - 1] ^ incident_[word];
  }
  crossed_ = 0;
  for (std::int32_t word = 1; word <= words; ++word) {
    const Arc arc = arc_between(heads[word - 1], word);
    const WordSet crossing =
        (prefix_[arc.right - 1] ^ prefix_[arc.left]) & ~(incident_[arc.left] | incident_[arc.right]);
    crossing_[word] = crossing;
    crossed_ |= WordSet{crossing != 0} << (word - 1);
  }
  return true;
}

void ShortTree::load_dominance() {
  const std::size_t words = heads_.size();
  descendants_[0] = 0;
  for (std::size_t word = 1; word <= words; ++word) descendants_[word] = WordSet{1} << (word - 1);
  for (std::size_t place = words; place > 0; --place) {
    const std::int32_t word = order_[place - 1];
    descendants_[heads_[word - 1]] |= descendants_[word];
  }
  hanging_on_ancestors_[0] = children_[0];
  for (std::size_t place = 0; place < words; ++place) {
    const std::int32_t word = order_[place];
    hanging_on_ancestors_[word] = hanging_on_ancestors_[heads_[word - 1]] | children_[word];
  }
}

TreeMeasures ShortTree::measure(bool root_arcs, std::span<std::uint8_t> nonprojective,
                                std::span<std::int32_t> crossings) {
  load_dominance();
  std::fill(nonprojective.begin(), nonprojective.end(), 0);
  std::fill(crossings.begin(), crossings.end(), 0);
  nonprojective_ = 0;
  TreeMeasures measures;
  WordSet covered = 0;
  for_each_word(crossed_, [&](std::int32_t word) {
    const std::int32_t head = heads_[word - 1];
    const WordSet between = words_between(arc_between(head, word));
    const WordSet crossing = crossing_[word];
    const WordSet without_root = head == 0 ? 0 : crossing & ~children_[0];
    crossings[word - 1] = std::popcount(root_arcs ? crossing : without_root);
    measures.crossings += crossings[word - 1];
    if (head != 0) covered |= between;

    const WordSet not_dominated = crossing & ~descendants_[head];
    const std::int32_t degree = std::popcount(not_dominated & between);
    measures.edge_degree = std::max(measures.edge_degree, degree);
    nonprojective[word - 1] = degree > 0;
    nonprojective_ |= WordSet{degree > 0} << (word - 1);
    measures.well_nested &= (not_dominated & ~hanging_on_ancestors_[head]) == 0;
    measures.one_endpoint_crossing &= share_endpoint(crossing);
    measures.one_endpoint_crossing_without_root &= share_endpoint(without_root);
  });
  measures.crossings /= 2;  // each pair was seen from both arcs
  measures.nonprojective_arcs = std::popcount(nonprojective_);
  measures.covered_roots = std::popcount(covered & children_[0]);
  measures.gap_inheritance_degree = measure_blocks(measures);
  return measures;
}

bool ShortTree::share_endpoint(WordSet arcs) const {
  if (arcs == 0) return true;
  const std::int32_t word = std::countr_zero(arcs) + 1;
  return (arcs & ~incident_[word]) == 0 || (arcs & ~incident_[heads_[word - 1]]) == 0;
}

// Also sets the gap degree.
std::int32_t ShortTree::measure_blocks(TreeMeasures& measures) const {
  WordSet inheriting = 0;
  for (std::int32_t word = 1; word <= static_cast<std::int32_t>(heads_.size()); ++word) {
    const WordSet projection = descendants_[word];
    const WordSet extent =
        (~WordSet{0} >> std::countl_zero(projection)) & (~WordSet{0} << std::countr_zero(projection));
    if (projection == extent) continue;
    const std::int32_t gaps = std::popcount(projection & ~(projection << 1)) - 1;
    measures.gap_degree = std::max(measures.gap_degree, gaps);
    if ((extent & ~descendants_[heads_[word - 1]]) != 0) inheriting |= only_word(word);
  }
  std::int32_t most = 0;
  for_each_word(inheriting, [&](std::int32_t word) {
    most = std::max(most, std::popcount(children_[heads_[word - 1]] & inheriting));
  });
  return most;
}

bool ShortTree::two_planes_suffice(bool root_arcs) const {
  const WordSet counted = root_arcs ? crossed_ : crossed_ & ~children_[0];
  WordSet done = 0;
  for (WordSet rest; (rest = counted & ~done) != 0;) {
    // Whoever crosses an arc of one plane is on the other, until the component has no more arcs.
    WordSet planes[2] = {rest & -rest, 0};
    WordSet open[2] = {planes[0], 0};
    for (int plane = 0; (open[0] | open[1]) != 0; plane = 1 - plane) {
      WordSet others = 0;
      for_each_word(open[plane], [&](std::int32_t word) { others |= crossing_[word]; });
      open[plane] = 0;
      others &= counted;
      open[1 - plane] |= others & ~planes[1 - plane];
      planes[1 - plane] |= others;
      if ((planes[0] & planes[1]) != 0) return false;
    }
    done |= planes[0] | planes[1];
  }
  return true;
}

}  // namespace crossarc
