"""Sentences that a network has read to parse them again, kept for the next correction, and the habits of files.

A network reads a sentence some forty times for that, which takes longer than the rest; a few dozen are kept, those that
were asked for last. How labels go together is counted once for each file and model, when it is first needed.
"""

from __future__ import annotations

import threading
from collections import OrderedDict

from ..annotation import Habits, Reparser, Workspace
from ..treebank import Treebank
from .models import ServedModel

#: How many sentences are kept.
_MOST = 32
#: How many sentences of a file are counted.
_COUNTED = 5000


class Reparsers:
    """The sentences that were asked for last. `workspace`: the files that are corrected, if there are any."""

    def __init__(self, workspace: Workspace | None = None) -> None:
        """Begin without any."""
        self._workspace = workspace
        self._kept: OrderedDict[tuple[object, ...], Reparser] = OrderedDict()
        self._habits: dict[tuple[str, tuple[str, ...]], Habits] = {}
        self._lock = threading.Lock()

    def get(self, model: ServedModel, sentence: Treebank, file: str | None) -> Reparser:
        """Return what parses a treebank of one sentence again; `file`: the name of the file that it is in."""
        columns = ("form", "lemma", "upos", "xpos", "feats")
        key = (id(model.model), file, *(tuple(sentence.texts(column)) for column in columns))
        with self._lock:
            known = self._kept.get(key)
            if known is not None:
                self._kept.move_to_end(key)
                return known
        reparser = Reparser(model.model, sentence, threads=model.threads)
        if file is not None and self._workspace is not None:
            reparser.habits = self._habits_of(file, reparser.candidates.names)
        with self._lock:
            self._kept[key] = reparser
            while len(self._kept) > _MOST:
                self._kept.popitem(last=False)
        return reparser

    def _habits_of(self, file: str, names: tuple[str, ...]) -> Habits:
        assert self._workspace is not None
        habits = self._habits.get((file, names))
        if habits is None:
            habits = Habits.of(self._workspace.document(file).treebank(0, _COUNTED), names)
            self._habits[file, names] = habits
        return habits
