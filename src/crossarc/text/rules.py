"""Rules that say where tokens and sentences end, learnt from tokens alone: for treebanks that do not know their texts.

A mark is a character that is no letter, digit or combining mark. A run of characters without spaces is cut by what the
tokens of the treebank show: whether a mark more often is a token of its own or belongs to words, at their beginning, at
their end and within them (so that elision keeps its apostrophe where the tokens do), which words with marks are one
token (abbreviations), which marks end sentences, and which words are written together (crasis). Apostrophes count as
one character, so do digits (`unicode`). Marks that the treebank lacks go by their kind; dashes always stand apart, and
brackets do unless they are closed or opened within the word, as where editors supply letters ([θε]ός, ἐποίησε[ν]). In
Greek, breathings before capitals and the signs of numerals belong to the word, and words in beta code are kept whole.
O(characters).
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np

from .._arrays import AnyArray, Floats
from ..models.model_file import Arrays, check_fields
from ..options import Check, listed, one_of, whole
from .boundaries import CLASSES, MOST_CHARACTERS, MOST_PROBABLE, MULTIWORD, MULTIWORD_SENTENCE, SENTENCE, TOKEN
from .greek import EDITORIAL, KERAIA, THOUSANDS, before_capital, beta_code
from .surface import SurfaceToken
from .unicode import simple_character

KIND = "rules"
_RUN = re.compile(rf"[^\s\0]{{1,{MOST_CHARACTERS}}}")
#: Greek words with a hyphen where crasis joined them with the next word or with the one before.
_GREEK = "[\u0300-\u03ff\u1f00-\u1fff]"
_CRASIS = re.compile(f"{_GREEK}{{1,2}}- | -{_GREEK}{{1,12}}")
_NUMERAL_SIGNS = re.compile(f"{THOUSANDS}(?={_GREEK})|(?<={_GREEK})[{KERAIA}]")
_BETWEEN_BETA_CODE = '.,;:"-'
_OPENED = {closing: opening for opening, closing in EDITORIAL.items()}
_HYPHENS = "-\u2010\u2011"
_NOT_FINAL_ALONE = 0.5  # the share of a mark's tokens that end sentences, for it to end them
_WITHIN = 20  # as often as a mark stands within words it stands alone, for it to be cut out of words
_LEAST = 2
#: Marks that end sentences where the treebank has none of them.
_FINAL = frozenset("!?…。！？।")
_MOST_REMEMBERED, _LONGEST_REMEMBERED = 1 << 16, 64


class Marks(NamedTuple):
    """Marks at the beginning, at the end or within words: those that stand apart, and those that belong to a word."""

    apart: str
    attached: str

    @classmethod
    def fit(cls, alone: Counter[str], attached: Counter[str]) -> Marks:
        """Return the marks that more often stand alone, and those that do not."""
        marks = sorted(alone.keys() | attached.keys())
        return cls(
            "".join(mark for mark in marks if alone[mark] > attached[mark]),
            "".join(mark for mark in marks if alone[mark] <= attached[mark]),
        )

    def is_apart(self, mark: str) -> bool:
        """Whether a mark stands apart; those that the treebank lacks do by their kind."""
        return mark in self.apart or (mark not in self.attached and _stands_apart(mark))


class Boundary(NamedTuple):
    """Where a token of a run ends, and its class."""

    end: int
    kind: int


def _characters(name: str, value: Any) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{name} is no text")


def _marks(name: str, value: Any) -> None:
    check_fields(name, value, dict.fromkeys(Marks._fields, _characters))


#: What a file has as an object of two texts, and what as a list.
_MARKS = ("first", "last", "inner")
_SETS = ("kept", "final", "not_final", "several")
_FIELDS: Mapping[str, Check] = {
    "kind": one_of(KIND),
    "characters": _characters,
    **dict.fromkeys(_MARKS, _marks),
    **dict.fromkeys(_SETS, listed(_characters, 0, 1 << 20)),
    "most_words": whole(2, 4096),
}


@dataclass(frozen=True)
class RuleBoundaries:
    """What the tokens of a treebank show: a `BoundaryModel`; texts are as `simplified` gives them."""

    #: Tokens have no spaces in them, runs may be looked at from anywhere on, and each is looked at as a whole.
    inner_spaces: ClassVar[bool] = False
    whole_words: ClassVar[bool] = False
    even_joints: ClassVar[bool] = False
    step: ClassVar[int] = 1 << 10
    context: ClassVar[int] = MOST_CHARACTERS
    #: Marks alone say where sentences end.
    sentence_threshold: ClassVar[float] = MOST_PROBABLE

    #: The characters that occur at least three times.
    characters: str
    #: Marks at the beginning and at the end of words, and within them.
    first: Marks
    last: Marks
    inner: Marks
    #: Words that are one token though their marks would be cut off.
    kept: frozenset[str]
    #: Marks that end sentences, and those that do not.
    final: frozenset[str]
    not_final: frozenset[str]
    #: Tokens of several words.
    several: frozenset[str]
    most_words: int = 300
    _known: dict[str, tuple[Boundary, ...]] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def generic(cls, most_words: int = 300) -> RuleBoundaries:
        """Return rules of no language: every mark goes by its kind, and full stops end sentences."""
        none = Marks("", "")
        return cls("", none, none, none, frozenset(), frozenset("."), frozenset(",;:"), frozenset(), most_words)

    @staticmethod
    def fit(sentences: Sequence[Sequence[SurfaceToken]], most_words: int) -> RuleBoundaries:
        """Learn from the tokens of sentences."""
        counts = _Counts(sentences)
        inner = Counter({mark: _WITHIN * count for mark, count in counts.inner.items()})
        ends = {mark: counts.final[mark] / count for mark, count in counts.marks.items() if count >= _LEAST}
        rules = RuleBoundaries(
            "".join(sorted(character for character, count in counts.characters.items() if count > _LEAST)),
            Marks.fit(counts.alone, counts.first),
            Marks.fit(counts.alone, counts.last),
            Marks.fit(counts.alone, inner),
            kept=frozenset(),
            final=frozenset(mark for mark, share in ends.items() if share >= _NOT_FINAL_ALONE),
            not_final=frozenset(mark for mark, share in ends.items() if share < _NOT_FINAL_ALONE),
            several=frozenset(token for token, count in counts.several.items() if count > counts.words[token]),
            most_words=most_words,
        )
        words = (word for word, count in counts.words.items() if count > counts.apart[word])
        return replace(rules, kept=frozenset(word for word in words if len(rules.boundaries(word)) > 1))

    def probabilities(self, text: str, begin: int, first: int, last: int, *, threads: int) -> Floats:
        kinds = np.zeros(last - first, np.int32)
        for run in _RUN.finditer(text, max(0, first - self.context), min(len(text), last + self.context)):
            start = run.start() - first
            for end, kind in self.boundaries(run[0]):
                if 0 <= start + end - 1 < len(kinds):
                    kinds[start + end - 1] = kind
        chances: Floats = np.eye(CLASSES, dtype=np.float32)[kinds]
        return chances

    def probabilities_apart(self, texts: Sequence[str], *, threads: int) -> Floats:
        return np.concatenate([self.probabilities(text, 0, 0, len(text), threads=threads) for text in texts])

    def boundaries(self, run: str) -> tuple[Boundary, ...]:
        """Return where the tokens of a run end."""
        known = self._known.get(run)
        if known is None:
            simple = simplified(run)
            known = tuple(self._classes(simple, list(self._ends(simple))))
            if len(self._known) >= _MOST_REMEMBERED:
                self._known.clear()
            if len(run) <= _LONGEST_REMEMBERED:
                self._known[run] = known
        return known

    def _ends(self, run: str) -> Iterator[int]:
        """Yield where tokens end: marks before a word, the word, and marks behind it."""
        begin, end = 0, len(run)
        behind: list[int] = []
        if self._is_beta_code(run):
            behind = [*range(end, len(run.rstrip(_BETWEEN_BETA_CODE)), -1)]
            yield from range(1, end - len(run.lstrip(_BETWEEN_BETA_CODE)) + 1)
            yield end - len(behind)
            yield from reversed(behind)
            return
        while begin < end and run[begin:] not in self.kept and self._is_apart_before(run, begin):
            begin = _repeated(run, begin)
            yield begin
        while begin < end and run[begin:end] not in self.kept and self._is_apart_behind(run, begin, end):
            behind.append(end)
            end = end - 1 if run[end - 1] == "'" else len(run[:end].rstrip(run[end - 1]))
        yield from self._inner_ends(run, begin, max(begin, end))
        yield from reversed(behind)

    def _is_beta_code(self, run: str) -> bool:
        """Whether a run is a word in beta code, for rules that know no other words in these letters."""
        if not run.isascii() or "a" in self.characters:
            return False
        return beta_code().fullmatch(run.strip(_BETWEEN_BETA_CODE)) is not None

    def _is_apart_before(self, run: str, begin: int) -> bool:
        """Whether the mark with which a word begins is a token of its own."""
        mark = run[begin]
        if mark in EDITORIAL:
            closed = run.find(EDITORIAL[mark], begin)
            return closed < 0 or not any(map(str.isalnum, run[closed:]))
        if before_capital().match(run, begin) or _NUMERAL_SIGNS.match(run, begin):
            return False
        return _is_dash(run, begin) or self.first.is_apart(mark)

    def _is_apart_behind(self, run: str, begin: int, end: int) -> bool:
        """Whether the mark with which a word ends is a token of its own."""
        mark = run[end - 1]
        if mark in _OPENED:
            opened = run.rfind(_OPENED[mark], begin, end)
            return opened < 0 or not any(map(str.isalnum, run[begin:opened]))
        if mark == "'" and run[:end].endswith("''"):
            return True  # elision, and the end of a quotation
        return not _NUMERAL_SIGNS.match(run, end - 1) and (_is_dash(run, end - 1) or self.last.is_apart(mark))

    def _inner_ends(self, run: str, begin: int, end: int) -> Iterator[int]:
        index = begin
        while run[begin:end] not in self.kept and index < end:
            mark = run[index]
            edited = mark in EDITORIAL or mark in _OPENED
            if edited or not (_is_dash(run, index) or (_stands_apart(mark) and mark in self.inner.apart)):
                index += 1
                continue
            if index > begin:
                yield index
            index = begin = _repeated(run, index)
            yield index
        if begin < end:
            yield end

    def _classes(self, run: str, ends: Sequence[int]) -> Iterator[Boundary]:
        tokens = [run[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]
        for index, (token, end) in enumerate(zip(tokens, ends, strict=True)):
            within, final = (MULTIWORD, MULTIWORD_SENTENCE) if token in self.several else (TOKEN, SENTENCE)
            yield Boundary(end, final if self._ends_sentence(tokens, index) else within)

    def _ends_sentence(self, tokens: Sequence[str], index: int) -> bool:
        """Whether a sentence ends with a token of a run: a mark, or what closes quotations and brackets behind one."""
        if index + 1 < len(tokens) and _closes(tokens[index + 1]):
            return False
        while index > 0 and _closes(tokens[index]) and not self._is_final(tokens[index]):
            index -= 1
        return self._is_final(tokens[index])

    def _is_final(self, token: str) -> bool:
        if _is_dash(token, 0):
            return False
        if token in self.final or token in self.not_final:
            return token in self.final
        mark = token[0]
        if len(set(token)) > 1 or mark in self.not_final:
            return False
        return mark in self.final or mark in _FINAL

    # Files

    def to_parts(self, bits: int = 16) -> tuple[dict[str, Any], Arrays]:
        """Return a description, and no arrays, whose bits these would be, for a model file."""
        description = {
            "kind": KIND,
            "characters": self.characters,
            **{name: getattr(self, name)._asdict() for name in _MARKS},
            **{name: sorted(getattr(self, name)) for name in _SETS},
            "most_words": self.most_words,
        }
        return description, {}

    @staticmethod
    def from_parts(description: Any, arrays: Mapping[str, AnyArray]) -> RuleBoundaries:
        """Make them again from what `to_parts` gave."""
        check_fields("the rules", description, _FIELDS)
        parts: dict[str, Any] = {name: Marks(**description[name]) for name in _MARKS}
        parts |= {name: frozenset(description[name]) for name in _SETS}
        return RuleBoundaries(characters=description["characters"], most_words=description["most_words"], **parts)


def written_together(sentences: Iterable[Sequence[SurfaceToken]]) -> Iterator[SurfaceToken]:
    """Yield the tokens of several words that crasis makes of tokens: of `τ-` and `ἆλλα` `τἆλλα`."""
    for tokens in sentences:
        for first, second in pairwise(token.text for token in tokens):
            if _CRASIS.fullmatch(f"{first} ") or _CRASIS.fullmatch(f" {second}"):
                yield SurfaceToken(first.rstrip("-") + second.lstrip("-"), (first, second), " ")


class _Counts:
    """How often characters, marks and words stand where."""

    def __init__(self, sentences: Sequence[Sequence[SurfaceToken]]) -> None:
        self.characters: Counter[str] = Counter()
        self.marks: Counter[str] = Counter()  # tokens without letters
        self.final: Counter[str] = Counter()  # those that end sentences
        self.words: Counter[str] = Counter()
        self.apart: Counter[str] = Counter()  # words with the mark behind them, where these are two tokens
        self.alone: Counter[str] = Counter()
        self.first: Counter[str] = Counter()
        self.last: Counter[str] = Counter()
        self.inner: Counter[str] = Counter()
        for tokens in sentences:
            self._count(tokens)
        for word, count in self.words.items():
            self._count_marks(word, count)
        #: Tokens of several words.
        self.several = Counter(simplified(token.text) for token in written_together(sentences))

    def _count(self, tokens: Sequence[SurfaceToken]) -> None:
        before = ""
        for token in tokens:
            text = simplified(token.text)
            self.characters.update(text)
            if any(map(str.isalnum, text)):
                self.words[text] += 1
            else:
                self.marks[text] += 1
                self.alone.update(set(text))
                self.apart[before + text] += 1
            before = text
        if tokens and before in self.marks:
            self.final[before] += 1

    def _count_marks(self, word: str, count: int) -> None:
        if not word[0].isalnum():
            self.first[word[0]] += count
        if _is_mark(word[-1]):
            self.last[word[-1]] += count
        for mark in set(filter(_is_mark, word[1:-1])):
            self.inner[mark] += count


def simplified(run: str) -> str:
    """Return a text of as many characters in which those count as one that are written in several ways."""
    return "".join(map(simple_character, run))


def _is_mark(character: str) -> bool:
    return not character.isalnum() and unicodedata.category(character)[0] != "M"


def _stands_apart(mark: str) -> bool:
    """Whether a mark of its kind is a token of its own: punctuation and signs, but for apostrophes and dashes."""
    kind = unicodedata.category(mark)
    return kind[0] in "PS" and kind not in ("Pd", "Pc") and mark != "'"


def _is_dash(run: str, index: int) -> bool:
    """Whether a mark is a dash, or one of several hyphens."""
    if run[index] in _HYPHENS:
        return run[index] in (run[index - 1 : index], run[index + 1 : index + 2])
    return unicodedata.category(run[index]) == "Pd"


def _closes(token: str) -> bool:
    """Whether a token closes quotations or brackets."""
    return unicodedata.category(token[0]) in ("Pe", "Pf") or token[0] in "\"'"


def _repeated(run: str, begin: int) -> int:
    """Return where the repetition of a character ends."""
    end = begin + 1
    while end < len(run) and run[end] == run[begin]:
        end += 1
    return end
