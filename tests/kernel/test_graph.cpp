// The network of a graph parser: the gradient of every weight, characters and tags included, against central
// differences of the loss, with the same dropout in both; scores of arcs and labels against a plain program in double
// precision; and what parsing reads against what learning reads.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "check.hpp"
#include "core/random.hpp"
#include "nn/heads.hpp"
#include "nn/optimiser.hpp"
#include "nn/shared_words.hpp"
#include "parsers/batch_training.hpp"
#include "parsers/graph.hpp"
#include "tag_probabilities.hpp"

namespace crossarc {
namespace {

GraphShape small_shape() {
  GraphShape shape;
  shape.encoder.groups = {{{6, 4}, 3}, {{5}, 2}};
  shape.encoder.characters = {7, 3, 2, 4};
  shape.encoder.layers = 2;
  shape.encoder.cells = 3;
  shape.arc = 5;
  shape.label = 4;
  shape.labels = 3;
  shape.tags = {3, 2};
  return shape;
}

// Two sentences; words of the same form and values occur in both.
struct Lesson {
  std::vector<std::uint32_t> values{3, 2, 4, 5, 1, 0, 1, 3, 2, 3, 2, 4, 4, 0, 2, 3, 2, 4};
  std::vector<std::int64_t> offsets{0, 4, 6};
  std::vector<std::int32_t> form_of_word{0, 1, 2, 0, 1, 3};
  std::vector<std::int64_t> form_offsets{0, 3, 9, 11, 16};
  std::vector<std::uint32_t> characters{3, 5, 4, 3, 5, 6, 6, 1, 4, 3, 4, 3, 6, 5, 6, 4};
  std::vector<std::int32_t> heads{2, 0, 2, 3, 2, 0};
  std::vector<std::int32_t> labels{1, 0, 2, 1, 2, 0};
  std::vector<std::int32_t> tags{2, 0, 1, -1, 0, 1, 2, 1, -1, -1, 1, 0};  // of two tags
  SentenceBatch batch;

  Lesson() { batch.gather(table(), std::vector<std::int32_t>{0, 1}, true); }
  SentenceTable table() const { return {values.data(), 3, offsets, {form_of_word, form_offsets, characters.data()}}; }
};

struct Learning {
  GraphNetwork network{small_shape()};
  GraphGradients gradients{network};
  SentenceReading reading;
  BiaffineReading heads;
  TagReading tags;
  std::vector<ArcLabel> arcs;
  ArcScores scores;

  Learning() {
    network.initialise(5);
    Random random(6);  // nothing may be zero that a gradient goes through
    for (Matrix* one : network.weights()) {
      for (float& value : one->values) value += random.share() - 0.5F;
    }
    for (Matrix& one : network.encoder.weights.embeddings) std::fill_n(one.row(kNoValue), one.columns, 0.0F);
    Matrix& characters = network.encoder.weights.characters.embeddings;
    std::fill_n(characters.row(kNoValue), characters.columns, 0.0F);
    network.pack(true);
  }

