"""`crossarc train`: a parser or a pipeline from a treebank, as the options of a `TrainingPlan` say."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .fields import FieldOptions
from .options import Force, InputFormat, Json, Threads
from .output import fail, note, note_if_empty, print_json
from .training import Run, duration, given_columns, pipeline_scores, taught_sentences, tell_of_pipeline, train_to_file

if TYPE_CHECKING:
    from ..parsers import TrainingReport
    from ..parsers.plan import TrainingPlan
    from ..treebank import Treebank

_INTERRUPTED = 130
_FILES = ("files", "dev", "system", "features", "encoder", "teacher", "raw")
#: Options that do not change the model.
_WITHOUT_EFFECT = ("verbose", "quiet", "output", "threads", "checkpoint", "resume", "json", "force")
#: The fields of a plan, by the headings under which help lists them.
_PANELS = {
    "Parser": (
        *("pipeline", "parser", "trees", "predict", "root", "cutoff"),
        *("crossing_penalty", "crossing_punctuation"),
    ),
    "Pipeline": ("segmenter_epochs", "about"),
    "Transition parser": (
        *("system", "trials", "beam", "artificial_root", "scorer", "network", "features", "options"),
    ),
    "Encoding": ("encoding", "reconstruction", "search", "lift_order", "covered_roots"),
    "Training": ("epochs", "patience", "seed", "device"),
}


def train(
    context: typer.Context,
    plan: TrainingPlan,
    files: Annotated[
        list[str], typer.Argument(help="Treebank files or directories with trees to learn from.", metavar="TRAIN…")
    ],
    output: Annotated[str, typer.Option("--output", "-o", help="Where to write the model.", metavar="MODEL")],
    dev: Annotated[
        str | None,
        typer.Option("--dev", help="Development data: the epoch with the best score on them is kept.", metavar="FILE"),
    ] = None,
    teacher: Annotated[
        str | None,
        typer.Option(
            "--teacher",
            help="A model that parses --raw; its trees are learnt beside those of TRAIN.",
            metavar="MODEL",
            rich_help_panel="Distillation",
        ),
    ] = None,
    raw: Annotated[
        list[str] | None,
        typer.Option(
            "--raw",
            help="A text, a treebank whose words are taken, or a folder of texts (.txt, .gz, .xz), for --teacher; may "
            "be repeated.",
            metavar="TEXT",
            rich_help_panel="Distillation",
        ),
    ] = None,
    taught_share: Annotated[
        float,
        typer.Option(
            "--taught-share",
            help="The share of the words of an epoch that the teacher parsed; sentences of TRAIN are repeated for it.",
            metavar="SHARE",
            rich_help_panel="Distillation",
        ),
    ] = 0.5,
    distributions: Annotated[
        bool,
        typer.Option(
            "--distributions",
            help="Learn how probable the teacher finds heads, relations and tags, not its best ones. Needs --device.",
            rich_help_panel="Distillation",
        ),
    ] = False,
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
    SpaceAfter), tags and lemmas (those that it has), and trees; crossarc parse then takes raw text. With --dev, the
    whole pipeline is measured at the end, from raw text and with gold words.
    Without --system, a system and an encoding that fit the structure of the trees are chosen, and the choice is
    explained; with --parser auto, a graph parser and the class of its trees, too.
    With --dev, the model of the epoch with the best labelled attachment score on these data is kept; without it no
    score is measured, and the model of the last epoch is kept.
    A system that may give words several heads (planar-graph, 2-planar-graph …) learns the enhanced graphs in DEPS.
    The same data, options and seed give the same model. Ctrl-C writes the best model so far. Training with --checkpoint
    that was broken off goes on with the same command and --resume, to the very model it would have come to. Whether the
    model can be written is tried before training starts; if the disk is full when it ends, the model goes to another
    folder, which is named; a checkpoint that cannot be written does not end it.

    Examples:

        crossarc train train.conllu.gz --dev dev.conllu -o my.crossarc

        crossarc train --pipeline train.conllu.gz --dev dev.conllu -o my.crossarc

        crossarc train train.conllu --system arc-eager --encoding head --beam 8 --epochs 5 -o my.crossarc

        crossarc train train.conllu.gz --dev dev.conllu --system covington --network deep -o my.crossarc

        crossarc train train.conllu.gz --dev dev.conllu --parser graph --trees 1-endpoint-crossing -o my.crossarc

        crossarc train train.conllu.gz --dev dev.conllu --parser graph --predict upos,xpos,feats,lemma -o my.crossarc

        crossarc train --pipeline train.conllu.gz --dev dev.conllu --teacher en --raw texts/ -o small.crossarc
    """
    from ..files import check_outputs
    from ..models import check_model_name
    from ..parsers.taught import check_share
    from ..text import Pipeline

    check_share(taught_share)
    run = Run(output, checkpoint or resume, resume, threads, _command(context))
    saved = str(run.saved) if run.checkpoint else None
    if (teacher is None) != (not raw):
        raise typer.Exit(fail("crossarc train: --teacher parses --raw: give both, or neither"))
    if distributions and (teacher is None or plan.device is None):
        raise typer.Exit(
            fail("crossarc train: --distributions are those of --teacher, learnt with torch: give --device, too")
        )
    inputs = [*files, dev, teacher, *(raw or []), plan.features, _file_of_system(plan.system)]
    check_outputs([("model", output), ("model", saved)], inputs, force=force)
    for name in (output, saved):
        if name is not None:
            check_model_name(name)
    begun = monotonic()
    treebank = _read(files, "training", format, threads)
    held = None if dev is None else _read([dev], "development", format, threads)
    parser = plan.make_parser(treebank, held, threads=threads, tell=note)
    taught = None
    if teacher is not None:
        taught = taught_sentences(teacher, raw or [], taught_share, threads, distributions=distributions)
    report, trained = train_to_file(plan, parser, treebank, held, run, taught)
    of_pipeline = {}
    if isinstance(trained, Pipeline) and held is not None and not report.interrupted:
        of_pipeline = pipeline_scores(trained, held, threads)
    if json:
        print_json(report.to_dict() | ({"pipeline": of_pipeline} if of_pipeline else {}))
    else:
        _tell_of_model(output, report, dev, given_columns(parser), monotonic() - begun)
        tell_of_pipeline(of_pipeline, str(dev))
    if report.interrupted:
        raise typer.Exit(_INTERRUPTED)


