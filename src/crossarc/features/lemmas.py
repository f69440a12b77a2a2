"""Lemmas of words: rules that turn forms into lemmas, which a network can choose among, and a memory of what was seen.

A rule is an edit script (Chrupała 2006; Straka 2018): what the longest common part of form and lemma has before it and
behind it is edited character by character, then letters get their case. Marks above letters are characters of their
own (NFD), so that an accent that moves is the same rule for all words. Where form and lemma have nothing in common, the
rule is the lemma itself. Rules that training data had at least twice are classes. Of a form that nearly always had one
lemma as a part of speech, the memory knows it. O(characters) for each different form, part of speech and rule.

A lemmatiser (`features/lemmatiser.py`), if there is one, finds the lemmas of forms that were never seen as their part
of speech. Without it they have that of their class, or that which they have as all other parts of speech.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cached_property, lru_cache, partial
from typing import Any

import numpy as np

from .._arrays import Ids
from ..errors import CrossarcError, is_broken
from ..treebank import Treebank
from .lemma_case import Habits
from .lemma_lessons import is_marked_misspelt, is_part_of_word, no_other_words
from .lemma_particles import learnt_particles
from .lemma_rules import Dictionary, Word, bare
from .lemma_trees import learnt_by_tree
from .lemmatiser import Lemmatiser
from .misspellings import Misspellings
from .vocabularies import frequent, is_list_of, normal_form

#: In scripts: a character that stays, and one that goes; any other is added. Lemmas with these are rules of their own.
_COPY, _DELETE, _PART = "→−\t"
_WHOLE = "="
#: How letters are written: all small, as in the form, the first one large, all large.
_CASES = "lktu"
#: The share of its words that a lemma must have for the memory to know it, and how many forms it knows at most.
_SURE = 0.9
#: The same where a lemmatiser knows the others.
_VERY_SURE = 0.98
_MOST_KNOWN = 200_000
_MOST_CLASSES = 2048
#: Longer parts of words are not edited but replaced, and longer words have no rules.
_LONGEST = 64
_NOTHING = "_"
_INNER_SIGMA = re.compile(r"ς(?=\w)")
_LUNATE = str.maketrans("\u03f2\u03f9", "σΣ")
#: In the memory: several lemmas, none of them nearly always.
_BY_CLASS = -1


class LemmasError(CrossarcError):
    """Rules of lemmas that cannot be read."""


class LemmaScripts:
    """Edit scripts as classes of words, and a memory of those of forms that were seen."""

    def __init__(
        self,
        scripts: Sequence[str],
        classes: int,
        memory: Mapping[str, Mapping[str, int]],
        lemmatiser: Lemmatiser | None = None,
    ) -> None:
        """Take scripts, of which the first ones are classes, and their numbers by part of speech and form.

        -1 in the memory is for a form that as this part of speech has one lemma or another: the class decides.
        """
        if len(set(scripts)) != len(scripts) or not 0 < classes <= len(scripts):
            raise LemmasError("a script stands twice, or there are fewer scripts than classes")
        _check_scripts(scripts)
        known = [own for own in memory.values() if own]
        if any(min(own.values()) < _BY_CLASS or max(own.values()) >= len(scripts) for own in known):
            raise LemmasError("the memory of lemmas has a script that does not exist")
        self.scripts = tuple(scripts)
        self.count = classes
        self.memory = dict(memory)
        self.lemmatiser = lemmatiser

    @classmethod
    def fit(cls, treebank: Treebank, *, least: int = 2, most: int = _MOST_CLASSES) -> LemmaScripts:
        """Return the scripts that occur at least so often in a treebank, at most so many, and its memory."""
        counts: Counter[str] = Counter()
        seen = _seen_scripts(treebank)
        for own in seen.values():
            counts.update(own)
        classes = frequent(counts, least)[:most] or [edit_script("a", "a")]
        return cls(*_with_memory(classes, seen, _SURE))

    def with_lemmatiser(self, treebank: Treebank, dictionary: Dictionary | None = None) -> LemmaScripts:
        """Return the same classes with the memory of a treebank, and a lemmatiser that learnt from it.

        The treebank should have the tags that are predicted; its lemmas may be others than those that the classes were
        learnt from, such as cleaner ones.
        """
        words: Counter[tuple[Word, str]] = Counter()
        misspelt: Counter[tuple[Word, str]] = Counter()
        different, of_word = _different(treebank, ("form", "upos", "xpos", "feats", "lemma"))
        counts = np.bincount(of_word[~is_part_of_word(treebank)], minlength=len(different))
        for (form, upos, xpos, feats, lemma), count_of in zip(different, counts.tolist(), strict=True):
            if count_of and _has_lemma(form, lemma):
                counted = misspelt if is_marked_misspelt(feats) else words
                counted[Word(normal_form(form), upos, feats if xpos == _NOTHING else xpos), lemma] += count_of
        words.update(no_other_words(misspelt, words, dictionary))
        habits = Habits.learn(words, dictionary)
        seen = {key: _without_slips(own) for key, own in _scripts_without_names(words, habits).items()}
        scripts, count, memory = _with_memory(self.scripts[: self.count], seen, _VERY_SURE)
        known: dict[str, dict[str, str]] = {}
        choices: dict[str, dict[str, list[str]]] = {}
        for (form, upos), own in seen.items():
            lemmas = [apply_script(form, script) for script in frequent(own)]
            if memory.get(upos, {}).get(form, _BY_CLASS) != _BY_CLASS:
                known.setdefault(upos, {})[form] = lemmas[0]
            else:
                choices.setdefault(upos, {})[form] = list(dict.fromkeys(lemmas))
        lemmatiser = Lemmatiser.learn(words, known, choices, habits, dictionary)
        lemmatiser.by_tree, lemmatiser.particles = learnt_by_tree(treebank), frozenset(learnt_particles(treebank))
        learnt = LemmaScripts(scripts, count, memory, lemmatiser)
        return learnt if dictionary is None else learnt._knowing(dictionary.forms)

    def _knowing(self, forms: Iterable[str]) -> LemmaScripts:
        """Return the same with those of some forms that look misspelt and are not."""
        misspellings = self.misspellings
        if self.lemmatiser is not None and misspellings is not None:
            strange = frozenset(form for form in forms if misspellings.meant(form) != form)
            self.lemmatiser.lexicon.frequent_forms = strange
            misspellings.forget()
        return self

    @cached_property
    def misspellings(self) -> Misspellings | None:
        """How misspelt words are recognised; not at all without a lemmatiser that has a dictionary."""
        if self.lemmatiser is None or not self.lemmatiser.habits.corrected:
            return None
        known = self.lemmatiser
        # Not a method of this, which would then live as long as the program.
        lemma = partial(_lemma, self.scripts)
        return Misspellings(self.memory, lemma, known.lexicon, known.rules, known.habits.corrected)

    def classes(self, treebank: Treebank) -> Ids:
        """Return the class of each word of a treebank, -1 where its script is none of these."""
        different, of_word = _different(treebank, ("form", "lemma"))
        numbers = {script: number for number, script in enumerate(self.scripts[: self.count])}
        found = [
            numbers.get(edit_script(form, lemma), -1) if _has_lemma(form, lemma) else -1 for form, lemma in different
        ]
        return np.array(found, np.int32)[of_word]

    def lemma(self, form: str, number: int) -> str:
        """Return the lemma that a class gives a form; the form itself where its script does not fit."""
        return _lemma(self.scripts, form, number)

    def lemmas(
        self, forms: Sequence[str], upos: Iterable[str], classes: Iterable[int], tags: Iterable[str] | None = None
    ) -> list[str]:
        """Return the lemmas of words: what the memory knows of a form and its part of speech, else by the class.

        `tags`: XPOS, or FEATS where that is empty, which a lemmatiser looks at. Without one, a form that was never seen
        as this part of speech has the script that it has as all others, if they agree.
        """
        words = zip(forms, upos, classes, tags or [_NOTHING] * len(forms), strict=True)
        if self.lemmatiser is None:
            return [self._remembered_lemma(form, tag, number) for form, tag, number, _ in words]
        habits = self.lemmatiser.habits
        lemmas: list[str | None] = []
        unseen: list[tuple[Word, tuple[str, ...]]] = []
        indices: list[int] = []
        for index, (form, tag, number, more) in enumerate(words):
            lemma = self._seen_lemma(form, tag, number, self.lemmatiser)
            if lemma is None:
                normal = normal_form(form)
                unseen.append((Word(normal, tag, more), self._as_others(normal, tag)))
                indices.append(index)
            elif bare(lemma) != bare(form) and self.lemmatiser.is_its_lemma(Word(normal_form(form), tag, more)):
                lemma = form.lower()
            lemmas.append(lemma if lemma is None else habits.spelt(Word(form, tag, more), lemma))
        for index, (word, _), lemma in zip(indices, unseen, self.lemmatiser.lemmas(unseen), strict=True):
            lemmas[index] = habits.spelt(word, lemma)
        return [lemma for lemma in lemmas if lemma is not None]

    def _remembered_lemma(self, form: str, upos: str, number: int) -> str:
        remembered = self._remembered(normal_form(form), upos)
        return self.lemma(form, number if remembered == _BY_CLASS else remembered)

    def _seen_lemma(self, form: str, upos: str, number: int, lemmatiser: Lemmatiser) -> str | None:
        """Return what the memory knows of a form, or of it in small letters; None if it knows nothing."""
        own = self.memory.get(upos, {})
        normal = normal_form(form)
        remembered = own.get(normal)
        if remembered is None:
            normal = normal.lower()
            remembered = own.get(normal)
        if remembered == _BY_CLASS:
            return lemmatiser.chosen(normal, upos, self.lemma(form, number))
        return None if remembered is None else self.lemma(normal, remembered)

    @cached_property
    def forms(self) -> frozenset[str]:
        """All forms that the memory knows."""
        return frozenset[str]().union(*self.memory.values())

    def _as_others(self, form: str, upos: str) -> tuple[str, ...]:
        """Return the lemmas that a form, or the same in small letters, has as other parts of speech."""
        forms = {form, form.lower()} & self.forms
        lemmas = {
            apply_script(spelt, self.scripts[own[spelt]])
            for tag, own in self.memory.items()
            for spelt in forms
            if spelt in own and own[spelt] != _BY_CLASS and tag != upos
        }
        return tuple(sorted(lemmas))

    def _remembered(self, form: str, upos: str) -> int:
        """Return the script that the memory knows of a form."""
        own = self.memory.get(upos)
        if own is not None and form in own:
            return own[form]
        found = {others[form] for others in self.memory.values() if form in others}
        return found.pop() if len(found) == 1 else _BY_CLASS

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for a model file."""
        memory = {upos: dict(own) for upos, own in self.memory.items()}
        lemmatiser = {} if self.lemmatiser is None else {"lemmatiser": self.lemmatiser.to_dict()}
        return {"scripts": list(self.scripts), "classes": self.count, "memory": memory, **lemmatiser}

    @classmethod
    def from_dict(cls, data: Any) -> LemmaScripts:
        """Make them again from what `to_dict` gave; anything else is refused."""
        given = data if isinstance(data, dict) else {}
        if not is_list_of(str, given.get("scripts")) or type(given.get("classes")) is not int:
            raise LemmasError("the scripts of lemmas are a list of texts, of which some are classes")
        memory = given.get("memory")
        if not isinstance(memory, dict) or not all(
            isinstance(own, dict) and set(map(type, own.values())) <= {int} for own in memory.values()
        ):
            raise LemmasError("the memory of lemmas has the number of a script for each form")
        lemmatiser = Lemmatiser.from_dict(given["lemmatiser"]) if "lemmatiser" in given else None
        return cls(given["scripts"], given["classes"], memory, lemmatiser)


