"""Encoders of networks: their options, and what they are for the kernel, by kind.

What is known of a word, its form, lemma, affixes, tags and every single morphological feature, is embedded; embeddings
are added up in groups and joined with what the characters of the word say (kernel/nn/encoders/characters.hpp). Layers
then read the sentence: bidirectional LSTMs (kernel/nn/encoders/lstm.hpp; Kiperwasser & Goldberg 2016), or a transformer
that has read texts reads the pieces of its words (`transformer`), and LSTMs what it says of them, if asked for. Another
encoder is a function like `make_lstm`, with a dataclass of its sizes, a class in kernel/nn/encoders and one in torch.
O(words) for numbering what is read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

from ...errors import ParserError
from ...features import Vocabularies
from ...features.vocabularies import Characters
from ...options import (
    MOST_TEMPLATES,
    Check,
    Options,
    bounded,
    file_name,
    later,
    listed,
    one_of,
    option,
    plain,
    refusal,
    share,
    structure,
    text,
    truth,
    whole,
)
from ...treebank import Treebank
from ..base import registered
from .parts import Part

if TYPE_CHECKING:
    from .pretrained import PretrainedEncoder

#: Attributes that become unknown in training now and then; the affixes only where this depends on how rare values are.
_WORDS = ("form", "lower", "lemma")
AFFIXES = ("prefix1", "prefix2", "prefix3", "suffix1", "suffix2", "suffix3", "suffix4")

SomeInputs = TypeVar("SomeInputs", bound="WordInputs")
SomeOptions = TypeVar("SomeOptions", bound="EncoderOptions")

#: Encoders of this package that are not in this file, by kind, and the files that register them.
HOMES = {"transformer": f"{__package__}.transformer"}
PRECISIONS = ("auto", "bfloat16", "float32")

_sizes = listed(whole(0, MOST_TEMPLATES), 0, MOST_TEMPLATES)
_attributes = listed(listed(text, 1, MOST_TEMPLATES, "texts"), 0, MOST_TEMPLATES, "lists of attributes of words")
#: Checks of the fields that every network has in a model file.
FIELDS: Mapping[str, Check] = {"network": structure, "group_sizes": _sizes, "characters": plain}


def encoder_kinds() -> tuple[str, ...]:
    """Return the kinds of encoders by name; another package may register one."""
    return tuple(dict.fromkeys([*ENCODERS, *HOMES]))


def _encoder(name: str, value: Any) -> Any:
    """Check that a value is a kind of encoder, or a folder that one is read from."""
    if file_name(name, value) not in encoder_kinds() and not (value and Path(value).exists()):
        kinds = ", ".join(kind for kind in encoder_kinds() if kind not in HOMES)
        raise refusal(name, f"{kinds}, or the folder of an encoder that has read", value)
    return value


@dataclass(frozen=True)
class EncoderOptions(Options):
    """The options that all networks have.

    Parameters:
        groups: Attributes of words; the embeddings of a group are added up. `feats:*` is each of the most frequent
            morphological features, `xpos:*` each piece of an XPOS tag where no word of the training data has features.
        embedding_sizes: The embedding size of each group.
        features: How many morphological features `feats:*` stands for.
        unit_embeddings: Whether embeddings begin with a variance of one, as suits large networks, or in a narrow range.
        character_size: The size of what the characters of a word say, 0 to leave them out.
        character_embedding_size: The embedding size of characters.
        filters: How many filters of each width, from 2 to 5 characters, read them.
        encoder: What reads the sentence: "lstm", or the folder of a transformer that has read, which goes on learning
            with torch. It reads the pieces of words, and beside them the groups and characters that are asked
            for: the default ones are not.
        layers: The number of bidirectional LSTM layers.
        hidden_size: The hidden size of each LSTM, in each direction.
        warm_up: Over so many first batches, but at most a twentieth of the training, the learning rate rises.
        input_dropout: Dropout of the inputs of the first layer.
        group_dropout: Dropout of whole groups of a word, its characters being one.
        layer_dropout: Dropout of the outputs of each layer.
        word_dropout: Replaces a form or lemma by the unknown one with this probability.
        column_dropout: The share of training sentences that lose all or some of LEMMA, UPOS, XPOS and FEATS, so that
            input without them is parsed, too.
        lstm_layers: How many bidirectional LSTM layers, of the hidden size, read what a transformer says of words and
            what stands beside it, such as tags.
        encoder_learning_rate: The learning rate of a transformer, beside that of all else; 0 leaves it as it is.
        encoder_dropout: Dropout of a transformer.
        accumulated_batches: Over so many batches gradients are added up before weights change. Of torch only.
        precision: "bfloat16", products of mixed precision, "float32", or "auto": mixed on a GPU. Of torch only.
    """

    groups: tuple[tuple[str, ...], ...] = option(
        (("lower",), ("lemma", "upos"), ("xpos", "xpos:*", "feats:*")), _attributes
    )
    embedding_sizes: tuple[int, ...] = option(
        (125, 100, 100), listed(whole(1, 4096), 0, MOST_TEMPLATES, "whole numbers")
    )
    features: int = bounded(100, 0, 4096)
    unit_embeddings: bool = option(True, truth)
    character_size: int = bounded(125, 0, 4096)
    character_embedding_size: int = bounded(32, 1, 4096)
    filters: int = bounded(64, 1, 4096)
    encoder: str = option("lstm", _encoder)
    layers: int = bounded(2, 1, 8)
    hidden_size: int = bounded(200, 1, 4096)
    learning_rate: float = bounded(0.002, 0, 10, open_least=True)
    warm_up: int = bounded(200, 0, 100_000)
    input_dropout: float = share(0.0)
    group_dropout: float = share(0.33)
    layer_dropout: float = share(0.33)
    hidden_dropout: float = share(0.33)
    word_dropout: float = share(0.2)
    column_dropout: float = share(0.02)
    lstm_layers: int = later(bounded(0, 0, 8))
    encoder_learning_rate: float = later(bounded(1e-4, 0, 10))
    encoder_dropout: float = later(share(0.1))
    accumulated_batches: int = later(bounded(1, 1, 1024))
    precision: str = later(option("auto", one_of(*PRECISIONS)))
    name: ClassVar[str]
    depends_on_epochs: ClassVar[bool] = True
    default_prune: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.embedding_sizes) != len(self.groups):
            raise ParserError(
                f"{len(self.groups)} groups of attributes need as many embedding_sizes, not {len(self.embedding_sizes)}"
            )
        if not self.groups and self.encoder in ENCODERS and self.encoder not in HOMES:
            raise ParserError(f"the encoder {self.encoder} reads at least one group of attributes")

    @property
    def drops_rare_words(self) -> bool:
        """Whether word dropout depends on how rare a value is."""
        return False

    @property
    def lexical(self) -> tuple[str, ...]:
        """The attributes whose values become unknown in training now and then."""
        return (*_WORDS, *AFFIXES) if self.drops_rare_words else _WORDS

    def fitted(self, treebank: Treebank, cutoff: int) -> dict[str, Any]:
        """Return what a definition knows before training: options as `scorer`, and what the training data have.

        That is `vocabularies`, `group_sizes` and `characters`; `pretrained` is an encoder that has read, if the options
        name one. `cutoff`: how often forms, lemmas and affixes must occur.
        """
        if self.encoder not in encoder_kinds():
            from .folder import read_folder

            pretrained = read_folder(self.encoder)
            pretrained.warn_of_strangers(treebank)
            return {**self.beside_pieces(encoder="transformer")._fitted(treebank, cutoff), "pretrained": pretrained}
        return self._fitted(treebank, cutoff)

    def beside_pieces(self: SomeOptions, **options: Any) -> SomeOptions:
        """Return options for an encoder of pieces: of words and characters it reads only what is asked for."""
        if (self.groups, self.embedding_sizes) == (type(self).groups, type(self).embedding_sizes):
            characters = 0 if self.character_size == type(self).character_size else self.character_size
            options |= {"groups": (), "embedding_sizes": (), "character_size": characters}
        return replace(self, **options)

    def _fitted(self, treebank: Treebank, cutoff: int) -> dict[str, Any]:
        known: dict[str, tuple[str, ...]] = {}
        sizes: list[int] = []
        for group in self.groups:
            of_group: dict[str, tuple[str, ...]] = {}
            for attribute in group:
                least = cutoff if attribute in (*_WORDS, *AFFIXES) else 1
                of_group |= Vocabularies.fit(treebank, (attribute,), cutoff=least, features=self.features).known
            if both := sorted(set(known) & set(of_group)):
                raise ParserError(f"an attribute is in one group, not in several: {', '.join(both)}")
            known |= of_group
            sizes.append(len(of_group))
        characters = Characters.fit(treebank) if self.character_size else None
        of_data = {"vocabularies": Vocabularies(known), "group_sizes": tuple(sizes), "characters": characters}
        return {"scorer": self, **of_data}

    @classmethod
    def stored(cls, data: Mapping[str, Any], vocabularies: Vocabularies) -> dict[str, Any]:
        """Return what a definition knows before training, from what a model file says."""
        # Not a path: a model file has nothing to say of other files.
        one_of(*encoder_kinds())("encoder", data["network"].get("encoder"))
        options, sizes = cls.from_dict(data["network"], complete=True), tuple(data["group_sizes"])
        if len(sizes) != len(options.groups) or sum(sizes) != len(vocabularies.names):
            raise ParserError(f"the groups of the network do not fit its {len(vocabularies.names)} attributes")
        characters = Characters(data["characters"]) if options.character_size else None
        known = {"scorer": options, "vocabularies": vocabularies, "group_sizes": sizes, "characters": characters}
        if options.encoder != "transformer":
            return known
        from .pretrained import PretrainedEncoder

        return {**known, "pretrained": PretrainedEncoder.from_dict(data.get("transformer"))}


class ReadsWords(Protocol):
    """What an encoder is made of: options, and what is known of the data that it will read."""

    @property
    def scorer(self) -> EncoderOptions:
        """The options."""

    @property
    def vocabularies(self) -> Vocabularies:
        """The values of each column."""

    @property
    def group_sizes(self) -> tuple[int, ...]:
        """How many columns each group has."""

    @property
    def characters(self) -> Characters | None:
        """The characters, if they are read."""

    @property
    def pretrained(self) -> PretrainedEncoder | None:
        """An encoder that has read."""


#: Makes an encoder of what a definition knows.
MakeEncoder = Callable[[ReadsWords], Part]
#: How the kinds of encoders are made, by name.
ENCODERS: dict[str, MakeEncoder] = {}


def register_encoder(kind: str) -> Callable[[MakeEncoder], MakeEncoder]:
    """Make a kind of encoder known by its name."""

    def register(make: MakeEncoder) -> MakeEncoder:
        ENCODERS[kind] = make
        return make

    return register


def make_encoder(definition: ReadsWords) -> Part:
    """Return the encoder of a definition."""
    make = registered(ENCODERS, definition.scorer.encoder, HOMES)
    assert make is not None  # options have no other kind
    return make(definition)


@dataclass(frozen=True)
class WordInputs(Part):
    """What encoders read of words: columns in groups, and characters."""

    #: How many values each column has, group after group; how many columns each group has, and its embedding size.
    columns: tuple[int, ...]
    group_sizes: tuple[int, ...]
    embedding_sizes: tuple[int, ...]
    #: Whether embeddings begin with a variance of one, or in a narrow range.
    unit_embeddings: bool = False
    #: How many values a character has; none: they are not read.
    characters: int = 0
    character_embedding_size: int = 0
    filters: int = 0
    character_size: int = 0

    @classmethod
    def from_definition(cls: type[SomeInputs], definition: ReadsWords, **sizes: int) -> SomeInputs:
        """Make it of a definition; groups without columns are left out. `sizes`: those of the layers."""
        options = definition.scorer
        groups = [pair for pair in zip(definition.group_sizes, options.embedding_sizes, strict=True) if pair[0]]
        of_characters = ("character_embedding_size", "filters", "character_size")
        characters = 0 if definition.characters is None else definition.characters.size
        return cls(
            columns=definition.vocabularies.sizes,
            group_sizes=tuple(size for size, _ in groups),
            embedding_sizes=tuple(size for _, size in groups),
            unit_embeddings=options.unit_embeddings,
            characters=characters,
            **{name: getattr(options, name) if characters else 0 for name in of_characters},
            **sizes,
        )


@dataclass(frozen=True)
class LstmEncoder(WordInputs):
    """Bidirectional LSTM layers."""

    kind: ClassVar[str] = "lstm"
    layers: int = 1
    #: Of each LSTM, in each direction.
    hidden_size: int = 0


@register_encoder(LstmEncoder.kind)
def make_lstm(definition: ReadsWords) -> LstmEncoder:
    """Return LSTM layers of the sizes that options have."""
    options = definition.scorer
    return LstmEncoder.from_definition(definition, layers=options.layers, hidden_size=options.hidden_size)
