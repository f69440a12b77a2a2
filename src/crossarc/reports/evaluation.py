"""How good is a system's output: every score of the papers and of the CoNLL 2018 shared task, as a report.

`crossarc.evaluation` reads, checks and counts; here the report is put together, its page with plots and sentences whose
errors are marked. O(words), and what the drawings cost.
"""

from __future__ import annotations

import math
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, TypeAlias

import numpy as np

from .._arrays import Ids, Offsets
from ..drawing import Picture
from ..drawing.page import TWO_ANALYSES, drawing, figure, html_text
from ..errors import CrossarcError, SourceError
from ..evaluation import Breakdown, Pair, Punctuation, Scores, make_pair
from ..evaluation.error_analysis import errors_by_sentence, instructive_sentences, kinds_of_error, worst_sentences
from ..evaluation.scores import checked_punctuation
from ..evaluation.validity import read_gold, read_system, refuse_faults, required_roots, tree_faults
from ..treebank import Treebank, TreebankError, read
from .evaluation_tables import (
    calibration_summary,
    calibration_table,
    detail_tables,
    main_tables,
    score_records,
    score_table,
    scores_latex,
    short_text,
    summary,
)
from .nonprojective import sentences_section
from .page import lying_bars, plot, reliability, report_page, tiles, upright_bars
from .table import Report, Table, html_table, table_html, tables_text
from .text import distinct_names, percentage, plural, treebank_name

Source: TypeAlias = "Treebank | str | os.PathLike[str]"

_UPRIGHT = ("sentence length", "arc length", "distance to root")
_LYING = ("relation", "part of speech")
_MOST_BARS = 15

#: Words in the name of a file that say what it is.
_OUTPUT_NAMES = {"out", "output", "parsed", "parse", "pred", "predicted", "prediction", "predictions", "sys", "system"}


class Evaluation(Report):
    """What `evaluate` found. It prints as tables and shows itself in a notebook; `scores` has all of it.

    >>> import crossarc as xa
    >>> gold = xa.sample(50)
    >>> found = xa.evaluate(gold, gold)
    >>> found.uas, found.las, found.scores.all_words.attachment.exact_labelled.correct
    (1.0, 1.0, 50)
    """

    def __init__(self, scores: Scores, gold: str, system: str, invalid: Sequence[str] = ()) -> None:
        """Keep the scores, the names of the two files, and what is wrong with the system's trees."""
        self.scores = scores
        self.gold = gold
        self.system = system
        self.invalid = list(invalid)

    @property
    def uas(self) -> float:
        """The share of all words with the right head (F, where the words are not the same)."""
        return self.scores.all_words.attachment.uas.f1

    @property
    def las(self) -> float:
        """The share of all words with the right head and relation (F, where the words are not the same)."""
        return self.scores.all_words.attachment.las.f1

    @property
    def notes(self) -> list[str]:
        """What the reader of the figures should know."""
        notes = []
        if not self.scores.pair.same_words:
            notes.append("the two files do not have the same words or sentences; words were aligned by their place")
        if self.invalid:
            notes.append(f"the system output has {len(self.invalid):,} faults, the first: {self.invalid[0]}")
        gold, system = (set(re.split(r"[^a-z]+", PurePath(name).name.lower())) for name in (self.gold, self.system))
        if gold & _OUTPUT_NAMES and "gold" in system and not system & _OUTPUT_NAMES:
            taken = f"{self.gold} was taken for the gold standard and {self.system} for the system output"
            notes.append(f"{taken}: the gold standard comes first")
        return notes

    def pictures(self) -> dict[str, list[Picture]]:
        """Return what to draw: the worst sentences and an example of each common error, gold and system together."""
        pair = self.scores.pair
        worst = worst_sentences(pair)
        return {
            title: [two_analyses(pair, one.index, one.reason) for one in examples]
            for title, examples in (
                ("The worst sentences", worst),
                ("The most common errors", instructive_sentences(pair, besides=worst)),
            )
        }

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {"gold": self.gold, "system": self.system, "invalid": self.invalid, **self.scores.to_dict()}

    def to_text(self, width: int = 100, *, full: bool = True) -> str:
        """Return the report for a terminal of so many columns; there must be room for 76.

        The short form has the scores in a few lines, the full one every class, group of words and confusion.
        """
        title = f"{self.system} against {self.gold}: {summary(self.scores)}"
        if not full:
            return short_text(title, self.scores, max(76, width))
        tables = [*main_tables(self.scores), calibration_table(self.scores), *detail_tables(self.scores)]
        return tables_text(title, [table for table in tables if table is not None], [], max(76, width))

    def to_html(self) -> str:
        """Return a page that stands alone: tables, plots, and drawings of sentences with the errors marked."""
        return _page(self)

    def errors_html(self) -> str:
        """Return a page with every sentence that has errors: drawn, with the errors marked, and by kind of error."""
        return errors_page(self.scores.pair, distinct_names([self.gold, self.system]))

    def records(self) -> tuple[Sequence[str], Iterator[tuple[Any, ...]]]:
        """Return all scores, a row each with its counts."""
        return score_records(self.scores)

    def to_latex(self) -> str:
        """Return a table for a paper: one row with the columns of the papers' accuracy tables."""
        return scores_latex([PurePath(self.system).name], [self.scores])

    def _repr_html_(self) -> str:
        return f"<div>{table_html(score_table(self.scores))}</div>"


