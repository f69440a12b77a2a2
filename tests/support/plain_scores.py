"""The scores as their definitions say, word by word: slow, and simple enough to be believed."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator

import crossarc as xa

Arc = tuple[int, int, str]  # head, dependent, relation
Sides = tuple[list[Arc], list[Arc], list[str], list[str]]


def sentences(gold: xa.Treebank, system: xa.Treebank) -> Iterator[Sides]:
    """The arcs of both trees of each sentence, and its forms and tags."""
    for ours, theirs in zip(gold, system, strict=True):
        arcs = ([(word.head or 0, word.id, word.deprel) for word in sentence] for sentence in (ours, theirs))
        yield next(arcs), next(arcs), ours.forms, ours.texts("upos")


def is_unicode_punctuation(form: str) -> bool:
    return {unicodedata.category(character)[0] for character in form} == {"P"}


def counts(
    gold: xa.Treebank, system: xa.Treebank, leave_out: Callable[[str, str], bool] = lambda form, tag: False
) -> Counter[str]:
    """Count words, and those that are right in heads, relations and both; the same for whole sentences."""
    found: Counter[str] = Counter()
    for ours, theirs, forms, tags in sentences(gold, system):
        exact = {"uem": True, "lem": True}
        for one, other, form, tag in zip(ours, theirs, forms, tags, strict=True):
            if leave_out(form, tag):
                continue
            found["words"] += 1
            found["uas"] += one[0] == other[0]
            found["label"] += one[2] == other[2]
            found["las"] += one == other
            exact["uem"] &= one[0] == other[0]
            exact["lem"] &= one == other
        found.update({name: int(value) for name, value in exact.items()})
    return found


def nonprojective(arcs: list[Arc]) -> list[Arc]:
    """The arcs over a word that does not descend from their head."""
    heads = {dependent: head for head, dependent, _ in arcs}

    def descends(word: int, ancestor: int) -> bool:
        while word and word != ancestor:
            word = heads[word]
        return word == ancestor

    return [
        arc
        for arc in arcs
        if arc[0] and not all(descends(word, arc[0]) for word in range(min(arc[:2]) + 1, max(arc[:2])))
    ]


def crossing(arcs: list[Arc]) -> list[Arc]:
    """The arcs between words that cross another."""
    spans = [(min(arc[:2]), max(arc[:2])) for arc in arcs if arc[0]]
    return [
        arc
        for arc in arcs
        if arc[0]
        and any(
            left < min(arc[:2]) < right < max(arc[:2]) or min(arc[:2]) < left < max(arc[:2]) < right
            for left, right in spans
        )
    ]


def class_counts(
    gold: xa.Treebank, system: xa.Treebank, chosen: Callable[[list[Arc]], list[Arc]], labelled: bool
) -> Counter[str]:
    """Arcs of a class on each side, those found anywhere on the other side, and those of the class on both."""
    found: Counter[str] = Counter()

    def bare(arcs: list[Arc]) -> set[tuple[object, ...]]:
        return {arc if labelled else arc[:2] for arc in arcs}

    for ours, theirs, _, _ in sentences(gold, system):
        of_gold, of_system = bare(chosen(ours)), bare(chosen(theirs))
        found["gold"] += len(of_gold)
        found["system"] += len(of_system)
        found["correct"] += len(of_gold & bare(theirs))
        found["correct_system"] += len(of_system & bare(ours))
        found["both"] += len(of_gold & of_system)
    return found
