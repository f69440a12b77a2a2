"""`crossarc encode` and `crossarc decode`: files in, files out, and what is said about them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import crossarc as xa
from crossarc.encodings import PseudoProjective

from ..support.commands import crossarc

SCHEMES = ["baseline", "head", "path", "head+path", "undirected", "head,undirected"]


@pytest.fixture
def gold(tmp_path: Path) -> xa.Treebank:
    treebank = xa.sample(200, seed=1)
    xa.write(treebank, tmp_path / "gold.conllu")
    xa.write(treebank[~xa.classify(treebank).nonprojective], tmp_path / "projective.conllu")
    return treebank


@pytest.mark.parametrize("scheme", SCHEMES)
def test_projective_files_come_back_byte_for_byte(gold: xa.Treebank, tmp_path: Path, scheme: str) -> None:
    encoded = crossarc("encode", "--scheme", scheme, "projective.conllu", "-o", "e.conllu", cwd=tmp_path)
    assert (encoded.returncode, encoded.stdout) == (0, "")
    assert "no arc was lifted" in encoded.stderr
    decoded = crossarc("decode", "--scheme", scheme, "e.conllu", cwd=tmp_path)
    assert decoded.stdout == (tmp_path / "projective.conllu").read_text()
    assert decoded.stderr == "150 sentences: 0 arcs were marked to be moved\n"


def test_what_does_not_come_back_is_counted(gold: xa.Treebank, tmp_path: Path) -> None:
    run = crossarc("encode", "gold.conllu", "--json", "-o", "e.conllu", "--map", "labels.json", cwd=tmp_path)
    counts = json.loads(run.stdout)
    decoded = crossarc("decode", "e.conllu", "--map", "labels.json", cwd=tmp_path)
    result = xa.from_text(decoded.stdout)
    assert counts["moved"] - counts["recovered"] == (result.head != gold.head).sum() > 0
    assert counts["labels"] < counts["encoded_labels"]
    assert xa.read(tmp_path / "e.conllu").to_bytes() == PseudoProjective("head").encode(gold).to_bytes()
    assert "are not restored completely" in crossarc("encode", "gold.conllu", "-o", "e.conllu", cwd=tmp_path).stderr


def test_the_map_lists_the_labels(gold: xa.Treebank, tmp_path: Path) -> None:
    crossarc("encode", "gold.conllu", "--signs", "ascii", "-o", "e.conllu", "--map", "labels.json", cwd=tmp_path)
    data = json.loads((tmp_path / "labels.json").read_text())
    assert data["counts"] == xa.read(tmp_path / "e.conllu").inventory("deprel")
    assert data["encoding"]["labels"] == list(gold.inventory("deprel"))
    assert any("^" in label for label in data["counts"])


def test_decode_says_what_was_not_clear(gold: xa.Treebank, tmp_path: Path) -> None:
    crossarc("encode", "gold.conllu", "-o", "e.conllu", "--map", "labels.json", cwd=tmp_path)
    line = "{}\tw\t_\t_\t_\t_\t{}\t{}\t_\t_\n"
    parsed = line.format(1, 0, "root") + line.format(2, 1, "obj↑advcl") + line.format(3, 1, "novel") + "\n"
    run = crossarc("decode", "--map", "labels.json", "-o", "d.conllu", stdin=parsed, cwd=tmp_path)
    assert run.stderr == (
        "1 sentences: 1 arcs were marked to be moved, 1 of them have no target and stay\n"
        "labels that the map does not have (1 words): novel\n"
    )
    assert [line.split("\t")[7] for line in (tmp_path / "d.conllu").read_text().splitlines() if line] == [
        *("root", "obj", "novel")
    ]
    run = crossarc("decode", "--map", "labels.json", "-o", "d.conllu", "--json", stdin=parsed, cwd=tmp_path)
    assert json.loads(run.stdout) == {"sentences": 1, "marked": 1, "unresolved": 1, "unknown_labels": {"novel": 1}}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["encode", "gold.conllu", "--scheme", "tail"], 'unknown scheme "tail": use one of baseline, head, path'),
        (
            ["encode", "gold.conllu", "--scheme", "undirected,head"],
            "arcs can only be lifted where they have a direction",
        ),
        (["encode", "gold.conllu", "--json"], "--json prints the counts, so the trees need a file"),
        (["encode", "gold.conllu", "--lift-order", "up"], "lift_order is one of shortest, deepest, not 'up'"),
        (["decode", "gold.conllu"], "say how the file was encoded, with either --map PATH or --scheme NAME"),
        (["decode", "gold.conllu", "--map", "a", "--scheme", "head"], "with either --map PATH or --scheme NAME"),
        (["decode", "gold.conllu", "--map", "gold.conllu"], "gold.conllu: not a map file, which is JSON"),
        (["decode", "gold.conllu", "--map", "none.json"], "none.json: cannot be read: No such file"),
        (["decode", "gold.conllu", "--scheme", "head", "--json"], "--json prints the counts"),
        (["encode", "bare.conllu"], "bare.conllu:1: sentence 1 has no heads"),
    ],
)
def test_bad_use_is_one_line(gold: xa.Treebank, tmp_path: Path, arguments: list[str], message: str) -> None:
    (tmp_path / "bare.conllu").write_text("1\tw\t_\t_\t_\t_\t_\t_\t_\t_\n\n")
    run = crossarc(*arguments, cwd=tmp_path)
    assert run.returncode == 2
    assert message in run.stderr
    assert len(run.stderr.splitlines()) == 1
    assert run.stdout == ""
