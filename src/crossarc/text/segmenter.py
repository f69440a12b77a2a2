"""The segmenter: raw text to sentences, tokens and words.

A bidirectional LSTM over characters says where tokens and sentences end (`cuts`); empty lines end sentences whatever it
says; web and mail addresses, numbers and what belongs to one sign (combining marks, joined emoji) are never cut;
multiword tokens become words by a dictionary and rules (`multiword`). Texts go through the network in windows that
overlap, so that memory and the length of a sentence stay bounded. O(characters).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from .. import _kernel
from .._arrays import Flags, Floats, Ids, Offsets, Values, offsets_of
from ..errors import CrossarcError, checked_whole
from ..features.characters import NO_FORMS
from ..models.biaffine.learner import rate_at
from ..models.model_file import (
    MISFITS,
    Arrays,
    Check,
    ModelFile,
    ModelFileError,
    array_of,
    check_fields,
    named,
    one_of,
    plain,
    read_model_file,
    reason,
    structure,
    truth,
    write_model_file,
)
from ..models.network.weights import rounded
from ..treebank import Treebank
from ..treebank.reading import from_text
from .alphabet import Alphabet
from .cuts import CLASSES, MULTIWORD, MULTIWORD_SENTENCE, SENTENCE, CutText, altered, cut_text, paragraphs_of
from .multiword import Expansions
from .surface import escaped, surface_sentences

#: Addresses and numbers, which are one token where the text has no space in them.
_WHOLE = re.compile(
    r"(?:https?://|www\.)[^\s<>\"]*[^\s<>\".,;:!?)\]}'’»”]"
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.\w{2,}"
    r"|\d+(?:[.,:]\d+)+"
)
#: Before these nothing is cut: combining marks, variation selectors, skin tones, tags; and around a joiner.
_JOINED = re.compile(
    "[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f"
    "\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]|\u200d.?",
    re.DOTALL,
)
_EMPTY_LINE = re.compile(r"\n[^\S\n]*\n\s*")
#: Characters of a text that go through the network at a time.
_PIECE = 1 << 18


TYPE = "segmenter"
_BOUNDS: tuple[tuple[str, float, float], ...] = (
    *(("dimension", 1, 4096), ("cells", 1, 4096), ("layers", 1, 8), ("window", 16, 1 << 16), ("overlap", 0, 1 << 15)),
    *(("most_words", 2, 4096), ("batch", 1, 1 << 20), ("rate", 0.0, 1.0), ("dropout", 0.0, 0.99)),
)
_FIELDS: Mapping[str, Check] = {
    "type": one_of(TYPE),
    "options": named(plain, 20),
    "alphabet": structure,
    "expansions": structure,
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
    """

    dimension: int = 48
    cells: int = 64
    layers: int = 1
    window: int = 400
    overlap: int = 80
    most_words: int = 300
    batch: int = 4000
    rate: float = 0.004
    dropout: float = 0.2

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


@dataclass(frozen=True)
class Segmentation:
    """The tokens of a text: where each begins and ends, whether it is of several words, and the last of sentences."""

    text: str
    starts: Offsets
    ends: Offsets
    multiword: Flags
    final: Flags
    #: Sentences that were cut because they had too many words.
    too_long: int = 0


