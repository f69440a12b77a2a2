"""What a request may ask for, what its sentences will cost, and how one that asks for too much is refused: as JSON.

Costs are estimated before anything is done, by the figures of one core of a small server with the embedded English
model, for the hardest sentences. Networks and answers take time by the word and by the pair of words; the charts of
1-endpoint-crossing trees by words to the fourth, and memory by words to the third; several trees of longer sentences a
search of a bounded time; transition parsers by the word and the width of the beam. O(sentences).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._arrays import Doubles
from ..treebank import Treebank

#: Seconds: of parsing a word; of a pair of words; of telling a word as JSON; of drawing it.
_WORD, _PAIR, _TOLD, _DRAWN = 2e-4, 1e-6, 1.2e-4, 4e-4
#: Seconds by words to the third power, for each tree: projective trees, and all trees.
_CUBIC = 1.5e-10
#: Seconds by words to the fourth power and bytes by words to the third, of the charts of the best tree and of several,
#: and up to how many words they are used; and seconds of the search for several trees of more words.
_CHART, _CHART_BYTES, _CHART_WORDS = 1.1e-8, 70, 120
_RANKED, _RANKED_BYTES, _RANKED_WORDS = 1.5e-7, 1000, 56
_SEARCH = 0.4
#: A text has no more characters for each word that is allowed; and so many it has by the word, usually.
_CHARACTERS, _USUAL_CHARACTERS = 12, 5
#: A request that takes longer is cut into pieces of this length; and so much beyond what its words take, a batch may.
PIECE_SECONDS = 0.25


@dataclass(frozen=True)
class Limits:
    """Bounds of requests and of the queue; the command line sets them."""

    #: Bytes of the body or of the query.
    body: int = 4_000_000
    #: Words of a request, and of each of its sentences.
    words: int = 20_000
    sentence_words: int = 1_000
    #: Words of a sentence that is drawn, or stepped through.
    drawn_words: int = 400
    stepped_words: int = 200
    #: Trees that are drawn for one request.
    drawn_sentences: int = 100
    #: Trees of each sentence.
    nbest: int = 20
    #: Seconds and bytes that the n best trees of one sentence may take, as far as can be told before.
    sentence_seconds: float = 1.5
    sentence_bytes: int = 200_000_000
    #: Seconds until the answer must be there.
    seconds: float = 30.0
    #: Seconds that a request may expect to wait before its turn; with a longer queue it is refused.
    waiting_seconds: float = 0.5
    #: Requests that wait at most, and that are open at most.
    waiting: int = 256
    open: int = 1024
    #: Bytes and lines of the head of a request, and seconds until it must have come.
    head: int = 16_384
    head_lines: int = 100
    head_seconds: float = 10.0
    #: Bytes of the bodies of all requests that are open.
    bodies: int = 128_000_000
    #: Connections in all, and of one address.
    connections: int = 1000
    address_connections: int = 256


class RefusedError(Exception):
    """A request that is answered with an error: its status, what is wrong, and further fields of the answer."""

    def __init__(
        self,
        status: int,
        message: str,
        details: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Take what the answer says."""
        super().__init__(message)
        self.status = status
        self.message = message
        self.details = dict(details or {})
        self.headers = dict(headers or {})

    def to_dict(self) -> dict[str, Any]:
        """Return the answer."""
        return {"error": self.message, "status": self.status, **self.details}


def refused_for_now(seconds: float, message: str) -> RefusedError:
    """Return the answer that says when to try again."""
    return RefusedError(503, message, headers={"Retry-After": str(max(1, round(seconds + 0.5)))})


def check_size(what: str, number: int, most: int) -> None:
    """Refuse a request with too much in it."""
    if number > most:
        raise RefusedError(413, f"{number:,} {what}: at most {most:,} are taken", {"limit": most})


