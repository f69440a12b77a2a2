"""Texts of any length, cut piece by piece in bounded memory.

A text is held from the sentence that has not ended yet on, as it was written and in composed form. What says where
tokens end (a `Cutter`) reads it in blocks at fixed places of the whole text, so that the pieces in which it comes
change nothing. What is decided stays within what is held, whatever the text: tokens, sentences and runs of spaces are
bounded. O(characters) time.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Protocol

import numpy as np

from .._arrays import Flags, Floats, Ids, Offsets, different, offsets_of
from ..errors import CrossarcError, is_broken
from .alphabet import codes_of, is_space
from .composed import belongs, composed, last_whole
from .cuts import CLASSES, MULTIWORD, MULTIWORD_SENTENCE, SENTENCE
from .segmentation import Segmentation
from .surface import SPACES_TOGETHER, escaped
from .whole import empty_lines, kept_whole

#: No token has more characters.
MOST_CHARACTERS = 4096
#: No sentence has more characters: a line of CoNLL-U is at most a megabyte long.
LONGEST_SENTENCE = 1 << 16
#: What may stand within a token.
_JOINING_SPACES = [ord(space) for space in "\u0020\u00a0\u2009\u202f"]
#: An empty line, which ends whatever stands before it.
_BETWEEN = "\n\n"
#: Characters of a text that are cut at a time.
BLOCK = 1 << 16


class TextError(CrossarcError):
    """A text that no segmenter can take."""


class Cutter(Protocol):
    """What says of characters whether tokens and sentences end with them."""

    @property
    def inner_spaces(self) -> bool:
        """Whether tokens may have single spaces in them."""

    @property
    def most_words(self) -> int:
        """No sentence gets more words."""

    @property
    def step(self) -> int:
        """The characters that are read together: it is asked from multiples of it on."""

    @property
    def context(self) -> int:
        """The characters on either side that it looks at."""

    def probabilities(self, text: str, begin: int, first: int, last: int, *, threads: int) -> Floats:
        """Return the probabilities of the classes of characters first to last - 1 of a text.

        `begin` is where the given text begins in the whole one; places count in what is given. It begins or ends less
        than `context` characters before or behind these only where the whole text does.
        """

    def probabilities_apart(self, texts: Sequence[str], *, threads: int) -> Floats:
        """Return the same of the characters of many texts, one behind the other; none has more than `step`."""


class TextStream:
    """Cuts one text that comes in pieces."""

    def __init__(self, cutter: Cutter, *, threads: int = 0, block: int = BLOCK) -> None:
        """Take what says where tokens end, and how many characters are cut at a time."""
        self._cutter = cutter
        self._threads = threads
        self._block = block
        self._written = ""  # what is held
        self._written_begin = 0  # of it in the whole text
        self._text = ""  # the same in composed form
        self._begin = 0  # of that in the whole composed text
        self._places = np.zeros(1, np.int64)  # where its characters begin in the whole text, and where it ends
        self._first = 0  # place of the first character that was not given out
        self._known = np.zeros((0, CLASSES), np.float32)  # the classes of as many characters as were read
        self._spaces: list[str] = []  # of a long run that is not held any more, as values of MISC
        self._waiting: Segmentation | None = None  # for the spaces behind it

    def segmentations(self, pieces: Iterable[str]) -> Iterator[Segmentation]:
        """Yield the segmentations of parts of the text, whole sentences each."""
        rest = ""
        for block in _blocks(pieces, self._block):
            _check_characters(block, int(self._places[-1]) + len(rest))
            block = rest + block
            whole = last_whole(block)
            self._take(block[:whole])
            rest = block[whole:]
            yield from self._cut(ended=False)
        self._take(rest)
        yield from self._cut(ended=True)

    def _take(self, block: str) -> None:
        """Hold more of the text."""
        text, places = composed(block)
        end = self._places[-1]
        self._text += text
        self._written += block
        self._places = np.concatenate([self._places[:-1], places + end, [end + len(block)]])

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
            yield self._completed(self._as_written(self._first, len(self._text)))
        self._forget()

    def _as_written(self, first: int, last: int) -> str:
        """Return what was written for characters of the composed text."""
        begin, end = self._places[[first, last]] - self._written_begin
        return self._written[begin:end]

    def _read(self, ended: bool) -> None:
        """Ask for the classes of characters whose neighbours are known."""
        cutter, known = self._cutter, len(self._known)
        steps = (len(self._text) - known - cutter.context) // cutter.step
        last = len(self._text) if ended else known + max(0, steps) * cutter.step
        if last > known:
            new = cutter.probabilities(self._text, self._begin, known, last, threads=self._threads)
            self._known = np.concatenate([self._known, new])

    def _decided(self, ended: bool) -> tuple[int, bool]:
        """Return up to where tokens can be cut, and whether a long run of spaces begins before."""
        known = len(self._known)
        space = is_space(codes_of(self._text[self._first : known]))
        written = np.flatnonzero(~space)
        gaps = np.diff(written, prepend=-1, append=known - self._first) - 1
        long = np.flatnonzero(gaps >= SPACES_TOGETHER)
        if len(long):
            place = int(written[long[0] - 1]) + 1 if long[0] > 0 else 0
            return self._first + place, True
        if ended:
            return len(self._text), False
        begins = np.flatnonzero(~space[1:] & space[:-1]) + 1
        limit = self._first + (int(begins[-1]) if len(begins) else 0)
        # A run of characters without end: it is cut wherever the network says.
        forced = known - limit > self._block // 2 and len(space) > 0 and not space[-1]
        return (known if forced else limit), False

    def _give_out(self, limit: int, ended: bool) -> Iterator[Segmentation]:
        """Yield what is cut up to a place; all of it, or whole sentences only."""
        first = self._first
        found = cuts(self._cutter, self._text, self._known, first, limit, ended=ended)
        count = len(found.final) if ended else int(np.append(0, np.flatnonzero(found.final) + 1)[-1])
        if count == 0:
            return
        if self._waiting is not None:
            yield self._completed(self._as_written(first, int(found.starts[0])))
            first = int(found.starts[0])
        self._first = self._following(int(found.ends[count - 1]), limit)
        begin = self._places[first]
        own = Segmentation(
            self._as_written(first, self._first),
            self._places[found.starts[:count]] - begin,
            self._places[found.ends[:count]] - begin,
            np.isin(found.kinds[:count], (MULTIWORD, MULTIWORD_SENTENCE)),
            found.final[:count],
            found.too_long,
            int(begin),
            "".join(self._spaces),
        )
        self._spaces = []
        yield from self._after(own)

    def _following(self, end: int, limit: int) -> int:
        """Return where the spaces behind a token end."""
        space = is_space(codes_of(self._text[end:limit]))
        return end + int(np.argmin(np.append(space, False)))

    def _after(self, own: Segmentation) -> Iterator[Segmentation]:
        """Yield a segmentation, unless more spaces may follow."""
        text = self._text
        if self._first < len(text) and is_space(codes_of(text[self._first]))[0]:
            self._waiting = own
        else:
            yield own

    def _completed(self, spaces: str) -> Segmentation:
        """Return what waited, with the spaces behind it."""
        assert self._waiting is not None
        own = replace(self._waiting, spaces_after="".join([*self._spaces, escaped(spaces)]))
        self._spaces, self._waiting = [], None
        return own

    def _put_away_spaces(self) -> None:
        """Keep of the long run of spaces that comes next what it amounts to; its last characters are still held."""
        length = self._following(self._first, len(self._known)) - self._first
        length -= length % SPACES_TOGETHER
        self._spaces.append(escaped(self._as_written(self._first, self._first + length)))
        self._first += length

    def _forget(self) -> None:
        """Drop what neither was not given out nor is looked at any more."""
        drop = max(0, min(self._first, len(self._known) - self._cutter.context))
        self._written = self._as_written(drop, len(self._text))
        self._text, self._known, self._places = self._text[drop:], self._known[drop:], self._places[drop:]
        self._written_begin = int(self._places[0])
        self._begin += drop
        self._first -= drop


def segmentations_of(cutter: Cutter, texts: Sequence[str], *, threads: int) -> list[Segmentation]:
    """Return the segmentation of each of many texts; those of at most a step are read and cut together."""
    found: dict[int, Segmentation] = {}
    short = [place for place, text in enumerate(texts) if text and _goes_together(cutter, text)]
    if len(short) > 1:
        found |= zip(short, _cut_together(cutter, [texts[place] for place in short], threads), strict=False)
    for place, text in enumerate(texts):
        if place not in found:
            parts = list(TextStream(cutter, threads=threads).segmentations([text]))
            found[place] = Segmentation.joined(text, parts)
    return [found[place] for place in range(len(texts))]


def _goes_together(cutter: Cutter, text: str) -> bool:
    """Whether a text is short and in composed form."""
    return len(text) <= cutter.step and unicodedata.is_normalized("NFC", text) and not is_broken(text)


def _cut_together(cutter: Cutter, texts: Sequence[str], threads: int) -> list[Segmentation]:
    """Return the segmentations of short texts, cut as one with empty lines between; none if a sentence is too long."""
    begins = offsets_of(len(text) + len(_BETWEEN) for text in texts)
    joined = _BETWEEN.join(texts)
    known = np.zeros((len(joined) + len(_BETWEEN), CLASSES), np.float32)
    between = begins[1:, None] - np.arange(1, len(_BETWEEN) + 1)
    known[np.delete(np.arange(len(known)), between)] = cutter.probabilities_apart(texts, threads=threads)
    every = cuts(cutter, joined, known, 0, len(joined), ended=True)
    if every.too_long:
        return []
    several = np.isin(every.kinds, (MULTIWORD, MULTIWORD_SENTENCE))
    first = np.searchsorted(every.starts, begins).tolist()
    return [
        Segmentation(text, every.starts[own] - begin, every.ends[own] - begin, several[own], every.final[own])
        for text, begin, own in zip(texts, begins.tolist(), map(slice, first, first[1:]), strict=False)
    ]


class Cuts:
    """Tokens within a text that is held: where they begin and end, their classes, and which end sentences."""

    def __init__(self, starts: Offsets, ends: Offsets, kinds: Ids, final: Flags, too_long: int) -> None:
        """Take them as arrays."""
        self.starts, self.ends, self.kinds, self.final, self.too_long = starts, ends, kinds, final, too_long


def cuts(cutter: Cutter, text: str, known: Floats, first: int, limit: int, *, ended: bool) -> Cuts:
    """Return the tokens between two places; the last one, if the text does not end there, may not be one yet."""
    size = limit - first
    codes = codes_of(text[first : limit + 1])
    following = is_space(codes)[1:] if limit < len(text) else np.append(is_space(codes)[1:], True)
    space = is_space(codes[:size])
    written = np.flatnonzero(~space)
    own = known[first:limit]
    kinds = own.argmax(axis=1).astype(np.int32)
    ends = kinds > 0
    for start, stop, ends_token in kept_whole(text, first, limit):
        ends[start - first : stop - 1 - first] = False
        if ends_token and stop < limit:
            ends[stop - 1 - first] = True
    ends[: len(codes) - 1] &= ~belongs(codes)[1:]
    # A space ends a token; where tokens have spaces in them, two spaces, a tab or a line end does.
    if cutter.inner_spaces:
        joins = np.isin(codes[1:size], _JOINING_SPACES) & ~following[1:]
        ends |= np.append(space[1:] & ~joins, ended)[:size]
    else:
        ends |= np.append(space[1:], ended)[:size]
    ends[space] = False
    empty = np.searchsorted(written, np.array(empty_lines(text, first, limit), np.int64) - first)
    paragraph_ends = different(np.append(written[empty[empty > 0] - 1], written[-1:] if ended else written[:0]))
    ends[paragraph_ends] = True
    _cut_long_tokens(ends, written)
    stops = np.flatnonzero(ends)
    starts = written[np.append(0, np.searchsorted(written, stops)[:-1] + 1)[: len(stops)]]
    final = np.isin(kinds[stops], (SENTENCE, MULTIWORD_SENTENCE)) | np.isin(stops, paragraph_ends)
    chance = own[stops][:, [SENTENCE, MULTIWORD_SENTENCE]].sum(axis=1)
    too_long = _cut_long_sentences(final, chance, starts, stops + 1, cutter.most_words)
    return Cuts(starts + first, stops + 1 + first, kinds[stops], final, too_long)


def _cut_long_tokens(ends: Flags, written: Offsets) -> None:
    """Mark more ends of tokens, so that none has too many characters."""
    stops = different(np.append(np.flatnonzero(ends), written[-1:]))
    starts = np.append(0, np.searchsorted(written, stops)[:-1] + 1)[: len(stops)]
    for place in np.flatnonzero(stops + 1 - written[starts] > MOST_CHARACTERS).tolist():
        begin, stop = int(written[starts[place]]), int(stops[place])
        while stop + 1 - begin > MOST_CHARACTERS:
            following = int(np.searchsorted(written, begin + MOST_CHARACTERS))
            ends[written[following - 1]] = True
            begin = int(written[following])


def _cut_long_sentences(final: Flags, chance: Floats, starts: Offsets, ends: Offsets, most: int) -> int:
    """Mark more last tokens of sentences, so that none has too many tokens or characters; return how many."""
    count = 0
    stops = different(np.append(np.flatnonzero(final) + 1, len(final)))
    begins = np.append(0, stops[:-1])
    stops, begins = stops[stops > begins], begins[stops > begins]
    long = (stops - begins > most) | (ends[stops - 1] - starts[begins] > LONGEST_SENTENCE)
    for begin, stop in zip(begins[long].tolist(), stops[long].tolist(), strict=True):
        while True:
            within = int(np.searchsorted(ends, starts[begin] + LONGEST_SENTENCE, side="right")) - begin
            room = max(1, min(most, within))
            if stop - begin <= room:
                break
            half = begin + room // 2
            begin = half + int(np.argmax(chance[half : begin + room])) + 1
            final[begin - 1] = True
            count += 1
    return count


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
