"""Good feature templates for a system, derived from what it has: stacks, a second list, and where its arcs go.

After Zhang & Nivre 2011 (words, pairs, triples, valency, label sets, distance), with lemmas and morphological features,
each alone and in agreement between the two words that an arc would join, and for k-planar systems the top of the next
stack, as in Gómez-Rodríguez & Nivre 2010, Section 6. Systems without direction get the nearest linked words and
siblings in place of heads (Gómez-Rodríguez & Fernández-González 2012, Section 3.1). For easy-first, `s0` and `b0` are
the two neighbours that an arc would join. O(templates).
"""

from __future__ import annotations

from ..transitions import Operation, TransitionSystem

_ARCS = (Operation.LEFT_ARC, Operation.RIGHT_ARC, Operation.ARC)
_BUILT_PAIRS = ("s0.l1.deprel+s0.r1.deprel+s0.upos+b0.upos", "b0.l1.deprel+b0.l2.deprel+b0.upos+s0.upos")


def default_templates(system: TransitionSystem) -> list[str]:
    """Return the templates by which transitions are chosen."""
    built = _built()
    if system.chooses_position:
        built = _built_around_neighbours()
    elif system.is_undirected:
        built = _linked()
    templates = [*_words(system), *_pairs(), *_triples(), *built, *_morphology()]
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


def _built() -> list[str]:
    """What is known from the arcs so far."""
    templates: list[str] = []
    for word in ("s0", "b0", "s1"):
        # Nothing right of a buffer word was looked at yet.
        templates += _built_at(word, ("l1", "l2", "h") if word == "b0" else ("l1", "r1", "l2", "r2", "h"))
    return [
        *templates,
        "s0.deprel+s0.upos+b0.upos",
        "s0.h.h.upos+s0.h.upos+s0.upos",
        "s0.upos+s0.h.upos+b0.upos",
        *_BUILT_PAIRS,
    ]


def _linked() -> list[str]:
    """The same without direction."""
    templates: list[str] = []
    for word in ("s0", "b0", "s1"):
        templates += _built_at(word, ("l1", "l2", "l3", "ls") if word == "b0" else ("l1", "r1", "l2", "r2", "rs"))
    return [*templates, "s0.l1.upos+s0.r1.upos+s0.upos", "s0.upos+s0.rs.upos+b0.upos", *_BUILT_PAIRS]


def _built_around_neighbours() -> list[str]:
    """The same for words that have no head yet, and may have dependents on either side."""
    templates = [one for word in ("s0", "b0", "s1", "b1") for one in _built_at(word, ("l1", "r1", "l2", "r2"))]
    return [*templates, *_BUILT_PAIRS]


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
