// The network of a graph parser: the gradient of every weight, characters and tags included, against central
// differences of the loss, with the same dropout in both; scores of arcs and labels against a plain program in double
// precision; and what parsing reads against what learning reads.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "check.hpp"
#include "core/random.hpp"
#include "nn/encoders/lstm.hpp"
#include "nn/encoders/shared_words.hpp"
#include "nn/optimiser.hpp"
#include "nn/training.hpp"
#include "parsers/graph.hpp"

namespace crossarc {
namespace {

const PartDescription kEncoder{"lstm",
                               {{"columns", {6, 4, 5}},
                                {"group_sizes", {2, 1}},
                                {"embedding_sizes", {3, 2}},
                                {"unit_embeddings", {1}},
                                {"characters", {7}},
                                {"character_embedding_size", {3}},
                                {"filters", {2}},
                                {"character_size", {4}},
                                {"layers", {2}},
                                {"hidden_size", {3}}}};
const std::vector<PartDescription> kHeads{
    {"biaffine", {{"arc_hidden_size", {5}}, {"label_hidden_size", {4}}, {"labels", {3}}}},
    {"crossed", {{"arc_hidden_size", {3}}}},
    {"tags", {{"classes", {3, 2}}}}};

// Two sentences; words of the same form and values occur in both.
struct Lesson {
  std::vector<std::uint32_t> values{3, 2, 4, 5, 1, 0, 1, 3, 2, 3, 2, 4, 4, 0, 2, 3, 2, 4};
  std::vector<std::int64_t> offsets{0, 4, 6};
  std::vector<std::int32_t> form_of_word{0, 1, 2, 0, 1, 3};
  std::vector<std::int64_t> form_offsets{0, 3, 9, 11, 16};
  std::vector<std::uint32_t> characters{3, 5, 4, 3, 5, 6, 6, 1, 4, 3, 4, 3, 6, 5, 6, 4};
  std::vector<std::int32_t> heads{2, 0, 2, 3, 2, 0};
  std::vector<int> crossed{1, 0, 0, 1, 0, 0};
  std::vector<std::int32_t> labels{1, 0, 2, 1, 2, 0};
  std::vector<std::int32_t> tags{2, 0, 1, -1, 0, 1, 2, 1, -1, -1, 1, 0};  // of two tags
  Batch batch;

  Lesson() { batch.gather(table(), std::vector<std::int32_t>{0, 1}, RowOrder::kTimeMajor, true); }
  SentenceTable table() const { return {values.data(), 3, offsets, {form_of_word, form_offsets, characters.data()}}; }
  std::size_t first_word(std::size_t sentence) const {
    return static_cast<std::size_t>(offsets[static_cast<std::size_t>(batch.sentences[sentence])]);
  }
};

struct Learning {
  Network network{kEncoder, kHeads, 5};
  Gradients gradients{network.parameters()};
  std::unique_ptr<EncoderTape> tape = network.encoder().tape();
  BiaffineReading heads{network.head<BiaffineHead>(BiaffineHead::kArcs)};
  BiaffineReading crossed{network.head<BiaffineHead>(BiaffineHead::kCrossed)};
  std::unique_ptr<WordReading> tags = network.head<TagHead>().reading();
  std::vector<ArcToLabel> arcs;
  ArcScores scores, crossed_scores;
  const Matrix* encoded = nullptr;
  Matrix encoded_gradient;

  Learning() {
    Random random(6);  // nothing may be zero that a gradient goes through
    for (Parameter* parameter : network.parameters()) {
      for (float& value : parameter->values.values) value += random.share() - 0.5F;
      if (embeds(*parameter)) std::fill_n(parameter->values.row(kNoValue), parameter->columns, 0.0F);
    }
    network.pack(true);
  }
  // The row of what a word or a form has not is never learnt.
  static bool embeds(const Parameter& parameter) {
    return parameter.use == Use::kEmbeddings || parameter.name == "encoder.characters.embeddings";
  }
  const LstmEncoder& encoder() const { return dynamic_cast<const LstmEncoder&>(network.encoder()); }

