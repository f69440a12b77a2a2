"""A plain model of arcs, trained here so that decoders can be measured on what a trained model says.

Each word chooses its head: the probabilities are a softmax over the sums of weights of features of head and dependent
(forms, tags, morphology, their neighbours, what stands between, distance), in one hashed table, learned by AdaGrad. A
sentence of n words costs O(n²). It is no good parser, and need not be one.
"""

from __future__ import annotations

import tempfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import crossarc as xa

TABLE = 1 << 21
EPOCHS = 4
MOST_SENTENCES = 6000
RATE = 0.3
Ints = NDArray[np.int64]
Scores = NDArray[np.float32]
# Which codes of a word make up a feature, those of the head and of the dependent; every one is also told the distance.
TEMPLATES = (
    ("tag", "tag"),
    ("form", "tag"),
    ("tag", "form"),
    ("form", "form"),
    ("morphology", "tag"),
    ("tag", "morphology"),
    ("morphology", "morphology"),
    ("tag+next", "previous+tag"),
    ("previous+tag", "tag+next"),
    ("tag+next", "tag+next"),
    ("previous+tag", "previous+tag"),
    ("none", "form"),
    ("form", "none"),
)


class ArcModel:
    """The weights, and how sentences look to them."""

    def __init__(self) -> None:
        """Begin with weights of zero."""
        self.weights = np.zeros(TABLE, np.float32)

    def train(self, treebank: xa.Treebank) -> None:
        """Learn from the first sentences of a treebank."""
        squares = np.full(TABLE, 1e-6, np.float32)
        sentences = list(codes_of(treebank))[:MOST_SENTENCES]
        order = np.random.default_rng(1)
        for _ in range(EPOCHS):
            for place in order.permutation(len(sentences)).tolist():
                codes, heads = sentences[place]
                features = features_of(codes)
                errors = np.exp(self.scores_of(features))
                errors[heads, np.arange(1, len(heads) + 1)] -= 1
                errors[:, 0] = 0
                wrong = np.abs(errors) > 0.002
                used = features[wrong].ravel()
                slopes = np.repeat(errors[wrong], features.shape[-1])
                np.add.at(squares, used, slopes**2)
                np.subtract.at(self.weights, used, RATE * slopes / np.sqrt(squares[used]))

    def scores_of(self, features: Ints) -> Scores:
        """Logarithms of the probabilities of heads."""
        scores: Any = self.weights[features].sum(axis=-1)
        np.fill_diagonal(scores, -np.inf)
        scores -= scores.max(axis=0)
        scores -= np.log(np.exp(scores).sum(axis=0))
        return np.asarray(scores, np.float32)


def codes_of(treebank: xa.Treebank) -> Any:
    """For each sentence the codes of its words and of 0, by what they tell, and its heads."""
    columns = {name: hashed(treebank.texts(name)) for name in ("form", "upos", "xpos", "feats")}
    heads = treebank.head
    for start, stop in zip(treebank.word_offsets[:-1].tolist(), treebank.word_offsets[1:].tolist(), strict=True):
        words = {name: np.concatenate(([7], column[start:stop])) for name, column in columns.items()}
        tag = words["upos"]
        codes = {
            "none": np.zeros_like(tag),
            "tag": tag,
            "form": words["form"],
            "morphology": 31 * words["xpos"] + words["feats"],
            "tag+next": 37 * tag + np.append(tag[1:], 11),
            "previous+tag": 41 * tag + np.concatenate(([13], tag[:-1])),
        }
        if stop > start:
            yield codes, heads[start:stop]


def hashed(texts: list[str]) -> Ints:
    """A number for each text, the same in every run."""
    known = {text: zlib.crc32(text.encode()) for text in set(texts)}
    return np.array([known[text] for text in texts], np.int64)


def features_of(codes: dict[str, Ints]) -> Ints:
    """Places in the table, by head, dependent and template."""
    tag = codes["tag"]
    places = np.arange(len(tag))
    distance = places[:, None] - places
    bucket = np.sign(distance) * np.searchsorted([2, 3, 4, 6, 10, 16], np.abs(distance), side="right")
    # What stands between: how many words with the tag of the head, and with that of the dependent.
    same = np.cumsum(tag[:, None] == tag, axis=0)
    between = np.abs(same - same[places, places])
    crowd = np.minimum(between, 3) * 4 + np.minimum(between.T, 3)
    rows = [101 * codes[head][:, None] + 103 * codes[dependent] for head, dependent in TEMPLATES]
    rows = [row + template + 1_000_003 * (bucket + 8) for template, row in enumerate(rows)]
    rows += [rows[0] + 7_368_787 * (crowd + 1), rows[0] - 1_000_003 * (bucket + 8) + 50]
    features = np.stack(rows, axis=-1) * np.int64(0x9E3779B97F4A7C15 - (1 << 64))
    return (features >> 40) & (TABLE - 1)


def trained_scores(train: Path, test: Path) -> tuple[list[Scores], list[NDArray[np.int32]]]:
    """The score matrices of a model for all sentences of a file, and their heads. A trained model is kept for later."""
    key = f"{zlib.crc32(train.read_bytes() + Path(__file__).read_bytes()):08x}"
    kept = Path(tempfile.gettempdir()) / f"crossarc-arc-scores-{key}.npy"
    model = ArcModel()
    if kept.exists():
        model.weights = np.load(kept)
    else:
        model.train(xa.read(train))
        np.save(kept, model.weights)
    sentences = list(codes_of(xa.read(test)))
    return [model.scores_of(features_of(codes)) for codes, _ in sentences], [heads for _, heads in sentences]
