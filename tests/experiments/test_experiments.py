"""Every experiment in its small version: it prints and writes its tables, keeps results and finds them again."""

from __future__ import annotations

import importlib
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from experiments import common, coverage, lifts, pseudo_projective, runs, statements, two_planar, undirected
from experiments.common import Data, experiment, write_part
from experiments.runs import Outcome, Run, compare, outcome

import crossarc as xa
from crossarc.transitions import derive, systems

TOP = Path(__file__).resolve().parents[2]
WITHOUT_LEARNER = ("coverage", "lifts")
WITH_LEARNER = ("pseudo_projective", "two_planar", "undirected", "statements")


def published(name: str, folder: Path, *further: str) -> str:
    """Run the small version of an experiment and return what it writes to its page."""
    page = folder / "page.md"
    arguments = ["--small", "--cache", str(folder / "cache"), "--page", str(page), *further]
    importlib.import_module(f"experiments.{name}").main(arguments)
    return page.read_text()


@pytest.mark.parametrize("name", WITHOUT_LEARNER)
def test_experiments_without_a_learner(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = published(name, tmp_path)
    assert f"<!-- begin {name} -->" in text
    assert "| published: Danish" in text
    assert "| ours: `da_ddt_conllx` | 160 |" in text
    assert text.split("-->\n", 1)[1].split("\n<!--")[0] in capsys.readouterr().out
    kept = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "cache").iterdir()}
    assert published(name, tmp_path) == text
    assert {path.name: path.stat().st_mtime_ns for path in (tmp_path / "cache").iterdir()} == kept


@pytest.mark.slow
def test_experiments_with_a_learner_share_their_runs(tmp_path: Path) -> None:
    text = ""
    for name in WITH_LEARNER:
        before = len(list((tmp_path / "cache").glob("run-*"))) if (tmp_path / "cache").exists() else 0
        text = published(name, tmp_path, "--scorer", "perceptron", "--treebanks", "da_ddt_conllx")
        assert f"<!-- begin {name} -->" in text
    # The statements are about the runs of the others.
    assert len(list((tmp_path / "cache").glob("run-*"))) == before
    assert "| covington, label-based | 84.27 (83.85) | 88.82 (87.75) |" in text
    assert "| published: Prague, Head | 80.1 | 72.8 | 31.6 | 22.2 |" in text
    assert re.search(r"\| ours: `da_ddt_conllx`, 2-planar \| \d\d\.\d\d \| \d\d\.\d\d \|", text)
    assert "`python -m experiments.two_planar --small --scorer perceptron --treebanks da_ddt_conllx`" in text
    _without_one_run(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "learner"), [("pseudo_projective", "memory"), ("two_planar", "svm")])
