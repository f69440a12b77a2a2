"""Scores against their definitions, taken literally, on real trees with mistakes."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

import crossarc as xa
from crossarc.evaluation import Score, attachment_scores, is_punctuation
from crossarc.evaluation.error_analysis import Group

from ..support import plain_scores as plain
from ..support.outputs import with_mistakes

WORDS = (("A", "det"), ("B", "obj"), ("C", "root"), ("D", "obl"))


def tree(*heads: int) -> xa.Treebank:
    words = zip(WORDS, heads, strict=True)
    return xa.Treebank.from_dicts(
        [[{"form": form, "head": head, "deprel": relation} for (form, relation), head in words]]
    )


@pytest.fixture(scope="module")
def danish(treebanks: Path) -> tuple[xa.Treebank, xa.Treebank]:
    gold = xa.read(treebanks / "da_ddt_conllx" / "test.conll.gz")
    return gold, with_mistakes(gold, 0.1)


@pytest.fixture(scope="module", params=["da_ddt_conllx/test.conll.gz", "la_circse/test.conllu.gz"])
def pair(treebanks: Path, request: pytest.FixtureRequest) -> tuple[xa.Treebank, xa.Treebank]:
    gold = xa.read(treebanks / request.param)
    return gold, with_mistakes(gold, 0.1)


def assert_counts(scores: xa.Evaluation, expected: object, words: str) -> None:
    own = getattr(scores.scores, words)
    attachment = own.attachment
    assert own.words == expected["words"]  # type: ignore[index]
    for name in ("uas", "las", "label"):
        assert getattr(attachment, name).correct == expected[name]  # type: ignore[index]
        assert getattr(attachment, name).f1 == expected[name] / expected["words"]  # type: ignore[index]
    assert attachment.exact_unlabelled.correct == expected["uem"]  # type: ignore[index]
    assert attachment.exact_labelled.correct == expected["lem"]  # type: ignore[index]


def test_attachment_over_all_words(pair: tuple[xa.Treebank, xa.Treebank]) -> None:
    assert_counts(xa.evaluate(*pair), plain.counts(*pair), "all_words")


def test_punctuation_of_conll_x(danish: tuple[xa.Treebank, xa.Treebank]) -> None:
    """By default, words whose characters all have Unicode category P, as in the shared task of 2006."""
    expected = plain.counts(*danish, lambda form, tag: plain.is_unicode_punctuation(form))
    assert 0 < expected["words"] < danish[0].words
    assert_counts(xa.evaluate(*danish), expected, "without_punctuation")


def test_punctuation_by_tag_and_by_pattern(treebanks: Path) -> None:
    gold = xa.read(treebanks / "en_ewt" / "test.conllu.gz")[:300]
    system = with_mistakes(gold)
    assert_counts(
        xa.evaluate(gold, system), plain.counts(gold, system, lambda form, tag: tag == "PUNCT"), "without_punctuation"
    )
    pattern = re.compile(r"[.,]|the")
    assert_counts(
        xa.evaluate(gold, system, punctuation=pattern),
        plain.counts(gold, system, lambda form, tag: form in (".", ",", "the")),
        "without_punctuation",
    )
    untagged = gold.replace(upos=["_"] * gold.words)
    found = xa.evaluate(untagged, system)
    assert found.scores.punctuation == "words of Unicode punctuation only"
    with pytest.raises(xa.CrossarcError, match='unknown definition of punctuation "tag": use one of upos, unicode'):
        xa.evaluate(gold, system, punctuation="tag")


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        (".", True),
        ("...", True),
        ("»", True),
        ("–", True),
        ("'s", False),
        ("$", False),
        ("+", False),
        ("،", True),
        ("", False),
    ],
)
def test_what_is_punctuation(form: str, expected: bool) -> None:
    """Currency and mathematical signs are symbols in Unicode, not punctuation."""
    assert is_punctuation(form) is expected


@pytest.mark.parametrize("name", ["nonprojective", "crossing"])
@pytest.mark.parametrize("labelled", [True, False])
def test_arc_classes(pair: tuple[xa.Treebank, xa.Treebank], name: str, labelled: bool) -> None:
    expected = plain.class_counts(*pair, getattr(plain, name), labelled)
    scores = getattr(xa.evaluate(*pair).scores.all_words, name)
    kind = "labelled" if labelled else "unlabelled"
    anywhere, both = getattr(scores, f"anywhere_{kind}"), getattr(scores, f"strict_{kind}")
    totals = expected["gold"], expected["system"]
    assert anywhere == Score(expected["correct"], *totals, expected["correct_system"])
    assert both == Score(expected["both"], *totals)
    assert expected["both"] < max(
        expected["correct"], expected["correct_system"]
    )  # the definitions differ on these trees


def test_the_two_definitions_of_recovered() -> None:
    """A gold arc that is non-projective is found in a projective tree: recovered in 2013's sense, not in 2005's."""
    gold, system = tree(3, 4, 0, 3), tree(3, 1, 0, 3)
    found = xa.evaluate(gold, system).scores.all_words.nonprojective
    # Gold: 3 → 1 is over 2, which hangs on 4 (below 3): projective; 4 → 2 is over 3: non-projective.
    assert found.anywhere_unlabelled == Score(0, 1, 0, 0)
    assert math.isnan(found.anywhere_unlabelled.precision)
    gold, system = tree(4, 4, 0, 3), tree(4, 3, 0, 3)
    found = xa.evaluate(gold, system).scores.all_words.nonprojective
    # Both have 4 → 1 over 3, the root of the sentence; only gold has 4 → 2.
    assert found.anywhere_unlabelled == Score(1, 2, 1, 1)
    gold, system = tree(3, 4, 0, 3), tree(3, 4, 4, 0)
    found = xa.evaluate(gold, system).scores.all_words.nonprojective
    # 4 → 2, non-projective in the gold tree, is projective in the system's, whose root is 4; with 3 → 1 it is the other
    # way round. So both are found by arcs of the other tree, and none is non-projective in both.
    assert found.anywhere_unlabelled == Score(1, 1, 1, 1)
    assert found.strict_unlabelled == Score(0, 1, 1)


def test_roots_and_projective_sentences() -> None:
    gold, system = tree(3, 4, 0, 3), tree(3, 4, 4, 0)
    scores = xa.evaluate(gold, system).scores
    assert scores.all_words.root == Score(0, 1, 1)
    assert set(scores.breakdowns["projectivity of the sentence"]) == {"non-projective"}


def test_breakdowns_add_up(pair: tuple[xa.Treebank, xa.Treebank]) -> None:
    """Every word is in one group of each kind, on both sides."""
    scores = xa.evaluate(*pair).scores
    total = scores.all_words.attachment
    for name, groups in scores.breakdowns.items():
        for kind, whole in (("unlabelled", total.uas), ("labelled", total.las)):
            parts = [getattr(group, kind) for group in groups.values()]
            sums = [
                sum(values)
                for values in zip(
                    *((one.correct, one.gold, one.system, one.correct_system) for one in parts), strict=True
                )
            ]
            assert sums == [whole.correct, whole.gold, whole.system, whole.correct], name


def test_breakdowns_by_their_definitions(pair: tuple[xa.Treebank, xa.Treebank]) -> None:
    gold, system = pair
    scores = xa.evaluate(gold, system).scores.breakdowns
    expected: dict[tuple[str, str], list[int]] = {}

    def note(kind: str, of_gold: str, of_system: str, right: bool) -> None:
        first, second = (expected.setdefault((kind, name), [0, 0, 0, 0]) for name in (of_gold, of_system))
        first[0] += right
        first[1] += 1
        second[2] += 1
        second[3] += right

    def depth(heads: list[int], word: int) -> int:
        return 1 + depth(heads, heads[word - 1]) if heads[word - 1] else 1

    for ours, theirs in zip(gold, system, strict=True):
        heads = ours.heads.tolist(), theirs.heads.tolist()
        for one, other in zip(ours, theirs, strict=True):
            right = (one.head, one.deprel) == (other.head, other.deprel)
            note("relation", one.deprel, other.deprel, right)
            note("part of speech", one.upos, one.upos, right)
            depths = [min(8, depth(own, one.id)) for own in heads]
            levels = ["8+" if own == 8 else str(own) for own in depths]
            note("distance to root", levels[0], levels[1], right)
            lengths = [abs((head or 0) - one.id) for head in (one.head, other.head)]
            names = [
                bin_of(length) if head else "root" for length, head in zip(lengths, (one.head, other.head), strict=True)
            ]
            note("arc length", names[0], names[1], right)
    for kind in ("relation", "part of speech", "distance to root", "arc length"):
        found = {(kind, name): counts_of(group) for name, group in scores[kind].items()}
        assert found == {key: counts for key, counts in expected.items() if key[0] == kind}


def counts_of(group: Group) -> list[int | None]:
    score = group.labelled
    return [score.correct, score.gold, score.system, score.correct_system]


def bin_of(length: int) -> str:
    for name in ("7–9", "10–14", "15–19", "20–29"):
        first, last = map(int, name.split("–"))
        if first <= length <= last:
            return name
    return str(length) if length < 7 else "30+"


def test_confusions(pair: tuple[xa.Treebank, xa.Treebank]) -> None:
    scores = xa.evaluate(*pair).scores
    wrong = scores.all_words.words - scores.all_words.attachment.label.correct
    assert sum(one.words for one in scores.confusions) == wrong
    assert sum(one.right_head for one in scores.confusions) == (
        scores.all_words.attachment.uas.correct - scores.all_words.attachment.las.correct
    )
    assert all(one.gold != one.system for one in scores.confusions)
    counts = [one.words for one in scores.confusions]
    assert counts == sorted(counts, reverse=True)


def test_perfect_output_is_perfect() -> None:
    gold = xa.sample(100)
    scores = xa.evaluate(gold, xa.from_text(gold.to_text())).scores
    for words in (scores.all_words, scores.without_punctuation):
        for one in (
            words.attachment.las,
            words.attachment.exact_labelled,
            words.root,
            words.nonprojective.strict_labelled,
        ):
            assert one.f1 == 1
    assert scores.confusions == []


def test_scores_for_training() -> None:
    gold = xa.sample(100)
    system = with_mistakes(gold)
    found = xa.evaluate(gold, system)
    quick = attachment_scores(gold.head, system.head, gold.deprel.ids, system.deprel.ids)
    assert (quick.uas, quick.las, quick.words) == (found.uas, found.las, gold.words)
    counted = np.array(gold.texts("upos")) != "PUNCT"
    quick = attachment_scores(gold.head, system.head, gold.deprel.ids, system.deprel.ids, counted)
    assert quick.las == found.scores.without_punctuation.attachment.las.f1
    assert math.isnan(attachment_scores(gold.head, system.head).las)
    with pytest.raises(xa.CrossarcError, match="3 values for 2 words"):
        attachment_scores([1, 0], [1, 0, 1])


def test_the_number_of_threads_does_not_matter(treebanks: Path) -> None:
    gold = xa.read(treebanks / "la_circse" / "test.conllu.gz")
    system = with_mistakes(gold)
    assert xa.evaluate(gold, system, threads=1).to_dict() == xa.evaluate(gold, system, threads=4).to_dict()
