"""Pipelines on the command line: trained from a treebank, raw text in, trees out; models by name, as wheels, scored."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import crossarc as xa
from crossarc.text import Pipeline, raw_text

from ..support.commands import crossarc
from ..support.memory import PEAK
from ..support.pipelines import known_pipeline
from ..text.texts import TEXT

LETTER = "I don't know, Ann. Go on!\n\nShe can't.\n"
SMALL = (
    "--hidden-size 8 --layers 1 --option arc_hidden_size=8 --option label_hidden_size=8 --option character_size=0 "
    "--option batch_words=100 --option learning_rate=0.01 "
    "--epochs 3 --segmenter-epochs 5 --threads 1"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a pipeline, under CROSSARC_MODELS."""
    path = tmp_path_factory.mktemp("pipelines")
    nlp = known_pipeline()
    nlp.about = {**nlp.about, "scores": {"test, raw text": {"Words": 0.5, "LAS": 0.25}}}
    nlp.save(path / "tiny.crossarc")
    (path / "letter.txt").write_text(LETTER)
    (path / "gold.conllu").write_text(TEXT)
    return path


@pytest.fixture(autouse=True)
def models(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROSSARC_MODELS", str(folder))


def test_text_to_trees_from_files_and_streams(folder: Path) -> None:
    run = crossarc("parse", "tiny", "letter.txt", "-o", "letter.conllu", cwd=folder)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    written = (folder / "letter.conllu").read_text()
    assert xa.from_text(written).has_heads
    assert raw_text(xa.from_text(written)) == LETTER
    nlp = xa.load(folder / "tiny.crossarc")
    assert isinstance(nlp, Pipeline) and nlp(LETTER).to_text() == written
    assert crossarc("parse", "tiny", stdin=LETTER, cwd=folder).stdout == written


def test_a_text_is_drawn(folder: Path) -> None:
    run = crossarc("parse", "tiny", "--text", "I know, Ann. Go on!", cwd=folder)
    assert run.returncode == 0
    assert "know" in run.stdout and "root" in run.stdout and "Go on!" in run.stdout
    run = crossarc("parse", "tiny", "--text", "Go on!", "-o", "one.conllu", cwd=folder)
    assert (run.returncode, run.stdout) == (0, "")
    assert xa.read(folder / "one.conllu")[0].forms == ["Go", "on", "!"]


def test_a_text_is_exported(folder: Path, tmp_path: Path) -> None:
    """Each format by its ending, with the same words; an existing file of another kind is not replaced."""
    text = str(folder / "letter.txt")
    for name in (
        "letter.conllu",
        "letter.CSV",
        "letter.tsv.gz",
        "letter.json",
        "letter.svg",
        "letter.html",
        "letter.tex",
    ):
        run = crossarc("parse", "tiny", text, "-o", name, cwd=tmp_path)
        assert (run.returncode, run.stderr) == (0, ""), name
    parsed = xa.read(tmp_path / "letter.conllu")
    rows = list(csv.DictReader((tmp_path / "letter.CSV").read_text().splitlines()))
    assert [row["form"] for row in rows] == parsed.form.tolist()
    assert [int(row["head"]) for row in rows] == parsed.head.tolist()
    assert [len(entry["words"]) for entry in json.loads((tmp_path / "letter.json").read_text())] == [
        len(sentence) for sentence in parsed
    ]
    assert (tmp_path / "letter.html").read_text().count("<svg") == len(parsed)
    assert (tmp_path / "letter.tex").read_text().count(r"\begin{dependency}") == len(parsed)
    (tmp_path / "notes.json").write_text("my notes")
    run = crossarc("parse", "tiny", text, "-o", "notes.json", cwd=tmp_path)
    assert (run.returncode, (tmp_path / "notes.json").read_text()) == (2, "my notes")
    assert "notes.json: holds text, which JSON would replace" in run.stderr


def test_input_is_recognised(folder: Path) -> None:
    given = xa.from_text(TEXT)
    for kind, content in {
        "conllu": TEXT,
        "words": "\n".join("\n".join([*sentence.forms, ""]) for sentence in given),
        "lines": "".join(sentence.text + "\n" for sentence in given),
    }.items():
        found = xa.from_text(crossarc("parse", "tiny", "--input", kind, stdin=content, cwd=folder).stdout)
        assert [sentence.forms for sentence in found] == [sentence.forms for sentence in given], kind
        assert found.has_heads
        if kind != "lines":
            assert crossarc("parse", "tiny", stdin=content, cwd=folder).stdout == found.to_text()


def test_lines_are_sentences(folder: Path) -> None:
    text = "Go on! Go on! I know\n\n  Ann, go\n\n"
    found = xa.from_text(crossarc("parse", "tiny", "--input", "lines", stdin=text, cwd=folder).stdout)
    assert [sentence.text for sentence in found] == ["Go on! Go on! I know", "Ann, go"]
    assert (found[1][0].start, found[1][0].end) == (24, 27)
    assert text[24:27] == "Ann"


def test_heads_that_are_given(folder: Path) -> None:
    rows = ["1\tGo\t_\t_\t_\t_\t_\t_\t_\t_", "2\ton\t_\t_\t_\t_\t3\tmine\t_\t_", "3\t!\t_\t_\t_\t_\t_\t_\t_\t_"]
    run = crossarc("parse", "tiny", stdin="\n".join(rows) + "\n\n", cwd=folder)
    assert run.returncode == 0, run.stderr
    assert (xa.from_text(run.stdout)[0][1].head, xa.from_text(run.stdout)[0][1].deprel) == (3, "mine")
    whole = crossarc("parse", "tiny", "gold.conllu", "--keep-heads", cwd=folder).stdout
    assert xa.from_text(whole).head.tolist() == xa.from_text(TEXT).head.tolist()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\0\1\2\3\4" * 100, "letter: this is no text but a binary file"),
        (b"Go on!\nI kn\xe9w.", "letter:2:5: the byte 0xe9 is not UTF-8"),
        (TEXT.replace("\t_\t_\n", "\n").encode(), "letter:3: "),
        ((TEXT + TEXT.replace("\t0\troot", "\t99\troot", 1)).encode(), "letter:"),
    ],
)
def test_bad_input_is_one_clear_line(folder: Path, tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "letter").write_bytes(content)
    run = crossarc("parse", "tiny", "letter", "-o", "out.conllu", cwd=tmp_path)
    assert run.returncode == 2
    assert run.stderr.startswith(message)
    assert not (tmp_path / "out.conllu").exists()


