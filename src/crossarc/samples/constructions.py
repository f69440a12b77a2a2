"""The constructions that cross: each builds a clause by the grammar and then puts some of its phrases elsewhere.

Every construction returns a clause that is not projective, whatever the random numbers are, and its words carry its
name in MISC (`Construction=…`). Where a displaced word could belong to several nouns, the noun's gender and number are
reserved first, so that agreement decides. Two of them have a twin that does not cross (`remark_between`,
`nested_complement`), so that the words alone do not give a crossing away. Costs O(words).
"""

from __future__ import annotations

from .grammar import FRAMES, Agreement, Clause, Grammar, Phrase, Word

EXTRAPOSED = "ExtraposedRelative"
QUESTION = "FrontedQuestion"
TOPIC = "FrontedTopic"
COVERED = "CoveredRoot"
TWO_VERBS = "TwoVerbCluster"
THREE_VERBS = "ThreeVerbCluster"
SCRAMBLED = "Scrambling"
PARENTHETICAL = "Parenthetical"

#: Every value of `Construction=`.
CONSTRUCTIONS = (EXTRAPOSED, QUESTION, TOPIC, COVERED, TWO_VERBS, THREE_VERBS, SCRAMBLED, PARENTHETICAL)


def _host(grammar: Grammar, category: str, *, adjectives: int = 30) -> tuple[str, Phrase]:
    """Build a noun phrase with a reserved agreement for one of a verb's roles: the role and the phrase."""
    role, case = grammar.role(category)
    return role, grammar.noun_phrase(case, role, grammar.reserve(), adjectives=adjectives, possessors=0)


def verb_category(grammar: Grammar) -> str:
    """Choose a verb for a clause from which something is taken."""
    return grammar.random.pick(("verb.intransitive", "verb.transitive", "verb.transitive", "verb.ditransitive"))


def _modifier(grammar: Grammar, noun: Word) -> Phrase:
    """Build what is split from its noun: an adjective or a possessor."""
    modifier = grammar.genitive(noun) if grammar.random.chance(35) else grammar.adjective(noun)
    return modifier.tagged(SCRAMBLED)


def extraposed_relative(grammar: Grammar) -> Clause:
    """A relative clause at the end of its clause, away from its noun: N V …, who V."""
    category = verb_category(grammar)
    role, host = _host(grammar, category)
    clause = grammar.clause(category, given={role: host})
    if clause.fields[-1] is host:
        clause.fields.insert(grammar.random.below(len(clause.fields) - 1), clause.fields.pop())
    clause.fields.append(grammar.relative(host.head).tagged(EXTRAPOSED))
    return clause


def scrambling(grammar: Grammar) -> Clause:
    """An adjective or a possessor split from its noun by another part of the clause: A V N."""
    category = verb_category(grammar)
    role, host = _host(grammar, category, adjectives=0)
    modifier = _modifier(grammar, host.head)
    clause = grammar.clause(category, given={role: host})
    index = clause.fields.index(host)
    apart = [other for other in range(len(clause.fields) + 1) if other not in (index, index + 1)]
    clause.fields.insert(grammar.random.pick(apart), modifier)
    return clause


def interlaced_scrambling(grammar: Grammar) -> Clause:
    """Two noun phrases interlaced: A1 A2 N1 N2. Not well-nested."""
    subject = grammar.noun_phrase("Nom", "nsubj", grammar.reserve(), adjectives=0, possessors=0)
    object_ = grammar.noun_phrase("Acc", "obj", grammar.reserve(), adjectives=0, possessors=0)
    hosts = [subject, object_]
    grammar.random.shuffle(hosts)
    modifiers = [_modifier(grammar, host.head) for host in hosts]
    clause = grammar.clause("verb.transitive", given={"nsubj": subject, "obj": object_})
    adjuncts = [phrase for phrase in clause.fields if phrase not in hosts and phrase.head is not clause.verb]
    fields = [*modifiers, *hosts]
    fields.insert(grammar.random.below(len(fields) + 1), clause.verb_field)
    return Clause(clause.verb, adjuncts + fields if grammar.random.chance(50) else fields + adjuncts)


def twice_discontinuous(grammar: Grammar) -> Clause:
    """A scrambled noun phrase with an extraposed relative clause too: A V N …, who V. Gap degree 2."""
    role, host = _host(grammar, "verb.transitive", adjectives=0)
    modifier = _modifier(grammar, host.head)
    clause = grammar.clause("verb.transitive", given={role: host}, dropping=False)
    others = [phrase for phrase in clause.fields if phrase is not host]
    index = 1 + grammar.random.below(len(others) - 1)
    relative = grammar.relative(host.head).tagged(EXTRAPOSED)
    return Clause(clause.verb, [modifier, *others[:index], host, *others[index:], relative])


def _remark(grammar: Grammar, verb: Word) -> Phrase:
    """Build a remark between commas: , think I ,"""
    subject = grammar.pronoun("Nom", "nsubj") if grammar.random.chance(70) else grammar.name("Nom", "nsubj")
    remark = grammar.finite("verb.speech", subject.head.agreement, "parataxis")
    remark.head = verb
    subject.under(remark)
    words = [grammar.comma(remark), remark, *subject.words, grammar.comma(remark)]
    return Phrase(remark, words).tagged(PARENTHETICAL)


def parenthetical(grammar: Grammar) -> Clause:
    """A remark inside a noun phrase, before its noun: the, think I, house fell."""
    category = verb_category(grammar)
    role, case = grammar.role(category)
    host = grammar.noun_phrase(case, role, adjectives=0, possessors=0)
    clause = grammar.clause(category, given={role: host})
    remark = _remark(grammar, clause.verb)
    host.words = [*host.words[:-1], *grammar.adjective(host.head).words, *remark.words, host.head]
    return clause


