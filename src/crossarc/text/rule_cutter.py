"""Rules that say where tokens and sentences end, learnt from tokens alone: for treebanks that do not know their texts.

A mark is a character that is no letter, digit or combining mark. A run of characters without spaces is cut by what the
tokens of the treebank show: whether a mark more often is a token of its own or belongs to words, at their beginning, at
their end and within them (so that elision keeps its apostrophe where the tokens do), which words with marks are one
token (abbreviations), which marks end sentences, and which words are written together (crasis). Apostrophes count as
one character, so do digits (`alphabet`). Marks that the treebank lacks go by their kind. O(characters).
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from .._arrays import AnyArray, Floats
from ..models.model_file import Arrays, Check, check_fields, listed, one_of, whole
from .alphabet import simple_character
from .cuts import CLASSES, MULTIWORD, MULTIWORD_SENTENCE, SENTENCE, TOKEN
from .stream import MOST_CHARACTERS
from .surface import SurfaceToken

KIND = "rules"
_RUN = re.compile(rf"[^\s\0]{{1,{MOST_CHARACTERS}}}")
#: Greek words with a hyphen where crasis joined them with the next word or with the one before.
_GREEK = "[\u0300-\u03ff\u1f00-\u1fff]"
_CRASIS = re.compile(f"{_GREEK}{{1,2}}- | -{_GREEK}{{1,12}}")
_NOT_FINAL_ALONE = 0.5  # the share of a mark's tokens that end sentences, for it to end them
_WITHIN = 20  # as often as a mark stands within words it stands alone, for it to be cut out of words
_LEAST = 2
#: Marks that end sentences where the treebank has none of them.
_FINAL = frozenset("!?…。！？।")
_MOST_REMEMBERED, _LONGEST_REMEMBERED = 1 << 16, 64


class Place(NamedTuple):
    """Marks at one place of a word: those that stand apart, and those that belong to it."""

    apart: str
    attached: str

    def is_apart(self, mark: str) -> bool:
        """Whether a mark stands apart; those that the treebank lacks do by their kind."""
        return mark in self.apart or (mark not in self.attached and _stands_apart(mark))


class Cut(NamedTuple):
    """Where a token of a run ends, and its class."""

    end: int
    kind: int


def _characters(name: str, value: Any) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{name} is no text")


def _place_fields(name: str, value: Any) -> None:
    check_fields(name, value, {"apart": _characters, "attached": _characters})


_texts = listed(_characters, 0, 1 << 20)
_FIELDS: Mapping[str, Check] = {
    "kind": one_of(KIND),
    "characters": _characters,
    "first": _place_fields,
    "last": _place_fields,
    "inner": _place_fields,
    "kept": _texts,
    "final": _texts,
    "not_final": _texts,
    "several": _texts,
    "most_words": whole(2, 4096),
}


@dataclass(frozen=True)
class RuleCutter:
    """What the tokens of a treebank show; texts are as `simplified` gives them."""

    #: The characters that occur at least three times.
    characters: str
    #: Marks at the beginning and at the end of words, and within them.
    first: Place
    last: Place
    inner: Place
    #: Words that are one token though their marks would be cut off.
    kept: frozenset[str]
    #: Marks that end sentences, and those that do not.
    final: frozenset[str]
    not_final: frozenset[str]
    #: Tokens of several words.
    several: frozenset[str]
    most_words: int = 300
    _known: dict[str, tuple[Cut, ...]] = field(default_factory=dict, repr=False, compare=False)

    @staticmethod
    def fit(sentences: Sequence[Sequence[SurfaceToken]], most_words: int) -> RuleCutter:
        """Learn from the tokens of sentences."""
        counts = _Counts(sentences)
        inner = Counter({mark: _WITHIN * count for mark, count in counts.inner.items()})
        first, last, within = (_place(counts.alone, own) for own in (counts.first, counts.last, inner))
        ends = {mark: counts.final[mark] / count for mark, count in counts.marks.items() if count >= _LEAST}
        rules = RuleCutter(
            "".join(sorted(character for character, count in counts.characters.items() if count > _LEAST)),
            first,
            last,
            within,
            frozenset(),
            frozenset(mark for mark, share in ends.items() if share >= _NOT_FINAL_ALONE),
            frozenset(mark for mark, share in ends.items() if share < _NOT_FINAL_ALONE),
            frozenset(token for token, count in counts.several.items() if count > counts.words[token]),
            most_words,
        )
        kept = (word for word, count in counts.words.items() if count > counts.apart[word])
        return rules._with_kept(word for word in kept if len(rules.cuts(word)) > 1)

    def _with_kept(self, kept: Iterable[str]) -> RuleCutter:
        return RuleCutter(**{**self.__dict__, "kept": frozenset(kept), "_known": {}})

    # Cutting

    @property
    def inner_spaces(self) -> bool:
        """Tokens have no spaces in them."""
        return False

    @property
    def step(self) -> int:
        """Runs may be looked at from anywhere on."""
        return 1 << 10

    @property
    def context(self) -> int:
        """A run is looked at as a whole."""
        return MOST_CHARACTERS

    def probabilities(self, text: str, begin: int, first: int, last: int, *, threads: int) -> Floats:
        """Return the classes of characters of a text, as a `Cutter` does; each has a probability of one."""
        kinds = np.zeros(last - first, np.int32)
        for found in _RUN.finditer(text, max(0, first - self.context), min(len(text), last + self.context)):
            start = found.start() - first
            for cut in self.cuts(found[0]):
                if 0 <= start + cut.end - 1 < len(kinds):
                    kinds[start + cut.end - 1] = cut.kind
        chances: Floats = np.eye(CLASSES, dtype=np.float32)[kinds]
        return chances

    def probabilities_apart(self, texts: Sequence[str], *, threads: int) -> Floats:
        """Return the same for many texts, as a `Cutter` does."""
        return np.concatenate([self.probabilities(text, 0, 0, len(text), threads=threads) for text in texts])

    def cuts(self, run: str) -> tuple[Cut, ...]:
        """Return where the tokens of a run end."""
        found = self._known.get(run)
        if found is None:
            simple = simplified(run)
            found = tuple(self._classes(simple, list(self._ends(simple))))
            if len(self._known) >= _MOST_REMEMBERED:
                self._known.clear()
            if len(run) <= _LONGEST_REMEMBERED:
                self._known[run] = found
        return found

    def _ends(self, run: str) -> Iterator[int]:
        """Yield where tokens end: marks before a word, the word, and marks behind it."""
        begin, end = 0, len(run)
        behind: list[int] = []
        while begin < end and run[begin:] not in self.kept and self.first.is_apart(run[begin]):
            begin = _repeated(run, begin)
            yield begin
        while begin < end and run[begin:end] not in self.kept and self.last.is_apart(run[end - 1]):
            behind.append(end)
            end = len(run[:end].rstrip(run[end - 1]))
        yield from self._inner_ends(run, begin, max(begin, end))
        yield from reversed(behind)

    def _inner_ends(self, run: str, begin: int, end: int) -> Iterator[int]:
        if begin == end:
            return
        place = begin
        while run[begin:end] not in self.kept and place < end:
            mark = run[place]
            if not (_stands_apart(mark) and mark in self.inner.apart):
                place += 1
                continue
            if place > begin:
                yield place
            place = begin = _repeated(run, place)
            yield place
        if begin < end:
            yield end

    def _classes(self, run: str, ends: Sequence[int]) -> Iterator[Cut]:
        tokens = [run[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]
        for place, (token, end) in enumerate(zip(tokens, ends, strict=True)):
            several = token in self.several
            if self._ends_sentence(tokens, place):
                yield Cut(end, MULTIWORD_SENTENCE if several else SENTENCE)
            else:
                yield Cut(end, MULTIWORD if several else TOKEN)

    def _ends_sentence(self, tokens: Sequence[str], place: int) -> bool:
        """Whether a sentence ends with a token of a run: a mark, or what closes quotations and brackets behind one."""
        if place + 1 < len(tokens) and _closes(tokens[place + 1]):
            return False
        while place > 0 and _closes(tokens[place]) and not self._is_final(tokens[place]):
            place -= 1
        return self._is_final(tokens[place])

    def _is_final(self, token: str) -> bool:
        if token in self.final or token in self.not_final:
            return token in self.final
        one = token[0]
        if len(set(token)) > 1 or one in self.not_final:
            return False
        return one in self.final or one in _FINAL

    # Files

    def to_parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return a description, and no arrays, for a model file."""
        plain = {name: value for name, value in self.__dict__.items() if not name.startswith("_")}
        for name, value in plain.items():
            if isinstance(value, frozenset):
                plain[name] = sorted(value)
            elif isinstance(value, Place):
                plain[name] = value._asdict()
        return {"kind": KIND, **plain}, {}

    @staticmethod
    def from_parts(description: Any, arrays: Mapping[str, AnyArray]) -> RuleCutter:
        """Make them again from what `to_parts` gave."""
        check_fields("the rules", description, _FIELDS)
        first, last, inner = (
            Place(description[name]["apart"], description[name]["attached"]) for name in ("first", "last", "inner")
        )
        kept, final, not_final, several = (
            frozenset(description[name]) for name in ("kept", "final", "not_final", "several")
        )
        return RuleCutter(
            description["characters"],
            first,
            last,
            inner,
            kept,
            final,
            not_final,
            several,
            description["most_words"],
        )


