"""What a report on a system's scores shows, whatever it is written on: tables of scores, errors and groups of words.

Of long lists the tables have the beginning; the CSV has all of it. O(groups).
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from ..evaluation import Breakdown, Calibration, Score, Scores, WordScores
from .nonprojective import strict_groups, strict_lines, strict_table
from .table import Table, table_latex, table_text
from .text import blocks_text, percentage, plural, printable, ratios

_MOST_GROUPS = 20
_MOST_CONFUSIONS = 15
_CLASSES = (
    ("nonprojective", "non-projective arcs"),
    ("crossing", "arcs that cross"),
    ("projective", "projective arcs"),
)
#: The LAS of CoNLL 2018 is another than that of the papers: a page with both says which is which.
_OFFICIAL = {"LAS": "LAS without subtypes"}
_OF_PARSERS = ("LAS", "CLAS", "MLAS", "BLEX")
_ATTACHMENT = (
    ("las", "LAS", "right head and relation"),
    ("uas", "UAS", "right head"),
    ("label", "label accuracy", "right relation"),
    ("exact_labelled", "exact labelled", "whole sentences"),
    ("exact_unlabelled", "exact unlabelled", "whole sentences, heads alone"),
)


def summary(scores: Scores) -> str:
    """What was scored, in one line."""
    words, bare = scores.all_words.words, scores.without_punctuation.words
    counts = f"{plural(scores.sentences, 'sentence')}, {plural(words, 'word')}"
    return f"{counts}, {bare:,} without punctuation ({scores.punctuation})"


def score_table(scores: Scores) -> Table:
    """Attachment scores, exact match and roots, with and without punctuation."""
    both = scores.all_words, scores.without_punctuation
    rows = [
        (title, *(percentage(getattr(words.attachment, key).f1) for words in both), meaning)
        for key, title, meaning in _ATTACHMENT
    ]
    rows.append(("root", *(percentage(words.root.f1) for words in both), "words whose head is the root (F)"))
    note = "" if scores.pair.same_words else "Words are aligned; the figures are F scores."
    return Table("Scores", ("", "all words", "no punctuation", ""), tuple(rows), note, optional=(3,))


def short_text(title: str, scores: Scores, width: int) -> str:
    """Write the scores that most people look for, in a dozen lines of up to `width` cells."""
    both = scores.all_words, scores.without_punctuation
    rows = tuple(
        (name, *(percentage(getattr(words.attachment, key).f1) for words in both))
        for key, name in (*((key, name) for key, name, _ in _ATTACHMENT[:3]), ("exact_labelled", "exact match"))
    )
    lines = strict_lines(scores.strict)
    if scores.conll2018 is not None:
        shown = (f"{_OFFICIAL.get(key, key)} {percentage(scores.conll2018[key].f1)}" for key in _OF_PARSERS)
        lines.append(f"CoNLL 2018           {', '.join(shown)}")
    if scores.calibration is not None:
        lines.append(f"calibration          {calibration_summary(scores.calibration)}")
    table = table_text(Table("", ("", "all words", "no punctuation"), rows), width)
    wrapped = [part for line in lines for part in textwrap.wrap(line, width, subsequent_indent=" " * 21)]
    return blocks_text([textwrap.wrap(printable(title), width), table, wrapped])


def class_table(scores: Scores) -> Table:
    """Arcs of a structural class, labelled and unlabelled, strict and by the looser definition."""
    rows: list[tuple[str, ...]] = []
    groups = []
    for key, title in _CLASSES:
        of_class = getattr(scores.all_words, key)
        groups.append(len(rows))
        shown = (
            (title, of_class.strict_unlabelled, of_class.strict_labelled),
            ("  found anywhere", of_class.anywhere_unlabelled, of_class.anywhere_labelled),
        )
        for name, unlabelled, labelled in shown:
            counts = (f"{unlabelled.gold:,}", f"{unlabelled.system:,}") if name == title else ("", "")
            rows.append((name, *counts, *ratios(unlabelled), *ratios(labelled)))
    note = (
        "Of all words. First line, strict: an arc is right only if it is of the class in both trees (2005). Second "
        "line, looser: an arc of the class in one tree is right if the other tree has it at all (2010, 2013)."
    )
    heads = ("", "gold", "system", "P", "R", "F", "label. P", "R", "F")
    return Table("Arcs of a class", heads, tuple(rows), note, groups=tuple(groups))


def official_table(scores: Scores) -> Table | None:
    """The measures of the CoNLL 2018 shared task."""
    if scores.conll2018 is None:
        return None
    rows = tuple((_OFFICIAL.get(name, name), *ratios(score)) for name, score in scores.conll2018.items())
    note = "As the official evaluation: relations without subtypes, universal features, all words."
    return Table("CoNLL 2018", ("", "precision", "recall", "F"), rows, note)


def enhanced_table(scores: Scores) -> Table | None:
    """Arcs of the enhanced graphs, the column DEPS."""
    if scores.graph is None:
        return None
    rows = tuple(
        (title, f"{score.gold:,}", f"{score.system:,}", *ratios(score))
        for title, score in (("labelled", scores.graph.labelled), ("unlabelled", scores.graph.unlabelled))
    )
    return Table("Graphs (DEPS)", ("", "gold", "system", "precision", "recall", "F"), rows)


def calibration_summary(found: Calibration) -> str:
    """How well probabilities hold, in one line."""
    means = f"probability {percentage(found.probability)}, right heads {percentage(found.share)}"
    return f"expected error {percentage(found.error)} ({means})"


def calibration_table(scores: Scores) -> Table | None:
    """Heads by the probability that the parser gave them, and how many of them are right."""
    found = scores.calibration
    if found is None:
        return None
    rows = tuple(
        (f"{one.low:.1f} to {one.high:.1f}", f"{one.words:,}", percentage(one.probability), percentage(one.share))
        for one in found.bins
        if one.words
    )
    note = f"Do probabilities of heads hold? Expected calibration error {percentage(found.error)}."
    shares = tuple(one.share for one in found.bins if one.words)
    return Table("Calibration", ("probability", "words", "mean", "right heads"), rows, note, shares)


def breakdown_table(name: str, groups: Breakdown) -> Table:
    """The scores of groups of words; a bar for the labelled F."""
    shown = list(groups.items())[:_MOST_GROUPS]
    rows = tuple(
        (
            group,
            f"{scores.labelled.gold:,}",
            f"{scores.labelled.system:,}",
            percentage(scores.unlabelled.f1),
            *ratios(scores.labelled),
        )
        for group, scores in shown
    )
    shares = tuple(0.0 if math.isnan(scores.labelled.f1) else scores.labelled.f1 for _, scores in shown)
    more = f"The {_MOST_GROUPS} most frequent of {len(groups)}." if len(groups) > len(shown) else ""
    heads = ("", "gold", "system", "unlab. F", "label. P", "R", "F")
    return Table(f"By {name}", heads, rows, more, shares)


def confusion_table(scores: Scores) -> Table | None:
    """Relations taken for others."""
    if not scores.confusions:
        return None
    rows = tuple(
        (f"{one.gold} → {one.system}", f"{one.words:,}", f"{one.right_head:,}")
        for one in scores.confusions[:_MOST_CONFUSIONS]
    )
    return Table("Relations taken for others", ("gold → system", "words", "with the right head"), rows)


def main_tables(scores: Scores) -> list[Table]:
    """The tables of the scores themselves."""
    found = [score_table(scores), strict_table(scores.strict), official_table(scores), enhanced_table(scores)]
    return [table for table in found if table is not None]


def detail_tables(scores: Scores) -> list[Table]:
    """The tables that say where the errors are."""
    found = [*strict_groups(scores.strict), class_table(scores)]
    found += [breakdown_table(name, groups) for name, groups in scores.breakdowns.items()]
    confusions = confusion_table(scores)
    return found + ([] if confusions is None else [confusions])


# For other programs


def flat_scores(scores: Scores) -> Iterator[tuple[str, str, str, Score]]:
    """Go through all scores: measure, words, group (or "") and score."""
    for words, own in (("all", scores.all_words), ("no punctuation", scores.without_punctuation)):
        yield from ((name, words, "", score) for name, score in _word_scores(own))
    for breakdown, groups in scores.strict.groups.items():
        for group, arcs in groups.items():
            yield f"non-projective arcs, strict, unlabelled by {breakdown}", "all", group, arcs.unlabelled
            yield f"non-projective arcs, strict, labelled by {breakdown}", "all", group, arcs.labelled
    for name, score in (scores.conll2018 or {}).items():
        yield f"CoNLL 2018 {name}", "all", "", score
    if scores.graph is not None:
        yield "graph labelled", "all", "", scores.graph.labelled
        yield "graph unlabelled", "all", "", scores.graph.unlabelled
    if scores.calibration is not None:
        for one in scores.calibration.bins:
            yield "unlabelled by probability", "all", f"{one.low:.1f}", Score(one.right, one.words, one.words)
    for breakdown, groups in scores.breakdowns.items():
        for group, of_group in groups.items():
            yield f"unlabelled by {breakdown}", "all", group, of_group.unlabelled
            yield f"labelled by {breakdown}", "all", group, of_group.labelled


def _word_scores(words: WordScores) -> Iterator[tuple[str, Score]]:
    for key, title, _ in _ATTACHMENT:
        yield title, getattr(words.attachment, key)
    yield "root", words.root
    for key, title in _CLASSES:
        of_class = getattr(words, key)
        for kind in ("unlabelled", "labelled"):
            yield f"{title}, strict, {kind}", getattr(of_class, f"strict_{kind}")
            yield f"{title}, found anywhere, {kind}", getattr(of_class, f"anywhere_{kind}")


_HEADS = ("measure", "words", "group", "correct", "gold", "system", "precision", "recall", "f1")


def score_records(scores: Scores) -> tuple[Sequence[str], Iterator[tuple[Any, ...]]]:
    """Return all scores with the names of the columns; ratios are shares, NaN where they are undefined."""
    return _HEADS, (
        (measure, words, group, score.correct, score.gold, score.system, score.precision, score.recall, score.f1)
        for measure, words, group, score in flat_scores(scores)
    )


def scores_latex(names: Sequence[str], systems: Sequence[Scores]) -> str:
    """Write a LaTeX table with a row for each system.

    The columns are those of the papers' accuracy tables: LAS and UAS without punctuation and with it (p), exact match
    labelled and unlabelled, strict labelled precision, recall and F on non-projective arcs; and the
    expected calibration error, where a system has probabilities.
    """
    heads = ["system", "LAS", "UAS", "LAS (p)", "UAS (p)", "LEM", "UEM", "strict NPP", "NPR", "NPF"]
    rows = [[name, *_latex_cells(scores)] for name, scores in zip(names, systems, strict=True)]
    if any(scores.calibration is not None for scores in systems):
        heads.append("ECE")
        for row, scores in zip(rows, systems, strict=True):
            row.append("–" if scores.calibration is None else percentage(scores.calibration.error))
    return table_latex(Table("", tuple(heads), tuple(map(tuple, rows))))


def _latex_cells(scores: Scores) -> list[str]:
    bare, whole = scores.without_punctuation, scores.all_words
    attachment = [bare.attachment.las, bare.attachment.uas, whole.attachment.las, whole.attachment.uas]
    attachment += [bare.attachment.exact_labelled, bare.attachment.exact_unlabelled]
    return [*(percentage(score.f1) for score in attachment), *ratios(whole.nonprojective.strict_labelled)]
