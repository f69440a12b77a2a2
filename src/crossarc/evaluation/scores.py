"""Everything that is counted about a system's output, in one value. O(words)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import breakdowns
from .arc_classes import ArcClasses, ArcClassScores, arc_classes, class_scores
from .attachment import Attachment, attachment
from .breakdowns import Breakdown, Confusion
from .conll2018 import Conll2018
from .graphs import GraphScores, enhanced_scores, has_graphs
from .punctuation import Punctuation, described, punctuation_flags
from .score import Score

if TYPE_CHECKING:
    from .pair import Flags, Pair


@dataclass(frozen=True)
class WordScores:
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
        """Return plain data."""
        classes = ("nonprojective", "crossing", "projective")
        return {
            "words": self.words,
            **self.attachment.to_dict(),
            "root": self.root.to_dict(),
            **{f"{name}_arcs": getattr(self, name).to_dict() for name in classes},
        }


@dataclass(frozen=True)
class Scores:
    """All scores of a pair. `conll2018` is None for CoNLL-X, `graph` where a side has no DEPS."""

    sentences: int
    same_words: bool
    punctuation: str
    all_words: WordScores
    without_punctuation: WordScores
    conll2018: dict[str, Score] | None
    graph: GraphScores | None
    breakdowns: dict[str, Breakdown]
    confusions: list[Confusion]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        official = None if self.conll2018 is None else {name: one.to_dict() for name, one in self.conll2018.items()}
        return {
            "sentences": self.sentences,
            "same_words": self.same_words,
            "punctuation": self.punctuation,
            "all_words": self.all_words.to_dict(),
            "without_punctuation": self.without_punctuation.to_dict(),
            "conll2018": official,
            "graph": None if self.graph is None else self.graph.to_dict(),
            "breakdowns": {
                name: {group: scores.to_dict() for group, scores in groups.items()}
                for name, groups in self.breakdowns.items()
            },
            "confusions": [one.to_dict() for one in self.confusions],
        }


class Counter:
    """What several measures need to know of a pair, found out once."""

    def __init__(self, pair: Pair, punctuation: Punctuation, threads: int = 0) -> None:
        """Classify the arcs and find the punctuation."""
        self.pair = pair
        self.punctuation = punctuation
        self.classes: tuple[ArcClasses, ArcClasses] = (
            arc_classes(pair.gold, threads=threads),
            arc_classes(pair.system, threads=threads),
        )
        ours = ~punctuation_flags(pair.gold.treebank, punctuation)
        theirs = ours
        if not pair.same_words:
            theirs = ~punctuation_flags(pair.system.treebank, punctuation)
            theirs[pair.system_rows] = ours[pair.gold_rows]  # the gold standard decides
        self.counted: tuple[Flags, Flags] = (ours, theirs)
        everything = np.ones(pair.gold.words, bool)
        self.everything = everything, everything if pair.same_words else np.ones(pair.system.words, bool)
        self.is_conllu = pair.gold.treebank.format == pair.system.treebank.format == "conllu"

    def word_scores(self, counted: tuple[Flags, Flags]) -> WordScores:
        """Score some words."""
        pair, (ours, theirs) = self.pair, self.classes
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

    def scores(self) -> Scores:
        """Count everything."""
        pair = self.pair
        return Scores(
            sentences=len(pair.gold.lengths),
            same_words=pair.same_words,
            punctuation=described(self.punctuation),
            all_words=self.word_scores(self.everything),
            without_punctuation=self.word_scores(self.counted),
            conll2018=Conll2018(pair).scores() if self.is_conllu else None,
            graph=enhanced_scores(pair) if has_graphs(pair.gold) and has_graphs(pair.system) else None,
            breakdowns={
                "relation": breakdowns.by_relation(pair),
                "part of speech": breakdowns.by_part_of_speech(pair),
                "arc length": breakdowns.by_arc_length(pair),
                "distance to root": breakdowns.by_distance_to_root(pair),
                "sentence length": breakdowns.by_sentence_length(pair),
                "projectivity of the sentence": breakdowns.by_projectivity(pair, self.classes[0].nonprojective),
            },
            confusions=breakdowns.confusions(pair),
        )
