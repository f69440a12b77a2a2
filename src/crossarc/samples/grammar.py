"""The grammar of the invented language without its crossing constructions: noun phrases, verbs, clauses.

It puts together words with their heads, phrases (lists of words) and clauses (lists of phrases). A word knows its head,
not its place; the place follows from the order of the lists. A construction that crosses arcs therefore only puts
phrases where they belong: no arc changes when words move.

A `Grammar` writes one sentence. Everything it builds is contiguous, so whatever is put together from its parts as they
are is projective; `constructions.py` takes the parts apart. Word order is free: the fields of a clause stand in any
order, and case says who does what. Attachments stay decidable by rules that `docs/guide/sample.md` states; the most
important is that an agreement (gender and number) can be *reserved* for the noun that a displaced word belongs to, so
that no other noun of the sentence has it. Costs O(words).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from .lexicon import GENDERS, NUMBERS, PREPOSITIONS
from .randomness import Stream


class Agreement(NamedTuple):
    """What a verb, an adjective or a relative pronoun shows of a noun."""

    gender: str
    number: str
    person: str = "3"

    def features(self) -> dict[str, str]:
        """Return Gender and Number."""
        return {"Gender": self.gender, "Number": self.number}

    def subject_features(self) -> dict[str, str]:
        """Return what a finite verb shows of its subject: gender in the third person only."""
        features = {"Number": self.number, "Person": self.person}
        return features | {"Gender": self.gender} if self.person == "3" else features


NO_AGREEMENT = Agreement("", "")
AGREEMENTS = tuple(Agreement(gender, number) for gender in GENDERS for number in NUMBERS)


@dataclass(eq=False, slots=True)
class Word:
    """A slot of a sentence: what kind of word stands there, in which form, and what it depends on."""

    category: str
    features: dict[str, str]
    relation: str
    head: Word | None = None
    agreement: Agreement = NO_AGREEMENT
    constructions: set[str] = field(default_factory=set)

    @property
    def is_punctuation(self) -> bool:
        """Whether it is written without a space before it."""
        return self.relation == "punct"


@dataclass(eq=False, slots=True)
class Phrase:
    """Words in their order, one of them the head of the others."""

    head: Word
    words: list[Word]

    def tagged(self, construction: str) -> Phrase:
        """Mark the head as what carries a construction."""
        self.head.constructions.add(construction)
        return self

    def under(self, head: Word) -> Phrase:
        """Make the phrase depend on a word."""
        self.head.head = head
        return self


@dataclass(eq=False, slots=True)
class Clause:
    """A verb (or a predicate) and its phrases in their order; the verb's own phrase is one of them."""

    verb: Word
    fields: list[Phrase]

    @property
    def words(self) -> list[Word]:
        """All words in their order."""
        return [word for phrase in self.fields for word in phrase.words]

    @property
    def verb_field(self) -> Phrase:
        """The field of the verb itself."""
        return next(phrase for phrase in self.fields if phrase.head is self.verb)


TENSES = ("Past", "Past", "Pres", "Pres", "Fut")
#: The objects of each verb category: relation and case.
FRAMES = {
    "verb.intransitive": (),
    "verb.transitive": (("obj", "Acc"),),
    "verb.dative": (("obj", "Dat"),),
    "verb.ditransitive": (("iobj", "Dat"), ("obj", "Acc")),
    "verb.speech": (),
}
_VERBS = ("verb.intransitive",) * 3 + ("verb.transitive",) * 5 + ("verb.dative",) + ("verb.ditransitive",)
_SPEAKERS = tuple(Agreement("", number, person) for person in "12" for number in ("Sing", "Plur"))


