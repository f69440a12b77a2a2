from __future__ import annotations

import numpy as np
import pytest

import crossarc as xa
from crossarc.annotation import Habits, Reparser
from crossarc.annotation.reparsing import WEIGHTS, Evidence
from crossarc.errors import ParserError
from crossarc.text import Pipeline, load_pipeline

TEXT = "The girl that the teachers praised left early with her friends."


@pytest.fixture(scope="module")
def english() -> Pipeline:
    return load_pipeline("en")


@pytest.fixture(scope="module")
def parsed(english: Pipeline) -> xa.Treebank:
    return english(TEXT)


@pytest.fixture(scope="module")
def reparser(english: Pipeline, parsed: xa.Treebank) -> Reparser:
    return Reparser(english, parsed, threads=1)


def test_a_mended_root_mends_its_subject_and_the_full_stop(reparser: Reparser, parsed: xa.Treebank) -> None:
    kept, heads, labels = np.arange(parsed.words) == 6, parsed.head.copy(), parsed.texts("deprel")
    heads[6], labels[6] = 0, "root"
    again = reparser.again(kept, heads, labels)
    assert again is not None
    assert (again.heads[6], again.labels[6], again.doubts[6]) == (0, "root", 0)
    # By its tag, which stays, *left* is a participle: its subject may be that of a passive.
    assert again.heads[1] == 7 and again.labels[1] in ("nsubj", "nsubj:pass") and again.heads[11] == 7
    assert (again.heads == 0).sum() == 1 == again.labels.count("root")
    assert again.doubts.min() >= 0 and again.doubts.max() <= 1


def test_what_is_kept_stays_whatever_it_is(reparser: Reparser, parsed: xa.Treebank) -> None:
    for word, head in ((1, 12), (3, 10), (5, 1), (11, 2)):
        kept, heads, labels = np.arange(1, parsed.words + 1) == word, parsed.head.copy(), parsed.texts("deprel")
        heads[word - 1], labels[word - 1] = head, "a label that the parser never saw"
        again = reparser.again(kept, heads, labels)
        assert again is not None and again.heads[word - 1] == head and again.labels[word - 1] == labels[word - 1]
        xa.Tree(again.heads.tolist())


def test_all_words_kept_and_none(reparser: Reparser, parsed: xa.Treebank) -> None:
    labels = parsed.texts("deprel")
    every = reparser.again(np.ones(parsed.words, bool), parsed.head, labels)
    assert every is not None and (every.heads == parsed.head).all() and every.labels == labels
    assert (every.doubts == 0).all()
    none = reparser.again(np.zeros(parsed.words, bool), parsed.head, labels)
    assert none is not None and (none.heads == 0).sum() == 1


def test_heads_that_allow_no_tree(reparser: Reparser, parsed: xa.Treebank) -> None:
    heads = parsed.head.copy()
    heads[:2] = 2, 1
    assert reparser.again(np.arange(parsed.words) < 2, heads, parsed.texts("deprel")) is None


def test_every_hint_has_a_weight_and_every_weight_a_hint(reparser: Reparser, parsed: xa.Treebank) -> None:
    evidence = Evidence(reparser, np.arange(parsed.words) < 3, parsed.head, reparser.labels)
    hints = dict(evidence.hints())
    assert hints.keys() == WEIGHTS.keys()
    shape = evidence.label.shape
    assert all(hint.shape in (shape, shape[:2]) for hint in hints.values())
    assert all(np.isfinite(hint).all() for hint in hints.values())


def test_a_sentence_of_one_word(english: Pipeline) -> None:
    one = xa.from_text("1\tGo\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    again = Reparser(english, one).again(np.zeros(1, bool), one.head, ["root"])
    assert again is not None and again.heads.tolist() == [0] and again.labels == ["root"]


def test_several_roots_and_crossing_arcs_of_greek() -> None:
    greek = load_pipeline("grc")
    sentence = greek("πολλὰς δ' ἰφθίμους ψυχὰς Ἄϊδι προί̈αψεν ἡρώων.")
    words = sentence.words
    kept, heads = np.zeros(words, bool), sentence.head.copy()
    kept[[0, 6]], heads[0], heads[6] = True, 4, 4
    again = Reparser(greek, sentence).again(kept, heads, sentence.texts("deprel"))
    assert again is not None and again.heads[0] == 4 and again.heads[6] == 4
    assert (again.heads == 0).sum() >= 1


def test_parsers_without_scores_of_arcs_are_refused() -> None:
    sample = xa.sample(20, seed=1)
    parser = xa.TransitionParser("arc-standard", scorer=xa.Perceptron())
    parser.train(sample, epochs=1, threads=1)
    with pytest.raises(ParserError, match="graph parser"):
        Reparser(parser, sample[:1])


def test_habits_are_counted_by_hand() -> None:
    rows = ["1\ta\t_\t_\t_\t_\t2\tx\t_\t_", "2\tb\t_\t_\t_\t_\t0\tr\t_\t_", "3\tc\t_\t_\t_\t_\t2\tx\t_\t_"]
    treebank = xa.from_text(("\n".join(rows) + "\n\n") * 500, root="any")
    habits = Habits.of(treebank, ("r", "x", "never"))
    # Under "r" there is nothing but "x": 1 of 1 instead of 2 of 3.
    assert habits.heads[0, 0, 1] == pytest.approx(np.log(1.5), abs=0.05)
    assert habits.heads[3, 0, 0] == pytest.approx(np.log(3), abs=0.12)
    # "x" hangs on "r" always.
    assert habits.dependents[1, 0] == pytest.approx(np.log(1.5), abs=0.05)
    assert habits.siblings[0, 1, 1] > habits.siblings[0, 1, 0]
    assert habits.several_roots < np.log(0.01) and habits.crossed < np.log(0.01)
    assert np.abs(Habits.of(treebank[:0], ("r", "x")).heads).max() == 0
