"""Everything that is counted about a system's output, in one place, over all words and without punctuation. O(words).

Punctuation has three definitions: by the tag PUNCT (`upos`, usual for Universal Dependencies); by the characters of the
word, all of Unicode category P (`unicode`, the convention of the CoNLL-X shared task of 2006, which the papers follow);
or by a regular expression that matches the whole word. Texts are looked at once each: O(different words).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from .._arrays import Flags
from ..errors import CrossarcError
from ..options import checked_threads
from ..structure.arcs import Arcs
from ..treebank import Treebank
from . import error_analysis
from .arc_classes import ArcClasses, ArcClassScores, arc_classes, class_scores
from .attachment import (
    Attachment,
    PlainData,
    Score,
    UndirectedAttachment,
    attachment,
    plain,
    undirected_attachment,
)
from .calibration import Calibration, calibration
from .conll2018 import Conll2018
from .enhanced_graphs import GraphScores, enhanced_scores, has_graphs
from .error_analysis import Breakdown, Confusion
from .pair import Pair
from .strict import NonprojectiveArcs, StrictScores, sentences_of_system, strict_scores

#: "upos", "unicode", or a regular expression.
Punctuation: TypeAlias = "str | re.Pattern[str]"

_NAMES = ("upos", "unicode")


def checked_punctuation(punctuation: Punctuation | None, gold: Treebank) -> Punctuation:
    """Return the definition that is meant: by default `upos` for CoNLL-U that has tags, else `unicode`."""
    if punctuation is None:
        tagged = gold.format == "conllu" and bool((gold.column("upos") != 0).any())
        return "upos" if tagged else "unicode"
    if isinstance(punctuation, str) and punctuation not in _NAMES:
        raise CrossarcError(
            f'unknown definition of punctuation "{punctuation}": use one of {", ".join(_NAMES)}, '
            "or a compiled regular expression (--punctuation-pattern)"
        )
    return punctuation


def described(punctuation: Punctuation) -> str:
    """Put the definition into words."""
    if punctuation == "upos":
        return "words tagged PUNCT"
    if punctuation == "unicode":
        return "words of Unicode punctuation only"
    return f"words that match {punctuation.pattern if isinstance(punctuation, re.Pattern) else punctuation}"


def is_punctuation(form: str) -> bool:
    """Whether all characters of a word have Unicode category P.

    >>> is_punctuation("»..."), is_punctuation("$"), is_punctuation("...a")
    (True, False, False)
    """
    return bool(form) and all(unicodedata.category(character).startswith("P") for character in form)


def punctuation_flags(treebank: Treebank, punctuation: Punctuation) -> Flags:
    """Return which words of a treebank are punctuation."""
    if punctuation == "upos":
        tag = treebank.pool.find("PUNCT")
        return np.equal(treebank.column("upos"), tag)
    if isinstance(punctuation, re.Pattern):
        pattern = punctuation
        return by_text(treebank, "form", lambda form: pattern.fullmatch(form) is not None)
    return by_text(treebank, "form", is_punctuation)


def by_text(treebank: Treebank, column: str, holds: Callable[[str], bool]) -> Flags:
    """Return for which words something holds of the text of a column, which is asked once for each text."""
    texts, text_of = treebank.distinct_texts(column)
    answers: Flags = np.array([holds(text) for text in texts], bool)[text_of]
    return answers


@dataclass(frozen=True)
class WordScores(PlainData):
    """The scores over one set of words: all, or those that are not punctuation.

    The three classes of arcs are those of `crossarc.evaluation.arc_classes`; `root` is over the words whose head is the
    artificial root.
    """

    words: int
    attachment: Attachment
    root: Score
    nonprojective: ArcClassScores
    crossing: ArcClassScores
    projective: ArcClassScores

    def to_dict(self) -> dict[str, Any]:
        classes = {f"{name}_arcs": getattr(self, name) for name in ("nonprojective", "crossing", "projective")}
        return {"words": self.words, **self.attachment.to_dict(), **plain({"root": self.root, **classes})}


class Scores:
    """All scores of a pair; each is counted when it is first asked for."""

    def __init__(self, pair: Pair, punctuation: Punctuation, *, threads: int = 0) -> None:
        """Score a pair; `threads` 0 means all cores."""
        self.pair = pair
        #: The number of sentences of the gold standard.
        self.sentences = len(pair.gold.lengths)
        self.punctuation = described(punctuation)
        self._punctuation = punctuation
        self._threads = checked_threads(threads)

    @cached_property
    def arc_classes(self) -> tuple[ArcClasses, ArcClasses]:
        """The classes of the arcs of both sides."""
        pair = self.pair
        return arc_classes(pair.gold, threads=self._threads), arc_classes(pair.system, threads=self._threads)

    @cached_property
    def every_word(self) -> tuple[Flags, Flags]:
        """All words of both sides."""
        return np.ones(self.pair.gold.words, bool), np.ones(self.pair.system.words, bool)

    @cached_property
    def no_punctuation(self) -> tuple[Flags, Flags]:
        """The words of both sides that are not punctuation; of aligned words the gold standard decides."""
        pair = self.pair
        ours = ~punctuation_flags(pair.gold.treebank, self._punctuation)
        if pair.same_words:
            return ours, ours
        theirs = ~punctuation_flags(pair.system.treebank, self._punctuation)
        theirs[pair.system_rows] = ours[pair.gold_rows]
        return ours, theirs

    @cached_property
    def all_words(self) -> WordScores:
        """The scores over all words."""
        return self._word_scores(self.every_word)

    @cached_property
    def without_punctuation(self) -> WordScores:
        """The scores over words that are not punctuation."""
        return self._word_scores(self.no_punctuation)

    def _word_scores(self, counted: tuple[Flags, Flags]) -> WordScores:
        pair, (ours, theirs) = self.pair, self.arc_classes
        roots = [np.equal(side.heads, 0) & flags for side, flags in zip((pair.gold, pair.system), counted, strict=True)]
        found = pair.head_correct & roots[0][pair.gold_rows]
        return WordScores(
            int(np.count_nonzero(counted[0])),
            attachment(pair, *counted),
            Score(*(int(np.count_nonzero(flags)) for flags in (found, *roots))),
            *(
                class_scores(pair, getattr(ours, name), getattr(theirs, name), *counted)
                for name in ("nonprojective", "crossing", "projective")
            ),
        )

    @cached_property
    def nonprojective_arcs(self) -> NonprojectiveArcs:
        """The non-projective arcs of both sides, and which of them are right."""
        return NonprojectiveArcs.of(self.pair, self.arc_classes)

    @cached_property
    def strict(self) -> StrictScores:
        """The strict scores of non-projective arcs over all words."""
        return strict_scores(self.pair, self.nonprojective_arcs, sentences_of_system(self.pair))

    @cached_property
    def official(self) -> Conll2018 | None:
        """What the measures of the CoNLL 2018 shared task need to know; None for CoNLL-X."""
        formats = {side.treebank.format for side in (self.pair.gold, self.pair.system)}
        return Conll2018(self.pair) if formats == {"conllu"} else None

    @cached_property
    def conll2018(self) -> dict[str, Score] | None:
        """The measures of the CoNLL 2018 shared task by name; None for CoNLL-X."""
        return None if self.official is None else self.official.scores()

    @cached_property
    def graph(self) -> GraphScores | None:
        """The scores over the arcs of enhanced graphs (DEPS); None where a side has none."""
        pair = self.pair
        return enhanced_scores(pair) if has_graphs(pair.gold) and has_graphs(pair.system) else None

    @cached_property
    def undirected(self) -> tuple[UndirectedAttachment, UndirectedAttachment]:
        """The undirected scores over all words and without punctuation; both sides must have the same words."""
        pair = self.pair
        if not pair.same_words:
            raise CrossarcError("undirected scores need the same words in the same sentences on both sides")
        gold, system = (Arcs.from_heads(side.heads, side.deprel, side.offsets) for side in (pair.gold, pair.system))
        every, some = self.every_word[0], self.no_punctuation[0]
        return undirected_attachment(gold, system, every), undirected_attachment(gold, system, some)

    @cached_property
    def breakdowns(self) -> dict[str, Breakdown]:
        """The scores of groups of words, by what makes the groups."""
        pair = self.pair
        return {
            "relation": error_analysis.by_relation(pair),
            "part of speech": error_analysis.by_part_of_speech(pair),
            "arc length": error_analysis.by_arc_length(pair),
            "distance to root": error_analysis.by_distance_to_root(pair),
            "sentence length": error_analysis.by_sentence_length(pair),
            "projectivity of the sentence": error_analysis.by_projectivity(pair, self.arc_classes[0].nonprojective),
        }

    @cached_property
    def calibration(self) -> Calibration | None:
        """Whether the probabilities of heads in the system's output hold; None where it has none."""
        return calibration(self.pair)

    @cached_property
    def confusions(self) -> list[Confusion]:
        """Relations taken for others, the most frequent first."""
        return error_analysis.confusions(self.pair)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        counted = ("all_words", "without_punctuation", "conll2018", "graph", "breakdowns", "calibration", "confusions")
        return {
            "sentences": self.sentences,
            "same_words": self.pair.same_words,
            "punctuation": self.punctuation,
            "nonprojective_strict": plain(self.strict),
            **{name: plain(getattr(self, name)) for name in counted},
        }
