"""Parsers of graphs: systems that give words several heads learn DEPS and write it."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import crossarc as xa
from crossarc.parsers import Network, Perceptron, TransitionParser
from crossarc.parsers.transition.enhanced import _unreached, builds_enhanced_graphs
from crossarc.transitions import LEFT_ARC, REDUCE, RIGHT_ARC, SHIFT, TransitionSystem
from crossarc.transitions.algebra import systems

from ..support.altered import with_enhanced_graphs
from ..support.parsers import SMALL
from ..support.warned import bare_words

GRAPHS = [name for name, system in systems.catalogue().items() if builds_enhanced_graphs(system)]
#: Those that the sanitizers see.
SANITIZED = ("2-planar-graph", "planar-graph+directed-acyclic")
#: Two words that are each other's head, two relations between two words, a word with three heads, and two roots.
TANGLED = """1	ta	_	A	_	_	0	root	0:root|2:obj	_
2	ke	_	B	_	_	1	dep	1:conj|1:nsubj	_
3	so	_	C	_	_	2	dep	0:root|1:x|2:y	_
4	mi	_	D	_	_	2	dep	2:z	_

"""


def unreached(treebank: xa.Treebank) -> int:
    """Count words to which no path leads from the root, sentence by sentence."""
    count = 0
    texts = treebank.texts("deps")
    for start, end in zip(treebank.word_offsets[:-1].tolist(), treebank.word_offsets[1:].tolist(), strict=True):
        heads = [{int(item.partition(":")[0]) for item in text.split("|")} for text in texts[start:end]]
        reached = {0}
        while new := {word for word, own in enumerate(heads, 1) if own & reached} - reached:
            reached |= new
        count += end - start + 1 - len(reached)
    return count


@pytest.fixture(scope="module")
def train() -> xa.Treebank:
    return with_enhanced_graphs(xa.sample(150, seed=1))


@pytest.fixture(scope="module")
def dev() -> xa.Treebank:
    return with_enhanced_graphs(xa.sample(40, seed=2))


def f1(gold: xa.Treebank, parsed: xa.Treebank) -> float:
    graph = xa.evaluate(gold, parsed).scores.graph
    assert graph is not None
    return graph.labelled.f1


def test_the_catalogue_has_systems_for_graphs() -> None:
    assert {"planar-graph", "2-planar-graph", "dag-arc-eager", "dag-arc-standard"} <= set(GRAPHS)
    assert not {"planar", "2-planar", "arc-eager", "swap", "covington", "undirected-planar"} & set(GRAPHS)


@pytest.mark.slow
@pytest.mark.parametrize("scorer", [Perceptron(), SMALL], ids=lambda scorer: scorer.name)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.kernel) if name in SANITIZED else name for name in GRAPHS]
)
def test_every_system_learns_parses_and_comes_back(
    name: str, scorer: Perceptron | Network, train: xa.Treebank, dev: xa.Treebank, tmp_path: Path
) -> None:
    parser = TransitionParser(name, scorer=scorer)
    report = parser.train(train, dev=dev, epochs=4)
    assert report.measure == "F1"
    assert parser.trained is not None
    assert parser.trained.definition.artificial_root == "first"
    assert report.arcs == sum(text.count(":far") + 1 for text in train.texts("deps"))
    parsed = parser.parse(dev)
    score = f1(dev, parsed)
    assert report.las == pytest.approx(score)
    before = dev.replace(deps=[f"{word}:any" for own in dev for word in range(len(own))])
    graph = xa.evaluate(dev, before).scores.graph
    assert graph is not None
    assert score > 0.55 > graph.unlabelled.f1
    assert unreached(parsed) == 0
    assert parsed.replace(deps=dev.column("deps")).to_bytes() == dev.to_bytes()
    if "single-head" not in name and "+acyclic" not in name:
        assert any("|" in text for text in parsed.texts("deps"))
    items = [item.partition(":") for text in parsed.texts("deps") for item in text.split("|")]
    assert all((head == "0") == (label == "root") for head, _, label in items)
    parser.save(tmp_path / "m.crossarc")
    again = xa.load(tmp_path / "m.crossarc")
    assert again.parse(dev).to_bytes() == parsed.to_bytes()
    assert unreached(again.parse(dev, beam=4)) == 0


@pytest.mark.kernel
@pytest.mark.parametrize("root", ["none", "first", "last"])
def test_cycles_and_several_relations_are_learnt_by_heart(root: str) -> None:
    tangled = xa.from_text(TANGLED * 10)
    parser = TransitionParser("2-planar-graph", artificial_root=root, scorer="perceptron", beam=2)
    report = parser.train(tangled, dev=tangled, epochs=10)
    if root == "none":  # a word that has a head cannot be a root, too
        assert report.arcs == 50
        assert report.las is not None
        assert report.las < 1
    else:
        assert (report.arcs, report.lost_arcs, report.left_out, report.las) == (70, 0, 0, 1)
        assert parser.parse(tangled).to_bytes() == tangled.to_bytes()


def test_what_a_system_cannot_build_is_counted() -> None:
    tangled = xa.from_text(TANGLED)
    lost = {name: TransitionParser(name, scorer="perceptron").train(tangled, epochs=1).lost_arcs for name in GRAPHS}
    assert lost["2-planar-graph"] == 0
    assert lost["planar-graph+single-head"] == 3
    assert lost["planar-graph+directed-acyclic"] > 0


def test_the_order_of_the_string_pool_does_not_matter(train: xa.Treebank, dev: xa.Treebank) -> None:
    other = (dev + train)[len(dev) :]
    parsed = []
    for data in (train, other):
        parser = TransitionParser("2-planar-graph", scorer="perceptron")
        parser.train(data, epochs=1)
        parsed.append(parser.parse(dev).to_bytes())
    assert parsed[0] == parsed[1]


def test_empty_nodes_are_left_out_of_learning_and_stay_in_the_file() -> None:
    node = "3.1\tmu" + 6 * "\t_" + "\t1:x\t_\n"
    text = TANGLED.replace("|2:y", "|3.1:y").replace("4\tmi", f"{node}4\tmi")
    data = xa.from_text(text * 5)
    parser = TransitionParser("2-planar-graph", scorer="perceptron")
    report = parser.train(data, dev=data, epochs=10)
    assert report.left_out == 5
    assert report.las == pytest.approx(2 * 7 / (7 + 8))
    assert parser.parse(data).to_text() == data.to_text().replace("|3.1:y", "")


def test_training_goes_on_from_a_checkpoint(train: xa.Treebank, dev: xa.Treebank, tmp_path: Path) -> None:
    files = [tmp_path / "whole.crossarc", tmp_path / "parts.crossarc"]
    for path, parts in zip(files, ([3], [1, 3]), strict=True):
        for epochs in parts:
            parser = TransitionParser("2-planar-graph", scorer="perceptron")
            parser.train(train, dev=dev, epochs=epochs, checkpoint=f"{path}.checkpoint", resume=True)
        parser.save(path)
    assert files[0].read_bytes() == files[1].read_bytes()


def test_what_cannot_be_is_refused(train: xa.Treebank, dev: xa.Treebank) -> None:
    parser = TransitionParser("2-planar-graph", scorer="perceptron")
    trees = xa.sample(3, seed=1)
    with pytest.raises(xa.ParserError, match=r"has no arcs in DEPS.*training data.*for trees take 2-planar"):
        parser.train(trees, epochs=1)
    with pytest.raises(xa.ParserError, match=r"has no arcs in DEPS.*development data"):
        parser.train(train, dev=trees, epochs=1)
    with pytest.raises(xa.ParserError, match="has no arcs in DEPS"):
        parser.train(trees.in_format("conllx"), epochs=1)
    with pytest.raises(xa.ParserError, match="the training data have no sentences"):
        parser.train(train[:0], epochs=1)
    with pytest.raises(xa.ParserError, match="no graph of the training data has a root"):
        parser.train(xa.from_text(TANGLED.replace("0:root|", "")), epochs=1)
    parser.train(train, epochs=1)
    with pytest.raises(xa.ParserError, match="CoNLL-X has no DEPS"):
        parser.parse(dev.in_format("conllx"))
    with pytest.raises(xa.ParserError, match="n best there are only of trees"):
        parser.parse_nbest(dev, 2)
    with pytest.raises(xa.ParserError, match="any number of roots"):
        TransitionParser("2-planar-graph", root="single")
    with pytest.raises(xa.ParserError, match="encodings are for trees"):
        TransitionParser("2-planar-graph", encoding=xa.PseudoProjective("head"))
    own = TransitionSystem("own", labels=["a"], shift=SHIFT, reduce=REDUCE, left_arc=LEFT_ARC, right_arc=RIGHT_ARC)
    with pytest.raises(xa.ParserError, match="take it without"):
        TransitionParser(own)


@bare_words
def test_bare_words_and_nothing_parse(train: xa.Treebank) -> None:
    parser = TransitionParser("2-planar-graph", scorer=replace(SMALL, hidden_size=4))
    parser.train(train, epochs=1)
    assert parser.parse(train[:0]).words == 0
    bare = parser.parse_batch([["pafigadaki", "polesian", "."], ["a"] * 2000])
    assert unreached(bare) == 0
    assert not bare.has_heads


@given(st.data())
def test_the_root_leads_to_every_word(data: st.DataObject) -> None:
    lengths = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=4))
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    rows, heads = [], []
    for start, words in zip(offsets.tolist(), lengths, strict=False):
        pairs = st.tuples(st.integers(0, words), st.integers(1, words)).filter(lambda arc: arc[0] != arc[1])
        for head, dependent in data.draw(st.lists(pairs, unique=True, max_size=8)):
            rows.append(start + dependent - 1)
            heads.append(head)
    given_rows, given_heads = np.array(rows, np.int64), np.array(heads, np.int32)
    added = _unreached(offsets, given_rows, given_heads).tolist()
    assert set(range(int(offsets[-1]))) - set(rows) <= set(added)
    arcs = [*zip(rows, heads, strict=True), *((row, 0) for row in added)]
    assert len(set(arcs)) == len(arcs)
    texts = ["|".join(f"{head}:x" for row, head in arcs if row == word) for word in range(int(offsets[-1]))]
    sentences = [[{"form": "a"}] * words for words in lengths]
    assert unreached(xa.Treebank.from_dicts(sentences).replace(deps=texts)) == 0


@pytest.mark.slow
@pytest.mark.exhaustive
def test_real_graphs(treebanks: Path, tmp_path: Path, announce: list[str]) -> None:
    """They are learnt, and the validator of Universal Dependencies finds nothing wrong with what comes out."""
    train = xa.read(treebanks / "en_ewt" / "train.conllu.gz")[:500]
    dev = xa.read(treebanks / "en_ewt" / "dev.conllu.gz")[:300]
    scores = {}
    for name in ("planar-graph", "2-planar-graph"):
        parser = TransitionParser(name, scorer="perceptron")
        report = parser.train(train, dev=dev, epochs=3)
        assert report.las is not None
        scores[name] = round(100 * report.las, 2)
        assert report.las > 0.65
        assert report.lost_arcs < 0.04 * report.arcs
    announce.append(f"graphs of en_ewt, 500 sentences: F1 {scores}")
    xa.write(parser.parse(dev), tmp_path / "parsed.conllu")
    validator = str(Path(sys.executable).parent / "udvalidate")
    command = [validator, "--lang", "en", "--level", "2", str(tmp_path / "parsed.conllu")]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr
