"""The trained network of a graph parser: trees and scores of sentences, and its weights in model files.

Files hold weights as `models.network.weights` does: halves of floats, or bytes if asked for. A model whose matrices are
bytes is computed with in 8 bits. O(weights).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ... import _kernel
from ..._arrays import Doubles, Floats, Ids, Offsets
from ...errors import ParserError
from ..base import SentenceInputs, check_bits
from ..model_file import Arrays
from ..network.weights import arrays_of_weights

_NO_HEADS: Ids = np.zeros(0, np.int32)


class FoundTrees(NamedTuple):
    """Trees of sentences, best first: how many of each sentence, of each tree its score, of each word the rest.

    `scores` are logarithms of the probabilities of heads, `margins` how much better each is than the best other head.
    `tags`: of each word of the sentences, a row, the class of each tag. `fallbacks`: sentences too long for the chart
    of the class, which got their best projective tree.
    """

    counts: Offsets
    totals: Doubles
    heads: Ids
    labels: Ids
    scores: Floats
    margins: Floats
    tags: Ids
    fallbacks: int


@dataclass(frozen=True, eq=False)
class BiaffineModel:
    """A network that scores arcs and labels."""

    native: _kernel.GraphModel
    #: The embedding dimension of each attribute of words: the first weights are embeddings.
    dimensions: tuple[int, ...]
    #: How many classes each tag has.
    tags: tuple[int, ...] = ()

    @property
    def weight_count(self) -> int:
        """How many weights it has."""
        return sum(one.size for one in self.native.weights())

    @property
    def arithmetic(self) -> str:
        """What its matrices are multiplied in: "int8" if they were saved with 8 bits, else "float32"."""
        return "int8" if any(len(one) for one in self.native.scales()) else "float32"

    def parse(
        self,
        inputs: SentenceInputs,
        *,
        tree_class: _kernel.TreeClass,
        single_root: bool,
        root_label: int,
        most: int = 1,
        temperature: float = 1.0,
        minimum_risk: bool = False,
        heads: Ids | None = None,
        threads: int = 0,
    ) -> FoundTrees:
        """Return the best trees of a class, at most so many of each sentence.

        `root_label`: the label that arcs from the root have, and no others; -1 for any. `heads`: those that words have
        in every tree, -1 for any; where no tree of the class has them, there is an error.
        """
        try:
            found = self.native.parse(
                *inputs,
                tree_class=tree_class,
                single_root=single_root,
                most=most,
                temperature=temperature,
                minimum_risk=minimum_risk,
                root_label=root_label,
                heads=_NO_HEADS if heads is None else heads,
                threads=threads,
            )
        except ValueError as error:
            raise ParserError(str(error)) from error
        trees = FoundTrees(*found)
        return trees._replace(tags=trees.tags.reshape(len(inputs.values), len(self.tags)))

    def arc_scores(self, inputs: SentenceInputs, threads: int = 0) -> Floats:
        """Return the logarithms of the probabilities of all arcs, matrix after matrix, as decoders take them."""
        return self.native.arc_scores(*inputs, threads=threads)

    def label_scores(self, inputs: SentenceInputs, heads: Ids, threads: int = 0) -> Floats:
        """Return the scores of the labels of arcs, a row for each word, for these heads."""
        scores = self.native.label_scores(*inputs, heads, threads=threads)
        return scores.reshape(len(heads), -1) if len(heads) else np.zeros((0, 0), np.float32)

    def tag_scores(self, inputs: SentenceInputs, threads: int = 0) -> Floats:
        """Return the scores of the classes of all tags, a row for each word, those of one tag after the other."""
        return self.native.tag_scores(*inputs, threads=threads).reshape(len(inputs.values), sum(self.tags))

    def arrays(self, bits: int = 16, prune: float = 0.0) -> Arrays:
        """Return the weights for a file, of so many bits; none can be left out. What is bytes stays so."""
        check_bits(bits)
        if prune:
            raise ParserError(f"prune is of features, and a network has none: leave it out, not {prune}")
        native = self.native
        return arrays_of_weights(native.weights(), self.dimensions, bits, native.byte_columns(), native.scales())
