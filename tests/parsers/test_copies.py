"""Parsers in other processes: pickled, copied, sent to a pool that spawns."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

import crossarc as xa
from crossarc.errors import TransitionError
from crossarc.models import ModelFileError
from crossarc.transitions.algebra import systems

from ..support.parsers import BOTH_KINDS, SMALL, SMALL_GRAPH, SMALL_WORDS
from ..support.toys import LeftNeighbours

COPIES: list[Callable[[Any], Any]] = [lambda one: pickle.loads(pickle.dumps(one)), copy.copy, copy.deepcopy]


@pytest.fixture(scope="module")
def treebank() -> xa.Treebank:
    return xa.sample(40, seed=1)


def parsed(task: tuple[xa.TrainableParser, str]) -> str:
    parser, text = task
    return parser.parse(xa.from_text(text), threads=1).to_text()


@pytest.mark.parametrize("make_copy", COPIES)
@pytest.mark.parametrize(
    "make",
    [
        lambda: xa.TransitionParser("arc-eager", encoding=xa.PseudoProjective("head"), scorer=SMALL, cutoff=2),
        lambda: xa.TransitionParser("2-planar", scorer="perceptron", beam=3, artificial_root="last"),
        lambda: xa.TransitionParser("undirected-planar", scorer="perceptron", root="any"),
        LeftNeighbours,
        lambda: xa.GraphParser("projective", network=SMALL_GRAPH, minimum_risk=True),
        lambda: xa.GraphParser("projective", network=SMALL_WORDS, predict=("upos", "lemma")),
    ],
)
def test_a_copy_is_the_same_parser(
    treebank: xa.Treebank, make: Callable[[], xa.TrainableParser], make_copy: Callable[[Any], Any], tmp_path: Path
) -> None:
    parser = make()
    empty = make_copy(parser)
    assert (empty.trained, vars(empty)) == (None, vars(parser))
    parser.train(treebank, dev=treebank, epochs=1)
    same = make_copy(parser)
    assert same.parse(treebank).to_bytes() == parser.parse(treebank).to_bytes()
    assert same.info() == parser.info()
    assert {**vars(same), "trained": None} == {**vars(parser), "trained": None}
    for name, one in (("parser", parser), ("same", same)):
        one.save(tmp_path / name)
    assert (tmp_path / "same").read_bytes() == (tmp_path / "parser").read_bytes()
    same.train(treebank, epochs=1)  # and does nothing to the other one
    assert same.info()["dev_las"] is None
    assert parser.info()["dev_las"] is not None


@pytest.mark.parametrize("make", [*BOTH_KINDS.values(), lambda: xa.TransitionParser(scorer="perceptron")])
def test_a_model_of_eight_bits_stays_what_it_is(
    treebank: xa.Treebank, make: Callable[[], xa.TrainableParser], tmp_path: Path
) -> None:
    parser = make()
    parser.train(treebank, epochs=1)
    parser.compress(tmp_path / "small")
    small = xa.load(tmp_path / "small")
    small.save(tmp_path / "again")
    expected = small.parse_nbest(treebank, 2)
    for one in (pickle.loads(pickle.dumps(small)), xa.load(tmp_path / "again")):
        found = one.parse_nbest(treebank, 2)
        assert found.totals.tolist() == expected.totals.tolist()
        assert found.treebank.to_bytes() == expected.treebank.to_bytes()


@pytest.mark.parametrize("make", BOTH_KINDS.values())
def test_a_pool_that_spawns_parses_pieces(treebank: xa.Treebank, make: Callable[[], xa.TrainableParser]) -> None:
    parser = make()
    parser.train(treebank, epochs=1)
    pieces = [treebank[:20].to_text(), treebank[20:].to_text()]
    with get_context("spawn").Pool(2) as pool:
        found = pool.map(parsed, [(parser, piece) for piece in pieces])
    assert "".join(found) == parser.parse(treebank).to_text()


@pytest.mark.parametrize("make", BOTH_KINDS.values())
def test_an_altered_pickle_is_refused_as_an_altered_file_is(
    treebank: xa.Treebank, make: Callable[[], xa.TrainableParser]
) -> None:
    parser = make()
    parser.train(treebank, epochs=1)
    state = parser.__getstate__()
    state["trained"] = replace(state["trained"], arrays={})
    with pytest.raises(ModelFileError, match="does not fit together"):
        make().__setstate__(state)


def test_every_system_of_the_catalogue_can_be_pickled() -> None:
    for name in systems.catalogue():
        system = systems.get(name)
        same = pickle.loads(pickle.dumps(system))
        assert (same, hash(same)) == (system, hash(system))
        assert copy.deepcopy(system) == system
    with pytest.raises(TransitionError):
        pickle.loads(pickle.dumps(systems.get("planar")).replace(b"shift", b"shi t"))