def evaluate(
    gold: Source,
    system: Source,
    *,
    punctuation: Punctuation | None = None,
    root: str | None = None,
    format: str | None = None,
    allow_invalid: bool = False,
    threads: int = 0,
) -> Evaluation:
    """Score a system's output against a gold standard; both are treebanks or paths.

    `punctuation` says what is left out of the second set of scores: "upos" (tagged PUNCT), "unicode" (all characters of
    Unicode category P, the convention of CoNLL-X) or a compiled regular expression; by default the first for CoNLL-U,
    the second for CoNLL-X. Both must have the same sentences and words; CoNLL-U may also be cut differently. Output
    that is no tree is an error, unless `allow_invalid`; `root` says whether it may have several roots ("single" or
    "any"), by default as the gold standard does. `threads` 0 means all cores.
    """
    for given in (gold, system):
        if not isinstance(given, (Treebank, str, os.PathLike)) and not hasattr(given, "read"):
            raise SourceError(f"a treebank or the path of one is needed, not a {type(given).__name__}")
    if isinstance(gold, Treebank):
        ours = gold
    elif gold == system == "-":
        raise CrossarcError("standard input cannot be both the gold standard and the system output")
    else:
        ours = read_gold_standard(gold, system, format=format, root=root, threads=threads)
    return evaluate_against(ours, system, punctuation, root, format, allow_invalid, threads)


def read_gold_standard(gold: Source, system: Source, *, format: str | None, root: str | None, threads: int) -> Treebank:
    """Read a gold standard; if it is not well-formed and the system output is, say that they may be swapped."""
    try:
        return read_gold(gold, format=format, root=root, threads=threads)
    except CrossarcError as error:
        if isinstance(error.__cause__, TreebankError) and _is_readable(system, format, root):
            raise CrossarcError(f"{error}; the system output is: are the arguments the wrong way round?") from error
        raise


def _is_readable(system: Source, format: str | None, root: str | None) -> bool:
    if isinstance(system, Treebank):
        return system.has_heads
    try:
        return system != "-" and read(system, format=format, root=root).has_heads
    except CrossarcError:
        return False


def evaluate_against(
    gold: Treebank,
    system: Source,
    punctuation: Punctuation | None,
    root: str | None,
    format: str | None,
    allow_invalid: bool,
    threads: int,
) -> Evaluation:
    """Score a system's output against a gold standard that is read already."""
    root = root or required_roots(gold)
    heads: Ids | None = None
    faults: list[str] = []
    if isinstance(system, Treebank):
        theirs = system
    else:
        theirs, heads, faults = read_system(
            system, format=format, root=root, threads=threads, allow_invalid=allow_invalid
        )
    if not gold.has_heads:
        headless = next(sentence for sentence in gold if not sentence.has_heads)
        swapped = ": are the arguments the wrong way round?" if theirs.has_heads else ": use a file that has them"
        raise CrossarcError(f"the gold standard has no heads: {headless.place}{swapped}")
    if heads is None:
        faults = tree_faults(theirs, root)
    if not allow_invalid:
        refuse_faults(faults)
    scores = Scores(make_pair(gold, theirs, heads), checked_punctuation(punctuation, gold), threads=threads)
    return Evaluation(scores, treebank_name(gold), treebank_name(theirs), faults)


def two_analyses(pair: Pair, index: int, about: str = "", *, tags: bool = True) -> Picture:
    """Return what to draw of a sentence that both have: the gold tree, and what the system made of it."""
    ours, theirs = pair.gold.treebank[index], pair.system.treebank[index]
    words = slice(ours.first_row, ours.last_row)
    upos = ours.texts("upos")
    wrong = int((~pair.both_correct[words]).sum())
    about = about or f"{wrong} of {plural(len(ours), 'arc')} {'differs' if wrong == 1 else 'differ'}"
    return Picture(
        heads=tuple(ours.heads.tolist()),
        forms=tuple(ours.forms),
        labels=tuple(ours.deprels),
        tags=None if not tags or set(upos) <= {"_"} else tuple(upos),
        other_heads=tuple(pair.system.heads[words].tolist()),
        other_labels=tuple(theirs.deprels),
        title=f"{ours.id}: {about}",
    )


