"""No word gets two subjects, or two objects, by parsers of Universal Dependencies; what is given stays."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crossarc as xa
from crossarc.parsers.graph.unique_relations import _chosen, groups_of

_LABELS = ["root", "nsubj", "nsubj:pass", "obj", "iobj", "nsubj:outer"]
#: Words of which parsers make subjects and objects at will.
_WORDS = ["what", "who", "them", "the", "dogs", "Anna", "her", "it", "gave", "said", "saw", "had", "a", "book", "eat"]


def doubled(treebank: xa.Treebank) -> list[tuple[int, int | None, str]]:
    """Return the heads of sentences that have several subjects, or several objects."""
    several = []
    for number, sentence in enumerate(treebank):
        seen = set()
        for token in sentence:
            relation, _, subtype = token.deprel.partition(":")
            kind = {"nsubj": "subject", "csubj": "subject", "obj": "object"}.get(relation)
            if kind is None or subtype == "outer":
                continue
            if (token.head, kind) in seen:
                several.append((number, token.head, kind))
            seen.add((token.head, kind))
    return several


@settings(max_examples=200)
@given(
    st.lists(st.lists(st.integers(-6, 0), min_size=6, max_size=6), min_size=1, max_size=4),
    st.sets(st.sampled_from([1, 2])),
)
def test_the_best_labels_of_which_no_two_are_alike(scores: list[list[int]], taken: set[int]) -> None:
    groups = groups_of(_LABELS)
    assert groups is not None
    matrix = np.array(scores, np.float64)
    normal = matrix - np.logaddexp.reduce(matrix, axis=1, keepdims=True)

    def total(labels: tuple[int, ...]) -> float:
        return float(normal[np.arange(len(labels)), list(labels)].sum())

    def is_allowed(labels: tuple[int, ...]) -> bool:
        used = [*taken, *(int(group) for group in groups[list(labels)] if group)]
        return len(used) == len(set(used))

    chosen = tuple(_chosen(matrix, groups, taken).tolist())
    assert is_allowed(chosen)
    every = product(range(len(_LABELS)), repeat=len(scores))
    assert total(chosen) == pytest.approx(max(total(labels) for labels in every if is_allowed(labels)))


def test_many_dependents_have_one_subject_and_one_object() -> None:
    groups = groups_of(_LABELS)
    assert groups is not None
    scores = np.random.default_rng(1).normal(size=(40, len(_LABELS))) + 5 * (groups > 0)
    chosen = groups[_chosen(scores, groups, set())]
    assert [np.count_nonzero(chosen == group) for group in (1, 2)] == [1, 1]


@pytest.fixture(scope="module")
def english() -> xa.Parser:
    return xa.load("en")


@settings(max_examples=40)
@given(st.lists(st.lists(st.sampled_from(_WORDS), min_size=1, max_size=16), min_size=1, max_size=4))
def test_no_word_has_two_subjects_or_objects(english: xa.Parser, sentences: list[list[str]]) -> None:
    words = xa.Treebank.from_words(sentences)
    parsed = english.parse(words, threads=1)
    assert doubled(parsed) == []
    assert english.parse_scored(words, threads=1).treebank.texts("deprel") == parsed.texts("deprel")


def test_the_rule_changes_labels_alone(english: xa.Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(1)
    words = xa.Treebank.from_words([chance.choices(_WORDS, k=12) for _ in range(80)])
    parsed = english.parse(words, threads=1)
    monkeypatch.setattr("crossarc.parsers.graph.unique_relations.groups_of", lambda labels: None)
    before = english.parse(words, threads=1)
    assert doubled(before) and doubled(parsed) == []
    assert parsed.head.tolist() == before.head.tolist()
    concerned = {(number, head) for number, head, _ in doubled(before)}
    for number, (one, other) in enumerate(zip(before, parsed, strict=True)):
        different = [token.head for token, now in zip(one, other, strict=True) if token.deprel != now.deprel]
        assert {(number, head) for head in different} <= concerned


def test_what_is_given_stays(english: xa.Parser) -> None:
    sentence = ["Who", "did", "they", "say", "had", "stolen", "the", "painting", "?"]
    heads, relations = [6, 4, 4, 0, 6, 4, 8, 6, 4], ["_"] * len(sentence)
    relations[0] = relations[7] = "obj"
    both_given = xa.Treebank.from_columns(sentence, head=heads, deprel=relations, lengths=[len(sentence)])
    kept = english.parse(both_given, threads=1, keep_heads=True)
    assert [kept.texts("deprel")[index] for index in (0, 7)] == ["obj", "obj"]
    one_given = both_given.replace(deprel=["obj", *["_"] * 8])
    parsed = english.parse(one_given, threads=1, keep_heads=True)
    assert parsed.texts("deprel")[0] == "obj" and doubled(parsed) == []


def test_other_relations_are_left_alone() -> None:
    assert groups_of(["SBJ", "OBJ", "PRED"]) is None
    parser = xa.GraphParser("projective", network=xa.Biaffine(hidden_size=8, layers=1, arc_hidden_size=8))
    train = xa.sample(20, seed=1)
    parser.train(train.replace(deprel=[f"x{label}" for label in train.texts("deprel")]), epochs=1, threads=1)
    assert len(parser.parse(xa.sample(5, seed=2), threads=1)) == 5
