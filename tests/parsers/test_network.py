"""Parsers whose transitions and labels a network scores."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossarc as xa
from crossarc.encodings import Encoding
from crossarc.features import compile_views, default_views
from crossarc.models import ModelFile, read_model_file, write_model_file
from crossarc.parsers import TransitionParser
from crossarc.transitions import load_system

from ..support.parsers import ENCODINGS, SMALL, WITHOUT_DROPOUT, baseline, las


@pytest.fixture(scope="module")
def train() -> xa.Treebank:
    return xa.sample(120, seed=1)


@pytest.fixture(scope="module")
def dev() -> xa.Treebank:
    return xa.sample(40, seed=2)


@pytest.mark.slow
@pytest.mark.kernel
@pytest.mark.parametrize(("name", "encoding"), ENCODINGS, ids=lambda value: value if isinstance(value, str) else "")
def test_every_system_learns_parses_and_comes_back(
    name: str, encoding: Encoding | None, train: xa.Treebank, dev: xa.Treebank, tmp_path: Path
) -> None:
    parser = TransitionParser(name, encoding=encoding, scorer=SMALL)
    report = parser.train(train, dev=dev, epochs=4)
    parsed = parser.parse(dev)
    score = las(dev, parsed)
    assert report.las == pytest.approx(score)
    assert score > 0.5 > baseline(dev)
    assert (np.add.reduceat(parsed.head == 0, parsed.word_offsets[:-1]) == 1).all()
    assert set(parsed.texts("deprel")) <= set(train.texts("deprel"))
    parser.save(tmp_path / "m.crossarc")
    again = xa.load(tmp_path / "m.crossarc")
    assert again.parse(dev).to_bytes() == parsed.to_bytes()
    if name == "easy-first":  # which has no beam
        return
    assert again.parse(dev, beam=4).to_bytes() == parser.parse_scored(dev, beam=4).treebank.to_bytes()
    assert again.parse_scored(dev, beam=1).treebank.to_bytes() == parsed.to_bytes()


@pytest.mark.parametrize("layers", [1, 2])
def test_it_learns_a_few_sentences_by_heart(layers: int) -> None:
    """If a gradient were wrong anywhere on the way down to the embeddings, it could not."""
    few = xa.sample(25, seed=3)
    parser = TransitionParser("covington", scorer=replace(WITHOUT_DROPOUT, layers=layers))
    parser.train(few, epochs=60)
    assert las(few, parser.parse(few)) > 0.99


@pytest.mark.kernel
def test_threads_and_the_company_of_a_sentence_change_nothing(train: xa.Treebank, dev: xa.Treebank) -> None:
    parsers = [TransitionParser("2-planar", scorer=replace(SMALL, batch=24)) for _ in range(2)]
    for threads, parser in enumerate(parsers, start=1):
        parser.train(train, epochs=2, threads=threads)
    first, second = (parser.parse(dev, threads=1).to_bytes() for parser in parsers)
    assert first == second
    assert parsers[0].parse(dev, threads=3).to_bytes() == first
    assert parsers[0].parse(dev, beam=3, threads=2).to_bytes() == parsers[0].parse(dev, beam=3, threads=1).to_bytes()
    alone = [parsers[0].parse(dev[place : place + 1]).head.tolist() for place in range(len(dev))]
    together = parsers[0].parse(dev)
    assert alone == [together[place].heads.tolist() for place in range(len(dev))]


def test_broken_off_training_goes_on_to_the_same_model(train: xa.Treebank, dev: xa.Treebank, tmp_path: Path) -> None:
    class StoppedError(Exception):
        pass

    whole, broken, resumed = (TransitionParser("arc-eager", scorer=SMALL) for _ in range(3))
    whole.train(train, dev=dev, epochs=3)
    whole.save(tmp_path / "whole")
    checkpoint = tmp_path / "m.checkpoint"

    def stop_in_second(epoch: int, done: int, of: int) -> None:
        if epoch == 2:
            raise StoppedError

    with pytest.raises(StoppedError):
        broken.train(train, dev=dev, epochs=3, checkpoint=checkpoint, on_progress=stop_in_second)
    resumed.train(train, dev=dev, epochs=3, checkpoint=checkpoint, resume=True)
    resumed.save(tmp_path / "resumed")
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "resumed").read_bytes()
    with pytest.raises(xa.ParserError, match="number of epochs differ"):
        TransitionParser("arc-eager", scorer=SMALL).train(train, dev=dev, epochs=4, checkpoint=checkpoint, resume=True)


def test_eight_bits_are_smaller_and_nearly_as_good(train: xa.Treebank, dev: xa.Treebank, tmp_path: Path) -> None:
    parser = TransitionParser("arc-eager", scorer=replace(SMALL, lexical_length=64))
    parser.train(train, epochs=4)
    parser.save(tmp_path / "whole")
    parser.save(tmp_path / "small", bits=8)
    assert (tmp_path / "small").stat().st_size < 0.75 * (tmp_path / "whole").stat().st_size
    small = xa.load(tmp_path / "small")
    assert abs(las(dev, small.parse(dev)) - las(dev, parser.parse(dev))) < 0.01
    with pytest.raises(xa.ParserError, match="8 or 16 bits"):
        parser.save(tmp_path / "none", bits=4)
    assert not (tmp_path / "none").exists()


@pytest.mark.kernel
def test_a_description_or_weights_that_make_no_sense_are_refused(train: xa.Treebank, tmp_path: Path) -> None:
    parser = TransitionParser("arc-eager", scorer=SMALL)
    parser.train(train[:20], epochs=1)
    path = tmp_path / "m.crossarc"
    parser.save(path)
    file = read_model_file(path)
    network = file.description["network"]
    changed: list[dict[str, Any]] = [
        {"views": ["s0.form"]},
        {"views": ["s0.frm"]},
        {"lexical_columns": 0},
        {"lexical_columns": 99},
        {"scorer": "oracle"},
        {"network": {**network, "cells": 17}},
        {"network": {**network, "cells": 10**9}},
        {"network": {**network, "layers": 2}},
        {"network": {"cells": 16}},
    ]
    for change in changed:
        write_model_file(path, ModelFile({**file.description, **change}, file.arrays))
        with pytest.raises(xa.FileError, match=r"m\.crossarc: "):
            xa.load(path)
    for name in file.arrays:
        without = {key: array for key, array in file.arrays.items() if key != name}
        shorter = {**file.arrays, name: file.arrays[name][:-1]}
        for arrays in (without, shorter):
            write_model_file(path, ModelFile(file.description, arrays))
            with pytest.raises(xa.FileError, match=r"m\.crossarc: "):
                xa.load(path)


@pytest.mark.kernel
def test_unknown_words_and_long_sentences_parse(train: xa.Treebank) -> None:
    parser = TransitionParser("2-planar", scorer=SMALL)
    parser.train(train[:20], epochs=1)
    assert len(parser.parse(["?"])) == 1
    long = parser.parse_batch([["word"] * 3000, ["a"], ["b", "c"]])
    assert [len(sentence) for sentence in long] == [3000, 1, 2]
    assert (np.add.reduceat(long.head == 0, long.word_offsets[:-1]) == 1).all()


def test_what_is_looked_at_goes_with_the_system() -> None:
    assert default_views(load_system("2-planar"))[:3] == ["s0", "t0", "b0"]
    assert default_views(load_system("covington"))[:3] == ["s0", "a0", "b0"]
    assert "distance(s1,s0)" in default_views(load_system("swap-eager"))
    features = compile_views(["s0", "b0.l1", "distance(s0,b0)"])
    assert features.addresses == [(0, 0, 0, 0), (2, 0, 2, 0), (2, 0, 0, 0)]
    assert features.atoms == [(0, 6, 2)]


@pytest.mark.parametrize(
    "options",
    [
        {"cells": 0},
        {"layers": 9},
        {"rate": 0.0},
        {"layer_dropout": 1.0},
        {"batch": 0},
        {"views": ("s0.form",)},
        {"lexical": ()},
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(xa.CrossarcError):
        replace(SMALL, **options)  # type: ignore[arg-type]


def test_an_attribute_is_of_one_kind(train: xa.Treebank) -> None:
    with pytest.raises(xa.ParserError, match="not both"):
        TransitionParser("planar", scorer=replace(SMALL, lexical=("upos",))).train(train, epochs=1)
    with pytest.raises(xa.ParserError, match="network, perceptron"):
        TransitionParser("planar", scorer="guess")