@dataclass(eq=False)
class Segmenter:
    """A trained segmenter: `segment` finds tokens and sentences, `treebank` makes words of them."""

    options: SegmenterOptions
    alphabet: Alphabet
    expansions: Expansions
    #: Whether tokens of the training data have spaces in them.
    inner_spaces: bool
    model: _kernel.TaggerModel = field(repr=False)

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
        """Train on the texts of a treebank; `on_epoch` is told the number of each epoch and the share of mistakes."""
        options = options or SegmenterOptions()
        epochs, seed = checked_whole("epochs", epochs), checked_whole("seed", seed)
        paragraphs = paragraphs_of(surface_sentences(treebank))
        if not paragraphs:
            raise SegmenterError("there are no words to learn from")
        tokens = [token for paragraph in paragraphs for sentence in paragraph.sentences for token in sentence]
        alphabet = Alphabet.fit(cut_text(paragraph).text for paragraph in paragraphs)
        shape = _shape(options, alphabet)
        learner = _kernel.TaggerLearner(
            shape,
            dropout=_kernel.EncoderDropout(inputs=0.0, layers=options.dropout, words=0.02, groups=0.0),
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
        model = _kernel.TaggerModel(shape, [rounded(weights) for weights in learner.weights()])
        inner = any(character.isspace() for token in tokens for character in token.text)
        return Segmenter(options, alphabet, Expansions.fit(tokens), inner, model)

    # Cutting

    def segment(self, text: str, *, threads: int = 0) -> Segmentation:
        """Return the tokens and sentences of a text."""
        space = np.fromiter((character.isspace() for character in text), bool, len(text))
        written = np.flatnonzero(~space)
        probabilities = self._probabilities(text, threads)
        kind = probabilities.argmax(axis=1)
        ends = kind > 0
        for start, stop in _kept_whole(text):
            ends[start : stop - 1] = False
        if not self.inner_spaces:
            ends |= np.append(space[1:], True)[: len(text)]
        ends[space] = False
        paragraph_ends = _last_written(written, [found.start() for found in _EMPTY_LINE.finditer(text)] + [len(text)])
        ends[paragraph_ends] = True
        stops = np.flatnonzero(ends)
        firsts = np.append(0, np.searchsorted(written, stops)[:-1] + 1)[: len(stops)]
        final = np.isin(kind[stops], (SENTENCE, MULTIWORD_SENTENCE)) | np.isin(stops, paragraph_ends)
        chance = probabilities[stops][:, [SENTENCE, MULTIWORD_SENTENCE]].sum(axis=1)
        too_long = _cut_long(final, chance, self.options.most_words)
        multiword = np.isin(kind[stops], (MULTIWORD, MULTIWORD_SENTENCE))
        return Segmentation(text, written[firsts], stops + 1, multiword, final, too_long)

    def _probabilities(self, text: str, threads: int) -> Floats:
        """Return the probabilities of the classes of each character."""
        window, overlap = self.options.window, self.options.overlap
        step = window - 2 * overlap
        found = np.zeros((len(text), CLASSES), np.float32)
        for piece in range(0, len(text), step * (_PIECE // step)):
            last = min(len(text), piece + step * (_PIECE // step))
            cores = np.arange(piece, last, step)
            begins = np.maximum(cores - overlap, 0)
            stops = np.minimum(cores + step + overlap, len(text))
            first = int(begins[0])
            values = self.alphabet.values(text[max(0, first - 1) : int(stops[-1]) + 1])[min(1, first) :]
            lengths = stops - begins
            rows = np.repeat(begins - first, lengths) + _places(lengths)
            own = self.model.probabilities(values[rows], offsets_of(lengths), NO_FORMS, threads=threads)
            own = own.reshape(-1, CLASSES)
            kept = np.minimum(cores + step, last) - cores
            from_rows = np.repeat(np.append(0, np.cumsum(lengths)[:-1]) + cores - begins, kept) + _places(kept)
            found[piece:last] = own[from_rows]
        return found

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
        lines = "".join(line + "\n" for line in conllu_lines(found, self.words(found)))
        return from_text(lines, root="any")

    # Files

    def to_parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return a description and arrays for a model file."""
        description = {
            "type": TYPE,
            "options": asdict(self.options),
            "alphabet": self.alphabet.to_dict(),
            "expansions": self.expansions.to_dict(),
            "inner_spaces": self.inner_spaces,
        }
        return description, {
            f"weights_{place}": own.astype(np.float16) for place, own in enumerate(self.model.weights())
        }

    @classmethod
    def from_parts(cls, description: dict[str, Any], arrays: Arrays) -> Segmenter:
        """Make it again from what `to_parts` gave; what does not fit together raises one of `MISFITS`."""
        check_fields("the segmenter", description, _FIELDS)
        options = SegmenterOptions(**description["options"])
        alphabet = Alphabet.from_dict(description["alphabet"])
        held = [array_of(arrays, f"weights_{place}", np.float16) for place in range(len(arrays))]
        weights = [own.astype(np.float32).reshape(-1) for own in held]
        model = _kernel.TaggerModel(_shape(options, alphabet), weights)
        expansions = Expansions.from_dict(description["expansions"])
        return cls(options, alphabet, expansions, description["inner_spaces"], model)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a model file, whole or not at all."""
        write_model_file(path, ModelFile(*self.to_parts()))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Segmenter:
        """Return the segmenter of a model file that `save` wrote."""
        file = read_model_file(path)
        try:
            return cls.from_parts(file.description, file.arrays)
        except MISFITS as error:
            raise ModelFileError(f"{os.fspath(path)}: no segmenter, or a damaged one ({reason(error)})") from error


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


def _kept_whole(text: str) -> Iterator[tuple[int, int]]:
    """Yield where parts begin and end that are not cut."""
    for found in _WHOLE.finditer(text):
        yield found.span()
    for found in _JOINED.finditer(text):
        yield max(0, found.start() - 1), found.end()


def _last_written(written: Offsets, before: Sequence[int]) -> Offsets:
    """Return the last characters that are no spaces before some places."""
    places = np.searchsorted(written, np.array(before)) - 1
    return np.unique(written[places[places >= 0]])


def _cut_long(final: Flags, chance: Floats, most: int) -> int:
    """Mark more last tokens of sentences, so that none has too many; return how many sentences had."""
    count = 0
    begin = 0
    for end in (np.flatnonzero(final) + 1).tolist():
        count += end - begin > most
        while end - begin > most:
            half = begin + most // 2
            begin = half + int(np.argmax(chance[half : begin + most])) + 1
            final[begin - 1] = True
        begin = end
    return count


def conllu_lines(found: Segmentation, words: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of sentences in CoNLL-U, with words, spaces and places in the text."""
    text = found.text
    starts, stops, final = found.starts.tolist(), found.ends.tolist(), found.final.tolist()
    begin = 0
    while begin < len(starts):
        end = begin
        while not final[end]:
            end += 1
        line = text[starts[begin] : stops[end]].replace("\r", " ").replace("\n", " ")
        yield f"# text = {line}"
        word = 1
        for token in range(begin, end + 1):
            spaces = text[stops[token] : starts[token + 1] if token + 1 < len(starts) else len(text)]
            misc = _misc(spaces, starts[token], stops[token], text[: starts[0]] if token == 0 else "")
            own = words[token]
            if len(own) > 1:
                form = text[starts[token] : stops[token]]
                yield f"{word}-{word + len(own) - 1}\t{form}\t" + "_\t" * 7 + misc
                misc = "_"
            for one in own:
                yield f"{word}\t{one}\t" + "_\t" * 7 + misc
                word += 1
        yield ""
        begin = end + 1


def _misc(spaces: str, start: int, stop: int, before: str) -> str:
    values = [f"SpacesBefore={escaped(before)}"] if before else []
    if not spaces:
        values.append("SpaceAfter=No")
    elif spaces != " ":
        values.append(f"SpacesAfter={escaped(spaces)}")
    return "|".join([*values, f"TokenRange={start}:{stop}"])
