"""One sentence of a treebank file as text that can be edited: its comments, rows and line ends, back to the same bytes.

A block is what stands in the file from the first line of a sentence to the empty lines behind it. Rows are words,
multiword tokens (`1-2`) and empty nodes (`1.1`), as lists of ten cells; whatever is not edited is written as it was
read. When words are renumbered, everything that names them follows: heads, ranges, empty nodes and DEPS. O(bytes).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ..errors import CrossarcError

ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC = range(10)
EMPTY = "_"
Row = list[str]
#: Where a sentence ends: behind the empty lines that follow a line which is not empty.
_SENTENCE_END = re.compile(rb"\n(?:\r?\n)+(?=[^\r\n])")
_NO_SPACE = "SpaceAfter=No"
_BYTE_ORDER_MARK = "\ufeff"


class EditError(CrossarcError):
    """An edit that cannot be made."""


def split_blocks(content: bytes) -> list[bytes]:
    """Cut a file into the blocks of its sentences; joined they are the file."""
    ends = [match.end() for match in _SENTENCE_END.finditer(content)]
    return [content[start:end] for start, end in zip([0, *ends], [*ends, len(content)], strict=True)]


def version(block: bytes) -> str:
    """Return what tells a block from every other: who saves a sentence says which one was edited."""
    return hashlib.sha256(block).hexdigest()[:16]


@dataclass
class Block:
    """A sentence that can be edited."""

    #: Empty lines and the byte order mark before it.
    before: str
    comments: list[str]
    rows: list[Row]
    #: The line end, and what follows the last row: its line end and the empty lines.
    line_end: str
    after: str

    @classmethod
    def from_bytes(cls, content: bytes) -> Block:
        """Read a sentence that is known to be well-formed but for its tree."""
        try:
            text = content.decode()
        except UnicodeDecodeError as error:
            raise EditError(f"the sentence is not UTF-8: {error}") from error
        body = text.lstrip("\r\n" + _BYTE_ORDER_MARK)
        lines_text = body.rstrip("\r\n")
        line_end = "\r\n" if "\r\n" in body else "\n"
        lines = lines_text.split(line_end)
        rows = [line.split("\t") for line in lines if not line.startswith("#")]
        if any(len(row) != MISC + 1 for row in rows):
            raise EditError("a word needs 10 columns with tabs between them")
        comments = [line for line in lines if line.startswith("#")]
        before, after = text[: len(text) - len(body)], body[len(lines_text) :]
        return cls(before, comments, rows, line_end, after)

    def to_bytes(self) -> bytes:
        """Return the text; without an edit the very bytes that were read."""
        lines = [*self.comments, *("\t".join(row) for row in self.rows)]
        return (self.before + self.line_end.join(lines) + self.after).encode("utf-8", "strict")

    # Words

    @property
    def words(self) -> list[Row]:
        """The rows of words."""
        return [row for row in self.rows if row[ID].isdecimal()]

    def __len__(self) -> int:
        return len(self.words)

    def word(self, number: int) -> Row:
        """Return the row of a word by its number from 1."""
        words = self.words
        if not 1 <= number <= len(words):
            raise EditError(f"no word {number}: the words of the sentence are 1 to {len(words)}")
        return words[number - 1]

    def ranges(self) -> Iterator[tuple[int, int, Row]]:
        """Give the multiword tokens: first word, last word, row."""
        for row in self.rows:
            first, hyphen, last = row[ID].partition("-")
            if hyphen:
                yield int(first), int(last), row

    def range_of(self, word: int) -> tuple[int, int, Row] | None:
        """Return the multiword token that a word belongs to."""
        return next((found for found in self.ranges() if found[0] <= word <= found[1]), None)

    def heads(self) -> list[int]:
        """Return the head of each word; -1 where it has none."""
        return [int(row[HEAD]) if row[HEAD].isdecimal() else -1 for row in self.words]

    def roots(self) -> list[int]:
        """Return the words whose head is 0."""
        return [word for word, head in enumerate(self.heads(), start=1) if head == 0]

    def path(self, word: int) -> list[int]:
        """Return a word, its head and so on, as far as that leads without coming back."""
        heads, passed = self.heads(), [word]
        while (head := heads[passed[-1] - 1]) > 0 and head not in passed:
            passed.append(head)
        return passed

    # Comments and the text

    def comment(self, key: str) -> str | None:
        """Return the value of a comment `# key = value`."""
        beginning = f"# {key} = "
        return next((line[len(beginning) :] for line in self.comments if line.startswith(beginning)), None)

    def set_comment(self, key: str, value: str) -> None:
        """Replace the value of a comment, which must be there."""
        beginning = f"# {key} = "
        self.comments = [beginning + value if line.startswith(beginning) else line for line in self.comments]

    def surface(self) -> str:
        """Return the text that the tokens make: with spaces, but for those where MISC says that there is none."""
        pieces: list[str] = []
        covered = 0
        for row in self.rows:
            first, hyphen, last = row[ID].partition("-")
            if "." in first or (not hyphen and int(first) <= covered):
                continue
            covered = int(last or first)
            pieces += [row[FORM], "" if _NO_SPACE in row[MISC].split("|") else " "]
        return "".join(pieces).rstrip(" ")

    # Numbers

    def renumber(self, number: Callable[[int], int | None]) -> None:
        """Give words other numbers: 0 stays; what is named by None is gone, and so is what names it in DEPS.

        Heads that name a word that is gone must have been changed before.
        """
        for row in self.rows:
            row[ID] = _renumbered_id(row[ID], number)
            if row[HEAD].isdecimal() and row[HEAD] != "0":
                row[HEAD] = str(number(int(row[HEAD])))
            if ":" in row[DEPS]:
                items = [_renumbered_item(item, number) for item in row[DEPS].split("|")]
                kept = sorted({item for item in items if item}, key=_order)
                row[DEPS] = "|".join(kept) or EMPTY
            elif row[DEPS].isdecimal() and row[DEPS] != "0":  # the projective head of CoNLL-X
                row[DEPS] = str(number(int(row[DEPS])) or EMPTY)


def follow_in_deps(row: Row, old: tuple[str, str], new: tuple[str, str]) -> None:
    """Let the item of DEPS that mirrors the arc of a word follow it to another head or label; others stay."""
    items = row[DEPS].split("|")
    for index, item in enumerate(items):
        head, _, label = item.partition(":")
        if head == old[0] and (label == old[1] or label.startswith(f"{old[1]}:")):
            others = items[:index] + items[index + 1 :]
            kept = others if new[0] == EMPTY else sorted({*others, ":".join(new)}, key=_order)
            row[DEPS] = "|".join(kept) or EMPTY
            return


def has_space(row: Row) -> bool:
    """Whether a space follows a token."""
    return _NO_SPACE not in row[MISC].split("|")


def set_space(row: Row, space: bool) -> None:
    """Say whether a space follows a token."""
    items = [item for item in row[MISC].split("|") if item not in (EMPTY, _NO_SPACE)]
    row[MISC] = "|".join(items if space else [_NO_SPACE, *items]) or EMPTY


def _renumbered_id(given: str, number: Callable[[int], int | None]) -> str:
    """Return the id of a word, a range or an empty node; empty node 0.1 stands before the first word."""
    for separator in "-.":
        first, found, last = given.partition(separator)
        if found:
            start = int(first) and number(int(first))
            return f"{start}{separator}{number(int(last)) if separator == '-' else last}"
    return str(number(int(given)))


def _renumbered_item(item: str, number: Callable[[int], int | None]) -> str:
    head, _, label = item.partition(":")
    word, dot, node = head.partition(".")
    new = int(word) and number(int(word))
    return "" if new is None else f"{new}{dot}{node}:{label}"


def _order(item: str) -> tuple[int, int, str]:
    head, _, label = item.partition(":")
    word, _, node = head.partition(".")
    return int(word), int(node or 0), label
