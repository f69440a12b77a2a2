"""Treebanks from plain Python: words, columns and dictionaries.

These functions serve the methods `from_…` and `replace` of `Treebank`. What comes in is checked as a file is. Words and
columns go straight into the string pool, O(bytes); dictionaries are written as CoNLL and read, since they may hold
multiword tokens and values of any type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from .. import _kernel
from .._arrays import AnyArray, Ids, Offsets, offsets_of
from .._kernel import Format, RootPolicy
from ..errors import CrossarcError, is_broken
from .columns import TextColumn
from .formats import COLUMNS, NO_HEAD, checked_format, checked_root

Texts = Sequence[str | None]

_NO_HEADS = np.zeros(0, np.int32)


def encoded(text: str) -> bytes:
    """Return a text as UTF-8. Half a surrogate pair becomes bytes that are none, which the reader refuses in place.

    Those with which Python stands for bytes that are no UTF-8, in files opened with surrogateescape, become these.
    """
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def read_words(sentences: Iterable[Sequence[str]]) -> dict[str, Any]:
    """Return what the kernel makes of sentences that are lists of words."""
    given: list[list[str]] = []
    for number, own in enumerate(sentences, start=1):
        if isinstance(own, (str, bytes)) or not isinstance(own, Iterable):
            raise CrossarcError(f"sentence {number}: a list of words is needed, not one {_kind_of(own)}")
        given.append(list(own))
    words = list(chain.from_iterable(given))
    return _read({"form": words}, None, offsets_of(map(len, given)), Format.conllu, RootPolicy.any)


def read_columns(
    columns: Mapping[str, Texts | None],
    head: ArrayLike | Sequence[int | None] | None,
    sentences: tuple[ArrayLike | None, ArrayLike | None],
    format: str,
    root: str,
) -> dict[str, Any]:
    """Return what the kernel makes of columns; `sentences` are their word offsets or else their lengths."""
    texts = {name: _text_list(name, values) for name, values in columns.items() if values is not None}
    if "form" not in texts:
        raise CrossarcError("column form: a list of texts is needed")
    words = len(texts["form"])
    heads = None if head is None else _head_array(head)
    for name, given in [*texts.items(), ("head", heads)]:
        if given is not None and len(given) != words:
            raise CrossarcError(f"column {name}: {len(given)} values for {words} words")
    policies = Format[checked_format(format)], RootPolicy[checked_root(root)]
    return _read(texts, heads, _word_offsets(sentences, words), *policies)


def _read(
    texts: Mapping[str, list[str | None]] | Mapping[str, list[str]],
    heads: Ids | None,
    word_offsets: Offsets,
    format: Format,
    root: RootPolicy,
) -> dict[str, Any]:
    columns = [texts.get(name) for name in COLUMNS]
    try:
        return _kernel.read_columns(columns, _NO_HEADS if heads is None else heads, word_offsets, format, root)
    except ValueError as error:
        raise CrossarcError(str(error)) from error


def _text_list(name: str, values: Any) -> list[str | None]:
    """Return the texts of a column as a list; whether each can stand in a file is checked when they are taken up."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise CrossarcError(f"column {name}: a list of texts is needed, not one {_kind_of(values)}")
    return list(values)


def _head_array(head: ArrayLike | Sequence[int | None]) -> Ids:
    """Return heads as numbers that the kernel takes; what is no whole number, or none that fits, is refused."""
    try:
        if not isinstance(head, np.ndarray):
            head = [NO_HEAD if number is None else number for number in cast(Sequence[int | None], head)]
        array = np.asarray(head)
    except (TypeError, ValueError):  # nothing to go through, or lists of different lengths inside
        array = np.zeros((0, 0))
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise CrossarcError("column head: whole numbers are needed, or None for no head")
    if array.size and not -(2**31) <= array.min() <= array.max() < 2**31:
        raise CrossarcError("column head: a number that no word has")
    return np.array(array, np.int32)


def _id_array(name: str, values: AnyArray, strings: int) -> Ids:
    """Return ids of a text column as numbers that the kernel takes; `strings` are in the pool."""
    if values.ndim != 1 or (values.size and values.dtype.kind not in "iu"):
        raise CrossarcError(f"column {name}: texts, or ids that are whole numbers, are needed, not {values.dtype}")
    if values.size and not 0 <= values.min() <= values.max() < strings:
        raise CrossarcError(f"column {name}: an id that the string pool does not have")
    return np.array(values, np.int32)


