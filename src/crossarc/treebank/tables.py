"""Treebanks as tables of pandas and Arrow, a row for each word, and back.

Heads and sentence numbers are columns of numbers. Texts are categories: their codes are the ids of the treebank, so
that Arrow takes the arrays without a copy and only the texts themselves, each once, are copied. A table has the words
alone; comments, multiword tokens and empty nodes stay with the treebank, and `treebank.replace` puts columns of a table
back among them. O(words).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from .. import _kernel
from .._arrays import Ids, Offsets
from ..errors import CrossarcError, imported
from .formats import COLUMNS

#: How the columns before those of CoNLL-U are called: the sentence from 0, and the word in it from 1.
SENTENCE, WORD = "sentence", "id"


def data_frame(pool: _kernel.StringPool, columns: Mapping[str, Ids], word_offsets: Offsets) -> Any:
    """Make a data frame with a row for each word."""
    pandas = imported("pandas", "pandas")
    data: dict[str, Any] = _places(word_offsets)
    for name, values in columns.items():
        if name == "head":
            data[name] = values
        else:
            ids, codes = np.unique(values, return_inverse=True)
            data[name] = pandas.Categorical.from_codes(codes, categories=pandas.Index(pool.texts(ids)))
    return pandas.DataFrame(data)


def arrow_table(pool: _kernel.StringPool, columns: Mapping[str, Ids], word_offsets: Offsets) -> Any:
    """Make an Arrow table with a row for each word: the arrays as they are, and the pool as the dictionary of texts."""
    pyarrow = imported("pyarrow", "arrow")
    texts = pyarrow.array(pool.texts(np.arange(len(pool), dtype=np.int32)), pyarrow.string())
    data: dict[str, Any] = {name: pyarrow.array(values) for name, values in _places(word_offsets).items()}
    for name, values in columns.items():
        plain = pyarrow.array(values)
        data[name] = plain if name == "head" else pyarrow.DictionaryArray.from_arrays(plain, texts)
    return pyarrow.table(data)


def _places(word_offsets: Offsets) -> dict[str, Any]:
    lengths = np.diff(word_offsets)
    starts = np.repeat(word_offsets[:-1], lengths)
    return {
        SENTENCE: np.repeat(np.arange(len(lengths)), lengths),
        WORD: np.arange(len(starts)) - starts + 1,
    }


def columns_of_frame(frame: Any) -> dict[str, Any]:
    """Return what `Treebank.from_columns` takes from a data frame; rows of a sentence stand together, in order."""
    if not hasattr(frame, "columns") or not hasattr(frame, "to_dict"):
        raise CrossarcError(f"a data frame of pandas is needed, not {type(frame).__name__}")
    return _columns({str(name): frame[name].tolist() for name in frame.columns})


def columns_of_arrow(table: Any) -> dict[str, Any]:
    """Return the same from whatever has the Arrow interface: a table of pyarrow, a frame of polars, a DuckDB result."""
    pyarrow = imported("pyarrow", "arrow")
    if not hasattr(table, "__arrow_c_stream__"):
        raise CrossarcError(f"an Arrow table is needed, not {type(table).__name__}")
    held = pyarrow.table(table)
    return _columns({name: held.column(name).to_pylist() for name in held.column_names})


def _columns(given: Mapping[str, list[Any]]) -> dict[str, Any]:
    """Sort out the columns of a table, with missing values as None."""
    for name in ("form", SENTENCE):
        if name not in given:
            raise CrossarcError(f"the table has no column {name!r}: it has {', '.join(map(repr, given)) or 'none'}")
    found: dict[str, Any] = {name: [_value(one) for one in given[name]] for name in COLUMNS if name in given}
    if "head" in found:
        found["head"] = [None if head is None else _whole(head) for head in found["head"]]
    sentences = [_value(one) for one in given[SENTENCE]]
    changes = [place for place in range(1, len(sentences)) if sentences[place] != sentences[place - 1]]
    starts = [0, *changes] if sentences else []
    if len({sentences[place] for place in starts}) < len(starts):
        raise CrossarcError("the rows of a sentence do not stand together: sort the table by sentence and id")
    offsets = [*starts, len(sentences)]
    if WORD in given:
        _check_numbers([_value(one) for one in given[WORD]], offsets)
    return {**found, "word_offsets": offsets}


def _check_numbers(ids: list[Any], offsets: list[int]) -> None:
    """Refuse words that are not in their order; rows of multiword tokens and empty nodes are none of words."""
    for start, stop in pairwise(offsets):
        for place in range(start, stop):
            if ids[place] != place - start + 1:
                raise CrossarcError(
                    f"row {place}: id {ids[place]!r} where {place - start + 1} was expected: the rows are the words of "
                    "each sentence in order, without multiword tokens and empty nodes"
                )


def _value(value: Any) -> Any:
    """Return a cell; NaN and the other missing values of pandas are None."""
    return None if value is None or type(value).__name__ == "NAType" or value != value else value


def _whole(head: Any) -> int:
    """Return a head as a number: pandas makes floats of numbers where some are missing."""
    if isinstance(head, bool) or head != int(head):
        raise CrossarcError(f"column head: whole numbers are needed, not {head!r}")
    return int(head)
