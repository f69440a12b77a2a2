"""The network of a graph parser: its options and what they define.

What is known of a word, its form, lemma, tags, every single morphological feature and its characters, is embedded;
bidirectional LSTM layers read the sentence (kernel/nn/encoder.hpp); every arc is scored by a biaffine product of its
two words, and its label by another (Dozat & Manning 2017; kernel/nn/biaffine.hpp). Tags and rules of lemmas may be
predicted of the same encoder, together with trees (kernel/nn/tags.hpp). O(words) for reading, O(words²) for the arcs of
a sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np

from ... import _kernel
from ..._arrays import AnyArray, Floats
from ...errors import ParserError, checked_whole
from ...features import Vocabularies
from ...features.characters import Characters
from ...features.tags import NO_TAGS, Tags
from ...features.templates import MOST_TEMPLATES
from ...features.vocabularies import column_families, column_of, with_normal_forms
from ...treebank import Treebank
from ..base import SentenceInputs, check_numbers, make_options
from ..model_file import Check, check_fields, listed, named, plain, text, whole
from ..network.weights import scales_of_arrays, weights_of_arrays
from .weights import BiaffineModel

_NUMBERS = (
    *("features", "characters", "character_dimension", "filters", "layers", "cells", "arc", "label", "batch", "rate"),
    *("group_dropout", "layer_dropout", "hidden_dropout", "word_dropout", "column_dropout", "tag_weight"),
)
#: Attributes whose rare values become unknown in training now and then.
_LEXICAL = ("form", "lower", "lemma")
#: What is read of words where tags and lemmas are to be predicted.
_AFFIXES = ("prefix1", "prefix2", "prefix3", "suffix1", "suffix2", "suffix3", "suffix4")
_WORD_GROUPS = (("lower",), _AFFIXES)
_WORD_DIMENSIONS = (125, 100)
#: What parsers learn: heads of words one by one, or trees.
OBJECTIVES = tuple(_kernel.GraphObjective.__members__)


_sizes = listed(whole(0, MOST_TEMPLATES), 1, MOST_TEMPLATES)
_attributes = listed(listed(text, 1, MOST_TEMPLATES), 1, MOST_TEMPLATES)


def _check_options(name: str, value: Any) -> None:
    """Refuse options of a model file that are of other types; `Biaffine` has the bounds of numbers."""
    named(plain, 100)(name, value)
    check_fields(name, value, {"groups": _attributes, "dimensions": _sizes})


@dataclass(frozen=True)
class Biaffine:
    """A bidirectional LSTM over the words of a sentence that scores arcs and labels.

    Parameters:
        groups: Attributes of words; the embeddings of a group are added up. `feats:*` is each of the most frequent
            morphological features, `xpos:*` each piece of an XPOS tag where no word of the training data has features.
        dimensions: The embedding dimension of each group.
        features: How many morphological features `feats:*` stands for.
        characters: The size of what the characters of a word say, 0 to leave them out.
        character_dimension: The embedding dimension of characters.
        filters: How many filters of each width, from 2 to 5 characters, read them.
        layers: The number of bidirectional LSTM layers.
        cells: The hidden size of each LSTM, in each direction.
        arc: The hidden size of the layer that scores arcs.
        label: The hidden size of the layer that scores labels.
        objective: "heads", the probability of each word's head; "likelihood", that of the tree among all of the class;
            "margin", a margin between the right tree and the best wrong one.
        batch: The batch size in words, about. Native training shares a batch among two threads, from 1,024 words on
            among four, from 1,536 on among one for each 256 words, an even number up to 16.
        rate: The learning rate of Adam; it rises over the first 200 batches, then falls linearly to nothing.
        group_dropout: Dropout of whole groups of a word, its characters being one.
        layer_dropout: Dropout of the outputs of each LSTM layer.
        hidden_dropout: Dropout of the layers that score arcs and labels.
        word_dropout: Replaces a form or lemma by the unknown one with this probability.
        column_dropout: The share of training sentences that lose all or some of LEMMA, UPOS, XPOS and FEATS, so that
            input without them is parsed, too.
        tag_weight: By which the loss of each predicted tag is multiplied; those of heads and labels count one.
    """

    groups: tuple[tuple[str, ...], ...] = (("lower",), ("lemma", "upos"), ("xpos", "xpos:*", "feats:*"))
    dimensions: tuple[int, ...] = (125, 100, 100)
    features: int = 100
    characters: int = 125
    character_dimension: int = 32
    filters: int = 64
    layers: int = 2
    cells: int = 200
    arc: int = 256
    label: int = 128
    objective: str = "heads"
    batch: int = 1000
    rate: float = 0.002
    group_dropout: float = 0.33
    layer_dropout: float = 0.33
    hidden_dropout: float = 0.33
    word_dropout: float = 0.2
    column_dropout: float = 0.02
    tag_weight: float = 1.0
    name: ClassVar[str] = "biaffine"
    fields: ClassVar[Mapping[str, Check]] = {
        "network": _check_options,
        "group_sizes": _sizes,
        "characters": lambda name, value: plain(name, value),
    }
    depends_on_epochs: ClassVar[bool] = True
    default_prune: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        given = self.groups if isinstance(self.groups, (list, tuple)) else ()
        groups = tuple(tuple(group) for group in given if isinstance(group, (list, tuple)))
        if not groups or len(groups) != len(self.groups) or not all(groups):
            raise ParserError(f"groups are lists of attributes of words, at least one in each, not {self.groups!r}")
        if not isinstance(self.dimensions, (list, tuple)):
            raise ParserError(f"dimensions is a list of whole numbers, one for each group, not {self.dimensions!r}")
        object.__setattr__(self, "groups", groups)
        object.__setattr__(self, "dimensions", tuple(self.dimensions))
        if len(self.dimensions) != len(groups):
            raise ParserError(f"{len(groups)} groups of attributes need as many dimensions, not {len(self.dimensions)}")
        for dimension in self.dimensions:
            checked_whole("dimensions", dimension)
        check_numbers(self, _NUMBERS)
        if not self.word_dropout < 1:
            raise ParserError(f"word_dropout is a share of words, below 1, not {self.word_dropout}")
        if self.objective not in OBJECTIVES:
            raise ParserError(f"the objective is one of {', '.join(OBJECTIVES)}, not {self.objective!r}")

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Biaffine:
        """Make it of options by name, as a command line has them; unknown ones are refused."""
        return make_options(cls, cls.name, [one.name for one in fields(cls)], options)

    def to_dict(self) -> dict[str, Any]:
        """Return all options as plain data; the weight of tags only where it is not the default."""
        data = {**asdict(self), "groups": [list(group) for group in self.groups], "dimensions": list(self.dimensions)}
        if self.tag_weight == type(self).tag_weight:
            del data["tag_weight"]
        return data

    record = to_dict

    def predicting(self, columns: Sequence[str]) -> Biaffine:
        """Return options for a network that predicts these columns: the default groups become words and affixes.

        Other groups that read a predicted column are refused.
        """
        if (self.groups, self.dimensions) == (type(self).groups, type(self).dimensions):
            return replace(self, groups=_WORD_GROUPS, dimensions=_WORD_DIMENSIONS)
        read = sorted({column_of(attribute) for group in self.groups for attribute in group} & set(columns))
        if read:
            raise ParserError(f"a column is predicted or read, not both: leave {', '.join(read)} out of the groups")
        return self

    @staticmethod
    def epochs_for(words: int) -> int:
        """Return how many epochs training data of so many words ask for: the fewer words, the more epochs."""
        return int(np.clip(round(20 * (200_000 / max(words, 1)) ** 0.5), 12, 80))

    def definition(self, labels: int, treebank: Treebank, cutoff: int, tags: Tags = NO_TAGS) -> BiaffineDefinition:
        """Return the definition of a model for so many labels and these tags, with the vocabularies of training data.

        `cutoff`: how often forms, lemmas and affixes must occur.
        """
        treebank = with_normal_forms(treebank) if tags else treebank
        known: dict[str, tuple[str, ...]] = {}
        sizes: list[int] = []
        for group in self.groups:
            found: dict[str, tuple[str, ...]] = {}
            for attribute in group:
                least = cutoff if attribute in _LEXICAL or attribute in _AFFIXES else 1
                found |= Vocabularies.fit(treebank, (attribute,), cutoff=least, features=self.features).known
            if both := sorted(set(known) & set(found)):
                raise ParserError(f"an attribute is in one group, not in several: {', '.join(both)}")
            known |= found
            sizes.append(len(found))
        characters = Characters.fit(treebank) if self.characters else None
        return BiaffineDefinition(labels, Vocabularies(known), tuple(sizes), characters, self, tags)

    @classmethod
    def definition_from_dict(
        cls, data: Mapping[str, Any], labels: int, vocabularies: Vocabularies, tags: Tags = NO_TAGS
    ) -> BiaffineDefinition:
        """Return the definition whose `to_dict` a model file has."""
        network = cls.from_options(data["network"])
        sizes = tuple(data["group_sizes"])
        if len(sizes) != len(network.groups) or sum(sizes) != len(vocabularies.names):
            raise ParserError(f"the groups of the network do not fit its {len(vocabularies.names)} attributes")
        characters = Characters(data["characters"]) if network.characters else None
        return BiaffineDefinition(labels, vocabularies, sizes, characters, network, tags)


@dataclass(frozen=True)
class BiaffineDefinition:
    """The shape of a network: its options, with vocabularies and the number of labels."""

    labels: int
    vocabularies: Vocabularies
    #: How many attributes each group has; those of a group follow each other.
    group_sizes: tuple[int, ...]
    characters: Characters | None
    scorer: Biaffine
    #: What is predicted of words beside their heads.
    tags: Tags = NO_TAGS

    def inputs(self, treebank: Treebank) -> SentenceInputs:
        """Return what the network reads of a treebank; where it predicts tags, forms in one spelling."""
        treebank = with_normal_forms(treebank) if self.tags else treebank
        return SentenceInputs.of(treebank, self.vocabularies, self.characters)

    @property
    def shape(self) -> _kernel.GraphShape:
        """The sizes of the network, as the kernel takes them."""
        one, values = self.scorer, list(self.vocabularies.sizes)
        ends = np.cumsum(self.group_sizes).tolist()
        groups = [
            (values[end - size : end], dimension)
            for end, size, dimension in zip(ends, self.group_sizes, one.dimensions, strict=True)
            if size
        ]
        return _kernel.GraphShape(
            groups=groups,
            characters=0 if self.characters is None else self.characters.size,
            character_dimension=one.character_dimension,
            filters=one.filters,
            character_outputs=one.characters,
            layers=one.layers,
            cells=one.cells,
            arc=one.arc,
            label=one.label,
            labels=self.labels,
            tags=self.tags.sizes,
        )

    @property
    def dimensions(self) -> tuple[int, ...]:
        """The embedding dimension of each attribute."""
        return tuple(np.repeat(self.scorer.dimensions, self.group_sizes).tolist())

    def columns(self) -> list[list[int]]:
        """Return, for each column that input may lack, the attributes that come from it."""
        return column_families(self.vocabularies.names)

    @property
    def lexical_columns(self) -> int:
        """How many of the first attributes are forms or lemmas."""
        names = self.vocabularies.names
        return next((at for at, name in enumerate(names) if name not in _LEXICAL), len(names))

    def model_of_weights(self, weights: Sequence[Floats], scales: Sequence[Floats] = ()) -> BiaffineModel:
        """Return the model with these weights; `scales`: of the columns of matrices that are bytes."""
        try:
            native = _kernel.GraphModel(self.shape, weights=list(weights), scales=list(scales))
        except (MemoryError, TypeError, ValueError) as error:
            raise ParserError(f"the weights do not fit the parser that the model describes ({error})") from error
        return BiaffineModel(native, self.dimensions, self.tags.sizes)

    def model(self, arrays: Mapping[str, AnyArray]) -> BiaffineModel:
        """Return the model whose `arrays` these are."""
        weights = weights_of_arrays(arrays)
        return self.model_of_weights(weights, scales_of_arrays(arrays, len(weights)))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for a model file, without the vocabularies."""
        return {
            "scorer": self.scorer.name,
            "network": self.scorer.to_dict(),
            "group_sizes": list(self.group_sizes),
            "characters": "" if self.characters is None else self.characters.known,
        }

    def summary(self) -> dict[str, Any]:
        """Return what `crossarc info` says about it."""
        predicted = {"predicts": [column.upper() for column in self.tags.columns]} if self.tags else {}
        return {"scorer": self.scorer.name, "layers": self.scorer.layers, "cells": self.scorer.cells, **predicted}
