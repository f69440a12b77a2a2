#include "search/crossing_penalty.hpp"

#include <stdexcept>

namespace crossarc {
namespace {

bool is_arc(const Step& step) {
  return step.operation == Operation::kLeftArc || step.operation == Operation::kRightArc ||
         step.operation == Operation::kArc;
}

// Whether an arc between the top of the stack and the first word of the buffer would cross one that was built.
bool arc_crosses(const Configuration& configuration) {
  if (configuration.active_stack().empty() || configuration.terminal()) return false;
  const auto [left, right] = std::minmax({configuration.active_stack().back(), configuration.buffer_first()});
  return std::ranges::any_of(configuration.links(), [left = left, right = right](const BuiltArc& link) {
    const auto [low, high] = std::minmax({link.head, link.dependent});
    return (low < left && left < high && high < right) || (left < low && low < right && right < high);
  });
}

}  // namespace

void check_penalty(const CrossingPenalty& penalty, std::size_t labels) {
  constexpr double kMost = 1e8;
  if (!(std::abs(penalty.amount) <= kMost)) {
    throw std::invalid_argument("a crossing penalty is a number up to 100,000,000");
  }
  if (!penalty.labels.empty() && penalty.labels.size() != labels) {
    throw std::invalid_argument("every label is marked or not");
  }
}

// SWITCH itself crosses nothing, and where either plane is right in training, it says nothing about crossings.
CrossingTransitions::CrossingTransitions(const Program& program) {
  bool checks_arcs = false;
  for (const Transition& transition : program.transitions()) {
    always_.push_back(std::ranges::any_of(transition.steps, [](const Step& step) {
      return step.operation == Operation::kSwap || (is_arc(step) && step.depth > 0);
    }));
    checks_arcs |= std::ranges::any_of(transition.steps, [](const Step& step) {
      return step.operation == Operation::kSwitch || step.operation == Operation::kSkip;
    });
  }
  for (const Transition& transition : program.transitions()) adds_arc_.push_back(checks_arcs && transition.arcs > 0);
  any_ = checks_arcs || std::ranges::count(always_, 1) > 0;
}

void CrossingTransitions::find(const Configuration& configuration, std::span<const std::uint8_t> legal,
                               std::vector<std::int32_t>& numbers) const {
  numbers.clear();
  bool checked = false;
  bool crosses = false;
  for (std::size_t number = 0; number < always_.size(); ++number) {
    if (!legal[number]) continue;
    if (adds_arc_[number] && !checked) {
      crosses = arc_crosses(configuration);
      checked = true;
    }
    if (always_[number] || (adds_arc_[number] && crosses)) numbers.push_back(static_cast<std::int32_t>(number));
  }
}

}  // namespace crossarc