# The page


def _page(found: Evaluation) -> str:
    scores, names = found.scores, distinct_names([found.gold, found.system])
    title = html_text(f"How good is {names[1]}?")
    sections = [
        f'<header><h1>{title}</h1>\n<p class="note">against {html_text(names[0])}: '
        f"{html_text(summary(scores))}</p></header>\n",
        _figures(scores),
        "".join(f'<p class="verdict">Note: {html_text(note)}.</p>\n' for note in found.notes),
        *(_section(table) for table in main_tables(scores)),
        _calibration(scores),
        _plots(scores),
        sentences_section(scores, two_analyses),
        _drawings(found.pictures()),
        "<h2>In detail</h2>\n",
        *(f"<h3>{html_text(table.title)}</h3>\n{table_html(table)}" for table in detail_tables(scores)),
    ]
    return report_page(title, sections)


def _figures(scores: Scores) -> str:
    whole, bare, arcs = scores.all_words, scores.without_punctuation, scores.strict.unlabelled
    built = f"{arcs.system:,} built"
    return tiles(
        [
            (percentage(whole.attachment.las.f1), f"LAS; {percentage(bare.attachment.las.f1)} without punctuation"),
            (percentage(whole.attachment.uas.f1), f"UAS; {percentage(bare.attachment.uas.f1)} without punctuation"),
            (percentage(whole.attachment.exact_labelled.recall), "of the sentences are right as a whole"),
            (percentage(arcs.f1), f"strict F of non-projective arcs: {arcs.correct:,} right of {arcs.gold:,}, {built}"),
        ]
    )


def _section(table: Table) -> str:
    return f"<h2>{html_text(table.title)}</h2>\n{table_html(table)}"


def _calibration(scores: Scores) -> str:
    found, table = scores.calibration, calibration_table(scores)
    if found is None or table is None:
        return ""
    bars = [(one.low, one.high, one.probability, one.share) for one in found.bins if one.words]
    legend = (
        '<span class="swatch first"></span> right heads by probability, <span class="swatch second"></span> at the '
        "mean of a bin; on the line probabilities hold"
    )
    chart = plot("Reliability", legend, reliability(bars, f"Right heads by probability: {calibration_summary(found)}"))
    return f'<h2>{table.title}</h2>\n<div class="charts">{chart}<section>{table_html(table)}</section></div>\n'


def _plots(scores: Scores) -> str:
    plots = [_upright(name, scores.breakdowns[name]) for name in _UPRIGHT]
    plots += [_lying(name, scores.breakdowns[name]) for name in _LYING]
    return f'<h2>Where the errors are</h2>\n<div class="charts">{"".join(plots)}</div>\n'


def _upright(name: str, groups: Breakdown) -> str:
    columns = [(group, [score_bar(of.unlabelled.f1), score_bar(of.labelled.f1)]) for group, of in groups.items()]
    legend = '<span class="swatch first"></span> unlabelled, <span class="swatch second"></span> labelled F'
    return plot(f"By {name}", legend, upright_bars(columns, f"F by {name}"))


def score_bar(value: float) -> tuple[float, str]:
    """Return the height of a bar and the figure on it; what is undefined has none."""
    return (0.0, "") if math.isnan(value) else (value, f"{100 * value:.0f}")


def _lying(name: str, groups: Breakdown) -> str:
    rows = [
        (group, of.labelled.f1, f"{percentage(of.labelled.f1)} of {of.labelled.gold:,}")
        for group, of in list(groups.items())[:_MOST_BARS]
        if not math.isnan(of.labelled.f1)
    ]
    return plot(f"By {name}", "labelled F, the most frequent", lying_bars(rows, f"Labelled F by {name}"))


def _drawings(pictures: Mapping[str, Sequence[Picture]]) -> str:
    parts = []
    for title, drawn in pictures.items():
        if drawn:
            figures = "".join(map(figure, drawn))
            parts.append(f'<section><h3>{html_text(title)}</h3>\n<div class="examples">{figures}</div></section>\n')
    if not parts:
        return ""
    all_errors = "<code>crossarc evaluate --errors PATH</code> draws every sentence with errors."
    return f'<h2>Sentences</h2>\n<p class="note legend">{TWO_ANALYSES} {all_errors}</p>\n{"".join(parts)}'


# All errors

_MOST_DRAWN = 25_000  # words of the sentences that are drawn: about eight megabytes
_MOST_LINKS = 40  # from a kind of error
_SIZES = (1, 2, 3, 5, 9)  # errors of a sentence at which a new group begins


