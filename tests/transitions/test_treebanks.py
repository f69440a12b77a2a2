"""Every sentence of the real treebanks that lies in a system's class is derived; no other one is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from crossarc import Treebank, classify, read
from crossarc.transitions import derive, systems

PROJECTIVE = [
    "arc-standard",
    "arc-standard-stack",
    "arc-eager",
    "arc-hybrid",
    "covington-projective",
    "planar-projective",
]
ALL_TREES = ["covington", "swap", "undirected-covington"]


@pytest.fixture(scope="module")
def all_treebanks(treebanks: Path) -> Treebank:
    """All trees of all files as one treebank: only heads matter here."""
    read_files = [read(file, root="any") for file in sorted(treebanks.glob("*/*.gz"))]
    return Treebank.concatenate([one.in_format("conllu") for one in read_files])


@pytest.mark.exhaustive
def test_what_lies_in_the_class_is_derived(all_treebanks: Treebank, announce: list[str]) -> None:
    classes = classify(all_treebanks)
    expected = {
        **dict.fromkeys(PROJECTIVE, classes.nonprojective_arcs == 0),
        **dict.fromkeys(ALL_TREES, np.ones(len(all_treebanks), bool)),
        "planar": classes.planar,
        "undirected-planar": classes.planar,
        **{name: classes.k_planar(2) for name in ("2-planar", "undirected-2-planar")},
        "3-planar": classes.k_planar(3),
        "4-planar": classes.k_planar(4),
    }
    for name, inside in expected.items():
        derivations = derive(systems.get(name), all_treebanks)
        np.testing.assert_array_equal(derivations.complete, inside, name)
    announce.append(f"oracles: {len(all_treebanks):,} real sentences, {len(expected)} systems, each as its class says")


@pytest.mark.slow
@pytest.mark.exhaustive
def test_the_search_derives_them_too(treebanks: Path) -> None:
    """The generic oracle on the treebank with the most crossings, and lazy swaps on it."""
    treebank = read(treebanks / "grc_agdt" / "train.conll.gz")
    classes = classify(treebank)
    for name, inside in (("2-planar", classes.k_planar(2)), ("planar", classes.planar)):
        by_search = derive(systems.get(name), treebank, method="search")
        np.testing.assert_array_equal(by_search.complete, inside)
        by_rule = derive(systems.get(name), treebank, method="rule")
        assert by_search.counts() == by_rule.counts()
    eager = derive(systems.get("swap"), treebank)
    lazy = derive(systems.get("swap"), treebank, order="lazy")
    assert eager.complete.all()
    assert lazy.complete.all()
    assert lazy.counts()["swap"] < eager.counts()["swap"]


def test_danish_as_published(treebanks: Path) -> None:
    """2010, Table 1: of the whole treebank one sentence is not 2-planar, 827 are not planar, 853 not projective."""
    files = [read(treebanks / "da_ddt_conllx" / f"{part}.conll.gz") for part in ("train", "test")]
    whole = Treebank.concatenate(files)
    for name, missing in (("2-planar", 1), ("planar", 827), ("arc-eager", 853), ("covington", 0)):
        assert int((~derive(systems.get(name), whole).complete).sum()) == missing


def test_threads_change_nothing(treebanks: Path) -> None:
    treebank = read(treebanks / "grc_agdt" / "dev.conll.gz")
    one = derive(systems.get("2-planar"), treebank, threads=1)
    many = derive(systems.get("2-planar"), treebank, threads=3)
    for name in ("transitions", "labels", "positions", "offsets", "lost"):
        np.testing.assert_array_equal(getattr(one, name), getattr(many, name))


def test_labels_of_a_treebank(treebanks: Path) -> None:
    treebank = read(treebanks / "da_ddt_conllx" / "test.conll.gz")
    labels = list(treebank.inventory("deprel"))
    system = systems.get("2-planar").labelled(labels)
    derivation = derive(system, treebank, root="first")[0]
    assert {(arc.dependent, arc.label) for arc in derivation.final().arcs} == set(
        enumerate(treebank[0].deprels, start=1)
    )
    with pytest.raises(Exception, match=r"test\.conll\.gz:\d+: sentence \d+, word \d+: 2-planar has no label "):
        derive(systems.get("2-planar").labelled(labels[:5]), treebank)
