"""What reports are made of: cells of a spreadsheet, charts, examples, and the page of all errors."""

from __future__ import annotations

import csv
import io
import re

import pytest

import crossarc as xa
from crossarc.reports import evaluation
from crossarc.reports.page import intervals, report_page
from crossarc.reports.table import csv_text

from ..support.outputs import with_mistakes


def test_no_cell_of_a_table_is_a_formula_or_a_command() -> None:
    cells = ["=1+1", "+SUM(A1)", "-LRB-", "@x", "\x1b[31mred\x9b", "nsubj", "", "-0.25", "+1.5", "-1e-05", "3"]
    text = csv_text(["a"] * 12, [[*cells, -7]])
    assert next(iter(csv.reader(io.StringIO(text.splitlines()[1])))) == [
        *("'=1+1", "'+SUM(A1)", "'-LRB-", "'@x", "\ufffd[31mred\ufffd", "nsubj", "", "-0.25", "+1.5", "-1e-05", "3"),
        "-7",
    ]


def test_labels_and_files_in_csv_are_no_formulas() -> None:
    bank = xa.sample(5)
    odd = bank.replace(deprel=[f"={label}" if label != "root" else label for label in bank.texts("deprel")])
    groups = {row["group"] for row in csv.DictReader(io.StringIO(xa.evaluate(odd, odd).to_csv()))}
    assert "'=punct" in groups and not any(group.startswith("=") for group in groups)
    rows = csv.DictReader(io.StringIO(xa.analyze({"=cmd|' /C calc'!A0": bank}).to_csv()))
    assert [row["file"] for row in rows] == ["'=cmd|' /C calc'!A0"]


def dots(chart: str) -> list[float]:
    return [float(x) for x in re.findall(r'<circle class="first" cx="([\d.]+)"', chart)]


def test_different_values_are_at_different_places() -> None:
    rows = [("small", 0.5, 0.1, 1.0), *((f"x{n}", 0.5, 0.2, 0.9) for n in range(5))]
    rows += [("large", 39.89, 30.0, 49.0), ("larger", 44.22, 35.0, 52.0)]
    places = dots(intervals(rows, "x"))
    assert places[-1] > places[-2] > places[0]


def test_an_interval_that_is_cut_says_so() -> None:
    rows = [*((f"x{n}", 0.5, 0.2, 0.9) for n in range(5)), ("wide", 0.4, -30.0, 40.0)]
    chart = intervals(rows, "x")
    assert chart.count('class="first cut"') == 2
    assert 'class="first cut"' not in intervals(rows[:5], "x")


def test_a_heading_keeps_its_distance_from_the_table_above() -> None:
    rule = re.search(r"\nh3 \{ .*?margin: ([\d.]+)rem 0", report_page("x", []))
    assert rule and float(rule[1]) >= 1.5


def test_no_sentence_is_shown_twice() -> None:
    text = xa.sample(30).to_text()
    bank = xa.from_text(text + text.replace("sample-", "copy-"))
    bad = with_mistakes(bank, 0.3)
    shown = [picture.words for pictures in xa.evaluate(bank, bad).pictures().values() for picture in pictures]
    assert len(shown) > 5
    assert len(set(shown)) == len(shown)


def test_what_is_too_much_to_draw_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    bank = xa.sample(60)
    found = xa.evaluate(bank, with_mistakes(bank, 0.3))
    whole = found.errors_html()
    assert "not drawn" not in whole
    monkeypatch.setattr(evaluation, "_MOST_DRAWN", 100)
    page = found.errors_html()
    anchors, drawings = set(re.findall('id="(s\\d+)"', page)), page.count("<svg ")
    assert anchors == set(re.findall('id="(s\\d+)"', whole)) == set(re.findall('href="#(s\\d+)"', page))
    assert 0 < drawings < len(anchors) == whole.count("<svg ")
    assert "Sentences that are not drawn" in page and "up to 100 words" in page


def test_no_errors() -> None:
    bank = xa.sample(3)
    assert "There are no errors." in xa.evaluate(bank, bank).errors_html()
