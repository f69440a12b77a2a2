"""`crossarc systems`: a table for all, the definition and the reasons for one, JSON for programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from crossarc.transitions import TransitionSystem, systems

from ..support.commands import crossarc


def test_the_table_has_every_system_once() -> None:
    run = crossarc("systems")
    assert run.returncode == 0
    lines = run.stdout.splitlines()
    for name in systems.catalogue():
        if "+" not in name:
            assert sum(line.split()[:1] == [name] for line in lines) == 1, name
    assert max(map(len, lines)) <= 80
    row = next(line for line in lines if line.startswith("arc-eager "))
    assert row.split() == ["arc-eager", "projective", "forests", "✓", "✓", "✓", "1", "O(n)"]


def test_json_of_all_and_of_one() -> None:
    listed = json.loads(crossarc("systems", "--json").stdout)
    assert [one["name"] for one in listed] == list(systems.catalogue())
    for one in listed:
        assert TransitionSystem.from_dict(one["definition"]) == systems.get(one["name"])
        assert one["graphs"]
        assert one["source"]
    one = json.loads(crossarc("systems", "2-planar", "--json").stdout)
    assert one["properties"]["bound"] == {"transitions": "8n - 1", "growth": "O(n)"}
    assert one["properties"]["elementary_bound"] == {"transitions": "8n - 1", "growth": "O(n)"}
    assert one["properties"]["planes"] == 2
    assert one["notation"]["SWITCH"]["does"] == "⟨Σ0, Σ1, B, A⟩ ⇒ ⟨Σ1, Σ0, B, A⟩"


def test_one_system_with_reasons_and_counterexamples() -> None:
    run = crossarc("systems", "planar")
    assert run.returncode == 0
    text = " ".join(run.stdout.split())
    assert "planar: planar forests (Gómez-Rodríguez & Nivre 2010)" in text
    assert systems.planar.notation() in run.stdout
    assert repr(systems.planar) in run.stdout
    assert "reduce may drop a word without a head (Proposition 1 asks for one); it derives 1 → 3" in text
    assert "O(n): at most 3n - 1 transitions for n > 1 words" in text
    assert "O(n): at most 3n - 1 elementary transitions for n > 1 words" in text


def test_what_holds_although_it_is_not_derivable() -> None:
    text = " ".join(crossarc("systems", "covington-projective").stdout.split())
    assert "none of its graphs of up to 4 words refutes it" in text


def test_a_system_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from crossarc.transitions import SHIFT, UNSHIFT, TransitionSystem\n"
        'loop = TransitionSystem("loop", shift=SHIFT, unshift=UNSHIFT)\n'
    )
    run = crossarc("systems", "mine.py:loop", cwd=tmp_path)
    assert run.returncode == 0
    assert "unshift may come again and again for ever" in " ".join(run.stdout.split())


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("arc-egaer", "there is no transition system 'arc-egaer'; did you mean arc-eager"),
        ("undirected-arc-eager", "arc-eager has no undirected form: left_arc"),
        ("mine.py:x", "mine.py: there is no such file with a transition system"),
    ],
)
def test_bad_names_are_one_line(tmp_path: Path, name: str, message: str) -> None:
    run = crossarc("systems", name, cwd=tmp_path)
    assert (run.returncode, run.stdout) == (2, "")
    assert message in run.stderr
    assert len(run.stderr.splitlines()) == 1
