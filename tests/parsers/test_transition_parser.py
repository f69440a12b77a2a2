"""Every system with every encoding that fits it learns and parses; what cannot be is refused with the reason."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossarc as xa
from crossarc.encodings import Encoding
from crossarc.models import ModelFile, read_model_file, write_model_file
from crossarc.parsers import Perceptron, TransitionParser
from crossarc.structure import classify
from crossarc.transitions import LEFT_ARC, REDUCE, RIGHT_ARC, SHIFT
from crossarc.transitions.algebra import guards as g

from ..support.parsers import ENCODINGS, baseline, las
from ..support.warned import bare_words, with_a_planar_root


@pytest.fixture(scope="module")
def train() -> xa.Treebank:
    return xa.sample(150, seed=1)


@pytest.fixture(scope="module")
def dev() -> xa.Treebank:
    return xa.sample(40, seed=2)


@pytest.mark.slow
@pytest.mark.kernel
@pytest.mark.parametrize(("name", "encoding"), ENCODINGS, ids=lambda value: value if isinstance(value, str) else "")
@with_a_planar_root
def test_every_system_learns_parses_and_comes_back(
    name: str, encoding: Encoding | None, train: xa.Treebank, dev: xa.Treebank, tmp_path: Path
) -> None:
    parser = TransitionParser(name, encoding=encoding, scorer="perceptron")
    report = parser.train(train, dev=dev, epochs=2)
    parsed = parser.parse(dev)
    score = las(dev, parsed)
    assert report.las == pytest.approx(score)
    assert score > 0.6 > baseline(dev)
    roots = np.add.reduceat(parsed.head == 0, parsed.word_offsets[:-1])
    assert (roots == 1).all()
    assert set(parsed.texts("deprel")) <= set(train.texts("deprel"))
    assert all(
        (head == 0) == (label == "root") for head, label in zip(parsed.head, parsed.texts("deprel"), strict=True)
    )
    parser.save(tmp_path / "m.crossarc")
    assert xa.load(tmp_path / "m.crossarc").parse(dev).to_bytes() == parsed.to_bytes()


def covered_root(label: str = "root") -> xa.Treebank:
    """Two sentences, one with two roots; in the other one an arc covers the root, so that it is planar only."""
    line = "{}\tw{}\t_\tX\t_\t_\t{}\t{}\t_\t_\n"

    def sentence(heads: list[int], labels: list[str]) -> str:
        rows = enumerate(zip(heads, labels, strict=True), start=1)
        return "".join(line.format(number, number, head, name) for number, (head, name) in rows) + "\n"

    text = sentence([3, 0, 0], ["obj", "root", label]) + sentence([0, 1, 0], ["root", "obj", "root"])
    return xa.from_text(text, root="any")


@pytest.mark.parametrize(
    ("system", "label", "root"),
    [
        *(("planar", "root", "none"), ("planar", "dep", "first")),
        *(("undirected-planar", "root", "none"), ("undirected-planar", "dep", "first")),
        *(("arc-eager", "root", "first"), ("2-planar", "root", "first"), ("undirected-2-planar", "root", "first")),
    ],
)
def test_planar_systems_do_without_an_artificial_root_where_roots_have_one_label(
    system: str, label: str, root: str
) -> None:
    parser = TransitionParser(system, scorer="perceptron")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parser.train(covered_root(label), epochs=1)
    assert parser.trained is not None
    assert parser.trained.definition.artificial_root == root


@pytest.mark.parametrize(("system", "encoding"), [("planar", None), ("undirected-planar", xa.Undirected("label"))])
def test_planar_systems_with_an_artificial_root_are_projective_and_say_so(
    system: str, encoding: Encoding | None
) -> None:
    """2010, footnote 3."""
    parser = TransitionParser(system, encoding=encoding, artificial_root="first", scorer="perceptron")
    with pytest.warns(UserWarning, match=r"1 of 2 sentences are planar and not projective; artificial_root=\"none\""):
        parser.train(covered_root(), epochs=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TransitionParser("2-planar", artificial_root="first", scorer="perceptron").train(covered_root(), epochs=1)
        parser.train(covered_root()[1:], epochs=1)
    naive = TransitionParser("undirected-planar", encoding=xa.Undirected("naive"), scorer="perceptron")
    with pytest.warns(UserWarning, match=r'1 of 2 sentences .* the reconstruction "label" without a root'):
        naive.train(covered_root(), epochs=1)
    assert naive.trained is not None
    assert naive.trained.definition.artificial_root == "first"


def test_naive_reconstruction_needs_the_artificial_root() -> None:
    naive = xa.Undirected("naive")
    for encoding in (naive, naive.after(xa.PseudoProjective("head"))):
        with pytest.raises(xa.ParserError, match=r"away from the artificial root, so there must be one"):
            TransitionParser("undirected-planar", encoding=encoding, artificial_root="none")
    TransitionParser("undirected-planar", encoding=naive, artificial_root="last")
    TransitionParser("undirected-planar", encoding=xa.Undirected("label"), artificial_root="none")


def test_swap_lazy_learns_to_swap_late(train: xa.Treebank) -> None:
    parsers = {name: TransitionParser(name, scorer=Perceptron(exploration=0)) for name in ("swap", "swap-lazy")}
    mistakes = {name: parser.train(train, epochs=1).epochs[0].mistakes for name, parser in parsers.items()}
    assert mistakes["swap"] != mistakes["swap-lazy"]
    assert parsers["swap-lazy"].name == "swap-lazy"


@pytest.mark.parametrize("root", ["none", "first", "last"])
def test_the_artificial_root_may_stand_anywhere(root: str, train: xa.Treebank, dev: xa.Treebank) -> None:
    parser = TransitionParser("arc-eager", artificial_root=root, scorer="perceptron")
    report = parser.train(train, dev=dev, epochs=2)
    assert report.las is not None
    assert report.las > 0.6


@pytest.mark.slow
@pytest.mark.parametrize("learners", [1, 3])
def test_the_same_training_gives_the_same_file(
    learners: int, train: xa.Treebank, dev: xa.Treebank, tmp_path: Path
) -> None:
    for number, (seed, threads) in enumerate([(1, 1), (1, 2), (2, 1)]):
        parser = TransitionParser("2-planar", scorer=Perceptron(learners=learners))
        parser.train(train, dev=dev, epochs=2, seed=seed, threads=threads)
        parser.save(tmp_path / f"{number}.crossarc")
    first, again, other = ((tmp_path / f"{number}.crossarc").read_bytes() for number in range(3))
    assert first == again
    assert first != other


def test_what_does_not_go_together_is_refused() -> None:
    with pytest.raises(xa.ParserError, match="use the encoding Undirected"):
        TransitionParser("undirected-planar", encoding=xa.PseudoProjective("head"), scorer="perceptron")
    with pytest.raises(xa.ParserError, match="builds arcs with a direction"):
        TransitionParser("2-planar", encoding=xa.Undirected("label"), scorer="perceptron")
    with pytest.raises(xa.ParserError, match="root policy is one of single, any"):
        TransitionParser("planar", root="two", scorer="perceptron")
    with pytest.raises(xa.TransitionError, match="did you mean 2-planar"):
        TransitionParser("2-plnar", scorer="perceptron")
    with pytest.raises(xa.CrossarcError, match="no step and no attribute 'frm'"):
        Perceptron(("s0.frm",))


def test_a_system_of_ones_own(train: xa.Treebank, dev: xa.Treebank, tmp_path: Path) -> None:
    own = xa.TransitionSystem(
        "lazy-eager",
        shift=SHIFT,
        drop=REDUCE.where(g.stack_has_head),
        left=LEFT_ARC.where(~g.stack_has_head) >> REDUCE,
        right=RIGHT_ARC.where(~g.buffer_has_head & ~g.connected) >> SHIFT,
    )
    parser = TransitionParser(own, scorer="perceptron")
    report = parser.train(train, dev=dev, epochs=2)
    assert report.las is not None
    assert report.las > 0.6
    parser.save(tmp_path / "own.crossarc")
    again = xa.load(tmp_path / "own.crossarc")
    assert isinstance(again, TransitionParser)
    assert again.system == own


def test_lost_arcs_are_counted(train: xa.Treebank) -> None:
    lost = TransitionParser("arc-eager", scorer="perceptron").train(train, epochs=1).lost_arcs
    assert lost > 0
    assert (
        TransitionParser("arc-eager", encoding=xa.PseudoProjective("head"), scorer="perceptron")
        .train(train, epochs=1)
        .lost_arcs
        == 0
    )
    assert TransitionParser("covington", scorer="perceptron").train(train, epochs=1).lost_arcs == 0


@pytest.mark.parametrize("system", ["arc-standard", "arc-standard-stack", "covington-projective"])
def test_projective_systems_learn_the_nearest_projective_trees(system: str) -> None:
    """What cannot be built must not keep the words around it apart, too."""
    sentences = xa.sample(300, seed=5)
    crossing = sentences[np.flatnonzero(classify(sentences).nonprojective_arcs)][:30]
    parser = TransitionParser(system, scorer="perceptron")
    lost = parser.train(crossing, epochs=40).lost_arcs
    right = int((parser.parse(crossing).head == crossing.head).sum())
    assert lost >= len(crossing)
    assert right >= crossing.words - lost - 5


def test_one_sentence_is_learnt_by_heart(train: xa.Treebank) -> None:
    one = train[:1]
    parser = TransitionParser("2-planar", scorer="perceptron")
    assert parser.train(one, dev=one, epochs=10).las == 1


@bare_words
def test_pathological_sentences_parse(train: xa.Treebank) -> None:
    parser = TransitionParser("2-planar", scorer="perceptron")
    parser.train(train, epochs=1)
    long = parser.parse_batch([["a"] * 10_000])
    assert long.words == 10_000
    assert (long.head == 0).sum() == 1
    assert parser.parse(train[:0]).words == 0
    bare = xa.from_text("1\t_\t_\t_\t_\t_\t_\t_\t_\t_\n2\t_\t_\t_\t_\t_\t_\t_\t_\t_\n\n")
    assert sorted(parser.parse(bare).head.tolist()) in ([0, 1], [0, 2])


@pytest.mark.slow
@pytest.mark.parametrize(("name", "learners"), [("2-planar", 1), ("arc-eager", 1), ("arc-eager", 3)])
def test_going_on_from_a_checkpoint_comes_to_the_same_file(
    name: str, learners: int, train: xa.Treebank, dev: xa.Treebank, tmp_path: Path
) -> None:
    whole, first, second = (TransitionParser(name, scorer=Perceptron(learners=learners)) for _ in range(3))
    whole.train(train, dev=dev, epochs=4)
    whole.save(tmp_path / "whole")
    saved = tmp_path / "checkpoint"
    first.train(train, dev=dev, epochs=2, checkpoint=saved)
    report = second.train(train, dev=dev, epochs=4, checkpoint=saved, resume=True)
    second.save(tmp_path / "second")
    assert [epoch.number for epoch in report.epochs] == [1, 2, 3, 4]
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "second").read_bytes()


def test_a_description_whose_values_do_not_fit_is_refused(train: xa.Treebank, tmp_path: Path) -> None:
    """Even if it was written on purpose, with the right checksum."""
    parser = TransitionParser("arc-eager", encoding=xa.PseudoProjective("head"), scorer="perceptron")
    parser.train(train, epochs=1)
    path = tmp_path / "m.crossarc"
    parser.save(path)
    file = read_model_file(path)
    changed: list[dict[str, Any]] = [
        {"system": {"name": "x"}},
        {"encoded_labels": 3},
        {"encoded_labels": -1},
        {"encoded_root": 10_000},
        {"labels": ["a"]},
        {"templates": ["s0.frm"]},
        {"templates": ["s0.shape"]},
        {"artificial_root": "middle"},
        {"encoding": {"type": "none"}},
        {"root_policy": {"kind": "two"}},
    ]
    for change in changed:
        write_model_file(path, ModelFile({**file.description, **change}, file.arrays))
        with pytest.raises(xa.FileError, match=r"m\.crossarc: "):
            xa.load(path)
