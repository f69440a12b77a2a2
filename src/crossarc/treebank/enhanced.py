"""What becomes of the enhanced graph (DEPS) when a word gets another head or relation.

The rule: *the enhanced arc that mirrors the basic one follows it; all others stay.* An item of DEPS mirrors the basic
arc if its head is the old head and its relation is the old relation or a refinement of it (`nmod:of` of `nmod`). It
becomes the new head and the new relation, and the items are sorted by head again. `_` stays `_`, and where nothing
mirrors the basic arc, DEPS stays as it is. Costs O(words), plus a little text for each changed word with a DEPS value.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .. import _kernel

Ids = NDArray[np.int32]


def followed_deps(pool: _kernel.StringPool, deps: Ids, old: tuple[Ids, Ids], new: tuple[Ids, Ids]) -> Ids:
    """Return the DEPS column after (heads, relations) went from `old` to `new`."""
    changed = np.flatnonzero((deps != 0) & ((old[0] != new[0]) | (old[1] != new[1])))
    if not len(changed):
        return deps
    texts = [
        _followed(text, (int(old[0][row]), before), (int(new[0][row]), after))
        for row, text, before, after in zip(
            changed,
            pool.texts(deps[changed]),
            pool.texts(old[1][changed]),
            pool.texts(new[1][changed]),
            strict=True,
        )
    ]
    result = deps.copy()
    result[changed] = pool.intern(texts)
    return result


def _followed(deps: str, old: tuple[int, str], new: tuple[int, str]) -> str:
    items = deps.split("|")
    for place, item in enumerate(items):
        head, _, relation = item.partition(":")
        if head == str(old[0]) and (relation == old[1] or relation.startswith(old[1] + ":")):
            others = items[:place] + items[place + 1 :]
            if new[0] < 0:
                return "|".join(others) or "_"
            return "|".join(sorted({*others, f"{new[0]}:{new[1]}"}, key=_order))
    return deps


def _order(item: str) -> tuple[float, str]:
    head, _, relation = item.partition(":")
    major, _, minor = head.partition(".")
    return int(major) + int(minor or 0) / 1000, relation
