"""Tokens as words: the words of multiword tokens, and the treebank that has the words of a text with their spaces.

Multiword tokens become words by a dictionary of those that were seen and, for the others, by rules: a rule takes an
ending off a token and puts words in its place. Of `don't` → `do n't` the ending `n't` becomes nothing and the word
`n't`; of Portuguese `dele` → `de ele`, `le` becomes nothing and the word `ele`. Of the rules of an ending the most
frequent one is kept, and the longest ending that fits is taken. All apostrophes are alike, and stay as they are
written. What was nearly always one word stays one, whatever its ending: Latin `usque` is no `us que`. O(tokens) to
learn, O(length) to apply.

In the treebank of a text a token keeps the spaces behind it in MISC (`surface`) and where it stands as
`TokenRange=start:end`, counted in characters of the whole text; spaces before the first token of a text stand in its
`SpacesBefore`. The columns are made at once, without a file in between. O(characters).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Any

import numpy as np

from .. import _kernel
from .._arrays import AnyArray, Flags, Ids, Offsets, offsets_of
from ..errors import CrossarcError, is_broken
from ..features.vocabularies import is_list_of
from ..treebank import Treebank
from ..treebank.formats import COLUMNS, NO_HEAD
from .surface import SurfaceToken, escaped, unescaped
from .unicode import APOSTROPHES, CodePoints, code_points

#: Characters before the ending that a rule may look at.
_CONTEXT = 2
#: How often a token must have been there to be known as one word, and the share of these in which it was one.
_FEWEST_WHOLE, _NEARLY_ALWAYS = 2, 0.9
#: Most words of a token: more is a slip, or a model file that was altered, which would take long to parse with.
_MOST_WORDS = 100
_ONE_APOSTROPHE = str.maketrans(dict.fromkeys(APOSTROPHES, "'"))
_LINE_END = re.compile("\r\n|[\r\n\0]")
_LINE_BREAK = re.compile("\n")
#: Where a Greek word, which has no hyphens, goes on in the next line; the last letter may have marks of its own.
BROKEN_WORD = re.compile(
    "(?<=[\u0300-\u03ff\u1f00-\u1fff])[-\u2010][^\\S\n]{0,64}\n[^\\S\n]{0,64}(?=[\u03ac-\u03ce\u1f00-\u1fff])"
)
_NO_COLUMNS = "\t_" * 7
#: What MISC of a token without spaces behind it begins with.
_GLUED = "SpaceAfter=No|"
_EMPTY_LINE = re.compile(r"\n[^\S\n]*\n")


class MultiwordError(CrossarcError):
    """Rules that cannot be read."""


@dataclass(frozen=True)
class Expansions:
    """How tokens become words: whole tokens in lower case, and endings with what replaces them."""

    tokens: Mapping[str, tuple[str, ...]]
    #: Of an ending: what its part within the first word becomes, then the other words.
    endings: Mapping[str, tuple[int, tuple[str, ...]]]
    #: Tokens that are one word, though they are among the former or have such an ending.
    whole: frozenset[str] = frozenset()

    def __repr__(self) -> str:
        return f"<Expansions of {len(self.tokens)} tokens and {len(self.endings)} endings>"

    @classmethod
    def fit(cls, tokens: Iterable[SurfaceToken]) -> Expansions:
        """Learn from tokens: how those of several words are made of these, and which are one word."""
        several: defaultdict[str, Counter[tuple[str, ...]]] = defaultdict(Counter)
        parts: defaultdict[str, Counter[tuple[int, tuple[str, ...]]]] = defaultdict(Counter)
        single: Counter[str] = Counter()
        for token in tokens:
            text = _plain(token.text)
            if len(token.words) > _MOST_WORDS:
                continue
            if len(token.words) < 2:
                single[text] += 1
                continue
            words = tuple(map(_plain, token.words))
            several[text][words] += 1
            shared = _shared(text, words[0])
            for before in range(min(_CONTEXT, shared) + 1):
                ending = text[shared - before :]
                if ending:
                    parts[ending][len(ending) - before, (words[0][shared:], *words[1:])] += 1
        learnt = cls(
            {text: counts.most_common(1)[0][0] for text, counts in several.items()},
            {ending: counts.most_common(1)[0][0] for ending, counts in parts.items()},
        )
        nearly_always = {
            text
            for text, count in single.items()
            if count >= _FEWEST_WHOLE
            and count >= _NEARLY_ALWAYS * (count + (several[text].total() if text in several else 0))
        }
        return replace(learnt, whole=frozenset(text for text in nearly_always if len(learnt.words(text)) > 1))

    def words(self, token: str) -> tuple[str, ...]:
        """Return the words of a multiword token, in its own case where letters are the same; itself if unknown."""
        lower = _plain(token)
        if len(lower) != len(token) or lower in self.whole:
            return (token,)
        if lower in self.tokens:
            return _in_case(self.tokens[lower], token)
        for start in range(len(lower)):
            rule = self.endings.get(lower[start:])
            if rule is None:
                continue
            cut, (first, *rest) = rule
            stem = lower[: len(lower) - cut] + first
            if stem and all(rest):
                return _in_case((stem, *rest), token)
        return (token,)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for a model file."""
        return {
            "tokens": {text: list(words) for text, words in self.tokens.items()},
            "endings": {ending: [cut, *words] for ending, (cut, words) in self.endings.items()},
            "whole": sorted(self.whole),
        }

    @classmethod
    def from_dict(cls, data: Any) -> Expansions:
        """Make them again from what `to_dict` gave."""
        try:
            tokens = {_plain(text): tuple(map(_plain, words)) for text, words in data["tokens"].items()}
            rules = {_plain(ending): rule for ending, rule in data["endings"].items()}
            endings = {ending: (int(cut), tuple(map(_plain, words))) for ending, (cut, *words) in rules.items()}
        except (TypeError, KeyError, ValueError, IndexError, AttributeError) as error:
            raise MultiwordError("the expansions of multiword tokens are damaged") from error
        several = (*tokens.values(), *(words for _, words in endings.values()))
        every = [word for words in several for word in words]
        filled = all(map(all, tokens.values())) and all(all(words[1:]) for _, words in endings.values())
        together = "".join(every)
        spaced = any(word != word.strip(" ") for word in every)
        if not filled or spaced or any(mark in together for mark in "\t\n\r\0") or is_broken(together):
            raise MultiwordError("a word of a multiword token cannot stand in a column")
        if not all(2 <= len(words) <= _MOST_WORDS for words in several):
            raise MultiwordError(f"a multiword token has 2 to {_MOST_WORDS} words")
        if not all(0 <= cut <= len(ending) for ending, (cut, _) in endings.items()):
            raise MultiwordError("a rule takes more off a token than its ending")
        whole = data.get("whole", [])  # those of older versions have none
        if not is_list_of(str, whole):
            raise MultiwordError("the tokens that are one word are a list of texts")
        return cls(tokens, endings, frozenset(map(_plain, whole)))


