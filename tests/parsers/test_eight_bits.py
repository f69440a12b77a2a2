"""Graph parsers of eight bits: how near they are to the parser they come from, their files, and what is refused."""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import pytest

import crossarc as xa
from crossarc import _kernel
from crossarc._arrays import AnyArray
from crossarc.models import ModelFile, read_model_file, write_model_file

from ..support.parsers import SMALL_GRAPH

pytestmark = pytest.mark.kernel


@pytest.fixture(scope="module")
def dev() -> xa.Treebank:
    return xa.sample(80, seed=2)


@pytest.fixture(scope="module")
def parser(dev: xa.Treebank) -> xa.GraphParser:
    parser = xa.GraphParser(network=SMALL_GRAPH)
    parser.train(xa.sample(250, seed=1), dev=dev, epochs=10, seed=2)
    return parser


@pytest.fixture(scope="module")
def path(parser: xa.GraphParser, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "eight.crossarc"
    parser.compress(path)
    return path


@pytest.fixture(scope="module")
def small(path: Path) -> xa.GraphParser:
    small = xa.load(path)
    assert isinstance(small, xa.GraphParser)
    return small


def scores(parser: xa.GraphParser, treebank: xa.Treebank) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    assert parser.trained is not None
    return np.exp(parser.trained.model.arc_scores(parser.trained.definition.inputs(treebank)))


def test_it_finds_nearly_the_same_trees(parser: xa.GraphParser, small: xa.GraphParser, dev: xa.Treebank) -> None:
    one, other = parser.parse(dev), small.parse(dev)
    assert (one.head == other.head).mean() > 0.98
    assert (one.deprel == other.deprel).mean() > 0.98
    assert xa.evaluate(dev, other).las > xa.evaluate(dev, one).las - 0.01
    assert np.abs(scores(parser, dev) - scores(small, dev)).mean() < 0.01


def test_info_says_what_it_computes_with(parser: xa.GraphParser, small: xa.GraphParser) -> None:
    assert parser.info()["arithmetic"] == "float32"
    assert small.info()["arithmetic"] == "int8"
    assert parser.info() | {"arithmetic": "int8"} == small.info()


def test_its_file_holds_the_bytes_that_are_multiplied(
    parser: xa.GraphParser, small: xa.GraphParser, path: Path
) -> None:
    assert small.trained is not None
    arrays, network = read_model_file(path).arrays, small.trained.model.network
    found = list(network.scales())
    assert set(found) == {name for name, kept in network.storage().items() if kept == "columns"}
    # Two LSTMs in each layer with two matrices each, the projection and the arcs.
    assert len(found) == 2 * 2 * SMALL_GRAPH.layers + 2
    for name in found:
        steps, scales = arrays[f"{name}.int8"], arrays[f"{name}.column_scales"]
        assert steps.dtype == np.int8 and np.abs(steps.astype(int)).max() <= 127
        assert (network.parameters()[name] == steps * scales.astype(np.float32)).all()
    mine = ("encoder.", "biaffine.")
    whole = sum(array.nbytes for name, array in parser.model_file().arrays.items() if name.startswith(mine))
    less = sum(array.nbytes for name, array in arrays.items() if name.startswith(mine))
    assert less < 0.65 * whole  # characters and labels stay float16


def test_saved_again_and_copied_it_is_the_same(small: xa.GraphParser, dev: xa.Treebank, path: Path) -> None:
    expected, again = small.parse(dev).to_bytes(), path.with_name("again")
    small.save(again, bits=8)
    assert again.read_bytes() == path.read_bytes()
    small.save(again)  # int8 does not become float16 again
    for other in (xa.load(again), copy.deepcopy(small)):
        assert other.info()["arithmetic"] == "int8"
        assert isinstance(other, xa.GraphParser) and other.parse(dev).to_bytes() == expected


def test_threads_and_batches_change_nothing(small: xa.GraphParser, parser: xa.GraphParser, dev: xa.Treebank) -> None:
    """Whether a word is read once for all batches, or in its own."""
    long = xa.sample(300, seed=4)
    for one in (small, parser):
        parsed = one.parse(long, threads=1)
        assert one.parse(long, threads=2).to_bytes() == parsed.to_bytes()
        for first in range(0, 30, 7):
            assert one.parse(long[first : first + 1]).to_bytes() == parsed[first : first + 1].to_bytes()


def altered(file: ModelFile, name: str, array: np.ndarray[tuple[int, ...], np.dtype[np.generic]]) -> ModelFile:
    return ModelFile(file.description, {**file.arrays, name: array})


def test_damaged_files_are_refused(path: Path, tmp_path: Path) -> None:
    file = read_model_file(path)
    scales = next(name for name in file.arrays if name.endswith(".column_scales"))
    steps = scales.replace(".column_scales", ".int8")
    bad = file.arrays[scales].copy()
    no_number, negative, lowest = bad.copy(), bad.copy(), file.arrays[steps].copy()
    no_number[0], negative[0], lowest[0, 0], lowest[1, 0] = np.nan, -1, -128, 1
    infinite = np.full_like(bad, np.inf)
    for name, array in (
        (scales, no_number),
        (scales, infinite),
        (scales, negative),
        (scales, bad[:-1]),
        (scales, bad.astype(np.float64)),
        (steps, lowest),
        (steps, file.arrays[steps][:, :-1]),
        (steps, file.arrays[steps][:-1]),
        (steps, file.arrays[steps].astype(np.int16)),
        (steps, file.arrays[steps].reshape(-1)),
    ):
        write_model_file(tmp_path / "bad", altered(file, name, array))
        with pytest.raises(xa.CrossarcError, match=r"scale|weights"):
            xa.load(tmp_path / "bad")


def test_int8_that_does_not_fit_is_refused(small: xa.GraphParser, path: Path) -> None:
    assert small.trained is not None
    network, definition = small.trained.model.network, small.trained.definition
    parts = definition.encoder.described, [head.described for head in definition.heads()]
    arrays, storage = read_model_file(path).arrays, network.storage()
    int8 = {}
    for name, kept in storage.items():
        if kept == "columns":
            int8[name] = arrays[f"{name}.int8"], arrays[f"{name}.column_scales"].astype(np.float32)[None, :]
        elif kept == "rows":
            int8[name] = arrays[f"{name}.int8"], arrays[f"{name}.row_scales"].astype(np.float32)[:, None]
    weights = {name: values for name, values in network.parameters().items() if name not in int8}

    def make(**changed: tuple[AnyArray, AnyArray]) -> _kernel.Network:
        return _kernel.Network(*parts, weights=weights, int8={**int8, **changed})

    assert all((make().parameters()[name] == values).all() for name, values in network.parameters().items())
    factor, embeddings = (next(name for name in int8 if storage[name] == kept) for kept in ("columns", "rows"))
    bias = next(name for name in weights if storage[name] == "float")
    for name in (factor, embeddings):
        steps, scales = int8[name]
        lowest = np.full_like(steps, -128)
        for changed in ((lowest, scales), (steps, -scales), (steps, scales * np.float32(np.nan))):
            with pytest.raises(ValueError, match="no whole number from -127 to 127 times its scale"):
                make(**{name: changed})
        for other in (np.ascontiguousarray(scales.T), scales[:1, :1], np.repeat(scales, 2, axis=0)):
            with pytest.raises(ValueError, match=f"of {name} has a scale"):
                make(**{name: (steps, other)})
        with pytest.raises(ValueError, match="weights instead of"):
            make(**{name: (steps[:-1], scales)})
    taken = weights.pop(bias)
    with pytest.raises(ValueError, match="not computed with in eight bits"):
        make(**{bias: (taken.astype(np.int8), np.ones((1, taken.shape[1]), np.float32))})
    with pytest.raises(ValueError, match=f"there is no {bias}"):
        make(nothing=(taken.astype(np.int8), np.ones((1, taken.shape[1]), np.float32)))
