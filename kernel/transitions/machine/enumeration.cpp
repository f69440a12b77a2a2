#include "transitions/machine/enumeration.hpp"

#include <algorithm>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include "core/threads.hpp"

namespace crossarc {
namespace {

// Everything that tells configurations apart, as 128 bits of a hash: of a hundred million configurations two have the
// same with a probability of 2^-75. The lowest bit says whether a configuration is still being expanded.
struct Fingerprint {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

// Fingerprints in a table with open addressing: sixteen bytes each.
class VisitedSet {
 public:
  VisitedSet() : slots_(1U << 12) {}

  // The place of a fingerprint, and whether it is new.
  std::pair<std::size_t, bool> insert(Fingerprint fingerprint) {
    if (2 * size_ >= slots_.size()) grow();
    const std::size_t place = find(slots_, fingerprint);
    if (slots_[place].high != 0) return {place, false};
    slots_[place] = fingerprint;
    ++size_;
    return {place, true};
  }
  bool open(std::size_t place) const { return (slots_[place].low & 1U) != 0; }
  void close(Fingerprint fingerprint) { slots_[find(slots_, fingerprint)].low &= ~std::uint64_t{1}; }
  std::size_t size() const { return size_; }

 private:
  static std::size_t find(const std::vector<Fingerprint>& slots, Fingerprint fingerprint) {
    std::size_t place = fingerprint.high & (slots.size() - 1);
    while (slots[place].high != 0 &&
           (slots[place].high != fingerprint.high || (slots[place].low | 1U) != (fingerprint.low | 1U))) {
      place = (place + 1) & (slots.size() - 1);
    }
    return place;
  }
  void grow() {
    std::vector<Fingerprint> larger(2 * slots_.size());
    for (const Fingerprint& fingerprint : slots_) {
      if (fingerprint.high != 0) larger[find(larger, fingerprint)] = fingerprint;
    }
    slots_.swap(larger);
  }

  std::vector<Fingerprint> slots_;
  std::size_t size_ = 0;
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
    visit();
    found_.graphs.assign(graphs_.begin(), graphs_.end());
    std::sort(found_.graphs.begin(), found_.graphs.end());
    found_.configurations = static_cast<std::int64_t>(visited_.size());
    return std::move(found_);
  }

 private:
  void visit() {
    const std::uint64_t arcs = arc_bits();
    const Fingerprint fingerprint = fingerprint_of(arcs);
    if (static_cast<std::int64_t>(visited_.size()) >= limit_) {
      found_.exhausted = true;
      return;
    }
    const auto [place, fresh] = visited_.insert(fingerprint);
    if (!fresh) {
      found_.looping |= visited_.open(place);
      return;
    }
    if (configuration_.terminal()) graphs_.insert(arcs);
    // A buffer that stays empty sees no further arc.
    if (!configuration_.terminal() || configuration_.program().refills_buffer()) expand();
    visited_.close(fingerprint);
  }

  void expand() {
    bool moved = false;
    for (const auto& [transition, position] : actions_) {
      check_interruption(1);
      const std::size_t mark = configuration_.mark();
      if (!configuration_.apply(transition, position, kNoLabel)) continue;
      moved = true;
      visit();
      configuration_.undo_to(mark);
    }
    found_.stuck |= !moved && !configuration_.terminal();
  }

  std::uint64_t arc_bits() const {
    std::uint64_t bits = 0;
    for (const BuiltArc& link : configuration_.links()) {
      const bool turned = configuration_.program().undirected() && link.head > link.dependent;
      const std::int32_t head = turned ? link.dependent : link.head;
      const std::int32_t dependent = turned ? link.head : link.dependent;
      bits |= std::uint64_t{1} << (kMostEnumeratedNodes * head + dependent);
    }
    return bits;
  }

  // The stacks are taken from the active one on: which of them was the first does not matter any more.
  Fingerprint fingerprint_of(std::uint64_t arcs) const {
    Fingerprint hash{arcs, ~arcs};
    const auto add = [&hash](std::uint64_t value) {
      hash.low = (hash.low ^ value) * 0x9E3779B97F4A7C15ULL;
      hash.low ^= hash.low >> 29;
      hash.high = (hash.high ^ value) * 0xD1B54A32D192ED03ULL;
      hash.high ^= hash.high >> 31;
    };
    const auto add_list = [&](std::span<const std::int32_t> nodes) {
      std::uint64_t packed = 1;  // at most eight nodes, four bits each
      for (const std::int32_t node : nodes) packed = packed << 4 | static_cast<std::uint64_t>(node);
      add(packed);
    };
    const std::int32_t stacks = configuration_.program().stacks();
    add(static_cast<std::uint64_t>(configuration_.switches()));
    for (std::int32_t number = 0; number < stacks; ++number) {
      add_list(configuration_.stack((configuration_.active() + number) % stacks));
    }
    add_list(configuration_.aside());
    add_list(configuration_.reversed_buffer());
    add(arcs);
    hash.low |= 1U;
    hash.high |= std::uint64_t{1} << 63;  // 0 marks a free slot
    return hash;
  }

  std::int64_t limit_;
  Configuration configuration_;
  std::vector<std::pair<std::int32_t, std::int32_t>> actions_;
  VisitedSet visited_;
  std::unordered_set<std::uint64_t> graphs_;
  Enumeration found_;
};

}  // namespace

Enumeration enumerate_graphs(const Program& program, std::int32_t words, Root root, std::int64_t limit) {
  if (words < 0 || words + (root != Root::kNone) > kMostEnumeratedNodes) {
    throw std::invalid_argument("too many nodes to enumerate all graphs");
  }
  return Enumerator(program, words, root, limit).run();
}

}  // namespace crossarc
