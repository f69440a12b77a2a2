"""Fixtures of tests of texts."""

from __future__ import annotations

import pytest

import crossarc as xa
from crossarc.text import Segmenter

from .texts import SMALL, TEXT, unmarked_sentences


@pytest.fixture(scope="session")
def segmenter() -> Segmenter:
    """A segmenter of a few words."""
    return Segmenter.train(xa.from_text(TEXT * 30), SMALL, epochs=25, threads=1)


@pytest.fixture(scope="session")
def alone() -> Segmenter:
    """A segmenter of texts without final marks, which is in doubt."""
    return Segmenter.train(unmarked_sentences(150, seed=1), SMALL, epochs=8, seed=1, threads=1)


@pytest.fixture(scope="session")
def other() -> Segmenter:
    """Another one, which is wrong elsewhere."""
    return Segmenter.train(unmarked_sentences(150, seed=2), SMALL, epochs=8, seed=2, threads=1)
