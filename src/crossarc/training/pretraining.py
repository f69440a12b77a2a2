"""Pretraining of encoders: texts in, an encoder that has read them out.

Pieces of words are learnt by byte pair encoding, then a transformer learns masked words
(models/neural/torch/masked.py): norms before the parts of a layer, rotary positions, AdamW with a learning rate that
rises over a twentieth of the training and falls to nothing. The same texts, options and seed give the same encoder on
the same machine, and training that was broken off goes on to it from a checkpoint. Pieces need the package
`tokenizers`, the rest torch. On a GPU about a million pieces a second for 8 layers of 384; on a CPU some thousands.
"""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .._arrays import Flags, Ids
from .._progress import logger
from ..errors import DirectoryError, FileError, ParserError, imported
from ..files import check_writable, held
from ..models.model_file import MISFITS, ModelFile, ModelFileError, read_model_file, reason, write_model_file
from ..models.neural.folder import is_encoder_folder, write_folder
from ..models.neural.pieces import Pieces
from ..models.neural.pretrained import PretrainedEncoder, TransformerShape
from ..options import Bounds, Options, bounded, checked, number, option, share, text
from .texts import TextWords, read_texts

_log = logger("pretraining")

#: Pieces with a meaning of their own; padding is the first.
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
#: What does not begin a word begins with it.
_CONTINUING = "##"
#: Apostrophes, which are written in several ways, become the one that is a letter.
_APOSTROPHES, _APOSTROPHE = "'’᾽᾿", "ʼ"
#: Pieces are learnt from about so many words, the frequencies of all being kept.
_WORDS_FOR_PIECES = 20_000_000
_ALPHABET = 2000
#: What is held out: of so many rows in turn as many as a turn has, one turn of so many.
_TURN, _TURNS = 16, 200
#: An epoch of small texts has so many batches.
_LEAST_BATCHES = 50
_WARM_UP = 0.05
#: With a limit of minutes, time is measured from step to step of these, and again after as many steps as the last.
_MEASURED = 5, 20
_CHECKPOINT_STEPS = 500
_TYPE = "pretraining checkpoint"