  // The loss: minus the logarithms of the probabilities of gold heads, crossed or not, of labels and, half as
  // important, of tags. Leaves the gradients behind.
  double learn(const Lesson& lesson, float dropped, std::uint64_t seed) {
    Random random(seed);
    encoded = &tape->read(lesson.table(), lesson.batch, {dropped, dropped, dropped}, random);
    encoded_gradient.reset(encoded->rows, encoded->columns);
    heads.read_to_learn(*encoded, lesson.batch, dropped, random);
    crossed.read_to_learn(*encoded, lesson.batch, dropped, random);
    double loss = learn_arcs(lesson);
    heads.score_labels(arcs);
    for (std::size_t row = 0; row < arcs.size(); ++row) {
      const std::span<float> of_arc(heads.label_gradients().row(row), network.head<BiaffineHead>().labels);
      const auto gold = static_cast<std::size_t>(arcs[row].gold);
      normalise(of_arc, {});
      loss -= std::log(of_arc[gold]);
      of_arc[gold] -= 1.0F;
    }
    heads.learn_labels(arcs, gradients);
    heads.backward(*encoded, lesson.batch, gradients, encoded_gradient);
    crossed.backward(*encoded, lesson.batch, gradients, encoded_gradient);
    loss += learn_tags(lesson);
    tape->backward(lesson.batch, encoded_gradient, gradients);
    return loss;
  }

  double learn_arcs(const Lesson& lesson) {
    const auto row_of = [&](std::size_t sentence, std::size_t word) {
      return static_cast<std::int64_t>(lesson.batch.row(sentence, word));
    };
    double loss = 0.0;
    arcs.clear();
    for (std::size_t sentence = 0; sentence < lesson.batch.size(); ++sentence) {
      const std::size_t first = lesson.first_word(sentence);
      heads.score_arcs(lesson.batch, sentence, scores);
      crossed.score_arcs(lesson.batch, sentence, crossed_scores);
      const std::size_t width = scores.width();
      std::fill_n(scores.row(0), width, 0.0F);
      std::fill_n(crossed_scores.row(0), width, 0.0F);
      for (std::size_t word = 1; word < width; ++word) {
        std::vector<float> row(scores.row(word), scores.row(word) + width);
        for (std::size_t head = 0; head < width; ++head) row.push_back(row[head] + crossed_scores.row(word)[head]);
        const auto gold = static_cast<std::size_t>(lesson.heads[first + word - 1]);
        const std::size_t outcome = gold + (lesson.crossed[first + word - 1] != 0 ? width : 0);
        normalise(row, {});
        loss -= std::log(row[outcome]);
        row[outcome] -= 1.0F;
        for (std::size_t head = 0; head < width; ++head) {
          scores.row(word)[head] = row[head] + row[width + head];
          crossed_scores.row(word)[head] = row[width + head];
        }
        arcs.push_back({row_of(sentence, gold), row_of(sentence, word), lesson.labels[first + word - 1]});
      }
      heads.learn_arcs(lesson.batch, sentence, scores);
      crossed.learn_arcs(lesson.batch, sentence, crossed_scores);
    }
    return loss;
  }

  double learn_tags(const Lesson& lesson) {
    constexpr float kWeight = 0.5F;
    const TagHead& head = network.head<TagHead>();
    std::vector<std::int32_t> gold(lesson.batch.rows() * head.targets(), -1);
    double loss = 0.0;
    const Matrix& probabilities = tags->read(*encoded, true);
    for (std::size_t sentence = 0; sentence < lesson.batch.size(); ++sentence) {
      const std::size_t first = lesson.first_word(sentence);
      for (std::size_t word = 1; word < lesson.batch.words(sentence); ++word) {
        const std::size_t row = lesson.batch.row(sentence, word);
        for (std::size_t tag = 0; tag < head.targets(); ++tag) {
          const std::int32_t right = lesson.tags[(first + word - 1) * head.targets() + tag];
          gold[row * head.targets() + tag] = right;
          if (right < 0) continue;
          loss -= kWeight * std::log(probabilities.row(row)[head.first_column(tag) + static_cast<std::size_t>(right)]);
        }
      }
    }
    tags->learn(*encoded, gold, kWeight, gradients, encoded_gradient);
    return loss;
  }