def _lemma(scripts: Sequence[str], form: str, number: int) -> str:
    return apply_script(_with_usual_sigmas(form), scripts[number])


@lru_cache(maxsize=1 << 16)
def edit_script(form: str, lemma: str) -> str:
    """Return the rule that turns a form into its lemma.

    >>> edit_script("Walked", "walk"), edit_script("went", "go"), apply_script("Talked", edit_script("Walked", "walk"))
    ('l\\t\\t−−', '=go', 'talk')
    """
    edits = _edits(_decomposed(form).lower(), _decomposed(lemma).lower())
    if edits is not None:
        for case in _CASES:
            if apply_script(form, case + edits) == lemma:
                return case + edits
    return _WHOLE + lemma


@lru_cache(maxsize=1 << 16)
def apply_script(form: str, script: str) -> str:
    """Return the lemma that a rule gives a form; the form itself where it is too short for the rule."""
    if script.startswith(_WHOLE):
        return script[1:]
    case, before, behind = script.split(_PART)
    letters = _decomposed(form)
    first, last = _read(before), len(letters) - _read(behind)
    if first > last:
        return form
    edited = _edited(letters[:first], before) + letters[first:last] + _edited(letters[last:], behind)
    lemma = _in_case(unicodedata.normalize("NFC", edited), case).strip(" ")  # which no column begins or ends with
    if "ς" in lemma[:-1]:  # that of a form before an apostrophe
        lemma = _INNER_SIGMA.sub("σ", lemma)
    return lemma or form


