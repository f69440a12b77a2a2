#include "search/easy_first.hpp"

#include <limits>
#include <numeric>

namespace crossarc {

PendingWords::PendingWords(const ParserDefinition& definition)
    : definition_(&definition), moves_(*easy_first_moves(*definition.program)) {
  for (const FeatureSet* features : {&definition.transition_features, &definition.label_features}) {
    for (const Address& address : features->addresses) {
      std::size_t& seen = address.base == Base::kBuffer ? seen_right_ : seen_left_;
      seen = std::max(seen, static_cast<std::size_t>(address.index) + 1);
    }
  }
}

void PendingWords::start(std::int32_t words) {
  const Root root = definition_->root;
  nodes_ = positions_ = words + (root == Root::kNone ? 0 : 1);
  root_position_ = root == Root::kNone ? kNoNode : root == Root::kFirst ? 0 : nodes_ - 1;
  first_ = nodes_ == 0 ? kNoNode : 0;
  arcs_.start(nodes_, definition_->program->undirected());
  links_.clear();
  const auto count = static_cast<std::size_t>(nodes_);
  before_.resize(count);
  behind_.resize(count);
  std::iota(before_.begin(), before_.end(), -1);
  std::iota(behind_.begin(), behind_.end(), 1);
  if (count > 0) behind_.back() = kNoNode;
  pending_.assign(count, 1);
}

std::int32_t PendingWords::at(std::int32_t position) const {
  std::int32_t word = first_;
  for (; position > 0; --position) word = behind(word);
  return word;
}

WordView PendingWords::view(std::int32_t word) const {
  left_view_.clear();
  for (std::int32_t other = before(word); other != kNoNode && left_view_.size() < seen_left_; other = before(other)) {
    left_view_.push_back(other);
  }
  std::reverse(left_view_.begin(), left_view_.end());
  right_view_.clear();
  for (std::int32_t other = word; other != kNoNode && right_view_.size() < seen_right_; other = behind(other)) {
    right_view_.push_back(other);
  }
  std::reverse(right_view_.begin(), right_view_.end());
  return {left_view_, left_view_, right_view_, {}, 0, 1};
}

GoldArc PendingWords::arc(const Move& move) const {
  if (!is_arc(move)) return {kNoNode, move.word, kNoLabel};
  const std::int32_t left = before(move.word);
  if (move.transition == moves_.attach_left) return {move.word, left, kNoLabel};
  return {left, move.word, kNoLabel};
}

void PendingWords::apply(const Move& move, std::int32_t label) {
  const GoldArc made = arc(move);
  pending_[made.dependent] = 0;
  --positions_;
  if (made.head == kNoNode) {
    first_ = behind(made.dependent);
    return;
  }
  const std::int32_t left = before(made.dependent);
  const std::int32_t right = behind(made.dependent);
  if (left != kNoNode) behind_[left] = right;
  if (right != kNoNode) before_[right] = left;
  if (first_ == made.dependent) first_ = right;
  links_.push_back({made.head, made.dependent, label, 0, kNoNode});
  arcs_.add(links_.back());
}

void EasyFirstOracle::start(std::int32_t nodes, std::span<const GoldArc> gold) {
  gold_.assign(static_cast<std::size_t>(nodes), {kNoNode, kNoNode, kNoLabel});
  waiting_.assign(static_cast<std::size_t>(nodes), 0);
  for (const GoldArc& arc : gold) {
    gold_[arc.dependent] = arc;
    ++waiting_[arc.head];
  }
}

std::int32_t EasyFirstOracle::loss(const PendingWords& pending, const Move& move) const {
  const GoldArc arc = pending.arc(move);
  const auto taken = static_cast<std::size_t>(arc.dependent);
  const std::int32_t head = gold_[taken].head;
  const bool loses_head = head == kNoNode ? arc.head != kNoNode : head != arc.head && pending.pending(head);
  return waiting_[taken] + (loses_head ? 1 : 0);
}

std::int32_t EasyFirstOracle::least_loss(const PendingWords& pending) const {
  std::int32_t least = std::numeric_limits<std::int32_t>::max();
  pending.visit_moves([&](const Move& move, std::int32_t) { least = std::min(least, loss(pending, move)); });
  return least;
}

std::int32_t EasyFirstOracle::label(const PendingWords& pending, const Move& move) const {
  const GoldArc arc = pending.arc(move);
  const GoldArc& gold = gold_[arc.dependent];
  return arc.head != kNoNode && gold.head == arc.head ? gold.label : kNoLabel;
}

void EasyFirstOracle::advance(const PendingWords& pending, const Move& move) {
  const std::int32_t head = gold_[pending.arc(move).dependent].head;
  if (head != kNoNode) --waiting_[head];
}

}  // namespace crossarc
