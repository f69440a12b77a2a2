"""Trains what says by words where sentences end (`crossarc.text.word_boundaries`): a minute with torch on a CPU.

The parser of a model reads the paragraphs of its treebank as if they were sentences, as they are and altered as texts
of segmenters are; a network with one hidden layer learns from what its encoder says of two neighbours whether a
sentence ends between them. `train.py` does so for recipes with `sentences_by_words`, and `--again words` once more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from recipe import Recipe
from torch import Tensor, nn

import crossarc as xa
from crossarc.text.alterations import altered
from crossarc.text.boundaries import Paragraph, gather_paragraphs
from crossarc.text.insertions import Abbreviation
from crossarc.text.surface import surface_sentences
from crossarc.text.word_boundaries import WordNetwork, encoded_words

#: Words that are read together, and how many of them on each side for what stands between only.
WINDOW, OVERLAP = 80, 20
#: Versions of the treebank: as it is, and altered.
VERSIONS = 2
HIDDEN_SIZE, DROPOUT, EPOCHS, BATCH, RATE, WEIGHT_DECAY = 64, 0.3, 6, 512, 0.001, 1e-5


def paragraph_words(paragraph: Paragraph) -> tuple[list[str], list[bool]]:
    """Return the words of a paragraph, and whether a sentence ends with each."""
    words: list[str] = []
    ends: list[bool] = []
    for sentence in paragraph:
        of_sentence = list(chain.from_iterable(token.words for token in sentence))
        words += of_sentence
        ends += [False] * (len(of_sentence) - 1) + [True]
    return words, ends


def windows(length: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield where windows begin and end, and from where to where their words are learnt from."""
    step = WINDOW - 2 * OVERLAP
    for first in range(0, length, step):
        last = min(first + step, length)
        yield max(0, first - OVERLAP), min(last + OVERLAP, length), first, last


def states_of_words(parser: xa.GraphParser, texts: Sequence[Sequence[str]], threads: int) -> NDArray[Any]:
    """Return what the encoder says of the words of paragraphs, in 16 bits: they are many."""
    cut = [(text, *window) for text in texts for window in windows(len(text))]
    states = encoded_words(parser, [text[begin:end] for text, begin, end, _, _ in cut], threads).astype(np.float16)
    begins = np.cumsum([0, *(end - begin for _, begin, end, _, _ in cut)]).tolist()
    kept = [
        np.arange(at + first - begin, at + last - begin)
        for at, (_, begin, _, first, last) in zip(begins, cut, strict=False)
    ]
    learnt_from: NDArray[Any] = states[np.concatenate(kept)]
    return learnt_from


def examples(parser: xa.GraphParser, recipe: Recipe, train: xa.Treebank, threads: int) -> tuple[Tensor, Tensor]:
    """Return what the encoder says of each two neighbours, and whether a sentence ends between them."""
    paragraphs = gather_paragraphs(surface_sentences(train), most=len(train))
    abbreviations = [Abbreviation.parse(each) for each in recipe.segmenter.get("abbreviations", ())]
    neighbours, between = [], []
    for version in range(VERSIONS):
        random = np.random.default_rng(version)
        read = [
            paragraph_words(altered(paragraph, random, abbreviations, len(train)) if version else paragraph)
            for paragraph in paragraphs
        ]
        states = states_of_words(parser, [words for words, _ in read], threads)
        last = np.cumsum([len(words) for words, _ in read]) - 1
        inner = np.delete(np.arange(len(states)), last)  # with a neighbour in the same paragraph
        neighbours.append(np.concatenate([states[inner], states[inner + 1]], axis=1))
        between.append(np.array(list(chain.from_iterable(ends for _, ends in read)), np.float32)[inner])
    return torch.from_numpy(np.concatenate(neighbours)), torch.from_numpy(np.concatenate(between))


def word_network(
    parser: xa.GraphParser, recipe: Recipe, train: xa.Treebank, *, seed: int, threads: int = 0
) -> WordNetwork:
    """Train the network on a treebank; the learning rate falls to nothing."""
    read, ends = examples(parser, recipe, train, threads)
    torch.manual_seed(seed)
    hidden, output = nn.Linear(read.shape[1], HIDDEN_SIZE), nn.Linear(HIDDEN_SIZE, 1)
    network = nn.Sequential(nn.Dropout(DROPOUT), hidden, nn.ReLU(), nn.Dropout(DROPOUT), output)
    optimiser = torch.optim.Adam(network.parameters(), lr=RATE, weight_decay=WEIGHT_DECAY)
    batches = [batch for _ in range(EPOCHS) for batch in torch.randperm(len(ends)).split(BATCH)]
    for number, batch in enumerate(batches):
        for group in optimiser.param_groups:
            group["lr"] = RATE * (1 - number / len(batches))
        scores = network(read[batch].float())[:, 0]
        loss = nn.functional.binary_cross_entropy_with_logits(scores, ends[batch])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    weights = (hidden.weight.T, hidden.bias, output.weight[0], output.bias)
    return WordNetwork(*(np.ascontiguousarray(each.detach().numpy(), np.float32) for each in weights))
