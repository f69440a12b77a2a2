"""How much room text takes: in cells of a terminal, and in ems of a sans-serif font.

There is no font library behind this: widths come from a small table and from Unicode's own properties, and are meant to
err on the wide side. Everything costs O(length of the text).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

from ..errors import clean as clean

_JOINER = "\u200d"
_EMOJI_STYLE = "\ufe0f"

#: Widths in ems, as in the Helvetica family; what is not listed goes by its category.
_EMS = {
    **dict.fromkeys("ijl'|‘’`", 0.24),
    **dict.fromkeys(" .,:;!/\\tfI[]·", 0.29),
    **dict.fromkeys('r()-{}"“”„°ι', 0.36),
    **dict.fromkeys("cksvxyzJ", 0.52),
    **dict.fromkeys("?$#+=<>~", 0.6),
    **dict.fromkeys("&wCDHNRUKGOQжшщюыфмωψφπΩ", 0.78),
    **dict.fromkeys("mMWЖШЩЮЫ@%", 0.92),
    **dict.fromkeys("—…→←↑↓", 1.0),
}
_EMS_OF_CATEGORY = {"Lu": 0.71, "Lt": 0.78, "Ll": 0.57, "Lm": 0.4, "Nd": 0.57, "Mc": 0.45, "Zs": 0.3, "Po": 0.45}
_OTHER_EMS = 0.66
#: Scripts with broader letters: Armenian, Tamil to Sinhala, Burmese, Georgian, Ethiopic, Khmer.
_EMS_OF_SCRIPT = (
    ("\u0530", "\u058f", 0.82),
    ("\u0b80", "\u0dff", 0.86),
    ("\u1000", "\u109f", 0.86),
    ("\u10a0", "\u10ff", 0.74),
    ("\u1200", "\u137f", 0.8),
    ("\u1780", "\u17ff", 0.76),
)
_WIDE_EMS = 1.02
_EMOJI_EMS = 1.3
_LARGE_SIGN_EMS = 1.1  # scripts beyond the first plane, such as cuneiform, have broad signs


def is_right_to_left(texts: Iterable[str]) -> bool:
    """Whether letters of right-to-left scripts outnumber the others."""
    balance = 0
    for text in texts:
        for character in text:
            direction = unicodedata.bidirectional(character)
            balance += (direction in ("R", "AL")) - (direction == "L")
    return balance > 0


def needs_shaping(text: str) -> bool:
    """Whether letters join, stack or change places on their way to the page: Arabic, Hebrew, the scripts of India, …"""
    return any(
        unicodedata.bidirectional(c) in ("R", "AL") or unicodedata.category(c) == "Mc" or "\u0900" <= c <= "\u109f"
        for c in text
    )


def for_terminals(text: str) -> str:
    """Change what would disturb the columns: marks that reorder the line, and a mark without a letter to sit on."""
    text = "".join(c for c in text if not ("\u202a" <= c <= "\u202e" or "\u2066" <= c <= "\u2069"))
    while text and unicodedata.category(text[0]) == "Cf":
        text = text[1:]
    return "◌" + text if text and _cells(text[0]) == 0 else text


def clusters(text: str) -> Iterator[tuple[str, int]]:
    """Split a text into what a terminal shows in one place, each with its width in cells (1 or 2).

    >>> [width for _, width in clusters("a猫")]
    [1, 2]
    """
    cluster, width = "", 0
    for character in text:
        added = _cells(character)
        if cluster and (added == 0 or _joins(cluster, character)):
            cluster += character
            if _is_flag_letter(character) or (character == _EMOJI_STYLE and _is_pictograph(cluster[0])):
                width = 2
            continue
        if cluster:
            yield cluster, max(1, width)
        cluster, width = character, added
    if cluster:
        yield cluster, max(1, width)


def cells(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(width for _, width in clusters(text))


def _cells(character: str) -> int:
    if "\u1160" <= character <= "\u11ff" or "\ud7b0" <= character <= "\ud7ff":
        return 0  # vowels and finals of a Hangul syllable written in pieces
    if unicodedata.category(character) in ("Mn", "Me", "Cf") and character != "\u00ad":
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _joins(cluster: str, character: str) -> bool:
    """Whether a character with a width of its own melts into what is before it: emoji sequences and flags."""
    if cluster[-1] == _JOINER:
        return _is_pictograph(cluster[0]) and _is_pictograph(character)
    if "\U0001f3fb" <= character <= "\U0001f3ff":
        return _is_pictograph(cluster[0])
    return _is_flag_letter(character) and len(cluster) == 1 and _is_flag_letter(cluster)


def _is_flag_letter(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _is_pictograph(character: str) -> bool:
    return unicodedata.category(character) == "So"


def shorten(text: str, width: int) -> str:
    """Cut a text to a number of cells, with "…" at the cut."""
    if cells(text) <= width:
        return text
    kept, used = "", 0
    for cluster, cluster_width in clusters(text):
        if used + cluster_width > width - 1:
            break
        kept, used = kept + cluster, used + cluster_width
    return kept + "…" if width > 0 else ""


@lru_cache(maxsize=10_000)
def ems(text: str) -> float:
    """Estimate the width of a text in ems.

    >>> ems("will") < ems("mama") < ems("猫猫猫猫")
    True
    """
    return sum(_cluster_ems(cluster, width) for cluster, width in clusters(text))


def _cluster_ems(cluster: str, width: int) -> float:
    first = cluster[0]
    if width == 2:
        return _EMOJI_EMS if _is_pictograph(first) else _WIDE_EMS
    base = unicodedata.normalize("NFD", first)[0]
    if base in _EMS:
        return _EMS[base]
    if base > "\uffff":
        return _EMOJI_EMS if _is_pictograph(base) else _LARGE_SIGN_EMS
    for first_letter, last_letter, width_in_ems in _EMS_OF_SCRIPT:
        if first_letter <= base <= last_letter and base.isalpha():
            return width_in_ems
    return _EMS_OF_CATEGORY.get(unicodedata.category(base), _OTHER_EMS)
