"""What the size of training data asks for: batches, dropout, patience, and what is said of it."""

from __future__ import annotations

import pytest

import crossarc as xa
from crossarc.parsers.data_size import SMALL, TINY, network_options, patience_for, warning_for
from crossarc.parsers.plan import TrainingPlan

TREES = xa.Treebank.from_columns(
    ["dogs", "bark"] * 400,
    upos=["NOUN", "VERB"] * 400,
    head=[2, 0] * 400,
    deprel=["nsubj", "root"] * 400,
    lengths=[2] * 400,
)


@pytest.mark.parametrize("words", [0, 500, 12_493, 40_000, 300_000, 10**7])
def test_options_are_options_of_the_network(words: int) -> None:
    network = xa.Biaffine.from_dict(network_options(words))
    assert 200 <= network.batch_words <= 1000
    # Small data have batches enough, and no data have fewer than with the usual size.
    assert words < 12_000 or words // network.batch_words >= min(60, words // 1000)


def test_small_data_have_small_batches_and_tags_of_full_weight() -> None:
    small, large = (xa.Biaffine.from_dict(network_options(words)) for words in (SMALL // 3, 10 * SMALL))
    assert small.batch_words < large.batch_words
    assert small.tag_weight == 1 > large.tag_weight
    assert large.batch_words == xa.Biaffine().batch_words


def test_pipelines_take_them_and_options_go_before() -> None:
    asked = network_options(TREES.words)
    for options in ({}, {"batch_words": 70}):
        pipeline = TrainingPlan(pipeline=True, options=options).make_parser(TREES)
        found = pipeline.scorer.to_dict()
        assert {name: found[name] for name in asked} == {**asked, **options}
    assert TrainingPlan(parser="graph").make_parser(TREES).scorer == xa.Biaffine()


def test_patience_is_that_of_the_plan_or_of_the_epochs() -> None:
    assert TrainingPlan(pipeline=True).patience_of(60) == patience_for(60) == 20
    assert TrainingPlan(pipeline=True, patience=3).patience_of(60) == 3
    assert TrainingPlan().patience_of(60) is None
    assert patience_for(5) == 10


def test_what_is_too_little_is_said() -> None:
    few = warning_for(TINY - 1, 400)
    assert few is not None and "try --parser transition" in few
    large = warning_for(TINY, 3 * 400)
    assert large is not None and "--layers 2 --hidden-size 200" in large
    assert warning_for(TINY, 2 * 200) is None and warning_for(SMALL, 3 * 400) is None
