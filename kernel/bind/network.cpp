#include "bind/network.hpp"

#include <algorithm>
#include <span>

#include "core/compiler.hpp"
#include "nn/encoders/characters.hpp"
#include "nn/encoders/piece_windows.hpp"

namespace nb = nanobind;

namespace crossarc {
namespace {

using PartTuple = std::tuple<std::string, Sizes>;

PartDescription to_part(const PartTuple& part) { return {std::get<0>(part), std::get<1>(part)}; }

NamedValues to_values(const NamedFloats& arrays) {
  NamedValues values;
  for (const auto& [name, array] : arrays) values.emplace(name, std::span(array.data(), array.size()));
  return values;
}

NamedInt8 to_int8(const NamedBytes& arrays) {
  NamedInt8 values;
  for (const auto& [name, array] : arrays) {
    const auto& [steps, scales] = array;
    values.emplace(name, Int8Values{{steps.data(), steps.size()}, {scales.data(), scales.size()}, scales.shape(0)});
  }
  return values;
}

std::vector<PartDescription> to_parts(const std::vector<PartTuple>& parts) {
  std::vector<PartDescription> descriptions;
  for (const PartTuple& part : parts) descriptions.push_back(to_part(part));
  return descriptions;
}

std::tuple<std::size_t, std::size_t, std::size_t> count_weights(const PartTuple& encoder,
                                                                const std::vector<PartTuple>& heads) {
  const WeightCounts counts = Network::count_weights(to_part(encoder), to_parts(heads));
  return {counts.embeddings, counts.factors, counts.others};
}

void make_network(Network* network, const PartTuple& encoder, const std::vector<PartTuple>& heads, std::uint64_t seed,
                  nb::object weights, const NamedBytes& int8) {
  const std::vector<PartDescription> parts = to_parts(heads);
  if (weights.is_none()) {
    new (network) Network(to_part(encoder), parts, seed);
  } else {
    const NamedFloats arrays = nb::cast<NamedFloats>(weights);
    new (network) Network(to_part(encoder), parts, to_values(arrays), to_int8(int8));
  }
}

template <typename Values>
nb::ndarray<nb::numpy, float> to_array(Values&& values, std::size_t rows, std::size_t columns) {
  auto* owned = new std::decay_t<Values>(std::forward<Values>(values));
  nb::capsule owner(owned, [](void* pointer) noexcept { delete static_cast<std::decay_t<Values>*>(pointer); });
  return {owned->data(), {rows, columns}, owner};
}

NamedArrays parameters(const Network& network) {
  NamedArrays arrays;
  for (const Parameter* parameter : network.parameters()) {
    arrays[parameter->name.c_str()] = to_array(parameter->floats(), parameter->rows, parameter->columns);
  }
  return arrays;
}

NamedArrays scales(const Network& network) {
  NamedArrays arrays;
  for (const Parameter* parameter : network.parameters()) {
    if (!parameter->int8.empty()) arrays[parameter->name.c_str()] = to_numpy(std::vector<float>(parameter->scales));
  }
  return arrays;
}

std::map<std::string, std::string> storage(const Network& network) {
  std::map<std::string, std::string> kinds;
  for (const Parameter* parameter : network.parameters()) {
    const Use use = parameter->use;
    kinds.emplace(parameter->name, use == Use::kEmbeddings ? "rows" : (use == Use::kInt8Factor ? "columns" : "float"));
  }
  return kinds;
}

template <typename Kind>
std::vector<std::string> kinds() {
  std::vector<std::string> names;
  for (const auto& [name, make] : Registry<Kind>::kinds()) names.push_back(name);
  return names;
}

FormTable checked_forms(const Network& network, std::size_t words, const FormTuple& forms) {
  const auto& [of_word, offsets, characters, piece_offsets, pieces] = forms;
  const Encoder& encoder = network.encoder();
  FormTable table;
  if (encoder.reads_characters()) {
    check_offsets(to_span(offsets), characters.shape(0));
    table.offsets = to_span(offsets);
    table.characters = characters.data();
  } else if (offsets.shape(0) > 1) {
    throw std::invalid_argument("the model does not read characters");
  }
  if (encoder.reads_pieces()) {
    check_offsets(to_span(piece_offsets), pieces.shape(0));
    table.piece_offsets = to_span(piece_offsets);
    table.pieces = pieces.data();
  } else if (piece_offsets.shape(0) > 1) {
    throw std::invalid_argument("the model does not read pieces");
  }
  if (encoder.reads_characters() && encoder.reads_pieces() && offsets.shape(0) != piece_offsets.shape(0)) {
    throw std::invalid_argument("every form has characters and pieces");
  }
  if (!encoder.reads_characters() && !encoder.reads_pieces()) {
    if (of_word.shape(0) > 0) throw std::invalid_argument("the model does not read characters");
    return table;
  }
  const auto count = static_cast<std::int32_t>(table.forms());
  const auto numbers = to_span(of_word);
  if (numbers.size() != words ||
      !std::all_of(numbers.begin(), numbers.end(), [&](std::int32_t form) { return form >= 0 && form < count; })) {
    throw std::invalid_argument("every word has a form");
  }
  table.form_of_word = numbers;
  return table;
}

// What the encoder says of all words, a row for each; with the artificial root as the first word of each sentence.
nb::ndarray<nb::numpy, float> encoded(const Network& network, const ValueTable& values, const Offsets& word_offsets,
                                      const FormTuple& forms, bool with_root, int threads) {
  check_threads(threads);
  const SentenceTable table = checked_table(network, values, word_offsets, forms);
  const std::size_t width = network.encoder().width();
  const std::size_t root = with_root ? 1 : 0;
  const auto words = static_cast<std::size_t>(table.offsets.back());
  const std::size_t rows = words + root * table.sentences();
  AlignedFloats all(rows * width, 0.0F);
  {
    const WithoutPython without;
    for_batches(
        network, table, {64, 2048, with_root}, threads, [] { return 0; },
        [&](int& /* worker */, const Batch& batch, const Matrix& said) {
          for (std::size_t row = 0; row < batch.rows(); ++row) {
            const auto sentence =
                static_cast<std::size_t>(batch.sentences[static_cast<std::size_t>(batch.sentence_of_row[row])]);
            const bool is_root = batch.word_of_row[row] == words;
            const std::size_t to =
                is_root ? table.first_word(sentence) + sentence : batch.word_of_row[row] + root * (sentence + 1);
            std::copy_n(said.row(row), width, all.data() + to * width);
          }
        });
  }
  return to_array(std::move(all), rows, width);
}

using Rows = NumpyArray<std::int64_t>;
using WindowTuple = std::tuple<Rows, Rows, Rows, Rows, Rows>;

WindowTuple piece_windows(const Offsets& word_offsets, const Offsets& counts, std::int64_t window,
                          std::int64_t overlap) {
  check_offsets(to_span(word_offsets), counts.shape(0));
  if (window < 3 || window > (1 << 14) || overlap < 0 || 2 * overlap > window - 2) {
    throw std::invalid_argument("a window has 3 to 16384 pieces, of which the next one has less than half");
  }
  const std::span<const std::int64_t> given = to_span(counts);
  if (!std::all_of(given.begin(), given.end(), [&](std::int64_t count) { return count >= 1 && count <= window - 2; })) {
    throw std::invalid_argument("a word has from one piece to as many as a window has");
  }
  const std::vector<std::int32_t> pieces(given.begin(), given.end());
  const WindowSizes sizes{static_cast<std::size_t>(window) - 2, static_cast<std::size_t>(overlap)};
  std::vector<std::int64_t> columns[5];
  std::vector<PieceWindow> windows;
  const std::span<const std::int64_t> offsets = to_span(word_offsets);
  for (std::size_t sentence = 0; sentence + 1 < offsets.size(); ++sentence) {
    const auto first = static_cast<std::size_t>(offsets[sentence]);
    cut_windows(std::span(pieces).subspan(first, static_cast<std::size_t>(offsets[sentence + 1]) - first), sizes,
                windows);
    for (const PieceWindow& each : windows) {
      const std::size_t values[] = {sentence, each.begin, each.end, each.first_taken, each.last_taken};
      for (std::size_t column = 0; column < 5; ++column) {
        columns[column].push_back(static_cast<std::int64_t>(values[column]));
      }
    }
  }
  return {to_numpy(std::move(columns[0])), to_numpy(std::move(columns[1])), to_numpy(std::move(columns[2])),
          to_numpy(std::move(columns[3])), to_numpy(std::move(columns[4]))};
}

}  // namespace

SentenceTable checked_table(const Network& network, const ValueTable& values, const Offsets& word_offsets,
                            const FormTuple& forms) {
  if (values.shape(1) != network.encoder().columns()) throw std::invalid_argument("the words have other columns");
  SentenceTable table = to_table(values, word_offsets);
  table.forms = checked_forms(network, values.shape(0), forms);
  network.encoder().check(table);
  return table;
}

void check_targets(const WordHead& head, std::size_t words, std::span<const std::int32_t> targets) {
  if (targets.size() != words * head.targets())
    throw std::invalid_argument("every word has a class of each tag, or -1");
  for (std::size_t index = 0; index < targets.size(); ++index) {
    if (targets[index] < -1 || targets[index] >= head.target_bound(index % head.targets())) {
      throw std::invalid_argument("a word has a class that its tag does not have");
    }
  }
}

TrainingDropout to_dropout(const Network& network, const EncoderDropout& encoder, float words, float hidden,
                           const ColumnDropout& columns, std::size_t lexical_columns,
                           std::vector<std::vector<std::int32_t>> counts) {
  const std::size_t count = network.encoder().columns();
  check_share(hidden);
  if (!(words >= 0.0F && std::isfinite(words))) throw std::invalid_argument("word dropout is a number from 0 on");
  if (counts.empty()) check_share(words);
  if (lexical_columns > count) throw std::invalid_argument("more lexical columns than there are columns");
  if (!columns.families.empty() && columns.empty.size() != count) {
    throw std::invalid_argument("every column has a value for where it is empty");
  }
  for (const std::vector<std::int32_t>& family : columns.families) {
    for (const std::int32_t column : family) {
      if (column < 0 || static_cast<std::size_t>(column) >= count) throw std::invalid_argument("no such column");
    }
  }
  if (!counts.empty() && counts.size() != lexical_columns) {
    throw std::invalid_argument("counts are needed of every lexical column");
  }
  for (std::size_t column = 0; column < counts.size(); ++column) {
    if (counts[column].size() != network.parameters()[column]->rows) {
      throw std::invalid_argument("a count is needed for every value of a lexical column");
    }
    if (std::any_of(counts[column].begin(), counts[column].end(), [](std::int32_t value) { return value < 0; })) {
      throw std::invalid_argument("a count is below 0");
    }
  }
  return {{words, lexical_columns, std::move(counts), columns}, encoder, hidden};
}

StateTuple to_tuple(const Network& network, TrainingState&& state) {
  const auto arrays = [&](TrainingState::Values& values) {
    NamedArrays named;
    for (const Parameter* parameter : network.parameters()) {
      named[parameter->name.c_str()] =
          to_array(std::move(values[parameter->name]), parameter->rows, parameter->columns);
    }
    return named;
  };
  return {state.steps, arrays(state.weights), arrays(state.first), arrays(state.second)};
}

TrainingState to_state(std::uint64_t steps, const NamedFloats& weights, const NamedFloats& first,
                       const NamedFloats& second) {
  const auto copied = [](const NamedFloats& arrays) {
    TrainingState::Values values;
    for (const auto& [name, array] : arrays) values[name].assign(array.data(), array.data() + array.size());
    return values;
  };
  return {steps, copied(weights), copied(first), copied(second)};
}

void bind_network(nb::module_& module) {
  module.attr("NARROWEST_FILTER") = CharacterSizes::kNarrowest;
  module.attr("WIDEST_FILTER") = CharacterSizes::kWidest;
  nb::class_<Network>(module, "Network", "An encoder and heads, each a kind with its sizes by name.")
      .def("__init__", &make_network, nb::arg("encoder"), nb::arg("heads"), nb::kw_only(), nb::arg("seed") = 0,
           nb::arg("weights") = nb::none(), nb::arg("int8") = NamedBytes(),
           "weights: those of a file, by the names of parameters; else they begin as the seed says. int8: those that "
           "the "
           "file has in eight bits, with their scales: of embeddings a column, of other matrices a row.")
      .def("parameters", &parameters, "All weights, by the names of parameters.")
      .def("scales", &scales, "The scales of the columns of parameters that are computed with in eight bits.")
      .def("storage", &storage,
           "How files of eight bits keep each parameter: a scale for each of its rows or columns, or as floats.")
      .def("encoded", &encoded, nb::arg("values"), nb::arg("word_offsets"), nb::arg("forms"), nb::kw_only(),
           nb::arg("with_root") = false, nb::arg("threads") = 0,
           "What the encoder says of each word, a row for each; with the artificial root as the first word of each "
           "sentence, if it is asked for.")
      .def_prop_ro("weight_count", [](const Network& network) { return network.parameters().weight_count(); })
      .def_prop_ro("encoder_width", [](const Network& network) { return network.encoder().width(); });
  module.def("count_weights", &count_weights, nb::arg("encoder"), nb::arg("heads"),
             "How many weights such a network has, before memory is taken for it: embeddings, factors, others.");
  module.def("machine_memory", &machine_memory, "The memory of the machine in bytes.");
  module.def("piece_windows", &piece_windows, nb::arg("word_offsets"), nb::arg("counts"), nb::kw_only(),
             nb::arg("window"), nb::arg("overlap"),
             "The windows in which an encoder reads the pieces of sentences: of each its sentence, where its words "
             "begin and end there, and where those begin and end that are taken from it.");
  module.def("encoder_kinds", &kinds<Encoder>, "The kinds of encoders by name.");
  module.def("head_kinds", &kinds<Head>, "The kinds of heads by name.");
  nb::class_<EncoderDropout>(module, "EncoderDropout", "How much of the inputs and layers is left out in training.")
      .def(
          "__init__",
          [](EncoderDropout* dropout, float inputs, float layers, float groups) {
            for (const float share : {inputs, layers, groups}) check_share(share);
            new (dropout) EncoderDropout{inputs, layers, groups};
          },
          nb::kw_only(), nb::arg("inputs"), nb::arg("layers"), nb::arg("groups"));
  nb::class_<ColumnDropout>(module, "ColumnDropout", "Which columns sentences lose in training, and how often.")
      .def(
          "__init__",
          [](ColumnDropout* dropout, std::vector<std::vector<std::int32_t>> families, std::vector<std::uint32_t> empty,
             float share) {
            check_share(share);
            new (dropout) ColumnDropout{std::move(families), std::move(empty), share};
          },
          nb::kw_only(), nb::arg("families"), nb::arg("empty"), nb::arg("share"));
}

}  // namespace crossarc
