"""Parsers whose transitions and labels a network scores."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossarc as xa
from crossarc.encodings import Encoding
from crossarc.features import compile_views, default_views
from crossarc.models import ModelFile, read_model_file, write_model_file
from crossarc.models.neural import memory
from crossarc.models.neural.schedule import Schedule
from crossarc.parsers import TransitionParser
from crossarc.transitions import load_system

from ..support.parsers import ENCODINGS, SMALL, SMALL_DEEP, SMALL_GRAPH, WITHOUT_DROPOUT, baseline, las
from ..support.warned import bare_words, with_a_planar_root


@pytest.fixture(scope="module")
def train() -> xa.Treebank:
    return xa.sample(120, seed=1)


@pytest.fixture(scope="module")
def dev() -> xa.Treebank:
    return xa.sample(40, seed=2)


@pytest.mark.slow
@pytest.mark.kernel
@pytest.mark.parametrize(("name", "encoding"), ENCODINGS, ids=lambda value: value if isinstance(value, str) else "")
@with_a_planar_root
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


@pytest.mark.kernel
@pytest.mark.parametrize("name", ["arc-hybrid", "covington", "easy-first"])
@bare_words
def test_deep_networks_learn_parse_and_come_back(
    name: str, train: xa.Treebank, dev: xa.Treebank, tmp_path: Path
) -> None:
    parser = TransitionParser(name, scorer=SMALL_DEEP)
    report = parser.train(train, dev=dev, epochs=8)
    parsed = parser.parse(dev)
    assert report.las == pytest.approx(las(dev, parsed))
    assert las(dev, parsed) > 0.5 > baseline(dev)
    parser.save(tmp_path / "m.crossarc")
    again = xa.load(tmp_path / "m.crossarc")
    assert isinstance(again, TransitionParser) and again.scorer == replace(SMALL_DEEP, views=None)
    assert again.parse(dev).to_bytes() == parsed.to_bytes()
    if name != "easy-first":
        best, once_more = (one.parse_nbest(dev, 2, beam=3).treebank.to_bytes() for one in (parser, again))
        assert best == once_more
    assert len(parser.parse(["never", "seen:☃", "x" * 100])) == 3


@bare_words
def test_characters_tell_words_apart_that_training_did_not_see(train: xa.Treebank) -> None:
    """Only the characters differ: forms are read as unknown words, since none is known."""
    nothing_else = replace(SMALL_DEEP, groups=(("lower",), ("upos",)))
    parser = TransitionParser("arc-eager", scorer=nothing_else, cutoff=10**6)
    parser.train(train, epochs=3)
    words = [[form, "a", "b"] for form in ("pafigadaki", "polesian", "tu", "☃☃☃")]
    assert parser.trained is not None
    assert parser.trained.definition.vocabularies.known["lower"] == ()
    scored = [parser.parse_scored(xa.Treebank.from_dicts([[{"form": form} for form in one]])) for one in words]
    assert len({float(one.totals[0]) for one in scored}) == len(words)


@pytest.mark.kernel
def test_threads_change_nothing_in_batches_of_words(train: xa.Treebank) -> None:
    models = []
    for threads in (1, 3):
        parser = TransitionParser("2-planar", scorer=replace(SMALL_DEEP, batch_words=400))
        parser.train(train, epochs=2, threads=threads)
        models.append(parser.model_file().arrays)
    assert all(np.array_equal(models[1][name], array) for name, array in models[0].items())


def test_the_learning_rate_rises_and_falls() -> None:
    schedule = Schedule(learning_rate=0.1, epochs=10, warm_up=20, batches=100.0, last=0.05)
    rates = [schedule.rate_at(epochs) for epochs in (0.0, 0.1, 0.19, 5.0, 10.0)]
    assert rates == pytest.approx([0.1 / 20, 0.1 * 0.9905 * 11 / 20, 0.1 * (1 - 0.95 * 0.019), 0.0525, 0.005])
    assert replace(schedule, warm_up=0).rate_at(0.0) == 0.1
    # A short training rises over a twentieth of it.
    assert replace(schedule, epochs=1).rate_at(0.04) == pytest.approx(0.1 * (1 - 0.95 * 0.04))


#: Options that files of earlier versions do not have.
LATER = {"encoder_learning_rate", "encoder_dropout", "accumulated_batches", "precision"}
LATER |= {"crossed_hidden_size", "given_tags", "lstm_layers", "taught_words"}


def test_files_have_all_options() -> None:
    plain, deep = xa.Network(), xa.Network.deep(hidden_size=64)
    for options in (plain, deep, xa.Biaffine()):
        known = options.to_dict()
        assert type(options).from_dict(json.loads(json.dumps(known))) == options
        for name in known:
            others = {other: known[other] for other in known if other != name}
            if name in LATER:
                assert type(options).from_dict(others, complete=True) == options
                continue
            with pytest.raises(xa.ParserError, match=f"the options of the scorer {options.name} lack {name}$"):
                type(options).from_dict(others, complete=True)
    assert (deep.hidden_size, deep.layers) == (64, 2)


def test_that_a_network_reads_characters_changes_nothing_else() -> None:
    plain, reading = xa.Network(), xa.Network(character_size=50)
    assert reading.epochs_for(200_000) == plain.epochs_for(200_000) == 10
    assert not reading.unit_embeddings and reading.rare_word_dropout
    deep = xa.Network.deep(character_size=0)
    assert deep.unit_embeddings and not deep.rare_word_dropout and deep.long_training
    for name in ("unit_embeddings", "rare_word_dropout", "long_training"):
        with pytest.raises(xa.ParserError, match=f"{name} is true or false, not 'often'"):
            xa.Network.from_dict({name: "often"})
    assert plain.epochs_for(200_000) == 10 and deep.epochs_for(200_000) == 20
    with pytest.raises(xa.ParserError, match="no option 'cell' of the scorer network"):
        xa.Network.deep(cell=8)


@pytest.mark.parametrize("layers", [1, 2])
def test_it_learns_a_few_sentences_by_heart(layers: int) -> None:
    """If a gradient were wrong anywhere on the way down to the embeddings, it could not."""
    few = xa.sample(25, seed=3)
    parser = TransitionParser("covington", scorer=replace(WITHOUT_DROPOUT, layers=layers))
    parser.train(few, epochs=60)
    assert las(few, parser.parse(few)) > 0.99


@pytest.mark.kernel
def test_threads_and_the_company_of_a_sentence_change_nothing(train: xa.Treebank, dev: xa.Treebank) -> None:
    parsers = [TransitionParser("2-planar", scorer=replace(SMALL, batch_sentences=24)) for _ in range(2)]
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
    parser = TransitionParser("arc-eager", scorer=replace(SMALL, embedding_sizes=(64, 16)))
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
        {"group_sizes": [0]},
        {"group_sizes": [99, 1]},
        {"scorer": "oracle"},
        {"network": {**network, "hidden_size": 17}},
        {"network": {**network, "hidden_size": 10**9}},
        {"network": {**network, "layers": 2}},
        {"network": {"hidden_size": 16}},
        {"network": {**network, "character_size": 8}},
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
@bare_words
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
        {"hidden_size": 0},
        {"layers": 9},
        {"learning_rate": 0.0},
        {"layer_dropout": 1.0},
        {"batch_sentences": 0},
        {"batch_words": 0},
        {"character_size": -1},
        {"group_dropout": 1.0},
        {"rare_word_dropout": False, "word_dropout": 1.0},
        {"views": ("s0.form",)},
        {"groups": ((), ("upos",))},
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(xa.CrossarcError):
        replace(SMALL, **options)  # type: ignore[arg-type]


def test_an_attribute_is_of_one_kind(train: xa.Treebank) -> None:
    with pytest.raises(xa.ParserError, match="an attribute is in one group, not in several: upos"):
        TransitionParser("planar", scorer=replace(SMALL, groups=(("upos",), ("upos",)))).train(train, epochs=1)
    with pytest.raises(xa.ParserError, match="network, perceptron"):
        TransitionParser("planar", scorer="guess")


GIBIBYTE = 2**30


@pytest.mark.parametrize(
    "parser",
    [
        xa.GraphParser(network=xa.Biaffine(layers=8, hidden_size=4096)),
        xa.TransitionParser(scorer=xa.Network(layers=8, hidden_size=4096)),
    ],
    ids=["graph", "transition"],
)
def test_training_that_does_not_fit_into_memory_is_refused_before_it(
    parser: xa.GraphParser | xa.TransitionParser, train: xa.Treebank, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 16 * GIBIBYTE)
    with pytest.raises(
        xa.ParserError, match=r"takes about \d+\.\d GiB of memory, and this machine has 16\.0 GiB: take f"
    ):
        parser.train(train, epochs=1)


def test_the_memory_of_training_counts_every_number_of_a_weight(train: xa.Treebank) -> None:
    definition = SMALL_GRAPH.definition(len(train.inventory("deprel")), train, 1)
    network = definition.new_network(1)
    by_use = network.storage()
    sizes = {name: values.size for name, values in network.parameters().items()}
    embeddings = sum(size for name, size in sizes.items() if by_use[name] == "rows")
    weights, few = memory.training_bytes(definition.encoder, definition.heads(), parts=4)
    assert weights == sum(sizes.values())
    assert memory.training_bytes(definition.encoder, definition.heads(), parts=5)[1] - few == 4 * (weights - embeddings)


def test_training_that_takes_more_than_half_of_the_memory_is_warned_of(
    train: xa.Treebank, monkeypatch: pytest.MonkeyPatch
) -> None:
    definition = SMALL_GRAPH.definition(len(train.inventory("deprel")), train, 1)
    _, needed = memory.training_bytes(definition.encoder, definition.heads(), parts=4)
    monkeypatch.setattr(memory, "available_memory", lambda: needed)
    with pytest.warns(UserWarning, match="weights takes about 0.0 GiB of memory, and this machine has 0.0 GiB"):
        definition.new_network(1, parts=4)
    monkeypatch.setattr(memory, "available_memory", lambda: 2 * needed)
    definition.new_network(1, parts=4)
