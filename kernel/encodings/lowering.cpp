#include <algorithm>
#include <iterator>
#include <limits>

#include "core/threads.hpp"
#include "encodings/encodings.hpp"
#include "structure/lifting.hpp"

namespace crossarc {

void Lowerer::lower(const MarkedTree& tree, const TreeOrder& order, std::span<std::int32_t> heads,
                    std::span<std::uint8_t> missed) {
  marked_ = tree;
  std::fill(missed.begin(), missed.end(), 0);
  tree_.load(tree.heads, order);
  explained_.assign(tree.heads.size() + 1, 0);
  for (std::int32_t word = 1; word <= tree_.last(); ++word) {
    if ((tree.marks[word - 1] & kCoveredRoot) != 0) tree_.move(word, 0);
  }
  for (const std::int32_t word : order.order().subspan(1)) {
    if ((tree.marks[word - 1] & (kLifted | kCoveredRoot)) != kLifted) continue;
    check_interruption();
    const std::int32_t target = find(word);
    missed[word - 1] = target == kNone;
    if (target == kNone) continue;
    explain(target, tree_.head(word));
    tree_.move(word, target);
  }
  std::copy(tree_.heads().begin(), tree_.heads().end(), heads.begin());
}

bool Lowerer::on_path(std::int32_t word) const { return (marked_.marks[word - 1] & kOnPath) != 0; }

std::int32_t Lowerer::find(std::int32_t word) {
  const std::int32_t head_label = marked_.head_labels[word - 1];
  if (scheme_ != Scheme::kHead) {
    search_below(word, [this](std::int32_t child) { return on_path(child); });
    if (scheme_ == Scheme::kPath) return found_.empty() ? kNone : choose_path_end(word);
    keep_label(head_label);
    if (!found_.empty()) return choose(word);
  }
  search_below(word, [](std::int32_t) { return true; });
  keep_label(head_label);
  if (found_.empty()) return kNone;
  if (search_ == Search::kCareful) keep_crossing(word);
  return found_.front().word;
}

// Finds all words below the linear head, except the word itself and what is below it, top-down and from left to right.
template <typename Follow>
void Lowerer::search_below(std::int32_t word, Follow&& follow) {
  found_.clear();
  const auto open = [&](std::int32_t above, std::int32_t depth) {
    tree_.for_each_child(above, [&](std::int32_t child) {
      if (child != word && follow(child)) found_.push_back({child, depth + 1});
    });
  };
  open(tree_.head(word), 0);
  for (std::size_t next = 0; next < found_.size(); ++next) open(found_[next].word, found_[next].depth);
}

void Lowerer::keep_label(std::int32_t label) {
  std::erase_if(found_, [&](const Found& found) { return label < 0 || marked_.labels[found.word - 1] != label; });
}

// Head+Path: of the marked arcs with the right label the deepest, if it can be one that leaves the arc non-projective.
std::int32_t Lowerer::choose(std::int32_t word) {
  if (search_ == Search::kFirst) return found_.front().word;
  keep_crossing(word);
  return deepest();
}

// Path: a marked arc without marked arcs below it. Every such path was marked for some arc, so one that no arc has been
// lowered along yet goes first, if it can be one that leaves the arc non-projective. When there is none, an arc from 0
// was most likely lifted by a single step, past another child of 0.
std::int32_t Lowerer::choose_path_end(std::int32_t word) {
  const std::int32_t first = found_.front().word;
  std::erase_if(found_, [&](const Found& found) {
    bool goes_on = false;
    tree_.for_each_child(found.word, [&](std::int32_t child) { goes_on |= child != word && on_path(child); });
    return goes_on;
  });
  if (search_ == Search::kFirst) return found_.front().word;
  keep_crossing(word);
  kept_.clear();
  std::copy_if(found_.begin(), found_.end(), std::back_inserter(kept_),
               [this](const Found& found) { return explained_[found.word] == 0; });
  if (kept_.empty() && tree_.head(word) == 0) return first;
  if (!kept_.empty()) found_.swap(kept_);
  return deepest();
}

// Of several targets keeps those from which the arc would be non-projective, if there are any: else it would hardly
// have been lifted.
void Lowerer::keep_crossing(std::int32_t word) {
  if (found_.size() < 2) return;
  enter_.resize(marked_.heads.size() + 1);
  leave_.resize(marked_.heads.size() + 1);
  std::int32_t time = 0;
  tree_.walk(
      0, [&](std::int32_t entered) { enter_[entered] = time++; }, [&](std::int32_t left) { leave_[left] = time - 1; });
  first_between_.resize(marked_.heads.size() + 1);
  last_between_.resize(marked_.heads.size() + 1);
  for (const std::int32_t step : {-1, 1}) {
    std::int32_t first = std::numeric_limits<std::int32_t>::max();
    std::int32_t last = -1;
    for (std::int32_t other = word + step; other >= 1 && other <= tree_.last(); other += step) {
      first_between_[other] = first;
      last_between_[other] = last;
      if (enter_[word] <= enter_[other] && enter_[other] <= leave_[word]) continue;  // moves along
      first = std::min(first, enter_[other]);
      last = std::max(last, enter_[other]);
    }
  }
  kept_.clear();
  for (const Found& found : found_) {
    const bool crossing = last_between_[found.word] >= 0 && (first_between_[found.word] < enter_[found.word] ||
                                                             last_between_[found.word] > leave_[found.word]);
    if (crossing) kept_.push_back(found);
  }
  if (!kept_.empty()) found_.swap(kept_);
}

// The leftmost of the deepest.
std::int32_t Lowerer::deepest() const {
  return std::max_element(found_.begin(), found_.end(),
                          [](const Found& a, const Found& b) { return a.depth < b.depth; })
      ->word;
}

void Lowerer::explain(std::int32_t from, std::int32_t linear_head) {
  for (std::int32_t word = from; word != linear_head; word = tree_.head(word)) explained_[word] = 1;
}

}  // namespace crossarc
