#include "parsers/graph.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <string>

#include "core/threads.hpp"
#include "nn/activation.hpp"
#include "nn/optimiser.hpp"
#include "nn/shared_words.hpp"

namespace crossarc {

GraphNetwork::GraphNetwork(const GraphShape& shape)
    : encoder(shape.encoder),
      heads({shape.encoder.outputs(), shape.arc, shape.label, shape.labels}),
      tags(shape.tag_shape()) {}

void GraphNetwork::initialise(std::uint64_t seed) {
  Random random(seed);
  // Worth half a point of LAS on small treebanks.
  encoder.weights.initialise(random, EncoderWeights::kUnitVariance);
  heads.initialise(random);
  tags.initialise(random);
}

std::vector<Matrix*> GraphNetwork::weights() {
  std::vector<Matrix*> all;
  encoder.weights.list(all);
  heads.list(all);
  tags.list(all);
  return all;
}

std::vector<const Matrix*> GraphNetwork::weights() const {
  const std::vector<Matrix*> all = const_cast<GraphNetwork*>(this)->weights();
  return {all.begin(), all.end()};
}

void GraphNetwork::pack(bool to_learn) {
  encoder.pack(to_learn);
  for (std::size_t number = 0; number < BiaffineWeights::kCount; ++number) packed_heads.pack(heads, number, to_learn);
  if (tags.shape.tags() > 0) packed_tags.pack(tags, 0, to_learn);
}

void GraphNetwork::pack(std::size_t number, bool to_learn) {
  const std::size_t of_encoder = encoder.weights.count();
  const std::size_t of_heads = of_encoder + BiaffineWeights::kCount;
  if (number < of_encoder) {
    encoder.pack(number, to_learn);
  } else if (number < of_heads) {
    packed_heads.pack(heads, number - of_encoder, to_learn);
  } else {
    packed_tags.pack(tags, number - of_heads, to_learn);
  }
}

QuantisedMatrix* GraphNetwork::bytes(std::size_t number) {
  const std::size_t of_encoder = encoder.weights.count();
  if (number < of_encoder) return encoder.bytes(number);
  const std::size_t of_heads = of_encoder + BiaffineWeights::kCount;
  return number < of_heads ? packed_heads.bytes(number - of_encoder) : packed_tags.bytes(number - of_heads);
}

GraphGradients::GraphGradients(const GraphNetwork& network)
    : encoder(network.encoder.shape, false), heads(network.heads.shape), tags(network.tags.shape) {}

std::vector<Matrix*> GraphGradients::all() {
  std::vector<Matrix*> matrices;
  encoder.list(matrices);
  heads.list(matrices);
  tags.list(matrices);
  return matrices;
}

namespace {

// The network of a model file, unless it would need other weights than the file has.
GraphNetwork fitting_network(const GraphShape& shape, const ValueLists& weights) {
  check_weights(weights, shape.weight_count());
  return GraphNetwork(shape);
}

// Sentences and words that are read at once.
constexpr std::size_t kBatchSentences = 64;
constexpr std::int32_t kBatchWords = 2048;

// The whole numbers of a matrix whose columns have these scales.
std::vector<std::int8_t> steps_of(const Matrix& matrix, std::span<const float> scales) {
  if (scales.size() != matrix.columns) throw std::invalid_argument("every column of a matrix of bytes has a scale");
  std::vector<std::int8_t> steps(matrix.values.size());
  std::vector<float> inverse(scales.size());
  unsigned unfit = 0;
  for (std::size_t column = 0; column < scales.size(); ++column) {
    inverse[column] = scales[column] > 0.0F ? 1.0F / scales[column] : 0.0F;
    unfit |= static_cast<unsigned>(!(scales[column] >= 0.0F && std::isfinite(inverse[column])));
  }
  for (std::size_t row = 0; row < matrix.rows && unfit == 0; ++row) {
    const float* const values = matrix.row(row);
    std::int8_t* const own = steps.data() + row * matrix.columns;
    // Without a branch, so that it is computed with vectors.
    for (std::size_t column = 0; column < matrix.columns; ++column) {
      const float step = std::nearbyint(values[column] * inverse[column]);
      unfit |= static_cast<unsigned>(!(std::abs(step) <= 127.0F && step * scales[column] == values[column]));
      own[column] = static_cast<std::int8_t>(std::clamp(step, -127.0F, 127.0F));
    }
  }
  if (unfit != 0) throw std::invalid_argument("a weight is no whole number from -127 to 127 times its scale");
  return steps;
}

// Scores of heads become logarithms of their probabilities; a word is no head of itself.
void normalise_heads(ArcScores& scores, float temperature) {
  for (std::size_t dependent = 1; dependent < scores.width(); ++dependent) {
    scores.row(dependent)[dependent] = -std::numeric_limits<float>::infinity();
    log_softmax(scores.row(dependent), scores.width(), temperature);
  }
}

// Words have the heads that they are to have; -1: any.
void keep_heads(std::span<const std::int32_t> heads, ArcScores& scores) {
  for (std::size_t word = 0; word < heads.size(); ++word) {
    if (heads[word] < 0) continue;
    float* const row = scores.row(word + 1);
    const float kept = row[heads[word]];
    std::fill_n(row, scores.width(), -std::numeric_limits<float>::infinity());
    row[heads[word]] = kept;
  }
}

// The trees of one sentence.
struct SentenceTrees {
  std::vector<double> totals;
  std::vector<std::int32_t> heads, labels;
  std::vector<float> scores, margins;
  bool fallback = false;  // it was too long for the chart of its class, and got other trees
};

// Finds the trees of sentences for their scores. Keeps its memory.
class TreeFinder {
 public:
  explicit TreeFinder(const GraphSearch& search) : search_(&search) {}

