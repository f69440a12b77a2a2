"""One training and what it comes to on the test data: scores, and which words are right, so that runs can be compared.

A run says all that decides its result: treebank, system, encoding, features, learner, seed. Its outcome is kept by
content (`common`), so that experiments share runs. Comparisons are paired: over sentences by shuffling (Bikel's
comparator, as in 2012), over words by McNemar's test (2005, 2013), over seeds by Student's t.
"""

from __future__ import annotations

import contextlib
import math
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

import crossarc as xa
from crossarc.encodings import Encoding
from crossarc.evaluation import Score, undirected_attachment
from crossarc.evaluation.significance import mcnemar_corrected, shuffled
from crossarc.features import read_templates
from crossarc.models.base import scorer_kind
from crossarc.structure.arcs import Arcs

from .common import Data, Experiment, NotKeptError, chance

_SAMPLES = 10_000
_SMALL_EPOCHS = 2


@dataclass(frozen=True)
class Run:
    """A parser to be trained."""

    system: str
    #: "head", "path", "head+path", "baseline", or of undirected systems "naive", "label", "label-strict".
    encoding: str | None = None
    #: The name of a feature model; None for those that crossarc takes by itself.
    features: str | None = None
    scorer: str = "perceptron"
    options: tuple[tuple[str, Any], ...] = ()
    artificial_root: str | None = None
    epochs: int | None = None
    seed: int = 1
    #: "upos": UPOS in place of XPOS in a feature model, even where words have XPOS.
    tags: str | None = None

    def parser(self, data: Data) -> xa.TransitionParser:
        """Return the parser, untrained."""
        options = {**self._templates(data), **dict(self.options)}
        return xa.TransitionParser(
            self.system,
            encoding=self._encoding(),
            artificial_root=self.artificial_root,
            scorer=scorer_kind(self.scorer).from_dict(options),
        )

    def _encoding(self) -> Encoding | None:
        if self.encoding is None:
            return None
        undirected = self.encoding in ("naive", "label", "label-strict")
        return xa.Undirected(self.encoding) if undirected else xa.PseudoProjective(self.encoding)

    def _templates(self, data: Data) -> dict[str, Any]:
        """Return the templates of the feature model; where words have no XPOS, UPOS stands for it."""
        if self.features is None:
            return {}
        tags = self.tags or tags_of(data)
        transitions, labels = (
            tuple(text.replace("xpos", tags) for text in templates) for templates in read_templates(self.features)
        )
        unique = tuple(dict.fromkeys(transitions)), tuple(dict.fromkeys(labels))
        usual = "separate" if self.scorer == "perceptron" else "joint"
        separate = dict(self.options).get("labels", usual) == "separate"
        return {"templates": unique[0], **({"label_templates": unique[1]} if separate else {})}


def tags_of(data: Data) -> str:
    """Return the column of gold tags that feature models see."""
    return "xpos" if set(data.train.inventory("xpos")) - {"_"} else "upos"


