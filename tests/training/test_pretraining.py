"""Pretraining: what is learnt, that it goes on from a checkpoint to the same encoder, and what is refused at once."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossarc as xa
from crossarc.errors import CrossarcError
from crossarc.models.neural.folder import read_folder
from crossarc.training.pretraining import Pretraining, PretrainingProgress, held_out_rows, learn_pieces, pack
from crossarc.training.texts import read_texts

pytest.importorskip("torch", reason="torch is not installed: pip install 'crossarc[torch]'")
pytest.importorskip("tokenizers", reason="tokenizers is not installed: pip install 'crossarc[encoders]'")

TINY: dict[str, Any] = {"layers": 1, "size": 16, "pieces": 300, "sequence": 32, "batch": 8, "device": "cpu"}


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small text whose words follow each other by rules."""
    random = np.random.default_rng(1)
    nouns, verbs = ("dog", "cat", "house", "sparrow"), ("sees", "hears", "follows")
    lines = [f"the {random.choice(nouns)} {random.choice(verbs)} the {random.choice(nouns)}." for _ in range(400)]
    path = tmp_path_factory.mktemp("texts") / "text.txt"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


class StoppedError(Exception):
    """Raised in order to break training off."""


@pytest.mark.slow
def test_words_that_are_masked_are_learnt(texts: Path, tmp_path: Path) -> None:
    """The loss falls below that of one who knows how often words occur, and nothing of what stands around them."""
    told: list[PretrainingProgress] = []
    settings = {**TINY, "size": 32, "attention_heads": 2, "learning_rate": 0.005, "epochs": 30}
    encoder = xa.pretrain(
        texts, tmp_path / "my.encoder", licence="CC0", note="a test", on_progress=told.append, **settings
    )
    held_out = [each.held_out_loss for each in told if each.held_out_loss is not None]
    assert len(held_out) == 30
    # A third of the words are "the", a sixth full stops, a third one of four nouns, a sixth one of three verbs.
    often = np.array([1 / 3, 1 / 6, *[1 / 12] * 4, *[1 / 18] * 3])
    assert held_out[-1] < -(often * np.log(often)).sum() - 0.3
    assert told[-1].step == told[-1].steps
    assert encoder.about["held_out_loss"] == round(held_out[-1], 4)
    # What was written is what was returned, but for the bits of its weights.
    read = read_folder(tmp_path / "my.encoder")
    assert read.shape == encoder.shape
    assert read.about == json.loads(json.dumps(dict(encoder.about)))
    assert read.about["licence"] == "CC0" and read.about["words"] == 2000
    assert read.pieces.to_dict() == encoder.pieces.to_dict()
    assert read.weights.keys() == encoder.weights.keys()
    for name, values in encoder.weights.items():
        np.testing.assert_array_equal(read.weights[name], values.astype(np.float16).astype(np.float32))
    card = (tmp_path / "my.encoder" / "README.md").read_text(encoding="utf-8")
    assert card.startswith("---\nlicense: CC0\n---\n") and "a test" in card and "text.txt (2,000 words)" in card


def test_training_goes_on_from_a_checkpoint_to_the_same_encoder(texts: Path, tmp_path: Path) -> None:
    whole = xa.pretrain(texts, epochs=2, **TINY)
    checkpoint = tmp_path / "my.checkpoint"

    def stop(so_far: PretrainingProgress) -> None:
        if so_far.epoch == 2:
            raise StoppedError

    with pytest.raises(StoppedError):
        xa.pretrain(texts, epochs=2, checkpoint=checkpoint, on_progress=stop, **TINY)
    assert checkpoint.exists()
    with pytest.raises(CrossarcError, match="of another training \\(seed differ\\)"):
        xa.pretrain(texts, epochs=2, checkpoint=checkpoint, resume=True, seed=2, **TINY)
    resumed = xa.pretrain(texts, epochs=2, checkpoint=checkpoint, resume=True, **TINY)
    assert not checkpoint.exists()
    assert resumed.about == whole.about
    for name, values in whole.weights.items():
        np.testing.assert_array_equal(resumed.weights[name], values)


def test_minutes_bound_the_training_and_pieces_may_be_given(texts: Path, tmp_path: Path) -> None:
    told: list[PretrainingProgress] = []
    xa.pretrain(texts, tmp_path / "first.encoder", minutes=1e-6, on_progress=told.append, **TINY)
    assert (told[-1].step, told[-1].steps) == (20, 20)
    given = tmp_path / "first.encoder" / "tokenizer.json"
    second = xa.pretrain(texts, tokenizer=given, minutes=1e-6, seed=2, **TINY)
    assert second.pieces.to_dict() == read_folder(tmp_path / "first.encoder").pieces.to_dict()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*read in windows that overlap")
