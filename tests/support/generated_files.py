"""Treebank files made up at random: everything the formats allow, valid by construction.

One generator for two sources of chance: `random.Random`, which is quick, and hypothesis' own, which finds the smallest
file that fails.
"""

from __future__ import annotations

import unicodedata
from random import Random

# Most values are chosen from these: lengths around 8, 16 and 64 bytes, several scripts, what looks like other columns
# or like the marks of the format.
_KNOWN = (
    [*("_", "a", "NOUN", "A=1|B=2", "2:nsubj", "1-2", "1.1", "#", "0", "__", "|", "\u00a0", "é", "\U0001f600")]
    + ["x" * length for length in (7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 200)]
    + ["ж" * 8, "ж" * 9, "日本語のテキスト", "ἐν ἀρχῇ".replace(" ", "\u2009"), "e\u0301" * 6, "\x1b[0m", "\u2028"]
)
# The last code point of one, two, three and four bytes in UTF-8.
_LAST = (0x7F, 0x7FF, 0xFFFF, 0x10FFFF)


def _letter(chance: Random) -> str:
    """Anything but tabs, line ends, NUL, spaces and surrogates."""
    letter = chr(chance.randint(1, chance.choice(_LAST)))
    return "a" if letter in "\t\n\r " or unicodedata.category(letter) == "Cs" else letter


def _value(chance: Random) -> str:
    if chance.randint(0, 3):
        return chance.choice(_KNOWN)
    return "".join(_letter(chance) for _ in range(chance.randint(1, 20)))


def _spaced(chance: Random) -> str:
    """A value that may have a space inside."""
    return _value(chance) if chance.randint(0, 1) else f"{_value(chance)} {_value(chance)}"


def _comment(chance: Random) -> str:
    return "#" + "".join(
        chance.choice(" \t") if chance.randint(0, 4) == 0 else _letter(chance) for _ in range(chance.randint(0, 30))
    )


def _heads(chance: Random, words: int, single_root: bool) -> list[int]:
    """A random tree: words are attached in a random order, each to one that is in the tree already."""
    order = list(range(1, words + 1))
    chance.shuffle(order)
    result = [0] * words
    for place, word in enumerate(order):
        if place:
            result[word - 1] = chance.choice(order[:place] if single_root else [0, *order[:place]])
    return result


def _enhanced(chance: Random, words: int) -> str:
    if chance.randint(0, 1):
        return "_"
    heads = [f"{chance.randint(0, words)}{chance.choice(['', '.1'])}" for _ in range(chance.randint(1, 3))]
    return "|".join(f"{head}:{''.join(chance.choices('aβжZÉ', k=chance.randint(1, 6)))}" for head in heads)


def _sentence(chance: Random, format: str) -> list[str]:
    """The lines of a sentence."""
    words = chance.randint(1, 8)
    tree = _heads(chance, words, format == "conllu") if chance.randint(0, 1) else None
    lines = [_comment(chance) for _ in range(chance.randint(0, 3))]
    inside = 0
    for word in range(1, words + 1):
        if format == "conllu" and word > inside and chance.randint(0, 5) == 0:
            inside = chance.randint(word, words)
            lines.append("\t".join([f"{word}-{inside}", _spaced(chance), *7 * "_", _spaced(chance)]))
        tags = [_value(chance) for _ in range(3)]
        head = "_" if tree is None else str(tree[word - 1])
        if format == "conllu":
            last = [_enhanced(chance, words), _spaced(chance)]
        else:
            last = [chance.choice(["_", str(chance.randint(0, words))]), _value(chance)]
        lines.append("\t".join([str(word), _spaced(chance), _spaced(chance), *tags, head, _value(chance), *last]))
        if format == "conllu" and chance.randint(0, 7) == 0:
            lines.append("\t".join([f"{word}.1", _spaced(chance), *6 * "_", "0:root", "_"]))
    return lines


def generated_file(chance: Random) -> tuple[str, bytes]:
    """A format and a file in it."""
    format = chance.choice(["conllu", "conllx"])
    line_end = chance.choice(["\n", "\r\n"])
    sentences = [_sentence(chance, format) for _ in range(chance.randint(0, 4))]
    text = "\ufeff" if chance.randint(0, 4) == 0 else ""
    text += line_end * chance.choice([0, 0, 0, 1, 2])
    for place, lines in enumerate(sentences):
        text += line_end.join(lines)
        last = place + 1 == len(sentences)
        text += line_end * chance.choice([0, 1, 2, 3] if last else [2, 2, 2, 3])
    return format, text.encode("utf-8")
