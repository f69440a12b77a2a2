"""The twenty textbook sentences: their trees, and that the page has what the embedded model makes of them."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

import crossarc as xa

REPOSITORY = Path(__file__).resolve().parents[2]
THEORY = REPOSITORY / "docs" / "theory"


@pytest.fixture(scope="module")
def sentences() -> xa.Treebank:
    return xa.read(THEORY / "textbook-sentences.conllu", root="single")


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("textbook", REPOSITORY / "benchmarks" / "textbook.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_twenty_trees_whose_arcs_cross(sentences: xa.Treebank) -> None:
    """In each an arc is non-projective, and where an example of the papers says so it is that one."""
    assert len(sentences) == 20
    arcs = {sentence.text: sentence.tree.nonprojective_arcs for sentence in sentences}
    assert all(arcs.values())
    assert arcs["A hearing is scheduled on the issue today."] == [(2, 7)]
    assert arcs["Who did she say she wanted to see?"] == [(8, 1)]
    assert arcs["dat Jan Piet de kinderen zag helpen zwemmen"] == [(7, 5)]
    assert not any(sentence.tree.planarity > 2 for sentence in sentences)
    punctuation = [token for sentence in sentences for token in sentence if token.deprel == "punct"]
    assert all(token.upos == "PUNCT" for token in punctuation)


def test_every_crossing_arc_has_a_construction(sentences: xa.Treebank) -> None:
    found = xa.evaluate(sentences, sentences).scores.strict
    assert found.unlabelled.f1 == 1
    kinds = set(found.groups["construction"])
    assert {
        "extraposed relative clause",
        "extraposed noun modifier",
        "fronted or extracted object",
        "stranded preposition",
        "adverbial clause",
    } <= kinds
    assert not kinds & {"other relation", "unclear", "punctuation"}


def test_the_page_says_what_the_embedded_model_gives() -> None:
    """After a change of the model: python benchmarks/textbook.py --write."""
    textbook = script()
    page = (THEORY / "textbook-sentences.md").read_text()
    assert textbook.section("en") in page
