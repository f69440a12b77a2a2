"""Particles in lemmas of verbs: learnt where a treebank writes them so, and taken from the tree."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest

import crossarc as xa
from crossarc.features.lemma_particles import learnt_particles, with_particles
from crossarc.features.lemmas import LemmaScripts
from crossarc.features.lemmatiser import Lemmatiser, LemmatiserError

#: Words with lemma, head and relation: he stepped down; it took (up) time; they had to go.
_TRAD_AF = "Hij hij 2 nsubj|trad af_treden 0 root|af af 2 compound:prt"
_NAM_IN_BESLAG = "Het het 2 nsubj|nam nemen 0 root|in in 2 compound:prt|beslag beslag 3 fixed"
_AFTREDEN = "Hij hij 2 nsubj|moet moeten 0 root|aftreden af_treden 2 xcomp"
_WASHED_UP = "They they 2 nsubj|washed wash 0 root|up up 2 compound:prt"


def treebank(*sentences: str) -> xa.Treebank:
    rows = [[word.split() for word in sentence.split("|")] for sentence in sentences]
    form, lemma, head, deprel = (list(column) for column in zip(*chain(*rows), strict=True))
    return xa.Treebank.from_columns(
        form, lemma=lemma, head=list(map(int, head)), deprel=deprel, lengths=list(map(len, rows))
    )


def lemmas(sentence: str, before: str, *, wanted: bool = True) -> list[str]:
    """Return the lemmas of a sentence whose verb a network gave another one, with *af* and *toe* as particles."""
    parsed = treebank(sentence.replace("af_treden", before))
    return list(with_particles(parsed, {"af", "toe"}, np.full(parsed.words, wanted)).texts("lemma"))


def test_particles_are_learnt_where_lemmas_have_them() -> None:
    assert learnt_particles(treebank(*[_TRAD_AF] * 10, _NAM_IN_BESLAG)) == ["af"]
    assert learnt_particles(treebank(*[_TRAD_AF] * 9)) == learnt_particles(xa.Treebank.from_words([])) == []
    assert learnt_particles(treebank(*[_WASHED_UP] * 20)) == []
    # Where most verbs are without, the others are chance.
    assert learnt_particles(treebank(*[_TRAD_AF] * 10, *[_WASHED_UP] * 10)) == []


@pytest.mark.parametrize("before", ["treden", "toe_treden", "af_treden"])
def test_the_tree_says_which_particle_a_verb_has(before: str) -> None:
    assert lemmas(_TRAD_AF, before) == ["hij", "af_treden", "af"]
    assert lemmas(_TRAD_AF.replace("af af", "Af af"), before)[1] == "af_treden"
    assert lemmas(_TRAD_AF, before, wanted=False)[1] == before


def test_a_verb_without_particle_keeps_that_of_its_form_alone() -> None:
    assert lemmas(_AFTREDEN, "af_treden")[2] == "af_treden"
    assert lemmas(_AFTREDEN.replace("aftreden", "treden"), "af_treden")[2] == "treden"
    assert lemmas(_AFTREDEN.replace("aftreden", "website"), "web_site")[2] == "web_site"
    assert lemmas(_AFTREDEN.replace("aftreden", "af_"), "af_")[2] == "af_"


def test_particles_with_words_of_their_own_are_none() -> None:
    assert lemmas(_NAM_IN_BESLAG.replace("in in", "af af"), "-")[1] == "nemen"


def test_model_files_have_them() -> None:
    train = treebank(*[_TRAD_AF] * 12, *[_AFTREDEN] * 3)
    learnt = LemmaScripts.fit(train).with_lemmatiser(train).lemmatiser
    assert learnt is not None and learnt.particles == {"af"}
    data = learnt.to_dict()
    assert Lemmatiser.from_dict(data).particles == {"af"}
    assert Lemmatiser.from_dict({name: data[name] for name in data if name != "particles"}).particles == frozenset()
    with pytest.raises(LemmatiserError, match="particles"):
        Lemmatiser.from_dict(data | {"particles": [1]})