  // The loss: minus the logarithms of the probabilities of gold heads, labels and, half as important, tags. Leaves the
  // gradients behind.
  double learn(const Lesson& lesson, float dropped, std::uint64_t seed) {
    Random random(seed);
    reading.read_to_learn(network.encoder, lesson.batch, {dropped, dropped, 0.0F, dropped}, random,
                          lesson.table().forms);
    heads.read_to_learn(network.heads, network.packed_heads, reading.encoded(), lesson.batch, dropped, random);
    heads.clear_gradients();
    arcs.clear();
    double loss = 0.0;
    for (std::size_t place = 0; place < lesson.batch.sentences.size(); ++place) {
      const auto first =
          static_cast<std::size_t>(lesson.offsets[static_cast<std::size_t>(lesson.batch.sentences[place])]);
      heads.score_arcs(lesson.batch, place, scores);
      std::fill_n(scores.row(0), scores.width(), 0.0F);
      for (std::size_t word = 1; word < scores.width(); ++word) {
        const std::span<float> row(scores.row(word), scores.width());
        const auto gold = static_cast<std::size_t>(lesson.heads[first + word - 1]);
        normalise(row, {});
        loss -= std::log(row[gold]);
        row[gold] -= 1.0F;
        arcs.push_back({lesson.batch.order.row(place, gold), lesson.batch.order.row(place, word),
                        lesson.labels[first + word - 1]});
      }
      heads.learn_arcs(lesson.batch, place, scores);
    }
    heads.score_labels(network.heads, network.packed_heads, arcs);
    for (std::size_t row = 0; row < arcs.size(); ++row) {
      const std::span<float> own(heads.label_gradients().row(row), network.heads.shape.labels);
      const auto gold = static_cast<std::size_t>(arcs[row].gold);
      normalise(own, {});
      loss -= std::log(own[gold]);
      own[gold] -= 1.0F;
    }
    heads.learn_labels(network.packed_heads, arcs, gradients.heads);
    heads.backward(network.packed_heads, reading.encoded(), lesson.batch, gradients.heads, reading.encoded_gradient());
    loss += learn_tags(lesson);
    reading.backward(network.encoder, lesson.batch, gradients.encoder);
    return loss;
  }

  double learn_tags(const Lesson& lesson) {
    constexpr float kWeight = 0.5F;
    const std::size_t count = network.tags.shape.tags();
    std::vector<std::int32_t> gold(lesson.batch.order.rows() * count, -1);
    double loss = 0.0;
    tags.read(network.tags, network.packed_tags, reading.encoded());
    for (std::size_t place = 0; place < lesson.batch.sentences.size(); ++place) {
      const auto first =
          static_cast<std::size_t>(lesson.offsets[static_cast<std::size_t>(lesson.batch.sentences[place])]);
      for (std::size_t word = 1; word < static_cast<std::size_t>(lesson.batch.lengths[place]); ++word) {
        const std::size_t row = lesson.batch.order.row(place, word);
        for (std::size_t tag = 0; tag < count; ++tag) {
          const std::int32_t right = gold[row * count + tag] = lesson.tags[(first + word - 1) * count + tag];
          if (right >= 0) loss -= kWeight * std::log(tests::probability(tags, network.tags.shape, row, tag, right));
        }
      }
    }
    tags.learn(network.packed_tags, reading.encoded(), gold, gradients.tags, reading.encoded_gradient(), kWeight);
    return loss;
  }