@dataclass(frozen=True)
class Cost:
    """What each sentence of a request takes."""

    seconds: Doubles
    #: The part of it that grows with words alone, by which batches are measured.
    linear: float

    @property
    def total(self) -> float:
        """Seconds of all sentences."""
        return float(self.seconds.sum())

    @property
    def beyond(self) -> float:
        """Seconds that a batch does not expect from the number of words."""
        return max(0.0, self.total - self.linear)

    def and_telling(self, treebank: Treebank, nbest: int, drawn: bool) -> Cost:
        """Add what it takes to tell the trees as JSON, and to draw them."""
        words = np.diff(treebank.word_offsets) * float(nbest)
        return Cost(self.seconds + words * (_TOLD + (_DRAWN if drawn else 0.0)), self.linear + treebank.words * _TOLD)

    def pieces(self) -> Iterator[slice]:
        """Return the sentences in pieces that take PIECE_SECONDS, or one sentence."""
        start, total = 0, 0.0
        for index, seconds in enumerate(self.seconds.tolist()):
            if index > start and total + seconds > PIECE_SECONDS:
                yield slice(start, index)
                start, total = index, 0.0
            total += seconds
        yield slice(start, len(self.seconds))


@dataclass(frozen=True)
class CostModel:
    """What a parser's sentences cost by its kind: the trees of a graph parser, or the beam of another."""

    trees: str | None
    beam: int = 1

    @staticmethod
    def free(treebank: Treebank, nbest: int, limits: Limits) -> Cost:
        """Return what it costs to take the trees that are given."""
        return Cost(np.zeros(len(treebank)), 0.0)

    def parsing(self, treebank: Treebank, nbest: int, limits: Limits) -> Cost:
        """Estimate; a sentence whose n best trees take too long, or too much memory, is refused."""
        words = np.diff(treebank.word_offsets).astype(np.float64)
        seconds = words * (_WORD if self.trees else _WORD * max(nbest, self.beam)) + words**2 * _PAIR
        if self.trees is not None:
            seconds += nbest * words**3 * _CUBIC
        if self.trees == "1-endpoint-crossing":
            charted = np.where(words <= _CHART_WORDS, words, 0)
            best, few = charted**4 * _CHART, words <= _RANKED_WORDS
            seconds += best if nbest == 1 else np.where(few, words**4 * _RANKED, _SEARCH + best)
            if nbest > 1:
                size = np.where(few, words**3 * _RANKED_BYTES, charted**3 * _CHART_BYTES)
                _check_ranked(words, seconds, size, nbest, limits)
        cost = Cost(seconds, float(words.sum()) * _WORD)
        if cost.total > limits.seconds:
            raise RefusedError(
                413,
                f"this would take about {cost.total:.0f} seconds, more than {limits.seconds:g}: send less at once",
            )
        return cost


def text_seconds(data: str) -> float:
    """Estimate what a text or CoNLL-U costs before it is read."""
    return (_WORD + _TOLD) * (data.count("\n") if "\t" in data else len(data) / _USUAL_CHARACTERS)


def check_text(text: str, limits: Limits) -> None:
    """Refuse a raw text that has too many words before it is cut into them."""
    check_size("words", len(text.split(None, limits.words)), limits.words)
    check_size("characters", len(text), _CHARACTERS * limits.words)


def _check_ranked(words: Doubles, seconds: Doubles, size: Doubles, nbest: int, limits: Limits) -> None:
    dear = np.flatnonzero((seconds > limits.sentence_seconds) | (size > limits.sentence_bytes))
    if len(dear):
        first = dear[0]
        raise RefusedError(
            413,
            f"the {nbest} best trees of a sentence of {int(words[first])} words may take {seconds[first]:.1f} seconds "
            f"and {size[first] / 1e6:,.0f} MB, more than the {limits.sentence_seconds:g} seconds or "
            f"{limits.sentence_bytes / 1e6:,.0f} MB that are given: send shorter sentences, or nbest 1",
            {"sentence": int(first) + 1},
        )
