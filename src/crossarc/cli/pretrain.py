"""`crossarc pretrain`: an encoder from raw text, as the options of `Pretraining` say."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .fields import FieldOptions
from .options import bounded
from .output import note, progress

if TYPE_CHECKING:
    from ..training.pretraining import Pretraining, PretrainingProgress
    from ..training.texts import TextWords

_PANELS = {
    "Encoder": ("layers", "size", "attention_heads", "pieces", "sequence"),
    "Training": ("epochs", "minutes", "batch", "learning_rate", "mask", "compile"),
}
#: Fewer words teach little about a language.
_FEW_WORDS = 1_000_000
_OUTPUT = "The folder to write; train --encoder reads it."


def pretrain(
    settings: Pretraining,
    texts: Annotated[
        list[str],
        typer.Argument(
            help="Texts in UTF-8, .gz and .xz too, folders of *.txt, or treebanks; an empty line ends a document.",
            metavar="TEXT…",
        ),
    ],
    output: Annotated[str, typer.Option("--output", "-o", help=_OUTPUT, metavar="FOLDER")],
    device: Annotated[
        str | None, typer.Option("--device", help="cuda, cuda:1 or cpu; by default a GPU if there is one.")
    ] = None,
    licence: Annotated[
        str | None, typer.Option("--licence", help="The licence of the texts, for the card of the encoder.")
    ] = None,
    card_note: Annotated[
        str | None,
        typer.Option("--note", help="What else the card says, such as which test sentences the texts contain."),
    ] = None,
    tokenizer: Annotated[
        str | None,
        typer.Option("--tokenizer", help="A tokenizer.json: its pieces are taken, none are learnt.", metavar="FILE"),
    ] = None,
    seed: Annotated[int, bounded("--seed", "Random seed.")] = 1,
    checkpoint: Annotated[
        bool, typer.Option("--checkpoint", help="Write FOLDER.checkpoint now and then; removed at the end.")
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue from FOLDER.checkpoint, if it exists, and keep writing it.")
    ] = False,
) -> None:
    """Pretrain an encoder on raw text.

    Pieces of words are learnt, then a transformer that guesses words that it does not see. crossarc train --encoder
    FOLDER fine-tunes it with a treebank; what was trained parses without torch. For a language that has no encoder,
    some millions of words make a large difference to accuracy.

    Documents that occur again are left out; one piece in two hundred is held out, and the loss on it is printed after
    each epoch. The same texts, options and seed give the same encoder on the same machine; training with --checkpoint
    that was broken off goes on with the same command and --resume. It needs torch and tokenizers (pip install
    'crossarc[torch,encoders]') and, for more than a try, a GPU: 8 layers of 384 read 28 million words 15 times in less
    than ten minutes there, in days on a CPU.

    Examples:

        crossarc pretrain texts/ --licence "CC BY-SA 4.0" -o greek.encoder

        crossarc pretrain a.txt b.txt.gz --minutes 10 --layers 4 --size 256 --checkpoint -o small.encoder

        crossarc train train.conllu --dev dev.conllu --encoder greek.encoder --parser graph --device cuda -o my.crossarc
    """
    from ..training.pretraining import pretrain as run

    with progress("pretraining", 1000) as advance:
        encoder = run(
            texts,
            output,
            device=device,
            seed=seed,
            licence=licence,
            note=card_note,
            tokenizer=tokenizer,
            checkpoint=f"{output.rstrip('/')}.checkpoint" if checkpoint or resume else None,
            resume=resume,
            on_text=lambda words: _tell_of_texts(words, device),
            on_progress=_Describer(advance),
            **settings.to_dict(),
        )
    shape, loss = encoder.shape, encoder.about["held_out_loss"]
    layers = "one layer" if shape.layers == 1 else f"{shape.layers} layers"
    size = f"{layers} of {shape.hidden_size}, {shape.pieces:,} pieces"
    note(f"{output}: an encoder of {size}, loss {loss:.3f} on what was held out")


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give the command, in place of its settings, the options of pretraining."""
    from ..training.pretraining import Pretraining

    groups = [FieldOptions(Pretraining, names, panel) for panel, names in _PANELS.items()]

    @functools.wraps(command)
    def run(**options: Any) -> None:
        given = {name: value for group in groups for name, value in group.take(options).items()}
        command(settings=Pretraining(**given), **options)

    signature = inspect.signature(command, eval_str=True, locals={"Pretraining": Pretraining})
    first = [parameter for name, parameter in signature.parameters.items() if name != "settings"]
    further = [parameter for group in groups for parameter in group.parameters]
    vars(run)["__signature__"] = signature.replace(parameters=[*first, *further])
    return run


def _tell_of_texts(words: TextWords, device: str | None) -> None:
    import torch

    left_out = f", {words.duplicates:,} that occur again left out" if words.duplicates else ""
    note(f"{words.count:,} words in {words.documents:,} documents{left_out}")
    if words.count < _FEW_WORDS:
        note("fewer than a million words teach an encoder little: give more text, if there is more")
    if device == "cpu" or (device is None and not torch.cuda.is_available()):
        note("on the CPU: this is slow, some hundred times as slow as on a GPU; --minutes says how long it may take")


class _Describer:
    """Prints how pretraining goes."""

    def __init__(self, advance: Callable[[float], None]) -> None:
        self._advance, self._told = advance, 0

    def __call__(self, so_far: PretrainingProgress) -> None:
        if so_far.steps is not None:
            self._advance(1000 * so_far.step / so_far.steps)
        tenth = 0 if so_far.steps is None else 50 * so_far.step // so_far.steps
        if so_far.held_out_loss is None and tenth == self._told:
            return
        self._told = tenth
        of = "" if so_far.steps is None else f" of {so_far.steps:,}"
        held_out = "" if so_far.held_out_loss is None else f", held out {so_far.held_out_loss:.3f}"
        speed = f"{so_far.pieces_per_second:,.0f} pieces/s"
        note(f"epoch {so_far.epoch}, step {so_far.step:,}{of}: loss {so_far.loss:.3f}{held_out}, {speed}")
