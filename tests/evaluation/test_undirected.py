"""Undirected attachment scores against a plain count, and what reconstruction costs."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import crossarc as xa
from crossarc.evaluation import make_pair, undirected_attachment
from crossarc.evaluation.scores import Scores
from crossarc.parsers import TransitionParser
from crossarc.structure.arcs import Arcs

from ..support.commands import crossarc


def plain_counts(gold: Arcs, system: Arcs, counted: np.ndarray) -> tuple[int, int]:
    """Gold arcs into words that count whose two words the system links, and those with the same label."""
    linked = labelled = 0
    for index in range(len(gold)):
        links = {frozenset((head, dependent)): label for head, dependent, label in system.sentence(index)}
        for head, dependent, label in gold.sentence(index):
            if counted[gold.word_offsets[index] + dependent - 1]:
                pair = frozenset((head, dependent))
                linked += pair in links
                labelled += links.get(pair) == label
    return linked, labelled


@pytest.mark.parametrize("seed", range(5))
def test_scores_are_those_of_a_plain_count(seed: int) -> None:
    random = np.random.default_rng(seed)
    lengths = random.integers(1, 9, 40)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    words = int(offsets[-1])

    def side() -> Arcs:
        places = np.concatenate([np.arange(1, length + 1) for length in lengths])
        heads = np.concatenate([random.integers(-1, length + 1, length) for length in lengths])
        return Arcs.from_heads(np.where(heads == places, 0, heads), random.integers(0, 3, words), offsets)

    gold, system = side(), side()
    # Of two arcs between the same words only one can be looked up: leave such systems out of the comparison.
    for index in range(len(system)):
        pairs = [frozenset(arc[:2]) for arc in system.sentence(index)]
        if len(set(pairs)) < len(pairs):
            start, end = offsets[index], offsets[index + 1]
            heads, labels = system.by_word()
            heads[start:end] = 0
            system = Arcs.from_heads(heads, labels, offsets)
    counted = random.random(words) < 0.7
    found = undirected_attachment(gold, system, counted)
    assert (found.uas.correct, found.las.correct) == plain_counts(gold, system, counted)
    assert found.uas.gold == np.count_nonzero(counted & (gold.by_word()[0] >= 0))


def test_a_tree_that_hangs_on_the_wrong_end_is_right_but_for_its_root() -> None:
    gold = Arcs.from_heads([2, 3, 4, 0], [0, 0, 0, 1], [0, 4])
    turned = Arcs.from_heads([0, 1, 2, 3], [1, 0, 0, 0], [0, 4])
    found = undirected_attachment(gold, turned)
    assert (found.uas.correct, found.las.correct, found.uas.gold, found.uas.system) == (3, 3, 4, 4)
    nothing = undirected_attachment(gold, Arcs.from_heads([-1] * 4, [0] * 4, [0, 4]))
    assert (nothing.uas.correct, nothing.uas.system) == (0, 0)
    with pytest.raises(xa.CrossarcError, match="the same sentences"):
        undirected_attachment(gold, Arcs.from_heads([0], [0], [0, 1]))


@pytest.mark.parametrize("reconstruction", ["label", "naive"])
def test_what_reconstruction_costs(reconstruction: str) -> None:
    """Links between words stay what they are: undirected scores before and after differ in links to the root only."""
    parser = TransitionParser(
        "undirected-2-planar", encoding=xa.Undirected(reconstruction), artificial_root="first", scorer="perceptron"
    )
    parser.train(xa.sample(150, seed=1), epochs=2)
    dev = xa.sample(60, seed=2)
    assert parser.trained is not None
    trained = parser.trained
    number = {label: place for place, label in enumerate(trained.labels)}
    plain = [number[label] for label in dev.texts("deprel")]
    gold = Arcs.from_heads(dev.head, plain, dev.word_offsets)
    stands_for = np.arange(trained.definition.labels) // (2 if reconstruction == "label" else 1)
    before = undirected_attachment(gold, parser.parse_links(dev), labels=stands_for)
    scores = Scores(make_pair(dev, parser.parse(dev)), "upos")
    after = scores.undirected[0]
    roots = int(np.count_nonzero(dev.head == 0))
    assert abs(before.uas.correct - after.uas.correct) <= 2 * roots
    assert after.uas.correct >= scores.all_words.attachment.uas.correct
    assert 0.6 < before.las.recall <= before.uas.recall <= 1


def test_the_command_prints_them_when_asked(tmp_path: Path) -> None:
    gold = xa.sample(30, seed=3)
    xa.write(gold, tmp_path / "gold.conllu")
    heads = gold.head.copy()
    words = gold.word_offsets
    for start, end in pairwise(words.tolist()):  # the root and one of its children change places
        root = int(np.flatnonzero(heads[start:end] == 0)[0])
        child = int(np.flatnonzero(heads[start:end] == root + 1)[0])
        heads[start + root], heads[start + child] = child + 1, 0
    xa.write(gold.replace(head=heads), tmp_path / "turned.conllu")
    run = crossarc("evaluate", "gold.conllu", "turned.conllu", "--undirected", cwd=tmp_path)
    assert run.returncode == 0
    expected = 100 * (1 - 30 / gold.words)
    assert f"undirected, all words: UAS {expected:.2f}" in run.stdout
    assert "undirected" not in crossarc("evaluate", "gold.conllu", "turned.conllu", cwd=tmp_path).stdout
    run = crossarc("evaluate", "gold.conllu", "turned.conllu", "--undirected", "--json", cwd=tmp_path)
    data = json.loads(run.stdout)
    assert data["undirected"]["all_words"]["uas"]["correct"] == gold.words - 30
    assert data["all_words"]["uas"]["correct"] == gold.words - 60
    run = crossarc("evaluate", "gold.conllu", "turned.conllu", "--undirected", "--csv", cwd=tmp_path)
    assert run.returncode == 2
