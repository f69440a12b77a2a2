"""What goes wrong on the way, with both kinds of parsers: bad data, full disks, interruptions, altered models, other
versions. One clear line, and nothing left.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossarc as xa
from crossarc.models import ModelFile, read_model_file, write_model_file
from crossarc.parsers import Perceptron, TrainableParser, TransitionParser

from ..support.parsers import BOTH_KINDS
from ..support.warned import bare_words

SMALL = ["s0.upos+b0.upos", "s0.feats:Case+b0.feats:Case"]


@pytest.fixture(scope="module")
def dev() -> xa.Treebank:
    return xa.sample(10, seed=2)


def transition_parser() -> TrainableParser:
    return TransitionParser("arc-eager", scorer=Perceptron(tuple(SMALL), tuple(SMALL)))


def graph_parser() -> TrainableParser:
    network = xa.Biaffine(
        groups=(("upos", "feats:Case"),),
        embedding_sizes=(2,),
        character_size=0,
        layers=1,
        hidden_size=2,
        arc_hidden_size=3,
        label_hidden_size=2,
    )
    return xa.GraphParser("projective", network=network)


BOTH = [transition_parser, graph_parser]


@pytest.fixture(params=BOTH)
def make(request: pytest.FixtureRequest) -> Callable[[], TrainableParser]:
    """Makes parsers of a kind."""
    made: Callable[[], TrainableParser] = request.param
    return made


@pytest.fixture(scope="module", params=BOTH)
def parser(request: pytest.FixtureRequest) -> TrainableParser:
    parser: TrainableParser = request.param()
    parser.train(xa.sample(20, seed=1), epochs=1)
    return parser


@pytest.fixture(scope="module")
def train() -> xa.Treebank:
    return xa.sample(30, seed=1)


# Data


def test_data_without_heads_or_sentences(make: Callable[[], TrainableParser], train: xa.Treebank) -> None:
    parser = make()
    bare = train.replace(head=np.full(train.words, -1))
    with pytest.raises(xa.MissingHeadsError, match="has no heads: training data need them"):
        parser.train(bare, epochs=1)
    with pytest.raises(xa.MissingHeadsError, match="has no heads: development data need them"):
        parser.train(train, dev=bare, epochs=1)
    with pytest.raises(xa.ParserError, match="the training data have no sentences"):
        parser.train(train[:0], epochs=1)
    with pytest.raises(xa.ParserError, match="was not trained"):
        parser.parse(train)
    with pytest.raises(xa.ParserError, match="nothing to save"):
        parser.save("m.crossarc")


def test_labels_that_only_the_development_data_have(
    make: Callable[[], TrainableParser], train: xa.Treebank, dev: xa.Treebank
) -> None:
    other = dev.replace(deprel=["strange"] * dev.words)
    assert make().train(train, dev=other, epochs=1).las == 0


@bare_words
def test_words_in_a_list(parser: TrainableParser, train: xa.Treebank) -> None:
    forms = train[0].forms
    sentence = parser.parse(forms)
    assert sentence.forms == forms
    assert sentence.has_heads
    with pytest.raises(xa.ParserError, match="a list of words"):
        parser.parse("a text")
    with pytest.raises(xa.ParserError, match="sentence 2: a sentence is a list of words"):
        parser.parse_batch([["a"], []])


def test_only_heads_and_relations_change(parser: TrainableParser, dev: xa.Treebank) -> None:
    before, after = dev.to_text().splitlines(), parser.parse(dev).to_text().splitlines()
    assert len(before) == len(after)
    changed = 0
    for old, new in zip(before, after, strict=True):
        cells, others = old.split("\t"), new.split("\t")
        assert cells[:6] == others[:6]
        assert cells[9:] == others[9:]
        changed += cells != others
    assert changed > 0


def test_long_sentences_and_none_parse(parser: TrainableParser, dev: xa.Treebank) -> None:
    long = parser.parse_batch([["word"] * 1000, ["a"], ["b", "c"]])
    assert [len(sentence) for sentence in long] == [1000, 1, 2]
    assert (np.add.reduceat(long.head == 0, long.word_offsets[:-1]) == 1).all()
    assert parser.parse(dev[:0]).words == 0


@pytest.mark.parametrize("kind", BOTH_KINDS)
def test_several_roots_stay_where_the_data_have_them(kind: str) -> None:
    words = (("ja", "INTJ"), (",", "PUNCT"), ("ne", "INTJ"))
    sentence = [{"form": form, "upos": tag, "head": 0, "deprel": "root"} for form, tag in words]
    data = xa.Treebank.from_dicts(20 * [sentence])
    parser, single = BOTH_KINDS[kind](), BOTH_KINDS[kind](root="single")
    parser.train(data, epochs=8)
    assert parser.parse(data).head.tolist() == data.head.tolist()
    single.train(data, epochs=8)
    assert (single.parse(data).head == 0).sum() == 20


def test_numbers_that_cannot_be(make: Callable[[], TrainableParser], train: xa.Treebank) -> None:
    refused: list[dict[str, Any]] = [{"epochs": 0}, {"seed": -1}, {"threads": -1}, {"patience": 0}]
    for options in refused:
        with pytest.raises(xa.CrossarcError, match=f"{next(iter(options))} (is|are) .*, not"):
            make().train(train, **{"epochs": 1, **options})


# Checkpoints


def test_a_checkpoint_of_another_training_is_refused(
    make: Callable[[], TrainableParser], train: xa.Treebank, tmp_path: Path
) -> None:
    saved = tmp_path / "checkpoint"
    make().train(train, epochs=2, checkpoint=saved)
    with pytest.raises(xa.ParserError, match=r"of another training \(seed, training data differ\)"):
        make().train(train[:20], epochs=2, seed=2, checkpoint=saved, resume=True)
    with pytest.raises(xa.FileError, match="which this crossarc does not have"):
        xa.load(saved)
    saved.write_bytes(saved.read_bytes()[:-10])
    with pytest.raises(xa.FileError, match="damaged"):
        make().train(train, epochs=2, checkpoint=saved, resume=True)


def test_an_interruption_keeps_the_best_model_and_the_checkpoint_goes_on_to_the_same_file(
    make: Callable[[], TrainableParser], train: xa.Treebank, dev: xa.Treebank, tmp_path: Path
) -> None:
    def interrupt(epoch: int, done: int, of: int) -> None:
        if epoch == 2:
            raise KeyboardInterrupt

    whole, broken, resumed = make(), make(), make()
    whole.train(train, dev=dev, epochs=3)
    whole.save(tmp_path / "whole")
    saved = tmp_path / "checkpoint"
    report = broken.train(train, dev=dev, epochs=3, checkpoint=saved, on_progress=interrupt)
    assert report.interrupted and len(report.epochs) == 1
    assert broken.parse(dev).words == dev.words
    resumed.train(train, dev=dev, epochs=3, checkpoint=saved, resume=True)
    resumed.save(tmp_path / "resumed")
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "resumed").read_bytes()
    nothing = make()
    with pytest.raises(KeyboardInterrupt):
        nothing.train(train, epochs=1, on_progress=lambda *_: interrupt(2, 1, 1))
    assert nothing.trained is None


def test_where_nothing_can_be_written(
    make: Callable[[], TrainableParser], parser: TrainableParser, train: xa.Treebank, tmp_path: Path
) -> None:
    nowhere = tmp_path / "no" / "m.crossarc"
    with pytest.raises(xa.FileError, match="cannot be written: there is no folder"):
        parser.save(nowhere)
    learnt: list[int] = []
    with pytest.raises(xa.FileError, match="cannot be written: there is no folder"):
        make().train(train, epochs=1, checkpoint=nowhere, on_progress=lambda *_: learnt.append(1))
    assert not learnt and not nowhere.parent.exists()


# Files


#: In a process of its own, files cannot grow beyond 1000 bytes, as on a disk that is nearly full; prints the error.
NEARLY_FULL = """
import resource, crossarc as xa
{before}
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
try:
    {then}
