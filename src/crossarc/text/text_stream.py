"""One text that comes in pieces, cut into tokens and sentences in bounded memory.

The text is held from the sentence that has not ended yet on, as it was written and in composed form. The boundary model
reads it in blocks at fixed positions of the whole text, so that the pieces in which it comes change nothing. What is
decided stays within what is held, whatever the text: tokens, sentences and runs of spaces are bounded. O(characters).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain

import numpy as np

from ..errors import CrossarcError
from .boundaries import CLASSES, BoundaryModel, tokens_between
from .surface import SPACES_TOGETHER, escaped
from .unicode import code_points, composed, is_space, last_whole
from .words import Segmentation

#: Characters of a text that are cut at a time.
BLOCK = 1 << 16


class TextError(CrossarcError):
    """A text that no segmenter can take."""


class TextStream:
    """Cuts one text that comes in pieces."""

    def __init__(self, model: BoundaryModel, *, threads: int = 0, block: int = BLOCK) -> None:
        """Take what says where tokens end, and how many characters are cut at a time."""
        self._model = model
        self._threads = threads
        self._block = block
        self._written = ""  # what is held
        self._written_begin = 0  # of it in the whole text
        self._text = ""  # the same in composed form
        self._begin = 0  # of that in the whole composed text
        self._origins = np.zeros(1, np.int64)  # where its characters begin in the whole text, and where it ends
        self._first = 0  # index of the first character that was not given out
        self._known = np.zeros((0, CLASSES), np.float32)  # probabilities of as many characters as were read
        self._spaces: list[str] = []  # of a long run that is not held any more, as values of MISC
        self._waiting: Segmentation | None = None  # for the spaces behind it

    def segmentations(self, pieces: Iterable[str]) -> Iterator[Segmentation]:
        """Yield the segmentations of parts of the text, whole sentences each."""
        rest = ""
        for block in _blocks(pieces, self._block):
            _check_characters(block, int(self._origins[-1]) + len(rest))
            block = rest + block
            whole = last_whole(block)
            self._take(block[:whole])
            rest = block[whole:]
            yield from self._cut(ended=False)
        self._take(rest)
        yield from self._cut(ended=True)

    def _take(self, block: str) -> None:
        """Hold more of the text."""
        text, origins = composed(block)
        end = self._origins[-1]
        self._text += text
        self._written += block
        self._origins = np.concatenate([self._origins[:-1], origins + end, [end + len(block)]])

    @property
    def held(self) -> int:
        """How many characters of the text are held."""
        return len(self._text)

    def _cut(self, *, ended: bool) -> Iterator[Segmentation]:
        self._read(ended)
        while True:
            limit, long_space = self._decided(ended)
            yield from self._give_out(limit, ended or long_space)
            if not long_space:
                break
            self._put_away_spaces()
        if ended and self._waiting is not None:
            yield self._completed(self._waiting, self._as_written(self._first, len(self._text)))
        self._forget()

    def _as_written(self, first: int, last: int) -> str:
        """Return what was written for characters of the composed text."""
        begin, end = self._origins[[first, last]] - self._written_begin
        return self._written[begin:end]

    def _read(self, ended: bool) -> None:
        """Compute the probabilities of characters whose neighbours are known."""
        model, known = self._model, len(self._known)
        steps = (len(self._text) - known - model.context) // model.step
        last = len(self._text) if ended else known + max(0, steps) * model.step
        if last > known:
            new = model.probabilities(self._text, self._begin, known, last, threads=self._threads)
            self._known = np.concatenate([self._known, new])

    def _decided(self, ended: bool) -> tuple[int, bool]:
        """Return up to where tokens can be cut, and whether a long run of spaces begins before."""
        known = len(self._known)
        space = is_space(code_points(self._text[self._first : known]))
        written = np.flatnonzero(~space)
        gaps = np.diff(written, prepend=-1, append=known - self._first) - 1
        long = np.flatnonzero(gaps >= SPACES_TOGETHER)
        if len(long):
            return self._first + (int(written[long[0] - 1]) + 1 if long[0] > 0 else 0), True
        if ended:
            return len(self._text), False
        begins = np.flatnonzero(~space[1:] & space[:-1]) + 1
        limit = self._first + (int(begins[-1]) if len(begins) else 0)
        # A run of characters without end: it is cut wherever the network says.
        forced = known - limit > self._block // 2 and len(space) > 0 and not space[-1]
        return (known if forced else limit), False

    def _give_out(self, limit: int, ended: bool) -> Iterator[Segmentation]:
        """Yield what is cut up to a position; all of it, or whole sentences only."""
        first = self._first
        tokens = tokens_between(self._model, self._text, self._known, first, limit, ended=ended)
        count = len(tokens.final) if ended else int(np.append(0, np.flatnonzero(tokens.final) + 1)[-1])
        if count == 0:
            return
        if self._waiting is not None:
            yield self._completed(self._waiting, self._as_written(first, int(tokens.starts[0])))
            first = int(tokens.starts[0])
        self._first = self._following(int(tokens.ends[count - 1]), limit)
        begin = int(self._origins[first])
        part = Segmentation(
            self._as_written(first, self._first),
            self._origins[tokens.starts[:count]] - begin,
            self._origins[tokens.ends[:count]] - begin,
            tokens.multiword[:count],
            tokens.final[:count],
            tokens.too_long,
            begin,
            "".join(self._spaces),
        )
        self._spaces = []
        if self._following(self._first, self._first + 1) > self._first:
            self._waiting = part  # more spaces follow
        else:
            yield part

    def _following(self, end: int, limit: int) -> int:
        """Return where the spaces behind a token end."""
        space = is_space(code_points(self._text[end:limit]))
        return end + int(np.argmin(np.append(space, False)))

    def _completed(self, waiting: Segmentation, spaces: str) -> Segmentation:
        """Return what waited, with the spaces behind it."""
        completed = replace(waiting, spaces_after="".join([*self._spaces, escaped(spaces)]))
        self._spaces, self._waiting = [], None
        return completed

    def _put_away_spaces(self) -> None:
        """Keep of the long run of spaces that comes next what it amounts to; its last characters are still held."""
        length = self._following(self._first, len(self._known)) - self._first
        length -= length % SPACES_TOGETHER
        self._spaces.append(escaped(self._as_written(self._first, self._first + length)))
        self._first += length

    def _forget(self) -> None:
        """Drop what neither was not given out nor is looked at any more."""
        drop = max(0, min(self._first, len(self._known) - self._model.context))
        self._written = self._as_written(drop, len(self._text))
        self._text, self._known, self._origins = self._text[drop:], self._known[drop:], self._origins[drop:]
        self._written_begin = int(self._origins[0])
        self._begin += drop
        self._first -= drop


def _blocks(pieces: Iterable[str], size: int) -> Iterator[str]:
    """Yield a text in blocks of a size; the last one is what is left."""
    waiting: list[str] = []
    count = 0
    for piece in chain.from_iterable(_parts(piece, size) for piece in pieces):
        waiting.append(piece)
        count += len(piece)
        if count >= size:
            yield "".join(waiting)
            waiting, count = [], 0
    if count:
        yield "".join(waiting)


def _parts(piece: str, size: int) -> Iterator[str]:
    if not isinstance(piece, str):
        raise TextError(f"a text is needed, not {type(piece).__name__}")
    return (piece[start : start + size] for start in range(0, len(piece), size))


def _check_characters(block: str, begin: int) -> None:
    """Refuse halves of surrogate pairs, which no file can hold."""
    try:
        block.encode("utf-8")
    except UnicodeEncodeError as error:
        code = ord(block[error.start])
        raise TextError(
            f"character {begin + error.start} of the text is U+{code:04X}, half a surrogate pair, which is no character"
        ) from error


def text_lines(blocks: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a text that comes in blocks, with their ends."""
    rest: list[str] = []
    for block in blocks:
        *whole, last = block.split("\n")
        for line in whole:
            yield "".join([*rest, line, "\n"])
            rest = []
        rest.append(last)
    if any(rest):
        yield "".join(rest)
