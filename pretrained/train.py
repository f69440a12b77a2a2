"""Trains the pipelines of recipes/NAME.toml: those that come with crossarc, and distributions of their own.

Each is trained on a treebank of CROSSARC_TREEBANKS: the segmenter on the CPU, tags, lemmas and trees together, with
torch if there is a `--device`. It gets weights of 8 bits, is measured on the development and test parts, from raw text
and with gold words, and is written with its source, licence, command line and scores; licence and card lie beside it.

    python pretrained/train.py --only en grc --device cuda --encoders FOLDER
    python pretrained/train.py --only en --network 3x400 --output build/models --device cuda

Options on the command line go before those of the recipe. Segmenters need no GPU: `--segmenters FOLDER
--segmenter-only` trains them elsewhere, `--segmenters FOLDER` takes them. `--parsers FOLDER` takes parsers that were
trained before. With `--checkpoints FOLDER`, training that broke off goes on after its last epoch.

`--again segmenter lemmatiser` learns these parts of the models that are there, or one of them, and changes nothing
else; Greek ones get spellings with the lemmatiser, and a segmenter keeps its other networks where none are trained
(`--device` and `--texts`). `--again counts` counts how tokens become words and where none ends, `--again words` learns
what words say of the ends of sentences, `--again sentences` chooses on dev how probable such an end has to be, `--again
tags` counts which tags words have together, `--again crossing` chooses on dev how crossings count, `--again pages`
measures models and writes cards and licences alone, and `--again about` writes what the recipe says of a model into its
file, for which no treebank is needed.

`--words FOLDER` has words of other treebanks (agdt_words.py), which recipes name, for both. `--texts FOLDER` has texts
whose words are spelt right, for lemmatisers, too. It needs torch, numpy, safetensors and, for tables, rich; without an
installation, PYTHONPATH=src. WordNet, which recipes of English name, is a package of Debian: wordnet-base.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from distribution import Scores, card, licence_text, package_folder, write_distribution, write_text
from recipe import Recipe, read_recipe, recipe_names

import crossarc as xa
from crossarc.models.model_file import ModelFile, read_model_file, write_model_file
from crossarc.reports.raw_text import evaluate_pipeline, measured
from crossarc.text import Pipeline, Segmenter, SegmenterOptions, registry
from crossarc.text.greek import GreekSpelling
from crossarc.text.network import NetworkBoundaries
from crossarc.text.pipeline import TAGS
from crossarc.text.word_boundaries import WordNetwork
from crossarc.training.report import Epoch

TOP = Path(__file__).resolve().parent.parent
#: Where models are written that do not come with the package, and the pages of all.
MODELS, PAGES = TOP / "models", TOP / "docs" / "models"
#: The most bytes that an embedded model may have.
LARGEST = 24_000_000
#: Layers and cells of the networks.
NETWORKS: dict[str, dict[str, Any]] = {
    "2x200": {},
    "3x400": {"layers": 3, "hidden_size": 400, "arc_hidden_size": 500},
}
#: What can be made again without the network.
PARTS = ("segmenter", "counts", "words", "sentences", "tags", "crossing", "lemmatiser", "pages", "about")
#: Options that say where things are and change no model.
_PATHS = (
    "--output",
    "--treebanks",
    "--words",
    "--texts",
    "--taught",
    "--segmenters",
    "--parsers",
    "--checkpoints",
    "--encoders",
    "--threads",
)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = recipe_names()
    embedded = [name for name in names if read_recipe(name).embedded]
    parser.add_argument("--only", nargs="+", choices=names, default=embedded, help=f"default: {' '.join(embedded)}")
    parser.add_argument("--network", choices=NETWORKS, default="2x200")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="any option of Biaffine")
    parser.add_argument("--trees", default="auto", help="the class of trees; default: auto, by the training data")
    parser.add_argument("--epochs", type=int, help="of the parser; default: by recipe, or the size of the data")
    parser.add_argument("--segmenter-epochs", type=int, help="default: 20")
    parser.add_argument("--last", action="store_true", help="take the last epoch: it is not chosen on dev")
    parser.add_argument("--seed", type=int, help="default: by recipe, or 1")
    parser.add_argument("--bits", type=int, choices=(8, 16), default=8)
    parser.add_argument("--device", help="cuda or cpu: train with torch; default: natively")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--output", type=Path, help="default: in the package, or models/NAME")
    parser.add_argument("--treebanks", type=Path, default=os.environ.get("CROSSARC_TREEBANKS"))
    parser.add_argument("--encoders", type=Path, help="the folder of encoders that have read, by the names of recipes")
    parser.add_argument("--words", type=Path, help="the folder of words of other treebanks, by the names of recipes")
    parser.add_argument("--texts", type=Path, help="the folder of texts that teachers parse, by the names of recipes")
    parser.add_argument("--taught", type=Path, help="a folder where what teachers make of texts is kept")
    parser.add_argument("--segmenters", type=Path, help="a folder of segmenters, NAME.segmenter.crossarc")
    parser.add_argument("--parsers", type=Path, help="a folder of NAME.crossarc to take trained parsers from")
    parser.add_argument("--checkpoints", type=Path, help="a folder of checkpoints: training that broke off goes on")
    parser.add_argument("--segmenter-only", action="store_true", help="write the segmenters into --segmenters, no more")
    parser.add_argument(
        "--again", nargs="+", choices=PARTS, default=[], help="make these parts of models that are there anew"
    )
    parser.add_argument("--sentences", type=int, help="learn from the first sentences only, to try the script")
    chosen = parser.parse_args()
    if chosen.treebanks is None:
        parser.error("CROSSARC_TREEBANKS, the folder of treebanks, is not set: give --treebanks")
    if chosen.segmenter_only and chosen.segmenters is None:
        parser.error("--segmenter-only needs --segmenters, where they are written")
    for recipe in map(read_recipe, chosen.only):
        for lack in lacks(recipe, chosen):
            parser.error(lack)
    return chosen


def lacks(recipe: Recipe, chosen: argparse.Namespace) -> Iterator[str]:
    """Yield what a recipe needs and the command line does not give: without it, another model would be made."""
    lemmatiser = not chosen.segmenter_only and (not chosen.again or "lemmatiser" in chosen.again)
    network = lemmatiser and not chosen.again and chosen.parsers is None
    if network and recipe.teacher and chosen.texts is None:
        yield f"{recipe.name} has a teacher that parses {recipe.teacher['folder']}: give --texts, its folder"
    if lemmatiser and recipe.word_texts and chosen.texts is None:
        yield f"the lemmatiser of {recipe.name} knows words of {recipe.word_texts}: give --texts, its folder"
    if lemmatiser and recipe.words and chosen.words is None:
        yield f"the lemmatiser of {recipe.name} learns from {recipe.words['folder']}: give --words, its folder"
    if network and recipe.trees and chosen.words is None:
        yield f"{recipe.name} learns trees of {recipe.trees['folder']}: give --words, its folder"
    if network and recipe.encoder and chosen.encoders is None:
        yield f"{recipe.name} is made on the encoder {recipe.encoder['folder']}: give --encoders, its folder"
    options = {**recipe.network, **dict(map(parsed_option, chosen.option))}
    if network and options.get("given_tags") and chosen.device is None:
        yield f"{recipe.name} learns to read tags that are given, which takes torch: give --device cuda, or cpu"
    kept = kept_segmenter(recipe, chosen)
    segmenter = (chosen.segmenter_only or not chosen.again) and (kept is None or not kept.exists())
    if segmenter and recipe.other_networks and chosen.texts is None:
        yield f"the segmenter of {recipe.name} learns from {recipe.teacher['folder']}: give --texts, its folder"
    if segmenter and recipe.other_networks and chosen.device is None:
        yield f"the segmenter of {recipe.name} learns with torch: give --device cuda, or cpu"


def kept_segmenter(recipe: Recipe, chosen: argparse.Namespace) -> Path | None:
    """Where a segmenter is kept, if it is."""
    return None if chosen.segmenters is None else chosen.segmenters / f"{recipe.name}.segmenter.crossarc"


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


def note(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def trained_segmenter(recipe: Recipe, train: xa.Treebank, chosen: argparse.Namespace) -> Segmenter:
    """A segmenter that was trained before, or a new one."""
    name = recipe.name
    if recipe.segmenter_of is not None:
        embedded = xa.load(recipe.segmenter_of)
        assert isinstance(embedded, Pipeline)
        boundaries = embedded.segmenter.boundaries
        assert isinstance(boundaries, NetworkBoundaries)
        return replace(embedded.segmenter, boundaries=boundaries.with_words(None))
    kept = kept_segmenter(recipe, chosen)
    if kept is not None and kept.exists():
        note(f"{name}: the segmenter is {kept}")
        return Segmenter.load(kept)
    begun = time.monotonic()
    step = 1 if recipe.segmenter_sentences is None else max(1, len(train) // recipe.segmenter_sentences)
    segmenter = Segmenter.train(
        train[::step],
        SegmenterOptions.from_dict(recipe.segmenter),
        epochs=chosen.segmenter_epochs or recipe.segmenter_epochs,
        seed=segmenter_seed(recipe, chosen),
        threads=chosen.threads,
        on_epoch=lambda epoch, share: note(
            f"{name}: segmenter, epoch {epoch}: {100 * share:.2f} % mistakes, {time.monotonic() - begun:.0f} s"
        ),
    )
    if step > 1:
        segmenter.count(train)
    if recipe.other_networks and chosen.device is not None and chosen.texts is not None:
        from other_networks import joined  # which needs torch

        texts = chosen.texts / recipe.teacher["folder"]
        segmenter = joined(segmenter, recipe, train, texts, device=chosen.device, seed=segmenter_seed(recipe, chosen))
        note(f"{name}: segmenter with other networks, {time.monotonic() - begun:.0f} s")
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        segmenter.save(kept)
    return segmenter


def seed_of(recipe: Recipe, chosen: argparse.Namespace) -> int:
    seed: int = recipe.training.get("seed", 1) if chosen.seed is None else chosen.seed
    return seed


def segmenter_seed(recipe: Recipe, chosen: argparse.Namespace) -> int:
    return seed_of(recipe, chosen) if recipe.segmenter_seed is None or chosen.seed else recipe.segmenter_seed


def parsed_option(text: str) -> tuple[str, Any]:
    name, _, value = text.partition("=")
    return name, float(value) if "." in value or "e" in value else int(value)


def network_options(recipe: Recipe, chosen: argparse.Namespace) -> dict[str, Any]:
    """The options of the network: those of the command line before those of the recipe."""
    encoder = {"encoder": str(chosen.encoders / recipe.encoder["folder"])} if recipe.encoder else {}
    return {**recipe.network, **NETWORKS[chosen.network], **encoder, **dict(map(parsed_option, chosen.option))}


def what_is_taught(recipe: Recipe, chosen: argparse.Namespace) -> dict[str, Any]:
    """Return what is learnt beside the treebank."""
    kept = None if chosen.taught is None else chosen.taught / f"{recipe.teacher.get('folder')}.conllu"
    begun = time.monotonic()
    taught = recipe.taught(chosen.words, chosen.texts, kept, chosen.threads)
    if "teacher" in taught:
        words = taught["taught"].words
        note(f"{recipe.name}: {words:,} words were parsed by the teacher, {time.monotonic() - begun:.0f} s")
    return taught


def trained_parser(
    recipe: Recipe, chosen: argparse.Namespace, train: xa.Treebank, dev: xa.Treebank, on_epoch: Callable[[], object]
) -> xa.GraphParser:
    """Train a parser that predicts tags and lemmas, too; `on_epoch` is called after each epoch."""
    columns = tuple(column for column in TAGS if train.inventory(column).keys() - {"_"})
    network = xa.Biaffine.from_dict(network_options(recipe, chosen))
    parser = xa.GraphParser(chosen.trees, network=network, predict=columns)

    def tell(epoch: Epoch) -> None:
        las = "" if epoch.las is None else f" LAS {100 * epoch.las:.2f},"
        note(f"{recipe.name}: epoch {epoch.number}:{las} {epoch.seconds:.1f} s")
        on_epoch()

    if chosen.checkpoints is not None:
        chosen.checkpoints.mkdir(parents=True, exist_ok=True)
    last = chosen.last or recipe.training.get("last", False)
    parser.train(
        train,
        dev=None if last else dev,
        epochs=chosen.epochs or recipe.training.get("epochs"),
        seed=seed_of(recipe, chosen),
        threads=chosen.threads,
        device=chosen.device,
        checkpoint=None if chosen.checkpoints is None else chosen.checkpoints / f"{recipe.name}.crossarc",
        resume=chosen.checkpoints is not None,
        command=command_line(sys.argv[1:], recipe.name),
        on_epoch=tell,
        **what_is_taught(recipe, chosen),
    )
    if last:
        parser.calibrate(dev)
        note(f"{recipe.name}: penalty of crossed arcs, chosen on dev: {parser.crossing_penalty}")
    return parser


def trained(recipe: Recipe, chosen: argparse.Namespace, train: xa.Treebank, dev: xa.Treebank) -> Pipeline:
    """Train a pipeline by its recipe, or put one together with a parser that was trained before."""
    about = {
        "name": recipe.name,
        "language": recipe.language,
        "domain": recipe.domain,
        "licence": recipe.licences,
        "attribution": recipe.attribution,
        "source": recipe.sources,
        "command": command_line(sys.argv[1:], recipe.name),
        "crossarc": xa.__version__,
    }
    spelling = GreekSpelling.fit(train)
    if chosen.parsers is not None:
        segmenter = trained_segmenter(recipe, train, chosen)
        before = xa.load(chosen.parsers / f"{recipe.name}.crossarc")
        parts = (before.parser, before.tagger) if isinstance(before, Pipeline) else (before, None)
        if isinstance(parts[0], xa.GraphParser):
            parts[0].calibrate(dev, threads=chosen.threads)
        return Pipeline(segmenter, *parts, spelling=spelling, about=about)
    # The segmenter learns beside the parser, in a process of its own.
    with ProcessPoolExecutor(1, get_context("spawn")) as process:
        learning = process.submit(trained_segmenter, recipe, train, chosen)
        # What went wrong there is told after the next epoch, and not after the last.
        parser = trained_parser(recipe, chosen, train, dev, lambda: learning.done() and learning.result())
        pipeline = Pipeline(learning.result(), parser, spelling=spelling, about=about)
    if "lemma" in pipeline.abilities.predicts:
        pipeline.learn_lemmas(train, recipe.known_lemmas(chosen.texts))
    return pipeline


def measured_scores(pipeline: Pipeline, recipe: Recipe, parts: dict[str, xa.Treebank]) -> Scores:
    """The measures of CoNLL 2018 on each part, with gold words and from raw text."""
    scores = {}
    for name, gold in parts.items():
        if recipe.raw:
            scores[f"{name}, raw text"] = measured(evaluate_pipeline(pipeline, gold))
        scores[f"{name}, gold words"] = measured(evaluate_pipeline(pipeline, gold, words=True))
    return scores


def scores_by_domain(pipeline: Pipeline, gold: xa.Treebank) -> Scores:
    """The same for each domain, which the names of sentences begin with, `weblog-…`; nothing where they do not."""
    domains: dict[str, list[int]] = {}
    for index, sentence in enumerate(gold):
        domains.setdefault(sentence.metadata.get("sent_id", "").partition("-")[0], []).append(index)
    if not 1 < len(domains) <= 12:
        return {}
    return {
        f"{domain}, {len(sentences)} sentences": measured(evaluate_pipeline(pipeline, gold[sentences], words=True))
        for domain, sentences in sorted(domains.items())
    }


def has_universal_tags(pipeline: Pipeline) -> bool:
    """Whether the parts of speech that a pipeline predicts are those of Universal Dependencies."""
    parser = pipeline.tagger or pipeline.parser
    assert isinstance(parser, xa.GraphParser) and parser.trained is not None
    return "NOUN" in parser.trained.tags.values["upos"]


def loaded(path: Path) -> Pipeline:
    pipeline = xa.load(path)
    assert isinstance(pipeline, Pipeline), path
    return pipeline


def shipped_folder(recipe: Recipe) -> Path:
    return registry.EMBEDDED if recipe.embedded else package_folder(MODELS / recipe.name, recipe.name)


def with_segmenter(pipeline: Pipeline, segmenter: Segmenter, words: WordNetwork | None) -> Pipeline:
    """Return a pipeline with this segmenter and this network of words, and all else as it was."""
    return Pipeline(
        segmenter,
        pipeline.parser,
        pipeline.tagger,
        spelling=pipeline.spelling,
        words=words,
        about=pipeline.about,
    )


def with_other_networks(segmenter: Segmenter, recipe: Recipe, before: Segmenter) -> Segmenter:
    """Return a segmenter with the other networks of the one before, if it is to have some and has none."""
    first, there = segmenter.boundaries, before.boundaries
    if not (recipe.other_networks and isinstance(first, NetworkBoundaries) and isinstance(there, NetworkBoundaries)):
        return segmenter
    return segmenter if first.others else replace(segmenter, boundaries=first.with_others(there.others))


def learnt_words(recipe: Recipe, chosen: argparse.Namespace, parser: xa.GraphParser, train: xa.Treebank) -> WordNetwork:
    """Learn what the words say of the ends of sentences by the encoder of a parser."""
    from word_network import word_network  # which needs torch

    return word_network(parser, recipe, train, seed=seed_of(recipe, chosen), threads=chosen.threads)


def learnt(recipe: Recipe, chosen: argparse.Namespace, there: Pipeline | None, dev: xa.Treebank) -> Pipeline:
    """Return a new pipeline, or the one that is there with the parts that are to be learnt again."""
    universal = there is None or has_universal_tags(there)
    train = recipe.part(chosen.treebanks, "train", universal=universal)[: chosen.sentences]
    pipeline = trained(recipe, chosen, train, dev) if there is None else there
    if "segmenter" in chosen.again:
        segmenter = with_other_networks(trained_segmenter(recipe, train, chosen), recipe, pipeline.segmenter)
        pipeline = with_segmenter(pipeline, segmenter, pipeline.words)
    if "counts" in chosen.again:
        pipeline.segmenter.count(train)
    if recipe.sentences_by_words and (there is None or "words" in chosen.again):
        assert isinstance(pipeline.parser, xa.GraphParser)
        words = learnt_words(recipe, chosen, pipeline.parser, train)
        pipeline = with_segmenter(pipeline, pipeline.segmenter, words)
    if there is None or {"segmenter", "words", "sentences"} & set(chosen.again):
        pipeline.segmenter.calibrate(dev, threads=chosen.threads)
    parser = pipeline.tagger or pipeline.parser
    assert isinstance(parser, xa.GraphParser)
    if "tags" in chosen.again:
        parser.learn_combinations(train)
    if "crossing" in chosen.again:
        parser.calibrate(dev, threads=chosen.threads)
    more = recipe.with_words(train, chosen.words, universal=universal)
    new_words = there is None and (chosen.parsers is not None or more is not train)
    if "lemmatiser" in chosen.again or new_words:
        pipeline.learn_lemmas(more, recipe.known_lemmas(chosen.texts))
        pipeline.spelling = GreekSpelling.fit(more)
    pipeline.about = about_again(pipeline.about, recipe)
    return pipeline


def about_again(about: Mapping[str, Any], recipe: Recipe) -> dict[str, Any]:
    """Return what a model says of itself, with what its recipe says now."""
    return {**about, "domain": recipe.domain, "source": recipe.sources, "licence": recipe.licences}


def write_about(recipe: Recipe, there: Path, path: Path) -> None:
    """Write a model file that is there with what its recipe says of it now; nothing else changes."""
    file = read_model_file(there)
    about = about_again(file.description["about"], recipe)
    write_model_file(path, ModelFile({**file.description, "about": about}, file.arrays))


def write_measured(pipeline: Pipeline, recipe: Recipe, path: Path, parts: dict[str, xa.Treebank], bits: int) -> Scores:
    """Write a model with its scores, and return them; what is measured is what was written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pipeline.save(path, bits=bits)
    written = loaded(path)
    scores = measured_scores(written, recipe, parts)
    written.about = {**written.about, "scores": scores}
    written.save(path, bits=bits)
    note(f"{path}: {path.stat().st_size / 1e6:.1f} MB")
    return scores


