"""Every experiment in its small version: it prints and writes its tables, keeps results and finds them again."""

from __future__ import annotations

import importlib
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from experiments import common, coverage, lifts, pseudo_projective, runs, statements, two_planar, undirected, why
from experiments.common import Data, chance, experiment, write_part
from experiments.runs import Outcome, Run, compare, outcome

import crossarc as xa
from crossarc.evaluation.significance import holm
from crossarc.transitions import derive, systems

from ..support.warned import with_a_planar_root

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
@pytest.mark.experiments
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
@pytest.mark.experiments
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
@pytest.mark.experiments
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
@pytest.mark.experiments
def test_one_factor_at_a_time(tmp_path: Path) -> None:
    text = published("why", tmp_path, "--only", "ours,static", "--seeds", "2", "--treebanks", "pl_mpdt")
    rows = [line for line in text.splitlines() if line.startswith("| ") and "±" in line]
    assert [row.split("|")[1].strip().split(":")[0].split(" (")[0] for row in rows] == ["as we train", "static oracle"]
    assert text.count(" of 3 |") == 3 and text.count(" of 1 |") == 2


@pytest.mark.slow
@pytest.mark.experiments
def test_the_root_and_the_features(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    text = published("root_and_features", tmp_path, "--treebanks", "da_ddt_conllx")
    assert "Not run yet" not in text and "–" not in text
    assert len(re.findall(r"\d\d\.\d\d \|", text)) == 4 + 6


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
    assert {"kind", "settings", "data", "program", "result", "date", "seconds"} == entry.keys()
    assert entry["program"] == {"crossarc": xa.__version__, "numpy": np.__version__}


def test_results_of_another_version_are_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = experiment("coverage", None, ["--small", "--cache", str(tmp_path), "--page", str(tmp_path / "page.md")])
    data = asked.data("da_ddt_conllx")
    assert asked.kept("x", {}, data, lambda: "old") == "old"
    monkeypatch.setattr(xa, "__version__", "9.9")
    assert asked.kept("x", {}, data, lambda: "new") == "new"
    asked.publish("coverage", "text")
    assert f"crossarc 9.9, numpy {np.__version__}" in (tmp_path / "page.md").read_text()


def test_small_probabilities_are_not_rounded_to_nothing() -> None:
    assert [chance(p) for p in (0.0, 0.0004, 0.0005, 0.05, 1)] == ["< 0.001", "< 0.001", "0.001", "0.050", "1.000"]
    assert chance(0.004, 2) == "< 0.01"
    # Two seeds that give the same difference by accident prove nothing.
    agreeing = compare(made([[9] * 30, [9] * 30]), made([[7] * 30, [7] * 30]))
    assert agreeing.shown == "+20.00 ± <0.01*"
    assert math.isnan(agreeing.by_seeds)


def test_differences_are_corrected_for_their_number() -> None:
    gains = [compare(made([[a] * 30]), made([[b] * 30])) for a, b in ((9, 5), (5, 5), (6, 5))]
    rows = statements._with_holm([(str(number), gain) for number, gain in enumerate(gains)])
    by_sentences = holm([gain.by_sentences for gain in gains])
    assert [row[3] for row in rows] == [chance(probability) for probability in by_sentences]
    assert [row[:2] for row in rows] == [["0", "+40.00"], ["1", "+0.00"], ["2", "+10.00"]]


def test_counts_of_gains_are_over_all_treebanks_and_rows() -> None:
    label, planes = ("undirected-planar", "planar"), ("2-planar", "arc-eager")
    ours = {("a", label): -1.0, ("b", label): -2.0, ("a", planes): 0.5}
    static = {("a", label): 0.5, ("b", label): -3.0, ("a", planes): -0.5}
    named = {"ours": ours, "static": static}
    rows = why.counted(why.FACTORS, {(name, *key): gain for name, one in named.items() for key, gain in one.items()})
    assert [row[1:] for row in rows] == [["0 of 2", "", "1 of 1"], ["1 of 2", "1 of 2", "0 of 1"]]


def test_non_projective_arcs_over_a_root() -> None:
    """1 → 3 covers the root 2; in the second tree 2 → 4 crosses 1 → 3 and no root is covered."""
    trees = [[0, 0, 1], [0, 1, 1, 2]]
    text = "".join(
        "".join(f"{word}\tw\t_\tX\t_\t_\t{head}\tx\t_\t_\n" for word, head in enumerate(heads, 1)) + "\n"
        for heads in trees
    )
    assert runs.nonprojective_output(xa.from_text(text, root="any")) == [2, 1]


def test_parts_of_the_page_are_replaced_and_nothing_else(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Title\n\n<!-- begin a -->\nold\n<!-- end a -->\n\ntext\n")
    write_part(page, "a", "new\n")
    write_part(page, "b", "more")
    assert page.read_text() == (
        "# Title\n\n<!-- begin a -->\nnew\n<!-- end a -->\n\ntext\n\n<!-- begin b -->\nmore\n<!-- end b -->\n"
    )


def test_every_experiment_has_its_place_on_the_page_and_in_make_reproduce() -> None:
    names = (*WITHOUT_LEARNER, *WITH_LEARNER, "why", "root_and_features")
    page = (TOP / "docs" / "reproduction.md").read_text()
    assert re.findall(r"<!-- begin (\w+) -->", page) == [*names]
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
        outcomes.append(Outcome(las, las, las, las, 0, 0, {}, [0, 0], words, counts, counts, bits, None, 0))
    return outcomes


def test_comparisons_over_seeds_and_sentences() -> None:
    better = compare(made([[9] * 30] * 3), made([[7] * 30, [8] * 30, [8] * 30]))
    assert better.difference == pytest.approx(40 / 3)
    assert better.deviation == pytest.approx(10 / math.sqrt(3))
    assert better.by_sentences < 0.001
    assert better.by_words < 0.001
    assert better.by_seeds == pytest.approx(1 - 4 / math.sqrt(16 + 2), abs=1e-4)  # t = 4, two degrees of freedom
    same = compare(made([[5, 6]]), made([[5, 6]]))
    assert (same.difference, same.by_sentences, same.by_words) == (0, 1, 1)
    assert math.isnan(same.by_seeds)
    assert same.shown == "+0.00"
    assert better.shown == "+13.33 ± 5.77*"


def test_words_without_xpos_are_described_by_upos(tmp_path: Path) -> None:
    data = common.generated("x")
    bare = data.train.replace(xpos=["_"] * data.train.words)
    run = Run("planar", features="malt-planar-linear")
    for train, wanted in ((data.train, "xpos"), (bare, "upos")):
        made_of = run.parser(Data("x", {"train": train}, {})).scorer.to_dict()
        assert any(wanted in text for text in made_of["templates"])
        assert not any({"xpos": "upos", "upos": "xpos"}[wanted] in text for text in made_of["templates"])


@pytest.mark.experiments
@with_a_planar_root
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
    assert (
        found.recall() == scores.nonprojective.anywhere_labelled.recall
        or scores.nonprojective.anywhere_labelled.gold == 0
    )
    assert found.links is not None
    assert 0 <= found.links <= 1
    assert runs.outcome(asked, run, data) == found


@pytest.mark.experiments
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


def test_one_classifier_for_all_examples_can_be_asked_for() -> None:
    asked = experiment("two_planar", None, ["--small", "--option", "split=null"], scorer="svm")
    scorer = two_planar.run_of(asked, "planar").parser(asked.data("da_ddt_conllx")).scorer
    assert scorer.to_dict()["split"] is None
    assert "--option split=null" in asked.command
