"""Lemmas of words that no memory knows: candidates from several sources, and a ranker learnt on words left out.

The letters of a candidate come from rules, which replace a beginning and an ending (ἐ…σε → …ζω, …ies → …y), from a
dictionary's exceptions, and from what the form is as another part of speech. They are ranked by the tags, by the ending
and by whether the candidate is a known word; then its spelling is, capitals and Greek accents. Rules know neither.
Where there is a dictionary and none of these is a known word, known words that may be meant are candidates, too
(`misspellings`). What tags say of capitals (`lemma_case`) holds in the end.
In learning, each word is looked at as if its form had never been seen. O(rules that fit) for each different word.
"""

from __future__ import annotations

import base64
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from .._arrays import Floats
from ..errors import CrossarcError
from .lemma_case import LATER_HABITS, Habits
from .lemma_rules import Dictionary, Lexicon, Rule, Rules, Word, bare, learnt_rules
from .lemma_spelling import Spelling
from .lemma_trees import LemmasByTree
from .misspellings import corrections, may_be_meant
from .ranking import Hashes, Ranker, crossed, hashed, hashes
from .vocabularies import is_list_of, tag_pieces

#: The best rules whose lemmas need not be known words, and how many such lemmas are ranked.
_WRITTEN, _RANKED = 24, 10
#: Words to learn from, and others than the right candidate that each has at first.
_MOST_WORDS, _MOST_OTHERS = 24_000, 16
#: Words are rare that occur so often at most; with fewer rare ones than this, all are learnt from.
_FREQUENT, _ENOUGH = 6, 1000
_BITS, _MOST_WEIGHTS = 18, 1 << 24
_DECAY = 0.5
_MOST_KEPT = 1 << 16
#: Of a tag.
_MOST_PIECES = 7
#: Of how many lemmas that rules give a misspelt word known ones are looked for.
_CORRECTED = 2
#: One in so many words is learnt from with the most frequent tag, too.
_MISTAGGED = 20
_NO_HASHES: Hashes = np.zeros(0, np.uint32)


class LemmatiserError(CrossarcError):
    """A lemmatiser that cannot be read."""


class Drafts(NamedTuple):
    """Candidates for one word: texts, the hashes of their beginnings and endings, and of what else is said of them."""

    texts: list[str]
    beginnings: list[int]
    endings: list[int]
    notes: list[list[int]]
    #: What beginnings, and what endings, are looked at together with.
    before: Hashes
    behind: Hashes


def _only(lemma: str) -> Drafts:
    """Return the candidate of a word that has no other."""
    return Drafts([lemma], [0], [0], [], _NO_HASHES, _NO_HASHES)


