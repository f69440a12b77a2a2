"""How good is a pipeline from raw text: the text of a gold standard is parsed anew, and words are aligned.

The text is put together from the tokens and spaces of the gold standard, paragraphs apart by an empty line, as in the
CoNLL 2018 shared task (Zeman et al. 2018, Section 5). With gold words, tags, lemmas and trees alone are the pipeline's.
The cost is that of the pipeline.
"""

from __future__ import annotations

from math import isfinite

from ..errors import CrossarcError
from ..evaluation import Punctuation
from ..text import Pipeline, raw_text
from ..treebank import Treebank
from .evaluation import Evaluation, evaluate

#: What the tables of raw text show of the measures of CoNLL 2018.
MEASURES = ("Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS", "CLAS", "MLAS", "BLEX")
#: Measures that say nothing where the gold standard has an empty column.
_COLUMNS = {"UPOS": "upos", "XPOS": "xpos", "UFeats": "feats", "Lemmas": "lemma"}
_FOUND = ("lemma", "upos", "xpos", "feats", "head", "deprel")


def words_alone(treebank: Treebank) -> Treebank:
    """Return a treebank without lemmas, tags, features and trees."""
    nothing = [None] * treebank.words
    return treebank.replace(**dict.fromkeys((*_FOUND, "deps"), nothing))


def parse_again(pipeline: Pipeline, gold: Treebank, *, words: bool = False, threads: int = 0) -> Treebank:
    """Return what a pipeline makes of the text of a gold standard or, with `words`, of its words."""
    if not words:
        return pipeline(raw_text(gold), threads=threads)
    return pipeline.parse(words_alone(gold), threads=threads)


def evaluate_pipeline(
    pipeline: Pipeline,
    gold: Treebank,
    *,
    words: bool = False,
    punctuation: Punctuation | None = None,
    threads: int = 0,
) -> Evaluation:
    """Score what a pipeline makes of the text of a gold standard or, with `words`, of its words.

    A gold standard in CoNLL-X is taken as CoNLL-U, whose measures know other words.
    """
    gold = gold.in_format("conllu")
    if not gold.words:
        raise CrossarcError("the gold standard has no sentences")
    found = parse_again(pipeline, gold, words=words, threads=threads)
    return evaluate(gold, found, punctuation=punctuation, root="any", threads=threads)


def measured(found: Evaluation) -> dict[str, float]:
    """Return the measures of CoNLL 2018 as shares by name, for tables and model files.

    Those of content words are left out where no label is one of Universal Dependencies, those of columns where the gold
    standard has nothing in them.
    """
    scores = found.scores.conll2018 or {}
    gold = found.scores.pair.gold.treebank
    empty = {name for name, column in _COLUMNS.items() if not gold.inventory(column).keys() - {"_"}}
    known = (name for name in MEASURES if name in scores and name not in empty)
    return {name: round(scores[name].f1, 6) for name in known if isfinite(scores[name].f1)}
