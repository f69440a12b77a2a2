"""The segmenter: raw text to sentences, tokens and words; texts of any length piece by piece in bounded memory.

A network (`network`) says where tokens and sentences end, or, for treebanks that do not know their texts, rules that
are learnt from their tokens alone (`rules`); multiword tokens become words by a dictionary and rules (`words`).

A text is held from the sentence that has not ended yet on, as it was written and in composed form. The boundary model
reads it in blocks at fixed positions of the whole text, so that the pieces in which it comes change nothing. What is
decided stays within what is held, whatever the text: tokens, sentences and runs of spaces are bounded. O(characters).
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any

import numpy as np

from .. import __version__, _kernel
from .._arrays import AnyArray, offsets_of
from .._progress import is_watched
from ..errors import CrossarcError, is_broken
from ..models.model_file import (
    MISFITS,
    Arrays,
    ModelFile,
    ModelFileError,
    check_fields,
    read_model_file,
    reason,
    write_model_file,
)
from ..options import Check, checked_threads, one_of, structure
from ..parsers.trees import fingerprint
from ..training.report import Epoch, TrainingReport
from ..treebank import Treebank
from . import rules
from .boundaries import CLASSES, BoundaryModel, gather_paragraphs, tokens_between, without_slips
from .insertions import Abbreviation
from .network import NetworkBoundaries, NetworkDefinition, NetworkLearner, SegmenterError, SegmenterOptions
from .rules import RuleBoundaries, written_together
from .surface import SPACES_TOGETHER, escaped, knows_texts, raw_text, surface_sentences
from .thresholds import best_threshold
from .unicode import code_points, composed, is_space, last_whole
from .words import Expansions, Numbering, Segmentation, unbroken

TYPE = "segmenter"
_FIELDS: Mapping[str, Check] = {"type": one_of(TYPE), "boundaries": structure, "expansions": structure}
#: An empty line, which ends whatever stands before it.
_BETWEEN = "\n\n"
#: Characters of a text that are cut at a time.
BLOCK = 1 << 16
#: Lines are cut into words together until there are so many characters, and texts that have no more than this.
_TOGETHER, _LONGEST_TOGETHER = 1 << 15, 1 << 13


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


@dataclass(eq=False)
class Segmenter:
    """A trained segmenter: `segment` finds tokens and sentences, `treebank` makes words of them."""

    boundaries: NetworkBoundaries | RuleBoundaries
    expansions: Expansions
    #: How the network was trained, after `train`.
    report: TrainingReport | None = field(default=None, repr=False)

    @staticmethod
    def generic() -> Segmenter:
        """Return a segmenter of no language, which cuts words at spaces and marks, and sentences behind final marks."""
        return Segmenter(RuleBoundaries.generic(), Expansions({}, {}))

    def treebanks(self, texts: Sequence[str], *, in_lines: Sequence[bool], threads: int = 0) -> list[Treebank]:
        """Return the sentences of texts, which are cut together, each with its number and where paragraphs begin.

        `in_lines` says of which texts each line is a sentence.
        """
        pool = _kernel.StringPool()
        segmentations = self.segment_all(texts, in_lines=in_lines, threads=checked_threads(threads))
        return [tokens.treebank(self.words(tokens), pool, numbering=Numbering()) for tokens in segmentations]

    @staticmethod
    def train(
        treebank: Treebank,
        options: SegmenterOptions | None = None,
        *,
        epochs: int = 20,
        seed: int = 1,
        threads: int = 0,
        checkpoint: str | os.PathLike[str] | None = None,
        resume: bool = False,
        on_epoch: Callable[[int, float], None] | None = None,
        progress: bool | None = None,
    ) -> Segmenter:
        """Train on the texts of a treebank; `on_epoch` is told the number of each epoch and the share of mistakes.

        `checkpoint`, `resume` and `progress` are those of `Parser.train`; the model of the last epoch is kept. A
        treebank that does not know its texts gives rules (`rules`), which need no epochs.
        """
        from ..training.loop import TrainingSettings, shown_training, train_model

        paragraphs = without_slips(gather_paragraphs(surface_sentences(treebank)))
        if not paragraphs:
            raise SegmenterError("there are no words to learn from")
        sentences = list(chain.from_iterable(paragraphs))
        options = options or SegmenterOptions()
        if not knows_texts(treebank):
            expansions = Expansions.fit(written_together(sentences))
            return Segmenter(RuleBoundaries.fit(sentences, options.most_words), expansions)

        def tell(epoch: Epoch) -> None:
            if on_epoch is not None:
                on_epoch(epoch.number, epoch.mistakes / max(1, learner.characters))

        def identity() -> dict[str, Any]:
            return {
                "training data": fingerprint(treebank),
                "options": options.to_dict(),
                "number of epochs": settings.epochs,
                "seed": settings.seed,
                "version": __version__,
            }

        settings = TrainingSettings(epochs, None, seed, threads, checkpoint, resume, on_epoch=tell)
        definition = NetworkDefinition.fit(paragraphs, options)
        learner = NetworkLearner(
            definition, paragraphs, epochs=settings.epochs, seed=settings.seed, threads=settings.threads
        )
        report = TrainingReport(len(sentences), treebank.words, 0, 0)
        shown = on_epoch is None and is_watched() if progress is None else progress
        with shown_training(settings, shown=shown) as told:
            boundaries = train_model(definition, learner, None, report, told, identity)
        put_in = (Abbreviation.parse(text).surface() for text in options.abbreviations)
        return Segmenter(boundaries, Expansions.fit(chain(*sentences, *put_in)), report)

    def calibrate(self, dev: Treebank, *, threads: int = 0) -> None:
        """Choose on development data how probable the end of a sentence has to be.

        Texts without final marks never say surely where a sentence ends: where the most probable class alone decides,
        sentences grow to the longest that there may be. The highest threshold is taken whose F1 of ends is within a
        point of the best. Rules, and data that do not know their texts, change nothing.
        """
        if not isinstance(self.boundaries, NetworkBoundaries) or not knows_texts(dev):
            return
        network = self.boundaries

        def segmented(threshold: float) -> Segmentation:
            return Segmenter(network.with_threshold(threshold), self.expansions).segment(raw_text(dev), threads=threads)

        self.boundaries = network.with_threshold(best_threshold(dev, segmented))

    @property
    def characters(self) -> str:
        """The characters that the training data had often enough."""
        return self.boundaries.characters

    # Texts

    def segment(self, text: str, *, threads: int = 0) -> Segmentation:
        """Return the tokens and sentences of a text."""
        return Segmentation.joined(text, list(self.segmentations([text], threads=threads)))

    def segmentations(self, pieces: Iterable[str], *, threads: int = 0) -> Iterator[Segmentation]:
        """Yield the same of one text that comes in pieces, for parts of whole sentences, in bounded memory."""
        return TextStream(self.boundaries, threads=threads).segmentations(pieces)

    def segment_all(
        self, texts: Sequence[str], *, in_lines: Sequence[bool] | None = None, threads: int = 0
    ) -> list[Segmentation]:
        """Return the same of each of many texts; short ones are cut together, in much less time than alone.

        Those `in_lines` have a sentence on each line; a line of more words than sentences have is cut.
        """
        if in_lines is None or not any(in_lines):
            return self._segment_all(texts, threads)
        parts = [list(text_lines([text])) if lines else [text] for text, lines in zip(texts, in_lines, strict=True)]
        segmentations = iter(self._segment_all(list(chain.from_iterable(parts)), threads))
        return [
            self._from_lines(part, list(islice(segmentations, len(part)))) if lines else next(segmentations)
            for part, lines in zip(parts, in_lines, strict=True)
        ]

    def _segment_all(self, texts: Sequence[str], threads: int) -> list[Segmentation]:
        """Return the segmentations of texts; those that are not long are read and cut together."""
        segmentations: dict[int, Segmentation] = {}
        short = [index for index, text in enumerate(texts) if self._goes_together(text)]
        if len(short) > 1:
            together = self._cut_together([texts[index] for index in short], threads)
            segmentations = dict(zip(short, together, strict=False))
        return [
            segmentations[index] if index in segmentations else self.segment(text, threads=threads)
            for index, text in enumerate(texts)
        ]

    def _goes_together(self, text: str) -> bool:
        """Whether a text is not long, and in composed form."""
        if not 0 < len(text) <= _LONGEST_TOGETHER or "\r\n" in text.rstrip():
            return False
        return unicodedata.is_normalized("NFC", text) and not is_broken(text)

    def _cut_together(self, texts: Sequence[str], threads: int) -> list[Segmentation]:
        """Return the segmentations of texts, cut as one with empty lines between; none if a sentence is too long."""
        read = [text.replace("\r\n", "\n") for text in texts]  # behind the last token of each, if at all
        begins = offsets_of(len(text) + len(_BETWEEN) for text in read)
        joined = _BETWEEN.join(read)
        known = np.zeros((len(joined) + len(_BETWEEN), CLASSES), np.float32)
        between = begins[1:, None] - np.arange(1, len(_BETWEEN) + 1)
        known[np.delete(np.arange(len(known)), between)] = self.boundaries.probabilities_apart(read, threads=threads)
        tokens = tokens_between(self.boundaries, joined, known, 0, len(joined), ended=True)
        if tokens.too_long:
            return []
        first = np.searchsorted(tokens.starts, begins).tolist()
        return [
            Segmentation(
                text, tokens.starts[part] - begin, tokens.ends[part] - begin, tokens.multiword[part], tokens.final[part]
            )
            for text, begin, part in zip(texts, begins.tolist(), map(slice, first, first[1:]), strict=False)
        ]

    def segment_lines(self, blocks: Iterable[str], *, threads: int = 0) -> Iterator[Segmentation]:
        """Yield the segmentations of a text that comes in blocks and has a sentence on each line."""
        begin, length = 0, 0
        lines: list[str] = []
        for line in text_lines(blocks):
            # Empty lines stay with the line before, which keeps them as its spaces.
            if length >= _TOGETHER and line.strip():
                yield replace(self._from_lines(lines, self._segment_all(lines, threads)), begin=begin)
                begin, length, lines = begin + length, 0, []
            lines.append(line)
            length += len(line)
        if any(line.strip() for line in lines):
            yield replace(self._from_lines(lines, self._segment_all(lines, threads)), begin=begin)

    def _from_lines(self, lines: Sequence[str], segmentations: Sequence[Segmentation]) -> Segmentation:
        """Return the segmentation of a text from those of its lines, each of which is a sentence."""
        parts = []
        for begin, tokens in zip(offsets_of(map(len, lines)).tolist(), segmentations, strict=False):
            count = len(tokens.final)
            if count <= self.boundaries.most_words:
                tokens = replace(tokens, final=np.arange(1, count + 1) == count)
            parts.append(replace(tokens, begin=begin))
        return Segmentation.joined("".join(lines), parts)

    # Words

    def words(self, tokens: Segmentation) -> list[tuple[str, ...]]:
        """Return the words of each token."""
        texts = (unbroken(tokens.text[start:end]) for start, end in tokens.spans())
        return [
            self.expansions.words(text) if several else (text,)
            for text, several in zip(texts, tokens.multiword.tolist(), strict=True)
        ]

    def treebank(self, text: str, *, threads: int = 0) -> Treebank:
        """Return the sentences of a text, with words, spaces and ranges in the text and nothing else."""
        tokens = self.segment(text, threads=threads)
        return tokens.treebank(self.words(tokens))

    def stream(self, pieces: Iterable[str], *, threads: int = 0) -> Iterator[Treebank]:
        """Yield the sentences of one text that comes in pieces, in bounded memory.

        The treebanks have the sentences that `treebank` finds in the whole text, some thousand words each; ranges
        count in the whole text.
        """
        for tokens in self.segmentations(pieces, threads=threads):
            yield tokens.treebank(self.words(tokens))

    # Files

    def to_parts(self, bits: int = 16) -> tuple[dict[str, Any], Arrays]:
        """Return a description and arrays of so many bits, for a model file."""
        boundaries, arrays = self.boundaries.to_parts(bits)
        return {"type": TYPE, "boundaries": boundaries, "expansions": self.expansions.to_dict()}, arrays

    @staticmethod
    def from_parts(description: Any, arrays: Mapping[str, AnyArray]) -> Segmenter:
        """Make it again from what `to_parts` gave; a `ModelFileError` if these are no such parts."""
        try:
            check_fields("the segmenter", description, _FIELDS)
            kind = RuleBoundaries if description["boundaries"].get("kind") == rules.KIND else NetworkBoundaries
            boundaries = kind.from_parts(description["boundaries"], arrays)
            return Segmenter(boundaries, Expansions.from_dict(description["expansions"]))
        except MISFITS as error:
            raise ModelFileError(f"no segmenter, or a damaged one ({reason(error)})") from error

    def __getstate__(self) -> tuple[dict[str, Any], Arrays]:
        """Return what a model file would hold: the native model itself cannot be pickled."""
        return self.to_parts()

    def __setstate__(self, state: tuple[dict[str, Any], Arrays]) -> None:
        """Take what `__getstate__` gave, of the same version of crossarc."""
        self.__dict__.update(vars(Segmenter.from_parts(*state)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a model file, whole or not at all."""
        write_model_file(path, ModelFile(*self.to_parts()))

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Segmenter:
        """Return the segmenter of a model file that `save` wrote."""
        file = read_model_file(path)
        try:
            return Segmenter.from_parts(file.description, file.arrays)
        except ModelFileError as error:
            raise ModelFileError(f"{os.fspath(path)}: {error}") from error
