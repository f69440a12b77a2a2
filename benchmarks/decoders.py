"""How fast are the best trees found? The three decoders on one thread, beside programs that people use.

Random scores (normal), those of a model that is trained here on treebanks (`arc_scores.py`, kept in the folder for
temporary files), and made-up ones: the gold trees of a treebank with the noise of a parser. Peers that are installed
are measured in the same run (`pip install 'crossarc[bench,bench-torch]'`): ufal.chu-liu-edmonds and Stanza for spanning
trees, SuPar and torch-struct for projective trees, those two in batches of 32. Times are the best of several runs, and
per sentence. Memory is that of a process of its own. How much longer 1-endpoint-crossing trees take than spanning trees
is claimed of made-up scores, on average over sentences. With the scores of the trained model, and of all sentences
together, it is information: it depends on the treebank, and a few long sentences take most of the time.

Of each treebank the slowest sentence is shown: with one root and with any number, pruned and unpruned; with the scores
of the trained model, and for its longest sentences with noise on top, which leaves so many crossings that the chart is
needed. On these, one root must not cost the chart more than any root, nor pruning more than it saves. Pruned, one root
can still take many times as long as any root: where a tree with several roots is found without the chart.

With the scores that models give arcs, crossed and uncrossed, best trees are found under both, and under the
probabilities of heads alone; lists of matrices are read in the time, too. `en` and `pt` score crossed arcs; by the
others these lose a penalty, and what that costs is information.

    python benchmarks/decoders.py [--runs 5]
"""

from __future__ import annotations

import importlib
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import crossarc as xa
from arc_scores import trained_scores
from common import Claims, at_least, at_most, best_time, best_times, console, options, print_table, treebank_path
from crossarc.decoders import one_endpoint_crossing, projective, spanning_tree

FILES = {
    "en_ewt": "dev.conllu.gz",
    "nl_lassysmall": "dev.conllu.gz",
    "la_circse": "dev.conllu.gz",
    "grc_agdt": "dev.conll.gz",
}
LENGTHS = (10, 20, 40, 80)
BATCH = 32
#: Short measurements are repeated for so long: on a shared machine many are disturbed.
LEAST_SECONDS = 0.2
#: Where wrong heads of made-up scores are.
ERRORS = ("near", "anywhere")
#: Models, and the treebanks whose sentences they score.
CROSSED = {"en": "en_ewt", "pt": "pt_bosque", "nl": "nl_lassysmall", "la": "la_circse", "grc": "grc_agdt"}
MODELS = Path(__file__).resolve().parents[1] / "models"
#: What crossed arcs lose by models that do not score them.
PENALTY = np.float32(0.25)
#: How many of the longest sentences get noise.
LONGEST = 12

CLAIMS = Claims(
    {
        "spanning tree: growth": at_most(2.2),
        "spanning tree at n = 40, times ufal.chu-liu-edmonds": at_least(3),
        "spanning tree at n = 40, times Stanza": at_least(100),
        "projective, unpruned: growth": at_most(3.1),
        "projective at n = 40, times SuPar": at_least(100),
        "1-endpoint-crossing, unpruned, ns times n⁴ at n = 40": at_most(8),
        "1-endpoint-crossing, unpruned, seconds at n = 80": at_most(0.4),
        "1-endpoint-crossing, unpruned, megabytes at n = 80": at_most(80),
        "1-endpoint-crossing, unpruned: growth": at_most(4.1),
        **{f"scores of crossed arcs, times without, `{model}`": at_most(1.5) for model in ("en", "pt")},
        "slowest sentences, unpruned: one root, times any root": at_most(1.25),
        "slowest sentences, one root: pruned, times unpruned": at_most(1.3),
        **{
            f"made up, errors {errors}: 1-endpoint-crossing, times the spanning tree, sentence by sentence": at_most(3)
            for errors in ERRORS
        },
    }
)
Scores = NDArray[np.float32]


def random_scores(words: int, count: int) -> list[Scores]:
    generator = np.random.default_rng(words)
    return [generator.normal(size=(words + 1, words + 1)).astype(np.float32) for _ in range(count)]


def realistic_scores(heads: NDArray[np.int32], generator: np.random.Generator, anywhere: bool = False) -> Scores:
    """Log-probabilities of heads, as a parser that is mostly right would give them.

    The right head mostly stands out. What a parser takes for it is mostly near in the tree: the head of the right head,
    or the next word that hangs on the right head. With `anywhere`, wrong heads are anywhere, nearer ones likelier,
    and fewer.
    """
    words = len(heads)
    places = np.arange(words + 1)
    logits = generator.normal(0, 2, (words + 1, words + 1)) - 1.5 * np.log1p(abs(places[:, None] - places))
    if not anywhere:
        logits -= 2
        for word, head in enumerate(heads.tolist(), start=1):
            siblings = np.flatnonzero(heads == head) + 1
            place = int(np.searchsorted(siblings, word))
            near = [*siblings[max(0, place - 1) : place], *siblings[place + 1 : place + 2]]
            if head:
                near.append(heads[head - 1])
            logits[near, word] = generator.normal(2, 3, len(near))
    logits[heads, places[1:]] = generator.normal(8, 3, words)
    np.fill_diagonal(logits, -np.inf)
    logits -= np.log(np.exp(logits).sum(axis=0))
    return np.asarray(logits, np.float32)


