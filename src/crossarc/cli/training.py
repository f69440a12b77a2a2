"""How `crossarc train` trains: a parser, or a segmenter and a parser in one pipeline; it says how that goes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .output import note, progress

if TYPE_CHECKING:
    from ..parsers import Epoch, Parser, TrainableParser, TrainingReport
    from ..parsers.plan import TrainingPlan
    from ..text import Pipeline
    from ..treebank import Treebank


#: With a lower F1 of sentences, texts are better cut before they are parsed.
_FEW_SENTENCES = 0.5
#: After the first epoch of a training that takes more seconds, it is said how long it may take.
_LONG = 60


@dataclass(frozen=True)
class Run:
    """What a command line says about training that does not change the model."""

    output: str
    checkpoint: bool
    resume: bool
    threads: int
    #: The command line itself, for the file.
    command: str

    @property
    def saved(self) -> Path:
        """The file of the checkpoint."""
        return Path(f"{self.output}.checkpoint")


@dataclass(frozen=True)
class Taught:
    """Sentences that a teacher parsed, their share of an epoch, and the teacher if its distributions are learnt."""

    sentences: Treebank
    share: float
    teacher: Parser | None

    @property
    def settings(self) -> dict[str, Any]:
        """Those of `Parser.train`."""
        return {"taught": self.sentences, "taught_share": self.share, "teacher": self.teacher}


def taught_sentences(name: str, raw: list[str], share: float, threads: int, *, distributions: bool) -> Taught:
    """Have a model parse texts, and say how far that is."""
    from ..text import load
    from ..text.teaching import teach
    from ..training.texts import text_files

    teacher = load(name)
    with progress("parsing texts", sum(len(text_files(path)) for path in raw)) as advance:
        taught = teach(teacher, raw, threads=threads, on_progress=lambda files, words: advance(files))
    note(f"{name} parsed {len(taught):,} sentences, {taught.words:,} words of the texts")
    return Taught(taught, share, teacher if distributions else None)


def train_to_file(
    plan: TrainingPlan,
    parser: TrainableParser,
    treebank: Treebank,
    dev: Treebank | None,
    run: Run,
    taught: Taught | None = None,
) -> tuple[TrainingReport, Parser]:
    """Train as planned, print how it goes, and write the model; the checkpoint is removed when that is done.

    Returns the report of the parser, and what was written: the parser or a pipeline.
    """
    from ..parsers.taught import mixture
    from ..text import Pipeline

    epochs = plan.epochs
    if epochs is None:
        mixed = treebank if taught is None else mixture(treebank, taught.sentences, taught.share).treebank
        epochs = parser.epochs_for(mixed)
    trained: Parser = parser
    with progress("training", epochs) as advance:
        settings = _settings(plan, dev, epochs, run, parser.name, advance)
        settings |= {} if taught is None else taught.settings
        if plan.pipeline:
            pipeline = Pipeline.train(
                treebank,
                parser=parser,
                segmenter_epochs=plan.segmenter_epochs or 20,
                about={**(plan.about or {}), "command": run.command},
                on_segmenter_epoch=_tell_of_segmenter,
                **settings,
            )
            assert pipeline.report is not None  # it was trained just now
            report, trained = pipeline.report, pipeline
        else:
            report = parser.train(treebank, command=run.command, **settings)
    _save(trained, Path(run.output))
    if run.checkpoint and not report.interrupted:
        run.saved.unlink(missing_ok=True)
    return report, trained


def given_columns(parser: TrainableParser) -> list[str]:
    """Return the columns that a trained parser reads, and that therefore were given where it was measured."""
    from ..parsers.input_columns import columns_read
    from ..parsers.trainable import required

    read = columns_read(required(parser.trained).definition.vocabularies)
    return [column for column, filled in read.items() if filled and column != "form"]


def pipeline_scores(pipeline: Pipeline, dev: Treebank, threads: int) -> dict[str, dict[str, float]]:
    """Return how good a pipeline is on development data: from raw text, if they know it, and with gold words."""
    from ..reports.raw_text import evaluate_pipeline, measured
    from ..text.surface import knows_texts

    kinds = {"raw text": False} if knows_texts(dev) else {}
    return {
        kind: measured(evaluate_pipeline(pipeline, dev, words=words, threads=threads))
        for kind, words in {**kinds, "gold words": True}.items()
    }


def tell_of_pipeline(scores: dict[str, dict[str, float]], dev: str) -> None:
    """Print the scores of a pipeline."""
    shown = ("Words", "Sentences", "UPOS", "Lemmas", "UAS", "LAS")
    for kind, measures in scores.items():
        names = [name for name in shown if name in measures and (kind == "raw text" or name not in shown[:2])]
        listed = ", ".join(f"{name} {100 * measures[name]:.2f}" for name in names)
        predicted = ", all else predicted" if kind == "gold words" else ""
        note(f"the whole pipeline on {dev}, {kind}{predicted}: {listed}")
        if kind == "raw text" and measures["Sentences"] < _FEW_SENTENCES:
            note("these texts hardly say where sentences end: put each on a line and parse with --input lines")


def _save(trained: Parser, output: Path) -> None:
    """Write the model; if that fails, because the disk is full, say, write it elsewhere: training took long."""
    import tempfile

    from ..errors import FileError

    try:
        trained.save(output)
    except FileError as error:
        for folder in (Path.cwd(), Path.home(), Path(tempfile.gettempdir()), Path("/dev/shm")):
            names = (folder / f"{output.stem}-{number}.crossarc" for number in count(1))
            rescued = next(name for name in names if not name.exists())
            try:
                trained.save(rescued)
            except FileError:
                continue
            raise FileError(f"{error}; the model is in {rescued} instead: move it from there") from error
        raise


def duration(seconds: float) -> str:
    """Return a time in words.

    >>> duration(0.4), duration(90), duration(7300)
    ('1 s', '2 min', '2 h 2 min')
    """
    if seconds < 60:
        return f"{ceil(seconds)} s"
    hours, minutes = divmod(ceil(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def _tell_of_segmenter(epoch: int, share: float) -> None:
    note(f"segmenter, epoch {epoch}: {100 * share:.2f} % of the characters wrong")


def _settings(
    plan: TrainingPlan, dev: Treebank | None, epochs: int, run: Run, name: str, advance: Any
) -> dict[str, Any]:
    """Return the arguments of `train`."""
    describe = Describer(epochs)
    if run.resume and run.saved.exists():
        note(f"going on from {run.saved}")
    return {
        "dev": dev,
        "epochs": epochs,
        "patience": plan.patience_of(epochs) if dev is not None else plan.patience,
        "seed": plan.seed,
        "threads": run.threads,
        "checkpoint": run.saved if run.checkpoint else None,
        "resume": run.resume,
        "on_start": lambda report: describe.start(name, report, dev is not None),
        "on_progress": lambda epoch, done, of: advance(epoch - 1 + done / of),
        "on_epoch": describe.epoch,
        "device": plan.device,
    }


class Describer:
    """Prints how training goes, with the scores that the parser is measured by."""

    def __init__(self, epochs: int) -> None:
        """Take how many epochs there are at most."""
        self.epochs = epochs
        self.measure = ""
        self._told_how_long = False

    def start(self, name: str, report: TrainingReport, measured: bool) -> None:
        self.measure = report.measure
        self._told_how_long = False
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
            if epoch.strict_f is not None:
                scores += f", strict F of non-projective arcs {100 * epoch.strict_f:.2f}"
            scores += "".join(f", {column.upper()} {100 * share:.2f}" for column, share in epoch.tags.items())
        note(f"epoch {epoch.number}: {epoch.mistakes:,} mistakes{scores}, {epoch.seconds:.1f} s")
        left = self.epochs - epoch.number
        if not self._told_how_long and left * epoch.seconds > _LONG:
            note(f"at most {left} more epochs: {duration(left * epoch.seconds)} at this pace")
        self._told_how_long = True
