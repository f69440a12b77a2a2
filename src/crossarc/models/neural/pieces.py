"""Pieces of words, which encoders that were pretrained on text read: what a `tokenizer.json` says.

WordPiece and byte pair encoding are cut in the kernel (kernel/nn/pieces.hpp), after what the file asks to be done to
words (`normalisation`). What is not here, Unigram above all, is left to the package `tokenizers`, if it is installed.
The file is data to be checked, like a model file; nothing in it is run. O(characters of different words).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ... import _kernel
from ..._arrays import Ids, Offsets
from ...errors import PackageError, ParserError, imported, shown
from ...options import truth, whole
from .normalisation import UnknownSettingError, normaliser, word_cutter

#: More pieces than that no encoder has.
MOST_PIECES = 1 << 21
_LONGEST_PIECE = 10_000
_LONGEST_WORD = whole(1, 1000)
#: Names of the pieces for what a vocabulary does not have, where a tokeniser does not say which it is.
_UNKNOWN_NAMES = ("[UNK]", "<unk>")
_MASKS = ("[MASK]", "<mask>")
#: The parts of a tokenizer.json that decide the pieces of words.
_KEPT = ("version", "added_tokens", "normalizer", "pre_tokenizer", "post_processor", "model")


class PieceError(ParserError):
    """A tokeniser that cannot be used."""


class _Cuts(Protocol):
    """Cuts words into pieces."""

    def cut(self, words: Sequence[str]) -> tuple[Offsets, Ids]:
        """Return where the pieces of each word begin, with the end, and the pieces of all words."""


@dataclass(frozen=True)
class Pieces:
    """A tokeniser: words in, numbers of pieces out."""

    #: The parts of tokenizer.json that decide the pieces.
    settings: Mapping[str, Any]
    #: The number of each piece.
    vocabulary: Mapping[str, int]
    #: What stands before and behind every sentence, often [CLS] and [SEP].
    begin: tuple[int, ...]
    end: tuple[int, ...]
    unknown: int
    _cuts: _Cuts

    @classmethod
    def from_dict(cls, data: Any) -> Pieces:
        """Make it of what a tokenizer.json holds, which is checked."""
        if not isinstance(data, Mapping) or not isinstance(data.get("model"), Mapping):
            raise PieceError("not the file of a tokeniser: it has no model")
        model, settings = data["model"], {name: data[name] for name in _KEPT if name in data}
        if _model_type(model) == "Unigram":
            vocabulary = _numbered(_unigram_names(model.get("vocab")))
        else:
            vocabulary = _numbered(model.get("vocab"))
        added = {str(name): number for name, number in _added(data.get("added_tokens")).items()}
        everything = {**vocabulary, **added}
        begin, end = _around_sentences(data.get("post_processor"), everything)
        unknown = _unknown(model, everything)
        return cls(settings, everything, begin, end, unknown, _cutter(settings, vocabulary))

    @classmethod
    def from_json(cls, content: str | bytes) -> Pieces:
        """Make it of the content of a tokenizer.json."""
        try:
            data = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise PieceError(f"not JSON ({error})") from error
        return cls.from_dict(data)

    def to_dict(self) -> dict[str, Any]:
        """Return what `from_dict` takes: the parts of the file that decide the pieces."""
        return dict(self.settings)

    @property
    def size(self) -> int:
        """One more than the largest number of a piece: how many rows the embeddings need."""
        return max(self.vocabulary.values()) + 1

    @property
    def mask(self) -> int | None:
        """The number of the piece that stands for masked ones."""
        return next((self.vocabulary[name] for name in _MASKS if name in self.vocabulary), None)

    @property
    def begins_word(self) -> Any:
        """Whether each piece begins a word, by its number: those that do not are marked in the vocabulary."""
        mark = self.settings["model"].get("continuing_subword_prefix") or ""
        begins = np.ones(self.size, bool)
        if mark:
            begins[[number for name, number in self.vocabulary.items() if name.startswith(mark) and name != mark]] = (
                False
            )
        return begins

    def cut(self, words: Sequence[str]) -> tuple[Offsets, Ids]:
        """Return where the pieces of each word begin, with the end, and the pieces of all; a word has at least one.

        The cost is that of every word: give words that differ.
        """
        offsets, ids = self._cuts.cut(words)
        empty = np.flatnonzero(np.diff(offsets) == 0)
        if len(empty):
            ids = np.insert(ids, offsets[empty], self.unknown).astype(np.int32)
            offsets = offsets + np.searchsorted(empty, np.arange(len(offsets)))
        return offsets, ids


# What a file says


def _model_type(model: Mapping[str, Any]) -> str:
    """Return the kind of a model; old files do not say it."""
    kind = model.get("type")
    if kind is None:
        kind = "BPE" if "merges" in model else "WordPiece"
    if kind not in ("WordPiece", "BPE", "Unigram"):
        raise PieceError(f"a tokeniser of the kind {shown(str(kind))}: WordPiece, BPE and Unigram are read")
    return str(kind)


def _numbered(vocabulary: Any) -> dict[str, int]:
    """Check the numbers of pieces."""
    if not isinstance(vocabulary, Mapping) or not 0 < len(vocabulary) <= MOST_PIECES:
        raise PieceError("its vocabulary does not say the number of each piece")
    numbers = dict(vocabulary)
    # All names and numbers at once: there are many, and a loop takes long.
    if set(map(type, numbers)) != {str}:
        raise PieceError("its vocabulary has pieces that are no texts")
    values = numbers.values()
    if set(map(type, values)) != {int} or min(values) < 0 or max(values) > MOST_PIECES:
        check = whole(0, MOST_PIECES)
        for name, number in numbers.items():
            check(f"the number of {shown(name)}", number)
    if len(set(values)) < len(numbers):
        raise PieceError("its vocabulary has two pieces of the same number")
    if max(map(len, numbers)) > _LONGEST_PIECE:
        raise PieceError(f"its vocabulary has a piece of more than {_LONGEST_PIECE:,} characters")
    return numbers


def _unigram_names(vocabulary: Any) -> dict[str, int]:
    """Return the numbers of the pieces of a Unigram model, which are listed with scores."""
    if not isinstance(vocabulary, list) or not all(isinstance(each, list) and len(each) == 2 for each in vocabulary):
        raise PieceError("its vocabulary is no list of pieces and scores")
    return {str(name): number for number, (name, _) in enumerate(vocabulary)}


def _added(tokens: Any) -> dict[str, int]:
    """Return the numbers of the pieces that are added to the vocabulary, such as [CLS]."""
    if tokens is None:
        return {}
    named = isinstance(tokens, list) and all(isinstance(each, Mapping) and "content" in each for each in tokens)
    if not named:
        raise PieceError("its added_tokens are no list of tokens with content and id")
    check = whole(0, MOST_PIECES)
    return {str(token["content"]): check("the id of an added token", token.get("id")) for token in tokens}


def _around_sentences(processor: Any, vocabulary: Mapping[str, int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the pieces that stand before and behind a sentence by the post_processor of a file."""
    if not isinstance(processor, Mapping):
        return (), ()
    kind = processor.get("type")
    if kind in ("BertProcessing", "RobertaProcessing"):
        names: list[list[str]] = [[_first(processor.get("cls"))], [_first(processor.get("sep"))]]
    elif kind == "TemplateProcessing" and isinstance(processor.get("single"), list):
        names, side = [[], []], 0
        for part in processor["single"]:
            if isinstance(part, Mapping) and "Sequence" in part:
                side = 1
            elif isinstance(part, Mapping) and isinstance(part.get("SpecialToken"), Mapping):
                names[side].append(str(part["SpecialToken"].get("id")))
    else:
        return (), ()
    for name in (*names[0], *names[1]):
        if name not in vocabulary:
            raise PieceError(f"its post_processor adds {shown(name)}, which its vocabulary does not have")
    begin, end = (tuple(vocabulary[name] for name in side) for side in names)
    if len(begin) > 8 or len(end) > 8:
        raise PieceError("its post_processor adds more than 8 pieces to a sentence")
    return begin, end


