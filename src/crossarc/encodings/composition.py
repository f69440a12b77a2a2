"""Two encodings, one after the other: `Undirected("label").after(PseudoProjective("head"))`.

The first makes the tree projective, the second drops the directions of its arcs, so that an undirected planar parser
can be trained on any treebank. Compositions that make no sense are refused with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.typing import ArrayLike

from ..structure.heads import Heads
from ..treebank import Treebank
from .base import DecodeReport, Encoding, EncodingError, Labels, checked_keys
from .pseudo_projective import PseudoProjective
from .undirected import Undirected
from .undirected_links import Links


@dataclass(frozen=True)
class Composition(Encoding):
    """`first` encodes the tree, `second` what came out. Made with `second.after(first)`."""

    type: ClassVar[str] = "composition"
    directed: ClassVar[bool] = False

    second: Encoding
    first: Encoding

    def __post_init__(self) -> None:
        if isinstance(self.first, Composition) or isinstance(self.second, Composition):
            raise EncodingError("a composition has two encodings: no third one makes sense after or before them")
        if isinstance(self.first, Undirected):
            what = "another undirected encoding finds no directions to drop"
            if isinstance(self.second, PseudoProjective):
                what = "arcs can only be lifted where they have a direction; put it first: undirected.after(it)"
            raise EncodingError(f"nothing can be encoded after an undirected encoding: {what}")
        if isinstance(self.second, PseudoProjective):
            raise EncodingError("after a pseudo-projective encoding trees are projective: a second one lifts nothing")

    @property
    def _parts(self) -> tuple[Undirected, PseudoProjective]:
        assert isinstance(self.second, Undirected)
        assert isinstance(self.first, PseudoProjective)
        return self.second, self.first

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the training data."""
        return self.first.labels

    @property
    def encoded_labels(self) -> tuple[str, ...]:
        """The labels that the parser predicts."""
        return self.second.encoded_labels

    def fit(self, treebank: Treebank, *, threads: int = 0) -> Composition:
        """Return the composition with the labels of this training data."""
        second, first = self._parts
        fitted = first.fit(treebank, threads=threads)
        root_label = second.fit(fitted.encode(treebank, threads=threads)).root_label
        return Composition(second.with_labels(fitted.encoded_labels, root_label), fitted)

    def encode(self, treebank: Treebank, *, threads: int = 0) -> Treebank:
        """Return what a parser should learn to build."""
        return self.second.encode(self.first.encode(treebank, threads=threads), threads=threads)

    def decode_with_report(self, treebank: Treebank, *, threads: int = 0) -> tuple[Treebank, DecodeReport]:
        """Return the trees that are meant, and what was not clear."""
        directed, report = self.second.decode_with_report(treebank, threads=threads)
        decoded, more = self.first.decode_with_report(directed, threads=threads)
        return decoded, report + more

    def encode_links(self, heads: ArrayLike, labels: ArrayLike, word_offsets: ArrayLike, *, threads: int = 0) -> Links:
        """Return the links of the projective trees, for heads and numbers of `labels`."""
        second, first = self._parts
        lifted, encoded = first.encode_arrays(heads, labels, word_offsets, threads=threads)
        return second.encode_links(lifted, encoded, word_offsets, threads=threads)

    def decode_links(self, links: Links, *, threads: int = 0) -> tuple[Heads, Labels]:
        """Return heads and numbers of `labels` for a forest of links."""
        second, first = self._parts
        heads, encoded = second.decode_links(links, threads=threads)
        return first.decode_arrays(heads, encoded, links.word_offsets, threads=threads)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for a model file."""
        return {"type": self.type, "second": self.second.to_dict(), "first": self.first.to_dict()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Composition:
        """Make the composition again from what `to_dict` gave."""
        checked_keys(data, {"second", "first"})
        return cls(from_dict(data.get("second")), from_dict(data.get("first")))


_TYPES: dict[str, type[PseudoProjective] | type[Undirected] | type[Composition]] = {
    encoding.type: encoding for encoding in (PseudoProjective, Undirected, Composition)
}


def from_dict(data: Any) -> Encoding:
    """Make an encoding again from what its `to_dict` gave."""
    if not isinstance(data, Mapping) or str(data.get("type")) not in _TYPES:
        named = data.get("type") if isinstance(data, Mapping) else type(data).__name__
        raise EncodingError(f"no such encoding: {named}; there are {', '.join(_TYPES)}")
    return _TYPES[data["type"]].from_dict(data)
