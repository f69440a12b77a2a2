"""What a tokeniser does to a word before it is cut into pieces: normalisation, and a cut at spaces and punctuation.

The settings are those of `tokenizer.json`, as the package `tokenizers` reads them: `normalizer` and `pre_tokenizer`.
Those of BERT, of RoBERTa and GPT-2 (bytes), and of our own encoders are here; an `UnknownSettingError` says which is
not. Two tables of `tokenizers` are of Unicode 8: of characters that came later, marks are no accents and punctuation is
none there. O(characters).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Literal

Normalise = Callable[[str], str]
Cut = Callable[[str], list[str]]

#: Characters that BERT reads as words: ideographs, not kana or hangul.
_IDEOGRAPHS = re.compile(
    "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002ceaf\U0002f800-\U0002fa1f]"
)
_LINE_ENDS = "\t\n\r"
#: Of what white space is for Python, these are none for Unicode.
_SEPARATORS = "\x1c\x1d\x1e\x1f"
#: What English contracts, which GPT-2 cuts off.
_CONTRACTED = re.compile("'(?:s|t|re|ve|m|ll|d)")
_FORMS: dict[str, Literal["NFC", "NFD", "NFKC", "NFKD"]] = {"NFC": "NFC", "NFD": "NFD", "NFKC": "NFKC", "NFKD": "NFKD"}


class UnknownSettingError(Exception):
    """A setting of a tokeniser that is not here; its message names it."""


def normaliser(settings: Any) -> Normalise:
    """Return what the normalizer of a tokenizer.json does to a word."""
    if settings is None:
        return lambda word: word
    kind = _kind(settings, "normalizer")
    if kind == "Sequence":
        return _one_after_the_other([normaliser(each) for each in _members(settings, "normalizers")])
    if form := _FORMS.get(kind):
        return lambda word: word if word.isascii() else unicodedata.normalize(form, word)
    if kind == "Lowercase":
        return lowercased
    if kind == "StripAccents":
        return lambda word: _without(word, ("Mn", "Mc", "Me"))
    if kind == "Replace":
        return _replacing(settings)
    if kind == "BertNormalizer":
        return _of_bert(settings)
    raise UnknownSettingError(f"the normalizer {kind}")


def word_cutter(settings: Any) -> tuple[Cut, bool]:
    """Return what the pre_tokenizer of a tokenizer.json cuts a word into, and whether characters are bytes then."""
    if settings is None:
        return lambda word: [word] if word else [], False
    kind = _kind(settings, "pre_tokenizer")
    if kind == "BertPreTokenizer":
        return at_punctuation, False
    if kind == "WhitespaceSplit":
        return split_at_spaces, False
    if kind == "ByteLevel" and settings.get("use_regex", True) is True:
        return _of_gpt2, True
    raise UnknownSettingError(f"the pre_tokenizer {kind}")


def _kind(settings: Any, name: str) -> str:
    if not isinstance(settings, Mapping) or not isinstance(settings.get("type"), str):
        raise UnknownSettingError(f"a {name} without a type")
    return str(settings["type"])


def _members(settings: Mapping[str, Any], name: str) -> Sequence[Any]:
    members = settings.get(name)
    if not isinstance(members, list) or len(members) > 100:
        raise UnknownSettingError(f"a sequence without {name}")
    return members


def _one_after_the_other(steps: Sequence[Normalise]) -> Normalise:
    def normalise(word: str) -> str:
        for step in steps:
            word = step(word)
        return word

    return normalise


def _replacing(settings: Mapping[str, Any]) -> Normalise:
    pattern, content = settings.get("pattern"), settings.get("content")
    replaced = pattern.get("String") if isinstance(pattern, Mapping) else None
    if not isinstance(replaced, str) or not replaced or not isinstance(content, str):
        raise UnknownSettingError("the normalizer Replace with a pattern that is no text")
    return lambda word: word.replace(replaced, content)


# The normaliser of BERT


def _of_bert(settings: Mapping[str, Any]) -> Normalise:
    lower = settings.get("lowercase", True) is True
    strip = settings.get("strip_accents")
    steps: list[Normalise] = []
    if settings.get("clean_text", True):
        steps.append(_cleaned)
    if settings.get("handle_chinese_chars", True):
        steps.append(lambda word: word if word.isascii() else _IDEOGRAPHS.sub(r" \g<0> ", word))
    if lower if strip is None else strip:
        steps.append(_without_accents)
    if lower:
        steps.append(lowercased)
    return _one_after_the_other(steps)


def _cleaned(word: str) -> str:
    """Leave out control characters, and make every white space a space."""
    return word if word.isalnum() or (word.isascii() and word.isprintable()) else "".join(map(_clean_character, word))


@cache
def _clean_character(character: str) -> str:
    if character in _LINE_ENDS or (character.isspace() and unicodedata.category(character) != "Cc"):
        return " "
    unwanted = character in "\0\ufffd" or unicodedata.category(character) in ("Cc", "Cf", "Co", "Cs")
    return "" if unwanted else character


def _without_accents(word: str) -> str:
    return word if word.isascii() else _without(unicodedata.normalize("NFD", word), ("Mn",))


def _without(word: str, categories: tuple[str, ...]) -> str:
    return "".join(character for character in word if unicodedata.category(character) not in categories)


def lowercased(word: str) -> str:
    """Return a word in lower case, character by character: a sigma at its end is not treated apart."""
    return "".join(map(str.lower, word)) if "Σ" in word else word.lower()


# Cuts


def at_punctuation(word: str) -> list[str]:
    """Cut at white space and around each character that is punctuation, as BERT does."""
    if word.isalnum():
        return [word]
    parts = [""]
    for character in word:
        if _is_space(character):
            parts.append("")
        elif is_punctuation(character):
            parts += [character, ""]
        else:
            parts[-1] += character
    return [part for part in parts if part]


@cache
def is_punctuation(character: str) -> bool:
    """Whether a character is punctuation for BERT: of Unicode's categories P, or one of ASCII's symbols."""
    if character.isascii():
        return character.isprintable() and not character.isalnum() and character != " "
    return unicodedata.category(character)[0] == "P"


def split_at_spaces(word: str) -> list[str]:
    """Cut at white space."""
    return word.split() if not any(character in word for character in _SEPARATORS) else _split_slowly(word)


def _split_slowly(word: str) -> list[str]:
    spaced = "".join(" " if _is_space(character) else character for character in word)
    return [part for part in spaced.split(" ") if part]


def _is_space(character: str) -> bool:
    return character.isspace() and character not in _SEPARATORS


def _of_gpt2(word: str) -> list[str]:
    """Cut as GPT-2 does: what is contracted, letters, numbers and others apart, each with a space before it.

    A word has a space before it, wherever it stands.
    """
    text, parts, start = word if word[:1].isspace() else f" {word}", [], 0
    while start < len(text):
        end = _end_of_part(text, start)
        parts.append(text[start:end])
        start = end
    return parts


def _end_of_part(text: str, start: int) -> int:
    if contracted := _CONTRACTED.match(text, start):
        return contracted.end()
    first = start + 1 if text[start] == " " and start + 1 < len(text) and not _is_space(text[start + 1]) else start
    kind = _kind_of_character(text[first])
    end = first + 1
    while end < len(text) and _kind_of_character(text[end]) == kind:
        end += 1
    # The last of several spaces belongs to what follows, unless nothing does.
    return end - 1 if kind == "space" and end < len(text) and end - start > 1 else end


@cache
def _kind_of_character(character: str) -> str:
    if _is_space(character):
        return "space"
    category = unicodedata.category(character)[0]
    return category if category in "LN" else "other"
