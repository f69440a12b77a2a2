"""Calibration with known bins, and what reports show of it."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import crossarc as xa
from crossarc.evaluation import calibrated
from crossarc.parsers.analyses import Analyses

from ..support.commands import crossarc

#: Of each word: the probability in MISC, and whether its head is right. Two words have no probability.
WORDS = [("0.95", True), ("0.95", True), ("0.95", False), ("0.25", True), ("0.2", False), (None, True), ("much", False)]
TREES = [[0, 1, 1, 3, 3, 1, 1]]
WRONG = {3: 2, 5: 4, 7: 3}  # the heads of the words whose heads are wrong


def treebank(heads: list[int], misc: list[str]) -> xa.Treebank:
    lines = [
        f"{word}\tw{word}\t_\tX\t_\t_\t{head}\t{'dep' if head else 'root'}\t_\t{own}"
        for word, (head, own) in enumerate(zip(heads, misc, strict=True), start=1)
    ]
    return xa.from_text("\n".join(lines) + "\n\n")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    heads = TREES[0]
    found = [WRONG.get(word, head) for word, head in enumerate(heads, start=1)]
    misc = [f"A=b|Probability={one}" if one else "SpaceAfter=No" for one, _ in WORDS]
    xa.write(treebank(heads, ["_"] * len(heads)), folder / "gold.conllu")
    xa.write(treebank(found, misc), folder / "parsed.conllu")
    xa.write(treebank(found, [f"Score={word}" for word in range(len(heads))]), folder / "scores.conllu")
    return folder


def test_known_bins() -> None:
    found = calibrated(np.array([0.0, 0.05, 0.3, 0.31, 1.0]), np.array([False, True, True, False, True]))
    assert [one.words for one in found.bins] == [2, 0, 0, 2, 0, 0, 0, 0, 0, 1]
    assert [one.right for one in found.bins] == [1, 0, 0, 1, 0, 0, 0, 0, 0, 1]
    assert found.bins[3].probability == pytest.approx(0.305) and found.bins[3].share == 0.5
    assert math.isnan(found.bins[1].share)
    assert found.error == pytest.approx((abs(0.05 - 1) + abs(0.61 - 1) + 0) / 5)
    assert math.isnan(calibrated(np.zeros(0), np.zeros(0, bool)).error)


def test_probabilities_that_hold_have_no_error() -> None:
    generator = np.random.default_rng(1)
    probabilities = generator.random(200_000)
    right = generator.random(200_000) < probabilities
    assert calibrated(probabilities, right).error < 0.005
    assert calibrated(np.sqrt(probabilities), right).error == pytest.approx(2 / 3 - 1 / 2, abs=0.005)


def test_what_the_report_says(files: Path) -> None:
    report = xa.evaluate(files / "gold.conllu", files / "parsed.conllu")
    found = report.scores.calibration
    assert found is not None and found.words == 5
    assert [(one.low, one.words, one.right) for one in found.bins if one.words] == [(0.2, 2, 1), (0.9, 3, 2)]
    error = (abs(0.45 - 1) + abs(2.85 - 2)) / 5
    assert found.error == pytest.approx(error)
    data = json.loads(json.dumps(report.to_dict()))["calibration"]
    assert data["error"] == pytest.approx(error) and data["bins"][0]["share"] is None
    assert re.search(r"^0\.9 to 1\.0 +3 +95\.00 +66\.67 ", report.to_text(), re.M)
    assert "Expected calibration error 28.00." in report.to_text()
    latex = report.to_latex().splitlines()
    assert r"& ECE \\" in latex[3] and latex[5].endswith(r"& 28.00 \\")
    assert "unlabelled by probability,all,0.9,2,3,3," in report.to_csv()


def test_the_diagram(files: Path) -> None:
    page = xa.evaluate(files / "gold.conllu", files / "parsed.conllu").to_html()
    (chart,) = re.findall(r"<svg [^>]*><title>Right heads by probability:.*?</svg>", page)
    bars = ElementTree.fromstring(chart).findall("{*}rect")
    heights = [float(bar.get("height", "")) for bar in bars]
    assert len(heights) == 2 and heights[1] / heights[0] == pytest.approx((2 / 3) / (1 / 2), abs=0.01)
    dots = [float(dot.get("cx", "")) for dot in ElementTree.fromstring(chart).findall("{*}circle")]
    left = float(bars[0].get("x", ""))
    assert dots[0] < left + float(bars[0].get("width", "")) < dots[1]


def test_output_without_probabilities_has_no_calibration(files: Path) -> None:
    """The scores of a transition parser are none."""
    report = xa.evaluate(files / "gold.conllu", files / "scores.conllu")
    assert report.scores.calibration is None
    assert report.to_dict()["calibration"] is None
    assert "Calibration" not in report.to_text() and "ECE" not in report.to_latex()
    assert "Reliability" not in report.to_html()


def test_the_command(files: Path) -> None:
    run = crossarc("evaluate", "gold.conllu", "parsed.conllu", cwd=files)
    assert run.returncode == 0, run.stderr
    assert "calibration          expected error 28.00 (probability 66.00, right heads 60.00)" in run.stdout
    run = crossarc("evaluate", "gold.conllu", "scores.conllu", "--full", cwd=files)
    assert "alibration" not in run.stdout


def test_graph_parsers_write_probabilities_and_others_do_not() -> None:
    bank = treebank([0, 1], ["Probability=3|A=b", "_"])
    scores, margins = np.log(np.array([0.5, 0.25], np.float32)), np.array([1, np.inf], np.float32)
    found = Analyses(bank, np.array([0, 1]), np.array([1.5]), scores, margins, probabilities=True)
    assert found.with_scores().treebank.texts("misc") == [
        "A=b|Probability=0.5|Score=-0.693147|Margin=1",
        "Probability=0.25|Score=-1.38629",
    ]
    assert replace(found, probabilities=False).with_scores().treebank.texts("misc")[0] == "A=b|Score=-0.693147|Margin=1"
