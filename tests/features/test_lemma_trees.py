"""Lemmas of forms that have several: the tree decides where training data are sure, and nowhere else."""

from __future__ import annotations

from itertools import chain

import pytest

import crossarc as xa
from crossarc.features.lemma_trees import learnt_by_tree, with_lemmas_by_tree
from crossarc.features.lemmas import LemmaScripts
from crossarc.features.lemmatiser import Lemmatiser, LemmatiserError
from crossarc.features.tags import Tags

#: Words with lemma, UPOS, XPOS, head and relation.
_WRITTEN = "she she PRON PRP 3 nsubj|'s have AUX VBZ 3 aux|written write VERB VBN 0 root"
_WRITING = "she she PRON PRP 3 nsubj|'s be AUX VBZ 3 aux|writing write VERB VBG 0 root"
_BEEN_WRITING = "she she PRON PRP 4 nsubj|'s have AUX VBZ 4 aux|been be AUX VBN 4 aux|writing write VERB VBG 0 root"
_HERE = "she she PRON PRP 3 nsubj|'s be AUX VBZ 3 cop|here here ADV RB 0 root"
#: As often one as the other.
_READ = "I I PRON PRP 2 nsubj|saw see VERB VBD 0 root", "I I PRON PRP 2 nsubj|saw saw VERB VBD 0 root"


def treebank(*sentences: str) -> xa.Treebank:
    rows = [[word.split() for word in sentence.split("|")] for sentence in sentences]
    form, lemma, upos, xpos, head, deprel = (list(column) for column in zip(*chain(*rows), strict=True))
    return xa.Treebank.from_columns(
        form,
        lemma=lemma,
        upos=upos,
        xpos=xpos,
        head=list(map(int, head)),
        deprel=deprel,
        lengths=list(map(len, rows)),
    )


TRAIN = treebank(*[_WRITTEN] * 3, *[_WRITING] * 4, *[_BEEN_WRITING] * 3, *[_HERE] * 5, *_READ * 4)


def parsed(sentence: str, before: str) -> xa.Treebank:
    """Return a sentence as a parser gives it whose network finds another lemma of what is short for a verb."""
    gold = treebank(sentence)
    return gold.replace(lemma=[before if form.startswith("'") else "x" for form in gold.texts("form")])


def lemma_of_short_form(sentence: str, before: str, wanted: bool = True) -> str:
    bare = parsed(sentence, before)
    flags = bare.column("lemma") >= 0 if wanted else bare.column("lemma") < 0
    with_lemmas = with_lemmas_by_tree(bare, learnt_by_tree(TRAIN), flags)
    assert {lemma for lemma in with_lemmas.texts("lemma") if lemma not in ("be", "have")} == {"x"}
    return with_lemmas.texts("lemma")[1]


@pytest.mark.parametrize(
    ("sentence", "lemma"), [(_WRITTEN, "have"), (_WRITING, "be"), (_BEEN_WRITING, "have"), (_HERE, "be")]
)
def test_relation_head_and_auxiliary_decide(sentence: str, lemma: str) -> None:
    other = "be" if lemma == "have" else "have"
    assert lemma_of_short_form(sentence, other) == lemma_of_short_form(sentence, lemma) == lemma
    assert lemma_of_short_form(sentence.replace("'s", "'S"), other) == lemma
    assert lemma_of_short_form(sentence, other, wanted=False) == other


def test_what_training_data_do_not_have_stays() -> None:
    unknown = _WRITTEN.replace("VBN", "NN")
    assert lemma_of_short_form(unknown, "have") == "have"
    assert lemma_of_short_form(unknown, "be") == "be"


def test_forms_whose_trees_are_alike_are_left_out() -> None:
    table = learnt_by_tree(TRAIN)
    assert {upos: list(by_form) for upos, by_form in table.items()} == {"AUX": ["'s"]}
    assert table["AUX"]["'s"]["aux VBG been"] == "have"
    assert learnt_by_tree(treebank(*[_WRITTEN] * 2, *[_WRITING] * 9)) == {}
    assert learnt_by_tree(xa.Treebank.from_words([])) == {}


def test_a_lemmatiser_has_them_and_keeps_them() -> None:
    scripts = LemmaScripts.fit(TRAIN).with_lemmatiser(TRAIN)
    lemmatiser = LemmaScripts.from_dict(scripts.to_dict()).lemmatiser
    assert lemmatiser is not None and lemmatiser.by_tree == learnt_by_tree(TRAIN)
    tags = Tags({}, scripts)
    with_lemmas = tags.decided_by_trees(parsed(_WRITTEN, "be"), treebank(_WRITTEN).replace(lemma=["_", "_", "_"]))
    assert with_lemmas.texts("lemma")[1] == "have"
    given = tags.decided_by_trees(parsed(_WRITTEN, "be"), treebank(_WRITTEN))
    assert given.texts("lemma")[1] == "be"
    with pytest.raises(LemmatiserError, match="trees"):
        Lemmatiser.from_dict({**lemmatiser.to_dict(), "by_tree": {"AUX": {"'s": ["have"]}}})