class Grammar:
    """Builds the parts of one sentence from one stream of random numbers."""

    def __init__(self, random: Stream) -> None:
        """Start a sentence."""
        self.random = random
        self.reserved: set[Agreement] = set()

    def role(self, category: str) -> tuple[str, str]:
        """Choose one of the arguments of a verb: relation and case."""
        return self.random.pick([("nsubj", "Nom"), *FRAMES[category]])

    # Nouns

    def agreement(self) -> Agreement:
        """Choose a gender and number that is not reserved."""
        return self.random.pick([agreement for agreement in AGREEMENTS if agreement not in self.reserved])

    def reserve(self) -> Agreement:
        """Choose a gender and number that no noun built from now on has unless it is told to."""
        agreement = self.agreement()
        self.reserved.add(agreement)
        return agreement

    def noun(self, case: str, relation: str, agreement: Agreement) -> Word:
        """Build a noun alone."""
        return Word(f"noun.{agreement.gender}", {"Case": case} | agreement.features(), relation, agreement=agreement)

    def agreeing(self, category: str, relation: str, noun: Word) -> Word:
        """Build a word that agrees with a noun in case, gender and number, and depends on it."""
        features = {"Case": noun.features["Case"]} | noun.agreement.features()
        if category == "article":
            features |= {"Definite": "Def", "PronType": "Art"}
        elif category in ("demonstrative", "which"):
            features |= {"PronType": "Dem" if category == "demonstrative" else "Int"}
        return Word(category, features, relation, noun)

    def adjective(self, noun: Word) -> Phrase:
        """Build an adjective for a noun, at times with an adverb of degree before it."""
        adjective = self.agreeing("adjective", "amod", noun)
        degree = [Word("degree adverb", {}, "advmod", adjective)] if self.random.chance(12) else []
        return Phrase(adjective, [*degree, adjective])

    def genitive(self, noun: Word) -> Phrase:
        """Build a possessor for a noun: in the genitive, and showing the gender and number of what it possesses."""
        phrase = self.noun_phrase("Gen", "nmod", adjectives=15, possessors=0)
        phrase.head.features |= {"Gender[psed]": noun.agreement.gender, "Number[psed]": noun.agreement.number}
        return phrase.under(noun)

    def noun_phrase(
        self,
        case: str,
        relation: str,
        agreement: Agreement | None = None,
        *,
        adjectives: int = 30,
        possessors: int = 10,
    ) -> Phrase:
        """Build a common noun with a determiner, adjectives and a possessor, the last two in so many of 100 cases."""
        random = self.random
        noun = self.noun(case, relation, agreement or self.agreement())
        words = [noun]
        if random.chance(adjectives):
            adjective = self.adjective(noun).words
            words = words + adjective if random.chance(25) else adjective + words
        if random.chance(50):
            kind = "demonstrative" if random.chance(20) else "article"
            words = [self.agreeing(kind, "det", noun), *words]
        if random.chance(possessors):
            words += self.genitive(noun).words
        return Phrase(noun, words)

    def name(self, case: str, relation: str) -> Phrase:
        """Build a proper name; one without a reserved agreement, or a common noun if there is none."""
        free = [a for a in AGREEMENTS if a not in self.reserved and a.number == "Sing" and a.gender != "Neut"]
        if not free:
            return self.noun_phrase(case, relation)
        agreement = self.random.pick(free)
        name = Word(f"name.{agreement.gender}", {"Case": case} | agreement.features(), relation, agreement=agreement)
        return Phrase(name, [name])

    def pronoun(self, case: str, relation: str) -> Phrase:
        """Build a personal pronoun."""
        agreement = self.random.pick(_SPEAKERS + AGREEMENTS)
        features = {"Case": case, "PronType": "Prs"} | agreement.subject_features()
        word = Word("pronoun", features, relation, agreement=agreement)
        return Phrase(word, [word])

    def coordinated(self, case: str, relation: str) -> Phrase:
        """Build two noun phrases with a conjunction: plural, of the first one's gender."""
        first = self.noun_phrase(case, relation, possessors=0)
        second = self.noun_phrase(case, "conj", possessors=0).under(first.head)
        conjunction = Word("conjunction", {}, "cc", second.head)
        first.head.agreement = Agreement(first.head.agreement.gender, "Plur")
        return Phrase(first.head, [*first.words, conjunction, *second.words])

    def with_relative(self, case: str, relation: str) -> Phrase:
        """Build a noun phrase with a relative clause right behind it."""
        phrase = self.noun_phrase(case, relation, possessors=0)
        return Phrase(phrase.head, [*phrase.words, *self.relative(phrase.head).words])

    def nominal(self, case: str, relation: str) -> Phrase:
        """Build any noun phrase."""
        choice = self.random.below(100)
        if choice < 14:
            return self.pronoun(case, relation)
        if choice < 26:
            return self.name(case, relation)
        if choice < 32:
            return self.coordinated(case, relation)
        return self.noun_phrase(case, relation)

    def prepositional(self, relation: str) -> Phrase:
        """Build a preposition and the noun phrase in the case it governs."""
        preposition = self.random.pick(tuple(PREPOSITIONS))
        phrase = self.noun_phrase(PREPOSITIONS[preposition], relation)
        return Phrase(phrase.head, [Word(preposition, {}, "case", phrase.head), *phrase.words])

    # Verbs

    def finite(self, category: str, subject: Agreement, relation: str) -> Word:
        """Build a finite verb that agrees with its subject."""
        features = {"Mood": "Ind", "Tense": self.random.pick(TENSES), "VerbForm": "Fin"}
        return Word(category, features | subject.subject_features(), relation)

    def infinitive(self, category: str, subject: Agreement, relation: str, head: Word) -> Word:
        """Build an infinitive; it agrees with its own subject in gender and number."""
        return Word(category, {"VerbForm": "Inf"} | subject.features(), relation, head)

    def verb_phrase(self, verb: Word) -> Phrase:
        """Build the field of a verb: itself, at times with a negation before it."""
        negation = [Word("negation", {"Polarity": "Neg"}, "advmod", verb)] if self.random.chance(8) else []
        return Phrase(verb, [*negation, verb])

    def adjuncts(self, verb: Word) -> list[Phrase]:
        """Build adverbs and prepositional phrases of a verb, most often none or one."""
        fields: list[Phrase] = []
        if self.random.chance(28):
            adverb = Word("adverb", {}, "advmod", verb)
            fields.append(Phrase(adverb, [adverb]))
        if self.random.chance(25):
            fields.append(self.prepositional("obl").under(verb))
        return fields

    # Clauses

    def clause(
        self,
        category: str | None = None,
        relation: str = "root",
        *,
        given: dict[str, Phrase] | None = None,
        dropping: bool = True,
        plain: bool = False,
    ) -> Clause:
        """Build a clause with its fields in any order.

        `given` are phrases for some of its arguments, by relation; `dropping` allows a speaker or hearer as subject to
        be left out; `plain` keeps adjuncts out.
        """
        given = given or {}
        category = category or self.random.pick(_VERBS)
        subject = given.get("nsubj")
        if subject is None and not (dropping and self.random.chance(8)):
            subject = self.nominal("Nom", "nsubj")
        agreement = self.random.pick(_SPEAKERS) if subject is None else subject.head.agreement
        verb = self.finite(category, agreement, relation)
        others = [given.get(role) or self.nominal(case, role) for role, case in FRAMES[category]]
        others += [] if plain else self.adjuncts(verb)
        for phrase in [subject, *others]:
            if phrase is not None:
                phrase.under(verb)
        return Clause(verb, self._arranged(self.verb_phrase(verb), subject, others))

    def _arranged(self, verb: Phrase, subject: Phrase | None, others: list[Phrase]) -> list[Phrase]:
        """Put the fields in order: subject first in two of three clauses, else anything goes."""
        random = self.random
        random.shuffle(others)
        first = [] if subject is None else [subject]
        choice = random.below(100)
        if choice < 45:
            return [*first, verb, *others]
        if choice < 65:
            return [*first, *others, verb]
        fields = [*first, verb, *others]
        random.shuffle(fields)
        return fields

    def relative(self, antecedent: Word) -> Phrase:
        """Build a relative clause between commas: its pronoun first, its verb last."""
        category = self.random.pick(_VERBS)
        relation, case = self.role(category)
        # What the noun itself shows: two that are coordinated agree as a plural.
        shown = Agreement(antecedent.features["Gender"], antecedent.features["Number"])
        pronoun = Word("relative", {"Case": case, "PronType": "Rel"} | shown.features(), relation, agreement=shown)
        given = {relation: Phrase(pronoun, [pronoun])}
        clause = self.clause(category, "acl:relcl", given=given, dropping=False, plain=True)
        clause.verb.head = antecedent
        middle = [phrase for phrase in clause.fields if phrase.head not in (pronoun, clause.verb)]
        words = [pronoun, *(word for phrase in middle for word in phrase.words), *clause.verb_field.words]
        return Phrase(clause.verb, [self.comma(clause.verb), *words, self.comma(clause.verb)])

    @staticmethod
    def comma(head: Word) -> Word:
        """Build a comma; those that meet other punctuation vanish in the end."""
        return Word("comma", {}, "punct", head)

    def subordinate(self, marker: str, clause: Clause, relation: str, head: Word) -> Phrase:
        """Make a clause depend on a word, with a marker before it and commas around."""
        verb = clause.verb
        verb.relation, verb.head = relation, head
        mark = Word(marker, {}, "mark", verb)
        return Phrase(verb, [self.comma(verb), mark, *clause.words, self.comma(verb)])

    def speech(self, complement: Clause, relation: str = "root") -> Clause:
        """Build a clause whose verb says or thinks another one, which comes last."""
        outer = self.clause("verb.speech", relation, plain=self.random.chance(60))
        outer.fields.append(self.subordinate("complementiser", complement, "ccomp", outer.verb))
        return outer