  std::vector<double> gradient(const Lesson& lesson, const Parameter& parameter) {
    if (parameter.use != Use::kEmbeddings) {
      return {gradients[parameter].values.begin(), gradients[parameter].values.end()};
    }
    RowGradients rows(parameter.rows, parameter.columns);
    tape->add_embedding_gradients(lesson.batch, parameter, rows);
    std::vector<double> all(parameter.size(), 0.0);
    for (const std::uint32_t row : rows.rows()) {
      std::copy_n(rows.sum(row), parameter.columns, all.begin() + static_cast<std::ptrdiff_t>(row * parameter.columns));
    }
    return all;
  }
};

void check_gradients(float dropped) {
  constexpr float kStep = 2e-3F;
  const Lesson lesson;
  Learning learning;
  learning.learn(lesson, dropped, 3);
  std::map<std::string, std::vector<double>> gradients;
  for (const Parameter* parameter : learning.network.parameters()) {
    gradients[parameter->name] = learning.gradient(lesson, *parameter);
  }
  for (Parameter* parameter : learning.network.parameters()) {
    for (std::size_t index = Learning::embeds(*parameter) ? parameter->columns : 0; index < parameter->size();
         ++index) {
      float& value = parameter->values.values[index];
      const float before = value;
      const auto loss_at = [&](float at) {
        value = at;
        parameter->pack(true);
        return learning.learn(lesson, dropped, 3);
      };
      const double above = loss_at(before + kStep);
      const double below = loss_at(before - kStep);
      loss_at(before);
      tests::report_near(gradients[parameter->name][index], (above - below) / (2 * kStep), 0.02, __FILE__, __LINE__,
                         parameter->name.c_str());
    }
  }
}

TEST(gradients_of_a_graph_parser_without_dropout) { check_gradients(0.0F); }

TEST(gradients_of_a_graph_parser_with_dropout) { check_gradients(0.3F); }

// Scores from the definition, from what the encoder says of words.
TEST(biaffine_scores_are_those_of_the_definition) {
  const Lesson lesson;
  Learning learning;
  const BiaffineHead& head = learning.network.head<BiaffineHead>();
  Random random(1);
  const Matrix& encoded = learning.tape->read(lesson.table(), lesson.batch, {0.0F, 0.0F, 0.0F}, random);
  learning.heads.read(encoded);
  const auto projected = [&](std::size_t row, std::size_t column) {
    double sum = head.projection_bias.row(0)[column];
    for (std::size_t from = 0; from < head.projection.rows; ++from) {
      sum += static_cast<double>(encoded.row(row)[from]) * head.projection.row(from)[column];
    }
    return sum > 0 ? sum : 0.1 * sum;
  };
  for (std::size_t sentence = 0; sentence < lesson.batch.size(); ++sentence) {
    learning.heads.score_arcs(lesson.batch, sentence, learning.scores);
    for (std::size_t dependent = 1; dependent < learning.scores.width(); ++dependent) {
      for (std::size_t from_head = 0; from_head < learning.scores.width(); ++from_head) {
        double expected = 0.0;
        for (std::size_t to = 0; to < head.arc_size; ++to) {
          double sum = head.arc_bias.row(0)[to];
          for (std::size_t from = 0; from < head.arc_size; ++from) {
            sum += projected(lesson.batch.row(sentence, dependent), from) * head.arc.row(from)[to];
          }
          expected += sum * projected(lesson.batch.row(sentence, from_head), head.arc_size + to);
        }
        CHECK_NEAR(learning.scores.row(dependent)[from_head], expected, 1e-5);
      }
    }
  }
}

// Without dropout, and with the forms of the whole table read before, parsing sees what learning sees.
TEST(parsing_reads_what_learning_reads) {
  const Lesson lesson;
  Learning learning;
  Random random(1);
  const Matrix& learnt = learning.tape->read(lesson.table(), lesson.batch, {0.0F, 0.0F, 0.0F}, random);
  const std::unique_ptr<EncoderCall> call = learning.network.encoder().begin(lesson.table(), 1);
  const std::unique_ptr<EncoderReader> reader = call->reader();
  const Matrix& read = reader->read(lesson.batch);
  for (std::size_t row = 0; row < lesson.batch.rows(); ++row) {
    for (std::size_t column = 0; column < learnt.columns; ++column) {
      CHECK_NEAR(read.row(row)[column], learnt.row(row)[column], 1e-6);
    }
  }
}

// What is read once for a whole table is what every batch would read by itself, to the last bit: the words of one
// sentence alone occur once each, so that nothing is shared but the artificial root.
TEST(words_that_are_shared_are_read_as_in_their_batches) {
  const Lesson lesson;
  Learning learning;
  const Matrix forms = read_forms(learning.encoder().inputs().characters(), lesson.table().forms, 1);
  const SharedWords shared(learning.encoder(), lesson.table(), forms, 2);
  std::size_t count = 0;
  for (std::size_t word = 0; word <= 6; ++word) count += shared.sums(0, word) != nullptr ? 1 : 0;
  CHECK(count == 3);  // the first and the fourth word are the same; and the artificial root
  CHECK(shared.sums(1, 0) == shared.sums(1, 3) && shared.sums(0, 6) != nullptr);
  const std::unique_ptr<EncoderCall> call = learning.network.encoder().begin(lesson.table(), 1);
  const std::unique_ptr<EncoderReader> reader = call->reader();
  const Matrix together = reader->read(lesson.batch);
  for (std::size_t sentence = 0; sentence < lesson.batch.size(); ++sentence) {
    const auto number = static_cast<std::size_t>(lesson.batch.sentences[sentence]);
    const std::vector<std::int64_t> offsets{0, lesson.table().length(number)};
    const std::size_t first = lesson.first_word(sentence);
    SentenceTable alone = lesson.table();
    alone.values += first * alone.columns;
    alone.offsets = offsets;
    alone.forms.form_of_word = alone.forms.form_of_word.subspan(first, static_cast<std::size_t>(offsets[1]));
    Batch batch;
    batch.gather(alone, std::vector<std::int32_t>{0}, RowOrder::kTimeMajor, true);
    const std::unique_ptr<EncoderCall> own_call = learning.network.encoder().begin(alone, 1);
    const std::unique_ptr<EncoderReader> own_reader = own_call->reader();
    const Matrix& apart = own_reader->read(batch);
    for (std::size_t word = 0; word < batch.words(0); ++word) {
      for (std::size_t column = 0; column < apart.columns; ++column) {
        CHECK(together.row(lesson.batch.row(sentence, word))[column] == apart.row(batch.row(0, word))[column]);
      }
    }
  }
}

// The scores of arcs that are not crossed, and then of crossed ones.
std::vector<float> all_scores(const GraphModel& model, const Lesson& lesson) {
  auto [scores, crossed] = model.arc_scores(lesson.table(), 1);
  CHECK(scores.size() == crossed.size());
  scores.insert(scores.end(), crossed.begin(), crossed.end());
  return scores;
}

// Weights that are whole numbers times a scale: as floats and in eight bits, parsing sees nearly the same; embeddings
// of eight bits are the very floats.
TEST(scores_of_eight_bits_are_near_those_of_floats) {
  const Lesson lesson;
  Learning learning;
  NamedValues all, others;
  NamedInt8 bytes;
  const std::vector<float> scale(64, 0x1p-6F);
  std::map<std::string, std::vector<std::int8_t>> steps;
  for (Parameter* parameter : learning.network.parameters()) {
    all.emplace(parameter->name, parameter->values.values);
    const bool by_row = parameter->use == Use::kEmbeddings;
    if (!by_row && parameter->use != Use::kInt8Factor) {
      others.emplace(parameter->name, parameter->values.values);
      continue;
    }
    std::vector<std::int8_t>& own = steps[parameter->name];
    for (float& value : parameter->values.values) {
      own.push_back(static_cast<std::int8_t>(std::nearbyint(value * 0x1p6F)));
      value = 0x1p-6F * static_cast<float>(own.back());
    }
    const std::span scales = std::span(scale).first(by_row ? parameter->rows : parameter->columns);
    bytes.emplace(parameter->name, Int8Values{own, scales, by_row ? parameter->rows : 1});
  }
  const GraphModel floats(std::make_shared<Network>(kEncoder, kHeads, all, NamedInt8()));
  const GraphModel int8(std::make_shared<Network>(kEncoder, kHeads, others, bytes));
  for (const Parameter* parameter : int8.network().parameters()) {
    const AlignedFloats values = parameter->floats();
    CHECK(std::equal(values.begin(), values.end(), all.at(parameter->name).begin(), all.at(parameter->name).end()));
    CHECK(parameter->is_int8() == bytes.contains(parameter->name));
    CHECK(parameter->values.values.empty() == parameter->is_int8());
  }
  const std::vector<float> expected = all_scores(floats, lesson);
  NamedInt8 embeddings = bytes;
  NamedValues factors = all;
  std::erase_if(embeddings, [](const auto& entry) { return entry.second.scale_rows == 1; });
  std::erase_if(factors, [&](const auto& entry) { return embeddings.contains(entry.first); });
  CHECK(embeddings.size() == 3);
  CHECK(all_scores(GraphModel(std::make_shared<Network>(kEncoder, kHeads, factors, embeddings)), lesson) == expected);
  const std::vector<float> rounded = all_scores(int8, lesson);
  CHECK(rounded.size() == expected.size() && rounded != expected);
  for (std::size_t index = 0; index < expected.size(); ++index) {
    CHECK(std::isfinite(rounded[index]) == std::isfinite(expected[index]));
    if (std::isfinite(expected[index])) CHECK_NEAR(rounded[index], expected[index], 0.05);
  }
  const std::vector<float> expected_tags = floats.tag_scores(lesson.table(), 1);
  const std::vector<float> rounded_tags = int8.tag_scores(lesson.table(), 1);
  CHECK(rounded_tags.size() == 6 * 5 && rounded_tags != expected_tags);
  for (std::size_t index = 0; index < expected_tags.size(); ++index) {
    CHECK_NEAR(rounded_tags[index], expected_tags[index], 0.05);
  }
}

// Rows may come in either order: heads ask the batch where words stand.
TEST(batches_have_rows_by_time_or_by_sentence) {
  const Lesson lesson;
  Batch batch;
  batch.gather(lesson.table(), std::vector<std::int32_t>{1, 0}, RowOrder::kSentenceMajor, true);
  CHECK(batch.rows() == 8 && batch.words(0) == 5 && batch.words(1) == 3);
  CHECK(batch.row(0, 0) == 0 && batch.row(0, 4) == 4 && batch.row(1, 0) == 5 && batch.row(1, 2) == 7);
  CHECK(lesson.batch.row(0, 0) == 0 && lesson.batch.row(1, 0) == 1 && lesson.batch.row(0, 4) == 7);
  for (std::size_t sentence = 0; sentence < 2; ++sentence) {
    for (std::size_t word = 0; word < batch.words(sentence); ++word) {
      const auto here = batch.row_values(batch.row(sentence, word));
      const auto there = lesson.batch.row_values(lesson.batch.row(sentence, word));
      CHECK(std::equal(here.begin(), here.end(), there.begin(), there.end()));
    }
  }
}

// Two or four parts; only batches that are meant to be large have more, and always an even number.
TEST(large_batches_have_more_parts) {
  const std::vector<std::size_t> words{3, 700, 1023, 1024, 1279, 1536, 1800, 2048, 9000};
  const std::vector<std::size_t> usual{2, 2, 2, 4, 4, 4, 4, 4, 4}, large{2, 2, 2, 4, 4, 6, 6, 8, 8};
  const std::vector<std::size_t> many{1, 10, 15, 16, 16, 16, 16, 16, 16};
  for (std::size_t index = 0; index < words.size(); ++index) {
    CHECK(few_parts(1000).parts(words[index]) == usual[index]);
    CHECK(few_parts(2048).parts(words[index]) == large[index]);
    CHECK(kManyParts.parts(words[index]) == many[index]);
  }
  CHECK(few_parts().most == 4 && few_parts(1600).most == 6 && few_parts(100'000).most == 16);
}

}  // namespace
}  // namespace crossarc
