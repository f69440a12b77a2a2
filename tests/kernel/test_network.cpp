// The network against a plain program in double precision: what it says of words, the scores of transitions and the
// labels, and the gradient of every weight against central differences of the plain loss, without dropout and with
// fixed masks. KernelNetwork alone knows the classes of the kernel.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "check.hpp"
#include "core/random.hpp"
#include "nn/activation.hpp"
#include "nn/encoders/encoder.hpp"
#include "nn/network.hpp"
#include "parsers/transition.hpp"
#include "search/state.hpp"

namespace crossarc {
namespace {

using Numbers = std::vector<double>;

// Words of a configuration that are looked at, and numbers of it.
constexpr std::array kSlots{Address{Base::kStack, 0}, Address{Base::kStack, 1}, Address{Base::kBuffer, 0},
                            Address{Base::kBuffer, 0, Hop::kLeft1}};
constexpr std::array kAtoms{Atom{0, Attribute::kDistance, 2}, Atom{2, Attribute::kLeftValency, 0}};

// The sizes of all layers.
struct Shape {
  std::vector<std::int32_t> lexical_columns{6, 4};
  std::vector<std::int32_t> grammatical_columns{3};
  std::size_t lexical = 3;
  std::size_t grammatical = 2;
  std::size_t layers = 2;
  std::size_t cells = 3;
  std::size_t slots = kSlots.size();
  std::size_t hidden = 5;
  std::size_t label_hidden = 4;
  std::size_t transitions = 4;
  std::size_t labels = 3;

  std::size_t columns() const { return lexical_columns.size() + grammatical_columns.size(); }
  std::size_t inputs() const { return lexical + grammatical; }
  std::size_t projected() const { return slots * hidden + 2 * label_hidden; }
  PartDescription encoder() const {
    std::vector<std::int64_t> columns(lexical_columns.begin(), lexical_columns.end());
    columns.insert(columns.end(), grammatical_columns.begin(), grammatical_columns.end());
    const auto number = [](std::size_t size) { return std::vector{static_cast<std::int64_t>(size)}; };
    return {
        "lstm",
        {{"columns", columns},
         {"group_sizes",
          {static_cast<std::int64_t>(lexical_columns.size()), static_cast<std::int64_t>(grammatical_columns.size())}},
         {"embedding_sizes", {static_cast<std::int64_t>(lexical), static_cast<std::int64_t>(grammatical)}},
         {"unit_embeddings", {0}},
         {"characters", {0}},
         {"character_embedding_size", {0}},
         {"filters", {0}},
         {"character_size", {0}},
         {"layers", number(layers)},
         {"hidden_size", number(cells)}}};
  }
  PartDescription head() const {
    const auto number = [](std::size_t size) { return std::vector{static_cast<std::int64_t>(size)}; };
    return {"transitions",
            {{"slots", number(slots)},
             {"atoms", number(kAtoms.size())},
             {"hidden_size", number(hidden)},
             {"transitions", number(transitions)},
             {"label_hidden_size", number(label_hidden)},
             {"labels", number(labels)}}};
  }
};

ParserDefinition planar_definition() {
  std::vector<Transition> transitions;
  for (const Operation operation : {Operation::kShift, Operation::kReduce, Operation::kLeftArc, Operation::kRightArc}) {
    transitions.emplace_back().steps.emplace_back().operation = operation;
  }
  return {std::make_shared<Program>(1, std::move(transitions), 0),
          Root::kFirst,
          {{kSlots.begin(), kSlots.end()}, {kAtoms.begin(), kAtoms.end()}, {}},
          {},
          3};
}

// A configuration in which some transitions are legal and some of these right.
struct TransitionQuestion {
  std::size_t sentence = 0;
  ParseState state;
  std::vector<std::uint8_t> legal, right;
  std::vector<float> mask;
};

// Two sentences with what is asked about them. Words with the same values occur twice.
struct Lesson {
  ParserDefinition definition = planar_definition();
  std::vector<std::uint32_t> values{3, 2, 1, 5, 1, 0, 1, 3, 2, 3, 2, 1, 4, 0, 2, 3, 2, 1};
  std::vector<std::int64_t> offsets{0, 4, 6};
  SentenceTable table;
  Batch batch;
  std::vector<TransitionQuestion> transitions;
  std::vector<ArcToLabel> labels;

