#include "transitions/oracles/search_oracle.hpp"

#include <algorithm>

namespace crossarc {

bool SearchOracle::derive(const Program& program, std::int32_t words, Root root, const Gold& gold,
                          std::span<const std::int32_t> planes, std::int64_t budget) {
  program_ = &program;
  configuration_.start(program, words, root);
  progress_.start(gold);
  preference_.start(gold, program.stacks() > 1 ? planes : std::span<const std::int32_t>(), program);
  candidates_.clear();
  frames_.clear();
  built_.clear();
  actions_.clear();
  failed_.clear();
  const auto finished = [this] { return configuration_.terminal() && progress_.pending() == 0; };
  if (finished()) return true;
  expand();
  while (!frames_.empty() && budget-- > 0) {
    Frame& frame = frames_.back();
    if (frame.next == candidates_.size()) {  // nothing more to try from here
      if (frames_.size() > 1) {
        failed_.insert(configuration_.fingerprint());
        actions_.pop_back();
      }
      candidates_.resize(frame.first);
      const Frame left = frame;
      frames_.pop_back();
      take_back(left.mark, left.built);
      continue;
    }
    const Candidate candidate = candidates_[frame.next++];
    const std::size_t mark = configuration_.mark();
    const std::size_t built = built_.size();
    try_transition(candidate.transition, candidate.position);
    const std::int32_t label = built_.size() > built ? gold.arc(built_[built]).label : kNoLabel;
    if (!failed_.empty() && failed_.contains(configuration_.fingerprint())) {
      take_back(mark, built);
      continue;
    }
    actions_.push_back({candidate.transition, candidate.position, label});
    if (finished()) return true;
    expand();
    frames_.back().mark = mark;
    frames_.back().built = built;
  }
  return false;
}

// Collects what may be done here, in order of preference.
void SearchOracle::expand() {
  frames_.push_back({configuration_.mark(), candidates_.size(), candidates_.size(), built_.size()});
  preference_.look_at(configuration_, progress_);
  const auto positions = static_cast<std::int32_t>(configuration_.reversed_buffer().size());
  for (std::size_t transition = 0; transition < program_->size(); ++transition) {
    const Transition& definition = (*program_)[transition];
    const std::int32_t last = definition.positional ? positions - 1 : 0;
    for (std::int32_t position = definition.positional ? 1 : 0; position <= last; ++position) {
      const std::size_t mark = configuration_.mark();
      const std::size_t built = built_.size();
      if (!try_transition(static_cast<std::int32_t>(transition), position)) continue;
      const std::span<const std::int32_t> arcs = std::span<const std::int32_t>(built_).subspan(built);
      const std::int32_t rank = preference_.rank(configuration_, mark, definition, arcs);
      candidates_.push_back({rank, static_cast<std::int32_t>(transition), position});
      take_back(mark, built);
    }
  }
  std::stable_sort(candidates_.begin() + static_cast<std::ptrdiff_t>(frames_.back().first), candidates_.end(),
                   [](const Candidate& a, const Candidate& b) { return a.rank < b.rank; });
}

// Applies a transition if it adds gold arcs only and leaves all others within reach.
bool SearchOracle::try_transition(std::int32_t transition, std::int32_t position) {
  const std::size_t mark = configuration_.mark();
  const std::size_t built = built_.size();
  const std::size_t links = configuration_.links().size();
  if (!configuration_.apply(transition, position, kNoLabel)) return false;
  bool good = true;
  for (std::size_t link = links; good && link < configuration_.links().size(); ++link) {
    const std::int32_t arc = progress_.match(configuration_.links()[link], program_->undirected());
    good = arc != kNoNode;
    if (!good) break;
    progress_.build(arc);
    built_.push_back(arc);
    configuration_.label_link(link, progress_.gold().arc(arc).label);
  }
  if (good) {
    configuration_.visit_moved(
        mark, [&](std::int32_t node) { good &= progress_.unreachable(configuration_, node) == kNoNode; });
  }
  if (!good) take_back(mark, built);
  return good;
}

void SearchOracle::take_back(std::size_t mark, std::size_t built) {
  configuration_.undo_to(mark);
  for (; built_.size() > built; built_.pop_back()) progress_.unbuild(built_.back());
}

}  // namespace crossarc
