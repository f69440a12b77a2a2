"""Treebanks from and for other libraries: plain dictionaries, PyPI's `conllu`, pandas and spaCy.

No library is imported unless its function is called. What comes in passes the same checks as a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import CrossarcError
from .formats import COLUMNS, Format

if TYPE_CHECKING:
    from .treebank import Treebank


def _read_text(text: str, name: str, root: str, format: Format = "conllu") -> Treebank:
    from .reading import from_bytes

    return from_bytes(text.encode("utf-8"), name, format=format, root=root)


def _column_text(value: Any) -> str:
    """Write a column's value, which may be text, a number, a dictionary or a list of pairs."""
    if value is None or value == "" or value == {} or value == []:
        return "_"
    if isinstance(value, Mapping):
        return "|".join(f"{key}={item}" if item not in (None, "") else str(key) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return "|".join(f"{head}:{relation}" for head, relation in value)
    return str(value)


def from_dicts(
    sentences: Iterable[Iterable[Mapping[str, Any]]], *, format: Format = "conllu", root: str = "any"
) -> Treebank:
    """Make a treebank from dictionaries, one for each word; columns that are not there are "_"."""
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
    return _read_text("".join(line + "\n" for line in lines), "<dictionaries>", root, format)


def from_conllu_lib(sentences: Iterable[Any], *, root: str = "any") -> Treebank:
    """Make a treebank from the `TokenList`s of PyPI's `conllu`."""
    return _read_text("".join(sentence.serialize() for sentence in sentences), "<conllu>", root)


def from_spacy(docs: Any, *, root: str = "any") -> Treebank:
    """Make a treebank from a spaCy `Doc` or several: a sentence for each of theirs."""
    docs = [docs] if hasattr(docs, "sents") else docs
    return from_dicts((_spacy_words(span) for doc in docs for span in doc.sents), root=root)


def _spacy_words(span: Any) -> list[dict[str, Any]]:
    parsed = span.doc.has_annotation("DEP")
    return [
        {
            "form": token.text.strip() or "_",
            "lemma": token.lemma_,
            "upos": token.pos_,
            "xpos": token.tag_,
            "feats": str(token.morph),
            "head": None if not parsed else 0 if token.head.i == token.i else token.head.i - span.start + 1,
            "deprel": "root" if token.dep_ == "ROOT" else token.dep_,
            "misc": None if token.whitespace_ else "SpaceAfter=No",
        }
        for token in span
    ]


def to_spacy(treebank: Treebank, vocab: Any) -> list[Any]:
    """Make a spaCy `Doc` of each sentence."""
    from spacy.tokens import Doc

    docs = []
    for sentence in treebank:
        heads = sentence.heads.tolist() if sentence.has_heads else None
        deps = [("ROOT" if head == 0 else deprel) for head, deprel in zip(heads or [], sentence.deprels, strict=False)]
        docs.append(
            Doc(
                vocab,
                words=sentence.forms,
                spaces=[word.misc.get("SpaceAfter") != "No" for word in sentence],
                lemmas=_without_absent(sentence.texts("lemma")),
                pos=_without_absent(sentence.texts("upos")) if treebank.format == "conllu" else None,
                tags=_without_absent(sentence.texts("xpos")),
                morphs=_without_absent(sentence.texts("feats")) if treebank.format == "conllu" else None,
                heads=None if heads is None else [head - 1 if head else place for place, head in enumerate(heads)],
                deps=deps if heads else None,
            )
        )
    return docs


def _without_absent(texts: list[str]) -> list[str]:
    return ["" if text == "_" else text for text in texts]


def to_pandas(treebank: Treebank) -> Any:
    """Make a data frame with a row for each word."""
    import pandas

    lengths = np.diff(treebank.word_offsets)
    starts = np.repeat(treebank.word_offsets[:-1], lengths)
    data: dict[str, Any] = {
        "sentence": np.repeat(np.arange(len(treebank)), lengths),
        "id": np.arange(treebank.words) - starts + 1,
    }
    for name in COLUMNS:
        values = treebank.column(name)
        if name == "head":
            data[name] = values
        else:
            ids, codes = np.unique(values, return_inverse=True)
            data[name] = pandas.Categorical.from_codes(codes, categories=pandas.Index(treebank.pool.texts(ids)))
    return pandas.DataFrame(data)
