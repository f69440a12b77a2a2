"""Columns of all words of a treebank: heads as numbers, texts as ids into a string pool that looks them up.

`TextColumn` is what people read: a sequence of texts that compares, selects and counts by ids, so that it costs no text
before one is asked for. `Columns` has the columns of a treebank by name. Looking up a text is O(1), comparing a column
with a text O(words).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

import numpy as np

from .. import _kernel
from .._arrays import AnyArray, Codes, Flags, Ids, Offsets
from ..errors import ColumnError, CrossarcError
from .formats import COLUMNS


class TextColumn(Sequence[str]):
    """A column of texts, without a copy: a sequence of `str` that compares and selects as an array of numpy does.

    >>> import crossarc as xa
    >>> words = xa.Treebank.from_columns(["Go", "!"], upos=["VERB", "PUNCT"], lengths=[2])
    >>> words.upos[0], list(words.form[words.upos == "PUNCT"])
    ('VERB', ['!'])
    """

    __slots__ = ("ids", "pool")

    def __init__(self, pool: _kernel.StringPool, ids: Ids) -> None:
        """Look at ids of a pool."""
        self.pool = pool
        #: The same as numbers: equal texts of a treebank have equal ids.
        self.ids = ids

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice | Sequence[int] | AnyArray) -> TextColumn: ...
    def __getitem__(self, index: int | slice | Sequence[int] | AnyArray) -> str | TextColumn:
        """Return a text, or for a slice, a list of numbers or a mask, a column."""
        if isinstance(index, (int, np.integer)):
            return self.pool.text(int(self.ids[index]))
        return TextColumn(self.pool, self.ids[index])

    def __iter__(self) -> Iterator[str]:
        return iter(self.tolist())

    def tolist(self) -> list[str]:
        """Return the texts as a list."""
        return self.pool.texts(np.ascontiguousarray(self.ids))

    def __contains__(self, text: object) -> bool:
        return isinstance(text, str) and bool((self.ids == self.pool.find(text)).any())

    def __eq__(self, other: object) -> Any:
        """Return for each word whether it has this text, or that of another column."""
        if isinstance(other, str):
            return self.ids == self.pool.find(other)
        if isinstance(other, TextColumn) and other.pool is self.pool:
            theirs = other.ids
        elif isinstance(other, (Sequence, np.ndarray)):
            theirs = self.pool.find_all(["" if text is None else str(text) for text in other])
        else:
            return NotImplemented
        if len(theirs) != len(self):
            raise CrossarcError(f"{len(theirs)} texts cannot be compared with {len(self)}")
        return self.ids == theirs

    def __ne__(self, other: object) -> Any:
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else ~equal

    def __hash__(self) -> int:
        raise TypeError("a column compares word by word, so it has no hash: use column.tolist()")

    def isin(self, texts: Iterable[str]) -> Flags:
        """Return for each word whether it has one of these texts."""
        found: Flags = np.isin(self.ids, self.pool.find_all(list(texts)))
        return found

    def counts(self) -> dict[str, int]:
        """Return the texts that occur with their counts, the most frequent first."""
        ids, counts = np.unique(self.ids, return_counts=True)
        pairs = zip(self.pool.texts(ids), counts.tolist(), strict=True)
        return dict(sorted(pairs, key=lambda item: (-item[1], item[0])))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        """Return the texts for numpy."""
        return np.array(self.tolist(), object if dtype is None else dtype)

    def __reduce__(self) -> tuple[Any, tuple[object, ...]]:
        """Give the texts that occur, each once, and which word has which."""
        ids, places = np.unique(self.ids, return_inverse=True)
        return _restored, (self.pool.texts(ids), places.astype(np.int32))

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self[:6].tolist()))
        return f"<TextColumn [{shown}{', …' if len(self) > 6 else ''}], {len(self):,} words>"


def _restored(texts: list[str], places: Ids) -> TextColumn:
    pool = _kernel.StringPool()
    return TextColumn(pool, pool.intern(texts, checked=False)[places])


class Columns:
    """The columns of a treebank by name."""

    pool: _kernel.StringPool
    word_offsets: Offsets
    aside_offsets: Offsets
    _arrays: dict[str, AnyArray]

    def column(self, name: str) -> Ids:
        """Return a column of all words, without a copy: heads as numbers, the others as ids into the pool."""
        if name not in COLUMNS:
            raise ColumnError(f"no column {name!r}: there are {', '.join(COLUMNS)}")
        return self._arrays[name]

    @property
    def head(self) -> Ids:
        """The heads of all words, -1 where there is none."""
        return self.column("head")

    @property
    def form(self) -> TextColumn:
        """The forms of all words."""
        return TextColumn(self.pool, self.column("form"))

    @property
    def lemma(self) -> TextColumn:
        """The lemmas of all words."""
        return TextColumn(self.pool, self.column("lemma"))

    @property
    def upos(self) -> TextColumn:
        """The universal (CoNLL-X: coarse) tags of all words."""
        return TextColumn(self.pool, self.column("upos"))

    @property
    def xpos(self) -> TextColumn:
        """The treebank's own (CoNLL-X: fine) tags of all words."""
        return TextColumn(self.pool, self.column("xpos"))

    @property
    def feats(self) -> TextColumn:
        """The morphological features of all words, as in the file."""
        return TextColumn(self.pool, self.column("feats"))

    @property
    def deprel(self) -> TextColumn:
        """The relations of all words to their heads."""
        return TextColumn(self.pool, self.column("deprel"))

    @property
    def deps(self) -> TextColumn:
        """The enhanced arcs (CoNLL-X: PHEAD) of all words, as in the file."""
        return TextColumn(self.pool, self.column("deps"))

    @property
    def misc(self) -> TextColumn:
        """MISC (CoNLL-X: PDEPREL) of all words, as in the file."""
        return TextColumn(self.pool, self.column("misc"))

    @property
    def aside_kind(self) -> Codes:
        """The kind of each line that is not a word: comment, range (multiword token) or empty node (`AsideKind`)."""
        return self._arrays["aside_kind"]

    @property
    def aside_before(self) -> Ids:
        """The word of its sentence before which each such line stands."""
        return self._arrays["aside_before"]

    @property
    def aside_text(self) -> Ids:
        """The text of each such line, as an id into the pool."""
        return self._arrays["aside_text"]

    def texts(self, column: str) -> list[str]:
        """Return a column of all words as text."""
        if column == "head":
            return ["_" if head < 0 else str(head) for head in self.head.tolist()]
        return self.pool.texts(self.column(column))

    def distinct_texts(self, column: str) -> tuple[list[str], Offsets]:
        """Return the different texts of a column, and which of them each word has. O(words + texts of the pool)."""
        ids = self.column(column)
        occurs = np.bincount(ids, minlength=1) > 0
        return self.pool.texts(np.flatnonzero(occurs).astype(np.int32)), (np.cumsum(occurs) - 1)[ids]

    def inventory(self, column: str) -> dict[str, int]:
        """Return the values of a column with their counts, the most frequent first."""
        if column != "head":
            return TextColumn(self.pool, self.column(column)).counts()
        heads, counts = np.unique(self.head, return_counts=True)
        pairs = zip(map(str, heads.tolist()), counts.tolist(), strict=True)
        return dict(sorted(pairs, key=lambda item: (-item[1], item[0])))

    @property
    def words(self) -> int:
        """The number of words."""
        return int(self.word_offsets[-1])

    @property
    def root_counts(self) -> Offsets:
        """How many roots each sentence has."""
        before = np.concatenate([[0], np.cumsum(self.head == 0)])
        return np.diff(before[self.word_offsets])

    @property
    def has_heads(self) -> bool:
        """Whether every sentence has heads."""
        return bool((self.head >= 0).all())

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the columns and the string pool take."""
        arrays = (self.word_offsets, self.aside_offsets, *self._arrays.values())
        return sum(array.nbytes for array in arrays) + self.pool.memory()
