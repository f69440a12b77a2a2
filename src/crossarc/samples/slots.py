"""The slots of many skeletons as columns, with all they need to become words: ids into a string pool.

The slots of all skeletons lie one behind the other, as a treebank keeps its words. The forms that fit a slot are a
stretch of one long list of forms, its lemmas a stretch of another. Costs O(slots), once for each sample.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _kernel
from .lexicon import CATEGORIES, forms
from .skeleton import Skeleton

Ids = NDArray[np.int32]
Offsets = NDArray[np.int64]

#: What a slot contributes to the text of its sentence, instead of the id of a form: the form itself, or nothing.
OWN_FORM, NOTHING = -2, -1


def offsets_of(lengths: Iterable[int] | NDArray[Any]) -> Offsets:
    """Return where stretches of these lengths begin, and where the last one ends."""
    counts = lengths if isinstance(lengths, np.ndarray) else np.fromiter(lengths, np.int64)
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])


def stretches(offsets: Offsets, chosen: NDArray[Any]) -> tuple[Offsets, Offsets]:
    """Return the rows of the chosen stretches, one behind the other, and where each begins among them."""
    new_offsets = offsets_of(np.diff(offsets)[chosen])
    starts = np.repeat(offsets[:-1][chosen] - new_offsets[:-1], np.diff(new_offsets))
    return starts + np.arange(new_offsets[-1]), new_offsets


class SlotTable:
    """Columns of slots. `offsets` says where each skeleton begins, `range_offsets` where its multiword tokens do."""

    def __init__(self, pool: _kernel.StringPool, skeletons: list[Skeleton]) -> None:
        """Put the slots of skeletons into columns and their texts into the pool."""
        slots = [slot for skeleton in skeletons for slot in skeleton.slots]
        self.offsets = offsets_of(len(skeleton.slots) for skeleton in skeletons)
        self.head = np.array([slot.head for slot in slots], np.int32)
        self.space_after = np.array([slot.space_after for slot in slots], np.uint8)
        self.fixed: dict[str, Ids] = {
            "upos": pool.intern([CATEGORIES[slot.category].upos for slot in slots]),
            "xpos": pool.intern([CATEGORIES[slot.category].xpos for slot in slots]),
            "feats": pool.intern([slot.feats for slot in slots]),
            "deprel": pool.intern([slot.relation for slot in slots]),
            "misc": pool.intern([slot.misc for slot in slots]),
        }
        paradigms = [(slot.category, slot.feats) for slot in slots]
        self._choices(pool, paradigms)
        self._contractions(pool, skeletons)

    def _choices(self, pool: _kernel.StringPool, paradigms: list[tuple[str, str]]) -> None:
        """Lay out the forms and lemmas that each slot chooses from."""
        distinct = list(dict.fromkeys(paradigms))
        categories = list(dict.fromkeys(category for category, _ in distinct))
        texts = [forms(*paradigm) for paradigm in distinct]
        lemmas = [CATEGORIES[category].lemmas for category in categories]
        self.forms: Ids = pool.intern([form for group in texts for form in group])
        self.lemmas: Ids = pool.intern([lemma for group in lemmas for lemma in group])
        form_start = dict(zip(distinct, offsets_of(map(len, texts)).tolist(), strict=False))
        lemma_start = dict(zip(categories, offsets_of(map(len, lemmas)).tolist(), strict=False))
        self.form_start = np.array([form_start[paradigm] for paradigm in paradigms], np.int64)
        self.lemma_start = np.array([lemma_start[category] for category, _ in paradigms], np.int64)
        self.size = np.array([len(CATEGORIES[category].stems) for category, _ in paradigms], np.uint64)

    def _contractions(self, pool: _kernel.StringPool, skeletons: list[Skeleton]) -> None:
        """Note the multiword tokens: their lines, and that the text has their forms instead of those of their words."""
        self.range_offsets = offsets_of(len(skeleton.contractions) for skeleton in skeletons)
        contractions = [contraction for skeleton in skeletons for contraction in skeleton.contractions]
        self.range_before = np.array([contraction.first for contraction in contractions], np.int32)
        self.range_text: Ids = pool.intern([contraction.line for contraction in contractions], False)
        self.surface = np.full(len(self.head), OWN_FORM, np.int32)
        starts = np.repeat(self.offsets[:-1], np.diff(self.range_offsets)) + self.range_before - 1
        self.surface[starts] = pool.intern([contraction.form for contraction in contractions])
        self.surface[starts + 1] = NOTHING
        self.space_after[starts] = 0