class Letters:
    """Candidates of the letters of lemmas, and their features."""

    def __init__(self, lexicon: Lexicon, rules: Rules, corrected: frozenset[str]) -> None:
        """Take what candidates are made of, and the parts of speech whose misspelt words are corrected."""
        self.lexicon, self.rules, self.corrected = lexicon, rules, corrected

    def drafts(
        self, word: Word, others: Sequence[str], ranker: Ranker | None, *, wanted: str = "", less: int = 0
    ) -> Drafts:
        """Return candidates for a word; `others`: its lemmas as other parts of speech.

        Without a ranker, to learn one, candidates that are no known words are any. `wanted` is the right one then, of
        which `less` words are left out.
        """
        form, upos = bare(word.form), word.upos
        exceptions = self.lexicon.exceptions.get(upos, {}).get(form, ())
        remembered = {bare(lemma) for lemma in others}
        found = self._by_rules(word, form, ranker)
        for lemma in (*exceptions, *sorted(remembered), form):
            found.setdefault(lemma, (0, 0))
        slips = self._corrected(word, found, wanted, less)
        if len(found) == 1:
            return _only(form)
        drafts = Drafts([], [], [], [], *_contexts(word, form))
        unknown, most = 0, _MOST_OTHERS if ranker is None else _RANKED
        for lemma, (beginning, ending) in found.items():
            known = self.lexicon.known(lemma, upos, less if lemma == wanted else 0)
            if known == "0":
                unknown += 1
                if unknown > most and ending and lemma != wanted:
                    continue
                if any(self.lexicon.has(lemma[start:], upos) for start in range(1, min(7, len(lemma) - 3))):
                    known = "0t"
            said = "x" * (lemma in exceptions) + "m" * (lemma in remembered) + "s" * (lemma == form)
            said += slips.get(lemma, "")
            drafts.texts.append(lemma)
            drafts.beginnings.append(beginning)
            drafts.endings.append(ending)
            drafts.notes.append([*_notes(known, said, upos, word.tag), *_lemma_endings(lemma[-4:], upos)])
        return drafts

    def _corrected(self, word: Word, found: dict[str, tuple[int, int]], wanted: str, less: int) -> Mapping[str, str]:
        """Add known words that may be meant, and return them with the slips; none if any candidate is known."""
        upos = word.upos
        if upos not in self.corrected:
            return {}
        if any(self.lexicon.known(lemma, upos, less if lemma == wanted else 0) != "0" for lemma in found):
            return {}
        slips: dict[str, str] = {}
        for lemma in list(found)[:_CORRECTED]:
            for meant, slip in corrections(lemma, self.lexicon.every_word(upos)).items():
                if may_be_meant(lemma, meant, slip):
                    slips.setdefault(meant, slip)
                    found.setdefault(meant, found[lemma])
        return slips

    def _by_rules(self, word: Word, form: str, ranker: Ranker | None) -> dict[str, tuple[int, int]]:
        """Return lemmas with the hashes of their beginnings and endings: the best of a ranker, then known words."""
        firsts, lasts = self.rules.fitting(form, word.upos)
        length = len(form)
        every = [
            (first.new + form[first.length : length - last.length] + last.new, (first.hash, last.hash))
            for first in firsts
            for last in lasts
            if first.length + last.length < length
        ]
        found: dict[str, tuple[int, int]] = {}
        if ranker is None:
            every = [every[place] for place in np.random.default_rng(length).permutation(len(every)).tolist()]
        elif len(every) > _WRITTEN:
            before, behind = _contexts(word, form)
            scores = _rule_scores(ranker, before, firsts)[:, None] + _rule_scores(ranker, behind, lasts)
            ends = np.array([first.length for first in firsts])[:, None] + np.array([last.length for last in lasts])
            for place in np.argsort(-scores[ends < length], kind="stable")[:_WRITTEN].tolist():
                found.setdefault(*every[place])
            known = self.lexicon.all_letters
            every = [one for one in every if one[0] in known]
        for lemma, rule in every:
            found.setdefault(lemma, rule)
        return found

    def features(self, drafts: Sequence[Drafts]) -> Hashes:
        """Return a row of features for each candidate, of many words."""
        of_word = np.repeat(np.arange(len(drafts)), [len(one.texts) for one in drafts])
        parts = []
        for contexts, rules in (
            ([one.behind for one in drafts], [one.endings for one in drafts]),
            ([one.before for one in drafts], [one.beginnings for one in drafts]),
        ):
            numbers = np.concatenate([np.array(own, np.uint32) for own in rules])[:, None]
            parts.append(crossed(np.stack(contexts)[of_word], numbers) * (numbers != 0))
        notes = np.array([row for one in drafts for row in one.notes], np.uint32)
        return np.concatenate([*parts, notes], axis=1)


def _rule_scores(ranker: Ranker, contexts: Hashes, rules: Sequence[Rule]) -> Floats:
    return ranker.scores(crossed(contexts[None], np.array([rule.hash for rule in rules], np.uint32)[:, None]))


def _contexts(word: Word, form: str) -> tuple[Hashes, Hashes]:
    """Return what beginnings, and what endings, are looked at together with."""
    tags = [word.upos, word.tag, *_pieces(word.upos, word.tag)]
    ends = [form[-length:] if length < len(form) else "^" + form for length in range(1, 7)]
    before = hashes([*tags, *(f"{word.upos}^{form[:length]}" for length in range(1, 6))])
    behind = hashes([*tags, *(f"{word.upos}/{end}" for end in ends), *(f"{word.tag}/{end}" for end in ends[1:5])])
    return before, behind


