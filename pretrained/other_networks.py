"""Trains the other networks of a segmenter, which are asked where the first is in doubt: minutes, with torch on a GPU.

They are to be wrong elsewhere than the first: before the treebank they learn from well-edited texts, whose final stops
are left out in two of five sentences, and whose capitals now and then, and they read paragraphs behind each other. They
are smaller than the first: embeddings of 32 instead of 48, of pairs that are there ten times instead of three. F1 of
the sentences of dev, English: the first alone 90.3, with one of them 90.7 on average, with two 91.2, with four 91.4 to
91.7, with eight 91.6. They are joined with the segmenter of the model that is there, or with `--first`; `train.py` does
so with the one that it trains.

    python pretrained/other_networks.py en --texts texts/en -o segmenters/en.segmenter.crossarc --device cuda
    python pretrained/train.py --only en --again segmenter --segmenters segmenters

Texts are those of `repository_texts.py`, plain or packed (*.txt.xz); CROSSARC_TREEBANKS has the treebanks.
"""

from __future__ import annotations

import argparse
import itertools
import lzma
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import raw_sentences
import torch
from numpy.typing import NDArray
from recipe import Recipe, read_recipe
from torch import Tensor, nn

import crossarc as xa
from crossarc.text import Pipeline, Segmenter, SegmenterOptions, alterations
from crossarc.text.alterations import altered
from crossarc.text.boundaries import CLASSES, Paragraph, classified, gather_paragraphs
from crossarc.text.insertions import Abbreviation
from crossarc.text.network import NetworkBoundaries, NetworkDefinition
from crossarc.text.surface import PARAGRAPH, surface_sentences
from crossarc.text.unicode import Alphabet

Array = NDArray[Any]
#: Epochs over parts of the texts, and over versions of the treebank.
RAW_PARTS, EPOCHS, VERSIONS = 16, 24, 8
#: How many networks there are, how large the embeddings of their characters are, and how often those must be there.
NETWORKS, EMBEDDING_SIZE, CUTOFF = 4, 32, 10
#: How often final stops are left out of sentences of texts, and paragraphs of texts are in small letters.
WITHOUT_STOP, IN_SMALL_LETTERS = 0.4, 0.2
BATCH, RATE, WARM_UP, LONGEST_GRADIENT = 16_000, 0.005, 200, 5.0


class Stream(NamedTuple):
    """Paragraphs behind each other, with empty lines between: a row for each character, and its class."""

    values: Array
    classes: Array


def stream(paragraphs: Sequence[Paragraph], alphabet: Alphabet) -> Stream:
    """Return the stream of paragraphs."""
    texts = [classified(paragraph) for paragraph in paragraphs]
    between = np.zeros(len(PARAGRAPH), np.int32)
    classes = np.concatenate([part for text in texts for part in (text.classes, between)])
    return Stream(alphabet.values("".join(text.text + PARAGRAPH for text in texts)), classes)


