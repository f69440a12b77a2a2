"""Vedic trees of the release of 2023 as those of today have them.

Particles are PART; heads and relations of them follow other rules now (*ha*, *vai* and *u* hang on the verb as
discourse) and are left open. *sarva* is a pronoun. Parts of speech that the releases divide in another way (adverbs
that are prepositions, determiners) are left out; subtypes of relations, which the older release has seldom, are those
that a model finds. O(words).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import crossarc as xa
from crossarc._arrays import Flags

_PARTICLES = frozenset(
    ("a", "aha", "an", "api", "cana", "cit", "eva", "ha", "hi", "id", "iti", "iva", "khalu", "mā", "na", "nu", "sma")
).union(("svid", "tu", "u", "vai", "vāva", "yathā"))
#: Particles that mark clauses, negate or compare: their relations are as they were.
_AS_BEFORE = frozenset(["a", "an", "iti", "iva", "mā", "na", "yathā"])


def with_relations_of_release(treebank: xa.Treebank) -> xa.Treebank:
    """Return the treebank as today's release has it, as far as rules say."""
    words = zip(*(treebank.texts(column) for column in ("upos", "lemma", "deprel", "feats")), strict=True)
    changed = [_tags(*word) for word in words]
    return treebank.replace(upos=[upos for upos, _ in changed], feats=[feats for _, feats in changed])


def left_open(treebank: xa.Treebank) -> Flags:
    """Return the particles whose heads follow another rule now."""
    pairs = zip(treebank.texts("upos"), treebank.texts("lemma"), strict=True)
    return np.array([upos == "PART" and lemma not in _AS_BEFORE for upos, lemma in pairs], bool)


def alternatives(relation: str) -> Sequence[str]:
    """Return what else a relation is in today's release."""
    return {"advmod": ("discourse", "obl:manner", "obl:instr", "obl:tmod", "fixed"), "discourse": ("fixed",)}.get(
        relation, ()
    )


def _tags(upos: str, lemma: str, relation: str, feats: str) -> tuple[str, str]:
    if upos in ("ADV", "CCONJ", "VERB") and lemma in _PARTICLES and feats == "_":
        return "PART", feats
    if lemma == "sarva":
        return "PRON", feats
    if upos in ("DET", "AUX") or (upos == "ADV" and relation == "case") or lemma in ("viśva", "sva", "bahu"):
        return "_", feats
    return upos, feats
