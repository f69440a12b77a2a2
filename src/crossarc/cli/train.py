"""`crossarc train`: a parser from a treebank."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .encode import make_encoding
from .options import InputFormat, Json
from .output import fail, note, print_json, progress

if TYPE_CHECKING:
    from ..encodings import Encoding
    from ..parsers import Epoch, TrainingReport
    from ..parsers.auto import Choice
    from ..treebank import Treebank

_INTERRUPTED = 130


def train(
    files: Annotated[
        list[str], typer.Argument(help="Treebank files or directories with trees to learn from.", metavar="TRAIN…")
    ],
    output: Annotated[str, typer.Option("--output", "-o", help="Where to write the model.", metavar="MODEL")],
    dev: Annotated[
        str | None,
        typer.Option("--dev", help="A treebank that says which epoch is best.", metavar="FILE"),
    ] = None,
    system: Annotated[
        str, typer.Option("--system", help="A name that crossarc systems lists, a file mine.py:system, or auto.")
    ] = "auto",
    trials: Annotated[
        int, typer.Option("--trials", help="With auto: train each system that fits so many epochs, and compare.", min=0)
    ] = 0,
    encoding: Annotated[
        str | None,
        typer.Option("--encoding", help="head, path, head+path, baseline, undirected, or head,undirected."),
    ] = None,
    reconstruction: Annotated[
        str, typer.Option("--reconstruction", help="Of undirected trees: label, label-strict or naive.")
    ] = "label",
    features: Annotated[
        str | None, typer.Option("--features", help="A file of templates as crossarc features prints.", metavar="PATH")
    ] = None,
    epochs: Annotated[int, typer.Option("--epochs", help="How often to go through the data.", min=1)] = 10,
    patience: Annotated[
        int | None, typer.Option("--patience", help="Stop after so many epochs that were not better.", min=1)
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of the order of sentences.", min=0)] = 1,
    root: Annotated[
        str | None,
        typer.Option("--root", help="single or any number of roots; by default as in the data."),
    ] = None,
    artificial_root: Annotated[
        str | None, typer.Option("--artificial-root", help="Where it stands: none, first or last.")
    ] = None,
    cutoff: Annotated[int, typer.Option("--cutoff", help="How often a word must occur to be known.", min=1)] = 1,
    least_updates: Annotated[
        int, typer.Option("--least-updates", help="Leave out features that mattered more rarely.", min=0)
    ] = 1,
    learners: Annotated[
        int, typer.Option("--learners", help="Average so many, which learn in different orders.", min=1)
    ] = 1,
    checkpoint: Annotated[
        bool, typer.Option("--checkpoint", help="Write MODEL.checkpoint after each epoch, until the model is there.")
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from MODEL.checkpoint, if it is there, and write it again.")
    ] = False,
    format: InputFormat = None,
    threads: Annotated[int, typer.Option("--threads", help="How many threads; 0 for all cores.", min=0)] = 0,
    json: Json = False,
) -> None:
    """Train a parser on a treebank and write it to a model file.

    Without --system, one that fits the structure of the trees is chosen, and an encoding; the choice is explained. With
    --dev, the model of the epoch with the best labelled attachment score there is kept, else that of the last.
    The same data, options and seed give the same model. Ctrl-C writes the best model so far. Training with --checkpoint
    that was broken off goes on with the same command and --resume, to the very model it would have come to.

    Examples:

        crossarc train train.conllu.gz --dev dev.conllu -o my.crossarc

        crossarc train train.conllu --system arc-eager --encoding head --epochs 5 -o my.crossarc
    """
    from ..models import check_model_name, read_templates
    from ..parsers import TransitionParser
    from ..treebank import read

    check_model_name(output)
    treebank = read(files, format=format, root="any", threads=threads)
    held = None if dev is None else read(dev, format=format, root="any", threads=threads)
    around: Encoding | None = None if encoding is None else make_encoding(encoding, reconstruction, "arrows", "careful")
    if system == "auto":
        if around is not None:
            raise typer.Exit(fail("crossarc train: --system auto chooses the encoding too: leave out --encoding"))
        choice = _choose(treebank, held, trials, seed, threads)
        system, around = choice.system, choice.encoding
        note(f"{choice.name}: {choice.reason}")
    templates, label_templates = (None, None) if features is None else read_templates(features)
    parser = TransitionParser(
        system,
        encoding=around,
        root=root,
        artificial_root=artificial_root,
        templates=templates,
        label_templates=label_templates,
        cutoff=cutoff,
        least_updates=least_updates,
        learners=learners,
    )
    saved = Path(f"{output}.checkpoint")
    if resume and saved.exists():
        note(f"going on from {saved}")
    with progress("training", epochs) as advance:
        report = parser.train(
            treebank,
            dev=held,
            epochs=epochs,
            patience=patience,
            seed=seed,
            threads=threads,
            checkpoint=saved if checkpoint or resume else None,
            resume=resume,
            on_start=lambda found: _describe_start(parser.system.name, found),
            on_progress=lambda epoch, done, of: advance(epoch - 1 + done / of),
            on_epoch=_describe_epoch,
        )
    parser.save(output)
    if not report.interrupted and (checkpoint or resume):
        saved.unlink(missing_ok=True)
    if json:
        print_json(report.to_dict())
    elif report.las is not None:
        note(f"{output}: the model of epoch {report.best}, LAS {report.las:.2f} on {dev}")
    else:
        note(f"{output}: the model of epoch {report.best}")
    if report.interrupted:
        raise typer.Exit(_INTERRUPTED)


def _choose(treebank: Treebank, dev: Treebank | None, trials: int, seed: int, threads: int) -> Choice:
    from ..parsers.auto import choose, choose_by_training

    if not trials:
        return choose(treebank, threads=threads)
    if dev is None:
        raise typer.Exit(fail("crossarc train: --trials compares systems on development data: add --dev FILE"))
    return choose_by_training(
        treebank,
        dev,
        trials,
        seed=seed,
        threads=threads,
        on_result=lambda choice, las: note(f"trial of {choice.name}: LAS {las:.2f}"),
    )


def _describe_start(system: str, report: TrainingReport) -> None:
    note(f"{report.sentences:,} sentences, {report.words:,} words")
    if report.lost_arcs:
        note(f"{system} cannot build {report.lost_arcs:,} of the {report.arcs:,} arcs to be learnt; it loses them")


def _describe_epoch(epoch: Epoch) -> None:
    scores = "" if epoch.las is None else f", LAS {epoch.las:.2f}, UAS {epoch.uas:.2f}"
    note(f"epoch {epoch.number}: {epoch.mistakes:,} mistakes{scores}, {epoch.seconds:.1f} s")
