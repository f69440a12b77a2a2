// A grammar of 1-Endpoint-Crossing trees in which every tree has exactly one derivation, as data. The published program
// (2013 TACL, Appendix A) derives a tree many times, which does no harm to a maximum, but sums need each tree once.
//
// An item is an interval [i, j], mostly with a point x outside, and owns the edges that have an end strictly inside the
// interval; edges among i, j and x are added by the rule that uses it (the types with "open" or "closed" in their
// description add some themselves). It knows for each of its two or three points which point is its root inside the
// item, itself if it has no head there. So a rule says only which edges there are; the directions, one head for each
// word and no cycles, are worked out once for all rules ("gluing") into tables of entries.
//
// Edges between x and the inside come in kinds: n, not crossed there; l, crossed by edges of i; r, crossed by edges of
// j; lr, both. l1: one edge from x; l2s, l2o: more, of which the furthest from i is crossed, or is not.
//
// A rule knows of the arcs that it adds whether others cross them (2014 TACL, Section 3): those between the ends of an
// interval without exterior point are not crossed (Io, Ic). All others are: edges from x cross something outside, or
// the item would not have an x; an edge that closes an item with an x is crossed by the edges from x, of which there is
// at least one; and the rules with two points inside are those in which the edges at k and l cross.
//
// If arcs from 0 do not count for crossings, the line is 1 … n and every word may also have its head, 0, off the line.
// A state can then say of a point that its root is 0.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace crossarc {

class CrossingGrammar {
 public:
  // The points of a rule: the item's own, and one or two inside.
  enum Point : std::uint8_t { kI, kJ, kX, kK, kL, kPoints, kRoot = kPoints };
  // Which points inside a rule is used for: none, every k in (i, j), every k < l in (i, j), or k = i + 1 alone.
  enum class Inside : std::uint8_t { kNone, kOne, kTwo, kNext };
  // When an item is filled: with the interval from i to x, with the interval itself, or then for each x; last of all.
  enum class Phase : std::uint8_t { kHull, kInterval, kOutside, kTop };

  struct PointArc {
    Point head;
    Point dependent;
    bool crossed = false;  // by another arc
  };
  struct ArcPattern {
    std::array<PointArc, 4> arcs;
    int size = 0;
  };
  struct Component {
    int type = 0;
    std::array<Point, 3> points{kI, kJ, kX};
  };
  // One way to read a rule: the states of the result and of the components, and the arcs that are added.
  struct Entry {
    std::uint16_t result;
    std::uint16_t first;
    std::uint16_t second;
    std::uint16_t arcs;
  };
  struct Rule {
    int result = 0;
    Inside inside = Inside::kNone;
    std::vector<Component> components;
    std::vector<ArcPattern> arcs;
    std::vector<Entry> entries;  // by result, then by arcs
  };
  using State = std::array<std::int8_t, 3>;  // for each point the number of its root, -1 for 0
  struct Type {
    std::string name;
    int points = 0;
    Phase phase = Phase::kOutside;
    std::vector<State> states;  // those that occur
    int first_kind = 0;         // kinds are states of types, counted through for two and for three points
    std::vector<int> rules;
  };

  static const CrossingGrammar& with_root_arcs();
  static const CrossingGrammar& without_root_arcs();

  bool root_arcs() const { return root_arcs_; }
  const std::vector<Type>& types() const { return types_; }
  const std::vector<Rule>& rules() const { return rules_; }
  int interval_kinds() const { return interval_kinds_; }
  int outside_kinds() const { return outside_kinds_; }
  int interval_type() const { return interval_type_; }
  int top_type() const { return top_type_; }

 private:
  explicit CrossingGrammar(bool root_arcs);

  int type_number(const std::string& name) const;
  void add_rule(const std::string& result, const std::string& inside, const std::string& components,
                const std::string& edges);
  void glue(Rule& rule, const std::string& inner, const std::string& edges);
  void drop_impossible_states();

  bool root_arcs_;
  std::vector<Type> types_;
  std::vector<Rule> rules_;
  int interval_kinds_ = 0;
  int outside_kinds_ = 0;
  int interval_type_ = 0;
  int top_type_ = 0;
};

}  // namespace crossarc