  std::vector<std::vector<double>> all_gradients(const Lesson& lesson) {
    std::vector<std::vector<double>> all;
    const EncoderShape& shape = network.encoder.shape;
    for (std::size_t column = 0; column < shape.columns(); ++column) {
      const Matrix& embeddings = network.encoder.weights.embeddings[column];
      RowGradients rows(embeddings.rows, embeddings.columns);
      reading.add_embedding_gradients(shape, lesson.batch, column, rows);
      std::vector<double>& own = all.emplace_back(embeddings.values.size(), 0.0);
      for (const std::uint32_t row : rows.rows()) {
        std::copy_n(rows.sum(row), embeddings.columns,
                    own.begin() + static_cast<std::ptrdiff_t>(row * embeddings.columns));
      }
    }
    const std::vector<Matrix*> dense = gradients.all();
    for (std::size_t number = shape.columns(); number < dense.size(); ++number) {
      all.emplace_back(dense[number]->values.begin(), dense[number]->values.end());
    }
    return all;
  }
};

void check_gradients(float dropped) {
  constexpr float kStep = 2e-3F;
  const Lesson lesson;
  Learning learning;
  learning.learn(lesson, dropped, 3);
  const std::vector<std::vector<double>> found = learning.all_gradients(lesson);
  const std::vector<Matrix*> weights = learning.network.weights();
  const std::size_t columns = learning.network.encoder.shape.columns();
  const std::size_t of_characters = learning.network.encoder.weights.count() - CharacterShape::kWidths - 4;
  for (std::size_t number = 0; number < weights.size(); ++number) {
    // The row of what a word or a form has not is never learnt.
    const bool embeds = number < columns || number == of_characters;
    const std::size_t first = embeds ? weights[number]->columns : 0;
    for (std::size_t place = first; place < weights[number]->values.size(); ++place) {
      float& value = weights[number]->values[place];
      const float before = value;
      const auto loss_at = [&](float at) {
        value = at;
        learning.network.pack(true);
        return learning.learn(lesson, dropped, 3);
      };
      const double above = loss_at(before + kStep);
      const double below = loss_at(before - kStep);
      value = before;
      CHECK_NEAR(found[number][place], (above - below) / (2 * kStep), 0.02);
    }
  }
}

TEST(gradients_of_a_graph_parser_without_dropout) { check_gradients(0.0F); }

TEST(gradients_of_a_graph_parser_with_dropout) { check_gradients(0.3F); }

// Scores from the definition, from what the encoder says of words.
TEST(biaffine_scores_are_those_of_the_definition) {
  const Lesson lesson;
  Learning learning;
  const BiaffineWeights& weights = learning.network.heads;
  const BiaffineShape& shape = weights.shape;
  Random random(1);
  learning.reading.read_to_learn(learning.network.encoder, lesson.batch, {0.0F, 0.0F, 0.0F, 0.0F}, random,
                                 lesson.table().forms);
  const Matrix& encoded = learning.reading.encoded();
  learning.heads.read(weights, learning.network.packed_heads, encoded);
  const auto projected = [&](std::size_t row, std::size_t column) {
    double sum = weights.projection_bias.row(0)[column];
    for (std::size_t from = 0; from < shape.inputs; ++from) {
      sum += static_cast<double>(encoded.row(row)[from]) * weights.projection.row(from)[column];
    }
    return sum > 0 ? sum : 0.1 * sum;
  };
  for (std::size_t place = 0; place < lesson.batch.sentences.size(); ++place) {
    learning.heads.score_arcs(lesson.batch, place, learning.scores);
    for (std::size_t dependent = 1; dependent < learning.scores.width(); ++dependent) {
      for (std::size_t head = 0; head < learning.scores.width(); ++head) {
        double expected = 0.0;
        for (std::size_t to = 0; to < shape.arc; ++to) {
          double sum = weights.arc_bias.row(0)[to];
          for (std::size_t from = 0; from < shape.arc; ++from) {
            sum += projected(lesson.batch.order.row(place, dependent), from) * weights.arc.row(from)[to];
          }
          expected += sum * projected(lesson.batch.order.row(place, head), shape.arc + to);
        }
        CHECK_NEAR(learning.scores.row(dependent)[head], expected, 1e-5);
      }
    }
  }
}

// Without dropout, and with the forms of the whole table read before, parsing sees what learning sees.
TEST(parsing_reads_what_learning_reads) {
  const Lesson lesson;
  Learning learning;
  const Encoder& encoder = learning.network.encoder;
  Random random(1);
  learning.reading.read_to_learn(encoder, lesson.batch, {0.0F, 0.0F, 0.0F, 0.0F}, random, lesson.table().forms);
  const Matrix forms = read_forms(encoder.weights.characters, encoder.packed_characters, lesson.table().forms, 1);
  SentenceReading reading;
  reading.read(encoder, lesson.batch, &forms);
  for (std::size_t row = 0; row < lesson.batch.order.rows(); ++row) {
    for (std::size_t place = 0; place < encoder.shape.outputs(); ++place) {
      CHECK_NEAR(reading.encoded().row(row)[place], learning.reading.encoded().row(row)[place], 1e-6);
    }
  }
}

// What is read once for a whole table is what every batch would read by itself, to the last bit.
TEST(words_that_are_shared_are_read_as_in_their_batches) {
  const Lesson lesson;
  Learning learning;
  const Encoder& encoder = learning.network.encoder;
  const Matrix forms = read_forms(encoder.weights.characters, encoder.packed_characters, lesson.table().forms, 1);
  const SharedWords shared(encoder, lesson.table(), &forms, 2);
  std::size_t count = 0;
  for (std::size_t word = 0; word <= 6; ++word) count += shared.sums(0, word) != nullptr ? 1 : 0;
  CHECK(count == 3);  // the first and the fourth word are the same; and the artificial root
  CHECK(shared.sums(1, 0) == shared.sums(1, 3) && shared.sums(0, 6) != nullptr);
  SentenceReading with, without;
  with.read(encoder, lesson.batch, &forms, &shared);
  without.read(encoder, lesson.batch, &forms);
  for (std::size_t row = 0; row < lesson.batch.order.rows(); ++row) {
    for (std::size_t place = 0; place < encoder.shape.outputs(); ++place) {
      CHECK(with.encoded().row(row)[place] == without.encoded().row(row)[place]);
    }
  }
}

// Weights that are bytes times a scale: as floats and as bytes, parsing sees nearly the same.
TEST(scores_of_bytes_are_near_those_of_floats) {
  const Lesson lesson;
  Learning learning;
  std::vector<std::vector<float>> scales;
  const std::vector<std::size_t> columns =
      GraphModel(small_shape(), values_of(learning.network.weights())).byte_columns();
  const std::vector<Matrix*> matrices = learning.network.weights();
  for (std::size_t number = 0; number < matrices.size(); ++number) {
    scales.emplace_back(columns[number], 0x1p-6F);
    if (columns[number] == 0) continue;
    for (float& value : matrices[number]->values) value = 0x1p-6F * std::nearbyint(value * 0x1p6F);
  }
  const std::vector<std::vector<float>> weights = values_of(learning.network.weights());
  const GraphModel floats(small_shape(), weights);
  const GraphModel bytes(small_shape(), weights, scales);
  CHECK(values_of(bytes.network().weights()) == weights);
  const std::vector<float> expected = floats.arc_scores(lesson.table(), 1);
  const std::vector<float> found = bytes.arc_scores(lesson.table(), 1);
  CHECK(found.size() == expected.size() && found != expected);
  for (std::size_t place = 0; place < expected.size(); ++place) {
    CHECK(std::isfinite(found[place]) == std::isfinite(expected[place]));
    if (std::isfinite(expected[place])) CHECK_NEAR(found[place], expected[place], 0.05);
  }
  const std::vector<float> expected_tags = floats.tag_scores(lesson.table(), 1);
  const std::vector<float> found_tags = bytes.tag_scores(lesson.table(), 1);
  CHECK(found_tags.size() == 6 * 5 && found_tags != expected_tags);
  for (std::size_t place = 0; place < expected_tags.size(); ++place) {
    CHECK_NEAR(found_tags[place], expected_tags[place], 0.05);
  }
}

// Two or four parts; only batches that are meant to be large have more, and always an even number.
TEST(large_batches_have_more_parts) {
  const std::vector<std::size_t> words{3, 700, 1023, 1024, 1279, 1536, 1800, 2048, 9000};
  const std::vector<std::size_t> usual{2, 2, 2, 4, 4, 4, 4, 4, 4}, large{2, 2, 2, 4, 4, 6, 6, 8, 8};
  const std::vector<std::size_t> many{1, 10, 15, 16, 16, 16, 16, 16, 16};
  for (std::size_t place = 0; place < words.size(); ++place) {
    CHECK(few_parts(1000).parts(words[place]) == usual[place]);
    CHECK(few_parts(2048).parts(words[place]) == large[place]);
    CHECK(kManyParts.parts(words[place]) == many[place]);
  }
  CHECK(few_parts().most == 4 && few_parts(1600).most == 6 && few_parts(100'000).most == 16);
}

}  // namespace
}  // namespace crossarc
