"""From raw text to trees: how good, how fast, in how much memory? The embedded models, and models/en-accurate.

Scores on the test parts of treebanks are F1 of the CoNLL 2018 measures, from raw text and with gold words, beside those
that others published: UDPipe 1 (models of UD 2.5) and Stanza 1.5.1 (with a character language model and pretrained
vectors). `--models` names a folder with those of other treebanks (`pt.crossarc`, `la-circse.crossarc`), as
pretrained/train.py makes them; without it their rows are left out.

Speed: the raw text of the en_ewt test part, from a string to a treebank, one thread, the best of several runs, the
model loaded before. Beside it spaCy (tok2vec, tagger, parser) and UDPipe 1 (tokeniser, tagger, parser, beam of 5),
trained on the spot from few sentences, which changes what they find and not how long it takes. Then `crossarc parse` as
a process of its own, imports and all: its time from start to finish and its memory at the peak on 1,000 words with en
and en-accurate (`--commands` measures nothing else), and the memory of en on a long file. At the end, the tokens of a
long text are put together again: it must be the text.

    python benchmarks/raw_text.py [--models FOLDER] [--runs 3] [--words 50000] [--megabytes 10] [--commands]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import crossarc as xa
from common import ACCURATE, Claims, at_least, at_most, best_times, console, print_table, treebank_path
from crossarc.reports.raw_text import evaluate_pipeline, measured
from crossarc.text import Pipeline, known_models, raw_text
from crossarc.text.surface import surface_tokens, unescaped
from crossarc.treebank.agdt import with_plain_lemmas, with_universal_tags

#: Measures by the names of the table, and what others published of English EWT.
PUBLISHED = {
    "Words": (98.9, 98.9),
    "Sentences": (77.4, 89.2),
    "UPOS": (93.3, 96.2),
    "UFeats": (94.2, 96.4),
    "Lemmas": (95.5, 96.6),
    "LAS": (77.0, 86.8),
}
#: What the embedded English model and `en-accurate` reach from raw text, in the order of the measures.
RAW = {"embedded": (98.8, 89.3, 95.0, 95.0, 96.0, 85.5), "accurate": (98.8, 89.3, 96.0, 96.0, 96.5, 87.3)}
#: LAS with gold words.
WORDS = {"en, embedded": 87.9, "en, accurate": 90.0, "grc, embedded": 81.0}
#: Seconds from start to finish and megabytes at the peak on 1,000 words, on one thread; the seconds of a server.
COMMANDS = {"en": (0.5, 100), "en-accurate": (0.7, 200)}
#: Treebanks of which only the scores are reported, with UDPipe 1's LAS.
OTHERS = {"pt": ("pt_bosque", "81.9"), "la-circse": ("la_circse", "")}
MEASURES = ("Words", "Sentences", "UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS")
NO_MODELS = "needs --models"
NOT_THERE = "the model is not there"
CLAIMS = Claims(
    {
        **{
            f"en, {size}, raw text, {name}": at_least(least)
            for size, limits in RAW.items()
            for name, least in zip(PUBLISHED, limits, strict=True)
        },
        **{f"{name}, gold words, LAS": at_least(least) for name, least in WORDS.items()},
        "en, embedded, MB": at_most(8),
        "grc, embedded, MB": at_most(24),
        "words/s, one thread": at_least(12_000),
        **{f"{name}, 1,000 words, start to finish, s": at_most(seconds) for name, (seconds, _) in COMMANDS.items()},
        **{f"{name}, 1,000 words, memory, MB": at_most(megabytes) for name, (_, megabytes) in COMMANDS.items()},
        "memory, MB": at_most(300),
        "the text comes back": at_least(1),
    }
)
#: `crossarc`, which says at its end how much memory it took at its peak.
PEAK = """
from crossarc.cli.main import main
try:
    main()
finally:
    with open("/proc/self/status") as status:
        print(next(line.split()[1] for line in status if line.startswith("VmHWM")))
