#include "transitions/oracles/static_oracle.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "core/threads.hpp"

namespace crossarc {

void StaticOracle::derive(std::int32_t words, Root root, std::span<const GoldArc> arcs,
                          std::span<const std::int32_t> given_planes, Derivation& derivation) {
  find_actions(words, root, arcs, given_planes, derivation);
  // Every arc that is not lost was built, so whatever else was built is not gold.
  std::int32_t added = 0;
  for (const std::uint16_t transition : derivation.actions.transitions()) added += (*program_)[transition].arcs;
  for (const std::uint8_t lost : derivation.lost) added -= lost == 0;
  derivation.added = added;
}

void StaticOracle::find_actions(std::int32_t words, Root root, std::span<const GoldArc> arcs,
                                std::span<const std::int32_t> given_planes, Derivation& derivation) {
  const std::int32_t nodes = words + (root == Root::kNone ? 0 : 1);
  derivation.lost.assign(arcs.size(), 0);
  gold_.set(nodes, arcs);
  aim(nodes, root, arcs, given_planes, derivation.lost);

  if (options_.rule != Rule::kNone) {
    derivation.method = Derivation::Method::kRule;
    if (follow_rule(words, root, derivation.actions)) return;
  }
  derivation.method = Derivation::Method::kSearch;
  if (search_.derive(*program_, words, root, gold_, planes_, options_.budget + 64 * std::int64_t{nodes})) {
    derivation.actions.assign(search_.actions());
    return;
  }
  derivation.method = Derivation::Method::kBeam;
  gold_.set(nodes, arcs);
  planes_.resize(arcs.size(), 0);
  configuration_.start(*program_, words, root);
  beam_.complete(configuration_, gold_, planes_);
  derivation.actions.assign(beam_.actions());
  std::fill(derivation.lost.begin(), derivation.lost.end(), 0);
  for (const std::int32_t arc : beam_.lost()) derivation.lost[arc] = 1;
}

// False if the rule does not lead to the graph.
bool StaticOracle::follow_rule(std::int32_t words, Root root, ActionSequence& actions) {
  actions.clear();
  if (options_.rule != Rule::kPlanar && options_.rule != Rule::kCovington && !gold_.forest()) return false;
  rule_.start(gold_, planes_);
  configuration_.start(*program_, words, root);
  while (!configuration_.terminal() || configuration_.links().size() < gold_.arcs().size()) {
    if (actions.size() % 64 == 0) check_interruption();
    const auto [transition, arc] = rule_.next(configuration_);
    const std::int32_t label = arc == kNoNode ? kNoLabel : gold_.arc(arc).label;
    if (transition == kNoNode || !configuration_.apply(transition, 0, label)) return false;
    configuration_.forget();
    if (actions.size() == kMostActions) {
      throw std::length_error("a sentence of " + std::to_string(words) + " words takes more than " +
                              std::to_string(kMostActions) + " transitions");
    }
    actions.push_back({transition, 0, label});
  }
  return true;
}

// Makes gold_ the nearest graph of the class.
void StaticOracle::aim(std::int32_t nodes, Root root, std::span<const GoldArc> arcs,
                       std::span<const std::int32_t> given_planes, std::vector<std::uint8_t>& lost) {
  planes_.clear();
  if (options_.guarantees.projective && gold_.forest()) {
    gold_.set(nodes, nearest_projective_arcs(nodes, root, arcs, lost));
    planes_.assign(target_arcs_.size(), 0);
    return;
  }
  if (!program_->planar_stacks()) return;
  if (!given_planes.empty()) {
    planes_.assign(given_planes.begin(), given_planes.end());
    return;
  }
  planes_.resize(arcs.size());
  plane_choice_.choose(gold_.drawn(), nodes, program_->stacks(), planes_);
  if (std::find(planes_.begin(), planes_.end(), kNoPlane) == planes_.end()) return;
  target_arcs_.clear();
  for (std::size_t arc = 0; arc < arcs.size(); ++arc) {
    lost[arc] = planes_[arc] == kNoPlane;
    if (!lost[arc]) target_arcs_.push_back(arcs[arc]);
  }
  std::erase(planes_, kNoPlane);
  gold_.set(nodes, target_arcs_);
}

std::span<const GoldArc> StaticOracle::nearest_projective_arcs(std::int32_t nodes, Root root,
                                                               std::span<const GoldArc> arcs,
                                                               std::vector<std::uint8_t>& lost) {
  lost.assign(arcs.size(), 0);
  target_arcs_.assign(arcs.begin(), arcs.end());
  // As a tree with its root at 0: the artificial one at the left, or mirrored where it stands last, or a new one above
  // the roots of a forest.
  const std::int32_t shift = root == Root::kNone ? 1 : 0;
  const auto number = [&](std::int32_t position) {
    return root == Root::kLast ? nodes - 1 - position : position + shift;
  };
  const auto position = [&](std::int32_t node) { return root == Root::kLast ? nodes - 1 - node : node - shift; };
  std::vector<std::int32_t> heads(static_cast<std::size_t>(root == Root::kNone ? nodes : nodes - 1), 0);
  for (const GoldArc& arc : arcs) {
    if (number(arc.dependent) == 0) return target_arcs_;  // an arc into the artificial root: no system builds that
    heads[number(arc.dependent) - 1] = number(arc.head);
  }
  if (!order_.build(heads) || order_.measure_extents(heads)) return target_arcs_;
  const std::vector<std::int32_t> nearest = nearest_projective(heads);
  if (nearest.empty()) return target_arcs_;
  std::vector<std::int32_t> arc_into(heads.size() + 1, kNoNode);
  for (std::size_t arc = 0; arc < arcs.size(); ++arc) {
    arc_into[number(arcs[arc].dependent)] = static_cast<std::int32_t>(arc);
  }
  target_arcs_.clear();
  for (std::int32_t node = 1; node <= static_cast<std::int32_t>(heads.size()); ++node) {
    const std::int32_t arc = arc_into[node];
    const std::int32_t head = nearest[node - 1];
    if (arc != kNoNode) lost[arc] = head != heads[node - 1];
    if (head == 0 && root == Root::kNone) continue;
    target_arcs_.push_back({position(head), position(node), arc == kNoNode ? kNoLabel : arcs[arc].label});
  }
  return target_arcs_;
}

}  // namespace crossarc