class AddedTexts:
    """A pool and the texts that a new treebank adds to it, in a copy that goes away with that treebank."""

    def __init__(self, shared: _kernel.StringPool) -> None:
        """Begin with the pool of the old treebank, which is not changed."""
        self.pool = self._shared = shared

    def ids(self, texts: list[str], *, checked: bool = True) -> Ids:
        """Return the ids of texts; the pool is copied when the first new one comes, O(bytes of the pool)."""
        ids = self.pool.find_all(texts)
        if ids.min(initial=0) >= 0:
            return ids
        if self.pool is self._shared:
            self.pool = self._shared.copy()
        return self.pool.intern(texts, checked)


def new_column(added: AddedTexts, name: str, values: Any, words: int, place: Callable[[int], str]) -> Ids:
    """Return a column that was given as heads, texts or ids; `place` names a row in messages."""
    if name == "head":
        given: Ids | list[str] = _head_array(values)
    elif isinstance(values, TextColumn) and values.pool is added.pool:
        given = values.ids
    elif isinstance(values, np.ndarray) and values.dtype.kind not in "UO":
        given = _id_array(name, values, len(added.pool))
    else:
        given = ["_" if text is None else text for text in _text_list(name, values)]
    if len(given) != words:
        raise CrossarcError(f"column {name}: {len(given)} values for {words} words")
    if isinstance(given, np.ndarray):
        return given
    try:
        return added.ids(given)
    except (TypeError, ValueError) as error:
        row, why = _text_fault(given)
        raise CrossarcError(f"{place(row)}: column {name}: {why}") from error


def _text_fault(texts: Sequence[object]) -> tuple[int, str]:
    """Return the place from 0 of the first value that cannot stand in a file, and why."""
    for place, text in enumerate(texts):
        if not isinstance(text, str):
            return place, f"not a text but {_kind_of(text)}"
        if not text:
            return place, 'a column cannot be empty: use "_" for an absent value'
        if any(mark in text for mark in "\t\n\r\0"):
            return place, "a column cannot hold a tab, a line end or a NUL character"
        if is_broken(text):
            return place, "a text that UTF-8 cannot hold: half a surrogate pair"
    raise AssertionError("every text can stand in a file")


def _kind_of(value: object) -> str:
    return "text" if isinstance(value, str) else type(value).__name__


def _word_offsets(sentences: tuple[ArrayLike | None, ArrayLike | None], words: int) -> Offsets:
    word_offsets, lengths = sentences
    if (word_offsets is None) == (lengths is None):
        raise CrossarcError("say where the sentences are: by word_offsets or by lengths")
    array = np.asarray(lengths if word_offsets is None else word_offsets)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise CrossarcError("word_offsets and lengths are lists of whole numbers")
    if word_offsets is not None:
        return np.ascontiguousarray(array, np.int64)
    if array.sum() != words:
        raise CrossarcError(f"the lengths of the sentences add up to {array.sum()}, but there are {words} words")
    return offsets_of(array)


def _column_text(value: Any) -> str:
    """Write a column's value, which may be text, a number, a dictionary or a list of pairs."""
    if value is None or value == "" or value == {} or value == []:
        return "_"
    if isinstance(value, Mapping):
        return "|".join(f"{key}={item}" if item not in (None, "") else str(key) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return "|".join(f"{head}:{relation}" for head, relation in value)
    return str(value)


def text_of_dicts(sentences: Iterable[Iterable[Mapping[str, Any]]]) -> str:
    """Write dictionaries, one for each word, as CoNLL; columns that are not there are "_"."""
    lines: list[str] = []
    for number, words in enumerate(sentences, start=1):
        for place, word in enumerate(words, start=1):
            unknown = set(word) - {"id", *COLUMNS}
            if unknown:
                raise CrossarcError(
                    f"sentence {number}, word {place}: unknown column {sorted(unknown)[0]!r}: "
                    f"there are id, {', '.join(COLUMNS)}"
                )
            values = [_column_text(word.get("id", place)), *(_column_text(word.get(name)) for name in COLUMNS)]
            if any(mark in value for value in values for mark in "\t\n\r"):
                raise CrossarcError(f"sentence {number}, word {place}: a column cannot hold a tab or a line end")
            lines.append("\t".join(values))
        lines.append("")
    return "".join(line + "\n" for line in lines)
