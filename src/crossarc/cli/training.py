"""How `crossarc train` trains: a parser, or a segmenter and a parser in one pipeline; it says how that goes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .output import note, progress, warnings_as_notes

if TYPE_CHECKING:
    from ..parsers import Epoch, Parser, TrainingReport
    from ..treebank import Treebank


@dataclass(frozen=True)
class Run:
    """What a command line says about training, whatever is trained."""

    output: str
    epochs: int | None
    patience: int | None
    seed: int
    threads: int
    checkpoint: bool
    resume: bool
    device: str | None
    command: str

    @property
    def saved(self) -> Path:
        """The file of the checkpoint."""
        return Path(f"{self.output}.checkpoint")


def train_to_file(parser: Parser, treebank: Treebank, dev: Treebank | None, run: Run) -> TrainingReport:
    """Train any parser, print how it goes, and write its model; the checkpoint is removed when that is done."""
    epochs = parser.epochs_for(treebank) if run.epochs is None else run.epochs
    with progress("training", epochs) as advance, warnings_as_notes():
        report = parser.train(treebank, **_settings(run, dev, epochs, parser.name, advance), command=run.command)
    parser.save(run.output)
    _remove_checkpoint(run, report)
    return report


def train_pipeline_to_file(
    parser: Parser,
    treebank: Treebank,
    dev: Treebank | None,
    run: Run,
    segmenter_epochs: int,
    about: dict[str, str],
) -> TrainingReport:
    """Train a segmenter and a parser, and write both to one model."""
    from ..text import Pipeline

    def tell(epoch: int, share: float) -> None:
        note(f"segmenter, epoch {epoch}: {100 * share:.2f} % of the characters wrong")

    epochs = parser.epochs_for(treebank) if run.epochs is None else run.epochs
    with progress("training", epochs) as advance, warnings_as_notes():
        pipeline = Pipeline.train(
            treebank,
            parser=parser,
            segmenter_epochs=segmenter_epochs,
            about={**about, "command": run.command},
            on_segmenter_epoch=tell,
            **_settings(run, dev, epochs, parser.name, advance),
        )
    pipeline.save(run.output)
    report = pipeline.report
    assert report is not None  # it was trained just now
    _remove_checkpoint(run, report)
    return report


def _settings(run: Run, dev: Treebank | None, epochs: int, name: str, advance: Any) -> dict[str, Any]:
    """Return the arguments of `train`."""
    describe = _Describer()
    if run.resume and run.saved.exists():
        note(f"going on from {run.saved}")
    return {
        "dev": dev,
        "epochs": epochs,
        "patience": run.patience,
        "seed": run.seed,
        "threads": run.threads,
        "checkpoint": run.saved if run.checkpoint else None,
        "resume": run.resume,
        "on_start": lambda found: describe.start(name, found, dev is not None),
        "on_progress": lambda epoch, done, of: advance(epoch - 1 + done / of),
        "on_epoch": describe.epoch,
        "device": run.device,
    }


def _remove_checkpoint(run: Run, report: TrainingReport) -> None:
    if run.checkpoint and not report.interrupted:
        run.saved.unlink(missing_ok=True)


class _Describer:
    """Prints how training goes, with the scores that the parser is measured by."""

    def __init__(self) -> None:
        self.measure = ""

    def start(self, name: str, report: TrainingReport, measured: bool) -> None:
        self.measure = report.measure
        note(f"{report.sentences:,} sentences, {report.words:,} words")
        if report.lost_arcs:
            note(f"{name} cannot build {report.lost_arcs:,} of the {report.arcs:,} arcs to be learnt; it loses them")
        if report.left_out:
            note(f"{report.left_out:,} relations to empty nodes or from a word to itself are left out")
        note("mistakes: wrong choices on the training data while it learns; they say little about other sentences")
        if not measured:
            note("without --dev no score is measured: the model of the last epoch is kept")

    def epoch(self, epoch: Epoch) -> None:
        from ..training.report import measures

        labelled, unlabelled = measures(self.measure)
        scores = ""
        if epoch.las is not None and epoch.uas is not None:
            scores = f", {labelled} {100 * epoch.las:.2f}, {unlabelled} {100 * epoch.uas:.2f}"
            scores += "".join(f", {column.upper()} {100 * share:.2f}" for column, share in epoch.tags.items())
        note(f"epoch {epoch.number}: {epoch.mistakes:,} mistakes{scores}, {epoch.seconds:.1f} s")
