"""Static and dynamic oracles, exploration and planes: options that training keeps, and what each of them changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossarc as xa
from crossarc.errors import OptionError
from crossarc.features import Vocabularies
from crossarc.models.lockstep import Lockstep
from crossarc.models.oracle_options import OracleOptions, exploration_percent
from crossarc.parsers import ParserError
from crossarc.transitions import derive
from crossarc.transitions.algebra import systems
from crossarc.transitions.oracles import GoldArcs

from ..support.commands import crossarc
from ..support.parsers import SMALL, baseline, las

SYSTEMS = ("arc-standard", "arc-eager", "arc-hybrid", "planar", "2-planar", "covington", "swap", "undirected-2-planar")


@pytest.fixture(scope="module")
def train() -> xa.Treebank:
    return xa.sample(120, seed=1)


@pytest.mark.kernel
@pytest.mark.parametrize("root", ["none", "first", "last"])
@pytest.mark.parametrize("name", SYSTEMS)
def test_the_static_oracle_is_the_derivation_of_the_system(name: str, root: str, train: xa.Treebank) -> None:
    """One transition is right at a time, and in order they are those of `crossarc oracle`."""
    system, columns = systems.get(name), Vocabularies({})
    batch = Lockstep(system, [], columns, root=root, static=True)
    assert not batch.explores
    batch.start(train.word_offsets, columns.values(train), gold=GoldArcs.from_treebank(train, system, "first"))
    names = list(system.transitions)
    taken: list[list[str]] = [[] for _ in range(len(train))]
    while not batch.finished():
        right = batch.costs() == 0
        assert (right.sum(axis=1) == 1).all()
        actions = right.argmax(axis=1)
        for sentence, action in zip(batch.unfinished().tolist(), actions.tolist(), strict=True):
            taken[sentence].append(names[action])
        batch.apply(actions)
    derivations = derive(system, train, root=root)
    assert taken == [[step.transition for step in derivations[number]] for number in range(len(train))]


def model_bytes(scorer: Any, train: xa.Treebank, path: Path, system: str = "2-planar", beam: int = 1) -> bytes:
    parser = xa.TransitionParser(system, scorer=scorer, beam=beam)
    parser.train(train, epochs=2)
    parser.save(path)
    return b"".join(array.tobytes() for array in parser.model_file().arrays.values())


@pytest.mark.slow
@pytest.mark.parametrize("beam", [1, 4])
def test_each_option_changes_what_perceptrons_learn(train: xa.Treebank, tmp_path: Path, beam: int) -> None:
    """In a beam all right sequences are searched anyway, so that exploration changes nothing there."""
    given: list[dict[str, Any]] = [
        {},
        {"exploration": 0},
        {"exploration": 0, "oracle": "dynamic"},
        {"planes": "free"},
    ]
    found = [model_bytes(xa.Perceptron(**one), train, tmp_path / "m", beam=beam) for one in given]
    assert len(set(found)) == (4 if beam == 1 else 3)
    same: list[dict[str, Any]] = [{"exploration": 0.9}, {"planes": "fixed", "oracle": "dynamic"}]
    assert {model_bytes(xa.Perceptron(**one), train, tmp_path / "m", beam=beam) for one in same} == {found[0]}
    assert model_bytes(xa.Perceptron(oracle="static"), train, tmp_path / "m", beam=beam) == found[1]


def test_each_option_changes_what_networks_learn(train: xa.Treebank, tmp_path: Path) -> None:
    from dataclasses import replace

    crossing = train[np.flatnonzero(~xa.classify(train).planar)]
    given: list[dict[str, Any]] = [{}, {"exploration": 0}, {"exploration": 0, "oracle": "dynamic"}, {"planes": "fixed"}]
    found = [model_bytes(replace(SMALL, **one), crossing, tmp_path / "m") for one in given]
    assert len(set(found)) == 4
    assert model_bytes(replace(SMALL, planes="free"), crossing, tmp_path / "m") == found[0]  # what auto comes to


def test_models_keep_their_options(train: xa.Treebank, tmp_path: Path) -> None:
    for scorer in (xa.Perceptron(exploration=0), xa.Network(**{**SMALL.to_dict(), "exploration": 0})):
        parser = xa.TransitionParser("2-planar", scorer=scorer)
        parser.train(train, epochs=1)
        parser.save(tmp_path / "m")
        options = xa.load(tmp_path / "m").info()["options"]
        names = ("exploration", "oracle", "planes")
        assert [options[name] for name in names] == [0, None, scorer.planes]
        assert set(OracleOptions().to_dict()) == set(names)


@pytest.mark.parametrize("name", SYSTEMS)
def test_parsers_learn_from_the_static_oracle(name: str, train: xa.Treebank) -> None:
    dev = xa.sample(40, seed=2)
    parser = xa.TransitionParser(name, scorer=xa.Perceptron(exploration=0))
    parser.train(train, epochs=3)
    assert las(dev, parser.parse(dev)) > baseline(dev)


@pytest.mark.parametrize("kind", [xa.Perceptron, xa.Network])
def test_what_cannot_be_is_refused(kind: Any, train: xa.Treebank) -> None:
    with pytest.raises(ParserError, match=r"oracle is one of static, dynamic, not 'guess'"):
        kind(oracle="guess")
    with pytest.raises(ParserError, match=r"planes is one of fixed, free, auto, not 'two'"):
        kind(planes="two")
    with pytest.raises(OptionError, match=r"exploration is a number from 0 to 1, not 2"):
        kind(exploration=2)
    with pytest.raises(ParserError, match=r"the static oracle explores nothing, and exploration is 0.5"):
        kind(oracle="static", exploration=0.5)
    with pytest.raises(ParserError, match="the static oracle gives every arc its plane"):
        kind(planes="free", exploration=0)
    refused = [
        ("arc-eager", {"planes": "free"}, "free planes are for trees on two stacks"),
        ("3-planar", {"planes": "free"}, "3-planar has none"),
        ("2-planar-graph", {"planes": "free"}, "2-planar-graph has none"),
        ("easy-first", {"oracle": "static"}, "easy-first has no static oracle"),
        ("attardi-2", {"oracle": "dynamic"}, "attardi-2 has no dynamic oracle"),
    ]
    with_graphs = xa.from_text("1\ta\t_\tX\t_\t_\t0\troot\t0:root\t_\n\n")
    for system, options, message in refused:
        parser = xa.TransitionParser(system, scorer=kind(**options))
        with pytest.raises(ParserError, match=message):
            parser.train(with_graphs if "graph" in system else train, epochs=1)


def test_exploration_begins_with_the_second_epoch() -> None:
    assert [exploration_percent(0.9, epoch) for epoch in (1, 2, 3)] == [0, 90, 90]


@pytest.mark.slow
def test_the_command_takes_them(train: xa.Treebank, tmp_path: Path) -> None:
    xa.write(train, tmp_path / "train.conllu")
    given = "train train.conllu --system 2-planar --scorer perceptron --epochs 1 -o m.crossarc"
    run = crossarc(*given.split(), "--exploration", "0", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert xa.load(tmp_path / "m.crossarc").info()["options"]["exploration"] == 0
    refused = crossarc(*given.split(), "--planes", "some", cwd=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "planes is one of fixed, free, auto, not 'some'" in refused.stderr
    assert crossarc(*given.split(), "--exploration", "1.5", cwd=tmp_path).returncode == 2
