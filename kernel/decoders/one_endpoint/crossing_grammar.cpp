#include "decoders/one_endpoint/crossing_grammar.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

namespace crossarc {
namespace {

constexpr int kMostPoints = 5;

// In the order in which they are filled.
struct TypeLine {
  const char* name;
  int points;
  CrossingGrammar::Phase phase;
};
using Phase = CrossingGrammar::Phase;
constexpr TypeLine kTypes[] = {
    {"Q", 3, Phase::kHull},      {"G", 3, Phase::kHull},       {"H", 3, Phase::kHull},  //
    {"P", 2, Phase::kInterval},  {"I", 2, Phase::kInterval},                            // without edge i-j
    {"Io", 2, Phase::kInterval}, {"Ic", 2, Phase::kInterval},                           // open: maybe, closed: with it
    {"n1", 3, Phase::kOutside},  {"n2", 3, Phase::kOutside},   {"n", 3, Phase::kOutside},  //
    {"l1", 3, Phase::kOutside},  {"l2s", 3, Phase::kOutside},  {"l2o", 3, Phase::kOutside},
    {"r1", 3, Phase::kOutside},  {"r2s", 3, Phase::kOutside},  {"r2o", 3, Phase::kOutside},
    {"lh", 3, Phase::kOutside},  {"rh", 3, Phase::kOutside},   // of l1: no split of an lr item is possible further out
    {"l", 3, Phase::kOutside},   {"r", 3, Phase::kOutside},    //
    {"nl", 3, Phase::kOutside},  {"nr", 3, Phase::kOutside},   //
    {"nlo", 3, Phase::kOutside}, {"nro", 3, Phase::kOutside},  // open
    {"nrc", 3, Phase::kOutside},                               // closed
    {"lf", 3, Phase::kOutside},  {"rf", 3, Phase::kOutside},   // what precedes the last, uncrossed edge of an l2o item
    {"lb", 3, Phase::kOutside},  {"rb", 3, Phase::kOutside},   // a part of an lr item, split as far out as possible
    {"la", 3, Phase::kOutside},  {"ra", 3, Phase::kOutside},   // a part of an lr item, split at an edge from x
    {"lr", 3, Phase::kOutside},  {"allc", 3, Phase::kOutside}, {"E", 3, Phase::kOutside},
    {"F", 3, Phase::kOutside},   {"F2", 3, Phase::kOutside},   {"Top", 0, Phase::kTop},
};

// result, points inside, components with their points, edges (? may be there, ! must). Rules whose result begins with
// "l" hold mirrored, too: l for r, i for j.
struct RuleLine {
  const char* result;
  const char* inside;
  const char* components;
  const char* edges;
};
constexpr RuleLine kRules[] = {
    // i has no edge into the interval; its edge to k is not crossed; or edges of j or of an l beyond k cross it,
    {"I", "m", "Io:kj", ""},
    {"I", "k", "Ic:ik Io:kj", ""},
    {"P", "k", "allc:ikj Io:kj", ""},
    {"I", "", "P:ij", ""},
    {"I", "k", "P:ik Io:kj", ""},
    // and edges of k cross those of l in turn; or it is crossed by edges from inside it.
    {"Q", "", "nrc:ijx Io:jx", ""},
    {"E", "", "nl:ijx", "ij? jx?"},
    {"E", "", "Io:ij", "jx!"},
    {"I", "kl", "Q:ikl E:ljk", ""},
    {"G", "", "Io:ij nlo:jxi", "ix!"},
    {"F", "", "n:ijx", "jx!"},
    {"F", "", "n2:ijx", ""},
    {"I", "kl", "G:ikl F:ljk", ""},
    {"H", "", "Io:ij Io:jx", "ix!"},
    {"H", "", "nro:ijx Io:jx", "ix!"},
    {"F2", "", "nl:ijx", "jx! ij?"},
    {"F2", "", "n2:ijx", "ij?"},
    {"F2", "", "l2s:ijx", "ij?"},
    {"F2", "", "l2o:ijx", "ij?"},
    {"I", "kl", "H:ikl F2:ljk", ""},
    {"Io", "", "I:ij", "ij?"},
    {"Ic", "", "I:ij", "ij!"},
    // k is the furthest from i of the words that have an edge to x.
    {"n1", "k", "Io:ik Io:kj", "xk!"},
    {"n2", "k", "n:ikx Io:kj", "xk!"},
    {"l1", "k", "Io:ik nlo:kji", "xk!"},
    {"l2s", "k", "nlo:ikx n:kji", "xk!"},
    {"l2o", "k", "lf:ikx Io:kj", "xk!"},
    {"lh", "k", "Io:ik lb:kji", "xk!"},
    {"lr", "k", "la:ikx rf:kjx", "xk!"},
    {"lr", "k", "lb:ikx ra:kjx", ""},
    {"lf", "", "l:ijx", "ij?"},
    {"lf", "", "n:ijx", "ij!"},
    {"lb", "", "nl:ijx", "ij!"},
    {"lb", "", "lh:ijx", ""},
    {"la", "", "nl:ijx", "ij!"},
    {"la", "", "l1:ijx", ""},
    {"la", "", "l2s:ijx", ""},
    // Unions.
    {"n", "", "n1:ijx", ""},
    {"n", "", "n2:ijx", ""},
    {"l", "", "l1:ijx", ""},
    {"l", "", "l2s:ijx", ""},
    {"l", "", "l2o:ijx", ""},
    {"nl", "", "n:ijx", ""},
    {"nl", "", "l:ijx", ""},
    {"nr", "", "n:ijx", ""},
    {"nr", "", "r:ijx", ""},
    {"nlo", "", "nl:ijx", "ij?"},
    {"nro", "", "nr:ijx", "ij?"},
    {"nrc", "", "nr:ijx", "ij!"},
    {"allc", "", "nl:ijx", "ij!"},
    {"allc", "", "r:ijx", "ij!"},
    {"allc", "", "lr:ijx", "ij!"},
};

char mirrored_point(char point) { return point == 'i' ? 'j' : point == 'j' ? 'i' : point; }

std::string mirrored_type(std::string name) {
  for (char& letter : name) {
    if (letter == 'l' || letter == 'r') {
      letter = letter == 'l' ? 'r' : 'l';
      break;
    }
  }
  return name;
}

// "nlo:kji" becomes "nro:ikj": the interval from k to j becomes the one from i to k.
std::string mirrored_components(const std::string& components) {
  std::istringstream input(components);
  std::string output;
  for (std::string component; input >> component;) {
    const std::size_t colon = component.find(':');
    std::string points = component.substr(colon + 1);
    for (char& point : points) point = mirrored_point(point);
    std::swap(points[0], points[1]);
    output += mirrored_type(component.substr(0, colon)) + ":" + points + " ";
  }
  return output;
}

std::string mirrored_edges(std::string edges) {
  for (char& letter : edges) letter = mirrored_point(letter);
  return edges;
}

CrossingGrammar::Point point_of(char name) {
  return static_cast<CrossingGrammar::Point>(std::string("ijxkl").find(name));
}

// All states of so many points: every root is its own root.
std::vector<CrossingGrammar::State> all_states(int points, bool root_arcs) {
  std::vector<CrossingGrammar::State> states;
  const int lowest = root_arcs ? 0 : -1;
  const auto root_of_itself = [](const CrossingGrammar::State& state, int point) {
    return state[point] < 0 || state[state[point]] == state[point];
  };
  CrossingGrammar::State state{0, 0, 0};
  for (state[0] = lowest; state[0] < points; ++state[0]) {
    for (state[1] = lowest; state[1] < points; ++state[1]) {
      for (state[2] = points == 3 ? lowest : 0; state[2] < (points == 3 ? points : 1); ++state[2]) {
        bool valid = true;
        for (int point = 0; point < points; ++point) valid &= root_of_itself(state, point);
        if (valid) states.push_back(state);
      }
    }
  }
  return states;
}

// The heads that points have so far in one reading of a rule.
struct Heads {
  std::array<std::int8_t, kMostPoints> head;  // a point, kRoot, or -1: none yet
  Heads() { head.fill(-1); }

