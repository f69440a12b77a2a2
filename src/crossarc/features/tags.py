"""What a network predicts of words beside trees: UPOS, XPOS and FEATS as one class each, lemmas as edit scripts.

UPOS, XPOS and FEATS are predicted together: of the combinations that training data had, the one that is the most
probable if each is as probable as the network says, and has what is given of them. So they contradict nothing. Where
lemmas have a dictionary, what that says of words that training data lack is added (`tag_evidence`).

A column that no word of the training data fills is left out. Values that training data did not have are no class: they
are not learnt, and are never found. Parsing fills a column where a word has nothing and keeps what is given. Words may
truly have no features: where a word has UPOS or XPOS and another one of its sentence has FEATS, it gets none, and may
have any other tags. O(words) in arrays, and O(different values) in Python.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from .._arrays import AnyArray, Flags, Floats, Ids
from ..errors import CrossarcError, ParserError
from ..treebank import Treebank
from .feats_by_tree import FeatsByTree, learnt_feats_by_tree, with_feats_by_tree
from .lemma_particles import with_particles
from .lemma_rules import Dictionary
from .lemma_trees import with_lemmas_by_tree
from .lemmas import LemmaScripts, can_be_written
from .tag_evidence import DictionaryKinds, TagEvidence
from .vocabularies import is_list_of, normal_form

#: The columns that can be predicted.
PREDICTED = ("upos", "xpos", "feats", "lemma")
_LEMMA = "lemma"
_NOTHING = "_"
#: Its id in every pool.
_EMPTY = 0
_MOST_CLASSES = 1 << 16
_MOST_BYTES = 1 << 28


class TagsError(CrossarcError):
    """Values of predicted columns that cannot be read."""


def checked_columns(columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that are to be predicted, in their order; others are refused."""
    if isinstance(columns, str):
        raise ParserError(f"predict is a list of columns, such as ('upos', 'lemma'), not {columns!r}")
    for column in columns:
        if column not in PREDICTED:
            raise ParserError(f"predict names columns among {', '.join(PREDICTED)}, not {column!r}")
    return tuple(column for column in PREDICTED if column in columns)


class TagSearch(NamedTuple):
    """What tags words may have, before a network scores them."""

    #: Rows of classes that UPOS, XPOS and FEATS may have together; any if there are none.
    combinations: Ids
    #: Such a row for each word, with -1 for what is to be predicted; no rows if nothing is given.
    given: Ids
    #: What is added to the scores of combinations for each kind of words, and the kind of each word, -1 for none.
    evidence: Floats
    kinds: Ids


_NO_ROWS: Ids = np.zeros((0, 1), np.int32)
ANY_TAGS = TagSearch(_NO_ROWS, _NO_ROWS, np.zeros((0, 0), np.float32), np.zeros(0, np.int32))


