"""Sentences with their trees as plain data and as drawings: what `/parse`, `/draw` and the page answer.

Words with heads, relations, ranges in the text and, where the parser tells, probabilities; the classes of each tree as
facts and in words. O(words), and what drawings cost.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..drawing import Picture, render
from ..drawing.layout import Orientation, checked_orientation
from ..drawing.render_svg import page_svg
from ..errors import CrossarcError, clean
from ..structure import Classification, PlanarityWarning, classify
from ..structure.planes import plane_numbers
from ..treebank import Sentence, Treebank
from ..treebank.sentence import features
from .limits import Limits, RefusedError, check_size, check_text
from .models import RawText, ServedModel
from .udpipe import check_sentences, from_conllu, from_lines, from_words

#: Kinds of drawings by the names that requests use.
DRAWINGS = {"svg": ".svg", "tikz": ".tex", "html": ".html", "text": ".txt"}
INPUTS = ("text", "lines", "words", "conllu", "auto")
_COLUMNS = 10
#: A place in a text that is named by more digits is none.
_RANGE_DIGITS = 15
#: How long the search for planes may take: about a millisecond for each knot of crossing arcs.
BUDGET = 400_000


@dataclass(frozen=True)
class Options:
    """What a `/parse` asks for beside trees."""

    nbest: int = 1
    scores: bool = True
    svg: bool = False
    width: float = 1000.0
    orientation: Orientation = "auto"
    tags: bool = True

    @property
    def kind(self) -> tuple[int, bool]:
        """Requests of the same kind are parsed together."""
        return self.nbest, self.scores


@dataclass(frozen=True)
class Parsed:
    """Parsed sentences: of each its analyses, best first, with scores if the parser keeps any."""

    treebank: Treebank
    #: Where the analyses of each sentence begin.
    offsets: list[int]
    totals: list[float] | None = None
    scores: list[float] | None = None
    margins: list[float] | None = None
    probabilities: bool = False


def looks_like_conllu(text: str) -> bool:
    """Whether a text is CoNLL-U: its first line that is no comment has ten columns or so, and a number in the first."""
    for line in text.lstrip("\ufeff\n\r ").splitlines():
        if line.startswith("#") or not line.strip():
            continue
        cells = line.split("\t")
        return len(cells) >= _COLUMNS - 2 and cells[0].split("-")[0].split(".")[0].isdecimal()
    return False


def read_sentences(data: str, kind: str, model: ServedModel | None, limits: Limits) -> Treebank | RawText:
    """Read the sentences of a request; raw text needs a model with a tokenizer, without one it is lines of words."""
    if kind == "auto":
        tokenizes = model is not None and model.model.abilities.raw_text
        kind = "conllu" if looks_like_conllu(data) else "text" if tokenizes else "lines"
    if kind == "text":
        if model is None:
            raise RefusedError(400, "raw text needs a model with a tokenizer: give lines, words or CoNLL-U")
        check_text(data, limits)
        return RawText(data)
    if kind == "conllu":
        return from_conllu(data)
    return from_lines(data) if kind == "lines" else from_words(data)


def read_alone(data: str, kind: str, model: ServedModel | None, limits: Limits) -> Treebank:
    """Return the sentences of a request that is answered alone."""
    sentences = read_sentences(data, kind, model, limits)
    treebank = model.with_words([sentences])[0] if model and isinstance(sentences, RawText) else sentences
    assert isinstance(treebank, Treebank)
    check_words(treebank, limits)
    return treebank


def check_words(treebank: Treebank, limits: Limits) -> None:
    """Refuse too many words, and none."""
    check_sentences(treebank, limits)
    if not treebank.words:
        raise RefusedError(400, "there are no words in the data")


def parse_together(model: ServedModel, kind: tuple[int, bool], given: Treebank, ends: Sequence[int]) -> list[Parsed]:
    """Parse the sentences of several requests at once; `ends` says where those of each end."""
    nbest, scored = kind
    analyses = model.analyses(given, nbest) if scored or nbest > 1 else None
    if analyses is None:
        parsed = model.parse(given)
        every = Parsed(parsed, list(range(len(parsed) + 1)))
    else:
        values = (analyses.offsets, analyses.totals, analyses.scores, analyses.margins)
        offsets, totals, scores, margins = (array.tolist() for array in values)
        every = Parsed(analyses.treebank, offsets, totals, scores, margins, analyses.probabilities)
    return [_part(every, start, end) for start, end in zip([0, *ends], ends, strict=False)]


def _part(every: Parsed, start: int, end: int) -> Parsed:
    first, last = every.offsets[start], every.offsets[end]
    words = slice(int(every.treebank.word_offsets[first]), int(every.treebank.word_offsets[last]))
    return Parsed(
        every.treebank[first:last],
        [offset - first for offset in every.offsets[start : end + 1]],
        None if every.totals is None else every.totals[first:last],
        None if every.scores is None else every.scores[words],
        None if every.margins is None else every.margins[words],
        every.probabilities,
    )


def given_together(given: Treebank, ends: Sequence[int]) -> list[Parsed]:
    """Take the trees that the sentences of several requests have."""
    every = given_trees(given)
    return [_part(every, start, end) for start, end in zip([0, *ends], ends, strict=False)]


def given_trees(treebank: Treebank) -> Parsed:
    """Take the trees that sentences have; those without are refused."""
    for sentence in treebank:
        if not sentence.has_heads:
            raise RefusedError(400, f"sentence {clean(sentence.id)} has no heads: choose a model to parse it")
    return Parsed(treebank, list(range(len(treebank) + 1)))


def answer(parsed: Parsed, options: Options, limits: Limits, drawn: int = 0) -> dict[str, Any]:
    """Return sentences of a request as plain data.

    `drawn`: how many trees of the request were told before; behind the first ones, and of sentences that are too long,
    trees have no drawing.
    """
    classes = classified(parsed.treebank)
    drawable = np.diff(parsed.treebank.word_offsets) <= limits.drawn_words
    drawable[max(0, limits.drawn_sentences - drawn) :] = False
    analyses = [
        _analysis(parsed, number, classes, options, options.svg and bool(drawable[number]))
        for number in range(len(parsed.treebank))
    ]
    sentences = []
    for start, end in zip(parsed.offsets, parsed.offsets[1:], strict=False):
        sentence = parsed.treebank[start]
        sentences.append({"id": sentence.id, "text": sentence.text, "analyses": analyses[start:end]})
    first = parsed.treebank[parsed.offsets[:-1]] if parsed.offsets[-1] > len(sentences) else parsed.treebank
    return {"sentences": sentences, "conllu": first.to_text()}


def classified(treebank: Treebank) -> Classification:
    """Return the classes of sentences; where the least number of planes takes long to find, a bound of it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PlanarityWarning)
        return classify(treebank, budget=BUDGET)


