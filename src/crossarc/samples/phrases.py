"""What the grammar puts together: words with their heads, phrases (lists of words) and clauses (lists of phrases).

A word knows its head, not its place; the place follows from the order of the lists. A construction that crosses arcs
therefore only puts phrases where they belong: no arc changes when words move. Costs O(words).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from .inflection import GENDERS, NUMBERS


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


AGREEMENTS = tuple(Agreement(gender, number) for gender in GENDERS for number in NUMBERS)


@dataclass(eq=False, slots=True)
class Word:
    """A slot of a sentence: what kind of word stands there, in which form, and what it depends on."""

    category: str
    features: dict[str, str]
    relation: str
    head: Word | None = None
    agreement: Agreement | None = None
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
    def phrase(self) -> Phrase:
        """The clause as one phrase."""
        return Phrase(self.verb, self.words)

    @property
    def verb_field(self) -> Phrase:
        """The field of the verb itself."""
        return next(phrase for phrase in self.fields if phrase.head is self.verb)
