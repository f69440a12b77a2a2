"""Graph parsers that predict tags and lemmas together with trees: what they learn, fill and keep."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import crossarc as xa
from crossarc.features.tags import PREDICTED
from crossarc.models import ModelFile, read_model_file, write_model_file
from crossarc.structure import classify

from ..support.parsers import SMALL_WORDS


@pytest.fixture(scope="module")
def train() -> xa.Treebank:
    return xa.sample(300, seed=1)


@pytest.fixture(scope="module")
def dev() -> xa.Treebank:
    return xa.sample(60, seed=2)


@pytest.fixture(scope="module")
def bare(dev: xa.Treebank) -> xa.Treebank:
    """The words of the development data and nothing else."""
    return xa.Treebank.from_words([[token.form for token in sentence] for sentence in dev])


@pytest.fixture(scope="module")
def parser(train: xa.Treebank, dev: xa.Treebank) -> xa.GraphParser:
    parser = xa.GraphParser(network=SMALL_WORDS, predict=PREDICTED)
    parser.train(train, dev=dev, epochs=15, seed=2)
    return parser


def share(gold: xa.Treebank, found: xa.Treebank, column: str) -> float:
    return float((np.array(gold.texts(column)) == np.array(found.texts(column))).mean())


def most_frequent(gold: xa.Treebank, column: str) -> float:
    return next(iter(gold.inventory(column).values())) / gold.words


def test_it_learns_tags_and_trees_from_words(parser: xa.GraphParser, dev: xa.Treebank, bare: xa.Treebank) -> None:
    parsed = parser.parse(bare)
    assert parser.predict == PREDICTED
    assert share(dev, parsed, "upos") > 0.8
    for column in PREDICTED:
        assert share(dev, parsed, column) > most_frequent(dev, column) + 0.1
    assert xa.evaluate(dev, parsed).las > 0.4
    trained = parser.trained
    assert trained is not None and set(trained.tags.values["upos"]) == {*dev.inventory("upos")}


def test_tags_are_the_most_probable_ones_that_go_together(parser: xa.GraphParser, train: xa.Treebank) -> None:
    """Against all combinations of the training data, by the scores of the network."""
    trained = parser.trained
    assert trained is not None and len(trained.tags.combinations) > 1
    words = xa.Treebank.from_words([sentence.forms for sentence in train])
    scores = trained.model.tag_scores(trained.definition.bare_inputs(words), threads=1)
    first = np.cumsum([0, *trained.tags.sizes])[: len(trained.tags.values)]
    sums = scores[:, trained.tags.combinations + first].sum(axis=2)
    best = trained.tags.combinations[sums.argmax(axis=1)]
    parsed = parser.parse(words)
    for index, (column, values) in enumerate(trained.tags.values.items()):
        assert parsed.texts(column) == [values[number] for number in best[:, index]]
    seen = set(zip(*(train.texts(column) for column in trained.tags.values), strict=True))
    assert set(zip(*(parsed.texts(column) for column in trained.tags.values), strict=True)) <= seen


def test_what_is_found_goes_with_what_is_given(parser: xa.GraphParser, train: xa.Treebank) -> None:
    words = xa.Treebank.from_words([sentence.forms for sentence in train])
    upos = parser.parse(words).texts("upos")
    others = sorted(set(train.texts("upos")))
    given = [others[(others.index(tag) + 1) % len(others)] for tag in upos]
    parsed = parser.parse(words.replace(upos=given))
    assert parsed.texts("upos") == given
    seen = set(zip(train.texts("upos"), train.texts("xpos"), strict=True))
    assert set(zip(given, parsed.texts("xpos"), strict=True)) <= seen


def test_info_has_the_accuracy_of_each_column(parser: xa.GraphParser, dev: xa.Treebank, bare: xa.Treebank) -> None:
    info = parser.info()
    parsed = parser.parse(bare)
    for column in PREDICTED:
        assert info[f"dev_{column}"] == pytest.approx(share(dev, parsed, column), abs=1e-6)
    assert info["predicts"] == ["UPOS", "XPOS", "FEATS", "LEMMA"]
    assert info["columns"] == ["FORM"]


def test_saved_and_loaded_it_is_the_same(parser: xa.GraphParser, bare: xa.Treebank, tmp_path: Path) -> None:
    parser.save(tmp_path / "m.crossarc")
    again = xa.load(tmp_path / "m.crossarc")
    assert isinstance(again, xa.GraphParser)
    assert again.parse(bare).to_bytes() == parser.parse(bare).to_bytes()
    assert again.info() == parser.info() and again.predict == parser.predict
    again.save(tmp_path / "n.crossarc")
    assert (tmp_path / "m.crossarc").read_bytes() == (tmp_path / "n.crossarc").read_bytes()
    assert copy.deepcopy(parser).parse(bare[:5]).to_bytes() == parser.parse(bare[:5]).to_bytes()


def test_with_eight_bits_it_finds_nearly_the_same(
    parser: xa.GraphParser, dev: xa.Treebank, bare: xa.Treebank, tmp_path: Path
) -> None:
    parser.compress(tmp_path / "m.crossarc")
    small = xa.load(tmp_path / "m.crossarc")
    one, other = parser.parse(bare), small.parse(bare)
    for column in PREDICTED:
        assert share(one, other, column) > 0.95
    assert (one.head == other.head).mean() > 0.95
    arrays = read_model_file(tmp_path / "m.crossarc").arrays
    assert arrays["tags.weights.int8"].dtype == np.int8 and arrays["tags.bias"].dtype == np.float16


def test_training_twice_gives_the_same_bytes(train: xa.Treebank, dev: xa.Treebank, tmp_path: Path) -> None:
    files = []
    for threads in (1, 2):
        parser = xa.GraphParser(network=SMALL_WORDS, predict=PREDICTED)
        parser.train(train[:60], dev=dev[:20], epochs=2, threads=threads)
        parser.save(tmp_path / str(threads))
        files.append((tmp_path / str(threads)).read_bytes())
    begun = xa.GraphParser(network=SMALL_WORDS, predict=PREDICTED)

    def stop(epoch: object) -> None:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        begun.train(train[:60], dev=dev[:20], epochs=2, checkpoint=tmp_path / "c", on_epoch=stop)
    begun.train(train[:60], dev=dev[:20], epochs=2, checkpoint=tmp_path / "c", resume=True)
    begun.save(tmp_path / "begun")
    files.append((tmp_path / "begun").read_bytes())
    assert files[0] == files[1] == files[2]


def test_given_columns_are_kept_and_the_others_filled(parser: xa.GraphParser, dev: xa.Treebank) -> None:
    empty = np.zeros(dev.words, np.int32)
    for column in PREDICTED:
        given = dev.replace(**{other: empty for other in PREDICTED if other != column})
        parsed = parser.parse(given)
        has_some = dev.column(column) != 0
        assert has_some.any() and (parsed.column(column) == dev.column(column))[has_some].all()
        others = [other for other in PREDICTED if other not in (column, "feats")]
        assert not any("_" in parsed.texts(other) for other in others)
    some = np.where(np.arange(dev.words) % 2 == 0, dev.column("upos"), 0)
    parsed = parser.parse(dev.replace(upos=some))
    assert (parsed.column("upos") == dev.column("upos"))[::2].all()
    assert parsed.texts("lemma") == dev.texts("lemma")


def test_heads_that_are_given_are_kept(parser: xa.GraphParser, dev: xa.Treebank) -> None:
    trained = parser.trained
    assert trained is not None
    free, kept = parser.parse(dev), parser.parse(dev, keep_heads=True)
    # A whole tree is kept whatever its class.
    inside = classify(dev).one_endpoint_crossing
    assert not inside.all() and (free.head != dev.head).any()
    assert (kept.head == dev.head).all() and kept.texts("deprel") == dev.texts("deprel")
    dev = dev[inside]
    free = parser.parse(dev)
    half = np.where(np.arange(dev.words) % 2 == 0, dev.head, -1).astype(np.int32)
    found = trained.find(trained.definition.inputs(dev), 0, heads=half)
    assert (found.heads[::2] == dev.head[::2]).all()
    assert (found.heads == dev.head).mean() > (free.head == dev.head).mean()
    unlabelled = dev.replace(deprel=np.zeros(dev.words, np.int32))
    assert "_" not in parser.parse(unlabelled, keep_heads=True).texts("deprel")


@pytest.mark.parametrize("most", [1, 3])
def test_heads_that_no_tree_has_are_refused(parser: xa.GraphParser, most: int) -> None:
    words = xa.Treebank.from_words([["a", "b"], ["a", "b", "c"]])
    trained = parser.trained
    assert trained is not None
    for heads in ([2, 1, -1], [0, 0, -1], [2, 1, 2]):  # a cycle, two roots, a cycle without a root
        given = np.array([-1, -1, *heads], np.int32)
        with pytest.raises(xa.ParserError, match="sentence 2: no tree of the class has the heads that are given"):
            trained.find(trained.definition.inputs(words), 0, most, heads=given)


def test_all_trees_of_a_sentence_have_its_tags(parser: xa.GraphParser, bare: xa.Treebank) -> None:
    found = parser.parse_nbest(bare, 3)
    parsed = parser.parse(bare)
    first = found.treebank[found.offsets[:-1]]
    assert first.texts("upos") == parsed.texts("upos") and first.texts("lemma") == parsed.texts("lemma")
    assert parser.parse(["Go"])[0].upos != "_"


def test_columns_that_training_data_lack_are_left_out(train: xa.Treebank, dev: xa.Treebank) -> None:
    lacking = train[:40].replace(xpos=np.zeros(train[:40].words, np.int32))
    parser = xa.GraphParser(network=SMALL_WORDS, predict=("upos", "xpos"))
    parser.train(lacking, epochs=1)
    assert parser.predict == ("upos",)
    assert set(parser.parse(dev.replace(xpos=["_"] * dev.words)).texts("xpos")) == {"_"}
    with pytest.raises(xa.ParserError, match="the training data have no xpos to predict"):
        xa.GraphParser(network=SMALL_WORDS, predict=("xpos",)).train(lacking, epochs=1)


def test_predicted_columns_are_never_read() -> None:
    parser = xa.GraphParser(predict=("upos", "lemma"))
    assert parser.scorer.groups[0] == ("lower",)
    read = {xa.features.vocabularies.column_of(name) for group in parser.scorer.groups for name in group}
    assert read == {"form"}
    with pytest.raises(xa.ParserError, match="leave upos out of the groups"):
        xa.GraphParser(network=replace(SMALL_WORDS, groups=(("lower",), ("upos",))), predict=("upos",))
    assert xa.GraphParser(network=xa.Biaffine(hidden_size=7), predict=("upos",)).scorer.hidden_size == 7


def test_spellings_of_one_word_are_parsed_alike(parser: xa.GraphParser) -> None:
    one, other = (parser.parse(["He", f"don{mark}t", "go"]) for mark in "'’")
    assert one.heads.tolist() == other.heads.tolist() and other[1].form == "don’t"
    assert [token.upos for token in one] == [token.upos for token in other]


@pytest.mark.parametrize("data", [b"", b"\0" * 50])
def test_a_file_with_other_tags_is_refused(parser: xa.GraphParser, tmp_path: Path, data: bytes) -> None:
    parser.save(tmp_path / "m.crossarc")
    file = read_model_file(tmp_path / "m.crossarc")
    arrays = file.arrays | {"tags": np.frombuffer(data, np.uint8)}
    write_model_file(tmp_path / "n.crossarc", ModelFile(file.description, arrays))
    with pytest.raises(xa.FileError, match="does not fit together"):
        xa.load(tmp_path / "n.crossarc")
    without = {name: array for name, array in file.arrays.items() if name != "tags"}
    write_model_file(tmp_path / "o.crossarc", ModelFile(file.description, without))
    with pytest.raises(xa.FileError, match="the weights do not fit the parser"):
        xa.load(tmp_path / "o.crossarc")
