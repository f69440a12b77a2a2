#include "nn/network.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace crossarc {
namespace {

// Whether all values are numbers of at most this size. Without a branch, so that it is computed with vectors.
bool all_within(std::span<const float> values, float largest) {
  unsigned beyond = 0;
  for (const float value : values) beyond |= static_cast<unsigned>(!(std::abs(value) <= largest));
  return beyond == 0;
}

// Before a network is made of what a file says: not that one of another size takes all memory.
void check_weights(const NamedValues& weights, const NamedInt8& int8, std::size_t expected) {
  constexpr float kLargest = 1 << 24;  // sums through all layers stay finite
  std::size_t given = 0;
  for (const auto& [name, values] : int8) given += values.steps.size();
  for (const auto& [name, values] : weights) {
    given += values.size();
    if (!all_within(values, kLargest)) throw std::invalid_argument(name + ": a weight is not a number, or too large");
  }
  if (given != expected) {
    throw std::invalid_argument(std::to_string(given) + " weights instead of " + std::to_string(expected));
  }
}

void check_size(const Parameter& parameter, std::size_t given) {
  if (given == parameter.size()) return;
  throw std::invalid_argument(parameter.name + " has " + std::to_string(given) + " weights instead of " +
                              std::to_string(parameter.size()));
}

}  // namespace

void Network::make(const PartDescription& encoder, const std::vector<PartDescription>& heads) {
  encoder_ = Registry<Encoder>::make(encoder.kind, 0, encoder.sizes);
  encoder_->list("encoder.", parameters_);
  for (const PartDescription& head : heads) {
    heads_.push_back(Registry<Head>::make(head.kind, encoder_->width(), head.sizes));
    heads_.back()->list(head.kind + ".", parameters_);
    kinds_.push_back(head.kind);
  }
}

WeightCounts Network::count_weights(const PartDescription& encoder, const std::vector<PartDescription>& heads) {
  Network shape;
  shape.make(encoder, heads);
  WeightCounts counts;
  for (const Parameter* parameter : shape.parameters_) {
    const bool by_rows = parameter->use == Use::kEmbeddings;
    (by_rows ? counts.embeddings : parameter->is_factor() ? counts.factors : counts.others) += parameter->size();
  }
  return counts;
}

Network::Network(const PartDescription& encoder, const std::vector<PartDescription>& heads, std::uint64_t seed) {
  make(encoder, heads);
  for (Parameter* parameter : parameters_) parameter->allocate();
  Random random(seed);
  encoder_->initialise(random);
  for (const std::unique_ptr<Head>& head : heads_) head->initialise(random);
  pack(false);
}

Network::Network(const PartDescription& encoder, const std::vector<PartDescription>& heads, const NamedValues& weights,
                 const NamedInt8& int8) {
  make(encoder, heads);
  check_weights(weights, int8, parameters_.weight_count());
  set_values(weights, int8);
  pack(false);
}

void Network::set_values(const NamedValues& values, const NamedInt8& int8) {
  const std::size_t given = values.size() + int8.size();
  if (given != parameters_.size()) {
    throw std::invalid_argument(std::to_string(given) + " parameters instead of " + std::to_string(parameters_.size()));
  }
  for (Parameter* parameter : parameters_) {
    if (const auto bytes = int8.find(parameter->name); bytes != int8.end()) {
      check_size(*parameter, bytes->second.steps.size());
      parameter->set_int8(bytes->second);
      continue;
    }
    const auto entry = values.find(parameter->name);
    if (entry == values.end()) throw std::invalid_argument("there is no " + parameter->name);
    check_size(*parameter, entry->second.size());
    if (!all_within(entry->second, std::numeric_limits<float>::max())) {
      throw std::invalid_argument(parameter->name + " has a weight that is not a finite number");
    }
    parameter->values.rows = parameter->rows;
    parameter->values.columns = parameter->columns;
    parameter->values.values.assign(entry->second.begin(), entry->second.end());
  }
}

void Network::pack(bool to_learn) {
  for (Parameter* parameter : parameters_) parameter->pack(to_learn);
}

}  // namespace crossarc
