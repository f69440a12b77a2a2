"""Model files and checkpoints altered on purpose: small ones of every kind, and random changes of what they say.

Changes come with the right checksum, through `write_model_file`, so that the checks behind it see them.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

import crossarc as xa
from crossarc._arrays import AnyArray
from crossarc.encodings import Encoding
from crossarc.features.tags import PREDICTED
from crossarc.models import ModelFile
from crossarc.models.base import Scorer
from crossarc.parsers import Network, Perceptron, TrainableParser, TransitionParser
from crossarc.transitions.algebra import systems

TINY = Network(
    groups=(("lower", "suffix2"), ("upos", "feats:*")),
    embedding_sizes=(4, 4),
    features=3,
    hidden_size=4,
    transition_hidden_size=8,
    label_hidden_size=8,
    batch_sentences=4,
    learning_rate=0.01,
)
TEMPLATES = ("s0.upos+b0.upos", "s0.feats:*+b0.upos", "s0.l1.deprel", "distance(s0,b0)", "b0.form")
LINEAR = Perceptron(TEMPLATES, TEMPLATES)
MEMORY = xa.MemoryBased(TEMPLATES, split="b0.upos", split_least=20)

GRAPH = xa.Biaffine(
    groups=(("lower",), ("upos", "feats:*")),
    embedding_sizes=(4, 4),
    features=3,
    character_size=4,
    character_embedding_size=3,
    filters=2,
    hidden_size=4,
    arc_hidden_size=5,
    label_hidden_size=4,
    batch_words=30,
    learning_rate=0.01,
)
#: Of words alone: a parser with it predicts the other columns.
WORDS = replace(GRAPH, groups=(("lower",), ("suffix2", "suffix3")))

#: A system, an encoding, a scorer and a beam; of a graph parser the class of its trees in place of a system.
Kind = tuple[str, Encoding | None, Scorer | xa.Biaffine, int]
KINDS: list[Kind] = [
    ("arc-eager", None, LINEAR, 1),
    ("2-planar", None, LINEAR, 4),
    ("easy-first", None, LINEAR, 1),
    ("arc-eager", xa.PseudoProjective("head+path"), LINEAR, 1),
    ("undirected-2-planar", xa.Undirected("label"), LINEAR, 1),
    ("undirected-planar", xa.Undirected("label").after(xa.PseudoProjective("head")), LINEAR, 2),
    ("2-planar-graph", None, LINEAR, 1),
    ("2-planar", None, TINY, 1),
    ("covington", None, replace(TINY, layers=2), 2),
    ("easy-first", None, TINY, 1),
    ("swap", xa.PseudoProjective("baseline"), TINY, 1),
    ("1-endpoint-crossing", None, GRAPH, 1),
    ("unrestricted", None, replace(GRAPH, character_size=0, layers=1), 1),
    ("covington", None, MEMORY, 1),
    ("2-planar", None, Perceptron(TEMPLATES, labels="joint"), 1),
    ("undirected-planar", xa.Undirected("label"), replace(MEMORY, labels="separate", label_templates=TEMPLATES), 1),
    ("projective", None, WORDS, 1),
]

_JUNK: list[Any] = [
    *(None, True, False, 0, 1, -1, 2, 3, 7, 64, 255, 1000, 2**15, 2**31, -(2**31), 2**63, 10**9, 10**30),
    *(0.5, -0.5, 1e308, -1e308, float("nan"), float("inf"), float("-inf")),
    *("", " ", "a b", "a\tb", "a\nb", "a|b", "|", "\0", "\x1b[31m", "\ud800", "_"),
    *("root", "x" * 100_000, "none", "single", "LAS"),
    *([], {}, [[]], [None], ["a", "a"], {"": ""}, {"a": {"a": {"a": []}}}, [0] * 1000, ["s0.form"] * 3000),
]


def with_enhanced_graphs(treebank: xa.Treebank) -> xa.Treebank:
    """Write the trees into DEPS, and make subjects and objects dependents of their head's head as well."""
    deps = []
    for sentence in treebank:
        heads = [0, *sentence.heads.tolist()]
        for head, relation in zip(heads[1:], sentence.deprels, strict=True):
            arcs = {(head, relation)}
            if relation in ("nsubj", "obj", "conj") and heads[head]:
                arcs.add((heads[head], f"{relation}:far"))
            deps.append("|".join(f"{one}:{label}" for one, label in sorted(arcs)))
    return treebank.replace(deps=deps)


@cache
def _training_data() -> xa.Treebank:
    return with_enhanced_graphs(xa.sample(12, seed=1))


def tiny_parser(kind: Kind, **options: Any) -> TrainableParser:
    """A parser that learnt a little from a few sentences."""
    system, encoding, scorer, beam = kind
    parser: TrainableParser
    if isinstance(scorer, xa.Biaffine):
        parser = xa.GraphParser(system, network=scorer, predict=PREDICTED if scorer == WORDS else ())
    else:
        parser = TransitionParser(systems.get(system), encoding=encoding, scorer=scorer, beam=beam)
    parser.train(_training_data(), **{"epochs": 1, "threads": 1, **options})
    return parser