  Lesson(const Shape& shape, float dropped) {
    table = {values.data(), shape.columns(), offsets, {}};
    batch.gather(table, std::vector<std::int32_t>{0, 1}, RowOrder::kTimeMajor, false);
    // 0 SHIFT, 1 REDUCE, 2 LEFT-ARC, 3 RIGHT-ARC; with the artificial root first.
    follow(0, 4, {0, 0, 2, 1, 0, 2, 3, 1, 0}, shape, dropped);
    follow(1, 2, {0, 3, 0, 0}, shape, dropped);
    const auto row = [&](std::size_t sentence, std::size_t word) {
      return static_cast<std::int64_t>(batch.row(sentence, word));
    };
    labels = {{ArcToLabel::kRootRow, row(0, 1), 0},
              {row(0, 1), row(0, 0), 2},
              {row(0, 1), row(0, 3), 1},
              {row(1, 1), row(1, 0), 2},
              {ArcToLabel::kRootRow, row(1, 1), 0}};
  }

 private:
  void follow(std::size_t sentence, std::int32_t words, const std::vector<std::int32_t>& taken, const Shape& shape,
              float dropped) {
    ParseState state;
    start_state(definition, words, state);
    for (const std::int32_t transition : taken) {
      TransitionQuestion question{sentence, state, std::vector<std::uint8_t>(definition.program->size()), {}, {}};
      CHECK(find_legal(*definition.program, state.configuration, question.legal));
      question.right.assign(definition.program->size(), 0);
      question.right[static_cast<std::size_t>(transition)] = 1;
      if (transitions.size() % 3 == 0) question.right = question.legal;  // several, here all of them
      if (transitions.size() % 3 == 0) question.right[0] = transition == 0;
      question.mask.resize(shape.hidden);
      fill_mask(question.mask.data(), shape.hidden, dropped, 1000 + transitions.size());
      transitions.push_back(std::move(question));
      CHECK(state.configuration.legal(transition, 0));
      apply_transition(state, transition, 0);
    }
  }
};

// Everything that the tests ask of the kernel.
struct KernelNetwork {
  Network network;
  float dropped;
  std::unique_ptr<EncoderCall> call;
  std::unique_ptr<EncoderReader> reader;
  std::unique_ptr<EncoderTape> tape;
  const Matrix* encoded = nullptr;
  ProjectedWords projected;
  Gradients gradients;
  Matrix encoded_gradient;

  KernelNetwork(const Shape& shape, float share)
      : network(shape.encoder(), {shape.head()}, 5),
        dropped(share),
        tape(network.encoder().tape()),
        projected(network.head<TransitionHead>()),
        gradients(network.parameters()) {
    Random random(6);  // nothing may be zero that a gradient goes through
    for (Parameter* parameter : network.parameters()) {
      for (float& value : parameter->values.values) value += random.share() - 0.5F;
      if (parameter->use == Use::kEmbeddings) std::fill_n(parameter->values.row(kNoValue), parameter->columns, 0.0F);
    }
    network.pack(true);
  }

