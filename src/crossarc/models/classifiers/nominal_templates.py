"""Feature templates of one atom each, for classifiers that combine them by themselves: kernels, nearest neighbours.

The six words of Table 2 of Nivre & Nilsson 2005 with their parts of speech, the forms of those that the next arc may
join, and the labels of arcs around them, extended as the feature models of MaltParser in the CoNLL-X shared task were:
with lemmas, features and coarse tags (Nivre et al. 2006). Of several stacks the top words of the next one are looked at
(Gómez-Rodríguez & Nivre 2010, Section 6), of lists the word that was passed last, and without direction the nearest
linked words in place of heads (Gómez-Rodríguez & Fernández-González 2012, Section 3.1). O(templates).
"""

from __future__ import annotations

from ...features.defaults import builds_before_reducing, joined
from ...transitions import TransitionSystem

_TAGS = ("upos", "xpos")


def nominal_templates(system: TransitionSystem) -> list[str]:
    """Return the templates by which transitions, alone or with labels, are chosen."""
    left, right = joined(system)
    words = [left, right, "s1", "s2", "b0", "b1", "b2", "b3"]
    templates = [f"{word}.{tag}" for word in dict.fromkeys(words) for tag in _TAGS]
    templates += [f"{word}.form" for word in dict.fromkeys([left, right, "b0", "b1"])]
    templates += [f"{word}.{attribute}" for word in (left, right) for attribute in ("lemma", "feats")]
    templates += _arcs(left, right, system.is_undirected)
    if system.stacks > 1:
        templates += [f"{word}.{tag}" for word in ("t0", "t1") for tag in _TAGS]
        templates += ["t0.form", *_arcs_at("t0", ("l1", "r1"), system.is_undirected)]
    if system.has_lists:
        templates += [f"a0.{tag}" for tag in _TAGS]
    if builds_before_reducing(system):
        templates += [f"link({left},{right})", *([f"link(t0,{right})"] if system.stacks > 1 else [])]
    return list(dict.fromkeys(templates))


def nominal_label_templates(system: TransitionSystem) -> list[str]:
    """Return the templates by which the label of an arc is chosen: those of transitions, and the distance."""
    left, right = joined(system)
    return [*nominal_templates(system), f"distance({left},{right})"]


def _arcs(left: str, right: str, undirected: bool) -> list[str]:
    """What is known of the arcs of the two words that may be joined: nothing right of a buffer word was looked at."""
    return [
        *_arcs_at(left, ("l1", "r1"), undirected),
        *_arcs_at(right, ("l1",) if right.startswith("b") else ("l1", "r1"), undirected),
    ]


def _arcs_at(word: str, steps: tuple[str, ...], undirected: bool) -> list[str]:
    heads = [] if undirected else [f"{word}.deprel", f"{word}.h.upos"]
    return [*heads, *(f"{word}.{step}.deprel" for step in steps)]
