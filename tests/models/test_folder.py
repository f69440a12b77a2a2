"""Folders of published encoders: read as they are, written and read again, and refused with one line where wrong."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossarc as xa
from crossarc.errors import CrossarcError
from crossarc.models.neural.folder import read_folder, shapes_of, write_folder
from crossarc.models.neural.pieces import Pieces
from crossarc.models.neural.pretrained import PretrainedEncoder, TransformerShape

PIECES = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "dog", "##s", "see")
TOKENISER = {
    "model": {
        "type": "WordPiece",
        "unk_token": "[UNK]",
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100,
        "vocab": {piece: number for number, piece in enumerate(PIECES)},
    },
    "normalizer": {"type": "BertNormalizer", "lowercase": True},
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "post_processor": {"type": "BertProcessing", "cls": ["[CLS]", 2], "sep": ["[SEP]", 3]},
}
CONFIG = {
    "model_type": "bert",
    "hidden_size": 8,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 12,
    "hidden_act": "gelu",
    "layer_norm_eps": 1e-12,
    "max_position_embeddings": 20,
    "type_vocab_size": 2,
    "vocab_size": 10,
}


def parameters_of_bert(rows: int = 10, positions: int = 20, size: int = 8, hidden: int = 12) -> dict[str, Any]:
    """Random parameters under the names of BERT; embeddings have a row more than there are pieces."""
    random = np.random.default_rng(1)
    linear = {"attention.self.query": (size, size), "attention.self.key": (size, size)}
    linear |= {"attention.self.value": (size, size), "attention.output.dense": (size, size)}
    linear |= {"intermediate.dense": (hidden, size), "output.dense": (size, hidden)}
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (rows, size),
        "embeddings.position_embeddings.weight": (positions, size),
        "embeddings.token_type_embeddings.weight": (2, size),
        "embeddings.LayerNorm.weight": (size,),
        "embeddings.LayerNorm.bias": (size,),
        "pooler.dense.weight": (size, size),
    }
    for layer in range(2):
        for name, sizes in linear.items():
            shapes[f"encoder.layer.{layer}.{name}.weight"] = sizes
            shapes[f"encoder.layer.{layer}.{name}.bias"] = sizes[:1]
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes |= {f"encoder.layer.{layer}.{name}.{each}": (size,) for each in ("weight", "bias")}
    return {name: random.normal(size=sizes).astype(np.float32) for name, sizes in shapes.items()}


def write(folder: Path, **changed: Any) -> Path:
    """Write the folder of a small BERT; `config`, `tokeniser` and `tensors` replace what it has, None leaves out."""
    from safetensors.numpy import save_file

    folder.mkdir(exist_ok=True)
    given = {"config": CONFIG, "tokeniser": TOKENISER, "tensors": parameters_of_bert(), **changed}
    if given["config"] is not None:
        (folder / "config.json").write_text(json.dumps(given["config"]))
    if given["tokeniser"] is not None:
        (folder / "tokenizer.json").write_text(json.dumps(given["tokeniser"]))
    if given["tensors"] is not None:
        save_file(given["tensors"], folder / "model.safetensors")
    return folder


def test_a_bert_is_read(tmp_path: Path) -> None:
    folder = write(tmp_path / "bert")
    (folder / "README.md").write_text("---\nlanguage: en\nlicense: apache-2.0\n---\n# BERT\n")
    encoder, tensors = read_folder(folder), parameters_of_bert()
    shape = encoder.shape
    assert (shape.layers, shape.hidden_size, shape.attention_heads, shape.feed_forward_size) == (2, 8, 2, 12)
    assert (shape.pieces, shape.begin, shape.end, shape.window) == (9, 2, 3, 20)
    assert (shape.norm, shape.positions, shape.first_position, shape.token_types) == ("after", "learnt", 0, True)
    assert encoder.about == {"name": "bert", "architecture": "bert", "licence": "apache-2.0"}
    weights = encoder.weights
    same = np.testing.assert_array_equal
    same(weights["encoder.pieces"], tensors["embeddings.word_embeddings.weight"][:9])
    same(weights["encoder.token_type"][0], tensors["embeddings.token_type_embeddings.weight"][0])
    same(weights["encoder.norm.scale"][0], tensors["embeddings.LayerNorm.weight"])
    name = "encoder.layer.1.intermediate.dense"
    same(weights["encoder.transformer.1.feed_forward.input"], tensors[f"{name}.weight"].T)
    same(weights["encoder.transformer.1.feed_forward.input_bias"][0], tensors[f"{name}.bias"])
    assert {name: values.shape for name, values in weights.items()} == shapes_of(shape)


def test_names_behind_that_of_the_model_and_those_of_old_files_are_known(tmp_path: Path) -> None:
    renamed = {
        f"bert.{name}".replace("LayerNorm.weight", "LayerNorm.gamma").replace(
            "LayerNorm.bias", "LayerNorm.beta"
        ): values
        for name, values in parameters_of_bert().items()
    }
    plain, other = read_folder(write(tmp_path / "a")), read_folder(write(tmp_path / "b", tensors=renamed))
    for name, values in plain.weights.items():
        np.testing.assert_array_equal(other.weights[name], values)


def test_a_roberta_begins_its_positions_behind_that_of_padding(tmp_path: Path) -> None:
    config = {**CONFIG, "model_type": "xlm-roberta", "pad_token_id": 1, "type_vocab_size": 1}
    shape = read_folder(write(tmp_path / "roberta", config=config)).shape
    assert (shape.first_position, shape.most_positions, shape.window) == (2, 20, 18)


@pytest.mark.parametrize("kind", ["F16", "BF16", "F64"])
def test_weights_of_other_sizes_are_read(kind: str, tmp_path: Path) -> None:
    """Numpy has no bfloat16, so that its bytes are written here."""
    folder, tensors = write(tmp_path / kind), parameters_of_bert()
    if kind == "BF16":
        halves = {name: (values.view(np.uint32) >> 16).astype("<u2") for name, values in tensors.items()}
        header, content = {}, b""
        for name, values in halves.items():
            header[name] = {
                "dtype": "BF16",
                "shape": values.shape,
                "data_offsets": [len(content), len(content) + values.nbytes],
            }
            content += values.tobytes()
        text = json.dumps(header).encode()
        (folder / "model.safetensors").write_bytes(len(text).to_bytes(8, "little") + text + content)
        wanted = (halves["embeddings.position_embeddings.weight"].astype(np.uint32) << 16).view(np.float32)
    else:
        other = {name: values.astype({"F16": np.float16, "F64": np.float64}[kind]) for name, values in tensors.items()}
        write(folder, tensors=other)
        wanted = other["embeddings.position_embeddings.weight"].astype(np.float32)
    np.testing.assert_array_equal(read_folder(folder).weights["encoder.positions"], wanted)


def own_encoder() -> PretrainedEncoder:
    shape = TransformerShape(
        layers=1, hidden_size=8, attention_heads=2, feed_forward_size=16, pieces=9, begin=2, end=3, window=16, overlap=4
    )
    random = np.random.default_rng(2)
    weights = {name: random.normal(size=sizes).astype(np.float16) for name, sizes in shapes_of(shape).items()}
    floats = {name: values.astype(np.float32) for name, values in weights.items()}
    return PretrainedEncoder(shape, Pieces.from_dict(TOKENISER), floats, {"words": 12, "licence": "CC0"})


def test_our_own_folders_are_written_and_read_again(tmp_path: Path) -> None:
    encoder = own_encoder()
    for _ in range(2):  # a second time in place of the first
        write_folder(tmp_path / "my.encoder", encoder)
    read = read_folder(tmp_path / "my.encoder")
    assert (read.shape, read.about, read.pieces.to_dict()) == (encoder.shape, encoder.about, encoder.pieces.to_dict())
    for name, values in encoder.weights.items():
        np.testing.assert_array_equal(read.weights[name], values)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["my.encoder"]
    files = ["README.md", "config.json", "model.safetensors", "tokenizer.json"]
    assert sorted(path.name for path in (tmp_path / "my.encoder").iterdir()) == files


def test_an_encoder_of_another_language_is_noticed() -> None:
    encoder = own_encoder()
    with pytest.warns(UserWarning, match="of 67 % of the words the encoder does not know a piece: is it of another"):
        encoder.warn_of_strangers(xa.Treebank.from_words([["The", "Hund", "bellt"]]))
    encoder.warn_of_strangers(xa.Treebank.from_words([["the", "dogs", "see"]]))
    encoder.warn_of_strangers(xa.Treebank.from_words([]))


BROKEN: list[tuple[dict[str, Any], str]] = [
    ({"config": None}, r"not the folder of an encoder: it has no config\.json"),
    ({"config": []}, r"config\.json: not a JSON object"),
    ({"config": {**CONFIG, "model_type": "t5"}}, r"the architecture t5 is not read: take an encoder of one of bert,"),
    ({"config": {**CONFIG, "hidden_size": "8"}}, "hidden_size of config.json is a whole number"),
    ({"config": {**CONFIG, "hidden_act": "swish"}}, "the activation swish is not read"),
    ({"config": {**CONFIG, "position_embedding_type": "relative_key"}}, "position_embedding_type is relative_key"),
    ({"config": {**CONFIG, "num_hidden_layers": 3}}, "there is no encoder.layer.2.attention.self.query.weight"),
    ({"config": {**CONFIG, "num_attention_heads": 3}}, "cannot be shared among 3 attention heads"),
    ({"config": {**CONFIG, "intermediate_size": 13}}, r"feed_forward.input has the shape \(8, 12\), not \(8, 13\)"),
    ({"config": {**CONFIG, "max_position_embeddings": 9}}, "9 positions are too few"),
    (
        {"config": {**CONFIG, "max_position_embeddings": 21}},
        r"encoder.positions has the shape \(20, 8\), not \(21, 8\)",
    ),
    ({"tokeniser": None}, r"there is no tokenizer\.json, which says how words are cut"),
    ({"tokeniser": {}}, r"tokenizer\.json: not the file of a tokeniser: it has no model"),
    ({"tokeniser": {**TOKENISER, "post_processor": None}}, "0 pieces are put before a sentence: one is needed"),
    ({"tensors": None}, r"there is no model\.safetensors: its weights are missing"),
    ({"tensors": parameters_of_bert(rows=8)}, "the tokeniser has 9 pieces and the encoder embeddings of 8"),
    (
        {"tensors": {"a": np.zeros(3, np.float32)}},
        "there is no embeddings.word_embeddings.weight, which this architecture has",
    ),
    (
        {"tensors": {**parameters_of_bert(), "embeddings.LayerNorm.bias": np.full(8, np.nan, np.float32)}},
        "embeddings.LayerNorm.bias holds what is no number",
    ),
    (
        {"tensors": {**parameters_of_bert(), "embeddings.LayerNorm.bias": np.zeros(8, np.int64)}},
        "embeddings.LayerNorm.bias holds I64",
    ),
]


@pytest.mark.parametrize(("changed", "message"), BROKEN)
def test_a_folder_that_is_something_else_gets_one_line(changed: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(CrossarcError, match=message) as caught:
        read_folder(write(tmp_path / "bert", **changed))
    assert "\n" not in str(caught.value) and str(tmp_path / "bert") in str(caught.value)


def test_files_that_are_cut_short_are_refused(tmp_path: Path) -> None:
    for name, message in (
        ("model.safetensors", "damaged or cut short"),
        ("config.json", "not JSON"),
        ("tokenizer.json", "not JSON"),
    ):
        folder = write(tmp_path / name)
        content = (folder / name).read_bytes()
        for length in (0, 7, len(content) // 2, len(content) - 1):
            (folder / name).write_bytes(content[:length])
            with pytest.raises(CrossarcError, match=message):
                read_folder(folder)
    with pytest.raises(CrossarcError, match="there is no such folder"):
        read_folder(tmp_path / "none")
    folder = write(tmp_path / "pickled", tensors=None)
    (folder / "pytorch_model.bin").write_bytes(b"\x80\x02")
    with pytest.raises(CrossarcError, match="may run programs and is not opened"):
        read_folder(folder)


def test_an_altered_folder_of_ours_is_refused_or_read_and_nothing_else(tmp_path: Path) -> None:
    """Whatever byte of it is another: an error that says so, or an encoder whose parts fit together."""
    write_folder(tmp_path / "my.encoder", own_encoder())
    random = np.random.default_rng(3)
    refused = 0
    for number in range(150):
        folder = tmp_path / str(number)
        shutil.copytree(tmp_path / "my.encoder", folder)
        path = folder / ("config.json", "tokenizer.json", "model.safetensors")[number % 3]
        content = bytearray(path.read_bytes())
        for _ in range(int(random.integers(1, 4))):
            content[int(random.integers(min(len(content), 3000)))] = int(random.integers(256))
        path.write_bytes(content)
        try:
            encoder = read_folder(folder)
        except CrossarcError:
            refused += 1
        else:
            assert {name: values.shape for name, values in encoder.weights.items()} == shapes_of(encoder.shape)
            offsets, ids = encoder.pieces.cut(["the", "dogs", "δ"])
            assert offsets[-1] == len(ids) and ids.max() < encoder.shape.pieces
    assert refused > 50