def _tell_of_model(output: str, report: TrainingReport, dev: str | None, given: list[str], seconds: float) -> None:
    """Print which epoch was written, how good it was and with which columns of the data, and how long it took."""
    scores = "" if report.las is None else f", {report.measure} {100 * report.las:.2f}"
    if report.strict_f is not None:
        scores += f" and strict F of non-projective arcs {100 * report.strict_f:.2f}"
    columns = f", with the {', '.join(column.upper() for column in given)} of these data" if given else ""
    measured = f"{scores} on {dev}{columns}" if scores else ""
    note(f"{output}: the model of epoch {report.best}{measured}; it took {duration(seconds)}")


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give the command, in place of its plan, the options of plans and of the models that they may train."""
    from ..parsers.plan import PlanError, TrainingPlan

    of_plans = [FieldOptions(TrainingPlan, names, panel) for panel, names in _PANELS.items()]
    of_models = _model_options({name for names in _PANELS.values() for name in names})

    @functools.wraps(command)
    def run(**options: Any) -> None:
        try:
            plan = {name: value for group in of_plans for name, value in group.take(options).items()}
            model = {name: value for group in of_models for name, value in group.take(options).items()}
            plan["options"] = model | plan.get("options", {})
            command(plan=TrainingPlan(**plan), **options)
        except PlanError as error:
            raise typer.Exit(fail(f"crossarc train: {error.flags}")) from error

    signature = inspect.signature(command, eval_str=True, locals={"TrainingPlan": TrainingPlan})
    first = [parameter for name, parameter in signature.parameters.items() if name != "plan"]
    further = [parameter for group in (*of_plans, *of_models) for parameter in group.parameters]
    vars(run)["__signature__"] = signature.replace(parameters=[*first, *further])
    return run


def _model_options(taken: set[str]) -> list[FieldOptions]:
    """Return the options of networks and perceptrons whose names are not taken; --option has all."""
    from ..models import Biaffine, Network, Perceptron

    groups = []
    for panel, kind in (("Network", Network), ("Network of a graph parser", Biaffine), ("Perceptron", Perceptron)):
        names = [field.name for field in fields(kind) if field.name not in taken]
        taken.update(names)
        groups.append(FieldOptions(kind, names, panel, defaults=False))
    return groups


def _read(files: list[str], what: str, format: str | None, threads: int) -> Treebank:
    """Read data; those without sentences are refused, and files without are named."""
    from ..treebank import read

    treebank = read(files, format=format, root="any", threads=threads)
    if not len(treebank):
        raise typer.Exit(fail(f"crossarc train: the {what} data have no sentences: {', '.join(files)}"))
    if len(treebank.sources) > 1:
        read_from = {treebank.origin(index)[0] for index in range(len(treebank))}
        for source in treebank.sources:
            note_if_empty(source in read_from, source)
    return treebank


def _command(context: typer.Context) -> str:
    """Return the command line, files without folders and without the options that do not change the model."""
    from shlex import join

    words = ["crossarc", "train"]
    for parameter in context.command.params:
        name = str(parameter.name)
        source = context.get_parameter_source(name)
        if source is None or source.name != "COMMANDLINE" or name in _WITHOUT_EFFECT:
            continue
        flag = [] if parameter.param_type_name == "argument" else [parameter.opts[0]]
        value = context.params[name]
        if isinstance(value, bool):
            words += flag if value else parameter.secondary_opts[:1]
            continue
        for each in value if isinstance(value, list | tuple) else [value]:
            words += [*flag, Path(each).name if name in _FILES else str(each)]
    return join(words)


def _file_of_system(system: str) -> str | None:
    """Return the file of a system that is given as mine.py:system."""
    file, separator, _ = system.rpartition(":")
    named = file if separator else system
    return named if named.endswith(".py") else None
