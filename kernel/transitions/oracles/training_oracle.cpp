#include "transitions/oracles/training_oracle.hpp"

#include <algorithm>
#include <limits>

#include "core/threads.hpp"

namespace crossarc {

void TrainingOracle::start(const Configuration& configuration, std::int32_t words, Root root,
                           std::span<const GoldArc> gold) {
  gold_.set(configuration.nodes(), gold);
  // A rule that waits for what can never be built would have nothing more to say.
  if (follows_rule() && options_.oracle.guarantees.projective && gold_.forest()) {
    gold_.set(configuration.nodes(), static_.nearest_projective_arcs(configuration.nodes(), root, gold, lost_));
  }
  planes_.clear();
  free_planes_ = options_.free_planes && program_->stacks() == 2 && forests_ && plane_loss_.start(gold_);
  // On one stack the losses of forests say which of the arcs that cross are to be built.
  if ((program_->stacks() > 1 || !forests_) && !free_planes_) {
    planes_.resize(gold_.arcs().size());
    plane_choice_.choose(gold_.drawn(), configuration.nodes(), program_->stacks(), planes_);
  }
  rule_.start(gold_, planes_);
  if (!is_dynamic()) static_.derive(words, root, gold, {}, derivation_);
  step_ = 0;
}

void TrainingOracle::ask(Configuration& configuration, std::span<const std::uint8_t> legal,
                         std::vector<std::uint8_t>& right) {
  right.assign(legal.size(), 0);
  if (!is_dynamic()) {
    right[derivation_.actions[step_].transition] = 1;
  } else if (!follows_rule()) {
    count_losses(configuration, legal, right);
    if (free_planes_) {
      forbid_idle_reduce(configuration, right);
    } else if (program_->stacks() > 1) {
      prefer_planes(configuration, legal, right);
    }
  } else {
    const std::int32_t next = rule_.next(configuration).transition;
    if (next != kNoNode && legal[next]) {
      right[next] = 1;
    } else {  // the rule has no answer: whatever is legal will do
      right.assign(legal.begin(), legal.end());
    }
  }
}

void TrainingOracle::count_losses(Configuration& configuration, std::span<const std::uint8_t> legal,
                                  std::vector<std::uint8_t>& right) {
  std::int32_t least = std::numeric_limits<std::int32_t>::max();
  losses_.assign(legal.size(), 0);
  for (std::int32_t transition = 0; transition < static_cast<std::int32_t>(legal.size()); ++transition) {
    if (!legal[transition]) continue;
    const bool switches = free_planes_ && transition == options_.oracle.roles[Role::kSwitch];
    losses_[transition] = switches ? loss_beyond(configuration, transition) : loss_after(configuration, transition);
    least = std::min(least, losses_[transition]);
  }
  for (std::size_t transition = 0; transition < legal.size(); ++transition) {
    right[transition] = legal[transition] && losses_[transition] == least;
  }
}

std::int32_t TrainingOracle::loss_after(Configuration& configuration, std::int32_t transition) {
  const std::size_t mark = configuration.mark();
  const std::size_t links = configuration.links().size();
  configuration.apply(transition, 0, kNoLabel);
  std::int32_t lost = forests_ ? loss_.count(options_.reach, configuration, gold_) : graph_loss(configuration, links);
  if (free_planes_) lost += plane_loss_.count(configuration, loss_.in_reach());
  configuration.undo_to(mark);
  return lost;
}

// After SWITCH there is no way back before something else is done.
std::int32_t TrainingOracle::loss_beyond(Configuration& configuration, std::int32_t transition) {
  const std::size_t mark = configuration.mark();
  configuration.apply(transition, 0, kNoLabel);
  std::int32_t least = std::numeric_limits<std::int32_t>::max();
  for (std::int32_t next = 0; next < static_cast<std::int32_t>(program_->size()); ++next) {
    if (configuration.legal(next, 0)) least = std::min(least, loss_after(configuration, next));
  }
  configuration.undo_to(mark);
  return least;
}

// Gold arcs that can no longer be built, and one more for a new arc that is not gold.
std::int32_t TrainingOracle::graph_loss(const Configuration& configuration, std::size_t links_before) const {
  std::int32_t lost = 0;
  for (std::size_t number = 0; number < gold_.arcs().size(); ++number) {
    const GoldArc& arc = gold_.arcs()[number];
    if (planes_[number] == kNoPlane || configuration.linked(arc.head, arc.dependent)) continue;
    lost += !configuration.in_buffer(std::max(arc.head, arc.dependent)) || !rule_.possible(configuration, arc);
  }
  const std::span<const BuiltArc> links = configuration.links();
  return lost + (links.size() > links_before && find_gold(links.back()) == nullptr);
}

// On several stacks the losses do not see the planes: to switch, or to reduce a word that still waits, is right only
// where the rule says so.
void TrainingOracle::prefer_planes(const Configuration& configuration, std::span<const std::uint8_t> legal,
                                   std::vector<std::uint8_t>& right) const {
  const std::int32_t next = rule_.next(configuration).transition;
  if (next == kNoNode || !legal[next] || !right[next]) return;
  const std::span<const std::int32_t> stack = configuration.active_stack();
  const auto forbid = [&](std::int32_t transition) {
    if (transition != kNoNode && transition != next) right[transition] = 0;
  };
  forbid(options_.oracle.roles[Role::kSwitch]);
  if (!stack.empty() && rule_.has_pending(configuration, stack.back())) forbid(options_.oracle.roles[Role::kReduce]);
}

// Whichever plane an arc comes to is right, as long as nothing is lost by it, and so is SWITCH; but a word that still
// waits goes only where the first word of the buffer has an arc to build below it.
void TrainingOracle::forbid_idle_reduce(const Configuration& configuration, std::vector<std::uint8_t>& right) const {
  const std::int32_t reduce = options_.oracle.roles[Role::kReduce];
  if (reduce == kNoNode || !right[reduce]) return;
  const std::span<const std::int32_t> stack = configuration.active_stack();
  const std::int32_t first = configuration.buffer_first();
  if (stack.empty() || !rule_.has_pending(configuration, stack.back())) return;
  if (std::count(right.begin(), right.end(), 1) == 1) return;  // there is nothing else
  const std::span<const std::int32_t> below = stack.first(stack.size() - 1);
  for (const Gold::Neighbour& neighbour : gold_.neighbours(first)) {
    const bool here = std::binary_search(below.begin(), below.end(), neighbour.node);
    if (here && rule_.possible(configuration, gold_.arc(neighbour.arc))) return;
  }
  right[reduce] = 0;
}

std::int32_t TrainingOracle::label(Configuration& configuration, std::int32_t transition) const {
  const std::size_t mark = configuration.mark();
  configuration.apply(transition, 0, kNoLabel);
  const BuiltArc link = configuration.links().back();
  configuration.undo_to(mark);
  const GoldArc* arc = find_gold(link);
  return arc == nullptr ? kNoLabel : arc->label;
}

const GoldArc* TrainingOracle::find_gold(const BuiltArc& link) const {
  for (const Gold::Neighbour& neighbour : gold_.neighbours(link.dependent)) {
    const GoldArc& arc = gold_.arc(neighbour.arc);
    const bool same = arc.head == link.head && arc.dependent == link.dependent;
    const bool turned = program_->undirected() && arc.head == link.dependent && arc.dependent == link.head;
    if (same || turned) return &arc;
  }
  return nullptr;
}

std::vector<std::int32_t> transition_costs(const Configuration& given, std::span<const GoldArc> arcs,
                                           const TrainingOracleOptions& options) {
  const Program& program = given.program();
  const bool exact = options.reach != Reach::kUnknown;
  Gold gold;
  gold.set(given.nodes(), arcs);
  LossCounter counter;
  BeamOracle beam(program, options.oracle.guarantees, options.oracle.width);
  std::vector<std::int32_t> planes(arcs.size(), 0);
  if (!exact) PlaneChoice().choose(gold.drawn(), given.nodes(), program.stacks(), planes);
  const auto loss = [&](const Configuration& configuration) {
    return exact ? counter.count(options.reach, configuration, gold) : beam.complete(configuration, gold, planes);
  };
  const std::int32_t before = exact ? loss(given) : 0;
  std::vector<std::int32_t> costs(static_cast<std::size_t>(program.action_count(given.nodes())), kIllegal);
  std::int32_t least = std::numeric_limits<std::int32_t>::max();
  Configuration configuration = given;
  for (std::size_t action = 0; action < costs.size(); ++action) {
    check_interruption();
    const auto [transition, position] = program.transition_of(static_cast<std::int32_t>(action));
    const std::size_t mark = configuration.mark();
    if (!configuration.apply(transition, position, kNoLabel)) continue;
    costs[action] = loss(configuration) - before;
    least = std::min(least, costs[action]);
    configuration.undo_to(mark);
  }
  if (exact) return costs;
  for (std::int32_t& cost : costs) cost -= cost == kIllegal ? 0 : least;  // a search knows what is lost only in the end
  return costs;
}

}  // namespace crossarc
