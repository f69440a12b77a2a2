#include "features/features.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace crossarc {
namespace {

constexpr std::uint32_t kNoWord = kNoValue;

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

FeatureExtractor::Place at_word(std::int32_t node, const ArcTable& arcs) { return {node, arcs[node].incoming}; }

// Which of the linked words of WordArcs a step goes to.
std::size_t linked_place(Hop hop) {
  switch (hop) {
    case Hop::kLeft1:
      return 0;
    case Hop::kLeft2:
      return 1;
    case Hop::kLeft3:
      return 2;
    case Hop::kRight1:
      return 3;
    case Hop::kRight2:
      return 4;
    default:
      return 5;
  }
}

FeatureExtractor::Place step(std::int32_t node, Hop hop, const ArcTable& arcs) {
  const WordArcs& word = arcs[node];
  if (hop == Hop::kHead) return word.head == kNoNode ? FeatureExtractor::Place{} : at_word(word.head, arcs);
  std::int32_t end = kNoEnd;
  if (hop == Hop::kLeftSibling || hop == Hop::kRightSibling) {
    end = arcs.sibling(node, hop == Hop::kLeftSibling);
  } else {
    end = word.linked[linked_place(hop)];
  }
  return end == kNoEnd ? FeatureExtractor::Place{} : FeatureExtractor::Place{arcs.end(end).node, end};
}

// The word where an address begins, or kNoNode.
std::int32_t first_word(const Address& address, const WordView& view) {
  const auto index = static_cast<std::size_t>(address.index);
  if (address.base == Base::kAside) return index < view.aside.size() ? view.aside[index] : kNoNode;
  const std::span<const std::int32_t> words = address.base == Base::kStack        ? view.stack
                                              : address.base == Base::kOtherStack ? view.other_stack
                                                                                  : view.reversed_buffer;
  return index < words.size() ? words[words.size() - 1 - index] : kNoNode;
}

FeatureExtractor::Place resolve(const Address& address, const WordView& view, const ArcTable& arcs) {
  const std::int32_t first = first_word(address, view);
  if (first == kNoNode) return {};
  FeatureExtractor::Place place = at_word(first, arcs);
  for (const Hop hop : {address.first, address.second}) {
    if (hop == Hop::kNone || place.node == kNoNode) break;
    place = step(place.node, hop, arcs);
  }
  return place;
}

std::vector<std::int32_t> addresses_of(const Atom& atom) {
  if (!of_two_words(atom.attribute)) return {atom.address};
  return {atom.address, atom.argument};
}

}  // namespace

void ArcTable::add(const BuiltArc& link) {
  if (keeps_history_) {
    history_.push_back({link.head, link.dependent, (*this)[link.head], (*this)[link.dependent], several_heads_});
  }
  const std::int32_t end = add_end(link.head, {link.dependent, link.label, link.stack, kNoEnd});
  if (undirected_) {
    add_end(link.dependent, {link.head, link.label, link.stack, kNoEnd});
    return;
  }
  WordArcs& dependent = words_[static_cast<std::size_t>(link.dependent)];
  several_heads_ |= dependent.head != kNoNode;
  dependent.head = link.head;
  dependent.incoming = end;
}

void ArcTable::undo_to(std::size_t mark) {
  ends_.resize(ends_.size() - (history_.size() - mark) * (undirected_ ? 2 : 1));
  for (; history_.size() > mark; history_.pop_back()) {
    const Before& before = history_.back();
    words_[static_cast<std::size_t>(before.head)] = before.head_arcs;
    words_[static_cast<std::size_t>(before.dependent)] = before.dependent_arcs;
    several_heads_ = before.several_heads;
  }
}

std::int32_t ArcTable::add_end(std::int32_t node, const ArcEnd& end) {
  WordArcs& word = words_[static_cast<std::size_t>(node)];
  const auto number = static_cast<std::int32_t>(ends_.size());
  ends_.push_back(end);
  ends_.back().previous = std::exchange(word.last, number);
  const bool right = end.node > node;
  ++word.valency[right];
  word.labels[right] |= std::uint64_t{1} << (static_cast<std::uint32_t>(end.label + 1) % 64);
  // Whether a is to stand before b: farther away, or nearer without direction.
  const auto before = [&](std::int32_t a, std::int32_t b) {
    if (b == kNoEnd) return true;
    const std::int32_t from_a = std::abs(this->end(a).node - node);
    const std::int32_t from_b = std::abs(this->end(b).node - node);
    return undirected_ ? from_a < from_b : from_a > from_b;
  };
  std::int32_t moved = number;
  for (std::int32_t& place : std::span(word.linked).subspan(right ? 3 : 0, 3)) {
    if (before(moved, place)) std::swap(moved, place);
    if (moved == kNoEnd) break;
  }
  return number;
}

