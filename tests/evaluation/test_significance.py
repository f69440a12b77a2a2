"""Probabilities against scipy, against all permutations of tiny inputs, and against what must hold."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

import crossarc as xa
from crossarc.evaluation.significance import bootstrap, holm, interval, mcnemar_corrected, mcnemar_exact, shuffled

from ..support.outputs import with_mistakes

Counts = NDArray[np.float64]


@pytest.mark.slow
@given(st.integers(0, 400), st.integers(0, 400))
@settings(max_examples=300)
def test_mcnemar_is_the_binomial_test(first: int, second: int) -> None:
    expected = stats.binomtest(first, first + second).pvalue if first + second else 1.0
    assert mcnemar_exact(first, second) == pytest.approx(expected, rel=1e-9)
    assert mcnemar_exact(first, second) == mcnemar_exact(second, first)


def test_mcnemar_of_many_words() -> None:
    for first, second in ((40_000, 40_500), (100_000, 99_000), (3, 5_000)):
        assert mcnemar_exact(first, second) == pytest.approx(stats.binomtest(first, first + second).pvalue, rel=1e-6)


@given(st.integers(0, 400), st.integers(0, 400))
@settings(max_examples=100)
def test_mcnemar_corrected_is_chi_squared(first: int, second: int) -> None:
    number = first + second
    statistic = max(0, abs(first - second) - 1) ** 2 / number if number else 0.0
    assert mcnemar_corrected(first, second) == pytest.approx(stats.chi2.sf(statistic, 1), rel=1e-9, abs=1e-300)


def random_counts(sentences: int, seed: int, better: float = 0.0) -> Counts:
    choose = np.random.default_rng(seed)
    words = np.random.default_rng(99).integers(1, 30, sentences)
    right = choose.binomial(words, 0.8 + better)
    return np.stack([right, words], axis=1).astype(float)


def all_permutations(first: Counts, second: Counts) -> float:
    """The probability by the definition: every way of exchanging the two systems in some sentences."""

    def difference(one: Counts, other: Counts) -> float:
        values = [part / whole for part, whole in (one.sum(axis=0).tolist(), other.sum(axis=0).tolist())]
        return float(abs(values[0] - values[1]))

    observed = difference(first, second)
    extreme = 0.0
    for swaps in product([False, True], repeat=len(first)):
        mask = np.array(swaps)[:, None]
        one, other = np.where(mask, second, first), np.where(mask, first, second)
        extreme += difference(one, other) >= observed - 1e-12
    return extreme / float(2 ** len(first))


@pytest.mark.parametrize("seed", range(6))
def test_few_sentences_are_exact(seed: int) -> None:
    first, second = random_counts(9, seed), random_counts(9, seed + 100, 0.1)
    ((probability, exact),) = shuffled([first], [second], 10_000, 1)
    assert exact
    assert probability == all_permutations(first, second)


def test_few_sentences_agree_with_scipy() -> None:
    first, second = random_counts(10, 3), random_counts(10, 4, 0.1)

    def statistic(one: Counts, other: Counts, axis: int) -> Counts:
        difference: Counts = (one.sum(axis=axis) - other.sum(axis=axis)) / first[:, 1].sum()
        return difference

    expected = stats.permutation_test(
        (first[:, 0], second[:, 0]), statistic, permutation_type="samples", n_resamples=np.inf, vectorized=True
    )
    assert shuffled([first], [second], 10_000, 1)[0][0] == pytest.approx(expected.pvalue)


def test_different_denominators_are_exchanged_too() -> None:
    """As for precision, where each system has its own number of arcs."""
    choose = np.random.default_rng(5)
    wholes = choose.integers(1, 9, (2, 8))
    first, second = (np.stack([choose.binomial(own, 0.6), own], axis=1).astype(float) for own in wholes)
    assert shuffled([first], [second], 100, 1)[0] == (all_permutations(first, second), True)


def regular_counts(sentences: int, wrong: int) -> Counts:
    """Counts without any random number."""
    places = np.arange(sentences)
    words = 6 + places % 7
    return np.stack([words - (places * wrong + wrong) % 5, words], axis=1).astype(float)


def test_many_sentences_are_sampled_closely() -> None:
    """10,000 shuffles of 15 sentences come close to all 32,768, and the same seed gives the same answer."""
    first, second = regular_counts(15, 2), regular_counts(15, 2)
    second[:, 0] -= np.tile([1, -1, 2], 5)
    expected = all_permutations(first, second)
    ((probability, exact),) = shuffled([first], [second], 10_000, 1)
    assert not exact
    assert 0.01 < expected < 0.99
    assert probability == pytest.approx(expected, abs=4 * math.sqrt(expected * (1 - expected) / 10_000))
    assert shuffled([first], [second], 10_000, 1) == [(probability, False)]
    assert shuffled([first], [second], 10_000, 2) != [(probability, False)]


def test_the_random_bits_are_the_same_everywhere() -> None:
    """Figures that change only if the random numbers do."""
    first, second = regular_counts(203, 2), regular_counts(203, 3)
    second[::4, 0] -= 1
    ((probability, _),) = shuffled([first], [second], 1000, 7)
    assert round(1001 * probability) == SHUFFLED
    low, high = interval(bootstrap([[first]], 1000, 7)[0, 0])
    assert (round(low, 5), round(high, 5)) == INTERVAL


SHUFFLED = 90
INTERVAL = (0.75446, 0.79958)


def test_no_difference_and_no_measure() -> None:
    counts = random_counts(20, 1)
    assert shuffled([counts], [counts], 100, 1) == [(1.0, True)]
    nothing = np.zeros((20, 2))
    ((probability, _),) = shuffled([counts], [nothing], 100, 1)
    assert math.isnan(probability)


def test_chance_alone_is_rarely_significant() -> None:
    """Of systems that are equally good, about one in twenty pairs has a probability below 0.05."""
    found = [shuffled([random_counts(80, 2 * n)], [random_counts(80, 2 * n + 1)], 999, n)[0][0] for n in range(200)]
    assert 2 <= sum(probability <= 0.05 for probability in found) <= 22


def test_bootstrap_agrees_with_scipy() -> None:
    counts = random_counts(300, 8)
    values = bootstrap([[counts]], 10_000, 1)[0, 0]
    expected = stats.bootstrap(
        (counts[:, 0], counts[:, 1]),
        lambda right, words, axis: right.sum(axis=axis) / words.sum(axis=axis),
        paired=True,
        method="percentile",
        n_resamples=10_000,
        rng=np.random.default_rng(1),
    )
    assert np.std(values) == pytest.approx(expected.standard_error, rel=0.05)
    assert interval(values) == pytest.approx(tuple(expected.confidence_interval), abs=0.1 * float(np.std(values)))


def test_holm() -> None:
    """The example of Holm (1979): the smallest times four, the next times three, never less than the one before."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.7]) == [1.0, 1.0]
    assert holm([]) == []
    assert holm([math.nan, 0.02])[1] == 0.02
    assert all(a <= b for a, b in zip([0.2, 0.01, 0.5], holm([0.2, 0.01, 0.5]), strict=True))