def test_experiments_with_the_learner_of_their_paper(name: str, learner: str, tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    text = published(name, tmp_path, "--treebanks", "da_ddt_conllx")
    assert f"Learner: {learner}." in text
    assert "Not run yet" not in text
    kept = [json.loads(path.read_text())["settings"] for path in (tmp_path / "cache").glob("run-*")]
    assert {settings["scorer"] for settings in kept} == {learner}
    assert len(kept) == 5


def _without_one_run(folder: Path) -> None:
    """With --kept, a run that is not kept is named, and neither computed nor compared."""
    for path in (folder / "cache").glob("run-*"):
        settings = json.loads(path.read_text())["settings"]
        if (settings["system"], settings["scorer"], settings.get("encoding")) == ("2-planar", "perceptron", None):
            path.unlink()
    arguments = ("--scorer", "perceptron", "--treebanks", "da_ddt_conllx", "--kept")
    text = ""
    for name in WITH_LEARNER:
        text = published(name, folder, *arguments)
    assert text.count("Not run yet: `da_ddt_conllx`, 2-planar.") == 2  # two_planar and undirected
    assert "| ours: `da_ddt_conllx`, planar |" in text and "| ours: `da_ddt_conllx`, 2-planar |" not in text
    assert ": 2-planar − MaltP" not in text and ": planar − MaltP" in text
    assert "two_planar --small --scorer perceptron --treebanks da_ddt_conllx --kept`" in text


@pytest.mark.slow
def test_one_factor_at_a_time(tmp_path: Path) -> None:
    text = published("why", tmp_path, "--only", "ours,static", "--seeds", "2", "--treebanks", "pl_mpdt")
    rows = [line for line in text.splitlines() if line.startswith("| ") and "±" in line]
    assert [row.split("|")[1].strip().split(":")[0].split(" (")[0] for row in rows] == ["as we train", "static oracle"]


def test_results_are_kept_by_settings_and_data(tmp_path: Path) -> None:
    asked = experiment("coverage", None, ["--small", "--cache", str(tmp_path)])
    data = asked.data("da_ddt_conllx")
    other = Data("other", data.parts, {**data.checksums, "train": "0"})
    calls: list[int] = []

    def compute() -> int:
        calls.append(1)
        return len(calls)

    assert [asked.kept("x", {"a": 1}, data, compute) for _ in range(2)] == [1, 1]
    assert asked.kept("x", {"a": 2}, data, compute) == 2
    assert asked.kept("x", {"a": 1}, other, compute) == 3
    entry = json.loads(next(tmp_path.glob("x-*.json")).read_text())
    assert {"kind", "settings", "data", "result", "date", "seconds"} == entry.keys()


def test_parts_of_the_page_are_replaced_and_nothing_else(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Title\n\n<!-- begin a -->\nold\n<!-- end a -->\n\ntext\n")
    write_part(page, "a", "new\n")
    write_part(page, "b", "more")
    assert page.read_text() == (
        "# Title\n\n<!-- begin a -->\nnew\n<!-- end a -->\n\ntext\n\n<!-- begin b -->\nmore\n<!-- end b -->\n"
    )


def test_every_experiment_has_its_place_on_the_page_and_in_make_reproduce() -> None:
    names = (*WITHOUT_LEARNER, *WITH_LEARNER, "why")
    page = (TOP / "docs" / "reproduction.md").read_text()
    assert re.findall(r"<!-- begin (\w+) -->", page) == [*WITHOUT_LEARNER, *WITH_LEARNER, "why"]
    scripts = {path.stem for path in (TOP / "experiments").glob("*.py")} - {"common", "runs"}
    assert scripts == set(names)
    listed = re.search(r"^EXPERIMENTS = (.*)$", (TOP / "Makefile").read_text(), re.M)
    assert listed is not None
    assert listed[1].split() == list(names)


def test_published_figures_are_those_of_the_papers() -> None:
    assert coverage.PUBLISHED_2010["Danish"] == (5512, 853, 827, 1, 1, 0, 6)
    assert coverage.PUBLISHED_2013["Danish"] == (5190, 5144, 5175, 4985, 4379)
    assert lifts.PUBLISHED_RECOVERY["Danish"] == (54, (92.3, 123), (99.8, 147), (98.3, 99))
    danish = two_planar.PUBLISHED["Danish"]
    assert [danish[parser][:2] for parser in ("MaltP", "MaltPP", "planar", "2-planar")] == [
        *((83.31, 88.30), (83.67, 88.52), (83.31, 88.02), (83.81, 88.50)),
    ]
    label_based = [undirected.PUBLISHED[f"{system}, label-based"][::2] for system in undirected.SYSTEMS]
    assert label_based == [(83.87, 88.94), (83.75, 88.62), (84.27, 88.82)]


def test_the_rule_of_2003_on_raw_trees() -> None:
    """Projective trees lose nothing; one crossing pair loses one arc or more, never fewer than the nearest tree."""
    treebank = xa.sample(100, seed=5)
    assert pseudo_projective.lost_by_rule(treebank[~xa.classify(treebank).nonprojective]) == 0
    nearest = int(derive(systems.arc_eager, treebank, root="first").lost.sum())
    assert pseudo_projective.lost_by_rule(treebank) >= nearest > 0


def made(right: list[list[int]]) -> list[Outcome]:
    """Outcomes of which the right words of each sentence are given, of ten words each."""
    outcomes = []
    for counts in right:
        flags = np.concatenate([np.arange(10) < count for count in counts])
        las = sum(counts) / (10 * len(counts))
        bits = np.packbits(flags).tobytes().hex()
        words = [10] * len(counts)
        outcomes.append(Outcome(las, las, las, las, 0, 0, {}, words, counts, counts, bits, None, 0))
    return outcomes


def test_comparisons_over_seeds_and_sentences() -> None:
    better = compare(made([[9] * 30, [9] * 30]), made([[7] * 30, [8] * 30]))
    assert better.difference == pytest.approx(15)
    assert better.deviation == pytest.approx(math.sqrt(50))
    assert better.by_sentences < 0.001
    assert better.by_words < 0.001
    assert better.by_seeds == pytest.approx(2 / math.pi * math.atan(1 / 3), abs=1e-4)  # t = 3, one degree of freedom
    same = compare(made([[5, 6]]), made([[5, 6]]))
    assert (same.difference, same.by_sentences, same.by_words) == (0, 1, 1)
    assert math.isnan(same.by_seeds)
    assert same.shown == "+0.00"
    assert better.shown == "+15.00 ± 7.07*"


def test_words_without_xpos_are_described_by_upos(tmp_path: Path) -> None:
    data = common.generated("x")
    bare = data.train.replace(xpos=["_"] * data.train.words)
    run = Run("planar", features="malt-planar-linear")
    for train, wanted in ((data.train, "xpos"), (bare, "upos")):
        made_of = run.parser(Data("x", {"train": train}, {})).scorer.to_dict()
        assert any(wanted in text for text in made_of["templates"])
        assert not any({"xpos": "upos", "upos": "xpos"}[wanted] in text for text in made_of["templates"])


def test_outcomes_are_those_of_evaluate(tmp_path: Path) -> None:
    asked = experiment("why", None, ["--small", "--cache", str(tmp_path)])
    data = asked.data("da_ddt_conllx")
    run = Run("undirected-planar", "label", artificial_root="first")
    found = outcome(asked, run, data)
    parser = run.parser(data)
    parser.train(data.train, epochs=2, seed=1)
    scores = xa.evaluate(data.test, parser.parse(data.test)).scores.without_punctuation
    assert (found.las, found.uas) == (scores.attachment.las.f1, scores.attachment.uas.f1)
    assert (sum(found.right), sum(found.words)) == (scores.attachment.las.correct, scores.words)
    assert int(found.flags.sum()) == sum(found.right)
    assert found.recall() == scores.nonprojective.labelled.recall or scores.nonprojective.labelled.gold == 0
    assert found.links is not None
    assert 0 <= found.links <= 1
    assert runs.outcome(asked, run, data) == found


def test_what_reconstruction_loses_and_wins(tmp_path: Path) -> None:
    asked = experiment("why", None, ["--small", "--cache", str(tmp_path)])
    data = asked.data("da_ddt_conllx")
    for way in ("label", "naive"):
        run = Run("undirected-2-planar", way, artificial_root="first", epochs=2)
        words, linked, lost, won, roots = statements.count_directions(run, data)
        found = outcome(asked, run, data)
        assert words == sum(found.words)
        assert found.links is not None
        assert linked == round(found.links * words)
        assert linked - lost + won == sum(found.right)
        assert lost > 0
        assert 0 <= roots <= won
