// Features of a configuration: templates over addresses (which word: on a stack, in the buffer, or reached from there
// by an arc) and attributes (what of it), after the feature models of MaltParser (2010, Section 6) and Zhang & Nivre
// 2011, and those without direction of 2012, Section 3.1. A template is a conjunction of attributes; its value in a
// configuration is one feature: the number of the template, and in the lower half a hash that is not 0. A template of
// single morphological features has no value where none of its words has the feature: what it could say then, others
// say. O(addresses + attributes + templates) for a configuration.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "features/words.hpp"
#include "transitions/machine/configuration.hpp"

namespace crossarc {

enum class Base : std::uint8_t { kStack, kOtherStack, kBuffer, kAside };
constexpr int kBases = 4;

// A step from a word along an arc, or along two to a sibling: the nearest word on that side with the same head. For
// systems without direction, left and right are the nearest linked words, and siblings are linked to a common word on
// the other side (2012, Section 3.1).
enum class Hop : std::uint8_t {
  kNone,
  kHead,
  kLeft1,
  kLeft2,
  kRight1,
  kRight2,
  kLeft3,
  kRight3,
  kLeftSibling,
  kRightSibling,
};
constexpr int kHops = 10;

struct Address {
  Base base = Base::kStack;
  std::int32_t index = 0;
  Hop first = Hop::kNone;
  Hop second = Hop::kNone;
};

enum class Attribute : std::uint8_t {
  kColumn,       // a column of the words
  kLabel,        // of the arc that led here; of a word on a stack or in the buffer, of the arc into it
  kLeftValency,  // how many arcs to the left were added
  kRightValency,
  kLeftLabels,  // which labels they have
  kRightLabels,
  kDistance,  // to another word
  kLinked,    // the label of the arc to another word, if there is one
  kOptional,  // a column of the words in which some have nothing
  kPlane,     // on which stack the arc was made whose label kLabel is, counted from the active one
};
constexpr int kAttributes = 10;

constexpr bool of_two_words(Attribute attribute) {
  return attribute == Attribute::kDistance || attribute == Attribute::kLinked;
}
constexpr bool is_column(Attribute attribute) {
  return attribute == Attribute::kColumn || attribute == Attribute::kOptional;
}

struct Atom {
  std::int32_t address = 0;
  Attribute attribute = Attribute::kColumn;
  std::int32_t argument = 0;  // the column, or the other address
};

struct FeatureSet {
  std::vector<Address> addresses;
  std::vector<Atom> atoms;
  std::vector<std::vector<std::int32_t>> templates;  // numbers of atoms
};

// One end of an arc, as the word at the other end sees it.
struct ArcEnd {
  std::int32_t node = 0;
  std::int32_t label = kNoLabel;
  std::int32_t stack = 0;     // on which the arc was made
  std::int32_t previous = 0;  // the end of the same word that was added before this one
};
constexpr std::int32_t kNoEnd = -1;

// What features want to know of the arcs at a word; kept up to date arc by arc.
struct WordArcs {
  std::int32_t head = kNoNode;
  std::int32_t incoming = kNoEnd;  // the end of the arc from the head
  std::int32_t last = kNoEnd;      // the end added last: of a dependent, without direction of any linked word
  // Leftmost, second and third leftmost, rightmost … dependent; without direction the nearest three of each side.
  std::array<std::int32_t, 6> linked{kNoEnd, kNoEnd, kNoEnd, kNoEnd, kNoEnd, kNoEnd};
  std::array<std::uint16_t, 2> valency{0, 0};
  std::array<std::uint64_t, 2> labels{0, 0};
};

class ArcTable {
 public:
  void start(std::int32_t nodes, bool undirected) {
    words_.assign(static_cast<std::size_t>(nodes), WordArcs{});
    ends_.clear();
    undirected_ = undirected;
    several_heads_ = false;
    keeps_history_ = false;
    history_.clear();
  }
  void add(const BuiltArc& link);

  // If history is kept, arcs that were added since a mark can be taken back, until what was before it is forgotten.
  void keep_history() { keeps_history_ = true; }
  std::size_t mark() const { return history_.size(); }
  void undo_to(std::size_t mark);
  void forget_before(std::size_t mark) {
    history_.erase(history_.begin(), history_.begin() + static_cast<std::ptrdiff_t>(mark));
  }