def peer(module: str, name: str) -> Any:
    """A function or class of another package; None if it is not installed."""
    try:
        return getattr(importlib.import_module(module), name)
    except Exception as error:  # a peer may be there and still not work
        console.print(f"left out: {module}.{name} ({type(error).__name__}: {error})")
        return None


def torch_tensor(batch: list[Scores]) -> Any:
    torch = importlib.import_module("torch")
    torch.set_num_threads(1)
    return torch.from_numpy(np.stack(batch))


def supar_eisner(crf: Any, batch: Any) -> Any:
    """SuPar scores [dependent, head]."""
    return crf(batch.transpose(1, 2).contiguous(), multiroot=True).argmax


def torch_struct_eisner(crf: Any, batch: Any) -> Any:
    """torch-struct has no row for 0: its arcs stand on the diagonal."""
    scores = batch[:, 1:, 1:].clone()
    words = scores.shape[1]
    scores[:, range(words), range(words)] = batch[:, 0, 1:]
    # With a tensor of one's own it fails: it writes into what it wants the gradient of.
    return crf(scores.requires_grad_() * 1).argmax


def print_times(title: str, rows: dict[str, list[float]]) -> None:
    print_table(
        [title, *(f"n = {words}" for words in LENGTHS)],
        [[name, *(f"{1e6 * seconds:,.1f}" for seconds in times)] for name, times in rows.items()],
    )


def growth(times: list[float]) -> float:
    """The slope of log time over log length, over the last three lengths."""
    return float(np.polyfit(np.log(LENGTHS[1:]), np.log(times[1:]), 1)[0])


def each(task: Callable[[Any], object], items: list[Any]) -> None:
    for item in items:
        task(item)