@lru_cache(maxsize=1 << 12)
def _pieces(upos: str, tag: str) -> tuple[str, ...]:
    """Return the pieces of a tag, always as many."""
    pieces = tag_pieces(tag) or (tag.split("|") if "=" in tag else [])
    said = [f"{upos} {number}{piece}" for number, piece in enumerate(pieces) if piece not in ("-", "_", "")]
    return tuple([*said, *[""] * _MOST_PIECES][:_MOST_PIECES])


@lru_cache(maxsize=1 << 14)
def _notes(known: str, said: str, upos: str, tag: str) -> tuple[int, ...]:
    """Return the features of how a candidate is known."""
    texts = (f"k{known}", f"k{known}{upos}", f"k{known}{tag}", f"o{said}", f"o{said}{upos}", f"o{said}{tag}")
    return tuple(map(hashed, texts))


@lru_cache(maxsize=1 << 14)
def _lemma_endings(ending: str, upos: str) -> tuple[int, ...]:
    """Return the features of what a candidate ends with."""
    return tuple(hashed(f"l{ending[-length:]}{upos}") for length in (2, 3, 4))


class Example(NamedTuple):
    """A word to learn from: its lemma, lemmas of its form as other parts of speech, and how often it occurs."""

    word: Word
    lemma: str
    others: tuple[str, ...]
    times: int


