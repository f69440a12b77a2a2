"""FEATS of verbs: their subject and what they are conjuncts of decide where training data are sure, nowhere else."""

from __future__ import annotations

import json
from itertools import chain

import numpy as np
import pytest

import crossarc as xa
from crossarc.features.feats_by_tree import learnt_feats_by_tree, with_feats_by_tree
from crossarc.features.tags import Tags, TagsError

_YOU, _THEY = "Number=Sing|Person=2|VerbForm=Fin", "Number=Plur|Person=3|VerbForm=Fin"
_IMPERATIVE, _INFINITIVE = "Mood=Imp|VerbForm=Fin", "VerbForm=Inf"
#: Words with UPOS, XPOS, FEATS, head and relation.
_YOU_SING = f"you PRON PRP Person=2 2 nsubj|sing VERB VBP {_YOU} 0 root"
_THEY_SING = f"they PRON PRP Person=3 2 nsubj|sing VERB VBP {_THEY} 0 root"
_WERE_YOU = f"were AUX VBD {_YOU} 3 aux|you PRON PRP Person=2 3 nsubj|singing VERB VBG VerbForm=Part 0 root"
_WERE_THEY = f"were AUX VBD {_THEY} 3 aux|they PRON PRP Person=3 3 nsubj|singing VERB VBG VerbForm=Part 0 root"
_MIX_AND_STIR = f"mix VERB VB {_IMPERATIVE} 0 root|and CCONJ CC _ 3 cc|stir VERB VB {_IMPERATIVE} 1 conj"
_TO_MIX = f"to PART TO _ 2 mark|mix VERB VB {_INFINITIVE} 0 root"
_TO_MIX_AND_STIR = f"{_TO_MIX}|and CCONJ CC _ 4 cc|stir VERB VB {_INFINITIVE} 2 conj"
#: A conjunct that has a mark of its own is an infinitive whatever its head is.
_MIX_TO_STIR = f"mix VERB VB {_IMPERATIVE} 0 root|to PART TO _ 3 mark|stir VERB VB {_INFINITIVE} 1 conj"


def treebank(*sentences: str) -> xa.Treebank:
    rows = list(map(parts, sentences))
    form, upos, xpos, feats, head, deprel = (list(column) for column in zip(*chain(*rows), strict=True))
    return xa.Treebank.from_columns(
        form,
        upos=upos,
        xpos=xpos,
        feats=feats,
        head=list(map(int, head)),
        deprel=deprel,
        lengths=list(map(len, rows)),
    )


def parts(sentence: str) -> list[list[str]]:
    """Return the words of a sentence; FEATS have bars in them, too."""
    fields = sentence.replace("|", " ").split(" ")
    words: list[list[str]] = []
    while fields:
        form, upos, xpos, *fields = fields
        feats = []
        while not fields[0].isdigit():
            feats.append(fields.pop(0))
        head, deprel, *fields = fields
        words.append([form, upos, xpos, "|".join(feats), head, deprel])
    return words


_SENTENCES = (_YOU_SING, _THEY_SING, _WERE_YOU, _WERE_THEY, _MIX_AND_STIR, _TO_MIX_AND_STIR, _MIX_TO_STIR)
TRAIN = treebank(*_SENTENCES * 5)
KNOWN = set(TRAIN.texts("feats"))
TABLE = learnt_feats_by_tree(TRAIN, KNOWN)


def decided(sentence: str, feats: str, word: int, wanted: bool = True) -> str:
    """Return the FEATS of a word that a network found to be others."""
    gold = treebank(sentence)
    found = gold.texts("feats")
    found[word] = feats
    flags = np.full(gold.words, wanted)
    with_feats = with_feats_by_tree(gold.replace(feats=found), TABLE, flags).texts("feats")
    assert with_feats[:word] + with_feats[word + 1 :] == found[:word] + found[word + 1 :]
    return with_feats[word]


