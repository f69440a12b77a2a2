#include "nn/encoders/word_inputs.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "nn/optimiser.hpp"

namespace crossarc {

WordInputSizes::WordInputSizes(SizeReader& sizes) {
  constexpr std::int64_t kMostValues = std::int64_t{1} << 31;
  constexpr std::int64_t kMostCharacters = 1 << 21;  // as many as Unicode has, and more
  constexpr std::int64_t kLeastValues = kRootValue + 1;
  const std::vector<std::size_t> columns = sizes.take_list("columns", kLeastValues, kMostValues - 1);
  const std::vector<std::size_t> group_sizes = sizes.take_list("group_sizes");
  const std::vector<std::size_t> embedding_sizes = sizes.take_list("embedding_sizes");
  if (group_sizes.size() != embedding_sizes.size() ||
      std::accumulate(group_sizes.begin(), group_sizes.end(), std::size_t{0}) != columns.size()) {
    throw std::invalid_argument("the groups of a network have all its columns, and an embedding size each");
  }
  auto first = columns.begin();
  for (std::size_t group = 0; group < group_sizes.size(); ++group) {
    const auto last = first + static_cast<std::ptrdiff_t>(group_sizes[group]);
    groups.push_back({{first, last}, embedding_sizes[group]});
    first = last;
  }
  unit_embeddings = sizes.take("unit_embeddings", 0, 1) != 0;
  characters.characters = sizes.take("characters", 0, kMostCharacters);
  const std::int64_t least = characters.characters > 0 ? 1 : 0;
  characters.embedding_size = sizes.take("character_embedding_size", least);
  characters.filters = sizes.take("filters", least);
  characters.outputs = sizes.take("character_size", least);
  if (characters.characters == 0) characters = {};
  if (characters.characters == 1 || characters.characters == 2) {
    throw std::invalid_argument("a network that reads characters has at least 3 of them");
  }
}

std::size_t WordInputSizes::columns() const {
  std::size_t sum = 0;
  for (const EmbeddingGroup& group : groups) sum += group.columns.size();
  return sum;
}

std::size_t WordInputSizes::embedded() const {
  std::size_t sum = 0;
  for (const EmbeddingGroup& group : groups) sum += group.embedding_size;
  return sum;
}

WordInputs::WordInputs(const WordInputSizes& sizes) : sizes_(sizes), characters_(sizes.characters) {
  for (const EmbeddingGroup& group : sizes_.groups) {
    for (const std::int32_t values : group.columns) {
      embeddings_.emplace_back(Use::kEmbeddings, static_cast<std::size_t>(values), group.embedding_size);
    }
  }
}

void WordInputs::check(const SentenceTable& table) const {
  for (std::size_t word = 0; word < static_cast<std::size_t>(table.offsets.back()); ++word) {
    const std::uint32_t* value = table.row(word);
    bool fit = true;
    for (const EmbeddingGroup& group : sizes_.groups) {
      for (const std::int32_t most : group.columns) fit &= *value++ < static_cast<std::uint32_t>(most);
    }
    if (!fit) throw std::invalid_argument("a word has a value that its column does not have");
  }
  const FormTable& forms = table.forms;
  for (std::int64_t at = 0; reads_characters() && at < forms.offsets.back(); ++at) {
    if (forms.characters[at] >= sizes_.characters.characters) {
      throw std::invalid_argument("a form has a character that the model does not have");
    }
  }
}

void WordInputs::list_embeddings(const std::string& prefix, ParameterList& parameters) {
  for (std::size_t column = 0; column < embeddings_.size(); ++column) {
    parameters.add(prefix + "embeddings." + std::to_string(column), embeddings_[column]);
  }
}

void WordInputs::list_characters(const std::string& prefix, ParameterList& parameters) {
  characters_.list(prefix + "characters.", parameters);
}

void WordInputs::initialise_embeddings(Random& random) {
  // Larger ones are worth half a point of LAS on small treebanks.
  constexpr float kNarrowRange = 0.5F;
  constexpr float kUnitVariance = 1.7320508F;
  for (Parameter& embeddings : embeddings_) {
    spread(embeddings.values, sizes_.unit_embeddings ? kUnitVariance : kNarrowRange, random);
    std::fill_n(embeddings.values.row(kNoValue), embeddings.columns, 0.0F);
  }
}

void WordInputs::embed(std::span<const std::uint32_t> values, std::size_t stride, const Matrix* forms,
                       Matrix& inputs) const {
  const std::size_t words = values.size() / stride;
  inputs.reset(words, sizes_.inputs());
  for (std::size_t word = 0; word < words; ++word) {
    const std::uint32_t* known = values.data() + word * stride;
    float* to = inputs.row(word);
    std::size_t column = 0;
    for (const EmbeddingGroup& group : sizes_.groups) {
      for (std::size_t member = 0; member < group.columns.size(); ++member, ++column) {
        embeddings_[column].add_row(known[column], to);
      }
      to += group.embedding_size;
    }
    const std::uint32_t form = known[stride - 1];
    if (reads_characters() && forms != nullptr && form > 0) std::copy_n(forms->row(form - 1), forms->columns, to);
  }
}

std::size_t WordInputs::first_input(std::size_t column) const {
  std::size_t first = 0;
  std::size_t before = 0;
  for (const EmbeddingGroup& group : sizes_.groups) {
    before += group.columns.size();
    if (column < before) break;
    first += group.embedding_size;
  }
  return first;
}

}  // namespace crossarc
