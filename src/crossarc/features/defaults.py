"""Good feature templates for a system, derived from what it has: stacks, a second list, and where its arcs go.

After Zhang & Nivre 2011 (words, pairs, triples, valency, label sets, distance), with lemmas and morphological features,
each alone and in agreement between the two words that an arc would join, and for k-planar systems the top of the next
stack, as in Gómez-Rodríguez & Nivre 2010, Section 6. Systems without direction get the nearest linked words and
siblings in place of heads (Gómez-Rodríguez & Fernández-González 2012, Section 3.1). For easy-first, `s0` and `b0` are
the two neighbours that an arc would join. O(templates).

Classifiers that combine templates by themselves, by kernels or nearest neighbours, get *nominal* ones of one atom each:
the six words of Table 2 of Nivre & Nilsson 2005 with their parts of speech, the forms of those that the next arc may
join, and the labels of arcs around them, extended as the feature models of MaltParser in the CoNLL-X shared task were:
with lemmas, features and coarse tags (Nivre et al. 2006).
"""

from __future__ import annotations

from itertools import chain

from ..transitions import Operation, TransitionSystem

_ARCS = (Operation.LEFT_ARC, Operation.RIGHT_ARC, Operation.ARC)
_BUILT_PAIRS = ("s0.l1.deprel+s0.r1.deprel+s0.upos+b0.upos", "b0.l1.deprel+b0.l2.deprel+b0.upos+s0.upos")


def default_templates(system: TransitionSystem) -> list[str]:
    """Return the templates by which transitions are chosen."""
    templates = [*_words(system), *_pairs(), *_triples(), *_built(system), *_morphology()]
    if system.stacks > 1:
        templates += _next_stack(system.is_undirected)
    if builds_before_reducing(system):
        templates += ["link(s0,b0)+s0.upos+b0.upos", "link(s0,b0)", "link(s1,b0)"]
    if system.chooses_position:
        templates += _neighbours()
    return list(dict.fromkeys(templates))


def default_label_templates(system: TransitionSystem) -> list[str]:
    """Return the templates by which the label of an arc is chosen: about the two words that it joins."""
    left, right = joined(system)
    near = {"s1": "s2", "s0": "s1"}[left]
    behind = {"s0": "b0", "b0": "b1"}[right]
    templates = [
        *(f"{word}.{attribute}" for word in (left, right) for attribute in ("form", "lemma", "feats")),
        *(f"{left}.{attribute}+{right}.{attribute}" for attribute in ("lemma", "upos", "xpos", "feats")),
        f"{left}.upos+{left}.feats+{right}.upos+{right}.feats",
        f"distance({left},{right})+{left}.upos+{right}.upos",
        *([] if system.is_undirected else [f"{left}.deprel+{right}.upos", f"{left}.h.upos+{left}.upos+{right}.upos"]),
        f"{left}.l1.upos+{right}.l1.upos",
        f"{left}.r1.deprel+{left}.upos",
        f"{left}.r1.lemma+{left}.upos",
        f"{behind}.upos+{right}.upos+{left}.upos",
        f"{near}.upos+{left}.upos+{right}.upos",
        f"{left}.feats:*+{right}.feats:*+{left}.upos+{right}.upos",
        f"{left}.feats:*+{right}.lemma",
        f"{left}.lemma+{right}.feats:*",
    ]
    for word, other in ((left, right), (right, left)):
        templates += [
            f"{word}.lemma+{other}.upos",
            f"{word}.feats+{other}.upos",
            f"{word}.suffix3+{other}.upos",
            f"{word}.left_labels+{word}.upos+{other}.upos",
            f"{word}.right_labels+{word}.upos+{other}.upos",
            f"{word}.left_labels+{word}.lemma",
            f"{word}.l1.deprel+{word}.upos",
            f"{word}.l1.lemma+{word}.upos",
            f"{word}.lemma+{word}.l1.lemma",
        ]
    return [*templates, f"{left}.lemma+{right}.feats"]


def joined(system: TransitionSystem) -> tuple[str, str]:
    """Return the two words that arcs join: the two on top of the stack if every arc waits for an UNSHIFT."""
    on_stack = [
        one.steps[0].operation is Operation.UNSHIFT
        for one in system.transitions.values()
        if any(step.operation in _ARCS for step in one.steps)
    ]
    return ("s1", "s0") if on_stack and all(on_stack) else ("s0", "b0")


def builds_before_reducing(system: TransitionSystem) -> bool:
    """Whether a word that got an arc may stay where it is, so that it helps to know that the arc is there."""
    return any(len(one.steps) == 1 and one.steps[0].operation in _ARCS for one in system.transitions.values())


def _words(system: TransitionSystem) -> list[str]:
    words = ["s0", "b0", "s1", "b1", "b2", "s2"]
    words += ["t0", "t1"] if system.stacks > 1 else []
    words += ["a0"] if system.has_lists else []
    templates: list[str] = []
    for word in words:
        templates += [f"{word}.{attribute}" for attribute in ("lemma", "upos", "xpos", "feats")]
        templates += [f"{word}.form+{word}.upos", f"{word}.lemma+{word}.feats"]
    for word in ("s0", "b0"):
        templates += [f"{word}.suffix3", f"{word}.suffix2+{word}.upos"]
    return templates


