"""What a dictionary says of the tags of words that training data lack: geese is the plural of a noun, wept no noun.

A network guesses the tags of a word that it never saw by its letters and its neighbours. A dictionary knows more: which
parts of speech have the form as a lemma, as one of their exceptions, or with an ending that a rule takes off. Forms of
which it says the same are of one kind. How much likelier each combination of tags is among the forms of a kind than
among all forms with such an ending and such capitals, which the network sees itself, is counted in training data, each
form once, and the logarithm is added to the scores of the network. Of words of EWT dev that train lacks, `en` gives
86.6 % their UPOS and 84.4 % their XPOS without, 88.0 and 86.1 % with it; all in capitals, forms may be abbreviations,
and have none.
O(length of a form) for each different form, and O(combinations) for each word that has a kind.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .._arrays import Floats, Ids
from ..errors import CrossarcError
from .lemma_rules import Lexicon, Rules, bare, case_of
from .vocabularies import is_list_of, normal_form

#: How much evidence counts: networks are surer of words that they never saw than they are right.
_WEIGHT = 1.25
#: How many forms with the tags of all forms are counted with those of each kind, and what is added to those of all.
_SMOOTHING, _LEAST = 2.0, 0.02
#: Forms that a kind must have, and the shares of forms that have an ending, and that are inflected of these.
_FEWEST_FORMS, _SHARE, _INFLECTED = 2, 0.03, 0.5
_LONGEST_ENDING = 3
_DECIMALS = 2
_MOST_REMEMBERED = 1 << 16


class TagEvidenceError(CrossarcError):
    """Evidence for tags that cannot be read."""


class DictionaryKinds:
    """What a dictionary says of forms, in a word."""

    def __init__(self, lexicon: Lexicon, rules: Rules) -> None:
        """Take the dictionary and the rules that give forms lemmas."""
        self._lexicon, self._rules = lexicon, rules
        self._parts = sorted(lexicon.listed_words)
        self._remembered: dict[str, str] = {}

    def of_form(self, form: str) -> str:
        """Return what a form may be: l, a lemma of a part of speech, x, an exception, or i, another inflected form."""
        kind = self._remembered.get(form)
        if kind is None:
            if len(self._remembered) >= _MOST_REMEMBERED:
                self._remembered.clear()
            letters = bare(form)
            parts = ((upos, self._as_part(letters, upos)) for upos in self._parts)
            kind = self._remembered[form] = " ".join(f"{upos}:{how}" for upos, how in parts if how)
        return kind

    def is_word(self, form: str, upos: str) -> bool:
        """Whether the dictionary has a form, or what it is a form of, as a part of speech."""
        return upos in self._parts and bool(self._as_part(bare(form), upos))

    def _as_part(self, letters: str, upos: str) -> str:
        listed = self._lexicon.listed_words[upos]
        as_lemma = "l" * (letters in listed)
        if any(lemma != letters for lemma in self._lexicon.exceptions.get(upos, {}).get(letters, ())):
            return as_lemma + "x"
        _, endings = self._rules.fitting(letters, upos)
        inflected = any(
            0 < ending.length < len(letters) and letters[: len(letters) - ending.length] + ending.new in listed
            for ending in endings
        )
        return as_lemma + "i" * inflected

    def endings(self, forms: Iterable[str]) -> tuple[str, ...]:
        """Return the endings that rules take off whole, that many forms have, and most of these as inflected ones."""
        taken = {
            old
            for upos in self._parts
            for old, new in self._rules.endings.get(upos, {}).items()
            if 0 < len(old) <= _LONGEST_ENDING and new[0] == ""
        }
        small = {bare(form): form for form in forms}
        every, inflected = Counter[str](), Counter[str]()
        for letters, form in small.items():
            is_inflected = "i" in self.of_form(form).replace("l", "")
            for ending in (letters[-length:] for length in range(1, min(_LONGEST_ENDING + 1, len(letters)))):
                every[ending] += 1
                inflected[ending] += is_inflected
        return tuple(
            ending
            for ending in sorted(taken)
            if every[ending] >= _SHARE * len(small) and inflected[ending] >= _INFLECTED * every[ending]
        )


class TagEvidence:
    """How much likelier combinations of tags are for forms of each kind."""

    def __init__(self, endings: Sequence[str], kinds: Sequence[str], scores: Floats) -> None:
        """Take the endings that are told apart, the kinds, and of each a number for every combination."""
        self.endings, self.kinds, self.scores = tuple(endings), tuple(kinds), scores
        self._index = {kind: index for index, kind in enumerate(self.kinds)}

    @staticmethod
    def learn(
        tags_of_forms: Mapping[str, Mapping[int, int]], combinations: int, dictionary: DictionaryKinds
    ) -> TagEvidence:
        """Count of forms how often they have each combination; every form counts once."""
        forms = sorted(filter(_may_be_listed, tags_of_forms))
        endings = dictionary.endings(forms)
        by_kind, by_look, by_case = (
            defaultdict[str, Floats](lambda: np.zeros(combinations, np.float32)) for _ in range(3)
        )
        counted: Counter[str] = Counter()
        for form in forms:
            look, own = _look(form, endings), np.zeros(combinations, np.float32)
            counts = tags_of_forms[form]
            own[list(counts)] = np.array([*counts.values()]) / sum(counts.values())
            kind = f"{look} {dictionary.of_form(form)}"
            counted[kind] += 1
            for table, key in ((by_kind, kind), (by_look, look), (by_case, look[:1])):
                table[key] += own
        kinds = sorted(kind for kind, count in counted.items() if count >= _FEWEST_FORMS)
        scores = np.zeros((len(kinds), combinations), np.float32)
        for row, kind in zip(scores, kinds, strict=True):
            of_case = by_case[kind[:1]] + _LEAST
            usual = _smoothed(by_look[kind.partition(" ")[0]], of_case / of_case.sum())
            row[:] = _WEIGHT * np.log(_smoothed(by_kind[kind], usual) / usual)
        return TagEvidence(endings, kinds, scores.round(_DECIMALS))

    def kind(self, form: str, dictionary: DictionaryKinds) -> int:
        """Return the index of the kind of a form, -1 for none."""
        if not _may_be_listed(form):
            return -1
        return self._index.get(f"{_look(form, self.endings)} {dictionary.of_form(form)}", -1)

    def kinds_of(self, forms: Iterable[str], known: Container[str], dictionary: DictionaryKinds) -> Ids:
        """Return the same of each form, -1 for those that are known, too."""
        return np.array([-1 if _is_known(form, known) else self.kind(form, dictionary) for form in forms], np.int32)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for a model file: of each kind the most frequent number, and where others stand."""
        usual, indices, others = [], [], []
        for row in self.scores.tolist():
            most = Counter(row).most_common(1)[0][0]
            usual.append(round(most, _DECIMALS))
            indices.append([index for index, score in enumerate(row) if score != most])
            others.append([round(row[index], _DECIMALS) for index in indices[-1]])
        kinds = {"kinds": list(self.kinds), "usual": usual, "indices": indices, "others": others}
        return {"endings": list(self.endings), **kinds}

    @staticmethod
    def from_dict(data: Any, combinations: int) -> TagEvidence:
        """Make it again from what `to_dict` gave; anything else is refused."""
        known = data if isinstance(data, dict) else {}
        fields: list[Any] = [known.get(name) for name in ("kinds", "usual", "indices", "others")]
        if not all(map(is_list_of, (str, float, list, list), fields)) or not is_list_of(str, known.get("endings")):
            raise TagEvidenceError("evidence for tags has kinds of words, and numbers for each")
        if len(set(map(len, fields))) > 1:
            raise TagEvidenceError("evidence for tags has as many numbers as kinds of words")
        kinds, usual, indices, others = fields
        scores = np.zeros((len(kinds), combinations), np.float32)
        for row, most, own, numbers in zip(scores, usual, indices, others, strict=True):
            if not (is_list_of(int, own) and is_list_of(float, numbers) and len(own) == len(numbers)):
                raise TagEvidenceError("evidence for tags is numbers of combinations, and a score for each")
            if any(not 0 <= index < combinations for index in own):
                raise TagEvidenceError("evidence for tags names a combination that does not exist")
            row[:] = most
            row[own] = numbers
        if not np.isfinite(scores).all():
            raise TagEvidenceError("evidence for tags has scores that are no numbers")
        return TagEvidence(known["endings"], kinds, scores)


def _may_be_listed(form: str) -> bool:
    """Whether a dictionary may have a form: it has no abbreviations, which are letters or all in capitals."""
    return len(form) > 1 and case_of(form) != "u" and any(map(str.isalpha, form))


def _look(form: str, endings: Sequence[str]) -> str:
    """Return how a form is written, and with which ending."""
    letters = bare(form)
    ending = next((end for end in sorted(endings, key=len, reverse=True) if letters.endswith(end)), "")
    return case_of(form) + ending


def _smoothed(counts: Floats, usual: Floats) -> Floats:
    smoothed: Floats = (counts + _SMOOTHING * usual) / (counts.sum() + _SMOOTHING)
    return smoothed


def _is_known(form: str, known: Container[str]) -> bool:
    """Whether training data have a form, with a capital or without."""
    normal = normal_form(form)
    return normal in known or normal.lower() in known or normal.title() in known
