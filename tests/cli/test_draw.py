"""`crossarc draw`: which sentences, where to."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

import crossarc as xa

from ..support.commands import crossarc
from ..support.trees import random_tree


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    xa.write(xa.sample(60), tmp_path / "sample.conllu")
    (tmp_path / "flat.conllu").write_text("1\tJa\tja\tINTJ\t_\t_\t0\troot\t_\t_\n\n")
    (tmp_path / "input.conllu").write_text("1\tJa\tja\tINTJ\t_\t_\t_\t_\t_\t_\n\n")
    (tmp_path / "other.conllu").write_text("1\tJ\tj\tX\t_\t_\t0\troot\t_\t_\n2\ta\ta\tX\t_\t_\t1\tdep\t_\t_\n\n")
    return tmp_path


def test_in_the_terminal(folder: Path) -> None:
    by_number = crossarc("draw", "sample.conllu", "-s", "7", cwd=folder)
    by_id = crossarc("draw", "sample.conllu", "--sentence", "sample-1-7", cwd=folder)
    assert by_number.returncode == 0
    assert by_number.stdout == by_id.stdout
    assert by_number.stdout.startswith("sample-1-7\n")
    assert "▼" in by_number.stdout


def test_sentences_with_crossings(folder: Path) -> None:
    run = crossarc("draw", "sample.conllu", "--crossing", "-n", "2", cwd=folder)
    assert run.stdout.count("sample-1-") == 2
    assert "┃" in run.stdout


@pytest.mark.parametrize("name", ["one.svg", "one.html", "one.tex", "one.txt"])
def test_into_files(folder: Path, name: str) -> None:
    assert crossarc("draw", "sample.conllu", "--tags", "-o", name, cwd=folder).returncode == 0
    assert (folder / name).stat().st_size > 100


def test_a_page_of_several(folder: Path) -> None:
    crossarc("draw", "sample.conllu", "-n", "3", "-o", "page.html", cwd=folder)
    assert (folder / "page.html").read_text().count("<svg") == 3


def test_several_in_one_drawing(folder: Path) -> None:
    crossarc("draw", "sample.conllu", "-n", "3", "-o", "three.svg", cwd=folder)
    drawing = ElementTree.parse(folder / "three.svg").getroot()
    parts = drawing.findall("{http://www.w3.org/2000/svg}svg")
    tops = [float(part.get("y", "")) for part in parts]
    ends = [top + float(part.get("height", "")) for top, part in zip(tops, parts, strict=True)]
    assert tops == pytest.approx([0.0, *ends[:2]]) and float(drawing.get("height", "")) == pytest.approx(ends[2])


def test_lines_under_the_words(folder: Path) -> None:
    """Columns and keys of MISC; features one below the other; in the terminal and in files."""
    (folder / "gloss.conllu").write_text(
        "1\tCanem\tcanis\tNOUN\t_\tCase=Acc|Number=Sing\t2\tobj\t_\tGloss=dog\n"
        "2\tvidet\tvideo\tVERB\t_\t_\t0\troot\t_\tGloss=sees\n\n"
    )
    asked = ["draw", "gloss.conllu", "--tags", "--lines", "lemma,FEATS,gloss"]
    below = crossarc(*asked, cwd=folder).stdout.partition("videt")[2].split("\n")
    assert [line.split() for line in below if line.strip()] == [
        ["NOUN", "VERB"],
        ["canis", "video"],
        ["Case=Acc"],
        ["Number=Sing"],
        ["dog", "sees"],
    ]
    crossarc(*asked, "-o", "gloss.svg", cwd=folder)
    assert ">Number=Sing</text>" in (folder / "gloss.svg").read_text()
    upright = crossarc(*asked, "--layout", "vertical", cwd=folder).stdout
    assert re.search("Canem.*NOUN +canis +Case=Acc +Number=Sing +dog", upright)


def test_layout(folder: Path) -> None:
    upright = crossarc("draw", "sample.conllu", "--layout", "vertical", cwd=folder).stdout
    assert upright.splitlines()[1:] != crossarc("draw", "sample.conllu", cwd=folder).stdout.splitlines()[1:]
    assert "▶" in upright
    for name in ("flat.svg", "upright.svg"):
        layout = "horizontal" if name == "flat.svg" else "vertical"
        crossarc("draw", "sample.conllu", "--layout", layout, "-o", name, cwd=folder)
    sizes = [
        [float(value) for value in re.findall(r' (?:width|height)="([\d.]+)"', (folder / name).read_text())[:2]]
        for name in ("flat.svg", "upright.svg")
    ]
    assert sizes[0][0] > sizes[1][0] and sizes[0][1] < sizes[1][1]


def test_two_analyses(folder: Path) -> None:
    gold = xa.read(folder / "sample.conllu")
    labels = gold.texts("deprel")
    labels[gold[3].first_row] = "dep"
    heads = gold.head.copy()
    root = gold[6].heads.tolist().index(0) + 1
    assert heads[gold[6].first_row] not in (0, root)
    heads[gold[6].first_row] = root
    xa.write(gold.replace(deprel=labels, head=heads), folder / "parsed.conllu")
    both = ["draw", "--gold", "sample.conllu", "--system", "parsed.conllu"]
    run = crossarc(*both, "-n", "9", cwd=folder)
    assert run.returncode == 0, run.stderr
    assert re.findall(r"^(sample-1-\d+): (.*)$", run.stdout, re.M) == [
        ("sample-1-4", f"1 of {len(gold[3])} arcs differs"),
        ("sample-1-7", f"1 of {len(gold[6])} arcs differs"),
    ]
    assert "≠ dep" in run.stdout and "▲" in run.stdout
    assert len(re.findall("^sample-1-", crossarc(*both, "-n", "9", "--all", cwd=folder).stdout, re.M)) == 9
    assert crossarc(*both, "-s", "1", cwd=folder).stdout.startswith("sample-1-1: 0 of ")
    crossarc(*both, "-n", "9", "-o", "both.html", cwd=folder)
    page = (folder / "both.html").read_text()
    assert page.count("<svg ") == 2 and "green arcs were missed" in page and 'class="arc wrong"' in page


def test_a_search_that_ends_early_is_a_note(folder: Path) -> None:
    heads = random_tree(300, seed=2)
    rows = (f"{word}\tw\tw\t_\t_\t_\t{head}\t{'dep' if head else 'root'}\t_\t_\n" for word, head in enumerate(heads, 1))
    (folder / "many.conllu").write_text("".join(rows) + "\n")
    run = crossarc("draw", "many.conllu", "-o", "many.svg", cwd=folder)
    assert run.returncode == 0
    assert run.stderr.startswith("note: ") and "planes" in run.stderr
    assert len(run.stderr.splitlines()) == 1 and ".py" not in run.stderr and "Warning" not in run.stderr


def test_no_control_character_reaches_the_terminal(folder: Path) -> None:
    (folder / "odd.conllu").write_text("# sent_id = a\x1b[31mb\x9bc\n1\tJa\tja\t_\t_\t_\t0\troot\t_\t_\n\n")
    run = crossarc("draw", "odd.conllu", cwd=folder)
    assert run.stdout.startswith("a\ufffd[31mb\ufffdc\n")
    run = crossarc("draw", "no\x1b[31m.conllu", cwd=folder)
    assert run.returncode == 2 and "\x1b" not in run.stderr and "cannot be read" in run.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sample.conllu", "-s", "61"], 'no sentence "61": there are 60, by number or by sent_id'),
        (["sample.conllu", "--lines", "lemma,glos"], "--lines glos: no word has glos= in MISC"),
        (["sample.conllu", "-o", "one.bmp"], "one.bmp: cannot draw into suffix '.bmp': known are .svg"),
        (["flat.conllu", "--crossing"], "no sentence to draw: no arcs cross in this treebank"),
        (["sample.conllu", "--layout", "up"], "unknown orientation 'up': known are auto, horizontal, vertical"),
        (["--gold", "sample.conllu"], "give FILE, or --gold FILE and --system FILE"),
        (["sample.conllu", "--all"], "give FILE, or --gold FILE and --system FILE"),
        (["--gold", "sample.conllu", "--system", "sample.conllu"], "the two analyses are the same, --all draws them"),
        (["--gold", "flat.conllu", "--system", "other.conllu"], "only the same words can be drawn together"),
        (["input.conllu"], "input.conllu:1: sentence 1 has no heads: parse it first"),
    ],
)
def test_bad_use(folder: Path, arguments: list[str], message: str) -> None:
    run = crossarc("draw", *arguments, cwd=folder)
    assert run.returncode == 2
    assert message in run.stderr
    assert len(run.stderr.splitlines()) == 1
