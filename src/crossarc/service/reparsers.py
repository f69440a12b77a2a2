"""Sentences that a network has read to parse them again, kept for the next correction, and the habits of files.

A network reads a sentence some forty times for that, which takes longer than the rest; a few dozen are kept, those that
were asked for last, and the likely heads of as many, by which words are doubted. How labels go together is counted once
for each file and model, when it is first needed.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar

from ..annotation import Habits, Reparser, Workspace
from ..annotation.doubt import LikelyHeads, likely_heads
from ..treebank import Treebank
from .models import ServedModel

#: How many sentences are kept.
_MOST = 32
#: How many sentences of a file are counted.
_COUNTED = 5000

Kept = TypeVar("Kept")


def _read(sentence: Treebank) -> list[tuple[str, ...]]:
    """Return what models read of a sentence."""
    return [tuple(sentence.texts(column)) for column in ("form", "lemma", "upos", "xpos", "feats")]


def _among_last(
    kept: OrderedDict[tuple[object, ...], Kept],
    lock: threading.Lock,
    key: tuple[object, ...],
    make: Callable[[], Kept],
) -> Kept:
    """Return what was made for a key, and make it if it is not among the last ones."""
    with lock:
        if key in kept:
            kept.move_to_end(key)
            return kept[key]
    made = make()
    with lock:
        kept[key] = made
        while len(kept) > _MOST:
            kept.popitem(last=False)
    return made


class Reparsers:
    """The sentences that were asked for last. `workspace`: the files that are corrected, if there are any."""

    def __init__(self, workspace: Workspace | None = None) -> None:
        """Begin without any."""
        self._workspace = workspace
        self._kept: OrderedDict[tuple[object, ...], Reparser] = OrderedDict()
        self._habits: dict[tuple[str, tuple[str, ...]], Habits] = {}
        self._likely: OrderedDict[tuple[object, ...], LikelyHeads] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, model: ServedModel, sentence: Treebank, file: str | None) -> Reparser:
        """Return what parses a treebank of one sentence again; `file`: the name of the file that it is in."""

        def make() -> Reparser:
            reparser = Reparser(model.model, sentence, threads=model.threads)
            if file is not None and self._workspace is not None:
                reparser.habits = self._habits_of(file, reparser.candidates.names)
            return reparser

        return _among_last(self._kept, self._lock, (id(model.model), file, *_read(sentence)), make)

    def likely_heads(self, model: ServedModel, sentence: Treebank) -> LikelyHeads:
        """Return what a model finds for the words of one sentence, which edits of its arcs do not change."""
        key = (id(model.model), *_read(sentence))
        return _among_last(
            self._likely, self._lock, key, lambda: likely_heads(model.model, sentence, threads=model.threads)
        )

    def _habits_of(self, file: str, names: tuple[str, ...]) -> Habits:
        assert self._workspace is not None
        habits = self._habits.get((file, names))
        if habits is None:
            habits = Habits.of(self._workspace.document(file).treebank(0, _COUNTED), names)
            self._habits[file, names] = habits
        return habits
