"""How probable the end of a sentence has to be: the threshold that is best on development data.

Texts without final marks never say surely where a sentence ends: where the most probable class alone decides, sentences
grow to the longest that there may be. O(characters) for each threshold.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate

import numpy as np

from ..treebank import Treebank
from .boundaries import MOST_PROBABLE
from .surface import surface_sentences
from .unicode import code_points, is_space
from .words import Segmentation

#: Probabilities of ends of sentences that are tried, and how near a score is as good as the best.
THRESHOLDS = (MOST_PROBABLE, 0.4, 0.3, 0.25, 0.2, 0.15, 0.1)
_AS_GOOD = 0.01


def best_threshold(dev: Treebank, segmented: Callable[[float], Segmentation]) -> float:
    """Return the highest threshold whose F1 of ends of sentences is within a point of the best.

    `segmented`: the text of development data, cut with a threshold.
    """
    gold = _gold_ends(dev)
    scores: dict[float, float] = {}
    for threshold in THRESHOLDS:
        ends = _ends(segmented(threshold))
        scores[threshold] = 2 * len(gold & ends) / max(1, len(gold) + len(ends))
    best = max(scores.values())
    return max(threshold for threshold, score in scores.items() if score >= best - _AS_GOOD)


def _gold_ends(dev: Treebank) -> set[int]:
    """Return behind how many characters that are no spaces sentences of a treebank end."""
    texts = ("".join(token.text for token in tokens) for _, tokens in surface_sentences(dev))
    return set(accumulate(int((~is_space(code_points(text))).sum()) for text in texts))


def _ends(tokens: Segmentation) -> set[int]:
    """Return the same of a text that was cut."""
    written = np.cumsum(~is_space(code_points(tokens.text)))
    return set(written[tokens.ends[tokens.final] - 1].tolist())
