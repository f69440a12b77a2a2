"""What a treebank has seldom or never, put into its sentences, so that segmenters learn it.

What a stop within a sentence must not end (abbreviations, of which a list is given for each language, initials, numbers
of lists, addresses, names of files and of people on the web), and what looks like it and ends a sentence; marks around
words and whole sentences, words joined by hyphens and dashes, emoticons, other currencies. O(tokens).

An abbreviation is given with what it stands beside, as in "Capt. X", "Fig. 1", "X et al." or "cf. x": X is a word with
a capital, x one without, 1 a number, and a stop is the end of a sentence, whose stop it is: "X Inc. .". Of a token of
several words, these are joined by +: "should+n't+'ve x". Where the stop is a token, tokens without a space between them
are joined by ~: "napr~. x". Treebanks with few names and numbers have few places for such: with "Capt. +X" and
"Fig. +1" a name or a number is put in, too, at the beginning of a sentence, within it or before its stop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np

from .boundaries import Paragraph
from .surface import SurfaceToken

_SITES = ("example", "news", "my-site", "archive", "wiki", "shop24", "uni")
_DOMAINS = ("org", "com", "net", "edu", "de", "co.uk", "gov", "io")
_ENDINGS = ("txt", "pdf", "doc", "docx", "xls", "csv", "html", "py", "jpg", "png", "zip", "md")
_EMOTICONS = (":)", ":-)", ";-)", ":(", ":-(", ":D", ":P", ";)", "<3", ":-D", "^^", ":/")
_LETTERS = "ABCDEFGHIJKLMNOPRSTVWZ"
_CURRENCIES = ("£", "€", "¥", "$")
#: Pairs of marks that words stand between.
_PAIRS = tuple((pair[0], pair[1]) for pair in ("[]", "()", "{}", "“”", "‘’", '""', "«»", "„“", "**", "__"))
#: Pairs of marks that whole sentences stand between, and those of speech.
_ENCLOSING, _QUOTATION = _PAIRS[:2], _PAIRS[3:6]
_MARKS = ("1", "2", "3", "4", "5", "a", "b", "c", "A", "B", "i", "ii", "iv", "10", "12")
#: How often an abbreviation with what stands beside it begins or ends a sentence, and the numbers beside it.
_AT_BEGINNING, _AT_END, _MOST_NUMBERED = 0.25, 0.2, 300
_FINAL = (".", "!", "?", ";")
#: How many words are joined by hyphens at most, and how many stay of a sentence that is made short.
_MOST_JOINED, _MOST_SHORT = 4, 3

Tokens = Sequence[SurfaceToken]
Value = TypeVar("Value")


class Habits(NamedTuple):
    """What is put in goes by what training data have."""

    #: Words with a capital within sentences.
    names: Sequence[str] = ()
    #: Whether words that hyphens join are one token more often than several.
    whole_hyphens: bool = False

    @staticmethod
    def of(sentences: Iterable[Tokens]) -> Habits:
        """Return those of sentences."""
        names: set[str] = set()
        whole = apart = 0
        for tokens in sentences:
            names.update(word.text for word in tokens[2:] if _KINDS["X"](word.text) and not word.text.isupper())
            whole += sum("-" in word.text[1:-1] and word.text.replace("-", "").isalpha() for word in tokens)
            apart += sum(word.text == "-" and not before.spaces + word.spaces for before, word in pairwise(tokens))
        return Habits(sorted(names), whole > apart)


#: Those of a text that has no names and cuts what hyphens join.
NO_HABITS = Habits()


class Abbreviation(NamedTuple):
    """The tokens of an abbreviation, and the kinds of words that must stand before and behind it, None for any."""

    tokens: tuple[SurfaceToken, ...]
    before: str | None
    behind: str | None

    @staticmethod
    def parse(text: str) -> Abbreviation:
        """Read an abbreviation with what it stands beside.

        >>> Abbreviation.parse("X et al.")
        Abbreviation(tokens=(SurfaceToken(text='et', words=('et',), spaces=' '), \
SurfaceToken(text='al.', words=('al.',), spaces=' ')), before='X', behind=None)
        """
        written = text.split() or [""]
        kinds = [word if word in _KINDS or word in _PUT_IN else None for word in (written[0], written[-1])]
        inner = written[kinds[0] is not None : len(written) - (kinds[1] is not None)]
        return Abbreviation(tuple(each for joined in inner for each in _joined(joined)), *kinds)

    @property
    def can_be_put_in(self) -> bool:
        """Whether it has letters, and a word of the text before it where it ends a sentence."""
        written = bool(self.tokens) and all(token.text for token in self.tokens)
        return written and not (self.behind == "." and self.before in _PUT_IN)


def _joined(text: str) -> Iterator[SurfaceToken]:
    """Yield tokens with no spaces between them, of one word or several."""
    *attached, last = (tuple(filter(None, part.split("+"))) for part in text.split("~"))
    for words in attached:
        yield SurfaceToken("".join(words), words, "")
    yield SurfaceToken("".join(last), last, " ")


#: What stands beside an abbreviation.
_KINDS: dict[str, Callable[[str], bool]] = {
    "X": lambda word: word[0].isupper() and word[-1].isalpha(),
    "x": lambda word: word.isalpha() and word.islower(),
    "1": str.isdigit,
    ".": lambda word: word == ".",
}
#: What is put in beside it.
_PUT_IN = ("+X", "+1")


def with_abbreviation(
    tokens: Tokens, known: Sequence[Abbreviation], random: np.random.Generator, names: Sequence[str] = ()
) -> Tokens:
    """Put in one of the abbreviations, where it fits; `names`: those that may stand beside it."""
    chosen = drawn(known, random)
    if chosen.behind == ".":
        return _ended(tokens, chosen)
    if chosen.before in _PUT_IN or chosen.behind in _PUT_IN:
        return _put_in(tokens, chosen, random, names) if names or "+X" not in chosen else tokens
    gaps = _gaps(tokens, chosen.before, chosen.behind)
    return _inserted(tokens, drawn(gaps, random), chosen.tokens) if gaps else tokens


def with_whole_abbreviations(paragraphs: Iterable[Paragraph], known: Iterable[str]) -> Iterator[Paragraph]:
    """Yield paragraphs in which abbreviations are one token each where a list has them so and a treebank varies.

    Latin *L.* is two tokens in some texts and one in others. The stop of a sentence stays.
    """
    whole = {word.text for text in known for word in Abbreviation.parse(text).tokens if word.text[-1:] == "."}

    def joined(tokens: Tokens) -> Iterator[SurfaceToken]:
        number = 0
        while number < len(tokens):
            word, text = tokens[number], tokens[number].text + "."
            if not word.spaces and text in whole and [each.text for each in tokens[number + 1 : -1][:1]] == ["."]:
                number += 1
                word = token(text, tokens[number].spaces)
            yield word
            number += 1

    for paragraph in paragraphs:
        yield [list(joined(tokens)) for tokens in paragraph]


def _put_in(tokens: Tokens, abbreviation: Abbreviation, random: np.random.Generator, names: Sequence[str]) -> Tokens:
    """Put in an abbreviation with a name or a number beside it: first in a sentence, within it or before its stop."""

    def company(kind: str | None) -> list[SurfaceToken]:
        if kind not in _PUT_IN:
            return []
        return [token(drawn(names, random) if kind == "+X" else str(random.integers(1, _MOST_NUMBERED)))]

    def fits(kind: str | None, word: SurfaceToken) -> bool:
        return kind is None or kind in _PUT_IN or _KINDS[kind](word.text)

    _, before, behind = abbreviation
    new = [*company(before), *abbreviation.tokens, *company(behind)]
    first, *rest = tokens
    begin = first if first.text in names else first._replace(text=first.text.lower())
    if random.random() < _AT_BEGINNING and before in (None, "+X") and fits(behind, begin):
        return [*new, begin, *rest]
    if random.random() < _AT_END and behind in _PUT_IN and rest and rest[-1].text in _FINAL:
        last, stop = tokens[-2:]
        if not last.spaces and fits(before, last):
            return [*tokens[:-2], last._replace(spaces=" "), *new[:-1], new[-1]._replace(spaces=""), stop]
    gaps = [
        index
        for index, (left, right) in enumerate(pairwise(tokens), 1)
        if left.spaces == " " and fits(before, left) and fits(behind, right)
    ]
    return _inserted(tokens, drawn(gaps, random), new) if gaps else tokens


def _ended(tokens: Tokens, abbreviation: Abbreviation) -> Tokens:
    """End a sentence with an abbreviation, whose stop is that of the sentence."""
    *rest, stop = tokens
    if len(rest) < 2 or stop.text != "." or rest[-1].spaces:
        return tokens
    if abbreviation.before is not None and not _KINDS[abbreviation.before](rest[-1].text):
        return tokens
    *new, last = abbreviation.tokens
    return [*rest[:-1], rest[-1]._replace(spaces=" "), *new, last._replace(spaces=stop.spaces)]


def with_insertion(tokens: Tokens, random: np.random.Generator, *, whole_hyphens: bool = False) -> Tokens:
    """Put in something else that treebanks have seldom; `whole_hyphens`: words that hyphens join are one token."""
    insertion = drawn(_INSERTIONS, random)
    if insertion is _with_hyphens:
        return _with_hyphens(tokens, random, whole=whole_hyphens)
    return insertion(tokens, random)


def token(text: str, spaces: str = " ") -> SurfaceToken:
    """Return a token of one word."""
    return SurfaceToken(text, (text,), spaces)


def drawn(values: Sequence[Value], random: np.random.Generator) -> Value:
    """Return any of some values."""
    return values[int(random.integers(len(values)))]


def _gaps(tokens: Tokens, before: str | None, behind: str | None) -> list[int]:
    """Return the tokens before which something may stand: a space is there, and fitting words are on both sides.

    The first word of a sentence has a capital whatever it is; it counts only before another such word.
    """
    gaps = []
    for index in range(len(tokens)):
        last, this = tokens[index - 1] if index else None, tokens[index]
        if last is not None and last.spaces != " ":
            continue
        if behind is not None and not _KINDS[behind](this.text):
            continue
        if index == 0 and (behind != "X" or len(tokens) < 2 or not _KINDS["X"](tokens[1].text)):
            continue
        if before is not None and (last is None or index == 1 or not _KINDS[before](last.text)):
            continue
        gaps.append(index)
    return gaps


def _inserted(tokens: Tokens, index: int, new: Sequence[SurfaceToken]) -> Tokens:
    return [*tokens[:index], *new, *tokens[index:]]


def _words(tokens: Tokens) -> list[int]:
    """Return the words in small letters that have spaces on both sides."""
    return [
        index
        for index, word in enumerate(tokens)
        if index and word.spaces == " " and tokens[index - 1].spaces == " " and _KINDS["x"](word.text)
    ]


def _replaced(tokens: Tokens, random: np.random.Generator, new: Callable[[str], SurfaceToken]) -> Tokens:
    """Put a new token in place of a word in small letters."""
    words = _words(tokens)
    if not words:
        return tokens
    index = drawn(words, random)
    return [*tokens[:index], new(tokens[index].text), *tokens[index + 1 :]]


def _with_initials(tokens: Tokens, random: np.random.Generator) -> Tokens:
    gaps = _gaps(tokens, None, "X")
    if not gaps:
        return tokens
    letters = [f"{drawn(_LETTERS, random)}." for _ in range(random.integers(1, 4))]
    initials = [token("".join(letters))] if random.random() < 0.3 else [token(letter) for letter in letters]
    return _inserted(tokens, drawn(gaps, random), initials)


def _with_mark(tokens: Tokens, random: np.random.Generator) -> Tokens:
    """Begin a sentence with the number of a list: 1. or b) or (iv)."""
    mark, close = drawn(_MARKS, random), drawn(".)", random)
    opened = [token("(", "")] if close == ")" and random.random() < 0.3 else []
    return [*opened, token(mark, ""), token(close), *tokens]


def _with_emoticon(tokens: Tokens, random: np.random.Generator) -> Tokens:
    last = tokens[-1]
    return [*tokens[:-1], last._replace(spaces=" "), token(drawn(_EMOTICONS, random), last.spaces or " ")]


def _with_address(tokens: Tokens, random: np.random.Generator) -> Tokens:
    """Put an address, a file or a name of the web in place of a word."""
    site, ending = f"{drawn(_SITES, random)}.{drawn(_DOMAINS, random)}", drawn(_ENDINGS, random)

    def new(word: str) -> SurfaceToken:
        addresses = (
            f"https://www.{site}/{word}",
            f"https://{site}/{word}?{word[0]}={random.integers(100)}&page={random.integers(10)}",
            f"http://{site}",
            f"www.{site}",
            f"{word}@{site}",
            f"{word}.{drawn(_SITES, random)}@{site}",
            f"@{word}_{random.integers(100)}",
            f"@{word}",
            f"#{word}",
            f"{word}.{ending}",
            f"{word}_{random.integers(10)}.{ending}",
            f"/{drawn(_SITES, random)}/{word}/{drawn(_SITES, random)}.{ending}",
            f"/{word}/{drawn(_SITES, random)}",
            f"/{drawn(_SITES, random)}/{word}/{word}",
            f"C:\\{word.title()}\\{drawn(_SITES, random)}.{ending}",
        )
        return token(drawn(addresses, random))

    return _replaced(tokens, random, new)


def _with_code(tokens: Tokens, random: np.random.Generator) -> Tokens:
    """Put a date, a version or letters joined by & in place of a word."""
    numbers = [int(random.integers(1, 13)) for _ in range(3)]
    codes = (
        f"{random.integers(1900, 2030)}-{numbers[0]:02}-{numbers[1]:02}",
        f"v{numbers[0]}.{numbers[1]}",
        f"{numbers[0]}.{numbers[1]}.{numbers[2]}",
        f"{drawn(_LETTERS, random)}&{drawn(_LETTERS, random)}",
        f"{drawn(_LETTERS, random)}&{drawn(_LETTERS, random)}",
    )
    return _replaced(tokens, random, lambda word: token(drawn(codes, random)))


def _with_currency(tokens: Tokens, random: np.random.Generator) -> Tokens:
    """Put the sign of a currency before a number, or in place of another one."""
    signs = [index for index, sign in enumerate(tokens) if sign.text == "$"]
    if signs:
        index = drawn(signs, random)
        sign = token(drawn(_CURRENCIES, random), tokens[index].spaces)
        return [*tokens[:index], sign, *tokens[index + 1 :]]
    numbers = [index for index in _gaps(tokens, None, "1") if tokens[index].spaces]
    return _inserted(tokens, drawn(numbers, random), [token(drawn(_CURRENCIES, random), "")]) if numbers else tokens


def _with_final_name(tokens: Tokens, random: np.random.Generator) -> Tokens:
    """End a sentence with a word that looks like a name, or like an abbreviation that is none."""
    if len(tokens) < 3 or tokens[-1].text != "." or tokens[-2].spaces or not _KINDS["x"](tokens[-2].text):
        return tokens
    name = tokens[-2].text.title()[: random.integers(3, 8)]
    return [*tokens[:-2], token(name, ""), tokens[-1]]


def _made_short(tokens: Tokens, random: np.random.Generator) -> Tokens:
    """Leave of a sentence its beginning, one of its words and its stop: short ones end with words of all kinds."""
    words = [index for index in _words(tokens) if len(tokens[index].text) > 2]
    if len(tokens) < 4 or tokens[-1].text not in (".", "!", "?") or not words:
        return tokens
    kept = [*tokens[: int(random.integers(1, _MOST_SHORT))]]
    if any(not word.spaces for word in kept):
        return tokens
    return [*kept, tokens[drawn(words, random)]._replace(spaces=""), tokens[-1]]


def _between_marks(tokens: Tokens, random: np.random.Generator) -> Tokens:
    """Put a word, or some, between two marks, as editors and quotations do: [they're], ‘can’t’, *never*."""
    begins = [index for index in range(len(tokens) - 1) if index == 0 or tokens[index - 1].spaces]
    spans = [
        (begin, end)
        for begin in begins
        for end in range(begin, min(begin + 5, len(tokens) - 1))
        if tokens[end].spaces == " "
    ]
    if not spans:
        return tokens
    (opening, closing), (begin, end) = drawn(_PAIRS, random), drawn(spans, random)
    inner = [*tokens[begin:end], tokens[end]._replace(spaces="")]
    return [*tokens[:begin], token(opening, ""), *inner, token(closing), *tokens[end + 1 :]]


def _enclosed(tokens: Tokens, random: np.random.Generator) -> Tokens:
    """Put a whole sentence, with its stop, between two marks."""
    last = tokens[-1]
    opening, closing = drawn(_ENCLOSING, random)
    return [token(opening, ""), *tokens[:-1], last._replace(spaces=""), token(closing, last.spaces or " ")]


def with_speech(speech: Tokens, following: Tokens, random: np.random.Generator) -> Tokens:
    """Return one sentence of two: “Where is it?” the other one goes on in small letters."""
    opening, closing = drawn(_QUOTATION, random)
    *words, stop = speech
    if stop.text == ".":
        stop = token(",", "")
    first = following[0]
    if len(first.text) > 1:  # I stays
        first = first._replace(text=first.text.lower())
    return [token(opening, ""), *words, stop._replace(spaces=""), token(closing), first, *following[1:]]


def _with_dash(tokens: Tokens, random: np.random.Generator) -> Tokens:
    """Put a dash without spaces between two words."""
    gaps = [index for index, word in enumerate(tokens[:-1], 1) if word.spaces == " " and word.text[-1].isalpha()]
    if not gaps:
        return tokens
    index = drawn(gaps, random)
    return [*tokens[: index - 1], tokens[index - 1]._replace(spaces=""), token("—", ""), *tokens[index:]]


def _with_hyphens(tokens: Tokens, random: np.random.Generator, *, whole: bool = False) -> Tokens:
    """Join words by hyphens, to one token or several."""
    words = _words(tokens)
    if not words:
        return tokens
    begin = drawn(words, random)
    end = begin + 1
    while end < len(tokens) - 1 and end - begin < random.integers(1, _MOST_JOINED) and tokens[end].text[0].isalpha():
        if tokens[end].spaces != " ":
            break
        end += 1
    if end == begin + 1:
        return tokens
    joined = [part for word in tokens[begin:end] for part in (word._replace(spaces=""), token("-", ""))][:-1]
    if whole:
        joined = [token("".join(part.text for part in joined))]
    return [*tokens[:begin], *joined[:-1], joined[-1]._replace(spaces=tokens[end - 1].spaces), *tokens[end:]]


_INSERTIONS = (
    *(_with_initials, _with_mark, _with_emoticon, _with_address, _with_address, _between_marks, _with_dash),
    *(_with_final_name, _with_final_name, _with_final_name, _made_short, _made_short, _enclosed, _with_hyphens),
    *(_with_code, _with_currency),
)
