"""Training data of segmenters as people write and paste texts: altered a little in every epoch.

Texts lack final stops, spaces after commas and capitals, and have line breaks where treebanks have none. They also have
what a treebank has seldom or never, and what a stop within a sentence must not end: abbreviations (a list is given for
each language), initials, numbers of lists, addresses, names of files and of people on the web, emoticons. O(tokens).

An abbreviation is given with what it stands beside, as in "Capt. X", "Fig. 1", "X et al." or "cf. x": X is a word with
a capital, x one without, 1 a number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from .boundaries import Paragraph
from .surface import SurfaceToken

#: How often each alteration is made: of sentences, tokens or paragraphs.
_NO_FINAL_STOP = 0.05
_NO_SPACE = 0.02
_LOWER_CASE = 0.05
_LINE_BREAKS = 0.1
_ABBREVIATION = 0.12
_SELDOM = 0.18
_ENOUGH_SENTENCES = 2000
_LINE = 72
_FINAL_STOPS = frozenset(".!?…。")

_SITES = ("example", "news", "my-site", "archive", "wiki", "shop24", "uni")
_DOMAINS = ("org", "com", "net", "edu", "de", "co.uk", "gov", "io")
_ENDINGS = ("txt", "pdf", "doc", "docx", "xls", "csv", "html", "py", "jpg", "png", "zip", "md")
_EMOTICONS = (":)", ":-)", ";-)", ":(", ":-(", ":D", ":P", ";)", "<3", ":-D", "^^", ":/")
_LETTERS = "ABCDEFGHIJKLMNOPRSTVWZ"
#: Pairs of marks that words stand between.
_PAIRS = tuple((pair[0], pair[1]) for pair in ("[]", "()", "{}", "“”", "‘’", '""', "«»", "„“", "**", "__"))
_MARKS = ("1", "2", "3", "4", "5", "a", "b", "c", "A", "B", "i", "ii", "iv", "10", "12")

Tokens = Sequence[SurfaceToken]
Value = TypeVar("Value")


class Abbreviation(NamedTuple):
    """The tokens of an abbreviation, and the kinds of words that must stand before and behind it, None for any."""

    tokens: tuple[str, ...]
    before: str | None
    behind: str | None

    @staticmethod
    def parse(text: str) -> Abbreviation:
        """Read an abbreviation with what it stands beside.

        >>> Abbreviation.parse("X et al.")
        Abbreviation(tokens=('et', 'al.'), before='X', behind=None)
        """
        words = text.split()
        kinds = [word if word in _KINDS else None for word in (words[0], words[-1])]
        inner = words[kinds[0] is not None : len(words) - (kinds[1] is not None)]
        return Abbreviation(tuple(inner), *kinds)


#: What stands beside an abbreviation.
_KINDS: dict[str, Callable[[str], bool]] = {
    "X": lambda word: word[0].isupper() and word[-1].isalpha(),
    "x": lambda word: word.isalpha() and word.islower(),
    "1": str.isdigit,
}


def altered(
    paragraph: Paragraph,
    random: np.random.Generator,
    abbreviations: Sequence[Abbreviation] = (),
    sentences: int = _ENOUGH_SENTENCES,
) -> Paragraph:
    """Return a paragraph as people type or paste it.

    `sentences`: how many the training data have; where they are few, what they lack would drown what they have.
    """
    share = min(1.0, sentences / _ENOUGH_SENTENCES)
    changed: list[Tokens] = []
    for tokens in paragraph:
        if random.random() < _NO_FINAL_STOP:
            tokens = _without_stop(tokens)
        tokens = _without_spaces(tokens, random)
        if abbreviations and random.random() < share * _ABBREVIATION:
            tokens = _with_abbreviation(tokens, abbreviations, random)
        if random.random() < share * _SELDOM:
            tokens = _drawn(_ALTERATIONS, random)(tokens, random)
        changed.append(tokens)
    if random.random() < _LOWER_CASE:
        changed = [[_lower(token) for token in tokens] for tokens in changed]
    return _in_lines(changed) if random.random() < _LINE_BREAKS else changed


def _without_stop(tokens: Tokens) -> Tokens:
    if len(tokens) < 3 or tokens[-1].text not in _FINAL_STOPS:
        return tokens
    return [*tokens[:-2], tokens[-2]._replace(spaces=tokens[-1].spaces or " ")]


def _without_spaces(tokens: Tokens, random: np.random.Generator) -> Tokens:
    return [
        token._replace(spaces="") if token.text in ",;:" and random.random() < _NO_SPACE else token for token in tokens
    ]


def _lower(token: SurfaceToken) -> SurfaceToken:
    lower = token.text.lower()
    # Some letters become two: characters would stand elsewhere.
    return token._replace(text=lower) if len(lower) == len(token.text) else token


def _in_lines(sentences: Paragraph) -> Paragraph:
    """Break lines where they become long."""
    column = 0

    def broken(token: SurfaceToken) -> SurfaceToken:
        nonlocal column
        column += len(token.text) + len(token.spaces)
        if column <= _LINE or token.spaces != " ":
            return token
        column = 0
        return token._replace(spaces="\n")

    return [[broken(token) for token in tokens] for tokens in sentences]


# What treebanks have seldom


def _token(text: str, spaces: str = " ") -> SurfaceToken:
    return SurfaceToken(text, (text,), spaces)


def _drawn(values: Sequence[Value], random: np.random.Generator) -> Value:
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


def _with_abbreviation(tokens: Tokens, known: Sequence[Abbreviation], random: np.random.Generator) -> Tokens:
    chosen = _drawn(known, random)
    gaps = _gaps(tokens, chosen.before, chosen.behind)
    if not gaps:
        return tokens
    return _inserted(tokens, _drawn(gaps, random), [_token(word) for word in chosen.tokens])


def _with_initials(tokens: Tokens, random: np.random.Generator) -> Tokens:
    gaps = _gaps(tokens, None, "X")
    if not gaps:
        return tokens
    initials = [_token(f"{_drawn(_LETTERS, random)}.") for _ in range(random.integers(1, 3))]
    return _inserted(tokens, _drawn(gaps, random), initials)


def _with_mark(tokens: Tokens, random: np.random.Generator) -> Tokens:
    """Begin a sentence with the number of a list: 1. or b) or (iv)."""
    mark, close = _drawn(_MARKS, random), _drawn(".)", random)
    opened = [_token("(", "")] if close == ")" and random.random() < 0.3 else []
    return [*opened, _token(mark, ""), _token(close), *tokens]


def _with_emoticon(tokens: Tokens, random: np.random.Generator) -> Tokens:
    last = tokens[-1]
    return [*tokens[:-1], last._replace(spaces=" "), _token(_drawn(_EMOTICONS, random), last.spaces or " ")]


def _with_address(tokens: Tokens, random: np.random.Generator) -> Tokens:
    """Put an address, a file or a name of the web in place of a word."""
    words = [
        index
        for index, token in enumerate(tokens)
        if index and token.spaces == " " and tokens[index - 1].spaces == " " and _KINDS["x"](token.text)
    ]
    if not words:
        return tokens
    index = _drawn(words, random)
    word, site = tokens[index].text, f"{_drawn(_SITES, random)}.{_drawn(_DOMAINS, random)}"
    new = (
        f"https://www.{site}/{word}",
        f"https://{site}/{word}?{word[0]}={random.integers(100)}&page={random.integers(10)}",
        f"http://{site}",
        f"www.{site}",
        f"{word}@{site}",
        f"{word}.{_drawn(_SITES, random)}@{site}",
        f"@{word}_{random.integers(100)}",
        f"@{word}",
        f"#{word}",
        f"{word}.{_drawn(_ENDINGS, random)}",
        f"{word}_{random.integers(10)}.{_drawn(_ENDINGS, random)}",
    )
    return [*tokens[:index], _token(_drawn(new, random)), *tokens[index + 1 :]]


def _with_final_name(tokens: Tokens, random: np.random.Generator) -> Tokens:
    """End a sentence with a word that looks like a name, or like an abbreviation that is none."""
    if len(tokens) < 3 or tokens[-1].text != "." or tokens[-2].spaces or not _KINDS["x"](tokens[-2].text):
        return tokens
    name = tokens[-2].text.title()[: random.integers(3, 8)]
    return [*tokens[:-2], _token(name, ""), tokens[-1]]


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
    (opening, closing), (begin, end) = _drawn(_PAIRS, random), _drawn(spans, random)
    inner = [*tokens[begin:end], tokens[end]._replace(spaces="")]
    return [*tokens[:begin], _token(opening, ""), *inner, _token(closing), *tokens[end + 1 :]]


def _with_dash(tokens: Tokens, random: np.random.Generator) -> Tokens:
    """Put a dash without spaces between two words."""
    gaps = [index for index, token in enumerate(tokens[:-1], 1) if token.spaces == " " and token.text[-1].isalpha()]
    if not gaps:
        return tokens
    index = _drawn(gaps, random)
    return [*tokens[: index - 1], tokens[index - 1]._replace(spaces=""), _token("—", ""), *tokens[index:]]


_ALTERATIONS = (
    *(_with_initials, _with_mark, _with_emoticon, _with_address, _with_address, _between_marks, _with_dash),
    *(_with_final_name, _with_final_name, _with_final_name),
)
