"""Dutch trees of UD releases of 2017 as those of today have them.

Names are flat, possessives are pronouns (nmod:poss), a coordinating conjunction hangs on the conjunct that follows, and
only *zijn* is a copula: other verbs, such as *worden* and *blijven*, govern their predicate (xcomp), and so do *willen*
and *laten*; *moeten* and *kunnen* are auxiliaries. Parts of speech that the releases divide in another way (words
within names, symbols, *veel*, ordinals in figures), and lemmas that today's release writes with their parts apart
(*web_site*, *uit_voeren*), are left out. O(words).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import crossarc as xa
from crossarc._arrays import Flags
from crossarc.parsers.punctuation import punctuation_words
from crossarc.treebank import Sentence

#: FEATS of words of which nothing is known: the treebank never has them, so that they teach nothing.
UNKNOWN = "Unknown=Yes"
_POSSESSIVES = {
    **dict.fromkeys(("mijn", "ons", "onze"), "1"),
    **dict.fromkeys(("jouw", "je", "jou", "uw", "jullie"), "2"),
    **dict.fromkeys(("zijn", "haar", "hun"), "3"),
}
#: What stays with the predicate when its verb becomes the head of the clause.
_OF_NOUNS = frozenset(
    {"det", "amod", "nmod", "nmod:poss", "nummod", "case", "flat", "fixed", "appos", "acl", "acl:relcl"}
)
#: Verbs that were auxiliaries and have a clause of their own (xcomp) today, what goes with them, and the reverse.
_FULL_VERBS = frozenset({"willen", "laten", "gaan", "blijken", "lijken", "schijnen", "durven", "komen", "weten"})
_OF_FULL_VERBS = ("nsubj", "csubj", "mark", "cc", "punct", "conj", "parataxis")
_AUXILIARIES = frozenset({"moeten", "kunnen", "zullen", "mogen"})
#: Words whose part of speech is another one in today's release, or varies there.
_VARYING = frozenset({"veel", "weinig", "meer", "minder", "één", "laten", "gaan", "willen", "blijken", "als"})
#: A verb that may be written apart has its particle apart in today's lemmas; short words are no compounds.
_PARTICLE = re.compile(
    r"(?:aan|af|achter|bij|binnen|buiten|door|in|los|mee|na|neer|om|onder|op|over|plaats|rond|samen|"
    r"tegen|terecht|terug|thuis|toe|tussen|uit|vast|vol|voor|voort|vrij|weg)\w{4,}"
)
_SHORT = 7


def with_relations_of_release(treebank: xa.Treebank) -> xa.Treebank:
    """Return the treebank as today's release has it, as far as rules say."""
    heads: list[int] = []
    relations: list[str] = []
    tags: list[str] = []
    for sentence in treebank:
        of_words, labels, parts = _renamed(sentence)
        _with_verbs_as_heads(sentence, of_words, labels, parts)
        _with_auxiliaries(sentence, of_words, labels, parts)
        _with_conjunctions_at_conjuncts(of_words, labels)
        heads += of_words
        relations += labels
        tags += parts
    pairs = list(zip(treebank.texts("feats"), tags, treebank.texts("lemma"), relations, strict=True))
    return treebank.replace(
        head=heads,
        deprel=relations,
        upos=tags,
        feats=[_feats(feats, tag, lemma, relation) for feats, tag, lemma, relation in pairs],
        lemma=["_" if _divided(lemma, tag) else lemma for _, tag, lemma, _ in pairs],
    )


def left_open(treebank: xa.Treebank) -> Flags:
    """Return the words whose heads no rule knows: punctuation, which hung on the root of its clause."""
    return punctuation_words(treebank, tags=False)


def alternatives(relation: str) -> Sequence[str]:
    """Return what else a relation is in today's release."""
    return {"fixed": ("flat",), "obj": ("expl:pv",), "nummod": ("amod",)}.get(relation, ())


