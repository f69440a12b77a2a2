"""Folders of encoders, as model hubs publish them: config.json, model.safetensors and tokenizer.json.

BERT (Devlin et al. 2019), RoBERTa and XLM-R (Liu et al. 2019; Conneau et al. 2020) are read, and our own encoders,
which `write_folder` writes. What a folder says is data to be checked, like a model file: nothing in it is run, and
nothing is downloaded. Parameters get our names; those of heads, such as that of masked words, are left out. O(weights).
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np

from ..._arrays import AnyArray, Floats
from ...errors import CrossarcError, FileError, ParserError, clean, file_error, shown
from ...files import read_whole
from ...options import named, plain, whole
from ..model_file import MISFITS, reason
from .pieces import Pieces
from .pretrained import MOST_FACTS, PretrainedEncoder, TransformerShape

CONFIG, WEIGHTS, TOKENISER, CARD = "config.json", "model.safetensors", "tokenizer.json", "README.md"
#: The kind of model that our own encoders are, in config.json.
OWN = "crossarc"
#: Kinds of models that are read, with the number of the first position of a sentence behind that of padding.
_BERT = {"bert": 0, "roberta": 1, "xlm-roberta": 1, "camembert": 1}
_ACTIVATIONS = {"gelu": "gelu", "gelu_new": "gelu-tanh", "gelu_pytorch_tanh": "gelu-tanh", "relu": "relu"}
#: Pieces that are read together, where an encoder has positions for more.
_WINDOW, _OVERLAP = 512, 64
_MOST_JSON = 1 << 28
_MOST_CARD = 1 << 20
_SIZE = whole(1, 1 << 24)
_NUMBERS = ("F32", "F16", "BF16", "F64")

#: Our names of what each layer has, and those of BERT; matrices are the other way round there.
_OF_LAYER = {
    "attention.query": "attention.self.query.weight",
    "attention.query_bias": "attention.self.query.bias",
    "attention.key": "attention.self.key.weight",
    "attention.key_bias": "attention.self.key.bias",
    "attention.value": "attention.self.value.weight",
    "attention.value_bias": "attention.self.value.bias",
    "attention.output": "attention.output.dense.weight",
    "attention.output_bias": "attention.output.dense.bias",
    "attention_norm.scale": "attention.output.LayerNorm.weight",
    "attention_norm.bias": "attention.output.LayerNorm.bias",
    "feed_forward.input": "intermediate.dense.weight",
    "feed_forward.input_bias": "intermediate.dense.bias",
    "feed_forward.output": "output.dense.weight",
    "feed_forward.output_bias": "output.dense.bias",
    "feed_forward_norm.scale": "output.LayerNorm.weight",
    "feed_forward_norm.bias": "output.LayerNorm.bias",
}
_OF_EMBEDDINGS = {
    "pieces": "embeddings.word_embeddings.weight",
    "positions": "embeddings.position_embeddings.weight",
    "token_type": "embeddings.token_type_embeddings.weight",
    "norm.scale": "embeddings.LayerNorm.weight",
    "norm.bias": "embeddings.LayerNorm.bias",
}
_OLD_NAMES = (("LayerNorm.weight", "LayerNorm.gamma"), ("LayerNorm.bias", "LayerNorm.beta"))


class EncoderFolderError(FileError):
    """A folder that is no encoder, or none that can be used."""


def is_encoder_folder(path: str | os.PathLike[str]) -> bool:
    """Whether a folder is one that `write_folder` wrote."""
    try:
        data = json.loads((Path(path) / CONFIG).read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(data, dict) and data.get("model_type") == OWN


# Reading


def read_folder(path: str | os.PathLike[str]) -> PretrainedEncoder:
    """Return the encoder of a folder; what is missing, altered or of another architecture is refused."""
    folder = Path(path)
    config = _config(folder)
    kind = config.get("model_type")
    if kind != OWN and kind not in _BERT:
        known = ", ".join((*_BERT, OWN))
        raise EncoderFolderError(
            f"{folder / CONFIG}: the architecture {shown(str(kind))} is not read: take an encoder of one of {known}"
        )
    pieces = _pieces(folder)
    tensors = _Tensors(folder)
    try:
        if kind == OWN:
            shape, weights = TransformerShape.from_dict(config["shape"], complete=True), tensors.all()
        else:
            shape = _shape_of_bert(config, pieces, tensors)
            weights = _weights_of_bert(shape, tensors)
        about = _about(folder, config)
        encoder = PretrainedEncoder(shape, pieces, weights, about)
        _check_weights(shape, weights)
    except EncoderFolderError:
        raise
    except MISFITS as error:
        raise EncoderFolderError(f"{folder}: the encoder does not fit together ({reason(error)})") from error
    return encoder


def _config(folder: Path) -> dict[str, Any]:
    """Return what config.json says; a folder without one is told what it has instead."""
    if not folder.is_dir():
        raise EncoderFolderError(f"{folder}: there is no such folder")
    if not (folder / CONFIG).is_file():
        raise EncoderFolderError(f"{folder}: not the folder of an encoder: it has no {CONFIG}")
    try:
        data = json.loads(read_whole(folder / CONFIG, _MOST_JSON))
    except (ValueError, RecursionError) as error:
        raise EncoderFolderError(f"{folder / CONFIG}: not JSON ({reason(error)})") from error
    if not isinstance(data, dict):
        raise EncoderFolderError(f"{folder / CONFIG}: not a JSON object with names and values")
    return data


def _pieces(folder: Path) -> Pieces:
    path = folder / TOKENISER
    if not path.is_file():
        old = next(
            (name for name in ("vocab.txt", "sentencepiece.bpe.model", "spiece.model") if (folder / name).is_file()),
            None,
        )
        has = f"; {old} alone does not say how words are cut" if old else ""
        raise EncoderFolderError(f"{folder}: there is no {TOKENISER}, which says how words are cut into pieces{has}")
    try:
        return Pieces.from_json(read_whole(path, _MOST_JSON))
    except FileError:
        raise
    except CrossarcError as error:
        raise type(error)(f"{path}: {error}") from error


class _Tensors:
    """The arrays of model.safetensors, read one by one."""

    def __init__(self, folder: Path) -> None:
        from safetensors import SafetensorError, safe_open

        self.path = folder / WEIGHTS
        if not self.path.is_file():
            others = {
                "model.safetensors.index.json": "the weights are in several files: join them to one model.safetensors",
                "pytorch_model.bin": "pytorch_model.bin may run programs and is not opened: convert it",
            }
            why = next((text for name, text in others.items() if (folder / name).is_file()), "its weights are missing")
            raise EncoderFolderError(f"{folder}: there is no {WEIGHTS}: {why}")
        try:
            self._file = cast(Any, safe_open(str(self.path), framework="numpy"))
            self.names = {str(name) for name in self._file.keys()}  # noqa: SIM118
        except OSError as error:
            raise file_error(
                f"{self.path}: cannot be read: {error.strerror or error}", error, str(self.path)
            ) from error
        except SafetensorError as error:
            raise EncoderFolderError(f"{self.path}: damaged or cut short ({error}): get it again") from error

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of an array; one that is not there is refused."""
        if name not in self.names:
            raise EncoderFolderError(f"{self.path}: there is no {name}, which this architecture has")
        return tuple(self._file.get_slice(name).get_shape())

    def array(self, name: str) -> Floats:
        """Return an array as floats of 32 bits."""
        shape = self.shape(name)
        kind = self._file.get_slice(name).get_dtype()
        if kind not in _NUMBERS:
            raise EncoderFolderError(f"{self.path}: {name} holds {kind}, not one of {', '.join(_NUMBERS)}")
        values: AnyArray = self._brain_floats(name, shape) if kind == "BF16" else self._file.get_tensor(name)
        floats = np.ascontiguousarray(values, np.float32)
        if not np.isfinite(floats).all():
            raise EncoderFolderError(f"{self.path}: {name} holds what is no number")
        return floats

    def _brain_floats(self, name: str, shape: tuple[int, ...]) -> AnyArray:
        """Return an array of bfloat16, which numpy does not know: the first half of a float."""
        with self.path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            begin, end = json.loads(file.read(length))[name]["data_offsets"]
            file.seek(8 + length + begin)
            halves = np.frombuffer(file.read(end - begin), "<u2")
        return (halves.astype(np.uint32) << 16).view(np.float32).reshape(shape)

    def all(self) -> dict[str, Floats]:
        """Return all arrays."""
        return {name: self.array(name) for name in sorted(self.names)}


