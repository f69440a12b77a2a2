// Pieces of words: what an encoder that was pretrained on text reads in place of words. Two ways to cut a word are
// here: WordPiece, the longest known piece first (Schuster & Nakajima 2012; the program of BERT), and byte pair
// encoding, which joins neighbours in the order in which they were learnt to be joined (Sennrich, Haddow & Birch 2016).
// Words come as a tokeniser's normalisation leaves them. A word that was seen before is looked up; a new one of n
// characters costs O(n · longest piece) or O(n log n).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace crossarc {

using PieceId = std::int32_t;

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};
template <typename Value>
using TextMap = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;

// What all kinds know: pieces by number and what marks those that do not begin a word.
struct PieceVocabulary {
  TextMap<PieceId> ids;
  std::string continuing;  // before a piece that does not begin its word, such as "##"
  PieceId unknown = -1;    // -1: what is unknown is left out
};

class PieceCutter {
 public:
  explicit PieceCutter(PieceVocabulary vocabulary) : vocabulary_(std::move(vocabulary)) {}
  virtual ~PieceCutter() = default;
  PieceCutter(const PieceCutter&) = delete;
  PieceCutter& operator=(const PieceCutter&) = delete;

  // Appends the pieces of a word, from the memory of words if it was seen before.
  void cut(std::string_view word, std::vector<PieceId>& pieces);
  std::size_t remembered() const { return seen_.size(); }

 protected:
  virtual void cut_new(std::string_view word, std::vector<PieceId>& pieces) const = 0;
  PieceId find(std::string_view piece) const;
  const PieceVocabulary& vocabulary() const { return vocabulary_; }

 private:
  struct Range {
    std::size_t first, count;
  };
  static constexpr std::size_t kMostSeen = std::size_t{1} << 20;

  PieceVocabulary vocabulary_;
  TextMap<Range> seen_;
  std::vector<PieceId> pieces_of_seen_;
};

// The longest piece that a word begins with, then the longest that the rest begins with; a word of which something
// remains, or of more characters than the longest word, is unknown as a whole.
class WordPieceCutter final : public PieceCutter {
 public:
  WordPieceCutter(PieceVocabulary vocabulary, std::size_t longest_word);

 protected:
  void cut_new(std::string_view word, std::vector<PieceId>& pieces) const override;

 private:
  std::size_t longest_word_, longest_piece_ = 0;  // in characters, in bytes
};

struct PieceMerge {
  PieceId left, right, joined;
};

struct BytePairRules {
  std::string ending;          // behind the last piece of a word, such as "</w>"
  bool joins_unknown = false;  // unknown characters that follow each other are one piece
  bool whole_words = false;    // a word that is a piece is not cut
  bool bytes = false;          // characters are bytes, written as GPT-2 writes them
};

class BytePairCutter final : public PieceCutter {
 public:
  BytePairCutter(PieceVocabulary vocabulary, std::span<const PieceMerge> merges, BytePairRules rules);

 protected:
  void cut_new(std::string_view word, std::vector<PieceId>& pieces) const override;

 private:
  struct Merge {
    std::size_t rank;
    PieceId joined;
  };
  std::vector<PieceId> characters(std::string_view word) const;
  const Merge* merge_of(PieceId left, PieceId right) const;

  std::unordered_map<std::uint64_t, Merge> merges_;
  BytePairRules rules_;
};

}  // namespace crossarc