def altered_description(rng: random.Random, description: dict[str, Any]) -> dict[str, Any]:
    """One to three changes in a description."""
    data: dict[str, Any] = json.loads(json.dumps(description))
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        _change(rng, data)
    return data


def altered_arrays(rng: random.Random, arrays: dict[str, AnyArray]) -> dict[str, AnyArray]:
    """One array changed: a number, its length, its type, its name; of texts the plain data that they hold."""
    changed = dict(arrays)
    name = rng.choice(sorted(arrays))
    array = arrays[name].copy()
    if name == "vocabularies":
        texts = json.loads(array.tobytes())
        changed[name] = np.frombuffer(json.dumps(altered_description(rng, texts)).encode(), np.uint8)
        return changed
    flat = array.reshape(-1)
    kind = rng.randrange(10)
    if kind == 0:
        del changed[name]
    elif kind == 1:
        changed[name] = flat[: rng.randrange(len(flat) + 1)]
    elif kind == 2:
        changed[name] = np.concatenate([flat, flat[: rng.randrange(1, 4)]])
    elif kind == 3:
        kinds = ("float16", "float32", "float64", "int8", "uint16", "int32", "int64")
        with np.errstate(over="ignore", invalid="ignore"):
            changed[name] = array.astype(rng.choice(kinds))
    elif kind == 4 and array.dtype.kind == "f" and len(flat):
        flat[rng.randrange(len(flat))] = rng.choice((np.nan, np.inf, -np.inf, 0.0, np.finfo(array.dtype).max))
        changed[name] = array
    elif kind == 5 and array.dtype.kind in "iu" and len(flat):
        limits = np.iinfo(array.dtype)
        flat[rng.randrange(len(flat))] = rng.choice((limits.min, limits.max, 0, 1, limits.max // 2))
        changed[name] = array
    elif len(flat):
        bytes_of = flat.view(np.uint8)
        for _ in range(rng.randint(1, 4)):
            bytes_of[rng.randrange(len(bytes_of))] = rng.randrange(256)
        changed[name] = array
    return changed


def altered_file(rng: random.Random, file: ModelFile) -> ModelFile:
    """A file with another description, mostly, or with other arrays."""
    if rng.random() < 0.75:
        return ModelFile(altered_description(rng, file.description), file.arrays)
    return ModelFile(file.description, altered_arrays(rng, file.arrays))


def _places(data: Any) -> Iterator[tuple[Any, Any]]:
    """Every member of plain data: what it is in, and its key or place there."""
    for key in list(data) if isinstance(data, dict) else range(len(data)):
        yield data, key
        if isinstance(data[key], (dict, list)):
            yield from _places(data[key])


def _change(rng: random.Random, data: dict[str, Any]) -> None:
    places = list(_places(data))
    if not places:
        return
    # Short lists and single values as often as the members of long ones.
    depth = rng.randrange(3)
    top = rng.choice(sorted(data))
    inside = list(_places(data[top])) if depth and isinstance(data[top], (dict, list)) else []
    within: Any
    key: Any
    within, key = rng.choice(inside) if inside else (data, top) if depth else rng.choice(places)
    value = within[key]
    kind = rng.randrange(10)
    if kind == 0:
        del within[key]
    elif kind == 1 and isinstance(within, list):
        within.insert(key, json.loads(json.dumps(within[rng.randrange(len(within))])))
    elif kind == 1:
        within[rng.choice(("extra", "", "type", "position", "depth", "labels"))] = deepcopy(rng.choice(_JUNK))
    elif kind == 2 and isinstance(within, list):
        other = rng.randrange(len(within))
        within[key], within[other] = within[other], within[key]
    elif kind == 3 and isinstance(value, (int, float)) and not isinstance(value, bool):
        within[key] = rng.choice((value + 1, value - 1, -value, value * 1000, float(value), str(value)))
    elif kind == 3 and isinstance(value, str):
        within[key] = rng.choice((value + " ", value.upper(), value[:-1], value * 2, value + "\u00a0", [value]))
    elif kind == 4:
        donor, place = rng.choice(places)
        within[key] = json.loads(json.dumps(donor[place]))
    else:
        within[key] = deepcopy(rng.choice(_JUNK))


#: Altered files are tried in so many tests, which the processes of a run share.
PARTS = 4


def numbers_of_part(part: int, share: float, usual: int) -> range:
    """The numbers of the altered files that a part tries: of `usual`, or of this share of CROSSARC_FUZZ, if more."""
    count = max(usual, int(share * int(os.environ.get("CROSSARC_FUZZ", "0"))))
    return range(part * count // PARTS, (part + 1) * count // PARTS)
