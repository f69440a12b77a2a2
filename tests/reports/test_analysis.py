"""`xa.analyze`: its keys, its tables, its page."""

from __future__ import annotations

import csv
import io
import re
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import pytest

import crossarc as xa
from crossarc.reports.analysis import FileAnalysis
from crossarc.reports.analysis_contents import ROWS, binned
from crossarc.reports.text import distinct_names, one_treebank
from crossarc.structure import RARE_CLASSES, Coverage, PlanarityBounds

STABLE = [
    *("sentences", "words", "nonprojective_sentences", "nonprojective_arcs"),
    *("not_planar", "not_2_planar", "not_3_planar", "not_4_planar", "ill_nested"),
    *("one_endpoint_crossing", "one_endpoint_crossing_without_root"),
    *("well_nested_block_degree_2", "gap_minding", "projective", "gap_degree", "lifts"),
]
ONE_WORD = "1\tJa\tja\tINTJ\t_\t_\t0\troot\t_\t_\n\n"


@pytest.fixture(scope="module")
def several() -> xa.Analysis:
    return xa.analyze({"a_b/50%&more.conllu": xa.sample(200, seed=1), "a_b/other.conllu": xa.sample(100, seed=2)})


def test_keys_are_stable(several: xa.Analysis) -> None:
    data = several.to_dict()
    assert set(data) == {"files", "total"}
    assert list(data["total"])[: len(STABLE)] == STABLE
    for row in data["files"]:
        assert list(row)[: len(STABLE) + 1] == ["file", *STABLE]
    for key in ("gap_degree", "lifts"):
        assert all(isinstance(value, str) for value in data["total"][key])


def test_the_total_is_the_sum_of_the_rows(several: xa.Analysis) -> None:
    data = several.to_dict()
    for key in STABLE:
        values = [row[key] for row in data["files"]]
        if isinstance(values[0], int):
            assert data["total"][key] == sum(values)
        else:
            assert data["total"][key] == {
                name: sum(value.get(name, 0) for value in values) for name in data["total"][key]
            }


def test_danish(treebanks: Path) -> None:
    folder = treebanks / "da_ddt_conllx"
    found = xa.analyze({part: xa.read(folder / f"{part}.conll.gz") for part in ("train", "test")}).to_dict()
    total, train = found["total"], found["files"][0]
    assert [total[key] for key in ("nonprojective_sentences", "not_planar", "not_2_planar", "ill_nested")] == [
        *(853, 827, 1, 6)
    ]
    assert (train["sentences"], train["projective"], train["gap_minding"]) == (5_187, 4_376, 4_981)
    assert (train["one_endpoint_crossing"], train["one_endpoint_crossing_without_root"]) == (5_141, 5_153)
    assert train["well_nested_block_degree_2"] == 5_172


def test_treebanks_may_come_one_by_one() -> None:
    pairs = ((str(seed), xa.sample(20, seed)) for seed in range(3))
    found = xa.analyze(pairs)
    assert found.names == ["0", "1", "2"]
    assert found.total.sentences == 60


def test_examples_can_be_found_again() -> None:
    bank = xa.sample(1000)
    found = xa.analyze(bank)
    (example, *_) = found.examples["ill_nested"]
    assert bank[example.index].id == example.id
    assert tuple(bank[example.index].forms) == example.forms
    assert found.to_dict()["total"]["examples"]["ill_nested"][0]["words"] == len(bank[example.index])


def test_csv(several: xa.Analysis) -> None:
    rows = list(csv.DictReader(io.StringIO(several.to_csv())))
    assert [row["file"] for row in rows] == ["a_b/50%&more.conllu", "a_b/other.conllu", "total"]
    assert int(rows[2]["projective"]) == int(rows[0]["projective"]) + int(rows[1]["projective"]) == 226
    assert sum(int(value) for key, value in rows[0].items() if key.startswith("gap_degree_")) == 200
    assert all(value.isdigit() for row in rows for key, value in row.items() if key != "file")


def test_latex_is_balanced_and_escaped() -> None:
    latex = xa.analyze({"x_y&50%": xa.sample(50), "z": xa.sample(20)}).to_latex()
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") == 1
    assert r"x\_y\&50\%" in latex
    columns = re.search(r"\\begin\{tabular\}\{(\w+)\}", latex)
    assert columns
    rows = [line for line in latex.splitlines() if line.endswith(r"\\")]
    assert len(rows) == 2 + 2 + 1
    for line in rows:
        assert len(re.findall(r"(?<!\\)&", line)) == len(columns[1]) - 1
        assert not re.search(r"(?<!\\)[%_#]", line)
        assert len(re.findall(r"(?<!\\)\$", line)) % 2 == 0
    assert latex.count("{") == latex.count("}")


@pytest.mark.parametrize(
    "analysis",
    [
        pytest.param(lambda: xa.analyze(xa.sample(1000)), id="one"),
        pytest.param(lambda: xa.analyze({"<a&b>": xa.sample(300), "c": xa.sample(10, 2)}), id="several"),
        pytest.param(lambda: xa.analyze(xa.from_text(ONE_WORD)), id="one word"),
        pytest.param(lambda: xa.analyze(xa.from_text("")), id="empty"),
    ],
)
def test_the_page_is_well_formed_and_stands_alone(analysis: object) -> None:
    assert callable(analysis)
    page = analysis().to_html()
    assert page.startswith("<!DOCTYPE html>")
    root = ET.fromstring(page.removeprefix("<!DOCTYPE html>"))
    assert root.find("head/title") is not None
    addresses = set(re.findall(r"\w+://[^\s\"'<>]+", page))
    assert addresses <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"<script|<link|<img|@import|url\(|src=", page)
    fragment = ET.fromstring(analysis()._repr_html_())
    assert fragment.find(".//table") is not None