  const WordArcs& operator[](std::int32_t node) const { return words_[static_cast<std::size_t>(node)]; }
  const ArcEnd& end(std::int32_t number) const { return ends_[static_cast<std::size_t>(number)]; }
  std::int32_t label(std::int32_t end_number) const { return end_number == kNoEnd ? kNoLabel : end(end_number).label; }
  std::int32_t nodes() const { return static_cast<std::int32_t>(words_.size()); }
  // The end at the nearest sibling on one side, or kNoEnd. O(words linked to the common ones).
  std::int32_t sibling(std::int32_t node, bool left) const;
  // The end at `to` of an arc from `from`, without direction of a link, or kNoEnd. O(1), but for words with several
  // heads and links, where it is O(words linked to `from`).
  std::int32_t find(std::int32_t from, std::int32_t to) const;

 private:
  // The two words of an arc before it was added.
  struct Before {
    std::int32_t head, dependent;
    WordArcs head_arcs, dependent_arcs;
    bool several_heads;
  };

  std::int32_t add_end(std::int32_t node, const ArcEnd& end);

  std::vector<WordArcs> words_;
  std::vector<ArcEnd> ends_;
  bool undirected_ = false;
  bool several_heads_ = false;
  bool keeps_history_ = false;
  std::vector<Before> history_;
};

// Where addresses begin: stacks from the bottom to the top, the buffer with its first word last, λ2 with its front
// first; and which of how many stacks is the active one.
struct WordView {
  std::span<const std::int32_t> stack, other_stack, reversed_buffer, aside;
  std::int32_t active = 0;
  std::int32_t stacks = 1;
};
WordView view_of(const Configuration& configuration);

// Keeps its memory from configuration to configuration.
class FeatureExtractor {
 public:
  explicit FeatureExtractor(const FeatureSet& features);
  // One feature for each template that has a value. `salt` tells apart what shares the templates.
  void extract(const WordView& view, const ArcTable& arcs, const WordValues& words, std::uint64_t salt,
               std::vector<std::uint64_t>& found);
  // The same part by part: templates that look at the same words and ask the same of their arcs are a part. locate()
  // finds the words; key() is the same number for configurations in which a part has the same features.
  std::size_t parts() const { return parts_.size(); }
  void locate(const WordView& view, const ArcTable& arcs);
  std::uint64_t key(std::size_t part, const ArcTable& arcs, std::uint64_t salt) const;
  void hash(std::size_t part, const ArcTable& arcs, const WordValues& words, std::uint64_t salt,
            std::vector<std::uint64_t>& found);

  struct Place {
    std::int32_t node = kNoNode;
    std::int32_t end = kNoEnd;  // of the arc that led there, or of the arc from its head
  };
  // What stood at the addresses, and the values of the atoms, when features were last extracted.
  std::span<const Place> places() const { return places_; }
  std::span<const std::uint32_t> values() const { return values_; }

 private:
  struct Part {
    std::vector<std::int32_t> addresses;
    std::vector<std::int32_t> labelled;   // those of whose labels it speaks
    std::vector<std::int32_t> arc_atoms;  // those that the places do not tell
    std::vector<std::int32_t> atoms;
    std::vector<std::int32_t> templates;
  };

  void make_parts();
  // Writes the feature of a template, if it has a value; returns where the next one goes. Nothing is appended: a call
  // for each feature would be a tenth of the time of a linear model.
  std::uint64_t* add_feature(std::size_t one, std::uint64_t salt, std::uint64_t* next) const;
  std::uint32_t value(const Atom& atom, const ArcTable& arcs, const WordValues& words) const;

  FeatureSet features_;
  std::vector<std::int32_t> starts_;    // of each template's atoms
  std::vector<std::int32_t> optional_;  // how many of them are optional; these come first
  std::vector<std::int32_t> members_;
  std::vector<Part> parts_;
  std::vector<Place> places_;
  std::vector<std::uint32_t> values_;
  std::int32_t active_ = 0;  // when places were last found
  std::int32_t stacks_ = 1;
};

}  // namespace crossarc
