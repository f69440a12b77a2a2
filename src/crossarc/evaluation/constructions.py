"""Which construction an arc that crosses others belongs to, as far as relations of Universal Dependencies show it.

The kind is decided by the relation without its subtype and by the side on which the dependent stands; what makes such
an arc cross others is, in most languages, one of a few movements: a clause that is put at the end (extraposition), a
phrase that is put first (wh-movement, topicalisation, scrambling), a noun phrase that is split, an insertion. The table
`KINDS` is the definition. Relations that are none of UD's 37 are of no kind: where most of a treebank's are not, there
is no such table, and relations alone tell arcs apart. O(different relations).
"""

from __future__ import annotations

from collections.abc import Sequence

#: Kinds of constructions: name, relations, and where the dependent stands: left or right of its head, "" for either.
KINDS: tuple[tuple[str, str, str], ...] = (
    ("extraposed relative clause", "acl", "right"),
    ("adverbial clause", "advcl", ""),
    ("extraposed complement clause", "ccomp xcomp csubj", "right"),
    ("fronted complement clause", "ccomp xcomp csubj", "left"),
    ("fronted or extracted object", "obj iobj", "left"),
    ("fronted or extracted adjunct", "obl advmod", "left"),
    ("object to the right", "obj iobj", "right"),
    ("adjunct to the right", "obl advmod", "right"),
    ("subject", "nsubj expl", ""),
    ("extraposed noun modifier", "nmod appos", "right"),
    ("stranded preposition", "case", "right"),
    ("split noun phrase", "nmod appos acl case", "left"),
    ("split noun phrase", "amod det nummod clf", ""),
    ("coordination", "conj cc orphan", ""),
    ("insertion", "parataxis discourse vocative dislocated", ""),
    ("function word", "aux cop mark", ""),
    ("multiword expression", "fixed flat compound list goeswith reparandum", ""),
    ("punctuation", "punct", ""),
    ("unclear", "dep root", ""),
)

OTHER = "other relation"

_SIDES = {"left": (False,), "right": (True,), "": (False, True)}
_KIND_OF = {
    (relation, right): name
    for name, relations, side in KINDS
    for relation in relations.split()
    for right in _SIDES[side]
}
_UNIVERSAL = frozenset(relation for relation, _ in _KIND_OF)


def base_relation(relation: str) -> str:
    """Return a relation without its subtype.

    >>> base_relation("acl:relcl")
    'acl'
    """
    return relation.split(":", 1)[0]


def construction(relation: str, right: bool) -> str:
    """Return the kind of an arc by its relation and whether its dependent is to the right of its head.

    >>> construction("acl:relcl", True), construction("obj", False), construction("SBJ", False)
    ('extraposed relative clause', 'fronted or extracted object', 'other relation')
    """
    return _KIND_OF.get((base_relation(relation), right), OTHER)


def shows_constructions(relations: Sequence[str]) -> bool:
    """Whether most of some relations are universal ones, so that the table says something about them.

    >>> shows_constructions(["nsubj", "obj", "SBJ"]), shows_constructions(["SBJ", "OBJ", "root"])
    (True, False)
    """
    universal = sum(base_relation(relation) in _UNIVERSAL for relation in relations)
    return 2 * universal > len(relations)