def write_pages(recipe: Recipe, path: Path, scores: Scores, test: xa.Treebank, *, shipped: bool) -> None:
    """Write the licence of a model that is there and its card; of one that is shipped, its page and package, too."""
    pipeline, size = loaded(path), path.stat().st_size
    page = card(recipe, pipeline.about, size, scores, scores_by_domain(pipeline, test))
    print(page)
    if shipped:
        write_text(PAGES / f"{recipe.name}.md", page)
    if shipped and not recipe.embedded:
        write_distribution(MODELS / recipe.name, recipe, xa.__version__, page)
    else:
        write_text(path.parent / f"{recipe.name}.LICENSE", licence_text(recipe))
    if shipped and recipe.embedded and size > LARGEST:
        sys.exit(f"{path} has {size:,} bytes; an embedded model has at most {LARGEST:,}")


def make(name: str, chosen: argparse.Namespace) -> None:
    """Train, compress, measure and write one model, with its licence, card and page."""
    recipe = read_recipe(name)
    if chosen.segmenter_only:
        trained_segmenter(recipe, recipe.part(chosen.treebanks, "train")[: chosen.sentences], chosen)
        return
    path = (chosen.output or shipped_folder(recipe)) / f"{name}.crossarc"
    if chosen.again == ["about"]:
        write_about(recipe, shipped_folder(recipe) / path.name, path)
        return
    there = loaded(shipped_folder(recipe) / path.name) if chosen.again else None
    # A pipeline makes universal tags of letters itself.
    parts = {held_out: recipe.part(chosen.treebanks, held_out) for held_out in ("dev", "test")}
    if there is not None and chosen.again == ["pages"]:
        scores = measured_scores(there, recipe, parts)
    else:
        begun = time.monotonic()
        pipeline = learnt(recipe, chosen, there, parts["dev"])
        note(f"{name}: trained in {time.monotonic() - begun:.0f} s")
        scores = write_measured(pipeline, recipe, path, parts, chosen.bits)
    write_pages(recipe, path, scores, parts["test"], shipped=chosen.output is None)


def main() -> None:
    chosen = arguments()
    for name in chosen.only:
        make(name, chosen)


if __name__ == "__main__":
    main()
