"""Views of one sentence and its parts. They hold no text of their own: everything is looked up in the treebank.

`Token` has the names people know from CoNLL-U. Attributes are decoded (`feats` and `misc` as dictionaries, `deps` as
pairs); `token["feats"]` is the column's text as in the file. Words are numbered from 1, as in files: `sentence.word(1)`
is the first, and 0 is the artificial root; places in the sequence are from 0, as everywhere in Python: `sentence[0]` is
the first, too. Asking a word for its children, its subtree or its ancestors costs O(words of the sentence).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, SupportsIndex, overload

from numpy.typing import ArrayLike

from .._arrays import Ids
from .._kernel import AsideKind
from ..errors import MissingHeadsError, WordError, clean
from ..tree import Tree, Unchanging
from .enhanced import deps_pairs
from .formats import COLUMNS

if TYPE_CHECKING:
    from .treebank import Treebank

COMMENT, RANGE, EMPTY_NODE = AsideKind.comment, AsideKind.range, AsideKind.empty_node


def features(text: str) -> dict[str, str]:
    """Decode a FEATS or MISC value: `A=1|B=2`. An item without `=` becomes a key with an empty value."""
    if text == "_":
        return {}
    return {key: value for key, _, value in (item.partition("=") for item in text.split("|"))}


def token_range(misc: dict[str, str]) -> tuple[int, int] | None:
    """Return where a token begins and ends in the raw text, if MISC says it."""
    start, _, end = misc.get("TokenRange", "").partition(":")
    return (int(start), int(end)) if start.isdecimal() and end.isdecimal() else None


class Token(Unchanging):
    """One word of a sentence."""

    __slots__ = ("_row", "id", "sentence")

    def __init__(self, sentence: Sentence, id: int) -> None:
        """Look at word `id` (from 1) of a sentence."""
        self.sentence = sentence
        self.id = id
        self._row = sentence.first_row + id - 1

    def __reduce__(self) -> tuple[type[Token], tuple[object, ...]]:
        return type(self), (self.sentence, self.id)

    def __getitem__(self, column: str) -> str:
        """Return a column as it stands in the file."""
        if column == "id":
            return str(self.id)
        value = int(self.sentence.treebank.column(column)[self._row])
        if column == "head":
            return "_" if value < 0 else str(value)
        return self.sentence.treebank.pool.text(value)

    @property
    def form(self) -> str:
        """The word itself."""
        return self["form"]

    @property
    def lemma(self) -> str:
        """Its base form."""
        return self["lemma"]

    @property
    def upos(self) -> str:
        """The universal (CoNLL-X: coarse) part of speech."""
        return self["upos"]

    @property
    def xpos(self) -> str:
        """The treebank's own (CoNLL-X: fine) part of speech."""
        return self["xpos"]

    @property
    def feats(self) -> dict[str, str]:
        """The morphological features."""
        return features(self["feats"])

    @property
    def head(self) -> int | None:
        """The number of the head, 0 for the root, None if the file has "_"."""
        head = int(self.sentence.treebank.column("head")[self._row])
        return None if head < 0 else head

    @property
    def deprel(self) -> str:
        """The relation to the head."""
        return self["deprel"]

    @property
    def deps(self) -> list[tuple[int | str, str]]:
        """The arcs of the enhanced graph (CoNLL-U); empty in CoNLL-X."""
        return [] if self.sentence.treebank.format == "conllx" else deps_pairs(self["deps"])

    @property
    def misc(self) -> dict[str, str]:
        """Whatever else is known (CoNLL-U); empty in CoNLL-X."""
        return {} if self.sentence.treebank.format == "conllx" else features(self["misc"])

    @property
    def start(self) -> int | None:
        """Where it begins in the raw text, in characters, as TokenRange in MISC says; None if that is not known."""
        return None if (place := self._place()) is None else place[0]

    @property
    def end(self) -> int | None:
        """Where it ends in the raw text: the character behind its last; None if that is not known."""
        return None if (place := self._place()) is None else place[1]

    def _place(self) -> tuple[int, int] | None:
        """Return its own range; of a word of a multiword token its part, or the whole token if it is written so."""
        own = token_range(self.misc)
        if own is not None:
            return own
        for token in self.sentence.multiword_tokens:
            if not token.first <= self.id <= token.last:
                continue
            whole = token_range(token.misc)
            forms = self.sentence.forms[token.first - 1 : token.last]
            if whole is None or "".join(forms) != token.form:
                return whole
            start = whole[0] + sum(map(len, forms[: self.id - token.first]))
            return start, start + len(self.form)
        return None

    @property
    def phead(self) -> int | None:
        """The projective head of CoNLL-X, None where there is none."""
        text = self["deps"] if self.sentence.treebank.format == "conllx" else "_"
        return None if text == "_" else int(text)

    @property
    def pdeprel(self) -> str:
        """The relation to the projective head of CoNLL-X."""
        return self["misc"] if self.sentence.treebank.format == "conllx" else "_"

    # Other words of the tree

    @property
    def head_token(self) -> Token | None:
        """The head as a word, None of a root; an error if the sentence has no heads."""
        head = self._heads[self.id - 1]
        return Token(self.sentence, head) if head else None

    @property
    def children(self) -> list[Token]:
        """The words whose head this one is, from left to right."""
        return [Token(self.sentence, word) for word, head in enumerate(self._heads, start=1) if head == self.id]

    @property
    def ancestors(self) -> list[Token]:
        """The head, its head and so on up to a root."""
        heads, found = self._heads, []
        word = heads[self.id - 1]
        while word:
            found.append(Token(self.sentence, word))
            word = heads[word - 1]
        return found

    @property
    def subtree(self) -> list[Token]:
        """The word and all below it, from left to right; words between them may be missing, where arcs cross."""
        return [Token(self.sentence, word) for word in self._subtree()]

    @property
    def left_edge(self) -> Token:
        """The leftmost word of the subtree."""
        return Token(self.sentence, self._subtree()[0])

    @property
    def right_edge(self) -> Token:
        """The rightmost word of the subtree."""
        return Token(self.sentence, self._subtree()[-1])

    @property
    def _heads(self) -> list[int]:
        self.sentence.require_heads()
        heads: list[int] = self.sentence.heads.tolist()
        return heads

    def _subtree(self) -> list[int]:
        children: dict[int, list[int]] = {}
        for word, head in enumerate(self._heads, start=1):
            children.setdefault(head, []).append(word)
        found = [self.id]
        for word in found:  # grows while it is gone through
            found += children.get(word, ())
        return sorted(found)

    def to_dict(self) -> dict[str, Any]:
        """Return the word as plain data."""
        return {"id": self.id} | {column: getattr(self, column) for column in COLUMNS}

    def __eq__(self, other: object) -> bool:
        """Whether both are the same word of the same treebank."""
        if not isinstance(other, Token):
            return NotImplemented
        return self.sentence.treebank is other.sentence.treebank and self._row == other._row

    def __hash__(self) -> int:
        return hash((id(self.sentence.treebank), self._row))

    def __str__(self) -> str:
        return self.form

    def __repr__(self) -> str:
        return f"<Token {self.id} {self.form!r}>"