def _plain(text: str) -> str:
    """Return a text in lower case and with one kind of apostrophe."""
    lower = text.lower()
    return lower if lower.isascii() else lower.translate(_ONE_APOSTROPHE)


def _shared(first: str, second: str) -> int:
    """Return how many characters two texts begin with in common."""
    same = [character == other for character, other in zip(first, second, strict=False)]
    return [*same, False].index(False)


def _in_case(words: Sequence[str], token: str) -> tuple[str, ...]:
    """Give words the capitals of the token that they stand for."""
    upper = token.isupper() and len(token) > 1
    cased, position, lower = [], 0, _plain(token)
    for word in words:
        # What is written of a word keeps its letters; a word that is not written so begins as the token does.
        if lower.startswith(word, position):
            cased.append(token[position : position + len(word)])
            position += len(word)
        elif upper:
            cased.append(word.upper())
        elif position == 0 and token[:1].isupper():
            cased.append(word[:1].upper() + word[1:])
            position += _shared(lower, word)
        else:
            cased.append(word)
    return tuple(cased)


def unbroken(text: str) -> str:
    """Return a text whose words do not go on in the next line."""
    return BROKEN_WORD.sub("", text) if "\n" in text else text


class Numbering:
    """Gives the sentences of a text, which may come in pieces, numbers and says where paragraphs begin."""

    def __init__(self) -> None:
        """Begin with the first sentence of a text."""
        self.number = 0
        self.begins = True

    def comments(self, spaces: Iterable[str]) -> Iterator[list[str]]:
        """Yield `# newpar` and `# sent_id` of the next sentences, of which the spaces behind them are given."""
        for behind in spaces:
            self.number += 1
            yield [*(["# newpar"] if self.begins else []), f"# sent_id = {self.number}"]
            self.begins = _EMPTY_LINE.search(behind) is not None