def _first(pair: Any) -> str:
    return str(pair[0]) if isinstance(pair, list) and pair else ""


def _unknown(model: Mapping[str, Any], vocabulary: Mapping[str, int]) -> int:
    """Return the number of the piece for what the vocabulary does not have; the first piece where there is none."""
    name = str(model.get("unk_token"))
    if _model_type(model) == "WordPiece" and name not in vocabulary:
        raise PieceError(f"its vocabulary lacks the piece for unknown words, {shown(name)}")
    return next((vocabulary[each] for each in (name, *_UNKNOWN_NAMES) if each in vocabulary), 0)


# Cutting


def _cutter(settings: Mapping[str, Any], vocabulary: Mapping[str, int]) -> _Cuts:
    """Return what cuts words: the kernel, or where it cannot, the package `tokenizers`."""
    try:
        return _NativeCuts(settings, vocabulary)
    except UnknownSettingError as setting:
        try:
            return _PackageCuts(settings)
        except PackageError as error:
            raise PackageError(
                f"a tokeniser with {setting} is read by the package tokenizers: pip install 'crossarc[encoders]'"
            ) from error


class _NativeCuts:
    """Normalises words and has the kernel cut them."""

    def __init__(self, settings: Mapping[str, Any], vocabulary: Mapping[str, int]) -> None:
        self._normalise = normaliser(settings.get("normalizer"))
        self._parts, in_bytes = word_cutter(settings.get("pre_tokenizer"))
        model = settings["model"]
        known = list(vocabulary), np.array(list(vocabulary.values()), np.int32)
        unknown = vocabulary.get(str(model.get("unk_token")), -1)
        continuing = _mark(model, "continuing_subword_prefix")
        if _model_type(model) == "WordPiece":
            longest = _LONGEST_WORD("max_input_chars_per_word", model.get("max_input_chars_per_word", 100))
            make = _kernel.PieceCutter.word_pieces
            self._cutter = make(*known, continuing=continuing, unknown=unknown, longest_word=longest)
        elif _model_type(model) == "BPE":
            self._cutter = _kernel.PieceCutter.byte_pairs(
                *known,
                continuing=continuing,
                unknown=unknown,
                merges=_merges(model.get("merges"), vocabulary, continuing),
                ending=_mark(model, "end_of_word_suffix"),
                joins_unknown=truth("fuse_unk", model.get("fuse_unk", False)),
                whole_words=truth("ignore_merges", model.get("ignore_merges", False)),
                bytes=in_bytes,
            )
            if model.get("byte_fallback"):
                raise UnknownSettingError("byte_fallback")
        else:
            raise UnknownSettingError("a Unigram model")

    def cut(self, words: Sequence[str]) -> tuple[Offsets, Ids]:
        """Return where the pieces of each word begin, with the end, and the pieces of all words."""
        parts: list[str] = []
        ends = [0]
        for word in words:
            parts += self._parts(self._normalise(word))
            ends.append(len(parts))
        offsets, ids = self._cutter.cut(parts)
        return offsets[ends], ids


