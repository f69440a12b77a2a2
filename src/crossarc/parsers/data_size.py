"""What the size of training data asks for: options of the network of a pipeline, patience, and a word of warning.

A network that learns tags, lemmas and trees together needs thousands of steps. Training data of some ten thousand words
are few batches of the usual size, so that the batches of small data are smaller. In large data tags are learnt soon,
and count less than trees; in small ones they need their weight. Figures are in docs/guide/from-raw-text.md. O(1).
"""

from __future__ import annotations

from typing import Any

#: Batches of an epoch that are enough, and the range of their sizes in words.
_BATCHES = 60
_LEAST_BATCH, _LARGEST_BATCH = 200, 1000
#: Training data of more words are large, and their tags have this weight.
LARGE = 100_000
_TAG_WEIGHT = 0.2
#: Training data of fewer words are small.
SMALL = 30_000
#: Graph parsers were better than transition parsers on the same predicted tags with 2,496 words and with 12,493; with
#: fewer words than this nobody knows.
TINY = 1_000
#: A network with more cells than this in all its layers, in one direction, is large.
_MANY_CELLS = 400


def network_options(words: int) -> dict[str, Any]:
    """Return options of `Biaffine` for a parser that predicts tags and learns from so many words.

    >>> network_options(12_000)["batch_words"], network_options(200_000)["batch_words"]
    (200, 1000)
    """
    batch = min(max(words // _BATCHES, _LEAST_BATCH), _LARGEST_BATCH)
    tags = {"tag_weight": _TAG_WEIGHT} if words > LARGE else {}
    return {"batch_words": batch, **tags}


def patience_for(epochs: int) -> int:
    """Return after how many epochs without a better score training stops: late, for the best ones are the last."""
    return max(10, epochs // 3)


def warning_for(words: int, cells: int) -> str | None:
    """Return what to try instead of a graph parser in a pipeline, if the training data are too small for it.

    `cells`: those of all its layers in one direction.
    """
    if words < TINY:
        return (
            f"{words:,} words are little for a graph parser, which learns tags and trees together: "
            "try --parser transition, too, and compare the scores from raw text"
        )
    if words < SMALL and cells > _MANY_CELLS:
        return f"{words:,} words are little for so large a network: try --layers 2 --hidden-size 200, too"
    return None
