"""Strict scores of non-projective arcs: the definition taken literally, intervals beside independent ones, groups."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binomtest

import crossarc as xa
from crossarc.evaluation.constructions import KINDS, construction
from crossarc.evaluation.significance import bootstrap, interval
from crossarc.evaluation.strict import clustered_interval
from crossarc.reports.nonprojective import crossing_examples

from ..support import plain_scores as plain
from ..support.outputs import with_mistakes


@pytest.fixture(scope="module", params=["da_ddt_conllx/test.conll.gz", "la_circse/test.conllu.gz"])
def pair(treebanks: Path, request: pytest.FixtureRequest) -> tuple[xa.Treebank, xa.Treebank]:
    gold = xa.read(treebanks / request.param)
    return gold, with_mistakes(gold, 0.1)


def test_an_arc_is_right_if_it_is_nonprojective_in_both_trees(pair: tuple[xa.Treebank, xa.Treebank]) -> None:
    strict = xa.evaluate(*pair).scores.strict
    for labelled, score in ((False, strict.unlabelled), (True, strict.labelled)):
        expected = plain.class_counts(*pair, plain.nonprojective, labelled)
        assert (score.correct, score.gold, score.system) == (expected["both"], expected["gold"], expected["system"])
        assert 0 < score.correct < min(score.gold, score.system)
    assert strict.labelled.correct < strict.unlabelled.correct


def test_groups_by_their_definitions(pair: tuple[xa.Treebank, xa.Treebank]) -> None:
    """Recall is over the gold arcs of a group, precision over the system's; tags are the gold standard's."""
    gold, system = pair
    found = xa.evaluate(gold, system).scores.strict.groups
    expected: dict[str, dict[str, Counter[str]]] = {name: {} for name in found}
    for ours, theirs, _, tags in plain.sentences(gold, system):
        of_gold, of_system = plain.nonprojective(ours), plain.nonprojective(theirs)
        right = {arc[:2] for arc in of_gold} & {arc[:2] for arc in of_system}
        for side, arcs in (("gold", of_gold), ("system", of_system)):
            for head, dependent, relation in arcs:
                names = {
                    "construction": construction(relation, dependent > head),
                    "relation": relation.split(":")[0],
                    "part of speech": tags[dependent - 1],
                    "tag of the head": tags[head - 1],
                }
                for kind in found:
                    counts = expected[kind].setdefault(names[kind], Counter())
                    counts[side] += 1
                    counts[f"right {side}"] += (head, dependent) in right
    for kind, groups in found.items():
        shown = {
            name: (own.unlabelled.gold, own.unlabelled.system, own.unlabelled.correct, own.unlabelled.correct_system)
            for name, own in groups.items()
        }
        assert shown == {
            name: tuple(counts[key] for key in ("gold", "system", "right gold", "right system"))
            for name, counts in expected[kind].items()
        }
    assert ("construction" in found) == (gold.format == "conllu")  # the labels of the Danish treebank are not UD's


def test_intervals_of_independent_arcs_are_those_of_wilson() -> None:
    """With one arc in each sentence, they are scipy's."""
    for right, number in ((0, 7), (3, 7), (13, 27), (13, 179), (7, 7)):
        flags = np.arange(number) < right
        found = clustered_interval(flags.astype(float), np.ones(number))
        expected = binomtest(right, number).proportion_ci(method="wilson")
        assert found == pytest.approx((expected.low, expected.high))
    assert all(math.isnan(end) for end in clustered_interval(np.zeros(3), np.zeros(3)))


