"""Vocabularies: which values are known, and what becomes of the others."""

from __future__ import annotations

import pytest

import crossarc as xa
from crossarc.features import Vocabularies, VocabularyError
from crossarc.features.vocabularies import morphological_features, shape

TREES = """\
1\tKatten\tkat\tNOUN\tNC\tCase=Nom|Number=Sing\t2\tnsubj\t_\t_
2\tser\tse\tVERB\tVA\tTense=Pres\t0\troot\t_\t_
3\tkatten\tkat\tNOUN\tNC\tCase=Acc|Number=Sing\t2\tobj\t_\t_

"""


def test_values_are_numbered_by_frequency_from_3() -> None:
    treebank = xa.from_text(TREES)
    vocabularies = Vocabularies.fit(treebank, ["form", "lower", "upos", "feats:*", "suffix2", "prefix1", "shape"])
    assert vocabularies.names[-3:] == ("feats:Case", "feats:Number", "feats:Tense")
    rows = {name: vocabularies.values(treebank)[:, place].tolist() for place, name in enumerate(vocabularies.names)}
    assert rows["lower"] == [3, 4, 3]
    assert rows["upos"] == [3, 4, 3]
    assert rows["suffix2"] == [3, 4, 3]
    assert rows["feats:Number"] == [3, 0, 3]  # the verb has no number
    assert len(set(rows["feats:Case"])) == 3
    assert sorted(rows["form"]) == [3, 4, 5]


def test_rare_and_new_values_are_unknown() -> None:
    vocabularies = Vocabularies.fit(xa.from_text(TREES), ["lemma"], cutoff=2)
    assert vocabularies.known == {"lemma": ("kat",)}
    other = xa.from_text(TREES.replace("\tkat\t", "\thund\t", 1))
    assert vocabularies.values(other)[:, 0].tolist() == [1, 1, 3]


def test_vocabularies_come_back_from_plain_data() -> None:
    treebank = xa.sample(50)
    vocabularies = Vocabularies.fit(treebank, ["form", "feats:*"])
    again = Vocabularies.from_dict(vocabularies.to_dict())
    assert (again.values(treebank) == vocabularies.values(treebank)).all()
    broken = {"form": ["a", "\ud800"]}
    descriptions: list[object] = [[], {"form": "abc"}, {"form": [1]}, {"frm": ["a"]}, {"feats:*": []}, broken]
    for wrong in descriptions:
        with pytest.raises(VocabularyError):
            Vocabularies.from_dict(wrong)


def test_the_number_of_features_is_limited() -> None:
    names = Vocabularies.fit(xa.sample(100), ["feats:*"], features=2).names
    assert len(names) == 2


@pytest.mark.parametrize(
    ("text", "features"),
    [("_", {}), ("A=1|B=2,3", {"A": "1", "B": "2,3"}), ("pl|m", {"pl": "pl", "m": "m"}), ("A=", {"A": ""})],
)
def test_morphological_features(text: str, features: dict[str, str]) -> None:
    assert morphological_features(text) == features


def test_shape() -> None:
    assert [shape(text) for text in ("", "USA", "2nd", "Год", "漢字", "a-B-1")] == ["", "X", "0x", "Xx", "x", "x-X-0"]


def test_the_most_frequent_words_of_other_sentences_are_known_too() -> None:
    gold = xa.Treebank.from_words([["The", "cat", "sat"], ["the", "cat"]])
    taught = xa.Treebank.from_words([["the", "dog", "Dog", "cat", "bird", "bird", "dog"], ["fish", "sat"]])
    vocabularies = Vocabularies.fit(gold, ("lower", "suffix1"), cutoff=2)
    assert vocabularies.known == {"lower": ("cat", "the"), "suffix1": ("t", "e")}
    more = vocabularies.with_words(taught, 3)
    assert more.known == {"lower": ("cat", "the", "dog", "bird", "fish"), "suffix1": ("t", "e")}