def _with_usual_sigmas(form: str) -> str:
    """Return a form without lunate sigmas, and with a final one at its end, as lemmas are spelt."""
    if form.isascii():
        return form
    usual = form.translate(_LUNATE)
    return usual[:-1] + "ς" if len(usual) > 1 and usual.endswith("σ") else usual


def _decomposed(text: str) -> str:
    return unicodedata.normalize("NFD", text)


def _in_case(text: str, case: str) -> str:
    if case == "k":
        return text
    if case == "u":
        return text.upper()
    lower = text.lower()
    return lower if case == "l" else lower[:1].upper() + lower[1:]


def _edits(form: str, lemma: str) -> str | None:
    """Return how what lies before and behind the longest common part is edited; None if they have none in common."""
    if form == lemma:
        return _PART + _PART
    if max(len(form), len(lemma)) > _LONGEST:
        return None
    start, there, length = SequenceMatcher(None, form, lemma, autojunk=False).find_longest_match()
    if not length:
        return None
    before = _shortest_edits(form[:start], lemma[:there])
    return _PART + before + _PART + _shortest_edits(form[start + length :], lemma[there + length :])


def _shortest_edits(old: str, new: str) -> str:
    """Return the fewest deletions and insertions that turn a text into another, with what is copied in between."""
    costs = [[len(new) - there + len(old) - place for there in range(len(new) + 1)] for place in range(len(old) + 1)]
    for place in reversed(range(len(old))):
        for there in reversed(range(len(new))):
            if old[place] == new[there]:
                costs[place][there] = costs[place + 1][there + 1]
            else:
                costs[place][there] = 1 + min(costs[place + 1][there], costs[place][there + 1])
    edits, place, there = [], 0, 0
    while place < len(old) or there < len(new):
        if place < len(old) and there < len(new) and old[place] == new[there]:
            edits.append(_COPY)
            place, there = place + 1, there + 1
        elif place < len(old) and costs[place][there] == costs[place + 1][there] + 1:
            edits.append(_DELETE)
            place += 1
        else:
            edits.append(new[there])
            there += 1
    return "".join(edits)