@pytest.mark.parametrize("text", ["", "   ", "\n\n\n", "\t \n"])
def test_texts_without_words(folder: Path, text: str) -> None:
    run = crossarc("parse", "tiny", "--input", "text", stdin=text, cwd=folder)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "note: no sentences in standard input\n")


def test_a_text_of_another_language(folder: Path) -> None:
    run = crossarc("parse", "tiny", stdin="Это предложение на другом языке.", cwd=folder)
    assert run.returncode == 0 and xa.from_text(run.stdout).has_heads
    assert "it was trained on Tiny (a tiny treebank)" in run.stderr


def test_what_does_not_go_together(folder: Path, tmp_path: Path) -> None:
    for arguments, message in {
        ("fr", "letter.txt"): "fr: no such file, and no model of this name: there are ",
        ("tiny", "letter.txt", "--input", "prose"): "--input is one of text, lines, words, conllu",
        ("tiny", "letter.txt", "--text", "Go"): "--text is the text itself",
        ("tiny", "letter.txt", "letter.txt", "-o", "both.json"): "both.json is the name of a file, and several files",
    }.items():
        run = crossarc("parse", *arguments, cwd=folder)
        assert run.returncode == 2 and message in run.stderr and len(run.stderr.splitlines()) == 1


def test_a_parser_takes_no_text(folder: Path, tmp_path: Path) -> None:
    xa.write(xa.sample(20), tmp_path / "train.conllu")
    train = "train train.conllu --system arc-eager --epochs 1 --option hidden_size=8 -o parser.crossarc"
    assert crossarc(*train.split(), cwd=tmp_path).returncode == 0
    for arguments in (["--input", "text"], ["--text", "Go on!"]):
        run = crossarc("parse", "parser.crossarc", *arguments, stdin=LETTER, cwd=tmp_path)
        assert run.returncode == 2 and "a parser, which takes words and no raw text" in run.stderr
    words = crossarc("parse", "parser.crossarc", "--input", "words", stdin="dani\npolesian\n", cwd=tmp_path)
    assert xa.from_text(words.stdout)[0].forms == ["dani", "polesian"]


