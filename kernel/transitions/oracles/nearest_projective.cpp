#include "transitions/oracles/nearest_projective.hpp"

#include "decoders/chart/algebras.hpp"
#include "decoders/projective/eisner_chart.hpp"
#include "structure/lifting.hpp"

namespace crossarc {
namespace {

using Weights = Best<float>;  // whole numbers below 2^24, which floats hold exactly

// By dependent. A common arc outweighs all that is gained elsewhere; then grandparents, then their heads.
std::vector<float> weigh_arcs(std::span<const std::int32_t> heads) {
  const std::size_t nodes = heads.size() + 1;
  std::vector<float> weights(nodes * nodes, 0);
  std::fill_n(weights.begin(), nodes, Weights::zero());  // nothing above the root
  for (std::size_t word = 1; word < nodes; ++word) {
    float* row = weights.data() + word * nodes;
    std::int32_t head = heads[word - 1];
    row[head] = 4 * static_cast<float>(nodes);
    for (std::int32_t gain = 3; gain > 0 && head != 0; --gain) {
      head = heads[head - 1];
      row[head] = static_cast<float>(gain);
    }
  }
  return weights;
}

std::vector<std::int32_t> lift_to_projective(std::span<const std::int32_t> heads) {
  TreeOrder order;
  if (heads.size() > kMostLifted || !order.build(heads)) return {};
  Lifter lifter{LiftOptions{}};
  lifter.lift(heads, order);
  return {lifter.heads().begin(), lifter.heads().end()};
}

}  // namespace

std::vector<std::int32_t> nearest_projective(std::span<const std::int32_t> heads) {
  if (heads.size() >= kMostProjectivized) return lift_to_projective(heads);
  EisnerChart<Weights> chart;
  chart.fill(static_cast<std::int32_t>(heads.size()), false, weigh_arcs(heads));
  std::vector<std::int32_t> nearest(heads.size());
  best_tree<Weights>(chart, nearest);
  return nearest;
}

}  // namespace crossarc