  const Matrix& read(const Lesson& lesson) {
    call = network.encoder().begin(lesson.table, 1);
    reader = call->reader();
    encoded = &reader->read(lesson.batch);
    projected.project(*encoded);
    return projected.values();
  }
  const Matrix& read_to_learn(const Lesson& lesson, std::uint64_t seed) {
    Random random(seed);
    encoded = &tape->read(lesson.table, lesson.batch, {dropped, dropped, 0.0F}, random);
    projected.project(*encoded);
    return projected.values();
  }
  std::vector<float> score(const Lesson& lesson, const TransitionQuestion& question) {
    TransitionScorer scorer(network.head<TransitionHead>(), lesson.definition);
    return score(lesson, question, scorer);
  }
  std::vector<std::int32_t> label(const Lesson& lesson) {
    std::vector<std::int32_t> labels;
    LabelScores(network.head<TransitionHead>()).find(projected.values(), lesson.labels, {}, labels);
    return labels;
  }
  // The gradient of the loss: minus the logarithms of the probabilities of what is right.
  void learn(const Lesson& lesson, std::uint64_t seed, std::uint64_t label_seed) {
    read_to_learn(lesson, seed);
    projected.clear_gradient();
    TransitionScorer scorer(network.head<TransitionHead>(), lesson.definition);
    scorer.scores().clear(gradients);
    for (const TransitionQuestion& question : lesson.transitions) {
      std::vector<float> scores = score(lesson, question, scorer);
      normalise(scores, question.legal);
      float right = 0.0F;
      for (std::size_t index = 0; index < scores.size(); ++index) right += question.right[index] ? scores[index] : 0.0F;
      for (std::size_t index = 0; index < scores.size(); ++index) {
        scores[index] -= question.right[index] ? scores[index] / right : 0.0F;
      }
      scorer.scores().learn(scores, question.mask, projected.gradient(), gradients);
    }
    Random random(label_seed);
    LabelScores(network.head<TransitionHead>())
        .learn(projected.values(), lesson.labels, dropped, random, projected.gradient(), gradients);
    encoded_gradient.reset(encoded->rows, encoded->columns);
    projected.backward(*encoded, gradients, encoded_gradient);
    tape->backward(lesson.batch, encoded_gradient, gradients);
  }
  // Of all parameters in their order; the row of what a word has not is never learnt.
  std::vector<Numbers> all_gradients(const Lesson& lesson) {
    std::vector<Numbers> all;
    for (const Parameter* parameter : network.parameters()) {
      Numbers& numbers = all.emplace_back(gradients[*parameter].values.begin(), gradients[*parameter].values.end());
      if (parameter->use != Use::kEmbeddings) continue;
      RowGradients rows(parameter->rows, parameter->columns);
      tape->add_embedding_gradients(lesson.batch, *parameter, rows);
      numbers.assign(parameter->size(), 0.0);
      for (const std::uint32_t row : rows.rows()) {
        std::copy_n(rows.sum(row), parameter->columns,
                    numbers.begin() + static_cast<std::ptrdiff_t>(row * parameter->columns));
      }
    }
    return all;
  }

 private:
  std::vector<float> score(const Lesson& lesson, const TransitionQuestion& question, TransitionScorer& scorer) {
    scorer.start(projected.values(), lesson.batch, question.sentence);
    scorer.look(question.state.view(), question.state.arcs);
    scorer.scores().mask(question.mask);
    std::vector<float> scores(lesson.definition.program->size());
    scorer.scores().score(scores);
    return scores;
  }
};

double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }

// The same from the definitions, a word and a configuration at a time. Weights stand in the order of the model file.
struct PlainNetwork {
  Shape shape;
  std::vector<Numbers> weights;
  // What words and layers are multiplied by, as read_to_learn draws it.
  std::vector<float> input_mask;
  std::vector<std::vector<float>> layer_masks;
  std::vector<float> label_mask;

  explicit PlainNetwork(const KernelNetwork& kernel) {
    for (const Parameter* parameter : kernel.network.parameters()) {
      weights.emplace_back(parameter->values.values.begin(), parameter->values.values.end());
    }
  }

  void draw_masks(const Lesson& lesson, float dropped, std::uint64_t seed, std::uint64_t label_seed) {
    Random random(seed);
    input_mask.resize(lesson.batch.rows() * shape.inputs());
    fill_mask(input_mask.data(), input_mask.size(), dropped, random.bits());
    layer_masks.assign(shape.layers, std::vector<float>(lesson.batch.size() * 2 * shape.cells));
    for (std::vector<float>& mask : layer_masks) fill_mask(mask.data(), mask.size(), dropped, random.bits());
    Random label_random(label_seed);
    label_mask.resize(lesson.labels.size() * shape.label_hidden);
    fill_mask(label_mask.data(), label_mask.size(), dropped, label_random.bits());
  }