@dataclass(frozen=True)
class Segmentation:
    """The tokens of a text: where each begins and ends, whether it is of several words, and the last of sentences."""

    text: str
    starts: Offsets
    ends: Offsets
    multiword: Flags
    final: Flags
    #: Sentence ends that were set because a sentence would have been too long.
    too_long: int = 0
    #: Of a part of a longer text: where it begins, and spaces before and behind it, as values of MISC.
    begin: int = 0
    spaces_before: str = ""
    spaces_after: str = ""

    @staticmethod
    def joined(text: str, parts: Sequence[Segmentation]) -> Segmentation:
        """Return the segmentation of a text from those of its parts."""

        def concatenated(arrays: Iterable[AnyArray], kind: type[np.generic]) -> AnyArray:
            return np.concatenate([np.zeros(0, kind), *arrays])

        return Segmentation(
            text,
            concatenated((part.starts + part.begin for part in parts), np.int64),
            concatenated((part.ends + part.begin for part in parts), np.int64),
            concatenated((part.multiword for part in parts), np.bool_),
            concatenated((part.final for part in parts), np.bool_),
            sum(part.too_long for part in parts),
        )

    def spans(self) -> Iterator[tuple[int, int]]:
        """Return where each token begins and ends."""
        return zip(self.starts.tolist(), self.ends.tolist(), strict=True)

    def has_line_end(self) -> Flags:
        """Return which tokens have the end of a line in them: words that a hyphen divides there."""
        line_ends = np.array([line.start() for line in _LINE_BREAK.finditer(self.text)], np.int64)
        counts: Offsets = np.searchsorted(line_ends, self.ends) - np.searchsorted(line_ends, self.starts)
        return counts > 0

    def treebank(
        self,
        other_words: Mapping[int, Sequence[str]],
        pool: _kernel.StringPool | None = None,
        numbering: Numbering | None = None,
    ) -> Treebank:
        """Return the sentences; a token is a word as it is written unless its index has `other_words`.

        With their numbers, if there is a numbering. Treebanks that are joined later may share a pool.
        """
        pool = _kernel.StringPool() if pool is None else pool
        codes = code_points(self.text)
        counts = np.ones(len(self.starts), np.int64)
        others = sorted(other_words)
        counts[others] = [len(other_words[token]) for token in others]
        first_token = np.append(0, np.flatnonzero(self.final) + 1).astype(np.int64)
        first_word = offsets_of(counts)
        word_offsets = first_word[first_token]
        several = np.flatnonzero(counts > 1)
        form = np.repeat(self._forms(pool, codes, others), counts)
        is_other = np.zeros(len(counts), bool)
        is_other[others] = True
        form[np.repeat(is_other, counts)] = pool.intern([word for token in others for word in other_words[token]])
        prefixes, of_token = self._misc(codes)
        misc_ids = np.zeros(len(form), np.int32)
        begins, ends = self.starts + self.begin, self.ends + self.begin
        misc_ids[first_word[:-1]] = pool.intern_ranges(prefixes, of_token, begins, ends)
        inner = chain.from_iterable(self._ranges(token, other_words[token]) for token in several.tolist())
        misc_ids[np.repeat(counts > 1, counts)] = pool.intern(list(inner))
        sentences = np.searchsorted(first_token, several, side="right") - 1
        first_ids = first_word[several] - word_offsets[sentences] + 1
        ranges = [
            f"{first}-{first + count - 1}\t{unbroken(self.text[start:end])}{_NO_COLUMNS}\t"
            f"{prefixes[prefix]}TokenRange={self.begin + start}:{self.begin + end}"
            for prefix, first, count, start, end in zip(
                *(array.tolist() for array in (of_token[several], first_ids, counts[several], self.starts[several])),
                self.ends[several].tolist(),
                strict=True,
            )
        ]
        comments = self._comments(first_token, numbering)
        return _treebank(pool, form, misc_ids, word_offsets, (comments, ranges, sentences, first_ids))

    def _forms(self, pool: _kernel.StringPool, codes: CodePoints, others: Sequence[int]) -> Ids:
        """Return the forms of tokens as they are written, but of others, as ids of a pool."""
        written = np.ones(len(self.starts), bool)
        written[others] = False
        ids = np.zeros(len(written), np.int32)
        ids[written] = pool.intern_parts(codes, self.starts[written], self.ends[written])
        return ids

    def _misc(self, codes: CodePoints) -> tuple[list[str], Offsets]:
        """Return what MISC begins with, before the range of a token, and which of these each token has."""
        prefixes = {_GLUED: 0, "": 1}
        following = np.append(self.starts, len(self.text))[1:]
        indices = np.where(following == self.ends, 0, 1)
        if not len(indices):
            return list(prefixes), indices

        def index_of(prefix: str) -> int:
            return prefixes.setdefault(prefix, len(prefixes))

        one_space = (following == self.ends + 1) & (np.append(codes, 0)[self.ends] == ord(" "))
        for token in np.flatnonzero((following > self.ends) & ~one_space).tolist():
            indices[token] = index_of(f"SpacesAfter={escaped(self.text[self.ends[token] : following[token]])}|")
        if self.spaces_after:
            indices[-1] = index_of(f"SpacesAfter={escaped(self.text[self.ends[-1] :])}{self.spaces_after}|")
        before = self.spaces_before + escaped(self.text[: self.starts[0]])
        if before:
            indices[0] = index_of(f"SpacesBefore={before}|{list(prefixes)[indices[0]]}")
        return list(prefixes), indices

    def _ranges(self, token: int, words: Sequence[str]) -> list[str]:
        """Return MISC of the words of a multiword token: where each is written, or all of it if they are not so."""
        start, end = int(self.starts[token]), int(self.ends[token])
        if "".join(words) != self.text[start:end]:
            return [f"TokenRange={self.begin + start}:{self.begin + end}"] * len(words)
        bounds = (self.begin + start + offsets_of(map(len, words))).tolist()
        return [f"TokenRange={first}:{last}" for first, last in pairwise(bounds)]

    def _comments(self, first_token: Offsets, numbering: Numbering | None) -> list[list[str]]:
        """Return the comments of each sentence."""
        starts, ends = self.starts[first_token[:-1]].tolist(), self.ends[first_token[1:] - 1].tolist()
        texts = [
            f"# text = {_LINE_END.sub(' ', unbroken(self.text[start:end]))}"
            for start, end in zip(starts, ends, strict=True)
        ]
        if numbering is None:
            return [[text] for text in texts]
        behind = [self.text[end:start] for end, start in zip(ends, [*starts, len(self.text)][1:], strict=True)]
        behind[-1:] = [spaces + unescaped(self.spaces_after) for spaces in behind[-1:]]
        return [[*numbers, text] for numbers, text in zip(numbering.comments(behind), texts, strict=True)]


