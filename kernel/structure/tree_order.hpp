// The words of a tree with every head before its dependents, and the extent of every subtree, in O(n); and the children
// of every word in a tree that changes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace crossarc {

class TreeOrder {
 public:
  // False if the heads, all of them in range, make no tree. Keeps its memory from sentence to sentence.
  bool build(std::span<const std::int32_t> heads) {
    const auto words = static_cast<std::int32_t>(heads.size());
    first_child_.assign(heads.size() + 1, 0);
    next_sibling_.resize(heads.size() + 1);
    for (std::int32_t word = words; word >= 1; --word) {
      next_sibling_[word] = first_child_[heads[word - 1]];
      first_child_[heads[word - 1]] = word;
    }
    order_.resize(heads.size() + 1);
    order_[0] = 0;
    std::int32_t found = 1;
    for (std::int32_t done = 0; done < found; ++done) {
      for (std::int32_t child = first_child_[order_[done]]; child != 0; child = next_sibling_[child]) {
        order_[found++] = child;
      }
    }
    return found == words + 1;  // words on or below a cycle are never reached
  }

  // The leftmost and rightmost descendant of every word and their number; true if every projection is an interval.
  bool measure_extents(std::span<const std::int32_t> heads) {
    leftmost_.resize(order_.size());
    rightmost_.resize(order_.size());
    size_.assign(order_.size(), 1);
    for (std::int32_t word = 0; word < static_cast<std::int32_t>(order_.size()); ++word) {
      leftmost_[word] = rightmost_[word] = word;
    }
    bool projective = true;
    for (std::size_t place = order_.size() - 1; place > 0; --place) {
      const std::int32_t word = order_[place];
      const std::int32_t head = heads[word - 1];
      projective &= is_interval(word);
      size_[head] += size_[word];
      leftmost_[head] = std::min(leftmost_[head], leftmost_[word]);
      rightmost_[head] = std::max(rightmost_[head], rightmost_[word]);
    }
    return projective;
  }

  // The root 0 and all words, heads first.
  std::span<const std::int32_t> order() const { return order_; }
  // Children from left to right; 0 ends the list.
  std::span<const std::int32_t> first_child() const { return first_child_; }
  std::span<const std::int32_t> next_sibling() const { return next_sibling_; }
  std::span<const std::int32_t> leftmost() const { return leftmost_; }
  std::span<const std::int32_t> rightmost() const { return rightmost_; }
  // Whether the word and all below it are neighbours, after measure_extents.
  bool is_interval(std::int32_t word) const { return rightmost_[word] - leftmost_[word] + 1 == size_[word]; }

 private:
  std::vector<std::int32_t> order_;
  std::vector<std::int32_t> first_child_;
  std::vector<std::int32_t> next_sibling_;
  std::vector<std::int32_t> leftmost_;
  std::vector<std::int32_t> rightmost_;
  std::vector<std::int32_t> size_;
};

// The children of every word in a tree that changes: lists in both directions, a walk over a subtree without a stack.
// Moving a word costs O(children of its old and its new head). Word 0 is the root. Keeps its memory from sentence to
// sentence.
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

  bool has_children(std::int32_t word) const { return first_child_[word] != 0; }
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