def _check_weights(shape: TransformerShape, weights: Mapping[str, Floats]) -> None:
    """Refuse weights that are not those of an encoder of this shape."""
    needed = shapes_of(shape)
    if other := sorted(needed.keys() ^ weights.keys()):
        verb = "lacks" if other[0] in needed else "has a foreign"
        raise ParserError(f"it {verb} {shown(other[0])}")
    for name, values in weights.items():
        if values.shape != needed[name]:
            raise ParserError(f"{name} has the shape {values.shape}, not {needed[name]}")


def shapes_of(shape: TransformerShape) -> dict[str, tuple[int, int]]:
    """Return the shape of each parameter of an encoder."""
    size, hidden, norm = shape.hidden_size, shape.feed_forward_size, {"scale": (1, shape.hidden_size)}
    norm["bias"] = norm["scale"]
    layer = {f"attention.{name}": (size, size) for name in ("query", "key", "value", "output")}
    layer |= {f"{name}_bias": (1, size) for name in layer}
    layer |= {"feed_forward.input": (size, hidden), "feed_forward.input_bias": (1, hidden)}
    layer |= {"feed_forward.output": (hidden, size), "feed_forward.output_bias": (1, size)}
    layer |= {f"{part}_norm.{name}": sizes for part in ("attention", "feed_forward") for name, sizes in norm.items()}
    shapes = {"pieces": (shape.pieces, size), "mixture": (1, shape.layers + 1)}
    shapes |= {f"norm.{name}": sizes for name, sizes in norm.items()}
    if shape.positions == "learnt":
        shapes["positions"] = (shape.most_positions, size)
    if shape.token_types:
        shapes["token_type"] = (1, size)
    for index in range(shape.layers):
        shapes |= {f"transformer.{index}.{name}": sizes for name, sizes in layer.items()}
    return {f"encoder.{name}": sizes for name, sizes in shapes.items()}