@dataclass(frozen=True)
class MultiwordToken:
    """A surface token of several words, `first` to `last`."""

    first: int
    last: int
    columns: tuple[str, ...]

    @property
    def form(self) -> str:
        """The token as it is written."""
        return self.columns[1]

    @property
    def misc(self) -> dict[str, str]:
        """Whatever else is known of it."""
        return features(self.columns[9])


@dataclass(frozen=True)
class EmptyNode:
    """A word of the enhanced graph that is not in the text, with an id such as "8.1"."""

    id: str
    columns: tuple[str, ...]

    @property
    def form(self) -> str:
        """Its form, often reconstructed."""
        return self.columns[1]

    @property
    def deps(self) -> list[tuple[int | str, str]]:
        """Its arcs in the enhanced graph."""
        return deps_pairs(self.columns[8])


class Sentence(Unchanging):
    """One sentence of a treebank: a sequence of its words."""

    __slots__ = ("_number", "first_row", "index", "last_row", "treebank")

    def __init__(self, treebank: Treebank, index: int, number: int | None = None) -> None:
        """Look at sentence `index` (from 0) of a treebank; `number` is the one it goes by if it has no id."""
        self.treebank = treebank
        self.index = index
        self._number = index + 1 if number is None else number
        self.first_row = int(treebank.word_offsets[index])
        self.last_row = int(treebank.word_offsets[index + 1])

    def __reduce__(self) -> tuple[type[Sentence], tuple[object, ...]]:
        """Give a treebank of this sentence alone, so that another process does not get the others with it."""
        return type(self), (self.treebank[self.index : self.index + 1], 0, self._number)

    def __len__(self) -> int:
        return self.last_row - self.first_row

    @overload
    def __getitem__(self, index: int) -> Token: ...
    @overload
    def __getitem__(self, index: slice) -> list[Token]: ...
    def __getitem__(self, index: int | slice) -> Token | list[Token]:
        """Return a word by its index from 0, or for a slice a list: `sentence[0].id` is 1. `word` counts from 1."""
        if isinstance(index, slice):
            return [Token(self, number + 1) for number in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"no word at {index}: the sentence has {len(self)}")
        return Token(self, index % len(self) + 1)

    def word(self, number: SupportsIndex) -> Token:
        """Return a word by its number from 1, as ID and HEAD have it: `sentence.word(sentence.word(1).head)`."""
        if not hasattr(number, "__index__") or not 1 <= number.__index__() <= len(self):
            what = "0 is the artificial root; " if number == 0 else ""
            raise WordError(f"no word {number!r}: {what}the words of the sentence are 1 to {len(self)}")
        return Token(self, number.__index__())

    def __iter__(self) -> Iterator[Token]:
        return (Token(self, id) for id in range(1, len(self) + 1))

    def texts(self, column: str) -> list[str]:
        """Return a column as text, one entry for each word."""
        if column == "head":
            return ["_" if head < 0 else str(head) for head in self.heads.tolist()]
        return self.treebank.pool.texts(self.treebank.column(column)[self.first_row : self.last_row])

    @property
    def forms(self) -> list[str]:
        """The words."""
        return self.texts("form")

    @property
    def lemmas(self) -> list[str]:
        """The base forms."""
        return self.texts("lemma")

    @property
    def upos(self) -> list[str]:
        """The universal (CoNLL-X: coarse) tags."""
        return self.texts("upos")

    @property
    def xpos(self) -> list[str]:
        """The treebank's own (CoNLL-X: fine) tags."""
        return self.texts("xpos")

    @property
    def deprels(self) -> list[str]:
        """The relations to the heads."""
        return self.texts("deprel")

    @property
    def heads(self) -> Ids:
        """The heads, -1 where there is none; a view of the treebank's column."""
        return self.treebank.column("head")[self.first_row : self.last_row]

    @property
    def has_heads(self) -> bool:
        """Whether the words have heads: all have or none has."""
        return bool((self.heads >= 0).all())

    def require_heads(self) -> None:
        """Raise an error that names the sentence, if it has no heads."""
        if not self.has_heads:
            raise MissingHeadsError(f"{self.place} has no heads: parse it first, or use a file that has them")

    @property
    def roots(self) -> list[Token]:
        """The words whose head is the artificial root."""
        self.require_heads()
        return [self[place] for place, head in enumerate(self.heads.tolist()) if head == 0]

    @property
    def tree(self) -> Tree:
        """The tree, with labels and forms."""
        self.require_heads()
        return Tree(self.heads, self.deprels, self.forms)

    def _asides(self, kind: AsideKind) -> list[str]:
        treebank = self.treebank
        rows = slice(int(treebank.aside_offsets[self.index]), int(treebank.aside_offsets[self.index + 1]))
        return treebank.pool.texts(treebank.aside_text[rows][treebank.aside_kind[rows] == kind])

    @property
    def comments(self) -> list[str]:
        """The comment lines, each with its `#`."""
        return self._asides(COMMENT)

    @property
    def metadata(self) -> dict[str, str]:
        """The comments of the form `# key = value`."""
        pairs = (comment[1:].partition("=") for comment in self.comments if "=" in comment)
        return {key.strip(): value.strip() for key, _, value in pairs}

    @property
    def multiword_tokens(self) -> list[MultiwordToken]:
        """The surface tokens of several words."""
        tokens = []
        for line in self._asides(RANGE):
            columns = tuple(line.split("\t"))
            first, _, last = columns[0].partition("-")
            tokens.append(MultiwordToken(int(first), int(last), columns))
        return tokens

    @property
    def empty_nodes(self) -> list[EmptyNode]:
        """The empty nodes of the enhanced graph."""
        lines = [tuple(line.split("\t")) for line in self._asides(EMPTY_NODE)]
        return [EmptyNode(columns[0], columns) for columns in lines]

    @property
    def id(self) -> str:
        """The `sent_id` comment, or the sentence's number in the treebank."""
        return self.metadata.get("sent_id") or str(self._number)

    @property
    def place(self) -> str:
        """Where the sentence comes from, for messages: file, line and id."""
        source, line = self.treebank.origin(self.index)
        return f"{source}:{line}: sentence {self.id}" if line else f"{source}: sentence {self.id}"

    @property
    def text(self) -> str:
        """The `text` comment, or the words joined by what SpaceAfter says."""
        return self.metadata.get("text") or self.joined

    @property
    def joined(self) -> str:
        """The words, multiword tokens in place of theirs, joined by what SpaceAfter says."""
        tokens: dict[int, MultiwordToken] = {token.first: token for token in self.multiword_tokens}
        pieces: list[str] = []
        inside = 0
        for word in self:
            if word.id <= inside:
                continue
            token = tokens.get(word.id)
            inside = token.last if token else word.id
            misc = (token or word).misc
            pieces += [(token or word).form, "" if misc.get("SpaceAfter") == "No" else " "]
        return "".join(pieces).rstrip(" ")

    def with_heads(self, heads: ArrayLike, deprels: Sequence[str | None] | None = None) -> Sentence:
        """Return the sentence with other heads, and relations if they are given; everything else stays.

        The heads make a tree, `heads[i]` is that of word i + 1. The result is in a treebank of its own;
        `Treebank.from_sentences` puts sentences together again. To change many at once, use `treebank.replace`.
        """
        columns: dict[str, Any] = {"head": heads} if deprels is None else {"head": heads, "deprel": deprels}
        return self._replaced(columns)

    def with_column(self, name: str, values: ArrayLike | Sequence[str | None]) -> Sentence:
        """Return the sentence with another column, in a treebank of its own; see `with_heads`."""
        return self._replaced({name: values})

    def _replaced(self, columns: dict[str, Any]) -> Sentence:
        alone = self.treebank[self.index : self.index + 1]
        return Sentence(alone.replace(**columns), 0, self._number)

    def text_lines(self, *names: str) -> list[list[str]]:
        """Return lines of text that a drawing has under the words: columns, or keys of MISC, in capitals or not.

        Features stand one below the other. A line without any text is left out.
        """
        lines: list[list[str]] = []
        for name in map(str.lower, names):
            texts = self._texts_below(name)
            if name == "feats":
                lines += map(list, zip_longest(*(text.split("|") for text in texts), fillvalue=""))
            else:
                lines.append(texts)
        return [line for line in lines if any(line)]

    def _texts_below(self, name: str) -> list[str]:
        if name in COLUMNS:
            return ["" if token[name] == "_" else token[name] for token in self]
        return [next((text for key, text in token.misc.items() if key.lower() == name), "") for token in self]

    def draw(self, path: str | os.PathLike[str] | None = None, *, lines: Sequence[str] = ("upos",)) -> str | None:
        """Draw the tree into a file (.svg .html .tex .txt .png .pdf), or return it as SVG.

        `lines` are columns or keys of MISC whose texts stand under the words: `("upos", "lemma", "feats", "gloss")`.
        """
        return self.tree.draw(path, lines=self.text_lines(*lines), title=self.id)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the words as plain data."""
        return [token.to_dict() for token in self]

    def __str__(self) -> str:
        """Return the sentence as it stands in the file."""
        return self.treebank[self.index : self.index + 1].to_text()

    def __repr__(self) -> str:
        text = self.text
        return clean(f"<Sentence {self.id}: {text if len(text) <= 60 else text[:59] + '…'!s}>")

    def _repr_html_(self) -> str:
        import html

        if self.has_heads:
            return f"<p>{html.escape(self.text)}</p>{self.draw()}"
        rows = "".join(
            "<tr>" + "".join(f"<td>{html.escape(token[name])}</td>" for name in ("id", *COLUMNS)) + "</tr>"
            for token in self
        )
        header = "".join(f"<th>{name}</th>" for name in ("id", *COLUMNS))
        return f"<p>{html.escape(self.text)}</p><table><tr>{header}</tr>{rows}</table>"