def test_trained_from_text_to_tree(folder: Path, tmp_path: Path) -> None:
    """A whole pipeline on the sample, as anyone would make one: segmenter, tags, lemmas, trees."""
    xa.write(xa.sample(150, seed=1), tmp_path / "train.conllu.gz")
    xa.write(xa.sample(20, seed=2), tmp_path / "dev.conllu")
    command = f"train --pipeline train.conllu.gz --dev dev.conllu -o my.crossarc --about language=Sample {SMALL}"
    run = crossarc(*command.split(), cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "segmenter, epoch 5: " in run.stderr and "UPOS " in run.stderr
    text = raw_text(xa.sample(5, seed=3))
    found = xa.from_text(crossarc("parse", "my.crossarc", stdin=text, cwd=tmp_path).stdout)
    assert found.has_heads
    for column in ("lemma", "upos", "xpos", "deprel"):
        assert "_" not in found.texts(column), column
    info = json.loads(crossarc("info", "my.crossarc", "--json", cwd=tmp_path).stdout)
    assert info["language"] == "Sample"
    assert info["command"].startswith("crossarc train train.conllu.gz --dev dev.conllu --pipeline")
    assert {"dev_upos", "dev_las"} <= info["parser"].keys()
    shown = crossarc("info", "my.crossarc", cwd=tmp_path).stdout
    assert "segmenter\n" in shown and "parser\n" in shown
    small = crossarc("compress", "my.crossarc", "-o", "small.crossarc", cwd=tmp_path)
    assert small.returncode == 0, small.stderr
    assert crossarc("parse", "small.crossarc", stdin=text, cwd=tmp_path).returncode == 0


def test_options_of_pipelines_alone(tmp_path: Path) -> None:
    xa.write(xa.sample(5), tmp_path / "train.conllu")
    run = crossarc("train", "train.conllu", "--about", "language=x", "-o", "m.crossarc", cwd=tmp_path)
    assert run.returncode == 2 and "--about is for pipelines: add --pipeline" in run.stderr
    run = crossarc("train", "--pipeline", "train.conllu", "--about", "colour=x", "-o", "m.crossarc", cwd=tmp_path)
    assert run.returncode == 2 and "--about colour=x: give NAME=VALUE with one of name, language" in run.stderr


def test_scores_from_raw_text(folder: Path) -> None:
    run = crossarc("evaluate", "--raw", "tiny", "gold.conllu", "--json", cwd=folder)
    assert run.returncode == 0, run.stderr
    scores = json.loads(run.stdout)["conll2018"]
    assert scores["Words"]["f1"] == scores["Sentences"]["f1"] == 1
    assert scores["UPOS"]["f1"] == 0  # this pipeline has no tagger
    run = crossarc("evaluate", "--raw", "tiny", "gold.conllu", "--words", cwd=folder)
    assert run.returncode == 0 and run.stdout.startswith("tiny, gold words against gold.conllu")
    run = crossarc("evaluate", "gold.conllu", cwd=folder)
    assert run.returncode == 2 and "give GOLD and SYSTEM, or --raw MODEL and GOLD" in run.stderr


def test_models_are_listed(folder: Path) -> None:
    (one,) = [one for one in json.loads(crossarc("models", "--json").stdout) if one["name"] == "tiny"]
    assert (one["language"], one["licence"], one["source"]) == ("Tiny", "none", "a tiny treebank")
    assert one["bytes"] == (folder / "tiny.crossarc").stat().st_size and one["origin"] == str(folder)
    shown = crossarc("models").stdout
    assert "tiny: Tiny, 0.0 MB" in shown and "Words 50.00, LAS 25.00" in shown


def test_a_wheel_is_found_by_its_name(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "LICENSE").write_text("Do as you like.\n")
    command = ["package", "tiny", "--name", "tn", "--version", "2.1", "--licence", "LICENSE", "-o", "dist"]
    run = crossarc(*command, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    wheel = tmp_path / "dist" / "crossarc_model_tn-2.1-py3-none-any.whl"
    first = wheel.read_bytes()
    assert crossarc(*command, cwd=tmp_path).returncode == 0
    assert wheel.read_bytes() == first
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    places = os.pathsep.join([str(tmp_path / "site"), *sys.path])
    environment = {**os.environ, "PYTHONPATH": places, "CROSSARC_MODELS": ""}
    code = "import crossarc as xa; print(xa.load('tn').about['language'], xa.load('tn')('Go on!').has_heads)"
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.stdout == "Tiny True\n", done.stderr
    run = crossarc("package", "tiny", "--name", "My Model", cwd=tmp_path)
    assert run.returncode == 2 and "--name is of small letters" in run.stderr


@pytest.mark.slow
def test_memory_does_not_grow_with_the_text(folder: Path, tmp_path: Path) -> None:
    """Twice the text, on one line, takes hardly more: it is read in blocks of 64 KB."""
    peaks = []
    for times in (3000, 6000):
        (tmp_path / "long.txt").write_text("I don't know, Ann. Go on! " * times)
        code = (
            f"import sys; sys.argv = ['crossarc', 'parse', {str(folder / 'tiny.crossarc')!r}, 'long.txt', '-o', 'o']\n"
            f"from crossarc.cli.main import _run\nassert _run() == 0\n{PEAK}\nprint(peak())"
        )
        done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
        peaks.append(int(done.stdout.split()[-1]))
    assert peaks[1] < 1.3 * peaks[0]


def test_what_a_model_of_several_roots_writes_is_read(tmp_path: Path) -> None:
    """The full stops of the embedded model of Ancient Greek are roots beside the predicate."""
    (tmp_path / "g.txt").write_text("μῆνιν ἄειδε θεὰ Πηληϊάδεω Ἀχιλῆος. ἄνδρα μοι ἔννεπε, μοῦσα, πολύτροπον.\n")
    assert crossarc("parse", "grc", "g.txt", "-o", "g.conllu", cwd=tmp_path).returncode == 0
    several = int((xa.read(tmp_path / "g.conllu", root="any").root_counts > 1).sum())
    assert several > 1
    told = f"note: {several} sentences have several roots: "
    for command in (
        "check g.conllu",
        "convert g.conllu --to conllx",
        "encode g.conllu",
        "decode g.conllu --scheme head",
    ):
        run = crossarc(*command.split(), cwd=tmp_path)
        assert (run.returncode, run.stderr.count(told)) == (0, 1), run.stderr
        strict = crossarc(*command.split(), "--root", "single", cwd=tmp_path)
        assert strict.returncode and "several roots: " in strict.stdout + strict.stderr
        assert crossarc(*command.split(), "--root", "any", cwd=tmp_path).stderr.count("several roots") == 0
    run = crossarc("evaluate", "g.conllu", "g.conllu", "--json", cwd=tmp_path)
    assert (run.returncode, json.loads(run.stdout)["all_words"]["las"]["f1"]) == (0, 1)
    with pytest.warns(UserWarning, match=f"{several} sentences have several roots: root="):
        assert xa.read(tmp_path / "g.conllu").to_bytes() == (tmp_path / "g.conllu").read_bytes()


def test_arcs_of_replaced_heads_do_not_survive(folder: Path, tmp_path: Path) -> None:
    """DEPS of a gold standard is no part of the output, unless asked for."""
    gold = xa.from_text(TEXT)
    deps = [f"{head}:{label}|{head}:zgold" for head, label in zip(gold.head, gold.deprel, strict=True)]
    enhanced = gold.replace(deps=deps)
    xa.write(enhanced, tmp_path / "gold.conllu")
    for options in ([], ["--nbest", "1"], ["--scores"]):
        run = crossarc("parse", "tiny", "gold.conllu", *options, cwd=tmp_path)
        assert run.returncode == 0 and set(xa.from_text(run.stdout).deps) == {"_"}
    run = crossarc("parse", "tiny", "gold.conllu", "--keep-deps", cwd=tmp_path)
    assert run.stdout.count(":zgold") == gold.words
    nlp = xa.load(folder / "tiny.crossarc")
    assert nlp.parse(enhanced, keep_deps=True).to_text() == run.stdout
    assert nlp.parse(enhanced, keep_heads=True).deps.tolist() == deps  # no head was replaced


def test_tags_that_do_not_reach_the_trees_are_said(tmp_path: Path) -> None:
    (tmp_path / "a.conllu").write_text("1\tGo\t_\tNOUN\t_\tX=Y\t_\t_\t_\t_\n2\ton\t_\t_\t_\t_\t_\t_\t_\t_\n\n")
    run = crossarc("parse", "en", "a.conllu", cwd=tmp_path)
    told = "note: FEATS of the input stay, but do not change the trees: the model does not read them\n"
    assert (run.returncode, run.stderr) == (0, told)
    parsed = xa.from_text(run.stdout)
    assert (parsed.upos[0], parsed.feats[0]) == ("NOUN", "X=Y")
    assert crossarc("parse", "en", stdin="Go on", cwd=tmp_path).stderr == ""


def test_tags_that_a_person_sets_change_the_tree(tmp_path: Path) -> None:
    words, heads = ["Squad", "helps", "dog", "bite", "victim", "."], {}
    for tag in ("NOUN", "VERB"):
        lines = [f"{i}\t{w}\t_\t{tag if w == 'bite' else '_'}\t_\t_\t_\t_\t_\t_" for i, w in enumerate(words, 1)]
        (tmp_path / "a.conllu").write_text("\n".join(lines) + "\n\n")
        run = crossarc("parse", "en", "a.conllu", cwd=tmp_path)
        assert (run.returncode, run.stderr) == (0, "")
        heads[tag] = xa.from_text(run.stdout).head.tolist()
    # What is bitten, and not a victim of a dog bite.
    assert heads["NOUN"][3:5] == [5, 2] and heads["VERB"][4] == 4


def test_names_that_are_not_meant(folder: Path, tmp_path: Path) -> None:
    """Outputs of an ending that is no format, several files, a folder: each is one line that says what to do."""
    run = crossarc("parse", "tiny", str(folder / "letter.txt"), "-o", "letter.docx", cwd=tmp_path)
    told = (
        "letter.docx: no format of this ending: there are .conllu, .conll, .conllx, .csv, .tsv, .xlsx, .json, .spacy, "
    )
    told += ".svg, .html, .pdf, .png, .tex; --force writes a treebank under any name\n"
    assert (run.returncode, run.stderr) == (2, told)
    assert not list(tmp_path.iterdir())
    run = crossarc("parse", "tiny", str(folder / "letter.txt"), "-o", "letter.docx", "--force", cwd=tmp_path)
    assert run.returncode == 0 and xa.read(tmp_path / "letter.docx").has_heads
    for several in (["a.txt", "b.txt"], ["."]):
        run = crossarc("parse", "tiny", *several, cwd=tmp_path)
        told = "crossarc parse: several files are parsed into a folder: give files and -o FOLDER\n"
        assert (run.returncode, run.stderr) == (2, told)


def test_many_files_into_a_folder(folder: Path, tmp_path: Path) -> None:
    """Names are kept; what is written whole is not parsed again; what cannot be parsed does not stop the others."""
    (tmp_path / "corpus" / "news").mkdir(parents=True)
    for name in ("corpus/a.txt", "corpus/news/a.txt", "b.txt"):
        (tmp_path / name).write_text(LETTER)
    (tmp_path / "corpus" / "c.txt").write_bytes(bytes(range(32)))
    arguments = ("parse", "tiny", "corpus", "b.txt", "-o", "out/")
    run = crossarc(*arguments, cwd=tmp_path)
    assert (run.returncode, run.stderr.splitlines()[0]) == (2, "3 files: 9 sentences, 42 words")
    assert "1 of 4 files could not be parsed: corpus/c.txt: this is no text but a binary file" in run.stderr
    outputs = [tmp_path / "out" / name for name in ("a.conllu", "b.conllu", "news/a.conllu")]
    assert sorted((tmp_path / "out").rglob("*.conllu")) == outputs
    alone = crossarc("parse", "tiny", "b.txt", cwd=tmp_path).stdout
    assert [path.read_text() for path in outputs] == 3 * [alone]
    (tmp_path / "corpus" / "c.txt").unlink()
    before = [path.stat().st_ino for path in outputs]
    outputs[2].unlink()  # as if it had not been done yet
    (tmp_path / "b.txt").write_text("Go on!\n")
    run = crossarc(*arguments, cwd=tmp_path)
    told = "1 of 3 files were done before and are not parsed again\n3 files: 7 sentences, 31 words\n"
    assert (run.returncode, run.stderr) == (0, told)
    assert outputs[0].stat().st_ino == before[0] and outputs[1].stat().st_ino != before[1]
    assert xa.read(outputs[1])[0].forms == ["Go", "on", "!"]


def test_results_beside_their_inputs_are_no_inputs(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(LETTER)
    for done in ("", "1 of 1 files were done before and are not parsed again\n"):
        run = crossarc("parse", "tiny", ".", "-o", ".", "--to", "csv", cwd=tmp_path)
        assert (run.returncode, run.stderr) == (0, done + "1 file: 3 sentences, 14 words\n")
        run = crossarc("parse", "tiny", ".", "-o", ".", cwd=tmp_path)
        assert (run.returncode, run.stderr) == (0, done + "1 file: 3 sentences, 14 words\n")
    (tmp_path / "b.txt").write_text(LETTER)
    (tmp_path / "b.conllu").write_text("my notes")
    run = crossarc("parse", "tiny", "a.txt", "b.txt", "-o", ".", cwd=tmp_path)
    assert (run.returncode, (tmp_path / "b.conllu").read_text()) == (2, "my notes")
    assert "b.conllu: holds text, which a treebank would replace" in run.stderr
