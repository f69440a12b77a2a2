"""What a report on a system's scores shows, whatever it is written on: tables of scores, errors and groups of words.

Of long lists the tables have the beginning; the CSV has all of it. O(groups).
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from ..evaluation import Breakdown, Calibration, Score, Scores, WordScores
from .table import Table, csv_text, data_frame, table_latex, table_text
from .text import blocks_text, plural, printable

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


def percentage(value: float) -> str:
    """Write a share in percent, as papers do.

    >>> percentage(0.83456), percentage(float("nan"))
    ('83.46', '–')
    """
    return "–" if math.isnan(value) else f"{100 * value:.2f}"


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
    arcs = scores.all_words.nonprojective.labelled
    ratios = ", ".join(f"{name} {value}" for name, value in zip("PRF", _ratios(arcs), strict=True))
    lines = [f"non-projective arcs  {ratios} ({arcs.gold:,} gold, {arcs.system:,} in the output)"]
    if scores.conll2018 is not None:
        shown = (f"{_OFFICIAL.get(key, key)} {percentage(scores.conll2018[key].f1)}" for key in _OF_PARSERS)
        lines.append(f"CoNLL 2018           {', '.join(shown)}")
    if scores.calibration is not None:
        lines.append(f"calibration          {calibration_summary(scores.calibration)}")
    table = table_text(Table("", ("", "all words", "no punctuation"), rows), width)
    wrapped = [part for line in lines for part in textwrap.wrap(line, width, subsequent_indent=" " * 21)]
    return blocks_text([textwrap.wrap(printable(title), width), table, wrapped])


def class_table(scores: Scores) -> Table:
    """Arcs of a structural class, labelled and unlabelled, by both definitions."""
    rows: list[tuple[str, ...]] = []
    groups = []
    for key, title in _CLASSES:
        of_class = getattr(scores.all_words, key)
        groups.append(len(rows))
        shown = (
            (title, of_class.unlabelled, of_class.labelled),
            ("  in both trees", of_class.unlabelled_both, of_class.labelled_both),
        )
        for name, unlabelled, labelled in shown:
            counts = (f"{unlabelled.gold:,}", f"{unlabelled.system:,}") if name == title else ("", "")
            rows.append((name, *counts, *_ratios(unlabelled), *_ratios(labelled)))
    note = (
        "Of all words. First line: an arc is found if the other tree has it at all (2010, 2013). Second line: only if "
        "it is of the class in both trees (2005)."
    )
    heads = ("", "gold", "system", "P", "R", "F", "label. P", "R", "F")
    return Table("Arcs of a class", heads, tuple(rows), note, groups=tuple(groups))


def _ratios(score: Score) -> tuple[str, str, str]:
    return percentage(score.precision), percentage(score.recall), percentage(score.f1)


def official_table(scores: Scores) -> Table | None:
    """The measures of the CoNLL 2018 shared task."""
    if scores.conll2018 is None:
        return None
    rows = tuple((_OFFICIAL.get(name, name), *_ratios(score)) for name, score in scores.conll2018.items())
    note = "As the official evaluation: relations without subtypes, universal features, all words."
    return Table("CoNLL 2018", ("", "precision", "recall", "F"), rows, note)


def enhanced_table(scores: Scores) -> Table | None:
    """Arcs of the enhanced graphs, the column DEPS."""
    if scores.graph is None:
        return None
    rows = tuple(
        (title, f"{score.gold:,}", f"{score.system:,}", *_ratios(score))
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
            *_ratios(scores.labelled),
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
    found = [score_table(scores), class_table(scores), official_table(scores), enhanced_table(scores)]
    return [table for table in found if table is not None]


def detail_tables(scores: Scores) -> list[Table]:
    """The tables that say where the errors are."""
    found = [breakdown_table(name, groups) for name, groups in scores.breakdowns.items()]
    confusions = confusion_table(scores)
    return found + ([] if confusions is None else [confusions])


# For other programs


def flat_scores(scores: Scores) -> Iterator[tuple[str, str, str, Score]]:
    """Go through all scores: measure, words, group (or "") and score."""
    for words, own in (("all", scores.all_words), ("no punctuation", scores.without_punctuation)):
        yield from ((name, words, "", score) for name, score in _word_scores(own))
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
            yield f"{title}, {kind}", getattr(of_class, kind)
            yield f"{title} in both, {kind}", getattr(of_class, f"{kind}_both")


_HEADS = ("measure", "words", "group", "correct", "gold", "system", "precision", "recall", "f1")


def scores_csv(scores: Scores) -> str:
    """Write all scores as CSV, a row each."""
    return csv_text(_HEADS, (_csv_row(*one) for one in flat_scores(scores)))


def scores_frame(scores: Scores) -> Any:
    """Return all scores as a data frame, a row each; ratios are shares from 0 to 1, NaN where they are undefined."""
    rows = (
        (measure, words, group, one.correct, one.gold, one.system, one.precision, one.recall, one.f1)
        for measure, words, group, one in flat_scores(scores)
    )
    return data_frame(_HEADS, rows)


def _csv_row(measure: str, words: str, group: str, score: Score) -> list[str | int]:
    ratios = ("" if math.isnan(one) else f"{one:.6f}" for one in (score.precision, score.recall, score.f1))
    return [measure, words, group, score.correct, score.gold, score.system, *ratios]


def scores_latex(names: Sequence[str], systems: Sequence[Scores]) -> str:
    """Write a LaTeX table with a row for each system.

    The columns are those of the papers' accuracy tables: LAS and UAS without punctuation and with it (p), exact match
    labelled and unlabelled, precision, recall and F on non-projective arcs; and the expected calibration error, where a
    system has probabilities.
    """
    heads = ["system", "LAS", "UAS", "LAS (p)", "UAS (p)", "LEM", "UEM", "NPP", "NPR", "NPF"]
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
    return [*(percentage(score.f1) for score in attachment), *_ratios(whole.nonprojective.labelled)]
