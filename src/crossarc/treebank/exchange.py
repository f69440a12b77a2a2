"""From and to other programs: the methods `from_…` and `to_…` of a treebank.

Plain Python comes through `interchange`, tables of pandas and Arrow and documents of spaCy through `documents`. What
other libraries can write or read as CoNLL-U goes through its text; none of them is imported before a document of it is
made. Whatever comes in passes the checks of a file. O(words).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from numpy.typing import ArrayLike

from ..errors import imported
from . import documents, interchange
from .columns import Columns
from .documents import attribute_of, text_of_spacy
from .formats import COLUMNS, Format
from .interchange import Texts

Self = TypeVar("Self", bound="Exchange")


class Exchange(Columns):
    """What a treebank is made from and what it becomes."""

    format: Format

    @classmethod
    @abstractmethod
    def from_kernel(cls: type[Self], result: dict[str, Any], format: Format, name: str, *, lines: bool = True) -> Self:
        """Wrap what the kernel read."""

    @classmethod
    @abstractmethod
    def from_blocks(
        cls: type[Self],
        blocks: Iterable[bytes],
        name: str,
        format: str,
        root: str,
        threads: int = 0,
        expected_bytes: int = 0,
    ) -> Self:
        """Read the text of a file that comes in blocks."""

    @abstractmethod
    def to_text(self) -> str:
        """Return the file as a string."""

    @abstractmethod
    def in_format(self: Self, format: Format) -> Self:
        """Return the treebank in another format."""

    @classmethod
    def _read(cls: type[Self], text: str, name: str, format: Format, root: str) -> Self:
        return cls.from_blocks([interchange.encoded(text)], name, format, root)

    # From

    @classmethod
    def from_words(cls: type[Self], sentences: Iterable[Sequence[str]]) -> Self:
        """Make a treebank of sentences that are lists of words, without tags and heads: what a parser takes."""
        return cls.from_kernel(interchange.read_words(sentences), "conllu", "<words>", lines=False)

    @classmethod
    def from_columns(
        cls: type[Self],
        form: Texts,
        *,
        lemma: Texts | None = None,
        upos: Texts | None = None,
        xpos: Texts | None = None,
        feats: Texts | None = None,
        head: ArrayLike | Sequence[int | None] | None = None,
        deprel: Texts | None = None,
        deps: Texts | None = None,
        misc: Texts | None = None,
        word_offsets: ArrayLike | None = None,
        lengths: ArrayLike | None = None,
        format: Format = "conllu",
        root: str = "any",
    ) -> Self:
        """Make a treebank of columns, each with a value for every word of all sentences.

        Texts are as in a file, None is "_"; heads are numbers, -1 or None for no head. The sentences are given by
        `word_offsets` (where each begins, and the number of words) or by their `lengths`.
        """
        columns = {"form": form, "lemma": lemma, "upos": upos, "xpos": xpos, "feats": feats}
        columns |= {"deprel": deprel, "deps": deps, "misc": misc}
        result = interchange.read_columns(columns, head, (word_offsets, lengths), format, root)
        return cls.from_kernel(result, format, "<columns>", lines=False)

    @classmethod
    def from_dicts(
        cls: type[Self],
        sentences: Iterable[Iterable[Mapping[str, Any]]],
        *,
        format: Format = "conllu",
        root: str = "any",
    ) -> Self:
        """Make a treebank from dictionaries, one for each word; columns that are not there are "_"."""
        return cls._read(interchange.text_of_dicts(sentences), "<dictionaries>", format, root)

    @classmethod
    def from_pandas(cls: type[Self], frame: Any, *, format: Format = "conllu", root: str = "any") -> Self:
        """Make a treebank from a data frame with a row for each word, as `to_pandas` gives it.

        It needs the columns `sentence` (the same value for all words of a sentence, which stand together) and `form`;
        the other columns of CoNLL-U may be there, and `id`, from 1 in each sentence. Columns of other names are passed
        over.
        """
        return cls.from_columns(**documents.columns_of_frame(frame), format=format, root=root)

    @classmethod
    def from_arrow(cls: type[Self], table: Any, *, format: Format = "conllu", root: str = "any") -> Self:
        """Make a treebank from an Arrow table, or whatever has the Arrow interface; see `from_pandas`."""
        return cls.from_columns(**documents.columns_of_arrow(table), format=format, root=root)

    @classmethod
    def from_conllu_lib(cls: type[Self], sentences: Iterable[Any], *, root: str = "any") -> Self:
        """Make a treebank from the `TokenList`s of PyPI's `conllu`."""
        texts = (attribute_of(sentence, "serialize", "a TokenList of conllu")() for sentence in sentences)
        return cls._read("".join(texts), "<conllu>", "conllu", root)

    @classmethod
    def from_udapi(cls: type[Self], document: Any, *, root: str = "any") -> Self:
        """Make a treebank from a `Document` of Udapi."""
        text = attribute_of(document, "to_conllu_string", "a Document of udapi")()
        return cls._read(str(text), "<udapi>", "conllu", root)

    @classmethod
    def from_stanza(cls: type[Self], document: Any, *, root: str = "any") -> Self:
        """Make a treebank from a `Document` of Stanza."""
        attribute_of(document, "sentences", "a Document of stanza")
        return cls._read(f"{document:C}\n\n", "<stanza>", "conllu", root)

    @classmethod
    def from_spacy(cls: type[Self], docs: Any, *, root: str = "any") -> Self:
        """Make a treebank from a spaCy `Doc` or several: a sentence for each of theirs.

        A `Doc` without sentence boundaries is one sentence; tokens of nothing but white space are left out.
        """
        return cls._read(text_of_spacy(docs), "<spacy>", "conllu", root)

    # To

    def _word_columns(self) -> dict[str, Any]:
        return {name: self.column(name) for name in COLUMNS}

    def _as_conllu(self) -> str:
        return self.in_format("conllu").to_text()

    def to_pandas(self) -> Any:
        """Return a data frame with a row for each word; texts are categories. Needs pandas."""
        return documents.data_frame(self.pool, self._word_columns(), self.word_offsets)

    def to_arrow(self) -> Any:
        """Return an Arrow table with a row for each word; the arrays of the treebank are not copied. Needs pyarrow."""
        return documents.arrow_table(self.pool, self._word_columns(), self.word_offsets)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Give the table to whatever reads Arrow: `polars.from_arrow(treebank)`, DuckDB and so on. Needs pyarrow."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_conllu_lib(self) -> Any:
        """Return the sentences as PyPI's `conllu` reads them. Needs conllu."""
        return imported("conllu", "conllu").parse(self._as_conllu())

    def to_udapi(self) -> Any:
        """Return a `Document` of Udapi. Needs udapi."""
        document = imported("udapi.core.document", "udapi").Document()
        document.from_conllu_string(self._as_conllu())
        return document

    def to_stanza(self) -> Any:
        """Return a `Document` of Stanza. Needs stanza."""
        return imported("stanza.utils.conll", "stanza").CoNLL.conll2doc(input_str=self._as_conllu())
