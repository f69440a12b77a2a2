#include "models/features.hpp"

#include <algorithm>

namespace crossarc {
namespace {

enum : std::uint32_t { kNoWord = 0 };

std::uint32_t distance_value(std::int32_t a, std::int32_t b) {
  const std::int32_t distance = std::abs(a - b);
  if (distance <= 5) return static_cast<std::uint32_t>(distance) + 2;
  return distance <= 10 ? 8U : 9U;
}

}  // namespace

void ArcTable::add(const BuiltArc& link) {
  if (!undirected_) {
    WordArcs& dependent = words_[static_cast<std::size_t>(link.dependent)];
    dependent.head = link.head;
    dependent.label = link.label;
    add_side(link.head, link.dependent, link.label);
    return;
  }
  add_side(link.head, link.dependent, link.label);
  add_side(link.dependent, link.head, link.label);
}

void ArcTable::add_side(std::int32_t node, std::int32_t other, std::int32_t label) {
  WordArcs& word = words_[static_cast<std::size_t>(node)];
  const bool right = other > node;
  const std::size_t first = right ? 2 : 0;
  ++word.valency[right];
  word.labels[right] |= std::uint64_t{1} << (static_cast<std::uint32_t>(label + 1) % 64);
  // Whether a is to stand before b: farther away, or nearer without direction.
  const auto before = [&](std::int32_t a, std::int32_t b) {
    if (b == kNoNode) return true;
    return undirected_ ? std::abs(a - node) < std::abs(b - node) : std::abs(a - node) > std::abs(b - node);
  };
  if (before(other, word.linked[first])) {
    word.linked[first + 1] = word.linked[first];
    word.linked_label[first + 1] = word.linked_label[first];
    word.linked[first] = other;
    word.linked_label[first] = label;
  } else if (before(other, word.linked[first + 1])) {
    word.linked[first + 1] = other;
    word.linked_label[first + 1] = label;
  }
}

FeatureExtractor::FeatureExtractor(const FeatureSet& features) : features_(features), starts_{0} {
  for (const std::vector<std::int32_t>& one : features.templates) {
    members_.insert(members_.end(), one.begin(), one.end());
    starts_.push_back(static_cast<std::int32_t>(members_.size()));
  }
  places_.resize(features.addresses.size());
  values_.resize(features.atoms.size());
}

FeatureExtractor::Place FeatureExtractor::resolve(const Address& address, const Configuration& configuration,
                                                  const ArcTable& arcs) const {
  std::span<const std::int32_t> words;
  switch (address.base) {
    case Base::kStack:
      words = configuration.active_stack();
      break;
    case Base::kOtherStack:
      words = configuration.stack((configuration.active() + 1) % configuration.program().stacks());
      break;
    case Base::kBuffer:
      words = configuration.reversed_buffer();
      break;
    case Base::kAside: {
      const std::span<const std::int32_t> aside = configuration.aside();
      if (static_cast<std::size_t>(address.index) >= aside.size()) return {};
      return {aside[static_cast<std::size_t>(address.index)], kNoLabel};
    }
  }
  if (static_cast<std::size_t>(address.index) >= words.size()) return {};
  Place place{words[words.size() - 1 - static_cast<std::size_t>(address.index)], kNoLabel};
  place.label = arcs[place.node].label;
  for (const Hop hop : {address.first, address.second}) {
    if (hop == Hop::kNone) break;
    const WordArcs& word = arcs[place.node];
    if (hop == Hop::kHead) {
      place.node = word.head;
      if (place.node != kNoNode) place.label = arcs[place.node].label;
    } else {
      const auto which = static_cast<std::size_t>(hop) - static_cast<std::size_t>(Hop::kLeft1);
      place = {word.linked[which], word.linked_label[which]};
    }
    if (place.node == kNoNode) break;
  }
  return place;
}

std::uint32_t FeatureExtractor::value(const Atom& atom, const ArcTable& arcs, const WordValues& words) const {
  const Place& place = places_[static_cast<std::size_t>(atom.address)];
  if (place.node == kNoNode) return kNoWord;
  const WordArcs& word = arcs[place.node];
  const auto folded = [](std::uint64_t set) { return static_cast<std::uint32_t>(set ^ (set >> 32)) | 1U; };
  switch (atom.attribute) {
    case Attribute::kColumn:
      return words.at(place.node, atom.argument);
    case Attribute::kLabel:
      return static_cast<std::uint32_t>(place.label + 2);
    case Attribute::kLeftValency:
      return 1U + std::min<std::uint32_t>(word.valency[0], 6);
    case Attribute::kRightValency:
      return 1U + std::min<std::uint32_t>(word.valency[1], 6);
    case Attribute::kLeftLabels:
      return folded(word.labels[0]);
    case Attribute::kRightLabels:
      return folded(word.labels[1]);
    case Attribute::kDistance:
    case Attribute::kLinked: {
      const Place& other = places_[static_cast<std::size_t>(atom.argument)];
      if (other.node == kNoNode) return kNoWord;
      if (atom.attribute == Attribute::kDistance) return distance_value(place.node, other.node);
      if (word.head == other.node) return 2U * static_cast<std::uint32_t>(word.label + 1) + 2;
      if (arcs[other.node].head == place.node) return 2U * static_cast<std::uint32_t>(arcs[other.node].label + 1) + 3;
      return 1;
    }
  }
  return kNoWord;
}

void FeatureExtractor::extract(const Configuration& configuration, const ArcTable& arcs, const WordValues& words,
                               std::uint64_t salt, std::vector<std::uint64_t>& hashes) {
  for (std::size_t address = 0; address < features_.addresses.size(); ++address) {
    places_[address] = resolve(features_.addresses[address], configuration, arcs);
  }
  for (std::size_t atom = 0; atom < features_.atoms.size(); ++atom) {
    values_[atom] = value(features_.atoms[atom], arcs, words);
  }
  hashes.resize(starts_.size() - 1);
  for (std::size_t one = 0; one + 1 < starts_.size(); ++one) {
    std::uint64_t hash = (one + 1) * 0x9E3779B97F4A7C15ULL ^ salt;
    for (std::int32_t member = starts_[one]; member < starts_[one + 1]; ++member) {
      hash = (hash ^ values_[static_cast<std::size_t>(members_[static_cast<std::size_t>(member)])]) *
             0xD6E8FEB86659FD93ULL;
      hash ^= hash >> 32;
    }
    hashes[one] = hash;
  }
}

}  // namespace crossarc