def written_together(sentences: Iterable[Sequence[SurfaceToken]]) -> Iterator[SurfaceToken]:
    """Yield the tokens of several words that crasis makes of tokens: of `τ-` and `ἆλλα` `τἆλλα`."""
    for tokens in sentences:
        for one, two in pairwise(token.text for token in tokens):
            if _CRASIS.fullmatch(f"{one} ") or _CRASIS.fullmatch(f" {two}"):
                yield SurfaceToken(one.rstrip("-") + two.lstrip("-"), (one, two), " ")


class _Counts:
    """How often characters, marks and words stand where."""

    def __init__(self, sentences: Sequence[Sequence[SurfaceToken]]) -> None:
        self.characters: Counter[str] = Counter()
        self.marks: Counter[str] = Counter()  # tokens without letters
        self.final: Counter[str] = Counter()  # those that end sentences
        self.words: Counter[str] = Counter()
        self.several: Counter[str] = Counter()  # tokens of several words
        self.apart: Counter[str] = Counter()  # words with the mark behind them, where these are two tokens
        self.alone: Counter[str] = Counter()
        self.first: Counter[str] = Counter()
        self.last: Counter[str] = Counter()
        self.inner: Counter[str] = Counter()
        for tokens in sentences:
            self._count(tokens)
        for word, count in self.words.items():
            self._count_marks(word, count)

        self.several.update(simplified(token.text) for token in written_together(sentences))

    def _count(self, tokens: Sequence[SurfaceToken]) -> None:
        before = ""
        for token in tokens:
            own = simplified(token.text)
            self.characters.update(own)
            if any(map(str.isalnum, own)):
                self.words[own] += 1
            else:
                self.marks[own] += 1
                self.alone.update(set(own))
                self.apart[before + own] += 1
            before = own
        if tokens and before in self.marks:
            self.final[before] += 1

    def _count_marks(self, word: str, count: int) -> None:
        if not word[0].isalnum():
            self.first[word[0]] += count
        if _is_mark(word[-1]):
            self.last[word[-1]] += count
        for mark in set(filter(_is_mark, word[1:-1])):
            self.inner[mark] += count


def _place(alone: Counter[str], attached: Counter[str]) -> Place:
    """Return the marks that more often stand alone, and those that do not."""
    marks = sorted(alone.keys() | attached.keys())
    return Place(
        "".join(mark for mark in marks if alone[mark] > attached[mark]),
        "".join(mark for mark in marks if alone[mark] <= attached[mark]),
    )


def simplified(run: str) -> str:
    """Return a text of as many characters in which those count as one that are written in several ways."""
    return "".join(map(simple_character, run))


def _is_mark(character: str) -> bool:
    return not character.isalnum() and unicodedata.category(character)[0] != "M"


def _stands_apart(mark: str) -> bool:
    """Whether a mark of its kind is a token of its own: punctuation and signs, but for apostrophes and dashes."""
    kind = unicodedata.category(mark)
    return kind[0] in "PS" and kind not in ("Pd", "Pc") and mark != "'"


def _closes(token: str) -> bool:
    """Whether a token closes quotations or brackets."""
    return unicodedata.category(token[0]) in ("Pe", "Pf") or token[0] in "\"'"


def _repeated(run: str, begin: int) -> int:
    """Return where the repetition of a character ends."""
    end = begin + 1
    while end < len(run) and run[end] == run[begin]:
        end += 1
    return end
