#include "models/features.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace crossarc {
namespace {

enum : std::uint32_t { kNoWord = 0 };

std::uint32_t distance_value(std::int32_t a, std::int32_t b) {
  const std::int32_t distance = std::abs(a - b);
  if (distance <= 5) return static_cast<std::uint32_t>(distance) + 2;
  return distance <= 10 ? 8U : 9U;
}

std::uint64_t mixed(std::uint64_t hash, std::uint32_t value) {
  hash = (hash ^ value) * 0xD6E8FEB86659FD93ULL;
  return hash ^ (hash >> 32);
}

bool speaks_of_arcs(Attribute attribute) { return !is_column(attribute) && attribute != Attribute::kDistance; }

std::vector<std::int32_t> addresses_of(const Atom& atom) {
  if (!of_two_words(atom.attribute)) return {atom.address};
  return {atom.address, atom.argument};
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

WordView view_of(const Configuration& configuration) {
  return {configuration.active_stack(),
          configuration.stack((configuration.active() + 1) % configuration.program().stacks()),
          configuration.reversed_buffer(), configuration.aside()};
}

FeatureExtractor::FeatureExtractor(const FeatureSet& features) : features_(features), starts_{0} {
  const auto is_optional = [&](std::int32_t member) {
    return features_.atoms[static_cast<std::size_t>(member)].attribute == Attribute::kOptional;
  };
  for (std::vector<std::int32_t> one : features.templates) {
    const auto others = std::stable_partition(one.begin(), one.end(), is_optional);
    optional_.push_back(static_cast<std::int32_t>(others - one.begin()));
    members_.insert(members_.end(), one.begin(), one.end());
    starts_.push_back(static_cast<std::int32_t>(members_.size()));
  }
  places_.resize(features.addresses.size());
  values_.resize(features.atoms.size());
  make_parts();
}

// Two templates are in the same part if they look at the same words of stacks and lists, all words of the buffer being
// one, and at arcs of the same ones of them.
void FeatureExtractor::make_parts() {
  const auto add = [](std::vector<std::int32_t>& to, std::int32_t number) {
    if (std::find(to.begin(), to.end(), number) == to.end()) to.push_back(number);
  };
  std::map<std::set<std::tuple<Base, std::int32_t, bool>>, Part> parts;
  for (std::size_t one = 0; one < features_.templates.size(); ++one) {
    std::set<std::tuple<Base, std::int32_t, bool>> words;
    for (const std::int32_t member : features_.templates[one]) {
      const Atom& atom = features_.atoms[static_cast<std::size_t>(member)];
      for (const std::int32_t number : addresses_of(atom)) {
        const Address& address = features_.addresses[static_cast<std::size_t>(number)];
        const bool of_arcs = address.first != Hop::kNone || speaks_of_arcs(atom.attribute);
        words.emplace(address.base, address.base == Base::kBuffer ? 0 : address.index, of_arcs);
      }
    }
    Part& part = parts[words];
    part.templates.push_back(static_cast<std::int32_t>(one));
    for (const std::int32_t member : features_.templates[one]) {
      const Atom& atom = features_.atoms[static_cast<std::size_t>(member)];
      add(part.atoms, member);
      for (const std::int32_t address : addresses_of(atom)) add(part.addresses, address);
      if (atom.attribute == Attribute::kLabel) {
        add(part.labelled, atom.address);
      } else if (speaks_of_arcs(atom.attribute)) {
        add(part.arc_atoms, member);
      }
    }
  }
  for (auto& [words, part] : parts) parts_.push_back(std::move(part));
}

FeatureExtractor::Place FeatureExtractor::resolve(const Address& address, const WordView& view,
                                                  const ArcTable& arcs) const {
  std::span<const std::int32_t> words;
  switch (address.base) {
    case Base::kStack:
      words = view.stack;
      break;
    case Base::kOtherStack:
      words = view.other_stack;
      break;
    case Base::kBuffer:
      words = view.reversed_buffer;
      break;
    case Base::kAside:
      if (static_cast<std::size_t>(address.index) >= view.aside.size()) return {};
      return {view.aside[static_cast<std::size_t>(address.index)], kNoLabel};
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
    case Attribute::kOptional:
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

void FeatureExtractor::extract(const WordView& view, const ArcTable& arcs, const WordValues& words, std::uint64_t salt,
                               std::vector<std::uint64_t>& found) {
  locate(view, arcs);
  for (std::size_t atom = 0; atom < features_.atoms.size(); ++atom) {
    values_[atom] = value(features_.atoms[atom], arcs, words);
  }
  found.clear();
  for (std::size_t one = 0; one < optional_.size(); ++one) add_feature(one, salt, found);
}

void FeatureExtractor::add_feature(std::size_t one, std::uint64_t salt, std::vector<std::uint64_t>& found) const {
  const std::int32_t* member = members_.data() + starts_[one];
  const std::int32_t* const last = members_.data() + starts_[one + 1];
  if (optional_[one] > 0) {
    std::uint32_t any = 0;
    for (std::int32_t place = 0; place < optional_[one]; ++place) {
      any |= values_[static_cast<std::size_t>(member[place])];
    }
    if (any == 0) return;
  }
  std::uint64_t hash = (one + 1) * 0x9E3779B97F4A7C15ULL ^ salt;
  for (; member != last; ++member) hash = mixed(hash, values_[static_cast<std::size_t>(*member)]);
  const auto lower = static_cast<std::uint32_t>(hash);
  found.push_back(std::uint64_t{one} << 32 | (lower == 0 ? 1 : lower));
}

void FeatureExtractor::locate(const WordView& view, const ArcTable& arcs) {
  for (std::size_t address = 0; address < features_.addresses.size(); ++address) {
    places_[address] = resolve(features_.addresses[address], view, arcs);
  }
}

std::uint64_t FeatureExtractor::key(std::size_t part, const ArcTable& arcs, std::uint64_t salt) const {
  const Part& own = parts_[part];
  std::uint64_t key = (part + 1) * 0x9E3779B97F4A7C15ULL ^ salt;
  const auto place = [&](std::int32_t address) -> const Place& { return places_[static_cast<std::size_t>(address)]; };
  for (const std::int32_t address : own.addresses) key = mixed(key, static_cast<std::uint32_t>(place(address).node));
  for (const std::int32_t address : own.labelled) key = mixed(key, static_cast<std::uint32_t>(place(address).label));
  for (const std::int32_t atom : own.arc_atoms) {
    key = mixed(key, value(features_.atoms[static_cast<std::size_t>(atom)], arcs, {}));
  }
  return key;
}

void FeatureExtractor::hash(std::size_t part, const ArcTable& arcs, const WordValues& words, std::uint64_t salt,
                            std::vector<std::uint64_t>& found) {
  const Part& own = parts_[part];
  for (const std::int32_t atom : own.atoms) {
    values_[static_cast<std::size_t>(atom)] = value(features_.atoms[static_cast<std::size_t>(atom)], arcs, words);
  }
  found.clear();
  for (const std::int32_t one : own.templates) add_feature(static_cast<std::size_t>(one), salt, found);
}

}  // namespace crossarc