def test_comparison_of_systems() -> None:
    gold = xa.sample(200)
    good, bad, also_bad = with_mistakes(gold, 0.05, 1), with_mistakes(gold, 0.25, 2), with_mistakes(gold, 0.25, 3)
    found = xa.compare(gold, bad, good, also_bad, samples=2000)
    las = found.measures["las"]
    assert list(las.values) == [xa.evaluate(gold, system).las for system in (bad, good, also_bad)]
    better, same, worse = las.pairs
    assert (better.first, better.second) == (0, 1)
    assert better.difference == pytest.approx(las.values[1] - las.values[0])
    assert better.interval[0] > 0
    assert better.corrected <= 3 * better.shuffled == 3 / 2001
    assert worse.difference < 0
    assert same.corrected > 0.05
    assert better.mcnemar_exact == mcnemar_exact(better.only_first or 0, better.only_second or 0)
    right = [np.equal(gold.head, one.head) & (gold.deprel == one.deprel) for one in (bad, good)]
    assert better.only_second == int((right[1] & ~right[0]).sum())
    assert "is better than" in found.verdict[0]
    assert "may well be chance" in found.verdict[1] or "same score" in found.verdict[1]
    assert found.to_dict() == xa.compare(gold, bad, good, also_bad, samples=2000).to_dict()


