"""Documents of spaCy as CoNLL-U, and tables of pandas and Arrow, a row for each word; and back.

Heads and sentence numbers are columns of numbers. Texts are categories: their codes are the ids of the treebank, so
that Arrow takes the arrays without a copy and only the texts themselves, each once, are copied. A table has the words
alone; comments, multiword tokens and empty nodes stay with the treebank, and `treebank.replace` puts columns of a table
back among them. What is no document or table of a library is refused by what it lacks. O(words).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from .. import _kernel
from .._arrays import Ids, Offsets, items_of, positions_of
from ..errors import CrossarcError, imported
from .formats import COLUMNS
from .interchange import text_of_dicts


def attribute_of(document: Any, name: str, what: str) -> Any:
    """Return an attribute of a document by which it is known, or say what is needed."""
    if not hasattr(document, name):
        raise CrossarcError(f"{what} is needed, not {type(document).__name__}")
    return getattr(document, name)


def text_of_spacy(docs: Any) -> str:
    """Write the sentences of a spaCy `Doc` or of several; one without sentence boundaries is one sentence.

    Tokens that are nothing but white space are left out.
    """
    docs = [docs] if hasattr(docs, "has_annotation") else docs
    return text_of_dicts(_spacy_words(span) for doc in docs for span in spacy_sentences(doc))


def spacy_sentences(doc: Any) -> Iterator[Any]:
    """Go through the sentences of a spaCy `Doc` that hold a word; without boundaries it is one sentence."""
    has_annotation = attribute_of(doc, "has_annotation", "a Doc of spaCy")
    spans = doc.sents if has_annotation("SENT_START") else [doc[:]]
    return (span for span in spans if any(not token.is_space for token in span))


def _spacy_words(span: Any) -> list[dict[str, Any]]:
    parsed = span.doc.has_annotation("DEP")
    words = [token for token in span if not token.is_space]
    number_of = {token.i: number for number, token in enumerate(words, start=1)}
    return [
        {
            "form": token.text,
            "lemma": token.lemma_,
            "upos": token.pos_,
            "xpos": token.tag_,
            "feats": str(token.morph),
            "head": _spacy_head(token, number_of) if parsed else None,
            "deprel": "root" if token.dep_ == "ROOT" else token.dep_,
            "misc": None if has_space_behind(token) else "SpaceAfter=No",
        }
        for token in words
    ]


def has_space_behind(token: Any) -> bool:
    """Whether white space follows a token of spaCy, its own or a token of nothing else."""
    return bool(token.whitespace_) or (token.i + 1 < len(token.doc) and token.doc[token.i + 1].is_space)


def _spacy_head(token: Any, number_of: Mapping[int, int]) -> int:
    """Return the number of the head, above tokens that are left out; 0 for a root."""
    while token.head.i != token.i:
        token = token.head
        if token.i in number_of:
            return number_of[token.i]
    return 0


def spacy_doc(vocab: Any, columns: Mapping[str, list[str]], heads: list[int] | None, *, universal: bool) -> Any:
    """Make a spaCy `Doc` of the columns of a sentence; CoNLL-X has no universal tags and features and no MISC."""
    relations = zip(heads or [], columns["deprel"], strict=False)
    return imported("spacy.tokens", "spacy").Doc(
        vocab,
        words=columns["form"],
        spaces=[not universal or "SpaceAfter=No" not in misc.split("|") for misc in columns["misc"]],
        lemmas=_without_absent(columns["lemma"]),
        pos=_without_absent(columns["upos"]) if universal else None,
        tags=_without_absent(columns["xpos"]),
        morphs=_without_absent(columns["feats"]) if universal else None,
        heads=None if heads is None else [head - 1 if head else index for index, head in enumerate(heads)],
        deps=["ROOT" if head == 0 else deprel for head, deprel in relations] if heads else None,
    )


def _without_absent(texts: list[str]) -> list[str]:
    return ["" if text == "_" else text for text in texts]


def with_one_root(head_rows: Offsets, start: Offsets) -> Offsets:
    """Let all roots of a sentence hang on that of its largest tree, the first of these; a root is its own head.

    spaCy takes sentences from trees, and could not hold two whose words interleave. `head_rows` has of each row that of
    its head, `start` the first row of its sentence.
    """
    rows = np.arange(len(head_rows))
    top = head_rows
    while (top[top] != top).any():
        top = top[top]
    sizes = np.bincount(top, minlength=len(top))
    roots = np.flatnonzero(head_rows == rows)
    roots = roots[np.lexsort((-sizes[roots], start[roots]))]
    _, first, sentence = np.unique(start[roots], return_index=True, return_inverse=True)
    head_rows[roots] = roots[first][sentence]
    return head_rows


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
    return {SENTENCE: items_of(word_offsets), WORD: positions_of(word_offsets)}


def columns_of_frame(frame: Any) -> dict[str, Any]:
    """Return what `Treebank.from_columns` takes from a data frame; rows of a sentence stand together, in order."""
    attribute_of(frame, "to_dict", "a data frame of pandas")
    names = attribute_of(frame, "columns", "a data frame of pandas")
    return _columns({str(name): frame[name].tolist() for name in names})


def columns_of_arrow(table: Any) -> dict[str, Any]:
    """Return the same from whatever has the Arrow interface: a table of pyarrow, a frame of polars, a DuckDB result."""
    pyarrow = imported("pyarrow", "arrow")
    attribute_of(table, "__arrow_c_stream__", "an Arrow table")
    held = pyarrow.table(table)
    return _columns({name: held.column(name).to_pylist() for name in held.column_names})


def _columns(given: Mapping[str, list[Any]]) -> dict[str, Any]:
    """Sort out the columns of a table, with missing values as None."""
    for name in ("form", SENTENCE):
        if name not in given:
            raise CrossarcError(f"the table has no column {name!r}: it has {', '.join(map(repr, given)) or 'none'}")
    columns: dict[str, Any] = {name: [_value(cell) for cell in given[name]] for name in COLUMNS if name in given}
    if "head" in columns:
        columns["head"] = [None if head is None else _whole(head) for head in columns["head"]]
    sentences = [_value(cell) for cell in given[SENTENCE]]
    changes = [row for row in range(1, len(sentences)) if sentences[row] != sentences[row - 1]]
    starts = [0, *changes] if sentences else []
    if len({sentences[row] for row in starts}) < len(starts):
        raise CrossarcError("the rows of a sentence do not stand together: sort the table by sentence and id")
    offsets = [*starts, len(sentences)]
    if WORD in given:
        _check_numbers([_value(cell) for cell in given[WORD]], offsets)
    return {**columns, "word_offsets": offsets}


def _check_numbers(ids: list[Any], offsets: list[int]) -> None:
    """Refuse words that are not in their order; rows of multiword tokens and empty nodes are none of words."""
    for start, stop in pairwise(offsets):
        for row in range(start, stop):
            if ids[row] != row - start + 1:
                raise CrossarcError(
                    f"row {row}: id {ids[row]!r} where {row - start + 1} was expected: the rows are the words of "
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
