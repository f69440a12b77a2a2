"""A kind of scorer of another package, in Python alone, trains, parses, is saved and loaded like the others."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

import crossarc as xa
from crossarc.models import make_scorer, scorer_kind
from crossarc.models.base import torch_learner

from ..support.commands import crossarc_alone
from ..support.parsers import baseline, las
from ..support.toys import TagPairs

REPOSITORY = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="module")
def train() -> xa.Treebank:
    return xa.sample(150, seed=1)


@pytest.fixture(scope="module")
def dev() -> xa.Treebank:
    return xa.sample(40, seed=2)


def test_it_learns_parses_and_comes_back(train: xa.Treebank, dev: xa.Treebank, tmp_path: Path) -> None:
    parser = xa.TransitionParser("arc-eager", scorer=TagPairs(least=2))
    report = parser.train(train, dev=dev)
    parsed = parser.parse(dev)
    assert len(report.epochs) == 2
    assert report.las == pytest.approx(las(dev, parsed))
    assert las(dev, parsed) > baseline(dev)
    parser.save(tmp_path / "m.crossarc")
    again = xa.load(tmp_path / "m.crossarc")
    assert again.parse(dev).to_bytes() == parsed.to_bytes()
    assert isinstance(again, xa.TrainableParser) and again.scorer == TagPairs(least=2)
    assert {name: again.info()[name] for name in ("scorer", "system", "reads", "options")} == {
        "scorer": "tag-pairs",
        "system": "arc-eager",
        "reads": ["upos"],
        "options": {"least": 2},
    }


def test_an_encoding_goes_around_it(train: xa.Treebank, dev: xa.Treebank) -> None:
    parser = xa.TransitionParser("arc-eager", encoding=xa.PseudoProjective("head"), scorer="tag-pairs")
    assert parser.train(train, dev=dev).lost_arcs == 0
    assert xa.classify(parser.parse(train)).nonprojective.any()


def test_broken_off_training_goes_on_to_the_same_model(train: xa.Treebank, tmp_path: Path) -> None:
    whole, first, second = (xa.TransitionParser("arc-eager", scorer="tag-pairs") for _ in range(3))
    whole.train(train, epochs=3)
    first.train(train, epochs=1, checkpoint=tmp_path / "checkpoint")
    second.train(train, epochs=3, checkpoint=tmp_path / "checkpoint", resume=True)
    for name, parser in (("whole", whole), ("second", second)):
        parser.save(tmp_path / name)
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "second").read_bytes()


def test_what_it_cannot_do_it_refuses_itself(train: xa.Treebank) -> None:
    with pytest.raises(xa.ParserError, match="tag-pairs are greedy"):
        xa.TransitionParser("arc-eager", scorer="tag-pairs", beam=4).train(train)
    parser = xa.TransitionParser("arc-eager", scorer="tag-pairs")
    parser.train(train, epochs=1)
    with pytest.raises(xa.ParserError, match="tag-pairs are greedy"):
        parser.parse_nbest(train, 2)
    with pytest.raises(xa.ParserError, match="torch trains networks that choose transitions, not tag-pairs"):
        parser.train(train, device="cpu")


def test_scorers_are_found_by_name() -> None:
    assert scorer_kind("tag-pairs") is TagPairs
    assert make_scorer("network") == xa.Network()
    assert torch_learner("tag-pairs") is None
    if find_spec("torch") is None:
        with pytest.raises(xa.ParserError, match="training on a device needs torch"):
            torch_learner("network")
    else:
        assert torch_learner("network") is not None
    with pytest.raises(xa.ParserError, match="the scorer is one of network, perceptron"):
        make_scorer("guess")

    class Unregistered(TagPairs):
        name = "unregistered"

    with pytest.raises(xa.ParserError, match="not 'unregistered'"):
        xa.TransitionParser("arc-eager", scorer=Unregistered())
    with pytest.raises(xa.ParserError, match=r"no option 'most' of the scorer tag-pairs: its options are least$"):
        scorer_kind("tag-pairs").from_dict({"most": 1})


@pytest.mark.slow
def test_the_commands_find_what_an_installed_package_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    metadata = tmp_path / "toys-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: toys\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text("[crossarc.plugins]\ntoys = tests.support.toys\n")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{REPOSITORY}", prepend=":")
    xa.write(xa.sample(30, seed=1), tmp_path / "train.conllu")
    given = "train train.conllu --system arc-eager --scorer tag-pairs --option least=3 -o m.crossarc"
    run = crossarc_alone(*given.split(), cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    parsed = crossarc_alone("parse", "m.crossarc", "train.conllu", cwd=tmp_path).stdout
    assert parsed == xa.load(tmp_path / "m.crossarc").parse(xa.read(tmp_path / "train.conllu")).to_text()
    assert "options               least 3\n" in crossarc_alone("info", "m.crossarc", cwd=tmp_path).stdout
    shown = crossarc_alone("features", "arc-eager", "--scorer", "tag-pairs", cwd=tmp_path).stdout
    assert shown == "[pairs]\ns0.upos+b0.upos\n"
    assert crossarc_alone("compress", "m.crossarc", "-o", "small.crossarc", cwd=tmp_path).returncode == 0
    monkeypatch.undo()
    broken = crossarc_alone("parse", "m.crossarc", "train.conllu", cwd=tmp_path)
    assert (broken.returncode, broken.stdout) == (2, "")
    assert "the plugin toys cannot be imported (No module named 'tests')" in broken.stderr
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    refused = crossarc_alone("parse", "../m.crossarc", "../train.conllu", cwd=elsewhere)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "the scorer is one of network, perceptron, svm, linear-svm, memory, not 'tag-pairs'" in refused.stderr
