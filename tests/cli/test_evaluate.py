"""`crossarc evaluate` and `crossarc compare` as people and scripts use them."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

import crossarc as xa

from ..support.commands import crossarc
from ..support.outputs import with_mistakes


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    gold = xa.sample(120)
    xa.write(gold, folder / "test.conllu")
    for name, rate in (("good", 0.05), ("bad", 0.3)):
        xa.write(with_mistakes(gold, rate), folder / f"{name}.conllu")
    xa.write(gold, folder / "perfect.conllu")
    (folder / "cycle.conllu").write_text(gold.to_text().replace("\t0\troot", "\t1\troot", 1))
    return folder


def test_the_scores_come_first_in_a_few_lines(files: Path) -> None:
    run = crossarc("evaluate", "test.conllu", "good.conllu", cwd=files)
    assert (run.returncode, run.stderr) == (0, "")
    lines = run.stdout.splitlines()
    assert len(lines) <= 20 and max(map(len, lines)) <= 80
    assert "--full" in lines[-1] and "--errors PATH" in lines[-1]
    found = xa.evaluate(files / "test.conllu", files / "good.conllu").scores
    las = [f"{100 * words.attachment.las.f1:.2f}" for words in (found.all_words, found.without_punctuation)]
    assert ["LAS", *las] in [line.split() for line in lines]
    for name in ("UAS", "label accuracy", "exact match", "non-projective arcs  P ", "CoNLL 2018 "):
        assert sum(line.startswith(name) for line in lines) == 1
    # Strict scores of non-projective arcs, with how many there are, intervals and constructions; no looser ones.
    arcs = found.strict.unlabelled
    first = next(line for line in lines if line.startswith("non-projective arcs"))
    assert f"P {100 * arcs.precision:.2f}, R {100 * arcs.recall:.2f}, F {100 * arcs.f1:.2f} (strict: " in first
    text = " ".join(run.stdout.split())
    assert f"{arcs.gold} gold, {arcs.system} in the output, {arcs.correct} in both" in text
    low, high = arcs.precision_interval
    assert f"95 % intervals P {100 * low:.1f} to {100 * high:.1f}, R " in text
    assert "by construction" in text and "anywhere" not in text


def test_the_full_report_fits_the_terminal(files: Path) -> None:
    run = crossarc("evaluate", "test.conllu", "good.conllu", "--full", cwd=files)
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""
    assert max(map(len, run.stdout.splitlines())) <= 80
    for title in (
        "Scores",
        "Non-projective arcs",
        "Non-projective by construction",
        "Arcs of a class",
        "CoNLL 2018",
        "By relation",
        "By arc length",
        "Relations taken for others",
    ):
        assert f"\n{title}" in run.stdout
    las = xa.evaluate(files / "test.conllu", files / "good.conllu").las
    assert re.search(rf"^LAS +{100 * las:.2f} ", run.stdout, re.M)
    assert len(re.findall("^LAS ", run.stdout, re.M)) == 2  # that of CoNLL 2018 says how it differs
    assert re.search(r"^LAS without subtypes +\d", run.stdout, re.M)


def test_data_for_programs(files: Path) -> None:
    run = crossarc("evaluate", "--json", "test.conllu", "bad.conllu", cwd=files)
    answer = json.loads(run.stdout)
    assert answer == xa.evaluate(files / "test.conllu", files / "bad.conllu").to_dict() | {
        "gold": "test.conllu",
        "system": "bad.conllu",
    }
    run = crossarc("evaluate", "--csv", "test.conllu", "bad.conllu", cwd=files)
    rows = list(csv.DictReader(io.StringIO(run.stdout)))
    las = next(row for row in rows if row["measure"] == "LAS" and row["words"] == "all")
    assert float(las["f1"]) == pytest.approx(answer["all_words"]["las"]["f1"], abs=1e-6)
    assert {row["words"] for row in rows} == {"all", "no punctuation"}
    run = crossarc("evaluate", "--latex", "test.conllu", "bad.conllu", cwd=files)
    assert "bad.conllu & " in run.stdout
    assert run.stdout.endswith("\\end{tabular}\n")


SVG = "{http://www.w3.org/2000/svg}"


def page(path: Path) -> ElementTree.Element:
    return ElementTree.fromstring(path.read_text().removeprefix("<!DOCTYPE html>\n"))


def test_the_page_of_one_system(files: Path) -> None:
    run = crossarc("evaluate", "test.conllu", "bad.conllu", "--html", "report.html", cwd=files)
    assert (run.returncode, run.stderr) == (0, "wrote report.html\n")
    assert run.stdout.startswith("bad.conllu against test.conllu: ") and re.search(r"^LAS +\d", run.stdout, re.M)
    printed = crossarc("evaluate", "test.conllu", "bad.conllu", "--html", "-", cwd=files)
    assert (printed.stdout, printed.stderr) == ((files / "report.html").read_text(), "")
    found = page(files / "report.html")
    text = "".join(found.itertext())
    assert "How good is bad?" in text
    assert "The worst sentences" in text
    assert "The most common errors" in text
    drawings = [one for one in found.iter() if one.get("class", "").startswith("tree")]
    folded = {one for details in found.iter("details") for one in details.iter() if one in drawings}
    assert 4 <= len(drawings) - len(folded) <= 9
    # Sentences with non-projective arcs that were missed, should not be there, and are right.
    assert all(f"{kind}: " in text for kind in ("missed", "spurious", "right")) and 3 <= len(folded) <= 36
    marks = {one.get("class") for one in found.iter() if (one.get("class") or "").startswith("arc ")}
    assert any("missed" in mark for mark in marks if mark)
    assert any("wrong" in mark for mark in marks if mark)


def test_a_page_with_all_errors(files: Path) -> None:
    run = crossarc("evaluate", "test.conllu", "bad.conllu", "--errors", "errors.html", "--json", cwd=files)
    assert (run.returncode, run.stderr) == (0, "wrote errors.html\n")
    assert json.loads(run.stdout)["sentences"] == 120
    found = page(files / "errors.html")
    gold, bad = xa.read(files / "test.conllu"), xa.read(files / "bad.conllu")
    pairs = list(zip(gold, bad, strict=True))
    wrong = [
        number
        for number, (one, other) in enumerate(pairs, start=1)
        if one.heads.tolist() != other.heads.tolist() or one.deprels != other.deprels
    ]
    assert [one.get("class") for one in found.iter(f"{SVG}svg")] == ["tree"] * len(wrong)
    assert {one.get("id") for one in found.iter() if one.get("id")} == {f"s{number}" for number in wrong}
    links = {one.get("href") for one in found.iter("a")}
    assert links and links <= {f"#s{number}" for number in wrong}
    text = (files / "errors.html").read_text()
    assert "<script" not in text and "errors in" in text and "1 error:" in text


def test_errors_of_other_words_cannot_be_drawn(files: Path) -> None:
    text = (files / "test.conllu").read_text()
    first = text.split("\n\n")[0] + "\n\n"
    words = [line.split("\t") for line in first.splitlines() if line[:1].isdigit()]
    (files / "one.conllu").write_text(first)
    joined = "".join(word[1] for word in words)
    (files / "joined.conllu").write_text(f"1\t{joined}\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    run = crossarc("evaluate", "one.conllu", "joined.conllu", "--errors", "other.html", cwd=files)
    assert run.returncode == 2
    assert "errors can be drawn only where both files have the same words" in run.stderr
    assert not (files / "other.html").exists()


def test_bad_use_is_one_line(files: Path) -> None:
    for arguments, message in (
        (["evaluate", "test.conllu", "cycle.conllu"], "no word is the root"),
        (["evaluate", "test.conllu", "none.conllu"], "none.conllu: cannot be read: No such file"),
        (["evaluate", "test.conllu"], "give GOLD and SYSTEM, or --raw MODEL and GOLD"),
        (["evaluate", "test.conllu", "good.conllu", "--json", "--csv"], "choose one of --json, --csv, --latex and"),
        (["evaluate", "test.conllu", "good.conllu", "--punctuation", "x"], 'unknown definition of punctuation "x"'),
        (["evaluate", "test.conllu", "good.conllu", "--punctuation-pattern", "("], '"(" is no regular expression'),
        (["evaluate", "-", "-"], "standard input cannot be both"),
        (["compare", "test.conllu", "good.conllu"], "1 system to compare: give the outputs of two or more"),
        (["compare", "test.conllu", "good.conllu", "cycle.conllu"], "--allow-invalid"),
        (["compare", "test.conllu", "good.conllu", "bad.conllu", "--measure", "x"], 'unknown measure "x"'),
    ):
        run = crossarc(*arguments, cwd=files)
        assert run.returncode == 2
        assert message in run.stderr
        assert len(run.stderr.splitlines()) == 1
        assert run.stdout == ""


def test_invalid_output_is_scored_if_asked(files: Path) -> None:
    run = crossarc("evaluate", "test.conllu", "cycle.conllu", "--allow-invalid", cwd=files)
    assert run.returncode == 0
    assert run.stderr.startswith("note: the system output has ")
    assert "no word is the root" in run.stderr


def test_standard_input_and_patterns(files: Path) -> None:
    text = (files / "test.conllu").read_text()
    run = crossarc("evaluate", "test.conllu", "-", "--punctuation-pattern", "[.,]", stdin=text, cwd=files)
    assert run.returncode == 0, run.stderr
    assert "words that match [.,]" in " ".join(run.stdout.split())


def test_compare(files: Path) -> None:
    arguments = ["compare", "test.conllu", "bad.conllu", "good.conllu", "perfect.conllu", "--samples", "500"]
    run = crossarc(*arguments, cwd=files)
    assert run.returncode == 0, run.stderr
    assert max(map(len, run.stdout.splitlines())) <= 80
    assert "good minus bad" in run.stdout
    assert "LAS: good is better than bad by" in run.stdout
    assert "corrected for 3 comparisons" in " ".join(run.stdout.split())
    answer = json.loads(crossarc(*arguments, "--json", cwd=files).stdout)
    assert answer["systems"] == ["bad.conllu", "good.conllu", "perfect.conllu"]
    assert answer["measures"]["las"]["values"][2] == 1
    rows = list(csv.DictReader(io.StringIO(crossarc(*arguments, "--csv", cwd=files).stdout)))
    assert len(rows) == 3 * len(answer["measures"])
    assert len(crossarc(*arguments, "--latex", cwd=files).stdout.splitlines()) == 10
    run = crossarc(*arguments, "--html", "compare.html", cwd=files)
    assert run.stderr == "wrote compare.html\n"
    assert "LAS: good is better than bad by" in run.stdout and len(run.stdout.splitlines()) < 20
    text = "".join(page(files / "compare.html").itertext())
    assert "Is one better?" in text
    assert "Verdict" in text