def _renamed(sentence: Sentence) -> tuple[list[int], list[str], list[str]]:
    """Return heads, relations and parts of speech with today's names."""
    heads, labels, tags = list(map(int, sentence.heads)), list(sentence.deprels), [token.upos for token in sentence]
    in_names = {index for index, label in enumerate(labels) if label == "flat:name"}
    in_names |= {heads[index] - 1 for index in in_names}
    for index, token in enumerate(sentence):
        if labels[index] == "flat:name":
            labels[index] = "flat"
        if labels[index] == "det" and token.lemma in _POSSESSIVES:
            labels[index], tags[index] = "nmod:poss", "PRON"
        elif token.upos == "ADP" and labels[index] == "mark" and token.lemma == "als":
            tags[index] = "SCONJ"
        elif (index in in_names and token.upos != "PROPN") or _is_varying(token.upos, token.lemma, token.form):
            tags[index] = "_"
    return heads, labels, tags


def _is_varying(upos: str, lemma: str, form: str) -> bool:
    if upos in ("PUNCT", "SYM"):
        return form in "«»=+"
    return upos == "X" or lemma in _VARYING or (upos == "NUM" and not form.isdigit() and form[:1].isdigit())


def _with_verbs_as_heads(sentence: Sentence, heads: list[int], labels: list[str], tags: list[str]) -> None:
    """Make verbs other than *zijn* and auxiliaries heads of their predicates, and of what belongs to the clause."""
    for index, token in enumerate(sentence):
        predicate, verb = heads[index], index + 1
        copula = labels[index] == "cop" and token.lemma != "zijn"
        if predicate == 0 or not (copula or (labels[index] == "aux" and token.lemma in _FULL_VERBS)):
            continue
        heads[index], labels[index], tags[index] = heads[predicate - 1], labels[predicate - 1], "VERB"
        heads[predicate - 1], labels[predicate - 1] = verb, "xcomp"
        for other, head in enumerate(heads):
            of_clause = labels[other] not in _OF_NOUNS if copula else labels[other].startswith(_OF_FULL_VERBS)
            if head == predicate and of_clause and not _joins_nouns(other, sentence):
                heads[other] = verb


def _with_auxiliaries(sentence: Sentence, heads: list[int], labels: list[str], tags: list[str]) -> None:
    """Make *moeten*, *kunnen*, *zullen* and *mogen* auxiliaries of the verbs that hang on them."""
    for index, token in enumerate(sentence):
        main = heads[index]
        if (
            labels[index] != "xcomp"
            or main == 0
            or sentence[main - 1].lemma not in _AUXILIARIES
            or token.upos != "VERB"
        ):
            continue
        heads[index], labels[index] = heads[main - 1], labels[main - 1]
        heads[main - 1], labels[main - 1], tags[main - 1] = index + 1, "aux", "AUX"
        for other, head in enumerate(heads):
            if head == main:
                heads[other] = index + 1


def _joins_nouns(index: int, sentence: Sentence) -> bool:
    """Whether a word is a conjunct of nouns or adjectives, and no clause."""
    if sentence[index].deprel != "conj" or sentence[index].upos in ("VERB", "AUX"):
        return False
    of_conjunct = (token.deprel for token in sentence if token.head == index + 1)
    return not any(relation.startswith(("cop", "nsubj", "aux")) for relation in of_conjunct)


def _with_conjunctions_at_conjuncts(heads: list[int], labels: list[str]) -> None:
    """Hang each coordinating conjunction on the first conjunct behind it."""
    for index, label in enumerate(labels):
        if label != "cc":
            continue
        behind = (
            other for other in range(index + 1, len(labels)) if labels[other] == "conj" and heads[other] == heads[index]
        )
        heads[index] = next(behind, heads[index] - 1) + 1


def _feats(feats: str, tag: str, lemma: str, relation: str) -> str:
    if tag == "_":
        return UNKNOWN
    if relation == "nmod:poss" and tag == "PRON" and lemma in _POSSESSIVES:
        return f"Person={_POSSESSIVES[lemma]}|Poss=Yes|PronType=Prs"
    return feats.replace("=yes", "=Yes")


def _divided(lemma: str, tag: str) -> bool:
    """Whether today's lemma may be written with its parts apart, or with capitals."""
    if tag in ("VERB", "AUX"):
        return _PARTICLE.fullmatch(lemma) is not None
    return tag in ("_", "PROPN", "X") or (tag in ("NOUN", "ADJ") and (len(lemma) > _SHORT or "-" in lemma))