"""


def loaded(path: Path | None) -> Pipeline | None:
    """A pipeline, if it is there."""
    if path is None or not path.exists():
        return None
    found = xa.load(path)
    assert isinstance(found, Pipeline), path
    return found


def test_part(treebank: str) -> xa.Treebank:
    (file,) = sorted(treebank_path(treebank).glob("test.*"))
    return xa.read(file, root="any").in_format("conllu")


def score(name: str, pipeline: Pipeline, gold: xa.Treebank, words: bool) -> tuple[list[str], dict[str, float]]:
    """A row of the table, and the scores in percent."""
    found = {key: 100 * share for key, share in measured(evaluate_pipeline(pipeline, gold, words=words)).items()}
    return [name, *(f"{found[key]:.2f}" if key in found else "" for key in MEASURES)], found


def english(models: dict[str, Pipeline | None]) -> None:
    """Print the scores of English, and note the claims about them."""
    gold = test_part("en_ewt")
    rows = []
    for size, pipeline in models.items():
        if pipeline is None:
            for name in PUBLISHED:
                CLAIMS.leave_out(f"en, {size}, raw text, {name}", NOT_THERE)
            CLAIMS.leave_out(f"en, {size}, gold words, LAS", NOT_THERE)
            continue
        row, found = score(f"{size}, raw text", pipeline, gold, words=False)
        for name in PUBLISHED:
            CLAIMS.measure(f"en, {size}, raw text, {name}", found[name])
        words, given = score(f"{size}, gold words", pipeline, gold, words=True)
        CLAIMS.measure(f"en, {size}, gold words, LAS", given["LAS"])
        rows += [row, words]
    for place, name in enumerate(("UDPipe 1 (UD 2.5), published", "Stanza 1.5.1, published")):
        rows.append([name, *(f"{PUBLISHED[key][place]:.1f}" if key in PUBLISHED else "" for key in MEASURES)])
    print_table(["en_ewt test", *MEASURES], rows)


def others(models: Path | None, greek: Pipeline | None) -> None:
    """Print the scores of other treebanks."""
    rows = []
    if greek is None:
        CLAIMS.leave_out("grc, embedded, gold words, LAS", "is not in the package")
    else:
        gold = with_plain_lemmas(with_universal_tags(test_part("grc_agdt")))  # what the model predicts
        row, found = score("grc_agdt, embedded, gold words", greek, gold, words=True)
        CLAIMS.measure("grc, embedded, gold words, LAS", found["LAS"])
        rows.append([*row, ""])
    for name, (treebank, published) in OTHERS.items():
        pipeline = loaded(None if models is None else models / f"{name}.crossarc")
        if pipeline is None:
            console.print(f"{treebank}: left out, {NO_MODELS}")
            continue
        row, _ = score(f"{treebank}, raw text", pipeline, test_part(treebank), words=False)
        rows.append([*row, published])
    print_table(["test part", *MEASURES, "LAS of UDPipe 1"], rows)


def with_spacy(train: xa.Treebank, text: str) -> Callable[[], object]:
    """spaCy's pipeline as its default configuration has it, initialised with the labels of the treebank."""
    import spacy

    nlp = spacy.blank("en")
    nlp.add_pipe("tok2vec")
    shared = {"model": {"tok2vec": {"@architectures": "spacy.Tok2VecListener.v1", "width": 96}}}
    tagger: Any = nlp.add_pipe("tagger", config=shared)
    parser: Any = nlp.add_pipe("parser", config=shared)
    for label in train.inventory("xpos"):
        tagger.add_label(label)
    for label in train.inventory("deprel"):
        parser.add_label(label)
    nlp.initialize()
    paragraphs = text.split("\n\n")
    return lambda: list(nlp.pipe(paragraphs))


def with_udpipe(train: xa.Treebank, text: str) -> Callable[[], object]:
    """UDPipe's tokeniser, tagger and parser of a few sentences, with its usual sizes."""
    from ufal import udpipe

    reader = udpipe.InputFormat.newConlluInputFormat()
    reader.setText(train[:400].to_text())
    sentences, error, sentence = udpipe.Sentences(), udpipe.ProcessingError(), udpipe.Sentence()
    while reader.nextSentence(sentence, error):
        sentences.push_back(sentence)
        sentence = udpipe.Sentence()
    sizes = "embedding_upostag=20;embedding_feats=20;embedding_xpostag=0;embedding_form=50;embedding_lemma=0;"
    trained = udpipe.Trainer.train(
        "morphodita_parsito",
        sentences,
        udpipe.Sentences(),
        "epochs=1;dimension=24",
        "models=2;iterations=2;templates_1=tagger;templates_2=lemmatizer",
        f"iterations=1;{sizes}embedding_deprel=20;hidden_layer=200;transition_system=projective;transition_oracle=dynamic",
        error,
    )
    if error.occurred():
        raise RuntimeError(error.message)
    with tempfile.NamedTemporaryFile() as file:
        file.write(trained)
        file.flush()
        model = udpipe.Model.load(file.name)
    pipeline = udpipe.Pipeline(model, "tokenize", udpipe.Pipeline.DEFAULT, udpipe.Pipeline.DEFAULT, "conllu")
    kept = (model, pipeline)  # a pipeline does not keep its model alive
    return lambda: kept[1].process(text)


def speed(pipeline: Pipeline, text: str, train: xa.Treebank, runs: int) -> None:
    """Print words per second, ours and of others, counted in our words."""
    words = pipeline(text, threads=1).words
    tasks: dict[str, Callable[[], object]] = {"crossarc, embedded English": partial(pipeline, text, threads=1)}
    for name, make in {"spaCy": with_spacy, "UDPipe 1": with_udpipe}.items():
        try:
            tasks[name] = make(train, text)
        except ImportError as error:
            console.print(f"{name}: left out, not installed ({error})")
    rows = []
    for name, times in zip(tasks, best_times(list(tasks.values()), runs), strict=True):
        rows.append([name, f"{words / times.wall:,.0f}", f"{words / times.processor:,.0f}"])
        if name.startswith("crossarc"):
            CLAIMS.measure("words/s, one thread", words / times.wall)
    print_table([f"{words:,} words of raw text", "words/s", "words per second of processor time"], rows)


