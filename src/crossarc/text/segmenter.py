"""The segmenter: raw text to sentences, tokens and words.

A network (`network_cutter`) says where tokens and sentences end, or, for treebanks that do not know their texts, rules
that are learnt from their tokens alone (`rule_cutter`). Whatever these say, empty lines end sentences, and addresses,
numbers and joined signs are never cut (`whole`); multiword tokens become words by a dictionary and rules (`multiword`).
Texts are cut piece by piece in bounded memory (`stream`). O(characters).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .._arrays import AnyArray
from ..models.model_file import (
    MISFITS,
    Arrays,
    Check,
    ModelFile,
    ModelFileError,
    check_fields,
    one_of,
    read_model_file,
    reason,
    structure,
    write_model_file,
)
from ..treebank import Treebank
from . import rule_cutter
from .cuts import paragraphs_of
from .multiword import Expansions
from .network_cutter import NetworkCutter, SegmenterError, SegmenterOptions
from .rule_cutter import RuleCutter, written_together
from .segmentation import Segmentation
from .stream import TextStream, segmentations_of
from .surface import knows_texts, surface_sentences

TYPE = "segmenter"
_FIELDS: Mapping[str, Check] = {"type": one_of(TYPE), "cutter": structure, "expansions": structure}


@dataclass(eq=False)
class Segmenter:
    """A trained segmenter: `segment` finds tokens and sentences, `treebank` makes words of them."""

    cutter: NetworkCutter | RuleCutter
    expansions: Expansions

    @staticmethod
    def train(
        treebank: Treebank,
        options: SegmenterOptions | None = None,
        *,
        epochs: int = 20,
        seed: int = 1,
        threads: int = 0,
        on_epoch: Callable[[int, float], None] | None = None,
    ) -> Segmenter:
        """Train on the texts of a treebank; `on_epoch` is told the number of each epoch and the share of mistakes.

        A treebank that does not know its texts gives rules (`rule_cutter`), which need no epochs.
        """
        paragraphs = paragraphs_of(surface_sentences(treebank))
        if not paragraphs:
            raise SegmenterError("there are no words to learn from")
        sentences = [sentence for paragraph in paragraphs for sentence in paragraph.sentences]
        chosen = options or SegmenterOptions()
        if not knows_texts(treebank):
            return Segmenter(RuleCutter.fit(sentences, chosen.most_words), Expansions.fit(written_together(sentences)))
        cutter = NetworkCutter.train(paragraphs, chosen, epochs=epochs, seed=seed, threads=threads, on_epoch=on_epoch)
        return Segmenter(cutter, Expansions.fit(token for sentence in sentences for token in sentence))

    @property
    def characters(self) -> str:
        """The characters that the training data had often enough."""
        return self.cutter.characters

    def segment(self, text: str, *, threads: int = 0) -> Segmentation:
        """Return the tokens and sentences of a text."""
        return Segmentation.joined(text, list(TextStream(self.cutter, threads=threads).segmentations([text])))

    def segment_all(self, texts: Sequence[str], *, threads: int = 0) -> list[Segmentation]:
        """Return the same of each of many texts; short ones are cut together, in much less time than alone."""
        return segmentations_of(self.cutter, texts, threads=threads)

    # Words

    def words(self, found: Segmentation) -> list[tuple[str, ...]]:
        """Return the words of each token."""
        text = found.text
        return [
            self.expansions.words(text[start:stop]) if several else (text[start:stop],)
            for start, stop, several in zip(
                found.starts.tolist(), found.ends.tolist(), found.multiword.tolist(), strict=True
            )
        ]

    def treebank(self, text: str, *, threads: int = 0) -> Treebank:
        """Return the sentences of a text, with words, spaces and places in the text and nothing else."""
        found = self.segment(text, threads=threads)
        return found.treebank(self.words(found))

    def stream(self, pieces: Iterable[str], *, threads: int = 0) -> Iterator[Treebank]:
        """Yield the sentences of one text that comes in pieces, in bounded memory.

        The treebanks have the sentences that `treebank` finds in the whole text, some thousand words each; places
        count in the whole text.
        """
        for found in TextStream(self.cutter, threads=threads).segmentations(pieces):
            yield found.treebank(self.words(found))

    # Files

    def to_parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return a description and arrays, for a model file."""
        cutter, arrays = self.cutter.to_parts()
        return {"type": TYPE, "cutter": cutter, "expansions": self.expansions.to_dict()}, arrays

    @staticmethod
    def from_parts(description: Any, arrays: Mapping[str, AnyArray]) -> Segmenter:
        """Make it again from what `to_parts` gave; a `ModelFileError` if these are no such parts."""
        try:
            check_fields("the segmenter", description, _FIELDS)
            rules = description["cutter"].get("kind") == rule_cutter.KIND
            cutter = (RuleCutter if rules else NetworkCutter).from_parts(description["cutter"], arrays)
            return Segmenter(cutter, Expansions.from_dict(description["expansions"]))
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
