#include "treebank/sentence_text.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "treebank/writer.hpp"

namespace crossarc {
namespace {

void check_words(const StringPool& pool, std::span<const std::int32_t> words, std::size_t spaces) {
  if (words.size() != spaces) throw std::invalid_argument("words and spaces differ in length");
  const bool good = std::all_of(words.begin(), words.end(),
                                [size = pool.size()](std::int32_t word) { return kNotWritten <= word && word < size; });
  if (!good) throw std::invalid_argument("a word has an id that the string pool does not have");
}

}  // namespace

std::vector<std::int32_t> intern_joined(StringPool& pool, std::string_view prefix, std::span<const std::int32_t> words,
                                        std::span<const std::uint8_t> space_after,
                                        std::span<const std::int64_t> offsets) {
  check_offsets(offsets, words.size());
  check_words(pool, words, space_after.size());
  std::vector<std::int32_t> ids;
  ids.reserve(offsets.size() - 1);
  std::string text;
  for (std::size_t sentence = 0; sentence + 1 < offsets.size(); ++sentence) {
    text = prefix;
    const auto end = static_cast<std::size_t>(offsets[sentence + 1]);
    for (auto word = static_cast<std::size_t>(offsets[sentence]); word < end; ++word) {
      if (words[word] != kNotWritten) text += pool[words[word]];
      if (space_after[word] != 0 && word + 1 < end) text += ' ';
    }
    ids.push_back(pool.intern(text));
  }
  return ids;
}

}  // namespace crossarc
