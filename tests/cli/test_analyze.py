"""`crossarc analyze` as people and scripts use it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

import crossarc as xa

from ..support.commands import GOOD, crossarc


@pytest.fixture
def files(tmp_path: Path) -> Path:
    xa.write(xa.sample(200), tmp_path / "one.conllu")
    xa.write(xa.sample(100, seed=2), tmp_path / "two.conllu.gz")
    (tmp_path / "word.conllu").write_text(GOOD)
    (tmp_path / "empty.conllu").write_text("")
    (tmp_path / "no-heads.conllu").write_text(GOOD * 2 + "1\tJa\tja\tINTJ\t_\t_\t_\t_\t_\t_\n\n")
    two_roots = "1\tJa\t_\t_\t_\t_\t0\troot\t_\t_\n2\tNej\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    (tmp_path / "two-roots.conllu").write_text(two_roots)
    return tmp_path


def test_danish_as_json(treebanks: Path) -> None:
    run = crossarc(
        "analyze", "--json", *(str(treebanks / "da_ddt_conllx" / f"{part}.conll.gz") for part in ("train", "test"))
    )
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    total, train = found["total"], found["files"][0]
    assert (total["nonprojective_sentences"], total["not_planar"]) == (853, 827)
    assert (total["not_2_planar"], total["ill_nested"]) == (1, 6)
    assert (train["one_endpoint_crossing"], train["one_endpoint_crossing_without_root"]) == (5_141, 5_153)
    assert (train["well_nested_block_degree_2"], train["gap_minding"]) == (5_172, 4_981)
    assert (train["projective"], train["sentences"]) == (4_376, 5_187)


def test_sixty_three_treebanks(treebanks: Path) -> None:
    run = crossarc("analyze", str(treebanks / "ud_tests"))
    assert run.returncode == 0, run.stderr
    lines = run.stdout.splitlines()
    assert [lines[place][0] for place in (2, 3 + 63)] == ["─", "─"]
    assert lines[3].startswith("Akkadian-RIAO")
    assert lines[4 + 63].startswith("total")
    assert max(map(len, lines)) <= 80


def test_one_file_and_the_same_shape_of_json(files: Path) -> None:
    text = crossarc("analyze", "one.conllu", cwd=files).stdout
    assert text.startswith("one.conllu: 200 sentences")
    assert "arc-standard, arc-eager" in text
    assert "A projective parser can derive 75.00 % of the sentences" in text
    found = json.loads(crossarc("analyze", "--json", "one.conllu", cwd=files).stdout)
    assert [row["file"] for row in found["files"]] == ["one.conllu"]
    assert found["total"]["projective"] == 150


def test_csv_and_latex(files: Path) -> None:
    run = crossarc("analyze", "--csv", "one.conllu", "two.conllu.gz", cwd=files)
    rows = list(csv.DictReader(io.StringIO(run.stdout)))
    assert [row["sentences"] for row in rows] == ["200", "100", "300"]
    assert r"\bottomrule" in crossarc("analyze", "--latex", "one.conllu", cwd=files).stdout


def test_html(files: Path) -> None:
    run = crossarc("analyze", "one.conllu", "--html", "report.html", cwd=files)
    assert (run.returncode, run.stderr) == (0, "wrote report.html\n")
    assert run.stdout.startswith("one.conllu: 200 sentences")
    assert "25.00 % of the sentences" in run.stdout and "• Use " in run.stdout
    assert (files / "report.html").read_text().startswith("<!DOCTYPE html>")
    assert crossarc("analyze", "one.conllu", "--html", "-", cwd=files).stdout == (files / "report.html").read_text()


@pytest.mark.parametrize(("file", "words"), [("empty", "0 sentences, 0 words"), ("word", "1 sentence, 1 word")])
def test_next_to_nothing(files: Path, file: str, words: str) -> None:
    run = crossarc("analyze", f"{file}.conllu", cwd=files)
    assert (run.returncode, run.stderr) == (0, "note: no sentences in empty.conllu\n" if file == "empty" else "")
    assert words in run.stdout


def test_standard_input() -> None:
    assert crossarc("analyze", "-", stdin=GOOD).stdout.startswith("<stdin>: 1 sentence")


def test_threads_change_nothing(files: Path) -> None:
    one, many = (crossarc("analyze", "--json", "--threads", n, "one.conllu", cwd=files).stdout for n in "15")
    assert one == many


def test_several_roots_are_fine_unless_refused(files: Path) -> None:
    assert "2 roots" in crossarc("analyze", "two-roots.conllu", cwd=files).stdout
    assert crossarc("analyze", "--root", "single", "two-roots.conllu", cwd=files).returncode == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no-heads.conllu"], "no-heads.conllu:5: sentence 3 has no heads: parse it first"),
        (["none.conllu"], "none.conllu: cannot be read: No such file"),
        (["--json", "--csv", "one.conllu"], "choose one of --json, --csv, --latex and --html"),
        (["one.conllu", "--html", "no/where.html"], "no/where.html: cannot be written"),
        (["--root", "many", "one.conllu"], "many"),
        (["--threads", "-1", "one.conllu"], "Invalid value for '--threads'"),
        (["--jsn", "one.conllu"], "no such option: --jsn; did you mean --json"),
    ],
)
def test_bad_use_is_one_line_and_exit_code_2(files: Path, arguments: list[str], message: str) -> None:
    run = crossarc("analyze", *arguments, cwd=files)
    assert run.returncode == 2
    assert message in run.stderr
    assert len(run.stderr.splitlines()) == 1
    assert run.stdout == ""