def test_the_page_draws_every_rare_class() -> None:
    page = xa.analyze(xa.sample(1000)).to_html()
    for name in ("Planar but not projective", "Not 2-planar", "Ill-nested", "Block degree 3"):
        assert name in page
    assert page.count("<figure>") >= 10
    assert page.count('class="chart"') == 6


def test_the_text_has_every_row_and_fits() -> None:
    found = xa.analyze(xa.sample(1000))
    for width in (76, 80, 100):
        text = found.to_text(width)
        for row in ROWS:
            assert row.title in text
        assert max(map(len, text.splitlines())) <= width
    assert str(found) == found.to_text(100)
    assert repr(found) == str(found).rstrip("\n")


def test_the_table_of_several_fits(several: xa.Analysis) -> None:
    for width in (80, 100):
        lines = several.to_text(width).splitlines()
        assert max(map(len, lines)) <= width
        assert lines[3].startswith("50%&more ")
        assert lines[6].startswith("total ")


def test_a_treebank_without_sentences() -> None:
    found = xa.analyze(xa.from_text(""))
    assert found.total.sentences == 0
    assert "no sentences" in str(found)
    assert len(list(csv.DictReader(io.StringIO(found.to_csv())))) == 1


def test_what_cannot_be_analyzed_is_said() -> None:
    with pytest.raises(xa.CrossarcError, match="no treebanks to analyze"):
        xa.analyze({})
    with pytest.raises(xa.MissingHeadsError, match="sentence 1 has no heads"):
        xa.analyze(xa.from_text("1\tJa\tja\tINTJ\t_\t_\t_\t_\t_\t_\n\n"))


def test_names_are_shortened_to_what_differs() -> None:
    assert distinct_names(["x/y/train.conllu"]) == ["y/train.conllu"]
    assert distinct_names(["ud/da-test.conllu.gz", "ud/de-test.conllu.gz"]) == ["da", "de"]
    assert distinct_names(["da/train.conll", "grc/train.conll"]) == ["da", "grc"]
    assert distinct_names(["a.conllu", "b.conll"]) == ["a.conllu", "b.conll"]
    assert distinct_names(["a.conllu", "a.conllu"]) == ["a.conllu", "a.conllu"]
    assert distinct_names(["x/.conllu", "x/a.conllu"]) == [".conllu", "a.conllu"]


def test_the_parts_of_one_treebank_have_one_name() -> None:
    assert one_treebank(["x/la_circse/train.conllu.gz", "x/la_circse/dev.conllu.gz"]) == "la_circse"
    assert one_treebank([f"ud/cs_pdt-ud-{part}.conllu" for part in ("train-a", "train-b", "test")]) == "cs_pdt"
    assert one_treebank(["da.train.conll", "da.test.conll"]) == "da"
    assert one_treebank(["train.conllu", "test.conllu"]) is None  # nothing says what it is called
    assert one_treebank(["x/Danish-test.conllu", "x/Dutch-test.conllu"]) is None
    assert one_treebank(["da/train.conllu", "nl/train.conllu"]) is None
    assert one_treebank(["x/tests.conllu", "x/trained.conllu"]) is None
    assert one_treebank(["x/test.conllu"]) is None
    names = [f"ud/en_ewt-ud-{part}.conllu" for part in ("train", "dev", "test")]
    page = xa.analyze({name: xa.sample(20, seed) for seed, name in enumerate(names)}).to_html()
    assert "<h1>How non-projective is en_ewt (3 parts)?</h1>" in page and "<h2>Part by part</h2>" in page
    page = xa.analyze({name: xa.sample(20, seed) for seed, name in enumerate("abc")}).to_html()
    assert "<h1>How non-projective are 3 treebanks?</h1>" in page and "<h2>Treebank by treebank</h2>" in page


def test_a_sentence_that_is_there_twice_is_an_example_once() -> None:
    bank = xa.sample(1000)
    example = xa.analyze(bank).examples["ill_nested"][0]
    text = bank[example.index : example.index + 1].to_text()
    twice = xa.analyze(xa.from_text("".join(text.replace(example.id, f"copy-{n}") for n in range(5))))
    assert all(len(found) <= 1 for found in twice.examples.values())
    assert twice.to_html().count("<figure>") == 1
    assert xa.analyze({"a": xa.from_text(text), "b": xa.from_text(text)}).to_html().count("<figure>") == 1


def test_bins_keep_every_value() -> None:
    counts = xa.analyze(xa.sample(1000)).total
    assert sum(count for _, count in binned(counts.crossings, (0, 1, 2, 5))) == 1000


def test_planes_known_only_within_bounds_are_said() -> None:
    known = {PlanarityBounds(1, 1): 9, PlanarityBounds(5, 7): 1}
    counts = Coverage(
        sentences=10,
        words=50,
        nonprojective_sentences=1,
        nonprojective_arcs=1,
        projective=9,
        planarity=Counter(known),
    )
    found = xa.Analysis([FileAnalysis("x", counts, {name: [] for name in RARE_CLASSES})])
    assert found.to_dict()["total"]["planarity"] == {"1": 9, "5 to 7": 1}
    assert "Of 1 sentence the number of planes is known only within bounds" in str(found)
    assert "5 to 7" in found.to_html()
    assert "planarity_5_to_7" in found.to_csv()