  // None where no tree has the allowed arcs only. `given`: all heads are, and any tree will do.
  void find(const ArcScores& scores, bool given, SentenceTrees& trees) {
    incoming_.load(
        ScoreView<float>{scores.values.data(), 1, static_cast<std::ptrdiff_t>(scores.width()), scores.words});
    heads_.resize(static_cast<std::size_t>(scores.words));
    DecodeOptions options = search_->trees;
    if (given) options = {};
    bool minimum_risk = search_->minimum_risk;
    if (options.tree_class == TreeClass::kOneEndpointCrossing) {
      if (minimum_risk && scores.words > kMostSummedWords) {
        trees.fallback = true;
        minimum_risk = false;
      }
      if (search_->most > 1 && scores.words > kMostRankedWords) {
        trees.fallback = true;
        options.tree_class = TreeClass::kProjective;
      } else if (scores.words > kMostChartWords) {
        // If the best tree of all is of the class, it is the answer; else the best projective tree, which is of the
        // class.
        options.tree_class = TreeClass::kSpanningTree;
        if (!decoder_.decode(incoming_, options, heads_)) return;
        if (!conflicts_.accepts(heads_, options.root_arcs)) {
          trees.fallback = true;
          options.tree_class = TreeClass::kProjective;
        }
      }
    }
    if (minimum_risk) expect_heads(options);
    if (search_->most > 1) {
      trees.heads = find_k_best(incoming_, options, search_->most).heads;
    } else if (decoder_.decode(incoming_, options, heads_)) {
      trees.heads = heads_;
    }
    measure(scores, trees);
  }

 private:
  // Scores become the probabilities of arcs over all trees of the class.
  void expect_heads(const DecodeOptions& options) {
    sum_trees(incoming_, options, &probabilities_);
    for (std::int32_t word = 1; word <= incoming_.words(); ++word) {
      const double* own = probabilities_.data() + static_cast<std::size_t>(word) * incoming_.width();
      for (std::int32_t head = 0; head <= incoming_.words(); ++head) {
        double& score = incoming_.row(word)[head];
        if (score != kForbidden) score = own[head];
      }
    }
  }

