"""`crossarc oracle` as people and scripts use it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..support.commands import crossarc

# 1 ← 3 and 2 ← 4 cross; the second sentence is projective.
CROSSING = "".join(
    f"{word}\tw{word}\t_\t_\t_\t_\t{head}\tdep\t_\t_\n" for word, head in enumerate([3, 4, 0, 3], start=1)
)
TEXT = f"# sent_id = first\n{CROSSING}\n1\tw1\t_\t_\t_\t_\t2\tdep\t_\t_\n2\tw2\t_\t_\t_\t_\t0\troot\t_\t_\n\n"

MINE = """
from crossarc.transitions import LEFT_ARC, REDUCE, RIGHT_ARC, SHIFT, TransitionSystem
only_left = TransitionSystem("only-left", shift=SHIFT, left_arc=LEFT_ARC >> REDUCE)
"""


def test_summary() -> None:
    run = crossarc("oracle", "--system", "2-planar", stdin=TEXT)
    assert run.returncode == 0, run.stderr
    lines = [line.split() for line in run.stdout.splitlines()]
    assert ["sentences", "derived", "2", "of", "2", "100.00", "%"] in lines
    assert ["SWITCH", "1", "0.167", "a", "word"] in lines


def test_as_json() -> None:
    data = json.loads(crossarc("oracle", "-s", "arc-eager", "--json", stdin=TEXT).stdout)
    assert (data["derivable_sentences"], data["arcs"], data["built_arcs"]) == (1, 4, 3)
    detailed = json.loads(crossarc("oracle", "-s", "arc-eager", "--json", "--sequences", stdin=TEXT).stdout)
    assert [one["sentence"] for one in detailed["derivations"]] == ["first", "2"]
    assert detailed["derivations"][1] == {
        "sentence": "2",
        "lost": [],
        "added": 0,
        "transitions": ["SHIFT", "LEFT-ARC", "SHIFT"],
    }


def test_sequences_and_traces() -> None:
    run = crossarc("oracle", "-s", "arc-standard", "--sequences", "--sentence", "2", stdin=TEXT)
    assert run.stdout == "2\tSHIFT LEFT-ARC SHIFT\n"
    run = crossarc("oracle", "-s", "arc-standard", "--trace", "--sentence", "2", stdin=TEXT)
    assert run.stdout == (
        "2: w1/1 w2/2\n"
        "           ([ ], [1, 2], ∅)\n"
        "   SHIFT ⇒ ([1], [2],    ∅)\n"
        "LEFT-ARC ⇒ ([ ], [2],    A1 = {(2, 1)})\n"
        "   SHIFT ⇒ ([2], [ ],    A1)\n"
        "\n"
    )


def test_lost_arcs_are_listed_with_their_place(tmp_path: Path) -> None:
    (tmp_path / "two.conllu").write_text(TEXT)
    run = crossarc("oracle", "two.conllu", "-s", "planar", "--lost", cwd=tmp_path)
    assert run.stdout == "two.conllu:1: sentence first: w4/4 → w2/2\n"


def test_a_system_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    run = crossarc("oracle", "-s", "mine.py:only_left", "--json", stdin=TEXT, cwd=tmp_path)
    assert json.loads(run.stdout)["derivable_sentences"] == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--system", "2-plannar"], "there is no transition system '2-plannar'; did you mean 2-planar"),
        (["--sequences", "--trace"], "choose one of --sequences, --trace, --lost and --html"),
        (["--sentence", "3"], "no sentence 3: the treebank has 2"),
        (["--root", "top"], 'the artificial root is "none", "first" or "last", not \'top\''),
        (["--method", "magic"], "the method of an oracle is one of auto, rule, search, not 'magic'"),
        (["--system", "easy-first", "--method", "rule"], "no paper gives a rule for easy-first: use the search"),
    ],
)
def test_bad_use(arguments: list[str], message: str) -> None:
    run = crossarc("oracle", *arguments, stdin=TEXT)
    assert run.returncode == 2
    assert message in run.stderr
    assert len(run.stderr.splitlines()) == 1


def test_without_heads() -> None:
    run = crossarc("oracle", stdin="1\tw\t_\t_\t_\t_\t_\t_\t_\t_\n\n")
    assert run.returncode == 2
    assert "has no heads: parse it first" in run.stderr
