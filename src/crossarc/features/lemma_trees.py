"""Lemmas that the tree decides: those of forms that have several as one part of speech.

*She's written* has a form of *have*, *she's writing* one of *be*; so *she'd gone* and *she'd go*. Of such forms it is
counted which lemma they have by their relation, the tag of their head, and the next auxiliary of this head (*she's been
writing*). What was nearly always so is kept, and goes before what a network or a memory says. O(words).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from .._arrays import Flags, Offsets, items_of
from ..treebank import Treebank
from .vocabularies import normal_form

#: By part of speech and form in small letters, the lemma that belongs to a relation, the head's tag, and an auxiliary.
LemmasByTree = Mapping[str, Mapping[str, Mapping[str, str]]]

#: How many words a lemma, and a relation with a tag, must have, and which share of these one lemma.
_FEWEST, _SURE = 3, 0.9
_NOTHING = "_"
_ROOT = "root"
#: What relations of auxiliaries begin with, and how far off the next one is looked for.
_AUXILIARY, _FARTHEST = ("aux", "cop"), 5


def learnt_by_tree(treebank: Treebank) -> dict[str, dict[str, dict[str, str]]]:
    """Return the lemmas of forms that have several, as far as the trees of a treebank tell them apart."""
    words = np.flatnonzero(np.asarray(treebank.head) >= 0)
    several = _with_several_lemmas(treebank, words)
    rows = words[np.array([key in several for key in _keys(treebank, words)], bool)]
    counts: defaultdict[tuple[str, str], defaultdict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    keys, lemmas = _keys(treebank, rows), _texts(treebank, "lemma", rows)
    for key, context, lemma in zip(keys, _contexts(treebank, rows), lemmas, strict=True):
        if lemma != _NOTHING:
            counts[key][context][lemma] += 1
    table: dict[str, dict[str, dict[str, str]]] = {}
    for (upos, form), by_context in counts.items():
        known = {
            context: sure for context, of_lemma in by_context.items() if (sure := _sure_lemma(of_lemma)) is not None
        }
        if len(set(known.values())) > 1:
            table.setdefault(upos, {})[form] = known
    return table


def with_lemmas_by_tree(treebank: Treebank, table: LemmasByTree, wanted: Flags) -> Treebank:
    """Return a treebank with the lemmas that its trees decide, of the words that want one; case stays as it is."""
    forms, of_word = treebank.distinct_texts("form")
    decided = {form for by_form in table.values() for form in by_form}
    rows = np.flatnonzero(wanted & np.array([_small(form) in decided for form in forms], bool)[of_word])
    if not len(rows):
        return treebank
    lemmas = _texts(treebank, "lemma", rows)
    changed = {
        row: lemma
        for row, (upos, form), context, before in zip(
            rows.tolist(), _keys(treebank, rows), _contexts(treebank, rows), lemmas, strict=True
        )
        if (lemma := table.get(upos, {}).get(form, {}).get(context, before)).lower() != before.lower()
    }
    if not changed:
        return treebank
    ids = treebank.column("lemma").copy()
    ids[list(changed)] = treebank.pool.intern(list(changed.values()))
    return treebank.replace(lemma=ids)


def _with_several_lemmas(treebank: Treebank, rows: Offsets) -> set[tuple[str, str]]:
    """Return the parts of speech and forms that have several lemmas, more than a few times each."""
    counts: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for key, lemma in zip(_keys(treebank, rows), _texts(treebank, "lemma", rows), strict=True):
        if lemma != _NOTHING:
            counts[key][lemma.lower()] += 1
    return {key for key, of_lemma in counts.items() if sum(count >= _FEWEST for count in of_lemma.values()) > 1}


def _sure_lemma(counts: Counter[str]) -> str | None:
    lemma, count = counts.most_common(1)[0]
    total = counts.total()
    return lemma if total >= _FEWEST and count >= _SURE * total else None


def _keys(treebank: Treebank, rows: Offsets) -> list[tuple[str, str]]:
    """Return the parts of speech and the forms, in small letters, of words."""
    forms = map(_small, _texts(treebank, "form", rows))
    return list(zip(_texts(treebank, "upos", rows), forms, strict=True))


def _contexts(treebank: Treebank, rows: Offsets) -> list[str]:
    """Return the relations of words, the tags of their heads, XPOS or, where there is none, UPOS, and auxiliaries."""
    heads = np.asarray(treebank.head)
    starts = treebank.word_offsets[items_of(treebank.word_offsets)][rows]
    of_head = np.where(heads[rows] > 0, starts + heads[rows] - 1, 0)
    tags = zip(_texts(treebank, "xpos", of_head), _texts(treebank, "upos", of_head), strict=True)
    named = [upos if xpos == _NOTHING else xpos for xpos, upos in tags]
    relations, contexts = treebank.texts("deprel"), []
    for row, head, tag in zip(rows.tolist(), of_head.tolist(), named, strict=True):
        next_ones = (
            other
            for other in range(row + 1, min(head, row + _FARTHEST))
            if heads[other] == heads[row] and relations[other].startswith(_AUXILIARY)
        )
        auxiliary = [_small(treebank.form[other]) for other in next_ones][:1]
        contexts.append(" ".join([relations[row], tag if heads[row] > 0 else _ROOT, *auxiliary]))
    return contexts


def _texts(treebank: Treebank, column: str, rows: Offsets) -> Sequence[str]:
    return treebank.pool.texts(np.ascontiguousarray(treebank.column(column)[rows]))


def _small(form: str) -> str:
    return normal_form(form).lower()
