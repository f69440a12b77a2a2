"""Kinds of sentences, and which number is of which kind: from a seed and a number to the words of a sentence.

Sentences come in blocks of 200. Every block has the same kinds of sentences, 50 of the 200 not projective, in an order
of its own; so a sample of any size has its share of everything, and a sentence depends on the seed and its number
alone. Costs O(words) for each sentence.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from . import constructions as cross
from .grammar import AGREEMENTS, Clause, Grammar, Phrase, Word
from .randomness import Stream, derived

BLOCK = 200
_PLAN, _SENTENCE = 1, 2
Kind = Callable[[Grammar], Clause]


def copular(grammar: Grammar) -> Clause:
    """A subject that is something: the predicate is the root, the copula stands between the two."""
    subject = grammar.nominal("Nom", "nsubj")
    agreement = subject.head.agreement
    shown = agreement if agreement.gender else grammar.random.pick(AGREEMENTS)._replace(number=agreement.number)
    predicate = Word("adjective", {"Case": "Nom"} | shown.features(), "root")
    copula = grammar.finite("copula", agreement, "cop")
    copula.head = predicate
    subject.under(predicate)
    degree = [Word("degree adverb", {}, "advmod", predicate)] if grammar.random.chance(25) else []
    fields = [subject, Phrase(copula, [copula]), Phrase(predicate, [*degree, predicate])]
    return Clause(predicate, fields[::-1] if grammar.random.chance(25) else fields)


def relative(grammar: Grammar) -> Clause:
    """A clause one of whose noun phrases has a relative clause."""
    category = grammar.random.pick(("verb.intransitive", "verb.transitive", "verb.ditransitive"))
    role, case = grammar.role(category)
    return grammar.clause(category, given={role: grammar.with_relative(case, role)})


def adverbial(grammar: Grammar) -> Clause:
    """A clause with an adverbial clause before or after it."""
    clause = grammar.clause()
    other = grammar.subordinate("subordinator", grammar.clause(plain=True), "advcl", clause.verb)
    if grammar.random.chance(50):
        other.words.pop(0)
        clause.fields.insert(0, other)
    else:
        clause.fields.append(other)
    return clause


def coordinated(grammar: Grammar) -> Clause:
    """Two clauses, a comma and a conjunction between them."""
    clause = grammar.clause(plain=grammar.random.chance(50))
    second = grammar.clause(relation="conj", plain=True)
    second.verb.head = clause.verb
    joint = [grammar.comma(second.verb), Word("conjunction", {}, "cc", second.verb)]
    clause.fields.append(Phrase(second.verb, [*joint, *second.words]))
    return clause


def question(grammar: Grammar) -> Clause:
    """A question about a part of the main clause, or whether it is so."""
    random = grammar.random
    category = cross.verb_category(grammar)
    choice = random.below(100)
    if choice < 50:
        role, case = grammar.role(category)
        front = cross.question_phrase(grammar, case, role)
        clause = grammar.clause(category, given={role: front})
        clause.fields.remove(front)
    else:
        clause = grammar.clause(category)
        word = (
            Word("question adverb", {"PronType": "Int"}, "advmod", clause.verb)
            if choice < 70
            else Word("question particle", {"PartType": "Int"}, "discourse", clause.verb)
        )
        front = Phrase(word, [word])
    clause.fields.insert(0, front)
    return clause


def _reported(kind: Kind) -> Kind:
    """A clause of a kind that someone says or thinks."""
    return lambda grammar: grammar.speech(kind(grammar))


_two_verbs = partial(cross.verb_cluster, verbs=2)
_question = partial(cross.extraction, question=True)
_topic = partial(cross.extraction, question=False, covered=True)
#: How many of the 200 sentences of a block are of which kind: those that are projective …
_PROJECTIVE: tuple[tuple[int, Kind], ...] = (
    (74, Grammar.clause),
    (12, copular),
    (18, relative),
    (14, _reported(Grammar.clause)),
    (10, adverbial),
    (8, coordinated),
    (6, question),
    (5, cross.nested_complement),
    (3, cross.remark_between),
)
#: … and those that are not.
_CROSSING: tuple[tuple[int, Kind], ...] = (
    (9, cross.extraposed_relative),
    (2, _reported(cross.extraposed_relative)),
    (9, cross.scrambling),
    (2, _reported(cross.scrambling)),
    (1, cross.interlaced_scrambling),
    (2, cross.twice_discontinuous),
    (3, cross.parenthetical),
    (7, _two_verbs),
    (1, _reported(_two_verbs)),
    (1, cross.cluster_with_relative),
    (2, partial(cross.verb_cluster, verbs=3)),
    (3, partial(_question, depth=1, covered=True)),
    (2, partial(_question, depth=1, covered=False)),
    (1, partial(_question, depth=2, covered=False)),
    (1, partial(_question, depth=3, covered=True)),
    (3, partial(_topic, depth=1)),
    (1, partial(_topic, depth=2)),
)
_KINDS = tuple(kind for count, kind in _PROJECTIVE + _CROSSING for _ in range(count))
assert len(_KINDS) == BLOCK and sum(count for count, _ in _CROSSING) == BLOCK // 4


def plan(seed: int, block: int) -> list[Kind]:
    """Return the kinds of the 200 sentences of a block, in their order."""
    kinds = list(_KINDS)
    Stream(derived(seed, _PLAN, block)).shuffle(kinds)
    return kinds


def sentence(seed: int, number: int, kind: Kind) -> list[Word]:
    """Build the words of a sentence of a kind, without the mark at its end."""
    return kind(Grammar(Stream(derived(seed, _SENTENCE, number)))).words
