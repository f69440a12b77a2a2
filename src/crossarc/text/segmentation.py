"""Where the tokens and sentences of a text are, and the treebank that has them: words, spaces and places in the text.

A token keeps the spaces behind it in MISC (`surface`) and its place as `TokenRange=start:end`, counted in characters of
the whole text; spaces before the first token of a text stand in its `SpacesBefore`. The columns are made at once,
without a file in between. O(characters).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from .. import _kernel
from .._arrays import AnyArray, Flags, Offsets, offsets_of
from ..treebank import Treebank
from ..treebank.formats import COLUMNS, NO_HEAD
from .surface import escaped, unescaped

_LINE_ENDS = str.maketrans("\r\n\0", "   ")
_NO_COLUMNS = "\t_" * 7
_EMPTY_LINE = re.compile(r"\n[^\S\n]*\n")


class Numbering:
    """Gives the sentences of a text, which may come in pieces, numbers and says where paragraphs begin."""

    def __init__(self) -> None:
        """Begin with the first sentence of a text."""
        self.number = 0
        self.begins = True

    def comments(self, spaces: Iterable[str]) -> Iterator[list[str]]:
        """Yield `# newpar` and `# sent_id` of the next sentences, of which the spaces behind them are given."""
        for own in spaces:
            self.number += 1
            yield [*(["# newpar"] if self.begins else []), f"# sent_id = {self.number}"]
            self.begins = "\n" in own and _EMPTY_LINE.search(own) is not None


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

        def all_of(arrays: Sequence[AnyArray], kind: type[np.generic]) -> AnyArray:
            return np.concatenate([np.zeros(0, kind), *arrays])

        return Segmentation(
            text,
            all_of([part.starts + part.begin for part in parts], np.int64),
            all_of([part.ends + part.begin for part in parts], np.int64),
            all_of([part.multiword for part in parts], np.bool_),
            all_of([part.final for part in parts], np.bool_),
            sum(part.too_long for part in parts),
        )

    def treebank(
        self,
        words: Sequence[Sequence[str]],
        pool: _kernel.StringPool | None = None,
        numbering: Numbering | None = None,
    ) -> Treebank:
        """Return the sentences, each token with its words; with their numbers, if these are asked for.

        Treebanks that are joined later may share a pool.
        """
        counts = np.fromiter(map(len, words), np.int64, len(words))
        first_token = np.append(0, np.flatnonzero(self.final) + 1).astype(np.int64)
        first_word = offsets_of(counts)
        word_offsets = first_word[first_token]
        several = np.flatnonzero(counts > 1)
        misc = self._misc()
        pool = _kernel.StringPool() if pool is None else pool
        form = pool.intern([word for own in words for word in own])
        misc_ids = np.zeros(len(form), np.int32)
        misc_ids[first_word[:-1]] = pool.intern(misc)
        inner = [one for token in several.tolist() for one in self._ranges(token, words[token])]
        misc_ids[np.repeat(counts > 1, counts)] = pool.intern(inner)
        sentence_of = np.searchsorted(first_token, several, side="right") - 1
        places = first_word[several] - word_offsets[sentence_of] + 1
        ranges = [
            f"{place}-{place + count - 1}\t{self.text[start:end]}{_NO_COLUMNS}\t{misc[token]}"
            for token, place, count, start, end in zip(
                *(array.tolist() for array in (several, places, counts[several], self.starts[several])),
                self.ends[several].tolist(),
                strict=True,
            )
        ]
        comments = self._comments(first_token, numbering)
        return _treebank(pool, form, misc_ids, word_offsets, (comments, ranges, sentence_of, places))

    def _misc(self) -> list[str]:
        """Return MISC of each token."""
        text, starts, ends = self.text, self.starts.tolist(), self.ends.tolist()
        begin = self.begin
        values = []
        for start, end, following in zip(starts, ends, [*starts, len(text)][1:], strict=True):
            if following - end == 1 and text[end] == " ":
                spaces = ""
            elif following == end:
                spaces = "SpaceAfter=No|"
            else:
                spaces = f"SpacesAfter={escaped(text[end:following])}|"
            values.append(f"{spaces}TokenRange={begin + start}:{begin + end}")
        if self.spaces_after and values:
            spaces = escaped(text[ends[-1] :]) + self.spaces_after
            values[-1] = f"SpacesAfter={spaces}|TokenRange={begin + starts[-1]}:{begin + ends[-1]}"
        before = self.spaces_before + escaped(text[: starts[0]]) if values else ""
        if before:
            values[0] = f"SpacesBefore={before}|{values[0]}"
        return values

    def _ranges(self, token: int, words: Sequence[str]) -> list[str]:
        """Return MISC of the words of a multiword token: where each is written, or all of it if they are not so."""
        start, end = int(self.starts[token]), int(self.ends[token])
        if "".join(words) != self.text[start:end]:
            return [f"TokenRange={self.begin + start}:{self.begin + end}"] * len(words)
        ends = (self.begin + start + np.cumsum([len(word) for word in words])).tolist()
        return [f"TokenRange={end - len(word)}:{end}" for word, end in zip(words, ends, strict=True)]

    def _comments(self, first_token: Offsets, numbering: Numbering | None) -> list[list[str]]:
        """Return the comments of each sentence."""
        starts, ends = self.starts[first_token[:-1]].tolist(), self.ends[first_token[1:] - 1].tolist()
        texts = [
            f"# text = {self.text[start:end].translate(_LINE_ENDS)}" for start, end in zip(starts, ends, strict=True)
        ]
        if numbering is None:
            return [[text] for text in texts]
        behind = [self.text[end:start] for end, start in zip(ends, [*starts, len(self.text)][1:], strict=True)]
        behind[-1:] = [spaces + unescaped(self.spaces_after) for spaces in behind[-1:]]
        return [[*own, text] for own, text in zip(numbering.comments(behind), texts, strict=True)]


def _treebank(
    pool: _kernel.StringPool,
    form: AnyArray,
    misc: AnyArray,
    word_offsets: Offsets,
    asides: tuple[Sequence[Sequence[str]], Sequence[str], Offsets, Offsets],
) -> Treebank:
    """Return the treebank of these columns; asides are the comments of sentences, and ranges with their places."""
    comments, ranges, sentence_of, places = asides
    sentences, lines = len(comments), list(chain.from_iterable(comments))
    owner = np.concatenate([np.repeat(np.arange(sentences), [len(own) for own in comments]), sentence_of])
    order = np.argsort(owner, kind="stable")
    kinds = np.repeat([int(_kernel.AsideKind.comment), int(_kernel.AsideKind.range)], [len(lines), len(ranges)])
    before = np.concatenate([np.ones(len(lines), np.int64), places])
    texts = pool.intern([*lines, *ranges], checked=False)
    arrays: dict[str, AnyArray] = {name: np.zeros(len(form), np.int32) for name in COLUMNS}
    arrays |= {"form": form, "misc": misc, "head": np.full(len(form), NO_HEAD, np.int32)}
    arrays |= {
        "aside_kind": kinds[order].astype(np.uint8),
        "aside_before": before[order].astype(np.int32),
        "aside_text": texts[order],
        "first_line": np.zeros(sentences, np.int64),
        "source": np.zeros(sentences, np.int32),
        "after": np.repeat(pool.intern(["\n\n"], checked=False), sentences),
        "crlf": np.zeros(sentences, np.uint8),
    }
    aside_offsets = offsets_of(np.bincount(owner, minlength=sentences))
    return Treebank(pool, arrays, word_offsets, aside_offsets, "conllu", ("<text>",))
