"""Trains the pipelines that come with crossarc, and those of the tables in the README.

Each is trained on a treebank of CROSSARC_TREEBANKS: the segmenter on the CPU, tags, lemmas and trees together, with
torch if there is a `--device`. It gets weights of 8 bits, is measured on the development and test parts, from raw text
and with gold words, and is written with its source, licence, command line and scores; the licence lies beside it.

    python pretrained/train.py --only en grc --device cuda
    python pretrained/train.py --only en --network 3x400 --output build/models --device cuda

Segmenters need no GPU: `--segmenters FOLDER --segmenter-only` trains them elsewhere, `--segmenters FOLDER` takes them.
`--parsers FOLDER` takes parsers out of pipelines that were written before, so that one can get another segmenter.
It needs torch, numpy, safetensors and, for tables, rich; without an installation, PYTHONPATH=src.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import crossarc as xa
from crossarc.files import open_output
from crossarc.reports.raw_text import evaluate_pipeline, measured
from crossarc.text import Pipeline, Segmenter, registry
from crossarc.text.greek import GreekSpelling
from crossarc.text.pipeline import TAGS
from crossarc.training.report import Epoch
from crossarc.treebank.agdt import with_plain_lemmas, with_universal_tags

TOP = Path(__file__).resolve().parent.parent
#: The most bytes that an embedded model may have.
LARGEST = 12_000_000
#: Layers and cells of the networks.
NETWORKS: dict[str, dict[str, Any]] = {
    "2x200": {},
    "3x400": {"layers": 3, "hidden_size": 400, "arc_hidden_size": 500},
}
#: Options that say where things are and change no model.
_PATHS = ("--output", "--treebanks", "--segmenters", "--parsers", "--threads")


@dataclass(frozen=True)
class Recipe:
    """What a pipeline is trained on and where that comes from."""

    language: str
    treebank: str
    source: str
    licence: str
    #: Where the text of the licence is.
    deed: str
    attribution: str
    segmenter_epochs: int = 20
    #: Whether the treebank has the spaces of its texts, so that scores from raw text say something.
    raw: bool = True
    #: How each part of the treebank is changed before anything is trained or measured on it.
    preparation: tuple[Callable[[xa.Treebank], xa.Treebank], ...] = ()


RECIPES = {
    "en": Recipe(
        "English",
        "en_ewt",
        "UniversalDependencies/UD_English-EWT 15d613d8",
        "CC BY-SA 4.0",
        "https://creativecommons.org/licenses/by-sa/4.0/",
        "UD English EWT, annotations © The Board of Trustees of The Leland Stanford Junior University: Natalia "
        "Silveira, Timothy Dozat, Sebastian Schuster, Miriam Connor, Marie-Catherine de Marneffe, Nathan Schneider, "
        "Ethan Chi, Samuel Bowman, Hanzhi Zhu, Daniel Galbraith, Christopher Manning, John Bauer and the other "
        "contributors that its README names",
    ),
    "grc": Recipe(
        "Ancient Greek",
        "grc_agdt",
        "PerseusDL/treebank_data bf4334f0",
        "CC BY-SA 3.0 US",
        "https://creativecommons.org/licenses/by-sa/3.0/us/",
        "The Ancient Greek and Latin Dependency Treebank, © The Perseus Digital Library, Tufts University, and the "
        "annotators that its files name",
        raw=False,
        preparation=(with_universal_tags, with_plain_lemmas),
    ),
    "pt": Recipe(
        "Portuguese",
        "pt_bosque",
        "UniversalDependencies/UD_Portuguese-Bosque 5de7ac34",
        "CC BY-SA 4.0",
        "https://creativecommons.org/licenses/by-sa/4.0/",
        "UD Portuguese Bosque: Alexandre Rademaker, Fabricio Chalub, Livy Real, Cláudia Freitas, Eckhard Bick, Valeria "
        "de Paiva and the other contributors that its README names",
    ),
    "la": Recipe(
        "Latin",
        "la_circse",
        "UniversalDependencies/UD_Latin-CIRCSE 285bb71c",
        "CC BY-SA 4.0",
        "https://creativecommons.org/licenses/by-sa/4.0/",
        "UD Latin CIRCSE, CIRCSE Research Centre, Milan: Federica Iurescia, Marco Passarotti, Francesco Mambrini, "
        "Giovanni Moretti, Paolo Ruffolo, Federica Gamba, Flavio Massimiliano Cecchini and the other contributors that "
        "its README names",
    ),
}
EMBEDDED = ("en", "grc")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=RECIPES, default=list(EMBEDDED), help="default: en grc")
    parser.add_argument("--network", choices=NETWORKS, default="2x200")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="any option of Biaffine")
    parser.add_argument("--trees", default="auto", help="the class of trees; default: auto, by the training data")
    parser.add_argument("--epochs", type=int, help="of the parser; default: by the size of the data")
    parser.add_argument("--segmenter-epochs", type=int, help="default: 20")
    parser.add_argument("--last", action="store_true", help="take the last epoch: nothing is chosen on dev")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bits", type=int, choices=(8, 16), default=8)
    parser.add_argument("--device", help="cuda or cpu: train with torch; default: natively")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--output", type=Path, default=registry.EMBEDDED, help="default: in the package")
    parser.add_argument("--treebanks", type=Path, default=os.environ.get("CROSSARC_TREEBANKS"))
    parser.add_argument("--segmenters", type=Path, help="a folder of segmenters, NAME.segmenter.crossarc")
    parser.add_argument("--parsers", type=Path, help="a folder of pipelines, NAME.crossarc, to take parsers from")
    parser.add_argument("--segmenter-only", action="store_true", help="write the segmenters into --segmenters, no more")
    parser.add_argument("--sentences", type=int, help="learn from the first sentences only, to try the script")
    chosen = parser.parse_args()
    if chosen.treebanks is None:
        parser.error("CROSSARC_TREEBANKS, the folder of treebanks, is not set: give --treebanks")
    if chosen.segmenter_only and chosen.segmenters is None:
        parser.error("--segmenter-only needs --segmenters, where they are written")
    return chosen


def command_line(arguments: list[str], name: str) -> str:
    """The command line that gives one model, without folders and what else changes nothing."""
    kept, skip, only = [], False, False
    for word in arguments:
        if word.startswith("--"):
            skip = word.partition("=")[0] in _PATHS
            only = word.partition("=")[0] == "--only"
        if not (skip or only):
            kept.append(word)
    return shlex.join(["python", "pretrained/train.py", "--only", name, *kept])


def part(recipe: Recipe, treebanks: Path, name: str) -> xa.Treebank:
    """The train, dev or test part of a treebank, with all its roots, prepared."""
    folder = treebanks / recipe.treebank
    for file in sorted(folder.glob(f"{name}.*")):
        treebank = xa.read(file, root="any").in_format("conllu")
        for prepared in recipe.preparation:
            treebank = prepared(treebank)
        return treebank
    sys.exit(f"{folder} has no part {name}")


def note(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def trained_segmenter(name: str, recipe: Recipe, train: xa.Treebank, chosen: argparse.Namespace) -> Segmenter:
    """A segmenter that was trained before, or a new one."""
    kept = None if chosen.segmenters is None else chosen.segmenters / f"{name}.segmenter.crossarc"
    if kept is not None and kept.exists():
        note(f"{name}: the segmenter is {kept}")
        return Segmenter.load(kept)
    begun = time.monotonic()
    segmenter = Segmenter.train(
        train,
        epochs=chosen.segmenter_epochs or recipe.segmenter_epochs,
        seed=chosen.seed,
        threads=chosen.threads,
        on_epoch=lambda epoch, share: note(
            f"{name}: segmenter, epoch {epoch}: {100 * share:.2f} % mistakes, {time.monotonic() - begun:.0f} s"
        ),
    )
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        segmenter.save(kept)
    return segmenter


def parsed_option(text: str) -> tuple[str, Any]:
    name, _, value = text.partition("=")
    return name, float(value) if "." in value or "e" in value else int(value)


def trained(name: str, chosen: argparse.Namespace, train: xa.Treebank, dev: xa.Treebank) -> Pipeline:
    """Train a pipeline by its recipe."""
    recipe = RECIPES[name]
    segmenter = trained_segmenter(name, recipe, train, chosen)
    if chosen.parsers is not None:
        before = xa.load(chosen.parsers / f"{name}.crossarc")
        assert isinstance(before, Pipeline)
        return Pipeline(segmenter, before.parser, before.tagger, spelling=GreekSpelling.fit(train), about=before.about)
    columns = tuple(column for column in TAGS if train.inventory(column).keys() - {"_"})
    network = xa.Biaffine.from_dict({**NETWORKS[chosen.network], **dict(map(parsed_option, chosen.option))})
    parser = xa.GraphParser(chosen.trees, network=network, predict=columns)

    def tell(epoch: Epoch) -> None:
        note(f"{name}: epoch {epoch.number}: LAS {100 * (epoch.las or 0):.2f}, {epoch.seconds:.1f} s")

    pipeline = Pipeline.train(
        train,
        None if chosen.last else dev,
        parser=parser,
        segmenter=segmenter,
        epochs=chosen.epochs,
        seed=chosen.seed,
        threads=chosen.threads,
        device=chosen.device,
        about={
            "name": name,
            "language": recipe.language,
            "licence": recipe.licence,
            "attribution": recipe.attribution,
            "source": recipe.source,
            "command": command_line(sys.argv[1:], name),
            "crossarc": xa.__version__,
        },
        on_epoch=tell,
    )
    if chosen.last:
        note(f"{name}: penalty of crossed arcs, chosen on dev: {parser.choose_crossing_penalty(dev)}")
    return pipeline


def measured_scores(pipeline: Pipeline, recipe: Recipe, parts: dict[str, xa.Treebank]) -> dict[str, dict[str, float]]:
    """The measures of CoNLL 2018 on each part, with gold words and from raw text."""
    scores = {}
    for name, gold in parts.items():
        if recipe.raw:
            scores[f"{name}, raw text"] = measured(evaluate_pipeline(pipeline, gold))
        scores[f"{name}, gold words"] = measured(evaluate_pipeline(pipeline, gold, words=True))
    return scores


def licence_text(name: str, recipe: Recipe) -> str:
    """What lies beside a model: its licence, its source, and what was made of it."""
    return (
        f"{name}.crossarc, a model for {recipe.language}\n\n"
        f"Licence: {recipe.licence}, {recipe.deed}\n"
        f"Made from: {recipe.source}\n"
        f"Attribution: {recipe.attribution}\n\n"
        f"The model was trained by pretrained/train.py of crossarc on the training part of the treebank; its weights,\n"
        f"vocabularies and tables of lemmas are derived from it and are under the same licence. crossarc itself is\n"
        f"under the MIT licence.\n"
    )


def print_scores(name: str, scores: dict[str, dict[str, float]]) -> None:
    names = list(dict.fromkeys(key for row in scores.values() for key in row))
    print(f"{name:<24}" + "".join(f"{key:>10}" for key in names))
    for title, row in scores.items():
        print(f"{title:<24}" + "".join(f"{100 * row[key]:10.2f}" if key in row else " " * 10 for key in names))


def make(name: str, chosen: argparse.Namespace) -> None:
    """Train, compress, measure and write one model."""
    recipe = RECIPES[name]
    train = part(recipe, chosen.treebanks, "train")[: chosen.sentences]
    if chosen.segmenter_only:
        trained_segmenter(name, recipe, train, chosen)
        return
    parts = {held_out: part(recipe, chosen.treebanks, held_out) for held_out in ("dev", "test")}
    begun = time.monotonic()
    pipeline = trained(name, chosen, train, parts["dev"])
    note(f"{name}: trained in {time.monotonic() - begun:.0f} s")
    chosen.output.mkdir(parents=True, exist_ok=True)
    path = chosen.output / f"{name}.crossarc"
    pipeline.save(path, bits=chosen.bits)
    # What is measured is what was written.
    written = xa.load(path)
    assert isinstance(written, Pipeline)
    written.about = {**written.about, "scores": measured_scores(written, recipe, parts)}
    written.save(path, bits=chosen.bits)
    with open_output(chosen.output / f"{name}.LICENSE") as file:
        file.write(licence_text(name, recipe).encode())
    size = path.stat().st_size
    note(f"{path}: {size / 1e6:.1f} MB")
    print_scores(name, written.about["scores"])
    if chosen.output == registry.EMBEDDED and size > LARGEST:
        sys.exit(f"{path} has {size:,} bytes; an embedded model has at most {LARGEST:,}")


def main() -> None:
    chosen = arguments()
    for name in chosen.only:
        make(name, chosen)


if __name__ == "__main__":
    main()
