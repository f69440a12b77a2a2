// What encoders read of words: what is known of a word is embedded, added up in groups, and joined with what its
// characters say (characters.hpp). O(words · inputs).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nn/encoders/characters.hpp"
#include "nn/sizes.hpp"

namespace crossarc {

// Columns whose embeddings are added up.
struct EmbeddingGroup {
  std::vector<std::int32_t> columns;  // for each, how many values it has
  std::size_t embedding_size = 0;
};

struct WordInputSizes {
  std::vector<EmbeddingGroup> groups;
  CharacterSizes characters;
  bool unit_embeddings = false;  // embeddings begin with a variance of one, else within a narrow range

  WordInputSizes() = default;
  // Takes those of a file.
  explicit WordInputSizes(SizeReader& sizes);
  std::size_t columns() const;
  // Those of the groups, one after the other, then those of the characters.
  std::size_t inputs() const { return embedded() + characters.outputs; }
  std::size_t embedded() const;
};

class WordInputs {
 public:
  explicit WordInputs(const WordInputSizes& sizes);

  bool reads_characters() const { return sizes_.characters.outputs > 0; }
  const CharacterParameters& characters() const { return characters_; }
  // Throws std::invalid_argument where a word of the table has what is not there.
  void check(const SentenceTable& table) const;
  void list_embeddings(const std::string& prefix, ParameterList& parameters);
  void list_characters(const std::string& prefix, ParameterList& parameters);
  void initialise_embeddings(Random& random);
  void initialise_characters(Random& random) { characters_.initialise(random); }
  // Embeds words. `values`: of `stride` for each, the last being what Batch::form gives, which `forms` has rows for;
  // without `forms` the inputs of characters are zero.
  void embed(std::span<const std::uint32_t> values, std::size_t stride, const Matrix* forms, Matrix& inputs) const;
  // The column that has these embeddings.
  std::size_t column(const Parameter& embeddings) const {
    return static_cast<std::size_t>(&embeddings - embeddings_.data());
  }
  // The first of a word's inputs that a column is embedded in.
  std::size_t first_input(std::size_t column) const;

 private:
  WordInputSizes sizes_;
  std::vector<Parameter> embeddings_;  // of each column; that of kNoValue is zero and is never learnt
  CharacterParameters characters_;
};

}  // namespace crossarc
