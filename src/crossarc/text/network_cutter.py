"""A network that says where tokens and sentences end: a bidirectional LSTM over the characters of a text.

It learns from the texts of a treebank (`cuts`). A text goes through it in windows that begin at fixed places and
overlap, so that memory stays bounded and all windows are read side by side. O(characters).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from .. import _kernel
from .._arrays import AnyArray, Floats, Ids, Offsets, Values, offsets_of
from ..errors import CrossarcError, checked_whole
from ..features.characters import NO_FORMS
from ..models.model_file import Arrays, Check, array_of, check_fields, named, one_of, plain, structure, truth
from ..models.network.weights import rounded
from .alphabet import Alphabet
from .cuts import CLASSES, CutText, Paragraph, altered, cut_text

KIND = "network"
_BOUNDS: tuple[tuple[str, float, float], ...] = (
    *(("dimension", 1, 4096), ("cells", 1, 4096), ("layers", 1, 8), ("window", 16, 1 << 16), ("overlap", 0, 1 << 15)),
    *(("most_words", 2, 4096), ("batch", 1, 1 << 20), ("rate", 0.0, 1.0), ("dropout", 0.0, 0.99)),
    ("character_dropout", 0.0, 0.99),
)
_FIELDS: Mapping[str, Check] = {
    "kind": one_of(KIND),
    "options": named(plain, 20),
    "alphabet": structure,
    "inner_spaces": truth,
}


class SegmenterError(CrossarcError):
    """A segmenter that cannot be trained or used so."""


@dataclass(frozen=True)
class SegmenterOptions:
    """The options of a segmenter.

    Parameters:
        dimension: The embedding dimension of characters and pairs of them.
        cells: The hidden size of the LSTM, in each direction.
        layers: The number of LSTM layers.
        window: How many characters are read together.
        overlap: How many of them on each side are read for what stands between only.
        most_words: No sentence gets more words: it is cut where a sentence most probably ends.
        batch: The batch size in characters, about.
        rate: The learning rate of Adam.
        dropout: Dropout of the outputs of the LSTM.
        character_dropout: The share of characters, and of pairs, that training reads as unknown ones.
    """

    dimension: int = 48
    cells: int = 64
    layers: int = 1
    window: int = 640
    overlap: int = 40
    most_words: int = 300
    batch: int = 4000
    rate: float = 0.004
    dropout: float = 0.2
    character_dropout: float = 0.02

    def __post_init__(self) -> None:
        for name, least, most in _BOUNDS:
            value = getattr(self, name)
            whole = not isinstance(most, float)
            if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
                raise SegmenterError(f"{name} is a {'whole ' if whole else ''}number, not {value!r}")
            if not least <= value <= most:
                raise SegmenterError(f"{name} is from {least} to {most}, not {value}")
        if not 2 * self.overlap < self.window:
            raise SegmenterError(f"an overlap of {self.overlap} leaves nothing of a window of {self.window}")


@dataclass(eq=False)
class NetworkCutter:
    """A trained network with the alphabet that it reads."""

    options: SegmenterOptions
    alphabet: Alphabet
    #: Whether tokens of the training data have spaces in them.
    inner_spaces: bool
    model: _kernel.TaggerModel = field(repr=False)

    @staticmethod
    def train(
        paragraphs: Sequence[Paragraph],
        options: SegmenterOptions,
        *,
        epochs: int,
        seed: int,
        threads: int,
        on_epoch: Callable[[int, float], None] | None,
    ) -> NetworkCutter:
        """Train on paragraphs; `on_epoch` is told the number of each epoch and the share of mistakes."""
        from ..models.biaffine.learner import rate_at

        epochs, seed = checked_whole("epochs", epochs), checked_whole("seed", seed)
        alphabet = Alphabet.fit(cut_text(paragraph).text for paragraph in paragraphs)
        shape = _shape(options, alphabet)
        dropout = _kernel.EncoderDropout(
            inputs=0.0, layers=options.dropout, words=options.character_dropout, groups=0.0
        )
        learner = _kernel.TaggerLearner(
            shape,
            dropout=dropout,
            lexical_columns=3,
            rows=options.batch,
            seed=seed,
        )
        random = np.random.default_rng(seed)
        for epoch in range(1, epochs + 1):
            texts = [cut_text(altered(paragraph, random)) for paragraph in paragraphs]
            mistakes, characters = 0, 0
            values, offsets, classes = _windows_to_learn(alphabet, texts, options.window, random)
            order = random.permutation(len(offsets) - 1).astype(np.int32)
            steps = len(values) / options.batch
            for portion in np.array_split(order, max(1, len(order) // 256)):
                gone = epoch - 1 + characters / max(1, len(values))
                rate = options.rate * rate_at(gone / epochs, gone * steps, epochs * steps)
                mistakes += learner.learn(portion, values, offsets, NO_FORMS, classes, rate=rate, threads=threads)
                characters += int((offsets[portion + 1] - offsets[portion]).sum())
            if on_epoch is not None:
                on_epoch(epoch, mistakes / max(1, characters))
        model = _kernel.TaggerModel(shape, [rounded(weights) for weights in learner.weights()], bytes=True)
        tokens = (token for paragraph in paragraphs for sentence in paragraph.sentences for token in sentence)
        inner = any(character.isspace() for token in tokens for character in token.text)
        return NetworkCutter(options, alphabet, inner, model)

    @property
    def characters(self) -> str:
        """The characters that the training data had often enough."""
        return self.alphabet.characters

    @property
    def most_words(self) -> int:
        """No sentence gets more words."""
        return self.options.most_words

    @property
    def step(self) -> int:
        """The characters of a window that are not read for others only."""
        return self.options.window - 2 * self.options.overlap

    @property
    def context(self) -> int:
        """The characters on either side that the network looks at: an overlap, and the neighbour of its last one."""
        return self.options.overlap + 1

    def probabilities(self, text: str, begin: int, first: int, last: int, *, threads: int) -> Floats:
        """Return the probabilities of the classes of characters of a text, as a `Cutter` does."""
        overlap = self.options.overlap
        cores = np.arange(first, last, self.step)
        begins = np.maximum(cores - overlap, -begin)
        stops = np.minimum(cores + self.step + overlap, len(text))
        start = int(begins[0])
        values = self.alphabet.values(text[max(0, start - 1) : int(stops[-1]) + 1])[min(1, start) :]
        lengths = stops - begins
        rows = np.repeat(begins - start, lengths) + _places(lengths)
        own = self.model.probabilities(np.take(values, rows, axis=0), offsets_of(lengths), NO_FORMS, threads=threads)
        kept = np.minimum(cores + self.step, last) - cores
        from_rows = np.repeat(offsets_of(lengths)[:-1] + cores - begins, kept) + _places(kept)
        found: Floats = np.take(own.reshape(-1, CLASSES), from_rows, axis=0)
        return found

    def probabilities_apart(self, texts: Sequence[str], *, threads: int) -> Floats:
        """Return the same for many short texts, as a `Cutter` does: each is a window."""
        offsets = offsets_of(np.fromiter(map(len, texts), np.int64, len(texts)))
        values = self.alphabet.values("".join(texts))
        values[offsets[:-1], 1] = values[offsets[1:] - 1, 2] = 0  # no neighbour
        found: Floats = self.model.probabilities(values, offsets, NO_FORMS, threads=threads).reshape(-1, CLASSES)
        return found

    def to_parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return a description and arrays, for a model file."""
        description = {
            "kind": KIND,
            "options": asdict(self.options),
            "alphabet": self.alphabet.to_dict(),
            "inner_spaces": self.inner_spaces,
        }
        arrays: Arrays = {f"weights_{place}": own.astype(np.float16) for place, own in enumerate(self.model.weights())}
        return description, arrays

    @staticmethod
    def from_parts(description: Any, arrays: Mapping[str, AnyArray]) -> NetworkCutter:
        """Make it again from what `to_parts` gave."""
        check_fields("the network", description, _FIELDS)
        options = SegmenterOptions(**description["options"])
        alphabet = Alphabet.from_dict(description["alphabet"])
        halves = [array_of(arrays, f"weights_{place}", np.float16) for place in range(len(arrays))]
        weights = [own.astype(np.float32).reshape(-1) for own in halves]
        model = _kernel.TaggerModel(_shape(options, alphabet), weights, bytes=True)
        return NetworkCutter(options, alphabet, description["inner_spaces"], model)