  enum Small : std::size_t {
    kProjection,
    kAbsent,
    kArtificial,
    kAtomRows,
    kHiddenBias,
    kOutput,
    kOutputBias,
    kLabelRoot,
    kLabelBias,
    kLabelOutput,
    kLabelOutputBias
  };
  const Numbers& memory(std::size_t number, std::size_t part) const {
    return weights[shape.columns() + 3 * number + part];
  }
  const Numbers& small(Small which) const { return weights[shape.columns() + 6 * shape.layers + which]; }

  std::vector<Numbers> embed(const Lesson& lesson) const {
    std::vector<Numbers> words(lesson.batch.rows(), Numbers(shape.inputs()));
    for (std::size_t row = 0; row < words.size(); ++row) {
      for (std::size_t column = 0; column < shape.columns(); ++column) {
        const bool lexical = column < shape.lexical_columns.size();
        const std::size_t length = lexical ? shape.lexical : shape.grammatical;
        const std::size_t value = lesson.batch.values[row * shape.columns() + column];
        for (std::size_t place = 0; place < length; ++place) {
          words[row][(lexical ? 0 : shape.lexical) + place] += weights[column][value * length + place];
        }
      }
      for (std::size_t place = 0; place < shape.inputs() && !input_mask.empty(); ++place) {
        words[row][place] *= input_mask[row * shape.inputs() + place];
      }
    }
    return words;
  }

  // One LSTM over one sentence.
  std::vector<Numbers> run(std::size_t number, const std::vector<Numbers>& words) const {
    const std::size_t cells = shape.cells;
    std::vector<Numbers> all;
    Numbers hidden(cells);
    Numbers kept(cells);
    for (const Numbers& word : words) {
      Numbers sums = memory(number, 2);
      for (std::size_t to = 0; to < 4 * cells; ++to) {
        for (std::size_t from = 0; from < word.size(); ++from) {
          sums[to] += word[from] * memory(number, 0)[from * 4 * cells + to];
        }
        for (std::size_t from = 0; from < cells; ++from) {
          sums[to] += hidden[from] * memory(number, 1)[from * 4 * cells + to];
        }
      }
      for (std::size_t cell = 0; cell < cells; ++cell) {
        kept[cell] =
            logistic(sums[cell]) * std::tanh(sums[3 * cells + cell]) + logistic(sums[cells + cell]) * kept[cell];
        hidden[cell] = logistic(sums[2 * cells + cell]) * std::tanh(kept[cell]);
      }
      all.push_back(hidden);
    }
    return all;
  }

  std::vector<Numbers> read_layer(const Lesson& lesson, std::size_t layer, const std::vector<Numbers>& words) const {
    std::vector<Numbers> said(words.size());
    for (std::size_t sentence = 0; sentence < lesson.batch.size(); ++sentence) {
      std::vector<std::size_t> rows;
      for (std::size_t row = 0; row < words.size(); ++row) {
        if (lesson.batch.sentence_of_row[row] == static_cast<std::int32_t>(sentence)) rows.push_back(row);
      }
      std::vector<Numbers> own;
      for (const std::size_t row : rows) own.push_back(words[row]);
      const std::vector<Numbers> forwards = run(2 * layer, own);
      std::reverse(own.begin(), own.end());
      const std::vector<Numbers> backwards = run(2 * layer + 1, own);
      for (std::size_t word = 0; word < rows.size(); ++word) {
        Numbers& to = said[rows[word]];
        to = forwards[word];
        to.insert(to.end(), backwards[rows.size() - 1 - word].begin(), backwards[rows.size() - 1 - word].end());
        for (std::size_t place = 0; place < to.size() && !layer_masks.empty(); ++place) {
          to[place] *= layer_masks[layer][sentence * to.size() + place];
        }
      }
    }
    return said;
  }

