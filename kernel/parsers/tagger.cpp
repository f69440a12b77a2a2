#include "parsers/tagger.hpp"

#include <algorithm>
#include <utility>

namespace crossarc {

TaggerModel::TaggerModel(std::shared_ptr<const Network> network)
    : network_(std::move(network)), head_(&network_->head<WordHead>()) {}

std::vector<float> TaggerModel::probabilities(const SentenceTable& table, int threads) const {
  const std::size_t columns = head_->columns();
  std::vector<float> all(static_cast<std::size_t>(table.offsets.back()) * columns);
  for_batches(
      *network_, table, {64, 1 << 14, false}, threads, [&] { return head_->reading(); },
      [&](std::unique_ptr<WordReading>& reading, const Batch& batch, const Matrix& encoded) {
        const Matrix& scores = reading->read(encoded, true);
        for (std::size_t row = 0; row < batch.rows(); ++row) {
          std::copy_n(scores.row(row), columns, all.data() + batch.word_of_row[row] * columns);
        }
      });
  return all;
}

// What the head learns from a part of a batch.
class TaggerLearner::Part : public TrainingPart {
 public:
  Part(const Network& network, const WordHead& head, const TaggerTraining& training,
       const std::span<const std::int32_t>& targets)
      : TrainingPart(network, training.dropout, false), head_(&head), targets_(&targets), reading_(head.reading()) {}

 protected:
  void learn_heads(const SentenceTable& /* table */, const Matrix& encoded, Matrix& encoded_gradient) override {
    const std::size_t count = head_->targets();
    row_targets_.resize(batch_.rows() * count);
    for (std::size_t row = 0; row < batch_.rows(); ++row) {
      const auto from = targets_->subspan(batch_.word_of_row[row] * count, count);
      std::copy(from.begin(), from.end(), row_targets_.data() + row * count);
    }
    reading_->read(encoded, true);
    mistakes_ = reading_->learn(encoded, row_targets_, 1.0F, gradients_, encoded_gradient);
  }

 private:
  const WordHead* head_;
  const std::span<const std::int32_t>* targets_;
  std::unique_ptr<WordReading> reading_;
  std::vector<std::int32_t> row_targets_;
};

TaggerLearner::TaggerLearner(std::shared_ptr<Network> network, TaggerTraining training)
    : training_(std::move(training)), head_(&network->head<WordHead>()) {
  steps_ = std::make_unique<Training>(network, training_.seed, part_rule(),
                                      [&] { return std::make_unique<Part>(*network, *head_, training_, targets_); });
}

TaggerLearner::~TaggerLearner() = default;

std::int64_t TaggerLearner::learn(const SentenceTable& table, std::span<const std::int32_t> targets,
                                  std::span<const std::int32_t> order, float rate, int threads) {
  targets_ = targets;
  return steps_->steps(table, shuffled_batches(table, order, training_.rows, steps_->order_seed()), rate, threads);
}

}  // namespace crossarc