@dataclass(frozen=True)
class Pretraining(Options):
    """How an encoder is pretrained.

    Parameters:
        layers: The number of layers.
        size: The size of the state of a piece.
        attention_heads: The number of attention heads; by default one for about each 48 of the size.
        pieces: How many pieces of words are learnt.
        sequence: How many pieces are read together.
        batch: How many sequences are learnt from together; by default 512, fewer if the texts are small.
        learning_rate: The learning rate of AdamW; after it rose, it falls linearly to nothing.
        mask: The share of words that are masked.
        epochs: How often the texts are read.
        minutes: How long training takes, instead of a number of epochs.
        compile: Have torch compile the network, which takes a minute or two and makes it faster on a GPU.
    """

    layers: int = bounded(8, 1, 64)
    size: int = bounded(384, 16, 8192)
    attention_heads: int | None = bounded(None, 1, 256)
    pieces: int = bounded(16_000, 100, 1 << 20)
    sequence: int = bounded(256, 16, 4096)
    batch: int | None = bounded(None, 1, 65_536)
    learning_rate: float = bounded(1.2e-3, 0, 10, open_least=True)
    mask: float = share(0.25)
    epochs: int = bounded(15, 1, 100_000)
    minutes: float | None = option(None, Bounds(0, 1_000_000, whole=False, open_least=True))
    compile: bool = False

    def heads(self) -> int:
        """Return the number of attention heads."""
        if self.attention_heads is not None:
            return self.attention_heads
        return next(heads for heads in range(max(1, round(self.size / 48)), 0, -1) if self.size % (2 * heads) == 0)

    def shape(self, pieces: Pieces) -> TransformerShape:
        """Return the shape of the encoder."""
        return TransformerShape(
            layers=self.layers,
            hidden_size=self.size,
            attention_heads=self.heads(),
            feed_forward_size=4 * self.size,
            pieces=pieces.size,
            begin=pieces.begin[0],
            end=pieces.end[0],
            window=self.sequence,
            overlap=min(64, (self.sequence - 2) // 4),
        )


class PretrainingProgress(NamedTuple):
    """How far pretraining is."""

    step: int
    #: None as long as it is not known how many there will be.
    steps: int | None
    epoch: int
    loss: float
    pieces_per_second: float
    #: At the end of an epoch and of the training: the loss on what is held out.
    held_out_loss: float | None = None


def pretrain(
    texts: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    output: str | os.PathLike[str] | None = None,
    *,
    device: str | None = None,
    seed: int = 1,
    licence: str | None = None,
    note: str | None = None,
    tokenizer: str | os.PathLike[str] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    on_text: Callable[[TextWords], None] | None = None,
    on_progress: Callable[[PretrainingProgress], None] | None = None,
    **options: Any,
) -> PretrainedEncoder:
    """Pretrain an encoder on raw text, and write it to a folder that `train` takes as `encoder`.

    Parameters:
        texts: Files or folders: plain text in UTF-8 (.txt in folders, .gz and .xz too), where an empty line ends a
            document, or treebanks. Documents that occur again are left out.
        output: The folder to write, with config.json, model.safetensors, tokenizer.json and a card; None: none is.
        device: "cuda", "cuda:1", "cpu"; by default a GPU if there is one.
        seed: The random seed.
        licence: The licence of the texts, for the card and for models that are trained with the encoder.
        note: What else the card has to say, such as which test sentences the texts contain.
        tokenizer: A tokenizer.json whose pieces are taken instead of learning them.
        checkpoint: A file that is written every few minutes.
        resume: Go on from that file, if it exists.
        on_text: Called when the texts are read.
        on_progress: Called now and then.
        options: Those of `Pretraining`: layers, size, pieces, epochs or minutes …

    Returns:
        The encoder.

    Raises:
        FileError: Texts that cannot be read, or an output that cannot be written.
        ParserError: Options that cannot be, or texts that are too small.
    """
    settings, seed = Pretraining.from_dict(options), checked("seed", seed)
    for name, value in (("licence", licence), ("note", note)):
        if value is not None:
            text(name, value)
    torch = imported("torch", "torch")
    if tokenizer is None:
        imported("tokenizers", "encoders")
    device = checked_device(torch, device)
    if output is not None:
        check_folder(output)
    if checkpoint is not None:
        check_writable(checkpoint)
    words = read_texts([texts] if isinstance(texts, (str, os.PathLike)) else texts)
    if on_text is not None:
        on_text(words)
    pieces = learn_pieces(words, settings.pieces) if tokenizer is None else _given_pieces(tokenizer)
    row = pack(words, pieces)
    run = _Run(settings, pieces, row, seed, device, on_progress)
    losses = run.train(checkpoint, resume)
    shape = settings.shape(pieces)
    about = _about(words, len(row), settings, seed, losses, licence, note)
    encoder = PretrainedEncoder(shape, pieces, run.learner.weights(), about)
    if output is not None:
        write_folder(output, encoder)
    return encoder


def checked_device(torch: Any, device: str | None) -> str:
    """Return the device to train on: a GPU if there is one; one that is not there is refused."""
    if device is None:
        return "cuda" if torch.cuda.is_available() else "cpu"
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise ParserError(f"there is no GPU for the device {device}: leave it out, or take cpu")
    try:
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:
        raise ParserError(f"torch has no device {device} ({reason(error)}): take cuda or cpu") from error
    return device


def check_folder(path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Refuse a name that the folder of an encoder cannot be written to, or that something else has."""
    folder = Path(path)
    if folder.is_dir() and not force and any(folder.iterdir()) and not is_encoder_folder(folder):
        raise DirectoryError(
            f"{folder}: a folder with something else in it, which an encoder would replace: give another name"
        )
    if folder.exists() and not folder.is_dir():
        raise FileError(f"{folder}: is a file, and an encoder is a folder: give another name")
    check_writable(folder.with_name(f".{folder.name}.trial"))


# Pieces


def learn_pieces(words: TextWords, count: int) -> Pieces:
    """Learn pieces of words by byte pair encoding from how often words occur."""
    package = imported("tokenizers", "encoders")
    times = np.bincount(words.in_order()[words.in_order() >= 0], minlength=len(words.words))
    divisor = max(1, math.ceil(words.count / _WORDS_FOR_PIECES))
    model = package.models.BPE(unk_token=SPECIAL[1], continuing_subword_prefix=_CONTINUING)
    tokenizer = package.Tokenizer(model)
    normalizers, pre_tokenizers = package.normalizers, package.pre_tokenizers
    same = [normalizers.Replace(each, _APOSTROPHE) for each in _APOSTROPHES]
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFC(), *same])
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = package.trainers.BpeTrainer(
        vocab_size=count,
        min_frequency=2,
        special_tokens=list(SPECIAL),
        limit_alphabet=min(_ALPHABET, count // 2),
        continuing_subword_prefix=_CONTINUING,
        show_progress=False,
    )
    repeated = zip(words.words, (times + divisor - 1) // divisor, strict=True)
    tokenizer.train_from_iterator((" ".join([word] * int(often)) for word, often in repeated), trainer)
    tokenizer.post_processor = package.processors.TemplateProcessing(
        f"{SPECIAL[2]} $A {SPECIAL[3]}", special_tokens=[(SPECIAL[2], 2), (SPECIAL[3], 3)]
    )
    return Pieces.from_json(tokenizer.to_str())


def _given_pieces(path: str | os.PathLike[str]) -> Pieces:
    """Read the pieces of a tokenizer.json; those that cannot be masked word by word are refused."""
    try:
        pieces = Pieces.from_json(Path(path).read_bytes())
    except OSError as error:
        raise FileError(f"{os.fspath(path)}: cannot be read: {error.strerror or error}") from error
    if pieces.mask is None or len(pieces.begin) != 1 or len(pieces.end) != 1 or pieces.begins_word.all():
        raise ParserError(
            f"{os.fspath(path)}: pretraining needs a mask, a piece before and one behind a sentence, and a mark (##) "
            "on pieces that do not begin a word"
        )
    return pieces


def pack(words: TextWords, pieces: Pieces) -> Ids:
    """Return the pieces of the texts in one row; the piece that ends a sentence stands behind each document."""
    offsets, ids = pieces.cut(words.words)
    ids = np.append(ids, np.int32(pieces.end[0])).astype(np.int32)
    # The number -1, behind documents, is the last: it has the one piece that was added.
    counts = np.append(np.diff(offsets), 1)
    begins = np.append(offsets[:-1], len(ids) - 1)
    rows = []
    for portion in np.array_split(words.in_order(), max(1, len(words.numbers) // 2_000_000)):
        of_word = counts[portion]
        ends = np.cumsum(of_word)
        rows.append(ids[np.repeat(begins[portion] - ends + of_word, of_word) + np.arange(ends[-1] if len(ends) else 0)])
    return np.concatenate(rows)


def held_out_rows(rows: int) -> Flags:
    """Return which rows of a text are held out: some that follow each other, again and again, and one at least."""
    turn = min(_TURN, max(1, rows // 20))
    flags: Flags = np.arange(rows) // turn % _TURNS == min(_TURNS, rows // turn) // 2
    return flags


# Training


@dataclass
class _Run:
    """A training: its data, how far it is, and what it says."""

    settings: Pretraining
    pieces: Pieces
    row: Ids
    seed: int
    device: str
    on_progress: Callable[[PretrainingProgress], None] | None
    learner: Any = field(init=False)
    #: How many steps there will be; None until that is known.
    steps: int | None = field(init=False, default=None)
    #: With a limit of minutes: the seconds before the checkpoint, when training began, and the time of the last
    #: measurement and its step.
    _spent: float = field(init=False, default=0.0)
    _began: float = field(init=False, default=0.0)
    _measured: tuple[float, int] = field(init=False, default=(0.0, 0))

    def __post_init__(self) -> None:
        from ..models.neural.torch.masked import MaskedLearner, PackedText

        settings, shape = self.settings, self.settings.shape(self.pieces)
        rows = len(self.row) // (shape.window - 2)
        if rows < 2:
            raise ParserError(
                f"the texts have {len(self.row):,} pieces, less than two sequences of {shape.window}: give more text"
            )
        batch = settings.batch or int(np.clip(rows // _LEAST_BATCHES, 1, 512))
        mask = self.pieces.mask
        assert mask is not None  # they were learnt with one, or refused
        packed = PackedText(self.row, held_out_rows(rows), self.pieces.begins_word, mask, len(SPECIAL))
        options: dict[str, Any] = {"share": settings.mask, "batch": batch, "compile": settings.compile}
        self.learner = MaskedLearner(shape, packed, seed=self.seed, device=self.device, **options)
        if settings.minutes is None:
            self.steps = settings.epochs * self.learner.steps_of_epoch

    @property
    def identity(self) -> dict[str, Any]:
        """What must be the same for training to go on."""
        import hashlib

        text = hashlib.blake2b(self.row.tobytes(), digest_size=16).hexdigest()
        options = replace(self.settings, compile=False).to_dict()
        return {"options": options, "seed": self.seed, "texts": text, "pieces": self.pieces.size}

    def train(self, checkpoint: str | os.PathLike[str] | None, resume: bool) -> dict[str, float]:
        """Train to the end and return the last losses."""
        if checkpoint is None:
            return self._train(lambda: None)
        with held(checkpoint, "is the checkpoint of a training"):
            if resume and Path(checkpoint).exists():
                self._restore(Path(checkpoint))
            losses = self._train(lambda: self._save(checkpoint))
            Path(checkpoint).unlink(missing_ok=True)
            return losses

    def _train(self, save: Callable[[], None]) -> dict[str, float]:
        learner, losses = self.learner, {}
        self._began = time.monotonic() - self._spent
        loss, held_out, since = math.nan, math.nan, (time.monotonic(), learner.steps)
        while self.steps is None or learner.steps < self.steps:
            computed = learner.learn(self._rate())
            self._measure()
            ended = learner.steps == self.steps
            epoch_ended = ended or learner.steps % learner.steps_of_epoch == 0
            if epoch_ended or learner.steps % self._interval() == 0:
                loss = float(computed)
                if not math.isfinite(loss):
                    rate = self.settings.learning_rate
                    raise ParserError(f"training diverged, the loss is no number any more: take a rate below {rate}")
                held_out = learner.held_out_loss() if epoch_ended else math.nan
                since = self._tell(loss, held_out, since)
            if epoch_ended or learner.steps % _CHECKPOINT_STEPS == 0:
                save()
            losses = {"loss": loss, "held_out_loss": held_out}
        return losses or {"loss": loss, "held_out_loss": learner.held_out_loss()}

    def _rate(self) -> float:
        """Return the learning rate of the next step."""
        step: int = self.learner.steps
        total = self.steps
        if total is None:
            return self.settings.learning_rate * min(1.0, (step + 1) / 400)
        warm = max(1, round(_WARM_UP * total))
        return self.settings.learning_rate * min((step + 1) / warm, (total - step) / max(1, total - warm))

    def _measure(self) -> None:
        """With a limit of minutes: say how many steps there will be, as long as the last ones took.

        What others compute on the same GPU comes and goes, and compiling takes long: it is said again and again.
        """
        if self.settings.minutes is None:
            return
        first, last = _MEASURED
        steps = self.learner.steps
        if steps != first and steps % last:
            return
        now = self.learner.time()
        begun, before = self._measured
        if before:
            left = self._began + 60 * self.settings.minutes - now
            self.steps = steps + max(0, int(left * (steps - before) / max(now - begun, 1e-9)))
        self._measured = now, steps

    def _interval(self) -> int:
        return 20 if self.steps is None else max(1, self.steps // 200)

    def _tell(self, loss: float, held_out: float, since: tuple[float, int]) -> tuple[float, int]:
        """Say how far training is."""
        now, learner = time.monotonic(), self.learner
        begun, steps = since
        speed = (learner.steps - steps) * learner.batch * learner.shape.window / max(now - begun, 1e-9)
        epoch = (learner.steps - 1) // learner.steps_of_epoch + 1
        known = None if math.isnan(held_out) else held_out
        _log.info("step %d, loss %.3f, held out %s, %.0f pieces/s", learner.steps, loss, known, speed)
        if self.on_progress is not None:
            self.on_progress(PretrainingProgress(learner.steps, self.steps, epoch, loss, speed, known))
        return time.monotonic(), learner.steps

    def _save(self, path: str | os.PathLike[str]) -> None:
        spent = time.monotonic() - self._began
        description = {"type": _TYPE, "identity": self.identity, "steps": self.steps, "seconds": spent}
        write_model_file(path, ModelFile(description, self.learner.state_dict()))

    def _restore(self, path: Path) -> None:
        file = read_model_file(path)
        if file.description.get("type") != _TYPE:
            raise ModelFileError(f"{path}: not a checkpoint of pretraining")
        saved, given = file.description.get("identity"), json.loads(json.dumps(self.identity))
        if saved != given:
            other = sorted(name for name in given if not isinstance(saved, Mapping) or saved.get(name) != given[name])
            raise ParserError(
                f"{path}: the checkpoint is of another training ({', '.join(other)} differ): give the same texts and "
                "options, or remove it"
            )
        try:
            steps = file.description.get("steps")
            self.steps = None if steps is None else int(number(1, 1 << 48)("steps", steps))
            self._spent = float(number(0, 1e12)("seconds", file.description.get("seconds", 0.0)))
            self.learner.load_state_dict(file.arrays)
        except MISFITS as error:
            raise ModelFileError(f"{path}: the checkpoint cannot be restored ({reason(error)}): remove it") from error


def _about(
    words: TextWords,
    pieces: int,
    settings: Pretraining,
    seed: int,
    losses: Mapping[str, float],
    licence: str | None,
    note: str | None,
) -> dict[str, Any]:
    """Return what a card says of an encoder."""
    from .. import __version__

    texts = [f"{Path(file).name} ({count:,} words)" for file, count in words.files.items()]
    about: dict[str, Any] = {
        "pretrained_on": texts if len(texts) <= 100 else [*texts[:100], f"and {len(texts) - 100:,} more"],
        "words": words.count,
        "documents": words.documents,
        "documents_left_out": words.duplicates,
        "pieces_read": pieces,
        "held_out_loss": round(losses["held_out_loss"], 4),
        "options": ", ".join(f"{name} {value}" for name, value in settings.to_dict().items() if value is not None),
        "seed": seed,
        "crossarc": __version__,
    }
    given = {"licence": licence, "note": note}
    return about | {name: value for name, value in given.items() if value is not None}