@pytest.mark.parametrize("predict", [(), ("upos",)])
def test_parsers_are_trained_on_it_and_say_so(predict: tuple[str, ...], tmp_path: Path) -> None:
    """From raw text to a parser that was saved and loaded; the encoder reads words alone."""
    treebank = xa.sample(40, seed=1)
    xa.write(treebank, tmp_path / "text.conllu")
    xa.pretrain(tmp_path / "text.conllu", tmp_path / "my.encoder", epochs=1, licence="CC BY 4.0", **TINY)
    parser = xa.GraphParser(network=xa.Biaffine(encoder=str(tmp_path / "my.encoder")), predict=predict)
    parser.train(treebank, epochs=1, device="cpu")
    parser.save(tmp_path / "my.crossarc")
    loaded = xa.load(tmp_path / "my.crossarc")
    np.testing.assert_array_equal(loaded.parse(treebank).head, parser.parse(treebank).head)
    info = loaded.info()
    assert info["encoder"]["licence"] == "CC BY 4.0" and info["encoder"]["hidden_size"] == 16
    assert info["encoder"]["pretrained_on"] == [f"text.conllu ({info['encoder']['words']:,} words)"]
    assert info["reads"] == []


def test_texts_are_packed_piece_by_piece(texts: Path) -> None:
    words = read_texts([texts])
    pieces = learn_pieces(words, 120)
    offsets, ids = pieces.cut(words.words)
    expected: list[int] = []
    for number in words.in_order().tolist():
        expected += pieces.end if number < 0 else ids[offsets[number] : offsets[number + 1]].tolist()
    assert pack(words, pieces).tolist() == expected
    names = {number: name for name, number in pieces.vocabulary.items()}
    begins = [not names[number].startswith("##") for number in range(pieces.size)]
    assert pieces.begins_word.tolist() == begins


def test_apostrophes_of_all_kinds_are_one() -> None:
    words = read_texts([Path(__file__)])
    pieces = learn_pieces(words, 300)
    offsets, ids = pieces.cut(["δ'", "δ’", "δ᾽", "δʼ"])
    assert len({tuple(ids[begin:end].tolist()) for begin, end in itertools.pairwise(offsets)}) == 1


@pytest.mark.parametrize("rows", [2, 3, 19, 100, 1000, 100_000])
def test_a_part_is_held_out(rows: int) -> None:
    held = held_out_rows(rows)
    assert held.shape == (rows,)
    assert 1 <= held.sum() <= max(1, rows // 2)
    assert rows < 10_000 or 0.003 < held.mean() < 0.007


def test_whole_words_are_masked(texts: Path) -> None:
    """All pieces of a word or none, a quarter of the words, never a special piece, and the same ones in every run."""
    import torch

    from crossarc.models.neural.torch.masked import MaskedLearner, PackedText

    words = read_texts([texts])
    pieces = learn_pieces(words, 100)
    row = pack(words, pieces)
    shape = Pretraining(layers=1, size=16, sequence=32).shape(pieces)
    assert pieces.mask is not None
    text = PackedText(row, held_out_rows(len(row) // 30), pieces.begins_word, pieces.mask, 5)
    learner = MaskedLearner(shape, text, share=0.25, batch=8, seed=1, device="cpu", compile=False)
    read = torch.from_numpy(row[: len(row) // 30 * 30].reshape(-1, 30)).long()
    generator = torch.Generator().manual_seed(7)
    masked = learner._masked_words(read, generator).numpy()
    words_of_rows = pieces.begins_word[read.numpy()].cumsum(1)
    special = read.numpy() < 5
    for of_row, of_mask, of_special in zip(words_of_rows, masked, special, strict=True):
        for word in np.unique(of_row[~of_special]):
            assert len(np.unique(of_mask[(of_row == word) & ~of_special])) == 1
    assert not masked[special].any()
    assert 0.2 < masked.mean() < 0.3
    seen = learner._masked_pieces(read, torch.from_numpy(masked), generator).numpy()
    assert (seen[~masked] == read.numpy()[~masked]).all()
    assert 0.75 < (seen[masked] == pieces.mask).mean() < 0.85


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"layers": 0}, "layers is a whole number from 1"),
        ({"size": 20, "attention_heads": 3}, "cannot be shared among 3 attention heads"),
        ({"minutes": 0}, "minutes is a number above 0"),
        ({"lairs": 3}, "no option 'lairs' of Pretraining"),
        ({"device": "abacus"}, "no device abacus"),
        ({"licence": "a\nb"}, "licence is a text without control characters"),
        ({"sequence": 4096}, "less than two sequences of 4096"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any], message: str, texts: Path) -> None:
    with pytest.raises(CrossarcError, match=message):
        xa.pretrain(texts, **{**TINY, "epochs": 1, **options})


def test_an_output_that_cannot_be_written_is_refused_before_training(texts: Path, tmp_path: Path) -> None:
    full = tmp_path / "full"
    full.mkdir()
    (full / "letter.txt").write_text("mine")
    with pytest.raises(CrossarcError, match="a folder with something else in it"):
        xa.pretrain(texts, full, **TINY)
    with pytest.raises(CrossarcError, match="is a file, and an encoder is a folder"):
        xa.pretrain(texts, full / "letter.txt", **TINY)
    with pytest.raises(CrossarcError, match="there is no folder"):
        xa.pretrain(texts, tmp_path / "none" / "my.encoder", **TINY)
    assert (full / "letter.txt").read_text() == "mine"