@pytest.mark.parametrize(
    ("sentence", "word", "found", "feats"),
    [
        (_YOU_SING, 1, _THEY, _YOU),
        (_THEY_SING, 1, _YOU, _THEY),
        (_WERE_YOU, 0, _THEY, _YOU),
        (_WERE_THEY, 0, _YOU, _THEY),
        (_MIX_AND_STIR, 2, _INFINITIVE, _IMPERATIVE),
        (_TO_MIX_AND_STIR, 3, _IMPERATIVE, _INFINITIVE),
        (_MIX_TO_STIR, 2, _IMPERATIVE, _INFINITIVE),
    ],
)
def test_subjects_and_heads_decide(sentence: str, word: int, found: str, feats: str) -> None:
    assert decided(sentence, found, word) == decided(sentence, feats, word) == feats
    assert decided(sentence, found, word, wanted=False) == found


def test_other_verbs_agree_with_the_same_subject() -> None:
    assert decided(_YOU_SING.replace("sing VERB", "dance VERB"), _THEY, 1) == _YOU


def test_what_trees_do_not_decide_stays() -> None:
    assert decided(_YOU_SING.replace("you PRON", "we PRON"), _THEY, 1) == _THEY  # training has no such subject
    assert decided(_YOU_SING.replace("you PRON", "you NOUN"), _THEY, 1) == _THEY
    assert decided(_YOU_SING, "Typo=Yes|VerbForm=Fin", 1) == "Typo=Yes|VerbForm=Fin"
    two = f"you PRON PRP Person=2 3 nsubj|they PRON PRP Person=3 3 nsubj|sing VERB VBP {_THEY} 0 root"
    assert decided(two, _THEY, 2) == _THEY


def test_a_conjunct_of_a_conjunct_follows_it() -> None:
    three = f"{_MIX_AND_STIR}|eat VERB VB {_IMPERATIVE} 3 conj"
    found = treebank(three).texts("feats")
    found[2] = found[3] = _INFINITIVE
    every = treebank(three)
    with_feats = with_feats_by_tree(every.replace(feats=found), TABLE, np.ones(every.words, bool)).texts("feats")
    assert [with_feats[index] for index in (0, 2, 3)] == [_IMPERATIVE] * 3


def test_nothing_is_kept_of_treebanks_without_such_trees() -> None:
    assert learnt_feats_by_tree(TRAIN.replace(feats=["_"] * TRAIN.words), KNOWN) == {}
    assert learnt_feats_by_tree(treebank(*[_YOU_SING] * 9), KNOWN) == {}  # one person: nothing to tell apart
    assert learnt_feats_by_tree(TRAIN.replace(deprel=["dep"] * TRAIN.words), KNOWN) == {}


def test_feats_that_are_no_class_teach_nothing() -> None:
    """Another treebank may have others; its trees decide for none of these."""
    tags = Tags.fit(TRAIN, ("upos", "xpos", "feats"))
    feats = [each.replace("VerbForm=Fin", "New=Yes|VerbForm=Fin") for each in TRAIN.texts("feats")]
    other = TRAIN.replace(feats=feats)
    assert learnt_feats_by_tree(other, set(feats)) != {}
    assert tags.with_combinations(other).feats_by_tree == learnt_feats_by_tree(other, KNOWN)


def test_files_keep_what_trees_decide() -> None:
    tags = Tags.fit(TRAIN, ("upos", "xpos", "feats"))
    assert tags.feats_by_tree == TABLE
    data = json.loads(json.dumps(tags.to_dict()))
    assert Tags.from_dict(data).feats_by_tree == TABLE
    gold = treebank(_WERE_YOU)
    parsed = gold.replace(feats=[_THEY, *gold.texts("feats")[1:]])
    bare = gold.replace(feats=["_"] * gold.words)
    assert Tags.from_dict(data).decided_by_trees(parsed, bare).texts("feats")[0] == _YOU
    assert Tags.from_dict(data).decided_by_trees(parsed, parsed).texts("feats")[0] == _THEY  # was given
    older = {name: value for name, value in data.items() if name != "feats_by_tree"}
    assert Tags.from_dict(older).feats_by_tree == {}


@pytest.mark.parametrize("table", [1, {"VERB VB": 1}, {"VERB VB": {"x": 1}}, {"VERB VB": {"x": "Foo=Bar"}}])
def test_what_is_no_such_table_is_refused(table: object) -> None:
    data = Tags.fit(TRAIN, ("upos", "xpos", "feats")).to_dict()
    with pytest.raises(TagsError):
        Tags.from_dict({**data, "feats_by_tree": table})