def command_of(model: Path, text: Path, output: Path) -> list[str]:
    return ["parse", str(model), str(text), "-o", str(output), "--threads", "1", "--quiet"]


def peak(arguments: list[str]) -> float:
    """Megabytes that a command takes, asked of the process itself: its parent's would count for what it forks."""
    run = [sys.executable, "-c", PEAK, *arguments]
    done = subprocess.run(run, check=True, stdout=subprocess.PIPE, text=True)
    return int(done.stdout.split()[-1]) / 1024


def commands(models: dict[str, Path], text: str, runs: int, folder: Path) -> None:
    """Print how long the command takes on 1,000 words with each model, and how much memory."""
    rows, program = [], str(Path(sys.executable).parent / "crossarc")
    short, output = folder / "short.txt", folder / "out.conllu"
    short.write_text(" ".join(text.split(" ")[:850]))  # about a thousand words and signs
    for name in COMMANDS:
        claims = f"{name}, 1,000 words, start to finish, s", f"{name}, 1,000 words, memory, MB"
        if name not in models:
            for claim in claims:
                CLAIMS.leave_out(claim, NOT_THERE)
            continue
        arguments = command_of(models[name], short, output)
        # Half a second is soon disturbed: as many runs as take five.
        (times,) = best_times([partial(subprocess.run, [program, *arguments], check=True)], runs, least_seconds=5)
        words, megabytes = xa.read(output).words, peak(arguments)
        CLAIMS.measure(claims[0], times.wall * 1000 / max(1000, words))
        CLAIMS.measure(claims[1], megabytes)
        rows.append([f"{name}, {words:,} words", f"{times.wall:.2f}", f"{megabytes:.0f}"])
    print_table(["crossarc parse", "start to finish, s", "memory at the peak, MB"], rows)


def long_file(model: Path, text: str, folder: Path) -> None:
    """Print how much memory the command takes on a long file."""
    long = folder / "long.txt"
    long.write_text(text)
    megabytes = peak(command_of(model, long, folder / "out.conllu"))
    CLAIMS.measure("memory, MB", megabytes)
    print_table(["crossarc parse en", "MB"], [[f"{len(text) / 1e6:.1f} million characters", f"{megabytes:.0f}"]])


def put_together(pieces: Iterator[xa.Treebank]) -> Iterator[str]:
    """The pieces of the text that tokens and their spaces give."""
    for treebank in pieces:
        for sentence in treebank:
            first = next((one.misc for one in sentence.multiword_tokens if one.first == 1), sentence[0].misc)
            yield unescaped(first.get("SpacesBefore", ""))
            for token in surface_tokens(sentence):
                yield token.text
                yield token.spaces


def comes_back(pipeline: Pipeline, text: str) -> bool:
    place = 0
    for piece in put_together(pipeline.segmenter.stream([text])):
        if not text.startswith(piece, place):
            return False
        place += len(piece)
    return place == len(text)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=Path, help="a folder with pt.crossarc and la-circse.crossarc")
    parser.add_argument("--runs", type=int, default=3, help="default: 3")
    parser.add_argument("--words", type=int, default=50_000, help="about so many words for speed, default: 50000")
    parser.add_argument("--megabytes", type=int, default=10, help="of text that must come back, default: 10")
    parser.add_argument("--commands", action="store_true", help="only time and memory of commands on 1,000 words")
    chosen = parser.parse_args()
    embedded = {name: one for name, one in known_models().items() if one.origin == "crossarc"}
    files = {"en": embedded["en"].file} if "en" in embedded else {}
    files |= {"en-accurate": ACCURATE} if ACCURATE.exists() else {}
    test = raw_text(test_part("en_ewt"))
    with tempfile.TemporaryDirectory() as folder:
        commands(files, test, chosen.runs, Path(folder))
    if chosen.commands:
        for name in CLAIMS.claims.keys() - CLAIMS.measured.keys() - CLAIMS.left_out.keys():
            CLAIMS.leave_out(name, "--commands")
        return CLAIMS.finish()
    en, grc = (loaded(embedded[name].path if name in embedded else None) for name in ("en", "grc"))
    english({"embedded": en, "accurate": loaded(ACCURATE)})
    others(chosen.models, grc)
    for name in ("en", "grc"):
        if name in embedded:
            CLAIMS.measure(f"{name}, embedded, MB", embedded[name].file.stat().st_size / 1e6)
        else:
            CLAIMS.leave_out(f"{name}, embedded, MB", "is not in the package")
    if en is None:
        for name in ("words/s, one thread", "memory, MB", "the text comes back"):
            CLAIMS.leave_out(name, "is not in the package")
        return CLAIMS.finish()
    train = xa.read(treebank_path("en_ewt", "train.conllu.gz"))
    text = test * max(1, round(chosen.words / 25_000))
    speed(en, text, train, chosen.runs)
    with tempfile.TemporaryDirectory() as folder:
        long_file(files["en"], text, Path(folder))
    long = raw_text(train)
    long *= max(1, round(chosen.megabytes * 1e6 / len(long.encode())))
    CLAIMS.agree("the text comes back", comes_back(en, long))
    return CLAIMS.finish()


if __name__ == "__main__":
    sys.exit(main())