def _pairs() -> list[str]:
    attributes = ("lemma", "upos", "xpos", "feats")
    return [
        *(f"s0.{first}+b0.{second}" for first in attributes for second in attributes),
        "s0.form+b0.form",
        "s0.lemma+s0.upos+b0.lemma+b0.upos",
        "s0.upos+s0.feats+b0.upos+b0.feats",
        "s0.lemma+b0.upos+b0.feats",
        "s0.upos+s0.feats+b0.lemma",
        *(f"s1.{one}+s0.{one}" for one in ("upos", "lemma", "feats")),
        *(f"s1.{one}+b0.{one}" for one in ("upos", "lemma", "feats")),
        "b0.upos+b1.upos",
        "s0.upos+b1.upos",
        *(f"distance(s0,b0)+{words}" for words in ("s0.upos", "b0.upos", "s0.upos+b0.upos", "s0.lemma", "b0.lemma")),
    ]


def _triples() -> list[str]:
    return [
        *(f"b0.{one}+b1.{one}+b2.{one}" for one in ("upos",)),
        *(f"s0.{one}+b0.{one}+b1.{one}" for one in ("upos", "xpos")),
        *(f"s1.{one}+s0.{one}+b0.{one}" for one in ("upos", "xpos")),
        "s2.upos+s1.upos+s0.upos",
        "s0.upos+b0.upos+b1.lemma",
        "s1.lemma+s0.upos+b0.upos",
        "s1.upos+s0.upos+b0.upos+b1.upos",
    ]


def _built(system: TransitionSystem) -> list[str]:
    """What is known from the arcs so far."""
    words = ["s0", "b0", "s1"]
    on_stack: tuple[str, ...] = ("l1", "r1", "l2", "r2")
    in_buffer: tuple[str, ...] = on_stack
    further: tuple[str, ...] = ()
    if system.chooses_position:  # words that have no head yet, and may have dependents on either side
        words.append("b1")
    elif system.is_undirected:  # nothing right of a buffer word was looked at yet
        on_stack, in_buffer = (*on_stack, "rs"), ("l1", "l2", "l3", "ls")
        further = ("s0.l1.upos+s0.r1.upos+s0.upos", "s0.upos+s0.rs.upos+b0.upos")
    else:
        on_stack, in_buffer = (*on_stack, "h"), ("l1", "l2", "h")
        further = ("s0.deprel+s0.upos+b0.upos", "s0.h.h.upos+s0.h.upos+s0.upos", "s0.upos+s0.h.upos+b0.upos")
    built = [_built_at(word, on_stack if word.startswith("s") else in_buffer) for word in words]
    return [*chain.from_iterable(built), *further, *_BUILT_PAIRS]


def _built_at(word: str, steps: tuple[str, ...]) -> list[str]:
    templates: list[str] = []
    for there in (f"{word}.{step}" for step in steps):
        templates += [
            f"{there}.upos+{word}.upos",
            f"{there}.lemma+{there}.upos",
            f"{there}.deprel+{word}.upos",
            f"{there}.feats",
            f"s0.upos+b0.upos+{there}.upos",
            f"s0.upos+b0.upos+{there}.deprel",
        ]
    if "h" in steps:
        templates.append(f"{word}.deprel+{word}.upos")
    for known in ("left_valency", "right_valency", "left_labels", "right_labels"):
        templates += [f"{word}.{known}+{word}.upos", f"{word}.{known}+{word}.lemma"]
    return templates


def _morphology() -> list[str]:
    return [
        "s0.feats:*+b0.feats:*+s0.upos+b0.upos",
        "s0.upos+s0.feats:*+b0.upos",
        "s0.upos+b0.upos+b0.feats:*",
        "s1.feats:*+b0.feats:*",
        "s1.feats:*+s0.feats:*",
    ]


def _neighbours() -> list[str]:
    """What else competes for two neighbours that could be joined in any order (Goldberg & Elhadad 2010)."""
    templates: list[str] = []
    for left, right in (("b0", "b1"), ("s1", "b1"), ("s0", "b1")):
        templates += [f"{left}.{one}+{right}.{one}" for one in ("upos", "lemma", "feats")]
        templates += [f"{left}.lemma+{right}.upos", f"{left}.upos+{right}.lemma"]
    templates += [
        "b0.feats:*+b1.feats:*",
        "s0.upos+b0.upos+b1.upos+b2.upos",
        "s2.upos+s1.upos+s0.upos+b0.upos",
        "s0.upos+b0.upos+b0.left_valency+b0.right_valency",
        "s0.upos+b0.upos+s0.left_valency+s0.right_valency",
        "distance(s1,s0)+distance(b0,b1)+s0.upos+b0.upos",
    ]
    return templates


def _next_stack(undirected: bool) -> list[str]:
    templates: list[str] = []
    for word in ("t0", "t1"):
        templates += [
            *(f"{word}.{one}+b0.{one}" for one in ("upos", "lemma", "feats")),
            f"{word}.upos+s0.upos+b0.upos",
            f"{word}.lemma+b0.upos",
            f"{word}.upos+b0.lemma",
            *([] if undirected else [f"{word}.deprel+{word}.upos", f"{word}.h.upos+{word}.upos"]),
            f"{word}.r1.deprel+{word}.upos",
            f"{word}.l1.deprel+{word}.upos",
            f"link({word},b0)+{word}.upos+b0.upos",
            f"distance({word},b0)+{word}.upos+b0.upos",
            f"{word}.feats:*+b0.feats:*+{word}.upos+b0.upos",
        ]
    return [*templates, "distance(s0,t0)", "link(s0,t0)+s0.upos"]


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
