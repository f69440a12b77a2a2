"""Arcs of graphs: against udtools where that has an answer, and by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

import crossarc as xa
from crossarc.evaluation import Score, graph_scores

from ..support.outputs import official, with_mistakes

GOLD = (
    "1\tAnn\t_\t_\t_\t_\t2\tnsubj\t2:nsubj|3:nsubj\t_\n2\tsees\t_\t_\t_\t_\t0\troot\t0:root\t_\n"
    "2.1\tand\t_\t_\t_\t_\t_\t_\t3:cc\t_\n3\thears\t_\t_\t_\t_\t2\tconj\t2:conj\t_\n\n"
)


def scores(gold: str, system: str) -> tuple[Score, Score]:
    graph = xa.evaluate(xa.from_text(gold), xa.from_text(system)).scores.graph
    assert graph is not None
    return graph.labelled, graph.unlabelled


def test_by_hand() -> None:
    assert scores(GOLD, GOLD) == (Score(5, 5, 5), Score(5, 5, 5))
    assert scores(GOLD, GOLD.replace("|3:nsubj", "")) == (Score(4, 5, 4), Score(4, 5, 4))
    assert scores(GOLD, GOLD.replace("3:cc", "3:mark")) == (Score(4, 5, 5), Score(5, 5, 5))
    assert scores(GOLD, GOLD.replace("2:conj", "1:conj")) == (Score(4, 5, 5), Score(4, 5, 5))


def test_with_other_words() -> None:
    """The last word is cut in two: what leads to it or from it is lost, the rest stays."""
    system = GOLD.replace("3\thears", "3\the").replace("\n\n", "\n4\tars\t_\t_\t_\t_\t3\tflat\t3:flat\t_\n\n")
    assert scores(GOLD, system) == (Score(2, 5, 6), Score(2, 5, 6))


@pytest.mark.parametrize("folder", ["en_ewt", "pl_mpdt"])
def test_as_udtools_where_there_are_no_empty_nodes(treebanks: Path, folder: str) -> None:
    gold = xa.read(treebanks / folder / "test.conllu.gz")[:400].filter(lambda sentence: not sentence.empty_nodes)
    system = with_mistakes(gold)
    if not (gold.column("deps") != 0).any():
        gold, system = (
            one.replace(deps=[f"{head}:{label}" for head, label in zip(one.head, one.texts("deprel"), strict=True)])
            for one in (gold, system)
        )
    expected = official(gold.to_text(), system.to_text())["ELAS"]
    labelled, _ = scores(gold.to_text(), system.to_text())
    assert labelled == Score(expected.correct, expected.gold_total, expected.system_total)
    assert 0 < labelled.f1 < 1


def test_files_without_graphs_have_no_graph_scores() -> None:
    gold = xa.sample(10)
    assert not (gold.column("deps") != 0).any()
    assert xa.evaluate(gold, gold).scores.graph is None


def test_graphs_in_memory() -> None:
    gold = [xa.Graph(3, [(1, 2), (3, 2)]), xa.Graph(2, [(1, 2)])]
    system = [xa.Graph(3, [(1, 2)]), xa.Graph(2, [(2, 1)])]
    assert graph_scores(gold, system) == Score(1, 3, 2)
    assert graph_scores([], []) == Score(0, 0, 0)
    with pytest.raises(xa.CrossarcError, match="1 graphs of the system for 2"):
        graph_scores(gold, system[:1])
