"""Where tokens and sentences of a text end: what a model says of its characters, and what holds whatever it says.

Every character has a class: a token ends with it, or a sentence, or neither; a token that ends may be of several words.
A boundary model gives the probabilities of classes. Whatever these are, empty lines end sentences, addresses of web
pages and mail and numbers as 1,234.50 are one token, a Greek word with a hyphen at the end of a line goes on in the
next one, and tokens and sentences are bounded. A stop, a comma or a closing bracket behind an address is not part of
it, unless the bracket closes one within. What training data never do is not done: no token ends between two letters,
or on one side of a hyphen only, where theirs do not. Every pattern looks at a bounded number of characters, and only
where a sign of what it is for stands, so that no text takes long. O(characters).

Training data are the texts of a treebank with their gold classes, altered a little in every epoch (`alterations`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, zip_longest
from typing import NamedTuple, Protocol

import numpy as np

from .._arrays import Flags, Floats, Ids, Offsets, different
from .surface import SurfaceToken
from .unicode import CodePoints, belongs, code_points, is_letter, is_letter_or_digit, is_space
from .words import BROKEN_WORD, Segmentation

INSIDE, TOKEN, SENTENCE, MULTIWORD, MULTIWORD_SENTENCE = range(5)
CLASSES = 5
SENTENCE_ENDS = (SENTENCE, MULTIWORD_SENTENCE)
_SEVERAL_WORDS = (MULTIWORD, MULTIWORD_SENTENCE)

#: No token has more characters.
MOST_CHARACTERS = 4096
#: No sentence has more characters: a line of CoNLL-U is at most a megabyte long.
LONGEST_SENTENCE = 1 << 16
#: What may stand within a token.
_JOINING_SPACES = [ord(space) for space in "\u0020\u00a0\u2009\u202f"]

_PAGE = re.compile(r"(?:https?://|www\.)[^\s\0<>\"]{0,2000}[^\s\0<>\".,;:!?)\]}'’»”…]")
_PAGE_SIGNS = ("http://", "https://", "www.")
_MAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){0,8}\.\w{2,64}")
_NOT_MAIL = re.compile(r"[^\w.+-]")
_LONGEST_NAME = 64
_NUMBER = re.compile(r"\d{1,64}(?:[.,:]\d{1,64}){1,64}")
#: The threshold with which the most probable class alone says where sentences end.
MOST_PROBABLE = 0.5
#: The share of pairs of letters between which slips of the pen end tokens.
_FEW_CUTS = 3e-4
#: Hyphens and slashes; how many of those that stand alone must be known, and how many for each with one end only.
_JOINTS = [ord(sign) for sign in "-/\u2010\u2013"]
_FEWEST_JOINTS, _EVEN_JOINTS = 20, 25
_EMPTY_LINE = re.compile(r"\n[^\S\n]*\n|\u2029")


class BoundaryModel(Protocol):
    """What says of characters whether tokens and sentences end with them."""

    @property
    def characters(self) -> str:
        """The characters that the training data had often enough."""

    @property
    def inner_spaces(self) -> bool:
        """Whether tokens may have single spaces in them."""

    @property
    def whole_words(self) -> bool:
        """Whether no token ends between two letters."""

    @property
    def even_joints(self) -> bool:
        """Whether tokens end on both sides of a hyphen or slash between letters or digits, or on neither."""

    @property
    def most_words(self) -> int:
        """No sentence gets more words."""

    @property
    def sentence_threshold(self) -> float:
        """A sentence ends where that is more probable than this, and where it is the most probable class."""

    @property
    def step(self) -> int:
        """The characters that are read together: probabilities are computed from multiples of it on."""

    @property
    def context(self) -> int:
        """The characters on either side that it looks at."""

    def probabilities(self, text: str, begin: int, first: int, last: int, *, threads: int) -> Floats:
        """Return the probabilities of the classes of characters first to last - 1 of a text.

        `begin` is where the given text begins in the whole one; positions count in what is given. It begins or ends
        less than `context` characters before or behind these only where the whole text does.
        """

    def probabilities_apart(self, texts: Sequence[str], *, threads: int) -> Floats:
        """Return the same of the characters of many texts, one behind the other; none is empty."""


# What is never cut, and what always cuts


class Whole(NamedTuple):
    """Where a part of a text begins and ends that is not cut, and whether a token always ends with it."""

    start: int
    end: int
    ends_token: bool


def kept_whole(text: str, first: int, last: int) -> Iterator[Whole]:
    """Yield the parts between two positions of a text that are not cut."""
    if any(text.find(sign, first, last) >= 0 for sign in _PAGE_SIGNS):
        for page in _PAGE.finditer(text, first, last):
            closes = text.startswith(")", page.end(), last) and page[0].count("(") > page[0].count(")")
            yield Whole(page.start(), page.end() + closes, ends_token=True)
    yield from _mails(text, first, last)
    for number in _NUMBER.finditer(text, first, last):
        yield Whole(*number.span(), ends_token=False)


def _mails(text: str, first: int, last: int) -> Iterator[Whole]:
    sign = text.find("@", first, last)
    while sign >= 0:
        begin = max(first, sign - _LONGEST_NAME)
        before = [other.end() for other in _NOT_MAIL.finditer(text, begin, sign)]
        mail = _MAIL.match(text, before[-1] if before else begin, last)
        if mail:
            yield Whole(*mail.span(), ends_token=True)
        sign = text.find("@", mail.end() if mail else sign + 1, last)


def tokens_between(
    model: BoundaryModel, text: str, probabilities: Floats, first: int, limit: int, *, ended: bool
) -> Segmentation:
    """Return the tokens between two positions; the last one, if the text does not end there, may not be one yet."""
    size = limit - first
    codes = code_points(text[first : limit + 1])
    following = is_space(codes)[1:] if limit < len(text) else np.append(is_space(codes)[1:], True)
    space = is_space(codes[:size])
    written = np.flatnonzero(~space)
    chances = probabilities[first:limit]
    kinds = chances.argmax(axis=1).astype(np.int32)
    ends = kinds > INSIDE
    if model.even_joints:
        joints = _uneven_joints(codes, ends)
        ends[joints] = ends[joints - 1] = chances[joints, INSIDE] + chances[joints - 1, INSIDE] <= 1
    for start, stop, ends_token in kept_whole(text, first, limit):
        ends[start - first : stop - 1 - first] = False
        if ends_token and stop < limit:
            ends[stop - 1 - first] = True
    ends[: len(codes) - 1] &= ~belongs(codes)[1:]
    if model.whole_words:
        letters = is_letter(codes)
        ends[: len(codes) - 1] &= ~(letters[:-1] & letters[1:])
    # A space ends a token; where tokens have spaces in them, two spaces, a tab or a line end does.
    separates = space[1:]
    if model.inner_spaces:
        separates = separates & ~(np.isin(codes[1:size], _JOINING_SPACES) & ~following[1:])
    ends |= np.append(separates, ended)[:size]
    ends[space] = False
    if "\n" in text:
        for broken in BROKEN_WORD.finditer(text, first, limit):
            ends[broken.start() - 1 - first : broken.end() - first] = False
    empty_lines = np.array([line.start() for line in _EMPTY_LINE.finditer(text, first, limit)], np.int64)
    before = np.searchsorted(written, empty_lines - first)
    paragraph_ends = different(np.append(written[before[before > 0] - 1], written[-1:] if ended else written[:0]))
    ends[paragraph_ends] = True
    _cut_long_tokens(ends, written)
    stops = np.flatnonzero(ends)
    starts = written[_first_written(stops, written)]
    final = np.isin(kinds[stops], SENTENCE_ENDS) | np.isin(stops, paragraph_ends)
    chance = chances[stops][:, SENTENCE_ENDS].sum(axis=1)
    if model.sentence_threshold < MOST_PROBABLE:
        final |= chance > model.sentence_threshold
    too_long = _cut_long_sentences(final, chance, starts, stops + 1, model.most_words)
    multiword = np.isin(kinds[stops], _SEVERAL_WORDS)
    return Segmentation(text, starts + first, stops + 1 + first, multiword, final, too_long)


def _first_written(stops: Offsets, written: Offsets) -> Offsets:
    """Return which of the written characters begins each token, by the characters that tokens end with."""
    return np.append(0, np.searchsorted(written, stops)[:-1] + 1)[: len(stops)]


def _cut_long_tokens(ends: Flags, written: Offsets) -> None:
    """Mark more ends of tokens, so that none has too many characters."""
    stops = different(np.append(np.flatnonzero(ends), written[-1:]))
    starts = written[_first_written(stops, written)]
    long = stops + 1 - starts > MOST_CHARACTERS
    for begin, stop in zip(starts[long].tolist(), stops[long].tolist(), strict=True):
        while stop + 1 - begin > MOST_CHARACTERS:
            following = int(np.searchsorted(written, begin + MOST_CHARACTERS))
            ends[written[following - 1]] = True
            begin = int(written[following])


def _cut_long_sentences(final: Flags, chance: Floats, starts: Offsets, ends: Offsets, most: int) -> int:
    """Mark more last tokens of sentences, so that none has too many tokens or characters; return how many."""
    count = 0
    stops = different(np.append(np.flatnonzero(final) + 1, len(final)))
    begins = np.append(0, stops[:-1])
    stops, begins = stops[stops > begins], begins[stops > begins]
    long = (stops - begins > most) | (ends[stops - 1] - starts[begins] > LONGEST_SENTENCE)
    for begin, stop in zip(begins[long].tolist(), stops[long].tolist(), strict=True):
        while True:
            within = int(np.searchsorted(ends, starts[begin] + LONGEST_SENTENCE, side="right")) - begin
            room = max(1, min(most, within))
            if stop - begin <= room:
                break
            half = begin + room // 2
            begin = half + int(np.argmax(chance[half : begin + room])) + 1
            final[begin - 1] = True
            count += 1
    return count


# Training data


class ClassifiedText(NamedTuple):
    """A text with the class of each of its characters."""

    text: str
    classes: Ids


#: The tokens of the sentences of a paragraph.
Paragraph = Sequence[Sequence[SurfaceToken]]


def gather_paragraphs(sentences: Iterable[tuple[bool, list[SurfaceToken]]], most: int = 25) -> list[Paragraph]:
    """Gather sentences into paragraphs; those of treebanks without any have at most so many sentences."""
    paragraphs: list[list[list[SurfaceToken]]] = []
    for begins, tokens in sentences:
        if not tokens:
            continue
        if begins or not paragraphs or len(paragraphs[-1]) >= most:
            paragraphs.append([])
        paragraphs[-1].append(tokens)
    return list(paragraphs)


def without_slips(paragraphs: Sequence[Paragraph]) -> list[Paragraph]:
    """Return paragraphs in which slips of the pen are one word.

    *its* for *it's* is two words in treebanks. A network that learns so cuts *its* where that is meant; so what is
    written as its words together, without a mark, and is one word twice as often, is one.
    """
    tokens = [token for paragraph in paragraphs for sentence in paragraph for token in sentence]
    whole = Counter(token.text.lower() for token in tokens if len(token.words) == 1)
    several = Counter(
        token.text.lower() for token in tokens if len(token.words) > 1 and "".join(token.words) == token.text.strip()
    )
    slips = {text for text, count in several.items() if text.isalpha() and whole[text] >= 2 * count}

    def read(token: SurfaceToken) -> SurfaceToken:
        return token._replace(words=(token.text,)) if token.text.lower() in slips else token

    return [[[read(token) for token in sentence] for sentence in paragraph] for paragraph in paragraphs]


def _joints(codes: CodePoints) -> Offsets:
    """Return where hyphens and slashes stand between letters or digits."""
    inner = is_letter_or_digit(codes)
    signs = np.logical_or.reduce([codes[1:-1] == sign for sign in _JOINTS])  # isin would import what nothing else needs
    joints: Offsets = np.flatnonzero(signs & inner[:-2] & inner[2:]) + 1
    return joints


def _uneven_joints(codes: CodePoints, ends: Flags) -> Offsets:
    """Return the joints of which one side only ends a token."""
    joints = _joints(codes)
    uneven: Offsets = joints[ends[joints] != ends[joints - 1]]
    return uneven


def has_even_joints(paragraphs: Iterable[Paragraph]) -> bool:
    """Whether a hyphen or slash between letters or digits is a token by itself or part of one, but for slips."""
    alone = uneven = 0
    for text, classes in map(classified, paragraphs):
        codes, ends = code_points(text), classes > INSIDE
        joints = _joints(codes)
        alone += int((ends[joints] & ends[joints - 1]).sum())
        uneven += len(_uneven_joints(codes, ends))
    return alone >= max(_FEWEST_JOINTS, _EVEN_JOINTS * uneven)


def cuts_words(paragraphs: Iterable[Paragraph]) -> bool:
    """Whether tokens end between two letters more often than slips of the pen do, as in *alot* for *a lot*."""
    cut = pairs = 0
    for sentence in chain.from_iterable(paragraphs):
        for token, following in zip_longest(sentence, sentence[1:]):
            letters = is_letter(code_points(token.text))
            pairs += int((letters[:-1] & letters[1:]).sum())
            cut += following is not None and not token.spaces and bool(letters[-1]) and following.text[0].isalpha()
    return cut > _FEW_CUTS * (pairs + cut)


def classified(paragraph: Paragraph) -> ClassifiedText:
    """Return the text of a paragraph with its gold classes."""
    pieces: list[str] = []
    ends: list[int] = []
    kinds: list[int] = []
    length = 0
    for tokens in paragraph:
        for number, token in enumerate(tokens, start=1):
            within, final = _SEVERAL_WORDS if len(token.words) > 1 else (TOKEN, SENTENCE)
            kinds.append(final if number == len(tokens) else within)
            ends.append(length + len(token.text) - 1)
            pieces += (token.text, token.spaces)
            length += len(token.text) + len(token.spaces)
    text = "".join(pieces[:-1])
    classes = np.zeros(len(text), np.int32)
    classes[ends] = kinds
    return ClassifiedText(text, classes)
