"""Which columns of sentences a parser learnt from, and a warning where the sentences to be parsed lack them.

A parser that was trained with tags finds much worse trees without, and nothing else would tell. A column is missed if
it was filled in training and is empty, or if most of its values are none that training had, as with another tag set.
O(different values of the columns), beside counting them.
"""

from __future__ import annotations

from collections.abc import Iterator

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


def missed_columns(vocabularies: Vocabularies, treebank: Treebank) -> Iterator[tuple[str, str]]:
    """Return the columns that the sentences of a treebank lack and the model was trained with, and what is wrong."""
    enough = treebank.words >= _ENOUGH_WORDS
    bare = treebank.words > 0 and not treebank.inventory("upos").keys() - {"_"}
    for column, filled in columns_read(vocabularies).items():
        if not filled or column == "form" or not treebank.words:
            continue
        counts = treebank.inventory(column)
        if not counts.keys() - {"_"}:
            if column in _NEVER_EMPTY or enough or bare:
                yield column, f"{column.upper()} is empty in the sentences, and the model was trained with it"
        elif column in _TAGS and enough and column in vocabularies.known:
            known = set(vocabularies.known[column])
            unknown = sum(count for value, count in counts.items() if value not in known)
            if unknown > _MOST_UNKNOWN * treebank.words:
                share = 100 * unknown / treebank.words
                yield column, f"{share:.0f} % of the words have a {column.upper()} that the model was not trained with"
