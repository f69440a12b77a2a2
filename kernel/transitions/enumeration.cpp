#include "transitions/enumeration.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

namespace crossarc {
namespace {

// Everything that tells configurations of at most eight nodes apart: the arcs as a matrix of bits, and the words of
// all stacks, the list and the buffer, four bits each.
using Key = std::array<std::uint64_t, 4>;

struct KeyHash {
  std::size_t operator()(const Key& key) const {
    std::uint64_t hash = 0;
    for (const std::uint64_t part : key) {
      hash = (hash ^ part) * 0x9E3779B97F4A7C15ULL;
      hash ^= hash >> 29;
    }
    return hash;
  }
};

class Enumerator {
 public:
  Enumerator(const Program& program, std::int32_t words, Root root, std::int64_t limit) : limit_(limit) {
    configuration_.start(program, words, root);
    for (std::int32_t action = 0; action < program.action_count(configuration_.nodes()); ++action) {
      actions_.push_back(program.transition_of(action));
    }
  }

  Enumeration run() {
    visit(0);
    found_.graphs.assign(graphs_.begin(), graphs_.end());
    std::sort(found_.graphs.begin(), found_.graphs.end());
    found_.configurations = static_cast<std::int64_t>(visited_.size());
    return std::move(found_);
  }

 private:
  enum class State : std::uint8_t { kOpen, kDone };

  void visit(std::int32_t depth) {
    const Key key = key_of();
    if (static_cast<std::int64_t>(visited_.size()) >= limit_) {
      found_.exhausted = true;
      return;
    }
    const auto [place, fresh] = visited_.try_emplace(key, State::kOpen);
    if (!fresh) {
      found_.looping |= place->second == State::kOpen;
      return;
    }
    found_.longest = std::max(found_.longest, depth);
    if (configuration_.terminal()) graphs_.insert(key[0]);
    bool moved = false;
    for (const auto& [transition, position] : actions_) {
      const std::size_t mark = configuration_.mark();
      if (!configuration_.apply(transition, position, kNoLabel)) continue;
      moved = true;
      visit(depth + 1);
      configuration_.undo_to(mark);
    }
    found_.stuck |= !moved && !configuration_.terminal();
    visited_[key] = State::kDone;
  }

  Key key_of() const {
    Key key{};
    for (const Link& link : configuration_.links()) {
      const bool turned = configuration_.program().undirected() && link.head > link.dependent;
      const std::int32_t head = turned ? link.dependent : link.head;
      const std::int32_t dependent = turned ? link.head : link.dependent;
      key[0] |= std::uint64_t{1} << (8 * head + dependent);
    }
    std::size_t place = 0;
    const auto write = [&](std::uint64_t value) {
      if (place == 48) throw std::invalid_argument("too many stacks for an enumeration");
      key[1 + place / 16] |= value << (4 * (place % 16));
      ++place;
    };
    const auto write_list = [&](std::span<const std::int32_t> nodes) {
      write(nodes.size());
      for (const std::int32_t node : nodes) write(static_cast<std::uint64_t>(node));
    };
    write(static_cast<std::uint64_t>(configuration_.active()));
    write(static_cast<std::uint64_t>(configuration_.switches()));
    for (std::int32_t number = 0; number < configuration_.program().stacks(); ++number) {
      write_list(configuration_.stack(number));
    }
    write_list(configuration_.aside());
    write_list(configuration_.reversed_buffer());
    return key;
  }

  std::int64_t limit_;
  Configuration configuration_;
  std::vector<std::pair<std::int32_t, std::int32_t>> actions_;
  std::unordered_map<Key, State, KeyHash> visited_;
  std::unordered_set<std::uint64_t> graphs_;
  Enumeration found_;
};

}  // namespace

Enumeration enumerate_graphs(const Program& program, std::int32_t words, Root root, std::int64_t limit) {
  if (words < 0 || words + (root != Root::kNone) > kMostEnumeratedNodes) {
    throw std::invalid_argument("an enumeration has at most 8 nodes");
  }
  return Enumerator(program, words, root, limit).run();
}

}  // namespace crossarc
