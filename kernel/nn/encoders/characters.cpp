#include "nn/encoders/characters.hpp"

#include <algorithm>
#include <numeric>

#include "core/threads.hpp"
#include "nn/activation.hpp"
#include "nn/optimiser.hpp"

namespace crossarc {
namespace {

constexpr std::size_t kWidest = CharacterSizes::kWidest;
std::size_t width_of(std::size_t number) { return CharacterSizes::kNarrowest + number; }

}  // namespace

CharacterParameters::CharacterParameters(const CharacterSizes& sizes)
    : embeddings(Use::kValues, sizes.characters, sizes.embedding_size),
      filter_bias(Use::kValues, 1, CharacterSizes::kWidths * sizes.filters),
      output(Use::kFactor, CharacterSizes::kWidths * sizes.filters, sizes.outputs),
      output_bias(Use::kValues, 1, sizes.outputs) {
  for (std::size_t number = 0; number < filters.size(); ++number) {
    filters[number] = Parameter(Use::kFactor, width_of(number) * sizes.embedding_size, sizes.filters);
  }
}

void CharacterParameters::list(const std::string& prefix, ParameterList& parameters) {
  if (empty()) return;
  parameters.add(prefix + "embeddings", embeddings);
  for (std::size_t number = 0; number < filters.size(); ++number) {
    parameters.add(prefix + "filters." + std::to_string(width_of(number)), filters[number]);
  }
  parameters.add(prefix + "filter_bias", filter_bias);
  parameters.add(prefix + "output", output);
  parameters.add(prefix + "output_bias", output_bias);
}

void CharacterParameters::initialise(Random& random) {
  if (empty()) return;
  spread(embeddings.values, 0.5F, random);
  std::fill_n(embeddings.values.row(kNoValue), embeddings.columns, 0.0F);
  for (Parameter& filter : filters) spread(filter.values, random);
  spread(output.values, random);
}

// Short forms are filled up with zeros to what the widest filter sees.
void CharacterReading::embed(const Parameter& embeddings, const FormTable& table, std::span<const std::int32_t> forms) {
  begins_.assign(1, 0);
  characters_.clear();
  for (const std::int32_t form : forms) {
    const std::span<const std::uint32_t> letters = table.of(static_cast<std::size_t>(form));
    characters_.insert(characters_.end(), letters.begin(), letters.end());
    if (letters.size() < kWidest) characters_.resize(characters_.size() + kWidest - letters.size(), kNoValue);
    begins_.push_back(characters_.size());
  }
  const std::size_t size = embeddings.columns;
  // The last windows of the last form look beyond it.
  embedded_.resize(characters_.size() + kWidest, size);
  for (std::size_t row = 0; row < characters_.size(); ++row) {
    std::copy_n(embeddings.row(characters_[row]), size, embedded_.row(row));
  }
  std::fill_n(embedded_.row(characters_.size()), kWidest * size, 0.0F);
}

void CharacterReading::read(const CharacterParameters& parameters, const FormTable& table,
                            std::span<const std::int32_t> forms, bool to_learn) {
  embed(parameters.embeddings, table, forms);
  const std::size_t filters = parameters.filters[0].columns;
  pooled_.resize(forms.size(), parameters.output.rows);
  if (to_learn) largest_.resize(forms.size() * pooled_.columns);
  filtered_.resize(characters_.size(), filters);
  for (std::size_t number = 0; number < parameters.filters.size(); ++number) {
    multiply({embedded_.values.data(), characters_.size(), embedded_.columns, 1}, parameters.filters[number].packed,
             filtered_.values.data(), filters);
    to_learn ? pool<true>(parameters.filter_bias, number) : pool<false>(parameters.filter_bias, number);
  }
  values_.resize(forms.size(), parameters.output.columns);
  multiply_with_bias({pooled_.values.data(), forms.size(), pooled_.columns, 1}, parameters.output.packed,
                     parameters.output_bias.row(0), values_.values.data(), values_.columns);
}

// To parse, nobody asks which row a value is from.
template <bool kToLearn>
void CharacterReading::pool(const Parameter& filter_bias, std::size_t width_number) {
  const std::size_t filters = filtered_.columns;
  const std::size_t first = width_number * filters;
  const float* bias = filter_bias.row(0) + first;
  for (std::size_t form = 0; form + 1 < begins_.size(); ++form) {
    float* const best = pooled_.row(form) + first;
    std::int32_t* const from = kToLearn ? largest_.data() + form * pooled_.columns + first : nullptr;
    std::copy_n(filtered_.row(begins_[form]), filters, best);
    if constexpr (kToLearn) std::fill_n(from, filters, static_cast<std::int32_t>(begins_[form]));
    for (std::size_t row = begins_[form] + 1; row + width_of(width_number) <= begins_[form + 1]; ++row) {
      const float* values = filtered_.row(row);
      for (std::size_t filter = 0; filter < filters; ++filter) {
        const bool larger = values[filter] > best[filter];
        best[filter] = larger ? values[filter] : best[filter];
        if constexpr (kToLearn) from[filter] = larger ? static_cast<std::int32_t>(row) : from[filter];
      }
    }
    for (std::size_t filter = 0; filter < filters; ++filter) {
      best[filter] += bias[filter];
      const bool rectified = !(best[filter] > 0.0F);
      best[filter] = rectified ? 0.0F : best[filter];
      if constexpr (kToLearn) from[filter] = rectified ? -1 : from[filter];
    }
  }
}

void CharacterReading::backward(const CharacterParameters& parameters, const Matrix& gradient, Gradients& gradients) {
  const std::size_t forms = begins_.size() - 1;
  packed_gradient_.pack(gradient.values.data(), forms, gradient.columns, gradient.columns);
  multiply({pooled_.values.data(), pooled_.columns, 1, pooled_.columns}, packed_gradient_,
           gradients[parameters.output].values.data(), gradient.columns);
  sum_rows(gradient, forms, gradients[parameters.output_bias]);
  pooled_gradient_.resize(forms, pooled_.columns);
  multiply({gradient.values.data(), forms, gradient.columns, 1}, parameters.output.packed_transposed,
           pooled_gradient_.values.data(), pooled_.columns);
  Matrix& bias_gradient = gradients[parameters.filter_bias];
  std::fill(bias_gradient.values.begin(), bias_gradient.values.end(), 0.0F);
  embedded_gradient_.reset(characters_.size() + kWidest, embedded_.columns);
  for (std::size_t number = 0; number < parameters.filters.size(); ++number) {
    backward_filters(parameters, number, gradients);
  }
  Matrix& embedding_gradient = gradients[parameters.embeddings];
  std::fill(embedding_gradient.values.begin(), embedding_gradient.values.end(), 0.0F);
  for (std::size_t row = 0; row < characters_.size(); ++row) {
    if (characters_[row] == kNoValue) continue;
    add(embedding_gradient.row(characters_[row]), embedded_gradient_.row(row), embedded_.columns);
  }
}

void CharacterReading::backward_filters(const CharacterParameters& parameters, std::size_t width_number,
                                        Gradients& gradients) {
  const std::size_t filters = filtered_.columns;
  const std::size_t first = width_number * filters;
  const std::size_t rows = characters_.size();
  filtered_gradient_.reset(rows, filters);
  float* bias = gradients[parameters.filter_bias].row(0) + first;
  for (std::size_t form = 0; form + 1 < begins_.size(); ++form) {
    const std::int32_t* from = largest_.data() + form * pooled_.columns + first;
    const float* gradient = pooled_gradient_.row(form) + first;
    for (std::size_t filter = 0; filter < filters; ++filter) {
      if (from[filter] < 0) continue;
      filtered_gradient_.row(static_cast<std::size_t>(from[filter]))[filter] = gradient[filter];
      bias[filter] += gradient[filter];
    }
  }
  const std::size_t seen = width_of(width_number) * embedded_.columns;
  packed_gradient_.pack(filtered_gradient_.values.data(), rows, filters, filters);
  multiply({embedded_.values.data(), seen, 1, embedded_.columns}, packed_gradient_,
           gradients[parameters.filters[width_number]].values.data(), filters);
  window_gradient_.resize(rows, seen);
  multiply({filtered_gradient_.values.data(), rows, filters, 1}, parameters.filters[width_number].packed_transposed,
           window_gradient_.values.data(), seen);
  // A window begins at each row and reaches over the next ones.
  for (std::size_t row = 0; row < rows; ++row) add(embedded_gradient_.row(row), window_gradient_.row(row), seen);
}

Matrix read_forms(const CharacterParameters& parameters, const FormTable& table, int threads) {
  constexpr std::size_t kTogether = 256;
  Matrix all(table.forms(), parameters.output.columns);
  parallel_for((table.forms() + kTogether - 1) / kTogether, thread_count(threads), [&](std::size_t part) {
    std::vector<std::int32_t> forms(std::min(kTogether, table.forms() - part * kTogether));
    std::iota(forms.begin(), forms.end(), static_cast<std::int32_t>(part * kTogether));
    CharacterReading reading;
    reading.read(parameters, table, forms, false);
    std::copy_n(reading.values().row(0), forms.size() * all.columns, all.row(part * kTogether));
  });
  return all;
}

}  // namespace crossarc
