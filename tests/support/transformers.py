"""Small transformers with random weights: as encoders that have read, for what is built on them."""

from __future__ import annotations

import string
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import crossarc as xa
from crossarc._arrays import Floats
from crossarc.features import Vocabularies
from crossarc.models.neural.folder import write_folder
from crossarc.models.neural.pieces import Pieces
from crossarc.models.neural.pretrained import PretrainedEncoder, TransformerShape
from crossarc.models.neural.transformer import TransformerEncoder
from crossarc.models.neural.weights import make_network

#: Every letter, as the beginning of a word and within one, and some longer pieces.
_LETTERS = string.ascii_lowercase + string.digits + "-.,"
_VOCABULARY = ("[PAD]", "[CLS]", "[SEP]", "[UNK]", *_LETTERS, *(f"##{letter}" for letter in _LETTERS))
_VOCABULARY += ("the", "##en", "ka", "##ra", "mi", "##lo", "##s1")

PIECES = Pieces.from_dict(
    {
        "normalizer": {"type": "BertNormalizer", "lowercase": True, "strip_accents": None},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "BertProcessing", "cls": ["[CLS]", 1], "sep": ["[SEP]", 2]},
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": {piece: number for number, piece in enumerate(_VOCABULARY)},
        },
    }
)
_SMALL: dict[str, Any] = {"layers": 3, "hidden_size": 24, "attention_heads": 3, "feed_forward_size": 40}
_SMALL |= {"pieces": PIECES.size, "window": 40, "overlap": 10}
#: The kinds of encoders that are read.
SHAPES = {
    "BERT": TransformerShape(
        **_SMALL, norm="after", positions="learnt", most_positions=40, token_types=True, norm_epsilon=1e-12
    ),
    "RoBERTa": TransformerShape(**_SMALL, norm="after", positions="learnt", most_positions=42, first_position=2),
    "our own": TransformerShape(**_SMALL),
    "relu, first pieces": TransformerShape(**_SMALL, activation="relu", words="first"),
    "gelu by tanh": TransformerShape(**_SMALL, activation="gelu-tanh"),
}


def random_weights(shape: TransformerShape, seed: int = 1) -> dict[str, Floats]:
    """Weights that say something different of every word: none is zero."""
    random = np.random.default_rng(seed)
    found = {}
    for name, values in make_network(TransformerEncoder.alone(shape), []).parameters().items():
        scale = 0.5 if name.endswith(("pieces", "positions", "mixture")) else 0.2
        found[name] = values * name.endswith("scale") + random.normal(0, scale, values.shape).astype(np.float32)
    return found


def random_encoder(kind: str = "our own", seed: int = 1) -> PretrainedEncoder:
    """An encoder that has read nothing."""
    return PretrainedEncoder(SHAPES[kind], PIECES, random_weights(SHAPES[kind], seed), {"texts": ["none"]})


def saved_encoder(folder: Path, kind: str = "our own") -> str:
    """The name of a folder of such an encoder."""
    write_folder(path := folder / "tiny.encoder", random_encoder(kind))
    return str(path)


def on_encoder(parser: xa.GraphParser, kind: str = "our own") -> xa.GraphParser:
    """Put a random encoder, and nothing else that is read, in the place of that of a trained parser."""
    trained = parser.trained
    assert trained is not None
    options = replace(trained.definition.scorer, encoder="transformer", groups=(), embedding_sizes=(), character_size=0)
    definition = replace(
        trained.definition,
        scorer=options,
        vocabularies=Vocabularies({}),
        group_sizes=(),
        characters=None,
        pretrained=random_encoder(kind),
    )
    model = definition.kept_model(definition.new_network(1).parameters())
    parser.trained = replace(trained, definition=definition, model=model)
    return parser
