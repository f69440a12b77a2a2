"""Texts in composed form (NFC), with the places of what was written: é is one character however it is written.

A segmenter reads the composed form, so that texts in NFC and NFD are cut alike, and tokens are then taken from what was
written. Nothing is cut between a character and what belongs to it: combining marks, variation selectors, skin tones,
and what a zero-width joiner joins. O(characters).
"""

from __future__ import annotations

import unicodedata

import numpy as np

from .._arrays import Flags, Offsets, different
from .alphabet import Codes, CodeTable, codes_of, is_space

_JOINER = 0x200D
_FIRST_JAMO, _LAST_JAMO = 0x1160, 0x11FF  # vowels and finals, which become a syllable with what stands before
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_TAGS = range(0xE0020, 0xE0080)
#: No sign has more characters: a text of nothing but combining marks is cut somewhere.
_LONGEST = 64


def _belongs_to_the_one_before(code: int) -> bool:
    jamo = _FIRST_JAMO <= code <= _LAST_JAMO
    return jamo or code == _JOINER or code in _SKIN_TONES or code in _TAGS or unicodedata.category(chr(code))[0] == "M"


_BELONGS = CodeTable(_belongs_to_the_one_before, np.uint8)


def belongs(codes: Codes) -> Flags:
    """Return which characters belong to the one before them; nothing belongs to a space, nor a space to anything."""
    found: Flags = _BELONGS.values(codes).astype(bool)
    found[1:] |= codes[:-1] == _JOINER
    space = is_space(codes)
    found &= ~space
    found[1:] &= ~space[:-1]
    return found


def composed(text: str) -> tuple[str, Offsets]:
    """Return a text in composed form, and for each of its characters where it begins in what was written."""
    if text.isascii():
        return text, np.arange(len(text))
    starts = np.append(0, np.flatnonzero(~belongs(codes_of(text))[1:]) + 1)
    long = np.flatnonzero(np.diff(starts, append=len(text)) > _LONGEST).tolist()
    if not long and unicodedata.is_normalized("NFC", text):
        return text, np.arange(len(text))
    ends = np.append(starts[1:], len(text))
    starts = different(np.concatenate([starts, *(np.arange(starts[one], ends[one], _LONGEST) for one in long)]))
    places = starts.tolist()
    parts = [
        unicodedata.normalize("NFC", text[start:end])
        for start, end in zip(places, [*places[1:], len(text)], strict=True)
    ]
    return "".join(parts), np.repeat(starts, [len(part) for part in parts])


def last_whole(text: str) -> int:
    """Return where the last sign of a text begins, to which more may belong that comes next."""
    begin = max(0, len(text) - _LONGEST)
    later = belongs(codes_of(text[begin:]))
    # What the first of these characters belongs to is not seen, unless the text begins with it: then to nothing.
    later[:1] = begin > 0
    begins = np.flatnonzero(~later)
    return begin + int(begins[-1]) if len(begins) else len(text)
