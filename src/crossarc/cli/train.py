"""`crossarc train`: a parser from a treebank."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .encode import make_encoding
from .options import InputFormat, Json
from .output import fail, note, print_json, progress

if TYPE_CHECKING:
    from ..encodings import Encoding
    from ..models.base import Scorer
    from ..parsers import Epoch, TrainingReport
    from ..parsers.advice import Choice
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
        str | None,
        typer.Option(
            "--features", help="Of a perceptron: a file of templates as crossarc features prints.", metavar="PATH"
        ),
    ] = None,
    scorer: Annotated[
        str,
        typer.Option("--scorer", help="What chooses transitions and labels: network, or perceptron, plainer."),
    ] = "network",
    cells: Annotated[
        int | None, typer.Option("--cells", help="Of a network: the size of its memory, each way.", min=1)
    ] = None,
    layers: Annotated[int | None, typer.Option("--layers", help="Of a network: how many memories.", min=1)] = None,
    epochs: Annotated[
        int | None, typer.Option("--epochs", help="How often to go through the data; else as their size asks.", min=1)
    ] = None,
    patience: Annotated[
        int | None, typer.Option("--patience", help="Stop after so many epochs that were not better.", min=1)
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of the order of sentences and of all chance.", min=0)] = 1,
    root: Annotated[
        str | None,
        typer.Option("--root", help="single or any number of roots; by default as in the data."),
    ] = None,
    artificial_root: Annotated[
        str | None,
        typer.Option("--artificial-root", help="Where it stands: none, first or last; else as the data ask."),
    ] = None,
    cutoff: Annotated[int, typer.Option("--cutoff", help="How often a word must occur to be known.", min=1)] = 1,
    least_updates: Annotated[
        int | None,
        typer.Option("--least-updates", help="Of a perceptron: leave out features that mattered more rarely.", min=0),
    ] = None,
    learners: Annotated[
        int | None,
        typer.Option("--learners", help="Of a perceptron: average so many, which learn in different orders.", min=1),
    ] = None,
    beam: Annotated[int, typer.Option("--beam", help="How many states the search keeps; 1 is greedy.", min=1)] = 1,
    update: Annotated[
        str | None, typer.Option("--update", help="How a perceptron learns in a beam: max-violation or early.")
    ] = None,
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
    A system that may give words several heads (planar-graph, 2-planar-graph …) learns the graphs in DEPS.
    The same data, options and seed give the same model. Ctrl-C writes the best model so far. Training with --checkpoint
    that was broken off goes on with the same command and --resume, to the very model it would have come to.

    Examples:

        crossarc train train.conllu.gz --dev dev.conllu -o my.crossarc

        crossarc train train.conllu --system arc-eager --encoding head --beam 8 --epochs 5 -o my.crossarc
    """
    from ..models import check_model_name
    from ..parsers import TransitionParser
    from ..treebank import read

    check_model_name(output)
    treebank = read(files, format=format, root="any", threads=threads)
    held = None if dev is None else read(dev, format=format, root="any", threads=threads)
    chosen = _scorer(scorer, cells, layers, features, least_updates, learners, update)
    around: Encoding | None = None if encoding is None else make_encoding(encoding, reconstruction, "arrows", "careful")
    if system == "auto":
        if around is not None:
            raise typer.Exit(fail("crossarc train: --system auto chooses the encoding too: leave out --encoding"))
        choice = _choose(treebank, held, trials, chosen, seed, threads)
        system, around = choice.system, choice.encoding
        note(f"{choice.name}: {choice.reason}")
    parser = TransitionParser(
        system,
        encoding=around,
        root=root,
        artificial_root=artificial_root,
        scorer=chosen,
        cutoff=cutoff,
        beam=beam,
    )
    epochs = parser.scorer.epochs_for(treebank.words) if epochs is None else epochs
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
            on_epoch=lambda epoch: _describe_epoch(epoch, parser.builds_graphs),
        )
    parser.save(output)
    if not report.interrupted and (checkpoint or resume):
        saved.unlink(missing_ok=True)
    if json:
        print_json(report.to_dict())
    elif report.las is not None:
        note(f"{output}: the model of epoch {report.best}, {report.measure} {report.las:.2f} on {dev}")
    else:
        note(f"{output}: the model of epoch {report.best}")
    if report.interrupted:
        raise typer.Exit(_INTERRUPTED)


def _scorer(
    name: str,
    cells: int | None,
    layers: int | None,
    features: str | None,
    least_updates: int | None,
    learners: int | None,
    update: str | None,
) -> Scorer:
    """Return the scorer of the options; those of another one are refused."""
    from ..features import read_templates
    from ..models.base import make_scorer
    from ..parsers import Network, Perceptron

    given = {"cells": cells, "layers": layers}
    linear = {"least_updates": least_updates, "learners": learners, "update": update}
    own, others = (given, {**linear, "features": features}) if name == Network.name else (linear, given)
    for option, value in others.items():
        if value is not None:
            raise typer.Exit(fail(f"crossarc train: --{option.replace('_', '-')} is no option of the scorer {name}"))
    options: dict[str, Any] = {option: value for option, value in own.items() if value is not None}
    if name == Network.name:
        return Network(**options)
    if name != Perceptron.name:
        return make_scorer(name)
    if features is not None:
        options["templates"], options["label_templates"] = read_templates(features)
    return Perceptron(**options)


def _choose(treebank: Treebank, dev: Treebank | None, trials: int, scorer: Scorer, seed: int, threads: int) -> Choice:
    from ..parsers.advice import choose, choose_by_training

    if not trials:
        return choose(treebank, threads=threads)
    if dev is None:
        raise typer.Exit(fail("crossarc train: --trials compares systems on development data: add --dev FILE"))
    return choose_by_training(
        treebank,
        dev,
        trials,
        scorer=scorer,
        seed=seed,
        threads=threads,
        on_result=lambda choice, las: note(f"trial of {choice.name}: LAS {las:.2f}"),
    )


def _describe_start(system: str, report: TrainingReport) -> None:
    note(f"{report.sentences:,} sentences, {report.words:,} words")
    if report.lost_arcs:
        note(f"{system} cannot build {report.lost_arcs:,} of the {report.arcs:,} arcs to be learnt; it loses them")
    if report.left_out:
        note(f"{report.left_out:,} relations to empty nodes or from a word to itself are left out")


def _describe_epoch(epoch: Epoch, graphs: bool) -> None:
    labelled, unlabelled = ("F1", "unlabelled F1") if graphs else ("LAS", "UAS")
    scores = "" if epoch.las is None else f", {labelled} {epoch.las:.2f}, {unlabelled} {epoch.uas:.2f}"
    note(f"epoch {epoch.number}: {epoch.mistakes:,} mistakes{scores}, {epoch.seconds:.1f} s")