def _read(edits: str) -> int:
    """Return how many characters edits read."""
    return edits.count(_COPY) + edits.count(_DELETE)


def _edited(text: str, edits: str) -> str:
    letters = iter(text)
    made = []
    for edit in edits:
        if edit == _COPY:
            made.append(next(letters))
        elif edit == _DELETE:
            next(letters)
        else:
            made.append(edit)
    return "".join(made)


def _check_scripts(scripts: Sequence[str]) -> None:
    written = can_be_written("".join(scripts).replace(_PART, ""))
    cases = tuple(_CASES)
    for script in scripts:
        whole = len(script) > 1 and script[0] == _WHOLE and _PART not in script and script[1] != " "
        edits = script[:1] in cases and script[1:2] == _PART and script.count(_PART) == 2
        if not written or not (whole or edits) or script[2:3] == " " or script.endswith(" "):
            raise LemmasError(f"not a script of a lemma: {script[:40]!r}")


def can_be_written(value: str) -> bool:
    """Return whether a value can stand in a column of a treebank."""
    return bool(value) and not any(mark in value for mark in "\t\n\r\0") and not is_broken(value)


def _has_lemma(form: str, lemma: str) -> bool:
    return lemma != _NOTHING or form == _NOTHING


def _seen_scripts(treebank: Treebank) -> dict[tuple[str, str], Counter[str]]:
    """Return, for each form and part of speech, how often it had each script."""
    different, of_word = _different(treebank, ("form", "upos", "lemma"))
    seen: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for (form, upos, lemma), count in zip(different, np.bincount(of_word).tolist(), strict=True):
        if _has_lemma(form, lemma):
            seen[normal_form(form), upos][edit_script(form, lemma)] += count
    return seen