  bool give(int point, int new_head) {
    if (head[point] >= 0) return false;
    head[point] = static_cast<std::int8_t>(new_head);
    return true;
  }
  // The root of a point; -1 if there is a cycle.
  int root(int point) const {
    for (int steps = 0; steps <= kMostPoints; ++steps) {
      if (point == CrossingGrammar::kRoot || head[point] < 0) return point;
      point = head[point];
    }
    return -1;
  }
};

}  // namespace

const CrossingGrammar& CrossingGrammar::with_root_arcs() {
  static const CrossingGrammar grammar(true);
  return grammar;
}

const CrossingGrammar& CrossingGrammar::without_root_arcs() {
  static const CrossingGrammar grammar(false);
  return grammar;
}

CrossingGrammar::CrossingGrammar(bool root_arcs) : root_arcs_(root_arcs) {
  for (const TypeLine& line : kTypes) {
    Type type{line.name, line.points, line.phase, {}, 0, {}};
    if (line.points > 0) type.states = all_states(line.points, root_arcs);
    if (line.points == 0) type.states = {State{0, 0, 0}};
    types_.push_back(std::move(type));
  }
  interval_type_ = type_number("I");
  top_type_ = type_number("Top");
  for (const RuleLine& line : kRules) {
    add_rule(line.result, line.inside, line.components, line.edges);
    const std::string result = line.result;
    if (result[0] != 'l' || result == "lr") continue;
    add_rule(mirrored_type(result), line.inside, mirrored_components(line.components), mirrored_edges(line.edges));
  }
  add_rule("Top", "", "Io:ij", "");
  drop_impossible_states();
}

int CrossingGrammar::type_number(const std::string& name) const {
  const auto found = std::find_if(types_.begin(), types_.end(), [&](const Type& type) { return type.name == name; });
  return static_cast<int>(found - types_.begin());
}

void CrossingGrammar::add_rule(const std::string& result, const std::string& inside, const std::string& components,
                               const std::string& edges) {
  Rule rule;
  rule.result = type_number(result);
  rule.inside = inside.empty()   ? Inside::kNone
                : inside == "m"  ? Inside::kNext
                : inside == "kl" ? Inside::kTwo
                                 : Inside::kOne;
  std::istringstream input(components);
  for (std::string text; input >> text;) {
    const std::size_t colon = text.find(':');
    Component component;
    component.type = type_number(text.substr(0, colon));
    for (std::size_t place = 0; colon + 1 + place < text.size(); ++place) {
      component.points[place] = point_of(text[colon + 1 + place]);
    }
    rule.components.push_back(component);
  }
  std::string inner = inside == "m" ? "k" : inside;
  if (rule.result == top_type_) inner = root_arcs_ ? "j" : "ij";
  glue(rule, inner, edges);
  types_[rule.result].rules.push_back(static_cast<int>(rules_.size()));
  rules_.push_back(std::move(rule));
}

// Works out all readings of a rule: one state for each component, a direction for each edge, a head for each inner
// point.
void CrossingGrammar::glue(Rule& rule, const std::string& inner, const std::string& edges) {
  std::vector<std::vector<std::vector<PointArc>>> choices;  // for each edge and each inner point, the arcs it may add
  std::istringstream input(edges);
  for (std::string edge; input >> edge;) {
    const Point one = point_of(edge[0]);
    const Point other = point_of(edge[1]);
    const std::string& name = types_[rule.result].name;
    const bool crossed = name != "Io" && name != "Ic";
    choices.push_back({{{one, other, crossed}}, {{other, one, crossed}}});
    if (edge[2] == '?') choices.back().push_back({});
  }
  if (!root_arcs_) {
    for (const char name : inner) choices.push_back({{}, {{kRoot, point_of(name)}}});
  }
  std::vector<ArcPattern> patterns(1);
  for (const auto& choice : choices) {
    std::vector<ArcPattern> longer;
    for (const ArcPattern& pattern : patterns) {
      for (const auto& arcs : choice) {
        longer.push_back(pattern);
        for (const PointArc& arc : arcs) longer.back().arcs[longer.back().size++] = arc;
      }
    }
    patterns = std::move(longer);
  }
  rule.arcs = patterns;
  const Type& result = types_[rule.result];
  const auto add_readings = [&](std::uint16_t first, std::uint16_t second, const Heads& inside_components) {
    for (std::size_t pattern = 0; pattern < patterns.size(); ++pattern) {
      Heads heads = inside_components;
      bool valid = true;
      for (int place = 0; place < patterns[pattern].size && valid; ++place) {
        valid = heads.give(patterns[pattern].arcs[place].dependent, patterns[pattern].arcs[place].head);
      }
      for (int point = 0; point < kMostPoints && valid; ++point) valid = heads.root(point) >= 0;
      for (const char name : inner) valid = valid && heads.head[point_of(name)] >= 0;
      if (rule.result == top_type_ && root_arcs_) valid = valid && heads.head[kI] < 0;
      if (!valid) continue;
      State state{0, 0, 0};
      for (int point = 0; point < result.points; ++point) {
        const int root = heads.root(point);
        state[point] = static_cast<std::int8_t>(root == kRoot ? -1 : root);
      }
      const auto found = std::find(result.states.begin(), result.states.end(), state);
      rule.entries.push_back({static_cast<std::uint16_t>(found - result.states.begin()), first, second,
                              static_cast<std::uint16_t>(pattern)});
    }
  };
  const auto apply = [&](Heads& heads, const Component& component, const State& state) {
    for (int place = 0; place < types_[component.type].points; ++place) {
      if (state[place] == place) continue;
      const int head = state[place] < 0 ? static_cast<int>(kRoot) : component.points[state[place]];
      if (!heads.give(component.points[place], head)) return false;
    }
    return true;
  };
  const auto& first_states = types_[rule.components[0].type].states;
  for (std::size_t first = 0; first < first_states.size(); ++first) {
    Heads heads;
    if (!apply(heads, rule.components[0], first_states[first])) continue;
    if (rule.components.size() == 1) {
      add_readings(static_cast<std::uint16_t>(first), 0, heads);
      continue;
    }
    const auto& second_states = types_[rule.components[1].type].states;
    for (std::size_t second = 0; second < second_states.size(); ++second) {
      Heads both = heads;
      if (!apply(both, rule.components[1], second_states[second])) continue;
      add_readings(static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(second), both);
    }
  }
}

// States that no derivation reaches are left out, so that charts have no room for them.
void CrossingGrammar::drop_impossible_states() {
  std::vector<std::vector<int>> number(types_.size());  // new numbers of states, -1: impossible so far
  for (std::size_t type = 0; type < types_.size(); ++type) number[type].assign(types_[type].states.size(), -1);
  const State apart{0, 1, 0};  // the interval of two neighbours: no edges, no heads
  auto& basic = types_[interval_type_].states;
  number[interval_type_][std::find(basic.begin(), basic.end(), apart) - basic.begin()] = 0;
  const auto possible = [&](const Rule& rule, const Entry& entry) {
    return number[rule.components[0].type][entry.first] >= 0 &&
           (rule.components.size() == 1 || number[rule.components[1].type][entry.second] >= 0);
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const Rule& rule : rules_) {
      for (const Entry& entry : rule.entries) {
        if (number[rule.result][entry.result] >= 0 || !possible(rule, entry)) continue;
        number[rule.result][entry.result] = 0;
        changed = true;
      }
    }
  }
  for (std::size_t type = 0; type < types_.size(); ++type) {
    std::vector<State> states;
    for (std::size_t state = 0; state < number[type].size(); ++state) {
      if (number[type][state] < 0) continue;
      number[type][state] = static_cast<int>(states.size());
      states.push_back(types_[type].states[state]);
    }
    types_[type].states = std::move(states);
    int& kinds = types_[type].points == 3 ? outside_kinds_ : interval_kinds_;
    if (types_[type].points == 0) continue;
    types_[type].first_kind = kinds;
    kinds += static_cast<int>(types_[type].states.size());
  }
  for (Rule& rule : rules_) {
    std::erase_if(rule.entries, [&](const Entry& entry) { return !possible(rule, entry); });
    for (Entry& entry : rule.entries) {
      entry.result = static_cast<std::uint16_t>(number[rule.result][entry.result]);
      entry.first = static_cast<std::uint16_t>(number[rule.components[0].type][entry.first]);
      if (rule.components.size() > 1) {
        entry.second = static_cast<std::uint16_t>(number[rule.components[1].type][entry.second]);
      }
    }
    std::sort(rule.entries.begin(), rule.entries.end(),
              [](const Entry& a, const Entry& b) { return std::pair(a.arcs, a.result) < std::pair(b.arcs, b.result); });
  }
}

}  // namespace crossarc
