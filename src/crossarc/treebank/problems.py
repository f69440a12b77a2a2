"""The problems of treebank files: for each, what is wrong and what to do.

The kernel finds the problems and says which they are (`kernel/treebank/table.hpp`); this module turns each into one
line, ``file:line: what is wrong (sentence ID): what to do``, by the texts of `problems.json`. It also puts into words
what a file is that is no treebank at all, and finds mistakes made throughout a file, by its first 64 kB, so that a user
reads the cause and not only the thousand problems that follow from it. O(bytes).
"""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import numpy as np

from .. import _kernel
from .._arrays import offsets_of
from .._kernel import LONGEST_SENTENCE, ProblemKind
from ..errors import Cause, Problem, TreebankError, shown
from .formats import BYTES_LOOKED_AT

_TEXTS = json.loads(Path(__file__).with_name("problems.json").read_text(encoding="utf-8"))
#: For each problem: what is wrong and what to do. {0}, {1} … are the details; those in quotes are values of the file.
MESSAGES: dict[ProblemKind, tuple[str, str]] = {
    ProblemKind[name]: (what, remedy) for name, (what, remedy) in _TEXTS["problems"].items()
}
#: What a file is that is no treebank (`formats.foreign_content`). {0} is the detail, {1} a command that converts it,
#: {2} what the command that parses it takes.
FOREIGN: dict[str, tuple[str, str]] = _TEXTS["foreign"]

_ABOUT_HEADS = frozenset(
    {"head_not_a_number", "head_out_of_range", "head_self", "cycle", "no_root", "several_roots", "head_missing"}
)
_ABOUT_IDS = frozenset(
    {"id_not_a_number", "id_not_consecutive", "id_duplicate"}
    | {"range_bad", "range_overlaps", "range_misplaced", "range_beyond_end", "empty_node_misplaced"}
)
_EXPLAINED = {
    "heads_too_high": _ABOUT_HEADS,
    "heads_too_low": _ABOUT_HEADS,
    "ids_from_zero": _ABOUT_IDS | _ABOUT_HEADS,
    "no_empty_lines": _ABOUT_IDS | _ABOUT_HEADS | {"comment_inside"},
}
#: Mistakes made throughout a file: what is wrong, what to do, and which problems follow.
CAUSES: dict[str, tuple[str, str, frozenset[str]]] = {
    name: (what, remedy, _EXPLAINED[name]) for name, (what, remedy) in _TEXTS["causes"].items()
}
#: So few words may fit a pattern by chance.
_FEWEST_WORDS = 4
_NEARLY_ALL = 0.95
_WORD = re.compile(rb"^(\d+)\t(?:[^\t\n]*\t){5}(-?\d{1,8})\t", re.M)

#: The first byte of a surrogate that was written as if it were a character.
_SURROGATE = "ED"
#: Problems whose details the kernel has put into words already.
_OWN_TEXT = frozenset({ProblemKind.cycle, ProblemKind.several_roots})


def make_problem(
    file: str,
    found: tuple[ProblemKind, int, int, str, tuple[str, ...]],
    *,
    lines: bool = True,
) -> Problem:
    """Put a problem that the kernel found into words; without lines, its place is a word of the sentence."""
    kind, place, sentence, sentence_id, details = found
    what, remedy = MESSAGES[kind]
    if kind is ProblemKind.bad_utf8 and details[1] == _SURROGATE:
        what = "not UTF-8: half a surrogate pair in {0}"
    message = what.format(*(details if kind in _OWN_TEXT else map(shown, details)))
    line, word = (place, 0) if lines else (0, place)
    return Problem(file, line, sentence, sentence_id, kind.name, details, message, remedy, word)


def check_unfinished(name: str, length: int, line: int, sentence: int) -> None:
    """Refuse a file in which a sentence does not end for too long, before it fills memory: it is no treebank."""
    if length > LONGEST_SENTENCE:
        found = (ProblemKind.sentence_too_long, line, sentence, "", (f"{LONGEST_SENTENCE:,}",))
        raise TreebankError([make_problem(name, found)])


def foreign_problem(file: str, found: tuple[str, str]) -> Problem:
    """Put what a file is that is no treebank into words."""
    name, detail = found
    what, remedy = FOREIGN[name]
    message, advice = (text.format(detail, _conversion(file, detail), _parsing(file)) for text in (what, remedy))
    return Problem(file, 0, 0, "", name, (detail,) if detail else (), message, advice)


def _conversion(file: str, encoding: str) -> str:
    """Return a command that converts a file to UTF-8."""
    command = f"iconv -f {encoding} -t UTF-8"
    if file.startswith("<"):
        return command
    path = Path(file)
    unpack = {".gz": "gzip", ".xz": "xz"}.get(path.suffix)
    target = path.with_suffix("") if unpack else path
    new = shlex.quote(str(target.with_name(f"{target.stem}.utf8{target.suffix}")))
    old = shlex.quote(file)
    return f"{unpack} -dc {old} | {command} > {new}" if unpack else f"{command} {old} > {new}"


def _parsing(file: str) -> str:
    """Return the input and the output of a command that parses a file."""
    path = Path(file)
    if file.startswith("<") or file == "-":
        return "FILE -o parsed.conllu"
    name = "parsed.conllu" if path.suffix == ".conllu" else f"{path.name.partition('.')[0] or 'parsed'}.conllu"
    return f"{shlex.quote(file)} -o {shlex.quote(name)}"


def find_causes(file: str, text: bytes) -> list[Cause]:
    """Return the mistakes made throughout a file, given its beginning."""
    blocks = re.split(rb"\n\s*\n", text[:BYTES_LOOKED_AT].rstrip())
    whole = blocks if len(text) <= BYTES_LOOKED_AT else blocks[:-1] or blocks  # the last may be cut short
    sentences = [[(int(id), int(head)) for id, head in _WORD.findall(block)] for block in whole]
    sentences = [words for words in sentences if words]
    if sum(map(len, sentences)) < _FEWEST_WORDS:
        return []
    name = _pattern(sentences)
    if name is None:
        return []
    what, remedy, explains = CAUSES[name]
    return [Cause(file, 0, 0, "", name, (), what, remedy, explains=explains)]


def _pattern(sentences: list[list[tuple[int, int]]]) -> str | None:
    enough = _NEARLY_ALL * len(sentences)
    if len(sentences) == 1 and [id for id, _ in sentences[0]].count(1) > 2:
        return "no_empty_lines"
    if sum([id for id, _ in words] == list(range(len(words))) for words in sentences) >= enough:
        return "ids_from_zero"
    if _trees(sentences, 0) > len(sentences) - enough:
        return None
    for name, shift in (("heads_too_high", -1), ("heads_too_low", 1)):
        if _trees(sentences, shift) >= enough:
            return name
    return None


def _trees(sentences: list[list[tuple[int, int]]], shift: int) -> int:
    """Count the sentences whose heads are a tree with one root after a number is added to all."""
    count = 0
    for words in sentences:
        heads = np.array([head + shift for _, head in words], np.int32)
        count += np.count_nonzero(heads == 0) == 1 and not _kernel.find_tree_fault(heads, offsets_of([len(heads)]))
    return count