class Tags:
    """Predicted columns with their classes."""

    def __init__(
        self,
        values: Mapping[str, Sequence[str]],
        lemmas: LemmaScripts | None = None,
        combinations: Ids | None = None,
        evidence: TagEvidence | None = None,
        feats_by_tree: FeatsByTree | None = None,
    ) -> None:
        """Take the values of columns, in the order of their classes, the scripts of lemmas, and combinations.

        These are rows of classes, one of each column but lemmas; without them each column is predicted by itself.
        `evidence`: for them, by the dictionary of the lemmas. `feats_by_tree`: which FEATS the tree decides.
        """
        for column, own in values.items():
            if column not in PREDICTED or column == _LEMMA or not 0 < len(own) <= _MOST_CLASSES:
                raise TagsError(f"no values of a predicted column: {column!r}")
            if len(set(own)) != len(own) or not all(own) or " " in (text := "".join(own)) or not can_be_written(text):
                raise TagsError(f"a value of {column} stands twice or cannot be written into a column")
        self.values = {column: tuple(own) for column, own in values.items()}
        self.lemmas = lemmas
        self.combinations = np.zeros((0, len(self.values)), np.int32) if combinations is None else combinations
        sizes = [len(classes) for classes in self.values.values()]
        if (
            self.combinations.shape[1:] != (len(sizes),)
            or ((self.combinations < 0) | (self.combinations >= sizes)).any()
        ):
            raise TagsError("combinations of tags are rows of classes, one for each column")
        self.evidence = evidence
        self.feats_by_tree: FeatsByTree = feats_by_tree or {}
        decided = {feats for by_context in self.feats_by_tree.values() for feats in by_context.values()}
        if not decided <= set(self.values.get("feats", ())):
            raise TagsError("trees decide for FEATS that are not predicted")

    @classmethod
    def fit(cls, treebank: Treebank, columns: Sequence[str], *, least: int = 2) -> Tags:
        """Return the classes that training data have; `least`: how often a script of lemmas must occur."""
        filled = [column for column in columns if treebank.inventory(column).keys() - {_NOTHING}]
        values = {column: list(treebank.inventory(column)) for column in filled if column != _LEMMA}
        lemmas = LemmaScripts.fit(treebank, least=least) if _LEMMA in filled else None
        return cls(values, lemmas).with_combinations(treebank)

    def with_combinations(self, treebank: Treebank) -> Tags:
        """Return the same classes with the combinations that a treebank has, and with what its trees decide."""
        if len(self.values) < 2:
            return self
        rows = self._value_classes(treebank)
        whole = (rows >= 0).all(axis=1)
        known, numbers = np.unique(rows[whole], axis=0, return_inverse=True)
        evidence = self._learnt_evidence(np.array(treebank.texts("form"))[whole].tolist(), numbers, len(known))
        by_tree = learnt_feats_by_tree(treebank, self.values["feats"]) if "feats" in self.values else None
        return Tags(self.values, self.lemmas, known.astype(np.int32), evidence, by_tree)

    def _learnt_evidence(self, forms: Sequence[str], numbers: AnyArray, count: int) -> TagEvidence | None:
        """Return evidence for combinations, learnt from forms and their combinations; none without a dictionary."""
        if self._dictionary is None:
            return None
        tags_of_forms: defaultdict[str, Counter[int]] = defaultdict(Counter)
        for form, number in zip(forms, numbers.reshape(-1).tolist(), strict=True):
            tags_of_forms[normal_form(form)][number] += 1
        return TagEvidence.learn(tags_of_forms, count, self._dictionary)

    @cached_property
    def _dictionary(self) -> DictionaryKinds | None:
        """What the dictionary of the lemmas says of forms, if there is one."""
        lemmatiser = None if self.lemmas is None else self.lemmas.lemmatiser
        if lemmatiser is None or not lemmatiser.lexicon.dictionary:
            return None
        return DictionaryKinds(lemmatiser.lexicon, lemmatiser.rules)

    def search(self, treebank: Treebank) -> TagSearch:
        """Return what tags the words of a treebank may have; what they have already, `filled` keeps."""
        if not len(self.combinations) or not treebank.words:
            return ANY_TAGS
        rows = self._value_classes(treebank)
        for index, column in enumerate(self.values):
            rows[treebank.column(column) == _EMPTY, index] = -1
        search = ANY_TAGS._replace(combinations=self.combinations)
        if (rows >= 0).any():
            search = search._replace(given=rows)
        if self.evidence is None or self._dictionary is None or self.lemmas is None:
            return search
        forms, of_word = treebank.distinct_texts("form")
        kinds = self.evidence.kinds_of(forms, self.lemmas.forms, self._dictionary)[of_word]
        return search._replace(evidence=self.evidence.scores, kinds=kinds) if (kinds >= 0).any() else search

    def _value_classes(self, treebank: Treebank) -> Ids:
        """Return the classes of all columns but lemmas."""
        columns = [_numbered(treebank, column, values) for column, values in self.values.items()]
        return np.stack(columns, axis=1) if columns else np.zeros((treebank.words, 0), np.int32)

    @property
    def columns(self) -> tuple[str, ...]:
        """The predicted columns, in the order of tags."""
        return (*self.values, *([] if self.lemmas is None else [_LEMMA]))

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many classes each has."""
        scripts = () if self.lemmas is None else (self.lemmas.count,)
        return (*(len(own) for own in self.values.values()), *scripts)

    def __bool__(self) -> bool:
        return bool(self.columns)

    def classes(self, treebank: Treebank) -> Ids:
        """Return the classes of all words, a row for each word, -1 for none."""
        classes = self._value_classes(treebank)
        return classes if self.lemmas is None else np.column_stack([classes, self.lemmas.classes(treebank)])

    def filled(self, treebank: Treebank, classes: Ids) -> Treebank:
        """Return a treebank where words that lack a predicted column have what the classes say."""
        lacking = {column: _wanted(treebank, column) for column in self.values}
        for place, (column, own) in enumerate(self.values.items()):
            wanted = lacking[column]
            if wanted.any():
                ids = treebank.pool.intern(list(own))
                found = np.where(wanted, ids[classes[:, place]], treebank.column(column))
                treebank = treebank.replace(**{column: found})
        return treebank if self.lemmas is None else self._with_lemmas(treebank, classes[:, -1])

    def _with_lemmas(self, treebank: Treebank, classes: Ids) -> Treebank:
        wanted = _wanted(treebank, _LEMMA)
        if self.lemmas is None or not wanted.any():
            return treebank
        rows = np.flatnonzero(wanted)
        # Words that are alike in all that decides have one lemma, which is found once.
        xpos, feats = treebank.column("xpos")[rows], treebank.column("feats")[rows]
        tags = np.where(xpos == _EMPTY, feats, xpos) if self.lemmas.lemmatiser is not None else np.zeros_like(xpos)
        words = np.stack([treebank.column("form")[rows], treebank.column("upos")[rows], tags, classes[rows]])
        order = np.lexsort(words)
        ordered = words[:, order]
        first = np.append(True, (ordered[:, 1:] != ordered[:, :-1]).any(axis=0))
        forms, upos, tags, scripts = np.ascontiguousarray(ordered[:, first])
        texts = treebank.pool.texts
        found = self.lemmas.lemmas(texts(forms), texts(upos), scripts.tolist(), texts(tags))
        lemmas = treebank.column(_LEMMA).copy()
        lemmas[rows[order]] = treebank.pool.intern(found)[np.cumsum(first) - 1]
        return treebank.replace(lemma=lemmas)

    def decided_by_trees(self, parsed: Treebank, before: Treebank) -> Treebank:
        """Return what was parsed with the FEATS and lemmas that its trees decide, of words that had none before."""
        if self.feats_by_tree:
            parsed = with_feats_by_tree(parsed, self.feats_by_tree, _wanted(before, "feats"))
        lemmatiser = None if self.lemmas is None else self.lemmas.lemmatiser
        if lemmatiser is None:
            return parsed
        if lemmatiser.by_tree:
            parsed = with_lemmas_by_tree(parsed, lemmatiser.by_tree, _wanted(before, _LEMMA))
        if lemmatiser.particles:
            parsed = with_particles(parsed, lemmatiser.particles, _wanted(before, _LEMMA))
        return parsed

    def with_lemmatiser(self, treebank: Treebank, dictionary: Dictionary | None = None) -> Tags:
        """Return the same classes with a lemmatiser that learnt from a treebank, its lemmas and combinations."""
        if self.lemmas is None:
            raise TagsError("lemmas are not predicted: there is no lemmatiser to be learnt")
        return Tags(self.values, self.lemmas.with_lemmatiser(treebank, dictionary)).with_combinations(treebank)

    def accuracies(self, treebank: Treebank, classes: Ids) -> dict[str, float]:
        """Return, for each column, the share of words of a treebank whose value is that of these classes."""
        bare = treebank.replace(**{column: [_NOTHING] * treebank.words for column in self.columns})
        found = self.filled(bare, classes)
        shares = {}
        for column in self.columns:
            right = np.array(found.texts(column)) == np.array(treebank.texts(column))
            known = treebank.column(column) != _EMPTY if column == _LEMMA else np.ones(len(right), bool)
            shares[column] = float(right[known].mean()) if known.any() else 0.0
        return shares

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for a model file."""
        lemmas = None if self.lemmas is None else self.lemmas.to_dict()
        values = {column: list(classes) for column, classes in self.values.items()}
        evidence = {} if self.evidence is None else {"evidence": self.evidence.to_dict()}
        by_tree = {"feats_by_tree": self.feats_by_tree} if self.feats_by_tree else {}
        combinations = self.combinations.T.tolist()
        return {"values": values, "lemmas": lemmas, "combinations": combinations, **evidence, **by_tree}

    def to_bytes(self) -> bytes:
        """Return the same, compressed: forms of the memory of lemmas would be a tenth of a small model."""
        return zlib.compress(json.dumps(self.to_dict(), ensure_ascii=False).encode(), 9)

    @classmethod
    def from_bytes(cls, data: bytes) -> Tags:
        """Make them again from what `to_bytes` gave; anything else is refused."""
        inflated = zlib.decompressobj()
        try:
            text = inflated.decompress(data, _MOST_BYTES)
        except zlib.error as error:
            raise TagsError(f"the values of predicted columns cannot be read ({error})") from error
        if not inflated.eof:
            raise TagsError(f"the values of predicted columns are cut short, or more than {_MOST_BYTES:,} bytes")
        return cls.from_dict(json.loads(text))

    @classmethod
    def from_dict(cls, data: Any) -> Tags:
        """Make them again from what `to_dict` gave; anything else is refused."""
        values = data.get("values") if isinstance(data, dict) else None
        if not isinstance(values, dict) or not all(is_list_of(str, own) for own in values.values()):
            raise TagsError("the values of a predicted column are a list of texts")
        lemmas = None if data.get("lemmas") is None else LemmaScripts.from_dict(data["lemmas"])
        combinations = _combinations(data, len(values))
        by_tree = data.get("feats_by_tree", {})  # files of older versions have none
        if not isinstance(by_tree, dict) or not all(
            isinstance(own, dict) and set(map(type, own.values())) <= {str} for own in by_tree.values()
        ):
            raise TagsError("the FEATS that trees decide are not what they should be")
        evidence = None
        if combinations is not None and data.get("evidence") is not None:
            evidence = TagEvidence.from_dict(data["evidence"], len(combinations))
        return cls(values, lemmas, combinations, evidence, by_tree)


