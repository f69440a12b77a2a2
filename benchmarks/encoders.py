"""How fast are transformer encoders, from words to trees? 6 × 384 and 8 × 384, in float32 and in int8, on one thread.

The test part of en_ewt is parsed by graph parsers on encoders of the shapes of all-MiniLM-L6-v2 (BERT, 12 attention
heads) and of our own (rotary positions, 8 heads). Weights are random, since what an encoder costs does not depend on
what it has read, and words are cut at random into 1.25 pieces in the mean, as those of English are. Beside them stand
the same encoders in torch (float32) and in onnxruntime with int8 (dynamic quantisation, weights by channel), on one
thread as well, without cutting words, without heads and without finding trees. Batches are of sentences of similar
lengths. Programs take turns; of several runs the least processor time counts. The claims in words per second are those
of an x86-64 server with VNNI: `--ratios` leaves them out.

How accurate parsers on encoders are, `benchmarks/raw_text.py` says for the models that are shipped; `--gold-tags` names
a parser of Ancient Greek that reads lemmas and tags beside its encoder, which is measured on the test part of grc_agdt.

    python benchmarks/encoders.py [--runs 5] [--sentences 600] [--shapes 6x384] [--ratios] [--gold-tags grc.crossarc]
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import crossarc as xa
from common import Claims, at_least, best_times, print_table, treebank_path
from crossarc._arrays import Floats, Ids, Offsets, offsets_of
from crossarc.models.neural.biaffine import BiaffineDefinition, BiaffineModel
from crossarc.models.neural.pretrained import PretrainedEncoder, TransformerShape
from crossarc.models.neural.transformer import TransformerEncoder
from crossarc.models.neural.weights import arrays_from_network, make_network
from crossarc.parsers.graph.trees import tree_class

SHAPES = {
    "6x384": TransformerShape(
        layers=6,
        attention_heads=12,
        pieces=30_522,
        norm="after",
        positions="learnt",
        most_positions=512,
        token_types=True,
        norm_epsilon=1e-12,
    ),
    "8x384": TransformerShape(layers=8, attention_heads=8, pieces=16_000),
}
#: Words per second in float32 and in int8.
SPEEDS = {"6x384": (3_500, 12_000), "8x384": (2_600, 8_000)}
GOLD_TAGS = "grc_agdt, gold tags, LAS"
CLAIMS = Claims(
    {
        **{f"{shape}, float32, words/s": at_least(floats) for shape, (floats, _) in SPEEDS.items()},
        **{f"{shape}, int8, words/s": at_least(small) for shape, (_, small) in SPEEDS.items()},
        **{f"{shape}, int8, times as fast as the faster peer": at_least(1.3) for shape in SHAPES},
        GOLD_TAGS: at_least(83.5),
    }
)
_BATCH = 32


class RandomPieces:
    """Words cut at random, each in the same way whenever it occurs."""

    def __init__(self, size: int) -> None:
        self.size = size

    def cut(self, words: Sequence[str]) -> tuple[Offsets, Ids]:
        """Return from one to six pieces of each word, 1.25 in the mean."""
        random = np.random.default_rng(1)
        offsets = offsets_of(np.minimum(random.geometric(0.8, len(words)), 6))
        return offsets, random.integers(3, self.size, int(offsets[-1]), np.int32)

    def to_dict(self) -> dict[str, Any]:
        return {}


def random_encoder(shape: TransformerShape) -> PretrainedEncoder:
    random = np.random.default_rng(2)
    start = make_network(TransformerEncoder.alone(shape), []).parameters()
    weights = {name: values + random.normal(0, 0.02, values.shape).astype(np.float32) for name, values in start.items()}
    pieces: Any = RandomPieces(shape.pieces)
    return PretrainedEncoder(shape, pieces, weights)


def definition_on(encoder: PretrainedEncoder, treebank: xa.Treebank) -> BiaffineDefinition:
    """A graph parser that reads nothing but the encoder."""
    options = xa.Biaffine(encoder="transformer", groups=(), embedding_sizes=(), character_size=0)
    labels = len(treebank.inventory("deprel"))
    return BiaffineDefinition(labels=labels, pretrained=encoder, **options._fitted(treebank, 1))


def parse(definition: BiaffineDefinition, model: BiaffineModel, treebank: xa.Treebank) -> None:
    spanning = tree_class("unrestricted")
    model.parse(definition.inputs(treebank), tree_class=spanning, single_root=False, root_label=-1, threads=1)


# Peers


def batches_of(encoder: PretrainedEncoder, treebank: xa.Treebank) -> list[tuple[Any, Any]]:
    """Pieces of sentences of similar lengths, filled up, and which of them are there."""
    shape, rows = encoder.shape, []
    texts, of_word = treebank.distinct_texts("form")
    offsets, pieces = encoder.pieces.cut(texts)
    for first, last in zip(treebank.word_offsets[:-1], treebank.word_offsets[1:], strict=True):
        own = [pieces[offsets[form] : offsets[form + 1]] for form in of_word[first:last]]
        rows.append(np.concatenate([[shape.begin], *own, [shape.end]])[: shape.window])
    rows.sort(key=len)
    batches = []
    for first in range(0, len(rows), _BATCH):
        some = rows[first : first + _BATCH]
        ids = np.zeros((len(some), max(map(len, some))), np.int64)
        for row, sequence in zip(ids, some, strict=True):
            row[: len(sequence)] = sequence
        lengths = np.array([len(sequence) for sequence in some])
        batches.append((ids, np.arange(ids.shape[1])[None, :] < lengths[:, None]))
    return batches


def torch_module(encoder: PretrainedEncoder, weights: dict[str, Floats]) -> Any:
    import torch

    from crossarc.models.neural.torch.encoder import Dropout
    from crossarc.models.neural.torch.transformer import TorchTransformer

    _, sizes = TransformerEncoder.alone(encoder.shape).described
    module: Any = TorchTransformer(sizes, Dropout())
    module.load_state_dict({name.removeprefix("encoder."): torch.from_numpy(weights[name].copy()) for name in weights})

    def mixed(pieces: Any, present: Any) -> Any:
        """Return the mixture of all layers."""
        shares = module.mixture[0].softmax(0)
        return sum(share * states for share, states in zip(shares, module.layers(pieces, present), strict=True))

    module.forward = mixed
    return module.eval()


def in_torch(module: Any, batches: list[tuple[Any, Any]]) -> Callable[[], None]:
    import torch

    given = [(torch.from_numpy(ids), torch.from_numpy(present)) for ids, present in batches]

    def run() -> None:
        with torch.inference_mode():
            for ids, present in given:
                module(ids, present)

    return run


def in_onnxruntime(module: Any, batches: list[tuple[Any, Any]], folder: Path) -> Callable[[], None]:
    import onnxruntime
    import torch
    from onnxruntime.quantization import QuantType, quantize_dynamic

    example = torch.ones(3, 7, dtype=torch.int64), torch.ones(3, 7, dtype=torch.bool)
    axes = {name: {0: "sequence", 1: "piece"} for name in ("pieces", "present", "states")}
    torch.onnx.export(
        module,
        example,
        str(folder / "floats.onnx"),
        input_names=["pieces", "present"],
        output_names=["states"],
        dynamic_axes=axes,
        opset_version=17,
        dynamo=False,
    )
    quantize_dynamic(
        folder / "floats.onnx",
        folder / "bytes.onnx",
        per_channel=True,
        weight_type=QuantType.QInt8,
        op_types_to_quantize=["MatMul"],
    )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(folder / "bytes.onnx", options, providers=["CPUExecutionProvider"])
    (first, there), *_ = batches
    (found,) = session.run(None, {"pieces": first, "present": there})
    with torch.inference_mode():
        expected = module(torch.from_numpy(first), torch.from_numpy(there)).numpy()
    assert np.abs(found - expected)[there].mean() < 0.2 * np.abs(expected[there]).mean(), "another network"

    def run() -> None:
        for ids, present in batches:
            session.run(None, {"pieces": ids, "present": present})

    return run


def measure(name: str, treebank: xa.Treebank, runs: int, *, ratios: bool) -> list[list[str]]:
    encoder = random_encoder(SHAPES[name])
    definition = definition_on(encoder, treebank)
    floats = definition.model_with(definition.new_network(1))
    small = definition.model(arrays_from_network(floats.network, 8))
    batches, module = batches_of(encoder, treebank), torch_module(encoder, dict(encoder.weights))
    with tempfile.TemporaryDirectory() as folder:
        tasks: dict[str, Callable[[], None]] = {
            "crossarc, int8, words to trees": lambda: parse(definition, small, treebank),
            "crossarc, float32, words to trees": lambda: parse(definition, floats, treebank),
            "torch, float32, encoder": in_torch(module, batches),
            "onnxruntime, int8, encoder": in_onnxruntime(module, batches, Path(folder)),
        }
        times = dict(zip(tasks, best_times(list(tasks.values()), runs), strict=True))
    speeds = {task: treebank.words / found.processor for task, found in times.items()}
    own, own_floats, *peers = speeds.values()
    for arithmetic, speed in (("float32", own_floats), ("int8", own)):
        claim = f"{name}, {arithmetic}, words/s"
        if ratios:
            CLAIMS.leave_out(claim, "--ratios")
        else:
            CLAIMS.measure(claim, speed)
    CLAIMS.measure(f"{name}, int8, times as fast as the faster peer", own / max(peers))
    return [[name, task, f"{speed:,.0f}", f"{own / speed:.2f}"] for task, speed in speeds.items()]


def measure_gold_tags(model: Path | None) -> None:
    if model is None:
        CLAIMS.leave_out(GOLD_TAGS, "needs --gold-tags")
        return
    gold = xa.read(treebank_path("grc_agdt", "test.conll.gz"))
    scores = xa.evaluate(gold, xa.load(model).parse(gold))
    arcs = scores.scores.strict.unlabelled
    print_table(
        ["grc_agdt, test, gold tags", "UAS", "LAS", "strict P", "R", "F"],
        [
            [
                model.name,
                *(f"{100 * each:.2f}" for each in (scores.uas, scores.las, arcs.precision, arcs.recall, arcs.f1)),
            ]
        ],
    )
    CLAIMS.measure(GOLD_TAGS, 100 * scores.las)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--sentences", type=int, default=600)
    parser.add_argument("--shapes", nargs="+", choices=list(SHAPES), default=list(SHAPES))
    parser.add_argument("--ratios", action="store_true")
    parser.add_argument("--gold-tags", type=Path)
    given = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    import torch

    torch.set_num_threads(1)
    treebank = xa.read(treebank_path("en_ewt", "test.conllu.gz"))[: given.sentences]
    rows = []
    for name in SHAPES:
        if name in given.shapes:
            rows += measure(name, treebank, given.runs, ratios=given.ratios)
        else:
            for claim in CLAIMS.claims:
                if claim.startswith(name):
                    CLAIMS.leave_out(claim, "not among --shapes")
    measure_gold_tags(given.gold_tags)
    print_table(["shape", "program", "words/s of one thread", "crossarc, int8, is faster by"], rows)
    return CLAIMS.finish()


if __name__ == "__main__":
    raise SystemExit(main())
