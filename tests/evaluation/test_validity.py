"""Output that is no tree is refused with its place; whoever insists gets it scored as it is."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import crossarc as xa
from crossarc.evaluation.arc_classes import _literal_classes
from crossarc.structure import crossings, nonprojective_arcs

from ..support.outputs import wrong_heads

GOLD = (
    "1\tAnn\t_\tPROPN\t_\t_\t2\tnsubj\t_\t_\n2\tsees\t_\tVERB\t_\t_\t0\troot\t_\t_\n"
    "3\tBo\t_\tPROPN\t_\t_\t2\tobj\t_\t_\n4\t.\t_\tPUNCT\t_\t_\t2\tpunct\t_\t_\n\n"
)

#: A change to the second sentence, what is said of it, and how many of its four heads are right.
FAULTS = [
    ("\t2\tobj", "\t3\tobj", "is its own head", 3),
    ("\t2\tobj", "\t_\tobj", "has no head though others of its sentence have", 3),
    ("\t2\tobj", "\t17\tobj", "the head of word 3 is 17, the last word is 4", 3),
    ("\t2\tobj", "\t99999999999999999999999\tobj", "the head of word 3 is ", 3),
    ("\t2\tobj", "\tx\tobj", 'the head of word 3 is "x", not a number', 3),
    ("\t0\troot", "\t3\troot", "no word is the root", 3),
    ("\t2\tobj", "\t0\tobj", "several roots: 2, 3", 3),
]


@pytest.mark.parametrize(("old", "new", "what", "right"), FAULTS)
def test_faults(tmp_path: Path, old: str, new: str, what: str, right: int) -> None:
    gold, system = tmp_path / "gold.conllu", tmp_path / "system.conllu"
    gold.write_text(GOLD * 3)
    system.write_text(GOLD + GOLD.replace(old, new) + GOLD)
    with pytest.raises(xa.InvalidTreeError) as caught:
        xa.evaluate(gold, system)
    line = str(caught.value)
    assert line.startswith(f"the system output is not well-formed: {system}:")
    assert what in line
    assert "sentence 2" in line
    assert line.endswith("allow_invalid=True (--allow-invalid) scores it as it is")
    assert len(line.splitlines()) == 1
    found = xa.evaluate(gold, system, allow_invalid=True)
    assert found.scores.all_words.attachment.uas.correct == 8 + right
    assert any(what in fault for fault in found.invalid)
    assert any("faults, the first: " in note for note in found.notes)
    assert found.to_dict()["invalid"] == found.invalid
    assert found.to_html()


def test_the_order_of_what_is_scored_does_not_matter(tmp_path: Path) -> None:
    """A cycle among many good sentences leaves their scores alone, in both formats."""
    gold = xa.sample(30)
    system = gold.to_text().replace("\t0\troot", "\t1\troot", 1)
    assert system != gold.to_text()
    path = tmp_path / "system.conllu"
    path.write_text(system)
    found = xa.evaluate(gold, path, allow_invalid=True)
    assert found.scores.all_words.attachment.uas.correct == gold.words - 1
    assert found.scores.all_words.attachment.exact_labelled.correct == 29
    sides = found.scores.pair
    assert sides.system.broken.tolist() == [0]


def test_heads_in_memory_are_checked_too() -> None:
    gold = xa.from_text(GOLD)
    unparsed = gold.replace(head=[-1] * 4)
    with pytest.raises(xa.InvalidTreeError, match="the system output is no tree: <text>:1: sentence 1 has no heads"):
        xa.evaluate(gold, unparsed)
    assert xa.evaluate(gold, unparsed, allow_invalid=True).uas == 0
    several = xa.from_text(GOLD.replace("\t2\tobj", "\t0\tobj"), root="any")
    with pytest.raises(xa.InvalidTreeError, match=r'has 2 roots where one is required; .* or root="any"'):
        xa.evaluate(gold, several)
    assert xa.evaluate(gold, several, root="any").uas == 0.75


def test_what_is_no_treebank_is_never_scored(tmp_path: Path) -> None:
    path = tmp_path / "system.conllu"
    path.write_text(GOLD.replace("3\tBo", "7\tBo"))
    for allow_invalid in (True, False):
        with pytest.raises(xa.CrossarcError, match="id 7 where 3 was expected") as caught:
            xa.evaluate(xa.from_text(GOLD), path, allow_invalid=allow_invalid)
        assert "allow" not in str(caught.value)


def test_literal_classes_are_those_of_trees() -> None:
    """What is used for heads that are no tree agrees with the kernel on trees."""
    choose = random.Random(3)
    for _ in range(200):
        words = choose.randint(1, 9)
        heads = wrong_heads([0, *range(1, words)], 0.7, choose)
        nonprojective, crossing = _literal_classes(heads)
        arcs = list(zip(heads, range(1, words + 1), strict=True))
        assert [arc for arc, flag in zip(arcs, nonprojective, strict=True) if flag] == nonprojective_arcs(heads)
        assert {arc for arc, flag in zip(arcs, crossing, strict=True) if flag} == {
            arc for pair in crossings(heads) for arc in pair
        }