std::int32_t ArcTable::sibling(std::int32_t node, bool left) const {
  std::int32_t nearest = kNoEnd;
  const auto look_at = [&](std::int32_t common) {
    for (std::int32_t one = (*this)[common].last; one != kNoEnd; one = end(one).previous) {
      const std::int32_t other = end(one).node;
      const bool on_side = left ? other < node : other > node;
      if (on_side && (nearest == kNoEnd || std::abs(other - node) < std::abs(end(nearest).node - node))) nearest = one;
    }
  };
  if (!undirected_) {
    if ((*this)[node].head != kNoNode) look_at((*this)[node].head);
    return nearest;
  }
  for (std::int32_t one = (*this)[node].last; one != kNoEnd; one = end(one).previous) {
    if ((end(one).node > node) == left) look_at(end(one).node);
  }
  return nearest;
}

std::int32_t ArcTable::find(std::int32_t from, std::int32_t to) const {
  if (!undirected_ && !several_heads_) return (*this)[to].head == from ? (*this)[to].incoming : kNoEnd;
  std::int32_t one = (*this)[from].last;
  while (one != kNoEnd && end(one).node != to) one = end(one).previous;
  return one;
}

WordView view_of(const Configuration& configuration) {
  const std::int32_t stacks = configuration.program().stacks();
  return {configuration.active_stack(),    configuration.stack((configuration.active() + 1) % stacks),
          configuration.reversed_buffer(), configuration.aside(),
          configuration.active(),          stacks};
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
      return static_cast<std::uint32_t>(arcs.label(place.end) + 2);
    case Attribute::kPlane:
      if (place.end == kNoEnd) return 1;
      return 2U + static_cast<std::uint32_t>((arcs.end(place.end).stack - active_ + stacks_) % stacks_);
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
      const auto shown = [&](std::int32_t end) { return 2U * static_cast<std::uint32_t>(arcs.label(end) + 1) + 2; };
      if (const std::int32_t end = arcs.find(other.node, place.node); end != kNoEnd) return shown(end);
      if (const std::int32_t end = arcs.find(place.node, other.node); end != kNoEnd) return shown(end) + 1;
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
  found.resize(optional_.size());
  std::uint64_t* next = found.data();
  for (std::size_t one = 0; one < optional_.size(); ++one) next = add_feature(one, salt, next);
  found.resize(static_cast<std::size_t>(next - found.data()));
}

std::uint64_t* FeatureExtractor::add_feature(std::size_t one, std::uint64_t salt, std::uint64_t* next) const {
  const std::int32_t* member = members_.data() + starts_[one];
  const std::int32_t* const last = members_.data() + starts_[one + 1];
  if (optional_[one] > 0) {
    std::uint32_t any = 0;
    for (std::int32_t place = 0; place < optional_[one]; ++place) {
      any |= values_[static_cast<std::size_t>(member[place])];
    }
    if (any == 0) return next;
  }
  std::uint64_t hash = (one + 1) * 0x9E3779B97F4A7C15ULL ^ salt;
  for (; member != last; ++member) hash = mixed(hash, values_[static_cast<std::size_t>(*member)]);
  const auto lower = static_cast<std::uint32_t>(hash);
  *next = std::uint64_t{one} << 32 | (lower == 0 ? 1 : lower);
  return next + 1;
}

void FeatureExtractor::locate(const WordView& view, const ArcTable& arcs) {
  active_ = view.active;
  stacks_ = view.stacks;
  for (std::size_t address = 0; address < features_.addresses.size(); ++address) {
    places_[address] = resolve(features_.addresses[address], view, arcs);
  }
}

std::uint64_t FeatureExtractor::key(std::size_t part, const ArcTable& arcs, std::uint64_t salt) const {
  const Part& own = parts_[part];
  std::uint64_t key = (part + 1) * 0x9E3779B97F4A7C15ULL ^ salt;
  const auto place = [&](std::int32_t address) -> const Place& { return places_[static_cast<std::size_t>(address)]; };
  for (const std::int32_t address : own.addresses) key = mixed(key, static_cast<std::uint32_t>(place(address).node));
  for (const std::int32_t address : own.labelled) {
    key = mixed(key, static_cast<std::uint32_t>(arcs.label(place(address).end)));
  }
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
  found.resize(own.templates.size());
  std::uint64_t* next = found.data();
  for (const std::int32_t one : own.templates) next = add_feature(static_cast<std::size_t>(one), salt, next);
  found.resize(static_cast<std::size_t>(next - found.data()));
}

}  // namespace crossarc