def test_intervals_take_sentences_together(treebanks: Path) -> None:
    """Arcs that are right or wrong by the sentence count as one; many sentences give the interval of a bootstrap."""
    right, number = np.repeat([4.0, 0.0], 20), np.full(40, 4.0)
    single = clustered_interval(right / 4, number / 4)
    assert clustered_interval(right, number) == pytest.approx(single)
    gold = xa.read(treebanks / "la_circse" / "test.conllu.gz")
    scores = xa.evaluate(gold, with_mistakes(gold, 0.1)).scores
    arcs, score = scores.nonprojective_arcs, scores.strict.unlabelled
    sentences = scores.pair.gold.sentence
    right, gold_arcs, system_arcs = (
        np.bincount(sentences[rows], minlength=scores.sentences).astype(float)
        for rows in (arcs.gold[arcs.gold_states > 0], arcs.gold, arcs.system)
    )
    measures = [(right, gold_arcs), (right, system_arcs), (2 * right, gold_arcs + system_arcs)]
    drawn = bootstrap([[np.stack(one, axis=1) for one in measures]], 4000, 1)[0]
    for values, own in zip(drawn, (score.recall_interval, score.precision_interval, score.f1_interval), strict=True):
        assert own == pytest.approx(interval(values), abs=0.006)


def test_no_arcs_no_figures() -> None:
    gold = xa.from_text("1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n2\tb\t_\tX\t_\t_\t1\tobj\t_\t_\n\n")
    found = xa.evaluate(gold, gold)
    assert found.to_dict()["nonprojective_strict"]["unlabelled"]["f1_interval"] == [None, None]
    assert "P –, R –, F – (strict: 0 gold, 0 in the output, 0 in both)" in found.to_text(full=False)
    assert "Sentences with non-projective arcs" not in found.to_html()


def test_sentences_that_were_cut_otherwise(treebanks: Path) -> None:
    """Two sentences that a system takes for one: their arcs are where they were, and the intervals are the same."""
    gold = xa.read(treebanks / "nl_lassysmall" / "test.conllu.gz")[:60]
    words: list[list[dict[str, object]]] = []
    for number, sentence in enumerate(gold):
        own: list[dict[str, object]] = [
            {"form": word.form, "upos": word.upos, "head": word.head, "deprel": word.deprel} for word in sentence
        ]
        if number % 2:
            before = words[-1]
            root = next(place for place, word in enumerate(before, start=1) if word["head"] == 0)
            for word in own:
                word["head"] = int(str(word["head"])) + len(before) if word["head"] else root
            before.extend(own)
        else:
            words.append(own)
    system = xa.Treebank.from_dicts(words)
    one, other = (xa.evaluate(gold, found).scores.strict for found in (gold, system))
    assert one.unlabelled.correct == other.unlabelled.correct == other.unlabelled.gold > 5
    assert (one.unlabelled.recall_interval, one.groups) == (other.unlabelled.recall_interval, other.groups)


def test_constructions_are_told_apart_once() -> None:
    """Every relation of UD has a kind on either side, and only one."""
    seen = Counter(
        (relation, right)
        for _, relations, side in KINDS
        for relation in relations.split()
        for right in {"left": (False,), "right": (True,), "": (False, True)}[side]
    )
    assert set(seen.values()) == {1}
    relations = {relation for relation, _ in seen}
    assert len(relations) == 37 and len(seen) == 74
    assert construction("nmod:poss", True) == "extraposed noun modifier"
    assert construction("case", True) == "stranded preposition"


def test_the_page_draws_missed_spurious_and_right_arcs(treebanks: Path) -> None:
    gold = xa.read(treebanks / "la_circse" / "test.conllu.gz")[:120]
    found = xa.evaluate(gold, with_mistakes(gold, 0.1))
    examples, strict = crossing_examples(found.scores), found.scores.strict.unlabelled
    counts = {kind: sum(len(one.rows) for one in own) for kind, own in examples.items()}
    assert counts == {
        "missed": strict.gold - strict.correct,
        "spurious": strict.system - strict.correct,
        "right": strict.correct,
    }
    page = found.to_html()
    for kind, own in examples.items():
        lengths = [len(gold[one.index]) for one in own]
        assert lengths == sorted(lengths)
        assert f"<summary>{kind}: {counts[kind]} arc" in page
        index, rows = own[0].index, own[0].rows
        words = gold[index]
        dependent = words[rows[0] - words.first_row]
        assert f"→ {dependent.form} (" in own[0].caption(found.scores.pair)
