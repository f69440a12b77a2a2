// Many sentences stepped in lockstep, for scorers outside the kernel: what is legal, then one action for each. The
// number of actions is that of the longest sentence; an action of a shorter one beyond its own is not legal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "transitions/machine/configuration.hpp"

namespace crossarc {

constexpr std::int32_t kNoAction = -1;

class ConfigurationBatch {
 public:
  ConfigurationBatch(const Program& program, std::span<const std::int32_t> words, Root root) : program_(&program) {
    std::int32_t longest = 0;
    configurations_.resize(words.size());
    for (std::size_t sentence = 0; sentence < words.size(); ++sentence) {
      configurations_[sentence].start(program, words[sentence], root);
      longest = std::max(longest, configurations_[sentence].nodes());
    }
    actions_ = program.action_count(longest);
  }

  std::size_t size() const { return configurations_.size(); }
  std::int32_t actions() const { return actions_; }
  const Configuration& operator[](std::size_t sentence) const { return configurations_[sentence]; }
  Configuration& operator[](std::size_t sentence) { return configurations_[sentence]; }

  // A row for each sentence, an entry for each action.
  void write_legal(std::span<std::uint8_t> legal) {
    for (std::size_t sentence = 0; sentence < size(); ++sentence) {
      Configuration& configuration = configurations_[sentence];
      const std::int32_t own = program_->action_count(configuration.nodes());
      for (std::int32_t action = 0; action < actions_; ++action) {
        const auto [transition, position] = program_->transition_of(action);
        legal[sentence * static_cast<std::size_t>(actions_) + static_cast<std::size_t>(action)] =
            action < own && configuration.legal(transition, position);
      }
    }
  }

  // One action for each sentence, kNoAction to leave it. Nothing is done, and the first sentence returned whose action
  // is not legal, if there is one; else -1.
  std::int64_t apply(std::span<const std::int32_t> actions, std::span<const std::int32_t> labels) {
    for (std::size_t sentence = 0; sentence < size(); ++sentence) {
      if (actions[sentence] == kNoAction || apply_one(sentence, actions[sentence], labels[sentence])) continue;
      for (std::size_t before = 0; before < sentence; ++before) configurations_[before].undo_to(0);
      return static_cast<std::int64_t>(sentence);
    }
    for (Configuration& configuration : configurations_) configuration.forget();
    return -1;
  }

 private:
  bool apply_one(std::size_t sentence, std::int32_t action, std::int32_t label) {
    const auto [transition, position] = program_->transition_of(action);
    return configurations_[sentence].apply(transition, position, label);
  }

  const Program* program_;
  std::vector<Configuration> configurations_;
  std::int32_t actions_ = 0;
};

}  // namespace crossarc
