"""From skeletons to a treebank: chooses the words of all sentences at once, in numpy.

At most 12,800 different skeletons are built by the grammar (a fifth of a millisecond each); a larger sample uses them
again with other words, block by block. Filling them is a handful of gathers over the columns: O(words), well under a
second for a million words, and little more memory than the treebank itself takes.
"""

from __future__ import annotations

import operator

import numpy as np

from .. import _kernel
from .._arrays import AnyArray, Ids, Offsets, offsets_of, rows_of
from .._kernel import AsideKind
from ..options import checked
from ..treebank import COLUMNS, Treebank
from .randomness import derived, mixed_array, skewed_choice
from .sentences import BLOCK, plan, sentence
from .skeleton import OWN_FORM, Skeleton, SlotTable, skeleton

_DISTINCT_BLOCKS = 64
_REUSE, _WORDS = 3, 4  # sequences of random numbers; sentences.py has 1 and 2
_SENTENCES_AT_ONCE = 20_000
_COMMENTS = 2

Arrays = dict[str, AnyArray]


def sample(sentences: int = 1000, seed: int = 1) -> Treebank:
    """Generate a treebank of an invented language in which a quarter of the sentences are not projective.

    The same seed gives the same sentences on every machine, and a smaller sample is the beginning of a larger one.
    Words that carry a construction name it in MISC (`Construction=ExtraposedRelative`). The language and its grammar
    are described in `docs/guide/sample.md`.
    """
    count, seed = checked("sentences", sentences), operator.index(seed)
    pool = _kernel.StringPool()
    table = SlotTable(pool, _skeletons(min(count, _DISTINCT_BLOCKS * BLOCK), seed))
    chosen = _skeleton_numbers(count, seed)
    word_offsets = offsets_of(np.diff(table.offsets)[chosen])
    aside_offsets = offsets_of(np.diff(table.range_offsets)[chosen] + _COMMENTS)
    arrays = _empty(int(word_offsets[-1]), int(aside_offsets[-1]))
    for start in range(0, count, _SENTENCES_AT_ONCE):
        part = slice(start, min(start + _SENTENCES_AT_ONCE, count))
        words = slice(int(word_offsets[part.start]), int(word_offsets[part.stop]))
        asides = slice(int(aside_offsets[part.start]), int(aside_offsets[part.stop]))
        texts = _fill_words(arrays, words, pool, table, chosen[part], (start, seed))
        _fill_asides(arrays, asides, table, chosen[part], [_ids(pool, seed, part), texts])
    arrays |= _per_sentence(pool, word_offsets, aside_offsets)
    return Treebank(pool, arrays, word_offsets, aside_offsets, "conllu", (f"<sample {seed}>",))


def _skeletons(count: int, seed: int) -> list[Skeleton]:
    kinds = [kind for block in range(-(-count // BLOCK)) for kind in plan(seed, block)]
    return [skeleton(sentence(seed, number, kinds[number])) for number in range(count)]


def _skeleton_numbers(count: int, seed: int) -> Offsets:
    """Return the skeleton of each sentence: its own, then those of earlier blocks, begun at another place."""
    numbers = np.arange(count, dtype=np.int64)
    distinct = _DISTINCT_BLOCKS * BLOCK
    if count <= distinct:
        return numbers
    blocks, indices = np.divmod(numbers[distinct:], BLOCK)
    random = mixed_array(derived(seed, _REUSE), blocks.astype(np.uint64))
    source = (random % np.uint64(_DISTINCT_BLOCKS)).astype(np.int64)
    turn = ((random >> np.uint64(32)) % np.uint64(BLOCK)).astype(np.int64)
    numbers[distinct:] = source * BLOCK + (indices + turn) % BLOCK
    return numbers


def _empty(words: int, asides: int) -> Arrays:
    arrays: Arrays = {name: np.zeros(words, np.int32) for name in COLUMNS}
    arrays["aside_kind"] = np.full(asides, AsideKind.range, np.uint8)
    arrays["aside_before"] = np.ones(asides, np.int32)
    arrays["aside_text"] = np.zeros(asides, np.int32)
    return arrays


def _fill_words(
    arrays: Arrays, words: slice, pool: _kernel.StringPool, table: SlotTable, chosen: Offsets, source: tuple[int, int]
) -> Ids:
    """Choose the words of some sentences; `source` is the number of the first and the seed. Return their texts."""
    first, seed = source
    slots, offsets = rows_of(table.offsets, chosen)
    lengths = np.diff(offsets)
    numbers = np.arange(first, first + len(chosen), dtype=np.uint64)
    keys = np.repeat(mixed_array(derived(seed, _WORDS), numbers), lengths)
    indices = (np.arange(len(slots)) - np.repeat(offsets[:-1], lengths)).astype(np.uint64)
    lexemes = skewed_choice(mixed_array(keys, indices), table.size[slots])
    form = table.forms[table.form_start[slots] + lexemes]
    arrays["form"][words] = form
    arrays["lemma"][words] = table.lemmas[table.lemma_start[slots] + lexemes]
    arrays["head"][words] = table.head[slots]
    for name, column in table.fixed.items():
        arrays[name][words] = column[slots]
    surface = table.surface[slots]
    surface = np.where(surface == OWN_FORM, form, surface)
    return pool.intern_joined("# text = ", surface, table.space_after[slots], offsets)


def _ids(pool: _kernel.StringPool, seed: int, sentences: slice) -> Ids:
    return pool.intern([f"# sent_id = sample-{seed}-{number + 1}" for number in range(sentences.start, sentences.stop)])


def _fill_asides(arrays: Arrays, asides: slice, table: SlotTable, chosen: Offsets, comments: list[Ids]) -> None:
    """Put in the comments and the multiword tokens of some sentences."""
    rows, offsets = rows_of(table.range_offsets, chosen)
    first = asides.start + offsets[:-1] + _COMMENTS * np.arange(len(chosen))
    for line, texts in enumerate(comments):
        arrays["aside_text"][first + line] = texts
        arrays["aside_kind"][first + line] = AsideKind.comment
    sentences = np.repeat(np.arange(len(chosen)), np.diff(offsets))
    ranges = asides.start + np.arange(len(rows)) + _COMMENTS * (sentences + 1)
    arrays["aside_text"][ranges] = table.range_text[rows]
    arrays["aside_before"][ranges] = table.range_before[rows]


def _per_sentence(pool: _kernel.StringPool, word_offsets: Offsets, aside_offsets: Offsets) -> Arrays:
    count = len(word_offsets) - 1
    lines = np.diff(word_offsets) + np.diff(aside_offsets) + 1
    return {
        "first_line": offsets_of(lines)[:-1] + 1,
        "source": np.zeros(count, np.int32),
        "after": np.full(count, pool.intern(["\n\n"], False)[0], np.int32),
        "crlf": np.zeros(count, np.uint8),
    }