def test_all_measures_are_those_of_evaluate() -> None:
    gold = xa.sample(150)
    system, other = with_mistakes(gold, 0.1, 1), with_mistakes(gold, 0.1, 2)
    found = {key: one.values[0] for key, one in xa.compare(gold, system, other, samples=10).measures.items()}
    scores = xa.evaluate(gold, system).scores
    nonprojective, official = scores.all_words.nonprojective, scores.conll2018
    assert official is not None
    assert found == pytest.approx(
        {
            "uas": scores.all_words.attachment.uas.f1,
            "las": scores.all_words.attachment.las.f1,
            "label": scores.all_words.attachment.label.f1,
            "uas_without_punctuation": scores.without_punctuation.attachment.uas.f1,
            "las_without_punctuation": scores.without_punctuation.attachment.las.f1,
            "exact_unlabelled": scores.all_words.attachment.exact_unlabelled.f1,
            "exact_labelled": scores.all_words.attachment.exact_labelled.f1,
            "strict_f": nonprojective.strict_unlabelled.f1,
            "strict_labelled_f": nonprojective.strict_labelled.f1,
            "strict_precision": nonprojective.strict_unlabelled.precision,
            "strict_recall": nonprojective.strict_unlabelled.recall,
            "clas": official["CLAS"].f1,
            "mlas": official["MLAS"].f1,
            "blex": official["BLEX"].f1,
        }
    )


def test_a_projective_parser_has_no_nonprojective_precision() -> None:
    """It is undefined, and so is every comparison with it; nothing is made up."""
    gold = xa.sample(60)
    heads = [head for sentence in gold for head in range(len(sentence))]
    chains = gold.replace(head=heads)
    found = xa.compare(gold, chains, with_mistakes(gold), samples=50, measure="strict_precision")
    test = found.measures["strict_precision"].pairs[0]
    assert math.isnan(test.difference)
    assert test.to_dict()["shuffled"] is None
    assert "cannot be measured" in found.verdict[0]
    assert "–" in str(found)


def test_systems_that_cut_the_text_differently() -> None:
    gold = xa.from_text("1\tab\t_\tX\t_\t_\t0\troot\t_\t_\n2\tc\t_\tX\t_\t_\t1\tobj\t_\t_\n\n" * 3)
    cut = xa.from_text(
        "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n2\tb\t_\tX\t_\t_\t1\tobj\t_\t_\n3\tc\t_\tX\t_\t_\t1\tobj\t_\t_\n\n"
        + gold[1:].to_text()
    )
    found = xa.compare(gold, gold, cut, samples=10)
    assert found.measures["uas"].values == (1.0, xa.evaluate(gold, cut).uas)
    assert found.measures["uas"].pairs[0].mcnemar_exact is None  # the two do not have the same words


def test_systems_of_one_name_are_numbered() -> None:
    gold = xa.sample(5)
    found = xa.compare(gold, with_mistakes(gold, 0.5), gold, samples=10)
    assert found.names == ["<sample 1> (1)", "<sample 1> (2)"]
    assert "LAS: <sample 1> (2) is" in found.verdict[0]
    assert "So few sentences can show large differences only" in found.verdict[-1]
    assert "(5 sentences)" in found.verdict[-1]


def test_nothing_to_compare() -> None:
    empty = xa.sample(3)[:0]
    found = xa.compare(empty, empty, empty, samples=10)
    assert "nothing to compare" in found.verdict[0]
    assert found.to_html()
    assert str(found)


def test_bad_calls() -> None:
    gold = xa.sample(5)
    with pytest.raises(xa.CrossarcError, match="1 system to compare: give the outputs of two or more"):
        xa.compare(gold, gold)
    with pytest.raises(xa.CrossarcError, match='unknown measure "lass": use one of uas, las,'):
        xa.compare(gold, gold, gold, measure="lass")
    with pytest.raises(xa.CrossarcError, match="samples is a whole number from 1 to 1,000,000, not 0"):
        xa.compare(gold, gold, gold, samples=0)
