#include "decoders/spanning/matrix_tree.hpp"

#include <algorithm>
#include <cmath>

#include "core/threads.hpp"

namespace crossarc {

double MatrixTree::incoming_sum(std::int32_t word) const {
  double sum = kForbidden;
  const double* row = weights_.data() + word * width_;
  const bool from_root = !single_root_ || remaining_.size() == 1;
  if (from_root) sum = row[0];
  for (const std::int32_t head : remaining_) {
    if (head != word) sum = LogSum::plus(sum, row[head]);
  }
  return sum;
}

double MatrixTree::log_partition(const IncomingScores& scores, bool single_root) {
  single_root_ = single_root;
  width_ = scores.width();
  weights_.assign(scores.values().begin(), scores.values().end());
  steps_.clear();
  remaining_.clear();
  for (std::int32_t word = scores.words(); word >= 1; --word) remaining_.push_back(word);
  double total = 0;
  while (!remaining_.empty()) {
    if (!eliminate_next()) return kForbidden;
    total += steps_.back().sum;
  }
  return total;
}

// The word with the largest sum goes first: one that only 0 can head must stay to the end if 0 has one child.
bool MatrixTree::eliminate_next() {
  Step step{remaining_[0], kForbidden};
  for (const std::int32_t word : remaining_) {
    check_interruption();
    const double sum = incoming_sum(word);
    if (sum > step.sum) step = {word, sum};
  }
  if (step.sum == kForbidden) return false;
  steps_.push_back(step);
  std::erase(remaining_, step.word);
  const double* into = weights_.data() + step.word * width_;
  for (const std::int32_t dependent : remaining_) {
    check_interruption();
    double* row = weights_.data() + dependent * width_;
    const double through = row[step.word] - step.sum;
    if (through == kForbidden) continue;
    row[0] = LogSum::plus(row[0], through + into[0]);
    for (const std::int32_t head : remaining_) {
      if (head != dependent) row[head] = LogSum::plus(row[head], through + into[head]);
    }
  }
  return true;
}

void MatrixTree::marginals(const IncomingScores& scores, std::vector<double>& probabilities) const {
  // Logarithms of the derivatives by weights, by dependent; the words eliminated after the step at hand have theirs.
  std::vector<double>& derivatives = probabilities;
  derivatives.assign(width_ * width_, kForbidden);
  std::vector<double> from_word(width_), into_word(width_);
  std::vector<std::int32_t> heads{0};
  for (std::size_t step = steps_.size(); step-- > 0;) {
    const auto [word, sum] = steps_[step];
    std::fill(from_word.begin(), from_word.end(), 0.0);
    std::fill(into_word.begin(), into_word.end(), 0.0);
    double of_sum = 1;  // the derivative by the logarithm of a
    for (const std::int32_t dependent : heads) {
      if (dependent == 0) continue;
      check_interruption();
      const double* row = derivatives.data() + dependent * width_;
      const double below = log_weight(word, dependent) - sum;
      if (below == kForbidden) continue;
      for (const std::int32_t head : heads) {
        if (head == dependent || row[head] == kForbidden) continue;
        // The probability of head → word → dependent among trees over the words that are left.
        const double through = std::exp(row[head] + log_weight(head, word) + below);
        from_word[dependent] += through;
        into_word[head] += through;
        of_sum -= through;
      }
    }
    for (const std::int32_t dependent : heads) {
      if (from_word[dependent] > 0) {
        derivatives[dependent * width_ + word] = std::log(from_word[dependent]) - log_weight(word, dependent);
      }
    }
    for (const std::int32_t head : heads) {
      const bool counted = head != 0 || !single_root_ || step + 1 == steps_.size();
      const double own = counted ? of_sum * std::exp(log_weight(head, word) - sum) : 0.0;
      const double probability = into_word[head] + own;
      if (probability > 0) derivatives[word * width_ + head] = std::log(probability) - log_weight(head, word);
    }
    heads.push_back(word);
  }
  for (std::size_t place = 0; place < derivatives.size(); ++place) {
    const double score = scores.values()[place];
    const bool possible = derivatives[place] != kForbidden && score != kForbidden;
    probabilities[place] = possible ? std::min(std::exp(derivatives[place] + score), 1.0) : 0.0;
  }
}

std::uint64_t count_spanning_trees(const IncomingScores& scores, bool single_root, std::uint64_t prime) {
  const auto words = static_cast<std::size_t>(scores.words());
  std::vector<std::uint64_t> matrix(words * words, 0);
  const auto at = [&](std::size_t row, std::size_t column) -> std::uint64_t& { return matrix[row * words + column]; };
  const auto allowed = [&](std::size_t head, std::size_t word) {
    return scores.at(static_cast<std::int32_t>(head), static_cast<std::int32_t>(word)) != kForbidden;
  };
  // The Laplacian; with one child of 0 its first row is replaced by the arcs from 0 (Koo et al. 2007, Section 3.2).
  for (std::size_t word = 1; word <= words; ++word) {
    for (std::size_t head = 1; head <= words; ++head) {
      if (head == word || !allowed(head, word)) continue;
      at(head - 1, word - 1) = prime - 1;
      ++at(word - 1, word - 1);
    }
    if (!single_root) at(word - 1, word - 1) += allowed(0, word);
  }
  for (std::size_t word = 1; single_root && word <= words; ++word) at(0, word - 1) = allowed(0, word);
  const auto power = [prime](std::uint64_t base, std::uint64_t exponent) {
    std::uint64_t result = 1;
    for (; exponent > 0; exponent >>= 1, base = base * base % prime) {
      if (exponent & 1) result = result * base % prime;
    }
    return result;
  };
  std::uint64_t determinant = 1;
  for (std::size_t column = 0; column < words; ++column) {
    std::size_t pivot = column;
    while (pivot < words && at(pivot, column) % prime == 0) ++pivot;
    if (pivot == words) return 0;
    if (pivot != column) {
      for (std::size_t place = 0; place < words; ++place) std::swap(at(pivot, place), at(column, place));
      determinant = prime - determinant;
    }
    determinant = determinant * (at(column, column) % prime) % prime;
    const std::uint64_t inverse = power(at(column, column) % prime, prime - 2);
    for (std::size_t row = column + 1; row < words; ++row) {
      check_interruption();
      const std::uint64_t factor = at(row, column) % prime * inverse % prime;
      if (factor == 0) continue;
      for (std::size_t place = column; place < words; ++place) {
        at(row, place) = (at(row, place) + (prime - factor) * (at(column, place) % prime)) % prime;
      }
    }
  }
  return determinant % prime;
}

}  // namespace crossarc