except xa.FileError as error:
    print(error)
"""


def on_a_nearly_full_disk(then: str, cwd: Path, before: str = "") -> str:
    code = NEARLY_FULL.format(before=before, then=then)
    return subprocess.run([sys.executable, "-c", code], cwd=cwd, stdout=subprocess.PIPE, text=True, check=True).stdout


def test_a_full_disk_leaves_no_file_and_no_half_of_one(parser: TrainableParser, tmp_path: Path) -> None:
    model, folder = tmp_path / "m.crossarc", tmp_path / "empty"
    parser.save(model)
    folder.mkdir()
    printed = on_a_nearly_full_disk("parser.save('m.crossarc')", folder, f"parser = xa.load({str(model)!r})")
    assert printed == "m.crossarc: cannot be written: File too large\n"
    assert list(folder.iterdir()) == []


def test_a_full_disk_leaves_the_model_that_was_there(parser: TrainableParser, tmp_path: Path) -> None:
    path = tmp_path / "m.crossarc"
    parser.save(path)
    before = path.read_bytes()
    printed = on_a_nearly_full_disk("parser.save('m.crossarc')", tmp_path, "parser = xa.load('m.crossarc')")
    assert "cannot be written" in printed
    assert [path] == list(tmp_path.iterdir())
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "made",
    [
        "xa.TransitionParser('arc-eager', scorer='perceptron')",
        "xa.GraphParser(network=xa.Biaffine(embedding_sizes=(4, 4, 4), character_size=0, hidden_size=8))",
    ],
)
def test_a_full_disk_in_training_is_a_warning_and_training_goes_on(made: str, tmp_path: Path) -> None:
    before = f"""import warnings
