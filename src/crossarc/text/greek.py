"""Ancient Greek as it is written elsewhere, matched to the polytonic forms that a model learnt from.

Capitals without accents (ΜΗΝΙΝ), words without breathings (monotonic, or without any marks), iota adscript (τῆι), beta
code (mh=nin) and marks above letters that stand before them (᾿Αχιλλεύς) are looked up among the forms of the training
data: those with the same letters, whose marks do not contradict the written ones, the most frequent first. A form that
was seen stays as it is; that of a word that begins a sentence or follows a mark loses its capital where it was seen
without one and never with it (Κατέβην). Punctuation that was not seen (« ⟨ —) becomes a mark of its kind that was, and
a numeral in letters or digits (κεʹ, 25) a cardinal, so that tags and trees are those of such words; their lemma is the
form. Only what the parser reads is changed: FORM is what was written. O(words), and a look at each form that was
learnt.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np

from .._arrays import AnyArray
from ..features.vocabularies import normal_form, with_other_forms
from ..models.model_file import Arrays, ModelFileError
from ..treebank import Treebank

#: A spelling is fitted if so much of the letters of a treebank is Greek.
_MOSTLY = 0.9
_MOST_BYTES = 1 << 26
_MOST_REMEMBERED = 1 << 17
_ACUTE, _GRAVE, _CIRCUMFLEX, _SMOOTH, _ROUGH, _DIAERESIS, _IOTA = "\u0301\u0300\u0342\u0313\u0314\u0308\u0345"
_ACCENTS, _BREATHINGS = (_ACUTE, _GRAVE, _CIRCUMFLEX), (_SMOOTH, _ROUGH)
_VOWELS = "αεηιουω"
_GREEK = re.compile("[\u0370-\u03ff\u1f00-\u1fff]")
#: Spacing marks that stand before a capital, or behind it, instead of above it.
_SPACING = {
    **dict.fromkeys("'\u02bc\u2019\u1fbd\u1fbf", _SMOOTH),
    **dict.fromkeys("\u02bd\u2018\u1ffe", _ROUGH),
    **dict.fromkeys("\u00b4\u0384\u1ffd", _ACUTE),
    "\u1fcd": _SMOOTH + _GRAVE,
    "\u1fce": _SMOOTH + _ACUTE,
    "\u1fcf": _SMOOTH + _CIRCUMFLEX,
    "\u1fdd": _ROUGH + _GRAVE,
    "\u1fde": _ROUGH + _ACUTE,
    "\u1fdf": _ROUGH + _CIRCUMFLEX,
}
_BETA_LETTERS = dict(zip("abgdezhqiklmncoprstufxywv", "αβγδεζηθικλμνξοπρστυφχψωϝ", strict=True))
_BETA_MARKS = dict(zip(")(/\\=+|", (_SMOOTH, _ROUGH, _ACUTE, _GRAVE, _CIRCUMFLEX, _DIAERESIS, _IOTA), strict=True))
#: Brackets with which editors mark letters within words.
EDITORIAL: Mapping[str, str] = dict(zip("[<{⟨⟦⸢⸤〈", "]>}⟩⟧⸣⸥〉", strict=True))
_EDITED = str.maketrans(dict.fromkeys([*EDITORIAL, *EDITORIAL.values(), "†", *"()"], ""))
#: The signs of numerals, before and behind letters.
THOUSANDS, KERAIA = "\u0375", "\u0374\u02b9\u0384\u00b4\u2032"
#: Numbers that do not decline, those first that the AGDT rather calls numerals than adjectives.
_CARDINALS = ("ἐννέα", "δώδεκα", "εἴκοσι", "πέντε", "δέκα")
#: Kinds of punctuation, and marks in their place, of which the first that was seen is taken.
_QUOTES = frozenset('"“”„‟«»‹›‘‚‛')
_KINDS: Mapping[str, str] = {"Pd": "-", "Ps": "([", "Pe": ")]"}
_OTHER_MARKS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys("•‧⋅", ("·",)),
    **dict.fromkeys("?\u037e", (";",)),
    "!": (".",),
    "…": ("...", "."),
}
_NO_MARKS: tuple[frozenset[int], str] = (frozenset(), "")
#: A form without accents that stands so much later in the list than another of the same letters is a slip for that one.
_RARER = 30
_LAST_RESORT = '†"-,'


# Patterns are made when they are first asked for: it takes as long as cutting a page of another language.


@cache
def before_capital() -> re.Pattern[str]:
    """Return the pattern of marks that stand before a capital as characters of their own."""
    return re.compile(f"[{''.join(_SPACING)}]+(?=[ΑΕΗΙΟΥΩΡ](?![\u0300-\u0345]))")


@cache
def beta_code() -> re.Pattern[str]:
    """Return the pattern of a word in beta code.

    It has small or large letters, with at least one of its marks behind a vowel, a rho or an asterisk.
    """
    marked = r"(?=[a-z*()/\\=+|]*[aehiouwr*][()/\\=|])"
    return re.compile(marked + r"(?:\*[()/\\=|]*)?[a-z][a-z*()/\\=+|]*'?", re.IGNORECASE)


@cache
def _numeral() -> re.Pattern[str]:
    """Return the pattern of numerals."""
    return re.compile(
        f"{THOUSANDS}[α-θϛ][ρ-ωϡ]?[ι-πϙϟ]?[α-θϛϝ]?[{KERAIA}]?|[ρ-ωϡ]?[ι-πϙϟ]?(?:[α-θϛϝ]|στ)?[{KERAIA}]|[0-9][0-9.,:]*"
    )


class Spelt(NamedTuple):
    """A form as the parser reads it, and whether it is only a sign of its kind, whose lemma is the form."""

    form: str
    sign: bool = False


class GreekSpelling:
    """The forms of a treebank, the most frequent first, by which others are recognised."""

    def __init__(self, forms: Iterable[str]) -> None:
        """Take forms in the order of how often they occurred."""
        self.forms = tuple(forms)
        self._known = {form: rank for rank, form in enumerate(self.forms, start=1)}
        self._spelt: dict[str, Spelt] = {}

    @classmethod
    def fit(cls, treebank: Treebank, least: int = 1) -> GreekSpelling | None:
        """Return the forms that occur at least so often, if the treebank is Greek.

        Words that begin with a vowel and have no breathing are left out: the treebank writes them badly.
        """
        counts: Counter[str] = Counter()
        for form, count in treebank.inventory("form").items():
            counts[normal_form(form)] += count
        letters = [letter for form in counts for letter in form if letter.isalpha()]
        if sum(_GREEK.match(letter) is not None for letter in letters) < _MOSTLY * max(1, len(letters)):
            return None
        return cls(form for form, count in counts.most_common() if count >= least and not _lacks_breathing(form))

    @cached_property
    def _by_letters(self) -> dict[str, list[str]]:
        """The forms by their letters, those with iota subscript without it and with it."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        small = "\n".join(self.forms).lower()  # all at once: there are tens of thousands
        without, with_iota = (small.translate(table).split("\n") for table in (_WITHOUT_IOTA, _WITH_IOTA))
        for form, one, other in zip(self.forms, without, with_iota, strict=True):
            found[one].append(form)
            if other != one:
                found[other].append(form)
        return dict(found)

    @cached_property
    def _cardinal(self) -> str | None:
        return next((form for form in _CARDINALS if form in self._known), None)

    # Forms

    def read(self, treebank: Treebank) -> Treebank:
        """Return the treebank as a parser reads it; the very one if all forms are known."""
        return self._without_first_capitals(with_other_forms(treebank, lambda form: self.spelt(form).form))

    def _without_first_capitals(self, treebank: Treebank) -> Treebank:
        """Return the treebank without the capitals that words have where they stand only."""
        forms, of_word = treebank.distinct_texts("form")
        small = [self._small(form) for form in forms]
        changed = np.array([form is not None for form in small], bool)[of_word]
        if changed.any():
            opening = np.array([form != "," and not any(map(str.isalnum, form)) for form in forms], bool)[of_word]
            behind = np.append(True, opening[:-1])
            behind[treebank.word_offsets[:-1]] = True
            changed &= behind
        if not changed.any():
            return treebank
        ids = treebank.pool.intern([form or "_" for form in small])[of_word]
        return treebank.replace(form=np.where(changed, ids, treebank.column("form")))

    def _small(self, form: str) -> str | None:
        """Return a form with a capital without it, if it was seen so, and never with it."""
        if form == form.lower():
            return None
        normal = normal_form(form)
        small = normal.lower()
        only_first = small != normal and normal[1:] == small[1:]
        return small if only_first and small in self._known and normal not in self._known else None

    def written(self, parsed: Treebank, before: Treebank) -> Treebank:
        """Return what was parsed with the forms that were written, as lemmas, too, of signs that had none."""
        if parsed.words == 0 or parsed.column("form") is before.column("form"):
            return parsed
        forms, of_word = before.distinct_texts("form")
        signs = np.array([self.spelt(form).sign for form in forms], bool)[of_word] & (before.column("lemma") == 0)
        ids = parsed.pool.intern(forms)[of_word]
        return parsed.replace(form=ids, lemma=np.where(signs, ids, parsed.column("lemma")))

    def spelt(self, form: str) -> Spelt:
        """Return a form as the parser reads it."""
        known = self._spelt.get(form)
        if known is None:
            if len(self._spelt) >= _MOST_REMEMBERED:
                self._spelt.clear()
            normal = normal_form(form)
            known = self._found(normal)
            # What is spelt as usual stays as written: parsers make it a normal form themselves.
            known = self._spelt[form] = known._replace(form=form) if known.form == normal else known
        return known

    def _found(self, form: str) -> Spelt:
        if form in self._known:
            return Spelt(self._usual(form))
        if not any(map(str.isalnum, form)):
            return Spelt(self._mark(form), sign=True)
        if self._cardinal is not None and _numeral().fullmatch(form.lower()):
            return Spelt(self._cardinal, sign=True)
        if form.isascii():
            greek = normal_form(from_beta_code(form))
            form = greek if beta_code().fullmatch(form) or self._alike(greek) else form
        else:
            form = normal_form(_with_marks_above(form.translate(_EDITED)))
        if form == form.upper() and sum(map(str.isalpha, form)) > 1:
            form = normal_form(form.lower())
            return Spelt(self._alike(form) or form)
        if form in self._known or normal_form(form.lower()) in self._known:
            return Spelt(self._usual(form))
        found = self._alike(form)
        if found is None or form[:1].islower():
            return Spelt(found or form)
        return Spelt(found[:1].title() + found[1:])

    def _usual(self, form: str) -> str:
        """Return a known form; for one without marks that is rare, the one that it is nearly always meant for."""
        if _marks(form) != _NO_MARKS or not _GREEK.search(form):
            return form
        usual = self._alike(form)
        rare = usual is not None and self._known.get(form, len(self._known)) > _RARER * self._known[usual]
        return usual if usual is not None and rare else form

    def _alike(self, form: str) -> str | None:
        """Return the most frequent form of the same letters whose marks do not contradict those that are written."""
        candidates = self._by_letters.get(form.lower().translate(_WITHOUT_IOTA), [])
        accents, breathing = _marks(form)
        best = None
        for candidate in candidates:
            own_accents, own_breathing = _marks(candidate)
            if (breathing and breathing != own_breathing) or (accents and not own_accents <= accents):
                continue
            if own_accents or not accents:
                return candidate
            best = best or candidate
        return best

    def _mark(self, mark: str) -> str:
        """Return a mark of the same kind that was seen; itself if there is none."""
        kind = '"' if mark[0] in _QUOTES else _KINDS.get(unicodedata.category(mark[0]), "")
        others: list[str] = [mark[0], *_OTHER_MARKS.get(mark[0], ()), *kind, *_LAST_RESORT]
        return next((other for other in others if other in self._known), mark)

    # Files

    def to_parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return a description and arrays, for a model file."""
        packed = zlib.compress("\n".join(self.forms).encode(), 9)
        return {"kind": "greek"}, {"forms": np.frombuffer(packed, np.uint8)}

    @staticmethod
    def from_parts(description: Any, arrays: Mapping[str, AnyArray]) -> GreekSpelling:
        """Make it again from what `to_parts` gave; a `ModelFileError` if these are no such parts."""
        if description != {"kind": "greek"} or arrays.keys() != {"forms"} or arrays["forms"].dtype != np.uint8:
            raise ModelFileError("no forms of Greek words")
        inflated = zlib.decompressobj()
        try:
            text = inflated.decompress(arrays["forms"].tobytes(), _MOST_BYTES).decode()
        except (zlib.error, UnicodeDecodeError) as error:
            raise ModelFileError(f"the forms of Greek words cannot be read ({error})") from error
        if not inflated.eof:
            raise ModelFileError("the forms of Greek words are cut short, or too many")
        forms = text.split("\n")
        if text.split() != forms:
            raise ModelFileError("a form of a Greek word has spaces in it or no letters")
        return GreekSpelling(forms)


def from_beta_code(text: str) -> str:
    r"""Return Greek that is written in beta code, in composed form; what is none of its signs stays.

    >>> from_beta_code("mh=nin a)/eide qea\\ *phlhi+a/dew *)axilh=os")
    'μῆνιν ἄειδε θεὰ Πηληϊάδεω Ἀχιλῆος'
    """
    letters: list[str] = []
    capital, waiting = False, ""
    for sign in text.lower():
        if sign == "*":
            capital, waiting = True, ""
        elif sign in _BETA_LETTERS:
            letter = _BETA_LETTERS[sign]
            letters.append((letter.upper() if capital else letter) + waiting)
            capital, waiting = False, ""
        elif sign in _BETA_MARKS and capital:
            waiting += _BETA_MARKS[sign]
        elif sign in _BETA_MARKS and letters and letters[-1][0].isalpha():
            letters[-1] += _BETA_MARKS[sign]
        else:
            letters.append(sign)
    return re.sub(r"σ(?!\w)", "ς", unicodedata.normalize("NFC", "".join(letters)))


def as_greek(text: str) -> str:
    """Return a text, from beta code if it has words in that."""
    return from_beta_code(text) if text.isascii() and any(map(beta_code().fullmatch, text.split())) else text


def _letters_table(iota: str) -> dict[int, str]:
    """Return what small letters are without their marks: those with iota subscript as without it, or with an iota."""
    table = {ord(mark): "" for mark in (*_ACCENTS, *_BREATHINGS, _DIAERESIS)} | {ord(_IOTA): iota, ord("ς"): "σ"}
    for code in (*range(0x0386, 0x03CF), *range(0x1F00, 0x1FFD)):
        marked = unicodedata.normalize("NFD", chr(code).lower())
        if len(marked) > 1 and marked[0].isalpha():
            table[code] = marked[0] + (iota if _IOTA in marked else "")
    return table


_WITHOUT_IOTA, _WITH_IOTA = _letters_table(""), _letters_table("ι")


def _marks(form: str) -> tuple[frozenset[int], str]:
    """Return above which letters a form has accents, and its breathing."""
    accents: set[int] = set()
    breathing, letters = "", 0
    for sign in unicodedata.normalize("NFD", form):
        if sign in _ACCENTS:
            accents.add(letters)
        elif sign in _BREATHINGS:
            breathing = breathing or sign
        elif not unicodedata.combining(sign):
            letters += 1
    return frozenset(accents), breathing


def _with_marks_above(form: str) -> str:
    """Return a form whose first letter has the marks that stand before it."""
    before = before_capital().match(form)
    if before is None:
        return form
    marks = "".join(_SPACING[sign] for sign in before[0])
    return unicodedata.normalize("NFC", form[before.end()] + marks + form[before.end() + 1 :])


def _lacks_breathing(form: str) -> bool:
    """Whether a form begins with a vowel and has no breathing."""
    return form[0].lower() in _VOWELS + "άέήίόύώ" and not _marks(form)[1]