@dataclass(frozen=True)
class Outcome:
    """What a run came to on the test data: shares from 0 to 1, without punctuation unless the name says otherwise."""

    las: float
    uas: float
    las_all_words: float
    uas_all_words: float
    exact_labelled: float
    exact_unlabelled: float
    #: Of non-projective arcs, labelled and unlabelled: right in gold, gold, right in output, output.
    nonprojective: dict[str, list[int]]
    #: Non-projective arcs of the output, punctuation and all, and how many of them cover a root.
    nonprojective_output: list[int]
    #: Words that count in each sentence, and how many of them have the right head, and the right head and label.
    words: list[int]
    right_heads: list[int]
    right: list[int]
    #: For each word that counts whether head and label are right, as bits in hexadecimal.
    bits: str
    #: Of undirected systems with an artificial root: labelled attachment of the links before directions were restored.
    links: float | None
    lost_arcs: int

    @property
    def flags(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """For each word that counts whether head and label are right."""
        packed = np.frombuffer(bytes.fromhex(self.bits), np.uint8)
        return np.unpackbits(packed, count=sum(self.words)).astype(bool)

    def precision(self, kind: str = "labelled") -> float:
        """Return the share of the non-projective arcs of the output that are right."""
        _, _, right, output = self.nonprojective[kind]
        return right / output if output else math.nan

    def recall(self, kind: str = "labelled") -> float:
        """Return the share of the non-projective gold arcs that were found."""
        right, gold, _, _ = self.nonprojective[kind]
        return right / gold if gold else math.nan


def outcome(asked: Experiment, run: Run, data: Data) -> Outcome:
    """Return what a run comes to; it is trained if that is not kept already."""
    settings = {name: value for name, value in asdict(run).items() if value not in (None, ())}
    if asked.small:
        settings |= {"epochs": _SMALL_EPOCHS}
    result = asked.kept("run", {"treebank": data.name, **settings}, data, lambda: asdict(_trained(asked, run, data)))
    return Outcome(**result)


def outcomes(asked: Experiment, runs: Mapping[str, Run], data: Data) -> dict[str, Outcome]:
    """Return what runs come to, by name; where nothing is to be computed, those that are kept."""
    found: dict[str, Outcome] = {}
    for name, run in runs.items():
        with contextlib.suppress(NotKeptError):
            found[name] = outcome(asked, run, data)
    return found


def missing_of(treebank: str, wanted: Iterable[str], found: Mapping[str, Outcome]) -> list[str]:
    """Return the names of the runs of a treebank that are not there, or that none of them is."""
    names = [name for name in wanted if name not in found] if found else ["all"]
    return [f"`{treebank}`, {name}" for name in names]


def not_run(missing: Sequence[str]) -> list[str]:
    """Return a paragraph that names runs that are not kept, if there are any."""
    return [f"Not run yet: {'; '.join(missing)}."] if missing else []


def _trained(asked: Experiment, run: Run, data: Data) -> Outcome:
    print(f"training on {data.name}: {run}", file=sys.stderr, flush=True)
    parser = run.parser(data)
    epochs = _SMALL_EPOCHS if asked.small and run.scorer == "perceptron" else run.epochs
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = parser.train(data.train, epochs=epochs, seed=run.seed, threads=asked.threads)
    test = data.test
    parsed = parser.parse(test, threads=asked.threads)
    scores = xa.evaluate(test, parsed, root="any", punctuation=punctuation_of(test), threads=asked.threads).scores
    bare, whole = scores.without_punctuation, scores.all_words.attachment
    counted = scores.no_punctuation[0]
    right, heads = scores.pair.both_correct & counted, scores.pair.head_correct & counted
    starts = test.word_offsets[:-1]
    return Outcome(
        las=bare.attachment.las.f1,
        uas=bare.attachment.uas.f1,
        las_all_words=whole.las.f1,
        uas_all_words=whole.uas.f1,
        exact_labelled=bare.attachment.exact_labelled.recall,
        exact_unlabelled=bare.attachment.exact_unlabelled.recall,
        nonprojective_output=nonprojective_output(parsed, asked.threads),
        nonprojective={
            kind: _four(getattr(bare.nonprojective, f"anywhere_{kind}")) for kind in ("labelled", "unlabelled")
        },
        words=np.add.reduceat(counted, starts, dtype=np.int64).tolist(),
        right_heads=np.add.reduceat(heads, starts, dtype=np.int64).tolist(),
        right=np.add.reduceat(right, starts, dtype=np.int64).tolist(),
        bits=np.packbits(right[counted]).tobytes().hex(),
        links=_links(parser, test, counted),
        lost_arcs=report.lost_arcs,
    )


def nonprojective_output(parsed: xa.Treebank, threads: int = 1) -> list[int]:
    """Return how many arcs are not projective, and how many of these cover a root, a child of the artificial root."""
    flags = xa.classify(parsed, threads=threads).arc_nonprojective
    roots = np.concatenate([[0], np.cumsum(parsed.head == 0)])  # how many roots there are before a word
    start = np.repeat(parsed.word_offsets[:-1], np.diff(parsed.word_offsets))
    heads, words = start + parsed.head - 1, np.arange(parsed.words)
    left, right = np.minimum(heads, words), np.maximum(heads, words)
    covers = flags & (roots[right] > roots[left + 1])
    return [int(flags.sum()), int(covers.sum())]


def punctuation_of(test: xa.Treebank) -> str:
    """Return how punctuation is told: by its characters, as CoNLL-X did, or by the tag PUNCT."""
    return "unicode" if test.format == "conllx" else "upos"


def _four(score: Score) -> list[int]:
    return [score.correct, score.gold, score.correct_system or 0, score.system]


def _links(parser: xa.TransitionParser, test: xa.Treebank, counted: np.ndarray[Any, Any]) -> float | None:
    """Return the labelled attachment of links before reconstruction, without punctuation (2012, Section 6)."""
    trained = parser.trained
    if trained is None or not isinstance(trained.encoding, xa.Undirected):
        return None
    if trained.definition.artificial_root == "none":
        return None  # the links to the root, which reconstruction finds, are not there to be scored
    number = {label: place for place, label in enumerate(trained.labels)}
    gold = Arcs.from_heads(test.head, [number.get(label, -1) for label in test.texts("deprel")], test.word_offsets)
    size = 1 if trained.encoding.reconstruction == "naive" else 2
    stands_for = np.arange(trained.definition.labels) // size
    return undirected_attachment(gold, parser.parse_links(test), counted, labels=stands_for).las.recall


@dataclass(frozen=True)
class Comparison:
    """The difference in LAS of two sides, each several runs on the same test data, in points."""

    difference: float
    #: Its standard deviation over seeds; nan for one seed.
    deviation: float
    #: How likely such a difference is by chance: by seeds (Student), by sentences (shuffling), by words (McNemar).
    by_seeds: float
    by_sentences: float
    by_words: float

    @property
    def shown(self) -> str:
        """The difference with its deviation, and a star where sentences say that it is no chance (0.05)."""
        deviation = "" if math.isnan(self.deviation) else f" ± {chance(self.deviation, 2).replace(' ', '')}"
        return f"{self.difference:+.2f}{deviation}{'*' if self.by_sentences < 0.05 else ''}"


def compare(ones: Sequence[Outcome], others: Sequence[Outcome]) -> Comparison:
    """Compare runs pair by pair; sentences are counted over all of them together."""
    differences = [100 * (one.las - other.las) for one, other in zip(ones, others, strict=True)]
    counts = [_counts(side) for side in (ones, others)]
    by_sentences = shuffled([counts[0]], [counts[1]], _SAMPLES, 1)[0][0]
    one, other = ones[0].flags, others[0].flags
    by_words = mcnemar_corrected(int((one & ~other).sum()), int((other & ~one).sum()))
    deviation = float(np.std(differences, ddof=1)) if len(differences) > 1 else math.nan
    return Comparison(float(np.mean(differences)), deviation, _student(differences), by_sentences, by_words)


def _counts(outcomes: Sequence[Outcome]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return of each sentence how many words are right and how many there are, over all runs together."""
    right = np.sum([one.right for one in outcomes], axis=0)
    words = np.sum([one.words for one in outcomes], axis=0)
    return np.stack([right, words], axis=1).astype(np.float64)


def _student(differences: Sequence[float]) -> float:
    """Return the probability, both sides, of so large a mean of differences, by Student's t.

    Nan for fewer than three differences: with one degree of freedom two that agree by accident would look certain. The
    density is summed in small steps: no more than a table needs, and no further dependency.
    """
    number = len(differences)
    deviation = float(np.std(differences, ddof=1)) if number > 2 else 0.0
    if deviation == 0:
        return math.nan
    t = abs(float(np.mean(differences))) / (deviation / math.sqrt(number))
    freedom = number - 1
    constant = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    places, width = np.linspace(0, t, 20_001, retstep=True)
    density = constant * (1 + places**2 / freedom) ** (-(freedom + 1) / 2)
    inside = float(np.sum((density[1:] + density[:-1]) / 2) * width)
    return max(0.0, 1 - 2 * inside)


def scorer_options(asked: Experiment, **usual: Any) -> tuple[tuple[str, Any], ...]:
    """Return the options of a scorer: those of the experiment, and what the command line says."""
    given: Mapping[str, Any] = {**usual, **asked.options}
    return tuple(sorted(given.items()))