class Network(nn.Module):
    """The network of a segmenter (`crossarc.text.network`)."""

    def __init__(self, alphabet: Alphabet, options: SegmenterOptions) -> None:
        """Make the parameters."""
        super().__init__()
        self.options, hidden = options, options.hidden_size
        widths = (*[options.embedding_size] * 3, 8)
        sizes = zip(alphabet.sizes, widths, strict=True)
        self.embeddings = nn.ModuleList(nn.Embedding(*each, padding_idx=0) for each in sizes)
        for embedding in self.embeddings:
            nn.init.normal_(embedding.weight, std=0.1)
            embedding.weight.data[0] = 0
        self.lstm = nn.LSTM(options.embedding_size + 8, hidden, bidirectional=True, batch_first=True)
        for name, parameter in self.lstm.named_parameters():
            if "bias" in name:
                parameter.data.zero_()
                parameter.data[hidden : 2 * hidden] = 1 if "bias_ih" in name else 0  # at first nothing is forgotten
        self.output = nn.Linear(2 * hidden, CLASSES)

    def forward(self, values: Tensor) -> Tensor:
        """Return the scores of classes, window × character × class."""
        *characters, category = (embedding(values[:, :, column]) for column, embedding in enumerate(self.embeddings))
        read, _ = self.lstm(torch.cat([sum(characters), category], 2))
        if self.training:
            share = self.options.layer_dropout
            kept = torch.rand(read.shape[0], 1, read.shape[2], device=read.device) >= share
            read = read * kept / (1 - share)
        return self.output(read)

    def weights(self) -> dict[str, Array]:
        """Return the parameters as the kernel has them: its gates are input, forget, output, candidate."""

        def gates(name: str) -> Array:
            parts = np.split(getattr(self.lstm, name).detach().cpu().numpy(), 4)
            return np.concatenate([parts[gate] for gate in (0, 1, 3, 2)])

        arrays = {f"encoder.embeddings.{column}": each.weight for column, each in enumerate(self.embeddings)}
        arrays |= {"tags.weights": self.output.weight.T, "tags.bias": self.output.bias[None]}
        weights = {name: values.detach().cpu().numpy() for name, values in arrays.items()}
        for direction, suffix in (("forward", ""), ("backward", "_reverse")):
            before = f"encoder.lstm.0.{direction}"
            weights[f"{before}.input"] = gates(f"weight_ih_l0{suffix}").T
            weights[f"{before}.recurrent"] = gates(f"weight_hh_l0{suffix}").T
            weights[f"{before}.bias"] = (gates(f"bias_ih_l0{suffix}") + gates(f"bias_hh_l0{suffix}"))[None]
        return {name: np.ascontiguousarray(values, np.float32) for name, values in weights.items()}


def learn(
    network: Network,
    streams: Iterable[Stream],
    epochs: int,
    random: np.random.Generator,
) -> None:
    """Learn from a stream in each epoch, in windows that begin anywhere; the learning rate falls to nothing."""
    optimiser = torch.optim.Adam(network.parameters(), lr=RATE, betas=(0.9, 0.98))
    device, window = next(network.parameters()).device, network.options.window
    done, total = 0, 0
    for _, drawn in zip(range(epochs), streams, strict=False):
        values, classes = (each.to(device) for each in _windows(drawn, window, random))
        batches = torch.from_numpy(random.permutation(len(values))).to(device).split(BATCH // window)
        total = total or len(batches) * epochs
        for batch in batches:
            for group in optimiser.param_groups:
                group["lr"] = RATE * min(1, (done + 1) / WARM_UP) * max(0.0, 1 - done / total)
            there = classes[batch] >= 0
            scores = network(_with_unknown(values[batch], network.options.character_dropout))
            loss = nn.functional.cross_entropy(scores[there], classes[batch][there])
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), LONGEST_GRADIENT)
            optimiser.step()
            done += 1