def per_sentence(task: Callable[[list[Scores]], object], runs: int) -> list[float]:
    times = []
    for words in LENGTHS:
        batch = random_scores(words, BATCH if words < 80 else BATCH // 4)
        times.append(best_time(partial(task, batch), runs, LEAST_SECONDS) / len(batch))
    return times


def measure_spanning_trees(runs: int) -> None:
    rows = {
        "crossarc, one call for all": per_sentence(lambda batch: spanning_tree(batch, threads=1), runs),
        "crossarc, one call each": per_sentence(partial(each, lambda scores: spanning_tree(scores, threads=1)), runs),
    }
    # Theirs are by dependent; prepared beforehand.
    for name, module, function, dtype, most in (
        ("ufal.chu-liu-edmonds", "ufal.chu_liu_edmonds", "chu_liu_edmonds", np.float64, runs),
        ("Stanza", "stanza.models.common.chuliu_edmonds", "chuliu_edmonds_one_root", np.float32, min(runs, 2)),
    ):
        if found := peer(module, function):
            rows[name] = per_peer(found, dtype, most)
    print_times("spanning tree, microseconds per sentence", rows)
    CLAIMS.measure("spanning tree: growth", growth(rows["crossarc, one call for all"]))
    for name in ("ufal.chu-liu-edmonds", "Stanza"):
        measure_beside("spanning tree", name, rows, "crossarc, one call each")


def measure_beside(what: str, name: str, rows: dict[str, list[float]], ours: str) -> None:
    """How many times as long a peer takes for 40 words, if it is there."""
    claim, place = f"{what} at n = 40, times {name}", LENGTHS.index(40)
    if name in rows:
        CLAIMS.measure(claim, rows[name][place] / rows[ours][place])
    else:
        CLAIMS.leave_out(claim, f"{name} is not installed")


def per_peer(decode: Any, dtype: Any, runs: int) -> list[float]:
    times = []
    for words in LENGTHS:
        matrices = []
        for scores in random_scores(words, 8):
            matrix = np.ascontiguousarray(scores.T, dtype)
            matrix[0] = -np.inf if dtype == np.float32 else np.nan
            if dtype == np.float32:
                np.fill_diagonal(matrix, -np.inf)
            matrices.append(matrix)
        times.append(best_time(partial(each, decode, matrices), runs, LEAST_SECONDS) / len(matrices))
    return times


def measure_projective(runs: int) -> None:
    unpruned = partial(projective, pruned=False, threads=1)
    rows = {
        "crossarc": per_sentence(lambda batch: projective(batch, threads=1), runs),
        "crossarc, unpruned": per_sentence(unpruned, runs),
    }
    peers = {"SuPar": ("supar", supar_eisner), "torch-struct": ("torch_struct", torch_struct_eisner)}
    for name, (module, eisner) in peers.items():
        if crf := peer(module, "DependencyCRF"):
            times = []
            for words in LENGTHS:
                batch = torch_tensor(random_scores(words, BATCH))
                times.append(best_time(partial(eisner, crf, batch), min(runs, 3), LEAST_SECONDS) / BATCH)
            rows[name] = times
    print_times("projective, microseconds per sentence, batches of 32", rows)
    CLAIMS.measure("projective, unpruned: growth", growth(rows["crossarc, unpruned"]))
    measure_beside("projective", "SuPar", rows, "crossarc")


def measure_one_endpoint_crossing(runs: int) -> None:
    times = []
    for words in LENGTHS:
        scores = random_scores(words, 1)[0]
        task = partial(one_endpoint_crossing, scores, pruned=False, threads=1)
        times.append(best_time(task, 3 * runs if words < 80 else runs, LEAST_SECONDS))
    print_times("1-endpoint-crossing, microseconds per sentence", {"crossarc, unpruned, float32": times})
    constants = [seconds / words**4 * 1e9 for seconds, words in zip(times, LENGTHS, strict=True)]
    console.print("nanoseconds times n⁴:", ", ".join(f"{constant:.2f}" for constant in constants))
    command = [sys.executable, __file__, "--memory"]
    megabytes = float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    CLAIMS.measure("1-endpoint-crossing, unpruned, ns times n⁴ at n = 40", constants[2])
    CLAIMS.measure("1-endpoint-crossing, unpruned, seconds at n = 80", times[3])
    CLAIMS.measure("1-endpoint-crossing, unpruned, megabytes at n = 80", megabytes)
    CLAIMS.measure("1-endpoint-crossing, unpruned: growth", growth(times))


def peak_megabytes() -> float:
    """The most memory that this process had in use, by Linux."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def print_memory() -> None:
    """How much the most memory in use grows by one unpruned sentence of 80 words."""
    one_endpoint_crossing(random_scores(5, 1)[0], threads=1)
    before = peak_megabytes()
    one_endpoint_crossing(random_scores(80, 1)[0], pruned=False, threads=1)
    print(peak_megabytes() - before)


def times_of_each(program: Callable[..., object], matrices: list[Scores], runs: int) -> NDArray[np.float64]:
    """The best time of each sentence, called for by itself."""
    times = np.full(len(matrices), np.inf)
    for _ in range(runs):
        for place, scores in enumerate(matrices):
            start = time.perf_counter()
            program(scores, root="single", threads=1)
            times[place] = min(times[place], time.perf_counter() - start)
    return times


def measure_scores(matrices: list[Scores], trees: list[NDArray[np.int32]], runs: int) -> tuple[list[str], float]:
    """Cells of the table, and how much longer 1-endpoint-crossing trees take on average over sentences."""
    decode: list[Callable[..., Any]] = [spanning_tree, projective, one_endpoint_crossing]
    times = [best_time(partial(program, matrices, root="single", threads=1), runs, LEAST_SECONDS) for program in decode]
    each_ratio = times_of_each(one_endpoint_crossing, matrices, runs) / times_of_each(spanning_tree, matrices, runs)
    in_all, each = times[2] / times[0], float(np.mean(each_ratio))
    found = spanning_tree(matrices, root="single")
    right = np.mean(np.concatenate([tree.heads for tree in found]) == np.concatenate(trees))
    cells = [f"{1e6 * seconds / len(matrices):.1f} µs" for seconds in times]
    return [f"{len(matrices):,}", f"{right:.1%}", *cells, f"{in_all:.2f}", f"{each:.2f}"], each


def measure_realistic(runs: int) -> None:
    rows = []
    for name, file in FILES.items():
        train = treebank_path(name, file.replace("dev", "train"))
        rows.append([f"{name}, trained", *measure_scores(*trained_scores(train, treebank_path(name, file)), runs)[0]])
    for errors in ERRORS:
        ratios = []
        for name, file in FILES.items():
            treebank = xa.read(treebank_path(name, file))
            trees = [np.asarray(sentence.heads) for sentence in treebank if len(sentence.heads)]
            generator = np.random.default_rng(1)
            matrices = [realistic_scores(heads, generator, errors == "anywhere") for heads in trees]
            cells, found = measure_scores(matrices, trees, runs)
            rows.append([f"{name}, errors {errors}", *cells])
            ratios.append(found)
        claim = f"made up, errors {errors}: 1-endpoint-crossing, times the spanning tree, sentence by sentence"
        CLAIMS.measure(claim, float(np.mean(ratios)))
    columns = ["scores", "sentences", "right heads", "spanning tree", "projective", "1-e.-crossing", "in all", "each"]
    print_table(columns, rows)


def crossed_scores(model: str, treebank: str) -> list[list[Scores]]:
    """The probabilities of heads by a model, and the scores of uncrossed and of crossed arcs, as it weighs them."""
    path = MODELS / model / f"crossarc_model_{model}" / f"{model}.crossarc"
    parser = xa.load(str(path) if path.exists() else model).parser
    assert isinstance(parser, xa.GraphParser) and parser.trained is not None
    trained = parser.trained
    dev = xa.read(treebank_path(treebank, FILES.get(treebank, "dev.conllu.gz")))
    pair = trained.model.joint_scores(trained.definition.inputs(dev))
    weight, penalty = map(np.float32, trained.crossing)
    uncrossed, *others = (np.maximum(each, -1e6) for each in pair if each is not None)
    heads = np.logaddexp(uncrossed, others[0]) if others else uncrossed
    gains = [weight * (each - heads) for each in (uncrossed, *others)]
    crossed = heads + gains[-1] - (penalty if others else PENALTY)
    widths = np.diff(dev.word_offsets) + 1

    def matrices(scores: Scores) -> list[Scores]:
        squares = np.split(scores.astype(np.float32), np.cumsum(widths**2)[:-1])
        return [square.reshape(width, width) for width, square in zip(widths, squares, strict=True)]

    return [matrices(scores) for scores in (heads, heads + gains[0], crossed)]


def measure_crossed(runs: int) -> None:
    """Best trees under both scores of arcs, beside those under the probabilities of heads."""
    rows = []
    for model, treebank in CROSSED.items():
        heads, uncrossed, crossed = crossed_scores(model, treebank)
        options: dict[str, Any] = {"root": "single", "threads": 1}
        tasks = [
            partial(one_endpoint_crossing, heads, **options),
            partial(one_endpoint_crossing, uncrossed, crossed=crossed, **options),
        ]
        single, double = (times.processor for times in best_times(tasks, runs, LEAST_SECONDS))
        cells = [f"{1e6 * seconds / len(heads):.1f} µs" for seconds in (single, double)]
        rows.append([f"{model}, {treebank} dev", *cells, f"{double / single:.2f}"])
        claim = f"scores of crossed arcs, times without, `{model}`"
        if claim in CLAIMS.claims:
            CLAIMS.measure(claim, double / single)
    print_table(["1-endpoint-crossing", "one score", "both scores", "times"], rows)


def measure_slowest(runs: int) -> None:
    """The sentence of each treebank that takes longest with one root, under both policies of the root."""
    rows, charts, prunings = [], [], []
    for name, file in FILES.items():
        sure = trained_scores(treebank_path(name, file.replace("dev", "train")), treebank_path(name, file))[0]
        generator = np.random.default_rng(1)
        longest = sorted(sure, key=len)[-LONGEST:]
        unsure = [scores + generator.normal(size=scores.shape).astype(np.float32) for scores in longest]
        for kind, matrices in (("trained", sure), ("unsure", unsure)):
            scores = matrices[int(np.argmax(times_of_each(one_endpoint_crossing, matrices, 1)))]
            settings = [(root, pruned) for pruned in (True, False) for root in ("single", "any")]
            tasks = [
                partial(one_endpoint_crossing, scores, root=root, pruned=pruned, threads=1) for root, pruned in settings
            ]
            single, any_root, single_chart, any_chart = (found.processor for found in best_times(tasks, runs))
            cells = [f"{1e3 * seconds:.2f} ms" for seconds in (single, any_root, single_chart, any_chart)]
            rows.append([f"{name}, {kind}", f"{len(scores) - 1}", *cells, f"{single / any_root:.1f}"])
            charts.append(single_chart / any_chart)
            prunings.append(single / single_chart)
    columns = ["slowest sentence", "words", "one root", "any root", "one root, unpruned", "any root, unpruned"]
    print_table([*columns, "one root, times any"], rows)
    CLAIMS.measure("slowest sentences, unpruned: one root, times any root", max(charts))
    CLAIMS.measure("slowest sentences, one root: pruned, times unpruned", max(prunings))


def main() -> int:
    runs = options(__doc__, runs=5).runs
    measure_spanning_trees(runs)
    measure_projective(runs)
    measure_one_endpoint_crossing(runs)
    measure_realistic(runs)
    measure_crossed(runs)
    measure_slowest(runs)
    return CLAIMS.finish()


if __name__ == "__main__":
    if sys.argv[1:] == ["--memory"]:
        print_memory()
    else:
        sys.exit(main())
