"""`crossarc train`: a parser from a treebank."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .encode import CoveredRoots, LiftOrder, Search, make_encoding
from .options import RUNS_CODE, Force, InputFormat, Json, Threads, bounded
from .output import fail, note, note_if_empty, print_json
from .training import Run, train_pipeline_to_file, train_to_file

if TYPE_CHECKING:
    from ..encodings import Encoding
    from ..models.base import Scorer
    from ..parsers import Parser
    from ..parsers.advice import Choice
    from ..treebank import Treebank

_INTERRUPTED = 130
_FILES = ("files", "dev", "system", "features")
#: Options that do not change the model.
_WITHOUT_EFFECT = ("verbose", "quiet", "output", "threads", "checkpoint", "resume", "json", "force")


def train(
    context: typer.Context,
    files: Annotated[
        list[str], typer.Argument(help="Treebank files or directories with trees to learn from.", metavar="TRAIN…")
    ],
    output: Annotated[str, typer.Option("--output", "-o", help="Where to write the model.", metavar="MODEL")],
    dev: Annotated[
        str | None,
        typer.Option("--dev", help="Development data: the epoch with the best score on them is kept.", metavar="FILE"),
    ] = None,
    pipeline: Annotated[
        bool,
        typer.Option(
            "--pipeline",
            help="Train a pipeline, from raw text to trees: a segmenter, and a graph parser that predicts tags and "
            "lemmas or, with --parser transition, a tagger beside it.",
        ),
    ] = False,
    kind: Annotated[
        str,
        typer.Option(
            "--parser",
            help="transition: builds trees step by step; graph: scores all arcs, slower and more accurate; auto: graph "
            "if the data are small enough or there is a device.",
        ),
    ] = "transition",
    trees: Annotated[
        str | None,
        typer.Option(
            "--trees", help="Graph parser: 1-endpoint-crossing (default), projective or unrestricted trees, or auto."
        ),
    ] = None,
    predict: Annotated[
        str | None,
        typer.Option(
            "--predict",
            help="Graph parser: columns to predict with trees, from words alone: upos,xpos,feats,lemma, or some.",
        ),
    ] = None,
    device: Annotated[
        str | None,
        typer.Option("--device", help="Network, graph parser: train with torch on cuda or cpu instead of natively."),
    ] = None,
    segmenter_epochs: Annotated[int, bounded("--segmenter-epochs", "Pipeline: epochs of the segmenter.")] = 20,
    about: Annotated[
        list[str] | None,
        typer.Option(
            "--about",
            help="Pipeline: what the model says of itself: name=, language=, licence=, attribution=, source=.",
            metavar="NAME=VALUE",
        ),
    ] = None,
    system: Annotated[
        str,
        typer.Option(
            "--system", help=f"A name that crossarc systems lists, a file mine.py:system, or auto. {RUNS_CODE}"
        ),
    ] = "auto",
    trials: Annotated[
        int, bounded("--trials", "With auto: train each candidate for so many epochs, and take the best on --dev.")
    ] = 0,
    encoding: Annotated[
        str | None,
        typer.Option("--encoding", help="head, path, head+path, baseline, undirected, or head,undirected."),
    ] = None,
    reconstruction: Annotated[
        str,
        typer.Option("--reconstruction", help="How directions are restored: label, label-strict or naive."),
    ] = "label",
    search: Search = "careful",
    lift_order: LiftOrder = "shortest",
    covered_roots: CoveredRoots = "none",
    features: Annotated[
        str | None,
        typer.Option(
            "--features",
            help="A feature model that crossarc features lists, or a file of templates as it prints.",
            metavar="NAME|PATH",
        ),
    ] = None,
    scorer: Annotated[
        str,
        typer.Option(
            "--scorer",
            help="The model that chooses transitions and labels: network, perceptron, svm, linear-svm or memory.",
        ),
    ] = "network",
    network: Annotated[
        str,
        typer.Option(
            "--network",
            help="Network: plain, or deep (two LSTM layers of 200 cells that read characters, too): slower to train "
            "and to parse, more accurate.",
        ),
    ] = "plain",
    cells: Annotated[
        int | None, bounded("--cells", "Network, graph parser: hidden size of the LSTM, in each direction.")
    ] = None,
    layers: Annotated[int | None, bounded("--layers", "Network, graph parser: LSTM layers.")] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option",
            help="Any option of the scorer: rate=0.001 (learning rate), hidden=128 (hidden size), "
            "lexical_length=64 (embedding dimension), layer_dropout=0.5 … Repeat it for several.",
            metavar="NAME=VALUE",
        ),
    ] = None,
    epochs: Annotated[
        int | None,
        bounded("--epochs", "Number of epochs; by default 8 to 30, deep networks 12 to 80, by the size of the data."),
    ] = None,
    patience: Annotated[
        int | None, bounded("--patience", "Stop after so many epochs without improvement on --dev.")
    ] = None,
    seed: Annotated[int, bounded("--seed", "Random seed.")] = 1,
    root: Annotated[
        str | None,
        typer.Option("--root", help="Root policy: single or any number of roots; by default as in the data."),
    ] = None,
    artificial_root: Annotated[
        str | None,
        typer.Option(
            "--artificial-root", help="Where the artificial root stands: none, first or last; by default by the data."
        ),
    ] = None,
    cutoff: Annotated[
        int | None,
        bounded(
            "--cutoff",
            "How often a form, a lemma and so on must occur to be known: 1; 2 for graph parsers and deep networks.",
        ),
    ] = None,
    least_updates: Annotated[
        int | None, bounded("--least-updates", "Perceptron: leave out features with fewer updates.")
    ] = None,
    learners: Annotated[
        int | None, bounded("--learners", "Perceptron: average so many, trained in different orders.")
    ] = None,
    beam: Annotated[int, bounded("--beam", "Beam width of the search; 1 is greedy.")] = 1,
    update: Annotated[
        str | None, typer.Option("--update", help="Perceptron with a beam: update rule, max-violation or early.")
    ] = None,
    exploration: Annotated[
        float | None,
        bounded(
            "--exploration", "Share of wrong choices that training follows, by default 0.9; 0 for the static oracle."
        ),
    ] = None,
    planes: Annotated[
        str | None,
        typer.Option("--planes", help="On two stacks: planes of arcs in training, fixed, free or auto (by the data)."),
    ] = None,
    checkpoint: Annotated[
        bool, typer.Option("--checkpoint", help="Write MODEL.checkpoint after each epoch; removed at the end.")
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue from MODEL.checkpoint, if it exists, and keep writing it.")
    ] = False,
    format: InputFormat = None,
    threads: Threads = 0,
    json: Json = False,
    force: Force = False,
) -> None:
    """Train a parser, or a pipeline from raw text to trees.

    It learns from a treebank and is written to a model file.

    With --pipeline, all that raw text needs is learnt from the treebank: where sentences and words end (from # text and
    SpaceAfter), tags and lemmas (those that it has), and trees; crossarc parse then takes raw text.
    Without --system, a system and an encoding that fit the structure of the trees are chosen, and the choice is
    explained; with --parser auto, a graph parser and the class of its trees, too.
    With --dev, the model of the epoch with the best labelled attachment score on these data is kept; without it no
    score is measured, and the model of the last epoch is kept.
    A system that may give words several heads (planar-graph, 2-planar-graph …) learns the enhanced graphs in DEPS.
    The same data, options and seed give the same model. Ctrl-C writes the best model so far. Training with --checkpoint
    that was broken off goes on with the same command and --resume, to the very model it would have come to. Whether the
    model can be written is tried before training starts; a checkpoint that cannot be written later does not end it.

    Examples:

        crossarc train train.conllu.gz --dev dev.conllu -o my.crossarc

        crossarc train --pipeline train.conllu.gz --dev dev.conllu -o my.crossarc

        crossarc train train.conllu --system arc-eager --encoding head --beam 8 --epochs 5 -o my.crossarc

        crossarc train train.conllu.gz --dev dev.conllu --system covington --network deep -o my.crossarc

        crossarc train train.conllu.gz --dev dev.conllu --parser graph --trees 1-endpoint-crossing -o my.crossarc

        crossarc train train.conllu.gz --dev dev.conllu --parser graph --predict upos,xpos,feats,lemma -o my.crossarc
    """
    from ..models import check_model_name
    from ..parsers import Biaffine, GraphParser, TransitionParser
    from ..parsers.advice import Choice, GraphChoice, choose_parser
    from ..parsers.graph.trees import class_of
    from ..treebank import read
    from ..treebank.files import check_outputs

    encoding = _checked_encoding(context, encoding)
    checkpoint = checkpoint or resume
    saved = f"{output}.checkpoint" if checkpoint else None
    check_outputs([("model", output), ("model", saved)], [*files, dev, features, _file_of(system)], force=force)
    for name in (output, saved):
        if name is not None:
            check_model_name(name)
    treebank = read(files, format=format, root="any", threads=threads)
    held = None if dev is None else read(dev, format=format, root="any", threads=threads)
    if not len(treebank):
        raise typer.Exit(fail(f"crossarc train: the training data have no sentences: {', '.join(files)}"))
    if len(treebank.sources) > 1:
        read_from = {treebank.origin(index)[0] for index in range(len(treebank))}
        for source in treebank.sources:
            note_if_empty(source in read_from, source)
    if held is not None and not len(held):
        raise typer.Exit(fail(f"crossarc train: the development data have no sentences: {dev}"))
    given = {
        "cells": cells,
        "layers": layers,
        "templates_file": features,
        "least_updates": least_updates,
        "learners": learners,
        "update": update,
        "exploration": exploration,
        "planes": planes,
    }
    options = {name: value for name, value in given.items() if value is not None} | dict(map(_named, option or []))
    if pipeline:
        if not _is_given(context, "kind"):
            kind = "graph"
        trees = trees or (None if kind != "graph" else "auto")
        predict = predict or (None if kind != "graph" else ",".join(_filled(treebank)))
    elif segmenter_given := [name for name in ("segmenter_epochs", "about") if _is_given(context, name)]:
        flag = segmenter_given[0].replace("_", "-")
        raise typer.Exit(fail(f"crossarc train: --{flag} is for pipelines: add --pipeline"))
    parser: Parser
    picked: Choice | GraphChoice | None = None
    of_transitions = {
        "system": system != "auto",
        "reconstruction": _is_given(context, "reconstruction"),
        "encoding": encoding is not None,
        "trials": bool(trials),
        "beam": beam != 1,
        "scorer": _is_given(context, "scorer"),
        "artificial-root": artificial_root is not None,
        "network": network != "plain",
    }
    if kind == "auto":
        _refuse("--parser auto chooses the parser", **of_transitions, trees=trees is not None)
        picked = choose_parser(treebank, device=device, threads=threads)
        note(f"{picked.name}: {picked.reason}")
        kind = "graph" if isinstance(picked, GraphChoice) else "transition"
    if kind == "graph":
        _refuse("graph parsers have none", **of_transitions)
        biaffine = Biaffine.from_options(options)
        if isinstance(picked, GraphChoice):
            trees = picked.trees
        elif trees == "auto":
            trees = class_of(treebank, threads)
            note(f"--trees {trees}: the class that fits the training data")
        parser = GraphParser(
            trees or "1-endpoint-crossing",
            root=root,
            network=biaffine,
            cutoff=cutoff or 2,
            predict=() if predict is None else predict.split(","),
        )
    elif kind != "transition":
        raise typer.Exit(fail(f"crossarc train: --parser is transition, graph or auto, not {kind}"))
    elif trees is not None or predict is not None:
        name = "--trees" if predict is None else "--predict"
        raise typer.Exit(fail(f"crossarc train: {name} is for graph parsers: add --parser graph"))
    else:
        chosen = _scorer(scorer, network, options)
        around: Encoding | None = None
        if encoding is not None:
            around = make_encoding(encoding, reconstruction, "arrows", search, lift_order, covered_roots)
        if system == "auto":
            if around is not None:
                raise typer.Exit(fail("crossarc train: --system auto chooses the encoding too: leave out --encoding"))
            choice = picked
            if not isinstance(choice, Choice):
                choice = _choose(treebank, held, trials, chosen, seed, threads)
                note(f"{choice.name}: {choice.reason}")
                note(choice.alternative)
            system, around = choice.system, choice.encoding
        parser = TransitionParser(
            system,
            encoding=around,
            root=root,
            artificial_root=artificial_root,
            scorer=chosen,
            cutoff=cutoff or (2 if network == "deep" else 1),
            beam=beam,
        )
    run = Run(output, epochs, patience, seed, threads, checkpoint, resume, device, _command(context))
    if pipeline:
        report = train_pipeline_to_file(parser, treebank, held, run, segmenter_epochs, _about(about or []))
    else:
        report = train_to_file(parser, treebank, held, run)
    if json:
        print_json(report.to_dict())
    elif report.las is not None:
        note(f"{output}: the model of epoch {report.best}, {report.measure} {100 * report.las:.2f} on {dev}")
    else:
        note(f"{output}: the model of epoch {report.best}")
    if report.interrupted:
        raise typer.Exit(_INTERRUPTED)


def _scorer(scorer: str, network: str, options: dict[str, Any]) -> Scorer:
    """Return the options of the model that chooses transitions and labels."""
    from ..models import Network, scorer_kind

    if network not in ("plain", "deep"):
        raise typer.Exit(fail(f"crossarc train: --network is plain or deep, not {network}"))
    if network == "plain":
        return scorer_kind(scorer).from_options(options)
    if scorer != Network.name:
        raise typer.Exit(fail(f"crossarc train: --network deep is for the scorer network, not {scorer}"))
    return Network.deep(**options)


def _checked_encoding(context: typer.Context, encoding: str | None) -> str | None:
    """Return the encoding; --reconstruction implies undirected, and options that would change nothing are refused."""
    if encoding is None and _is_given(context, "reconstruction"):
        encoding = "undirected"
    schemes = [] if encoding is None else encoding.split(",")
    lifted = any(scheme != "undirected" for scheme in schemes)
    about = {"reconstruction": "undirected" in schemes, "search": lifted, "lift_order": lifted, "covered_roots": lifted}
    for name, fits in about.items():
        if _is_given(context, name) and not fits:
            needed = "undirected" if name == "reconstruction" else "head, path or head+path"
            raise typer.Exit(fail(f"crossarc train: --{name.replace('_', '-')} is for --encoding {needed}: add that"))
    return encoding


def _filled(treebank: Treebank) -> list[str]:
    """Return the columns that a pipeline can predict: those that the training data have."""
    from ..text.pipeline import TAGS

    return [name for name in TAGS if treebank.inventory(name).keys() - {"_"}]


def _about(given: list[str]) -> dict[str, str]:
    """Return what a model is to say of itself, from NAME=VALUE."""
    from ..text.pipeline import ABOUT

    found = {}
    for one in given:
        name, sign, value = one.partition("=")
        if not sign or name not in ABOUT:
            raise typer.Exit(fail(f"crossarc train: --about {one}: give NAME=VALUE with one of {', '.join(ABOUT)}"))
        found[name] = value
    return found


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _refuse(why: str, **given: bool) -> None:
    """Refuse options of other parsers."""
    for name, is_given in given.items():
        if is_given:
            of = "graph" if name == "trees" else "transition"
            raise typer.Exit(fail(f"crossarc train: --{name} is for {of} parsers, and {why}: leave it out"))


def _command(context: typer.Context) -> str:
    """Return the command line, files without folders and without the options that do not change the model."""
    from shlex import join

    words = ["crossarc", "train"]
    for parameter in context.command.params:
        name = str(parameter.name)
        if not _is_given(context, name) or name in _WITHOUT_EFFECT:
            continue
        flag = [] if parameter.param_type_name == "argument" else [parameter.opts[0]]
        value = context.params[name]
        if value is True:
            words += flag
            continue
        for one in value if isinstance(value, list | tuple) else [value]:
            words += [*flag, Path(one).name if name in _FILES else str(one)]
    return join(words)


def _file_of(system: str) -> str | None:
    """Return the file of a system that is given as mine.py:system."""
    file, separator, _ = system.rpartition(":")
    named = file if separator else system
    return named if named.endswith(".py") else None


def _named(text: str) -> tuple[str, Any]:
    """Return the name and the value of NAME=VALUE: a number, a list as in JSON, or text."""
    from json import JSONDecodeError, loads

    name, sign, value = text.partition("=")
    if not sign:
        raise typer.Exit(fail(f"crossarc train: --option {text}: give NAME=VALUE, as in hidden=128"))
    try:
        return name.replace("-", "_"), loads(value)
    except JSONDecodeError:
        return name.replace("-", "_"), value


def _choose(treebank: Treebank, dev: Treebank | None, trials: int, scorer: Scorer, seed: int, threads: int) -> Choice:
    from ..parsers.advice import choose
    from ..parsers.trials import choose_by_training

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
        on_result=lambda choice, las: note(f"trial of {choice.name}: LAS {100 * las:.2f}"),
    )
