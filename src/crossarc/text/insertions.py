"""What a treebank has seldom or never, put into its sentences, so that segmenters learn it.

What a stop within a sentence must not end (abbreviations, of which a list is given for each language, initials, numbers
of lists, addresses, names of files and of people on the web), and what looks like it and ends a sentence; marks around
words and whole sentences, words joined by hyphens and dashes, emoticons, other currencies. O(tokens).

An abbreviation is given with what it stands beside, as in "Capt. X", "Fig. 1", "X et al." or "cf. x": X is a word with
a capital, x one without, 1 a number, and a stop is the end of a sentence, whose stop it is: "X Inc. .". Of a token of
several words, these are joined by +: "should+n't+'ve x".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

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
#: How many words are joined by hyphens at most, and how many stay of a sentence that is made short.
_MOST_JOINED, _MOST_SHORT = 4, 3

Tokens = Sequence[SurfaceToken]
Value = TypeVar("Value")


class Abbreviation(NamedTuple):
    """The tokens of an abbreviation, and the kinds of words that must stand before and behind it, None for any."""

    tokens: tuple[tuple[str, ...], ...]
    before: str | None
    behind: str | None

    @staticmethod
    def parse(text: str) -> Abbreviation:
        """Read an abbreviation with what it stands beside; its tokens are tuples of their words.

        >>> Abbreviation.parse("X et al.")
        Abbreviation(tokens=(('et',), ('al.',)), before='X', behind=None)
        """
        words = text.split()
        kinds = [word if word in _KINDS else None for word in (words[0], words[-1])]
        inner = words[kinds[0] is not None : len(words) - (kinds[1] is not None)]
        return Abbreviation(tuple(tuple(filter(None, word.split("+"))) for word in inner), *kinds)

    def surface(self) -> list[SurfaceToken]:
        """Return its tokens as they are written, with a space behind each."""
        return [SurfaceToken("".join(words), words, " ") for words in self.tokens]


#: What stands beside an abbreviation.
_KINDS: dict[str, Callable[[str], bool]] = {
    "X": lambda word: word[0].isupper() and word[-1].isalpha(),
    "x": lambda word: word.isalpha() and word.islower(),
    "1": str.isdigit,
    ".": lambda word: word == ".",
}


def with_abbreviation(tokens: Tokens, known: Sequence[Abbreviation], random: np.random.Generator) -> Tokens:
    """Put in one of the abbreviations, where it fits."""
    chosen = drawn(known, random)
    if chosen.behind == ".":
        return _ended(tokens, chosen)
    gaps = _gaps(tokens, chosen.before, chosen.behind)
    return _inserted(tokens, drawn(gaps, random), chosen.surface()) if gaps else tokens


def _ended(tokens: Tokens, abbreviation: Abbreviation) -> Tokens:
    """End a sentence with an abbreviation, whose stop is that of the sentence."""
    *rest, stop = tokens
    if len(rest) < 2 or stop.text != "." or rest[-1].spaces:
        return tokens
    if abbreviation.before is not None and not _KINDS[abbreviation.before](rest[-1].text):
        return tokens
    *new, last = abbreviation.surface()
    return [*rest[:-1], rest[-1]._replace(spaces=" "), *new, last._replace(spaces=stop.spaces)]


def with_insertion(tokens: Tokens, random: np.random.Generator) -> Tokens:
    """Put in something else that treebanks have seldom."""
    return drawn(_INSERTIONS, random)(tokens, random)


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


def _with_hyphens(tokens: Tokens, random: np.random.Generator) -> Tokens:
    """Join words by hyphens."""
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
    return [*tokens[:begin], *joined[:-1], joined[-1]._replace(spaces=tokens[end - 1].spaces), *tokens[end:]]


_INSERTIONS = (
    *(_with_initials, _with_mark, _with_emoticon, _with_address, _with_address, _between_marks, _with_dash),
    *(_with_final_name, _with_final_name, _with_final_name, _made_short, _made_short, _enclosed, _with_hyphens),
    *(_with_code, _with_currency),
)
