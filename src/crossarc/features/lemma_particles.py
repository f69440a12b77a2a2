"""Lemmas of verbs whose particle stands away from them, where a treebank writes it in the lemma: Dutch.

*Hij trad in 1998 af* has the lemma *af_treden*, and *af* hangs on the verb as compound:prt. A memory or a network that
sees *trad* alone takes the lemma with the particle that *trad* had elsewhere, or none. Which words are such particles
is learnt; the tree says which one a verb has. A verb without one loses what is neither in its form nor in the tree
(*moeten*: not *toe_moeten*). O(words).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator

import numpy as np

from .._arrays import Flags, items_of
from ..treebank import Treebank
from .vocabularies import normal_form

#: The relation of particles, and what stands between them and the verb in a lemma.
_RELATION, _JOINT = "compound:prt", "_"
#: So many verbs must have their particle in the lemma, and so large a share of those that have one.
_FEWEST, _MOSTLY = 10, 0.8


def learnt_particles(treebank: Treebank) -> list[str]:
    """Return the particles that lemmas of verbs mostly have; none where the treebank does not write them so."""
    joined: defaultdict[str, Counter[bool]] = defaultdict(Counter)
    lemmas = treebank.texts("lemma")
    for verb, particle in _particles(treebank):
        joined[particle][lemmas[verb].startswith(particle + _JOINT)] += 1
    total = sum(joined.values(), Counter[bool]())
    if total[True] < _FEWEST or total[True] < _MOSTLY * total.total():
        return []
    return sorted(particle for particle, counts in joined.items() if counts[True] > counts[False])


def with_particles(treebank: Treebank, particles: Collection[str], wanted: Flags) -> Treebank:
    """Return a treebank where lemmas have the particles that their trees have, of the words that want lemmas."""
    particle_of = {verb: particle for verb, particle in _particles(treebank) if particle in particles}
    lemmas, forms = treebank.texts("lemma"), treebank.texts("form")
    changed: dict[int, str] = {}
    for word in np.flatnonzero(wanted).tolist():
        before, joint, verb = lemmas[word].partition(_JOINT)
        begins_so = bool(joint) and verb != "" and before in particles
        if word in particle_of:
            base = verb if begins_so else lemmas[word]
            lemma = base if _JOINT in base else particle_of[word] + _JOINT + base
        else:
            lemma = verb if begins_so and not normal_form(forms[word]).lower().startswith(before) else lemmas[word]
        if lemma != lemmas[word]:
            changed[word] = lemma
    if not changed:
        return treebank
    ids = treebank.column("lemma").copy()
    ids[list(changed)] = treebank.pool.intern(list(changed.values()))
    return treebank.replace(lemma=ids)


def _particles(treebank: Treebank) -> Iterator[tuple[int, str]]:
    """Yield the words that have one particle, of one word, and the particle."""
    heads = np.asarray(treebank.head)
    starts = treebank.word_offsets[items_of(treebank.word_offsets)]
    governors = np.where(heads > 0, starts + heads - 1, -1)
    has_dependents = np.zeros(len(heads), bool)
    has_dependents[governors[governors >= 0]] = True
    relations, of_word = treebank.distinct_texts("deprel")
    rows = np.flatnonzero(np.array([relation == _RELATION for relation in relations], bool)[of_word] & (heads > 0))
    of_verb = Counter(governors[rows].tolist())
    forms = treebank.form
    for row in rows.tolist():
        if of_verb[governors[row]] == 1 and not has_dependents[row]:
            yield int(governors[row]), normal_form(forms[row]).lower()
