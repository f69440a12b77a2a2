"""What pretrained/word_network.py learns: which two words a sentence ends between."""

from __future__ import annotations

import importlib
from itertools import chain
from pathlib import Path

import pytest

import crossarc as xa
from crossarc.text.word_boundaries import encoded_words

from ..support.pipelines import known_pipeline
from .texts import TEXT

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'crossarc[torch]'")
FOLDER = Path(__file__).parents[2] / "pretrained"


@pytest.fixture(autouse=True)
def _scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))


def test_it_learns_where_sentences_end(monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module("word_network")
    monkeypatch.setattr(module, "EPOCHS", 100)  # of few words
    recipe = importlib.import_module("recipe").Recipe("x", "X", "x", "", "", "", "")
    parser = known_pipeline().parser
    assert isinstance(parser, xa.GraphParser)
    network = module.word_network(parser, recipe, xa.from_text(TEXT * 200), seed=1, threads=1)
    sentences = [["I", "do", "n't", "know", ",", "Ann", "."], ["Go", "on", "!"]]
    ends = network.probabilities(encoded_words(parser, [list(chain.from_iterable(sentences))], threads=1))
    assert ends[6] > 0.5 and max(*ends[:6], *ends[7:]) < 0.5


def test_windows_cover_each_word_once() -> None:
    windows = importlib.import_module("word_network").windows
    for length in (1, 39, 40, 41, 200):
        cut = list(windows(length))
        assert list(chain.from_iterable(range(first, last) for _, _, first, last in cut)) == list(range(length))
        assert all(max(0, first - 20) == begin and end == min(length, last + 20) for begin, end, first, last in cut)
