"""Documents of spaCy as a treebank, and its trees put back into them.

Documents go through arrays of ids: texts are looked up once for each that occurs. Tokens of nothing but white space are
no words; in the tree they hang on the word before them. Where the tokeniser of crossarc found tokens of several words,
the words are parsed, and the token gets the head of its highest word: contracting a tree in this way gives a tree,
since the highest word of the token above is always nearer to the root. A sentence longer than any parser takes, most
often a document without sentence boundaries, is cut, with a warning. O(tokens).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from spacy.tokens import Doc

from .._arrays import AnyArray, Flags, Ids, Offsets, offsets_of
from ..text import LongSentenceWarning
from ..treebank import Treebank
from ..treebank.documents import with_one_root

#: Where a document keeps the words of its tokens of several words: a dictionary from the token's place to them.
WORDS = "crossarc_words"
#: Where it keeps numbers of its tokens: scores, margins, probabilities.
NUMBERS = ("crossarc_score", "crossarc_margin", "crossarc_probability")

_ATTRIBUTES = {"lemma": "LEMMA", "upos": "POS", "xpos": "TAG", "feats": "MORPH"}
_SPACE_RELATION = "dep"
#: A sentence has no more words; graph parsers take no longer ones.
_MOST_WORDS = 4096
_FINAL_MARKS = ".!?…。"
_NOT_IN_A_COLUMN = str.maketrans("\t\n\r\0", "    ")


@dataclass(frozen=True)
class ParsedDocs:
    """The words of documents: as a treebank, and of each token its first word and how many it has."""

    docs: Sequence[Doc]
    treebank: Treebank
    #: Of each document its first token, and of all documents the number of tokens.
    tokens: Offsets
    #: Of each token the row of its first word in the treebank; of white space that of the word which it hangs on.
    first: Offsets
    #: How many words it has: 0 for white space.
    counts: Offsets
    #: Of each token the first token of its sentence.
    starts: Offsets


def words_of(docs: Sequence[Doc]) -> ParsedDocs:
    """Return the words of documents; one without sentence boundaries is one sentence."""
    tokens = offsets_of([len(doc) for doc in docs])
    ids = _ids(docs, ["ORTH", *_ATTRIBUTES.values()])
    strings: Any = docs[0].vocab.strings if docs else None
    space = np.concatenate([np.zeros(0, bool), *(_column(doc, "IS_SPACE").astype(bool) for doc in docs)])
    begins = _sentence_begins(docs, tokens)
    counts = (~space).astype(np.int64)
    several = {
        int(tokens[place]) + token: words
        for place, doc in enumerate(docs)
        for token, words in doc.user_data.get(WORDS, {}).items()
    }
    for token, words in several.items():
        counts[token] = len(words)
    _cut_long_sentences(begins, counts, np.isin(ids[:, 0], [strings[mark] for mark in _FINAL_MARKS] if docs else []))
    first = offsets_of(counts)[:-1]
    sentence = np.cumsum(begins) - 1
    lengths = np.bincount(sentence, counts, int(begins.sum())).astype(np.int64)
    rows = np.repeat(np.arange(len(counts)), counts)
    columns: dict[str, Any] = {"form": _texts(strings, ids[:, 0], rows)}
    for place, name in enumerate(_ATTRIBUTES, start=1):
        columns[name] = _texts(strings, ids[:, place], rows)
    for token, words in several.items():
        own = slice(int(first[token]), int(first[token]) + len(words))
        columns["form"][own] = [word.translate(_NOT_IN_A_COLUMN) for word in words]
        for name in _ATTRIBUTES:
            columns[name][own] = ["_"] * len(words)
    treebank = Treebank.from_columns(**columns, lengths=lengths[lengths > 0])
    starts = np.flatnonzero(begins)[sentence] if len(sentence) else sentence
    return ParsedDocs(docs, treebank, tokens, _hung(first, counts, starts, space), counts, starts)


def _ids(docs: Sequence[Doc], attributes: list[str]) -> AnyArray:
    empty = np.zeros((0, len(attributes)), np.uint64)
    return np.concatenate([empty, *(doc.to_array(attributes).reshape(-1, len(attributes)) for doc in docs)])


def _column(doc: Doc, attribute: str) -> AnyArray:
    values: AnyArray = doc.to_array([attribute]).reshape(-1)
    return values


def _sentence_begins(docs: Sequence[Doc], tokens: Offsets) -> Flags:
    begins = np.zeros(int(tokens[-1]), bool)
    for place, doc in enumerate(docs):
        if doc.has_annotation("SENT_START"):
            begins[int(tokens[place]) : int(tokens[place + 1])] = _column(doc, "SENT_START") == 1
        if len(doc):
            begins[int(tokens[place])] = True
    return begins


def _cut_long_sentences(begins: Flags, counts: Offsets, final: Flags) -> None:
    """Mark more first tokens of sentences, so that none has too many words: behind a mark that ends one if there is."""
    before = offsets_of(counts)
    starts = np.flatnonzero(begins)
    long = 0
    for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(begins)], strict=False):
        long += int(before[end] - before[start] > _MOST_WORDS)
        while before[end] - before[start] > _MOST_WORDS:
            stop = int(np.searchsorted(before, before[start] + _MOST_WORDS, side="right")) - 1
            half = (start + stop) // 2
            marks = np.flatnonzero(final[half:stop])
            start = max(start + 1, half + int(marks[-1]) + 1 if len(marks) else stop)
            begins[start] = True
    if long:
        what = "1 sentence" if long == 1 else f"{long:,} sentences"
        warnings.warn(
            f"{what} of more than {_MOST_WORDS:,} words cut: set sentence boundaries, with sentencizer or senter "
            "before crossarc or with its tokeniser",
            LongSentenceWarning,
            stacklevel=5,
        )


def _texts(strings: Any, ids: AnyArray, rows: Offsets) -> list[str]:
    """Return the texts of ids, one for each word; an absent value is "_"."""
    different, place = np.unique(ids, return_inverse=True)
    texts = [(strings[int(one)].translate(_NOT_IN_A_COLUMN).strip() if one else "") or "_" for one in different]
    return [texts[one] for one in place.reshape(-1)[rows].tolist()]


def _hung(first: Offsets, counts: Offsets, starts: Offsets, space: Flags) -> Offsets:
    """Let white space hang on the last word of its sentence before it, or else on the first behind it."""
    hung = first.copy()
    after_word = hung - 1 >= first[starts]
    hung[space & after_word] -= 1
    return hung


def put_back(found: ParsedDocs, parsed: Treebank, predicted: Sequence[str]) -> None:
    """Write the trees, and columns that were predicted, of a parsed treebank into the documents."""
    if not found.treebank.words:
        return
    heads, chosen = _token_heads(found, parsed)
    strings = found.docs[0].vocab.strings
    root, of_space = np.uint64(strings.add("ROOT")), np.uint64(strings.add(_SPACE_RELATION))
    is_root = heads == np.arange(len(heads))
    relations = np.where(is_root, root, _hashes(parsed, "deprel", strings.add)[chosen])
    relations = np.where(found.counts == 0, np.where(is_root, root, of_space), relations)
    columns = {"HEAD": (heads - np.arange(len(heads))).astype(np.int64).view(np.uint64), "DEP": relations}
    words = found.counts > 0
    for name in predicted:
        columns[_ATTRIBUTES[name]] = np.where(words, _predicted(found, parsed, name)[chosen], np.uint64(0))
    names = list(columns)
    values = np.stack([columns[name].astype(np.uint64) for name in names], axis=1)
    for place, doc in enumerate(found.docs):
        if len(doc):
            doc.from_array(names, values[int(found.tokens[place]) : int(found.tokens[place + 1])])


def _token_heads(found: ParsedDocs, parsed: Treebank) -> tuple[Offsets, Offsets]:
    """Return of each token its head, itself for a root, and the row of the word that stands for it."""
    lengths = np.diff(parsed.word_offsets)
    start = np.repeat(parsed.word_offsets[:-1], lengths)
    head_rows = with_one_root(np.where(parsed.head > 0, start + parsed.head - 1, np.arange(parsed.words)), start)
    token_of = np.repeat(np.arange(len(found.counts)), found.counts)
    chosen = found.first.copy()
    for token in np.flatnonzero(found.counts > 1).tolist():
        rows = range(int(found.first[token]), int(found.first[token] + found.counts[token]))
        chosen[token] = min(rows, key=lambda row: (_depth(head_rows, row), row))
    chosen = np.minimum(chosen, parsed.words - 1)
    space = found.counts == 0
    heads = np.where(space, token_of[chosen], token_of[head_rows[chosen]])
    # A sentence of white space alone has no word: it is a root.
    alone = space & (found.starts[heads] != found.starts)
    return np.where(alone, np.arange(len(heads)), heads), chosen


def _depth(head_rows: Offsets, row: int) -> int:
    depth = 0
    while head_rows[row] != row:
        row, depth = int(head_rows[row]), depth + 1
    return depth


def _hashes(parsed: Treebank, name: str, add: Any) -> AnyArray:
    """Return the ids of spaCy for the texts of a column, each text added once."""
    ids: Ids = parsed.column(name)
    different, place = np.unique(ids, return_inverse=True)
    hashes = np.array([add(text) if text != "_" else 0 for text in parsed.pool.texts(different)], np.uint64)
    return hashes[place.reshape(-1)]


def _predicted(found: ParsedDocs, parsed: Treebank, name: str) -> AnyArray:
    from spacy.parts_of_speech import IDS

    vocab = found.docs[0].vocab
    adders = {"upos": lambda text: IDS.get(text, 0), "feats": vocab.morphology.add}
    return _hashes(parsed, name, adders.get(name, vocab.strings.add))


def keep_numbers(found: ParsedDocs, numbers: dict[str, AnyArray]) -> None:
    """Keep numbers of words with the documents, for the extensions of tokens; white space has none."""
    for name, values in numbers.items():
        of_tokens = np.where(found.counts > 0, values[np.minimum(found.first, len(values) - 1)], np.nan)
        for place, doc in enumerate(found.docs):
            own = of_tokens[int(found.tokens[place]) : int(found.tokens[place + 1])]
            doc.user_data[name] = [None if np.isnan(one) else float(one) for one in own.tolist()]
