#include "structure/lifts.hpp"

#include <algorithm>

namespace crossarc {

std::int64_t Projectivizer::count_lifts(std::span<const std::int32_t> heads, const TreeOrder& order,
                                        std::span<const std::uint8_t> nonprojective, std::span<std::int32_t> lifts) {
  if (heads.size() > kMostLifted) {
    std::fill(lifts.begin(), lifts.end(), kLiftsUnknown);
    return kLiftsUnknown;
  }
  std::fill(lifts.begin(), lifts.end(), 0);
  load(heads, order);
  nonprojective_.assign(nonprojective.begin(), nonprojective.end());
  for (std::size_t word = 1; word <= heads.size(); ++word) {
    if (nonprojective_[word - 1]) push(static_cast<std::int32_t>(word));
  }
  std::int64_t total = 0;
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end());
    const Candidate candidate = heap_.back();
    heap_.pop_back();
    lift(candidate.word);
    ++lifts[candidate.word - 1];
    ++total;
  }
  return total;
}

void Projectivizer::load(std::span<const std::int32_t> heads, const TreeOrder& order) {
  heads_.assign(heads.begin(), heads.end());
  first_child_.assign(order.first_child().begin(), order.first_child().end());
  next_sibling_.assign(order.next_sibling().begin(), order.next_sibling().end());
  heap_.clear();
  width_ = heads.size() / 64 + 1;  // bit v is word v
  projections_.assign((heads.size() + 1) * width_, 0);
  for (std::size_t place = heads.size(); place > 0; --place) {
    const std::int32_t word = order.order()[place];
    Set* own = projection(word);
    Set* above = projection(heads[word - 1]);
    own[word / 64] |= Set{1} << (word % 64);
    for (std::size_t block = 0; block < width_; ++block) above[block] |= own[block];
  }
}

void Projectivizer::push(std::int32_t word) {
  const Arc arc = arc_between(heads_[word - 1], word);
  heap_.push_back({arc.right - arc.left, arc.left, word});
  std::push_heap(heap_.begin(), heap_.end());
}

// Whether test(block) has a bit for some word strictly between the ends of the arc.
template <typename Test>
bool Projectivizer::any_between(const Arc& arc, Test&& test) const {
  const std::int32_t from = arc.left + 1;
  const std::int32_t to = arc.right - 1;
  if (from > to) return false;
  for (std::int32_t block = from / 64; block <= to / 64; ++block) {
    Set words = ~Set{0};
    if (block == from / 64) words &= ~Set{0} << (from % 64);
    if (block == to / 64) words &= ~Set{0} >> (63 - to % 64);
    if ((test(block) & words) != 0) return true;
  }
  return false;
}

void Projectivizer::lift(std::int32_t word) {
  const std::int32_t old_head = heads_[word - 1];
  const std::int32_t new_head = heads_[old_head - 1];  // an arc from 0 is projective, so the old head has a head

  // The old head loses the word and all below it; whoever is above the old head keeps them. So its other arcs, if they
  // cover any of those words, are not projective any more.
  Set* remaining = projection(old_head);
  const Set* lost = projection(word);
  for (std::size_t block = 0; block < width_; ++block) remaining[block] &= ~lost[block];
  std::int32_t* link = &first_child_[old_head];
  while (*link != 0) {
    const std::int32_t child = *link;
    if (child == word) {
      *link = next_sibling_[child];
      continue;
    }
    if (!nonprojective_[child - 1] &&
        any_between(arc_between(old_head, child), [lost](std::int32_t block) { return lost[block]; })) {
      nonprojective_[child - 1] = 1;
      push(child);
    }
    link = &next_sibling_[child];
  }

  heads_[word - 1] = new_head;
  next_sibling_[word] = first_child_[new_head];
  first_child_[new_head] = word;
  const Set* dominated = projection(new_head);
  nonprojective_[word - 1] = new_head != 0 && any_between(arc_between(new_head, word), [dominated](std::int32_t block) {
                               return ~dominated[block];
                             });
  if (nonprojective_[word - 1]) push(word);
}

}  // namespace crossarc
