"""Numbers out of their bounds: one table, one clear line in Python; tests/cli has the commands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossarc as xa
from crossarc.decoders.batch import best_batch, k_best_batch, marginals_batch, sample_batch
from crossarc.decoders.best import best, projective
from crossarc.decoders.sums import log_partition, marginals
from crossarc.encodings.recovery import recovery
from crossarc.errors import OptionError
from crossarc.features import Vocabularies
from crossarc.models.lockstep import Lockstep
from crossarc.options import ARGUMENTS, Bounds
from crossarc.parsers.advice import choose
from crossarc.structure.coverage import coverage
from crossarc.transitions import derive

from .support.parsers import BOTH_KINDS, SMALL_GRAPH
from .support.warned import bare_words

HUGE = 10**5000


@pytest.fixture(scope="module")
def treebank() -> xa.Treebank:
    return xa.sample(12, seed=1)


@pytest.fixture(scope="module", params=BOTH_KINDS)
def make(request: pytest.FixtureRequest) -> Callable[..., xa.TrainableParser]:
    """Makes parsers of a kind."""
    return BOTH_KINDS[request.param]


@pytest.fixture(scope="module")
def parser(make: Callable[..., xa.TrainableParser], treebank: xa.Treebank) -> xa.TrainableParser:
    parser = make()
    parser.train(treebank, epochs=1)
    return parser


@pytest.mark.parametrize("name", sorted(ARGUMENTS))
def test_what_is_beyond_a_bound_is_refused_and_the_bound_is_not(name: str) -> None:
    refuse_beyond(name, ARGUMENTS[name])


SCORERS = [xa.Network, xa.Perceptron, xa.Biaffine, xa.Svm, xa.LinearSvm, xa.MemoryBased]


@pytest.mark.parametrize(
    ("kind", "name"),
    [(kind, each.name) for kind in SCORERS for each in fields(kind) if isinstance(each.metadata["check"], Bounds)],
)
def test_so_it_is_in_options(kind: Any, name: str) -> None:
    (check,) = (each.metadata["check"] for each in fields(kind) if each.name == name)
    refuse_beyond(name, check)


def refuse_beyond(name: str, bounds: Bounds) -> None:
    check: Callable[[str, Any], float] = bounds
    for value, is_open in ((bounds.least, bounds.open_least), (bounds.most, bounds.open_most)):
        if not is_open:
            of_numpy = np.uint64(value) if bounds.whole else np.float64(value)
            assert check(name, value) == check(name, of_numpy) == value
            continue
        with pytest.raises(OptionError):
            check(name, value)
    for wrong in (bounds.least - 1, bounds.most + 1, HUGE, -HUGE, float("nan"), float("inf"), True, "3", None, [1], 1j):
        with pytest.raises(OptionError, match=f"^{name} is a (whole )?number (from|above) .*, not ") as error:
            check(name, wrong)
        assert isinstance(error.value, xa.ParserError)
        assert len(str(error.value)) < 200


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf"), -1, 10**12, "many"])
@pytest.mark.parametrize(("kind", "numbers"), [(xa.Network, 23), (xa.Perceptron, 3), (xa.Biaffine, 25)])
def test_options_of_scorers_have_bounds(kind: type[Any], numbers: int, value: Any) -> None:
    options = [each.name for each in fields(kind) if isinstance(each.metadata["check"], Bounds)]
    assert len(options) == numbers
    for name in options:
        with pytest.raises(xa.ParserError, match=f"^{name} is "):
            kind(**{name: value})
    lists = {
        xa.Network: ["views", "groups", "embedding_sizes"],
        xa.Perceptron: ["templates"],
        xa.Biaffine: ["groups", "embedding_sizes"],
    }
    for name in lists[kind]:
        with pytest.raises(
            xa.ParserError, match=r"is a list of [01] to 4,096 (texts|lists of attributes of words|whole numbers), not "
        ):
            kind(**{name: value})


@pytest.mark.parametrize("kind", BOTH_KINDS)
def test_numbers_of_numpy_can_be_saved(kind: str, treebank: xa.Treebank, tmp_path: Path) -> None:
    sizes: dict[str, Any] = {"hidden_size": np.int64(4), "learning_rate": np.float32(0.01)}
    hidden: dict[str, Any] = {"transition_hidden_size" if kind == "transition" else "arc_hidden_size": np.uint8(4)}
    options: dict[str, Any] = {"cutoff": np.int16(1)}
    training: dict[str, Any] = {"epochs": np.int64(1), "seed": np.uint64(3), "threads": np.int8(1)}
    parser: xa.TrainableParser
    if kind == "transition":
        options["beam"] = np.int32(2)
        parser = xa.TransitionParser("arc-eager", scorer=xa.Network(**sizes, **hidden), **options)
    else:
        parser = xa.GraphParser("projective", network=replace(SMALL_GRAPH, **sizes, **hidden), **options)
    parser.train(treebank, **training)
    parser.save(tmp_path / "m")
    assert xa.load(tmp_path / "m").parse(treebank).to_bytes() == parser.parse(treebank).to_bytes()


def refuse_threads(calls: list[Callable[..., Any]]) -> None:
    for number, call in enumerate(calls):
        for threads in (-3, 10**6, 2**40, HUGE, 1.5, "2", None, True):
            with pytest.raises(OptionError, match=r"^threads is a whole number from 0 to 1,024, not "):
                call(threads=threads)
                pytest.fail(f"call {number} takes such a number of threads")


@bare_words
def test_parsers_refuse_threads_out_of_bounds(
    treebank: xa.Treebank, parser: xa.TrainableParser, make: Callable[..., xa.TrainableParser]
) -> None:
    words = ["ja"]
    refuse_threads(
        [
            lambda **given: parser.parse(treebank, **given),
            lambda **given: parser.parse(words, **given),
            lambda **given: parser.parse_batch([words], **given),
            lambda **given: parser.parse_stream([treebank], **given),
            lambda **given: parser.parse_nbest(treebank, 2, **given),
            lambda **given: parser.parse_scored(treebank, **given),
            lambda **given: make().train(treebank, **given),
        ]
    )


def test_threads_out_of_bounds_are_refused_everywhere(treebank: xa.Treebank, tmp_path: Path) -> None:
    matrix = np.zeros((3, 3))
    path = tmp_path / "t.conllu"
    xa.write(treebank, path)
    system = xa.load_system("arc-eager")
    pseudo, undirected = xa.PseudoProjective("head").fit(treebank), xa.Undirected("label").fit(treebank)
    flat = matrix.ravel()
    calls: list[Callable[..., Any]] = [
        lambda **given: xa.read(path, **given),
        lambda **given: xa.check(path, **given),
        lambda **given: xa.classify(treebank, **given),
        lambda **given: coverage(treebank, **given),
        lambda **given: choose(treebank, **given),
        lambda **given: xa.analyze(treebank, **given),
        lambda **given: xa.evaluate(treebank, treebank, **given),
        lambda **given: xa.compare(treebank, treebank, treebank, **given),
        lambda **given: derive(system, treebank, **given),
        lambda **given: pseudo.encode(treebank, **given),
        lambda **given: pseudo.restore(treebank, **given),
        lambda **given: recovery(pseudo, treebank, **given),
        lambda **given: undirected.restore(treebank, **given),
        lambda **given: best(matrix, "projective", **given),
        lambda **given: projective(matrix, **given),
        lambda **given: log_partition(matrix, "projective", **given),
        lambda **given: marginals(matrix, "projective", **given),
        lambda **given: best_batch(flat, [2], "projective", **given),
        lambda **given: k_best_batch(flat, [2], "projective", 2, **given),
        lambda **given: sample_batch(flat, [2], "projective", 2, seed=1, **given),
        lambda **given: marginals_batch(flat, [2], "projective", **given),
        lambda **given: Lockstep(system, ["s0.upos"], Vocabularies({"upos": ["NOUN"]}), **given),
    ]
    refuse_threads(calls)


@pytest.mark.parametrize(
    "options",
    [{"seed": -1}, {"seed": 2**63}, {"epochs": 0}, {"epochs": 10**9}, {"patience": 0}, {"patience": 2**31}],
)
def test_options_of_training_have_bounds(
    treebank: xa.Treebank, make: Callable[..., xa.TrainableParser], options: dict[str, Any]
) -> None:
    with pytest.raises(OptionError, match=f"^{next(iter(options))} is a whole number from "):
        make().train(treebank, **options)


def test_beams_and_n_best_lists_have_bounds(treebank: xa.Treebank, parser: xa.TrainableParser) -> None:
    beams = isinstance(parser, xa.TransitionParser)
    with pytest.raises(OptionError, match=r"^beam is a whole number from 1 to 256, not 257"):
        xa.TransitionParser("arc-eager", beam=257)
    for beam in (0, 10_001, 2**31, 2**64, 99_999_999_999):
        with pytest.raises(OptionError, match=r"^beam is a whole number from 1 to 256, not "):
            xa.TransitionParser("arc-eager", beam=beam)
        with pytest.raises(xa.ParserError, match=r"^beam is " if beams else "searches exactly: it has no beam"):
            parser.parse(treebank, beam=beam)
        with pytest.raises(OptionError, match=r"^nbest is "):
            parser.parse_nbest(treebank, beam)


def test_more_labels_than_can_be_learnt_are_refused_before_training(make: Callable[..., xa.TrainableParser]) -> None:
    words = 32_001
    many = xa.Treebank.from_columns(
        form=["a"] * words,
        head=[0, 1] * (words // 2) + [0],
        deprel=["root", *(f"r{number}" for number in range(1, words))],
        word_offsets=[*range(0, words, 2), words],
    )
    for parser in (make(root="any"), xa.TransitionParser("arc-eager", scorer="perceptron", root="any")):
        with pytest.raises(xa.ParserError, match="DEPREL of the training data has 32,001 different labels"):
            parser.train(many, epochs=1)
        assert parser.trained is None