  static void measure(const ArcScores& scores, SentenceTrees& trees) {
    const auto words = static_cast<std::size_t>(scores.words);
    trees.totals.clear();
    trees.scores.clear();
    trees.margins.clear();
    for (std::size_t first = 0; first < trees.heads.size(); first += words) {
      double total = 0.0;
      for (std::size_t word = 0; word < words; ++word) {
        const float* row = scores.row(word + 1);
        const auto head = static_cast<std::size_t>(trees.heads[first + word]);
        float other = -std::numeric_limits<float>::infinity();
        for (std::size_t place = 0; place < scores.width(); ++place) {
          if (place != head) other = std::max(other, row[place]);
        }
        total += row[head];
        trees.scores.push_back(row[head]);
        trees.margins.push_back(row[head] - other);
      }
      trees.totals.push_back(total);
    }
  }

  const GraphSearch* search_;
  TreeDecoder<float> decoder_;
  ConflictFinder conflicts_;
  IncomingScores incoming_;
  std::vector<double> probabilities_;
  std::vector<std::int32_t> heads_;
};

}  // namespace

// Reads batches, one after the other. Keeps its memory.
class GraphModel::Reader {
 public:
  explicit Reader(const GraphModel& model) : network_(&model.network_) {}

  void read(const SentenceBatch& batch, const Matrix& forms, const SharedWords& shared) {
    reading_.read(network_->encoder, batch, &forms, &shared);
    heads_.read(network_->heads, network_->packed_heads, reading_.encoded());
    if (network_->tags.shape.tags() > 0) tags_.score(network_->tags, network_->packed_tags, reading_.encoded());
  }
  // `heads`: those that words are to have, if any.
  const ArcScores& score_arcs(const SentenceBatch& batch, std::size_t place, float temperature,
                              std::span<const std::int32_t> heads = {}) {
    heads_.score_arcs(batch, place, scores_);
    normalise_heads(scores_, temperature);
    keep_heads(heads, scores_);
    return scores_;
  }
  // The best class of each tag of the words of a sentence, a row for each word.
  void find_tags(const SentenceBatch& batch, std::size_t place, std::int32_t* classes) const {
    for (std::size_t word = 1; word < static_cast<std::size_t>(batch.lengths[place]); ++word) {
      for (std::size_t tag = 0; tag < network_->tags.shape.tags(); ++tag) {
        *classes++ = tags_.best(batch.order.row(place, word), tag);
      }
    }
  }
  const float* tag_scores(const SentenceBatch& batch, std::size_t place, std::size_t word) const {
    return tags_.scores().row(batch.order.row(place, word));
  }
  // Of the arcs into the words of a sentence.
  const Matrix& score_labels(const SentenceBatch& batch, std::size_t place, std::span<const std::int32_t> heads) {
    const auto words = static_cast<std::size_t>(batch.lengths[place]) - 1;
    arcs_.clear();
    for (std::size_t arc = 0; arc < heads.size(); ++arc) {
      arcs_.push_back(
          {batch.order.row(place, static_cast<std::size_t>(heads[arc])), batch.order.row(place, arc % words + 1)});
    }
    return heads_.score_labels(network_->heads, network_->packed_heads, arcs_);
  }
  void find_labels(const SentenceBatch& batch, std::size_t place, std::int32_t root_label, SentenceTrees& trees) {
    const Matrix& scores = score_labels(batch, place, trees.heads);
    trees.labels.resize(trees.heads.size());
    for (std::size_t arc = 0; arc < trees.heads.size(); ++arc) {
      trees.labels[arc] = best_label(scores.row(arc), scores.columns, root_label, trees.heads[arc] == 0);
    }
  }

 private:
  static std::int32_t best_label(const float* scores, std::size_t labels, std::int32_t root_label, bool is_root) {
    if (root_label >= 0 && is_root) return root_label;
    std::size_t best = root_label == 0 && labels > 1 ? 1 : 0;
    for (std::size_t label = best + 1; label < labels; ++label) {
      if (scores[label] > scores[best] && static_cast<std::int32_t>(label) != root_label) best = label;
    }
    return static_cast<std::int32_t>(best);
  }