def _shape(options: SegmenterOptions, alphabet: Alphabet) -> _kernel.TaggerShape:
    characters, before, after, kinds = alphabet.sizes
    return _kernel.TaggerShape(
        groups=[([characters, before, after], options.dimension), ([kinds], 8)],
        characters=0,
        character_dimension=0,
        filters=0,
        character_outputs=0,
        layers=options.layers,
        cells=options.cells,
        classes=[CLASSES],
    )


def _windows_to_learn(
    alphabet: Alphabet, texts: Sequence[CutText], window: int, random: np.random.Generator
) -> tuple[Values, Offsets, Ids]:
    """Return texts in windows that begin anywhere, with their classes."""
    values, classes, lengths = [], [], []
    for text, kinds in texts:
        values.append(alphabet.values(text))
        classes.append(kinds)
        first = int(random.integers(window // 4, window + 1))
        cuts = [0, *range(first, len(text), window), len(text)]
        lengths += np.diff(cuts).tolist()
    return np.concatenate(values), offsets_of(np.array(lengths, np.int64)), np.concatenate(classes)


def _places(lengths: Offsets) -> Offsets:
    """Return 0, 1, 2 … for each of some lengths."""
    total = int(lengths.sum())
    return np.arange(total) - np.repeat(np.cumsum(lengths) - lengths, lengths)
