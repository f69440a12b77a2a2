"""What is wrong with the trees of a system's output, and how to score it all the same.

A parser should give each word a head, without cycles, and one root where the root policy is `single`. Other output is
refused, unless `allow_invalid` is set: then its heads are read as they are, and each is right or wrong by itself.
O(words); reading such a file goes line by line.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._arrays import Ids, items_of
from ..errors import CrossarcError
from ..treebank import NO_HEAD, Problem, Treebank, TreebankError, from_bytes, read
from ..treebank.formats import checked_root, detect_format
from ..treebank.reading import as_bytes, open_source

_NO_TREE = frozenset(
    {"head_missing", "head_not_a_number", "head_out_of_range", "head_self", "cycle", "no_root", "several_roots"}
)
_HEAD = 6  # the column
_LONGEST_HEAD = 10  # digits
_NOT_WELL_FORMED = "the system output is not well-formed"
_ALLOW = "allow_invalid=True (--allow-invalid) scores it as it is"


class InvalidTreeError(CrossarcError, ValueError):
    """A system's output that is no tree."""


def read_gold(source: Any, *, format: str | None, root: str | None, threads: int) -> Treebank:
    """Read a gold standard; what is wrong with it is said in one line."""
    try:
        return read(source, format=format, root=root, threads=threads)
    except TreebankError as error:
        raise CrossarcError(f"the gold standard is not well-formed: {_first(error)}") from error


def read_system(
    source: Any, *, format: str | None, root: str | None, threads: int, allow_invalid: bool
) -> tuple[Treebank, Ids | None, list[str]]:
    """Read a system's output: the treebank, heads that stand for its own where some make no tree, and what is wrong."""
    if not allow_invalid:
        try:
            return read(source, format=format, root=root, threads=threads), None, []
        except TreebankError as error:
            if _is_about_trees(error):
                raise InvalidTreeError(f"{_NOT_WELL_FORMED}: {_first(error)}; {_ALLOW}") from error
            raise CrossarcError(f"{_NOT_WELL_FORMED}: {_first(error)}") from error
    text, name = _content(source)
    try:
        return from_bytes(text, name, format=format, root=root, threads=threads), None, []
    except TreebankError as error:
        if not _is_about_trees(error):
            raise CrossarcError(f"{_NOT_WELL_FORMED}: {_first(error)}") from error
        return _read_as_it_is(text, name, format or detect_format(text), error.problems)


def _is_about_trees(error: TreebankError) -> bool:
    """Whether nothing but heads is wrong, as far as all problems were kept."""
    return error.count == len(error.problems) and all(problem.name in _NO_TREE for problem in error.problems)


def _first(error: TreebankError) -> str:
    lines = error.summary()
    return f"{lines[0]}{f' (and {len(lines) - 1:,} more lines; `crossarc check` lists them)' if len(lines) > 1 else ''}"


def _content(source: Any) -> tuple[bytes, str]:
    if not isinstance(source, (str, os.PathLike)) and not hasattr(source, "read"):
        raise CrossarcError("only a single file can be read with allow_invalid")
    with open_source(source) as (file, name):
        return as_bytes(file.read()), name


def _read_as_it_is(text: bytes, name: str, format: str, problems: Sequence[Problem]) -> tuple[Treebank, Ids, list[str]]:
    """Read without the heads of the sentences that are no trees, and keep those aside."""
    broken = {problem.sentence - 1 for problem in problems}
    kept: dict[int, list[int]] = {index: [] for index in broken}
    lines: list[bytes] = []
    sentence, inside = 0, False
    for line in text.splitlines(keepends=True):
        fields = line.split(b"\t")
        if len(fields) > _HEAD:
            inside = True
            if sentence in broken and fields[0].isdigit():
                kept[sentence].append(_head(fields[_HEAD]))
                fields[_HEAD] = b"_"
                line = b"\t".join(fields)
        elif inside and not line.strip():
            sentence, inside = sentence + 1, False
        lines.append(line)
    treebank = from_bytes(b"".join(lines), name, format=format, root="any")
    heads = treebank.head.copy()
    for index, own in kept.items():
        words = [head if head <= len(own) else NO_HEAD for head in own]
        heads[treebank.word_offsets[index] : treebank.word_offsets[index + 1]] = words
    return treebank, heads, [str(problem) for problem in problems]


def _head(text: bytes) -> int:
    """Return the number of a head; what is none, or larger than any sentence, is no head."""
    return int(text) if text.isdigit() and len(text) < _LONGEST_HEAD else NO_HEAD


def required_roots(gold: Treebank) -> str:
    """Return the root policy of a gold standard: output may have several roots where some of its sentences have."""
    return "any" if gold.format == "conllx" or (gold.root_counts > 1).any() else "single"


def tree_faults(treebank: Treebank, root: str) -> list[str]:
    """Say which sentences of a treebank have no heads, or several roots where one is required."""
    sentences = items_of(treebank.word_offsets)
    headless = np.bincount(sentences[treebank.head == NO_HEAD], minlength=len(treebank)) > 0
    roots = treebank.root_counts
    several = (roots > 1) & (checked_root(root) == "single")
    faults = []
    for index in np.flatnonzero(headless | several).tolist():
        what = "has no heads" if headless[index] else f"has {roots[index]} roots where one is required"
        faults.append(f"{treebank[index].place} {what}")
    return faults


def refuse_faults(faults: Sequence[str]) -> None:
    """Raise an error that names the first fault, if there is one."""
    if faults:
        more = f" (and {len(faults) - 1:,} more)" if len(faults) > 1 else ""
        several = ', or root="any" (--root any)' if "roots" in faults[0] else ""
        raise InvalidTreeError(f"the system output is no tree: {faults[0]}{more}; {_ALLOW}{several}")
