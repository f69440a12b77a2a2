#include "decoders/spanning/spanning_tree.hpp"

#include <algorithm>

namespace crossarc {

bool MaximumBranching::solve(const IncomingScores& scores, bool single_root, std::span<std::int32_t> heads) {
  best_words_.assign(scores.width(), -1);
  usual_penalty_ = 0;
  return solve_again(scores, single_root, {}, heads);
}

bool MaximumBranching::solve_again(const IncomingScores& scores, bool single_root,
                                   std::span<const std::int32_t> changed, std::span<std::int32_t> heads) {
  scores_ = &scores;
  words_ = scores.words();
  width_ = scores.width();
  for (const std::int32_t word : changed) best_words_[word] = -1;
  values_.resize(width_ * width_);
  dependents_.resize(width_ * width_);
  penalty_ = single_root ? usual_penalty_ : 0;
  if (!grow(false)) return false;
  if (single_root && root_arcs_ > 1 && !grow_single_root()) return false;
  expand(heads);
  return true;
}

bool MaximumBranching::grow_single_root() {
  // What it costs the words under 0, but one, to hang elsewhere is about right; infinite if two have no other head.
  double first = 0;
  double second = 0;
  for (std::int32_t word = 1; word <= words_; ++word) {
    if (nodes_[word].head != 0) continue;
    const double loss = nodes_[word].best - scores_->row(word)[best_words_[word]];
    second = std::max(second, std::min(first, loss));
    first = std::max(first, loss);
  }
  for (double more = 1.5 * second; second < -kForbidden && more > 0 && more < 10 * second; more *= 2) {
    penalty_ += more;
    grow(false);
    if (root_arcs_ > 1) continue;
    usual_penalty_ = penalty_;
    return true;
  }
  penalty_ = 0;
  return grow(true) && root_arcs_ == 1;
}

// Takes and contracts until there is a tree; false if there is none. `avoid_root`: arcs from 0 only where there is no
// other.
bool MaximumBranching::grow(bool avoid_root) {
  avoid_root_ = avoid_root;
  root_arcs_ = 0;
  nodes_.assign(width_, Node{});
  nodes_.reserve(2 * width_);
  top_.resize(width_);
  for (std::int32_t word = 0; word <= words_; ++word) {
    nodes_[word].row = word;
    top_[word] = word;
  }
  nodes_[0].done = true;
  for (std::int32_t word = 1; word <= words_; ++word) {
    if (nodes_[top_[word]].done) continue;
    path_.assign(1, top_[word]);
    nodes_[top_[word]].on_path = true;
    while (true) {
      const std::int32_t node = path_.back();
      if (!take_best_head(node)) return false;
      const std::int32_t next = top_[nodes_[node].head];
      if (nodes_[next].done) break;
      if (nodes_[next].on_path) {
        const auto place = std::find(path_.begin(), path_.end(), next) - path_.begin();
        path_.push_back(contract(static_cast<std::size_t>(place)));
      } else {
        path_.push_back(next);
      }
      nodes_[path_.back()].on_path = true;
    }
    for (const std::int32_t node : path_) nodes_[node].done = true;
  }
  return true;
}

const double* MaximumBranching::row(std::int32_t index) const {
  return index <= words_ ? scores_->row(index) : values_.data() + nodes_[index].row * width_;
}

double MaximumBranching::root_value(std::int32_t index) const {
  return row(index)[0] - (index <= words_ ? penalty_ : 0);
}

bool MaximumBranching::take_best_head(std::int32_t index) {
  Node& node = nodes_[index];
  const double* values = row(index);
  std::int32_t head = index <= words_ ? best_words_[index] : -1;
  if (head < 0) head = first_of_the_largest(values, 1, words_ + 1);
  if (index <= words_) best_words_[index] = head;
  const double root = root_value(index);
  if (values[head] == kForbidden || (!avoid_root_ && root >= values[head])) head = 0;
  node.head = head;
  node.dependent = index <= words_ ? index : static_cast<std::int32_t>(dependents_[node.row * width_ + head]);
  node.best = head == 0 ? root : values[head];
  root_arcs_ += head == 0;
  return node.best != kForbidden;
}

// Contracts the path from a node to its end, which is a cycle; the new node works in the row of the first. The scores
// of a single word are copied only now.
std::int32_t MaximumBranching::contract(std::size_t first_on_path) {
  const auto contracted = static_cast<std::int32_t>(nodes_.size());
  const std::int32_t first = path_[first_on_path];
  double* values = values_.data() + nodes_[first].row * width_;
  std::int64_t* dependents = dependents_.data() + nodes_[first].row * width_;
  const double* own = row(first);
  const double own_best = nodes_[first].best;
  const double own_root = root_value(first);
  for (std::size_t head = 1; head < width_; ++head) values[head] = own[head] - own_best;
  values[0] = own_root - own_best;
  if (first <= words_) std::fill_n(dependents, width_, first);
  for (std::size_t place = first_on_path; place < path_.size(); ++place) {
    const std::int32_t index = path_[place];
    nodes_[index].parent = contracted;
    if (index == first) continue;
    merge_row(index, values, dependents);
  }
  path_.resize(first_on_path);
  for (std::size_t word = 0; word < width_; ++word) {
    if (nodes_[top_[word]].parent != contracted) continue;
    top_[word] = contracted;
    values[word] = kForbidden;
  }
  nodes_.push_back(Node{.row = nodes_[first].row});
  return contracted;
}

// Where a member of a cycle has a better arc, it is the contracted node's. The rows are those of different nodes.
void MaximumBranching::merge_row(std::int32_t index, double* __restrict values, std::int64_t* __restrict dependents) {
  const double* __restrict other = row(index);
  const double best = nodes_[index].best;
  const std::int64_t* __restrict other_dependents = dependents_.data() + nodes_[index].row * width_;
  const auto improve = [&](std::size_t head, double value, std::int64_t dependent) {
    const bool better = value > values[head];
    values[head] = better ? value : values[head];
    dependents[head] = better ? dependent : dependents[head];
  };
  if (index <= words_) {
    improve(0, root_value(index) - best, index);
    for (std::size_t head = 1; head < width_; ++head) improve(head, other[head] - best, index);
  } else {
    for (std::size_t head = 0; head < width_; ++head) improve(head, other[head] - best, other_dependents[head]);
  }
}

// From the last contraction to the first: the arc into a node enters one of its members, which gives up its own.
void MaximumBranching::expand(std::span<std::int32_t> heads) {
  for (std::size_t index = nodes_.size(); index-- > width_;) {
    const Node& node = nodes_[index];
    std::int32_t member = node.dependent;
    while (nodes_[member].parent != static_cast<std::int32_t>(index)) member = nodes_[member].parent;
    nodes_[member].head = node.head;
    nodes_[member].dependent = node.dependent;
  }
  for (std::int32_t word = 1; word <= words_; ++word) heads[word - 1] = nodes_[word].head;
}

// What the nodes around a word took, from the innermost on. To be undone with leave().
void MaximumBranching::enter(std::int32_t dependent) {
  depth_.resize(nodes_.size(), 0);
  taken_.assign(1, 0);
  for (std::int32_t node = dependent; node >= 0; node = nodes_[node].parent) {
    depth_[node] = static_cast<std::int32_t>(taken_.size());
    taken_.push_back(taken_.back() + nodes_[node].best);
  }
}

void MaximumBranching::leave(std::int32_t dependent) {
  for (std::int32_t node = dependent; node >= 0; node = nodes_[node].parent) depth_[node] = 0;
}

// The dual solution: an arc costs what the nodes around its dependent that do not contain its head took, less its
// score; a tree falls short of the best by at least the costs of its arcs.
double MaximumBranching::loss(std::int32_t head, double score) const {
  std::int32_t node = head;
  while (node >= 0 && depth_[node] == 0) node = nodes_[node].parent;
  const double taken = node < 0 ? taken_.back() : taken_[depth_[node] - 1];
  return std::max(0.0, taken - (head == 0 ? score - penalty_ : score));
}

void MaximumBranching::bound_losses(const IncomingScores& scores, std::vector<double>& losses) {
  losses.assign(width_ * width_, -kForbidden);
  for (std::int32_t dependent = 1; dependent <= words_; ++dependent) {
    if (nodes_[dependent].parent < 0) {  // in no cycle
      const double* row = scores.row(dependent);
      double* own = losses.data() + dependent * width_;
      for (std::size_t head = 0; head < width_; ++head) own[head] = std::max(0.0, nodes_[dependent].best - row[head]);
      own[0] = std::max(0.0, nodes_[dependent].best - (row[0] - penalty_));
      continue;
    }
    enter(dependent);
    for (std::int32_t head = 0; head <= words_; ++head) {
      const double score = scores.at(head, dependent);
      if (score != kForbidden) losses[dependent * width_ + head] = loss(head, score);
    }
    leave(dependent);
  }
}

// Most heads score so little that they need not be looked up: no node around the dependent took less than the least.
double MaximumBranching::bound_loss_without(const IncomingScores& scores, std::int32_t dependent) {
  enter(dependent);
  const double* row = scores.row(dependent);
  const double least_taken = *std::min_element(taken_.begin() + 1, taken_.end());
  double least = -kForbidden;
  if (row[0] != kForbidden && nodes_[dependent].head != 0) least = loss(0, row[0]);
  for (std::int32_t head = 1; head <= words_; ++head) {
    if (least_taken - row[head] >= least || row[head] == kForbidden || head == nodes_[dependent].head) continue;
    least = std::min(least, loss(head, row[head]));
  }
  leave(dependent);
  return least;
}

}  // namespace crossarc
