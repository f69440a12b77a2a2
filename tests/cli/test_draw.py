"""`crossarc draw`: which sentences, where to."""

from __future__ import annotations

from pathlib import Path

import pytest

import crossarc as xa

from ..support.commands import crossarc


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    xa.write(xa.sample(60), tmp_path / "sample.conllu")
    (tmp_path / "flat.conllu").write_text("1\tJa\tja\tINTJ\t_\t_\t0\troot\t_\t_\n\n")
    (tmp_path / "input.conllu").write_text("1\tJa\tja\tINTJ\t_\t_\t_\t_\t_\t_\n\n")
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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sample.conllu", "-s", "61"], 'no sentence "61": there are 60, by number or by sent_id'),
        (["sample.conllu", "-n", "2", "-o", "two.svg"], "two.svg: holds one sentence, not 2"),
        (["sample.conllu", "-o", "one.bmp"], "one.bmp: cannot draw into suffix '.bmp': known are .svg"),
        (["flat.conllu", "--crossing"], "no sentence to draw: no arcs cross in this treebank"),
        (["input.conllu"], "input.conllu:1: sentence 1 has no heads: parse it first"),
    ],
)
def test_bad_use(folder: Path, arguments: list[str], message: str) -> None:
    run = crossarc("draw", *arguments, cwd=folder)
    assert run.returncode == 2
    assert message in run.stderr
    assert len(run.stderr.splitlines()) == 1
