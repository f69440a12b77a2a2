"""A parser says, once, which columns it was trained with and does not get."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import crossarc as xa
from crossarc.parsers.input_columns import MissingColumnsWarning

from ..support.commands import crossarc
from ..support.parsers import SMALL, SMALL_GRAPH


@pytest.fixture(scope="module", params=["transition", "graph"])
def parser(request: pytest.FixtureRequest) -> xa.TrainableParser:
    made: dict[str, xa.TrainableParser] = {
        "transition": xa.TransitionParser("2-planar", scorer=SMALL),
        "graph": xa.GraphParser(network=SMALL_GRAPH),
    }
    made[request.param].train(xa.sample(30, seed=1), epochs=1)
    return made[request.param]


def caught(parser: xa.TrainableParser, treebank: xa.Treebank, path: Path) -> list[str]:
    """What a parser that was just loaded warns of, in two calls."""
    parser.save(path)
    loaded = xa.load(path)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        loaded.parse(treebank)
        list(loaded.parse_stream([treebank, treebank]))
    return [str(one.message) for one in found if one.category is MissingColumnsWarning]


def test_what_is_there_is_not_missed(parser: xa.TrainableParser, tmp_path: Path) -> None:
    assert caught(parser, xa.sample(20, seed=2), tmp_path / "m") == []
    assert caught(parser, xa.sample(20, seed=2)[:0], tmp_path / "m") == []


def test_empty_columns_are_missed_once(parser: xa.TrainableParser, tmp_path: Path) -> None:
    bare = xa.Treebank.from_words([["She", "saw", "it"]])
    found = caught(parser, bare, tmp_path / "m")
    columns = ", ".join(parser.info()["columns"][1:])
    assert found == [f"{columns}: empty in the sentences, and the model was trained with it; trees will be worse"]


def test_another_tag_set_is_missed(parser: xa.TrainableParser, tmp_path: Path) -> None:
    treebank = xa.sample(20, seed=2)
    other = treebank.replace(upos=[f"X{tag}" for tag in treebank.texts("upos")])
    found = caught(parser, other, tmp_path / "m")
    assert found == ["100 % of the words have a UPOS that the model was not trained with; trees will be worse"]


def test_the_command_says_it_on_standard_error(parser: xa.TrainableParser, tmp_path: Path) -> None:
    parser.save(tmp_path / "m.crossarc")
    xa.write(xa.Treebank.from_words([["She", "saw", "it"]]), tmp_path / "bare.conllu")
    run = crossarc("parse", "m.crossarc", "bare.conllu", cwd=tmp_path)
    assert run.returncode == 0
    assert run.stderr.startswith("note: ") and run.stderr.count("\n") == 1
    assert "UPOS" in run.stderr and "empty in the sentences" in run.stderr