def remark_between(grammar: Grammar) -> Clause:
    """The same between two fields of the clause, where it crosses nothing."""
    clause = grammar.clause(dropping=False)
    clause.fields.insert(1 + grammar.random.below(len(clause.fields) - 1), _remark(grammar, clause.verb))
    return clause


def verb_cluster(grammar: Grammar, verbs: int) -> Clause:
    """Subjects first, then their verbs in the same order: N1 N2 V1 V2, N1 N2 N3 V1 V2 V3.

    Verbs of seeing put the subject of the verb they govern into the accusative, those of helping into the dative; each
    infinitive agrees with its own subject. The last verb may have an object, which follows the subjects.
    """
    random = grammar.random
    agreements = [grammar.reserve() for _ in range(verbs)]
    categories = [random.pick(("verb.seeing", "verb.helping")) for _ in range(verbs - 1)]
    categories.append(random.pick(("verb.intransitive", "verb.transitive")))
    cases = ["Nom", *("Acc" if category == "verb.seeing" else "Dat" for category in categories[:-1])]
    subjects = [
        grammar.noun_phrase(case, "nsubj", agreement, adjectives=20, possessors=4)
        for case, agreement in zip(cases, agreements, strict=True)
    ]
    chain = _chain(grammar, categories, agreements)
    for subject, verb in zip(subjects, chain, strict=True):
        subject.under(verb)
        subject.tagged(TWO_VERBS if verbs == 2 else THREE_VERBS)
    objects = [grammar.nominal(case, role).under(chain[-1]) for role, case in FRAMES[categories[-1]]]
    adjuncts = grammar.adjuncts(chain[0]) if random.chance(50) else []
    return Clause(chain[0], [*adjuncts, *subjects, *objects, *map(grammar.verb_phrase, chain)])


def _chain(grammar: Grammar, categories: list[str], agreements: list[Agreement]) -> list[Word]:
    """Build a finite verb and infinitives, each governed by the one before it."""
    chain = [grammar.finite(categories[0], agreements[0], "root")]
    for category, agreement in zip(categories[1:], agreements[1:], strict=True):
        chain.append(grammar.infinitive(category, agreement, "ccomp", chain[-1]))
    return chain


def nested_complement(grammar: Grammar) -> Clause:
    """The same verbs without a crossing: N1 V1 N2 V2, each subject right before its verb."""
    random = grammar.random
    category = random.pick(("verb.seeing", "verb.helping"))
    agreements = [grammar.agreement() for _ in range(2)]
    chain = _chain(grammar, [category, random.pick(("verb.intransitive", "verb.transitive"))], agreements)
    subject = grammar.noun_phrase("Nom", "nsubj", agreements[0]).under(chain[0])
    inner_case = "Acc" if category == "verb.seeing" else "Dat"
    inner = grammar.noun_phrase(inner_case, "nsubj", agreements[1]).under(chain[1])
    objects = [grammar.nominal(case, role).under(chain[1]) for role, case in FRAMES[chain[1].category]]
    fields = [subject, grammar.verb_phrase(chain[0]), inner, grammar.verb_phrase(chain[1]), *objects]
    return Clause(chain[0], [*(grammar.adjuncts(chain[0]) if random.chance(30) else []), *fields])


def cluster_with_relative(grammar: Grammar) -> Clause:
    """A two-verb cluster, one of whose subjects has its relative clause behind the verbs."""
    clause = verb_cluster(grammar, 2)
    subjects = [phrase.head for phrase in clause.fields if phrase.head.relation == "nsubj"]
    clause.fields.append(grammar.relative(grammar.random.pick(subjects)).tagged(EXTRAPOSED))
    return clause


def question_phrase(grammar: Grammar, case: str, role: str) -> Phrase:
    """Build a question word, or which with a noun."""
    agreement = grammar.agreement()
    if grammar.random.chance(35):
        noun = grammar.noun(case, role, agreement)
        return Phrase(noun, [grammar.agreeing("which", "det", noun), noun])
    features = {"Case": case, "PronType": "Int"} | agreement.features()
    word = Word("question", features, role, agreement=agreement)
    return Phrase(word, [word])


def extraction(grammar: Grammar, depth: int, *, question: bool, covered: bool) -> Clause:
    """A question word or a topic at the front that belongs to a verb `depth` clauses down: whom say you that S saw?

    Covered: it stands first, so that its arc covers the root and crosses nothing. Otherwise a part of the main clause
    stands before it, and the arcs of the two cross.
    """
    random = grammar.random
    category = random.pick(("verb.transitive", "verb.transitive", "verb.dative", "verb.ditransitive"))
    roles = FRAMES[category] if not question or random.chance(75) else (("nsubj", "Nom"),)
    role, case = random.pick(roles)
    front = question_phrase(grammar, case, role) if question else grammar.noun_phrase(case, role)
    inner = grammar.clause(category, given={role: front})
    inner.fields.remove(front)
    for _ in range(depth - 1):
        inner = grammar.speech(inner)
    outer = grammar.clause("verb.speech", dropping=False, plain=True)
    if covered:
        outer.fields.insert(0, front)
        outer.verb.constructions.add(COVERED)
    else:
        subject = next(phrase for phrase in outer.fields if phrase.head is not outer.verb)
        outer.fields = [subject, front, outer.verb_field]
    front.tagged(QUESTION if question else TOPIC)
    outer.fields.append(grammar.subordinate("complementiser", inner, "ccomp", outer.verb))
    return outer
