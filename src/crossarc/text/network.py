"""A network that says where tokens and sentences end: a bidirectional LSTM over the characters of a text.

It learns from the texts of a treebank (`boundaries`), which are altered and cut into windows anew in every epoch; the
learning rate rises over the first batches and then falls linearly to nothing. A text goes through it in windows that
begin at fixed positions and overlap, so that memory stays bounded and all windows are read side by side. O(characters).

Where it is in doubt whether a sentence ends, other networks may be asked (`doubt`): one that reads words
(`word_boundaries`), and others of characters, trained otherwise, on other texts, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np

from .. import _kernel
from .._arrays import AnyArray, Floats, Ids, Offsets, Values, items_of, offsets_of
from ..errors import CrossarcError
from ..features.vocabularies import NO_FORMS
from ..models.model_file import Arrays, check_fields
from ..models.neural.encoders import LstmEncoder
from ..models.neural.heads import TagHead
from ..models.neural.memory import check_training_memory
from ..models.neural.network import NeuralModel, load_native_state, native_state_dict
from ..models.neural.parts import Part
from ..models.neural.schedule import Schedule
from ..models.neural.weights import kept_network, make_network, network_from_arrays, with_int8
from ..options import Check, Options, bounded, later, listed, one_of, option, share, structure, truth
from ..options import text as shown_text
from .alterations import altered
from .boundaries import CLASSES, MOST_PROBABLE, Paragraph, classified, cuts_words, has_even_joints
from .doubt import DOUBT, SentenceEnds, Stretch, WindowsRead, ask, is_between, rows_from, sentence_ends
from .insertions import Abbreviation, Habits
from .surface import PARAGRAPH
from .unicode import Alphabet

KIND = "network"
#: Sequences that are learnt from before the learning rate changes, about.
_PORTION = 256
#: Batches over which the learning rate rises.
_WARM_UP = 200
#: A step is cut into so many parts, and those in which there is doubt are read again.
_PARTS = 32
#: What the names of the arrays of other networks begin with.
_OTHER = "others/{}/"
_FIELDS: Mapping[str, Check] = {
    "kind": one_of(KIND),
    "options": structure,
    "alphabet": structure,
    "inner_spaces": truth,
}
_MORE_FIELDS: Mapping[str, Check] = {
    "others": listed(structure, 1, 16, "networks"),
    "whole_words": truth,
    "even_joints": truth,
}


class SegmenterError(CrossarcError):
    """A segmenter that cannot be trained or used so."""


@dataclass(frozen=True)
class SegmenterOptions(Options):
    """The options of a segmenter.

    Parameters:
        embedding_size: The embedding dimension of characters and pairs of them.
        hidden_size: The hidden size of the LSTM, in each direction.
        layers: The number of LSTM layers.
        window: How many characters are read together.
        overlap: How many of them on each side are read for what stands between only.
        most_words: No sentence gets more words: it is cut where a sentence most probably ends.
        batch_characters: The batch size in characters, about.
        learning_rate: The learning rate of Adam.
        layer_dropout: Dropout of the outputs of the LSTM.
        character_dropout: The share of characters, and of pairs, that training reads as unknown ones.
        sentence_threshold: A sentence also ends where that is more probable than this; 0.5 and the most probable class
            decides. For texts without final marks; development data choose it (`Segmenter.calibrate`).
        abbreviations: Such as training puts into texts, with what they stand beside: "Capt. X" stands before a word
            with a capital, "Fig. 1" before a number, "X et al." behind a capital, "cf. x" before a small letter, and
            "X Inc. ." at the end of a sentence; "should+n't x" is a token of two words, "napr~. x" are two tokens
            without a space. With "Capt. +X" and "Fig. +1" a name of the training data or a number is put in, too.
    """

    embedding_size: int = bounded(48, 1, 4096)
    hidden_size: int = bounded(64, 1, 4096)
    layers: int = bounded(1, 1, 8)
    window: int = bounded(640, 16, 1 << 16)
    overlap: int = bounded(40, 0, 1 << 15)
    most_words: int = bounded(300, 2, 4096)
    batch_characters: int = bounded(4000, 1, 1 << 20)
    learning_rate: float = bounded(0.004, 0, 1)
    layer_dropout: float = share(0.2)
    character_dropout: float = share(0.02)
    sentence_threshold: float = later(bounded(MOST_PROBABLE, 0.01, MOST_PROBABLE))
    abbreviations: tuple[str, ...] = later(option((), listed(shown_text, 0, 10_000, "abbreviations")))

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 2 * self.overlap < self.window:
            raise SegmenterError(f"an overlap of {self.overlap} leaves nothing of a window of {self.window}")
        for abbreviation in self.abbreviations:
            if not Abbreviation.parse(abbreviation).can_be_put_in:
                raise SegmenterError(
                    f"{abbreviation!r} is no abbreviation: write it with what it stands beside, Capt. X"
                )


@dataclass(frozen=True, eq=False)
class NetworkDefinition:
    """What a network consists of before it has learnt anything."""

    options: SegmenterOptions
    alphabet: Alphabet
    #: Whether tokens of the training data have spaces in them.
    inner_spaces: bool
    #: Whether none, but for slips of the pen, ends between two letters.
    whole_words: bool = False
    #: Whether a hyphen or slash between letters is a token by itself or part of one, but for slips.
    even_joints: bool = False

    @staticmethod
    def fit(paragraphs: Sequence[Paragraph], options: SegmenterOptions) -> NetworkDefinition:
        """Take the alphabet of training data."""
        tokens = (token for paragraph in paragraphs for sentence in paragraph for token in sentence)
        inner_spaces = any(character.isspace() for token in tokens for character in token.text)
        alphabet = Alphabet.fit(classified(paragraph).text for paragraph in paragraphs)
        return NetworkDefinition(
            options, alphabet, inner_spaces, not cuts_words(paragraphs), has_even_joints(paragraphs)
        )

    def parts(self) -> tuple[Part, list[Part]]:
        """Return the encoder and the head, as the kernel makes the network of them."""
        options = self.options
        encoder = LstmEncoder(
            columns=self.alphabet.sizes,
            group_sizes=(3, 1),
            embedding_sizes=(options.embedding_size, 8),
            layers=options.layers,
            hidden_size=options.hidden_size,
        )
        return encoder, [TagHead((CLASSES,))]

    def model(self, arrays: Mapping[str, AnyArray]) -> NetworkBoundaries:
        """Return the network whose `arrays` these are; others are refused."""
        return self._model_with(network_from_arrays(*self.parts(), arrays))

    def model_from_weights(self, weights: Mapping[str, Floats]) -> NetworkBoundaries:
        """Return the network with weights that training came to: as a file keeps them, matrices of the LSTM in int8."""
        network = kept_network(*self.parts(), weights, self.options.learning_rate)
        return self._model_with(with_int8(network, *self.parts(), [name for name in weights if _is_int8(name)]))

    def _model_with(self, network: _kernel.Network) -> NetworkBoundaries:
        return NetworkBoundaries(network, self, _kernel.TaggerModel(network))


@dataclass(frozen=True, eq=False)
class NetworkBoundaries(NeuralModel):
    """A trained network: a `BoundaryModel`."""

    definition: NetworkDefinition
    native: _kernel.TaggerModel = field(repr=False)
    #: Networks that are asked where this one is in doubt.
    others: tuple[NetworkBoundaries, ...] = ()
    #: What is asked before these; no part of files.
    words: SentenceEnds | None = field(default=None, repr=False)

    def with_others(self, others: Iterable[NetworkBoundaries]) -> NetworkBoundaries:
        """Return the same network with others, which are asked where this one is in doubt; they ask none themselves."""
        asked = tuple(others)
        if any(other.others for other in asked):
            raise SegmenterError("networks that are asked where one is in doubt have none to ask themselves")
        return replace(self, others=asked)

    def with_words(self, words: SentenceEnds | None) -> NetworkBoundaries:
        """Return the same network that asks for words first, or does not."""
        return replace(self, words=words)

    @property
    def characters(self) -> str:
        return self.definition.alphabet.characters

    @property
    def inner_spaces(self) -> bool:
        return self.definition.inner_spaces

    @property
    def whole_words(self) -> bool:
        return self.definition.whole_words

    @property
    def even_joints(self) -> bool:
        return self.definition.even_joints

    @property
    def most_words(self) -> int:
        return self.definition.options.most_words

    @property
    def sentence_threshold(self) -> float:
        return self.definition.options.sentence_threshold

    def with_counts(self, paragraphs: Sequence[Paragraph]) -> NetworkBoundaries:
        """Return the same network with what is counted in training data anew: where no token ends."""
        whole_words, even_joints = not cuts_words(paragraphs), has_even_joints(paragraphs)
        return replace(self, definition=replace(self.definition, whole_words=whole_words, even_joints=even_joints))

    def with_threshold(self, threshold: float) -> NetworkBoundaries:
        """Return the same network with another threshold of sentences."""
        options = replace(self.definition.options, sentence_threshold=threshold)
        return replace(self, definition=replace(self.definition, options=options))

    @property
    def step(self) -> int:
        """The characters of a window that are not read for others only."""
        return self.definition.options.window - 2 * self.definition.options.overlap

    @property
    def context(self) -> int:
        """An overlap, and the neighbour of its last character."""
        return self.definition.options.overlap + 1

    @property
    def _asked(self) -> tuple[SentenceEnds, ...]:
        return self.others if self.words is None else (self.words, *self.others)

    def probabilities(self, text: str, begin: int, first: int, last: int, *, threads: int) -> Floats:
        overlap = self.definition.options.overlap
        cores = np.arange(first, last, self.step)
        begins = np.maximum(cores - overlap, -begin)
        stops = np.minimum(cores + self.step + overlap, len(text))
        start = int(begins[0])
        values = self.definition.alphabet.values(text[max(0, start - 1) : int(stops[-1]) + 1])[min(1, start) :]
        offsets = offsets_of(stops - begins)
        read = self._read(np.take(values, rows_from(begins - start, stops - begins), axis=0), offsets, threads)
        kept = np.minimum(cores + self.step, last) - cores
        found: Floats = np.take(read, rows_from(offsets[:-1] + cores - begins, kept), axis=0)
        if self._asked:
            windows = WindowsRead(read, offsets, begins)
            ask(self._asked, list(self._doubtful(text, first, found, windows)), threads)
        return found

    def probabilities_apart(self, texts: Sequence[str], *, threads: int) -> Floats:
        """Return the same for many texts, whose windows are read together."""
        step, overlap = self.step, self.definition.options.overlap
        offsets = offsets_of(map(len, texts))
        values = self.definition.alphabet.values("".join(texts))
        values[offsets[:-1], 1] = values[offsets[1:] - 1, 2] = 0  # no neighbour
        windows = offsets_of(-(-np.diff(offsets) // step))
        of_window = items_of(windows)
        first, lengths = offsets[of_window], np.diff(offsets)[of_window]
        cores = step * (np.arange(windows[-1]) - windows[of_window])
        begins, stops = np.maximum(cores - overlap, 0), np.minimum(cores + step + overlap, lengths)
        read_from = offsets_of(stops - begins)
        read = self._read(np.take(values, rows_from(first + begins, stops - begins), axis=0), read_from, threads)
        kept = np.minimum(cores + step, lengths) - cores
        probabilities: Floats = np.take(read, rows_from(read_from[:-1] + cores - begins, kept), axis=0)
        if self._asked:
            apart = zip(texts, np.split(probabilities, offsets[1:-1]), windows.tolist(), strict=False)
            stretches = [
                stretch
                for text, of_text, window in apart
                for stretch in self._doubtful(text, 0, of_text, WindowsRead(read, read_from[window:], begins[window:]))
            ]
            ask(self._asked, stretches, threads)
        return probabilities

    def _doubtful(self, text: str, first: int, probabilities: Floats, windows: WindowsRead) -> Iterator[Stretch]:
        """Yield the stretches in which ends of sentences are in doubt, by the probabilities from a character on.

        They begin where steps do, or at a part of a step, so at fixed positions of the whole text, and what stands
        around is in the window of the step.
        """
        step, overlap = self.step, self.definition.options.overlap
        size = -(-step // _PARTS)
        doubtful = np.flatnonzero(is_between(sentence_ends(probabilities), DOUBT)).tolist()
        doubtful = [index for index in doubtful if not self._ends_line(text, first + index + 1)]
        for begin in dict.fromkeys(index - index % step + index % step // size * size for index in doubtful):
            stop = min(begin + size, begin - begin % step + step, len(probabilities))
            read_from = max(0, first + begin - overlap)
            around = text[read_from : first + stop + overlap]
            read = windows.probabilities(begin // step, read_from, len(around))
            yield Stretch(around, first + begin - read_from, probabilities[begin:stop], read)

    def _ends_line(self, text: str, end: int) -> bool:
        """Whether a paragraph ends here, or a line so short that it was not broken where it became long.

        The end of a paragraph is beyond doubt, and of headings and points of lists other networks know little.
        """
        if not text.startswith("\n", end):
            return False
        overlap = self.definition.options.overlap
        return text.startswith(PARAGRAPH, end) or end < overlap or "\n" in text[end - overlap : end]

    def sentence_ends(self, stretches: Sequence[Stretch], *, threads: int) -> Floats:
        """Return how probable it is for this network that a sentence ends, for all characters of stretches."""
        texts = [stretch.text for stretch in stretches]
        begins = offsets_of(map(len, texts))[:-1] + np.array([stretch.before for stretch in stretches], np.int64)
        lengths = np.array([len(stretch.probabilities) for stretch in stretches])
        read = self.probabilities_apart(texts, threads=threads)
        return sentence_ends(np.take(read, rows_from(begins, lengths), axis=0))

    def _read(self, values: Values, offsets: Offsets, threads: int) -> Floats:
        """Return the probabilities of classes for the rows of windows."""
        return self.native.probabilities(values, offsets, NO_FORMS, threads=threads).reshape(-1, CLASSES)

    def to_parts(self, bits: int = 16) -> tuple[dict[str, Any], Arrays]:
        """Return a description and arrays of so many bits, for a model file."""
        options, alphabet = self.definition.options.to_dict(), self.definition.alphabet.to_dict()
        ends = {"inner_spaces": self.inner_spaces, "whole_words": self.whole_words, "even_joints": self.even_joints}
        description = {"kind": KIND, "options": options, "alphabet": alphabet, **ends}
        arrays = self.arrays(bits)
        others = [other.to_parts(bits) for other in self.others]
        for index, (_, more) in enumerate(others):
            arrays |= {_OTHER.format(index) + name: array for name, array in more.items()}
        return {**description, **({"others": [each for each, _ in others]} if others else {})}, arrays

    @staticmethod
    def from_parts(description: Any, arrays: Mapping[str, AnyArray]) -> NetworkBoundaries:
        """Make it again from what `to_parts` gave."""
        check_fields("the network", description, _FIELDS, _MORE_FIELDS)
        options = SegmenterOptions.from_dict(description["options"])
        alphabet = Alphabet.from_dict(description["alphabet"])
        # Networks of older versions do not say.
        later = (description.get(name, False) for name in ("whole_words", "even_joints"))
        model = NetworkDefinition(options, alphabet, description["inner_spaces"], *later).model(arrays)
        return model.with_others(
            NetworkBoundaries.from_parts(of_other, _without_beginning(arrays, _OTHER.format(index)))
            for index, of_other in enumerate(description.get("others", ()))
        )


def _without_beginning(arrays: Mapping[str, AnyArray], beginning: str) -> Arrays:
    """Return the arrays whose names begin so, by the rest of these."""
    return {name.removeprefix(beginning): array for name, array in arrays.items() if name.startswith(beginning)}


class Windows(NamedTuple):
    """What an epoch learns from: the rows of windows, where these begin, the classes of rows, and in which order."""

    values: Values
    offsets: Offsets
    classes: Ids
    order: Ids


class NetworkLearner:
    """A network with the paragraphs that it learns from."""

    def __init__(
        self,
        definition: NetworkDefinition,
        paragraphs: Sequence[Paragraph],
        *,
        epochs: int,
        seed: int,
        threads: int,
    ) -> None:
        """Begin with weights and windows by the seed."""
        options = definition.options
        dropout = _kernel.EncoderDropout(inputs=0.0, layers=options.layer_dropout, groups=0.0)
        self.definition, self.paragraphs = definition, paragraphs
        self.epochs, self.threads = epochs, threads
        check_training_memory(*definition.parts(), parts=_kernel.TaggerLearner.most_parts())
        self.native = _kernel.TaggerLearner(
            make_network(*definition.parts(), seed=seed),
            dropout=dropout,
            word_dropout=options.character_dropout,
            lexical_columns=3,
            rows=options.batch_characters,
            seed=seed,
        )
        self._windows = _windows_of_epochs(definition, paragraphs, seed)
        self._drawn = 0  # epochs whose windows were drawn
        #: Characters of the last epoch.
        self.characters = 0
        #: An epoch goes over all sentences at once.
        self.portion = sum(map(len, paragraphs))

    def learn(self, order: Ids, epoch: int) -> int:
        """Learn from all sentences, in windows whose order is drawn here, and return how many classes were wrong.

        Training that goes on from a checkpoint draws the windows of the epochs before once more.
        """
        windows = next(islice(self._windows, epoch - 1 - self._drawn, None))
        self._drawn = epoch
        options, total = self.definition.options, max(1, len(windows.values))
        batches = len(windows.values) / options.batch_characters
        schedule = Schedule(options.learning_rate, self.epochs, _WARM_UP, batches)
        mistakes = self.characters = 0
        for portion in np.array_split(windows.order, max(1, len(windows.order) // _PORTION)):
            gone = epoch - 1 + self.characters / total
            rate = schedule.rate_at(gone)
            mistakes += self.native.learn(
                portion, windows.values, windows.offsets, NO_FORMS, windows.classes, rate=rate, threads=self.threads
            )
            self.characters += int((windows.offsets[portion + 1] - windows.offsets[portion]).sum())
        return mistakes

    def model(self) -> NetworkBoundaries:
        return self.definition.model_from_weights(self.native.network.parameters())

    def state_dict(self) -> Arrays:
        return native_state_dict(self.native)

    def load_state_dict(self, arrays: Mapping[str, AnyArray]) -> None:
        load_native_state(self.native, arrays)


def _is_int8(name: str) -> bool:
    """Whether a parameter is kept, and computed with, in 8 bits."""
    return name.endswith(".recurrent")


def _windows_of_epochs(definition: NetworkDefinition, paragraphs: Sequence[Paragraph], seed: int) -> Iterator[Windows]:
    """Yield for each epoch the texts of paragraphs, altered and in windows that begin anywhere."""
    random = np.random.default_rng(seed)
    window = definition.options.window
    abbreviations = [Abbreviation.parse(each) for each in definition.options.abbreviations]
    sentences, habits = sum(map(len, paragraphs)), Habits.of(chain.from_iterable(paragraphs))
    while True:
        texts = [classified(altered(paragraph, random, abbreviations, sentences, habits)) for paragraph in paragraphs]
        lengths: list[int] = []
        for text, _ in texts:
            first = int(random.integers(window // 4, window + 1))
            lengths += np.diff([0, *range(first, len(text), window), len(text)]).tolist()
        yield Windows(
            np.concatenate([definition.alphabet.values(text) for text, _ in texts]),
            offsets_of(lengths),
            np.concatenate([classes for _, classes in texts]),
            random.permutation(len(lengths)).astype(np.int32),
        )