def _planes(sentence: Sentence) -> list[int]:
    """Return the plane of the arc of each word, from 0."""
    numbers, _ = plane_numbers(sentence.heads, budget=BUDGET)
    return [max(0, plane) for plane in numbers.tolist()]


def joined(told: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the answer to a request whose sentences were told in pieces."""
    sentences = [sentence for piece in told for sentence in piece["sentences"]]
    return {"sentences": sentences, "conllu": "".join(piece["conllu"] for piece in told)}


def _analysis(parsed: Parsed, number: int, classes: Classification, options: Options, drawn: bool) -> dict[str, Any]:
    sentence = parsed.treebank[number]
    first = int(parsed.treebank.word_offsets[number])
    planes = _planes(sentence)
    crossings = classes.arc_crossings[first : first + len(sentence)].tolist()
    words = []
    for index, token in enumerate(sentence):
        row = first + index
        word = token.to_dict()
        misc = features(token["misc"])
        start, _, end = misc.get("TokenRange", "").partition(":")
        if start.isdecimal() and end.isdecimal() and max(len(start), len(end)) <= _RANGE_DIGITS:
            word |= {"start": int(start), "end": int(end)}
        word |= {"plane": planes[index], "crossings": crossings[index]}
        if parsed.scores is not None and parsed.margins is not None:
            word |= _score(parsed.scores[row], parsed.margins[row], parsed.probabilities)
        words.append(word)
    entry: dict[str, Any] = {
        "words": words,
        "classes": class_facts(classes, number),
        "described": in_words(sentence, classes, number),
    }
    if parsed.totals is not None:
        entry["score"] = round(parsed.totals[number], 6)
    if drawn:
        picture = sentence_picture(sentence, planes, crossings, options.tags)
        entry["svg"] = page_svg(picture, options.orientation, options.width)
    return entry


def _score(score: float, margin: float, probabilities: bool) -> dict[str, float | None]:
    values: dict[str, float | None] = {
        "score": round(score, 6) if math.isfinite(score) else None,
        "margin": round(margin, 6) if math.isfinite(margin) else None,
    }
    if probabilities:
        values["probability"] = round(math.exp(min(score, 0.0)), 6) if math.isfinite(score) else None
    return values


def class_facts(classes: Classification, number: int) -> dict[str, Any]:
    """Return the classes of a sentence."""
    kinds = ("one_endpoint_crossing", "well_nested", "gap_minding")
    counts = ("gap_degree", "edge_degree", "crossings", "nonprojective_arcs")
    return {
        "projective": not bool(classes.nonprojective[number]),
        "planarity": int(classes.planarity_upper[number]),
        **{name: bool(getattr(classes, name)[number]) for name in kinds},
        **{name: int(getattr(classes, name)[number]) for name in counts},
    }


def in_words(sentence: Sentence, classes: Classification, number: int) -> list[str]:
    """Say what kind of tree it is."""
    if not classes.nonprojective[number]:
        return ["Projective: every word and all below it are an interval, and no two arcs cross."]
    crossings, arcs = int(classes.crossings[number]), int(classes.nonprojective_arcs[number])
    planes = int(classes.planarity_upper[number])
    said = [
        f"Not projective: {_counted(arcs, 'arc')} {'passes' if arcs == 1 else 'pass'} over a word that is not below "
        "the arc’s head."
    ]
    if planes == 1:
        said.append("Planar: no two arcs cross; a root stands below an arc.")
    else:
        said.append(f"{planes}-planar: its {_counted(crossings, 'crossing')} can be drawn on {planes} planes.")
    degree = int(classes.gap_degree[number])
    said.append(f"Gap degree {degree}: the words below some word are {degree + 1} intervals.")
    if not classes.well_nested[number]:
        said.append("Ill-nested: two subtrees that have no word in common interleave.")
    if classes.one_endpoint_crossing[number]:
        said.append("1-endpoint-crossing: the arcs that cross an arc meet in one word, whichever arc it is.")
    else:
        said.append("Not 1-endpoint-crossing: some arc is crossed by arcs that have no word in common.")
    return said


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def sentence_picture(sentence: Sentence, planes: Sequence[int], crossings: Sequence[int], tags: bool) -> Picture:
    """Return what is drawn of a sentence; without tags if none of its words has one."""
    upos = sentence.texts("upos")
    return Picture(
        heads=tuple(sentence.heads.tolist()),
        forms=tuple(sentence.forms),
        labels=tuple(sentence.deprels),
        tags=tuple(upos) if tags and set(upos) != {"_"} else None,
        planes=tuple(planes),
        crossing=tuple(count > 0 for count in crossings),
        title=sentence.text,
    )


def draw(data: str, kind: str, orientation: str, sentence: int, tags: bool, limits: Limits) -> bytes:
    """Return a sentence of CoNLL-U as a drawing that stands alone."""
    if kind not in DRAWINGS:
        raise RefusedError(400, f"unknown kind of drawing {kind[:40]!r}: there are {', '.join(DRAWINGS)}")
    treebank = from_conllu(data)
    if not 1 <= sentence <= len(treebank):
        raise RefusedError(400, f"no sentence {sentence}: there are {len(treebank)}")
    chosen = treebank[sentence - 1 : sentence]
    check_size("words in a sentence to draw", chosen.words, limits.drawn_words)
    try:
        checked = checked_orientation(orientation)
        given_trees(chosen)
        crossings = classified(chosen).arc_crossings.tolist()
        picture = sentence_picture(chosen[0], _planes(chosen[0]), crossings, tags)
        return render(picture, DRAWINGS[kind], "horizontal" if kind == "tikz" else checked)
    except CrossarcError as error:
        raise RefusedError(400, str(error)) from error
