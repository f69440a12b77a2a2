#include "nn/characters.hpp"

#include <algorithm>
#include <numeric>

#include "core/threads.hpp"
#include "nn/activation.hpp"
#include "nn/optimiser.hpp"

namespace crossarc {
namespace {

constexpr std::size_t kWidest = CharacterShape::kWidest;
std::size_t width_of(std::size_t number) { return CharacterShape::kNarrowest + number; }

}  // namespace

CharacterWeights::CharacterWeights(const CharacterShape& shape) {
  if (shape.outputs == 0) return;
  embeddings.reset(shape.characters, shape.dimension);
  for (std::size_t number = 0; number < filters.size(); ++number) {
    filters[number].reset(width_of(number) * shape.dimension, shape.filters);
  }
  filter_bias.reset(1, shape.pooled());
  output.reset(shape.pooled(), shape.outputs);
  output_bias.reset(1, shape.outputs);
}

void CharacterWeights::initialise(Random& random) {
  if (count() == 0) return;
  spread(embeddings, 0.5F, random);
  std::fill_n(embeddings.row(kNoValue), embeddings.columns, 0.0F);
  for (Matrix& one : filters) spread(one, random);
  spread(output, random);
}

void CharacterWeights::list(std::vector<Matrix*>& all) {
  if (count() == 0) return;
  all.push_back(&embeddings);
  for (Matrix& one : filters) all.push_back(&one);
  all.insert(all.end(), {&filter_bias, &output, &output_bias});
}

void PackedCharacters::pack(const CharacterWeights& weights, std::size_t number, bool to_learn) {
  constexpr std::size_t kWidths = CharacterShape::kWidths;
  if (number >= 1 && number <= kWidths) {
    filters[number - 1].pack(weights.filters[number - 1]);
    if (to_learn) filters_back[number - 1].pack_transposed(weights.filters[number - 1]);
  }
  if (number == kWidths + 2) {
    output.pack(weights.output);
    if (to_learn) output_back.pack_transposed(weights.output);
  }
}

// Short forms are filled up with zeros to what the widest filter sees.
void CharacterReading::embed(const CharacterWeights& weights, const FormTable& table,
                             std::span<const std::int32_t> forms) {
  begins_.assign(1, 0);
  characters_.clear();
  for (const std::int32_t form : forms) {
    const std::span<const std::uint32_t> own = table.of(static_cast<std::size_t>(form));
    characters_.insert(characters_.end(), own.begin(), own.end());
    if (own.size() < kWidest) characters_.resize(characters_.size() + kWidest - own.size(), kNoValue);
    begins_.push_back(characters_.size());
  }
  const std::size_t dimension = weights.embeddings.columns;
  // The last windows of the last form look beyond it.
  embedded_.resize(characters_.size() + kWidest, dimension);
  for (std::size_t row = 0; row < characters_.size(); ++row) {
    std::copy_n(weights.embeddings.row(characters_[row]), dimension, embedded_.row(row));
  }
  std::fill_n(embedded_.row(characters_.size()), kWidest * dimension, 0.0F);
}

void CharacterReading::read(const CharacterWeights& weights, const PackedCharacters& packed, const FormTable& table,
                            std::span<const std::int32_t> forms) {
  embed(weights, table, forms);
  const std::size_t filters = weights.filters[0].columns;
  pooled_.resize(forms.size(), weights.output.rows);
  largest_.resize(forms.size() * pooled_.columns);
  filtered_.resize(characters_.size(), filters);
  for (std::size_t number = 0; number < weights.filters.size(); ++number) {
    multiply({embedded_.values.data(), characters_.size(), embedded_.columns, 1}, packed.filters[number],
             filtered_.values.data(), filters);
    pool(weights, number);
  }
  values_.resize(forms.size(), weights.output.columns);
  for (std::size_t row = 0; row < forms.size(); ++row) {
    std::copy_n(weights.output_bias.row(0), values_.columns, values_.row(row));
  }
  multiply_add({pooled_.values.data(), forms.size(), pooled_.columns, 1}, packed.output, values_.values.data(),
               values_.columns);
}

void CharacterReading::pool(const CharacterWeights& weights, std::size_t width_number) {
  const std::size_t filters = filtered_.columns;
  const std::size_t first = width_number * filters;
  const float* bias = weights.filter_bias.row(0) + first;
  for (std::size_t form = 0; form + 1 < begins_.size(); ++form) {
    float* best = pooled_.row(form) + first;
    std::int32_t* from = largest_.data() + form * pooled_.columns + first;
    std::copy_n(filtered_.row(begins_[form]), filters, best);
    std::fill_n(from, filters, static_cast<std::int32_t>(begins_[form]));
    for (std::size_t row = begins_[form] + 1; row + width_of(width_number) <= begins_[form + 1]; ++row) {
      const float* own = filtered_.row(row);
      for (std::size_t filter = 0; filter < filters; ++filter) {
        const bool larger = own[filter] > best[filter];
        best[filter] = larger ? own[filter] : best[filter];
        from[filter] = larger ? static_cast<std::int32_t>(row) : from[filter];
      }
    }
    for (std::size_t filter = 0; filter < filters; ++filter) {
      best[filter] += bias[filter];
      if (best[filter] > 0.0F) continue;
      best[filter] = 0.0F;
      from[filter] = -1;
    }
  }
}

void CharacterReading::backward(const CharacterWeights& weights, const PackedCharacters& packed, const Matrix& gradient,
                                CharacterWeights& gradients) {
  const std::size_t forms = begins_.size() - 1;
  packed_gradient_.pack(gradient.values.data(), forms, gradient.columns, gradient.columns);
  multiply({pooled_.values.data(), pooled_.columns, 1, pooled_.columns}, packed_gradient_,
           gradients.output.values.data(), gradient.columns);
  std::fill(gradients.output_bias.values.begin(), gradients.output_bias.values.end(), 0.0F);
  for (std::size_t form = 0; form < forms; ++form) {
    add(gradients.output_bias.row(0), gradient.row(form), gradient.columns);
  }
  pooled_gradient_.resize(forms, pooled_.columns);
  multiply({gradient.values.data(), forms, gradient.columns, 1}, packed.output_back, pooled_gradient_.values.data(),
           pooled_.columns);
  std::fill(gradients.filter_bias.values.begin(), gradients.filter_bias.values.end(), 0.0F);
  embedded_gradient_.reset(characters_.size() + kWidest, embedded_.columns);
  for (std::size_t number = 0; number < weights.filters.size(); ++number) backward_filters(packed, number, gradients);
  std::fill(gradients.embeddings.values.begin(), gradients.embeddings.values.end(), 0.0F);
  for (std::size_t row = 0; row < characters_.size(); ++row) {
    if (characters_[row] == kNoValue) continue;
    add(gradients.embeddings.row(characters_[row]), embedded_gradient_.row(row), embedded_.columns);
  }
}

void CharacterReading::backward_filters(const PackedCharacters& packed, std::size_t width_number,
                                        CharacterWeights& gradients) {
  const std::size_t filters = filtered_.columns;
  const std::size_t first = width_number * filters;
  const std::size_t rows = characters_.size();
  filtered_gradient_.reset(rows, filters);
  float* bias = gradients.filter_bias.row(0) + first;
  for (std::size_t form = 0; form + 1 < begins_.size(); ++form) {
    const std::int32_t* from = largest_.data() + form * pooled_.columns + first;
    const float* own = pooled_gradient_.row(form) + first;
    for (std::size_t filter = 0; filter < filters; ++filter) {
      if (from[filter] < 0) continue;
      filtered_gradient_.row(static_cast<std::size_t>(from[filter]))[filter] = own[filter];
      bias[filter] += own[filter];
    }
  }
  const std::size_t seen = width_of(width_number) * embedded_.columns;
  packed_gradient_.pack(filtered_gradient_.values.data(), rows, filters, filters);
  multiply({embedded_.values.data(), seen, 1, embedded_.columns}, packed_gradient_,
           gradients.filters[width_number].values.data(), filters);
  window_gradient_.resize(rows, seen);
  multiply({filtered_gradient_.values.data(), rows, filters, 1}, packed.filters_back[width_number],
           window_gradient_.values.data(), seen);
  // A window begins at each row and reaches over the next ones.
  for (std::size_t row = 0; row < rows; ++row) add(embedded_gradient_.row(row), window_gradient_.row(row), seen);
}

Matrix read_forms(const CharacterWeights& weights, const PackedCharacters& packed, const FormTable& table,
                  int threads) {
  constexpr std::size_t kTogether = 256;
  Matrix all(table.forms(), weights.output.columns);
  parallel_for((table.forms() + kTogether - 1) / kTogether, thread_count(threads), [&](std::size_t part) {
    std::vector<std::int32_t> forms(std::min(kTogether, table.forms() - part * kTogether));
    std::iota(forms.begin(), forms.end(), static_cast<std::int32_t>(part * kTogether));
    CharacterReading reading;
    reading.read(weights, packed, table, forms);
    std::copy_n(reading.values().row(0), forms.size() * all.columns, all.row(part * kTogether));
  });
  return all;
}

}  // namespace crossarc
