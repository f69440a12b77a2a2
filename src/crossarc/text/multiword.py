"""The words of multiword tokens: a dictionary of those that were seen, and rules of endings for the others.

A rule takes an ending off a token and puts words in its place: of `don't` → `do n't` the ending `n't` becomes nothing
and the word `n't`; of Portuguese `dele` → `de ele`, `le` becomes nothing and the word `ele`. Of the rules of an ending
the most frequent one is kept, and the longest ending that fits is taken. All apostrophes are alike, and stay as they
are written. O(tokens) to learn, O(length) to apply.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import CrossarcError, is_broken
from .surface import SurfaceToken

#: Characters before the ending that a rule may look at.
_CONTEXT = 2
_APOSTROPHES = str.maketrans("’ʼ᾽", "'''")


class MultiwordError(CrossarcError):
    """Rules that cannot be read."""


@dataclass(frozen=True)
class Expansions:
    """How tokens become words: whole tokens in lower case, and endings with what replaces them."""

    tokens: Mapping[str, tuple[str, ...]]
    #: Of an ending: what its part within the first word becomes, then the other words.
    endings: Mapping[str, tuple[int, tuple[str, ...]]]

    def __repr__(self) -> str:
        return f"<Expansions of {len(self.tokens)} tokens and {len(self.endings)} endings>"

    @classmethod
    def fit(cls, tokens: Iterable[SurfaceToken]) -> Expansions:
        """Learn from the multiword tokens among some tokens."""
        whole: defaultdict[str, Counter[tuple[str, ...]]] = defaultdict(Counter)
        parts: defaultdict[str, Counter[tuple[int, tuple[str, ...]]]] = defaultdict(Counter)
        for token in tokens:
            if len(token.words) < 2:
                continue
            text, words = _plain(token.text), tuple(map(_plain, token.words))
            whole[text][words] += 1
            shared = _shared(text, words[0])
            for before in range(min(_CONTEXT, shared) + 1):
                ending = text[shared - before :]
                if ending:
                    parts[ending][len(ending) - before, (words[0][shared:], *words[1:])] += 1
        return cls(
            {text: counts.most_common(1)[0][0] for text, counts in whole.items()},
            {ending: counts.most_common(1)[0][0] for ending, counts in parts.items()},
        )

    def words(self, token: str) -> tuple[str, ...]:
        """Return the words of a multiword token, in its own case where letters are the same; itself if unknown."""
        lower = _plain(token)
        if len(lower) != len(token):
            return (token,)
        if lower in self.tokens:
            return _in_case(self.tokens[lower], token)
        for start in range(len(lower)):
            rule = self.endings.get(lower[start:])
            if rule is None:
                continue
            cut, (first, *rest) = rule
            stem = lower[: len(lower) - cut] + first
            if stem and all(rest):
                return _in_case((stem, *rest), token)
        return (token,)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for a model file."""
        return {
            "tokens": {text: list(words) for text, words in self.tokens.items()},
            "endings": {ending: [cut, *words] for ending, (cut, words) in self.endings.items()},
        }

    @classmethod
    def from_dict(cls, data: Any) -> Expansions:
        """Make them again from what `to_dict` gave."""
        try:
            tokens = {_plain(text): tuple(map(_plain, words)) for text, words in data["tokens"].items()}
            rules = {_plain(ending): rule for ending, rule in data["endings"].items()}
            endings = {ending: (int(cut), tuple(map(_plain, words))) for ending, (cut, *words) in rules.items()}
        except (TypeError, KeyError, ValueError, IndexError, AttributeError) as error:
            raise MultiwordError("the expansions of multiword tokens are damaged") from error
        every = [word for words in (*tokens.values(), *(words for _, words in endings.values())) for word in words]
        filled = all(map(all, tokens.values())) and all(all(words[1:]) for _, words in endings.values())
        together = "".join(every)
        if not filled or any(mark in together for mark in "\t\n\r\0") or is_broken(together):
            raise MultiwordError("a word of a multiword token cannot stand in a column")
        if any(len(words) < 2 for words in tokens.values()) or any(
            not 0 <= cut <= len(ending) or len(words) < 2 for ending, (cut, words) in endings.items()
        ):
            raise MultiwordError("a multiword token has at least two words")
        return cls(tokens, endings)


def _plain(text: str) -> str:
    """Return a text in lower case and with one kind of apostrophe."""
    lower = text.lower()
    return lower if lower.isascii() else lower.translate(_APOSTROPHES)


def _shared(first: str, second: str) -> int:
    """Return how many characters two texts begin with in common."""
    count = 0
    while count < min(len(first), len(second)) and first[count] == second[count]:
        count += 1
    return count


def _in_case(words: Sequence[str], token: str) -> tuple[str, ...]:
    """Give words the capitals of the token that they stand for."""
    upper = token.isupper() and len(token) > 1
    found, place, lower = [], 0, _plain(token)
    for word in words:
        # What is written of a word keeps its letters; a word that is not written so begins as the token does.
        if lower.startswith(word, place):
            found.append(token[place : place + len(word)])
            place += len(word)
        elif upper:
            found.append(word.upper())
        elif place == 0 and token[:1].isupper():
            found.append(word[:1].upper() + word[1:])
            place += _shared(lower, word)
        else:
            found.append(word)
    return tuple(found)
