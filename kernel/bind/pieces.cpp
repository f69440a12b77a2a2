#include "nn/pieces.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>

#include "bind/arrays.hpp"

namespace nb = nanobind;

namespace crossarc {
namespace {

using Texts = std::vector<std::string>;

PieceVocabulary make_vocabulary(const Texts& pieces, const InputArray<PieceId>& ids, std::string continuing,
                                PieceId unknown) {
  if (pieces.size() != ids.shape(0)) throw std::invalid_argument("there is a number for each piece");
  PieceVocabulary vocabulary{{}, std::move(continuing), unknown};
  if (unknown < -1) throw std::invalid_argument("the number of the unknown piece is from 0 on, or -1");
  for (std::size_t index = 0; index < pieces.size(); ++index) {
    if (ids.data()[index] < 0) throw std::invalid_argument("the numbers of pieces are from 0 on");
    if (!vocabulary.ids.emplace(pieces[index], ids.data()[index]).second) {
      throw std::invalid_argument("a piece is there twice: " + pieces[index]);
    }
  }
  return vocabulary;
}

std::unique_ptr<PieceCutter> make_word_pieces(const Texts& pieces, const InputArray<PieceId>& ids,
                                              std::string continuing, PieceId unknown, std::size_t longest_word) {
  return std::make_unique<WordPieceCutter>(make_vocabulary(pieces, ids, std::move(continuing), unknown), longest_word);
}

std::unique_ptr<PieceCutter> make_byte_pairs(const Texts& pieces, const InputArray<PieceId>& ids,
                                             std::string continuing, PieceId unknown, const InputArray<PieceId>& merges,
                                             std::string ending, bool joins_unknown, bool whole_words, bool bytes) {
  if (merges.shape(0) % 3 != 0) throw std::invalid_argument("a merge is three numbers: left, right and joined");
  std::vector<PieceMerge> list;
  for (std::size_t index = 0; index + 2 < merges.shape(0); index += 3) {
    const PieceId* merge = merges.data() + index;
    if (merge[0] < 0 || merge[1] < 0 || merge[2] < 0)
      throw std::invalid_argument("the numbers of pieces are from 0 on");
    list.push_back({merge[0], merge[1], merge[2]});
  }
  return std::make_unique<BytePairCutter>(make_vocabulary(pieces, ids, std::move(continuing), unknown), list,
                                          BytePairRules{std::move(ending), joins_unknown, whole_words, bytes});
}

std::pair<NumpyArray<std::int64_t>, NumpyArray<PieceId>> cut(PieceCutter& cutter, const Texts& words) {
  std::vector<PieceId> pieces;
  std::vector<std::int64_t> offsets{0};
  offsets.reserve(words.size() + 1);
  for (const std::string& word : words) {
    cutter.cut(word, pieces);
    offsets.push_back(static_cast<std::int64_t>(pieces.size()));
  }
  return {to_numpy(std::move(offsets)), to_numpy(std::move(pieces))};
}

}  // namespace

void bind_pieces(nb::module_& module) {
  nb::class_<PieceCutter>(module, "PieceCutter", "Cuts words into the pieces that a pretrained encoder reads.")
      .def_static("word_pieces", &make_word_pieces, nb::arg("pieces"), nb::arg("ids"), nb::kw_only(),
                  nb::arg("continuing"), nb::arg("unknown"), nb::arg("longest_word"),
                  "WordPiece. unknown: the number of the piece for words that cannot be cut, -1 for none.")
      .def_static("byte_pairs", &make_byte_pairs, nb::arg("pieces"), nb::arg("ids"), nb::kw_only(),
                  nb::arg("continuing"), nb::arg("unknown"), nb::arg("merges"), nb::arg("ending"),
                  nb::arg("joins_unknown"), nb::arg("whole_words"), nb::arg("bytes"),
                  "Byte pair encoding. merges: left, right and joined piece of each, in the order of learning.")
      .def("cut", &cut, nb::arg("words"),
           "Where the pieces of each word begin, with the end, and the numbers of the pieces of all words.")
      .def_prop_ro("remembered", &PieceCutter::remembered, "How many words are looked up instead of cut.");
}

}  // namespace crossarc
