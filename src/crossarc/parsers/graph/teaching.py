"""Whose distributions a graph parser learns in sentences that another one parsed (Hinton, Vinyals & Dean 2015).

The teacher is a graph parser, alone or in a pipeline. Its heads are those of any parser; of its labels and classes of
tags those count that the student has, too. O(words) for what the teacher reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..._arrays import Ids
from ...errors import ParserError
from ...features.tags import Tags
from ...models.neural.biaffine import BiaffineDefinition, Teaching
from ...treebank import Treebank
from .trained import GraphTrained


def teaching_by(
    teacher: Any, definition: BiaffineDefinition, labels: Sequence[str], train: Treebank, first: int
) -> Teaching:
    """Return what is learnt of a teacher in the sentences from the first taught one on."""
    trained = getattr(getattr(teacher, "parser", teacher), "trained", None)
    if not isinstance(trained, GraphTrained):
        raise ParserError("distributions are those of a graph parser: take one as the teacher, or learn its trees")
    if definition.scorer.objective != "heads":
        raise ParserError(
            "distributions are learnt word by word: take the objective heads, or learn the teacher's trees"
        )
    return Teaching(
        trained.definition,
        trained.model.network.parameters(),
        trained.definition.bare_inputs(train),
        first,
        _numbers(labels, trained.labels),
        {
            column: each
            for column in definition.tags.columns
            if (each := _classes(column, definition.tags, trained.tags)) is not None
        },
    )


def _classes(column: str, learnt: Tags, known: Tags) -> Ids | None:
    """Return the numbers of the classes of a column among those of a teacher; None if it has none."""
    if column in learnt.values:
        return _numbers(learnt.values[column], known.values[column]) if column in known.values else None
    if learnt.lemmas is None or known.lemmas is None:
        return None
    scripts = [each.scripts[: each.count] for each in (learnt.lemmas, known.lemmas)]
    return _numbers(*scripts)


def _numbers(values: Sequence[str], among: Sequence[str]) -> Ids:
    """Return the index of each value among others, -1 for none."""
    known = {value: number for number, value in enumerate(among)}
    return np.array([known.get(value, -1) for value in values], np.int32)