def _scripts_without_names(
    words: Mapping[tuple[Word, str], int], habits: Habits
) -> dict[tuple[str, str], Counter[str]]:
    """Return how often each form had each script as a part of speech, but for words with a capital by their tag alone.

    Parts of names have it: a memory of forms and parts of speech would give the capital of *Raw*, a show, to
    *Raw data*, too. Such words count only where nothing else is known of a form.
    """
    seen: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    named: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for (word, lemma), count in words.items():
        scripts = named if habits.gives_capital(word) else seen
        scripts[word.form, word.upos][edit_script(word.form, lemma)] += count
    alone = {key: own for key, own in named.items() if not {key, (key[0].lower(), key[1])} & seen.keys()}
    return {**seen, **alone}


def _without_slips(counts: Counter[str]) -> Counter[str]:
    """Return the scripts of a form without those that it had once or twice among many words, unless all are such."""
    kept = {script: count for script, count in counts.items() if count > 2 or 3 * count >= counts.total()}
    return Counter(kept or counts)


def _with_memory(
    classes: Sequence[str], seen: Mapping[tuple[str, str], Counter[str]], share: float
) -> tuple[tuple[str, ...], int, dict[str, dict[str, int]]]:
    """Return scripts, the number of classes, and a memory of the scripts that forms had in such a share of words."""
    known = _sure_scripts(seen, share)
    numbers = {script: number for number, script in enumerate(dict.fromkeys([*classes, *known.values()]))}
    memory: dict[str, dict[str, int]] = {}
    for (form, upos), script in known.items():
        memory.setdefault(upos, {})[form] = numbers[script]
    for form, upos in seen:
        if (form, upos) not in known:
            memory.setdefault(upos, {})[form] = _BY_CLASS
    return tuple(numbers), len(classes), memory


def _sure_scripts(seen: Mapping[tuple[str, str], Counter[str]], share: float) -> dict[tuple[str, str], str]:
    """Return the scripts that forms nearly always had; those of the most frequent forms if there are too many."""
    sure = []
    for key, counts in seen.items():
        script, count = min(counts.items(), key=lambda item: (-item[1], item[0]))
        if count >= share * counts.total():
            sure.append((count, key, script))
    kept = sorted(sure, key=lambda one: (-one[0], one[1]))[:_MOST_KNOWN]
    return {key: script for _, key, script in kept}


def _different(treebank: Treebank, columns: Sequence[str]) -> tuple[list[tuple[str, ...]], Ids]:
    """Return the different values of some columns together, and which of them each word has."""
    ids = np.stack([treebank.column(column) for column in columns], axis=1)
    different, of_word = np.unique(ids, axis=0, return_inverse=True)
    texts = [treebank.pool.texts(np.ascontiguousarray(one)) for one in different.T]
    return list(zip(*texts, strict=True)), of_word.reshape(-1).astype(np.int32)