# BERT


def _shape_of_bert(config: Mapping[str, Any], pieces: Pieces, tensors: _Tensors) -> TransformerShape:
    """Return the shape that config.json describes, as far as positions and pieces allow."""

    def size(name: str) -> int:
        number: int = _SIZE(f"{name} of {CONFIG}", config.get(name))
        return number

    for name, usual in (("position_embedding_type", "absolute"), ("is_decoder", False)):
        if config.get(name, usual) != usual:
            raise EncoderFolderError(f"{tensors.path.parent / CONFIG}: {name} is {config[name]}, which is not read")
    activation = config.get("hidden_act", "gelu")
    if activation not in _ACTIVATIONS:
        raise EncoderFolderError(f"{tensors.path.parent / CONFIG}: the activation {shown(str(activation))} is not read")
    rows = tensors.shape(_prefixed(tensors, _OF_EMBEDDINGS["pieces"]))[0]
    if pieces.size > rows:
        raise EncoderFolderError(
            f"{tensors.path.parent}: the tokeniser has {pieces.size:,} pieces and the encoder embeddings of {rows:,}: "
            "they are of different encoders"
        )
    for side, given in (("before", pieces.begin), ("behind", pieces.end)):
        if len(given) != 1:
            raise EncoderFolderError(
                f"{tensors.path.parent / TOKENISER}: {len(given)} pieces are put {side} a sentence: one is needed"
            )
    kind, positions = str(config["model_type"]), size("max_position_embeddings")
    first = _BERT[kind] and _BERT[kind] + int(_SIZE("pad_token_id", config.get("pad_token_id", 1)))
    window = min(_WINDOW, positions - first)
    if window < 16:
        raise EncoderFolderError(f"{tensors.path.parent}: {positions} positions are too few for sentences")
    return TransformerShape(
        layers=size("num_hidden_layers"),
        hidden_size=size("hidden_size"),
        attention_heads=size("num_attention_heads"),
        feed_forward_size=size("intermediate_size"),
        pieces=pieces.size,
        begin=pieces.begin[0],
        end=pieces.end[0],
        norm="after",
        positions="learnt",
        most_positions=positions,
        first_position=first,
        activation=_ACTIVATIONS[activation],
        token_types=True,
        norm_epsilon=config.get("layer_norm_eps", 1e-12),
        window=window,
        overlap=min(_OVERLAP, (window - 2) // 4),
    )


def _prefixed(tensors: _Tensors, name: str) -> str:
    """Return the name that a parameter has in a file: behind that of the whole model or not, new or old."""
    names = [name, *(name.replace(new, old) for new, old in _OLD_NAMES if name.endswith(new))]
    candidates = [prefix + each for each in names for prefix in ("", "bert.", "roberta.", "model.", "0.auto_model.")]
    return next((each for each in candidates if each in tensors.names), name)


def _weights_of_bert(shape: TransformerShape, tensors: _Tensors) -> dict[str, Floats]:
    """Return the parameters by our names."""
    given = {f"encoder.{ours}": theirs for ours, theirs in _OF_EMBEDDINGS.items()}
    for layer in range(shape.layers):
        given |= {
            f"encoder.transformer.{layer}.{ours}": f"encoder.layer.{layer}.{theirs}"
            for ours, theirs in _OF_LAYER.items()
        }
    weights = {}
    for ours, theirs in given.items():
        values = tensors.array(_prefixed(tensors, theirs))
        matrix = ours.startswith("encoder.transformer.") and values.ndim == 2
        weights[ours] = np.ascontiguousarray(values.T if matrix else values.reshape(-1, values.shape[-1]))
    # Rows that are only there to make a round number of them, and the second kind of sentence, are not read.
    weights["encoder.pieces"] = weights["encoder.pieces"][: shape.pieces]
    weights["encoder.token_type"] = weights["encoder.token_type"][:1]
    weights["encoder.mixture"] = np.zeros((1, shape.layers + 1), np.float32)
    return weights


def _about(folder: Path, config: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is known of an encoder: what it says of itself, or its name and the licence on its card."""
    if config.get("model_type") == OWN:
        about = config.get("about")
        named(plain, MOST_FACTS)("about", about)
        return dict(about) if about else {}
    known = {
        "name": str(config.get("_name_or_path") or folder.resolve().name),
        "architecture": str(config["model_type"]),
    }
    if (folder / CARD).is_file():
        card = read_whole(folder / CARD, _MOST_CARD).decode("utf-8", "replace")
        heading = re.match(r"---\n(.*?)\n---", card, re.DOTALL)
        licence = re.search(r"^licen[cs]e:\s*(\S[^\n]{0,200})", heading[1] if heading else "", re.MULTILINE)
        if licence:
            known["licence"] = clean(licence[1].strip())
    return known


# Writing


def write_folder(path: str | os.PathLike[str], encoder: PretrainedEncoder) -> None:
    """Write an encoder to a folder, with weights of 16 bits; it appears under its name whole or not at all."""
    from safetensors.numpy import save

    folder = Path(path)
    made = folder.with_name(f".{folder.name}.{os.getpid()}.part")
    config = {"model_type": OWN, "shape": encoder.shape.to_dict(), "about": dict(encoder.about)}
    settings = {name: value for name, value in encoder.pieces.to_dict().items() if name != "kind"}
    arrays = {name: np.ascontiguousarray(values, np.float16) for name, values in encoder.weights.items()}
    try:
        made.mkdir(parents=True)
        (made / CONFIG).write_text(json.dumps(config, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        (made / TOKENISER).write_text(json.dumps(settings, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        (made / CARD).write_text(card_of(folder.name, encoder), encoding="utf-8")
        (made / WEIGHTS).write_bytes(save(arrays))
        if folder.is_dir():
            shutil.rmtree(folder)
        made.replace(folder)
    except OSError as error:
        raise file_error(f"{folder}: cannot be written: {error.strerror or error}", error, str(folder)) from error
    finally:
        shutil.rmtree(made, ignore_errors=True)


def card_of(name: str, encoder: PretrainedEncoder) -> str:
    """Return the card of an encoder: what it is and what it has read."""
    about, shape = encoder.about, encoder.shape
    lines = [] if "licence" not in about else ["---", f"license: {about['licence']}", "---", ""]
    lines += [
        f"# {name}",
        "",
        "An encoder that `crossarc pretrain` made; `crossarc train --encoder` reads this folder.",
        "",
    ]
    layers = "One layer" if shape.layers == 1 else f"{shape.layers} layers"
    lines.append(f"{layers} of {shape.hidden_size}, {shape.pieces:,} pieces of words.")
    lines += ["", *(f"- {key.replace('_', ' ')}: {_shown(value)}" for key, value in about.items())]
    return "\n".join(lines) + "\n"


def _shown(value: Any) -> str:
    if isinstance(value, list | tuple):
        return "; ".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
