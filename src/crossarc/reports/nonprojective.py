"""What reports show of non-projective arcs: strict scores with their intervals, by construction, and the sentences.

A sentence is shown for the arcs that were missed, that should not be there, or that are right, as both trees have them;
short sentences come first. O(arcs), and what the drawings cost.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from .._arrays import Offsets
from ..drawing import Picture
from ..drawing.page import TWO_ANALYSES, drawing, html_text
from ..evaluation import Breakdown, Pair, Scores, StrictScore, StrictScores
from .table import Table
from .text import percentage, plural, ratios

_MOST_NAMED = 3  # constructions in the short form
_MOST_GROUPS = 20
_MOST_DRAWN = 12  # sentences of a kind
_LONGEST = 45  # words of a sentence that is drawn

STRICT = "Strict: an arc is right if it is non-projective in both trees and has the right head."
_INTERVALS = "Intervals are Wilson's, with arcs of a sentence taken together."


def interval_text(ends: tuple[float, float]) -> str:
    """Write an interval in percent.

    >>> interval_text((0.1234, 0.5))
    '12.3 to 50.0'
    """
    return "–" if math.isnan(ends[0]) else f"{100 * ends[0]:.1f} to {100 * ends[1]:.1f}"


def _intervals(score: StrictScore) -> tuple[str, str, str]:
    ends = score.precision_interval, score.recall_interval, score.f1_interval
    return interval_text(ends[0]), interval_text(ends[1]), interval_text(ends[2])


def _lettered(values: Sequence[str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in zip("PRF", values, strict=True))


# In a terminal


def strict_lines(scores: StrictScores) -> list[str]:
    """The strict scores for the short form of a report: a name in 21 columns and what it is, line by line."""
    arcs, labelled = scores.unlabelled, scores.labelled
    counts = f"{arcs.gold:,} gold, {arcs.system:,} in the output, {arcs.correct:,} in both"
    lines = [f"non-projective arcs  {_lettered(ratios(arcs))} (strict: {counts})"]
    if arcs.gold or arcs.system:
        lines.append(f"  95 % intervals     {_lettered(_intervals(arcs))}")
        lines.append(f"  with labels        {_lettered(ratios(labelled))} ({labelled.correct:,} in both)")
        kind, groups = next(iter(scores.groups.items()))
        named = [
            f"{name} {group.unlabelled.correct:,} of {group.unlabelled.gold:,}, {group.unlabelled.system:,} built"
            for name, group in list(groups.items())[:_MOST_NAMED]
        ]
        lines.append(f"  {f'by {kind}':<19}{'; '.join(named)}")
    return lines


# Tables


def strict_table(scores: StrictScores) -> Table:
    """The strict scores, heads alone and with relations, with their intervals."""
    rows: list[tuple[str, ...]] = []
    for name, score in (("right head", scores.unlabelled), ("and relation", scores.labelled)):
        rows.append((name, f"{score.gold:,}", f"{score.system:,}", f"{score.correct:,}", *ratios(score)))
        rows.append(("  95 % interval", "", "", "", *(ends.replace(" to ", "–") for ends in _intervals(score))))
    heads = ("", "gold", "system", "both", "P", "R", "F")
    return Table("Non-projective arcs", heads, tuple(rows), f"{STRICT} {_INTERVALS}")


def strict_groups(scores: StrictScores) -> list[Table]:
    """The strict scores of groups of arcs: by construction, relation and parts of speech."""
    if not (scores.unlabelled.gold or scores.unlabelled.system):
        return []
    return [_group_table(name, groups) for name, groups in scores.groups.items()]


def _group_table(name: str, groups: Breakdown) -> Table:
    shown = list(groups.items())[:_MOST_GROUPS]
    rows = tuple(
        (
            group,
            *(f"{count:,}" for count in (score.unlabelled.gold, score.unlabelled.system, score.unlabelled.correct)),
            *ratios(score.unlabelled),
            percentage(score.labelled.f1),
        )
        for group, score in shown
    )
    note = f"The {_MOST_GROUPS} most frequent of {len(groups)}." if len(groups) > len(shown) else ""
    heads = ("", "gold", "system", "both", "P", "R", "F", "label. F")
    return Table(f"Non-projective by {name}", heads, rows, note, optional=(7,))


# Sentences


@dataclass(frozen=True)
class CrossingExample:
    """A sentence by its number from 0, and its non-projective arcs of one kind by the rows of their dependents."""

    index: int
    rows: tuple[int, ...]
    gold: bool

    def caption(self, pair: Pair) -> str:
        """Name the arcs: head, dependent and relation, as the tree has them that they are taken from."""
        side = pair.gold if self.gold else pair.system
        sentence = side.treebank[self.index]
        first = int(side.offsets[self.index])
        words = [(int(side.heads[row]), row - first) for row in self.rows]
        forms, relations = sentence.forms, sentence.deprels
        return "; ".join(f"{forms[head - 1]} → {forms[word]} ({relations[word]})" for head, word in words)


def crossing_examples(scores: Scores) -> dict[str, list[CrossingExample]]:
    """Return the sentences with missed, spurious and right non-projective arcs, the shortest first.

    Only where both sides have the same words.
    """
    pair, arcs = scores.pair, scores.nonprojective_arcs
    if not pair.same_words:
        return {}
    return {
        "missed": _by_sentence(pair, arcs.gold[arcs.gold_states == 0], gold=True),
        "spurious": _by_sentence(pair, arcs.system[arcs.system_states == 0], gold=False),
        "right": _by_sentence(pair, arcs.gold[arcs.gold_states > 0], gold=True),
    }


def _by_sentence(pair: Pair, rows: Offsets, *, gold: bool) -> list[CrossingExample]:
    sentences, begins = np.unique(pair.gold.sentence[rows], return_index=True)
    groups = np.split(rows, begins[1:]) if len(rows) else []
    order = np.argsort(pair.gold.lengths[sentences], kind="stable")
    return [CrossingExample(int(sentences[index]), tuple(groups[index].tolist()), gold) for index in order.tolist()]


def sentences_section(scores: Scores, picture: Callable[[Pair, int, str], Picture]) -> str:
    """Write the section of a page that draws sentences with non-projective arcs; `picture` makes one to draw."""
    examples = crossing_examples(scores)
    parts = [part for kind, of_kind in examples.items() for part in _drawn(kind, of_kind, scores.pair, picture)]
    if not parts:
        return ""
    note = f"{STRICT} {TWO_ANALYSES}"
    return f'<h2>Sentences with non-projective arcs</h2>\n<p class="note legend">{note}</p>\n{"".join(parts)}'


def _drawn(
    kind: str, examples: Sequence[CrossingExample], pair: Pair, picture: Callable[[Pair, int, str], Picture]
) -> Iterator[str]:
    if not examples:
        return
    shown = [example for example in examples if pair.gold.lengths[example.index] <= _LONGEST][:_MOST_DRAWN]
    number = sum(len(example.rows) for example in examples)
    more = f", {len(shown)} drawn" if len(shown) < len(examples) else ""
    heading = f"{kind}: {plural(number, 'arc')} in {plural(len(examples), 'sentence')}{more}"
    yield f'<details class="group"><summary>{heading}</summary>\n'
    for example in shown:
        drawn = picture(pair, example.index, f"{kind}: {example.caption(pair)}")
        yield f"<details><summary>{html_text(drawn.caption)}</summary>\n<div>{drawing(drawn)}</div></details>\n"
    yield "</details>\n"
