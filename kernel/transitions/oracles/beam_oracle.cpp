#include "transitions/oracles/beam_oracle.hpp"

#include <algorithm>

#include "core/threads.hpp"

namespace crossarc {

std::int32_t BeamOracle::complete(const Configuration& start, const Gold& gold, std::span<const std::int32_t> planes) {
  ranking_.start(gold, program_->stacks() > 1 ? planes : std::span<const std::int32_t>(), *program_);
  history_.clear();
  beam_.clear();
  Item& first = beam_.emplace_back();
  first.configuration = start;
  first.configuration.forget();
  first.pending.start(gold, start);
  first.lost = lose_unreachable(first, true);

  bool found = false;
  Item best;
  while (!beam_.empty()) {
    candidates_.clear();
    for (std::size_t number = 0; number < beam_.size(); ++number) {
      const Item& item = beam_[number];
      if (item.configuration.terminal() && (!found || item.lost + item.pending.count() < best.lost)) {
        best = item;
        best.lost += item.pending.count();
        found = true;
      }
      if (item.configuration.terminal() && item.pending.count() == 0) continue;
      expand(static_cast<std::int32_t>(number));
    }
    if (candidates_.empty() && !found) {  // stuck: the system is not robust
      best = beam_.front();
      best.lost += best.pending.count();
    }
    std::erase_if(candidates_, [&](const Candidate& candidate) { return found && candidate.lost >= best.lost; });
    advance();
  }
  finish(best, gold);
  return best.lost;
}

void BeamOracle::expand(std::int32_t number) {
  Item& item = beam_[number];
  ranking_.look_at(item.configuration, item.pending);
  item.configuration.visit_actions([&](std::int32_t transition, std::int32_t position) {
    Action action{transition, position, kNoLabel};
    check_interruption();
    const std::size_t mark = item.configuration.mark();
    built_.clear();
    std::int32_t spoiled = 0;
    if (apply(item, action, built_, spoiled)) {
      const std::int32_t lost = item.lost + spoiled + lose_unreachable(item, false);
      const std::int32_t rank = ranking_.rank(item.configuration, mark, (*program_)[transition], built_);
      if (!built_.empty()) action.label = item.pending.gold().arc(built_[0]).label;
      candidates_.push_back({lost, rank, number, action});
    }
    item.configuration.undo_to(mark);
    for (const std::int32_t arc : built_) item.pending.put_back(arc);
  });
}

// An arc that is not gold is made only into a word whose gold arcs are settled; if it has none, the word is spoiled.
bool BeamOracle::apply(Item& item, const Action& action, std::vector<std::int32_t>& built,
                       std::int32_t& spoiled) const {
  const std::size_t links = item.configuration.links().size();
  if (!item.configuration.apply(action.transition, action.position, kNoLabel)) return false;
  return item.pending.remove_built(item.configuration, links, built, [&](const BuiltArc& link) {
    if (program_->undirected()) return false;
    bool has_gold_head = false;
    for (const Gold::Neighbour& neighbour : item.pending.gold().neighbours(link.dependent)) {
      if (item.pending.gold().arc(neighbour.arc).dependent != link.dependent) continue;
      if (item.pending.contains(neighbour.arc)) return false;
      has_gold_head = true;
    }
    spoiled += !has_gold_head;
    return true;
  });
}

// How many gold arcs that were in reach no longer are; they are given up if this configuration is kept.
std::int32_t BeamOracle::lose_unreachable(Item& item, bool keep) const {
  std::int32_t lost = 0;
  const Gold& gold = item.pending.gold();
  const Configuration& configuration = item.configuration;
  for (std::size_t number = 0; number < gold.arcs().size(); ++number) {
    if (!item.pending.contains(number)) continue;
    const GoldArc& arc = gold.arc(number);
    const bool out = configuration.gone(arc.head) || configuration.gone(arc.dependent) ||
                     (!program_->refills_buffer() && !configuration.in_buffer(arc.head) &&
                      !configuration.in_buffer(arc.dependent)) ||
                     (guarantees_.single_head && configuration.has_head(arc.dependent)) ||
                     (guarantees_.acyclic && configuration.connected(arc.head, arc.dependent));
    lost += out;
    if (out && keep) item.pending.remove(number);
  }
  return lost;
}

// The best candidates become the next beam; of those that lead to the same configuration, one.
void BeamOracle::advance() {
  std::stable_sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
    return a.lost != b.lost ? a.lost < b.lost : a.rank < b.rank;
  });
  next_.clear();
  std::vector<std::uint64_t> kept;
  for (const Candidate& candidate : candidates_) {
    if (next_.size() == width_) break;
    Item& item = next_.emplace_back(beam_[candidate.parent]);
    built_.clear();
    apply(item, candidate.action, built_, item.lost);
    item.lost += lose_unreachable(item, true);
    item.configuration.forget();
    const std::uint64_t fingerprint = item.configuration.fingerprint();
    if (std::find(kept.begin(), kept.end(), fingerprint) != kept.end()) {
      next_.pop_back();
      continue;
    }
    kept.push_back(fingerprint);
    history_.push_back({item.history, candidate.action});
    item.history = static_cast<std::int32_t>(history_.size()) - 1;
  }
  beam_.swap(next_);
}

void BeamOracle::finish(const Item& item, const Gold& gold) {
  actions_.clear();
  for (std::int32_t step = item.history; step != kNoNode; step = history_[step].parent) {
    actions_.push_back(history_[step].action);
  }
  std::reverse(actions_.begin(), actions_.end());
  PendingArcs pending;
  pending.start(gold, item.configuration);
  lost_.clear();
  for (std::size_t arc = 0; arc < gold.arcs().size(); ++arc) {
    if (pending.contains(arc)) lost_.push_back(arc);
  }
}

}  // namespace crossarc
