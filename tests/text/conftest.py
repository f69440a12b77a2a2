"""Fixtures of tests of texts."""

from __future__ import annotations

import pytest

import crossarc as xa
from crossarc.text import Segmenter

from .texts import SMALL, TEXT


@pytest.fixture(scope="session")
def segmenter() -> Segmenter:
    """A segmenter of a few words."""
    return Segmenter.train(xa.from_text(TEXT * 30), SMALL, epochs=25, threads=1)