def _treebank(
    pool: _kernel.StringPool,
    form: AnyArray,
    misc: AnyArray,
    word_offsets: Offsets,
    asides: tuple[Sequence[Sequence[str]], Sequence[str], Offsets, Offsets],
) -> Treebank:
    """Return the treebank of these columns; asides: comments of sentences; ranges, their sentences and first words."""
    comments, ranges, range_sentences, range_words = asides
    sentences, lines = len(comments), list(chain.from_iterable(comments))
    sentence = np.concatenate([np.repeat(np.arange(sentences), list(map(len, comments))), range_sentences])
    order = np.argsort(sentence, kind="stable")
    kinds = np.repeat([int(_kernel.AsideKind.comment), int(_kernel.AsideKind.range)], [len(lines), len(ranges)])
    before = np.concatenate([np.ones(len(lines), np.int64), range_words])
    texts = pool.intern([*lines, *ranges], checked=False)
    arrays: dict[str, AnyArray] = {name: np.zeros(len(form), np.int32) for name in COLUMNS}
    arrays |= {
        "form": form,
        "misc": misc,
        "head": np.full(len(form), NO_HEAD, np.int32),
        "aside_kind": kinds[order].astype(np.uint8),
        "aside_before": before[order].astype(np.int32),
        "aside_text": texts[order],
        "first_line": np.zeros(sentences, np.int64),
        "source": np.zeros(sentences, np.int32),
        "after": np.repeat(pool.intern(["\n\n"], checked=False), sentences),
        "crlf": np.zeros(sentences, np.uint8),
    }
    aside_offsets = offsets_of(np.bincount(sentence, minlength=sentences))
    return Treebank(pool, arrays, word_offsets, aside_offsets, "conllu", ("<text>",))
