// The children of every word in a tree that changes: lists in both directions, a walk over a subtree without a stack.
// Moving a word costs O(children of its old and its new head).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "structure/tree_order.hpp"

namespace crossarc {

// Keeps its memory from sentence to sentence. Word 0 is the root.
class ChildLists {
 public:
  void load(std::span<const std::int32_t> heads, const TreeOrder& order) {
    heads_.resize(heads.size() + 1);
    heads_[0] = 0;
    std::copy(heads.begin(), heads.end(), heads_.begin() + 1);
    first_child_.assign(order.first_child().begin(), order.first_child().end());
    next_sibling_.assign(order.next_sibling().begin(), order.next_sibling().end());
    next_sibling_[0] = 0;
  }

  std::int32_t head(std::int32_t word) const { return heads_[word]; }
  // The heads of words 1 to n.
  std::span<const std::int32_t> heads() const { return std::span(heads_).subspan(1); }
  std::int32_t last() const { return static_cast<std::int32_t>(heads_.size()) - 1; }

  template <typename Visit>
  void for_each_child(std::int32_t word, Visit&& visit) const {
    for (std::int32_t child = first_child_[word]; child != 0; child = next_sibling_[child]) visit(child);
  }

  // Heads before dependents: enter(word) on the way down, leave(word) on the way up.
  template <typename Enter, typename Leave>
  void walk(std::int32_t top, Enter&& enter, Leave&& leave) const {
    for (std::int32_t word = top;;) {
      enter(word);
      if (first_child_[word] != 0) {
        word = first_child_[word];
        continue;
      }
      for (; word != top && next_sibling_[word] == 0; word = heads_[word]) leave(word);
      leave(word);
      if (word == top) return;
      word = next_sibling_[word];
    }
  }
  template <typename Enter>
  void walk(std::int32_t top, Enter&& enter) const {
    walk(top, enter, [](std::int32_t) {});
  }

  // Children stay in their order from left to right. The new head is not below the word.
  void move(std::int32_t word, std::int32_t new_head) {
    *link_to(heads_[word], word) = next_sibling_[word];
    heads_[word] = new_head;
    std::int32_t* link = link_to(new_head, word);
    next_sibling_[word] = *link;
    *link = word;
  }

 private:
  // Where the list of a head names the first child that is not left of the word.
  std::int32_t* link_to(std::int32_t head, std::int32_t word) {
    std::int32_t* link = &first_child_[head];
    while (*link != 0 && *link < word) link = &next_sibling_[*link];
    return link;
  }

  std::vector<std::int32_t> heads_;
  std::vector<std::int32_t> first_child_;
  std::vector<std::int32_t> next_sibling_;
};

}  // namespace crossarc
