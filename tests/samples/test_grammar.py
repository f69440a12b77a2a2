"""Facts of the language: who agrees with whom, which case a verb governs, and that displaced words can be attached."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from crossarc.samples import sample
from crossarc.samples.lexicon import CATEGORIES
from crossarc.treebank import Sentence, Token

CONCORD = ("Case", "Gender", "Number")
GOVERNED = {"VT": {"obj": "Acc"}, "VD": {"obj": "Dat"}, "VG": {"obj": "Acc", "iobj": "Dat"}, "VI": {}, "VS": {}}


@cache
def bank() -> list[Sentence]:
    return list(sample(1000))


def pairs(relation: str) -> Iterator[tuple[Sentence, Token, Token]]:
    """Words with a relation: their sentence, themselves, their heads."""
    for sentence in bank():
        for word in sentence:
            if word.deprel == relation and word.head:
                yield sentence, word, sentence[word.head - 1]


def features(word: Token, *names: str) -> list[str | None]:
    return [word.feats.get(name) for name in names]


def tagged(word: Token, construction: str) -> bool:
    return construction in word.misc.get("Construction", "").split(",")


def nouns(sentence: Sentence, first: int, last: int) -> list[Token]:
    """The nouns strictly between two words."""
    return [word for word in sentence if min(first, last) < word.id < max(first, last) and word.upos == "NOUN"]


def test_adjectives_and_determiners_agree_with_their_nouns() -> None:
    for relation in ("amod", "det"):
        found = list(pairs(relation))
        assert len(found) > 200
        for _, word, noun in found:
            assert noun.upos == "NOUN"
            assert features(word, *CONCORD) == features(noun, *CONCORD)


def test_possessors_show_what_they_possess() -> None:
    found = [(word, noun) for _, word, noun in pairs("nmod")]
    assert len(found) > 50
    for word, noun in found:
        assert word.feats["Case"] == "Gen"
        assert features(word, "Gender[psed]", "Number[psed]") == features(noun, "Gender", "Number")


def test_finite_verbs_agree_with_their_subjects() -> None:
    for sentence, subject, verb in pairs("nsubj"):
        shower = next((word for word in sentence if word.deprel == "cop" and word.head == verb.id), verb)
        if shower.feats["VerbForm"] == "Inf":
            assert subject.feats["Case"] in ("Acc", "Dat")
        else:
            assert subject.feats["Case"] == "Nom"
            assert shower.feats["Person"] == subject.feats.get("Person", "3")
        joined = any(word.deprel == "conj" and word.head == subject.id for word in sentence)
        assert shower.feats["Number"] == ("Plur" if joined else subject.feats["Number"])
        assert shower.feats.get("Gender") == subject.feats.get("Gender")


def test_objects_have_the_case_that_their_verb_governs() -> None:
    for relation in ("obj", "iobj"):
        for _, word, verb in pairs(relation):
            assert GOVERNED[verb.xpos][relation] == word.feats["Case"]


def test_fronted_questions_are_governed_from_below() -> None:
    found = [word for sentence in bank() for word in sentence if tagged(word, "FrontedQuestion")]
    assert len(found) > 20
    for word in found:
        verb = word.sentence[(word.head or 0) - 1]
        assert verb.deprel == "ccomp" and verb.xpos in GOVERNED
        asking = word.feats.get("PronType") == "Int" or word.sentence[word.id - 2].feats.get("PronType") == "Int"
        assert asking and word.sentence[-1].form == "?"


def test_a_relative_pronoun_agrees_with_the_nearest_noun_that_fits() -> None:
    found = list(pairs("acl:relcl"))
    assert sum(tagged(verb, "ExtraposedRelative") for _, verb, _ in found) > 50
    for sentence, verb, noun in found:
        own = [w for w in sentence if w.head == verb.id and w.feats.get("PronType") == "Rel"]
        assert len(own) == 1
        agreement = features(own[0], "Gender", "Number")
        assert features(noun, "Gender", "Number") == agreement
        for other in nouns(sentence, noun.id, own[0].id):
            assert features(other, "Gender", "Number") != agreement


def test_scrambled_words_fit_one_noun_only() -> None:
    found = [word for sentence in bank() for word in sentence if tagged(word, "Scrambling")]
    assert {word.deprel for word in found} == {"amod", "nmod"}
    for word in found:
        names = ("Gender", "Number") if word.deprel == "amod" else ("Gender[psed]", "Number[psed]")
        fitting = [
            noun.id
            for noun in word.sentence
            if noun.upos in ("NOUN", "PROPN") and features(noun, "Gender", "Number") == features(word, *names)
        ]
        assert fitting == [word.head]


def test_verbs_of_a_cluster_agree_each_with_its_own_subject() -> None:
    for name, verbs in (("TwoVerbCluster", 2), ("ThreeVerbCluster", 3)):
        found = [[word for word in sentence if tagged(word, name)] for sentence in bank()]
        found = [subjects for subjects in found if subjects]
        assert len(found) >= 5
        for subjects in found:
            assert len(subjects) == verbs
            heads = [word.head for word in subjects]
            assert heads == sorted(heads, key=lambda head: head or 0)
            agreements = {tuple(features(word, "Gender", "Number")) for word in subjects}
            assert len(agreements) == verbs
            for governor, subject in pairwise(subjects):
                verb = subject.sentence[(governor.head or 0) - 1]
                assert subject.feats["Case"] == {"VA": "Acc", "VH": "Dat"}[verb.xpos]


def test_the_words_are_pronounceable_and_different() -> None:
    stems = [stem.lower() for category in CATEGORIES.values() for stem in category.stems]
    assert len(set(stems)) == len(stems)
    for word in bank()[0].treebank.inventory("form"):
        assert word in ",.?" or (word.isascii() and word.isalpha() and set("aeiou") & set(word.lower()))
