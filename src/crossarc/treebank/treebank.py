"""A treebank as columns: one integer array for each column of all words, and where the sentences begin.

Texts are ids into a string pool that slices and selections share; comments, multiword tokens, empty nodes and the white
space between sentences are kept aside, so that writing gives back the very bytes that were read. No object per word
exists until someone asks for it. A treebank does not change: `replace` makes a new one that shares what stayed.
Selecting sentences costs O(words selected), a slice O(sentences).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from .. import _kernel
from .._arrays import AnyArray, Ids, Offsets, different, items_of, offsets_of, rows_of
from ..errors import CrossarcError, TreebankError, TreeError, clean, is_broken
from ..options import checked_threads
from ..tree import Unchanging, describe_fault
from .documents import spacy_doc
from .enhanced import EnhancedArcs, arcs_of_deps, deps_of_arcs, followed_deps
from .exchange import Exchange
from .formats import COLUMNS, NO_HEAD, Format, checked_format, checked_root
from .interchange import AddedTexts, new_column
from .problems import check_unfinished, make_problem
from .sentence import Sentence, Token

_PER_ASIDE = ("aside_kind", "aside_before", "aside_text")
_PER_SENTENCE = ("first_line", "source", "after", "crlf")
_DEPS = 1 + COLUMNS.index("deps")  # in a line, which begins with the word's number
_TEXT_IDS = (*(column for column in COLUMNS if column != "head"), "aside_text", "after")


class Treebank(Exchange, Unchanging):
    """Sentences with their trees, as columns. Make one with `crossarc.read`, `crossarc.sample` or `Treebank.from_…`.

    It is a sequence of sentences: `treebank[0]` is the first, `treebank[10:20]` and `treebank[mask]` are treebanks.
    `treebank.form`, `lemma`, `upos`, `xpos`, `feats`, `deprel`, `deps` and `misc` are columns of texts for all words,
    `treebank.head` is an array of numbers. It does not change: `replace` and `with_column` return another one.
    """

    def __init__(
        self,
        pool: _kernel.StringPool,
        arrays: dict[str, AnyArray],
        word_offsets: Offsets,
        aside_offsets: Offsets,
        format: Format,
        sources: tuple[str, ...],
        prefix: bytes = b"",
    ) -> None:
        """Wrap arrays; the names are those of the columns and of `kernel/treebank/table.hpp`."""
        self.pool = pool
        self.format: Format = format
        self.sources = sources
        self.prefix = prefix
        self.word_offsets = word_offsets
        self.aside_offsets = aside_offsets
        self._arrays = arrays
        for array in (word_offsets, aside_offsets, *arrays.values()):
            array.flags.writeable = False

    # Making

    @classmethod
    def from_kernel(cls, result: dict[str, Any], format: Format, name: str, *, lines: bool = True) -> Treebank:
        """Wrap what the kernel read; if it is not well-formed, raise `TreebankError`. Without lines it has words."""
        if result["problem_count"]:
            problems = [make_problem(name, found, lines=lines) for found in result["problems"]]
            raise TreebankError(problems, result["problem_count"])
        arrays = dict(zip(COLUMNS, result["columns"], strict=True))
        arrays |= {key: result[key] for key in (*_PER_ASIDE, "first_line", "after", "crlf")}
        arrays["source"] = np.zeros(len(result["first_line"]), np.int32)
        offsets = result["word_offsets"], result["aside_offsets"]
        return Treebank(result["pool"], arrays, *offsets, format, (name,), result["prefix"])

    @classmethod
    def from_blocks(
        cls, blocks: Iterable[bytes], name: str, format: str, root: str, threads: int = 0, expected_bytes: int = 0
    ) -> Treebank:
        """Read the text of a file that comes in blocks; `crossarc.read` opens files and finds out their format."""
        chosen, policy = checked_format(format), checked_root(root)
        reader = _kernel.TreebankReader(
            _kernel.Format[chosen], _kernel.RootPolicy[policy], checked_threads(threads), expected_bytes=expected_bytes
        )
        for block in blocks:
            reader.feed(block)
            check_unfinished(name, *reader.unfinished())
        return Treebank.from_kernel(reader.finish(), chosen, name)

    # Where it comes from

    def origin(self, index: int) -> tuple[str, int]:
        """Return the file and the line (0: unknown) where a sentence was read."""
        return self.sources[self._arrays["source"][index]], int(self._arrays["first_line"][index])

    # A sequence of sentences

    def __len__(self) -> int:
        return len(self.word_offsets) - 1

    def __iter__(self) -> Iterator[Sentence]:
        return (Sentence(self, index) for index in range(len(self)))

    @overload
    def __getitem__(self, index: int) -> Sentence: ...
    @overload
    def __getitem__(self, index: slice | Sequence[int] | AnyArray) -> Treebank: ...
    def __getitem__(self, index: int | slice | Sequence[int] | AnyArray) -> Sentence | Treebank:
        """Return a sentence, or for a slice, a list of numbers or a mask, a treebank of those sentences."""
        if isinstance(index, (int, np.integer)):
            if not -len(self) <= index < len(self):
                raise IndexError(f"no sentence at {index}: the treebank has {len(self)}")
            return Sentence(self, int(index) % len(self))
        if isinstance(index, slice) and index.step in (None, 1):
            start, stop, _ = index.indices(len(self))
            return self._slice(start, max(start, stop))
        if not isinstance(index, slice):
            index = np.asarray(index)
            index = index if index.size else index.astype(np.int64)  # an empty list has no type of its own
            if index.ndim != 1:
                raise IndexError("sentences are chosen by a slice, a list of numbers or a mask")
        return self._take(np.arange(len(self))[index])

    def _slice(self, start: int, stop: int) -> Treebank:
        words = slice(int(self.word_offsets[start]), int(self.word_offsets[stop]))
        asides = slice(int(self.aside_offsets[start]), int(self.aside_offsets[stop]))
        word_offsets = self.word_offsets[start : stop + 1] - words.start
        aside_offsets = self.aside_offsets[start : stop + 1] - asides.start
        prefix = self.prefix if start == 0 else b""
        return self._with(self._rows(words, asides, slice(start, stop)), word_offsets, aside_offsets, prefix)

    def _take(self, sentences: AnyArray) -> Treebank:
        words, word_offsets = rows_of(self.word_offsets, sentences)
        asides, aside_offsets = rows_of(self.aside_offsets, sentences)
        prefix = self.prefix if 0 in sentences[:1] else b""
        return self._with(self._rows(words, asides, sentences), word_offsets, aside_offsets, prefix)

    def _rows(self, words: Any, asides: Any, sentences: Any) -> dict[str, AnyArray]:
        chosen = ((COLUMNS, words), (_PER_ASIDE, asides), (_PER_SENTENCE, sentences))
        return {name: self._arrays[name][rows] for names, rows in chosen for name in names}

    def _with(
        self,
        arrays: dict[str, AnyArray],
        word_offsets: Offsets,
        aside_offsets: Offsets,
        prefix: bytes,
        pool: _kernel.StringPool | None = None,
    ) -> Treebank:
        pool = self.pool if pool is None else pool
        return Treebank(pool, arrays, word_offsets, aside_offsets, self.format, self.sources, prefix)

    def filter(self, keep: Callable[[Sentence], bool]) -> Treebank:
        """Return the sentences for which `keep` is true."""
        return self[np.fromiter((bool(keep(sentence)) for sentence in self), bool, len(self))]

    def sample(self, sentences: int, seed: int = 1) -> Treebank:
        """Return some sentences chosen at random, each at most once, in their order."""
        if not 0 <= sentences <= len(self):
            raise CrossarcError(f"cannot sample {sentences} sentences: the treebank has {len(self)}")
        return self[np.sort(np.random.default_rng(seed).permutation(len(self))[:sentences])]

    def split(self, *shares: float, seed: int | None = None) -> list[Treebank]:
        """Cut the treebank into parts of the given shares, which add up to 1; with a seed, of shuffled sentences."""
        if not shares or min(shares) < 0 or abs(sum(shares) - 1) > 1e-9:
            raise CrossarcError(
                f"shares must be positive and add up to 1, not {', '.join(map(str, shares)) or 'nothing'}"
            )
        cuts = np.rint(np.cumsum(shares) * len(self)).astype(int)
        order = np.arange(len(self)) if seed is None else np.random.default_rng(seed).permutation(len(self))
        return [self[order[start:stop]] for start, stop in zip([0, *cuts[:-1]], cuts, strict=True)]

    def __add__(self, other: Treebank) -> Treebank:
        return Treebank.concatenate([self, other])

    @staticmethod
    def concatenate(treebanks: Iterable[Treebank]) -> Treebank:
        """Put treebanks of one format one behind the other."""
        parts = list(treebanks)
        if not parts:
            raise CrossarcError("no treebanks to concatenate")
        if len(parts) == 1:
            return parts[0]
        for part in parts:
            if part.format != parts[0].format:
                raise CrossarcError(f"cannot join {parts[0].format} and {part.format}: convert one of them first")
        pool = parts[0].pool if all(part.pool is parts[0].pool for part in parts) else _kernel.StringPool()
        arrays: dict[str, list[AnyArray]] = {name: [] for name in parts[0]._arrays}
        sources = list(dict.fromkeys(source for part in parts for source in part.sources))
        merged: dict[int, Ids] = {}
        for part in parts:
            if part.pool is not pool and id(part.pool) not in merged:
                merged[id(part.pool)] = pool.merge(part.pool)
            new_ids = merged.get(id(part.pool))
            for name, array in part._arrays.items():
                if name == "source":
                    array = np.array([sources.index(source) for source in part.sources], np.int32)[array]
                elif name in _TEXT_IDS and new_ids is not None:
                    array = new_ids[array]
                arrays[name].append(array)
        return Treebank(
            pool,
            {name: np.concatenate(pieces) for name, pieces in arrays.items()},
            _joined([part.word_offsets for part in parts]),
            _joined([part.aside_offsets for part in parts]),
            parts[0].format,
            tuple(sources),
            parts[0].prefix,
        )

    @staticmethod
    def from_sentences(sentences: Iterable[Sentence]) -> Treebank:
        """Make a treebank of sentences, which may come from several treebanks of one format, as they stand in these."""
        runs: list[tuple[Treebank, list[int]]] = []
        for sentence in sentences:
            if not isinstance(sentence, Sentence):
                raise CrossarcError(f"sentences are needed, not a {type(sentence).__name__}")
            if not runs or runs[-1][0] is not sentence.treebank:
                runs.append((sentence.treebank, []))
            runs[-1][1].append(sentence.index)
        if not runs:
            raise CrossarcError("no sentences to make a treebank of")
        return Treebank.concatenate([treebank[places] for treebank, places in runs])

    # Change

    def with_column(
        self, name: str, values: ArrayLike | Sequence[str | None] | Callable[[Token], str | int | None]
    ) -> Treebank:
        """Return a treebank with another column, given for all words or by a function of a word; see `replace`.

        >>> import crossarc as xa
        >>> words = xa.Treebank.from_words([["Go", "on"]]).with_column("lemma", lambda word: word.form.lower())
        >>> list(words.lemma)
        ['go', 'on']
        """
        given: Any = values
        if callable(values):
            given = [values(word) for sentence in self for word in sentence]
        return self.replace(**{name: given})

    def replace(self, **columns: ArrayLike | Sequence[str | None]) -> Treebank:
        """Return a treebank with other columns, each given for all words: heads as numbers, the others as text or ids.

        Heads must make trees; -1 or None is no head, and None as a text is "_". Texts that a file cannot hold are
        refused. Where a word's head or relation changes, its arc in DEPS follows (CoNLL-U, see
        `crossarc.treebank.enhanced`), unless `deps` is given too. Everything else stays as it is.

        Ids are those of `pool`, to which new texts are not added: the treebank that is returned has a pool of its own
        for them.
        """
        added, arrays = AddedTexts(self.pool), dict(self._arrays)
        for name, values in columns.items():
            self.column(name)  # a column that does not exist is an error
            arrays[name] = new_column(added, name, values, self.words, self.word_place)
            if name != "head":
                self._check_texts(name, arrays[name], added.pool)
        if "head" in columns:
            self._check_heads(arrays["head"])
        if self.format == "conllu" and "deps" not in columns and ("head" in columns or "deprel" in columns):
            old, new = (self.head, self.column("deprel")), (arrays["head"], arrays["deprel"])
            rows, texts = followed_deps(added.pool, arrays["deps"], old, new)
            if len(rows):
                arrays["deps"] = arrays["deps"].copy()
                arrays["deps"][rows] = added.ids(texts)
        return self._with(arrays, self.word_offsets, self.aside_offsets, self.prefix, added.pool)

    def enhanced_arcs(self) -> EnhancedArcs:
        """Return the arcs of the enhanced graphs, those of DEPS."""
        return arcs_of_deps(self.pool, self.column("deps"), self.word_offsets, lambda index: self[index].place)

    def with_enhanced_arcs(self, arcs: EnhancedArcs) -> Treebank:
        """Return the treebank with a DEPS column of these arcs and no others."""
        return self.replace(deps=deps_of_arcs(self.pool, arcs))

    def without_enhanced(self) -> Treebank:
        """Return the treebank without columns that depend on HEAD: DEPS, in CoNLL-X PHEAD and PDEPREL."""
        nodes = np.flatnonzero(self.aside_kind == _kernel.AsideKind.empty_node)
        names = ["deps"] if self.format == "conllu" else ["deps", "misc"]
        if not len(nodes) and not any(self.column(name).any() for name in names):
            return self
        lines = [line.split("\t") for line in self.pool.texts(self.aside_text[nodes])]
        added, texts = AddedTexts(self.pool), self.aside_text.copy()
        texts[nodes] = added.ids(["\t".join([*line[:_DEPS], "_", *line[_DEPS + 1 :]]) for line in lines], checked=False)
        arrays = self._arrays | {name: np.zeros(self.words, np.int32) for name in names} | {"aside_text": texts}
        return self._with(arrays, self.word_offsets, self.aside_offsets, self.prefix, added.pool)

    def with_comments(self, comments: Sequence[Sequence[str]]) -> Treebank:
        """Return the treebank with comment lines, given for every sentence, before its other lines."""
        if len(comments) != len(self):
            raise CrossarcError(f"comments for {len(comments)} sentences: the treebank has {len(self)}")
        lines = [line for own in comments for line in own]
        for line in lines:
            if not isinstance(line, str) or not line.startswith("#") or any(mark in line for mark in "\n\r\0"):
                raise CrossarcError(f"a comment is one line that begins with #, not {line!r}")
            if is_broken(line):
                raise CrossarcError(f"a comment that UTF-8 cannot hold, with half a surrogate pair: {line!r}")
        counts = np.array([len(own) for own in comments], np.int64)
        places = np.repeat(self.aside_offsets[:-1], counts)
        added = AddedTexts(self.pool)
        ids = added.ids(lines, checked=False)  # a comment may hold tabs
        new: dict[str, ArrayLike] = {"aside_kind": 0, "aside_before": 1, "aside_text": ids}
        arrays = self._arrays | {
            name: np.insert(self._arrays[name], places, np.asarray(rows)) for name, rows in new.items()
        }
        aside_offsets = self.aside_offsets + offsets_of(counts)
        return self._with(arrays, self.word_offsets, aside_offsets, self.prefix, added.pool)

    def in_format(self, format: Format) -> Treebank:
        """Return the treebank in another format, without what that cannot hold (`crossarc.convert` counts it)."""
        if format == self.format:
            return self
        arrays = self._arrays | {name: np.zeros(self.words, np.int32) for name in ("deps", "misc")}
        aside_offsets = self.aside_offsets
        if format == "conllx":
            arrays |= {name: self._arrays[name][:0] for name in _PER_ASIDE}
            aside_offsets = np.zeros(len(self) + 1, np.int64)
        return Treebank(self.pool, arrays, self.word_offsets, aside_offsets, format, self.sources, self.prefix)

    def word_place(self, row: int) -> str:
        """Return where a word comes from, for messages: file, line, sentence and word."""
        sentence = int(np.searchsorted(self.word_offsets, row, side="right")) - 1
        return f"{self[sentence].place}, word {row - int(self.word_offsets[sentence]) + 1}"

    def _check_texts(self, name: str, ids: Ids, pool: _kernel.StringPool) -> None:
        """Refuse texts of a column that changed which the reader would refuse, each where it comes first."""
        changed = np.flatnonzero((ids != self.column(name)) & (ids != 0))
        if name != "deps":  # which depends on the length of the sentence
            changed = changed[np.argsort(ids[changed], kind="stable")]
            changed = changed[np.append(True, np.diff(ids[changed]) != 0)[: len(changed)]]
        if not len(changed):
            return
        sentences = different(np.searchsorted(self.word_offsets, changed, side="right") - 1)
        rows, offsets = rows_of(self.word_offsets, sentences)
        columns: list[Any] = [None] * len(COLUMNS)
        columns[0] = ["_"] * len(rows)  # there are words
        columns[COLUMNS.index(name)] = pool.texts(ids[rows])
        policies = _kernel.Format[self.format], _kernel.RootPolicy.any
        for found in _kernel.read_columns(columns, np.zeros(0, np.int32), offsets, *policies)["problems"]:
            problem = make_problem("", found, lines=False)
            row = int(rows[offsets[problem.sentence - 1] + problem.word - 1])
            raise CrossarcError(f"{self.word_place(row)}: {problem.message}: {problem.remedy}")

    def _check_heads(self, heads: Ids) -> None:
        # A sentence without heads is fine, so it is checked as if every word were a root.
        missing = np.bincount(items_of(self.word_offsets), heads == NO_HEAD, len(self)).astype(np.int64)
        partly = np.flatnonzero((missing > 0) & (missing < np.diff(self.word_offsets)))
        if len(partly):
            raise TreeError(f"{self[int(partly[0])].place}: some words have heads and some have none")
        fault = _kernel.find_tree_fault(np.where(heads == NO_HEAD, np.int32(0), heads), self.word_offsets)
        if fault is not None:
            index, kind, words = fault
            own = heads[self.word_offsets[index] : self.word_offsets[index + 1]]
            raise TreeError(f"{self[index].place}: {describe_fault(kind, words, own)}")

    def __reduce__(self) -> tuple[Callable[..., Treebank], tuple[object, ...]]:
        """Give the arrays and, in the order of their ids, the texts that occur in them; the others stay behind."""
        occurs = np.zeros(len(self.pool), bool)
        occurs[0] = True  # "_" is in every pool
        for name in _TEXT_IDS:
            occurs[self._arrays[name]] = True
        new_ids = (np.cumsum(occurs) - 1).astype(np.int32)
        arrays = self._arrays | {name: new_ids[self._arrays[name]] for name in _TEXT_IDS}
        rest = (self.word_offsets, self.aside_offsets, self.format, self.sources, self.prefix)
        return _restored, (self.pool.texts(np.flatnonzero(occurs).astype(np.int32)), arrays, *rest)

    # Text

    def to_bytes(self) -> bytes:
        """Return the file: what was read, byte for byte, where nothing was changed."""
        return self.prefix + self.print_sentences(0, len(self))

    def to_text(self) -> str:
        """Return the file as a string."""
        return self.to_bytes().decode("utf-8")

    def print_sentences(self, start: int, stop: int) -> bytes:
        """Return the lines of sentences `start` to `stop - 1`."""
        arrays = self._arrays
        return _kernel.print_sentences(
            self.pool,
            [arrays[name] for name in COLUMNS],
            self.word_offsets,
            arrays["aside_kind"],
            arrays["aside_before"],
            arrays["aside_text"],
            self.aside_offsets,
            arrays["after"],
            arrays["crlf"],
            start,
            stop,
        )

    def to_dicts(self) -> list[list[dict[str, Any]]]:
        """Return plain data: a list of words for each sentence."""
        return [sentence.to_dicts() for sentence in self]

    def to_spacy(self, vocab: Any) -> list[Any]:
        """Return a spaCy `Doc` for each sentence. Needs spaCy."""
        docs = []
        for sentence in self:
            heads = sentence.heads.tolist() if sentence.has_heads else None
            columns = {name: sentence.texts(name) for name in COLUMNS if name != "head"}
            docs.append(spacy_doc(vocab, columns, heads, universal=self.format == "conllu"))
        return docs

    # Looks

    def __repr__(self) -> str:
        names = clean(", ".join(Path(source).name for source in self.sources[:3]))
        more = f" and {len(self.sources) - 3} more" if len(self.sources) > 3 else ""
        return f"<Treebank {names}{more}: {len(self):,} sentences, {self.words:,} words, {self.format}>"

    def _repr_html_(self) -> str:
        import html

        texts = "".join(f"<li>{html.escape(sentence.text)}</li>" for sentence in self[:5])
        return f"<p>{html.escape(repr(self)[1:-1])}</p><ol>{texts}</ol>"


def _joined(parts: list[Offsets]) -> Offsets:
    return offsets_of(np.concatenate([np.diff(offsets) for offsets in parts]))


def _restored(texts: list[str], arrays: dict[str, AnyArray], *rest: Any) -> Treebank:
    pool = _kernel.StringPool()
    pool.intern(texts, checked=False)
    return Treebank(pool, arrays, *rest)