class Lemmatiser:
    """The lemma of a word that no memory knows."""

    def __init__(
        self,
        lexicon: Lexicon,
        rules: Rules,
        letters: Ranker,
        spelling: Ranker,
        choices: Mapping[str, Mapping[str, list[str]]],
        habits: Habits,
        by_tree: LemmasByTree | None = None,
        particles: Sequence[str] = (),
    ) -> None:
        """Put the parts together; `choices`: forms that had several lemmas, with them, the most frequent first.

        `by_tree`: which of these the tree decides; `particles`: what verbs have in their lemmas if the tree has it.
        """
        self.by_tree: LemmasByTree = by_tree or {}
        self.particles = frozenset(particles)
        self.lexicon, self.rules, self.choices, self.habits = lexicon, rules, choices, habits
        self._letters, self._spelling = Letters(lexicon, rules, habits.corrected), Spelling(lexicon)
        self._letter_ranker, self._spelling_ranker = letters, spelling
        self._kept: dict[tuple[Word, tuple[str, ...]], str] = {}

    def lemmas(self, words: Sequence[tuple[Word, tuple[str, ...]]]) -> list[str]:
        """Return the lemmas of words, each with those of its form as other parts of speech."""
        new = [key for key in dict.fromkeys(words) if key not in self._kept]
        if len(self._kept) + len(new) > _MOST_KEPT:
            self._kept.clear()
            new = list(dict.fromkeys(words))
        self._kept.update(zip(new, self._ranked(new), strict=True))
        return [self._kept[key] for key in words]

    def chosen(self, form: str, upos: str, network: str) -> str:
        """Return the lemma of a form that had several: what the network says, if it is one of them."""
        seen = self.choices.get(upos, {}).get(form)
        return network if seen is None or network in seen else seen[0]

    def is_its_lemma(self, word: Word) -> bool:
        """Whether a word is its own lemma by its tags and the dictionary, whatever lemma its form has otherwise."""
        letters = bare(word.form)
        return letters in self.lexicon.listed_words.get(word.upos, ()) and self.habits.keeps(word, listed=True)

    def _abbreviated(self, word: Word) -> str | None:
        """Return the lemma of an abbreviation; what is written like a name and taken for one is none."""
        named = word.upos not in self.habits.corrected and word.form != word.form.lower()
        return None if named else self.lexicon.abbreviated(word.form)

    def _sure(self, word: Word) -> Drafts | None:
        """Return the only candidate of a word that is its own lemma by its tags, or that the dictionary excepts.

        An exception is sure by the tag of the word, or if the dictionary has no such lemma: lice is none, whatever its
        tag. Where training data follow no exceptions at all, none is.
        """
        letters, listed = bare(word.form), self.lexicon.listed_words.get(word.upos, ())
        inflected = word.tag in self.habits.excepted
        if not inflected and self.habits.keeps(word, listed=letters in listed):
            return _only(letters)
        lemmas = self.lexicon.exceptions.get(word.upos, {}).get(letters, [])
        sure = self.habits.excepted and len(lemmas) == 1 and (inflected or letters not in listed)
        return _only(lemmas[0]) if sure else None

    def _ranked(self, words: Sequence[tuple[Word, tuple[str, ...]]]) -> list[str]:
        """Rank the letters of all words but abbreviations, then their spellings."""
        meant = [self._abbreviated(word) for word, _ in words]
        found = [lemma or self.habits.without_marks(word) for lemma, (word, _) in zip(meant, words, strict=True)]
        places = [
            place for place, (word, _) in enumerate(words) if not meant[place] and any(map(str.isalpha, word.form))
        ]
        drafts = [
            self._sure(words[place][0]) or self._letters.drafts(*words[place], self._letter_ranker) for place in places
        ]
        unsure = [one for one in drafts if len(one.texts) > 1]
        scores = self._letter_ranker.scores(self._letters.features(unsure)) if unsure else np.zeros(0, np.float32)
        best = iter(_best([len(one.texts) for one in unsure], scores))
        rows: list[list[int]] = []
        several: list[tuple[int, list[str]]] = []
        for place, one in zip(places, drafts, strict=True):
            letters = one.texts[next(best) if len(one.texts) > 1 else 0]
            word = words[place][0]
            spellings = self._spelling.spellings(word, letters)
            found[place] = spellings[0]
            if len(spellings) > 1:
                rows += self._spelling.features(word, letters, spellings)
                several.append((place, spellings))
        if several:
            scores = self._spelling_ranker.scores(np.array(rows, np.uint32))
            for (place, spellings), number in zip(
                several, _best([len(own) for _, own in several], scores), strict=True
            ):
                found[place] = spellings[number]
        return [lemma.strip(" ") or words[place][0].form for place, lemma in enumerate(found)]

    @classmethod
    def learn(
        cls,
        words: Mapping[tuple[Word, str], int],
        memory: Mapping[str, Mapping[str, str]],
        choices: Mapping[str, Mapping[str, list[str]]],
        habits: Habits,
        dictionary: Dictionary | None = None,
    ) -> Lemmatiser:
        """Learn from different words and lemmas, with their number; `memory`: lemmas of forms by part of speech."""
        counts: dict[str, dict[str, int]] = defaultdict(dict)
        times: Counter[tuple[str, str, str]] = Counter()
        for (word, lemma), count in words.items():
            counts[word.upos][lemma] = counts[word.upos].get(lemma, 0) + count
            times[bare(word.form), word.upos, bare(lemma)] += count
        given = dictionary or Dictionary({}, {})
        listed = {upos: "\n".join(sorted(set(map(_listed_spelling, lemmas)))) for upos, lemmas in given.lemmas.items()}
        lexicon = Lexicon({upos: dict(own) for upos, own in counts.items()}, listed, given.exceptions)
        rules = learnt_rules(sorted(key for key in times if any(map(str.isalpha, key[0]))))
        examples = _examples(words, memory, times)
        examples += _with_usual_tags(examples) if dictionary is not None else []
        letters, spelling = Letters(lexicon, rules, habits.corrected), Spelling(lexicon)
        ranker = None
        for _ in range(2):  # the second time from candidates that a ranker takes for good ones
            drafts = [
                letters.drafts(word, others, ranker, wanted=bare(lemma), less=count)
                for word, lemma, others, count in examples
            ]
            several = [(one, bare(example.lemma)) for one, example in zip(drafts, examples, strict=True) if one.notes]
            right = [[text == lemma for text in one.texts] for one, lemma in several]
            ranker = _learnt(letters.features([one for one, _ in several]) if several else _NO_HASHES, right)
        assert ranker is not None
        rows: list[list[int]] = []
        right = []
        for word, lemma, _, count in examples:
            spellings = spelling.spellings(word, bare(lemma))
            rows += spelling.features(word, bare(lemma), spellings, wanted=lemma, less=count)
            right.append([text == lemma for text in spellings])
        return cls(lexicon, rules, ranker, _learnt(np.array(rows, np.uint32), right), choices, habits)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for a model file."""
        rankers = (self._letter_ranker, self._spelling_ranker)
        return {
            "counts": self.lexicon.counts,
            "dictionary": self.lexicon.dictionary,
            "exceptions": self.lexicon.exceptions,
            "beginnings": self.rules.beginnings,
            "endings": self.rules.endings,
            "choices": self.choices,
            "weights": [base64.b64encode(ranker.weights.tobytes()).decode() for ranker in rankers],
            "scales": [ranker.scale for ranker in rankers],
            "habits": self.habits.to_dict(),
            "by_tree": self.by_tree,
            **({"particles": sorted(self.particles)} if self.particles else {}),
            "forms": sorted(self.lexicon.frequent_forms),
        }

    @classmethod
    def from_dict(cls, data: Any) -> Lemmatiser:
        """Make it again from what `to_dict` gave; anything else is refused."""
        if not _is_valid_table(data, _FIELDS):
            raise LemmatiserError("the parts of the lemmatiser are not what they should be")
        rankers = []
        for packed, scale in zip(data["weights"], data["scales"], strict=True):
            weights = np.frombuffer(base64.b64decode(packed), np.int8)
            if not 0 < len(weights) <= _MOST_WEIGHTS or len(weights) & (len(weights) - 1) or not 0 < scale < 1e6:
                raise LemmatiserError("the weights of the lemmatiser are no power of two, or have no scale")
            rankers.append(Ranker(weights, scale))
        habits = Habits()
        if "habits" in data:  # lemmatisers of older versions have none
            later = data["habits"] if isinstance(data["habits"], dict) else {}
            lists = all(is_list_of(str, later.get(name, [])) for name in LATER_HABITS)
            if not lists or not _is_valid_table(data["habits"], _HABITS):
                raise LemmatiserError("the habits of the lemmatiser are not what they should be")
            habits = Habits.from_dict(data["habits"])
        by_tree = data.get("by_tree", {})  # nor these
        if not _is_valid(by_tree, _Table(_Table(_Table(str)))):
            raise LemmatiserError("the lemmas that trees decide are not what they should be")
        forms, particles = data.get("forms", []), data.get("particles", [])  # nor these
        if not is_list_of(str, forms) or not is_list_of(str, particles):
            raise LemmatiserError("the frequent forms and the particles of the lemmatiser are lists of texts")
        lexicon = Lexicon(data["counts"], data["dictionary"], data["exceptions"], frozenset(forms))
        letters, spelling = rankers
        rules = Rules(data["beginnings"], data["endings"])
        return cls(lexicon, rules, letters, spelling, data["choices"], habits, by_tree, particles)


class _Table(NamedTuple):
    """What a JSON object holds under each of its names."""

    held: Any


#: What plain data of a lemmatiser hold: types, lists of a type, and tables.
_FIELDS: Mapping[str, Any] = {
    "counts": _Table(_Table(int)),
    "dictionary": _Table(str),
    "exceptions": _Table(_Table([str])),
    "beginnings": _Table(_Table([str])),
    "endings": _Table(_Table([str])),
    "choices": _Table(_Table([str])),
    "weights": [str],
    "scales": [float],
}


#: What plain data of its habits hold.
_HABITS: Mapping[str, Any] = {"capitals": _Table(_Table(str)), "left_out": _Table(str), "corrected": [str]}


def _is_valid_table(data: Any, fields: Mapping[str, Any]) -> bool:
    return isinstance(data, dict) and all(_is_valid(data.get(name), kind) for name, kind in fields.items())


def _is_valid(value: Any, kind: Any) -> bool:
    if isinstance(kind, _Table):
        return isinstance(value, dict) and _all_valid(value.values(), kind.held)
    if isinstance(kind, list):
        return is_list_of(kind[0], value)
    return type(value) is kind


def _all_valid(values: Collection[Any], kind: Any) -> bool:
    """Whether all values are of a kind; tens of thousands of them, so that types are looked at together."""
    if isinstance(kind, list):
        return set(map(type, values)) <= {list} and set(map(type, chain.from_iterable(values))) <= {kind[0]}
    if isinstance(kind, type):
        return set(map(type, values)) <= {kind}
    return all(_is_valid(value, kind) for value in values)


def _listed_spelling(lemma: str) -> str:
    """Return how a lemma of a dictionary is kept: in bare letters, but for capitals."""
    return lemma if lemma.isascii() else bare(lemma)


def _best(lengths: Sequence[int], scores: Floats) -> list[int]:
    """Return which candidate of each word has the highest score, the first of equal ones."""
    ends = np.cumsum(lengths).tolist()
    return [int(np.argmax(scores[end - length : end])) for length, end in zip(lengths, ends, strict=True)]


def _examples(
    words: Mapping[tuple[Word, str], int],
    memory: Mapping[str, Mapping[str, str]],
    times: Mapping[tuple[str, str, str], int],
) -> list[Example]:
    """Return the words to learn from: rare ones, which unseen ones are like, with their most frequent lemma."""
    best: dict[Word, tuple[int, str]] = {}
    for (word, lemma), count in words.items():
        best[word] = max(best.get(word, (0, "")), (count, lemma))
    found = [
        Example(word, lemma, other_lemmas(memory, word.form, word.upos), times[bare(word.form), word.upos, bare(lemma)])
        for word, (_, lemma) in sorted(best.items())
        if any(map(str.isalpha, word.form))
    ]
    rare = [one for one in found if one.times <= _FREQUENT]
    found = rare if len(rare) >= _ENOUGH else found
    if len(found) <= _MOST_WORDS:
        return found
    chosen = np.sort(np.random.default_rng(1).permutation(len(found))[:_MOST_WORDS])
    return [found[place] for place in chosen.tolist()]


def _with_usual_tags(examples: Sequence[Example]) -> list[Example]:
    """Return every so manieth example with the most frequent tag of its part of speech instead of its own.

    Taggers take rare words for such (*slightest* for JJ); a known word is right even so, and counts beside tags then.
    """
    tags: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for one in examples:
        tags[one.word.upos][one.word.tag] += 1
    usual = {upos: counts.most_common(1)[0][0] for upos, counts in tags.items()}
    others = [one for one in examples if one.word.tag != usual[one.word.upos]]
    return [one._replace(word=one.word._replace(tag=usual[one.word.upos])) for one in others[::_MISTAGGED]]


def other_lemmas(memory: Mapping[str, Mapping[str, str]], form: str, upos: str) -> tuple[str, ...]:
    """Return the lemmas that a form, or the same in small letters, has as other parts of speech."""
    forms = {form, form.lower()}
    found = {own[key] for tag, own in memory.items() if tag != upos for key in forms if key in own}
    return tuple(sorted(found))


def _learnt(features: Hashes, right: Sequence[Sequence[bool]]) -> Ranker:
    """Learn a ranker from the candidates of words, which of them are right; words without a right one teach nothing."""
    if not any(map(any, right)):
        return Ranker(np.zeros(1, np.int8), 1.0)
    of_word = np.repeat(np.arange(len(right), dtype=np.int32), [len(own) for own in right])
    teaches = np.repeat([any(own) for own in right], [len(own) for own in right])
    good = np.concatenate([np.array(own, bool) for own in right])
    return Ranker.learn(features[teaches], of_word[teaches], good[teaches], bits=_BITS, decay=_DECAY)
