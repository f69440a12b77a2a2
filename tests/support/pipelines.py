"""Pipelines of a few sentences that are trained in a second, for tests."""

from __future__ import annotations

import crossarc as xa
from crossarc.text import Pipeline

from ..text.texts import SMALL, TEXT


def tiny_parser(*predict: str) -> xa.GraphParser:
    """A parser of words alone, not trained."""
    network = xa.Biaffine(
        groups=(("lower",),), dimensions=(8,), characters=0, layers=1, cells=8, arc=8, label=8, batch=100, rate=0.03
    )
    return xa.GraphParser("projective", network=network, cutoff=1, predict=predict)


def tiny_pipeline(parser: xa.Parser | None = None, tagger: xa.GraphParser | None = None, epochs: int = 3) -> Pipeline:
    """A pipeline that learnt three sentences by heart; without a parser, one of words alone."""
    return Pipeline.train(
        xa.from_text(TEXT * 30),
        parser=parser or tiny_parser(),
        tagger=tagger,
        segmenter=SMALL,
        epochs=epochs,
        segmenter_epochs=25,
        threads=1,
        about={"language": "Tiny", "licence": "none", "source": "a tiny treebank"},
    )
