"""What the tests of parsers share: every system with every encoding that fits it, a small network, and plain scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

import crossarc as xa
from crossarc.encodings import SCHEMES, Encoding
from crossarc.parsers import Network

_TREES = [
    *("arc-standard", "arc-standard-stack", "arc-eager", "arc-hybrid", "planar", "planar-projective", "2-planar"),
    *("3-planar", "covington", "covington-projective", "swap", "attardi-2", "attardi-3", "easy-first"),
]
_LINKS = ["undirected-planar", "undirected-2-planar", "undirected-3-planar", "undirected-covington"]

#: Every system that builds trees or links, by name, with every encoding that fits it.
ENCODINGS: list[tuple[str, Encoding | None]] = [
    *((name, None) for name in _TREES),
    *(("arc-eager", xa.PseudoProjective(scheme)) for scheme in SCHEMES),
    ("2-planar", xa.PseudoProjective("head")),
    ("easy-first", xa.PseudoProjective("head+path")),
    *((name, xa.Undirected(way)) for name in _LINKS for way in ("label", "naive")),
    ("undirected-planar", xa.Undirected("label-strict")),
    ("undirected-planar", xa.Undirected("label").after(xa.PseudoProjective("head"))),
]

#: A network that learns the sample in seconds.
SMALL = Network(
    groups=(("lower", "suffix2"), ("upos", "xpos", "feats", "feats:*")),
    embedding_sizes=(16, 16),
    hidden_size=16,
    transition_hidden_size=32,
    label_hidden_size=32,
    batch_sentences=4,
    learning_rate=0.01,
)
WITHOUT_DROPOUT = replace(SMALL, input_dropout=0.0, layer_dropout=0.0, hidden_dropout=0.0, word_dropout=0.0)
#: One that has all that deep networks have.
SMALL_DEEP = Network.deep(
    embedding_sizes=(16, 16),
    character_size=8,
    character_embedding_size=8,
    filters=4,
    hidden_size=16,
    transition_hidden_size=32,
    label_hidden_size=32,
    batch_words=60,
    learning_rate=0.01,
    group_dropout=0.1,
    layer_dropout=0.1,
    hidden_dropout=0.1,
)

#: The same of a graph parser.
SMALL_GRAPH = xa.Biaffine(
    embedding_sizes=(16, 16, 16),
    character_size=8,
    character_embedding_size=8,
    filters=4,
    hidden_size=24,
    arc_hidden_size=24,
    label_hidden_size=16,
    batch_words=120,
    learning_rate=0.01,
    group_dropout=0.1,
    layer_dropout=0.1,
    hidden_dropout=0.1,
)

#: One that reads words alone, to predict tags.
SMALL_WORDS = replace(
    SMALL_GRAPH,
    groups=(("lower",), ("prefix1", "prefix2", "suffix1", "suffix2", "suffix3")),
    embedding_sizes=(16, 16),
)

#: A parser of each kind, for the faults that both refuse in the same words.
BOTH_KINDS: dict[str, Callable[..., xa.TrainableParser]] = {
    "transition": lambda **options: xa.TransitionParser("arc-eager", scorer=SMALL, **options),
    "graph": lambda **options: xa.GraphParser("projective", network=SMALL_GRAPH, **options),
}


def las(gold: xa.Treebank, parsed: xa.Treebank) -> float:
    """The labelled attachment score, from 0 to 1."""
    same = [one == other for one, other in zip(gold.texts("deprel"), parsed.texts("deprel"), strict=True)]
    return float(((gold.head == parsed.head) & np.array(same)).mean())


def baseline(gold: xa.Treebank) -> float:
    """The score of attaching every word to the one before it, with the best label for all."""
    starts = np.repeat(gold.word_offsets[:-1], np.diff(gold.word_offsets))
    before = np.arange(gold.words) - starts
    return float((before == gold.head).mean())
