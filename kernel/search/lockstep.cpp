#include "search/lockstep.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/threads.hpp"

namespace crossarc {
namespace {

constexpr std::size_t kChunk = 32;  // rows that a thread takes at once: fewer are not worth a thread

// Only atoms are asked for; templates would be hashed in vain.
ParserDefinition definition_of(std::shared_ptr<const Program> program, Root root, const FeatureSet& features) {
  return {std::move(program), root, {features.addresses, features.atoms, {}}, {}, 0, false, {}};
}

}  // namespace

Lockstep::Lockstep(std::shared_ptr<const Program> program, Root root, const FeatureSet& features,
                   const TrainingOracleOptions& oracle, int threads)
    : definition_(definition_of(std::move(program), root, features)),
      crossing_(*definition_.program),
      oracle_options_(oracle),
      threads_(threads) {
  if (definition_.program->positional() && !easy_first_moves(*definition_.program)) {
    throw std::invalid_argument("of the systems that choose positions, easy-first alone is stepped in lockstep");
  }
}

bool Lockstep::is_dynamic() const { return definition_.program->positional() || oracle_options_.is_dynamic(); }

template <typename Memory, typename Task, typename... Arguments>
void Lockstep::for_each_row(Task&& task, const Arguments&... arguments) const {
  const std::size_t chunks = (rows() + kChunk - 1) / kChunk;
  parallel_for(chunks, thread_count(threads_), [&](std::size_t chunk) {
    Memory memory(arguments...);
    for (std::size_t row = chunk * kChunk; row < std::min(rows(), (chunk + 1) * kChunk); ++row) task(row, memory);
  });
}

void Lockstep::start(const SentenceTable& given, std::span<const std::int32_t> chosen, const GoldTable* gold) {
  has_gold_ = gold != nullptr;
  sentences_.clear();
  unfinished_.clear();
  std::int32_t longest = 0;
  for (const std::int32_t sentence : chosen) {
    unfinished_.push_back(static_cast<std::int32_t>(sentences_.size()));
    sentences_.push_back(std::make_unique<Sentence>());
    longest = std::max(longest, given.length(sentence));
  }
  longest += definition_.root == Root::kNone ? 0 : 1;
  actions_ = definition_.program->action_count(longest);
  positions_ = definition_.program->positional() ? static_cast<std::size_t>(std::max(1, longest)) : 1;
  try {
    for_each_row([&](std::size_t row, int) {
      load(given, chosen[row], gold, at(row));
      refresh(at(row));
    });
  } catch (...) {  // interrupted: no sentence was started
    sentences_.clear();
    unfinished_.clear();
    throw;
  }
  find_unfinished();
}

void Lockstep::load(const SentenceTable& given, std::size_t number, const GoldTable* gold, Sentence& sentence) const {
  const auto words = given.length(number);
  load_values(given, number, definition_.root, sentence.values);
  if (definition_.program->positional()) {
    sentence.pending.emplace(definition_).start(words);
  } else {
    start_state(definition_, words, sentence.state);
  }
  if (gold == nullptr) return;
  std::vector<GoldArc> arcs;
  gold->load(number, words, definition_.root, arcs);
  if (sentence.pending) {
    sentence.easy_first_oracle.emplace().start(sentence.nodes(), arcs);
  } else {
    sentence.oracle.emplace(*definition_.program, oracle_options_)
        .start(sentence.state.configuration, words, definition_.root, arcs);
  }
}

void Lockstep::refresh(Sentence& sentence) const {
  const Program& program = *definition_.program;
  sentence.legal.assign(static_cast<std::size_t>(program.action_count(sentence.nodes())), 0);
  if (sentence.pending) {
    sentence.pending->visit_moves([&](const Move& move, std::int32_t position) {
      sentence.legal[program.action_of(move.transition, position)] = 1;
    });
    sentence.finished = sentence.pending->finished();
  } else {
    sentence.finished = !find_legal(program, sentence.state.configuration, sentence.legal) ||
                        (sentence.oracle && sentence.oracle->finished());
  }
}

void Lockstep::find_unfinished() {
  std::erase_if(unfinished_, [&](std::int32_t number) { return sentences_[number]->finished; });
}

Move Lockstep::move_of(const Sentence& sentence, std::int32_t action) const {
  const auto [transition, position] = definition_.program->transition_of(action);
  return {transition, sentence.pending->at(position)};
}

void Lockstep::extract(const Sentence& sentence, FeatureExtractor& extractor, std::span<std::uint32_t> values) const {
  const WordValues words{sentence.values.data(), sentence.values.size() / static_cast<std::size_t>(sentence.nodes())};
  std::vector<std::uint64_t> no_features;
  const auto see = [&](const WordView& view, std::size_t position) {
    check_interruption(16);
    extractor.extract(view, sentence.arcs(), words, 0, no_features);
    std::copy(extractor.values().begin(), extractor.values().end(), values.begin() + (position * atoms()));
  };
  if (!sentence.pending) return see(sentence.state.view(), 0);
  std::size_t position = 0;
  for (std::int32_t word = sentence.pending->first(); word != kNoNode; word = sentence.pending->behind(word)) {
    see(sentence.pending->view(word), position++);
  }
}

void Lockstep::write_features(std::span<std::uint32_t> values) const {
  const std::size_t each = positions_ * atoms();
  for_each_row<FeatureExtractor>(
      [&](std::size_t row, FeatureExtractor& extractor) {
        const std::span<std::uint32_t> row_values = values.subspan(row * each, each);
        std::ranges::fill(row_values, 0);
        extract(at(row), extractor, row_values);
      },
      definition_.transition_features);
}

void Lockstep::write_legal(std::span<std::uint8_t> legal) const {
  std::ranges::fill(legal, 0);
  for (std::size_t row = 0; row < rows(); ++row) {
    std::ranges::copy(at(row).legal, legal.subspan(row * actions_).begin());
  }
}

void Lockstep::write_crossing(std::span<std::uint8_t> crossing) const {
  std::ranges::fill(crossing, 0);
  if (definition_.program->positional()) return;
  std::vector<std::int32_t> found;
  for (std::size_t row = 0; row < rows(); ++row) {
    crossing_.find(at(row).state.configuration, at(row).legal, found);
    for (const std::int32_t transition : found) crossing[row * actions_ + transition] = 1;
  }
}

void Lockstep::find_costs(Sentence& sentence, std::vector<std::uint8_t>& right, std::span<std::int32_t> costs) const {
  std::fill(costs.begin(), costs.end(), -1);
  if (sentence.pending) {
    const std::int32_t least = sentence.easy_first_oracle->least_loss(*sentence.pending);
    sentence.pending->visit_moves([&](const Move& move, std::int32_t position) {
      const std::int32_t action = definition_.program->action_of(move.transition, position);
      costs[action] = sentence.easy_first_oracle->loss(*sentence.pending, move) > least;
    });
    return;
  }
  sentence.oracle->ask(sentence.state.configuration, sentence.legal, right);
  for (std::size_t transition = 0; transition < right.size(); ++transition) {
    if (sentence.legal[transition]) costs[transition] = right[transition] ? 0 : 1;
  }
}

void Lockstep::write_costs(std::span<std::int32_t> costs) const {
  for_each_row<std::vector<std::uint8_t>>([&](std::size_t row, std::vector<std::uint8_t>& right) {
    find_costs(at(row), right, costs.subspan(row * actions_, actions_));
  });
}

void Lockstep::write_gold_labels(std::span<const std::int32_t> actions, std::span<std::int32_t> labels) const {
  for_each_row([&](std::size_t row, int) {
    Sentence& sentence = at(row);
    const std::int32_t transition = definition_.program->transition_of(actions[row]).first;
    if (!definition_.adds_arc(transition)) {
      labels[row] = kNoLabel;
    } else if (sentence.pending) {
      labels[row] = sentence.easy_first_oracle->label(*sentence.pending, move_of(sentence, actions[row]));
    } else {
      labels[row] = sentence.oracle->label(sentence.state.configuration, transition);
    }
  });
}

std::optional<std::size_t> Lockstep::find_illegal(std::span<const std::int32_t> actions) const {
  for (std::size_t row = 0; row < rows(); ++row) {
    const std::vector<std::uint8_t>& legal = at(row).legal;
    const auto action = static_cast<std::size_t>(actions[row]);
    if (action >= legal.size() || !legal[action]) return row;
  }
  return std::nullopt;
}

void Lockstep::advance(Sentence& sentence, std::int32_t action, std::int32_t label) const {
  if (sentence.pending) {
    const Move move = move_of(sentence, action);
    if (sentence.easy_first_oracle) sentence.easy_first_oracle->advance(*sentence.pending, move);
    sentence.pending->apply(move, label);
  } else {
    apply_transition(sentence.state, definition_.program->transition_of(action).first, label);
    if (sentence.oracle) sentence.oracle->advance();
  }
}

// A labelled system may have the arc already, with this label and no other.
bool Lockstep::takes_label(Sentence& sentence, std::int32_t action, std::int32_t label) const {
  const std::int32_t transition = definition_.program->transition_of(action).first;
  if (!definition_.adds_arc(transition) || definition_.program->labels() == 0 || sentence.pending) return true;
  return sentence.state.configuration.legal(transition, 0, label);
}

Lockstep::Outcome Lockstep::apply(std::span<const std::int32_t> actions, std::span<const std::int32_t> labels) {
  if (const std::optional<std::size_t> row = find_illegal(actions)) return {Refusal::kNotLegal, *row};
  for (std::size_t row = 0; row < rows(); ++row) {
    if (!takes_label(at(row), actions[row], labels[row])) return {Refusal::kLabelNotLegal, row};
  }
  if (has_gold_ && !is_dynamic()) {
    std::vector<std::int32_t> costs(rows() * actions_);
    write_costs(costs);
    for (std::size_t row = 0; row < rows(); ++row) {
      if (costs[row * actions_ + actions[row]] != 0) return {Refusal::kNotDerived, row};
    }
  }
  for_each_row([&](std::size_t row, int) {
    advance(at(row), actions[row], labels[row]);
    refresh(at(row));
  });
  find_unfinished();
  return {};
}

}  // namespace crossarc