def _mark(model: Mapping[str, Any], name: str) -> str:
    value = model.get(name) or ""
    if not isinstance(value, str) or len(value) > 100:
        raise PieceError(f"its {name} is no short text")
    return value


def _merges(merges: Any, vocabulary: Mapping[str, int], continuing: str) -> Ids:
    """Return the numbers of the two pieces of each merge and of what they become, one merge after the other."""
    if not isinstance(merges, list) or len(merges) > MOST_PIECES:
        raise PieceError("its merges are no list of pairs of pieces")
    numbers: list[int] = []
    marked = len(continuing)
    try:
        for merge in merges:
            pair = merge.split(" ") if type(merge) is str else merge
            if type(pair) is not list or len(pair) != 2 or type(pair[0]) is not str or type(pair[1]) is not str:
                raise PieceError(f"a merge is two pieces, not {shown(str(merge))}")
            left, right = pair
            numbers += (vocabulary[left], vocabulary[right], vocabulary[left + right[marked:]])
    except KeyError as error:
        name = error.args[0]
        raise PieceError(f"a merge makes or needs {shown(name)}, which its vocabulary does not have") from error
    return np.array(numbers, np.int32)


class _PackageCuts:
    """Has the package `tokenizers` cut words."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        package = imported("tokenizers", "encoders")
        try:
            self._tokenizer = package.Tokenizer.from_str(json.dumps({"version": "1.0", **settings}))
        except Exception as error:  # whatever the package says of a file that it cannot read
            raise PieceError(f"the package tokenizers cannot read it ({error})") from error

    def cut(self, words: Sequence[str]) -> tuple[Offsets, Ids]:
        """Return where the pieces of each word begin, with the end, and the pieces of all words."""
        encodings: Iterable[Any] = self._tokenizer.encode_batch(
            [[word] for word in words], is_pretokenized=True, add_special_tokens=False
        )
        lists = [each.ids for each in encodings]
        offsets = np.cumsum([0, *map(len, lists)], dtype=np.int64)
        return offsets, np.array([number for each in lists for number in each], np.int32)