def errors_page(pair: Pair, names: Sequence[str]) -> str:
    """Write a page with every sentence that has errors, once, behind its name; kinds of error link to sentences."""
    if not pair.same_words:
        raise CrossarcError("errors can be drawn only where both files have the same words and sentences")
    errors = errors_by_sentence(pair)
    sentences = np.flatnonzero(errors)
    words = np.cumsum(pair.gold.lengths[sentences])
    drawn, listed = sentences[words <= _MOST_DRAWN].tolist(), sentences[words > _MOST_DRAWN].tolist()
    kinds = kinds_of_error(pair)
    title = html_text(f"The errors of {names[1]}")
    counts = f"{plural(int(errors.sum()), 'error')} in {len(sentences):,} of {plural(len(errors), 'sentence')}"
    sections = [
        f'<header><h1>{title}</h1>\n<p class="note">against {html_text(names[0])}: {counts}</p></header>\n',
        _kinds_table(kinds),
        f'<h2>Sentences</h2>\n<p class="note legend">{TWO_ANALYSES}</p>\n' if drawn else "",
        *_drawn_errors(pair, drawn, errors),
        _listed_errors(pair, listed, errors, kinds),
    ]
    return report_page(title, sections)


def _anchor(index: int) -> str:
    return f"s{index + 1}"


def _kinds_table(kinds: Mapping[str, Sequence[int]]) -> str:
    if not kinds:
        return "<p>There are no errors.</p>\n"
    rows = []
    for kind, sentences in kinds.items():
        own = list(dict.fromkeys(sentences))
        links = " ".join(f'<a href="#{_anchor(index)}">{index + 1}</a>' for index in own[:_MOST_LINKS])
        more = f" and {len(own) - _MOST_LINKS:,} more" if len(own) > _MOST_LINKS else ""
        cells = f"<td>{html_text(kind)}</td><td>{len(sentences):,}</td>"
        rows.append(f'<tr>{cells}<td class="words">{links}{more}</td></tr>')
    table = html_table(("kind", "words", "sentences, by number"), rows, words=(2,))
    heading = plural(len(rows), "kind") + ", the most common first"
    return f"<h2>Kinds of error</h2>\n<details><summary>{heading}</summary>\n{table}</details>\n"


def _drawn_errors(pair: Pair, sentences: Sequence[int], errors: Offsets) -> Iterator[str]:
    """The sentences by how many errors they have; a drawing that is not opened is not laid out by a browser."""
    for first, last in zip(_SIZES, [*(size - 1 for size in _SIZES[1:]), 0], strict=True):
        own = [index for index in sentences if first <= errors[index] and (not last or errors[index] <= last)]
        if own:
            size = plural(first, "error") if first == last else f"{first} {f'to {last}' if last else 'or more'} errors"
            heading = f"{size}: {plural(len(own), 'sentence')}"
            yield f'<details class="group"><summary>{heading}</summary>\n'
            yield from (_one_sentence(pair, index) for index in own)
            yield "</details>\n"


def _one_sentence(pair: Pair, index: int) -> str:
    picture = two_analyses(pair, index)
    name = f"<summary>{index + 1}. {html_text(picture.caption)}</summary>"
    # The anchor is inside, so that a browser that follows a link opens what is around it.
    return f'<details>{name}\n<div id="{_anchor(index)}">{drawing(picture)}</div></details>\n'


def _listed_errors(pair: Pair, sentences: Sequence[int], errors: Offsets, kinds: Mapping[str, Sequence[int]]) -> str:
    if not sentences:
        return ""
    own: defaultdict[int, list[str]] = defaultdict(list)
    for kind, places in kinds.items():
        for index in places:
            own[index].append(kind)
    rows = []
    for index in sentences:
        counts = Counter(own[index])
        text = "; ".join(kind if count == 1 else f"{kind} ({count})" for kind, count in counts.items())
        name = f'<td id="{_anchor(index)}">{index + 1}. {html_text(pair.gold.treebank[index].id)}</td>'
        cells = f'<td>{pair.gold.lengths[index]}</td><td>{errors[index]}</td><td class="words">{html_text(text)}</td>'
        rows.append(f"<tr>{name}{cells}</tr>")
    note = (
        f"The page has drawings of sentences of up to {_MOST_DRAWN:,} words in all; "
        f"<code>crossarc draw --gold … --system … -s ID</code> draws one of these {len(rows):,}."
    )
    table = html_table(("sentence", "words", "errors", "kinds of error"), rows, words=(3,))
    return f'<h2>Sentences that are not drawn</h2>\n<p class="note">{note}</p>\n{table}'