#: Of parsers that predict none.
NO_TAGS = Tags({})


def _combinations(data: Mapping[str, Any], columns: int) -> Ids | None:
    """Return the combinations of a model file, column by column there; files of older versions have none."""
    given = data.get("combinations")
    if given is None:
        return None
    if not isinstance(given, list) or len(given) != columns or not all(is_list_of(int, column) for column in given):
        raise TagsError("combinations of tags are lists of classes, one for each column")
    numbers = [number for column in given for number in column]
    if len({len(column) for column in given}) > 1 or any(not 0 <= number < _MOST_CLASSES for number in numbers):
        raise TagsError("combinations of tags have as many classes of each column")
    return np.array(given, np.int32).reshape(columns, -1).T.copy()


def _numbered(treebank: Treebank, column: str, values: Sequence[str]) -> Ids:
    """Return the places of a column's texts among values, -1 for one that is not there."""
    places = {value: place for place, value in enumerate(values)}
    texts, of_word = treebank.distinct_texts(column)
    numbers: Ids = np.array([places.get(text, -1) for text in texts], np.int32)[of_word]
    return numbers


def _wanted(treebank: Treebank, column: str) -> Flags:
    """Return which words lack a column."""
    empty: Flags = treebank.column(column) == _EMPTY
    if column != "feats":
        return empty
    lengths = np.diff(treebank.word_offsets)
    counts = np.concatenate([[0], np.cumsum(~empty)])[treebank.word_offsets]
    untagged = (treebank.column("upos") == _EMPTY) & (treebank.column("xpos") == _EMPTY)
    missing: Flags = empty & (untagged | ~np.repeat(np.diff(counts) > 0, lengths))
    return missing
