"""All structural classes of a whole treebank in one native call.

Sentences of up to 64 words cost O(n), longer ones O(n²/64). Threads share the sentences and do not change a result; the
interpreter is free meanwhile.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from .. import _kernel
from .._arrays import Flags, Ids, Offsets, items_of, offsets_of, positions_of
from ..errors import CrossarcError, SourceError, imported
from ..options import checked_threads
from ..tree import head_array
from ..treebank import Treebank, opened
from .heads import raise_fault
from .planes import BUDGET, PlanarityWarning


@dataclass(frozen=True, eq=False, repr=False)
class Classification:
    """The classes of every sentence, and of the arc into every word. Arrays; sentence i has words offsets i to i + 1.

    `crossings`, `planar`, `planarity_…` and `arc_crossings` count arcs from the artificial root only if `root_arcs` is
    true. Where `planarity_lower` and `planarity_upper` differ, the budget of the search ended. Lifts are -1 in trees of
    more than 8,192 words.
    """

    root_arcs: bool
    word_offsets: Offsets

    nonprojective: Flags
    planar: Flags
    planarity_lower: Ids
    planarity_upper: Ids
    one_endpoint_crossing: Flags
    one_endpoint_crossing_without_root: Flags
    gap_degree: Ids
    gap_inheritance_degree: Ids
    edge_degree: Ids
    well_nested: Flags
    well_nested_block_degree_2: Flags
    gap_minding: Flags
    crossings: Offsets
    nonprojective_arcs: Ids
    covered_roots: Ids
    lifts: Offsets

    arc_nonprojective: Flags
    arc_crossings: Ids
    arc_lifts: Ids

    def __len__(self) -> int:
        return len(self.word_offsets) - 1

    @property
    def block_degree(self) -> Ids:
        """One more than the gap degree."""
        return self.gap_degree + np.int32(1)

    @property
    def words(self) -> int:
        """The number of words."""
        return int(self.word_offsets[-1])

    def to_pandas(self) -> Any:
        """Return a data frame with a row for each sentence: its number of words and its classes. Needs pandas."""
        columns = {name: getattr(self, name) for name in _OF_SENTENCES}
        return imported("pandas", "pandas").DataFrame({"words": np.diff(self.word_offsets), **columns})

    def arcs_to_pandas(self) -> Any:
        """Return a data frame with a row for the arc into each word: its sentence, word and classes. Needs pandas."""
        data = {
            "sentence": items_of(self.word_offsets),
            "id": positions_of(self.word_offsets),
            **{name.removeprefix("arc_"): getattr(self, name) for name in _OF_ARCS},
        }
        return imported("pandas", "pandas").DataFrame(data)

    def __repr__(self) -> str:
        counts = [
            f"{np.count_nonzero(flags):,} {name}"
            for name, flags in (
                ("non-projective", self.nonprojective),
                ("planar", self.planar),
                ("2-planar", self.k_planar(2)),
                ("1-endpoint-crossing", self.one_endpoint_crossing),
                ("well-nested", self.well_nested),
            )
        ]
        return f"<Classification of {len(self):,} sentences, {self.words:,} words: {', '.join(counts)}>"

    def k_planar(self, k: int) -> Flags:
        """Return which sentences fit on k planes, as far as the budget could tell."""
        return self.planarity_upper <= k

    def not_k_planar(self, k: int) -> Flags:
        """Return which sentences need more than k planes, as far as the budget could tell."""
        return self.planarity_lower > k


#: The arrays with an entry for each sentence, and for the arc into each word.
_ARRAYS = tuple(field.name for field in fields(Classification) if field.name not in ("root_arcs", "word_offsets"))
_OF_ARCS = tuple(name for name in _ARRAYS if name.startswith("arc_"))
_OF_SENTENCES = tuple(name for name in _ARRAYS if name not in _OF_ARCS)


def classify(
    trees: Treebank | str | os.PathLike[str] | ArrayLike | Sequence[ArrayLike],
    word_offsets: ArrayLike | None = None,
    *,
    root_arcs: bool = False,
    budget: int = BUDGET,
    threads: int = 0,
) -> Classification:
    """Classify a treebank, or the file of a path; or heads.

    Heads are those of all words with the offsets of the sentences, or a list of the heads of each tree.

    `threads` 0 means all cores. A sentence without heads is a `MissingHeadsError`, one whose heads are no tree a
    `TreeError`; both name it.
    """
    heads, offsets, name_sentence = _columns(trees, word_offsets)
    if budget < 0:
        raise CrossarcError(f"a budget is 0 or more, not {budget}")
    threads = checked_threads(threads)
    try:
        arrays, fault = _kernel.classify(heads, offsets, root_arcs, True, True, budget, threads)
    except ValueError as error:
        raise CrossarcError(str(error)) from error
    if fault is not None:
        sentence, kind, words = fault
        tree = heads[offsets[sentence] : offsets[sentence + 1]]
        raise_fault(kind, words, tree, lambda: name_sentence(sentence))
    classification = _classification(root_arcs, offsets, arrays)
    _warn_of_bounds(classification)
    return classification


def _columns(
    trees: Treebank | str | os.PathLike[str] | ArrayLike | Sequence[ArrayLike], word_offsets: ArrayLike | None
) -> tuple[Ids, Offsets, Callable[[int], str]]:
    if isinstance(trees, (Treebank, str, os.PathLike)):
        treebank = opened(trees)
        return np.ascontiguousarray(treebank.head), treebank.word_offsets, lambda index: treebank[index].place

    def name_sentence(index: int) -> str:
        return f"sentence {index + 1}"

    if word_offsets is not None:
        return head_array(cast(ArrayLike, trees)), np.ascontiguousarray(word_offsets, np.int64), name_sentence
    if not isinstance(trees, Iterable):
        raise SourceError(f"a treebank, the path of one, or heads are needed, not a {type(trees).__name__}")
    parts = [head_array(getattr(tree, "heads", tree)) for tree in cast(Sequence[ArrayLike], trees)]
    return np.concatenate([np.zeros(0, np.int32), *parts]), offsets_of(map(len, parts)), name_sentence


def _classification(root_arcs: bool, word_offsets: Offsets, arrays: dict[str, Any]) -> Classification:
    flags = ("well_nested", "gap_minding", "one_endpoint_crossing", "one_endpoint_crossing_without_root")
    for name in (*flags, "arc_nonprojective"):
        arrays[name] = arrays[name].view(np.bool_)
    arrays["nonprojective"] = arrays["gap_degree"] > 0
    arrays["planar"] = arrays["planarity_upper"] == 1
    arrays["well_nested_block_degree_2"] = arrays["well_nested"] & (arrays["gap_degree"] <= 1)
    for array in arrays.values():
        array.flags.writeable = False
    return Classification(root_arcs=root_arcs, word_offsets=word_offsets, **arrays)


def _warn_of_bounds(classification: Classification) -> None:
    open_ended = np.flatnonzero(classification.planarity_lower != classification.planarity_upper)
    if len(open_ended):
        message = (
            f"the number of planes is known only within bounds for {len(open_ended):,} sentences, "
            f"the first is number {open_ended[0] + 1}; a larger budget may tell"
        )
        warnings.warn(message, PlanarityWarning, stacklevel=3)


def crossed_arcs(heads: Ids, word_offsets: Offsets, threads: int = 1) -> Flags:
    """Return which arcs of trees another arc crosses, arcs from the artificial root counted."""
    arrays, fault = _kernel.classify(np.ascontiguousarray(heads), word_offsets, True, False, False, 0, threads)
    assert fault is None, fault
    flags: Flags = arrays["arc_crossings"] > 0
    return flags