warnings.showwarning = lambda message, *others: print(message)
parser = {made}"""
    then = "print(len(parser.train(xa.sample(20), epochs=1, checkpoint='m.checkpoint').epochs))"
    warning = "m.checkpoint: cannot be written: File too large; training goes on without this checkpoint"
    assert on_a_nearly_full_disk(then, tmp_path, before) == f"{warning}\n1\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.kernel
def test_a_model_with_any_byte_flipped_is_refused_or_parses_the_same(
    parser: TrainableParser, dev: xa.Treebank, tmp_path: Path
) -> None:
    path = tmp_path / "m.crossarc"
    parser.save(path)
    whole, expected = path.read_bytes(), parser.parse(dev).to_bytes()
    generator = np.random.default_rng(1)
    for place in generator.choice(len(whole), 300, replace=False).tolist():
        path.write_bytes(whole[:place] + bytes([whole[place] ^ int(generator.integers(1, 256))]) + whole[place + 1 :])
        try:
            parsed = xa.load(path).parse(dev).to_bytes()
        except xa.FileError as error:
            assert str(error).startswith(str(path))
        else:
            assert parsed == expected


@pytest.mark.exhaustive
def test_every_byte_flipped_in_turn(parser: TrainableParser, dev: xa.Treebank, tmp_path: Path) -> None:
    path = tmp_path / "m.crossarc"
    parser.save(path)
    whole, expected = path.read_bytes(), parser.parse(dev).to_bytes()
    generator = np.random.default_rng(1)
    refused = 0
    # All bytes of the one kind of parser, some of the other: what is noticed is common to both.
    places = range(0, len(whole), 1 if isinstance(parser, TransitionParser) else 7)
    for place in places:
        byte = whole[place]
        path.write_bytes(whole[:place] + bytes([byte ^ int(generator.integers(1, 256))]) + whole[place + 1 :])
        try:
            parsed = xa.load(path).parse(dev).to_bytes()
        except xa.FileError as error:
            refused += 1
            assert str(error).startswith(str(path))
            assert len(str(error).splitlines()) == 1
        else:
            assert parsed == expected
    assert refused > 0.99 * len(places)


@pytest.mark.slow
@pytest.mark.kernel
def test_weights_altered_on_purpose_are_refused_or_parse(
    parser: TrainableParser, dev: xa.Treebank, tmp_path: Path
) -> None:
    """With the right checksum, so that the kernel sees them."""
    path = tmp_path / "m.crossarc"
    parser.save(path)
    file = read_model_file(path)
    generator = np.random.default_rng(1)
    names = [name for name, array in file.arrays.items() if name != "vocabularies" and array.size]
    refused = 0
    for _ in range(600):
        name = names[int(generator.integers(len(names)))]
        array = file.arrays[name].copy()
        place = generator.integers(array.size)
        array.reshape(-1).view(np.uint8)[place * array.itemsize] = generator.integers(256)
        cut = array[: generator.integers(len(array))] if generator.integers(4) == 0 else array
        write_model_file(path, ModelFile(file.description, {**file.arrays, name: cut}))
        try:
            parsed = xa.load(path).parse(dev)
        except xa.FileError as error:
            refused += 1
            assert str(error).startswith(str(path))
        else:
            assert (np.add.reduceat(parsed.head == 0, parsed.word_offsets[:-1]) == 1).all()
    assert 100 < refused < 600


def test_a_file_without_a_field_or_an_array_is_refused(parser: TrainableParser, tmp_path: Path) -> None:
    """Even if it was written on purpose, with the right checksum."""
    path = tmp_path / "m.crossarc"
    parser.save(path)
    file = read_model_file(path)
    for left in file.description.keys() - parser.later_fields.keys():
        rest = {key: value for key, value in file.description.items() if key != left}
        write_model_file(path, ModelFile(rest, file.arrays))
        with pytest.raises(xa.FileError, match=r"m\.crossarc: "):
            xa.load(path)
    for name in file.arrays:
        without = {key: array for key, array in file.arrays.items() if key != name}
        for arrays in (without, {**file.arrays, name: file.arrays[name][:-1]}):
            write_model_file(path, ModelFile(file.description, arrays))
            with pytest.raises(xa.FileError, match=r"m\.crossarc: "):
                xa.load(path)


def test_a_model_of_another_version(parser: TrainableParser, tmp_path: Path) -> None:
    path = tmp_path / "m.crossarc"
    parser.save(path)
    path.write_bytes(path.read_bytes().replace(rb"\"version\": 3", rb"\"version\": 2"))
    with pytest.raises(xa.FileError, match="a model of version 2; this crossarc reads version 3: train it again"):
        xa.load(path)


def test_a_smaller_model_parses_nearly_the_same(tmp_path: Path) -> None:
    train, dev = xa.sample(300, seed=1), xa.sample(100, seed=2)
    parser = TransitionParser("2-planar", scorer="perceptron")
    parser.train(train, epochs=3)
    sizes, scores = [], []
    for bits, prune in [(16, 0.0), (8, 0.0), (8, 0.6)]:
        path = tmp_path / f"{bits}-{prune}.crossarc"
        parser.save(path, bits=bits, prune=prune)
        sizes.append(path.stat().st_size)
        scores.append(xa.evaluate(dev, xa.load(path).parse(dev)).las)
        # What was made smaller can be loaded and saved again.
        xa.load(path).save(tmp_path / "again", bits=bits)
        assert xa.load(tmp_path / "again").parse(dev).to_bytes() == xa.load(path).parse(dev).to_bytes()
    assert sizes[1] < 0.85 * sizes[0]
    assert sizes[2] < 0.5 * sizes[0]
    assert scores[0] - scores[1] < 0.005
    assert scores[0] - scores[2] < 0.02
    for wrong in ({"bits": 4}, {"prune": 1.0}, {"prune": -0.1}):
        with pytest.raises(xa.CrossarcError, match=r"bits, not 4|less than 1, not"):
            parser.save(tmp_path / "x", **wrong)
    assert not (tmp_path / "x").exists()


def test_unknown_tags_and_columns_without_anything_parse(parser: TrainableParser) -> None:
    row = "\t".join
    strange = [row([str(n), "ø" * 100, "☃", "NO-TAG", "??", "Foo=Bar|Case=☃", "_", "_", "_", "_"]) for n in (1, 2, 3)]
    bare = [row([str(n), *9 * "_"]) for n in (1, 2)]
    parsed = parser.parse(xa.from_text("\n".join([*strange, "", *bare, "", ""])))
    assert (np.add.reduceat(parsed.head == 0, parsed.word_offsets[:-1]) == 1).all()
    assert (parsed.head >= 0).all()
