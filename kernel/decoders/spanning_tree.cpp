#include "decoders/spanning_tree.hpp"

#include <algorithm>

namespace crossarc {

bool MaximumBranching::solve(const IncomingScores& scores, bool single_root, std::span<std::int32_t> heads) {
  words_ = scores.words();
  width_ = scores.width();
  single_root_ = single_root;
  root_arcs_ = 0;
  values_.assign(scores.values().begin(), scores.values().end());
  dependents_.resize(values_.size());
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
  if (single_root_ && root_arcs_ > 1) return false;
  expand(heads);
  return true;
}

bool MaximumBranching::take_best_head(std::int32_t index) {
  Node& node = nodes_[index];
  const double* row = values_.data() + node.row * width_;
  std::int32_t head = 0;
  if (!single_root_) {
    head = first_of_the_largest(row, 0, words_ + 1);
  } else if (words_ > 0) {
    head = first_of_the_largest(row, 1, words_ + 1);
    if (row[head] == kForbidden) head = 0;
  }
  if (row[head] == kForbidden) return false;
  node.best = row[head];
  node.head = head;
  node.dependent = index <= words_ ? index : dependents_[node.row * width_ + head];
  root_arcs_ += head == 0;
  return true;
}

// The dependents of a node's values, which for a single word are not written down until it is contracted.
std::int32_t* MaximumBranching::dependents_of(std::int32_t index) {
  std::int32_t* dependents = dependents_.data() + nodes_[index].row * width_;
  if (index <= words_) std::fill_n(dependents, width_, index);
  return dependents;
}

// Contracts the path from a node to its end, which is a cycle; the new node works in the row of the first.
std::int32_t MaximumBranching::contract(std::size_t first_on_path) {
  const auto contracted = static_cast<std::int32_t>(nodes_.size());
  const std::int32_t row = nodes_[path_[first_on_path]].row;
  double* values = values_.data() + row * width_;
  std::int32_t* dependents = dependents_of(path_[first_on_path]);
  const double own_best = nodes_[path_[first_on_path]].best;
  for (std::size_t head = 0; head < width_; ++head) values[head] -= own_best;
  for (std::size_t place = first_on_path; place < path_.size(); ++place) {
    Node& member = nodes_[path_[place]];
    member.parent = contracted;
    if (member.row == row) continue;
    const double* other = values_.data() + member.row * width_;
    const std::int32_t* other_dependents = dependents_of(path_[place]);
    const double best = member.best;
    for (std::size_t head = 0; head < width_; ++head) {
      const double value = other[head] - best;
      const bool better = value > values[head];
      values[head] = better ? value : values[head];
      dependents[head] = better ? other_dependents[head] : dependents[head];
    }
  }
  path_.resize(first_on_path);
  for (std::size_t word = 0; word < width_; ++word) {
    if (nodes_[top_[word]].parent != contracted) continue;
    top_[word] = contracted;
    values[word] = kForbidden;
  }
  nodes_.push_back(Node{.row = row});
  return contracted;
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

// Calls use(head, loss) for all allowed heads. The dual solution: an arc costs what the nodes around its dependent that
// do not contain its head took, less its score; a tree falls short of the best by at least the costs of its arcs.
template <typename Use>
void MaximumBranching::for_each_loss(const IncomingScores& scores, std::int32_t dependent, Use&& use) {
  depth_.resize(nodes_.size(), 0);
  taken_.assign(1, 0);
  for (std::int32_t node = dependent; node >= 0; node = nodes_[node].parent) {
    depth_[node] = static_cast<std::int32_t>(taken_.size());
    taken_.push_back(taken_.back() + nodes_[node].best);
  }
  const double* row = scores.row(dependent);
  for (std::int32_t head = 0; head <= words_; ++head) {
    if (row[head] == kForbidden) continue;
    std::int32_t node = head;
    while (node >= 0 && depth_[node] == 0) node = nodes_[node].parent;
    use(head, std::max(0.0, (node < 0 ? taken_.back() : taken_[depth_[node] - 1]) - row[head]));
  }
  for (std::int32_t node = dependent; node >= 0; node = nodes_[node].parent) depth_[node] = 0;
}

void MaximumBranching::bound_losses(const IncomingScores& scores, std::vector<double>& losses) {
  losses.assign(width_ * width_, -kForbidden);
  for (std::int32_t dependent = 1; dependent <= words_; ++dependent) {
    for_each_loss(scores, dependent, [&](std::int32_t head, double loss) { losses[dependent * width_ + head] = loss; });
  }
}

double MaximumBranching::bound_loss_without(const IncomingScores& scores, std::int32_t dependent) {
  double least = -kForbidden;
  for_each_loss(scores, dependent, [&](std::int32_t head, double loss) {
    if (head != nodes_[dependent].head) least = std::min(least, loss);
  });
  return least;
}

}  // namespace crossarc
