#include "parsers/network_trainer.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/threads.hpp"

namespace crossarc {
namespace {

// Batches are learnt from in parts, for several threads: in few, since products of few rows are slow, but two or four,
// so that two threads are never left with an odd one.
constexpr std::size_t kParts = 4;
std::size_t parts_of(std::size_t words) { return words < 1024 ? kParts / 2 : kParts; }
constexpr std::uint32_t kUnknownValue = 1;

// Where parts of about as many words each begin, and where the last one ends.
std::vector<std::size_t> cut(const SentenceTable& table, std::span<const std::int32_t> batch) {
  const auto length = [&](std::int32_t sentence) {
    return static_cast<std::size_t>(table.length(static_cast<std::size_t>(sentence)));
  };
  std::size_t words = 0;
  for (const std::int32_t sentence : batch) words += length(sentence);
  const std::size_t parts = parts_of(words);
  std::vector<std::size_t> begins{0};
  std::size_t before = 0;
  for (std::size_t place = 0; place < batch.size(); ++place) {
    // A sentence belongs where its middle lies.
    while ((2 * before + length(batch[place])) * parts > 2 * words * begins.size()) begins.push_back(place);
    before += length(batch[place]);
  }
  begins.resize(parts, batch.size());
  begins.push_back(batch.size());
  return begins;
}

}  // namespace

void NetworkPupil::learn(const SentenceTable& table, const GoldTable& gold, std::span<const std::int32_t> sentences,
                         unsigned explore, std::uint64_t seed) {
  random_ = Random(seed);
  gradients_.clear_sums();
  batch_.gather(table, sentences);
  drop_words();
  reading_.read_to_learn(*network_, batch_.order, batch_.values, batch_.sentence_of_row, training_->dropout, random_);
  questions_.clear();
  mistakes_ = 0;
  for (std::size_t place = 0; place < batch_.sentences.size(); ++place) learn_sentence(table, gold, place, explore);
  label_scorer_.learn(*network_, reading_.projected(), questions_, training_->dropout, random_,
                      reading_.projected_gradient(), gradients_);
  reading_.learn(*network_, batch_.order, gradients_);
}

void NetworkPupil::drop_words() {
  const std::size_t columns = network_->shape.columns();
  for (std::size_t row = 0; row < batch_.order.rows(); ++row) {
    for (std::size_t column = 0; column < training_->counts.size(); ++column) {
      std::uint32_t& value = batch_.values[row * columns + column];
      const auto count = static_cast<float>(training_->counts[column][value]);
      const float words = training_->dropout.words;
      if (random_.share() < words / (words + count)) value = kUnknownValue;
    }
  }
}

void NetworkPupil::learn_sentence(const SentenceTable& table, const GoldTable& gold, std::size_t place,
                                  unsigned explore) {
  const ParserDefinition& definition = *definition_;
  const auto sentence = static_cast<std::size_t>(batch_.sentences[place]);
  const std::int32_t words = table.length(sentence);
  start_state(definition, words, state_);
  gold.load(sentence, words, definition.root, arcs_);
  for (const GoldArc& arc : arcs_) {
    if (arc.label < 0) continue;
    const std::int32_t head = state_.configuration.word_at(arc.head);
    const std::int32_t word = state_.configuration.word_at(arc.dependent);
    questions_.push_back(label_question(batch_.order, place, head, word, definition.program->undirected()));
    questions_.back().gold = arc.label;
  }
  scorer_.start(reading_.projected(), batch_.order, place);
  if (easy_first_) {
    draw_mask();
    mistakes_ += easy_first_->learn(words, arcs_, mask_, explore, random_);
    return;
  }
  teacher_.start(state_.configuration, words, definition.root, arcs_);
  while (find_legal(*definition.program, state_.configuration, legal_) && !teacher_.finished()) {
    teacher_.ask(state_.configuration, legal_, right_);
    const std::int32_t taken = learn_transition(explore);
    const bool arc = (*definition.program)[static_cast<std::size_t>(taken)].arcs > 0;
    apply_transition(state_, taken, arc ? 0 : kNoLabel);
    teacher_.advance();
  }
}

void NetworkPupil::draw_mask() {
  mask_.resize(network_->shape.hidden);
  fill_mask(mask_.data(), mask_.size(), training_->dropout.hidden, random_.bits());
}

std::int32_t NetworkPupil::learn_transition(unsigned explore) {
  if (const std::int32_t only = only_one(legal_); only != kNoNode) return only;
  scorer_.look(state_);
  draw_mask();
  scorer_.mask(mask_);
  scorer_.score(scores_);
  const std::int32_t guess = best_of(scores_, legal_);
  const std::int32_t best_right = best_of(scores_, right_);
  normalise(scores_, legal_);
  float right_share = 0.0F;
  for (std::size_t place = 0; place < scores_.size(); ++place) right_share += right_[place] ? scores_[place] : 0.0F;
  right_share = std::max(right_share, 1e-20F);
  score_gradients_.resize(scores_.size());
  for (std::size_t place = 0; place < scores_.size(); ++place) {
    score_gradients_[place] = scores_[place] - (right_[place] ? scores_[place] / right_share : 0.0F);
  }
  scorer_.learn(score_gradients_, mask_, reading_.projected_gradient(), gradients_);
  if (right_[static_cast<std::size_t>(guess)]) return teacher_.is_dynamic() ? guess : best_right;
  ++mistakes_;
  const bool follow = teacher_.is_dynamic() && random_.bits() % 100 < explore;
  return follow ? guess : best_right;
}

NetworkTrainer::NetworkTrainer(const ParserDefinition& definition, const NetworkShape& shape, NetworkTraining training)
    : definition_(definition), training_(std::move(training)), first_(shape, true), second_(shape, true) {
  network_.shape = shape;
  initialise(shape, training_.seed, network_.weights);
  network_.pack(true);
  for (const Matrix& embeddings : network_.weights.embeddings) {
    embedding_gradients_.emplace_back(embeddings.rows, embeddings.columns);
    touched_.emplace_back(embeddings.rows, 0);
  }
  for (std::size_t pupil = 0; pupil < kParts; ++pupil) {
    pupils_.push_back(std::make_unique<NetworkPupil>(network_, definition_, training_));
  }
}

std::int64_t NetworkTrainer::learn(const SentenceTable& table, const GoldTable& gold,
                                   std::span<const std::int32_t> order, unsigned explore, float rate, int threads) {
  std::int64_t mistakes = 0;
  std::vector<std::int32_t> batch;
  for (std::size_t first = 0; first < order.size(); first += training_.batch) {
    batch.assign(order.begin() + static_cast<std::ptrdiff_t>(first),
                 order.begin() + static_cast<std::ptrdiff_t>(std::min(order.size(), first + training_.batch)));
    std::stable_sort(batch.begin(), batch.end(), [&](std::int32_t a, std::int32_t b) {
      return table.length(static_cast<std::size_t>(a)) > table.length(static_cast<std::size_t>(b));
    });
    const std::vector<std::size_t> begins = cut(table, batch);
    parts_ = begins.size() - 1;
    parallel_for(parts_, thread_count(threads), [&](std::size_t part) {
      const std::span<const std::int32_t> own(batch.data() + begins[part], begins[part + 1] - begins[part]);
      Random random(training_.seed ^ (steps_ * 0x9E3779B97F4A7C15ULL + part));
      pupils_[part]->learn(table, gold, own, explore, random.bits());
    });
    update(rate, threads);
    for (const auto& pupil : at_work()) mistakes += pupil->mistakes();
  }
  return mistakes;
}

void NetworkTrainer::update(float rate, int threads) {
  std::size_t words = 0;
  for (const auto& pupil : at_work()) words += pupil->words();
  ++steps_;
  AdamStep step;
  const auto steps = static_cast<double>(steps_);
  step.rate = rate * static_cast<float>(std::sqrt(1.0 - std::pow(step.second_decay, steps)) /
                                        (1.0 - std::pow(step.first_decay, steps)));
  step.scale = 1.0F / static_cast<float>(std::max<std::size_t>(1, words));
  // The large matrices first, so that no thread has to wait long for another.
  const std::size_t columns = network_.weights.embeddings.size();
  const std::size_t all = network_.weights.all().size();
  parallel_for(all, thread_count(threads), [&](std::size_t place) {
    const std::size_t number = (columns + place) % all;
    if (number < columns) {
      update_embeddings(number, step);
    } else {
      update_dense(number, step);
      network_.pack(number, true);
    }
  });
}

void NetworkTrainer::update_dense(std::size_t number, const AdamStep& step) {
  constexpr std::size_t kBlock = 2048;  // stays in the nearest cache while it is summed up
  float* values = network_.weights.all()[number]->values.data();
  float* first = first_.all()[number]->values.data();
  float* second = second_.all()[number]->values.data();
  std::vector<float*> gradients;
  for (const auto& pupil : at_work()) gradients.push_back(pupil->gradients().all()[number]->values.data());
  const std::size_t size = network_.weights.all()[number]->values.size();
  for (std::size_t from = 0; from < size; from += kBlock) {
    const std::size_t count = std::min(kBlock, size - from);
    for (std::size_t other = 1; other < gradients.size(); ++other) {
      add(gradients[0] + from, gradients[other] + from, count);
    }
    adam_update(step, values + from, gradients[0] + from, first + from, second + from, count);
  }
}

void NetworkTrainer::update_embeddings(std::size_t column, const AdamStep& step) {
  const NetworkShape& shape = network_.shape;
  Matrix& gradients = embedding_gradients_[column];
  const std::size_t from = column < shape.lexical_columns.size() ? 0 : shape.lexical;
  std::vector<std::uint32_t> rows;
  for (const auto& pupil : at_work()) {
    for (std::size_t row = 0; row < pupil->words(); ++row) {
      const std::uint32_t value = pupil->batch().values[row * shape.columns() + column];
      if (value == NetworkShape::kNothing) continue;
      add(gradients.row(value), pupil->input_gradients().row(row) + from, gradients.columns);
      if (!touched_[column][value]) rows.push_back(value);
      touched_[column][value] = 1;
    }
  }
  for (const std::uint32_t value : rows) {
    adam_update(step, network_.weights.embeddings[column].row(value), gradients.row(value),
                first_.embeddings[column].row(value), second_.embeddings[column].row(value), gradients.columns);
    std::fill_n(gradients.row(value), gradients.columns, 0.0F);
    touched_[column][value] = 0;
  }
}

NetworkTrainer::Memory NetworkTrainer::remember() const {
  const auto values = [](const NetworkWeights& weights) {
    std::vector<std::vector<float>> all;
    for (const Matrix* one : weights.all()) all.emplace_back(one->values.begin(), one->values.end());
    return all;
  };
  return {steps_, values(network_.weights), values(first_), values(second_)};
}

void NetworkTrainer::restore(const Memory& memory) {
  const auto put = [](const std::vector<std::vector<float>>& from, NetworkWeights& to) {
    const std::vector<Matrix*> all = to.all();
    if (from.size() != all.size()) throw std::invalid_argument("the weights of another network");
    for (std::size_t number = 0; number < all.size(); ++number) {
      if (from[number].size() != all[number]->values.size())
        throw std::invalid_argument("the weights of another network");
      all[number]->values.assign(from[number].begin(), from[number].end());
    }
  };
  put(memory.weights, network_.weights);
  put(memory.first, first_);
  put(memory.second, second_);
  steps_ = memory.steps;
  network_.pack(true);
}

}  // namespace crossarc
