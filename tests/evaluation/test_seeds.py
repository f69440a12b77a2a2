"""Parsers trained several times: t against scipy, the variance against simulations, and the report."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import crossarc as xa
from crossarc.errors import CrossarcError
from crossarc.evaluation.seeds import seed_test, t_probability, t_quantile
from crossarc.reports.seeds import compare_over_seeds

from ..support.commands import crossarc
from ..support.outputs import with_mistakes


def test_t_is_that_of_scipy() -> None:
    for freedom in (1.0, 1.7, 4.0, 37.5, 5000.0, math.inf):
        for value in (0.0, 0.3, 1.96, 4.5, 40.0):
            assert t_probability(value, freedom) == pytest.approx(2 * stats.t.sf(value, freedom), rel=1e-9, abs=1e-15)
        assert t_quantile(0.05, freedom) == pytest.approx(stats.t.isf(0.025, freedom), rel=1e-9)


def simulated(
    choose: np.random.Generator, seeds: int, sentences: NDArray[np.float64], spread: float
) -> NDArray[np.float64]:
    """Counts of a parser whose accuracy depends on the sentence, on the seed, and on both."""
    accuracy = np.clip(sentences + choose.normal(0, spread, (seeds, 1)), 0.05, 0.95)
    right = choose.binomial(20, accuracy)
    return np.stack([right, np.full_like(right, 20)], axis=2).astype(float)


@pytest.mark.slow
@pytest.mark.parametrize("spread", [0.0, 0.02])
def test_equal_parsers_are_seldom_told_apart(spread: float) -> None:
    """Of 300 pairs about 5 % are; a test by sentences alone would find several times as many where seeds vary."""
    choose = np.random.default_rng(7)
    found = []
    for _ in range(300):
        sentences = choose.beta(8, 2, 150)[None]
        found.append(seed_test(simulated(choose, 4, sentences, spread), simulated(choose, 4, sentences, spread)))
    assert 0.01 <= np.mean([test.probability <= 0.05 for test in found]) <= 0.075
    alone = [abs(test.difference) > 1.96 * test.sentence_error for test in found]
    assert np.mean(alone) > (0.4 if spread else 0.01)


@pytest.mark.slow
def test_standard_errors_are_those_of_many_trainings() -> None:
    """The standard deviation of the difference, over new seeds and sentences, is what one comparison says of it."""
    choose = np.random.default_rng(3)
    tests = []
    for _ in range(300):
        sentences = choose.beta(8, 2, 100)[None]
        better = np.clip(sentences + choose.normal(0.02, 0.1, (1, 100)), 0.05, 0.95)
        tests.append(seed_test(simulated(choose, 6, sentences, 0.02), simulated(choose, 6, better, 0.02)))
    truth = np.std([test.difference for test in tests])
    assert np.sqrt(np.mean([test.error**2 for test in tests])) == pytest.approx(truth, rel=0.15)


def test_undefined_measures_and_equal_outputs() -> None:
    nothing = np.zeros((2, 5, 2))
    assert math.isnan(seed_test(nothing, nothing).probability)
    same = np.tile(np.array([3.0, 4.0]), (2, 5, 1))
    test = seed_test(same, same)
    assert (test.difference, test.probability, test.error) == (0.0, 1.0, 0.0)


def test_a_report(tmp_path: Path) -> None:
    gold = xa.sample(60, seed=5)
    xa.write(gold, tmp_path / "gold.conllu")
    for name, rate in (("a", 0.2), ("b", 0.02), ("c", 0.2)):
        for seed in (1, 2, 3):
            xa.write(with_mistakes(gold, rate, seed=10 * ord(name) + seed), tmp_path / f"{name}{seed}.conllu")
    groups = {name: [f"{name}{seed}.conllu" for seed in (1, 2, 3)] for name in "abc"}
    flags = [word for name, files in groups.items() for word in (f"--{name}", *files)]
    run = crossarc("compare", "gold.conllu", *flags, "--json", cwd=tmp_path)
    found = json.loads(run.stdout)
    assert found["systems"] == groups
    las = found["measures"]["las"]
    single = [xa.evaluate(gold, xa.read(tmp_path / name)).las for name in groups["a"]]
    assert las["values"][0] == pytest.approx(np.mean(single)) and las["deviations"][0] == pytest.approx(
        np.std(single, ddof=1)
    )
    first, _, last = las["pairs"]
    assert first["probability"] <= first["corrected"] <= first["corrected_all"] < 0.05 < 0.2 and last["difference"] < 0
    assert len(found["verdict"]) == 4 and "b is better than a" in found["verdict"][0]
    text = crossarc("compare", "gold.conllu", *flags[:8], cwd=tmp_path).stdout
    assert "a (3)" in text and "b minus a" in text and "more than seeds and sentences explain" in " ".join(text.split())
    run = crossarc("compare", "gold.conllu", "--a", "a1.conllu", "--b", "b1.conllu", "b2.conllu", cwd=tmp_path)
    told = "a: 1 output: give those of two seeds or more, as many as you can\n"
    assert (run.returncode, run.stderr) == (2, told)
    with pytest.raises(CrossarcError, match="1 parser to compare"):
        compare_over_seeds(gold, {"a": [gold, gold]})
