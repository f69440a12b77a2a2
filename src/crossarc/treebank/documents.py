"""Documents of other libraries as CoNLL-U, and back: spaCy, Stanza, Udapi and PyPI's `conllu`.

What comes in is written as CoNLL-U, by the library itself where it can, and read with the checks of a file. What goes
out is read by the library from the text of the treebank. No library is imported before a document of it is made; what
comes in is known by its methods. O(words).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..errors import CrossarcError, imported
from .interchange import text_of_dicts


def text_of_conllu_lib(sentences: Iterable[Any]) -> str:
    """Write the `TokenList`s of PyPI's `conllu`."""
    return "".join(_called(sentence, "serialize", "a TokenList of conllu") for sentence in sentences)


def conllu_lib_sentences(text: str) -> Any:
    """Let PyPI's `conllu` read a text."""
    return imported("conllu", "conllu").parse(text)


def text_of_udapi(document: Any) -> str:
    """Write a document of Udapi."""
    return str(_called(document, "to_conllu_string", "a Document of udapi"))


def udapi_document(text: str) -> Any:
    """Let Udapi read a text."""
    document = imported("udapi.core.document", "udapi").Document()
    document.from_conllu_string(text)
    return document


def text_of_stanza(document: Any) -> str:
    """Write a document of Stanza, whose format `C` is CoNLL-U."""
    if not hasattr(document, "sentences"):
        raise CrossarcError(f"a Document of stanza is needed, not {type(document).__name__}")
    return f"{document:C}\n\n"


def stanza_document(text: str) -> Any:
    """Let Stanza read a text."""
    return imported("stanza.utils.conll", "stanza").CoNLL.conll2doc(input_str=text)


def _called(document: Any, method: str, what: str) -> Any:
    if not hasattr(document, method):
        raise CrossarcError(f"{what} is needed, not {type(document).__name__}")
    return getattr(document, method)()


# spaCy


def text_of_spacy(docs: Any) -> str:
    """Write the sentences of a spaCy `Doc` or of several; one without sentence boundaries is one sentence.

    Tokens that are nothing but white space are left out.
    """
    docs = [docs] if hasattr(docs, "has_annotation") else docs
    return text_of_dicts(_spacy_words(span) for doc in docs for span in spacy_sentences(doc))


def spacy_sentences(doc: Any) -> Iterator[Any]:
    """Go through the sentences of a spaCy `Doc` that hold a word; without boundaries it is one sentence."""
    if not hasattr(doc, "has_annotation"):
        raise CrossarcError(f"a Doc of spaCy is needed, not {type(doc).__name__}")
    spans = doc.sents if doc.has_annotation("SENT_START") else [doc[:]]
    return (span for span in spans if any(not token.is_space for token in span))


def _spacy_words(span: Any) -> list[dict[str, Any]]:
    parsed = span.doc.has_annotation("DEP")
    words = [token for token in span if not token.is_space]
    number_of = {token.i: place for place, token in enumerate(words, start=1)}
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
        heads=None if heads is None else [head - 1 if head else place for place, head in enumerate(heads)],
        deps=["ROOT" if head == 0 else deprel for head, deprel in relations] if heads else None,
    )


def _without_absent(texts: list[str]) -> list[str]:
    return ["" if text == "_" else text for text in texts]