  const GraphNetwork* network_;
  SentenceReading reading_;
  BiaffineReading heads_;
  TagReading tags_;
  ArcScores scores_;
  std::vector<ArcLabel> arcs_;
};

GraphModel::GraphModel(const GraphShape& shape, const ValueLists& weights, std::span<const std::vector<float>> scales)
    : network_(fitting_network(shape, weights)), scales_(scales.begin(), scales.end()) {
  const std::vector<Matrix*> matrices = network_.weights();
  set_values(matrices, weights);
  scales_.resize(scales.empty() ? matrices.size() : scales.size());
  if (scales_.size() != matrices.size()) throw std::invalid_argument("every matrix has scales or an empty list");
  network_.encoder.packed.resize(network_.encoder.weights.lstms.size());
  for (std::size_t number = 0; number < matrices.size(); ++number) {
    if (scales_[number].empty()) {
      network_.pack(number, false);
      continue;
    }
    QuantisedMatrix* const packed = network_.bytes(number);
    if (packed == nullptr) throw std::invalid_argument("scales of a matrix that is not computed with as bytes");
    packed->pack(steps_of(*matrices[number], scales_[number]), matrices[number]->rows, scales_[number]);
  }
}

std::vector<std::size_t> GraphModel::byte_columns() const {
  const std::vector<const Matrix*> matrices = network_.weights();
  std::vector<std::size_t> columns(matrices.size(), 0);
  for (std::size_t number = 0; number < columns.size(); ++number) {
    if (const_cast<GraphNetwork&>(network_).bytes(number) != nullptr) columns[number] = matrices[number]->columns;
  }
  return columns;
}

template <typename Work>
void GraphModel::for_batches(const SentenceTable& table, int threads, Work&& work) const {
  const std::vector<std::vector<std::int32_t>> batches =
      batches_of(table, shared_sentences(table, threads, kBatchSentences), kBatchWords);
  const Encoder& encoder = network_.encoder;
  const Matrix forms = read_forms(encoder.weights.characters, encoder.packed_characters, table.forms, threads);
  const SharedWords shared(encoder, table, &forms, threads);
  // Readers are used again, so that their memory is.
  std::mutex mutex;
  std::vector<std::unique_ptr<Reader>> idle;
  parallel_for(batches.size(), thread_count(threads), [&](std::size_t number) {
    std::unique_ptr<Reader> reader;
    {
      const std::lock_guard lock(mutex);
      if (!idle.empty()) {
        reader = std::move(idle.back());
        idle.pop_back();
      }
    }
    if (reader == nullptr) reader = std::make_unique<Reader>(*this);
    SentenceBatch batch;
    batch.gather(table, batches[number], true);
    reader->read(batch, forms, shared);
    work(*reader, batch);
    const std::lock_guard lock(mutex);
    idle.push_back(std::move(reader));
  });
}

GraphTrees GraphModel::parse(const SentenceTable& table, const GraphSearch& search, int threads) const {
  std::vector<SentenceTrees> found(table.sentences());
  const std::size_t tags = network_.tags.shape.tags();
  GraphTrees all;
  all.tags.resize(static_cast<std::size_t>(table.offsets.back()) * tags);
  std::mutex long_sentence;
  TreeFinder long_finder(search);
  // The charts of several trees and of sums are larger.
  const bool large =
      search.trees.tree_class == TreeClass::kOneEndpointCrossing && (search.most > 1 || search.minimum_risk);
  const std::int32_t together = large ? kLongSentence / 2 : kLongSentence;
  for_batches(table, threads, [&](Reader& reader, const SentenceBatch& batch) {
    TreeFinder finder(search);
    const auto find = [&](std::size_t place, bool given, std::span<const std::int32_t> kept, SentenceTrees& own) {
      const ArcScores& scores = reader.score_arcs(batch, place, search.temperature, kept);
      if (scores.words <= together) return finder.find(scores, given, own);
      const std::lock_guard lock(long_sentence);
      long_finder.find(scores, given, own);
    };
    for (std::size_t place = 0; place < batch.sentences.size(); ++place) {
      const auto sentence = static_cast<std::size_t>(batch.sentences[place]);
      const std::size_t first = table.first_word(sentence);
      const auto words = static_cast<std::size_t>(table.length(sentence));
      const auto kept = search.heads.empty() ? search.heads : search.heads.subspan(first, words);
      SentenceTrees& own = found[sentence];
      const bool given = !kept.empty() && std::none_of(kept.begin(), kept.end(), [](auto head) { return head < 0; });
      find(place, given, kept, own);
      reader.find_labels(batch, place, search.root_label, own);
      reader.find_tags(batch, place, all.tags.data() + first * tags);
    }
  });
  const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  for (std::size_t sentence = 0; sentence < found.size(); ++sentence) {
    SentenceTrees& own = found[sentence];
    if (table.length(sentence) == 0) own.totals.assign(1, 0.0);
    if (own.totals.empty()) {
      throw std::invalid_argument("sentence " + std::to_string(sentence + 1) +
                                  ": no tree of the class has the heads that are given");
    }
    all.counts.push_back(static_cast<std::int64_t>(own.totals.size()));
    all.fallbacks += own.fallback ? 1 : 0;
    append(all.totals, own.totals);
    append(all.heads, own.heads);
    append(all.labels, own.labels);
    append(all.scores, own.scores);
    append(all.margins, own.margins);
    own = {};
  }
  return all;
}

std::vector<float> GraphModel::arc_scores(const SentenceTable& table, int threads) const {
  std::vector<std::size_t> starts{0};
  for (std::size_t sentence = 0; sentence < table.sentences(); ++sentence) {
    const auto width = static_cast<std::size_t>(table.length(sentence)) + 1;
    starts.push_back(starts.back() + width * width);
  }
  std::vector<float> all(starts.back(), 0.0F);
  for_batches(table, threads, [&](Reader& reader, const SentenceBatch& batch) {
    for (std::size_t place = 0; place < batch.sentences.size(); ++place) {
      const ArcScores& scores = reader.score_arcs(batch, place, 1.0F);
      float* to = all.data() + starts[static_cast<std::size_t>(batch.sentences[place])];
      for (std::size_t dependent = 1; dependent < scores.width(); ++dependent) {
        for (std::size_t head = 0; head < scores.width(); ++head) {
          to[head * scores.width() + dependent] = scores.row(dependent)[head];
        }
      }
    }
  });
  return all;
}

std::vector<float> GraphModel::label_scores(const SentenceTable& table, std::span<const std::int32_t> heads,
                                            int threads) const {
  const std::size_t labels = network_.heads.shape.labels;
  std::vector<float> all(heads.size() * labels, 0.0F);
  for_batches(table, threads, [&](Reader& reader, const SentenceBatch& batch) {
    for (std::size_t place = 0; place < batch.sentences.size(); ++place) {
      const auto sentence = static_cast<std::size_t>(batch.sentences[place]);
      const std::size_t first = table.first_word(sentence);
      const auto words = static_cast<std::size_t>(table.length(sentence));
      const Matrix& scores = reader.score_labels(batch, place, heads.subspan(first, words));
      std::copy_n(scores.row(0), words * labels, all.data() + first * labels);
    }
  });
  return all;
}

std::vector<float> GraphModel::tag_scores(const SentenceTable& table, int threads) const {
  const std::size_t columns = network_.tags.shape.columns();
  std::vector<float> all(static_cast<std::size_t>(table.offsets.back()) * columns);
  if (columns == 0) return all;
  for_batches(table, threads, [&](Reader& reader, const SentenceBatch& batch) {
    for (std::size_t place = 0; place < batch.sentences.size(); ++place) {
      const std::size_t first = table.first_word(static_cast<std::size_t>(batch.sentences[place]));
      for (std::size_t word = 1; word < static_cast<std::size_t>(batch.lengths[place]); ++word) {
        std::copy_n(reader.tag_scores(batch, place, word), columns, all.data() + (first + word - 1) * columns);
      }
    }
  });
  return all;
}

}  // namespace crossarc