  // What is known of each word in each role.
  std::vector<Numbers> project(const Lesson& lesson) const {
    std::vector<Numbers> words = embed(lesson);
    for (std::size_t layer = 0; layer < shape.layers; ++layer) words = read_layer(lesson, layer, words);
    std::vector<Numbers> projected(words.size(), Numbers(shape.projected()));
    for (std::size_t row = 0; row < words.size(); ++row) {
      for (std::size_t from = 0; from < words[row].size(); ++from) {
        for (std::size_t to = 0; to < shape.projected(); ++to) {
          projected[row][to] += words[row][from] * small(kProjection)[from * shape.projected() + to];
        }
      }
    }
    return projected;
  }

  // The scores of transitions, from what stands at the slots and the values of the atoms.
  Numbers score(const Lesson& lesson, const std::vector<Numbers>& projected, const TransitionQuestion& question) const {
    const Configuration& configuration = question.state.configuration;
    const std::span<const std::int32_t> stack = configuration.active_stack();
    const std::int32_t first = configuration.buffer_first();
    std::int32_t leftmost = kNoNode;
    std::size_t left_arcs = 0;
    for (const BuiltArc& arc : configuration.links()) {
      if (first == kNoNode || arc.head != first || arc.dependent > first) continue;
      ++left_arcs;
      if (leftmost == kNoNode || arc.dependent < leftmost) leftmost = arc.dependent;
    }
    const auto from_top = [&](std::size_t depth) {
      return depth < stack.size() ? stack[stack.size() - 1 - depth] : kNoNode;
    };
    Numbers hidden = small(kHiddenBias);
    const std::array<std::int32_t, 4> nodes{from_top(0), from_top(1), first, leftmost};
    for (std::size_t slot = 0; slot < nodes.size(); ++slot) {
      for (std::size_t place = 0; place < shape.hidden; ++place) {
        if (nodes[slot] <= 0) {  // the artificial root is at position 0
          hidden[place] += small(nodes[slot] == 0 ? kArtificial : kAbsent)[slot * shape.hidden + place];
        } else {
          const std::size_t row = lesson.batch.row(question.sentence, static_cast<std::size_t>(nodes[slot] - 1));
          hidden[place] += projected[row][slot * shape.hidden + place];
        }
      }
    }
    const bool both = nodes[0] != kNoNode && first != kNoNode;
    const std::array<std::size_t, 2> atoms{both ? static_cast<std::size_t>(first - nodes[0]) + 2 : 0,
                                           first == kNoNode ? 0 : 1 + left_arcs};
    for (std::size_t atom = 0; atom < atoms.size(); ++atom) {
      for (std::size_t place = 0; place < shape.hidden; ++place) {
        const std::size_t row = atom * TransitionHeadSizes::kAtomValues + atoms[atom];
        hidden[place] += small(kAtomRows)[row * shape.hidden + place];
      }
    }
    Numbers scores = small(kOutputBias);
    for (std::size_t place = 0; place < shape.hidden; ++place) {
      const double value = std::max(hidden[place], 0.0) * question.mask[place];
      for (std::size_t one = 0; one < scores.size(); ++one) {
        scores[one] += value * small(kOutput)[one * shape.hidden + place];
      }
    }
    return scores;
  }

  Numbers score_labels(const std::vector<Numbers>& projected, const Lesson& lesson, std::size_t number) const {
    const ArcToLabel& arc = lesson.labels[number];
    const std::size_t as_head = shape.slots * shape.hidden;
    Numbers scores = small(kLabelOutputBias);
    for (std::size_t place = 0; place < shape.label_hidden; ++place) {
      const double head =
          arc.head < 0 ? small(kLabelRoot)[place] : projected[static_cast<std::size_t>(arc.head)][as_head + place];
      const std::size_t as_dependent = as_head + shape.label_hidden;
      double hidden =
          small(kLabelBias)[place] + head + projected[static_cast<std::size_t>(arc.dependent)][as_dependent + place];
      hidden = std::max(hidden, 0.0);
      if (!label_mask.empty()) hidden *= label_mask[number * shape.label_hidden + place];
      for (std::size_t label = 0; label < scores.size(); ++label) {
        scores[label] += hidden * small(kLabelOutput)[place * shape.labels + label];
      }
    }
    return scores;
  }