def _windows(drawn: Stream, window: int, random: np.random.Generator) -> tuple[Tensor, Tensor]:
    """Return a stream in windows, the first of which is not filled, and the classes, -1 where there is nothing."""
    first = int(random.integers(0, window))
    stop = first + len(drawn.values)
    rows = -(-stop // window)
    values = np.zeros((rows * window, drawn.values.shape[1]), np.int64)
    classes = np.full(rows * window, -1, np.int64)
    values[first:stop], classes[first:stop] = drawn
    return torch.from_numpy(values.reshape(rows, window, -1)), torch.from_numpy(classes.reshape(rows, window))


def _with_unknown(values: Tensor, share: float) -> Tensor:
    """Make characters and pairs unknown now and then."""
    for column in range(3):
        one = values[:, :, column]
        gone = (torch.rand(one.shape, device=one.device) < share) & (one > 0)
        values[:, :, column] = torch.where(gone, torch.ones_like(one), one)
    return values


def raw_streams(folder: Path, alphabet: Alphabet) -> Iterator[Stream]:
    """Yield the parts of the texts of a folder, in an order that is always the same."""
    texts = []
    for file in sorted(folder.glob("*.txt*")):
        texts.append(lzma.decompress(file.read_bytes()).decode() if file.suffix == ".xz" else file.read_text("utf-8"))
    paragraphs = [paragraph for text in texts for paragraph in text.split("\n\n") if paragraph.strip()]
    order = np.random.default_rng(1).permutation(len(paragraphs)).tolist()
    usual = alterations._NO_FINAL_STOP, alterations._LOWER_CASE
    for part in range(RAW_PARTS):
        random = np.random.default_rng(part)
        cut = (raw_sentences.sentences(paragraphs[index]) for index in order[part::RAW_PARTS])
        alterations._NO_FINAL_STOP, alterations._LOWER_CASE = WITHOUT_STOP, IN_SMALL_LETTERS
        changed = [altered(paragraph, random) for paragraph in cut if paragraph]
        alterations._NO_FINAL_STOP, alterations._LOWER_CASE = usual
        yield stream(changed, alphabet)


def treebank_streams(recipe: Recipe, train: xa.Treebank, alphabet: Alphabet) -> list[Stream]:
    """Return the treebank, altered, in several versions."""
    paragraphs = gather_paragraphs(surface_sentences(train), most=len(train))
    abbreviations = [Abbreviation.parse(each) for each in recipe.segmenter.get("abbreviations", ())]
    versions = []
    for version in range(VERSIONS):
        random = np.random.default_rng(version)
        changed = [altered(paragraph, random, abbreviations, len(train)) for paragraph in paragraphs]
        versions.append(stream(changed, alphabet))
    return versions


def other_networks(
    recipe: Recipe, train: xa.Treebank, texts: Path, device: str, seed: int
) -> Iterator[NetworkBoundaries]:
    """Train networks, each on texts and then on the treebank."""
    options = SegmenterOptions(embedding_size=EMBEDDING_SIZE)
    paragraphs = gather_paragraphs(surface_sentences(train), most=len(train))
    alphabet = Alphabet.fit((classified(paragraph).text for paragraph in paragraphs), cutoff=CUTOFF)
    raw, versions = list(raw_streams(texts, alphabet)), treebank_streams(recipe, train, alphabet)
    for number in range(seed, seed + NETWORKS):
        torch.manual_seed(number)
        random = np.random.default_rng(number)
        network = Network(alphabet, options).to(device)
        learn(network, raw, RAW_PARTS, random)
        learn(network, itertools.cycle(versions), EPOCHS, random)
        yield NetworkDefinition(options, alphabet, inner_spaces=False).model_from_weights(network.weights())


def joined(
    segmenter: Segmenter, recipe: Recipe, train: xa.Treebank, texts: Path, *, device: str, seed: int
) -> Segmenter:
    """Return a segmenter with other networks."""
    assert isinstance(segmenter.boundaries, NetworkBoundaries)
    others = other_networks(recipe, train, texts, device, seed)
    return replace(segmenter, boundaries=segmenter.boundaries.with_others(others))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", help="of a recipe, and of the model whose segmenter gets the networks")
    parser.add_argument("--first", type=Path, help="a segmenter; default: that of the model")
    parser.add_argument("--texts", type=Path, required=True, help="the folder of texts")
    parser.add_argument("--treebanks", type=Path, default=os.environ.get("CROSSARC_TREEBANKS"))
    parser.add_argument("--device", default="cuda", help="default: cuda")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", "-o", type=Path, required=True)
    chosen = parser.parse_args()
    recipe = read_recipe(chosen.name)
    model = None if chosen.first else xa.load(chosen.name)
    segmenter = model.segmenter if isinstance(model, Pipeline) else Segmenter.load(chosen.first)
    train = recipe.part(chosen.treebanks, "train")
    joined(segmenter, recipe, train, chosen.texts, device=chosen.device, seed=chosen.seed).save(chosen.output)


if __name__ == "__main__":
    main()
