"""Which columns of sentences a parser learnt from, and a warning where the sentences to be parsed lack them.

A parser that was trained with tags finds much worse trees without, and nothing else would tell. A column is missed if
it was filled in training and is empty, or if most of its values are none that training had, as with another tag set.
O(different values of the columns), beside counting them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from ..features import Vocabularies
from ..features.vocabularies import COLUMNS_READ, column_of
from ..treebank import Treebank

#: In fewer words, tags that training did not have and empty XPOS or FEATS may be chance.
_ENOUGH_WORDS = 20
_MOST_UNKNOWN = 0.5
#: Every word has these, if any has.
_NEVER_EMPTY = ("lemma", "upos")
_TAGS = ("upos", "xpos")


class MissingColumnsWarning(UserWarning):
    """Sentences lack what the parser was trained with."""


def columns_read(vocabularies: Vocabularies) -> dict[str, bool]:
    """Return the columns of a treebank that a model reads, and whether each had values in training."""
    filled: dict[str, bool] = {}
    for name, values in vocabularies.known.items():
        column = column_of(name)
        filled[column] = filled.get(column, False) or any(value != "_" for value in values)
    return {column: filled[column] for column in COLUMNS_READ if column in filled}


class Missed(NamedTuple):
    """What sentences lack: columns that are empty, and those with tags that training did not have, with their share."""

    empty: list[str]
    unknown: dict[str, float]

    def messages(self) -> Iterator[str]:
        """Say it."""
        if self.empty:
            names = ", ".join(column.upper() for column in self.empty)
            yield f"{names}: empty in the sentences, and the model was trained with it; trees will be worse"
        for column, share in self.unknown.items():
            yield (
                f"{100 * share:.0f} % of the words have a {column.upper()} that the model was not trained with; "
                "trees will be worse"
            )


def missed_columns(vocabularies: Vocabularies, treebank: Treebank, besides: Collection[str] = ()) -> Missed:
    """Return what the sentences of a treebank lack that the model was trained with, but for some columns."""
    missed = Missed([], {})
    enough = treebank.words >= _ENOUGH_WORDS
    bare = treebank.words > 0 and not treebank.inventory("upos").keys() - {"_"}
    for column, filled in columns_read(vocabularies).items():
        if not filled or column == "form" or column in besides or not treebank.words:
            continue
        counts = treebank.inventory(column)
        if not counts.keys() - {"_"}:
            if column in _NEVER_EMPTY or enough or bare:
                missed.empty.append(column)
        elif column in _TAGS and enough and column in vocabularies.known:
            known = set(vocabularies.known[column])
            unknown = sum(count for value, count in counts.items() if value not in known)
            if unknown > _MOST_UNKNOWN * treebank.words:
                missed.unknown[column] = unknown / treebank.words
    return missed
