"""The segmenter: raw text to sentences, tokens and words; texts of any length piece by piece (`text_stream`).

A network (`network`) says where tokens and sentences end, or, for treebanks that do not know their texts, rules that
are learnt from their tokens alone (`rules`); multiword tokens become words by a dictionary and rules (`words`).
Texts that are not long are read and cut together. O(characters).
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
from .._arrays import AnyArray, Floats, offsets_of
from .._progress import is_watched
from ..errors import is_broken
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
from .boundaries import CLASSES, Paragraph, gather_paragraphs, tokens_between, without_slips
from .insertions import Abbreviation, with_whole_abbreviations
from .network import NetworkBoundaries, NetworkDefinition, NetworkLearner, SegmenterError, SegmenterOptions
from .rules import RuleBoundaries, written_together
from .surface import SurfaceToken, knows_texts, raw_text, surface_sentences
from .text_stream import TextStream, text_lines
from .thresholds import best_threshold
from .words import Expansions, Numbering, Segmentation, unbroken

TYPE = "segmenter"
_FIELDS: Mapping[str, Check] = {"type": one_of(TYPE), "boundaries": structure, "expansions": structure}
#: An empty line, which ends whatever stands before it.
_BETWEEN = "\n\n"
#: Lines are cut into words together until there are so many characters, and texts that have no more than this.
_TOGETHER, _LONGEST_TOGETHER = 1 << 15, 1 << 13


def _paragraphs(treebank: Treebank, abbreviations: Sequence[str] = ()) -> list[Paragraph]:
    """Return the texts of a treebank, without what their annotators treat now so, now otherwise."""
    paragraphs = without_slips(gather_paragraphs(surface_sentences(treebank)))
    return list(with_whole_abbreviations(paragraphs, abbreviations))


def _expansions(sentences: Iterable[Sequence[SurfaceToken]], abbreviations: Iterable[str]) -> Expansions:
    """Return how tokens become words, by those of sentences and of abbreviations that training put in."""
    put_in = (Abbreviation.parse(text).tokens for text in abbreviations)
    return Expansions.fit(chain(*sentences, *put_in))


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
        return [tokens.treebank(self.other_words(tokens), pool, numbering=Numbering()) for tokens in segmentations]

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

        options = options or SegmenterOptions()
        paragraphs = _paragraphs(treebank, options.abbreviations)
        if not paragraphs:
            raise SegmenterError("there are no words to learn from")
        sentences = list(chain.from_iterable(paragraphs))
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
        return Segmenter(boundaries, _expansions(sentences, options.abbreviations), report)

    def count(self, treebank: Treebank) -> None:
        """Count once more in a treebank how tokens become words, and where none ends; the network stays as it is."""
        if isinstance(self.boundaries, RuleBoundaries):
            self.expansions = Expansions.fit(written_together(chain.from_iterable(_paragraphs(treebank))))
            return
        abbreviations = self.boundaries.definition.options.abbreviations
        paragraphs = _paragraphs(treebank, abbreviations)
        self.expansions = _expansions(chain.from_iterable(paragraphs), abbreviations)
        self.boundaries = self.boundaries.with_counts(paragraphs)

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
            together = self._read_together([texts[index] for index in short], threads)
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

    def _read_together(self, texts: Sequence[str], threads: int) -> list[Segmentation]:
        """Return the segmentations of texts, which are read and cut together; none if a sentence is too long."""
        read = [text.replace("\r\n", "\n") for text in texts]  # behind the last token of each, if at all
        tokens = self.cut_together(read, self.boundaries.probabilities_apart(read, threads=threads))
        if any(of_text.too_long for of_text in tokens):
            return []
        return [replace(of_text, text=text) for text, of_text in zip(texts, tokens, strict=True)]

    def cut_together(self, texts: Sequence[str], probabilities: Floats) -> list[Segmentation]:
        """Return the segmentations of texts by the probabilities of their characters, one behind the other.

        They are cut as one text with empty lines between; the first one says how many sentences were too long.
        """
        begins = offsets_of(len(text) + len(_BETWEEN) for text in texts)
        joined = _BETWEEN.join(texts)
        known = np.zeros((len(joined) + len(_BETWEEN), CLASSES), np.float32)
        between = begins[1:, None] - np.arange(1, len(_BETWEEN) + 1)
        known[np.delete(np.arange(len(known)), between)] = probabilities
        tokens = tokens_between(self.boundaries, joined, known, 0, len(joined), ended=True)
        first = np.searchsorted(tokens.starts, begins).tolist()
        too_long = [tokens.too_long, *[0] * len(texts)]
        return [
            Segmentation(
                text,
                tokens.starts[part] - begin,
                tokens.ends[part] - begin,
                tokens.multiword[part],
                tokens.final[part],
                of_text,
            )
            for text, begin, part, of_text in zip(
                texts, begins.tolist(), map(slice, first, first[1:]), too_long, strict=False
            )
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
        words: list[tuple[str, ...]] = [(tokens.text[start:end],) for start, end in tokens.spans()]
        for token, others in self.other_words(tokens).items():
            words[token] = others
        return words

    def other_words(self, tokens: Segmentation) -> dict[int, tuple[str, ...]]:
        """Return the words of tokens of several words, and of those that go on in the next line."""
        others = np.flatnonzero(tokens.multiword | tokens.has_line_end())
        spans = zip(tokens.starts[others].tolist(), tokens.ends[others].tolist(), strict=True)
        texts = (unbroken(tokens.text[start:end]) for start, end in spans)
        several = tokens.multiword[others].tolist()
        words = (self.expansions.words(text) if some else (text,) for text, some in zip(texts, several, strict=True))
        return dict(zip(others.tolist(), words, strict=True))

    def treebank(self, text: str, *, threads: int = 0) -> Treebank:
        """Return the sentences of a text, with words, spaces and ranges in the text and nothing else."""
        tokens = self.segment(text, threads=threads)
        return tokens.treebank(self.other_words(tokens))

    def stream(self, pieces: Iterable[str], *, threads: int = 0) -> Iterator[Treebank]:
        """Yield the sentences of one text that comes in pieces, in bounded memory.

        The treebanks have the sentences that `treebank` finds in the whole text, some thousand words each; ranges
        count in the whole text.
        """
        for tokens in self.segmentations(pieces, threads=threads):
            yield tokens.treebank(self.other_words(tokens))

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