  double loss(const Lesson& lesson) const {
    const std::vector<Numbers> projected = project(lesson);
    double total = 0.0;
    for (const TransitionQuestion& question : lesson.transitions) {
      const Numbers scores = score(lesson, projected, question);
      double legal = 0.0;
      double right = 0.0;
      for (std::size_t one = 0; one < scores.size(); ++one) {
        legal += question.legal[one] ? std::exp(scores[one]) : 0.0;
        right += question.right[one] ? std::exp(scores[one]) : 0.0;
      }
      total += std::log(legal) - std::log(right);
    }
    for (std::size_t number = 0; number < lesson.labels.size(); ++number) {
      const Numbers scores = score_labels(projected, lesson, number);
      double all = 0.0;
      for (const double one : scores) all += std::exp(one);
      total += std::log(all) - scores[static_cast<std::size_t>(lesson.labels[number].gold)];
    }
    return total;
  }
};

void check_gradients(float dropped) {
  constexpr std::uint64_t kSeed = 21;
  constexpr std::uint64_t kLabelSeed = 22;
  const Shape shape;
  const Lesson lesson(shape, dropped);
  KernelNetwork kernel(shape, dropped);
  kernel.learn(lesson, kSeed, kLabelSeed);
  const std::vector<Numbers> found = kernel.all_gradients(lesson);
  PlainNetwork plain(kernel);
  plain.draw_masks(lesson, dropped, kSeed, kLabelSeed);
  CHECK(found.size() == plain.weights.size());
  constexpr double kStep = 1e-5;
  for (std::size_t number = 0; number < found.size(); ++number) {
    const Parameter& parameter = *kernel.network.parameters()[number];
    const std::size_t first = parameter.use == Use::kEmbeddings ? parameter.columns : 0;
    double largest = 0.0;
    for (std::size_t place = first; place < found[number].size(); ++place) {
      double& weight = plain.weights[number][place];
      const double kept = weight;
      weight = kept + kStep;
      const double above = plain.loss(lesson);
      weight = kept - kStep;
      const double below = plain.loss(lesson);
      weight = kept;
      const double slope = (above - below) / (2 * kStep);
      largest = std::max(largest, std::abs(slope));
      tests::report_near(found[number][place], slope, 5e-5, __FILE__, __LINE__, parameter.name.c_str());
    }
    CHECK(largest > 1e-3);  // every weight matrix takes part
  }
}

NamedValues views(const ParameterList& parameters) {
  NamedValues values;
  for (const Parameter* parameter : parameters) values.emplace(parameter->name, parameter->values.values);
  return values;
}

template <typename Call>
bool refuses(Call&& call) {
  try {
    call();
  } catch (const std::invalid_argument&) {
    return true;
  }
  return false;
}

TEST(a_network_is_made_of_weights_by_their_names) {
  const Shape shape;
  const Network network(shape.encoder(), {shape.head()}, 5);
  const ParameterList& parameters = network.parameters();
  CHECK(parameters.front()->name == "encoder.embeddings.0");
  CHECK(parameters[shape.columns()]->name == "encoder.lstm.0.forward.input");
  CHECK(parameters.back()->name == "transitions.labels.output_bias");
  const Network same(shape.encoder(), {shape.head()}, views(parameters), {});
  for (std::size_t index = 0; index < parameters.size(); ++index) {
    CHECK(same.parameters()[index]->values.values == parameters[index]->values.values);
  }
  const auto make = [&](const NamedValues& values) { Network(shape.encoder(), {shape.head()}, values, {}); };
  NamedValues changed = views(parameters);
  changed.erase("transitions.output");
  CHECK(refuses([&] { make(changed); }));
  changed.emplace("transitions.input", parameters[0]->values.values);
  CHECK(refuses([&] { make(changed); }));
  changed = views(parameters);
  std::vector<float> endless(changed["transitions.output"].size(), std::nanf(""));
  changed["transitions.output"] = endless;
  CHECK(refuses([&] { make(changed); }));
  // One that would take far more memory than there is: refused before it is made.
  Shape large = shape;
  large.lexical_columns = {2'000'000'000, 2'000'000'000};
  CHECK(refuses([&] { Network(large.encoder(), {large.head()}, views(parameters), {}); }));
  PartDescription foreign = shape.encoder();
  foreign.sizes["heads"] = {4};
  CHECK(refuses([&] { Network(foreign, {shape.head()}, 1); }));
}

TEST(reading_is_the_plain_definition) {
  const Shape shape;
  const Lesson lesson(shape, 0.0F);
  KernelNetwork kernel(shape, 0.0F);
  const PlainNetwork plain(kernel);
  const std::vector<Numbers> expected = plain.project(lesson);
  const auto compare = [&](const Matrix& found) {
    CHECK(found.rows == expected.size() && found.columns == shape.projected());
    for (std::size_t row = 0; row < expected.size(); ++row) {
      for (std::size_t place = 0; place < shape.projected(); ++place) {
        CHECK_NEAR(found.row(row)[place], expected[row][place], 1e-5);
      }
    }
  };
  compare(kernel.read(lesson));
  compare(kernel.read_to_learn(lesson, 1));
}

TEST(dropout_while_reading_is_the_masks_that_the_seed_gives) {
  const Shape shape;
  const Lesson lesson(shape, 0.4F);
  KernelNetwork kernel(shape, 0.4F);
  PlainNetwork plain(kernel);
  plain.draw_masks(lesson, 0.4F, 9, 10);
  CHECK(std::count(plain.input_mask.begin(), plain.input_mask.end(), 0.0F) > 0);
  const std::vector<Numbers> expected = plain.project(lesson);
  const Matrix& found = kernel.read_to_learn(lesson, 9);
  for (std::size_t row = 0; row < expected.size(); ++row) {
    for (std::size_t place = 0; place < shape.projected(); ++place) {
      CHECK_NEAR(found.row(row)[place], expected[row][place], 1e-5);
    }
  }
}

TEST(scores_of_transitions_and_labels_are_the_plain_definition) {
  const Shape shape;
  for (const float dropped : {0.0F, 0.4F}) {
    const Lesson lesson(shape, dropped);
    KernelNetwork kernel(shape, dropped);
    const PlainNetwork plain(kernel);
    kernel.read(lesson);
    const std::vector<Numbers> projected = plain.project(lesson);
    for (const TransitionQuestion& question : lesson.transitions) {
      const Numbers expected = plain.score(lesson, projected, question);
      const std::vector<float> found = kernel.score(lesson, question);
      for (std::size_t one = 0; one < expected.size(); ++one) CHECK_NEAR(found[one], expected[one], 1e-5);
    }
    const std::vector<std::int32_t> labels = kernel.label(lesson);
    for (std::size_t number = 0; number < lesson.labels.size(); ++number) {
      const Numbers scores = plain.score_labels(projected, lesson, number);
      CHECK(labels[number] == std::max_element(scores.begin(), scores.end()) - scores.begin());
    }
  }
}

TEST(gradients_of_all_weights) { check_gradients(0.0F); }

TEST(gradients_of_all_weights_under_fixed_masks) { check_gradients(0.3F); }

TEST(gradients_do_not_depend_on_what_was_learnt_before) {
  const Shape shape;
  const Lesson lesson(shape, 0.3F);
  KernelNetwork fresh(shape, 0.3F);
  KernelNetwork used(shape, 0.3F);
  used.learn(lesson, 1, 2);
  for (KernelNetwork* one : {&fresh, &used}) one->learn(lesson, 3, 4);
  CHECK(fresh.all_gradients(lesson) == used.all_gradients(lesson));
}

}  // namespace
}  // namespace crossarc
