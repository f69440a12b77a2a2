"""Punctuation that makes no arc non-projective: attached anew where it does, if that of the training data does not.

Universal Dependencies attach punctuation so that its own arc is projective and that it is not the reason why another
one is not; most treebanks keep that, and parsers that cross arcs do not by themselves. Where they fail, the word gets
the highest head to which its arc crosses nothing (arcs from the root are drawn, too); the word next to it is one that
crosses nothing, unless it is below it. An arc that crosses nothing is projective, and is no reason for another one not
to be; and since crossings only become fewer, the tree stays in its class: projective, planar, k-planar,
1-endpoint-crossing. O(words) in arrays; O(words · depth) in sentences where an arc into punctuation is crossed.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .. import _kernel
from .._arrays import Flags, Ids, Offsets
from ..models.base import Definition
from ..treebank import Treebank
from .input_columns import columns_read

#: The largest share of punctuation words that may be misplaced in training data where none is to be in parsing.
MOST_MISPLACED = 0.002


def reads_tags(definition: Definition[Any], predicted: Sequence[str] = ()) -> bool:
    """Whether a model asks for parts of speech, so that these say what is punctuation, too; not if it predicts them."""
    return "upos" not in predicted and columns_read(definition.vocabularies).get("upos", False)


def punctuation_words(treebank: Treebank, rows: Offsets | None = None, *, tags: bool) -> Flags:
    """Return which words are punctuation: by their characters, all of them Unicode's, or with `tags` by UPOS PUNCT.

    `rows`: of these words alone.
    """
    rows = np.arange(treebank.words) if rows is None else rows
    forms, form_of = np.unique(treebank.column("form")[rows], return_inverse=True)
    texts = treebank.pool.texts(forms.astype(np.int32))
    marked: Flags = np.array([_is_punctuation(text) for text in texts], np.bool_)[form_of]
    if tags:
        marked |= treebank.column("upos")[rows] == treebank.pool.intern(["PUNCT"])[0]
    return marked


def _is_punctuation(form: str) -> bool:
    return bool(form) and all(unicodedata.category(character).startswith("P") for character in form)


def keeps_punctuation_projective(treebank: Treebank, *, tags: bool, threads: int = 1) -> bool:
    """Whether punctuation of a treebank makes no arc non-projective, or hardly ever; not, if there is none."""
    words = int(np.count_nonzero(punctuation_words(treebank, tags=tags) & (treebank.head > 0)))
    misplaced = misplaced_punctuation(treebank, treebank.head, tags=tags, threads=threads)
    return words > 0 and len(misplaced) <= MOST_MISPLACED * words


def misplaced_punctuation(treebank: Treebank, heads: Ids, *, tags: bool, threads: int = 1) -> Offsets:
    """Return the rows of punctuation words whose arc is non-projective in these trees, or because of which another is.

    An arc is non-projective because of punctuation if all words below it that are not below its head are such words, or
    below them.
    """
    offsets = treebank.word_offsets
    classes, fault = _kernel.classify(np.ascontiguousarray(heads), offsets, True, False, False, 0, threads)
    assert fault is None, fault
    nonprojective = classes["arc_nonprojective"].view(np.bool_)
    crossed = np.flatnonzero((heads > 0) & (classes["arc_crossings"] > 0))
    crossed = crossed[punctuation_words(treebank, crossed, tags=tags)]
    misplaced = set(crossed[nonprojective[crossed]].tolist())
    # Not np.unique, which imports masked arrays.
    for sentence in sorted({*(np.searchsorted(offsets, crossed, side="right") - 1).tolist()}):
        start, end = offsets[sentence : sentence + 2].tolist()
        punctuation = punctuation_words(treebank, np.arange(start, end), tags=tags)
        arcs = np.flatnonzero(nonprojective[start:end] & ~punctuation) + 1
        reasons = _reasons([0, *heads[start:end].tolist()], [False, *punctuation.tolist()], arcs.tolist())
        misplaced.update(start + word - 1 for word in reasons if heads[start + word - 1])
    return np.array(sorted(misplaced), np.int64)


def with_projective_punctuation(treebank: Treebank, heads: Ids, *, tags: bool, threads: int = 1) -> Ids:
    """Return heads of trees with no misplaced punctuation, but for words whose dependents leave no other head.

    A word that moves takes those below it along, because of which other punctuation may be misplaced then: it follows.
    There is an end, for arcs that crossed others cross none when they have moved.
    """
    offsets = treebank.word_offsets
    while len(rows := misplaced_punctuation(treebank, heads, tags=tags, threads=threads)):
        before, heads = heads, heads.copy()
        sentences = np.searchsorted(offsets, rows, side="right") - 1
        for sentence in np.unique(sentences).tolist():
            start, end = offsets[sentence : sentence + 2].tolist()
            heads[start:end] = _moved(heads[start:end], (rows[sentences == sentence] - start + 1).tolist())
        if (heads == before).all():
            break
    return heads


def _moved(heads: Ids, words: Sequence[int]) -> list[int]:
    """Return the heads of a tree in which each of some words has the highest head to which its arc crosses nothing.

    Words without dependents come first, so that no other word that hangs on them leaves them without a head.
    """
    tree = [0, *heads.tolist()]
    for word in sorted(words, key=lambda word: word in tree):
        paths = [_path(tree, head) for head in _free_heads(tree, word)]
        free = [(len(path), abs(path[0] - word), path[0]) for path in paths if word not in path]
        if free:
            tree[word] = min(free)[2]
    return tree[1:]


def _reasons(heads: Sequence[int], punctuation: Sequence[bool], dependents: Sequence[int]) -> Iterator[int]:
    """Yield the punctuation words because of which arcs into these words are non-projective.

    Of all sequences, the first value is that of the artificial root.
    """
    for dependent in dependents:
        reasons = []
        for word in range(min(heads[dependent], dependent) + 1, max(heads[dependent], dependent)):
            path = _path(heads, word)
            if heads[dependent] in path:
                continue
            highest = next((above for above in reversed(path) if punctuation[above]), None)
            if highest is None:
                break
            reasons.append(highest)
        else:
            yield from reasons


def _path(heads: Sequence[int], word: int) -> list[int]:
    """Return a word and those above it."""
    path = []
    while word:
        path.append(word)
        word = heads[word]
    return path


def _free_heads(heads: Sequence[int], word: int) -> Iterator[int]:
    """Yield the words to which an arc of a word would cross no other arc: none from between leaves the two."""
    low, high = list(range(len(heads))), list(range(len(heads)))
    for dependent, head in enumerate(heads[1:], start=1):
        low[dependent], high[dependent] = min(low[dependent], head), max(high[dependent], head)
        low[head], high[head] = min(low[head], dependent), max(high[head], dependent)
    for step, last in ((-1, 0), (1, len(heads))):
        lowest, highest = word, word
        for head in range(word + step, last, step):
            left, right = min(head, word), max(head, word)
            if lowest >= left and highest <= right:
                yield head
            lowest, highest = min(lowest, low[head]), max(highest, high[head])
            if lowest < word < highest:
                break  # an arc over the word: none from behind it crosses nothing
