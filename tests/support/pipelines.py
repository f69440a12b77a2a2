"""Pipelines of a few sentences that are trained in a second, for tests."""

from __future__ import annotations

import crossarc as xa
from crossarc.text import Pipeline

from ..text.texts import SMALL, TEXT
from .run_folder import trained_once


def tiny_parser(*predict: str) -> xa.GraphParser:
    """A parser of words alone, not trained."""
    network = xa.Biaffine(
        groups=(("lower",),),
        embedding_sizes=(8,),
        character_size=0,
        layers=1,
        hidden_size=8,
        arc_hidden_size=8,
        label_hidden_size=8,
        batch_words=100,
        learning_rate=0.03,
    )
    return xa.GraphParser("projective", network=network, cutoff=1, predict=predict)


def known_pipeline() -> Pipeline:
    """The plain one, trained once in a run."""
    return trained_once("tiny", Pipeline, tiny_pipeline)


def tiny_pipeline(
    parser: xa.TrainableParser | None = None, tagger: xa.GraphParser | None = None, epochs: int = 3
) -> Pipeline:
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
